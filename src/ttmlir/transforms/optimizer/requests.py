"""Resolution of the user's overrides, which name operations, to operations and layouts; impossible ones are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from xdsl.dialects.builtin import ModuleOp, NameLoc, TensorType
from xdsl.ir import Operation, OpResult

from tt_model.layouts.elements import host_type_of, tile_of
from tt_model.layouts.enums import BufferType, DataType, PageLayout, TensorMemoryLayout
from tt_model.layouts.layout import TTNNLayout
from tt_model.layouts.values import LayoutError, dimensions_text
from tt_model.operations.emission import about_module
from tt_model.operations.lying import stated_layout
from tt_model.operations.operation import RowOperation
from tt_model.operations.tensors import shape_of
from ttl.ir.failure import NotLegalized
from ttl.ir.reports import Report, about, note_at
from ttmlir.transforms.optimizer.candidates import divides_evenly, holds_whole_tiles, tiles_of_matrix
from ttmlir.transforms.optimizer.chains import Edge
from ttmlir.transforms.optimizer.chip import TargetChip
from ttmlir.transforms.optimizer.legality import cannot_make, is_kernel, keeps_type, legal_layouts
from ttmlir.transforms.optimizer.overrides import OutputLayoutOverride
from ttmlir.transforms.optimizer.schedule import is_schedulable


def name_of(op: Operation) -> str | None:
    """The name of an operation in overrides: that of its location, if it has one."""
    return op.location.desc.data if isinstance(op.location, NameLoc) else None


@dataclass(frozen=True, slots=True)
class Requests:
    """The requested layouts of results, and the operands that shall get a new layout.

    ``left``: the operations that do not get the layout requested for their name, unlike another one of that name, with
    the reason.
    """

    layouts: Mapping[Operation, TTNNLayout]
    edges: tuple[Edge, ...]
    left: Mapping[Operation, str] = field(default_factory=dict)


def requested(
    module: ModuleOp,
    outputs: Mapping[str, OutputLayoutOverride],
    operands: Mapping[str, tuple[int, ...]],
    chip: TargetChip,
) -> Requests:
    """The requests of a user for a module. Raises ``NotLegalized`` with a report for every impossible request."""
    named: dict[str, list[Operation]] = {}
    for op in module.walk():
        name = name_of(op)
        if name is not None:
            named.setdefault(name, []).append(op)
    reports = [_unknown(module, name, named) for name in (*outputs, *operands) if name not in named]
    layouts: dict[Operation, TTNNLayout] = {}
    left: dict[Operation, str] = {}
    edges: list[Edge] = []
    for name, override in outputs.items():
        fitting, others, refused = _of_one_name(named.get(name, ()), override, chip)
        layouts |= fitting
        left |= others
        reports += refused
    for name, positions in operands.items():
        for op in _wanted(named.get(name, ())):
            for position in positions:
                problem = _no_operand(op, name, position)
                if problem is not None:
                    reports.append(problem)
                else:
                    edges.append((op, position))
    if reports:
        raise NotLegalized(reports)
    return Requests(layouts, tuple(edges), left)


def _of_one_name(
    operations: Sequence[Operation], override: OutputLayoutOverride, chip: TargetChip
) -> tuple[dict[Operation, TTNNLayout], dict[Operation, str], list[Report]]:
    """Return which operations of a name get a layout, why the others do not, and errors if no operation does.

    Operations that replace a single one share its name, such as transposes, reshapes and the convolution between them.
    The layout goes to those that can have it; if some of these have its data type already, only to them.
    """
    tried = {op: _overridden(op, override, chip) for op in _wanted(operations)}
    fitting = {op: layout for op, layout in tried.items() if not isinstance(layout, Report)}
    refused = [(op, report) for op, report in tried.items() if isinstance(report, Report)]
    if not fitting:
        return {}, {}, [report for _, report in refused]
    others = {op: report.message for op, report in refused}
    same = {op: layout for op, layout in fitting.items() if _data_type_of(op) == layout.data_type}
    if same and len(same) < len(fitting):
        others |= {op: f"its elements are {_data_type_of(op).keyword}" for op in fitting.keys() - same.keys()}
        fitting = same
    return fitting, others, []


def _data_type_of(op: Operation) -> DataType:
    layout = stated_layout(op.results[0])
    assert layout is not None
    return layout.data_type


def _wanted(operations: Sequence[Operation]) -> list[Operation]:
    """The operations of a name that have layouts, except destinations, which follow the operation that writes."""
    return [op for op in operations if is_schedulable(op) and stated_layout(op.results[0]) is not None]


def _unknown(module: ModuleOp, name: str, named: Mapping[str, Sequence[Operation]]) -> Report:
    close = get_close_matches(name, named, 3)
    names = ", ".join(close or sorted(named)[:8])
    hint = (
        f'operations are named by their locations, loc("name"); {"close are" if close else "there are"} {names}'
        if named
        else 'no operation of the module has a name: give its location one, loc("name")'
    )
    return about_module(module, f"Trying to override non-existing op {name}", hint)


def _no_operand(op: Operation, name: str, position: int) -> Report | None:
    inits = set(op.inits) if isinstance(op, RowOperation) else set()
    tensors = [
        index
        for index, value in enumerate(op.operands)
        if isinstance(value.type, TensorType) and value not in inits
    ]
    if position not in tensors:
        what = ", ".join(map(str, tensors)) or "none"
        return about(
            op,
            f"insert-memreconfig={name}={position}: '{op.name}' op has no tensor as operand {position} to read; it has {what}",
        )
    if not isinstance(op.operands[position], OpResult):
        return about(
            op,
            f"insert-memreconfig={name}={position}: operand {position} of '{op.name}' op is an argument, which lies on the host",
        )
    return None


# Layouts


def override_text(layout: TTNNLayout) -> str:
    """A layout as ``override-output-layout`` spells it: ``2x2:l1:block_sharded:tile:bf16``."""
    page = PageLayout.Tile if layout.is_tiled else PageLayout.RowMajor
    words = (layout.buffer_type.keyword, layout.memory_layout.keyword, page.keyword, layout.data_type.keyword)
    return ":".join((dimensions_text(layout.grid.shape), *words))


def overridden(
    current: TTNNLayout, shape: tuple[int, ...], override: OutputLayoutOverride, chip: TargetChip
) -> TTNNLayout:
    """A layout with the changes of an override. Raises ``LayoutError`` if there is no such layout."""
    data_type = DataType.from_keyword(override.data_type)
    scalar = host_type_of(data_type)
    element = tile_of(scalar) if override.page_layout == "tile" else scalar
    grid = override.grid if len(override.grid) > 2 else chip.of_rank(*override.grid)
    if len(grid) != chip.device.worker_grid.rank:
        raise LayoutError(
            f"the device has a grid of {chip.device.worker_grid.rank} dimensions, and {dimensions_text(grid)} has {len(grid)}"
        )
    layout = current.with_grid(shape, grid)
    layout = layout.with_buffer_type(BufferType.from_keyword(override.buffer_type))
    layout = layout.with_memory_layout(TensorMemoryLayout.from_keyword(override.memory_layout))
    return layout.with_element(element)


def _overridden(op: Operation, override: OutputLayoutOverride, chip: TargetChip) -> TTNNLayout | Report:
    current, shape = stated_layout(op.results[0]), shape_of(op.results[0])
    assert current is not None
    try:
        layout = overridden(current, shape, override, chip)
        problem = _impossible(op, current, layout, shape, chip)
    except LayoutError as wrong:
        layout, problem = current, str(wrong)
    if problem is None:
        return layout
    return about(
        op,
        f"override-output-layout={name_of(op)}={override_text_of(override)}: {problem}",
        note_at(op.location, _choices(op, chip)),
    )


def override_text_of(override: OutputLayoutOverride) -> str:
    """An override as it was written."""
    return ":".join(
        (
            dimensions_text(override.grid),
            override.buffer_type,
            override.memory_layout,
            override.page_layout,
            override.data_type,
        )
    )


def _impossible(
    op: Operation, current: TTNNLayout, layout: TTNNLayout, shape: tuple[int, ...], chip: TargetChip
) -> str | None:
    """Return why a result cannot have a layout; None if it can."""
    if is_kernel(op):
        return f"{op.name} has kernels that were written for its own layouts"
    if current.buffer_type.is_host:
        return f"this {op.name} runs on the host, and its result is there"
    if layout.buffer_type not in (BufferType.DRAM, BufferType.L1):
        return f"a result must be in dram or l1, not in {layout.buffer_type.keyword}"
    if layout.data_type != current.data_type and not (
        isinstance(op, RowOperation) and op.ROW.result_type_is_free
    ):
        return f"{op.name} returns {current.data_type.keyword}, the data type of its operand, not {layout.data_type.keyword}"
    if keeps_type(op) and layout.is_tiled != current.is_tiled:
        return f"{op.name} keeps the form of its operand's pages"
    if not layout.memory_layout.is_sharded:
        if layout.memory_layout is not TensorMemoryLayout.Interleaved:
            return (
                f"a result on the device must be interleaved or sharded, not {layout.memory_layout.keyword}"
            )
        if not chip.has_cores_for(layout.grid.shape):
            return f"the chip has {chip.rows}x{chip.columns} cores"
        return None
    return _impossible_shards(op, layout, shape, chip)


def _impossible_shards(
    op: Operation, layout: TTNNLayout, shape: tuple[int, ...], chip: TargetChip
) -> str | None:
    if layout.buffer_type is not BufferType.L1:
        return "shards are in l1"
    if not layout.is_tiled:
        return "shards must have whole tiles: use tile"
    grid = layout.grid.shape
    if not chip.has_cores_for(grid):
        return f"{dimensions_text(grid)} shards are not a rectangle of {chip.rows}x{chip.columns} cores"
    if layout.memory_layout is TensorMemoryLayout.HeightSharded and grid[-1] != 1:
        return f"height_sharded has one column of shards, not {grid[-1]}"
    if layout.memory_layout is TensorMemoryLayout.WidthSharded and grid[-2] != 1:
        return f"width_sharded has one row of shards, not {grid[-2]}"
    if not holds_whole_tiles(shape):
        return f"the matrices of {dimensions_text(shape)} are each padded to whole tiles, and shards do not begin at their borders"
    if not divides_evenly(shape, layout):
        tiles = dimensions_text(tiles_of_matrix(shape))
        return f"{tiles} tiles do not divide into {dimensions_text(grid[-2:])} shards of whole tiles"
    size = layout.shard_bytes
    if size > chip.program_l1:
        return f"a shard of {size:,} bytes does not fit into the {chip.program_l1:,} of a core"
    return cannot_make(op, layout)


def _choices(op: Operation, chip: TargetChip) -> str:
    texts = [override_text(layout) for layout in legal_layouts(op, chip, 8)]
    return f"what works here: {', '.join(texts)}"
