"""Operations between chips by those of ``ttl.ops``, written in TT-Lang, in the simulator or on emulated chips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import ttl
from tt_model.layouts.elements import TILE_SHAPE
from tt_model.layouts.enums import DataType, ReduceOperation
from tt_model.layouts.kernel_request import KernelOperand
from tt_model.tt_lang.declared_kernels import KernelError
from tt_model.tt_lang.findings import on_chip, text_of
from tt_model.tt_lang.tensors import INTEGER_BITS, element_type
from ttl import settings
from ttl.diag import Diagnostic, TTLError, report
from ttl.host.convert import from_torch, to_torch
from ttl.host.coordinates import MeshShape
from ttl.host.device import open_mesh_device
from ttl.host.mesh import ShardTensorToMesh, get_device_tensors
from ttl.lang.operation import Operation
from ttl.ops import make_all_gather, make_broadcast, make_reduce_scatter
from ttl.ops.collectives import added
from ttl.rows.types import Layout
from ttl.session import cached

if TYPE_CHECKING:
    import torch

    from ttl.emu.recorder import RecordedLaunch

Collective = Literal["all_gather", "reduce_scatter", "broadcast"]
_FUNCTIONS: Mapping[int, Callable[..., Any]] = MappingProxyType(
    {
        ReduceOperation.Sum: added,
        ReduceOperation.Max: ttl.math.max,
        ReduceOperation.Min: ttl.math.min,
    }
)
_NO_LINK = "TTL0825"
_MOST_TILES, _MOST_NODES = 8, 2
"""The most tiles of a block, and the most nodes of a chip that work.

Kernels that share the port of a link use it one after another, and links have two ports or more.
"""


def between_chips(
    kind: Collective,
    parts: Sequence[torch.Tensor],
    mesh: tuple[int, int],
    *,
    axis: int | None,
    dim: int,
    data_type: DataType,
    arch: str,
    target: str,
    system: str | None = None,
    reduction: int = ReduceOperation.Sum,
) -> tuple[list[torch.Tensor], int | None]:
    """Run a collective of TT-Lang on the parts of a mesh's chips, row by row; ``target`` is ``sim`` or ``emu``.

    Return the chips' results, and the cycles of emulated chips: of a ``system`` whose links are known, or else with one
    port between neighbours. Tensors of any shape become two-dimensional, with ``dim`` first. Parts that end within a
    tile are moved with their padding. Raises ``KernelError`` for types that TT-Lang lacks, and for programs that the
    execution refuses.
    """
    import torch

    size = prod(mesh) if axis is None else mesh[axis]
    counts = (size if kind == "reduce_scatter" else 1, size if kind == "all_gather" else 1)
    lines = [part.movedim(dim, 0) if part.dim() else part.reshape(1) for part in parts]
    rest = lines[0].shape[1:]
    flat = [_padded(one.reshape(one.shape[0], -1), counts[0]) for one in lines]
    extent = lines[0].shape[0] // counts[0]
    rows, columns = flat[0].shape
    dtype = element_type(KernelOperand(shape=(rows, columns), data_type=data_type))
    result_rows = rows // counts[0] * counts[1]
    try:
        with (
            on_chip(arch),
            settings.override(target=target, system=system),
            report.COLLECTOR.given(_without_long_ways),
        ):
            operation = _operation(kind, (rows, columns), mesh, counts[0], axis, reduction)
            device = open_mesh_device(MeshShape(*mesh))
            x, y = (
                from_torch(
                    values,
                    dtype,
                    layout=Layout.TILE,
                    device=device,
                    mesh_mapper=ShardTensorToMesh(device, dim=0),
                )
                for values in (torch.cat(flat), torch.zeros(result_rows * len(parts), columns))
            )
            cycles = _launched(operation, x, y, target)
            results = [to_torch(one) for one in get_device_tensors(y)]
    except TTLError as problem:
        raise KernelError(f"{kind} of TT-Lang cannot be run: {text_of(problem.diagnostics)}") from None
    if (bits := INTEGER_BITS.get(data_type)) is not None:
        results = [one.to(torch.int64) & ((1 << bits) - 1) for one in results]
    whole = [one.reshape(counts[1], -1, columns)[:, :extent].reshape(-1, *rest) for one in results]
    return [
        (one.movedim(0, dim) if parts[0].dim() else one.reshape(())).to(parts[0].dtype).contiguous()
        for one in whole
    ], cycles


def _without_long_ways(finding: Diagnostic) -> None:
    """Emit a diagnostic of a run, unless it is about a ring that crosses several links.

    The model, not the operation, chooses the system and the axis.
    """
    if finding.code != _NO_LINK:
        with report.COLLECTOR.given(None):
            report.emit(finding)


class _EmulatedCycles:
    """Adds up the cycles of the launches that it is notified of."""

    wants_advice = False

    def __init__(self) -> None:
        self.cycles = 0

    def add(self, launch: RecordedLaunch) -> None:
        self.cycles += launch.run.cycles


def _launched(operation: Operation, x: Any, y: Any, target: str) -> int | None:
    """Launch an operation; return its cycles if it is emulated."""
    if target != "emu":
        operation(x, y)
        return None
    from ttl.emu.recorder import RECORDER

    taken = _EmulatedCycles()
    with RECORDER.given((taken,)):
        operation(x, y)
    return taken.cycles


def _padded(values: torch.Tensor, parts: int) -> torch.Tensor:
    """Pad the lines of each part to whole tiles."""
    import torch

    lines = values.reshape(parts, -1, values.shape[1])
    over = -lines.shape[1] % TILE_SHAPE[0]
    return torch.nn.functional.pad(lines, (0, 0, 0, over)).reshape(-1, values.shape[1])


@cached(maxsize=64)
def _operation(
    kind: Collective,
    sizes: tuple[int, int],
    mesh: tuple[int, int],
    parts: int,
    axis: int | None,
    reduction: int,
) -> Operation:
    across = -(-sizes[1] // TILE_SHAPE[1])
    width = max(tiles for tiles in range(1, _MOST_TILES + 1) if across % tiles == 0)
    blocks = sizes[0] // TILE_SHAPE[0] // parts * (across // width)
    grid = (*mesh, min(blocks, _MOST_NODES), 1)
    match kind:
        case "all_gather":
            return make_all_gather(sizes, grid, (1, width), axis=axis)
        case "reduce_scatter":
            function = _FUNCTIONS[reduction]
            return make_reduce_scatter(sizes, grid, (1, width), axis=axis, function=function)
        case "broadcast":
            return make_broadcast(sizes, grid, (1, width), axis=axis)
