"""All rules, and what they say of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.emu.advice import buffers, compute, grid, movement
from ttl.emu.advice.facts import RunFacts
from ttl.emu.advice.model import Advice
from ttl.emu.advice.trial import Trials
from ttl.emu.launch import ChipRun

Rule = Callable[[RunFacts, Trials | None], Iterable[Advice]]

# The estimates first, then the rules that try something: there are only so many trials.
RULES: tuple[Rule, ...] = (
    grid.idle_nodes,
    movement.multicast,
    movement.few_in_flight,
    movement.tiny_transfers,
    compute.half_empty_registers,
    movement.unbalanced_nocs,
    buffers.more_blocks,
    compute.narrow_registers,
    compute.approximate_math,
    buffers.fewer_blocks,
)
# Of the run's cycles: what saves less, and no L1, is not said.
_LEAST = 0.03


def advise(
    run: ChipRun, chip: Chip, description: ProgramDescription | None = None, trials: Trials | None = None
) -> tuple[Advice, ...]:
    """What could be better about a recorded run, what saves most cycles first.

    Without ``trials`` only rules speak that estimate what a change would save.
    """
    facts = RunFacts(run, chip, description, None if trials is None else trials.choices)
    if facts.cycles <= facts.fixed:
        return ()
    advice = [
        item
        for rule in RULES
        for item in rule(facts, trials)
        if item.l1_bytes or item.cycles >= _LEAST * facts.cycles
    ]
    # What makes results less accurate comes after what does not, and what saves memory last.
    return tuple(sorted(advice, key=lambda item: (bool(item.l1_bytes), item.wrong, -item.cycles, item.name)))
