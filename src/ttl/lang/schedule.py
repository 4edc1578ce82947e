"""Schedules of operations: the steps of the compiler on an operation before, and while, it is compiled.

``multiply.schedule()`` is the initial one, each method returns a schedule with one more step, and
``multiply.with_schedule(schedule)`` is the same operation, compiled with it. A schedule changes no result: the
simulator runs the operation as it is written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ttl.lang.check import fail
from ttl.rules.schedules import wrong_schedule
from ttl.source.schedule_steps import ScheduleStep, chain_text, read_chain, step_of


@dataclass(frozen=True, slots=True)
class OperationSchedule:
    """Steps in order. ``ttl.tuned.toml`` and ``--schedule`` contain its text."""

    steps: tuple[ScheduleStep, ...] = ()

    def __str__(self) -> str:
        return chain_text(self.steps)

    def __repr__(self) -> str:
        return f"<schedule {self}>" if self.steps else "<schedule of the compiler>"

    def double_buffer(self, buffer: str) -> OperationSchedule:
        """Let a buffer, named as in the operation, hold two blocks."""
        return self._and("double_buffer", buffer)

    def buffer(self, buffer: str, blocks: int) -> OperationSchedule:
        """Let a buffer hold ``blocks`` blocks: not fewer than declared, unless only one block passes through it."""
        return self._and("buffer", buffer, blocks)

    def prefetch(self, buffer: str, turns: int = 2) -> OperationSchedule:
        """Let the loop that fills a buffer start the transfers of ``turns`` iterations before the first wait."""
        return self._and("prefetch", buffer, turns)

    def split_k(self, parts: int) -> OperationSchedule:
        """Divide the inner dimension of products of blocks into ``parts`` parts, with accordingly smaller blocks."""
        return self._and("split_k", parts)

    def unroll(self, loop: str, factor: int) -> OperationSchedule:
        """Let the loops over a variable execute ``factor`` iterations in one."""
        return self._and("unroll", loop, factor)

    def tile(self, loop: str, size: int) -> OperationSchedule:
        """Replace the loops over a variable by loops over ``size`` iterations each, and outer loops over these."""
        return self._and("tile", loop, size)

    def reorder(self) -> OperationSchedule:
        """Start transfers of one tensor that can be in progress together one after the other."""
        return self._and("reorder")

    def pipeline(self, strategy: str = "auto") -> OperationSchedule:
        """Overlap data movement and computation: ``conservative``, ``auto`` or ``aggressive``."""
        return self._and("pipeline", strategy)

    def choose(self, option: str, value: str) -> OperationSchedule:
        """Set a compile option that determines a choice of the compiler: ``choose("subblock.0", "2x4")``."""
        return self._and("choose", option, value)

    def without(self, name: str) -> OperationSchedule:
        """Omit a pass of the compiler, if the passes after it do not need its result."""
        return self._and("without", name)

    def _and(self, name: str, *arguments: object) -> OperationSchedule:
        try:
            return replace(self, steps=(*self.steps, step_of(name, arguments)))
        except ValueError as problem:
            fail(wrong_schedule(str(problem)))


def schedule_from(text: str) -> OperationSchedule:
    """The schedule in a text as returned by ``str``. Raises ``ProgramError`` TTL1462."""
    try:
        return OperationSchedule(read_chain(text))
    except ValueError as problem:
        fail(wrong_schedule(str(problem)))
