"""A transformer model on the simulated device, beside torch eager on the same shapes, one thread, in one run.

    python benchmarks/ttmlir_runtime.py [--operations 2000] [--element f32]

What is allowed is 1.5 times torch, and 20 us for each operation of the model (of which there are more in the binary).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import torch
from ttl.ir.context import make_context
from ttl.ir.driver import Driver, Options, Timing
from ttl.ir.forms import MLIRText
from ttl.ir.parser import parse_text
from ttmlir_models import transformer

from tt_model.binaries.binary import Binary, _of_bytes
from tt_model.binaries.submission import prepared
from tt_model.operations.dialects import DIALECTS
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import run_program
from ttmlir.transforms.pipelines import PIPELINES
from ttmlir.translate.serialise import ttnn_to_flatbuffer
from ttrt.common.programs import initialised, system_for

SEQUENCE, HEADS, WIDTH = 128, 4, 256
ROUNDS = 7


def compiled(text: str) -> Binary:
    """The model as a binary."""
    context = make_context(DIALECTS)
    module = parse_text(context, text, "model.mlir")
    Driver(
        {}, PIPELINES["ttir-to-ttnn-backend-pipeline"]().passes(), Options(), Timing(), print, MLIRText()
    ).run_passes(context, module)
    binary = _of_bytes(ttnn_to_flatbuffer(module), "model.ttnn")
    assert isinstance(binary, Binary)
    return binary


def eager(x: Any, weights: list[Any]) -> Any:
    """The same model in torch: as many layers as there are weights."""
    left = iter(weights)
    head = WIDTH // HEADS

    def normalised(x: Any) -> Any:
        centred = x - x.mean(-1, keepdim=True)
        inverse = torch.rsqrt((centred * centred).mean(-1, keepdim=True) + 1e-5)
        return centred * inverse * next(left) + next(left)

    try:
        while True:
            y = normalised(x)
            query, key, value = (
                (y @ next(left)).reshape(SEQUENCE, HEADS, head).transpose(0, 1) for _ in range(3)
            )
            scores = torch.softmax((query @ key.transpose(-2, -1)) * head**-0.5, -1)
            x = x + (scores @ value).transpose(0, 1).reshape(SEQUENCE, WIDTH) @ next(left)
            wide = torch.nn.functional.gelu(normalised(x) @ next(left))
            x = x + wide @ next(left)
    except (StopIteration, RuntimeError):
        return x


def seconds(run: Callable[[], object]) -> float:
    """CPU time."""
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> int:
    """Measure; 1 where it is too slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=2000)
    parser.add_argument("--element", default="f32")
    given = parser.parse_args()
    torch.set_num_threads(1)
    binary = compiled(
        transformer(given.operations, sequence=SEQUENCE, heads=HEADS, width=WIDTH, element=given.element)
    )
    program = prepared(binary, 0)
    inputs = [0.1 * tensor for tensor in initialised(program, "randn", 0)]
    device = SimulatedDevice(system_for(binary, ""), [0])

    def ours() -> Any:
        return run_program(device, program, inputs)[0][0]

    def torchs() -> Any:
        return eager(inputs[0], inputs[1:])

    difference = float((ours() - torchs()).abs().max())
    # In turns, so that what else the machine does falls on both.
    rounds = [(seconds(ours), seconds(torchs)) for _ in range(ROUNDS)]
    here, there = (statistics.median(one) for one in zip(*rounds, strict=True))
    count = len(program.steps)
    allowed = 1.5 * there + 20e-6 * given.operations
    print(f"{count} operations in the binary; largest difference to torch {difference:.2g}")
    print(f"simulated device {here * 1e3:.0f} ms, torch eager {there * 1e3:.0f} ms, ratio {here / there:.2f}")
    print(
        f"over torch {(here - there) / count * 1e6:.1f} us an operation; allowed in all {allowed * 1e3:.0f} ms"
    )
    return int(here > allowed)


if __name__ == "__main__":
    sys.exit(main())
