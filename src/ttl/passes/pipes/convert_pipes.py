"""Pipes as code: which nodes take part, and how a message gets from one node to others.

Expects: operations after ``ttl-plan-pipes``. Guarantees: no ``ttl.if_pipe_src``, ``ttl.if_pipe_dst`` or question about
pipes is left; messages are sent over the network, and received where they are waited for. The protocols are those of
``ttl.passes.pipes.plan``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from ttl.analysis.dominance import of_kinds
from ttl.analysis.network import (
    is_waited_for_alone,
    mixed_transfers,
    overlapping,
    overtaken,
    scattered,
)
from ttl.arch import Chip
from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.dialects.pipes import IfPipeOp
from ttl.dialects.structure import kernel_of
from ttl.ir.failure import placed
from ttl.passes.buffers.blocks import BlockAddresses
from ttl.passes.building import Building, erase
from ttl.passes.movement.links import Links, Reach
from ttl.passes.pipes.choice import can_be_staged, nodes_do_the_same, signals_by_itself
from ttl.passes.pipes.fitting import is_node_of
from ttl.passes.pipes.functions import NetRole, coordinate_of, inline
from ttl.passes.pipes.messages import Flags, Messages, await_first
from ttl.passes.pipes.net import Uses, uses_of
from ttl.passes.pipes.plan import PROTOCOL, plan_pipes, share_words
from ttl.passes.pipes.words import Role, Signals


def convert_pipes(
    operation: dialect.OperationOp, target: Chip, addresses: BlockAddresses
) -> tuple[Links, list[Diagnostic]]:
    """Convert the pipes of one operation; returns its links to other chips, and errors for pipes that cannot be."""
    plan_pipes(operation)
    share_words(operation, target)
    nets = uses_of(operation)
    alike = _do_the_same(operation, nets)
    findings = [problem for uses in nets for problem in _impossible(uses, alike)]
    links = Links(operation, target, _reaches(nets))
    if findings:
        return links, findings
    for uses in nets:
        _answer_questions(operation, uses)
    signals = Signals(operation, addresses)
    signals.begin({op: role for uses in nets for op, role in _signalling(uses, operation)})
    flags: Flags = {}
    for uses in nets:
        _convert(operation, uses, target, addresses, signals, links, flags)
    for op in of_kinds(operation, dialect.WaitAnyOp):
        await_first(op, flags[op])
    return links, []


def _reaches(nets: Sequence[Uses]) -> dict[Operation, Reach]:
    """Return to which other chips the nodes of kernels send messages, or signals that they have received them."""
    reaches: dict[Operation, Reach] = {}
    for uses in nets:
        for send in uses.sends:
            for pipe in uses.net.pipes:
                chips = {node[2] for node in pipe.far}
                if chips:
                    reaches.setdefault(kernel_of(send), {}).setdefault(pipe.source, set()).update(chips)
        for receive in uses.receives:
            for pipe in uses.net.pipes:
                for node in pipe.far:
                    reaches.setdefault(kernel_of(receive), {}).setdefault(node, set()).add(pipe.source[2])
    return reaches


def _signalling(uses: Uses, operation: dialect.OperationOp) -> Iterator[tuple[Operation, Role]]:
    """Yield operations that send, receive, or signal that a receiver is ready, each with the nodes that do so."""
    for op in (*uses.sends, *uses.receives):
        yield op, None
    if _text(uses.made.attributes.get(PROTOCOL)) in ("early", "eager"):
        for receive in uses.receives:
            acquire = dialect.acquired_from(receive.dst)
            if acquire is not None:
                yield acquire, NetRole(uses.net, "dst", operation.grid.extents).taken


def _do_the_same(operation: dialect.OperationOp, nets: Sequence[Uses]) -> bool:
    """Whether all nodes that take part in nets do the same steps in the same order."""
    nodes = {node for uses in nets for node in uses.net.nodes}
    return not signals_by_itself(operation) and nodes_do_the_same(
        operation, nodes, {uses.made.result: uses.net for uses in nets}
    )


def _impossible(uses: Uses, alike: bool) -> Iterator[Diagnostic]:
    if uses.net.is_across and len({kernel_of(send) for send in uses.sends}) > 1:
        yield placed(sent_by_several(uses.name), uses.sends[-1])
    for pipe in uses.net.pipes:
        if pipe.is_scattered and uses.sends:
            yield placed(scattered(uses.name), uses.made)
            return
    for receive in uses.receives:
        if not is_waited_for_alone(receive):
            yield placed(mixed_transfers(), receive)
        elif overlapping(receive, uses.receives)[1]:
            yield placed(overtaken(uses.name), receive)
    if _text(uses.made.attributes.get(PROTOCOL)) in ("staged", "across", "direct"):
        for send in uses.sends:
            if not can_be_staged(uses, send, in_step=alike):
                yield placed(waited_for_late(uses.name), send)


def _text(attribute: object) -> str:
    return attribute.data if isinstance(attribute, StringAttr) else ""


def _answer_questions(operation: dialect.OperationOp, uses: Uses) -> None:
    grid = operation.grid.extents
    for use in list(uses.made.result.uses):
        op = use.operation
        if not isinstance(op, dialect.IsPipeSrcOp | dialect.IsPipeDstOp):
            continue
        build = Building(op)
        nodes = set(uses.net.sent if isinstance(op, dialect.IsPipeSrcOp) else uses.net.received)
        answer = is_node_of(build, nodes, grid)
        op.result.replace_all_uses_with(build.truth(True) if answer is None else answer)
        erase(op)


def _convert(
    operation: dialect.OperationOp,
    uses: Uses,
    target: Chip,
    addresses: BlockAddresses,
    signals: Signals,
    links: Links,
    flags: Flags,
) -> None:
    grid = operation.grid.extents
    messages = (
        Messages(operation, uses, target, addresses, signals, links, flags)
        if PROTOCOL in uses.made.attributes
        else None
    )
    if messages is not None:
        messages.announce()
    for end in ("src", "dst"):
        role = NetRole(uses.net, "src" if end == "src" else "dst", grid)
        for op in uses.ifs[end]:
            ends = list(_ends(op))
            here = inline(op, role)
            if here is None:
                continue
            for item in ends:
                if isinstance(item, dialect.PipeCoordinateOp):
                    build = Building(item)
                    item.result.replace_all_uses_with(build.value(coordinate_of(build, item, role, here)))
                    erase(item)
                    continue
                assert isinstance(item, dialect.CopyOp) and messages is not None
                if end == "src":
                    messages.send(item, role, here)
                else:
                    messages.receive(item, role, here)


def _ends(op: IfPipeOp) -> Iterator[Operation]:
    for use in list(op.pipe.uses):
        yield use.operation


def waited_for_late(name: str) -> Diagnostic:
    """The error for a send that is waited for after something else that waits (TTL1418)."""
    return error(
        "TTL1418",
        f"this send over {name} is waited for after something else that waits",
        notes=(
            "on the chip a message is sent at its ttl.copy, once the message before it was received, and not while the "
            "kernel waits for something else",
        ),
        help="wait for the transfer right after the copy, or receive in the same loop of the same kernel, once for each send",
    )


def sent_by_several(name: str) -> Diagnostic:
    """The error for a net to other chips that two kernels send over (TTL1421)."""
    return error(
        "TTL1421",
        f"{name} leads to other chips, and two kernels send over it",
        notes=(
            "a sender counts the receivers that have room, and waits for all of them where its kernel ends",
        ),
        help="send over it in one kernel, or make a net for each",
    )
