"""The names on the chip of an operation's resources, for tools that inspect a chip while it runs the operation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Region

from ttl.analysis.network import Node
from ttl.arch import Chip
from ttl.dialects import ttl as dialect
from ttl.passes.marks import AHEAD, is_made
from ttl.passes.movement.nodes import place_of_coordinate
from ttl.passes.pipeline import pipeline
from ttl.passes.pipes.net import ChipNet
from ttl.passes.pipes.plan import LANDING, PROTOCOL, READY, VALID, PlanPipes, Protocol, texts
from ttl.passes.pipes.words import BUFFER, word_offsets
from ttl.protocol.grid import coordinate


@dataclass(frozen=True, kw_only=True, slots=True)
class PipeSignals:
    """The names of a pipe's semaphores: ``ready``, changed by receivers at the source; ``valid``, set by the source."""

    protocol: Protocol
    ready: str
    valid: str
    landing: str = ""
    """The buffer of the program into which messages are written (``direct``)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OnTheChip:
    """The names on the chip of an operation's own buffers and semaphores, in the order of the operation."""

    buffers: tuple[str, ...]
    ahead: tuple[int, ...]
    """The number of additional blocks of each buffer, for messages that arrive before they are received."""
    semaphores: tuple[str, ...]
    pipes: tuple[PipeSignals | None, ...]
    """The signals of each pipe, net by net; None for pipes that carry no message."""
    places: tuple[Node, ...]
    """Column and row of every node, and its chip in the mesh."""
    words: Mapping[str, int]
    """The semaphores that are words of L1, with their offsets in bytes in the buffer ``words_in``."""
    words_in: str = ""


def on_the_chip(operation: dialect.OperationOp, chip: Chip) -> OnTheChip:
    """Return the compiler's names of the resources of an operation, by running the planning passes on a copy of it."""
    own = operation.clone()
    own.location = operation.location
    module = ModuleOp(Region(Block([own])))
    for one in pipeline(chip):
        one.apply(Context(), module)
        if isinstance(one, PlanPipes):
            break
    buffers, semaphores, ahead = [], [], []
    pipes: list[PipeSignals | None] = []
    for op in own.body.block.ops:
        match op:
            case dialect.CreateDfbOp() if not is_made(op) or dialect.RESETS in op.attributes:
                buffers.append(op.buffer_name.data)
                more = op.attributes.get(AHEAD)
                ahead.append(more.value.data if isinstance(more, IntegerAttr) else 0)
            case dialect.CreateSemaphoreOp() if not is_made(op):
                semaphores.append(op.semaphore_name.data)
            case dialect.CreatePipeNetOp():
                pipes += _signals(op, ChipNet(op.pipes, own.grid.extents))
    grid = operation.grid.extents
    words = own.attributes.get(BUFFER)
    return OnTheChip(
        words=word_offsets(own),
        words_in=words.data if isinstance(words, StringAttr) else "",
        buffers=tuple(buffers),
        ahead=tuple(ahead),
        semaphores=tuple(semaphores),
        pipes=tuple(pipes),
        places=tuple(
            place_of_coordinate(coordinate(node, grid, len(grid)), grid) for node in range(prod(grid))
        ),
    )


def _signals(create_pipe_net: dialect.CreatePipeNetOp, net: ChipNet) -> list[PipeSignals | None]:
    if PROTOCOL not in create_pipe_net.attributes:
        return [None] * len(net.pipes)
    protocol = cast("Protocol", cast("StringAttr", create_pipe_net.attributes[PROTOCOL]).data)
    ready, valid = texts(create_pipe_net.attributes[READY]), texts(create_pipe_net.attributes[VALID])
    if protocol not in ("staged", "across", "direct"):
        return [PipeSignals(protocol=protocol, ready=ready[0], valid=valid[0])] * len(net.pipes)
    landing = create_pipe_net.attributes.get(LANDING) if protocol == "direct" else None
    return [
        PipeSignals(
            protocol=protocol,
            ready=ready[net.place_among_sent(pipe)],
            valid=valid[net.slots[pipe]],
            landing=landing.data if isinstance(landing, StringAttr) else "",
        )
        for pipe in net.pipes
    ]
