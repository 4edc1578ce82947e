"""The facts about a recorded run that rules ask for: by tensor, by buffer, by line of the user's program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.codegen.variants import BufferChoice, Choices
from ttl.emu.advice.traffic import nodes_of
from ttl.emu.critical import Path, critical_path
from ttl.emu.launch import ChipRun, place_of
from ttl.emu.program import CircularBuffer, Core, KernelLine
from ttl.emu.record import Record
from ttl.rows.dtypes import Array
from ttl.sim.diaries import READS, SPACE, WORKS, WRITES


@dataclass(frozen=True, kw_only=True, slots=True)
class BufferUse:
    """The use of a circular buffer on all nodes together."""

    buffer: CircularBuffer
    blocks: int
    """The blocks that the busiest node pushed."""
    block_pages: int
    """Pages of a block: as the program defines it, else the most frequent number of pages in a push.

    The packer may push a part of a block.
    """
    choice: BufferChoice | None
    """The program's definition of the buffer; None where no choice of the compiler is known for it."""
    fullest: int
    """Most pages that were in it at any time on any node."""
    space_waits: float
    """Cycles in which a producer waited for room, the mean over the nodes."""
    reserved_at: int | None
    """Number of the line that waited for room longest."""

    @property
    def shown(self) -> str:
        """The buffer's name in the program."""
        return self.buffer.name if self.choice is None else self.choice.shown

    @property
    def is_users(self) -> bool:
        """Whether the program defines the buffer; otherwise the compiler added it."""
        return self.buffer.unwanted and not self.buffer.stays

    @property
    def block_count(self) -> int:
        """The number of blocks that the buffer has room for."""
        return max(self.buffer.pages // max(self.block_pages, 1), 1)


class RunFacts:
    """The facts about a recorded run that rules use."""

    def __init__(
        self,
        run: ChipRun,
        chip: Chip,
        description: ProgramDescription | None = None,
        choices: Choices | None = None,
    ) -> None:
        assert run.record is not None, "the run was not recorded"
        self.run, self.chip, self.description, self.choices = run, chip, description, choices
        self.record: Record = run.record
        self.cycles = run.cycles
        self.places = [place_of(line, run, description) for line in self.record.lines]

    @cached_property
    def path(self) -> Path:
        """The critical path."""
        return critical_path(self.record, self.chip)

    @cached_property
    def fixed(self) -> int:
        """Cycles that no change of the program saves: those of the launch and of setting kernels up."""
        return self.chip.costs.before_reads + self.chip.costs.startup.value

    @cached_property
    def cores(self) -> tuple[Core, ...]:
        """The nodes of the launch."""
        return tuple(dict.fromkeys(diary.core for diary in self.record.diaries.values()))

    @cached_property
    def least(self) -> int:
        """The fewest cycles that the same transfers take on any number of nodes, with DRAM at its peak rate."""
        transfers = self.record.transfers
        return int(transfers["size"][transfers["dram"] == 1].sum() / self.chip.dram_bytes_per_cycle)

    def path_of(self, lines: Iterable[int] = (), transfers: Iterable[int] = ()) -> int:
        """Cycles of the critical path that are work at some lines, or spent on some transfers."""
        at, on = set(lines), set(transfers)
        return sum(
            step.ends - step.begins
            for step in self.path.steps
            if (step.transfer in on if step.transfer >= 0 else step.line in at)
        )

    def on_path(self, line: int, role: str) -> float:
        """The share of the work of a role's processors for a user's line that is on the critical path."""
        place = self.places[line]
        path, busy = self._by_place
        return min(1.0, path.get((place, role), 0) / max(busy.get((place, role), 0), 1))

    @cached_property
    def _by_place(self) -> tuple[dict[tuple[KernelLine, str], int], dict[tuple[KernelLine, str], float]]:
        """Work on the critical path, and of a node on the mean, by line of the program and role."""
        path: defaultdict[tuple[KernelLine, str], int] = defaultdict(int)
        busy: defaultdict[tuple[KernelLine, str], float] = defaultdict(float)
        roles = [line.role for line in self.record.lines]
        for step in self.path.steps:
            if step.transfer < 0 and step.resource not in ("launch", "synchronisation", "links"):
                path[self.places[step.line], roles[step.line]] += step.ends - step.begins
        for diary in self.record.diaries.values():
            spans = diary.spans[diary.spans["reason"] == WORKS]
            took = np.bincount(spans["line"], spans["ends"] - spans["begins"], len(roles))
            for line in np.flatnonzero(took).tolist():
                busy[self.places[line], roles[line]] += float(took[line]) / len(self.cores)
        return dict(path), dict(busy)

    def path_share(self, *resources: str) -> float:
        """The share of the critical path that some resources have."""
        by_resource = self.path.by_resource()
        return sum(by_resource.get(name, 0) for name in resources) / max(self.cycles, 1)  # type: ignore[call-overload]

    def users(self, lines: Iterable[int]) -> tuple[KernelLine, ...]:
        """The lines of the user's program for some numbers of lines, in their order, each once.

        Lines of C++ are left out, unless there are no others.
        """
        places = dict.fromkeys(self.places[line] for line in lines)
        own = [place for place in places if not place.file.endswith(".cpp")]
        return tuple(own or places)

    # --- transfers ---------------------------------------------------------------------------------------------

    @cached_property
    def tensors(self) -> Mapping[str, Array]:
        """Transfers that read or write a tensor, by its name: their numbers."""
        transfers = self.record.transfers
        result = {}
        for tensor in self.run.tensors:
            inside = (transfers["there"] >= tensor.begin) & (transfers["there"] < tensor.end)
            inside &= (transfers["dram"] == 1) == tensor.dram
            # Words of semaphores lie in no tensor.
            inside &= transfers["kind"] <= 2
            numbers = np.flatnonzero(inside)
            if len(numbers):
                result[tensor.name] = numbers
        return result

    def issued_at(self, transfers: Array) -> list[int]:
        """Numbers of the lines that issued some transfers, the one with most bytes first."""
        taken = self.record.transfers[transfers]
        sums: defaultdict[int, int] = defaultdict(int)
        for line, size in zip(taken["line"].tolist(), taken["size"].tolist(), strict=True):
            sums[line] += size
        return sorted(sums, key=lambda line: (-sums[line], line))

    @cached_property
    def busy_cores(self) -> frozenset[int]:
        """Nodes that pushed a block, as ``x << 16 | y``; where there are no blocks, nodes that transferred data."""
        own = [use.buffer.index for use in self.buffers if use.is_users]
        if own:
            numbers = np.unique(self.record.steps["core"][np.isin(self.record.steps["buffer"], own)])
            columns = self.chip.max_grid[0]
            return frozenset((core % columns) << 16 | core // columns for core in numbers.tolist())
        transfers = self.record.transfers
        moved = np.flatnonzero((transfers["kind"] <= 2) & (transfers["size"] > 4))
        return frozenset(np.unique(nodes_of(self.record, moved)).tolist() if len(moved) else ())

    @cached_property
    def busiest(self) -> float:
        """The share of the cycles in which the busiest bank of DRAM, or link, carries something."""
        most = max(int(self.record.banks.max(initial=0)), int(self.record.links.max(initial=0)))
        return min(most / max(self.cycles, 1), 1.0)

    @cached_property
    def sends(self) -> bool:
        """Whether nodes wait for single other nodes: for blocks, or for semaphores that no multicast needs."""
        transfers = self.record.transfers
        unicasts = (transfers["kind"] == 1) & (transfers["dram"] == 0) & (transfers["size"] > 4)
        words = (transfers["kind"] > 2) & (transfers["from"] != transfers["to"])
        return bool(unicasts.any() or (words.any() and not (transfers["kind"] == 2).any()))

    @cached_property
    def written(self) -> frozenset[int]:
        """The numbers of the circular buffers from which data are written to a tensor."""
        transfers = self.record.transfers
        numbers = [which for which in self.tensors.values() if len(which)]
        written = np.concatenate(numbers) if numbers else np.empty(0, np.int64)
        here = transfers["here"][written][transfers["kind"][written] == 1]
        return frozenset(
            buffer.index
            for buffer in self.run.program.circular_buffers
            if buffer.base is not None
            and bool(((here >= buffer.base) & (here < buffer.base + buffer.pages * buffer.page_bytes)).any())
        )

    # --- buffers -----------------------------------------------------------------------------------------------

    @cached_property
    def buffers(self) -> tuple[BufferUse, ...]:
        """The circular buffers into which pages were pushed, without those whose memory is a tensor's."""
        steps, result = self.record.steps, []
        choices = {} if self.choices is None else {choice.name: choice for choice in self.choices.buffers}
        waits = self._waits()
        for buffer in self.run.program.circular_buffers:
            own = steps[steps["buffer"] == buffer.index]
            pushed = own["pages"][own["pages"] > 0]
            in_tensor = any(
                not place.dram and buffer.base is not None and place.begin <= buffer.base < place.end
                for place in self.run.tensors
            )
            if not len(pushed) or in_tensor:
                continue
            sizes, counts = np.unique(pushed, return_counts=True)
            choice = choices.get(buffer.name)
            block = int(sizes[counts.argmax()]) if choice is None else choice.pages
            lines = waits.get(buffer.index, {})
            result.append(
                BufferUse(
                    buffer=buffer,
                    blocks=int(np.bincount(own["core"], np.maximum(own["pages"], 0)).max()) // block,
                    block_pages=block,
                    choice=choice,
                    fullest=_fullest(own),
                    space_waits=sum(lines.values()) / len(self.cores),
                    reserved_at=max(lines, key=lines.__getitem__, default=None),
                )
            )
        return tuple(result)

    def _waits(self) -> dict[int, dict[int, int]]:
        """By buffer: cycles of waiting for room in it, line by line."""
        result: dict[int, dict[int, int]] = {}
        for diary in self.record.diaries.values():
            spans = diary.spans[diary.spans["reason"] == SPACE]
            took = (spans["ends"] - spans["begins"]).astype(np.int64)
            kinds, which = np.unique(np.stack([spans["what"], spans["line"]]), axis=1, return_inverse=True)
            sums = np.bincount(which.reshape(-1), took, kinds.shape[1])
            for (what, line), cycles in zip(kinds.T.tolist(), sums.tolist(), strict=True):
                lines = result.setdefault(what, {})
                lines[line] = lines.get(line, 0) + int(cycles)
        return result

    # --- waits for transfers -----------------------------------------------------------------------------------

    @cached_property
    def barriers(self) -> Mapping[tuple[int, int], BarrierWaits]:
        """Waits for transfers, by line and reason."""
        sums: dict[tuple[int, int], list[float]] = {}
        transfers = self.record.transfers
        fibers = transfers["fiber"]
        order = np.argsort(fibers, kind="stable")
        starts = np.searchsorted(fibers[order], [*self.record.diaries])
        stops = np.searchsorted(fibers[order], [*self.record.diaries], "right")
        for diary, start, stop in zip(self.record.diaries.values(), starts, stops, strict=True):
            for reason in (READS, WRITES):
                spans = diary.spans[diary.spans["reason"] == reason]
                if not len(spans) or start == stop:
                    continue
                numbers = order[start:stop]
                own = transfers[numbers]
                kinds = own["kind"] == 0 if reason == READS else (own["kind"] == 1) | (own["kind"] == 2)
                numbers, own = numbers[kinds], own[kinds]
                bytes_until = np.concatenate([[0], np.cumsum(own["size"].astype(np.int64))])
                count_until = np.searchsorted(own["issued"], spans["begins"], "right")
                in_flight = np.diff(bytes_until[count_until], prepend=0)
                for line, before, flown, took in zip(
                    spans["line"].tolist(),
                    np.diff(count_until, prepend=0).tolist(),
                    in_flight.tolist(),
                    (spans["ends"] - spans["begins"]).tolist(),
                    strict=True,
                ):
                    known = sums.setdefault((line, reason), [0, 0, 0, 0])
                    for at, amount in enumerate((1, before, flown, took)):
                        known[at] += amount
        return {
            key: BarrierWaits(times=int(times), transfers=int(count), flown=int(flown), cycles=int(took))
            for key, (times, count, flown, took) in sums.items()
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class BarrierWaits:
    """Waits for transfers at a line, on all nodes."""

    times: int
    transfers: int
    """The transfers that were under way."""
    flown: int
    """The bytes of these transfers."""
    cycles: int


def _fullest(steps: Array) -> int:
    """Return the most pages that were in a buffer of any node; at equal clocks, pages that are taken count first."""
    most = 0
    for core in np.unique(steps["core"]):
        own = steps[steps["core"] == core]
        order = np.lexsort((own["pages"], own["clock"]))
        most = max(most, int(np.cumsum(own["pages"][order]).max(initial=0)))
    return most
