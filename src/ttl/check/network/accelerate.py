"""Skips iterations that repeat, with exact results.

At back edges of one kernel, the pacemaker, the state of the machine is taken without the numbers of the iterations:
the position of each kernel, the contents of each buffer and pipe, the order of the kernels. When a state comes again,
and each kernel is further in one of its loops only, everything since then will happen again, as often as all these
loops have iterations left: the steps of kernels do not depend on the numbers. Those periods are skipped at once. (The
machine asks at iterations 4 to 7, 16 to 31 and so on of a loop: where nothing repeats, the search must not cost more
than running the kernels.)
"""

from __future__ import annotations

from dataclasses import dataclass

from ttl.check.network.machine import Machine

_KEPT = 2048
"""The most states that are stored; a machine that shows more without repeating one is no longer accelerated."""


@dataclass(frozen=True, slots=True)
class _Counts:
    """The counters of a machine that only ever grow, at one moment."""

    iterations: tuple[int, ...]
    totals: tuple[tuple[int, ...], ...]


class Accelerator:
    """Watches one machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._seen: dict[object, _Counts] = {}
        self._order = sorted(
            (index for index, process in enumerate(machine.processes) if process.code.depth),
            key=lambda index: -sum(loops[0] for loops in machine.processes[index].code.loops if loops),
        )
        self.pacemaker = -1
        self.skipped = 0
        """The number of pacemaker iterations that were not played."""
        self.choose()

    def choose(self) -> None:
        """Choose the next pacemaker: of the kernels that have not ended, the one with most iterations."""
        done = self._machine.done
        while self._order and done[self._order[0]]:
            self._order.pop(0)
        self.pacemaker = self._order[0] if self._order else -1
        self._seen.clear()

    def stop(self) -> None:
        """Skip no more iterations."""
        self.pacemaker = -1
        self._order.clear()
        self._seen.clear()

    def back_edge(self, depth: int) -> int:
        """Note that the pacemaker begins another iteration, within ``depth`` loops; return how many steps that cost."""
        machine = self._machine
        if len(self._seen) > _KEPT:
            self.stop()
            return 0
        state = self._state()
        offset = machine.offsets[self.pacemaker]
        iterations = machine.iterations[offset : offset + depth]
        now = _Counts(tuple(machine.iterations), tuple(tuple(numbers) for numbers in self._growing()))
        skipped = False
        for level in range(depth):
            key = (state, level, *iterations[:level], *iterations[level + 1 :])
            before = self._seen.get(key)
            if before is not None and not skipped:
                skipped = self._skip(before, now)
            self._seen[key] = now
        return 8 + len(machine.at)

    def _state(self) -> object:
        machine = self._machine
        return (
            tuple(machine.at),
            tuple(machine.space),
            tuple(machine.full),
            tuple(machine.reading),
            tuple(machine.ready),
            tuple(machine.following),
            machine.unstarted,
            tuple(map(int.__sub__, machine.sent, machine.left)),
            tuple(machine.missing),
            tuple(map(int.__sub__, machine.started, machine.got)),
            tuple(machine.left[pipe] - machine.got[end] for (pipe, _), end in machine.end_of.items()),
            tuple(map(tuple, machine.receivers)),
            tuple(machine.values),
            tuple((semaphore, *processes) for semaphore, processes in machine.waiting.items()),
        )

    def _growing(self) -> tuple[list[int], ...]:
        machine = self._machine
        return (machine.pushed, machine.waited, machine.sent, machine.left, machine.started, machine.got)

    def _skip(self, before: _Counts, now: _Counts) -> bool:
        """Skip as many periods at once as remain. Returns False if no period remains, or the state does not repeat."""
        machine = self._machine
        times: int | None = None
        advanced: list[tuple[int, int]] = []
        position = 0
        for process, played in enumerate(machine.processes):
            depth = played.code.depth
            if before.iterations[position : position + depth] != now.iterations[position : position + depth]:
                loops = played.code.loops[machine.at[process]]
                number = 0
                for level in range(depth):
                    step = now.iterations[position + level] - before.iterations[position + level]
                    if not step:
                        continue
                    number += 1
                    if number > 1 or step < 0 or level >= len(loops):
                        return False
                    left = (loops[level] - 1 - now.iterations[position + level]) // step
                    times = left if times is None else min(times, left)
                    advanced.append((position + level, step))
            position += depth
        if not times:
            return False
        for iteration, step in advanced:
            machine.iterations[iteration] += times * step
        for numbers, first, last in zip(self._growing(), before.totals, now.totals, strict=True):
            for index, (one, other) in enumerate(zip(first, last, strict=True)):
                if one != other:
                    numbers[index] += times * (other - one)
        self.skipped += times
        return True
