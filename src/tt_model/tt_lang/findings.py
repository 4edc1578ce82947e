"""The findings of ``ttl`` about a kernel, in terms of the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from tt_model.tt_lang.declared_kernels import KernelError
from ttl import settings
from ttl.arch import names
from ttl.diag import Diagnostic, Severity, report
from ttl.settings import Settings


def text_of(findings: Iterable[Diagnostic]) -> str:
    """Findings as one text: place, message, code and what helps, line by line."""
    lines = []
    for finding in findings:
        place = "" if finding.primary is None else f"{finding.primary.span}: "
        lines.append(f"{place}{finding.message} [{finding.code}]")
        lines += [f"  {text}" for text in (*finding.notes, *finding.help)]
    return "\n".join(lines)


@contextmanager
def on_chip(arch: str) -> Iterator[Settings]:
    """Settings for the chip of a system, and no notes. Raises ``KernelError`` for one that TT-Lang has not."""
    name = arch.partition("_")[0]
    if name not in names():
        raise KernelError(f"operations of TT-Lang run on {', '.join(names())}, and the system has {arch}")
    with (
        settings.overriding({"arch": name, "target": "sim"}, {}) as chosen,
        report.COLLECTOR.given(_without_notes),
    ):
        yield chosen


def _without_notes(finding: Diagnostic) -> None:
    """Notes are for the author of an operation, at the line that calls it; here a model does."""
    if finding.severity is not Severity.NOTE:
        with report.COLLECTOR.given(None):
            report.emit(finding)
