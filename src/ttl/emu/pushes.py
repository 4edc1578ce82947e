"""The blocks that are pushed while the simulator runs an operation, with their contents and the defined part of these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ttl import control
from ttl.rows.dtypes import Array
from ttl.rows.types import BlockType
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl.sim.buffer import SimBuffer
    from ttl.sim.engine import Engine
    from ttl.sim.values import Value


# The most bytes of computed blocks that are kept; later blocks are noted without their contents.
_KEPT = 512 << 20


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Push:
    """A block that was pushed."""

    order: int
    """The number of blocks that were pushed before it, on all nodes."""
    node: int
    coord: tuple[int, ...]
    buffer: int
    """The number of the buffer among those that the operation makes."""
    number: int
    """The number of blocks that were pushed into the buffer before it."""
    type: BlockType
    site: Site | None
    reserved: Site | None
    """Where the block was reserved."""
    values: Array | None
    """The values as the type stores them, without padding; None where they were not kept."""
    undefined: Array | None = None
    """The elements that hold undefined values; None if all are defined."""

    @property
    def coordinates(self) -> str:
        """The node, for messages."""
        return f"({', '.join(map(str, self.coord))})"


# Buffer, number in it, value, where it is pushed and reserved.
_Noted = tuple["SimBuffer", int, "Value | None", "Site | None", "Site | None"]


class Pushes:
    """Observer of a launch of the simulator (``ttl.sim.launch.observed``). ``found``: its pushes in order."""

    def __init__(self) -> None:
        self.found: list[Push] = []
        self._noted: list[_Noted] = []
        self._counts: dict[tuple[int, int], int] = {}
        self._kept: dict[int, Value] = {}
        self._bytes = 0

    def begin(self, engine: Engine) -> None:
        """The launch begins."""
        engine.on_push = self._note

    def end(self, engine: Engine) -> None:
        """The launch has ended well: everything is computed."""
        engine.on_push = None
        noted, self._noted = self._noted, []
        self.found = [self._push(order, entry, engine) for order, entry in enumerate(noted)]
        self._kept.clear()

    def stopped(self, engine: Engine) -> None:
        """The launch has failed: nothing is compared."""
        engine.on_push = None

    def _note(self, buffer: SimBuffer, value: Value) -> None:
        key = (buffer.node.index, buffer.ordinal)
        number = self._counts.get(key, 0)
        self._counts[key] = number + 1
        known = value.storage is not None or id(value) in self._kept
        if not known and self._bytes < _KEPT:
            self._bytes += value.type.nbytes
            self._kept[id(value)] = value
            known = True
        self._noted.append(
            (buffer, number, value if known else None, control.site_of_user(), buffer.held_reserved[0].site)
        )

    def _push(self, order: int, entry: _Noted, engine: Engine) -> Push:
        buffer, number, value, site, reserved = entry
        return Push(
            order=order,
            node=buffer.node.index,
            coord=buffer.node.coord,
            buffer=buffer.ordinal,
            number=number,
            type=buffer.type,
            site=site,
            reserved=reserved,
            values=None if value is None else _defined(value, engine),
        )


def _defined(value: Value, engine: Engine) -> Array:
    """Return the contents of a value, without its padding."""
    array = engine.memory.data(value)
    if value.valid is not None:
        rows, columns = value.valid
        array = array[..., :rows, :columns] if array.ndim > 1 else array[:columns]
    # A part of a tensor is seen through the tensor's own memory, which may change.
    changes = value.storage is not None and (value.storage.writable or value.storage.region.written)
    return array.copy() if changes else array


def without_undefined(pushes: list[Push], sanitized: list[Push]) -> Iterator[Push]:
    """Pushes with their undefined elements, those that another run of the same launch has filled with NaN."""
    for push, other in zip(pushes, sanitized, strict=True):
        if push.values is None or other.values is None:
            yield push
            continue
        poisoned = push.type.dtype.load(other.values)
        if push.type.dtype.is_float:
            undefined = np.isnan(poisoned)
        else:
            undefined = poisoned != push.type.dtype.load(push.values)
        yield replace(push, undefined=undefined if undefined.any() else None)
