"""``--trace``: a run in the trace event format that Perfetto and Chrome read.

First the chip: launches, and the load of its NoCs and DRAM. Then one process for each node, row by row, with a track
for each of its processors, on which signposts enclose the activities in them, tracks for the transfers that it issued
on either NoC, and the number of pages in its buffers. Arrows lead from the kernel that ended a wait to the kernel that
waited, and from a transfer to the processor that waited for it. Time is that of the chip's clock.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.emu.claim import CLAIM
from ttl.emu.launch import ChipRun, place_of
from ttl.emu.program import ROLES
from ttl.emu.record import Record
from ttl.emu.trace_names import TraceNames
from ttl.emu.trace_slices import TransferGroup, cuts_of, groups_of, load, slices, texts_of
from ttl.lang.launches import LaunchName
from ttl.rows.dtypes import Array
from ttl.sim.diaries import FIRST_TRANSFER_REASON, WORKS

Event = dict[str, Any]

# Processes and tracks have numbers from 1 on: viewers take 0 for an idle processor.
_CHIP, _FIRST_NODE = 1, 2
_LAUNCHES = 1
# The tracks of a node's NoCs stand below those of its processors; at most ``_LANES`` of a NoC are side by side.
_FIRST_NOC, _LANES = len(ROLES) + 1, 40
# Counters of a launch have a value for so many parts of it at most.
_PARTS = 400


class ChipTrace:
    """Launches one after the other, each where the one before has ended."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._names: dict[tuple[int, int | None], str] = {}
        self._began = 0.0
        self._scale = 1.0
        self._flows = 0
        self._launches = 0

    def add(
        self,
        run: ChipRun,
        chip: Chip,
        description: ProgramDescription | None = None,
        launch: LaunchName | None = None,
    ) -> None:
        """Add a recorded run; ``launch`` names the operation that was called."""
        assert run.record is not None, "the run was not recorded"
        self._scale = 1e6 / chip.clock_hz
        record, names = run.record, TraceNames(run, chip, description)
        self._launch(run, chip, description, launch)
        self._counters(record, run)
        places = [place_of(signpost, run, description) for signpost in record.signposts]
        self._signposts(record, [f"{place.file}:{place.line}" for place in places])
        table, group_of = groups_of(record)
        groups = list(table.rows())
        self._transfers(record, names, groups)
        self._processors(record, names, groups, group_of)
        self._began += run.cycles * self._scale

    def text(self) -> str:
        """The trace as JSON."""
        return json.dumps(
            {
                "displayTimeUnit": "ns",
                "otherData": {"note": CLAIM},
                "traceEvents": [*self._metadata(), *self._events],
            },
            separators=(",", ":"),
            ensure_ascii=False,
        )

    def _metadata(self) -> Iterator[Event]:
        for (process, track), name in sorted(
            self._names.items(), key=lambda item: (item[0][0], item[0][1] or 0)
        ):
            kind, where = (
                ("process", {"pid": process, "tid": 0})
                if track is None
                else ("thread", self._at_track(process, track))
            )
            yield {"ph": "M", "name": f"{kind}_name", **where, "args": {"name": name}}
            yield {"ph": "M", "name": f"{kind}_sort_index", **where, "args": {"sort_index": track or process}}

    def _launch(
        self, run: ChipRun, chip: Chip, description: ProgramDescription | None, launch: LaunchName | None
    ) -> None:
        self._launches += 1
        name = description.name if description is not None else "program"
        number = self._launches if launch is None else launch.number
        self._names[_CHIP, None] = chip.name
        self._names[_CHIP, _LAUNCHES] = "launches"
        where = self._at_track(_CHIP, _LAUNCHES)
        args: dict[str, Any] = {"cycles": run.cycles}
        if launch is not None:
            args["tensors"] = launch.values
        title = f"{name}, launch {number}"
        self._events.append({"ph": "i", "s": "g", "name": title, "cat": "launch", **where, "ts": self._at(0)})
        self._events.append(
            {"ph": "X", "name": title, "cat": "launch", **where, **self._time(0, run.cycles), "args": args}
        )

    # --- processors --------------------------------------------------------------------------------------------

    def _signposts(self, record: Record, places: list[str]) -> None:
        # Signposts come before the activities in them: of two slices that begin at one time, the first encloses the
        # second.
        for begins, ends, name, fiber, _, _ in sorted(
            record.zones.tolist(), key=lambda zone: (zone[0], zone[4])
        ):
            self._events.append(
                {
                    "ph": "X",
                    "name": record.signposts[name].name,
                    "cat": "signpost",
                    **self._of_fiber(fiber),
                    **self._time(begins, ends),
                    "args": {"line": places[name], "cycles": ends - begins},
                }
            )

    def _processors(
        self, record: Record, names: TraceNames, groups: list[TransferGroup], group_of: Array
    ) -> None:
        texts = texts_of(names.lines)
        for number, diary in record.diaries.items():
            core, role = divmod(number, len(ROLES))
            self._names[_FIRST_NODE + core, None] = record.node_name(diary.core)
            self._names[_FIRST_NODE + core, 1 + role] = diary.role
            where = self._of_fiber(number)
            for item in slices(diary, texts, cuts_of(record, number)).rows():
                event: Event = {
                    "ph": "X",
                    "name": names.slice(item.line, item.reason, item.what, item.by),
                    "cat": "work" if item.reason == WORKS else "wait",
                    **where,
                    **self._time(item.begins, item.ends),
                }
                if item.reason == WORKS and item.short:
                    event["args"] = {"waits": item.short}
                self._events.append(event)
                if item.reason == WORKS or item.by < 0:
                    continue
                if item.reason >= FIRST_TRANSFER_REASON:
                    group = groups[int(group_of[item.by])]
                    time = min(max(int(record.transfers["issued"][item.by]), group.begins), group.ends - 1)
                    self._arrow("transfer", self._of_group(group), time, where, item.ends)
                else:
                    self._arrow("hand over", self._of_fiber(item.by), item.since - 1, where, item.ends)

    def _arrow(self, name: str, source: Event, since: int, to: Event, at: int) -> None:
        """Add an arrow from one track to another. Each end belongs to the slice in which its time lies."""
        self._flows += 1
        common = {"id": self._flows, "name": name, "cat": "flow"}
        self._events.append({"ph": "s", **common, **source, "ts": self._at(max(since, 0))})
        self._events.append({"ph": "f", "bp": "e", **common, **to, "ts": self._at(at - 1)})

    # --- transfers ---------------------------------------------------------------------------------------------

    def _transfers(self, record: Record, names: TraceNames, groups: list[TransferGroup]) -> None:
        issued, served, entered = (record.transfers[name] for name in ("issued", "served", "entered"))
        for group in groups:
            first = group.first
            where = self._of_group(group)
            lane = f" ({group.lane + 1})" if group.lane else ""
            self._names[where["pid"], where["tid"] % 100] = f"NoC {group.noc}{lane}"
            near, far = names.ends(first)
            source, target = (far, near) if group.kind == "read" else (near, far)
            how_many = f"{group.transfers} x " if group.transfers > 1 else ""
            if group.kind in ("word", "increment"):
                name = f"semaphore of {target if group.transfers == 1 else f'{group.transfers} nodes'}"
            else:
                name = f"{source} -> {target}, {how_many}{group.size // group.transfers:,} bytes"
            self._events.append(
                {
                    "ph": "X",
                    "name": name,
                    "cat": "transfer",
                    **where,
                    **self._time(group.begins, group.ends),
                    "args": {
                        "line": names.lines[group.line],
                        "waits for its source": int(served[first] - issued[first]),
                        "waits on its way": int(entered[first] - served[first]),
                    },
                }
            )

    def _counters(self, record: Record, run: ChipRun) -> None:
        """Pages in buffers, and bytes a cycle on the NoCs and to and from DRAM."""
        buffers = {buffer.index: buffer.name for buffer in run.program.circular_buffers}
        steps = record.steps[np.argsort(record.steps["clock"], kind="stable")]
        fill: dict[tuple[int, int], int] = {}
        shown: dict[tuple[int, int], int] = {}
        least = run.cycles // _PARTS if len(steps) > _PARTS * len(record.diaries) else 0
        for clock, core, buffer, pages in steps.tolist():
            key = core, buffer
            fill[key] = fill.get(key, 0) + pages
            if key in shown and clock - shown[key] < least:
                continue
            shown[key] = clock
            self._counter(
                _FIRST_NODE + core, buffers.get(buffer, f"buffer {buffer}"), "pages", clock, fill[key]
            )
        transfers = record.transfers[record.transfers["kind"] <= 2]
        edges = np.unique(np.linspace(0, max(run.cycles, 1), _PARTS + 1).astype(np.int64))
        for name, which in (
            ("NoC 0", transfers["noc"] == 0),
            ("NoC 1", transfers["noc"] == 1),
            ("DRAM", transfers["dram"] == 1),
        ):
            if not which.any():
                continue
            own = transfers[which]
            values = load(own["served"].astype(np.int64), own["left"].astype(np.int64), own["size"], edges)
            for time, value in zip(edges.tolist(), [*np.round(values, 1).tolist(), 0.0], strict=True):
                self._counter(_CHIP, name, "bytes a cycle", time, value)

    def _counter(self, process: int, name: str, unit: str, time: int, value: float) -> None:
        self._events.append(
            {"ph": "C", "pid": process, "name": name, "ts": self._at(time), "args": {unit: value}}
        )

    # --- where and when ----------------------------------------------------------------------------------------

    def _of_fiber(self, fiber: int) -> Event:
        core, role = divmod(fiber, len(ROLES))
        return self._at_track(_FIRST_NODE + core, 1 + role)

    def _of_group(self, group: TransferGroup) -> Event:
        track = _FIRST_NOC + group.noc * _LANES + min(group.lane, _LANES - 1)
        return self._at_track(_FIRST_NODE + group.fiber // len(ROLES), track)

    def _at_track(self, process: int, track: int) -> Event:
        # Numbers of threads are those of the machine in this format, not of their process.
        return {"pid": process, "tid": 100 * process + track}

    def _time(self, begins: int, ends: int) -> Event:
        start = self._at(begins)
        return {"ts": start, "dur": round(self._at(ends) - start, 3)}

    def _at(self, cycle: int) -> float:
        return round(self._began + cycle * self._scale, 3)
