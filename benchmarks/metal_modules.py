"""Random modules through the metal path: written as ``.ttm``, read, run on the emulated chip, each command compared.

    python benchmarks/metal_modules.py [--seeds 0:300]

Of every command: the reference that rounds where the chip does, on what the command found in memory (``own``: bits, or within the
tolerance), and the float64 reference of the whole program. Prints what differs, and a table at the end. Exit code 1 where a module
does not agree.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.metal_binaries import run_random
from support.random_programs.ttir.metal_modules import random_metal_module


def main() -> int:
    """Run the modules that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", default="0:300", help="from and to, such as 0:300")
    first, last = map(int, parser.parse_args().seeds.split(":"))
    commands: Counter[tuple[str, str]] = Counter()
    wrong = cycles = kernels = 0
    for seed in range(first, last):
        run = run_random(random_metal_module(seed))
        assert run.golden is not None
        bad = run.golden.first_bad(0.99)
        problems = [run.golden.stopped, "" if bad is None else bad.report(0.99), *run.report.leaks]
        if any(problems):
            wrong += 1
            print(f"seed {seed}: {'; '.join(filter(None, problems))}", flush=True)
        for one in run.golden.comparisons:
            agrees = "to the bit" if one.own == 0 else "in the tolerance" if one.own <= 1 else "no"
            commands[one.operation.partition(" ")[2], agrees] += 1
        cycles += run.report.cycles
        kernels += sum(one.kernels for one in run.report.dispatches)
    for (name, agrees), count in sorted(commands.items()):
        print(f"{count:6} {name}: {agrees}")
    total = Counter[str]()
    for (_, agrees), count in commands.items():
        total[agrees] += count
    print(
        f"{last - first} modules, {wrong} of them do not agree; commands: {dict(total)}; {kernels:,} kernels, {cycles:,} cycles"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
