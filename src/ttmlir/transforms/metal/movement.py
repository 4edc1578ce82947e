"""Data movement: the bytes that move from core to core to change a tensor's layout, by the device's memory maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir.affine import AffineExpr

from tt_model.layouts.device import DRAM_PAGE
from tt_model.layouts.elements import element_bytes
from tt_model.layouts.enums import MemorySpace
from tt_model.layouts.layout import LayoutRecord
from tt_model.layouts.values import dimensions_text, volume
from ttl.ir.affine import add, constant, dims, floordiv, mod, mul, substitute
from ttl.ir.refusals import Refused
from ttmlir.transforms.metal.allocate import TargetMachine

Numbers = npt.NDArray[np.int64]
Coordinate = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Transaction:
    """Bytes that are contiguous on both sides.

    ``remote`` is (y, x) of a core on the network; offsets are from the beginning of the tensors.
    """

    remote: Coordinate
    source: int
    destination: int
    size: int


def transactions(
    machine: TargetMachine,
    before: LayoutRecord,
    after: LayoutRecord,
    shape: tuple[int, ...],
    *,
    reads: bool,
    by_columns: bool = False,
) -> dict[Coordinate, list[Transaction]]:
    """Return the transfers of each core that change a tensor of ``shape`` from one layout to another, in order of first bytes.

    ``reads``: cores that hold the destination read; otherwise those that hold the source write. ``by_columns``: the last two
    dimensions are walked in the other order. Raises ``Refused`` if the network cannot make the change.
    """
    if before.is_tiled != after.is_tiled or before.element != after.element:
        raise Refused("it changes elements, too", "what works: one change at a time")
    walked = before.tiled_shape(shape) if before.is_tiled else _whole_words(machine, before, after, shape)
    if before.is_tiled and (before.linear != after.linear or after.tiled_shape(shape) != walked):
        raise Refused(
            "it changes the linear map of a tensor that is in tiles",
            "what works: rows of scalars, whose map can change",
        )
    axes = [np.arange(extent) for extent in walked]
    if by_columns and len(axes) >= 2:
        grids = list(np.meshgrid(*axes[:-2], axes[-1], axes[-2], indexing="ij"))
        grids[-2], grids[-1] = grids[-1], grids[-2]
    else:
        grids = list(np.meshgrid(*axes, indexing="ij"))
    index = [grid.reshape(-1).astype(np.int64) for grid in grids]
    element = element_bytes(before.element)
    source, destination = (_places(machine, layout, index) for layout in (before, after))
    own, other = (destination, source) if reads else (source, destination)
    other_layout = before if reads else after
    return _coalesced(
        machine,
        own=own,
        other=other,
        coordinates=_coordinates(machine, other_layout.memory_space),
        offsets=(source[2] * element, destination[2] * element),
        element=element,
        most=max(1, after.shard_bytes // element),
    )


def _whole_words(
    machine: TargetMachine, before: LayoutRecord, after: LayoutRecord, shape: tuple[int, ...]
) -> tuple[int, ...]:
    """The shape, with rows extended by as much padding as the network needs, if the shards of both layouts have it."""
    element, unit = element_bytes(before.element), alignment_of(machine)
    columns = shape[-1]
    step = max(1, unit // element)
    wide = -(-columns // step) * step
    linear = all(
        layout.linear.results[-1] == dims(len(shape))[-1]
        and layout.memref.shape[-1] % step == 0
        and (wide - 1) // layout.memref.shape[-1] == (columns - 1) // layout.memref.shape[-1]
        for layout in (before, after)
    )
    return (*shape[:-1], wide) if linear else shape


# Row and column of the core (in DRAM: 0 and the channel), and the offset in elements, for each element.
_Places = tuple[Numbers, Numbers, Numbers]


def _places(machine: TargetMachine, layout: LayoutRecord, index: Sequence[Numbers]) -> _Places:
    """Return the places of elements: the linear map of the layout, then the memory map of the device."""
    rank = len(index)
    # Tensors in tiles are walked tile by tile, in the physical shape already.
    linear = dims(rank) if layout.is_tiled else layout.linear.results
    if len(linear) != machine.device.worker_grid.rank:
        raise Refused(
            f"its layout has {len(linear)} dimensions, and the grid of the device {machine.device.worker_grid.rank}",
            "what works: layouts of the rank of the device's grid",
        )
    chip, *rest = _memory_exprs(machine, layout, linear)
    values = [_evaluated(expr, index) for expr in (chip, *rest)]
    if values[0].any():
        raise Refused(
            "the tensor lies on several chips", "what works in the TTMetal pipeline: one chip, no mesh-shape"
        )
    return values[1], values[2], values[3]


def _memory_exprs(
    machine: TargetMachine, layout: LayoutRecord, position: Sequence[AffineExpr]
) -> Sequence[AffineExpr]:
    """(chip, y, x, offset) of a position in the physical shape."""
    device = machine.device
    shard = [constant(extent) for extent in layout.memref.shape]
    if layout.memory_space is MemorySpace.DeviceL1:
        return [substitute(result, position, shard) for result in device.l1_map.results]
    # The device's own map of DRAM counts pages where it should count their elements.
    owner, inside = constant(0), constant(0)
    for at, extent, cores in zip(position, layout.memref.shape, device.worker_grid.shape):
        owner = add(mul(owner, constant(cores)), floordiv(at, constant(extent)))
        inside = add(mul(inside, constant(extent)), mod(at, constant(extent)))
    address = add(mul(owner, constant(volume(layout.memref.shape))), inside)
    channels = device.dram_channels
    channel = mod(floordiv(address, constant(DRAM_PAGE)), constant(channels))
    turn = floordiv(address, constant(DRAM_PAGE * channels))
    offset = add(mul(turn, constant(DRAM_PAGE)), mod(address, constant(DRAM_PAGE)))
    return [constant(0), constant(0), channel, offset]


def _evaluated(expr: AffineExpr, index: Sequence[Numbers]) -> Numbers:
    whole: Any = expr.eval(index, ())  # type: ignore[arg-type]
    return np.broadcast_to(np.asarray(whole, np.int64), index[0].shape)


def _coordinates(machine: TargetMachine, space: MemorySpace) -> npt.NDArray[np.int64]:
    """The network coordinates (y, x) of places, indexed by [y, x] in L1 and by [0, channel] in DRAM."""
    cores = machine.chip.physical_cores
    if space is MemorySpace.DeviceDRAM:
        return np.array([cores.dram], np.int64)
    rows, columns = machine.chip.grid
    return np.array(cores.worker, np.int64).reshape(rows, columns, 2)


def _coalesced(
    machine: TargetMachine,
    *,
    own: _Places,
    other: _Places,
    coordinates: npt.NDArray[np.int64],
    offsets: tuple[Numbers, Numbers],
    element: int,
    most: int,
) -> dict[Coordinate, list[Transaction]]:
    """Join elements of a core that follow each other on both sides to one transaction, of at most ``most`` elements."""
    width = int(own[1].max()) + 1
    cores = own[0] * width + own[1]
    _, first, inverse = np.unique(cores, return_index=True, return_inverse=True)
    # Cores in the order of their first element; within a core as walked.
    order = np.argsort(first[inverse], kind="stable")
    core = cores[order]
    remote = (other[0] * (int(other[1].max()) + 1) + other[1])[order]
    source, destination = (offset[order] for offset in offsets)
    breaks = np.ones(len(order), np.bool_)
    breaks[1:] = (
        (core[1:] != core[:-1])
        | (remote[1:] != remote[:-1])
        | (source[1:] != source[:-1] + element)
        | (destination[1:] != destination[:-1] + element)
    )
    starts = np.flatnonzero(breaks)
    ends = np.append(starts[1:], len(order))
    moved: dict[Coordinate, list[Transaction]] = {}
    for start, end in zip(starts.tolist(), ends.tolist()):
        place = order[start]
        key = (int(own[0][place]), int(own[1][place]))
        y, x = coordinates[int(other[0][place]), int(other[1][place])].tolist()
        for begin in range(start, end, most):
            count = min(most, end - begin)
            moved.setdefault(key, []).append(
                Transaction((y, x), int(source[begin]), int(destination[begin]), count * element)
            )
    return moved


def alignment_of(machine: TargetMachine) -> int:
    """Return the number of bytes that addresses and sizes on the network are multiples of."""
    chip = machine.chip
    return max(
        chip.noc_l1_address_align_bytes, chip.noc_dram_address_align_bytes, chip.pcie_address_align_bytes
    )


def check_alignment(machine: TargetMachine, moved: Transaction, source: int, destination: int) -> None:
    """Raise ``Refused`` if the network cannot move bytes from and to these addresses."""
    alignment = alignment_of(machine)
    for what, number in (
        ("reads from address", source + moved.source),
        ("writes to address", destination + moved.destination),
        ("moves", moved.size),
    ):
        if number % alignment:
            unit = " bytes at once" if what == "moves" else ""
            raise Refused(
                f"a core {what} {number}{unit}, and the network moves multiples of {alignment} bytes",
                f"what works: shards whose rows are multiples of {alignment} bytes, or tensors in tiles",
            )


def grid_text(layout: LayoutRecord) -> str:
    """The grid of a layout as text, such as ``2x4``."""
    return dimensions_text(layout.grid.shape)
