"""A second run of a program, on the emulated chip with tensors of zeros, to see if it comes to the dump's state."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

from ttl import settings
from ttl.codegen.debug_info import DebugInfo
from ttl.codegen.description import OperandDescription
from ttl.diag import ProgramError
from ttl.emu.launch import run
from ttl.emu.program import ROLES
from ttl.emu.standing import RUNS, ResourceMap
from ttl.emu.stuck import INSIDE, ChipDeadlockError
from ttl.hang.dump_content import COUNTER
from ttl.hang.state import DumpedStanding
from ttl.host.cores import CoreCoord, CoreRange, CoreRangeSet
from ttl.host.creation import zeros
from ttl.host.device import Device, open_device, open_mesh_device
from ttl.host.memory import (
    BufferType,
    MemoryConfig,
    NdShardSpec,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import dtype_named
from ttl.rows.types import Layout
from ttl.session.patience import LimitReached

# Some seconds of emulation. A program that takes longer to stand still is explained from its dump.
_MOST_CYCLES = 5_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Replay:
    """The end of the second run: ``deadlock`` where it stood still, else ``how`` says it in words."""

    deadlock: ChipDeadlockError | None = None
    how: str = ""


def replayed(info: DebugInfo) -> Replay:
    """Run the program of debug information."""
    description = info.description
    # The output of its kernels was printed on the card.
    with settings.override(arch=description.chip, origin="the dump"), redirect_stdout(io.StringIO()):
        try:
            device = open_mesh_device(description.mesh) if description.mesh else open_device()
            ordered = sorted(description.tensors, key=lambda one: one.index)
            tensors = [tensor_of(tensor, device) for tensor in ordered]
            run(description, tensors, limit=_MOST_CYCLES)
        except ChipDeadlockError as deadlock:
            return Replay(deadlock=deadlock)
        except LimitReached:
            return Replay(how=f"it has not come to an end in {_MOST_CYCLES:,} cycles")
        except ProgramError as failed:
            return Replay(how=f"it ends in error {failed.code}: {failed.diagnostic.message}")
    return Replay(how="it runs to its end")


def tensor_of(tensor: OperandDescription, device: Device) -> Tensor:
    """A tensor of zeros of the kind that a program was compiled for."""
    layout = Layout.TILE if tensor.layout == "tile" else Layout.ROW_MAJOR
    memory = BufferType(tensor.memory.upper())
    config = MemoryConfig(memory_layout=TensorMemoryLayout.INTERLEAVED, buffer_type=memory)
    if tensor.shard_shape is not None and tensor.shard_nodes is not None:
        ranges = [
            CoreRange(CoreCoord(x, y), CoreCoord(x + columns - 1, y + rows - 1))
            for x, y, columns, rows in tensor.shard_nodes
        ]
        order = ShardOrientation[tensor.shard_order.upper()]
        spread = TensorMemoryLayout(tensor.memory_layout.upper())
        shards: dict[str, Any] = {"shard_spec": ShardSpec(CoreRangeSet(ranges), tensor.shard_shape, order)}
        if spread is TensorMemoryLayout.ND_SHARDED:
            shards = {"nd_shard_spec": NdShardSpec(tensor.shard_shape, CoreRangeSet(ranges), order)}
        config = MemoryConfig(memory_layout=spread, buffer_type=memory, **shards)
    return zeros(tensor.shape, dtype_named(tensor.dtype), layout, device, config)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayComparison:
    """The number of a dump's facts that the emulated chip shares, and the differences in words."""

    agreed: int
    differences: tuple[str, ...]


def compared(dumped: DumpedStanding, live: ResourceMap) -> ReplayComparison:
    """Compare a dump with the state that the emulated chip has come to."""
    agreed, differences = 0, []

    def compare(what: str, core: int, here: object, there: object) -> None:
        nonlocal agreed
        if here == there:
            agreed += 1
        else:
            differences.append(
                f"{what} on {dumped.chip.name(core, 'node')}: {here} in the dump, {there} on the emulated chip"
            )

    for one in dumped.processors:
        other = live.processor(one.core, one.role)
        if other is None:
            continue
        place = f"{one.name} ({ROLES[one.role]})"
        if one.done or other.done:
            compare(place, one.core, "ended" if one.done else "runs", "ended" if other.done else "runs")
        elif one.line and one.waits not in INSIDE and one.waits != RUNS:
            compare(place, one.core, f"at {one.file}:{one.line}", f"at {other.file}:{other.line}")
    for (core, index), ring in dumped.rings.items():
        same = live.rings.get((core, index))
        counts = (0, 0) if same is None else (same.pushed % COUNTER, same.popped % COUNTER)
        name = next((one.name for one in dumped.program.circular_buffers if one.index == index), "")
        here = ring.pushed % COUNTER, ring.popped % COUNTER
        compare(
            name or f"circular buffer {index}",
            core,
            "{} pushed, {} popped".format(*here),
            "{} pushed, {} popped".format(*counts),
        )
    for (core, number), word in dumped.semaphores.items():
        compare(f"semaphore {number}", core, word.value, live.value(core, number))
    return ReplayComparison(agreed=agreed, differences=tuple(differences))
