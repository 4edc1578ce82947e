"""Defects put into the package, to see that random programs find them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from support.random_programs.language.compare import Failure
from support.random_programs.language.emit import live
from support.random_programs.language.generate import generate
from support.random_programs.language.run import check
from support.random_programs.language.spec import Program
from ttl.sim.memory import Memory
from ttl.sim.values import Value


def found(folder: Path, suited: Callable[[Program], bool]) -> tuple[Program, Failure]:
    """The first program that fails, of those in which what was broken plays a part."""
    for seed in range(2000):
        program = live(generate(seed))
        failure = check(program, folder) if suited(program) else None
        if failure is not None:
            return program, failure
    raise AssertionError("nothing was found")


def stale_read(folder: str) -> str:
    """What is found when a read after a write sees old data, in the control plane written in Python."""

    def read(self: Memory, source: Any, type: Any) -> Any:
        view = source.view(len(type.shape))
        return Value(type, source.valid, view, None, source.storage, source.storage.region.epoch)

    with mock.patch.object(Memory, "read", read):
        return found(Path(folder), lambda program: bool(program.echo))[1].kind
