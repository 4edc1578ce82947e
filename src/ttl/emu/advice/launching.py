"""A launch that is run, recorded and looked at by the rules: every program once in a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.emu.advice.model import Advice
from ttl.emu.advice.rules import advise
from ttl.emu.advice.trial import Recompiler, Trials, contents_of
from ttl.emu.launch import ChipRun, FailedRun, run
from ttl.emu.runtime import Watcher
from ttl.host.tensor import Tensor
from ttl.session import Part, SameObject

# What was said of a program at its first launch.
_SAID: Part[dict[SameObject, tuple[Advice, ...]]] = Part(dict)


def advised(
    description: ProgramDescription,
    tensors: Sequence[Tensor],
    chip: Chip,
    watcher: Watcher | None = None,
    recompiler: Recompiler | None = None,
    on_failure: Callable[[FailedRun], None] | None = None,
) -> ChipRun:
    """Run a program, recorded, with advice. Raises ``ProgramError``: TTL15xx, before which ``on_failure`` is called."""
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
