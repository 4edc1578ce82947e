"""Where an operation runs: its grid, and the devices of a mesh (specification, "Grid"; LANGUAGE.md).

A two-dimensional grid on tensors of a mesh runs once per device, on its shards (SPMD). A grid of higher rank
spans the mesh: its leading extents are the mesh's, the last two a device's nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ttl.arch import Chip
from ttl.host.tensor import Tensor
from ttl.lang.arguments import misplaced
from ttl.lang.check import fail
from ttl.lang.device_grid import grid_of
from ttl.lang.launches import NUMBERS
from ttl.lang.operation import Operation
from ttl.protocol.devices import DeviceGrid, node_grid
from ttl.rules.devices import match_mesh as match_domain
from ttl.rules.launches import match_device, match_mesh, match_sizes
from ttl.settings import Settings
from ttl.source.spans import user_span


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """One run of an operation: its arguments, place and settings.

    ``device`` is the index of the device on its mesh, when the operation runs once per device; ``args`` are its shards
    then.
    """

    operation: Operation
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    grid: tuple[int, ...]
    device: int | None
    chip: Chip
    settings: Settings
    number: int = 0
    """The number of the call, if launches are reported; the same on all devices."""


def _reported(settings: Settings) -> bool:
    return settings.stats or settings.report is not None or settings.target == "emu"


def launches(
    operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chip: Chip, settings: Settings
) -> Iterator[Launch]:
    """Yield the launches of a call of an operation: one, or one for each device of a mesh."""
    grid = _grid_of(operation, args, kwargs, chip)
    whole = Launch(
        operation=operation,
        args=args,
        kwargs=kwargs,
        grid=grid,
        device=None,
        chip=chip,
        settings=settings,
        number=NUMBERS.get().next() if _reported(settings) else 0,
    )
    _require_one_place(operation, args, kwargs)
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
    grid = grid_of(operation, chip)
    if grid is chip.grid:
        return grid
    finding = match_device(operation.function.__name__, node_grid(grid), chip)
    if finding is None and grid[:-2]:
        devices = _device_count(args, kwargs)
        finding = (
            match_domain(grid.domain, devices) if isinstance(grid, DeviceGrid) else match_mesh(grid, devices)
        )
    if finding is not None:
        fail(finding)
    return grid


def _require_one_place(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise an error if some tensors are on a device and others on the host."""
    places = {arg.device() is None for arg in (*args, *kwargs.values()) if isinstance(arg, Tensor)}
    if len(places) > 1:
        bound = operation.signature.bind(*args, **kwargs)
        finding = misplaced(operation.function.__name__, bound.arguments, user_span())
        if finding is not None:
            fail(finding)


def _device_count(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
    counts = {
        len(arg.shards)
        for arg in (*args, *kwargs.values())
        if isinstance(arg, Tensor) and arg.shards is not None
    }
    differ = match_sizes(counts)
    if differ is not None:
        fail(differ)
    return counts.pop() if counts else None


def _shard(arg: Any, device: int) -> Any:
    return arg.shards[device] if isinstance(arg, Tensor) and arg.shards is not None else arg
