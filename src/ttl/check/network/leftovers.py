"""Findings about leftovers when all kernels have ended: messages never received, and blocks never waited for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import SSAValue

from ttl.analysis.events.classes import NodeClass
from ttl.analysis.events.sequences import EventKind, totals
from ttl.analysis.scalars import Slots
from ttl.check.flow.holdings import BlockId, Holdings
from ttl.check.flow.tree import Tree
from ttl.check.flow.walk import PathWalk
from ttl.check.network.game import Game, PlayedRound
from ttl.check.states import BlockStates
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.protocol.blocks import State
from ttl.protocol.grid import coordinate
from ttl.rules import leftovers as rules
from ttl.rules.labels import BUFFER_MADE, PIPE_MADE, SENT
from ttl.rules.words import kernel_where
from ttl.session.patience import LimitReached


def left_over(game: Game, rounds: Sequence[PlayedRound]) -> Iterator[Diagnostic]:
    """Yield the findings about leftovers of an operation all of whose kernels end."""
    for round_ in rounds:
        messages = list(_messages(game, round_))
        if messages:
            yield messages[0]
            return
    yield from _blocks(game, rounds)


def _messages(game: Game, round_: PlayedRound) -> Iterator[Diagnostic]:
    machine = round_.machine
    for pipe, (net, index) in enumerate(game.resources.pipes):
        if not machine.missing[pipe]:
            continue
        source, destinations = net.ends[index]
        missing = [
            coordinate(node, game.grid, len(game.grid))
            for node, end in zip(destinations, machine.ends[pipe], strict=True)
            if machine.got[end] < machine.left[pipe]
        ]
        received = sum(machine.got[end] for end in machine.ends[pipe])
        sent = machine.sent[pipe]
        told = rules.never_received(
            net.op.pipe_name(index),
            sent,
            received,
            sent * len(destinations),
            missing,
        )
        for process in machine.processes:
            if process.node != source:
                continue
            sends = [
                instruction
                for instruction in process.code.instructions
                if instruction[0] == EventKind.SEND and instruction[1] == pipe
            ]
            if sends:
                kernel = game.kernels[process.kernel]
                where = kernel_where(
                    kernel.kind, kernel.kernel_name, coordinate(source, game.grid, len(game.grid))
                )
                told = told.at(span_of(game.event(sends[-1][4]).op), SENT).also(span_of(net.op), PIPE_MADE)
                yield told.noting(f"in {where}")
                break


def _blocks(game: Game, rounds: Sequence[PlayedRound]) -> Iterator[Diagnostic]:
    buffers = game.resources.buffers
    blocks = [0] * len(buffers)
    nodes = [0] * len(blocks)
    waited = [False] * len(blocks)
    unused: dict[NodeClass, set[SSAValue]] = {}
    for round_ in rounds:
        for buffer, full in enumerate(round_.machine.full):
            if not full:
                continue
            row, local = divmod(buffer, round_.machine.per_row)
            alike = round_.classes[row]
            is_waited_for = _is_waited_for(game, alike, local)
            if buffers[local].memory is not None and not is_waited_for:
                continue  # the pushed blocks are the tensor's memory
            if alike not in unused and not is_waited_for:
                unused[alike] = _pushed_unused(game, alike)
            all_used = not is_waited_for and buffers[local].result not in unused[alike]
            left = rules.pushed_in_vain(full, is_waited_for=is_waited_for, all_used=all_used)
            if not left:
                continue
            weight = 1 if game.meets else len(alike.nodes)
            blocks[local] += left * weight
            nodes[local] += weight
            waited[local] |= is_waited_for
    for op, count, on, is_waited_for in zip(buffers, blocks, nodes, waited, strict=True):
        if count:
            told = rules.never_waited_for(op.buffer_name.data, count, on, is_waited_for=is_waited_for)
            yield told.at(span_of(op), BUFFER_MADE)


def _is_waited_for(game: Game, alike: NodeClass, buffer: int) -> bool:
    """Whether a kernel waits for blocks of a buffer, on the nodes of a class."""
    return any(
        event.kind in (EventKind.WAIT, EventKind.TAKE) and event.resource == buffer
        for sequence in alike.kernels
        for event in map(game.event, totals(sequence))
    )


def _pushed_unused(game: Game, alike: NodeClass) -> set[SSAValue]:
    """Return the buffers into which kernels push blocks that they did not use themselves, on the nodes of a class."""
    slots = Slots(game.grid)
    return set[SSAValue]().union(
        *(pushed_unused_by(kernel, alike.nodes[0], slots) for kernel in game.kernels)
    )


# --- scratch memory --------------------------------------------------------------------------------------------


class _Pushes(BlockStates):
    """Follows blocks, and collects the buffers of blocks that are pushed without being used."""

    def __init__(self, kernel: dialect.UserKernelOp) -> None:
        super().__init__(kernel)
        self.unused: set[SSAValue] = set()

    def given_back(self, path: Holdings, block: BlockId, op: dialect.ReleaseOp) -> None:
        if path.blocks[block].state != State.READ_WRITE:
            self.unused.add(block.site.op.dfb)
        super().given_back(path, block, op)


def pushed_unused_by(kernel: dialect.UserKernelOp, node: int, slots: Slots) -> set[SSAValue]:
    """Return the buffers into which a kernel on a node pushes a block that it wrote and did not use.

    Empty if the kernel cannot be followed on the node: undecided cases are not reported.
    """
    pushes = _Pushes(kernel)
    walk = PathWalk(Tree(kernel, pushes.action, slots), node)
    try:
        walk.run(Holdings())
    except LimitReached:
        return set()
    return pushes.unused if walk.exact else set()
