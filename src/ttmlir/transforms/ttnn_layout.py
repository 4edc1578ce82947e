"""``ttnn-layout``: every tensor gets a layout, and ``ttir.to_layout`` converts operands to layouts that users need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    FunctionType,
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

from tt_model.attributes.tt import DeviceAttr
from tt_model.attributes.ttnn import TTNNLayoutAttr
from tt_model.layouts.elements import data_type_of, tile_of
from tt_model.layouts.enums import BufferType, OperandConstraint, TensorMemoryLayout
from tt_model.layouts.layout import TTNNLayout
from tt_model.layouts.values import LayoutError
from tt_model.operations.constants import written_arguments
from tt_model.operations.dialects import build
from tt_model.operations.emission import about_module
from tt_model.operations.explanation import EXPLANATION, why
from tt_model.operations.operation import RowOperation, TTIROperation
from tt_model.operations.tensors import Tensor, location_of, types_of_function
from tt_model.operations.ttir import ConstrainedOp, TTIRClampOp, TTIRConstantOp, TTIRConv2dOp
from ttl.analysis.dominance import of_kinds
from ttl.ir.failure import NotLegalized
from ttl.ir.locations import first_span
from ttl.ir.reports import Report, about, note_at
from ttl.ir.rewriting import convert_types_of
from ttmlir.transforms.greedy import settle

DEVICE = "tt.device"


@dataclass(frozen=True)
class TTNNLayoutPass(ModulePass):
    """Give tensors layouts: on the host first, then on the device if an operation needs its operands there.

    Expects: a module with ``tt.device``, and TTIR in which every operation of destination style has
    ``operand_constraints``, one for each operand. Guarantees: every tensor has a ``ttnn_layout``; every operand
    satisfies its constraint, by a ``ttir.to_layout`` right before the operation, or by a new ``tensor.empty`` or
    ``ttir.constant``; results have the type of their destination; functions take and return tensors on the host, except
    for arguments that they update on a single chip. A device operand is in DRAM if its constraint allows that, else in
    L1; interleaved if allowed; in 32x32 tiles unless scalars are allowed.
    """

    name = "ttnn-layout"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        device = op.attributes.get(DEVICE)
        if not isinstance(device, DeviceAttr):
            raise NotLegalized([_no_device(op, device)])
        types = _LaidOutTypes((1,) * device.data.worker_grid.rank)
        if reports := list(_problems(op, types)):
            raise NotLegalized(reports)
        settle(op)
        if len(device.data.chip_ids) == 1:
            _written_onto_device(op, types)
        _onto_host(op, types)
        settle(op)
        _Placement(op, types).run()
        settle(op)

    def foresees(self, module: ModuleOp) -> list[Report]:
        """Return the refusals that the pass would raise."""
        return list(_problems(module, _LaidOutTypes((1, 1))))


def _no_device(module: ModuleOp, device: Attribute | None) -> Report:
    what = f"has no {DEVICE}" if device is None else f"has a {DEVICE} that is not a #tt.device, but {device}"
    return about_module(
        module,
        f"'builtin.module' op {what}",
        "run --ttir-load-system-desc and --ttir-implicit-device before --ttnn-layout, or the whole "
        "--ttir-to-ttnn-backend-pipeline",
    )


class _LaidOutTypes:
    """Types with layouts, by types without a layout and by constraints. Equal types are one object."""

    def __init__(self, grid: tuple[int, ...]) -> None:
        self._grid = grid
        self._host: dict[Attribute, Attribute] = {}
        self._wanted: dict[tuple[Attribute, OperandConstraint], Tensor | None] = {}
        self._layouts: dict[TTNNLayout, TTNNLayoutAttr] = {}

    def on_host(self, type: Attribute) -> Attribute:
        """Return a tensor type without a layout with that of the host: row-major, unsharded. Raises ``LayoutError``."""
        known = self._host.get(type)
        if known is None:
            known = self._host[type] = self._host_type(type)
        return known

    def _host_type(self, type: Attribute) -> Attribute:
        if not isinstance(type, TensorType) or not isinstance(type.encoding, NoneAttr):
            return type
        shape = type.get_shape()
        if any(extent < 0 for extent in shape):
            raise LayoutError("its shape is not known, and layouts need one: give every dimension a size")
        return self._with_layout(type, TTNNLayout.make(shape, type.element_type, grid_shape=self._grid))

    def on_device(self, type: Attribute) -> Tensor | None:
        """The type of the tensor in tiles in DRAM; None if it has a layout, is not a tensor, or cannot be tiled."""
        host = self.on_host(type)
        if host == type or not isinstance(host, TensorType):
            return None
        try:
            return self.wanted(host, OperandConstraint.AnyDeviceTile)
        except LayoutError:
            return None

    def problem(self, type: Attribute, constraint: OperandConstraint | None = None) -> str | None:
        """Return why a type cannot get a layout, that of the constraint if there is one; None if it can."""
        try:
            host = self.on_host(type)
            if constraint is not None and isinstance(host, TensorType):
                self.wanted(host, constraint)
        except LayoutError as problem:
            return str(problem)
        return None

    def wanted(self, type: Tensor, constraint: OperandConstraint) -> Tensor | None:
        """The type that a constraint requires; None if the tensor has it already. Raises ``LayoutError``."""
        key = (type, constraint)
        if key not in self._wanted:
            self._wanted[key] = self._wanted_type(type, constraint)
        return self._wanted[key]

    def _wanted_type(self, type: Tensor, constraint: OperandConstraint) -> Tensor | None:
        layout = layout_of(type)
        buffer_type, memory_layout = constraint.buffer_type, constraint.memory_layout
        element: object = type.element_type
        if not buffer_type.is_host:
            data_type_of(type.element_type)  # raises for element types that no chip has, tiled or not
        if constraint.is_tiled:
            element = tile_of(type.element_type)
        if (layout.buffer_type, layout.element, layout.memory_layout) == (
            buffer_type,
            element,
            memory_layout,
        ):
            return None
        return self._with_layout(
            type,
            TTNNLayout.make(type.get_shape(), element, buffer_type, layout.grid.shape, memory_layout),  # type: ignore[arg-type]
        )

    def _with_layout(self, type: Tensor, layout: TTNNLayout) -> Tensor:
        encoding = self._layouts.get(layout)
        if encoding is None:
            encoding = self._layouts[layout] = TTNNLayoutAttr(layout)
        return TensorType(type.element_type, type.shape, encoding)


def layout_of(type: Tensor) -> TTNNLayout:
    """The layout in the type of a tensor. Raises ``LayoutError`` if its encoding is not a TTNN layout."""
    encoding = type.encoding
    if not isinstance(encoding, TTNNLayoutAttr):
        raise LayoutError(f"its layout is {encoding}, which is not a #ttnn.ttnn_layout")
    return encoding.data


def constraints_of(op: RowOperation) -> tuple[OperandConstraint, ...]:
    """Return the constraints of an operation on its operands."""
    if not isinstance(op, ConstrainedOp):
        return ()
    constraints = op.operand_constraints
    if constraints is None:
        return (OperandConstraint.AnyDeviceTile,) * len(op.operands)
    given = tuple(item.data for item in constraints)
    return tuple(map(_for_a_kernel, given)) if op.ROW.inits_by_results else given


def _for_a_kernel(constraint: OperandConstraint) -> OperandConstraint:
    """Return the constraint for a kernel of TT-Lang: tiles if allowed, else scalars, which are refused later."""
    if OperandConstraint.Tile in constraint:
        return constraint & ~OperandConstraint.Scalar
    return constraint


def _no_operand_of_a_kernel(constraint: OperandConstraint) -> str | None:
    """Return why a kernel of TT-Lang cannot have an operand with a constraint, and which one works; None if it can."""
    if constraint.memory_space.is_host:
        return "kernels run on the device: use dram or l1"
    if not constraint.is_tiled:
        return "kernels of TT-Lang take tensors in tiles: use tile"
    layout, sharded = constraint.memory_layout, constraint.memory_layout.name.endswith("Sharded")
    if constraint.buffer_type is BufferType.DRAM and layout is not TensorMemoryLayout.Interleaved:
        advice = f"; shards are in l1: l1|tile|{layout.keyword}" if sharded else ""
        return f"in dram, tensors must be interleaved, not {layout.keyword}: dram|tile|interleaved{advice}"
    if layout is not TensorMemoryLayout.Interleaved and not sharded:
        return f"in l1, tensors must be interleaved or sharded, not {layout.keyword}: l1|tile|interleaved"
    return None


def _operands_to_place(op: RowOperation) -> range:
    """The positions of the operands to which the pass gives layouts."""
    if op.ROW.layout == "none" or op.ROW.inits is None:
        return range(0)
    if op.ROW.layout == "inits":
        return range(*op.init_bounds)
    return range(len(op.operands))


# Refusals


def _problems(module: ModuleOp, types: _LaidOutTypes) -> Iterator[Report]:
    for op in module.walk():
        wrong = _wrong_type(op, types)
        if wrong is not None:
            yield wrong
        elif isinstance(op, RowOperation) and op.ROW.inits is not None:
            yield from _wrong_operands(op, types)


def _wrong_type(op: Operation, types: _LaidOutTypes) -> Report | None:
    """Return the report of the first value that an operation defines and that cannot have a layout."""
    if isinstance(op, EmptyOp) and op.tensor.first_use is not None:
        return None  # the operation that writes to it reports it
    for index, result in enumerate(op.results):
        if (problem := types.problem(result.type)) is not None:
            return about(
                op, f"'{op.name}' op result #{index} of type '{result.type}' has no layout: {problem}"
            )
    for region in op.regions:
        for block in region.blocks:
            for index, argument in enumerate(block.args):
                if (problem := types.problem(argument.type)) is not None:
                    text = (
                        f"'{op.name}' op argument #{index} of type '{argument.type}' has no layout: {problem}"
                    )
                    return Report(message=text, span=first_span(location_of(argument)))
    return None


def _wrong_operands(op: RowOperation, types: _LaidOutTypes) -> Iterator[Report]:
    if not isinstance(op, TTIROperation):
        yield about(
            op,
            f"'{op.name}' op is not of TTIR, and layouts are given to TTIR only",
            note_at(
                op.location, "run --ttnn-layout before --convert-ttir-to-ttnn, on a module that is all TTIR"
            ),
        )
        return
    positions = _operands_to_place(op)
    constraints = constraints_of(op)
    if positions and len(constraints) < len(op.operands):
        yield about(
            op,
            f"'{op.name}' op has {len(op.operands)} operands, destinations included, and {len(constraints)} "
            "operand_constraints",
            note_at(
                op.location,
                "give one constraint for each operand, such as #tt.operand_constraint<any_device>",
            ),
        )
        return
    wrong: dict[tuple[Attribute, str], list[int]] = {}
    for position in positions:
        type = op.operands[position].type
        if not isinstance(type, TensorType):
            continue
        text = types.problem(type, constraints[position])
        if text is None and op.ROW.inits_by_results:
            text = _no_operand_of_a_kernel(constraints[position])
        if text is not None:
            wrong.setdefault((type, text), []).append(position)
    for (type, text), places in wrong.items():
        which = f"operand{'s' if len(places) > 1 else ''} {', '.join(f'#{position}' for position in places)}"
        yield about(op, f"'{op.name}' op {which} of type '{type}' cannot get a layout: {text}")


# Destinations of a function, and the host


def _written_onto_device(module: ModuleOp, types: _LaidOutTypes) -> None:
    """Put arguments that a function updates, and the results with their new values, on the device."""
    for function in module.walk():
        if not isinstance(function, FuncOp) or not function.body.blocks:
            continue
        inputs, outputs = list(function.function_type.inputs), list(function.function_type.outputs)
        for index, result in written_arguments(function).items():
            wanted = types.on_device(inputs[index])
            if wanted is not None and inputs[index] == outputs[result]:
                inputs[index] = outputs[result] = wanted
                Rewriter.replace_value_with_new_type(function.body.block.args[index], wanted)
        function.function_type = FunctionType.from_lists(inputs, outputs)


def _onto_host(module: ModuleOp, types: _LaidOutTypes) -> None:
    """Put every tensor without a layout on the host."""
    for op in module.walk():
        convert_types_of(op, types.on_host)


# The device


class _Placement:
    """Gives the operands of operations their layouts, in program order."""

    def __init__(self, module: ModuleOp, types: _LaidOutTypes) -> None:
        self._module = module
        self._types = types
        self._functions = {op.sym_name.data: op for op in of_kinds(module, FuncOp)}
        # Constants that the pass built, by the original constant and by their type.
        self._constants: dict[tuple[Operation, Attribute], SSAValue] = {}
        self._origins: dict[Operation, Operation] = {}
        self._names: dict[tuple[LocationAttr, int], LocationAttr] = {}
        self._explanation = EXPLANATION.get()

    def run(self) -> None:
        for op in list(self._module.walk()):
            match op:
                case RowOperation() if op.ROW.inits is not None:
                    self._place_operands(op)
                case ReturnOp() | CallOp():
                    self._match(op, types_of_function(op, self._functions))

    def _match(self, op: Operation, types: tuple[Attribute, ...]) -> None:
        """Give the operands of a return or a call the types of the function."""
        for position, type in enumerate(types):
            if isinstance(type, TensorType) and op.operands[position].type != type:
                self._give(op, position, type, op.location)
                if self._explanation is not None:
                    reason = f"ttnn-layout: operand #{position} of {op.name}: functions take and return tensors on the host"
                    self._explanation.because(op.operands[position], reason)

    def _place_operands(self, op: RowOperation) -> None:
        assert op.ROW.inits is not None
        positions = _operands_to_place(op)
        constraints = constraints_of(op)
        start, end = op.init_bounds
        reasons: list[tuple[int, str]] = []
        for position in positions:
            type = op.operands[position].type
            if not isinstance(type, TensorType):
                continue
            wanted = self._types.wanted(type, constraints[position])
            is_destination = start <= position < end
            if wanted is not None:
                place = self._named(op.location, position)
                if is_destination and not op.ROW.updates:
                    self._give_destination(op, position, wanted, place)
                else:
                    self._give(op, position, wanted, place)
            elif is_destination and not op.ROW.updates and not op.operands[position].has_one_use():
                self._own_empty(op, position, type)
            if self._explanation is not None and (wanted is not None or is_destination):
                what = "the destination" if is_destination else f"operand #{position}"
                reason = f"ttnn-layout: {what} of {op.name} is on {why(constraints[position])}"
                self._explanation.because(op.operands[position], reason)
                if is_destination:
                    reasons.append((position - start, reason))
        if isinstance(op, TTIRConv2dOp):
            self._bring_to_host(op, TTIRConv2dOp.weight.bounds(op))
            self._bring_to_host(op, TTIRConv2dOp.bias.bounds(op))
        for index, result in enumerate(op.results):
            type = op.operands[start + index].type
            if isinstance(op, TTIRClampOp) and type != op.operands[0].type:
                self._give_result(op, index, start + index)
            elif result.type != type:
                Rewriter.replace_value_with_new_type(result, type)
        if self._explanation is not None:
            for index, reason in reasons:
                self._explanation.because(op.results[index], reason)

    def _give_result(self, op: RowOperation, index: int, destination: int) -> None:
        """Give a result the type of its operand, and convert it behind the operation to that of its destination."""
        type, wanted = op.operands[0].type, op.operands[destination].type
        assert isinstance(type, TensorType)
        elsewhere, place = op.operands[destination], self._named(op.location, destination)
        op.operands[destination] = self._empty(op, type, place)
        Rewriter.replace_value_with_new_type(op.results[index], type)
        result = op.results[index]
        uses = list(result.uses)
        changed = build("ttir.to_layout", [result, elsewhere], [wanted], location=place)
        block = op.parent
        assert block is not None
        block.insert_op_after(changed, op)
        for use in uses:
            use.operation.operands[use.index] = changed.results[0]

    def _bring_to_host(self, op: RowOperation, bounds: tuple[int, int]) -> None:
        """Move operands to the host: the library takes weights of a convolution there, also computed ones."""
        for position in range(*bounds):
            type = op.operands[position].type
            if isinstance(type, TensorType) and not layout_of(type).buffer_type.is_host:
                plain: Tensor = TensorType(type.element_type, type.get_shape())
                wanted = self._types.on_host(plain)
                assert isinstance(wanted, TensorType)
                self._give(op, position, wanted, self._named(op.location, position))

    def _give_destination(self, op: Operation, position: int, type: Tensor, place: LocationAttr) -> None:
        """Give a destination its type; its contents do not matter.

        If a change of layout would not have this type as its result, or if other operations read the tensor, a new
        tensor replaces it.
        """
        value = op.operands[position]
        if not isinstance(value.owner, EmptyOp) and (
            not value.has_one_use()
            if isinstance(value.owner, TTIRConstantOp)
            # TTNN changes layouts on the device to tiles only, so the result would not have the type of its destination.
            else _is_row_major_on_device(type)
        ):
            op.operands[position] = self._empty(op, type, place)
            return
        self._give(op, position, type, place)

    def _give(self, op: Operation, position: int, type: Tensor, place: LocationAttr) -> None:
        """Give one operand another layout."""
        value = op.operands[position]
        if isinstance(value.owner, EmptyOp):
            self._own_empty(op, position, type)
        elif isinstance(value.owner, TTIRConstantOp):
            self._constant(op, position, type, value.owner)
        else:
            empty = self._empty(op, type, place)
            changed = build("ttir.to_layout", [value, empty], [type], location=place)
            _insert_before(op, changed)
            op.operands[position] = changed.result

    def _own_empty(self, op: Operation, position: int, type: Tensor) -> None:
        """Replace an operand by a ``tensor.empty`` for this use alone."""
        old = op.operands[position].owner
        if not isinstance(old, EmptyOp):
            op.operands[position] = self._empty(op, type, op.location)
            return
        op.operands[position] = self._empty(op, type, old.location)
        if old.tensor.first_use is None:
            Rewriter.erase_op(old)

    def _constant(self, op: Operation, position: int, type: Tensor, owner: TTIRConstantOp) -> None:
        """Give a constant another layout: in all its uses, or in this one alone if an earlier use has its own."""
        origin = self._origins.get(owner, owner)
        known = self._constants.get((origin, type))
        if known is None:
            copy = build("ttir.constant", [], [type], {"value": owner.value}, location=owner.location)
            _insert_before(op, copy)
            self._origins[copy] = origin
            known = self._constants[origin, type] = copy.result
        if owner is origin:
            owner.results[0].replace_all_uses_with(known)
            Rewriter.erase_op(owner)
        else:
            op.operands[position] = known

    def _empty(self, op: Operation, type: Tensor, place: LocationAttr) -> SSAValue:
        empty = EmptyOp([], type)
        empty.location = place
        _insert_before(op, empty)
        return empty.tensor

    def _named(self, place: LocationAttr, position: int) -> LocationAttr:
        """The location of a change of layout: overrides of the optimizer name it by the operation and its operand."""
        if not isinstance(place, NameLoc):
            return place
        key = (place, position)
        known = self._names.get(key)
        if known is None:
            name = StringAttr(f"{place.desc.data}_in_{position}_layout")
            known = self._names[key] = NameLoc(name, place.location)
        return known


def _insert_before(op: Operation, new: Operation) -> None:
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)


def _is_row_major_on_device(type: Tensor) -> bool:
    layout = layout_of(type)
    return not layout.buffer_type.is_host and not layout.is_tiled
