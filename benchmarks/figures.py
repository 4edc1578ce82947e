"""One row of the result: what was measured, and whether it is what was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cases import Asked, Case
from peer import PeerFigure

PEAK_MIB = 128.0
"""What a launch may hold beyond the tensors."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """A value, what was asked for, and which way is better."""

    value: float
    asked: float
    larger_is_better: bool = False
    known_gap: str | None = None
    """Why it is known not to be met."""

    @property
    def met(self) -> bool:
        """Whether it is as good as asked for."""
        return self.value >= self.asked if self.larger_is_better else self.value <= self.asked


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """A case and what the worker found; ``failure`` instead when it found nothing."""

    case: Case
    found: dict[str, Any] | None = None
    failure: str | None = None
    peer: PeerFigure | None = None
    peak_gflops: float | None = None
    """What the processor reaches at most in products of bfloat16 on one core."""

    def cpu_ms(self, mode: str) -> float | None:
        """Median CPU time of a launch; None when the mode was not measured."""
        return self._time(mode, "cpu_ms")

    def wall_ms(self, mode: str) -> float | None:
        """Median wall-clock time of a launch."""
        return self._time(mode, "wall_ms")

    def ratio(self, mode: str) -> float | None:
        """How many times as long as torch it takes, both on one thread."""
        own, torch = self.cpu_ms(mode), self.cpu_ms("torch")
        return own / torch if own is not None and torch else None

    @property
    def first_ratio(self) -> float | None:
        """How many times as long as a replay a first launch takes, with nothing recorded."""
        first, replay = self.cpu_ms("first"), self.cpu_ms("replay")
        return first / replay if first is not None and replay else None

    @property
    def speedup(self) -> float | None:
        """Of two threads over one, wall clock, the fastest of each: another program may hold the second core."""
        one, two = (self._time(mode, "fastest_wall_ms") for mode in ("default", "threads"))
        return one / two if one is not None and two else None

    @property
    def share_of_peak(self) -> float | None:
        """What a product reaches of what the processor reaches, replayed where it is; None for other programs."""
        ms, operations = self.cpu_ms("replay") or self.cpu_ms("default"), self.case.operations
        if ms is None or operations is None or self.peak_gflops is None:
            return None
        return operations / ms * 1e-6 / self.peak_gflops

    @property
    def not_replayed(self) -> list[str]:
        """Why operations of it were not replayed, as ``--stats`` says it."""
        return list((self.found or {}).get("not_replayed", []))

    @property
    def peak_mib(self) -> float | None:
        """The most memory of any mode beyond the tensors, in MiB."""
        peaks = [peak for peak in (self.found or {}).get("peak_mib", {}).values() if peak is not None]
        return max(peaks, default=None)

    @property
    def targets(self) -> dict[str, Target]:
        """What was asked for and measured, by name."""
        asked = self.case.asked
        rows = (
            ("ratio", self.ratio("default"), asked.ratio, False),
            ("replay ratio", self.ratio("replay"), asked.replay_ratio, False),
            ("ms", self.cpu_ms("default"), asked.ms, False),
            ("replay ms", self.cpu_ms("replay"), asked.replay_ms, False),
            ("first ratio", self.first_ratio, asked.first_ratio, False),
            ("speedup", self.speedup, asked.speedup, True),
            ("peak MiB", self.peak_mib, PEAK_MIB, False),
        )
        return {
            name: Target(
                value=value, asked=limit, larger_is_better=larger, known_gap=asked.known_gaps.get(name)
            )
            for name, value, limit, larger in rows
            if value is not None and limit is not None
        }

    @property
    def wrong(self) -> str | None:
        """Why the row is no figure at all: it failed, or the result is wrong."""
        if self.found is None:
            return self.failure
        if not self.found["correct"]:
            return f"the result is wrong: {self.found['error']}"
        return None if self.found["same"] else "replay gives another result"

    def to_object(self) -> dict[str, Any]:
        """As JSON holds it."""
        targets = {
            name: {
                "value": target.value,
                "asked": target.asked,
                "met": target.met,
                "known_gap": target.known_gap,
            }
            for name, target in self.targets.items()
        }
        return {
            "case": self.case.to_object(),
            "measured": self.found,
            "peak_gflops": self.peak_gflops,
            "ratio": self.ratio("default"),
            "replay_ratio": self.ratio("replay"),
            "speedup": self.speedup,
            "targets": targets,
            "wrong": self.wrong,
            "peer": None if self.peer is None else self.peer.to_object(),
        }

    @classmethod
    def from_object(cls, content: dict[str, Any]) -> Figure:
        """The figure that ``to_object`` gave, without the peer."""
        case = Case(**{**content["case"], "asked": Asked(**content["case"]["asked"])})
        return cls(case=case, found=content["measured"], peak_gflops=content["peak_gflops"])

    def _time(self, mode: str, clock: str) -> float | None:
        measured = (self.found or {}).get("modes", {}).get(mode)
        return None if measured is None else measured.get(clock)
