"""What a core gives that can replay: the recorded tasks of a launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ttl.ops.dtypes import Array


class Tape(Protocol):
    """The tasks of one launch, without the launch: what is computed from which parts of which tensors.

    A tape holds the whole effect of its launch. Where that is impossible (semaphores, a tensor both read and written,
    data that somebody looked at while kernels ran, a tensor that was not given when recording began) there is a reason
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
        """Memory it takes."""

    def run(self, arrays: Sequence[Array], threads: int) -> None:
        """Carry it out on the storage of ``tensors``. ``threads``: 0 for one per core."""

    def difference(self, other: Tape) -> str | None:
        """In what another tape of the same launch differs, in a few words; None when it does not."""
