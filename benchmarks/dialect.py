"""How long the text of a module of 2,000 operations takes: reading, verifying, printing. And what the import costs.

    python benchmarks/dialect.py [--operations 2000]

The goal is one second for all three together. Best of five, in seconds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

_TILE = "!ttl.tile<32x32, bf16>"
_VALUE = f"tensor<2x1x{_TILE}>"
_STEP = f"""\
    %blk = ttl.dfb_wait %a_dfb : <[2, 1], {_TILE}, 2>
    %x = ttl.block_read %blk : <[2, 1], {_TILE}>
    %e = ttl.block_exp %x {{approx = false, scale = 1.0 : f64}} : {_VALUE} -> {_VALUE}
    %sum = ttl.block_add %x, %e : {_VALUE}, {_VALUE} -> {_VALUE}
    %out = ttl.dfb_reserve %y_dfb : <[2, 1], {_TILE}, 2>
    ttl.block_store %sum, %out : {_VALUE} -> <[2, 1], {_TILE}>
    ttl.dfb_push %out explicit : <[2, 1], {_TILE}>
    ttl.dfb_pop %blk with : <[2, 1], {_TILE}>
"""


def module_text(operations: int) -> str:
    """A module of about this many operations, in the readable form."""
    steps = []
    for number in range(max(1, operations // 8)):
        step = _STEP
        for name in ("blk", "x", "e", "sum", "out"):
            step = step.replace(f"%{name} ", f"%{name}_{number} ").replace(f"%{name},", f"%{name}_{number},")
        steps.append(step)
    return (
        "ttl.operation @f() grid <8x8> {\n"
        f'  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[2, 1], {_TILE}, 2>\n'
        f'  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[2, 1], {_TILE}, 2>\n'
        f"  ttl.compute_kernel @compute {{\n{''.join(steps)}  }}\n}}\n"
    )


def best(work: Callable[[], Any]) -> float:
    """Seconds of the fastest of five."""
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def import_seconds(module: str) -> float:
    """What one more import costs in a fresh process that has imported what the module stands on."""
    program = (
        "import ttl, xdsl.parser, xdsl.irdl.declarative_assembly_format_parser\n"
        "import xdsl.dialects.arith, xdsl.pattern_rewriter, time\n"
        f"start = time.perf_counter()\nimport {module}\nprint(time.perf_counter() - start)"
    )
    runs = [
        float(
            subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        )
        for _ in range(5)
    ]
    return min(runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--operations", type=int, default=2000)
    operations = parser.parse_args().operations

    from ttl.dialects.text import parse_module
    from ttl.ir.printer import print_module
    from ttl.ir.verifier import verify

    text = module_text(operations)
    module = parse_module(text)
    generic = print_module(module, generic=True)
    count = sum(1 for _ in module.walk())
    rows = {
        "parse": best(lambda: parse_module(text)),
        "parse, generic form": best(lambda: parse_module(generic)),
        "verify": best(lambda: verify(module)),
        "print": best(lambda: print_module(module)),
        "print with locations": best(lambda: print_module(module, locations=True)),
    }
    print(f"{count} operations, {len(text) // 1024} KiB")
    for name, seconds in rows.items():
        print(f"  {name:22} {seconds:7.3f}")
    print(f"  {'parse, verify, print':22} {rows['parse'] + rows['verify'] + rows['print']:7.3f}")
    print(f"  {'import of the dialect':22} {import_seconds('ttl.dialects.ttl'):7.3f}")


if __name__ == "__main__":
    main()
