"""Callbacks that run after each operation, and settings of the real runtime that have no effect on a simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tt_model.binaries.binary import Binary
    from tt_model.runtime.executor import PreparedStep
    from tt_model.runtime.pool import TensorPool

# Called with the binary, the program and the operation.
HookCallback = Callable[["Binary", "ProgramContext", "OpContext"], Any]


@dataclass(frozen=True, slots=True)
class ProgramContext:
    """A running program: its tensors."""

    pool: TensorPool


@dataclass(frozen=True, slots=True)
class OpContext:
    """The operation that was just run."""

    step: PreparedStep
    operation: Mapping[str, Any]


class DebugHooks:
    """The callback of the process: the one of the last ``get``, until ``unregister``."""

    _current: DebugHooks | None = None

    def __init__(self, callback: HookCallback) -> None:
        self.callback = callback

    @classmethod
    def get(cls, callback: HookCallback) -> DebugHooks:
        """Register ``callback``, which is called after each operation."""
        cls._current = cls(callback)
        return cls._current

    @classmethod
    def current(cls) -> DebugHooks | None:
        """The registered callback; None without one."""
        return cls._current

    @classmethod
    def unregister(cls) -> None:
        """Remove the registered callback."""
        cls._current = None

    def __str__(self) -> str:
        return f"DebugHooks(callback={self.callback!r})"


@dataclass(frozen=True, slots=True)
class DebugEnv:
    """Settings of the real runtime. Kernels are not loaded and nothing is asynchronous in a simulation."""

    load_kernels_from_disk: bool = False
    enable_async_ttnn: bool = False

    @classmethod
    def get(cls, load_kernels_from_disk: bool = False, enable_async_ttnn: bool = False) -> DebugEnv:
        return cls(load_kernels_from_disk, enable_async_ttnn)


@dataclass(frozen=True, slots=True)
class WorkaroundEnv:
    """Workarounds with which the real runtime deviates from its binaries.

    A simulation follows the binary and needs no workaround.
    """

    ignore_tile_shape: bool = True
    empty_op_force_row_major: bool = True
    full_op_force_row_major: bool = True
    maxpool2d_preshard: bool = True
    swap_binary_operands: bool = True

    @classmethod
    def get(
        cls,
        ignore_tile_shape: bool = True,
        empty_op_force_row_major: bool = True,
        full_op_force_row_major: bool = True,
        maxpool2d_preshard: bool = True,
        swap_binary_operands: bool = True,
    ) -> WorkaroundEnv:
        return cls(
            ignore_tile_shape,
            empty_op_force_row_major,
            full_op_force_row_major,
            maxpool2d_preshard,
            swap_binary_operands,
        )


def get_op_output_tensor(op_context: OpContext, program_context: ProgramContext) -> list[float]:
    """The values of the operation's result, as a flat list; empty if it has no result.

    If the shards of the result make up one tensor, its values are returned; otherwise the values of one chip after
    another.
    """
    number = op_context.step.out
    if number is None:
        return []
    tensor = program_context.pool.read(number)
    if tensor.shards is not None and tensor.strategy is None:
        return [value for part in tensor.shards.parts for value in part.flatten().tolist()]
    values: list[float] = tensor.whole().flatten().tolist()
    return values


def get_op_debug_str(op_context: OpContext) -> str:
    """The operation's text in the binary, with its location."""
    return str(op_context.operation.get("debug_info", ""))
