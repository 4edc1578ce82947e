"""The chips of a launch, and the traffic on the links between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ttl.arch.systems import System, ideal
from ttl.emu.fabric_profile import FabricCost
from ttl.emu.program import Core
from ttl.emu.record import Record
from ttl.host.mesh_programs import links_of
from ttl.host.tensor import Tensor
from ttl.protocol.chips import NODE_DIMS, chip_count, chip_name, chip_of
from ttl.protocol.grid import coordinate
from ttl.report.records import ChipLink, LaunchReport, MeshUse
from ttl.report.simulated_launch import SimulatedLaunch


def mesh_of(of: SimulatedLaunch) -> MeshUse | None:
    """Return the chips of a simulated launch; None for a launch on a single chip.

    A message of a pipe is sent once to each chip that has receivers, along the route of packets.
    """
    grid = of.engine.grid
    if len(grid) <= NODE_DIMS:
        return None
    system, chips = _system(of)
    sent: Counter[tuple[int, int]] = Counter()
    for net in of.engine.pipes.nets:
        for pipe in net.pipes:
            source = chip_of(pipe.channel.src, grid)
            for target in {chip_of(node, grid) for node in pipe.channel.dsts} - {source}:
                for step in pairwise(system.route(chips[source], chips[target])):
                    sent[step] += pipe.bytes
    most = max(sent.values(), default=0)
    return mesh_use(
        system,
        {chip: chip_name(coordinate(place, grid[:-NODE_DIMS], len(grid) - NODE_DIMS)) for place, chip in enumerate(chips)},
        [chips[chip_of(index, grid)] for index in of.order],
        {link: (nbytes, 0, nbytes / most) for link, nbytes in sent.items() if most},
    )  # fmt: skip


def _system(of: SimulatedLaunch) -> tuple[System, Sequence[int]]:
    """The system on which the tensors of a launch lie, and its chip at each place of the mesh, row by row."""
    grid = of.engine.grid
    count = chip_count(grid)
    for value in (*of.launched.args, *of.launched.kwargs.values()):
        device = value.device() if isinstance(value, Tensor) else None
        if device is not None and device.get_num_devices() == count:
            return links_of(device)
    return ideal(of.engine.chip, (count // grid[-NODE_DIMS - 1], grid[-NODE_DIMS - 1])), range(count)


def mesh_of_record(
    record: Record, fabric: FabricCost | None, rows: int, cores: Iterable[Core]
) -> MeshUse | None:
    """Return the chips of a recorded run; its cores are stacked by chip, ``rows`` rows each. None for a single chip."""
    system = record.system
    if system is None or fabric is None:
        return None
    chips = [y // rows for _, y in cores]
    nbytes: Counter[tuple[int, int]] = Counter()
    busy: Counter[tuple[int, int]] = Counter()
    for link in fabric.links:
        nbytes[link.source, link.target] += link.bytes
        busy[link.source, link.target] += link.busy
    whole = max(system.channels * fabric.cycles, 1)
    return mesh_use(
        system,
        {chip: chip_name(system.coordinate(chip)) for chip in chips},
        chips,
        {ends: (nbytes[ends], cycles // system.channels, round(cycles / whole, 4)) for ends, cycles in busy.items()},
    )  # fmt: skip


def with_mesh(
    report: LaunchReport, device: int | None, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> LaunchReport:
    """Add the mesh to a report where each of several devices runs a launch by itself on its shards of the arguments.

    All nodes are on the chip of ``device``, a number on the mesh; the other chips of the mesh have launches of their
    own with the same number, and the links carry no traffic.
    """
    if device is None:
        return report
    mesh = next(
        arg.device()
        for arg in (*args, *kwargs.values())
        if isinstance(arg, Tensor) and arg.shards is not None
    )
    assert mesh is not None, "tensors of a mesh are on devices"
    system, chips = links_of(mesh)
    if len(chips) == 1:
        return report
    shape = tuple(mesh.shape)
    names = {chip: chip_name(coordinate(place, shape, len(shape))) for place, chip in enumerate(chips)}
    return replace(report, mesh=mesh_use(system, names, [chips[device]] * len(report.nodes), {}))


def mesh_use(
    system: System,
    names: Mapping[int, str],
    chips: Sequence[int],
    used: Mapping[tuple[int, int], tuple[int, int, float]],
) -> MeshUse:
    """The use of a mesh.

    ``names`` has the names of chips by their numbers, ``chips`` the chip of each node, and ``used`` the bytes, busy
    time and share of each link, by its source and target.
    """
    both = [(ends, link.channels) for link in system.links for ends in ((link.a, link.b), (link.b, link.a))]
    return MeshUse(
        title=system.title,
        topology=system.topology,
        rows=system.shape[0],
        columns=system.shape[1],
        names=tuple(names.get(chip, "") for chip in range(system.chips)),
        chips=tuple(chips),
        links=tuple(
            ChipLink(source=a, target=b, ports=ports, bytes=nbytes, busy=busy, share=share)
            for (a, b), ports in both
            for nbytes, busy, share in (used.get((a, b), (0, 0, 0.0)),)
        ),
        bisection_bytes_per_second=system.bisection_bytes_per_second,
    )
