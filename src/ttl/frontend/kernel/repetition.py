"""Loops of a kernel: followed if their course is known, unrolled if they have to be, else loops of the IR."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from ttl.frontend import refusals
from ttl.frontend.domain import Repetition, Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.flow import following
from ttl.frontend.kernel.iterators import MemberIterator, lose, ranged
from ttl.frontend.kernel.loop_facts import LoopFacts
from ttl.frontend.kernel.loops import MOST_UNROLLED, Loops
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.scalars import NodeCondition
from ttl.frontend.stop import Reject
from ttl.frontend.values import END, sequential
from ttl.source.scopes import leaves

# The most iterations of a ``while`` that are evaluated one by one before it continues as a loop of the IR.
_PEELED = 64
# The most iterations over an iterator whose execution the node decides.
_MOST_DECIDED = 1024


class KernelLoop(Repetition):
    """A loop: followed if its course is known, else a loop of the IR."""

    def __init__(
        self,
        reader: Evaluator,
        tracer: Tracer,
        loops: Loops,
        statement: ast.For | ast.While,
    ) -> None:
        self._reader = reader
        self._tracer = tracer
        self._loops = loops
        self._statement: Any = statement
        self._is_running: Any = True
        # Iterators for which the node decides how many members are taken.
        self._partly: list[MemberIterator] = []
        # Code outside kernels has no loops in the IR.
        self.most = MOST_UNROLLED if tracer.kernel is None else _PEELED

    def __exit__(self, *raised: object) -> None:
        if raised[0] is None:
            lose(self._partly)

    def whole(self, iterated: Any) -> Signals | None:
        """Build a ``for`` over a range as a loop of the IR; return None if it has few iterations, or is unrolled."""
        reader = self._reader
        over, node = ranged(iterated), self._statement.iter
        if isinstance(iterated, MemberIterator):
            iterated.changed()
        if over is None:
            return None
        length = over.length
        if isinstance(length, int) and (
            length <= 1
            or self._tracer.kernel is None
            or (getattr(self._statement, "unrolled", False) and length <= MOST_UNROLLED)
        ):
            return None
        facts = self._loops.facts(self._statement)
        if isinstance(length, int):
            if length <= MOST_UNROLLED:
                if facts.must_be_unrolled(self._loops.is_live):
                    return None
            elif facts.needs_static():
                reader.place = node
                raise Reject(
                    refusals.too_large(
                        f"a loop of {length} iterations would have to be unrolled",
                        notes=("something in it must be known while the program is compiled",),
                        help=f"at most {MOST_UNROLLED} iterations are unrolled; keep changing values in numbers and block expressions",
                    )
                )
        signals = self._loops.for_(self._statement, over, facts)
        if isinstance(iterated, MemberIterator):
            iterated.end()
            self._partly += [iterated] if leaves(self._statement) else []
        return signals

    def members(self, iterated: Any) -> Iterable[Any]:
        """Return the members for the iterations, in order."""
        over = sequential(iterated)
        if over is not None:
            return map(over.at, range(over.length))  # one by one: reading stops before a long range ends
        return self._taken(self._reader.domain.steps(iterated, self._statement.iter))

    def _taken(self, steps: Iterator[Any]) -> Iterator[Any]:
        """Yield members one by one. If the node decides whether there is an iteration, taking one must have no effect.

        Each such iteration is a branch inside those of all earlier ones, so fewer of them are allowed than of
        iterations that are simply unrolled.
        """
        reader, decided = self._reader, 0
        while decided <= _MOST_DECIDED:
            reader.place = self._statement.iter
            take = partial(next, steps, END)
            member = take() if self._is_running is True else reader.domain.quietly(take, self._partly)
            if member is END:
                return
            decided += self._is_running is not True
            yield member
        reader.place = self._statement.iter
        raise Reject(
            refusals.too_large(
                f"a loop over an iterator, which the node may leave, takes more than {_MOST_DECIDED:,} members",
                help="loop over a range, which stays a loop, or over fewer members",
            )
        )

    def continued(self, running: Any = True) -> None:
        self._is_running = running

    def at_once(self) -> Signals | None:
        """Build a ``while`` as a loop of the IR if the node decides how often it runs, or it runs often; else None."""
        if self._tracer.kernel is None:
            return None
        facts = self._loops.facts(self._statement)
        if not (facts.is_of_node() or facts.is_longer_than(self.most)):
            return None
        return self._from_here(facts)

    def undecided(self, condition: NodeCondition) -> Signals:
        """Build a loop of the IR from this iteration on, whose condition has been evaluated."""
        return self._from_here(begun=condition)

    def perhaps_left(self, signals: Signals) -> Signals:
        """Build a loop of the IR from here on, if an iteration may have left the loop."""
        result = dict(following(self._reader, signals, self.widened))
        result.pop("break", None)
        return result

    def widened(self) -> Signals:
        """Build a loop of the IR from here on."""
        if self._tracer.kernel is None:
            self._reader.place = self._statement.test
            raise Reject(refusals.endless(self.most))
        return self._from_here()

    def _from_here(self, facts: LoopFacts | None = None, begun: NodeCondition | None = None) -> Signals:
        self._reader.place = self._statement.test
        return self._loops.while_(self._statement, facts, begun)
