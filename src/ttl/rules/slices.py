"""The meaning of ``tensor[index]`` in a data movement kernel (specification, "Tensor slice"), and its errors."""

from __future__ import annotations

import operator
from typing import Any

from ttl.diag import Diagnostic, error
from ttl.diag.model import Remedy
from ttl.diag.remedies import Index, InTiles, WholeDivision
from ttl.diag.values import is_int
from ttl.diag.words import counted
from ttl.rows.types import TILE, Layout, describe_shape
from ttl.rules.words import describe


class OnNode:
    """A placeholder in an index for a number that is known on the node only."""

    __slots__ = ()


INTEGER, FRACTION = OnNode(), OnNode()
Extents = tuple[int, ...]
# Extents, some of which are ``INTEGER``.
PartialExtents = tuple[int | OnNode, ...]


# Start and stop in each dimension, extents, and for each dimension whether an int indexes it (empty if no int does).
Part = tuple[tuple[tuple[int, int], ...], Extents, tuple[bool, ...]]


def slice_part(index: tuple[Any, ...], extents: Extents, layout: Layout) -> Part | Diagnostic:
    """The part of a tensor of ``extents``, in tiles or elements, that an index selects, or an error."""
    if len(index) != len(extents):
        expanded = expand(index, extents, layout)
        if isinstance(expanded, Diagnostic):
            return expanded
        index = expanded
    bounds = []
    lengths = []
    single = False
    for entry, extent in zip(index, extents):
        if type(entry) is slice:
            start, stop, step = entry.start, entry.stop, entry.step
            if start is None:
                start = 0
            if stop is None:
                stop = extent
            if (
                step is not None
                or type(start) is not int
                or type(stop) is not int
                or not 0 <= start < stop <= extent
            ):
                if not (type(start) is int and type(stop) is int and (step is None or type(step) is int)):
                    return _of_normalised(index, extents, layout)
                if step not in (None, 1) or not 0 <= start < stop <= extent:
                    return slice_error(index, extents, layout)
            bounds.append((start, stop))
            lengths.append(stop - start)
        elif type(entry) is int:
            if not 0 <= entry < extent:
                return slice_error(index, extents, layout)
            bounds.append((entry, entry + 1))
            lengths.append(1)
            single = True
        elif entry is Ellipsis:
            expanded = expand(index, extents, layout)
            return expanded if isinstance(expanded, Diagnostic) else slice_part(expanded, extents, layout)
        else:
            return _of_normalised(index, extents, layout)
    singles = tuple([type(entry) is int for entry in index]) if single else ()
    return tuple(bounds), tuple(lengths), singles


def slice_error(index: tuple[Any, ...], extents: Extents, layout: Layout) -> Diagnostic:
    """The error for an illegal index, with one entry for each dimension: that of the first wrong entry."""
    finding = partial_error(index, extents, layout)
    assert finding is not None, "a slice that is legal"
    return finding.helping(*_other_way_round(index, extents))


def partial_error(index: tuple[Any, ...], extents: PartialExtents, layout: Layout) -> Diagnostic | None:
    """The error for an index, with one entry for each dimension, that is illegal for every value of ``INTEGER``."""
    for axis, (entry, extent) in enumerate(zip(index, extents, strict=True)):
        if isinstance(entry, slice):
            finding = range_error(entry, axis, extents, layout)
        elif entry is INTEGER:
            continue
        elif not is_int(entry):
            finding = no_index(entry)
        elif isinstance(extent, OnNode) or 0 <= entry < extent:
            continue
        else:
            finding = index_error(int(entry), axis, extents, layout)
        if finding is not None:
            return finding
    return None


def _other_way_round(index: tuple[Any, ...], extents: Extents) -> tuple[str, ...]:
    """A note that asks whether the last two indices were swapped, if the index would then be in range."""
    if len(index) < 2 or not all(is_int(entry) for entry in index[-2:]):
        return ()
    row, column = index[-1], index[-2]
    if not (0 <= row < extents[-2] and 0 <= column < extents[-1]) or row == column:
        return ()
    shown = ", ".join(map(str, (*index[:-2], row, column)))
    return (f"or are the two indices the wrong way round? [{shown}] is inside: the first counts rows",)


def index_error(value: int, axis: int, extents: PartialExtents, layout: Layout) -> Diagnostic:
    """The error for an index that is out of range (TTL0507)."""
    extent, unit = extents[axis], layout.unit
    assert not isinstance(extent, OnNode)
    return error(
        "TTL0507",
        f"index {value} is out of range in dimension {axis}, which has {counted(extent, unit)}",
        notes=_extent_notes(extents, layout),
        help=(f"indices count {unit}s from 0 to {extent - 1}" if extent > 1 else "the only index is 0")
        + ("; a negative one does not count from the end" if value < 0 else "")
        + _element_hint(value, axis, extents, layout),
    ).remedied_by(_counted_in_tiles(value, axis, extents, layout))


def range_error(entry: slice, axis: int, extents: PartialExtents, layout: Layout) -> Diagnostic | None:
    """Return the error in the slice of one dimension (a bound is not an int, a step, empty, out of range), or None."""
    extent, unit, note = extents[axis], layout.unit, _extent_notes(extents, layout)
    for bound in (entry.start, entry.stop, entry.step):
        if bound is not None and bound is not INTEGER and not is_int(bound):
            return _no_bound(bound, note)
    if entry.step not in (None, 1):
        return error(
            "TTL0508",
            f"slice with step {entry.step} in dimension {axis}",
            notes=("a tensor slice is contiguous in tiles or elements",),
            help="copy the parts one by one, or permute the tensor on the host",
        )
    start: Any = 0 if entry.start is None else entry.start
    stop: Any = extent if entry.stop is None else entry.stop
    if start is INTEGER or stop is INTEGER:
        return None
    if stop <= start:
        return error(
            "TTL0509",
            f"empty slice {start}:{stop} in dimension {axis}",
            notes=note,
            help="a slice has at least one of the dimension's " + unit + "s",
        )
    if isinstance(extent, OnNode):
        return None
    if stop - start > extent:
        # It is too long wherever it starts, so numbers that depend on the node need not be known.
        return error(
            "TTL0507",
            f"a slice of {counted(int(stop - start), unit)} is longer than dimension {axis}, which has {counted(extent, unit)}",
            notes=note,
            help=_element_hint(int(stop - start), axis, extents, layout).removeprefix("; ")
            or "clamp the last block, or guard it: if start < limit",
        ).remedied_by(_counted_in_tiles(int(stop - start), axis, extents, layout))
    if not (start >= 0 and stop <= extent):
        return error(
            "TTL0507",
            f"slice {start}:{stop} is out of range in dimension {axis}, which has {counted(extent, unit)}",
            notes=note,
            help=_element_hint(int(stop), axis, extents, layout).removeprefix("; ")
            or "clamp the last block, or guard it: if start < limit",
        ).remedied_by(_counted_in_tiles(int(stop), axis, extents, layout))
    return None


def too_many_indices(count: int, extents: Extents, layout: Layout) -> Diagnostic:
    """The error for more indices than dimensions (TTL0505)."""
    return error(
        "TTL0505",
        f"{count} indices for a tensor of {len(extents)} dimensions",
        notes=(extent_note(extents, layout),),
        help="give one index or slice per dimension of the tensor",
    )


def _no_bound(bound: object, notes: tuple[str, ...]) -> Diagnostic:
    """The error for a bound that is not an int (TTL0506)."""
    return error(
        "TTL0506",
        f"bounds of a tensor slice are ints, not {'a fraction' if bound is FRACTION else describe(bound)}",
        notes=notes,
        help="use // for divisions that give slice bounds",
    ).remedied_by(WholeDivision())


def no_index(entry: object) -> Diagnostic:
    """The error for an entry that is neither an int nor a slice (TTL0506)."""
    fraction = entry is FRACTION or isinstance(entry, float)
    return error(
        "TTL0506",
        f"a tensor slice is made of ints and slices, not {'a float' if fraction else describe(entry)}",
        help="use // for divisions that give indices"
        if fraction
        else "write a[row, column], a[r0:r1, c0:c1] or a[row, :]",
    ).remedied_by(WholeDivision() if isinstance(entry, float) else None)


def slice_outside(what: str) -> Diagnostic:
    """The error for a slice that is taken in ``what`` instead of a data movement kernel (TTL0516)."""
    return error(
        "TTL0516",
        f"tensor slice taken in {what}",
        notes=("tensors live outside the node; only data movement kernels reach them",),
        help="slice the tensor in a data movement kernel, inside ttl.copy(...)",
    )


def extent_note(extents: Extents, layout: Layout) -> str:
    """Return a note on the extents of the tensor."""
    return f"the tensor is {describe_shape(extents, layout)}"


def _extent_notes(extents: PartialExtents, layout: Layout) -> tuple[str, ...]:
    known = tuple(extent for extent in extents if not isinstance(extent, OnNode))
    return (extent_note(known, layout),) if len(known) == len(extents) else ()


def _of_normalised(index: tuple[Any, ...], extents: Extents, layout: Layout) -> Part | Diagnostic:
    normal = _normalise(index, extents, layout)
    return normal if isinstance(normal, Diagnostic) else slice_part(normal, extents, layout)


def expand(index: tuple[Any, ...], extents: Extents, layout: Layout) -> tuple[Any, ...] | Diagnostic:
    """An index with one entry for each dimension, or an error."""
    rank = len(extents)
    if any(entry is Ellipsis for entry in index):
        position = next(i for i, entry in enumerate(index) if entry is Ellipsis)
        rest = index[position + 1 :]
        index = index[:position] + (slice(None),) * (rank - position - len(rest)) + rest
    if len(index) < rank:
        index = index + (slice(None),) * (rank - len(index))
    return too_many_indices(len(index), extents, layout) if len(index) > rank else index


def _normalise(index: tuple[Any, ...], extents: Extents, layout: Layout) -> tuple[Any, ...] | Diagnostic:
    """Convert integers of other types (NumPy's, say) to int. Any other entry is an error."""
    result: list[Any] = []
    for entry in index:
        if isinstance(entry, slice):
            given = (entry.start, entry.stop, entry.step)
            if not all(bound is None or is_int(bound) for bound in given):
                return slice_error(index, extents, layout)
            result.append(slice(*(None if bound is None else operator.index(bound) for bound in given)))
        elif entry is Ellipsis:
            result.append(entry)
        elif is_int(entry):
            result.append(int(entry))
        else:
            return no_index(entry)
    return tuple(result)


def _counted_in_tiles(value: int, axis: int, extents: PartialExtents, layout: Layout) -> Remedy | None:
    if not _element_hint(value, axis, extents, layout):
        return (
            Index(description="write 0", axis=axis, value="0") if extents[axis] == 1 and value >= 1 else None
        )
    return InTiles(description="count in tiles", axis=axis, extent=TILE)


def _element_hint(value: int, axis: int, extents: PartialExtents, layout: Layout) -> str:
    tiled_axis, extent = layout is Layout.TILE and axis >= len(extents) - 2, extents[axis]
    if tiled_axis and value % TILE == 0 and not isinstance(extent, OnNode) and value // TILE <= extent:
        return f"; indices of a tiled tensor count tiles, not elements: {value} elements are {counted(value // TILE, 'tile')}"
    return ""
