"""Random modules with and without the optimizer: ``python scripts/fuzz_optimizer.py --cases 500``.

Every module is compiled plainly and with each policy, and run on the simulated device: the results must be the same bits, and
nothing may be left on the device. Exit code 1 when something differs.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

import torch  # noqa: E402

from support.optimized import differences  # noqa: E402
from ttmlir.reference.random_modules import random_module, varied_profile  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description="Random modules with and without the optimizer.")
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--varied", action="store_true", help="all types, operations and memories")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    wrong = 0
    for seed in range(arguments.start, arguments.start + arguments.cases):
        module = random_module(seed, varied_profile(seed) if arguments.varied else None)
        try:
            said = list(differences(module.text, module))
        except Exception:  # whatever it is, it is a finding
            said = [traceback.format_exc(limit=-3)]
        wrong += bool(said)
        for text in said:
            print(f"seed {seed}: {text}", flush=True)
    print(f"{arguments.cases} modules, {wrong} of them otherwise with the optimizer")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
