"""``ttir-layout``: every tensor gets a ``tt.layout``; ``ttir.to_layout`` converts operands to the layouts of users."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tt_model.attributes.tt import DeviceAttr, TTLayoutAttr
from tt_model.layouts.elements import TILE_SHAPE, tile_of
from tt_model.layouts.enums import (
    MEMORY_LAYOUT_BITS,
    MemorySpace,
    OperandConstraint,
    TensorMemoryLayout,
)
from tt_model.layouts.layout import LayoutRecord
from tt_model.layouts.values import LayoutError, ceil_div
from tt_model.operations.dialects import build
from tt_model.operations.emission import about_module
from tt_model.operations.operation import RowOperation
from tt_model.operations.tensors import Tensor, types_of_function
from tt_model.operations.ttir import (
    ConstrainedOp,
    TTIRConstantOp,
    TTIRGenericOp,
    TTIRKernelOp,
    TTIRToLayoutOp,
)
from ttl.analysis.dominance import of_kinds
from ttl.ir.failure import NotLegalized
from ttl.ir.reports import Report, about, note_at
from ttl.ir.rewriting import convert_type, convert_types_of

DEVICE = "tt.device"
_SPACES = {space.keyword: space for space in MemorySpace}
_MEMORY_LAYOUTS = {layout.keyword: layout for layout in TensorMemoryLayout}
_SPACE_BITS = {
    MemorySpace.DeviceDRAM: OperandConstraint.DRAM,
    MemorySpace.DeviceL1: OperandConstraint.L1,
    MemorySpace.System: OperandConstraint.System,
}


@dataclass(frozen=True)
class TTIRLayout(ModulePass):
    """Give every tensor a ``tt.layout``.

    Expects: a module with ``tt.device``, and TTIR in which every operation of destination style has
    ``operand_constraints``. Guarantees: every tensor outside of ``ttir.generic`` has a layout; every operand satisfies
    its constraint, by a ``ttir.to_layout`` right before the operation, or by a new ``tensor.empty`` or
    ``ttir.constant``. If functions take tensors on the device, the shards of these have whole tiles. Options: the
    memory of the tensors of functions; the memory of operands if their constraints allow it; their memory layout on the
    device.
    """

    name = "ttir-layout"
    init_memory_space: str = MemorySpace.System.keyword
    default_memory_space: str = MemorySpace.DeviceDRAM.keyword
    default_device_memory_layout: str = TensorMemoryLayout.Interleaved.keyword

    def __post_init__(self) -> None:
        for option, given, known in (
            ("init-memory-space", self.init_memory_space, _SPACES),
            ("default-memory-space", self.default_memory_space, _SPACES),
            ("default-device-memory-layout", self.default_device_memory_layout, _MEMORY_LAYOUTS),
        ):
            if given not in known:
                raise ValueError(f"{option} is one of {', '.join(known)}, not {given}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        device = op.attributes.get(DEVICE)
        if not isinstance(device, DeviceAttr):
            way_out = (
                "run --ttir-load-system-desc and --ttir-implicit-device before --ttir-layout, or the whole "
                "--ttir-to-ttmetal-backend-pipeline"
            )
            raise NotLegalized([about_module(op, f"'builtin.module' op has no {DEVICE}", way_out)])
        rules = _Rules(self, (1,) * device.data.worker_grid.rank)
        if reports := list(_problems(op, rules)):
            raise NotLegalized(reports)
        _lay_out(op, rules)
        _OperandPlacement(op, rules).run()


class _Rules:
    """The layout that a tensor gets."""

    def __init__(self, options: TTIRLayout, grid: tuple[int, ...]) -> None:
        self._grid = grid
        self._init = _SPACES[options.init_memory_space]
        self._default = _SPACES[options.default_memory_space]
        self._memory_layout = _MEMORY_LAYOUTS[options.default_device_memory_layout]

    def initial(self, type: Attribute) -> Attribute:
        """Return the type of a tensor without a layout with its first one, other types unchanged.

        Raises ``LayoutError``.
        """
        if not isinstance(type, TensorType) or not isinstance(type.encoding, NoneAttr):
            return type
        shape = type.get_shape()
        if any(extent < 0 for extent in shape):
            raise LayoutError("its shape is not known, and layouts need one: give every dimension a size")
        on_host = self._init.is_host
        memory_layout = TensorMemoryLayout.None_ if on_host else self._memory_layout
        layout = LayoutRecord.make(shape, type.element_type, self._init, self._grid, memory_layout)
        if not on_host:
            layout = in_whole_tiles(layout)
        return with_layout(type, layout)

    def wanted(self, type: Tensor, constraint: OperandConstraint) -> Tensor | None:
        """The type that a constraint requires; None if the tensor has it already. Raises ``LayoutError``."""
        layout = layout_of(type)
        space = self._space(constraint)
        memory_layout = self._spread(constraint, space)
        element = layout.scalar_type if OperandConstraint.Scalar in constraint else tile_of(layout.element)
        if (layout.memory_space, layout.element, layout.memory_layout) == (space, element, memory_layout):
            return None
        changed = layout.with_element(element).with_memory_space(space).with_memory_layout(memory_layout)
        return with_layout(type, changed)

    def _space(self, constraint: OperandConstraint) -> MemorySpace:
        for space in (self._default, MemorySpace.DeviceDRAM, MemorySpace.DeviceL1):
            if _SPACE_BITS.get(space, OperandConstraint(0)) & constraint:
                return space
        return MemorySpace.System

    def _spread(self, constraint: OperandConstraint, space: MemorySpace) -> TensorMemoryLayout:
        if space.is_host or self._memory_layout is TensorMemoryLayout.None_:
            return TensorMemoryLayout.None_
        allowed = [layout for bit, layout in MEMORY_LAYOUT_BITS if bit in constraint]
        if self._memory_layout in allowed:
            return self._memory_layout
        return allowed[0] if allowed else TensorMemoryLayout.None_


def in_whole_tiles(layout: LayoutRecord) -> LayoutRecord:
    """Return a layout of rows whose shards have extents of whole tiles, so that each shard can be tilized in place."""
    shard = layout.scalar_shard_shape
    if layout.is_tiled or len(shard) < 2:
        return layout
    rows, columns = (ceil_div(extent, of_tile) * of_tile for extent, of_tile in zip(shard[-2:], TILE_SHAPE))
    return layout.with_shard_shape((*shard[:-2], rows, columns))


def with_layout(type: Tensor, layout: LayoutRecord) -> Tensor:
    """Return the type of the same tensor in a layout."""
    return TensorType(type.element_type, type.shape, TTLayoutAttr(layout))


def layout_of(type: Attribute) -> LayoutRecord:
    """The layout in the type of a tensor. Raises ``LayoutError`` if it has no layout, or one of another kind."""
    encoding = type.encoding if isinstance(type, TensorType) else None
    if not isinstance(encoding, TTLayoutAttr):
        raise LayoutError(f"its layout is {encoding}, which is not a #tt.layout")
    return encoding.data


def _constraints_of(op: RowOperation) -> tuple[OperandConstraint, ...]:
    given = op.operand_constraints if isinstance(op, ConstrainedOp) else None
    return tuple(item.data for item in given or ())


def _positions(op: RowOperation) -> range:
    """The positions of the operands to which the pass gives layouts."""
    if op.ROW.layout == "none" or op.ROW.inits is None or isinstance(op, TTIRKernelOp):
        return range(0)
    if op.ROW.layout == "inits":
        return range(*op.init_bounds)
    return range(len(op.operands))


def _outside(module: ModuleOp) -> Iterator[Operation]:
    """The operations that are not in the region of a generic."""
    waiting = list(reversed(list(module.ops)))
    while waiting:
        op = waiting.pop()
        yield op
        if not isinstance(op, TTIRGenericOp):
            inner = [one for region in op.regions for block in region.blocks for one in block.ops]
            waiting.extend(reversed(inner))


# Refusals


def _problems(module: ModuleOp, rules: _Rules) -> Iterator[Report]:
    for op in _outside(module):
        values = [*op.results]
        if not isinstance(op, TTIRGenericOp):
            values += [
                argument for region in op.regions for block in region.blocks for argument in block.args
            ]
        wrong = next((text for value in values if (text := _problem(value.type, rules))), None)
        if wrong is not None:
            yield about(op, wrong)
            continue
        if not isinstance(op, RowOperation) or not (positions := _positions(op)):
            continue
        constraints = _constraints_of(op)
        if len(constraints) < len(op.operands):
            yield about(
                op,
                f"'{op.name}' op has {len(op.operands)} operands, destinations included, and {len(constraints)} "
                "operand_constraints",
                note_at(
                    op.location,
                    "give one constraint for each operand, such as #tt.operand_constraint<any_device>",
                ),
            )
            continue
        for position in positions:
            try:
                type = rules.initial(op.operands[position].type)
                if isinstance(type, TensorType):
                    rules.wanted(type, constraints[position])
            except LayoutError as problem:
                type = op.operands[position].type
                yield about(
                    op, f"'{op.name}' op operand #{position} of type '{type}' cannot get a layout: {problem}"
                )
                break


def _problem(type: Attribute, rules: _Rules) -> str | None:
    try:
        rules.initial(type)
    except LayoutError as problem:
        return f"a value of type '{type}' has no layout: {problem}"
    return None


# Layouts for all


def _lay_out(module: ModuleOp, rules: _Rules) -> None:
    for op in list(_outside(module)):
        if not isinstance(op, TTIRGenericOp):
            convert_types_of(op, rules.initial)
            continue
        for result in op.results:
            convert_type(result, rules.initial)


# Layouts that operations need


class _OperandPlacement:
    """Gives the operands of operations their layouts, in program order."""

    def __init__(self, module: ModuleOp, rules: _Rules) -> None:
        self._module = module
        self._rules = rules
        self._functions = {op.sym_name.data: op for op in of_kinds(module, FuncOp)}

    def run(self) -> None:
        for op in list(_outside(self._module)):
            match op:
                case RowOperation() if _positions(op):
                    self._place(op)
                case TTIRToLayoutOp() if not self._is_own(op.operands[1]):
                    type = op.operands[1].type
                    assert isinstance(type, TensorType)
                    self._own_empty(op, 1, type)
                case ReturnOp() | CallOp():
                    self._match(op, types_of_function(op, self._functions))

    def _match(self, op: Operation, types: tuple[Attribute, ...]) -> None:
        for position, type in enumerate(types):
            if isinstance(type, TensorType) and op.operands[position].type != type:
                self._give(op, position, type, op.location)

    def _place(self, op: RowOperation) -> None:
        assert op.ROW.inits is not None
        constraints = _constraints_of(op)
        start, end = op.init_bounds
        for position in _positions(op):
            type = op.operands[position].type
            if not isinstance(type, TensorType):
                continue
            wanted = self._rules.wanted(type, constraints[position])
            is_init = start <= position < end
            if is_init and (wanted is not None or not self._is_own(op.operands[position])):
                self._own_empty(op, position, wanted or type)
            elif wanted is not None:
                self._give(op, position, wanted, _named(op.location, position))
        for index, result in enumerate(op.results):
            destination = op.operands[start + index].type
            if result.type != destination:
                Rewriter.replace_value_with_new_type(result, destination)

    def _is_own(self, value: SSAValue) -> bool:
        """Return whether a destination may be written to: it has no other use."""
        return isinstance(value.owner, EmptyOp) and value.has_one_use()

    def _give(self, op: Operation, position: int, type: Tensor, place: LocationAttr) -> None:
        """Give one operand another layout."""
        value = op.operands[position]
        owner = value.owner
        if isinstance(owner, EmptyOp):
            self._own_empty(op, position, type)
            return
        if isinstance(owner, TTIRConstantOp):
            copy = build("ttir.constant", [], [type], {"value": owner.value}, location=owner.location)
            _insert_before(op, copy)
            op.operands[position] = copy.result
            if value.first_use is None:
                Rewriter.erase_op(owner)
            return
        empty = EmptyOp([], type)
        empty.location = place
        changed = build("ttir.to_layout", [value, empty.tensor], [type], location=place)
        _insert_before(op, empty)
        _insert_before(op, changed)
        op.operands[position] = changed.result

    def _own_empty(self, op: Operation, position: int, type: Tensor) -> None:
        """Replace an operand by a ``tensor.empty`` for this use alone."""
        old = op.operands[position].owner
        empty = EmptyOp([], type)
        empty.location = old.location if isinstance(old, EmptyOp) else op.location
        _insert_before(op, empty)
        op.operands[position] = empty.tensor
        if isinstance(old, EmptyOp) and old.tensor.first_use is None:
            Rewriter.erase_op(old)


def _named(place: LocationAttr, position: int) -> LocationAttr:
    """The location of a change of layout, named by the operation and its operand."""
    if not isinstance(place, NameLoc):
        return place
    return NameLoc(StringAttr(f"{place.desc.data}_in_{position}_layout"), place.location)


def _insert_before(op: Operation, new: Operation) -> None:
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
