"""The recorded tasks of a launch: the interface of cores that can replay, and their tapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ttl import control
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import Array

if TYPE_CHECKING:
    from ttl.sim.engine import Engine


class Tape(Protocol):
    """The tasks of one launch, without the launch: computations, and the parts of tensors that they read and write.

    A tape holds the whole effect of its launch. Where that is impossible (semaphores, a tensor both read and written,
    data that were inspected while kernels ran, a tensor that was not passed when recording began) there is a reason
    instead of a tape.
    """

    @property
    def tensors(self) -> tuple[int, ...]:
        """The tensors it reads and writes: positions in the list given when recording began."""

    @property
    def written(self) -> tuple[bool, ...]:
        """Whether it writes each of ``tensors``."""

    @property
    def nbytes(self) -> int:
        """The bytes of memory that it takes."""

    def run(self, arrays: Sequence[Array], threads: int) -> None:
        """Carry it out on the storage of ``tensors``. ``threads``: 0 for one per core."""

    def numbers(self) -> dict[int, bool]:
        """Return whether the format matters, by the id of each number that may vary between calls (``sim/numbers.py``)."""

    def set_numbers(self, values: Mapping[int, float]) -> None:
        """Set the numbers, by id, with which it computes from now on."""

    def difference(self, other: Tape) -> str | None:
        """Return the first difference from another tape of the same launch, in a few words; None if they are equal."""


class TapeRecorder:
    """Records one launch. ``result`` is the tape, or the reason why there is no tape."""

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

    def stopped(self, engine: Engine) -> None:
        """The launch has failed: nothing is kept of it."""

    def _finished(self, engine: Engine) -> Any:
        if not control.NATIVE:
            return "the native core is not installed"
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
