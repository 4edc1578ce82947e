"""A deadlock with everything that is known about it, and what a cause of one is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ttl.diag import TTLError
from ttl.rules.deadlocks import Deadlock
from ttl.rules.waiting import Who
from ttl.sim.buffer import SimBuffer, WaitForData, WaitForSpace
from ttl.sim.deadlock_facts import Snapshot, Stuck
from ttl.sim.deadlock_trial import Trial
from ttl.sim.deadlock_words import who
from ttl.sim.kernel import Kernel
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl.sim.engine import Engine


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """What to report: ``told`` says what, at ``stuck``, ``more`` are further places.

    ``cycle`` are the kernels that wait in a circle, where that is the point.
    """

    told: Deadlock
    stuck: Stuck
    more: tuple[tuple[Site | None, str], ...] = ()
    cycle: tuple[Stuck, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """The facts of a deadlock, and its trial where one could be made."""

    engine: Engine
    facts: Snapshot
    trial: Trial | None

    @property
    def ended(self) -> Trial | None:
        """The trial, if it tells what the kernels do in all: they ended, after something was made up."""
        return self.trial if self.trial is not None and self.trial.ended else None

    @property
    def failure_code(self) -> str:
        """Code of the error a kernel ran into in the trial; empty if none did."""
        failure = self.trial.failure if self.trial is not None else None
        return failure.code if isinstance(failure, TTLError) else ""

    def who(self, kernel: Kernel) -> Who:
        """The kernel, for messages."""
        return who(kernel, self.facts.nodes)

    def waiting_for(self, buffer: SimBuffer, kind: type[WaitForData] | type[WaitForSpace]) -> Stuck | None:
        """The kernel that waits for data, or for space, of a buffer."""
        for stuck in self.facts.stuck:
            if isinstance(stuck.reason, kind) and stuck.reason.buffer is buffer:
                return stuck
        return None
