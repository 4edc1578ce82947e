"""What ``tensor[index]`` means in a data movement kernel (specification, "Tensor slice"), and why it means nothing."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

from ttl.diag import Diagnostic, error
from ttl.diag.words import counted
from ttl.lang.check import describe, is_int
from ttl.ops.types import TILE, Layout, describe_shape
from ttl.sim.storage import SimSlice, Storage

if TYPE_CHECKING:
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel


def make_slice(engine: Engine, storage: Storage, index: tuple[Any, ...]) -> SimSlice:
    """The slice of a tensor that ``index``, a tuple, means; an error at the user's line if it means none."""
    extents = storage.extents
    if len(index) != len(extents):
        index = _expand(engine, storage, index)
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
            if type(start) is not int or type(stop) is not int or not (step is None or type(step) is int):
                return make_slice(engine, storage, _normalise(engine, storage, index))
            if not 0 <= start < stop <= extent or (step is not None and step != 1):
                _out_of_range(engine, storage, index)
            bounds.append((start, stop))
            lengths.append(stop - start)
        elif type(entry) is int:
            if not 0 <= entry < extent:
                _out_of_range(engine, storage, index)
            bounds.append((entry, entry + 1))
            lengths.append(1)
            single = True
        elif entry is Ellipsis:
            return make_slice(engine, storage, _expand(engine, storage, index))
        else:
            return make_slice(engine, storage, _normalise(engine, storage, index))
    singles = tuple([type(entry) is int for entry in index]) if single else ()
    return SimSlice(storage, tuple(bounds), tuple(lengths), singles)


def _expand(engine: Engine, storage: Storage, index: tuple[Any, ...]) -> tuple[Any, ...]:
    rank = len(storage.extents)
    if any(entry is Ellipsis for entry in index):
        position = next(i for i, entry in enumerate(index) if entry is Ellipsis)
        rest = index[position + 1 :]
        index = index[:position] + (slice(None),) * (rank - position - len(rest)) + rest
    if len(index) < rank:
        index = index + (slice(None),) * (rank - len(index))
    if len(index) > rank:
        engine.fail(
            error(
                "TTL0505",
                f"{len(index)} indices for a tensor of {rank} dimensions",
                notes=(_extent_note(storage),),
                help="give one index or slice per dimension of the tensor",
            )
        )
    return index


def _normalise(engine: Engine, storage: Storage, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """Integers of other types (NumPy's, say) to int; anything else is an error."""
    result: list[Any] = []
    for entry in index:
        if isinstance(entry, slice):
            result.append(
                slice(
                    _bound(engine, storage, index, entry.start),
                    _bound(engine, storage, index, entry.stop),
                    _bound(engine, storage, index, entry.step),
                )
            )
        elif entry is Ellipsis:
            result.append(entry)
        elif is_int(entry):
            result.append(int(entry))
        else:
            engine.fail(
                error(
                    "TTL0506",
                    f"a tensor slice is made of ints and slices, not {describe(entry)}",
                    help="use // for divisions that give indices"
                    if isinstance(entry, float)
                    else "write a[row, column], a[r0:r1, c0:c1] or a[row, :]",
                )
            )
    return tuple(result)


def _bound(engine: Engine, storage: Storage, index: tuple[Any, ...], bound: Any) -> int | None:
    if bound is None:
        return None
    if not is_int(bound):
        _out_of_range(engine, storage, index)
    return operator.index(bound)


def refuse_slice(engine: Engine, kernel: Kernel) -> NoReturn:
    """Report a slice that is not taken in a data movement kernel."""
    engine.fail(
        error(
            "TTL0516",
            f"tensor slice taken in {kernel.what}",
            notes=("tensors live outside the node; only data movement kernels reach them",),
            help="slice the tensor in a data movement kernel, inside ttl.copy(...)",
        )
    )


def _out_of_range(engine: Engine, storage: Storage, index: tuple[Any, ...]) -> NoReturn:
    engine.fail(_slice_error(storage, index))


def _slice_error(storage: Storage, index: tuple[Any, ...]) -> Diagnostic:
    unit = storage.layout.unit
    for axis, (entry, extent) in enumerate(zip(index, storage.extents, strict=True)):
        note = (_extent_note(storage),)
        if not isinstance(entry, slice):
            if is_int(entry) and not 0 <= int(entry) < extent:
                return error(
                    "TTL0507",
                    f"index {int(entry)} is out of range in dimension {axis}, which has {counted(extent, unit)}",
                    notes=note,
                    help=(
                        f"indices count {unit}s from 0 to {extent - 1}"
                        if extent > 1
                        else "the only index is 0"
                    )
                    + ("; a negative one does not count from the end" if entry < 0 else "")
                    + _element_hint(storage, axis, int(entry)),
                )
            continue
        start = 0 if entry.start is None else entry.start
        stop = extent if entry.stop is None else entry.stop
        wrong = [bound for bound in (start, stop, entry.step) if bound is not None and not is_int(bound)]
        if wrong:
            return error(
                "TTL0506",
                f"bounds of a tensor slice are ints, not {describe(wrong[0])}",
                notes=note,
                help="use // for divisions that give slice bounds",
            )
        if entry.step not in (None, 1):
            return error(
                "TTL0508",
                f"slice with step {entry.step} in dimension {axis}",
                notes=("a tensor slice is contiguous in tiles or elements",),
                help="copy the parts one by one, or permute the tensor on the host",
            )
        if stop <= start:
            return error(
                "TTL0509",
                f"empty slice {start}:{stop} in dimension {axis}",
                notes=note,
                help="a slice holds at least one of the dimension's " + unit + "s",
            )
        if not (start >= 0 and stop <= extent):
            return error(
                "TTL0507",
                f"slice {start}:{stop} is out of range in dimension {axis}, which has {counted(extent, unit)}",
                notes=note,
                help=_element_hint(storage, axis, int(stop)).removeprefix("; ")
                or "clamp the last block, or guard it: if start < limit",
            )
    raise AssertionError("a slice that is legal after all")


def _element_hint(storage: Storage, axis: int, value: int) -> str:
    tiled_axis = storage.layout is Layout.TILE and axis >= len(storage.extents) - 2
    if tiled_axis and value % TILE == 0 and value // TILE <= storage.extents[axis]:
        return f"; indices of a tiled tensor count tiles, not elements: {value} elements are {counted(value // TILE, 'tile')}"
    return ""


def _extent_note(storage: Storage) -> str:
    return f"the tensor is {describe_shape(storage.extents, storage.layout)}"
