"""Padding that meets data: a vector that was not broadcast, factors that do not fit, copies of padding.

A tensor of shape (1, n) or (n, 1) lies in row 0 or column 0 of its tiles, the rest is padding (docs/adr/0006). If
operands have different extents of data, the result is data only where all operands are data. That becomes a mistake
once such a result is copied to a larger part of a tensor that has data, or summed over a larger range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ttl.diag import Diagnostic, Edit, Fix, warning
from ttl.diag.words import counted
from ttl.rows.row import Op
from ttl.rows.rules import elementwise_valid
from ttl.source.spans import Span

# The number of rows and columns of a block that are data, in elements; None if unknown, or irrelevant (of a constant).
Extents = tuple[int | None, int | None]
ANY: Extents = (None, None)
_LINES = {-2: "row", -1: "column"}
_ON_A_CHIP = "padding counts as 0 in the simulator; on a chip it is whatever was computed from it"


@dataclass(frozen=True, slots=True)
class PaddingMismatch:
    """Along ``axis`` (-2 rows, -1 columns), ``operand`` has ``small`` lines of data and ``other`` has ``large``."""

    axis: int
    operand: int
    other: int
    small: int
    large: int


def meetings(
    op: Op, operands: Sequence[Extents], at_least: Sequence[Extents] | None = None
) -> tuple[PaddingMismatch, ...]:
    """Return where padding of an operand of an element-wise operation meets data of another, at most once per axis.

    ``at_least`` is the extent of each operand that is certainly data, if that is more than the extent known exactly.
    """
    if op.valid_rule is not elementwise_valid:
        return ()
    result: list[PaddingMismatch] = []
    for axis in (-2, -1):
        exact = [(lines, at) for at, item in enumerate(operands) if (lines := item[axis]) is not None]
        least = [
            (lines, at) for at, item in enumerate(at_least or operands) if (lines := item[axis]) is not None
        ]
        if not exact or not least:
            continue
        (small, operand), (large, other) = min(exact), max(least, key=lambda item: item[0])
        if small < large:
            result.append(PaddingMismatch(axis, operand, other, small, large))
    return tuple(result)


def once_broadcast(extents: Extents, result: Sequence[PaddingMismatch]) -> Extents:
    """The extents of the result of an expression, once the operands that are too short are broadcast."""
    rows, columns = (
        max([lines, *(meeting.large for meeting in result if meeting.axis == axis)])
        if lines is not None
        else None
        for axis, lines in zip((-2, -1), extents, strict=True)
    )
    return rows, columns


def lost_in_sum(axis: int, lines: int | None, elements: int) -> bool:
    """Whether a reduction over an axis of ``elements`` lines sees only one line of data, so that others are lost.

    Ragged edges (more than one line of data) do not count: a program may well multiply by a constant block that fills
    its tiles.
    """
    return lines == 1 < elements


COPIED = "the result is copied to a part of a tensor that has data there"
REDUCED = "the result is reduced over them, so data of the other operand are ignored"


@dataclass(frozen=True, slots=True)
class NotBroadcast:
    """The warning about one operand of an expression, and the replacement of the operand, if that is known."""

    operand: int
    diagnostic: Diagnostic
    instead: str | None

    def with_fix(self, operands: Sequence[tuple[str, Span]]) -> Diagnostic:
        """Return the diagnostic with the edit that broadcasts the operand.

        ``operands`` has text and location of each.
        """
        if self.instead is None:
            return self.diagnostic
        edit = Edit(span=operands[self.operand][1], replacement=self.instead)
        return self.diagnostic.fixed_by(Fix(description="broadcast the operand", edits=(edit,)))


def not_broadcast(
    result: Sequence[PaddingMismatch], operands: Sequence[str], shape: Sequence[int], reason: str
) -> list[NotBroadcast]:
    """The warnings for operands of one expression whose padding meets data of others, one for each operand (TTL0430).

    ``operands``: their source text, where there is one; ``shape``: of the result, in tiles; ``reason``: ``COPIED`` or
    ``REDUCED``.
    """
    told: list[NotBroadcast] = []
    for at in sorted({meeting.operand for meeting in result}):
        own = [meeting for meeting in result if meeting.operand == at]
        first = own[0]
        line = _LINES[first.axis]
        short, full = _operand(operands, at), _operand(operands, first.other)
        instead = None
        if all(meeting.small == 1 for meeting in own):
            text = operands[at] if at < len(operands) else "blk"
            instead = f"ttl.block.broadcast({text}, dims={sorted({meeting.axis for meeting in own})}, shape={tuple(shape)})"
        help = (
            "give both the same extent: pad the smaller tensor with the value that is meant there, ttnn.pad(tensor, padding, value)"
            if instead is None
            else f"broadcast it: {instead}"
        )
        message = (
            f"{short} has {counted(first.small, line)} of data, {full} has more: the other {line}s of the result are "
            "computed with padding"
        )
        diagnostic = warning("TTL0430", message, notes=(reason, _ON_A_CHIP), help=help)
        told.append(NotBroadcast(at, diagnostic, instead if at < len(operands) else None))
    return told


def product(columns: int | None, rows: int | None, depth: int) -> tuple[int, int] | None:
    """The extents (columns, rows) of data in a product's factors if they do not fit each other, else None.

    ``columns`` of the left factor and ``rows`` of the right one are data, out of ``depth`` in their blocks. A factor
    that fills its tiles may be padded by hand, or be a constant: it fits every extent except a single line.
    """
    if columns is None or rows is None or columns == rows:
        return None
    if max(columns, rows) == depth and min(columns, rows) > 1:
        return None
    return columns, rows


def factors_differ(columns: int, rows: int, operands: Sequence[str]) -> Diagnostic:
    """The warning for a product whose factors do not have the same extent of data (TTL0431)."""
    left, right = (_operand(operands, at) for at in (0, 1))
    return warning(
        "TTL0431",
        f"{left} has {counted(columns, 'column')} of data, {right} has {counted(rows, 'row')}: the product sums over "
        f"{min(columns, rows)}",
        notes=("padding is not part of a product, so data that are multiplied with it are ignored",),
        help="the columns of the left tensor have to be the rows of the right one; transpose a vector if needed: "
        "ttl.block.transpose",
    )


def uncovered(block: Extents, part: Sequence[int]) -> tuple[int, ...]:
    """The axes along which a block has fewer lines of data than the part of a tensor that it is copied to."""
    return tuple(axis for axis in (-2, -1) if (lines := block[axis]) is not None and lines < part[axis])


def padding_copied(buffer: str, axis: int, lines: int, part: int) -> Diagnostic:
    """The warning for a block whose padding is copied to a place where a tensor has data (TTL0517)."""
    line = _LINES[axis]
    return warning(
        "TTL0517",
        f"block of {buffer} has {counted(lines, line)} of data, and is copied to {counted(part, line)} of a tensor: "
        "the rest is padding",
        notes=(_ON_A_CHIP,),
        help="copy to a tensor of the same extent; or pad the source with the value that is meant there: ttnn.pad(tensor, padding, value)",
    )


def _operand(operands: Sequence[str], at: int) -> str:
    text = operands[at] if at < len(operands) else ""
    return text if text and len(text) <= 40 else f"operand {at + 1}"
