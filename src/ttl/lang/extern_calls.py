"""The parts of a call of the user's own C++: its kernel, its effects on buffers and tensors, its result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, Flag, auto
from types import MappingProxyType
from typing import Any, Literal

from ttl.host.tensor import Tensor
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.check import fail
from ttl.lang.transfers import TensorSlice
from ttl.rules import external as rules
from ttl.rules.external import EffectKind, TensorAccessKind

EFFECTS: tuple[EffectKind, ...] = ("reserve", "push", "wait", "pop")


class ScalarType(Enum):
    """The types of integers that an external function may return."""

    I32 = 32
    I64 = 64


class DispatchCondition:
    """A condition of a launch that external functions compute on each node; they must always return the same value for it.

    Kernels query it with ``condition_result=`` of ``ttl.call_extern_func``, so that one kernel can fill a buffer under
    this condition, and another can wait for it under the same condition.
    """

    __slots__ = ("scalar",)

    def __init__(self, scalar: ScalarType) -> None:
        if not isinstance(scalar, ScalarType):
            fail(
                rules.no_argument("ttl.DispatchCondition", "ttl.ScalarType.I32 or ttl.ScalarType.I64", scalar)
            )
        self.scalar = scalar


class KernelKind(Flag):
    """The kinds of kernels, for ``kernel=``."""

    COMPUTE = auto()
    DATA_MOVEMENT = auto()


KINDS: Mapping[Any, Literal["compute", "data movement"]] = MappingProxyType(
    {KernelKind.COMPUTE: "compute", KernelKind.DATA_MOVEMENT: "data movement"}
)


@dataclass(frozen=True, eq=False, slots=True)
class NamedKernel:
    """A kernel of a kind, to be named by ``kernel=``."""

    kind: KernelKind


Kernel = NamedKernel


@dataclass(frozen=True, slots=True)
class DFBEffect:
    """One effect of an external function on a buffer in every call; made by ``reserve``, ``push``, ``wait``, ``pop``."""

    kind: EffectKind
    dfb: DataflowBuffer
    tiles: int

    @staticmethod
    def reserve(dfb: DataflowBuffer, tiles: int) -> DFBEffect:
        """Wait until ``tiles`` tiles are free, and reserve them."""
        return _effect("reserve", dfb, tiles)

    @staticmethod
    def push(dfb: DataflowBuffer, tiles: int) -> DFBEffect:
        """Push ``tiles`` reserved tiles."""
        return _effect("push", dfb, tiles)

    @staticmethod
    def wait(dfb: DataflowBuffer, tiles: int) -> DFBEffect:
        """Wait until ``tiles`` tiles are filled."""
        return _effect("wait", dfb, tiles)

    @staticmethod
    def pop(dfb: DataflowBuffer, tiles: int) -> DFBEffect:
        """Pop ``tiles`` tiles that were waited for."""
        return _effect("pop", dfb, tiles)

    @staticmethod
    def repeat(times: int, effects: Iterable[DFBEffect]) -> tuple[DFBEffect, ...]:
        """Repeat the effects several times."""
        return tuple(effects) * times


@dataclass(frozen=True, slots=True)
class DFBAccess:
    """A buffer that an external function reads without changing its state."""

    dfb: DataflowBuffer

    @staticmethod
    def inspect(dfb: DataflowBuffer) -> DFBAccess:
        """Read the data in the buffer; the function has finished reading when it returns."""
        return DFBAccess(dfb)


@dataclass(frozen=True, slots=True)
class TensorAccess:
    """A tensor, or a slice of one, that an external function reads or writes; made by ``read`` and ``write``."""

    kind: TensorAccessKind
    part: Tensor | TensorSlice

    @staticmethod
    def read(part: Tensor | TensorSlice) -> TensorAccess:
        """Read this part of a tensor."""
        return _access("read", part)

    @staticmethod
    def write(part: Tensor | TensorSlice) -> TensorAccess:
        """Write this part of a tensor."""
        return _access("write", part)


@dataclass(frozen=True, slots=True)
class DFBDescriptor:
    """A buffer as a type of C++: ``index``, ``pages_per_block``, ``block_count``, ``page_size``."""

    dfb: DataflowBuffer


@dataclass(frozen=True, slots=True)
class DFBIdentifier:
    """The number of a buffer on the chip, as a constant of C++."""

    dfb: DataflowBuffer


@dataclass(frozen=True, slots=True)
class TensorAddress:
    """The address of a tensor in the memory of its banks, or nodes, in bytes."""

    tensor: Tensor


@dataclass(frozen=True, kw_only=True, slots=True)
class ExternCall:
    """One call of an external function, as the author wrote it."""

    header: str
    callee: str
    template_args: tuple[Any, ...]
    func_args: tuple[Any, ...]
    effects: tuple[DFBEffect, ...]
    inspected: tuple[DataflowBuffer, ...]
    touched: tuple[TensorAccess, ...] | None
    """All parts of tensors that it reads and writes; None if it does not declare them."""
    include_paths: tuple[str, ...]
    result: ScalarType | None
    condition: DispatchCondition | None

    @property
    def tiles(self) -> dict[DataflowBuffer, dict[str, int]]:
        """Return the total number of tiles of each buffer that it reserves, pushes, waits for and pops."""
        result: dict[DataflowBuffer, dict[str, int]] = {
            dfb: dict.fromkeys(EFFECTS, 0) for dfb in self.inspected
        }
        for effect in self.effects:
            result.setdefault(effect.dfb, dict.fromkeys(EFFECTS, 0))[effect.kind] += effect.tiles
        return result

    @property
    def stand_in_args(self) -> tuple[Any, ...]:
        """Return the arguments of its stand-in: ``template_args`` and ``func_args``, buffers and tensors as objects."""
        return tuple(
            item.dfb
            if isinstance(item, DFBDescriptor | DFBIdentifier)
            else item.tensor
            if isinstance(item, TensorAddress)
            else item
            for item in (*self.template_args, *self.func_args)
        )


def _effect(kind: EffectKind, dfb: Any, tiles: Any) -> DFBEffect:
    if not isinstance(dfb, DataflowBuffer) or isinstance(tiles, bool) or not isinstance(tiles, int):
        fail(rules.no_argument(f"DFBEffect.{kind}", "a dataflow buffer and a number of tiles", (dfb, tiles)))
    return DFBEffect(kind, dfb, tiles)


def _access(kind: TensorAccessKind, part: Any) -> TensorAccess:
    if not isinstance(part, Tensor | TensorSlice):
        fail(rules.no_argument(f"TensorAccess.{kind}", "a tensor or a slice of one", part))
    return TensorAccess(kind, part)
