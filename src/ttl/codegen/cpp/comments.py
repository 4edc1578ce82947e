"""The user's lines, as comments above the statements that were made from them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from types import MappingProxyType

from xdsl.dialects import scf
from xdsl.ir import Operation

from ttl.dialects.ttkernel import KernelCallOp, class_of
from ttl.ir.locations import span_of
from ttl.source.files import line
from ttl.source.spans import Span

_LONGEST = 100
_MOST_LINES = 8
# Files of IR, whose lines are not the user's.
_NOT_PYTHON = (".mlir", "<string>")

# A line of a ``with`` that acquires blocks.
_ACQUIRES = re.compile(r"with |\w+\.(reserve|wait)\(\) as ")
_WAITS = (class_of("cb_reserve_back"), class_of("cb_wait_front"))
_FILLS = class_of("tile_regs_acquire")
_RELEASES: Mapping[str, str] = MappingProxyType({"cb_push_back": "push", "cb_pop_front": "pop"})


def text_of(span: Span) -> str | None:
    """The lines of a range joined to one; None if the file does not exist any more, or is not Python."""
    if span.file.endswith(_NOT_PYTHON):
        return None
    last = min(max(span.end_line, span.line), span.line + _MOST_LINES - 1)
    lines = [(line(span.file, number) or "").strip() for number in range(span.line, last + 1)]
    text = " ".join(filter(None, lines))
    text = re.sub(r"(?<=[(\[{]) | (?=[)\]}])", "", text) if len(lines) > 1 else text
    # A backslash at the end would make the next line part of the comment.
    text = "".join(item if item.isprintable() else " " for item in text).rstrip("\\, ")
    return (text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3].rstrip()}...") or None


def file_name(span: Span) -> str:
    """The file of a range without its folder, so that the text does not depend on the folder."""
    return PurePath(span.file).name


class Comments:
    """The comments above statements of a kernel: lines of the user's program, each once in a block and inner blocks.

    A line is shown again where it waits for a buffer again (in iterations of an unrolled loop), where it fills the
    registers, and in an inner block if other lines came first.
    """

    def __init__(self) -> None:
        self._shown: list[set[tuple[str, int]]] = [set()]
        self._last: tuple[str, int] | None = None
        self._texts: dict[Span, str | None] = {}

    def enter(self) -> None:
        """Begin a block of statements."""
        self._shown.append(set())

    def leave(self) -> None:
        """End a block of statements."""
        self._shown.pop()

    def above(self, op: Operation) -> list[str]:
        """Return the comment above the statement of an operation: one line, or an empty list."""
        span = span_of(op)
        if span is None:
            return []
        here = (span.file, span.line)
        if span not in self._texts:
            self._texts[span] = text_of(span)
        text = self._texts[span]
        if text is not None and not _is_beside(op, text) and self._is_new(op, here):
            if not op.name.startswith("arith."):
                # Arithmetic prepares a later operation, at which the line may be shown again.
                self._shown[-1].add(here)
            self._last = here
            return [f"// {text}"]
        return []

    def _is_new(self, op: Operation, here: tuple[str, int]) -> bool:
        if here == self._last:
            return False
        if here in self._shown[-1] and isinstance(op, _WAITS):
            self._shown[-1].clear()
        if isinstance(op, _FILLS):
            return True
        if here in self._shown[-1]:
            return False
        return bool(self._shown[-1]) or not any(here in shown for shown in self._shown)


def _is_beside(op: Operation, text: str) -> bool:
    """Whether an operation is only incidental to its line, which is shown above another operation."""
    match op:
        case KernelCallOp() if releases := _RELEASES.get(op.call.name):
            # At the end of a ``with``, which releases its blocks, its line would not explain the release.
            return releases not in text
        case KernelCallOp():
            return op.call.configures is not None
        case scf.ForOp() | scf.WhileOp():
            return _ACQUIRES.match(text) is not None
    return False
