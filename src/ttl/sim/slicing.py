"""Slices of tensors in a launch: what ``ttl.rules.slices`` makes of an index, or its error at the user's line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ttl.diag import Diagnostic
from ttl.rules.slices import slice_outside, slice_part
from ttl.sim.storage import SimSlice, Storage

if TYPE_CHECKING:
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel


def make_slice(engine: Engine, storage: Storage, index: tuple[Any, ...]) -> SimSlice:
    """The slice of a tensor that ``index``, a tuple, means; an error at the user's line if it means none."""
    part = slice_part(index, storage.extents, storage.layout)
    if isinstance(part, Diagnostic) and engine.pending.suspended:
        # An experiment with a deadlock: a kernel that goes on once too often is about to leave its tensors.
        part = slice_part(tuple(map(_at_the_start, index)), storage.extents, storage.layout)
    if isinstance(part, Diagnostic):
        engine.fail(part)
    bounds, extents, single = part
    return SimSlice(storage, bounds, extents, single)


def _at_the_start(index: Any) -> Any:
    """As much of a dimension, from its start."""
    if isinstance(index, int):
        return 0
    if isinstance(index, slice) and isinstance(index.start, int) and isinstance(index.stop, int):
        return slice(0, index.stop - index.start)
    return index


def refuse_slice(engine: Engine, kernel: Kernel) -> NoReturn:
    """Report a slice that is not taken in a data movement kernel."""
    engine.fail(slice_outside(kernel.what))
