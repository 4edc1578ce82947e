"""A module of 2,000 operations written as a ``.ttnn`` file, with and without the text of each operation, in one run.

    python benchmarks/ttmlir_serialise.py [--operations 2000]

What is asked: a second of CPU time with all text. Beside it stand what the text costs, as a multiple of writing without it,
and of printing the module once, which anybody does who wants to read it.
"""

from __future__ import annotations

import argparse
import io
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "src")]

from ttl.ir.assembly import Style
from ttl.ir.context import make_context
from ttl.ir.driver import Driver, Options, Timing
from ttl.ir.forms import MLIRText
from ttl.ir.mlir_text import print_as_mlir
from ttl.ir.parser import parse_text
from ttmlir_models import transformer

from tt_model.flatbuffer.decode import decode
from tt_model.flatbuffer.schema import schema
from tt_model.operations.dialects import DIALECTS
from ttmlir.transforms.pipelines import PIPELINES
from ttmlir.translate.serialise import SCHEMA, ttnn_to_flatbuffer

ROUNDS = 7
SECONDS = 1.0


def seconds(run: Callable[[], object]) -> float:
    """CPU time."""
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> int:
    """Measure; 1 where it is too slow."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--operations", type=int, default=2000, help="of TTNN, at least")
    wanted = parser.parse_args().operations
    context = make_context(DIALECTS)
    # An operation of the model is several of TTNN, with those that move tensors and give them back.
    module = parse_text(context, transformer(wanted // 3, width=256), "model.mlir")
    passes = PIPELINES["ttir-to-ttnn-backend-pipeline"]().passes()
    said = io.StringIO()
    driver = Driver(
        {}, passes, Options(), Timing(), lambda *text: said.write(" ".join(map(str, text))), MLIRText()
    )
    assert not [one for one in driver.run_passes(context, module) if one.severity == "error"]
    count = sum(op.name.startswith("ttnn.") for op in module.walk())
    content = ttnn_to_flatbuffer(module)
    rounds = [
        (
            seconds(lambda: ttnn_to_flatbuffer(module)),
            seconds(lambda: ttnn_to_flatbuffer(module, debug_info=False)),
            seconds(lambda: print_as_mlir(module, Style())),
            seconds(lambda: decode(schema(SCHEMA), content)),
        )
        for _ in range(ROUNDS)
    ]
    text, bare, printed, read = (statistics.median(one) for one in zip(*rounds, strict=True))
    asked = SECONDS * count / 2000
    print(f"{count} operations, a file of {len(content) / 1e6:.1f} MB")
    print(f"written with text {text * 1e3:.0f} ms, without {bare * 1e3:.0f} ms, ratio {text / bare:.2f}")
    print(
        f"printing the module once {printed * 1e3:.0f} ms, ratio {text / printed:.2f}; read again {read * 1e3:.0f} ms"
    )
    print(f"asked in all {asked * 1e3:.0f} ms")
    return int(text > asked)


if __name__ == "__main__":
    sys.exit(main())
