"""A launch that is run, recorded and examined by the rules: every program once in a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.emu.advice import buffers, compute, grid, movement
from ttl.emu.advice.facts import RunFacts
from ttl.emu.advice.installed import advice_of_installed
from ttl.emu.advice.piece import Advice
from ttl.emu.advice.trial import Recompiler, Trials, contents_of
from ttl.emu.launch import ChipRun, FailedRun, run
from ttl.emu.profile import profile
from ttl.emu.runtime import Watcher
from ttl.host.tensor import Tensor
from ttl.session import Part, SameObject

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
# Advice that saves a smaller share of the run's cycles, and no L1, is left out.
_LEAST = 0.03


def advise(
    run: ChipRun, chip: Chip, description: ProgramDescription | None = None, trials: Trials | None = None
) -> tuple[Advice, ...]:
    """Return advice on a recorded run, in the order of the cycles that it saves.

    Advice that makes results less accurate follows the rest; advice that only saves memory is last. Without ``trials``,
    only the rules that estimate the effect of a change are applied.
    """
    facts = RunFacts(run, chip, description, None if trials is None else trials.choices)
    if facts.cycles <= facts.fixed:
        return ()
    advice = [
        item
        for pieces in (
            *(rule(facts, trials) for rule in RULES),
            advice_of_installed(lambda: profile(run, chip, description)),
        )
        for item in pieces
        if item.l1_bytes or item.cycles >= _LEAST * facts.cycles
    ]
    # Advice that makes results less accurate follows the rest, and advice that saves memory comes last.
    return tuple(sorted(advice, key=lambda item: (bool(item.l1_bytes), item.wrong, -item.cycles, item.name)))


# The advice on each program at its first launch.
_SAID: Part[dict[SameObject, tuple[Advice, ...]]] = Part(dict)


def advised(
    description: ProgramDescription,
    tensors: Sequence[Tensor],
    chip: Chip,
    watcher: Watcher | None = None,
    recompiler: Recompiler | None = None,
    on_failure: Callable[[FailedRun], None] | None = None,
) -> ChipRun:
    """Run a program, record it, and return the run with advice.

    Raises ``ProgramError`` TTL15xx, and calls ``on_failure`` before it does.
    """
    if description.mesh:  # the rules know one chip only
        return run(description, tensors, recorded=True, watcher=watcher, on_failure=on_failure)
    said = _SAID.get()
    known = said.get(SameObject(description))
    before = contents_of(tensors) if known is None else []
    result = run(description, tensors, recorded=True, watcher=watcher, on_failure=on_failure)
    if known is None:
        trials = Trials(
            description=description, tensors=tensors, before=before, result=result, recompiler=recompiler
        )
        known = said[SameObject(description)] = advise(result, chip, description, trials)
    return replace(result, advice=known)
