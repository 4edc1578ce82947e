"""``%%ttl``: a cell of a notebook is checked, and runs; findings are shown with their places in the cell.

A notebook shows HTML, a terminal the same as text.

    %load_ext ttl

    %%ttl [--target sim|emu] [--arch CHIP] [--sanitize] [--profile] [--report [FILE]]

The objects of IPython have no types here; only ``display`` is imported from it.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, NoReturn

from ttl import settings
from ttl.arch import names as chips
from ttl.check import file as checks
from ttl.diag import Diagnostic, ProgramError, Severity, TTLError, error
from ttl.diag.report import COLLECTOR
from ttl.diag.text import render
from ttl.emu import profile_text, runtime
from ttl.emu.profile import Profile
from ttl.emu.recorder import collecting
from ttl.lang import mistakes
from ttl.report.collector import REPORTS, ReportCollector
from ttl.report.notebook import ReportPage, findings_html, profile_html
from ttl.report.profiling import ProfileListener
from ttl.session import SOURCES
from ttl.settings import current

# Names that a cell may use without importing them, as far as the check of its text is concerned.
_IMPORTS = "import ttl, ttnn"
_PAGE = "(page)"


class CellFailedError(Exception):
    """A cell did not run to its end: the errors have been shown."""

    def _render_traceback_(self) -> list[str]:
        return []


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ProgramError(_wrong_line(message))


def load(shell: Any) -> None:
    """Register the magic in a shell of IPython."""
    shell.register_magic_function(_Magic(shell).run, magic_kind="cell", magic_name="ttl")


class _Magic:
    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def run(self, line: str, cell: str) -> None:
        """Check the cell and run it.

        Raises ``CellFailedError`` where the cell has errors or fails, ``ProgramError`` TTL0144 where its line is wrong.
        """
        try:
            given = _parser().parse_args(shlex.split(line))
        except ValueError as wrong:
            raise ProgramError(_wrong_line(f"its line cannot be read: {str(wrong).lower()}")) from None
        # A comment replaces the line of the magic, so that lines count as in the notebook; IPython drops an empty line.
        text = f"# %%ttl\n{cell}"
        name = self._shell.compile.cache(
            self._shell.transform_cell(text), self._shell.execution_count, raw_code=text
        )
        findings = self._checked(name, cell)
        if findings:
            self._show(findings)
        if any(finding.severity is Severity.ERROR for finding in findings):
            raise CellFailedError
        self._run(given, text, [finding.code for finding in findings])

    def _checked(self, name: str, cell: str) -> tuple[Diagnostic, ...]:
        """Return the findings of a cell's text alone; names that other cells define are unknown and not reported."""
        if checks.missing_parts() is not None or cell.lstrip().startswith(("%", "!")):
            return ()
        sources = SOURCES.get()
        with sources.showing():
            sources.show(name, f"{_IMPORTS}\n{cell}")
            report = checks.check_file(name, current())
        return tuple(
            finding
            for finding in report.findings
            if finding.severity is not Severity.NOTE and finding.primary is not None
        )

    def _run(self, given: argparse.Namespace, text: str, known: list[str]) -> None:
        said: list[Diagnostic] = []
        failed: list[BaseException] = []
        listener = ProfileListener()
        collector = ReportCollector(title=f"In[{self._shell.execution_count}]", command="%%ttl")
        with ExitStack() as stack:
            stack.enter_context(settings.override(origin="%%ttl", **_values(given)))
            stack.enter_context(COLLECTOR.given(said.append))
            stack.enter_context(self._errors_to(failed))
            if given.profile:
                runtime.require()
                stack.enter_context(collecting(listener))
            if given.report is not None:
                stack.enter_context(REPORTS.given(collector))
            result = self._shell.run_cell(text, store_history=False)
        own = tuple(finding for finding in said if finding.code not in known)
        errors = [item for item in failed if isinstance(item, TTLError)]
        self._show((*own, *(finding for item in errors for finding in item.diagnostics)))
        if listener.profiles:
            profiles = listener.profiles
            with self._naming(place.file for profile in profiles for place in profile.lines):
                html, text = profile_html(_verdict(profiles), profiles), profile_text.render_all(profiles)
            self._display(html, text)
        if given.report is not None and collector.count:
            page = ReportPage(collector.to_object())
            if given.report == _PAGE:
                self._display(page.frame(), f"{page!r}: here, write %%ttl --report page.html")
            else:
                page.save(given.report)
        if failed or not result.success:
            raise CellFailedError

    @contextmanager
    def _errors_to(self, failed: list[BaseException]) -> Iterator[None]:
        """Append errors of the language to ``failed``, to be shown with their places; IPython shows the others."""
        shell = self._shell
        before = shell.custom_exceptions, shell.CustomTB

        def keep(_: Any, kind: Any, value: BaseException, traceback: Any, tb_offset: Any = None) -> Any:
            finding = None if isinstance(value, TTLError) else mistakes.explained(value)
            if isinstance(value, TTLError) or finding is not None:
                failed.append(value if finding is None else ProgramError(finding))
                return []
            shell.showtraceback((kind, value, traceback), tb_offset=tb_offset)
            return []

        shell.set_custom_exc((Exception,), keep)
        try:
            yield
        finally:
            shell.custom_exceptions, shell.CustomTB = before

    def _show(self, findings: tuple[Diagnostic, ...]) -> None:
        if not findings:
            return
        with self._naming(span.file for finding in findings for span in _spans(finding)):
            texts = [render(finding, color=False) for finding in findings]
        self._display(findings_html(findings, texts), "\n\n".join(texts))

    def _naming(self, files: Iterable[str]) -> AbstractContextManager[None]:
        """Name the files of cells as the notebook does, while the context is open."""
        names = {file: self._shell.compile.format_code_name(file) for file in files}
        return SOURCES.get().calling({file: str(name[1]) for file, name in names.items() if name is not None})

    def _display(self, html: str, text: str) -> None:
        """Show HTML, or in a terminal, which cannot show it, the text."""
        from IPython.display import display

        sys.stdout.flush()
        display({"text/html": html, "text/plain": text}, raw=True)  # type: ignore[no-untyped-call]


def _parser() -> _Arguments:
    parser = _Arguments(prog="%%ttl", add_help=False)
    parser.add_argument("--target", choices=("sim", "emu"))
    parser.add_argument("--arch", choices=chips())
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--report", nargs="?", const=_PAGE, metavar="FILE")
    return parser


def _values(given: argparse.Namespace) -> dict[str, Any]:
    """The settings that a cell runs with."""
    values: dict[str, Any] = {} if checks.missing_parts() is not None else {"check": "on"}
    if given.target is not None or given.profile:
        values["target"] = given.target or "emu"
    if given.arch is not None:
        values["arch"] = given.arch
    if given.sanitize:
        values["sanitize"] = True
    if given.report is not None:
        values["report"] = given.report
    return values


def _verdict(profiles: list[Profile]) -> str:
    first, *others = profiles
    if not others:
        return first.verdict
    return f"{sum(launch.cycles for launch in profiles):,} cycles in {len(profiles)} launches"


def _spans(finding: Diagnostic) -> Iterator[Any]:
    for label in (finding.primary, *finding.secondary):
        if label is not None:
            yield label.span


def _wrong_line(message: str) -> Diagnostic:
    usage = "%%ttl [--target sim|emu] [--arch CHIP] [--sanitize] [--profile] [--report [FILE]]"
    return error("TTL0144", f"%%ttl: {message}", help=f"write {usage}")
