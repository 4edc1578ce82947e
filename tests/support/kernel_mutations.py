"""Kernels that the compiler wrote, each without one of its synchronisation calls, on the emulated chip.

What can become of such a kernel: the emulated chip reports it (``reported``), its results are others (``differs``),
one of the two under an adversarial schedule only (``another schedule``), or nothing at all is different under any of
them (``harmless``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal
from unittest import mock

import numpy as np

from support.example_runs import run_example
from ttl import settings
from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.diag import ProgramError
from ttl.emu import run, target
from ttl.emu.runtime import Watcher
from ttl.host.access import array_of, writable_array
from ttl.host.tensor import Tensor

Fate = Literal["reported", "differs", "another schedule", "harmless"]
SEEDS = (1, 2, 3, 4)
# A statement that only synchronises, or sets a unit up.
_STATEMENT = re.compile(
    r"^[ ]*(?P<name>cb_(?:reserve_back|push_back|wait_front|pop_front)|noc_async_\w*(?:barrier|flushed)"
    r"|noc_semaphore_\w+|tile_regs_\w+|\w*_init(?:_short)?|\w+_init_\w+|reduce_uninit|compute_kernel_hw_startup|mm_init\w*"
    r"|(?:pack_)?reconfig_data_format\w*)(?:<[^;]*?>)?\([^;{}]*\);$",
    re.MULTILINE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """A program that was run, and its tensors with what they held before."""

    description: ProgramDescription
    tensors: list[Tensor]
    before: list[Any]

    def results(self, description: ProgramDescription, seed: int | None = None) -> list[bytes]:
        """What the tensors hold after a run of a program in the place of this one."""
        for tensor, values in zip(self.tensors, self.before, strict=True):
            writable_array(tensor)[...] = values
        with settings.override(emu_seed=seed):
            run(description, self.tensors)
        return [array_of(tensor).tobytes() for tensor in self.tensors]


@dataclass(frozen=True, kw_only=True, slots=True)
class Mutation:
    """A program without one call of one of its kernels."""

    call: str
    kernel: str
    line: int
    description: ProgramDescription


def launches(path: str) -> list[Launch]:
    """The programs that an example runs, each once."""
    with noted() as found:
        run_example(path, {"target": "emu"})
    return found


@contextmanager
def noted() -> Iterator[list[Launch]]:
    """The programs that are run on the emulated chip while the ``with`` lasts, each once."""
    found: list[Launch] = []
    keys: set[tuple[str, ...]] = set()
    original = target.launched

    def noting(
        description: ProgramDescription,
        tensors: Sequence[Tensor],
        chip: Chip,
        watcher: Watcher | None,
        *rest: Any,
    ) -> Any:
        key = (description.name, *(kernel.source for kernel in description.kernels))
        if key not in keys:
            keys.add(key)
            before = [np.array(array_of(tensor)) for tensor in tensors]
            found.append(Launch(description=description, tensors=list(tensors), before=before))
        return original(description, tensors, chip, watcher)

    with mock.patch.object(target, "launched", noting):
        yield found


def sites(source: str) -> Iterator[tuple[str, int, str]]:
    """Each synchronisation call of a kernel: its name, its line, and the kernel without it."""
    for match in _STATEMENT.finditer(source):
        blank = "\n" * match[0].count("\n")
        line = source.count("\n", 0, match.start()) + 1
        yield match["name"], line, source[: match.start()] + blank + source[match.end() :]


def mutations(description: ProgramDescription) -> Iterator[Mutation]:
    """The program without each of its synchronisation calls."""
    for index, kernel in enumerate(description.kernels):
        for call, line, source in sites(kernel.source):
            kernels = list(description.kernels)
            kernels[index] = replace(kernel, source=source)
            yield Mutation(
                call=call,
                kernel=kernel.name,
                line=line,
                description=replace(description, kernels=tuple(kernels)),
            )


def fate(launch: Launch, mutation: Mutation, expected: list[bytes]) -> tuple[Fate, str]:
    """What becomes of a program without a call, and the code of the report."""
    for seed in (None, *SEEDS):
        try:
            found = launch.results(mutation.description, seed)
        except ProgramError as problem:
            return ("another schedule" if seed else "reported"), problem.diagnostics[0].code
        if found != expected:
            return ("another schedule" if seed else "differs"), ""
    return "harmless", ""
