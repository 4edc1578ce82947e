"""Rules about which nodes work."""

from __future__ import annotations

from collections.abc import Iterator

from ttl.emu.advice.facts import RunFacts
from ttl.emu.advice.model import Advice
from ttl.emu.advice.trial import Trials

# A program that uses more of the chip than this is left alone: the rest may not divide its work.
_MOST_USED = 0.5


def idle_nodes(facts: RunFacts, trials: Trials | None) -> Iterator[Advice]:
    """Nodes that have nothing to do while others have more than one piece of work each."""
    columns, rows = facts.chip.grid
    nodes, busy = columns * rows, len(facts.busy_cores)
    if not busy or busy > nodes * _MOST_USED:
        return
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
    yield Advice(
        name="idle-nodes",
        sentence=f"{busy} of the {nodes} nodes of {facts.chip.name} work{idle}; the busiest handles {what}",
        change=f"give the operation more nodes, grid={(columns, rows)} or grid='auto', and each of them a part of the blocks "
        "(ttl.node says which)",
        lines=(place,) if place is not None else (),
        cycles=work - least,
        basis="estimated",
        how=f"the work of {busy} nodes on {round(busy * times)}, {'DRAM at its peak' if least > work / times else 'evenly divided'}",
    )


def _pieces(facts: RunFacts) -> tuple[int, str]:
    """How many pieces the work of the busiest node could be cut into, at most: tiles of the buffer with fewest."""
    most = []
    steps = facts.record.steps
    for use in facts.buffers:
        if not use.buffer.unwanted or use.buffer.stays:
            continue  # the compiler's own
        own = steps[(steps["buffer"] == use.buffer.index) & (steps["pages"] > 0)]
        pages = max(int(own["pages"][own["core"] == core].sum()) for core in set(own["core"].tolist()))
        most.append((pages, use.buffer.name))
    if not most:
        return 1, "one tile"
    pages, name = max(most)
    return pages, f"{pages:,} {'tile' if pages == 1 else 'tiles'} of {name}"
