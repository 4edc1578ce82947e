"""Recording what a launch computes, for replay (``sim/replay``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ttl import control
from ttl.host.tensor import Tensor

if TYPE_CHECKING:
    from ttl.sim.engine import Engine


class Recorder:
    """Records one launch. ``result`` is the tape, or the reason why there is none."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._positions = {id(tensor): position for position, tensor in enumerate(tensors)}
        self.result: Any = "the operation did not end"

    def begin(self, engine: Engine) -> None:
        """The launch begins."""
        if control.NATIVE:
            engine.pending.begin_tape()

    def end(self, engine: Engine) -> None:
        """The launch has ended well: everything is computed and written."""
        self.result = self._finished(engine)

    def _finished(self, engine: Engine) -> Any:
        if not control.NATIVE:
            return "the native core is not there"
        if engine.semaphores.all:
            return "its kernels synchronise with semaphores"
        ranges = []
        for storage in engine.memory.storages():
            if storage.region.hazard:
                return "it reads a tensor and writes it"
            position = self._positions.get(id(storage.tensor))
            if position is None:
                return "it uses a tensor that is neither an argument nor captured"
            written = storage.writable
            for array in (storage.array, *(storage.retired or ())):
                address = array.__array_interface__["data"][0]
                ranges.append((address, array.nbytes, position, written))
        return engine.pending.end_tape(ranges)
