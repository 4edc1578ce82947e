"""Pipe nets: coordinates in the grid, both ends used, the same blocks at both ends.

The deadlock check, which plays the exchanges of kernels, compares the numbers of sends and receives;
this check finds an end of a net that no kernel serves, which needs no playing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import prod

import numpy as np
from xdsl.ir import BlockArgument, Operation, SSAValue

from ttl.analysis.dominance import of_kinds
from ttl.analysis.pipe_ends import destination_of, net_ends, pipe_ends
from ttl.analysis.points import points
from ttl.analysis.scalars import Slots
from ttl.check.context import CheckContext, placed, where
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import enclosing_kernel
from ttl.ir.locations import span_of
from ttl.protocol.grid import Grid, coordinate, resolve_coord, resolve_range
from ttl.rows.types import BlockType
from ttl.rules.deadlocks import too_few_receives, too_few_sends
from ttl.rules.labels import PIPE_MADE, SENT, sent_by
from ttl.rules.leftovers import never_received
from ttl.rules.pipes import Condition, condition_outside, match_message
from ttl.rules.waiting import KernelOnNode
from ttl.rules.words import node_name


@dataclass(slots=True)
class _Net:
    """A net with its conditions and copies."""

    made: dialect.CreatePipeNetOp
    conditions: list[dialect.IfPipeOp] = field(default_factory=list)
    sends: list[dialect.CopyOp] = field(default_factory=list)
    receives: list[dialect.CopyOp] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Serving:
    """A copy, the node on which it runs most often for one pipe, and that count."""

    copy: dialect.CopyOp
    node: int
    pipe: int
    times: int


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Findings for each net of an operation."""
    findings: list[Diagnostic] = []
    slots = Slots(context.grid)
    for net in _nets(operation):
        if not any(net.made.result.uses):
            continue
        outside = [*_of_conditions(net), *_outside_the_grid(net, context.grid)]
        findings += outside
        if not outside:
            findings += _mismatches(net, slots, context.grid) or _one_sided(net, slots, context.grid)
    return findings


def _nets(operation: dialect.OperationOp) -> list[_Net]:
    nets: dict[SSAValue, _Net] = {op.result: _Net(op) for op in of_kinds(operation, dialect.CreatePipeNetOp)}
    if not nets:
        return []
    for op in of_kinds(operation, dialect.IfPipeOp, dialect.CopyOp):
        if isinstance(op, dialect.IfPipeOp) and op.net in nets:
            nets[op.net].conditions.append(op)
        elif isinstance(op, dialect.CopyOp):
            for end, sends in ((op.dst, True), (op.src, False)):
                net = _net_of_pipe(end)
                if net is not None and net in nets:
                    (nets[net].sends if sends else nets[net].receives).append(op)
    return list(nets.values())


def _net_of_pipe(pipe: SSAValue) -> SSAValue | None:
    """Return the net whose condition function was called with a pipe."""
    if not isinstance(pipe, BlockArgument) or not isinstance(pipe.type, dialect.PipeType):
        return None
    condition = pipe.block.parent_op()
    return condition.net if isinstance(condition, dialect.IfPipeOp) else None


def _of_conditions(net: _Net) -> Iterator[Diagnostic]:
    for condition in net.conditions:
        kernel = enclosing_kernel(condition)
        if kernel is None or kernel.kind == "compute":
            which: Condition = "if_src" if isinstance(condition, dialect.IfPipeSrcOp) else "if_dst"
            kind, name = (None, "") if kernel is None else (kernel.kind, kernel.kernel_name)
            yield placed(condition_outside(which, kind, name), condition)


def _outside_the_grid(net: _Net, grid: Grid) -> Iterator[Diagnostic]:
    """Find the first pipe with an end outside of the grid, at the place where the net is made."""
    if net_ends(net.made.result, grid) is not None:
        return
    for pipe in net.made.pipes:
        for resolved in (
            resolve_coord(tuple(pipe.src), grid),
            resolve_range(destination_of(pipe), grid, stepped=True),
        ):
            if isinstance(resolved, Diagnostic):
                yield resolved.at(span_of(net.made))
                return


def _mismatches(net: _Net, slots: Slots, grid: Grid) -> list[Diagnostic]:
    """Find a net whose sent and received blocks have no type in common (TTL0611)."""
    into = {_block_type(copy.src) for copy in net.sends}
    out_of = {_block_type(copy.dst) for copy in net.receives}
    if not into or not out_of or into & out_of:
        return []
    sending, receiving = _first(net.sends, slots), _first(net.receives, slots)
    if sending is None or receiving is None:
        return []
    buffer = dialect.dfb_of(receiving.copy.dst)
    name = (
        buffer.owner.buffer_name.data
        if buffer is not None and isinstance(buffer.owner, dialect.CreateDfbOp)
        else "it"
    )
    finding = match_message(_block_type(sending.copy.src), name, _block_type(receiving.copy.dst))
    if finding is None:
        return []
    finding = placed(finding.noting(f"in {_where(receiving, grid)}"), _wait_of(receiving.copy))
    return [finding.also(span_of(sending.copy), sent_by(_where(sending, grid)))]


def _one_sided(net: _Net, slots: Slots, grid: Grid) -> list[Diagnostic]:
    """Find sends on a net without a receive (TTL0903, TTL0919), or receives without a send (TTL0918)."""
    if net.sends and not net.receives:
        serving = _most(net.sends, slots)
        return [] if serving is None else [_never_received(net, serving, grid)]
    if net.receives and not net.sends:
        serving = _first(net.receives, slots)
        return [] if serving is None else [_never_sent(net, serving, grid)]
    return []


def _never_received(net: _Net, send: _Serving, grid: Grid) -> Diagnostic:
    pipe = net.made.pipes[send.pipe]
    name = net.made.pipe_name(send.pipe)
    missing = [coordinate(node, grid, len(grid)) for node in _destinations(net, send.pipe, grid)]
    if send.times == 1:
        # The send itself completes: its message is left when the operation ends.
        finding = never_received(name, 1, 0, len(missing), missing)
        finding = placed(finding.noting(f"in {_where(send, grid)}"), send.copy, SENT)
        return finding.also(span_of(net.made), PIPE_MADE)
    finding, label = too_few_receives(
        _who(send, grid),
        name,
        node_name(missing[0]),
        send.times,
        0,
        multicast=pipe.is_multicast,
    )
    return placed(finding, _wait_of(send.copy), label).also(span_of(net.made), PIPE_MADE)


def _never_sent(net: _Net, receive: _Serving, grid: Grid) -> Diagnostic:
    pipe = net.made.pipes[receive.pipe]
    source = resolve_coord(tuple(pipe.src), grid)
    assert isinstance(source, int)
    finding, label = too_few_sends(
        _who(receive, grid),
        net.made.pipe_name(receive.pipe),
        node_name(coordinate(source, grid, len(grid))),
        0,
        receive.times,
        sends=any(isinstance(condition, dialect.IfPipeSrcOp) for condition in net.conditions),
    )
    return placed(finding, _wait_of(receive.copy), label).also(span_of(net.made), PIPE_MADE)


def _first(copies: Iterable[dialect.CopyOp], slots: Slots) -> _Serving | None:
    """Return the first copy that certainly runs, on the first node where it does, or None."""
    return next(_servings(copies, slots), None)


def _most(copies: Iterable[dialect.CopyOp], slots: Slots) -> _Serving | None:
    """Return the copy that runs most often for one pipe; None if it is not known that one runs."""
    return max(_servings(copies, slots), key=lambda serving: serving.times, default=None)


def _servings(copies: Iterable[dialect.CopyOp], slots: Slots) -> Iterator[_Serving]:
    for copy in copies:
        end = copy.dst if isinstance(copy.dst.type, dialect.PipeType) else copy.src
        at = points(copy, slots=slots)
        slot = slots.known(end)
        if at is None or not at.size or slot is None:
            continue
        nodes = int(np.max(at.nodes)) + 1
        times = np.bincount(np.asarray(at.environment[slot]) * nodes + np.asarray(at.nodes))
        pipe, node = divmod(int(times.argmax()), nodes)
        yield _Serving(copy, node, pipe, int(times.max()))


def _destinations(net: _Net, pipe: int, grid: Grid) -> tuple[int, ...]:
    ends = pipe_ends(net.made.result, grid)
    assert ends is not None
    return ends[pipe][1]


def _wait_of(copy: dialect.CopyOp) -> Operation:
    """Return the only wait for a copy, else the copy."""
    waits = [use.operation for use in copy.result.uses if isinstance(use.operation, dialect.WaitOp)]
    return waits[0] if len(waits) == 1 else copy


def _block_type(block: SSAValue) -> BlockType:
    assert isinstance(block.type, dialect.BlockMemoryType)
    return block.type.block_type


def _where(serving: _Serving, grid: Grid) -> str:
    return where(_kernel(serving), serving.node, grid)


def _who(serving: _Serving, grid: Grid) -> KernelOnNode:
    return KernelOnNode(
        _kernel(serving).kernel_name, coordinate(serving.node, grid, len(grid)), prod(grid) == 1
    )


def _kernel(serving: _Serving) -> dialect.UserKernelOp:
    kernel = enclosing_kernel(serving.copy)
    assert kernel is not None
    return kernel
