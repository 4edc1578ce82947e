"""``ttir-split-compound-layout``: one change for each ``ttir.to_layout``."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.passes import ModulePass

from tt_model.attributes.tt import TTLayoutAttr
from tt_model.layouts.enums import MemorySpace
from tt_model.layouts.layout import LayoutRecord
from tt_model.layouts.values import LayoutError
from tt_model.operations.dialects import build
from tt_model.operations.tensors import tensor_type_of
from tt_model.operations.ttir import TTIRToLayoutOp
from ttl.analysis.dominance import of_kinds
from ttl.ir.affine import map_text
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, Refused, reports_of
from ttmlir.transforms.metal.layout import in_whole_tiles, layout_of, with_layout


@dataclass(frozen=True, slots=True)
class LayoutDifference:
    """The difference between two layouts of a tensor. ``grid``: the grid, or the shape of a shard in scalars."""

    linear: bool
    grid: bool
    element: bool
    space: bool
    memory_layout: bool

    @classmethod
    def between(cls, before: LayoutRecord, after: LayoutRecord) -> LayoutDifference:
        """Compare two layouts."""
        return cls(
            linear=before.linear != after.linear,
            grid=before.grid != after.grid or before.scalar_shard_shape != after.scalar_shard_shape,
            element=before.element != after.element,
            space=before.memory_space is not after.memory_space,
            memory_layout=before.memory_layout is not after.memory_layout,
        )

    @property
    def count(self) -> int:
        """The number of changes."""
        return sum((self.linear, self.grid, self.element, self.space, self.memory_layout))


@dataclass(frozen=True)
class SplitCompoundLayout(ModulePass):
    """Split changes of layout, so that each ``ttir.to_layout`` makes one change.

    Expects: TTIR whose tensors have ``tt.layout``. Guarantees: every ``ttir.to_layout`` changes only one of these: the
    linear map, the grid, the element, the memory, or the memory layout.
    """

    name = "ttir-split-compound-layout"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        changes = of_kinds(op, TTIRToLayoutOp)
        wrong: list[tuple[TTIRToLayoutOp, Refusal]] = []
        for change in changes:
            try:
                _split(change)
            except Refused as refused:
                wrong.append((change, refused.refusal))
        if wrong:
            raise NotLegalized(reports_of(wrong, explicitly=True))


def _split(op: TTIRToLayoutOp) -> None:
    """Insert steps in front of a compound change until it is a single one; the last step keeps the destination."""
    type = tensor_type_of(op.operands[0])
    try:
        final = layout_of(tensor_type_of(op.operands[1]))
        path = _path(layout_of(type), final, type.get_shape())
    except LayoutError as problem:
        raise Refused(
            str(problem), "what works: tensors with #tt.layout, as --ttir-layout gives them"
        ) from None
    block = op.parent
    assert block is not None
    for layout in path:
        wanted = with_layout(type, layout)
        empty = EmptyOp([], wanted)
        empty.location = op.location
        step = build("ttir.to_layout", [op.operands[0], empty.tensor], [wanted], location=op.location)
        block.insert_op_before(empty, op)
        block.insert_op_before(step, op)
        op.operands[0] = step.result


def _path(before: LayoutRecord, after: LayoutRecord, shape: tuple[int, ...]) -> list[LayoutRecord]:
    """Return the layouts between two layouts; each differs from the next by one change."""
    if LayoutDifference.between(before, after).count <= 1:
        # A core moves data from or to its own memory: a change from DRAM to DRAM goes through L1.
        if before.memory_space is after.memory_space is MemorySpace.DeviceDRAM:
            middle = before.with_memory_space(MemorySpace.DeviceL1)
            return [middle, *_path(middle, after, shape)]
        return []
    middle = _between(before, after, shape)
    if middle in (before, after):
        raise Refused(
            f"from {_text(before)} to {_text(after)} is not a sequence of changes of one kind",
            "what works: layouts that differ in their linear map, grid, element, memory or memory layout",
        )
    return [*_path(before, middle, shape), middle, *_path(middle, after, shape)]


def _between(before: LayoutRecord, after: LayoutRecord, shape: tuple[int, ...]) -> LayoutRecord:
    change = LayoutDifference.between(before, after)
    l1 = MemorySpace.DeviceL1
    if before.memory_space is not l1:
        return before.with_memory_space(l1)
    if after.memory_space is not l1:
        return after.with_memory_space(l1)
    if before.is_tiled != after.is_tiled:
        # Shards are tilized and untilized in place, so they must have whole tiles.
        if before.is_tiled:
            whole = in_whole_tiles(after)
            return whole if whole != after else after.with_element(before.element)
        whole = in_whole_tiles(before)
        return whole if whole != before else before.with_element(after.element)
    if change.linear and before.is_tiled:
        return before.with_element(before.scalar_type)
    if change.grid:
        if change.linear:
            raise Refused(
                f"it changes the linear map {map_text(before.linear)} and the grid at once",
                "what works: one after the other",
            )
        if change.element:
            return before.with_element(after.element)
        return after.with_grid(shape, before.grid.shape)
    if change.memory_layout:
        return before.with_memory_layout(after.memory_layout)
    raise Refused(
        f"from {_text(before)} to {_text(after)} is not a sequence of changes of one kind",
        "what works: layouts that differ in their linear map, grid, element, memory or memory layout",
    )


def _text(layout: LayoutRecord) -> str:
    return str(TTLayoutAttr(layout))
