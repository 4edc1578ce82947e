"""Whether the buffers and semaphores of an operation on a node fit the chip (LANGUAGE.md, "Buffers, blocks")."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ttl.arch import Chip
from ttl.diag import Diagnostic, error
from ttl.diag.remedies import Argument, DropArguments
from ttl.protocol.sharing import BufferUsers, memory, rings
from ttl.rows.dtypes import DType
from ttl.rows.types import TILE, BlockType, Layout


@dataclass(frozen=True, slots=True)
class Buffer:
    """A dataflow buffer of a node. ``line`` is the line that makes it, 0 where that is not known."""

    name: str
    type: BlockType
    block_count: int
    line: int = 0
    group: object | None = None
    memory: str | None = None
    """The name of the tensor whose memory the buffer uses."""

    @property
    def nbytes(self) -> int:
        """The bytes of L1 that the buffer takes in addition to tensors."""
        return 0 if self.memory is not None else self.type.nbytes * self.block_count


@dataclass(frozen=True, slots=True)
class Resident:
    """A tensor of a launch that lies in L1. ``nbytes`` is its size on every node; ``shape`` is in elements."""

    name: str
    shape: tuple[int, ...]
    dtype: DType
    spread: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic about a node's buffers. Its location is the creation of the buffer at ``index``, with ``label``."""

    diagnostic: Diagnostic
    index: int
    label: str
    other: int | None = None
    """The index of another buffer that the diagnostic is about."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """The buffers, by number, that form each ring, and rings mapped to another ring whose memory they use."""

    rings: tuple[tuple[int, ...], ...]
    owners: Mapping[int, int]

    def total(self, sizes: Sequence[int]) -> int:
        """Return the bytes of L1 that all buffers take; ``sizes`` has the bytes of each buffer."""
        return sum(
            sum(sizes[number] for number in ring)
            for place, ring in enumerate(self.rings)
            if place not in self.owners
        )


def who_shares(buffers: Sequence[Buffer], users: BufferUsers | None, most: int, room: int) -> Sharing:
    """Choose which buffers share a ring or memory, so that at most ``most`` rings take at most ``room`` bytes.

    Buffers share only if that is proved to be safe, so the result may exceed these limits.
    """
    sizes = [buffer.nbytes for buffer in buffers]
    alone = Sharing(tuple((number,) for number in range(len(buffers))), {})
    groups = [buffer.group for buffer in buffers]
    if users is None or (len(buffers) <= most and alone.total(sizes) <= room and not any_group(groups)):
        return alone
    kinds = [
        None
        if number in users.fixed or buffer.group is not None or buffer.memory is not None
        else buffer.type
        for number, buffer in enumerate(buffers)
    ]
    joined = rings(kinds, users, most)
    whole = [sum(sizes[number] for number in ring) for ring in joined]
    units = [sizes[ring[0]] // buffers[ring[0]].block_count for ring in joined]

    def apart(one: int, other: int) -> bool:
        return all(users.apart(a, b) for a in joined[one] for b in joined[other])

    def of_group(one: int, other: int) -> bool:
        group = groups[joined[one][0]]
        return group is not None and group == groups[joined[other][0]] and apart(one, other)

    movable = [place for place, ring in enumerate(joined) if buffers[ring[0]].memory is None]
    for condition in (of_group, apart):
        sharing = Sharing(tuple(map(tuple, joined)), memory(whole, units, condition, movable))
        if sharing.total(sizes) <= room:
            break
    return sharing


def any_group(groups: Iterable[object]) -> bool:
    """Whether any buffer is in an allocation group."""
    return any(group is not None for group in groups)


def check_groups(buffers: Sequence[Buffer], users: BufferUsers | None) -> Finding | None:
    """The error for members of an allocation group with different page types, or whose uses may overlap (TTL0346)."""
    for second, later in enumerate(buffers):
        for first, earlier in enumerate(buffers[:second]):
            if later.group is None or later.group != earlier.group:
                continue
            kinds = {(buffer.type.dtype, buffer.type.layout, buffer.type.tile) for buffer in (earlier, later)}
            why = "may be in use at the same time"
            if len(kinds) > 1:
                why = "have pages of different types"
            elif users is None:
                why = "are used in a way that is not known before kernels run"
            elif users.over_before(first, second) or users.over_before(second, first):
                continue
            return Finding(
                error(
                    "TTL0346",
                    f"{earlier.name} and {later.name} are in one allocation group and {why}",
                    notes=(
                        "the use of one must end before the use of the other begins, in every order of events: the "
                        "kernel that pops the last block of one must reserve the first block of the other afterwards",
                    ),
                    help="take one of them out of the group, or let one kernel finish with the first before it reserves the second",
                ).remedied_by(DropArguments(names=("allocation_group",))),
                second,
                f"{later.name} is made here",
                first,
            )
    return None


def check_buffers(
    buffers: Sequence[Buffer], chip: Chip, tensors: Sequence[Resident] = (), users: BufferUsers | None = None
) -> Finding | None:
    """The error for too many buffers on a node (TTL0802), or for buffers too large beside tensors in L1 (TTL0801).

    Errors in allocation groups (TTL0346) come first. ``users`` is None if the kernels' use of the buffers is not known;
    then no buffers share memory.
    """
    taken = sum(tensor.nbytes for tensor in tensors)
    budget = chip.l1_available_bytes - taken
    wrong = check_groups(buffers, users)
    if wrong is not None:
        return wrong
    sharing = who_shares(buffers, users, chip.dataflow_buffers, budget)
    if len(sharing.rings) > chip.dataflow_buffers:
        first = sharing.rings[chip.dataflow_buffers][0]
        shared = len(sharing.rings) < len(buffers)
        return Finding(
            error(
                "TTL0802",
                f"{len(buffers)} dataflow buffers{f', {len(sharing.rings)} where some share' if shared else ''}, and a "
                f"node of {chip.name} has {chip.dataflow_buffers}",
                notes=() if users is None else (users_table(buffers, sharing, users),),
                help="let kernels push and pop the blocks of buffers of one type in the same order, or split the operation",
            ),
            first,
            f"the first that exceeds the limit, {buffers[first].name}",
        )
    total = sharing.total([buffer.nbytes for buffer in buffers])
    if total <= budget or not buffers:
        return None
    index = max(range(len(buffers)), key=lambda position: buffers[position].nbytes)
    largest = buffers[index]
    advice, remedy = _advice(buffers, largest, total - budget, budget)
    diagnostic = error(
        "TTL0801",
        f"dataflow buffers take {total} bytes of L1{beside(taken)}, and a node of {chip.name} has "
        f"{chip.l1_available_bytes}",
        notes=(l1_table(buffers, chip.l1_available_bytes, tensors, sharing), *_unit_note(largest)),
        help=advice + elsewhere(tensors),
    )
    return Finding(
        diagnostic if remedy is None else diagnostic.remedied_by(remedy),
        index,
        f"the largest, {largest.name}",
    )


def match_indices(indices: Sequence[tuple[str, int | None]], chip: Chip) -> tuple[int, Diagnostic] | None:
    """The first buffer whose index does not exist on a node, or is used by another buffer, and the error (TTL0802).

    ``indices`` has the name of each buffer, and its requested index or None.
    """
    names: dict[int, str] = {}
    for position, (name, index) in enumerate(indices):
        if index is None:
            continue
        if not 0 <= index < chip.dataflow_buffers or index in names:
            taken = (
                f"{names[index]} has it"
                if index in names
                else f"a node of {chip.name} has {chip.dataflow_buffers}"
            )
            return position, error(
                "TTL0802",
                f"dataflow buffer {name} cannot have the index {index}: {taken}",
                help=f"give an index from 0 to {chip.dataflow_buffers - 1} that no other buffer has, or leave it out",
            )
        names[index] = name
    return None


def too_many_semaphores(count: int, chip: Chip) -> Diagnostic | None:
    """The error for more semaphores than a node has (TTL0803), or None."""
    if count <= chip.semaphores:
        return None
    return error(
        "TTL0803",
        f"{count} semaphores, and a node of {chip.name} has {chip.semaphores}",
        help="reuse semaphores across phases: count up and wait_ge, or set them back",
    )


def beside(taken: int) -> str:
    """The end of a message that states the bytes that tensors take in L1; empty if there are no such tensors."""
    return f" beside {taken} of tensors in L1" if taken else ""


def elsewhere(tensors: Sequence[Resident]) -> str:
    """Return advice about tensors in L1, as the end of a sentence; empty without tensors."""
    if not tensors:
        return ""
    largest = max(tensors, key=lambda tensor: tensor.nbytes)
    return f"; or keep {largest.name} in DRAM"


def users_table(buffers: Sequence[Buffer], sharing: Sharing, users: BufferUsers) -> str:
    """Return the kernels that fill and empty each ring, as a table of text: the reason why no more buffers share."""
    rows: list[tuple[str, ...]] = []
    for ring in sharing.rings:
        first = buffers[ring[0]]
        ends = [
            ", ".join(users.kernels[kernel] for kernel in sorted(kernels)) or "nobody"
            for kernels in users.usage.ends(ring)
        ]
        names = ", ".join(buffers[number].name for number in ring[1:])
        rows.append(
            (
                first.name, str(first.line or "?"), f"{first.type.shape} {first.type.layout.unit}s", first.type.dtype.name,
                str(sum(buffers[number].block_count for number in ring)), *ends, f"with {names}" if names else "",
            )
        )  # fmt: skip
    table: list[tuple[str, ...]] = [("ring", "line", "block", "type", "blocks", "from", "to", "buffers")]
    for alike, group in groupby(rows, key=lambda row: row[1:]):  # the buffers of a list
        begin, *others = (row[0] for row in group)
        table.append((f"{begin} to {others[-1]}" if others else begin, *alike))
    return (
        "buffers can be one ring if one kernel pushes and one pops their blocks, of one type, in the same order:\n"
        + "\n".join(_lines(table))
    )


def shared_names(buffers: Sequence[Buffer], sharing: Sharing) -> list[str]:
    """Return for each buffer the text, for tables, that names the buffer whose ring or memory it uses, if any."""
    result = [""] * len(buffers)
    for place, ring in enumerate(sharing.rings):
        owner = sharing.owners.get(place)
        for number in ring if owner is not None else ring[1:]:
            whose = buffers[ring[0] if owner is None else sharing.rings[owner][0]].name
            result[number] = f"in {whose}" if owner is None else f"memory of {whose}"
    return result


def l1_table(
    buffers: Sequence[Buffer], budget: int, tensors: Sequence[Resident] = (), sharing: Sharing | None = None
) -> str:
    """Return the bytes of L1 of each buffer and tensor, as a table of text; ``budget`` is the bytes of L1 of a node."""
    shares = [""] * len(buffers) if sharing is None else shared_names(buffers, sharing)
    rows = [("buffer", "line", "block", "type", "bytes/block", "blocks", "bytes")]
    rows += [
        (
            buffer.name,
            str(buffer.line or "?"),
            f"{buffer.type.shape} {buffer.type.layout.unit}s",
            buffer.type.dtype.name,
            str(buffer.type.nbytes),
            str(buffer.block_count),
            f"in {buffer.memory}"
            if buffer.memory is not None
            else shares[number]
            if shares[number].startswith("memory")
            else str(buffer.nbytes),
        )
        for number, buffer in enumerate(buffers)
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
    sizes = [buffer.nbytes for buffer in buffers]
    total = (sum(sizes) if sharing is None else sharing.total(sizes)) + sum(
        tensor.nbytes for tensor in tensors
    )
    rows.append(("total", "", "", "", "", "", str(total)))
    rows.append(("available", "", "", "", "", "", str(budget)))
    return "L1 of one node:\n" + "\n".join(_lines(rows))


def _lines(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """The lines of a table. Numbers, in the fifth column and after it, are aligned to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column < 4 or not _counts(rows, column) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _counts(rows: Sequence[tuple[str, ...]], column: int) -> bool:
    return any(row[column].isdecimal() for row in rows[1:])


def _meant_in_elements(buffer: Buffer) -> tuple[int, ...] | None:
    """The shape in tiles, if the shape of a buffer was probably meant in elements; else None."""
    type_ = buffer.type
    if type_.layout is not Layout.TILE or any(extent % TILE for extent in type_.shape[-2:]):
        return None
    return (*type_.shape[:-2], *(extent // TILE for extent in type_.shape[-2:]))


def _unit_note(largest: Buffer) -> tuple[str, ...]:
    """A note that shapes count tiles, if the shape of a buffer was probably meant in elements."""
    type_, meant = largest.type, _meant_in_elements(largest)
    return (
        ()
        if meant is None
        else (f"shapes of tiled buffers count tiles: {type_.shape} elements would be shape={meant}",)
    )


def _advice(
    buffers: Sequence[Buffer], largest: Buffer, excess: int, budget: int
) -> tuple[str, Argument | None]:
    """Return advice on how to make the buffers fit, and the edit if a change of one argument is enough."""
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
    """Advice with smaller blocks: the largest limit on the extents of all blocks with which they fit.

    None without one.
    """

    def total(limit: int) -> int:
        return sum(
            buffer.type.with_shape(cut(buffer, limit)).nbytes * buffer.block_count for buffer in buffers
        )

    def cut(buffer: Buffer, limit: int) -> tuple[int, ...]:
        return tuple(min(extent, limit) for extent in buffer.type.shape)

    longest = max(extent for buffer in buffers for extent in buffer.type.shape)
    limits = range(1, min(longest, budget + 1))  # an element has at least one byte
    limit = bisect_right(limits, budget, key=total)  # the number of fitting limits is the largest of them
    if limit == 0:
        return None
    changed = [
        f"{cut(buffer, limit)} for {buffer.name}"
        for buffer in buffers
        if cut(buffer, limit) != buffer.type.shape
    ]
    return f"smaller blocks would fit: shape {', '.join(changed)}"
