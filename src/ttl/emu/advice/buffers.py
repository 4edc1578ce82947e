"""Rules about how many blocks buffers have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ttl.diag.words import counted, listed
from ttl.emu.advice.facts import BufferUse, RunFacts
from ttl.emu.advice.piece import Advice
from ttl.emu.advice.trial import TrialRun, Trials
from ttl.emu.program import KernelLine

# The least waits of a producer that are examined, and the largest change of a run that does not count, as shares of its
# cycles.
_SHARE, _SAME = 0.04, 0.005
# The least that a smaller buffer has to save to be mentioned: a share of a node's L1.
_WORTH = 0.05
_MOST_BUFFERS = 3


def more_blocks(facts: RunFacts, trials: Trials | None) -> Iterator[Advice]:
    """Advise more blocks for buffers whose producer waits for room, while the consumer waits at other times."""
    if trials is None:
        return
    full = [
        use
        for use in facts.buffers
        if use.is_users and use.space_waits >= _SHARE * facts.cycles and use.blocks > 1
    ]
    full = sorted(full, key=lambda use: -use.space_waits)[:_MOST_BUFFERS]
    pages = {use.buffer.name: use.buffer.pages + use.block_pages for use in full}
    free = facts.chip.l1_available_bytes - trials.description.l1_bytes
    if not full or sum(use.block_pages * use.buffer.page_bytes for use in full) > free:
        return
    result = trials.with_blocks(pages)
    if result is None or not _saves(facts, result):
        return
    # Leave out buffers that are not needed for the gain, those with the shortest waits first.
    for use in reversed(full):
        if len(pages) == 1:
            break
        fewer = {name: count for name, count in pages.items() if name != use.buffer.name}
        without = trials.with_blocks(fewer)
        if without is not None and without.cycles <= result.cycles * (1 + _SAME):
            pages, result = fewer, without
    uses = [use for use in full if use.buffer.name in pages]
    waits = listed(
        f"{use.space_waits:,.0f} of {facts.cycles:,} cycles for room in {use.shown}, which has {counted(use.block_count, 'block')}"
        for use in uses
    )
    yield Advice(
        name="more-blocks",
        sentence=f"a producer waits {waits}",
        change="; ".join(
            f"give {use.shown} block_count={pages[use.buffer.name] // use.block_pages} "
            f"({use.block_pages * use.buffer.page_bytes:,} bytes more of L1)"
            for use in uses
        ),
        lines=_lines(facts, uses),
        cycles=facts.cycles - result.cycles,
        basis="emulated",
        how=f"{result.cycles:,} cycles with this change",
    )


def fewer_blocks(facts: RunFacts, trials: Trials | None) -> Iterator[Advice]:
    """Advise fewer blocks for buffers that never need some of theirs."""
    if trials is None:
        return
    least = facts.chip.l1_available_bytes * _WORTH
    pages: dict[str, int] = {}
    for use in facts.buffers:
        # A buffer that had room for all its blocks says nothing about the needs of a longer run.
        if use.blocks <= use.block_count:
            continue
        needed = -(-use.fullest // use.block_pages)
        if use.is_users and use.block_count > 1 and not use.space_waits and _gives(use, needed) >= least / 4:
            pages[use.buffer.name] = max(needed, 1) * use.block_pages
    saved = _saved(facts, pages)
    if saved < least:
        return
    result = trials.with_blocks(pages)
    if result is None or result.deviation.differ or result.cycles > facts.cycles * (1 + _SAME):
        return
    uses = [use for use in facts.buffers if use.buffer.name in pages]
    yield Advice(
        name="fewer-blocks",
        sentence="no producer ever waits for room in "
        + listed(
            f"{use.shown} ({counted(use.block_count, 'block')}, at most {-(-use.fullest // use.block_pages)} full at a time)"
            for use in uses
        ),
        change="; ".join(
            f"give {use.shown} block_count={pages[use.buffer.name] // use.block_pages}" for use in uses
        ),
        lines=_lines(facts, uses),
        cycles=facts.cycles - result.cycles,
        basis="emulated",
        how=f"{saved:,} bytes of L1 are free then, and it takes {result.cycles:,} cycles",
        l1_bytes=saved,
    )


def _saves(facts: RunFacts, result: TrialRun) -> bool:
    return result.cycles < facts.cycles * (1 - _SAME) and not result.deviation.beyond


def _gives(use: BufferUse, needed: int) -> int:
    return (use.block_count - max(needed, 1)) * use.block_pages * use.buffer.page_bytes


def _saved(facts: RunFacts, pages: Mapping[str, int]) -> int:
    return sum(
        (use.buffer.pages - pages[use.buffer.name]) * use.buffer.page_bytes
        for use in facts.buffers
        if use.buffer.name in pages
    )


def _lines(facts: RunFacts, uses: list[BufferUse]) -> tuple[KernelLine, ...]:
    """Return the lines that define some buffers; where these are not known, the lines that wait for room in them."""
    result = []
    for use in uses:
        if use.choice is not None and use.choice.span is not None:
            result.append(KernelLine.at(use.choice.span))
        elif use.reserved_at is not None:
            result.append(facts.places[use.reserved_at])
    return tuple(result)
