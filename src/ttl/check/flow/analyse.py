"""Diagnostics from walks over a kernel.

One walk for all nodes at once clears most kernels. If it finds anything, the kernel is run on the nodes that decide
differently, each alone, and the findings there are reported: certain, and with the node. Only where a decision is not
known (symbolic shapes), or there is too much to run, findings of the first walk remain, as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.dialects import scf
from xdsl.ir import Operation

from ttl.analysis.control_tree import PIPES
from ttl.analysis.pipe_ends import net_ends
from ttl.analysis.scalars import NODE, Slots, compile_scalar, loop_bounds, trip_count
from ttl.check.flow.facts import PathFinding
from ttl.check.flow.tree import Step, Tree
from ttl.check.flow.walk import BUDGET, PathT, PathWalk
from ttl.diag.model import Diagnostic, Severity
from ttl.dialects import ttl as dialect
from ttl.ir.locations import chain_of, span_of
from ttl.protocol.grid import coordinate
from ttl.rules.words import kernel_where
from ttl.session.patience import LimitReached
from ttl.source.spans import Span

Finish = Callable[[PathT], "Iterable[tuple[Operation, Diagnostic]]"]
"""Yields the findings about a path at the end of its kernel."""


def analyse(
    kernel: dialect.UserKernelOp,
    slots: Slots,
    action: Callable[[Operation], Step[PathT] | None],
    start: Callable[[], PathT],
    finish: Finish[PathT] | None = None,
    place: Callable[[Operation], Span | None] = span_of,
) -> list[Diagnostic]:
    """Run an analysis over one kernel and return its findings.

    ``place`` gives the place of a finding whose operation has no place.
    """
    tree = Tree(kernel, action, slots)
    if not tree.body.nodes:
        return []
    overall = _walk(tree, None, start, finish, BUDGET)
    if overall is not None and not overall.findings and not tree.has_moving_views:
        return []
    result: dict[tuple[str, Operation], tuple[PathFinding, int | None]] = {}
    left, complete = 2 * BUDGET, True
    for node in _representatives(tree):
        walk = _walk(tree, node, start, finish, left)
        if walk is None:
            complete = False
            break
        left = walk.left
        for key, finding in walk.findings.items():
            if key not in result or (finding.certain and not result[key][0].certain):
                result[key] = finding, node
    if not complete and overall is not None:
        for key, finding in overall.findings.items():
            result.setdefault(key, (_possible(finding), None))
    return [_placed(finding, tree, node, place) for finding, node in result.values()]


def _walk(
    tree: Tree[PathT], node: int | None, start: Callable[[], PathT], finish: Finish[PathT] | None, budget: int
) -> PathWalk[PathT] | None:
    """Walk the kernel to its end; None if that takes too long."""
    walk = PathWalk(tree, node, budget)
    try:
        paths = walk.run(start())
    except LimitReached:
        return None
    if finish is not None:
        _finish(walk, paths, finish)
    return walk


def _finish(walk: PathWalk[PathT], paths: list[PathT], finish: Finish[PathT]) -> None:
    left = [dict(finish(path)) for path in paths]
    for op in {op: None for rest in left for op in rest}:
        failed = [(path.facts, item[op]) for path, item in zip(paths, left) if op in item]
        walk.report(op, failed, [path.facts for path, item in zip(paths, left) if op not in item])


def _representatives(tree: Tree[PathT]) -> list[int]:
    """Return one node of each group of nodes with the same decisions."""
    slots = tree.slots
    nodes = np.arange(slots.nodes)
    environment = slots.environment()
    environment[NODE] = nodes
    columns: list[Any] = []
    # For a loop whose iterations are all alike, only their number matters, not its variable.
    counted = {loop.op for loop, steered in tree.steered.items() if not steered}
    for op, decided, reads in tree.decisions:
        if NODE not in reads:
            continue
        if isinstance(op, PIPES):
            columns += _pipe_columns(op, tree, nodes)
            continue
        if isinstance(op, scf.WhileOp):
            columns.append(nodes)
            continue
        bounds = loop_bounds(op, slots)
        scalars = bounds or (decided if op in tree.starts else compile_scalar(op.operands[0], slots),)
        if any(scalar is None or scalar.slots - {NODE} for scalar in scalars):
            columns.append(nodes)
            continue
        values = [np.broadcast_to(scalar.evaluate(environment), nodes.shape) for scalar in scalars if scalar]
        if bounds and op in counted and (values[2] > 0).all():
            values = [trip_count(*values)]
        columns += values
    if not columns:
        return [0]
    _, first = np.unique(np.stack(columns, axis=1), axis=0, return_index=True)
    return sorted(first.tolist())


def _pipe_columns(op: Operation, tree: Tree[PathT], nodes: Any) -> list[Any]:
    """Return for each node how many pipes it has at an end of a net, and which ones if a decision depends on that."""
    slots = tree.slots
    ends = net_ends(op.operands[0], slots.grid)
    if ends is None:
        return []
    pipe = slots.known(op.regions[0].block.args[0])
    if not any(pipe in decision.reads for decision in tree.decisions):
        return [(ends.sending if isinstance(op, dialect.IfPipeSrcOp) else ends.receiving).counts]
    sends = isinstance(op, dialect.IfPipeSrcOp)
    return [np.isin(nodes, (src,) if sends else dsts) for src, dsts in ends.listed]


def _possible(finding: PathFinding) -> PathFinding:
    return PathFinding(finding.op, replace(finding.diagnostic, severity=Severity.WARNING), False)


def _placed(
    finding: PathFinding, tree: Tree[PathT], node: int | None, place: Callable[[Operation], Span | None]
) -> Diagnostic:
    """Return the diagnostic of a finding with its place, the calls it was inlined through, and the kernel."""
    kernel, grid = tree.kernel, tree.slots.grid
    placed = finding.diagnostic
    if placed.primary is None:
        placed = placed.at(place(finding.op))
    placed = placed.called_from(chain_of(finding.op))
    if node is None:
        return placed.noting(f"in kernel {kernel.kernel_name}")
    return placed.noting(
        f"in {kernel_where(kernel.kind, kernel.kernel_name, coordinate(node, grid, len(grid)))}"
    )
