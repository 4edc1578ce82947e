"""``ttl run --report``: writes the file of the report of a run.

The file is written before the program runs and says that the program has not ended: so a killed process does not leave
the page of an earlier run. ``SIGTERM``, which a time limit sends first, ends the program as Ctrl-C does, so that the
page shows how far the program came; then the signal ends the process.
"""

from __future__ import annotations

import os
import shlex
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ttl.cli.options import UsageError
from ttl.cli.program import check_writable, unwritable
from ttl.cli.status import Status
from ttl.report.assembly import require_page
from ttl.report.collector import REPORTS, ReportCollector, nothing_to_report
from ttl.report.program_failure import unfinished
from ttl.report.text import is_data, write

if TYPE_CHECKING:
    from ttl.emu.measured import MeasuredRuns
    from ttl.report.collector import ReportCollector


class CommandReport:
    """The report of one run, which is written to ``path``."""

    def __init__(self, collector: ReportCollector, path: str, program: str) -> None:
        self._collector, self._path, self._program = collector, path, program
        self._killed = False

    @contextmanager
    def begun(self) -> Iterator[None]:
        """A context in which the program runs. Raises ``UsageError`` TTL0117 when the file cannot be written."""
        regular = not os.path.exists(self._path) or os.path.isfile(self._path)
        if regular:
            self._write(self._collector.to_object(unfinished(self._program)))
        try:
            with self._terminable():
                yield
        except UsageError as raised:
            # The program cannot be loaded, or a file of its profile cannot be written: the page says why.
            self._collector.program_failed(self._program, raised, raised)
            self._write(self._collector.to_object())
            raise

    @contextmanager
    def _terminable(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def kill(number: int, frame: Any) -> None:
            self._killed = True
            signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second one ends it at once
            raise KeyboardInterrupt("the program was killed: SIGTERM, which is what a time limit sends")

        before = signal.signal(signal.SIGTERM, kill)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_DFL if self._killed else before)

    def ended(self, status: int, measured: MeasuredRuns | None = None) -> None:
        """Write the report of the collected launches, with the launches that a card ``measured``, if there are any.

        Raises ``UsageError`` TTL0141 for a program that succeeded without a launch, and TTL0117.
        """
        if status == Status.OK and not self._collector.count:
            with suppress(OSError):
                if os.path.isfile(self._path):
                    os.unlink(self._path)
            raise UsageError(nothing_to_report(f"'{self._program}'"))
        if status == Status.OK and measured is not None:
            self._collector.measure(measured)
        if status != Status.OK:
            self._collector.program_left(self._program, status)
        self._write(self._collector.to_object())
        if self._killed:
            os.kill(os.getpid(), signal.SIGTERM)

    def _write(self, report: dict[str, Any]) -> None:
        try:
            write(self._path, report)
        except OSError as problem:
            raise UsageError(unwritable(self._path, problem)) from None


@contextmanager
def reported(path: str, target: str, program: str, args: Sequence[str]) -> Iterator[CommandReport]:
    """A context in which launches are collected for a report at ``path``; call ``CommandReport.ended`` after it.

    Raises ``UsageError`` TTL0117 when the file cannot be written, TTL0140 when the page was not built.
    """
    check_writable(path)
    if not is_data(path):
        require_page()
    command = ["ttl", "run", "--target", target, program, *args]
    collector = ReportCollector(title=os.path.basename(program), command=shlex.join(command))
    report = CommandReport(collector, path, os.path.basename(program))
    with REPORTS.given(collector), report.begun():
        yield report


def failed(raised: BaseException, said: BaseException) -> None:
    """Note in the current report that the program raised ``raised``; ``said`` is the error that is shown for it."""
    collector = REPORTS.get()
    if collector is not None:
        collector.program_failed(collector.title, raised, said)
