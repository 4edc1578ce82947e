"""Whether what an operation makes on a node fits the chip (LANGUAGE.md, "Buffers, blocks")."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ttl.arch import Chip
from ttl.diag import Diagnostic, error
from ttl.diag.remedies import Argument
from ttl.rows.dtypes import DType
from ttl.rows.types import TILE, BlockType, Layout


@dataclass(frozen=True, slots=True)
class Buffer:
    """A dataflow buffer of a node. ``line`` is where it is made, 0 where that is not known."""

    name: str
    type: BlockType
    block_count: int
    line: int = 0

    @property
    def nbytes(self) -> int:
        """What it takes of L1."""
        return self.type.nbytes * self.block_count


@dataclass(frozen=True, slots=True)
class Resident:
    """A tensor of a launch that is in L1 itself. ``nbytes``: what it takes of every node; ``shape`` is in elements."""

    name: str
    shape: tuple[int, ...]
    dtype: DType
    spread: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic about the buffers of a node: its place is where the buffer at ``index`` is made, with ``label``."""

    diagnostic: Diagnostic
    index: int
    label: str


def check_buffers(buffers: Sequence[Buffer], chip: Chip, tensors: Sequence[Resident] = ()) -> Finding | None:
    """Too many buffers for a node of the chip (TTL0802), or too large ones (TTL0801), beside tensors in L1."""
    if len(buffers) > chip.dataflow_buffers:
        return Finding(
            error(
                "TTL0802",
                f"{len(buffers)} dataflow buffers, and a node of {chip.name} has {chip.dataflow_buffers}",
                help="join buffers that pass the same type between the same two kernels, or split the operation",
            ),
            chip.dataflow_buffers,
            f"the first one too many, {buffers[chip.dataflow_buffers].name}",
        )
    taken = sum(tensor.nbytes for tensor in tensors)
    budget = chip.l1_available_bytes - taken
    total = sum(buffer.nbytes for buffer in buffers)
    if total <= budget or not buffers:
        return None
    index = max(range(len(buffers)), key=lambda position: buffers[position].nbytes)
    largest = buffers[index]
    advice, remedy = _advice(buffers, largest, total - budget, budget)
    diagnostic = error(
        "TTL0801",
        f"dataflow buffers take {total} bytes of L1{beside(taken)}, and a node of {chip.name} has "
        f"{chip.l1_available_bytes}",
        notes=(l1_table(buffers, chip.l1_available_bytes, tensors), *_unit_note(largest)),
        help=advice + elsewhere(tensors),
    )
    return Finding(
        diagnostic if remedy is None else diagnostic.remedied_by(remedy),
        index,
        f"the largest, {largest.name}",
    )


def too_many_semaphores(count: int, chip: Chip) -> Diagnostic | None:
    """Whether a node has so many semaphores (TTL0803)."""
    if count <= chip.semaphores:
        return None
    return error(
        "TTL0803",
        f"{count} semaphores, and a node of {chip.name} has {chip.semaphores}",
        help="reuse semaphores across phases: count up and wait_ge, or set them back",
    )


def beside(taken: int) -> str:
    """How a message goes on where tensors take bytes of L1 as well."""
    return f" beside {taken} of tensors in L1" if taken else ""


def elsewhere(tensors: Sequence[Resident]) -> str:
    """What can be done about tensors in L1, as the end of an advice."""
    if not tensors:
        return ""
    largest = max(tensors, key=lambda tensor: tensor.nbytes)
    return f"; or keep {largest.name} in DRAM"


def l1_table(buffers: Sequence[Buffer], budget: int, tensors: Sequence[Resident] = ()) -> str:
    """What each buffer and tensor takes of L1, as a table of text; ``budget`` is what a node has, in bytes."""
    rows = [("buffer", "line", "block", "type", "bytes/block", "blocks", "bytes")]
    rows += [
        (
            buffer.name,
            str(buffer.line or "?"),
            f"{buffer.type.shape} {buffer.type.layout.unit}s",
            buffer.type.dtype.name,
            str(buffer.type.nbytes),
            str(buffer.block_count),
            str(buffer.nbytes),
        )
        for buffer in buffers
    ]
    rows += [
        (
            tensor.name,
            "",
            f"{tensor.shape} elements",
            tensor.dtype.name,
            "",
            tensor.spread.replace("_", " "),
            str(tensor.nbytes),
        )
        for tensor in tensors
    ]
    total = sum(buffer.nbytes for buffer in buffers) + sum(tensor.nbytes for tensor in tensors)
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


def _meant_in_elements(buffer: Buffer) -> tuple[int, ...] | None:
    """The shape in tiles of a buffer whose shape looks as if it had been meant in elements."""
    type_ = buffer.type
    if type_.layout is not Layout.TILE or any(extent % TILE for extent in type_.shape[-2:]):
        return None
    return (*type_.shape[:-2], *(extent // TILE for extent in type_.shape[-2:]))


def _unit_note(largest: Buffer) -> tuple[str, ...]:
    """A reminder where a shape in tiles looks as if it had been meant in elements."""
    type_, meant = largest.type, _meant_in_elements(largest)
    return (
        ()
        if meant is None
        else (f"shapes of tiled buffers count tiles: {type_.shape} elements would be shape={meant}",)
    )


def _advice(
    buffers: Sequence[Buffer], largest: Buffer, excess: int, budget: int
) -> tuple[str, Argument | None]:
    """What would fit, and the change where one argument is enough."""
    block, meant = largest.type.nbytes, _meant_in_elements(largest)
    if (
        meant is not None
        and largest.nbytes - largest.type.with_shape(meant).nbytes * largest.block_count >= excess
    ):
        return (
            f"write shape={meant} for {largest.name} if {largest.type.shape} was meant in elements: shapes of tiled buffers count tiles",
            None,
        )
    count = largest.block_count - -(-excess // block)
    if count >= 1:
        fewer = Argument(
            description=f"make it with block_count={count}", name="block_count", value=str(count)
        )
        return f"block_count={count} for {largest.name} would fit", fewer
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
            return (
                f"shape={smaller} for {largest.name} would fit with block_count={largest.block_count}",
                None,
            )
    return _advice_for_all(buffers, budget) or f"use fewer buffers; {largest.name} is the largest", None


def _advice_for_all(buffers: Sequence[Buffer], budget: int) -> str | None:
    """The largest limit on the extents of all blocks that makes them fit."""

    def total(limit: int) -> int:
        return sum(
            buffer.type.with_shape(cut(buffer, limit)).nbytes * buffer.block_count for buffer in buffers
        )

    def cut(buffer: Buffer, limit: int) -> tuple[int, ...]:
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
