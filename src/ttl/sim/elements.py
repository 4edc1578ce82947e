"""Single elements of blocks, which data movement kernels read and write one at a time.

Kernels may decide by their values, so a launch that reads them is neither replayed nor run for several nodes at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ttl import control
from ttl.lang import arguments
from ttl.protocol.blocks import Step
from ttl.rows.dtypes import BFLOAT16, FLOAT32, Array
from ttl.rules import elements as rules
from ttl.sim.block import SimBlock
from ttl.sim.memory import empty, fit
from ttl.sim.values import Value

if TYPE_CHECKING:
    from ttl.sim.kernel import RunningLaunch


class Elements:
    """Single elements of the blocks of one launch."""

    __slots__ = ("_engine",)

    def __init__(self, engine: RunningLaunch) -> None:
        self._engine = engine

    def read(self, function: str, block: Any, coordinates: tuple[Any, ...]) -> float:
        """An element as a float."""
        self._match(function, block, coordinates)
        block.touch_element(Step.READ_ELEMENT)
        self._look()
        array, dtype = self._data(block), block.buffer.type.dtype
        place = tuple(map(int, coordinates))
        if any(at >= extent for at, extent in zip(place, array.shape, strict=True)):
            # Padding of a tensor.
            return float("nan") if self._engine.settings.sanitize and dtype.is_float else 0.0
        element = array[place]
        return float(dtype.load(element) if element.dtype == dtype.storage else element)

    def write(self, block: Any, coordinates: tuple[Any, ...], value: Any) -> None:
        """Write an element: rounded to float32, of which bfloat16 keeps the upper 16 bits."""
        self._match(rules.WRITE, block, coordinates)
        if not rules.is_value(value):
            self._engine.fail(rules.no_value(value, len(coordinates)))
        block.touch_element(Step.WRITE_ELEMENT)
        if self._engine.backed is not None:
            self._engine.backed.require_own(block)
        self._look()
        type_ = block.buffer.type
        if block.value is None:
            whole = np.zeros(type_.elements, type_.dtype.storage)
            if self._engine.settings.sanitize:
                whole[...] = type_.dtype.store(empty((1,), np.dtype(np.float32), is_sanitized=True))[0]
        else:
            whole = self._data(block)
            if whole.shape != type_.elements:
                whole = fit(whole, type_.elements, type_.dtype, is_sanitized=self._engine.settings.sanitize)
            whole = np.array(whole)
        with np.errstate(over="ignore"):
            number = np.float32(value)
        if whole.dtype == BFLOAT16.storage and type_.dtype is BFLOAT16:
            whole[tuple(map(int, coordinates))] = number.view(np.uint32) >> np.uint32(16)
        else:
            if type_.dtype is not FLOAT32:  # a precision in which nothing is rounded
                number = (number.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
            whole[tuple(map(int, coordinates))] = number
        block.value = Value(type_, None, whole)

    def _match(self, function: str, block: Any, coordinates: tuple[Any, ...]) -> None:
        reserved = block.acquired_by_reserve if isinstance(block, SimBlock) else None
        arguments.match_element(self._engine, function, block, coordinates, reserved=reserved)

    def _look(self) -> None:
        engine = self._engine
        if engine.lanes is not None:
            engine.lanes.give_up()
        if control.NATIVE:
            engine.pending.refuse_tape("a kernel reads or writes single elements")

    def _data(self, block: SimBlock) -> Array:
        value = block.value
        assert value is not None
        if value.array is None:
            self._engine.pending.flush()
        data: Array = self._engine.memory.data(value)
        return data
