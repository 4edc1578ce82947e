"""What ``ttl`` has to say about a kernel, in the words of whoever runs the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ttl import settings
from ttl.arch import names
from ttl.diag import Diagnostic
from ttl.settings import Settings
from ttmlir.tt_lang.kernels import KernelError


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
    """Settings for the chip of a system. Raises ``KernelError`` for one that TT-Lang has not."""
    name = arch.partition("_")[0]
    if name not in names():
        raise KernelError(f"operations of TT-Lang run on {', '.join(names())}, and the system has {arch}")
    with settings.overriding({"arch": name, "target": "sim"}, {}) as chosen:
        yield chosen
