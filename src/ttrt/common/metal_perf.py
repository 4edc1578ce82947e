"""Cycles of the commands of a ``.ttm`` file: its kernels run once on the emulated chip, which gives the critical paths.

The data that the kernels read do not decide their control flow, so that inputs are ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod
from types import MappingProxyType

import torch

from tt_model.binaries.estimate import Estimate
from tt_model.binaries.reference import ReferenceModules
from tt_model.cost.operations import Bound
from tt_model.cost.rates import chip_of
from tt_model.layouts.system_desc import SystemRecord
from tt_model.runtime.metal.executor import DispatchCycles
from tt_model.runtime.metal.tables import MetalCommand, MetalTensor
from tt_model.runtime.numbers import host_dtype
from ttl.emu.profile import profile
from ttrt.binary import Binary
from ttrt.common.metal_execution import MetalExecution
from ttrt.common.metal_report import described

_COMPUTES = re.compile(r"\b(\w+?)_(?:tile|tiles|block)(?:<[^(;]*>)?\(")
_MOVES = frozenset({"copy", "pack"})
# The bound, in the estimates of TTNN, of each resource of a critical path.
_BOUNDS: Mapping[str, Bound] = MappingProxyType(
    {
        **dict.fromkeys(("unpack", "math", "pack"), "arithmetic"),
        **dict.fromkeys(("NoC", "data movement"), "network"),
        "DRAM": "DRAM",
        "launch": "launch",
    }
)
# The number of resources of the critical path that are named.
_NAMED = 3


def metal_estimates(binary: Binary, index: int, system: SystemRecord) -> list[Estimate]:
    """Return an estimate of every command with kernels of a program. Raises ``RuntimeProblem``."""
    execution = MetalExecution(ReferenceModules(binary), system, recorded=True)
    program = execution.prepared(index)
    inputs = [
        torch.ones(list(shape)).to(host_dtype(one.data_type))
        for shape, one in zip(program.input_shapes, program.inputs, strict=True)
    ]
    _, report = execution.run(program, inputs)
    return [_estimate(program.name, one, system) for one in report.dispatches]


def _estimate(program: str, dispatch: DispatchCycles, system: SystemRecord) -> Estimate:
    command, run = dispatch.command, dispatch.run
    table = chip_of(system.first_chip)
    cost = profile(run, table, described(program, dispatch, table))
    path: Mapping[str, int] = {str(name): cycles for name, cycles in cost.path.items()}
    largest = sorted(path.items(), key=lambda pair: -pair[1])[:_NAMED]
    moved = {"read": 0, "write": 0}
    if run.record is not None:
        from ttl.emu.record import KINDS

        for kind in moved:
            transfers = run.record.transfers[run.record.transfers["kind"] == KINDS.index(kind)]
            moved[kind] = int(transfers["size"].sum())
    busy = [fiber.cycles - fiber.stalled for fiber in run.fibers if fiber.role == "math"]
    start = path.get("launch", 0)
    results = command.tensors[-1:]
    return Estimate(
        index=command.at.index,
        kind=None,
        operation=f"dispatch ({words_of(command)})",
        location=command.at.location,
        inputs=tuple(one.described for one in command.tensors[:-1]),
        outputs=tuple(one.described for one in results),
        cores=dispatch.cores,
        read=moved["read"],
        written=moved["write"],
        arithmetic=sum(map(_elements, results)) if busy else 0,
        start=start,
        compute_cycles=max(max(busy, default=0) - start, 0),
        dram_cycles=path.get("DRAM", 0),
        network_cycles=path.get("NoC", 0),
        latency_cycles=0,
        traffic_cycles=path.get("NoC", 0) + path.get("DRAM", 0),
        edge_cycles=0,
        cycles=dispatch.cycles,
        bound=_BOUNDS.get(largest[0][0], "latency") if largest else "launch",
        emulated=True,
        clock_hz=table.clock_hz,
        available_cores=prod(system.first_chip.grid),
        arch=table.arch,
        note=", ".join(
            f"{name} {100 * cycles / max(1, cost.cycles):.0f} %" for name, cycles in largest if cycles
        ),
    )


def _elements(tensor: MetalTensor) -> int:
    return prod(tensor.described.shape)


def words_of(command: MetalCommand) -> str:
    """Return the functions on tiles that the kernels of a command call, as text; for other kernels, that they move data."""
    names = {name for kernel in command.kernels for name in _COMPUTES.findall(kernel.source)}
    computes = sorted(name for name in names - _MOVES if not name.startswith("pack_reconfig"))
    return ", ".join(computes) or ("copy" if "copy" in names else "moves")
