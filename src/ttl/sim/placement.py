"""Where an operation runs: its grid, and the devices of a mesh (specification, "Grid"; LANGUAGE.md).

A two-dimensional grid on tensors of a mesh runs once per device, on its shards (SPMD). A grid of higher rank
spans the mesh: its leading extents are the mesh's, the last two a device's nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from ttl.arch.chip import Chip
from ttl.diag import error
from ttl.host.tensor import Tensor
from ttl.lang.check import fail
from ttl.lang.operation import Operation
from ttl.settings import Settings


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """One run of an operation: what, where and under which settings.

    ``device`` is the index of the device on its mesh, when the operation runs once per device; ``args`` are its
    shards then.
    """

    operation: Operation
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    grid: tuple[int, ...]
    device: int | None
    chip: Chip
    settings: Settings


def launches(
    operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chip: Chip, settings: Settings
) -> Iterator[Launch]:
    """What a call of an operation launches: one run, or one per device of a mesh."""
    grid = _grid_of(operation, args, kwargs, chip)
    whole = Launch(
        operation=operation, args=args, kwargs=kwargs, grid=grid, device=None, chip=chip, settings=settings
    )
    devices = _device_count(args, kwargs)
    if devices is None or len(grid) > 2:
        yield whole
        return
    for device in range(devices):
        yield replace(
            whole,
            device=device,
            args=tuple(_shard(arg, device) for arg in args),
            kwargs={name: _shard(arg, device) for name, arg in kwargs.items()},
        )


def _grid_of(
    operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chip: Chip
) -> tuple[int, ...]:
    """The launch grid, checked against the device."""
    grid = operation.grid
    if isinstance(grid, str):
        return chip.grid
    device_grid = (*grid, 1)[:2] if len(grid) < 2 else grid[-2:]
    if any(extent > available for extent, available in zip(device_grid, chip.grid, strict=True)):
        fail(
            error(
                "TTL0220",
                f"grid {grid} of operation {operation.function.__name__} is larger than the device's {chip.grid}",
                notes=(f"a {chip.name} device has a compute grid of {chip.grid[0]}x{chip.grid[1]} nodes",),
                help='use a smaller grid, grid="full" for all the device has, or another device with --arch',
            )
        )
    leading = grid[:-2]
    if leading:
        devices = _device_count(args, kwargs)
        if devices is None or prod(leading) != devices:
            have = (
                "no argument is on a mesh"
                if devices is None
                else f"the arguments are on a mesh of {devices} devices"
            )
            fail(
                error(
                    "TTL0221",
                    f"grid {grid} spans {prod(leading)} devices, but {have}",
                    notes=("the extents before the last two are those of the mesh",),
                    help=f"open a mesh with ttnn.open_mesh_device(ttnn.MeshShape(...)) of {prod(leading)} devices and put the tensors on it",
                )
            )
    return tuple(grid)


def _device_count(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
    counts = {
        len(arg.shards)
        for arg in (*args, *kwargs.values())
        if isinstance(arg, Tensor) and arg.shards is not None
    }
    if len(counts) > 1:
        fail(
            error(
                "TTL0222",
                f"arguments are on meshes of different sizes: {' and '.join(map(str, sorted(counts)))} devices",
                help="put all tensors of one call on the same mesh",
            )
        )
    return counts.pop() if counts else None


def _shard(arg: Any, device: int) -> Any:
    return arg.shards[device] if isinstance(arg, Tensor) and arg.shards is not None else arg
