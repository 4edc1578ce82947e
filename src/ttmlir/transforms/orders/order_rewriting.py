"""Rewrites a function in the orders of dimensions that were chosen for its operations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import LocationAttr, NameLoc
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from tt_model.operations.emission import Emission, constraints_of_tiles
from tt_model.operations.operation import RowOperation
from tt_model.operations.shared import TTIRReshapeOp
from tt_model.operations.tensors import location_of, shape_of, tensor_type_of
from tt_model.operations.ttir import TTIRConv2dOp
from ttmlir.transforms.greedy import erase_unused
from ttmlir.transforms.orders.dimension_orders import (
    TransposedFunction,
    constant_attribute,
    permuted_constant,
)
from ttmlir.transforms.orders.permutations import (
    Order,
    between,
    composed,
    cost_of,
    keeps_elements,
    permuted_attributes,
    permuted_type,
    result_order,
    steps_of,
    transposition_of,
    unchanged,
)

_CHANNELS_FIRST: Order = (0, 3, 1, 2)


def _is_convolution(value: SSAValue) -> bool:
    return isinstance(value.owner, TTIRConv2dOp)


class OrderRewriting:
    """Rewrites a function in the chosen orders."""

    def __init__(self, function: TransposedFunction) -> None:
        self._function = function
        # The values of each source so far, by their order.
        self._there: dict[SSAValue, dict[Order, SSAValue]] = {
            argument: {unchanged(len(shape_of(argument))): argument}
            for argument in function.block.args
            if argument in function.sources
        }
        self._last_at: dict[str, tuple[SSAValue, Order]] = {}
        # Reshapes whose operand another reshape reads directly.
        self._passed_over: dict[Operation, None] = {}

    def run(self) -> dict[str, Order]:
        before = self._of_locations()
        old: list[Operation] = []
        for op in list(self._function.block.ops):
            if transposition_of(op) is not None:
                old.append(op)
            elif isinstance(op, RowOperation) and op in self._function.orders:
                order = self._function.orders[op]
                if order == unchanged(len(order)):
                    self._keep(op)
                else:
                    self._permute(op, order)
                    old.append(op)
            else:
                self._keep(op)
        for op in reversed(old):
            Rewriter.erase_op(op)
        for op in reversed(self._passed_over):
            if op.results[0].first_use is None:
                Rewriter.erase_op(op)
                old.append(op)
        function = self._function.block.parent_op()
        if old and function is not None:
            erase_unused(function)  # destinations
        return self._moved(before, self._last_at)

    def _keep(self, op: Operation) -> None:
        for index, operand in enumerate(op.operands):
            if operand in self._function.place_of:
                source, order = self._function.place_of[operand]
                if isinstance(op, TTIRReshapeOp):
                    value = self._value(source, order, op, anyhow=True)
                    op.operands[index] = self._not_reshaped(value)
                else:
                    op.operands[index] = self._value(source, order, op)
        for result in op.results:
            if result in self._function.sources:
                self._is_there(result, unchanged(len(shape_of(result))), result)

    def _permute(self, op: RowOperation, order: Order) -> None:
        emission = Emission(op)
        groups: list[list[SSAValue]] = []
        for group in op.ROW.operands:
            if group.name == op.ROW.inits:
                wanted = result_order(op, order)
                groups.append([emission.empty(permuted_type(tensor_type_of(op.result), wanted))])
                continue
            groups.append([self._operand(operand, op, order, emission) for operand in op.operands_of(group)])
        new = emission.make(
            op.name,
            groups,
            permuted_type(tensor_type_of(op.result), result_order(op, order)),
            **permuted_attributes(op, order),
        )
        assert isinstance(new.owner, Operation)
        new.owner.attributes.update(op.attributes)
        new.name_hint = op.result.name_hint
        self._is_there(op.result, result_order(op, order), new)

    def _operand(self, operand: SSAValue, op: RowOperation, order: Order, emission: Emission) -> SSAValue:
        source, before = self._function.place_of.get(operand, (None, ()))
        if source is None:
            return operand
        if len(before) == len(order):
            return self._value(source, composed(before, order), op)
        value = self._value(source, before, op)
        shape = (1,) * (len(order) - len(before)) + shape_of(value)
        value = self._reshaped(value, shape, emission, place := location_of(value))
        steps = self._in_order(value, order, op, place)
        return steps[-1][1] if steps else value

    def _value(self, source: SSAValue, order: Order, before: Operation, *, anyhow: bool = False) -> SSAValue:
        """Return a source in an order; if there is no such value yet, build it right before an operation."""
        known = self._there[source]
        if order in known:
            return known[order]
        extents = self._function.sources[source].shape

        def cost(there: Order) -> tuple[bool, int]:
            shape = [extents[dim] for dim in there]
            step = between(there, order)
            return not (anyhow and keeps_elements(shape, step)), cost_of(shape, step)

        nearest = min(known, key=cost)
        if not cost(nearest)[0]:
            return known[nearest]
        constant = constant_attribute(source)
        if constant is not None:
            attribute = permuted_constant(constant, order)
            value = Emission(before).make(
                "ttir.constant", [], attribute.type, at=location_of(source), value=attribute
            )
            known[order] = value
            return value
        place = self._function.locations.get((source, order), location_of(source))
        for step, value in self._in_order(known[nearest], between(nearest, order), before, place):
            self._is_there(source, composed(nearest, step), value)
        return known[order]

    def _in_order(
        self, value: SSAValue, order: Order, before: Operation, place: LocationAttr
    ) -> list[tuple[Order, SSAValue]]:
        """Permute a value in steps. Return the order and the value after each step; empty if nothing is permuted."""
        emission = Emission(before)
        values: list[tuple[Order, SSAValue]] = []
        for exchange, so_far, shape in steps_of(shape_of(value), order):
            if exchange is None:
                value = self._reshaped(value, shape, emission, place)
            else:
                type = tensor_type_of(value)
                value = emission.into_empty(
                    "ttir.transpose",
                    [value],
                    emission.tensor(shape, type.element_type, type.encoding),
                    at=place,
                    dim0=exchange[0],
                    dim1=exchange[1],
                    operand_constraints=constraints_of_tiles(2),
                )
            values.append((so_far, value))
        return values

    def _not_reshaped(self, value: SSAValue) -> SSAValue:
        """The tensor whose elements a value has, before any reshapes."""
        while isinstance(value.owner, TTIRReshapeOp):
            before = value.owner.input
            if tensor_type_of(before).encoding != tensor_type_of(value).encoding:
                break
            self._passed_over.setdefault(value.owner)
            value = before
        return value

    def _reshaped(
        self, value: SSAValue, shape: Sequence[int], emission: Emission, place: LocationAttr
    ) -> SSAValue:
        value = self._not_reshaped(value)
        type = tensor_type_of(value)
        return emission.into_empty(
            "ttir.reshape",
            [value],
            emission.tensor(shape, type.element_type, type.encoding),
            at=place,
            shape=list(shape),
            operand_constraints=constraints_of_tiles(2),
        )

    # Names of locations.

    def _is_there(self, source: SSAValue, order: Order, value: SSAValue) -> None:
        there = self._there.setdefault(source, {})
        if there.setdefault(order, value) is not value or not isinstance(value, OpResult):
            return
        if isinstance(value.op.location, NameLoc):
            self._last_at[value.op.location.desc.data] = source, order

    def _of_locations(self) -> dict[str, tuple[SSAValue, Order]]:
        """The results by the names of locations: a name means the result of its operation, not a transpose of it.

        A convolution that was written with channels first is named in that order: the transposes to it belong to it.
        """
        named: dict[str, tuple[SSAValue, Order]] = {}
        computed: set[str] = set()
        for op in self._function.block.ops:
            if not isinstance(op.location, NameLoc) or not op.results:
                continue
            name, place = op.location.desc.data, self._function.place_of.get(op.results[0])
            if place is None:
                continue
            if transposition_of(op) is None:
                named[name] = place
                computed.add(name)
            elif name not in computed or (
                place == (named[name][0], _CHANNELS_FIRST) and _is_convolution(place[0])
            ):
                named[name] = place
        return named

    @staticmethod
    def _moved(
        before: dict[str, tuple[SSAValue, Order]], after: dict[str, tuple[SSAValue, Order]]
    ) -> dict[str, Order]:
        return {
            name: between(order, after[name][1])
            for name, (source, order) in before.items()
            if name in after and after[name][0] is source and after[name][1] != order
        }
