"""Every (node, iteration) at which an operation of the IR runs, as NumPy arrays, one entry per point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from xdsl.dialects import affine, arith, scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from ttl.analysis.pipe_ends import net_of, pipes_by_node
from ttl.analysis.scalars import NODE, Slots, compile_scalar, grid_of, loop_bounds, trip_count
from ttl.dialects import ttl as dialect
from ttl.protocol.grid import Coord, coordinate

BUDGET = 1 << 17
Turns = Literal["all", "ends"]


@dataclass(frozen=True, slots=True)
class IterationDomain:
    """The points at which an operation runs. ``nodes`` are linear indices; entries are ordered by node, then by iteration."""

    slots: Slots
    environment: list[Any]
    loops: tuple[BlockArgument, ...]
    """Loop variables that are distinguished, outermost first."""

    @property
    def nodes(self) -> Any:
        """Linear index of the node of each point."""
        return self.environment[NODE]

    @property
    def size(self) -> int:
        """The number of points."""
        return len(self.environment[NODE])

    def value(self, value: SSAValue) -> Any | None:
        """An index or condition at every point, as an array; None if it is not known."""
        scalar = compile_scalar(value, self.slots)
        if scalar is None or any(self.environment[slot] is None for slot in scalar.slots):
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            result = scalar.evaluate(self.environment)
        return result if isinstance(result, np.ndarray) else np.full(self.size, result)

    def node(self, point: int) -> Coord:
        """Return the coordinate of the node of a point."""
        return coordinate(int(self.nodes[point]), self.slots.grid, len(self.slots.grid))

    def iteration(self, point: int) -> str:
        """``when m_block is 3``: the iteration of the loops at a point; empty without named loop variables."""
        values = []
        for argument in self.loops:
            slot = self.slots.known(argument)
            if argument.name_hint and slot is not None:
                values.append(f"{argument.name_hint} is {int(self.environment[slot][point])}")
        return f"when {' and '.join(values)}" if values else ""

    def when(self, point: int) -> str:
        """``when m_block is 3 on node (2, 0)``: a point, for messages; empty if there is only one."""
        loops = self.iteration(point)
        node = f"on node {self.node(point)}" if self.slots.nodes > 1 else ""
        return f"{loops} {node}".strip()


def points(
    op: Operation,
    *,
    of: Iterable[SSAValue] | None = None,
    budget: int = BUDGET,
    slots: Slots | None = None,
    iterations: Turns = "all",
) -> IterationDomain | None:
    """Return all points at which ``op`` runs; None if they are not known, or more than ``budget``.

    ``of``: the values of interest. Loops on which neither they nor any condition depend count as one
    iteration (those that never run count as none). Without it every iteration of every loop is a point.
    ``slots``: of an earlier call for the same operation of the module, which saves compiling values again.
    ``iterations``: with ``ends`` only the first and the last iteration of each loop, where the extreme values of linear forms are.
    """
    slots = Slots(grid_of(op)) if slots is None else slots
    path = _path(op)
    for inner in path:
        _number_arguments(inner, slots)
    wanted = None if of is None else _needed(list(of), path, slots)
    environment: list[Any] = [slots.looked_at, *([None] * (len(slots) - 1))]
    loops: list[BlockArgument] = []
    for block in path:
        with np.errstate(divide="ignore", invalid="ignore"):
            entered = _enter(block, environment, slots, wanted, budget, loops, iterations)
        if not entered:
            return None
    return IterationDomain(slots, environment, tuple(loops))


def distinct(rows: Any) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the distinct rows of an array, each after the first point that has it, in the order of the points."""
    _, first = np.unique(rows, axis=0, return_index=True)
    for point in np.sort(first).tolist():
        yield point, tuple(rows[point].tolist())


def _path(op: Operation) -> list[Block]:
    """Return the blocks around ``op``, of the operation and its kernels, outermost first."""
    blocks: list[Block] = []
    block = op.parent_block()
    while block is not None:
        blocks.append(block)
        parent = block.parent_op()
        if parent is None or isinstance(parent, dialect.OperationOp):
            break
        block = parent.parent_block()
    return blocks[::-1]


def _number_arguments(block: Block, slots: Slots) -> None:
    parent = block.parent_op()
    match parent:
        case scf.ForOp() | affine.ForOp():
            slots.of(block.args[0])
        case dialect.IfPipeSrcOp() | dialect.IfPipeDstOp():
            net = net_of(parent.net)
            if net is not None:
                slots.pipes[slots.of(block.args[0])] = net


def _needed(values: list[SSAValue], path: list[Block], slots: Slots) -> frozenset[int]:
    """Return the slots on which the values, or the control flow around them, depend."""
    for block in path:
        parent = block.parent_op()
        if isinstance(parent, scf.IfOp):
            values.append(parent.cond)
    numbers: set[int] = set()
    for value in values:
        scalar = compile_scalar(value, slots)
        if scalar is not None:
            numbers |= scalar.slots
    for block in reversed(path):
        parent = block.parent_op()
        bounds = loop_bounds(parent, slots) if parent is not None else None
        if bounds is not None:
            for bound in bounds:
                numbers |= bound.slots
    return frozenset(numbers)


def _enter(
    block: Block,
    environment: list[Any],
    slots: Slots,
    wanted: frozenset[int] | None,
    budget: int,
    loops: list[BlockArgument],
    iterations: Turns,
) -> bool:
    """Extend the points to those inside a block. Returns False if they are not known, or too many."""
    parent = block.parent_op()
    match parent:
        case scf.ForOp() | affine.ForOp():
            return _enter_loop(parent, block, environment, slots, wanted, budget, loops, iterations)
        case scf.IfOp():
            condition = compile_scalar(parent.cond, slots)
            if condition is None or any(environment[slot] is None for slot in condition.slots):
                return False
            holds = condition.evaluate(environment)
            holds = np.broadcast_to(np.asarray(holds, dtype=bool), environment[NODE].shape)
            _select(environment, holds if block.parent is parent.true_region else ~holds)
            return True
        case dialect.IfPipeSrcOp() | dialect.IfPipeDstOp():
            return _enter_pipes(parent, block, environment, slots)
        case None:
            return False
        case _:
            return isinstance(parent, dialect.OperationOp | dialect.UserKernelOp)


def _enter_loop(
    loop: Operation,
    block: Block,
    environment: list[Any],
    slots: Slots,
    wanted: frozenset[int] | None,
    budget: int,
    loops: list[BlockArgument],
    iterations: Turns,
) -> bool:
    bounds = loop_bounds(loop, slots)
    if bounds is None:
        return False
    if any(environment[slot] is None for bound in bounds for slot in bound.slots):
        return False
    size = len(environment[NODE])
    lower, upper, step = (np.broadcast_to(bound.evaluate(environment), (size,)) for bound in bounds)
    if (step <= 0).any():
        return False
    counts = trip_count(lower, upper, step)
    slot = slots.of(block.args[0])
    if wanted is not None and slot not in wanted:
        counts = np.minimum(counts, 1)
    else:
        loops.append(block.args[0])
    last = counts - 1
    if iterations == "ends":
        counts = np.minimum(counts, 2)
    total = int(counts.sum())
    if total > budget:
        return False
    rows = np.repeat(np.arange(size), counts)
    starts = np.cumsum(counts) - counts
    within = np.arange(total) - starts[rows]
    if iterations == "ends":
        within = np.where(within > 0, last[rows], 0)
    variable = lower[rows] + step[rows] * within
    _select(environment, rows)
    environment[slot] = variable
    _carried(loop, block, environment, slots, within, len(loops) and loops[-1] is block.args[0])
    return True


def _carried(
    loop: Operation, block: Block, environment: list[Any], slots: Slots, within: Any, every: object
) -> None:
    """Set carried values to which each iteration of a loop adds the same: first value plus iterations times step."""
    if not every or block.last_op is None:
        return
    starts = loop.iter_args if isinstance(loop, scf.ForOp) else loop.inits  # type: ignore[attr-defined]
    for argument, start, following in zip(block.args[1:], starts, block.last_op.operands, strict=False):
        difference = _added(argument, following)
        parts = [compile_scalar(item, slots) for item in (start, difference) if item is not None]
        if difference is None or len(parts) < 2:
            continue
        first, scalar_function = parts
        if first is None or scalar_function is None or slots.known(block.args[0]) in scalar_function.slots:
            continue
        if any(environment[slot] is None for slot in first.slots | scalar_function.slots):
            continue
        slot = slots.of(argument)
        environment.extend([None] * (len(slots) - len(environment)))
        environment[slot] = first.evaluate(environment) + within * scalar_function.evaluate(environment)


def _added(argument: SSAValue, following: SSAValue) -> SSAValue | None:
    """Return the value that each iteration of a loop adds to a carried value; None if it does anything else."""
    if not isinstance(following, OpResult) or not isinstance(following.op, arith.AddiOp):
        return None
    first, second = following.op.operands
    if first is argument:
        return second
    return first if second is argument else None


def _enter_pipes(
    op: dialect.IfPipeSrcOp | dialect.IfPipeDstOp, block: Block, environment: list[Any], slots: Slots
) -> bool:
    by_node = pipes_by_node(op, slots.grid)
    if by_node is None:
        return False
    nodes = environment[NODE]
    counts = by_node.counts[nodes]
    rows = np.repeat(np.arange(len(nodes)), counts)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    _select(environment, rows)
    environment[slots.of(block.args[0])] = by_node.pipes[by_node.first[nodes[rows]] + within]
    return True


def _select(environment: list[Any], rows: Any) -> None:
    for slot, values in enumerate(environment):
        if isinstance(values, np.ndarray):
            environment[slot] = values[rows]
