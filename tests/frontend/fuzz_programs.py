"""The programs that fuzzing the front end starts from, and those it has found."""

from __future__ import annotations

from pathlib import Path

from fuzz.case import Case, read, seeds

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"


def programs() -> list[Case]:
    """Correct programs: the examples, and the seeds of the fuzzer of the simulator."""
    return [*(read(path) for path in sorted(EXAMPLES.glob("*.py"))), *seeds()]


def kept() -> list[Case]:
    """Programs that were findings once."""
    return [read(path) for path in sorted((HERE / "fuzz_cases").glob("*.py"))]
