"""The work of a tool on one piece of text: read, verify, run the passes, print."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from ttl.ir.assembly import Style
from ttl.ir.context import DialectTable, ToolContext, make_context
from ttl.ir.failure import Foreseeing, NotLegalized, NotLowered, NotReady, Remarks
from ttl.ir.forms import NamedText, TextForm
from ttl.ir.parser import parse_text
from ttl.ir.reports import InvalidIR, Report, about, report_of
from ttl.ir.verifier import RepeatedVerification
from ttl.source.spans import Span

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Dumps:
    """The passes before and after which the module is printed."""

    before_all: bool = False
    after_all: bool = False
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    # Whether modules are printed only after passes that changed them.
    only_changes: bool = False
    after_failure: bool = False

    def wants_before(self, name: str) -> bool:
        """Whether the module is printed before a pass."""
        return self.before_all or name in self.before

    def wants_after(self, name: str) -> bool:
        """Whether the module is printed after a pass."""
        return self.after_all or self.only_changes or name in self.after


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """Options for parsing and printing text, and for the steps between passes."""

    verify_each: bool = True
    allow_unregistered: bool = False
    style: Style = field(default_factory=Style)
    dumps: Dumps = field(default_factory=Dumps)


@dataclass(kw_only=True, slots=True)
class Timing:
    """Seconds by activity, in the order of the activities."""

    seconds: dict[str, float] = field(default_factory=dict)

    def measure(self, name: str, work: Callable[[], T]) -> T:
        """Call a function, add its duration, and return its result."""
        start = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def table(self) -> str:
        """Return the table as ``mlir-opt`` shows it."""
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
    """The result for a piece of text: the new text, or None after an error, and the reports."""

    text: str | None
    reports: tuple[Report, ...]


class Watch(ABC):
    """A display in addition to the module: it watches the passes, and examines their result."""

    # The flag for it, without dashes, and its description in one line.
    flag: ClassVar[str]
    summary: ClassVar[str]

    def watching(self) -> AbstractContextManager[object]:
        """Return the context in which the passes run."""
        return nullcontext()

    @abstractmethod
    def look(self, module: ModuleOp) -> list[Report]:
        """Examine a module after all passes have run without an error; return reports about it."""

    @abstractmethod
    def text(self, *, as_json: bool = False) -> str:
        """Return the observations about all modules, as text or as JSON."""


def as_it_is(text: str, file: str, first_line: int) -> str:
    """Return the text unchanged."""
    return text


class Driver:
    """Runs the same passes over pieces of text.

    ``generic`` gets each text, the name of its file and the number of its first line, and returns a text that the parser reads;
    it may raise ``InvalidIR``.
    """

    def __init__(
        self,
        dialects: DialectTable,
        passes: Sequence[ModulePass],
        options: Options,
        timing: Timing,
        show: Callable[[str], object],
        form: TextForm | None = None,
        watches: Sequence[Watch] = (),
        generic: Callable[[str, str, int], str] = as_it_is,
    ) -> None:
        self.watches = watches
        self.generic = generic
        self.dialects = dialects
        self.passes = passes
        self.options = options
        self.timing = timing
        self.show = show
        self.form: TextForm = NamedText() if form is None else form

    def run(self, text: str, file: str, first_line: int = 1) -> Outcome:
        """Run one piece of text. ``first_line`` is the number of its first line in the file."""
        reading = make_context(self.dialects, allow_unregistered=self.options.allow_unregistered)
        try:
            module = self.timing.measure("Parser", lambda: self._parsed(reading, text, file, first_line))
        except InvalidIR as problem:
            return Outcome(text=None, reports=problem.reports)
        verification = RepeatedVerification()
        reports = self.timing.measure("Verifier", lambda: self._verify(module, verification))
        if not reports:
            reports = self.run_passes(reading, module, verification)
        failed = any(report.severity == "error" for report in reports)
        printed = None if failed else self.timing.measure("Output", lambda: self._print(reading, module))
        return Outcome(text=printed, reports=tuple(reports))

    def _parsed(self, reading: ToolContext, text: str, file: str, first_line: int) -> ModuleOp:
        generic = self.generic(text, file, first_line)
        return parse_text(reading, generic, file, first_line=first_line)

    def _verify(self, module: ModuleOp, verification: RepeatedVerification) -> list[Report]:
        return [self._showing(report) for report in verification.verify(module)]

    def run_passes(
        self, reading: Context, module: ModuleOp, verification: RepeatedVerification | None = None
    ) -> list[Report]:
        """Run the passes on a module that was verified; return the reports."""
        with ExitStack() as watching:
            for watch in self.watches:
                watching.enter_context(watch.watching())
            said = self._run_passes(reading, module, verification or RepeatedVerification())
        if not any(report.severity == "error" for report in said):
            watched = [report for watch in self.watches for report in watch.look(module)]
            # A pass may have warned of a problem that a watch reports as an error.
            refused = {(report.message, report.span) for report in watched}
            said = [report for report in said if (report.message, report.span) not in refused] + watched
        return said

    def _run_passes(
        self, reading: Context, module: ModuleOp, verification: RepeatedVerification
    ) -> list[Report]:
        said: list[Report] = []
        dumps = self.options.dumps
        early = _foreseen(self.passes, module)
        for position, one in enumerate(self.passes):
            title = self.form.dump_title(type(one), one.name)
            if dumps.wants_before(one.name):
                self._dump(f"Before {title}", reading, module)
            before = self._print(reading, module) if dumps.only_changes else ""
            told = self.timing.measure(
                one.name, partial(_apply, one, self.passes[position + 1 :], reading, module)
            )
            said += map(self._showing, _at_first_places(told, early))
            failed = any(report.severity == "error" for report in said)
            if failed and dumps.after_failure:
                self._dump(f"After {title} Failed", reading, module)
            elif dumps.wants_after(one.name) and not (
                dumps.only_changes and before == self._print(reading, module)
            ):
                self._dump(f"After {title}", reading, module)
            if not failed and self.options.verify_each:
                said += [
                    replace(report, message=f"{report.message} (after {one.name})")
                    for report in self.timing.measure("Verifier", lambda: self._verify(module, verification))
                ]
            if any(report.severity == "error" for report in said):
                break
        return said

    def _showing(self, report: Report) -> Report:
        """Return a report with the current text of its operation, if the form shows it."""
        if report.operation is None or report.severity != "error":
            return report
        try:
            text = self.form.operation(report.operation, self.options.style)
        except Exception:  # an invalid operation may not be printable
            return report
        if text is None:
            return report
        line_end = "\n" if "\n" in text else ""
        note = Report(message=f"see current operation: {line_end}{text}", severity="note", span=report.span)
        return replace(report, notes=(*report.notes, note))

    def _dump(self, what: str, reading: Context, module: ModuleOp) -> None:
        self.show(f"// -----// IR Dump {what} //----- //\n{self._print(reading, module)}\n")

    def _print(self, reading: Context, module: ModuleOp) -> str:
        return self.form.module(module, self.options.style, reading)


def _apply(one: ModulePass, later: Sequence[ModulePass], reading: Context, module: ModuleOp) -> list[Report]:
    try:
        one.apply(reading, module)
    except NotLowered as said:
        return [report_of(diagnostic) for diagnostic in said.diagnostics]
    except Remarks as said:
        return list(said.reports)
    except NotLegalized as problem:
        return [*problem.reports, *_foreseen(later, module)]
    except NotReady as problem:
        return [about(problem.op, f"not ready for the pass {one.name}: {problem}")]
    except DiagnosticException as problem:
        return [Report(message=f"the pass {one.name} failed: {problem}")]
    except Exception as problem:  # any other exception of a pass becomes an error about the module
        what = f"{type(problem).__name__}: {problem}".strip().splitlines()[0]
        return [about(module, f"the pass {one.name} cannot cope with this module: {what}")]
    return []


def _foreseen(later: Sequence[ModulePass], module: ModuleOp) -> list[Report]:
    """Return the refusals that passes foresee for a module, without running them."""
    return [report for one in later if isinstance(one, Foreseeing) for report in one.foresees(module)]


def _at_first_places(reports: Sequence[Report], early: Sequence[Report]) -> list[Report]:
    """Return reports; one without a place gets the place of the same report about the unchanged module.

    Constants that move lose their location, as in MLIR; the user still needs a place.
    """
    places: dict[tuple[str, ...], list[Span]] = {}
    for report in early:
        if report.span is not None:
            places.setdefault(_said(report), []).append(report.span)
    placed: list[Report] = []
    for report in reports:
        known = places.get(_said(report))
        if report.span is not None or not known:
            placed.append(report)
            continue
        span = known.pop(0)
        notes = tuple(replace(note, span=note.span or span) for note in report.notes)
        placed.append(replace(report, span=span, notes=notes))
    return placed


def _said(report: Report) -> tuple[str, ...]:
    return (report.message, *(note.message for note in report.notes[:1]))
