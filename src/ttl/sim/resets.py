"""Resets in one launch: kernels of a node wait for each other, by buffers of their own that hold tokens.

The compute kernel takes a token of each data movement kernel; when it has them all, all kernels have come to the reset.
It gives the tokens back, and takes second tokens, for which there is room only then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ttl import control
from ttl.protocol.blocks import State
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.types import BlockType
from ttl.rules import resets as rules
from ttl.rules.labels import BUFFER_MADE
from ttl.sim.buffer import SimBuffer
from ttl.sim.values import Value

if TYPE_CHECKING:
    from ttl.lang.resets import DFBReset
    from ttl.sim.kernel import Kernel, Node, RunningLaunch

_TOKEN = BlockType.of((1, 1), BFLOAT16)


class ResetToken(SimBuffer):
    """A buffer through which a data movement kernel announces that it has come to a reset."""

    __slots__ = ("mover", "token_name")

    mover: str
    token_name: str

    @property
    def name(self) -> str:
        """The name in messages."""
        return self.token_name


class SimResets:
    """The resets of one launch."""

    def __init__(self, engine: RunningLaunch) -> None:
        self._engine = engine
        self._tokens: dict[DFBReset, dict[Kernel, ResetToken]] = {}
        self._named: dict[DFBReset, tuple[frozenset[int] | None, Kernel]] = {}
        self._value = Value(_TOKEN, None, np.zeros(_TOKEN.elements, _TOKEN.dtype.storage))
        if engine.lanes is not None:
            engine.lanes.give_up()
        if control.NATIVE:
            engine.pending.refuse_tape("kernels wait for each other at a reset")

    def reset(self, reset: DFBReset, dfbs: Any) -> None:
        """Wait at a reset, to which the current kernel has come, until all kernels of the node have come to it."""
        engine, kernel = self._engine, self._engine.current
        if reset not in self._tokens:
            self._make(reset)
        named = None if dfbs is None else frozenset(buffer.ordinal for buffer in dfbs)
        known, first = self._named.setdefault(reset, (named, kernel))
        if known != named:
            engine.fail(rules.other_buffers(first.name))
        tokens = {mover: token for mover, token in self._tokens[reset].items() if mover.node is kernel.node}
        if kernel in tokens:
            for _ in range(rules.ROUNDS):
                self._push(tokens[kernel])
            return
        for round_ in range(rules.ROUNDS):
            held = [token.wait() for token in tokens.values()]
            if round_ == 0:
                self._look(kernel.node, named)
            for block in held:
                block.state = int(State.READ_WRITE)
                block.pop()

    def _make(self, reset: DFBReset) -> None:
        """Make the reset's tokens on all nodes at once, so that equal nodes stay equal."""
        engine, number = self._engine, len(self._tokens)
        tokens = self._tokens[reset] = {}
        for node in engine.nodes:
            movers = [kernel for kernel in node.kernels if kernel.moves_data]
            for what, few in (("data movement", not movers), ("compute", len(movers) == len(node.kernels))):
                if few:
                    engine.fail(rules.missing_kernel(what))
            for mover in movers:
                token = ResetToken(engine, node, len(node.buffers), _TOKEN, 1, None)
                token.mover = mover.name
                token.token_name = rules.token_name(mover.name, number)
                node.buffers.append(token)
                tokens[mover] = token

    def _push(self, token: ResetToken) -> None:
        block = token.reserve()
        block.state, block.value = int(State.MUST_BE_READ), self._value
        told, self._engine.on_push = self._engine.on_push, None  # it is not a block of the program
        try:
            block.push()
        finally:
            self._engine.on_push = told

    def _look(self, node: Node, named: frozenset[int] | None) -> None:
        """Check that the buffers are empty, when all kernels have come to the reset."""
        for buffer in node.buffers:
            if isinstance(buffer, ResetToken) or (named is not None and buffer.ordinal not in named):
                continue
            filled = buffer.pushed - buffer.popped
            held = bool(buffer.held_reserved or buffer.held_waited)
            if filled or held:
                finding = rules.not_empty(buffer.name, filled=filled, held=held)
                self._engine.fail(finding, related=((buffer.site, BUFFER_MADE),))
