"""The tensors of a launch under the native core.

Slices, reads and writes of the usual kind never come here: only first writes, hazards, and rare forms of slices do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ttl import control
from ttl.host.tensor import Tensor
from ttl.sim.memory import Memory
from ttl.sim.storage import Storage
from ttl.sim.tensor_slices import SimSlice, make_slice, refuse_slice
from ttl.sim.values import Value
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl.sim.kernel import RunningLaunch


class NativeMemory(Memory):
    """All tensors of one launch."""

    __slots__ = ()

    def __init__(self, engine: RunningLaunch) -> None:
        super().__init__(engine)
        self.changed = True  # ``data`` finds the data as they were read

    def storage(self, tensor: Tensor) -> Storage:
        """The record of a tensor, bound to it: the core slices bound tensors by itself."""
        storage = super().storage(tensor)
        if storage.tensor is tensor:
            control.bind_tensor(tensor, storage, self._engine)
        return storage

    def slice(self, tensor: Tensor, index: Any) -> SimSlice:
        """``tensor[index]`` while an operation runs, for the slices that the core leaves to Python."""
        kernel = self._engine.current
        if not kernel.moves_data:
            refuse_slice(self._engine, kernel)
        return make_slice(self._engine, self.storage(tensor), index if type(index) is tuple else (index,))

    def observe(self, tensor: Tensor) -> None:
        """Refuse the tape and carry out pending work before the data of a tensor are read from outside."""
        self._engine.pending.refuse_tape()
        super().observe(tensor)

    def text(self, tensor: Tensor) -> str:
        """Return the text of ``str(tensor)`` while an operation runs."""
        self._engine.pending.refuse_tape()
        return super().text(tensor)

    def close(self) -> None:
        """Let go of the tensors: the launch is over."""
        for storage in self._storages.values():
            control.bind_tensor(storage.tensor, None, None)
            storage.region.storages = []
        super().close()

    def write(self, value: Value, target: SimSlice, rank: int, site: Site) -> None:
        """Record the write of a value to a slice; it takes effect in schedule order."""
        storage = target.storage
        region = storage.region
        if not storage.writable:
            self._open_for_writing(storage)
        if region.read and not region.hazard:
            region.written = True
            self._make_hazardous(region)
        if not control.write(self._engine, value, target, value.type, site):
            self._engine.pending.write(storage, target.view(rank), value)

    def commit_view(self, storage: Storage, target: Any, value: Value) -> None:
        """Carry out one write that the core does not do by itself, such as one that converts elements."""
        view = target.view(len(value.type.shape)) if isinstance(target, SimSlice) else target
        array = self._stored(storage, self.data(value), view.shape)
        view[...] = array
