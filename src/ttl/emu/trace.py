"""``--trace``: a run in the trace event format that Perfetto and Chrome read.

One process for each node with a track for each of its processors, on which signposts lie around what happens in them, one for each NoC of each node with the transfers
that it issued, and arrows from whoever ended a wait to the one who waited. Time is that of the chip's clock.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.emu.claim import CLAIM
from ttl.emu.launch import Run, place_of
from ttl.emu.program import ROLES
from ttl.emu.record import FIRST_TRANSFER_REASON, KINDS, WAITS, WORKS, Record

Event = dict[str, Any]

# Tracks of a node's NoCs stand below those of its processors.
_FIRST_NOC = len(ROLES)
# Waits shorter than this, in cycles, get no arrow: they are too many to be of use.
_SHORTEST_ARROW = 100


class ChipTrace:
    """Launches one after the other, each where the one before has ended."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._names: dict[tuple[int, int | None], str] = {}
        self._began = 0.0
        self._flows = 0

    def add(self, run: Run, chip: Chip, description: ProgramDescription | None = None) -> None:
        """Add a recorded run."""
        assert run.record is not None, "the run was not recorded"
        scale = 1e6 / chip.clock_hz
        labels = []
        for line in run.record.lines:
            place = place_of(line, run, description)
            labels.append((place.kernel, f"{place.file}:{place.line}"))
        places = [place_of(signpost, run, description) for signpost in run.record.signposts]
        self._signposts(run.record, [f"{place.file}:{place.line}" for place in places], scale)
        self._processors(run.record, labels, scale)
        self._transfers(run.record, labels, scale)
        self._began += run.cycles * scale

    def text(self) -> str:
        """The trace as JSON."""
        return json.dumps(
            {
                "displayTimeUnit": "ns",
                "otherData": {"note": CLAIM},
                "traceEvents": [*self._metadata(), *self._events],
            }
        )

    def _metadata(self) -> Iterator[Event]:
        for (process, track), name in sorted(
            self._names.items(), key=lambda item: (item[0][0], item[0][1] or -1)
        ):
            kind = "process_name" if track is None else "thread_name"
            yield {"ph": "M", "name": kind, "pid": process, "tid": track or 0, "args": {"name": name}}

    def _signposts(self, record: Record, places: list[str], scale: float) -> None:
        # Before what happens in them: of two that begin at one time the first is around the other.
        for begins, ends, name, fiber, _, _ in sorted(
            record.zones.tolist(), key=lambda zone: (zone[0], zone[4])
        ):
            process, track = divmod(fiber, len(ROLES))
            self._events.append(
                {
                    "ph": "X",
                    "name": record.signposts[name].name,
                    "cat": "signpost",
                    "pid": process,
                    "tid": track,
                    "ts": self._at(begins, scale),
                    "dur": (ends - begins) * scale,
                    "args": {"line": places[name], "cycles": ends - begins},
                }
            )

    def _processors(self, record: Record, labels: list[tuple[str, str]], scale: float) -> None:
        for number, diary in record.diaries.items():
            process, track = divmod(number, len(ROLES))
            x, y = diary.core
            self._names[process, None] = f"node ({x}, {y})"
            self._names[process, track] = diary.role
            for span in diary.spans.tolist():
                begins, ends, since, line, by, reason, _ = span
                kernel, place = labels[line]
                name = kernel if reason == WORKS else f"waits for {WAITS.get(reason, 'something')}"
                self._events.append(
                    {
                        "ph": "X",
                        "name": name,
                        "cat": "work" if reason == WORKS else "wait",
                        "pid": process,
                        "tid": track,
                        "ts": self._at(begins, scale),
                        "dur": (ends - begins) * scale,
                        "args": {"line": place, "cycles": ends - begins},
                    }
                )
                if reason != WORKS and by >= 0 and ends - begins >= _SHORTEST_ARROW:
                    if reason >= FIRST_TRANSFER_REASON:
                        self._arrow_of_transfer(record, by, number, ends, scale)
                    else:
                        self._arrow(by, since, number, ends, scale)

    def _transfers(self, record: Record, labels: list[tuple[str, str]], scale: float) -> None:
        for number, transfer in enumerate(record.transfers):
            process, _ = divmod(int(transfer["fiber"]), len(ROLES))
            noc = int(transfer["noc"])
            track = _FIRST_NOC + noc
            self._names[process, track] = f"NoC {noc}"
            kernel, place = labels[int(transfer["line"])]
            kind = f"{KINDS[int(transfer['kind'])]} {int(transfer['size'])}"
            common = {"cat": "transfer", "pid": process, "tid": track, "id": number, "name": kind}
            begins = self._at(int(transfer["issued"]), scale)
            self._events.append(
                {
                    **common,
                    "ph": "b",
                    "ts": begins,
                    "args": {
                        "kernel": kernel,
                        "line": place,
                        "from": _place(int(transfer["from"])),
                        "to": _place(int(transfer["to"])),
                        "hops": int(transfer["hops"]),
                        "waits for its source": int(transfer["served"]) - int(transfer["issued"]),
                        "waits on its way": int(transfer["entered"]) - int(transfer["served"]),
                    },
                }
            )
            self._events.append({**common, "ph": "e", "ts": self._at(int(transfer["arrives"]), scale)})

    def _arrow_of_transfer(self, record: Record, transfer: int, to: int, at: int, scale: float) -> None:
        result = record.transfers[transfer]
        fiber = int(result["fiber"])
        if fiber != to:
            self._arrow(fiber, int(result["issued"]), to, at, scale)

    def _arrow(self, source: int, since: int, to: int, at: int, scale: float) -> None:
        self._flows += 1
        for phase, number, time in (("s", source, since), ("f", to, at)):
            process, track = divmod(number, len(ROLES))
            # An arrow belongs to the span that its time lies in.
            time = max(time - 1, 0)
            self._events.append(
                {
                    "ph": phase,
                    "bp": "e",
                    "id": self._flows,
                    "name": "hand over",
                    "cat": "flow",
                    "pid": process,
                    "tid": track,
                    "ts": self._at(time, scale),
                }
            )

    def _at(self, cycle: int, scale: float) -> float:
        return self._began + cycle * scale


def _place(packed: int) -> str:
    return f"({packed >> 8}, {packed & 255})"
