"""A pytest plugin for users' tests: ``import ttnn`` works, and an error of this package is shown as its report.

pytest loads it automatically if ``ttlang`` is installed (entry point ``pytest11``).
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack

import pytest
from _pytest._code.code import ReprFileLocation, TerminalRepr
from _pytest._io import TerminalWriter

from ttl import settings
from ttl.diag import TTLError, report


class DiagnosticRepr(TerminalRepr):
    """A failure in the form that pytest expects: the full report, and one line for the summary."""

    def __init__(self, raised: TTLError, item: pytest.Item) -> None:
        first = raised.diagnostic
        span = None if first.primary is None else first.primary.span
        path, line = (str(item.path), 0) if span is None else (span.file, span.line)
        self.text = "\n\n".join(report.rendered(diagnostic) for diagnostic in raised.diagnostics)
        self.reprcrash = ReprFileLocation(
            path, line, f"{first.severity.value}[{first.code}]: {first.message}"
        )

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write the report."""
        tw.line(self.text)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--ttl-check``."""
    parser.getgroup("ttl").addoption(
        "--ttl-check", action="store_true", help="check operations before they run, as 'ttl run' does"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let ``import ttnn`` find the host library if TT-NN itself is not installed, and apply ``--ttl-check``."""
    from ttl.host import importer

    importer.install()
    if config.getoption("--ttl-check", False):
        checked = ExitStack()
        checked.enter_context(settings.override(origin="--ttl-check", check="on"))
        config.add_cleanup(checked.close)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Replace the traceback of an error of this package by its report.

    The traceback stays with ``--full-trace`` or ``TTL_TRACEBACK=1``.
    """
    test_report = yield
    raised = None if call.excinfo is None else call.excinfo.value
    if not test_report.failed or not isinstance(raised, TTLError):
        return test_report
    if not item.config.getoption("fulltrace", False) and not settings.current().traceback:
        test_report.longrepr = DiagnosticRepr(raised, item)
    return test_report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """Emit the reports that were kept until the end of the test, while its output is still captured."""
    report.emit_kept()
