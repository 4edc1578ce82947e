"""Lines of the user's program."""

from __future__ import annotations

from ttl.emu.program import KernelLine
from ttl.source.spans import Span


def kernel_line(span: Span, kernel: str = "") -> KernelLine:
    """The line that a place in the program begins at."""
    return KernelLine(file=span.file, line=span.line, kernel=kernel)
