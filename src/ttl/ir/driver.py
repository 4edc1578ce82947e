"""What a tool does with one piece of text: read, verify, run the passes, print."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from ttl.ir.context import DialectTable, make_context
from ttl.ir.failure import Findings, Foreseeing, NotLegalized, NotLowered, NotReady, Remarks
from ttl.ir.parser import parse_text
from ttl.ir.printer import print_module
from ttl.ir.reports import InvalidText, Report, about, report_of
from ttl.ir.verifier import verify

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """How text is read and printed, and what is done between passes."""

    verify_each: bool = True
    print_after_all: bool = False
    generic: bool = False
    locations: bool = False
    allow_unregistered: bool = False


@dataclass(kw_only=True, slots=True)
class Timing:
    """Seconds by what they were spent on, in the order in which it came."""

    seconds: dict[str, float] = field(default_factory=dict)

    def measure(self, name: str, work: Callable[[], T]) -> T:
        """Do something, and add the time it took."""
        start = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def table(self) -> str:
        """As ``mlir-opt`` shows it."""
        total = sum(self.seconds.values())
        rows = [("Total", total), *self.seconds.items()]
        body = "".join(
            f"  {seconds:8.4f} ({100 * seconds / (total or 1):5.1f}%)  {name}\n"
            for name, seconds in (*self.seconds.items(), rows[0])
        )
        line = "===" + "-" * 57 + "===\n"
        return f"{line}  ... execution time report ...\n{line}  wall seconds       name\n{body}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What came of a piece of text: what it became, where nothing was wrong, and what there is to say."""

    text: str | None
    reports: tuple[Report, ...]


class Driver:
    """Runs the same passes over pieces of text."""

    def __init__(
        self,
        dialects: DialectTable,
        passes: Sequence[ModulePass],
        options: Options,
        timing: Timing,
        show: Callable[[str], object],
    ) -> None:
        self.dialects = dialects
        self.passes = passes
        self.options = options
        self.timing = timing
        self.show = show

    def run(self, text: str, file: str, first_line: int = 1) -> Outcome:
        """One piece of text. ``first_line`` is the number of its first line in the file."""
        reading = make_context(self.dialects, allow_unregistered=self.options.allow_unregistered)
        try:
            module = self.timing.measure(
                "Parser", lambda: parse_text(reading, text, file, first_line=first_line)
            )
        except InvalidText as problem:
            return Outcome(text=None, reports=(problem.report,))
        reports = self.timing.measure("Verifier", lambda: verify(module))
        if not reports:
            reports = self._passes(reading, module)
        failed = any(report.severity == "error" for report in reports)
        printed = None if failed else self.timing.measure("Output", lambda: self._print(module))
        return Outcome(text=printed, reports=tuple(reports))

    def _passes(self, reading: Context, module: ModuleOp) -> list[Report]:
        said: list[Report] = []
        for position, one in enumerate(self.passes):
            said += self.timing.measure(
                one.name, partial(_apply, one, self.passes[position + 1 :], reading, module)
            )
            if self.options.print_after_all:
                self.show(f"// -----// IR Dump After {one.name} //----- //\n{self._print(module)}\n")
            if not any(report.severity == "error" for report in said) and self.options.verify_each:
                said += [
                    replace(report, message=f"{report.message} (after {one.name})")
                    for report in self.timing.measure("Verifier", lambda: verify(module))
                ]
            if any(report.severity == "error" for report in said):
                break
        return said

    def _print(self, module: ModuleOp) -> str:
        return print_module(module, generic=self.options.generic, locations=self.options.locations)


def _apply(one: ModulePass, later: Sequence[ModulePass], reading: Context, module: ModuleOp) -> list[Report]:
    try:
        one.apply(reading, module)
    except (Findings, NotLowered) as said:
        return [report_of(diagnostic) for diagnostic in said.diagnostics]
    except Remarks as said:
        return list(said.reports)
    except NotLegalized as problem:
        return [*problem.reports, *_foreseen(later, module)]
    except NotReady as problem:
        return [about(problem.op, f"not ready for the pass {one.name}: {problem}")]
    except DiagnosticException as problem:
        return [Report(message=f"the pass {one.name} failed: {problem}")]
    except (
        Exception
    ) as problem:  # a pass that cannot cope with the module is no reason to lose the place in it
        what = f"{type(problem).__name__}: {problem}".strip().splitlines()[0]
        return [about(module, f"the pass {one.name} cannot cope with this module: {what}")]
    return []


def _foreseen(later: Sequence[ModulePass], module: ModuleOp) -> list[Report]:
    """What the passes that are not run any more would have refused, too."""
    return [report for one in later if isinstance(one, Foreseeing) for report in one.foresees(module)]
