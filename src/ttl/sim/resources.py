"""Whether what an operation makes on a node fits the chip (LANGUAGE.md, "Buffers, blocks")."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from ttl.diag import ResourceError, error
from ttl.ops.types import TILE, Layout
from ttl.source.spans import span_of_site

if TYPE_CHECKING:
    from ttl.sim.buffer import SimBuffer
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Node


def check(engine: Engine, node: Node) -> None:
    """Raise a ``ResourceError`` when the node's buffers are too many or too large for the chip."""
    buffers = node.buffers
    chip = engine.chip
    if len(buffers) > chip.dataflow_buffers:
        extra = buffers[chip.dataflow_buffers]
        raise ResourceError(
            engine.located(
                error(
                    "TTL0802",
                    f"{len(buffers)} dataflow buffers, and a node of {chip.name} has {chip.dataflow_buffers}",
                    help="join buffers that pass the same type between the same two kernels, or split the operation",
                ),
                extra.site,
                f"the first one too many, {extra.name}",
            )
        )
    budget = chip.l1_available_bytes
    total = sum(buffer.nbytes for buffer in buffers)
    if total <= budget:
        return
    largest = max(buffers, key=lambda buffer: buffer.nbytes)
    raise ResourceError(
        engine.located(
            error(
                "TTL0801",
                f"dataflow buffers take {total} bytes of L1, and a node of {chip.name} has {budget}",
                notes=(_table(buffers, total, budget), *_unit_note(largest)),
                help=_advice(buffers, largest, total - budget, budget),
            ),
            largest.site,
            f"the largest, {largest.name}",
        )
    )


def _unit_note(largest: SimBuffer) -> tuple[str, ...]:
    """A reminder where a shape in tiles looks as if it had been meant in elements."""
    type_ = largest.type
    if type_.layout is not Layout.TILE or any(extent % TILE for extent in type_.shape[-2:]):
        return ()
    meant = (*type_.shape[:-2], *(extent // TILE for extent in type_.shape[-2:]))
    return (f"shapes of tiled buffers count tiles: {type_.shape} elements would be shape={meant}",)


def _table(buffers: list[SimBuffer], total: int, budget: int) -> str:
    rows = [("buffer", "line", "block", "type", "bytes/block", "blocks", "bytes")]
    for buffer in buffers:
        line = "?" if buffer.site is None else str(span_of_site(buffer.site).line)
        rows.append(
            (
                buffer.name,
                line,
                f"{buffer.type.shape} {buffer.type.layout.unit}s",
                buffer.type.dtype.name,
                str(buffer.type.nbytes),
                str(buffer.block_count),
                str(buffer.nbytes),
            )
        )
    rows.append(("total", "", "", "", "", "", str(total)))
    rows.append(("available", "", "", "", "", "", str(budget)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if column < 4 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "L1 of one node:\n" + "\n".join(lines)


def _advice(buffers: list[SimBuffer], largest: SimBuffer, excess: int, budget: int) -> str:
    block = largest.type.nbytes
    fewer = -(-excess // block)
    if largest.block_count - fewer >= 1:
        return f"block_count={largest.block_count - fewer} for {largest.name} would fit"
    shape = largest.type.shape
    available = block * largest.block_count - excess
    if available > 0:
        axis = max(range(len(shape)), key=lambda position: shape[position])
        unit = block // shape[axis] * largest.block_count
        fitting = available // unit if unit else 0
        while fitting > 1 and shape[axis] % fitting:
            fitting -= 1
        if fitting >= 1:
            smaller = tuple(fitting if position == axis else extent for position, extent in enumerate(shape))
            return f"shape={smaller} for {largest.name} would fit with block_count={largest.block_count}"
    return _advice_for_all(buffers, budget) or f"use fewer buffers; {largest.name} is the largest"


def _advice_for_all(buffers: list[SimBuffer], budget: int) -> str | None:
    """The largest limit on the extents of all blocks that makes them fit."""

    def total(limit: int) -> int:
        return sum(
            buffer.type.with_shape(cut(buffer, limit)).nbytes * buffer.block_count for buffer in buffers
        )

    def cut(buffer: SimBuffer, limit: int) -> tuple[int, ...]:
        return tuple(min(extent, limit) for extent in buffer.type.shape)

    longest = max(extent for buffer in buffers for extent in buffer.type.shape)
    limits = range(1, min(longest, budget + 1))  # an element has a byte at least
    limit = bisect_right(limits, budget, key=total)  # how many of them fit, so the largest that does
    if limit == 0:
        return None
    changed = [
        f"{cut(buffer, limit)} for {buffer.name}"
        for buffer in buffers
        if cut(buffer, limit) != buffer.type.shape
    ]
    return f"smaller blocks would fit: shape {', '.join(changed)}"
