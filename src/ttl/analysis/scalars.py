"""Indices and conditions of the IR at one node and one iteration, as closures over integers in slots.

Control flow of a specialised operation depends on node coordinates, loop variables and constants only. A value
becomes a function of *slots*: slot 0 is the linear index of the node, the others are block arguments (loop
variables, carried values, pipes). The same functions work on NumPy arrays, one entry per point.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from ttl.analysis.arithmetic import BINARY, CASTS, RELATIONS, ceil_divide, larger
from ttl.analysis.intervals import ANY, Interval, exactly, signed
from ttl.analysis.pipe_ends import net_ends
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import grid_around
from ttl.protocol.blocks import LARGEST_INDEX
from ttl.protocol.grid import Grid, grid_size

# One operand, whose number is the result's.
_SAME_NUMBER = (*CASTS, arith.SIToFPOp)
# Predicates of ``arith.cmpf`` with an equivalent in Python.
_OF_FLOATS = {1: operator.eq, 2: operator.gt, 3: operator.ge, 4: operator.lt, 5: operator.le, 13: operator.ne}
NODE = 0
"""Slot of the linear index of the node."""
Environment = Sequence[Any]
Evaluate = Callable[[Environment], Any]


@dataclass(frozen=True, slots=True)
class ScalarFunction:
    """A value as a function of slots. ``slots`` are those it reads; none for a constant."""

    evaluate: Evaluate
    slots: frozenset[int]

    @property
    def constant(self) -> Any:
        """The value, if it is the same everywhere; else None."""
        return None if self.slots else self.evaluate(())


class Slots:
    """The slots of an environment, numbered, and the functions that were compiled over them."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.nodes = prod(grid)
        self.looked_at: Any = np.arange(self.nodes)
        """The nodes for which points are computed, ascending: all, unless an analysis needs fewer."""
        self.pipes: dict[int, dialect.CreatePipeNetOp] = {}
        """The net of each slot that holds a pipe; its value is the index of the pipe in the net."""
        self._slots: dict[SSAValue, int] = {}
        self._count = 0
        self.compiled: dict[SSAValue, tuple[ScalarFunction | None, int]] = {}
        """The function of each compiled value, and the number of slots when it was compiled."""
        self._coordinates: dict[int, Any] = {}

    def __len__(self) -> int:
        return self._count + 1

    def of(self, value: SSAValue) -> int:
        """The slot of a block argument, or of a result that control flow sets."""
        slot = self._slots.get(value)
        if slot is None:
            self._count += 1
            slot = self._slots[value] = self._count
        return slot

    def known(self, value: SSAValue) -> int | None:
        """The slot of a value, if it has one."""
        return self._slots.get(value)

    def environment(self, node: int = 0) -> list[Any]:
        """Return an environment on a node, in which no other slot is set."""
        return [node, *([None] * self._count)]

    def coordinates(self, dims: int) -> Any:
        """Coordinates of all nodes in ``dims`` dimensions: an array (nodes, dims)."""
        array = self._coordinates.get(dims)
        if array is None:
            array = np.stack(np.unravel_index(np.arange(self.nodes), grid_size(self.grid, dims)), axis=1)
            self._coordinates[dims] = array
        return array


def grid_of(op: Operation) -> Grid:
    """Grid of the operation that ``op`` belongs to."""
    return grid_around(op) or (1, 1)


def compile_scalar(value: SSAValue, slots: Slots) -> ScalarFunction | None:
    """A value as a function of slots; None if it depends on anything else (data, symbolic shapes)."""
    scalar, count = slots.compiled.get(value, (None, -1))
    if scalar is None and count < len(slots):
        scalar = _compile(value, slots)
        if scalar is not None and scalar.slots and isinstance(value, OpResult) and value.op.operands:
            first, *others = value.uses or (None,)
            scalar = _computed_once(scalar) if first is not None and others else scalar
        slots.compiled[value] = scalar, len(slots)
    return scalar


def _computed_once(scalar: ScalarFunction) -> ScalarFunction:
    """A scalar that several others are computed from: it is not computed again for the slots that it just had."""
    evaluate, slots = scalar.evaluate, sorted(scalar.slots)
    last: tuple[list[Any], Any] | None = None

    def computed(env: Environment) -> Any:
        nonlocal last
        now = [env[slot] for slot in slots]
        if last is not None and all(
            one is other or (type(one) is int and type(other) is int and one == other)
            for one, other in zip(now, last[0], strict=True)
        ):
            return last[1]
        result = evaluate(env)
        last = now, result
        return result

    return ScalarFunction(computed, scalar.slots)


def _compile(value: SSAValue, slots: Slots) -> ScalarFunction | None:
    slot = slots.known(value)
    if slot is not None:
        return ScalarFunction(operator.itemgetter(slot), frozenset((slot,)))
    if isinstance(value, BlockArgument):
        return None
    assert isinstance(value, OpResult)
    op = value.op
    binary = BINARY.get(op.name)
    if binary is not None:
        return _compile_binary(op, binary, slots)
    match op:
        case arith.ConstantOp(value=IntegerAttr() as number):
            # True is -1 in one bit.
            return _constant(bool(number.value.data) if value.type == i1 else number.value.data)
        case arith.ConstantOp(value=FloatAttr() as real):
            return _constant(real.value.data)
        case arith.CmpiOp():
            return _compile_binary(op, RELATIONS[op.predicate.value.data], slots)
        case arith.CmpfOp() if op.predicate.value.data in _OF_FLOATS:
            return _compile_binary(op, _OF_FLOATS[op.predicate.value.data], slots)
        case arith.FPToSIOp():
            return _compile_unary(op, lambda number: np.trunc(number).astype(np.int64), slots)
        case arith.NegfOp():
            return _compile_unary(op, operator.neg, slots)
        case arith.SelectOp():
            return _compile_select(op.operands, slots)
        case scf.IfOp():
            ways = [region.blocks[0].last_op for region in op.regions if region.blocks]
            if len(ways) == 2 and all(way is not None for way in ways):
                chosen = [way.operands[value.index] for way in ways if way is not None]
                return _compile_select((op.cond, *chosen), slots)
        case dialect.LookupOp():
            return _compile_lookup(op, slots)
        case dialect.NodeOp():
            return _compile_node(slots, len(op.results), value.index)
        case dialect.NodeLinearOp():
            return ScalarFunction(operator.itemgetter(NODE), frozenset((NODE,)))
        case dialect.GridSizeOp():
            return _constant(grid_size(slots.grid, len(op.results))[value.index])
        case dialect.DimOp():
            extent = dim_extent(op)
            return None if extent is None else _constant(extent)
        case dialect.IsPipeSrcOp() | dialect.IsPipeDstOp():
            return _compile_membership(op, slots)
        case dialect.PipeCoordinateOp():
            return _compile_pipe_coordinate(op, slots)
    if isinstance(op, _SAME_NUMBER) and len(op.operands) == 1:
        return compile_scalar(op.operands[0], slots)
    return None


def _constant(number: Any) -> ScalarFunction:
    return ScalarFunction(lambda _: number, frozenset())


def _compile_unary(op: Operation, apply: Callable[[Any], Any], slots: Slots) -> ScalarFunction | None:
    operand = compile_scalar(op.operands[0], slots)
    if operand is None:
        return None
    evaluate = operand.evaluate
    return ScalarFunction(lambda env: apply(evaluate(env)), operand.slots)


def _compile_binary(op: Operation, apply: Callable[[Any, Any], Any], slots: Slots) -> ScalarFunction | None:
    first, second = (compile_scalar(operand, slots) for operand in op.operands)
    if first is None or second is None:
        return None
    reads = first.slots | second.slots
    one, other = first.evaluate, second.evaluate
    if not reads:
        try:
            return _constant(apply(one(()), other(())))
        except ZeroDivisionError:
            return None
    if not second.slots:
        number = other(())
        return ScalarFunction(lambda env: apply(one(env), number), reads)
    return ScalarFunction(lambda env: apply(one(env), other(env)), reads)


def _compile_select(operands: Sequence[SSAValue], slots: Slots) -> ScalarFunction | None:
    """Compile a selection: the second operand if the first is true, else the third."""
    parts = [compile_scalar(operand, slots) for operand in operands]
    condition, first, second = parts
    if condition is None or first is None or second is None:
        return None
    test, one, other = condition.evaluate, first.evaluate, second.evaluate

    def select(env: Environment) -> Any:
        chosen = test(env)
        if isinstance(chosen, np.ndarray):
            return np.where(chosen, one(env), other(env))
        return one(env) if chosen else other(env)

    return ScalarFunction(select, condition.slots | first.slots | second.slots)


def _compile_lookup(op: dialect.LookupOp, slots: Slots) -> ScalarFunction | None:
    """Compile a lookup in a list; beyond its ends, the nearest member (``ttl.check.bounds`` reports the error)."""
    index = compile_scalar(op.index, slots)
    if index is None:
        return None
    members, position = op.members, index.evaluate
    column, last = np.array(members), len(members) - 1

    def look_up(env: Environment) -> Any:
        at = position(env)
        if isinstance(at, np.ndarray):
            return column[np.clip(at, 0, last)]
        return members[min(max(at, 0), last)]

    return ScalarFunction(look_up, index.slots) if index.slots else _constant(look_up(()))


def _compile_node(slots: Slots, dims: int, axis: int) -> ScalarFunction:
    if grid_size(slots.grid, dims)[axis] == 1:
        return _constant(0)
    return _by_node(slots.coordinates(dims)[:, axis])


def _by_node(column: Any, slot: int = NODE) -> ScalarFunction:
    """Return a function that looks up a table with an entry for each node, or pipe."""

    def look_up(env: Environment) -> Any:
        value = column[env[slot]]
        return value if isinstance(value, np.ndarray) else value.item()

    return ScalarFunction(look_up, frozenset((slot,)))


def dim_extent(op: dialect.DimOp) -> int | None:
    """Extent in elements; None if the shape is symbolic there."""
    extent = op.shape[op.axis]
    return None if extent < 0 else extent


def _compile_membership(op: dialect.IsPipeSrcOp | dialect.IsPipeDstOp, slots: Slots) -> ScalarFunction | None:
    ends = net_ends(op.operands[0], slots.grid)
    if ends is None:
        return None
    return _by_node((ends.sending if isinstance(op, dialect.IsPipeSrcOp) else ends.receiving).counts > 0)


def _compile_pipe_coordinate(op: dialect.PipeCoordinateOp, slots: Slots) -> ScalarFunction | None:
    slot = slots.known(op.operands[0])
    if slot is None or slot not in slots.pipes:
        return None
    net = slots.pipes[slot]
    ends = net_ends(net.result, slots.grid) if net.parts else None
    if ends is not None and (op.of == "src" or (ends.counts == 1).all()):
        nodes = ends.sources if op.of == "src" else ends.destinations
        return _by_node(np.array(np.unravel_index(nodes, slots.grid)[op.axis]), slot)
    entries = [(pipe.src if op.of == "src" else pipe.dst)[op.axis] for pipe in net.pipes]
    return _by_node(np.array(entries), slot) if all(isinstance(entry, int) for entry in entries) else None


def known_numbers(grid: tuple[int, ...]) -> Callable[[OpResult], Interval]:
    """Return the function from results of the language's operations to their intervals."""

    def interval(result: OpResult) -> Interval:
        op, position = result.op, result.index
        match op:
            case dialect.NodeOp():
                return Interval(0, grid_size(grid, len(op.results))[position] - 1)
            case dialect.GridSizeOp():
                return exactly(grid_size(grid, len(op.results))[position])
            case dialect.NodeLinearOp():
                return Interval(0, prod(grid) - 1)
            case dialect.PipeCoordinateOp():
                return Interval(0, prod(grid) - 1)
            case dialect.ReadIndexOp():
                return Interval(0, LARGEST_INDEX)
            case dialect.ExternCallOp(bits=int() as bits):
                return signed(bits)
            case dialect.WaitAnyOp():
                return Interval(0, len(op.transfers) - 1)
            case dialect.LookupOp():
                return Interval(min(op.members), max(op.members))
            case dialect.DimOp():
                extent = dim_extent(op)
                return ANY if extent is None else exactly(extent)
        return ANY

    return interval


def loop_bounds(op: Operation, slots: Slots) -> tuple[ScalarFunction, ScalarFunction, ScalarFunction] | None:
    """First value, end and step of a ``for`` loop of either dialect; None if one of them is not known."""
    match op:
        case affine.ForOp():
            lower, upper = (
                _affine(attribute.data, operands, slots)
                for attribute, operands in (
                    (op.lowerBoundMap, op.lowerBoundOperands),
                    (op.upperBoundMap, op.upperBoundOperands),
                )
            )
            step: ScalarFunction | None = _constant(op.step.value.data)
        case scf.ForOp():
            lower, upper, step = (compile_scalar(value, slots) for value in (op.lb, op.ub, op.step))
        case _:
            return None
    return None if lower is None or upper is None or step is None else (lower, upper, step)


def _affine(map_: Any, operands: Sequence[SSAValue], slots: Slots) -> ScalarFunction | None:
    """Compile an affine map with one result over its operands."""
    if len(map_.results) != 1:
        return None
    parts = [compile_scalar(operand, slots) for operand in operands]
    if any(part is None for part in parts):
        return None
    known = [part for part in parts if part is not None]
    dims, result = map_.num_dims, map_.results[0]

    def evaluate(env: Environment) -> Any:
        values = [part.evaluate(env) for part in known]
        return result.eval(values[:dims], values[dims:])

    reads = frozenset().union(*(part.slots for part in known))
    return ScalarFunction(evaluate, reads) if reads else _constant(evaluate(()))


def trip_count(lower: Any, upper: Any, step: Any) -> Any:
    """Return the number of iterations of a loop with a positive step, never negative. Works on numbers and arrays."""
    return larger(0, ceil_divide(upper - lower, step))
