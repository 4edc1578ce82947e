"""Resources that an operation takes on a node, against the limits of the chip: L1, dataflow buffers, semaphores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod
from typing import TypeVar

from xdsl.ir import Operation

from ttl.analysis.points import points
from ttl.analysis.sharing import users_of
from ttl.check.context import CheckContext, placed
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.passes.buffers.l1 import memory_of, tensors_in_l1
from ttl.rules.launches import match_device
from ttl.rules.resources import Buffer, Resident, check_buffers, match_indices, too_many_semaphores

Made = TypeVar("Made", bound=Operation)


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Return findings TTL0220, TTL0801, TTL0802 and TTL0803, each once, for the first affected node."""
    findings: list[Diagnostic] = []
    chip = context.chip
    # The grid of a device is known at the launch; a grid that is too large here is too large for every card with this
    # chip.
    too_large = match_device(operation.operation_name, context.grid, replace(chip, grid=chip.max_grid))
    if too_large is not None:
        findings.append(placed(too_large, operation))
    buffer_ops = [op for op in _outside_kernels(operation) if isinstance(op, dialect.CreateDfbOp)]
    wrong = match_indices([(op.buffer_name.data, op.buffer_index) for op in buffer_ops], chip)
    if wrong is not None:
        findings.append(placed(wrong[1], buffer_ops[wrong[0]]))
    for ops in _by_node(operation, dialect.CreateSemaphoreOp):
        finding = too_many_semaphores(min(len(ops), chip.semaphores + 1), chip)
        if finding is not None:
            findings.append(placed(finding, ops[chip.semaphores]))
            break
    tensors = tensors_in_l1(operation, chip)
    for buffers in _by_node(operation, dialect.CreateDfbOp):
        finding = _of_buffers(operation, buffers, tensors, context)
        if finding is not None:
            findings.append(finding)
            break
    return findings


def _of_buffers(
    operation: dialect.OperationOp,
    ops: Sequence[dialect.CreateDfbOp],
    tensors: Sequence[Resident],
    context: CheckContext,
) -> Diagnostic | None:
    spans = [span_of(op) for op in ops]
    types = [op.result.type for op in ops]
    buffers = [
        Buffer(
            op.buffer_name.data,
            type_.block_type,
            type_.block_count,
            span.line if span is not None else 0,
            op.group_number,
            memory_of(operation, op),
        )
        for op, type_, span in zip(ops, types, spans, strict=True)
    ]
    finding = check_buffers(buffers, context.chip, tensors)
    if finding is not None and (users := users_of(operation, ops)) is not None:
        finding = check_buffers(buffers, context.chip, tensors, users)
    if finding is None:
        return None
    told = placed(finding.diagnostic, ops[finding.index], finding.label)
    if finding.other is None:
        return told
    other, later = ops[finding.other], ops[finding.index]
    uses = ((other, dialect.DfbWaitOp, "waited for"), (later, dialect.DfbReserveOp, "reserved"))
    told = told.also(span_of(other), f"{other.buffer_name.data} is made here")
    for op, kind, what in uses:
        used = next((use.operation for use in op.result.uses if isinstance(use.operation, kind)), None)
        if used is not None:
            told = told.also(span_of(used), f"{op.buffer_name.data} is {what} here")
    return told


def _by_node(operation: dialect.OperationOp, kind: type[Made]) -> Iterable[list[Made]]:
    """Yield the operations of a kind that nodes execute, in order, one list for each set of nodes that execute the same."""
    everywhere = [op for op in operation.body.block.ops if isinstance(op, kind)]
    inside = [op for op in _outside_kernels(operation) if isinstance(op, kind)]
    if len(inside) == len(everywhere):
        return [everywhere]
    times = [points(op) for op in inside]
    if any(iteration_domain is None for iteration_domain in times):
        return [everywhere]  # a part of them, at least
    nodes = [[] for _ in range(prod(operation.grid.extents))]  # type: list[list[Made]]
    for op, time in zip(inside, times, strict=True):
        assert time is not None
        for node in time.nodes.tolist():
            nodes[node].append(op)
    distinct = {tuple(map(id, ops)): ops for ops in nodes}
    return list(distinct.values())


def _outside_kernels(operation: dialect.OperationOp) -> Iterable[Operation]:
    pending: list[Operation] = list(reversed(list(operation.body.block.ops)))
    while pending:
        op = pending.pop()
        yield op
        if not isinstance(op, dialect.UserKernelOp):
            for region in reversed(op.regions):
                for block in reversed(region.blocks):
                    pending.extend(reversed(list(block.ops)))
