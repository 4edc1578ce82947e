"""Compiled programs on an emulated chip that begins every launch with random memory, registers and configuration.

    python scripts/hostile.py --examples                  every program of examples/
    python scripts/hostile.py --programs 500 --seed 0     random programs, against the reference and the simulator

``--hostile N`` is the number that the garbage is made from; ``--delays`` also delays processors and transfers at random.
Exit code 1 when there are findings. See docs/reference/strictness.md.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import runpy
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]  # in place of this folder

import ttl  # noqa: E402, F401 - lets programs import ttnn
from differential.test_random_programs import REFUSALS  # noqa: E402
from differential.three_ways import check  # noqa: E402
from support.random_programs.language.emit import device_text  # noqa: E402
from support.random_programs.language.generate import generate  # noqa: E402
from ttl import settings  # noqa: E402
from ttl.diag import TTLError  # noqa: E402
from ttl.host import importer  # noqa: E402

EXAMPLES = ROOT / "examples"


def example(program: Path) -> str:
    """What is wrong with an example on the emulated chip; nothing: an empty text."""
    importer.install()
    kept = sys.argv, sys.path[:]
    sys.argv = [str(program)]
    sys.path.insert(0, str(EXAMPLES))
    sys.modules.pop("checking", None)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), settings.override(target="emu"):
            runpy.run_path(str(program), run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            return f"ended with {end.code!r}"
    except TTLError as problem:
        return str(problem)
    finally:
        sys.argv, sys.path[:] = kept
    return printed.getvalue() if "WRONG" in printed.getvalue() else ""


def random_program(seed: int, folder: Path, arch: str) -> str:
    """The same of a random program; what is not compiled by design is not wrong."""
    failure = check(generate(seed), folder, arch=arch)
    if failure is None or failure.kind.removeprefix("refused ") in REFUSALS:
        return ""
    return f"{failure.kind}\n{failure.text}\n{device_text(generate(seed))}"


def main() -> int:
    """Run the script and return its exit code."""
    arguments = _parser().parse_args()
    began = time.monotonic()
    counts: Counter[str] = Counter()

    def report(name: str, found: str) -> None:
        counts["wrong" if found else "right"] += 1
        if found:
            print(f"--- {name}: {found}", flush=True)

    seed = arguments.hostile if arguments.delays else None
    with settings.override(emu_hostile=arguments.hostile, emu_seed=seed, arch=arguments.arch):
        if arguments.examples:
            for program in sorted(EXAMPLES.glob("*.py")):
                if program.name != "checking.py":
                    report(program.name, example(program))
        with tempfile.TemporaryDirectory() as name:
            for number in range(arguments.seed, arguments.seed + arguments.programs):
                report(f"random program {number}", random_program(number, Path(name), arguments.arch))
    print(f"{dict(counts)} in {time.monotonic() - began:.0f} s")
    return 1 if counts["wrong"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Compiled programs on a hostile emulated chip.")
    parser.add_argument("--examples", action="store_true", help="run every program of examples/")
    parser.add_argument("--programs", type=int, default=0, help="how many random programs to run")
    parser.add_argument("--seed", type=int, default=0, help="number of the first random program")
    parser.add_argument("--hostile", type=int, default=1, help="what the garbage is made from")
    parser.add_argument("--delays", action="store_true", help="also delay processors and transfers at random")
    parser.add_argument("--arch", choices=("wormhole", "blackhole"), default="wormhole")
    return parser


if __name__ == "__main__":
    sys.exit(main())
