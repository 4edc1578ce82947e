"""Rules about which nodes work."""

from __future__ import annotations

from collections.abc import Iterator

from ttl.diag.words import counted
from ttl.emu.advice.facts import RunFacts
from ttl.emu.advice.piece import Advice
from ttl.emu.advice.trial import Trials

# A program that uses a larger share of the chip gets no advice: its work may not divide among more nodes.
_MOST_USED = 0.5


def idle_nodes(facts: RunFacts, trials: Trials | None) -> Iterator[Advice]:
    """Advise to use nodes that have nothing to do while others have more than one piece of work each."""
    columns, rows = facts.chip.grid
    nodes, busy = columns * rows, len(facts.busy_cores)
    if not busy or busy > nodes * _MOST_USED:
        return
    if facts.sends:
        return  # nodes that send to each other: how their work divides cannot be seen here
    pieces, what = _pieces(facts)
    times = min(nodes / busy, pieces)
    if times < 2:
        return
    work = facts.cycles - facts.fixed
    least = max(int(work / times), facts.least - facts.fixed)
    if least >= work:
        return
    place = trials.recompiler.place if trials is not None and trials.recompiler is not None else None
    launched = len(facts.cores)
    idle = "" if launched == busy else f", of the {launched} that the grid has"
    more = f"give the operation grid={(columns, rows)} or grid='auto', and every node a part of the blocks"
    if launched >= nodes:
        more = "divide the blocks over columns and rows of the grid, so that every node has a part of them"
    yield Advice(
        name="idle-nodes",
        sentence=f"{busy} of the {nodes} nodes of {facts.chip.name} {'works' if busy == 1 else 'work'}{idle}; the busiest handles {what}",
        change=f"{more} (ttl.node and ttl.grid_size say which)",
        lines=(place,) if place is not None else (),
        cycles=work - least,
        basis="estimated",
        how=f"the work of {counted(busy, 'node')} on {round(busy * times)}, {'DRAM at its peak' if least > work / times else 'evenly divided'}",
    )


def _pieces(facts: RunFacts) -> tuple[int, str]:
    """The number of pieces in the results of the busiest node, and words for them.

    Pieces are blocks, or tiles where no tile needs another one.
    """
    apart = facts.choices is not None and not facts.choices.reduces
    result = (1, "one block")
    for use in facts.buffers:
        if not use.is_users or use.buffer.index not in facts.written:
            continue
        if apart and use.blocks == 1:
            result = max(
                result, (use.block_pages, f"a block of {counted(use.block_pages, 'tile')} of {use.shown}")
            )
        else:
            result = max(result, (use.blocks, f"{counted(use.blocks, 'block')} of {use.shown}"))
    return result
