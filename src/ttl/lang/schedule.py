"""Schedules of operations: the steps of the compiler on an operation before, and while, it is compiled.

``multiply.schedule()`` begins one, each method returns another one with one more step, and ``multiply.with_schedule(schedule)``
is the same operation, compiled by it. A schedule changes no result: the simulator runs the operation as it is written."""

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
        """A buffer, by its name in the operation, holds two blocks."""
        return self._and("double_buffer", buffer)

    def buffer(self, buffer: str, blocks: int) -> OperationSchedule:
        """A buffer holds ``blocks`` blocks: not fewer than it is declared with, unless one block goes through it."""
        return self._and("buffer", buffer, blocks)

    def prefetch(self, buffer: str, turns: int = 2) -> OperationSchedule:
        """The loop that fills a buffer starts the transfers of so many iterations before it waits for the first."""
        return self._and("prefetch", buffer, turns)

    def split_k(self, parts: int) -> OperationSchedule:
        """Products of blocks take their inner dimension in ``parts`` parts, with blocks as many times smaller."""
        return self._and("split_k", parts)

    def unroll(self, loop: str, factor: int) -> OperationSchedule:
        """The loops over a variable do ``factor`` iterations in one."""
        return self._and("unroll", loop, factor)

    def tile(self, loop: str, size: int) -> OperationSchedule:
        """The loops over a variable become loops over ``size`` iterations each, and loops over these."""
        return self._and("tile", loop, size)

    def reorder(self) -> OperationSchedule:
        """Transfers of one tensor that can be under way together start one after the other."""
        return self._and("reorder")

    def pipeline(self, strategy: str = "auto") -> OperationSchedule:
        """Data movement and computation overlap: ``conservative``, ``auto`` or ``aggressive``."""
        return self._and("pipeline", strategy)

    def choose(self, option: str, value: str) -> OperationSchedule:
        """The compiler chooses as a compile option says: ``choose("subblock.0", "2x4")``."""
        return self._and("choose", option, value)

    def without(self, name: str) -> OperationSchedule:
        """A pass of the compiler is left out, where those after it do not need what it does."""
        return self._and("without", name)

    def _and(self, name: str, *arguments: object) -> OperationSchedule:
        try:
            return replace(self, steps=(*self.steps, step_of(name, arguments)))
        except ValueError as problem:
            fail(wrong_schedule(str(problem)))


def schedule_from(text: str) -> OperationSchedule:
    """The schedule of a text, as ``str`` gives it. Raises ``ProgramError`` TTL1462."""
    try:
        return OperationSchedule(read_chain(text))
    except ValueError as problem:
        fail(wrong_schedule(str(problem)))
