"""Kernels written by hand and compiled programs, on the same tensors, in cycles of the emulated chip."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import attention
from ttl import settings
from ttl.arch import Chip, chip_named
from ttl.codegen.description import ProgramDescription
from ttl.emu import Run, rectangle
from ttl.emu.profile import Profile, profile

import compiled
import handwritten

ASKED = 1.0
"""Of the speed of the kernels written by hand, with the compile options that were found."""
_GRID = (8, 8)
_NARROW = 2.0**-6
"""Largest relative error where values in the registers have 16 bits, as those of the kernels written by hand do: these are 0.0095
from the exact product of 1024, and 0.0119 from exact attention, and so are the compiled ones."""
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
    tuned: str = ""
    """Compile options, found by trying: results are rounded no more than theirs are."""
    why: str = ""
    """What the difference comes from, where ours is slower."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What both took; ``tuned``: ours with the compile options, or without where there are none."""

    name: str
    theirs: Profile
    ours: Profile
    tuned: Profile
    options: str
    why: str

    @property
    def speed(self) -> float:
        """Ours, as the compiler chooses, over theirs: 1 is as fast."""
        return self.theirs.cycles / self.ours.cycles

    @property
    def tuned_speed(self) -> float:
        """Ours with the compile options over theirs."""
        return self.theirs.cycles / self.tuned.cycles


def outcomes() -> Iterator[Outcome]:
    """Run every pair."""
    record = chip_named("wormhole")
    for pair in _pairs(record):
        theirs = min((run() for run in pair.theirs), key=lambda run: run.cycles)
        ours = _fastest(record, pair.ours, "")
        yield Outcome(
            name=pair.name,
            theirs=profile(theirs, record, name=pair.name),
            ours=ours,
            tuned=_fastest(record, pair.ours, pair.tuned) if pair.tuned else ours,
            options=pair.tuned,
            why=pair.why,
        )


def _fastest(record: Chip, programs: Sequence[Callable[[], Any]], options: str) -> Profile:
    """The fastest of several ways to cut an operation into blocks."""
    given = (_NARROW,) if "registers=16" in options else ()
    with settings.override(compile_option=options):
        launches = [compiled.launched(make(), *given) for make in programs]
    description, run, _ = min(launches, key=_cycles)
    return profile(run, record, description)


def _cycles(launch: tuple[ProgramDescription, Run, Chip]) -> int:
    return launch[1].cycles


def _pairs(record: Chip) -> list[Pair]:
    import flash_attention
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
            tuned="registers=16 protocol.a_net=eager protocol.b_net=eager",
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
                tuned="arrivals.x_dfb=16 subblock.1=1x2 " + narrower,
                why="A block of the program is a row of tiles, and all of it is read before mathematics begins, where TT-NN's kernels "
                "find the largest element of eight tiles while the next eight are read; `arrivals` does that. What is carried from one step to the "
                "next is packed as float32, which takes twice as long.",
            )
            for between, suffix, narrower in ((*_BETWEEN[0], "narrow=3"), (*_BETWEEN[1], "narrow=0"))
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
        *(
            Pair(
                name="flash attention, 8 heads of 1024 x 64" + suffix,
                theirs=[
                    lambda keys=keys: attention.flash_attention(
                        record,
                        (8, 1024, 64),
                        cores,
                        attention.Chunks(queries=4, keys=keys),
                        part=2,
                        together=2,
                    )[0]
                    for keys in (8, 16)
                ],
                ours=[
                    lambda first_apart=first_apart: flash_attention.prepare(
                        heads=8,
                        sequence=1024,
                        head_dim=64,
                        grid=_GRID,
                        query_tiles=4,
                        key_tiles=16,
                        first_apart=first_apart,
                    )
                ],
                tuned="registers=16 arrivals.q_dfb=4 arrivals.k_dfb=8 arrivals.v_dfb=4 " + shapes,
                why="By hand, the first block of keys is not rescaled. The compiler cannot leave that out of a loop: zero times what the "
                "rescaling is of a first block is zero only where that is a number.",
            )
            for first_apart, suffix, shapes in (
                (True, "", "subblock.1=4x1 subblock.3=1x2 subblock.7=2 subblock.8=1x2 subblock.11=1x2"),
                (
                    False,
                    ", all blocks of keys in one loop",
                    "subblock.4=4x1 subblock.5=2x1 subblock.6=2 subblock.7=1x2 subblock.10=3 subblock.11=1x2",
                ),
            )
        ),
    ]


def table(found: Sequence[Outcome]) -> str:
    """As Markdown: cycles, speed, and what is on the critical path of either."""
    rows = [
        "| operation, 64 nodes of wormhole | by hand | compiled | speed | tuned | speed |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    rows += [
        f"| {each.name} | {each.theirs.cycles:,} | {each.ours.cycles:,} | {100 * each.speed:.0f} % | {_tuned(each)} |"
        for each in found
    ]
    rows += ["", "Tuned with these compile options:", ""]
    rows += [f"- {each.name}: `{each.options}`" for each in found if each.options]
    slow = [each for each in found if each.tuned_speed < ASKED and each.why]
    parts = ["\n".join(rows)]
    for each in slow:
        parts.append(_gap(each))
    return "\n\n".join(parts)


def _tuned(outcome: Outcome) -> str:
    return f"{outcome.tuned.cycles:,} | {100 * outcome.tuned_speed:.1f} %" if outcome.options else "|"


def _gap(outcome: Outcome) -> str:
    """Where the cycles are that the tuned one has and the one by hand has not, and the lines of ours with most of them."""
    resources = dict.fromkeys([*outcome.tuned.path, *outcome.theirs.path])
    differences = {
        resource: outcome.tuned.path.get(resource, 0) - outcome.theirs.path.get(resource, 0)
        for resource in resources
    }
    lost = outcome.tuned.cycles - outcome.theirs.cycles
    parts = ", ".join(
        f"{resource} {cycles:+,}"
        for resource, cycles in sorted(differences.items(), key=lambda item: -item[1])
        if abs(cycles) * 20 >= lost
    )
    lines = sorted(outcome.tuned.lines.items(), key=lambda item: -item[1].path)[:5]
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
