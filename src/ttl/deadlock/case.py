"""A deadlock with all known facts, and the record of its cause."""

from __future__ import annotations

from dataclasses import dataclass

from ttl.deadlock.graph import Stuck, WaitGraph
from ttl.deadlock.network import Network, Place
from ttl.deadlock.trial import Trial
from ttl.rules.deadlocks import Deadlock


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """A deadlock to report: ``told`` is the diagnostic, ``stuck`` its place, and ``more`` are further places.

    ``cycle`` are the kernels that wait in a cycle, where the cycle is the cause.
    """

    told: Deadlock
    stuck: Stuck
    more: tuple[tuple[Place, str], ...] = ()
    cycle: tuple[Stuck, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class DeadlockCase:
    """The facts of a deadlock, and its trial where one could be made."""

    facts: WaitGraph
    trial: Trial | None

    @property
    def network(self) -> Network:
        """The execution that stands still."""
        return self.facts.network

    @property
    def ended(self) -> Trial | None:
        """The trial, if all kernels ended after something was made up; then all that they do is known."""
        return self.trial if self.trial is not None and self.trial.ended else None

    @property
    def failure_code(self) -> str:
        """Code of the error a kernel ran into in the trial; empty if none did."""
        return self.trial.failure_code if self.trial is not None else ""

    def waiting_for(self, buffer: int, *, space: bool) -> Stuck | None:
        """The kernel that waits for space, or for data, of a buffer."""
        kind = "space" if space else "data"
        for stuck in self.facts.stuck:
            if stuck.kind == kind and stuck.resource == buffer:
                return stuck
        return None

    def doubt(self, enlarged: int | None = None) -> str:
        """Return the reason to doubt an advice for one kernel: it was not tried, or did not end the deadlock; else empty.

        ``enlarged`` is a buffer that the advice gives more blocks, too.
        """
        trial = self.trial
        if trial is None:
            return f"nothing was tried, as {self.network.untried}"
        if trial.failure_code:
            return f"the missing actions were simulated, and the operation continued to error {trial.failure_code}"
        if trial.outcome != "ended":
            return "the missing actions were simulated, but the operation still did not end"
        owed = [trial.owed_by(stuck) for stuck in trial.provided]
        for stuck, kernels in zip(trial.provided, owed, strict=True):
            if kernels & owed[0] or kernels == owed[0]:
                continue
            facts, buffers = self.facts, self.network.buffers
            if (
                enlarged is None
                or stuck.kind != "space"
                or buffers[stuck.resource].made != buffers[enlarged].made
            ):
                return f"adding the missing actions is not enough: then {facts.who(stuck.kernel)} {facts.wait(stuck)} forever"
        return ""

    def room(self, buffer: int) -> int:
        """The block count with which the operation ended in the trial."""
        more = self.trial.room[buffer] if self.trial is not None else 0
        grown = self.trial.grown.get(buffer, 0) if self.trial is not None else 0
        return max(self.facts.buffers[buffer].block_count, grown) + more
