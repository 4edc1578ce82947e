"""Trials of a change before it is advised: the changed program runs on the emulated chip, on the same contents.

The contents of the user's tensors are restored afterwards, so that a trial has no visible effect. The number of trials depends on
the program, and not on the speed of the machine: the same program gets the same advice everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ttl.codegen.description import ProgramDescription
from ttl.codegen.variants import Choices, Variant
from ttl.diag import TTLError
from ttl.emu.launch import ChipRun, run
from ttl.emu.program import KernelLine
from ttl.emu.tolerance import differing, largest_of
from ttl.host.access import array_of, writable_array
from ttl.host.tensor import Tensor
from ttl.rows.comparison import same

# The most switches between processors in all trials of a program together, and the most trials.
_SWITCHES = 2_000_000
_MOST = 8


class Recompiler(Protocol):
    """Compiles the operation of a call again with other choices."""

    @property
    def place(self) -> KernelLine | None:
        """Where the operation is defined."""

    @property
    def choices(self) -> Choices | None:
        """The compiler's choices that could be made differently; None where the operation cannot be lowered again."""

    def compiled(self, variant: Variant) -> ProgramDescription | None:
        """Return the program compiled with other choices; None where it cannot be compiled."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Deviation:
    """The distance of the results of a changed program from those of the original one."""

    differ: int
    """Elements that are not the same."""
    elements: int
    largest: float
    """Difference, relative to the largest value of the tensor."""
    beyond: int
    """Elements that differ by more than the simulator and the chip may."""
    pcc: float | None
    """The least Pearson correlation of a changed tensor with its original results.

    None if no tensor changed, or each changed one has equal values everywhere, before or now.
    """


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialRun:
    """The result of a trial: its cycles, and how far its results deviate."""

    cycles: int
    deviation: Deviation


@dataclass(kw_only=True)
class Trials:
    """Trials of one program. ``before``: the contents of its tensors when it began."""

    description: ProgramDescription
    tensors: Sequence[Tensor]
    before: Sequence[npt.NDArray[Any]]
    result: ChipRun
    recompiler: Recompiler | None = None
    _left: int = field(init=False)

    def __post_init__(self) -> None:
        self._left = min(_MOST, _SWITCHES // (self.result.switches + 1))

    def of(self, description: ProgramDescription | None) -> TrialRun | None:
        """Run a changed program; return None where it fails, or no more trials are allowed."""
        if description is None or self._left <= 0:
            return None
        self._left -= 1
        after = [array_of(tensor).copy() for tensor in self.tensors]
        try:
            for tensor, contents in zip(self.tensors, self.before, strict=True):
                writable_array(tensor)[...] = contents
            changed = run(description, self.tensors)
            return TrialRun(cycles=changed.cycles, deviation=self._deviation(after))
        except TTLError:
            return None
        finally:
            for tensor, contents in zip(self.tensors, after, strict=True):
                writable_array(tensor)[...] = contents

    @property
    def choices(self) -> Choices | None:
        """The compiler's choices that could be made differently; None where the program cannot be compiled again."""
        return None if self.recompiler is None else self.recompiler.choices

    def recompiled(self, variant: Variant) -> TrialRun | None:
        """Run the operation, compiled with other choices, as ``of`` does."""
        if self.recompiler is None or self._left <= 0:
            return None
        return self.of(self.recompiler.compiled(variant))

    def with_blocks(self, pages: Mapping[str, int]) -> TrialRun | None:
        """Run the program with circular buffers of other sizes, as ``of`` does; sizes are in pages, by name of the buffer."""
        buffers = tuple(
            replace(buffer, pages=pages.get(buffer.name, buffer.pages))
            for buffer in self.description.circular_buffers
        )
        return self.of(replace(self.description, circular_buffers=buffers))

    def _deviation(self, after: Sequence[npt.NDArray[Any]]) -> Deviation:
        differ = elements = beyond = 0
        largest = 0.0
        correlations: list[float] = []
        for tensor, contents in zip(self.tensors, after, strict=True):
            now, then = tensor.dtype.load(array_of(tensor).copy()), tensor.dtype.load(contents)
            other = ~same(now, then)
            if not other.any():
                continue
            scale = largest_of(then)
            differ += int(other.sum())
            elements += now.size
            beyond += int(differing(now, then, tensor.dtype, scale).sum())
            with np.errstate(all="ignore"):
                off = np.abs(now[other].astype(np.float64) - then[other].astype(np.float64))
            correlations += _correlation(now, then)
            largest = max(largest, float(np.nan_to_num(off, nan=np.inf).max()) / scale if scale else np.inf)
        return Deviation(
            differ=differ,
            elements=elements,
            largest=largest,
            beyond=beyond,
            pcc=min(correlations, default=None),
        )


def _correlation(now: npt.NDArray[Any], then: npt.NDArray[Any]) -> list[float]:
    """The correlation of the finite values; empty if those of either array are all equal."""
    finite = np.isfinite(now) & np.isfinite(then)
    a, b = now[finite].astype(np.float64), then[finite].astype(np.float64)
    a, b = a - a.mean() if a.size else a, b - b.mean() if b.size else b
    norm = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return [float((a * b).sum()) / norm] if norm else []


def contents_of(tensors: Sequence[Tensor]) -> list[npt.NDArray[Any]]:
    """Return copies of the contents of some tensors."""
    return [array_of(tensor).copy() for tensor in tensors]
