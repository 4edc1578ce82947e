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
    """Findings as one text: location, message and code, then notes and help, line by line."""
    lines = []
    for finding in findings:
        place = "" if finding.primary is None else f"{finding.primary.span}: "
        lines.append(f"{place}{finding.message} [{finding.code}]")
        lines += [f"  {text}" for text in (*finding.notes, *finding.help)]
    return "\n".join(lines)


@contextmanager
def on_chip(arch: str) -> Iterator[Settings]:
    """Settings for the chip of a system, without notes.

    Raises ``KernelError`` for a chip that TT-Lang does not have.
    """
    name = arch.partition("_")[0]
    if name not in names():
        raise KernelError(f"operations of TT-Lang run on {', '.join(names())}, and the system has {arch}")
    with (
        settings.overriding({"arch": name, "target": "sim"}, {}) as chosen,
        report.COLLECTOR.given(_without_notes),
    ):
        yield chosen


def _without_notes(finding: Diagnostic) -> None:
    """Emit a diagnostic unless it is a note.

    Notes are for the author of a program that calls the operation; here a model calls it.
    """
    if finding.severity is not Severity.NOTE:
        with report.COLLECTOR.given(None):
            report.emit(finding)
