"""How the time of ``ttl check``, ``ttl compile`` and a run on the emulated chip grows with the program: ``make growth``.

CPU time of this process, the least of several rounds; compilers of C++ are not counted, for what they made is kept. The
exponent is the slope of log time against log number over the upper half of the sizes; above 1.2 a curve is called
superlinear. With --docs it writes the table of docs/guides/performance.md anew.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import runpy
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent
sys.path[:0] = [str(_FOLDER), str(_FOLDER.parent / "src")]

from sources import SERIES, Series
from ttl import settings
from ttl.check.module import check_module
from ttl.codegen.compile import compile_module
from ttl.diag import Severity
from ttl.frontend.file import lower_file

import report

PAGE = report.DOCS / "guides" / "performance.md"
SUPERLINEAR = 1.2
_PHASES = ("read and check", "compile", "run on the emulated chip")


@dataclass(frozen=True, slots=True)
class Curve:
    """One phase of one series: seconds at each size."""

    title: str
    phase: str
    sizes: tuple[int, ...]
    seconds: list[float]

    @property
    def slope(self) -> float:
        """The exponent of the upper half."""
        upper = len(self.sizes) // 2 - 1
        x = [math.log(each) for each in self.sizes[upper:]]
        y = [math.log(each) for each in self.seconds[upper:]]
        return statistics.linear_regression(x, y)[0]

    def row(self) -> str:
        """A row of the table."""
        sizes = ", ".join(map(str, self.sizes))
        times = ", ".join(f"{each:.2f}" for each in self.seconds)
        exponent = f"**{self.slope:.2f}**" if self.slope > SUPERLINEAR else f"{self.slope:.2f}"
        return f"| {self.title} | {self.phase} | {sizes} | {times} | {exponent} |"


def curves(series: Series, folder: Path, *, rounds: int, emulate: bool) -> Iterator[Curve]:
    """The curves of a series. Raises AssertionError where a program is refused."""
    phases: list[tuple[str, tuple[int, ...], Callable[[Path], Callable[[], object]]]] = [
        ("read and check", series.sizes, _checking),
        ("compile", series.sizes, _compiling),
    ]
    if emulate:
        phases.append(("run on the emulated chip", series.emulated, _emulating))
    for phase, sizes, prepare in phases:
        seconds = []
        for size in sizes:
            path = folder / f"{series.name}_{size}.py"
            path.write_text(series.text(size))
            run = prepare(path)
            run()
            seconds.append(min(_timed(run) for _ in range(rounds)))
        yield Curve(series.title, phase, sizes, seconds)


def _checking(path: Path) -> Callable[[], object]:
    def check() -> None:
        lowered = lower_file(str(path))
        found = [*lowered.diagnostics, *check_module(lowered.module, settings=settings.current())]
        errors = [each for each in found if each.severity is Severity.ERROR]
        assert not errors, f"{path.name}: {errors[0].message}"

    return check


def _compiling(path: Path) -> Callable[[], object]:
    module = lower_file(str(path)).module

    def compile_() -> None:
        compiled = compile_module(module, settings.current())
        assert compiled.programs and not compiled.diagnostics, f"{path.name}: {compiled.diagnostics}"

    return compile_


def _emulating(path: Path) -> Callable[[], object]:
    return lambda: _emulated(path)


def _emulated(path: Path) -> None:
    with settings.override(target="emu", check="off"), contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(str(path), run_name="__main__")


def _timed(phase: Callable[[], object]) -> float:
    began = time.process_time()
    phase()
    return time.process_time() - began


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", default=[], help="series whose name contains this")
    parser.add_argument("--rounds", type=int, default=3, help="samples of every point (default 3)")
    parser.add_argument("--no-emulation", action="store_true", help="leave the emulated chip out")
    parser.add_argument("--docs", action="store_true", help="write the table of the page anew")
    arguments = parser.parse_args()
    rows = ["| what grows | what is done | sizes | seconds | exponent |", "| --- | --- | --- | --- | --- |"]
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        for series in SERIES:
            if arguments.only and not any(part in series.name for part in arguments.only):
                continue
            emulate = not arguments.no_emulation
            for curve in curves(series, Path(name), rounds=arguments.rounds, emulate=emulate):
                bad += curve.slope > SUPERLINEAR
                rows.append(curve.row())
                print(rows[-1], flush=True)
    if arguments.docs:
        report.write_between(PAGE, "growth of tools", "\n".join(rows))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
