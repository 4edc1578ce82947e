"""A function as sources and the orders in which uses need them, and the search for orders that move the fewest elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, LocationAttr, TensorType
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Block, Operation, SSAValue

from tt_model.operations.operation import RowOperation
from tt_model.operations.shared import TTIRReshapeOp
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttir import TTIRConstantOp
from ttl.ir.dense import dense_of_bytes, is_splat
from ttmlir.transforms.orders.permutations import (
    Order,
    between,
    can_be_permuted,
    composed,
    cost_of,
    data_operands,
    keeps_dimensions,
    keeps_elements,
    may_have,
    rank_of,
    result_order,
    transposition_of,
    unchanged,
)

Elements = DenseIntOrFPElementsAttr[Any]


def constant_attribute(value: SSAValue) -> Elements | None:
    """Return the elements of a ``ttir.constant``; None for another value."""
    owner = value.owner
    if not isinstance(owner, TTIRConstantOp):
        return None
    attribute = owner.value
    return attribute if isinstance(attribute, DenseIntOrFPElementsAttr) else None


def permuted_constant(elements: Elements, order: tuple[int, ...]) -> Elements:
    """The elements of a permuted tensor: the dimension that comes first is ``order[0]``."""
    old = elements.type
    type = TensorType(old.element_type, [old.get_shape()[dim] for dim in order])
    if is_splat(elements):
        return dense_of_bytes(type, elements.data.data)
    size = old.element_type.compile_time_size
    table = np.frombuffer(elements.data.data, f"V{size}").reshape(old.get_shape())
    return dense_of_bytes(type, table.transpose(order).tobytes())


# The most rounds of the search. Each round lowers the cost, and most models need two.
_ROUNDS = 16
# The most orders that are tried for a group: those of its first neighbours in program order.
_TRIED = 32


@dataclass(slots=True)
class SourceUse:
    """An operation that reads a source.

    ``order``: the order of its operand in the program; ``anyhow``: it is a reshape, which only depends on the order of
    elements in memory.
    """

    op: Operation
    order: Order
    anyhow: bool


@dataclass(slots=True)
class OrderSource:
    """A value and its uses. ``maker``: the operation that computes it, if that can work in another order; else None.

    ``is_free``: whether it is a constant, which can be permuted at no cost.
    """

    value: SSAValue
    shape: tuple[int, ...]
    maker: RowOperation | None
    is_free: bool
    uses: list[SourceUse] = field(default_factory=list)


class TransposedFunction:
    """The sources of a function, and the order of every operation that may have another one."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.place_of: dict[SSAValue, tuple[SSAValue, Order]] = {}
        self.sources: dict[SSAValue, OrderSource] = {}
        self.orders: dict[RowOperation, Order] = {}
        # The locations of the program's transposes, by source and resulting order.
        self.locations: dict[tuple[SSAValue, Order], LocationAttr] = {}
        for argument in block.args:
            self._add(argument, None)
        for op in block.ops:
            order = transposition_of(op)
            if order is not None:
                source, before = self.place_of[op.operands[0]]
                place = source, composed(before, order)
                self.place_of[op.results[0]] = place
                self.locations.setdefault(place, op.location)
                continue
            maker = None
            if can_be_permuted(op):
                assert isinstance(op, RowOperation)
                maker = op
                self.orders[op] = unchanged(rank_of(op))
            for operand in op.operands:
                if operand in self.place_of:
                    source, order = self.place_of[operand]
                    self.sources[source].uses.append(SourceUse(op, order, isinstance(op, TTIRReshapeOp)))
            for result in op.results:
                self._add(result, maker)

    def _add(self, value: SSAValue, maker: RowOperation | None) -> None:
        if isinstance(value.type, TensorType) and not isinstance(value.owner, EmptyOp):
            shape = shape_of(value)
            self.place_of[value] = value, unchanged(len(shape))
            self.sources[value] = OrderSource(value, shape, maker, constant_attribute(value) is not None)

    def there(self, source: OrderSource) -> Order:
        """The order in which a source is computed."""
        if source.maker is None:
            return unchanged(len(source.shape))
        return result_order(source.maker, self.orders[source.maker])

    def wanted(self, use: SourceUse) -> Order:
        """The order in which an operation needs a source."""
        order = self.orders.get(use.op) if isinstance(use.op, RowOperation) else None
        # A tensor of fewer dimensions first gets the missing ones; its permutation then does not concern its source.
        return use.order if order is None or len(order) != len(use.order) else composed(use.order, order)

    def cost(self, source: OrderSource) -> int:
        """Return how many elements are moved for the operations that read a source."""
        if source.is_free:
            return 0
        there = self.there(source)
        missing = {self.wanted(use) for use in source.uses if not self._is_served(source, use, there)}
        return sum(cost_of([source.shape[dim] for dim in there], between(there, order)) for order in missing)

    def _is_served(self, source: OrderSource, use: SourceUse, there: Order) -> bool:
        wanted = self.wanted(use)
        if wanted == there:
            return True
        return use.anyhow and keeps_elements([source.shape[dim] for dim in there], between(there, wanted))

    def shorter_operands(self, op: RowOperation) -> int:
        """Return how many elements are moved to extend operands of fewer dimensions to all, and to permute them."""
        order = self.orders[op]
        if order == unchanged(len(order)):
            return 0
        cost = 0
        for operand in data_operands(op):
            shape = shape_of(operand)
            if len(shape) < len(order):
                whole = (1,) * (len(order) - len(shape)) + shape
                cost += prod(whole) + cost_of(whole, order)
        return cost

    def neighbours(self, op: RowOperation) -> Iterator[tuple[OrderSource, SourceUse | None]]:
        """Yield the sources that an operation reads, each with its uses by it, then its result, without a use."""
        seen = set()
        for operand in data_operands(op):
            source, _ = self.place_of.get(operand, (None, ()))
            if source is not None and source not in seen:
                seen.add(source)
                known = self.sources[source]
                yield from ((known, use) for use in known.uses if use.op is op)
        yield self.sources[op.result], None


class OrderSearch:
    """Chooses orders: those of whole groups by their neighbours, then those of single operations."""

    def __init__(self, function: TransposedFunction) -> None:
        self._function = function
        self._orders = function.orders

    def run(self) -> None:
        function = self._function
        if not any(function.cost(source) for source in function.sources.values()):
            return  # nothing is moved, so that nothing can be saved
        groups = list(self._groups())
        for _ in range(_ROUNDS):
            changed = [self._improve_group(group) for group in groups]
            changed += [self._improve([op], self._wishes(op)) for op in self._orders]
            if not any(changed):
                return

    def _groups(self) -> Iterator[list[RowOperation]]:
        """Operations that are connected by sources, in the order of the program."""
        taken: set[RowOperation] = set()
        for first in self._orders:
            if first in taken:
                continue
            group, waiting = [], [first]
            taken.add(first)
            while waiting:
                op = waiting.pop()
                group.append(op)
                for other, _ in self._consistent(op, self._orders[op]):
                    if other not in taken:
                        taken.add(other)
                        waiting.append(other)
            yield group

    def _consistent(self, op: RowOperation, order: Order) -> Iterator[tuple[RowOperation, Order]]:
        """Yield the neighbours of an operation, each with the order that needs no transpose if ``op`` has ``order``."""
        for source, use in self._function.neighbours(op):
            if use is None:
                there = result_order(op, order)
            elif len(use.order) == len(order):
                there = composed(use.order, order)
            else:
                continue
            maker = source.maker
            if maker is not None and maker is not op and keeps_dimensions(maker):
                yield maker, there
            for other in source.uses:
                if not isinstance(other.op, RowOperation) or other.op is op or other.op not in self._orders:
                    continue
                if len(self._orders[other.op]) == len(other.order) == len(there):
                    yield other.op, between(other.order, there)

    def _wishes(self, op: RowOperation) -> Iterator[Order]:
        """The orders of an operation that avoid a transpose to one of its neighbours, as far as it may have them."""
        return (order for order in dict.fromkeys(self._orders_around(op)) if may_have(op, order))

    def _orders_around(self, op: RowOperation) -> Iterator[Order]:
        rank = len(self._orders[op])
        for source, use in self._function.neighbours(op):
            if use is not None and len(use.order) == rank:
                yield between(use.order, self._function.there(source))
            if use is None and not keeps_dimensions(op):
                continue
            for other in source.uses:
                wanted = self._function.wanted(other)
                if len(wanted) != rank or other.op is op:
                    continue
                yield wanted if use is None else between(use.order, wanted)

    def _improve_group(self, group: list[RowOperation]) -> bool:
        """Give a whole group the best order of a neighbour, if it is better; return whether it was."""
        best: tuple[int, dict[RowOperation, Order]] = (0, {})
        tried: list[dict[RowOperation, Order]] = []
        for op in group:
            for wish in self._wishes(op):
                if any(orders.get(op) == wish for orders in tried) or len(tried) == _TRIED:
                    continue
                orders = self._spread(op, wish)
                tried.append(orders)
                saved = self._saved(orders)
                if saved > best[0]:
                    best = saved, orders
        self._orders.update(best[1])
        return bool(best[1])

    def _spread(self, first: RowOperation, order: Order) -> dict[RowOperation, Order]:
        """The orders of a group if ``first`` has ``order`` and the others follow as far as they may."""
        orders = {first: order}
        waiting = [first]
        while waiting:
            op = waiting.pop()
            for other, wanted in self._consistent(op, orders[op]):
                if other not in orders and may_have(other, wanted):
                    orders[other] = wanted
                    waiting.append(other)
        return orders

    def _improve(self, ops: Sequence[RowOperation], wishes: Iterator[Order]) -> bool:
        changed = False
        for wish in wishes:
            orders = dict.fromkeys(ops, wish)
            if wish != self._orders[ops[0]] and self._saved(orders) > 0:
                self._orders.update(orders)
                changed = True
        return changed

    def _saved(self, orders: dict[RowOperation, Order]) -> int:
        """Return how many elements fewer are moved with other orders of some operations."""
        function = self._function
        touched = {id(source): source for op in orders for source, _ in function.neighbours(op)}

        def cost() -> int:
            moved = sum(function.cost(source) for source in touched.values())
            return moved + sum(function.shorter_operands(op) for op in orders)

        old = {op: self._orders[op] for op in orders}
        before = cost()
        self._orders.update(orders)
        after = cost()
        self._orders.update(old)
        return before - after
