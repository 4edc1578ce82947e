"""Kernels of TT-NN and compiled programs, on the same tensors, in cycles of the emulated chip."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ttl.arch import Chip, chip_named
from ttl.codegen.description import ProgramDescription
from ttl.emu import Run, rectangle
from ttl.emu.profile import Profile, profile

import compiled
import handwritten

ASKED = 0.95
"""Of the speed of the kernels written by hand (issue 6)."""
_GRID = (8, 8)
# What TT-NN's kernels keep between two steps: as narrow as the tensors, or as the compiled ones do.
_BETWEEN: tuple[tuple[handwritten.Between, str], ...] = (
    ("bfloat16", ""),
    ("float32", ", theirs with float32 in between"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """One operation both ways. Of several ways to cut it into blocks, the fastest counts, on either side."""

    name: str
    theirs: Sequence[Callable[[], Run]]
    ours: Sequence[Callable[[], Any]]
    why: str = ""
    """What the difference comes from, where ours is slower."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What both took."""

    name: str
    theirs: Profile
    ours: Profile
    why: str

    @property
    def speed(self) -> float:
        """Ours over theirs: 1 is as fast."""
        return self.theirs.cycles / self.ours.cycles


def outcomes() -> Iterator[Outcome]:
    """Run every pair."""
    record = chip_named("wormhole")
    for pair in _pairs(record):
        theirs = min((run() for run in pair.theirs), key=lambda run: run.cycles)
        launches = [compiled.launched(make()) for make in pair.ours]
        description, run, _ = min(launches, key=_cycles)
        yield Outcome(
            name=pair.name,
            theirs=profile(theirs, record, name=pair.name),
            ours=profile(run, record, description),
            why=pair.why,
        )


def _cycles(launch: tuple[ProgramDescription, Run, Chip]) -> int:
    return launch[1].cycles


def _pairs(record: Chip) -> list[Pair]:
    import layernorm
    import matmul
    import matmul_multicast
    import softmax

    cores = rectangle(*_GRID)

    def blocks(tiles: int, k: int) -> handwritten.Blocks:
        return handwritten.Blocks(m=tiles, n=tiles, k=k, sub_m=2, sub_n=min(tiles, 4))

    def multicast(size: int) -> Pair:
        tiles = size // 32 // 8
        return Pair(
            name=f"matmul {size}, two-dimensional multicast",
            theirs=[
                lambda k=k: handwritten.matmul_multicast(record, (size,) * 3, _GRID, blocks(tiles, k))[0]
                for k in (2, 4, 8)
            ],
            ours=[
                lambda k=k: matmul_multicast.prepare(size=size, grid=_GRID, block=(tiles, tiles, k))
                for k in (2, 4, 8)
            ],
        )

    rows = (4096, 1024)
    return [
        Pair(
            name="a + b, 2048 x 2048",
            theirs=[lambda: handwritten.binary(record, "add", 4096, cores)[0]],
            ours=[lambda block=block: compiled.sum_of(2048, 2048, _GRID, block) for block in (1, 2)],
        ),
        Pair(
            name="matmul 512, every node for itself",
            theirs=[lambda: handwritten.matmul(record, (512,) * 3, cores)[0]],
            ours=[
                lambda block=block: matmul.prepare(size=512, grid=_GRID, block=block)
                for block in ((1, 1, 1), (1, 1, 4), (2, 2, 4))
            ],
        ),
        multicast(512),
        multicast(1024),
        *(
            Pair(
                name="softmax of rows, 4096 x 1024" + suffix,
                theirs=[lambda between=between: handwritten.softmax(record, rows, cores, between=between)[0]],
                ours=[lambda: softmax.prepare(rows=rows[0], cols=rows[1], grid=_GRID)],
                why="A block of the program is a row of tiles: mathematics begins when the whole row has been read, where "
                "TT-NN's kernels find the largest element of eight tiles while the next eight are read. What is carried from "
                "one step to the next is packed as float32, which takes twice as long.",
            )
            for between, suffix in _BETWEEN
        ),
        *(
            Pair(
                name="layernorm of rows, 4096 x 1024" + suffix,
                theirs=[
                    lambda between=between: handwritten.layernorm(record, rows, cores, between=between)[0]
                ],
                ours=[lambda: layernorm.prepare(rows=rows[0], cols=rows[1], grid=_GRID)],
            )
            for between, suffix in _BETWEEN
        ),
    ]


def table(found: Sequence[Outcome]) -> str:
    """As Markdown: cycles, speed, and what is on the critical path of either."""
    rows = [
        "| operation, 64 nodes of wormhole | TT-NN's kernels | compiled | speed |",
        "| --- | ---: | ---: | ---: |",
    ]
    rows += [
        f"| {each.name} | {each.theirs.cycles:,} | {each.ours.cycles:,} | {100 * each.speed:.0f} % |"
        for each in found
    ]
    slow = [each for each in found if each.speed < 1 and (each.why or each.speed < ASKED)]
    parts = ["\n".join(rows)]
    for each in slow:
        parts.append(_gap(each))
    return "\n\n".join(parts)


def _gap(outcome: Outcome) -> str:
    """Where the cycles are that one has and the other has not, and the lines of ours with most of them."""
    resources = dict.fromkeys([*outcome.ours.path, *outcome.theirs.path])
    differences = {
        resource: outcome.ours.path.get(resource, 0) - outcome.theirs.path.get(resource, 0)
        for resource in resources
    }
    lost = outcome.ours.cycles - outcome.theirs.cycles
    parts = ", ".join(
        f"{resource} {cycles:+,}"
        for resource, cycles in sorted(differences.items(), key=lambda item: -item[1])
        if abs(cycles) * 20 >= lost
    )
    lines = sorted(outcome.ours.lines.items(), key=lambda item: -item[1].path)[:5]
    shown = [
        f"**{outcome.name}**: {lost:,} cycles more. {outcome.why} On the critical path: {parts}. The lines with "
        "most of ours:",
        "",
    ]
    shown += ["| cycles | line |", "| ---: | --- |"]
    for place, cost in lines:
        shown.append(f"| {cost.path:,} | `{_text(place.file, place.line)}` |")
    return "\n".join(shown)


def _text(file: str, line: int) -> str:
    import linecache
    import os

    text = linecache.getline(file, line).strip()
    return text or f"{os.path.basename(file)}:{line}"
