"""Cases of broken text, by number: the same number is the same case."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ir_fuzz.mutations import mutated
from support.random_programs.ttir.modules import random_module

LIT = Path(__file__).parent.parent / "ttmlir" / "lit"
FLAGS: tuple[tuple[str, ...], ...] = (
    (), (), (), (), ("--split-input-file",), ("--allow-unregistered-dialect",), ("--mlir-print-debuginfo",),
    ("--mlir-print-op-generic",), ("--canonicalize",), ("--cse",), ("--ttir-to-ttnn-backend-pipeline",),
    ("--ttir-to-ttnn-backend-pipeline",), ("--ttir-to-ttir-decomposition",), ("--ttir-implicit-device",),
    ("--ttir-load-system-desc", "--ttir-implicit-device", "--ttnn-layout", "--convert-ttir-to-ttnn"),
    ("--ttnn-deallocate",), ("--ttnn-decompose-layouts",), ("--remove-dead-values",), ("--inline",),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BrokenText:
    """A case: its number, the text, the flags, and what was done to a right one."""

    number: int
    text: str
    flags: tuple[str, ...]
    done: str


@cache
def seeds() -> tuple[tuple[str, str], ...]:
    """Right texts and what they are called: the lit files, short random modules, and what has most attributes."""
    files = [
        (path.relative_to(LIT).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted(LIT.rglob("*.mlir"))
        if "Inputs" not in path.parts
    ]
    return (*files, *((f"random {seed}", random_module(seed).text) for seed in range(60)))


def case(number: int) -> BrokenText:
    """The case with this number."""
    choice = random.Random(number)
    name, text = choice.choice(seeds())
    _, other = choice.choice(seeds())
    if len(text) > 6000:
        text = text[:6000]
    broken, done = mutated(choice, text, other[:6000])
    return BrokenText(number, broken, choice.choice(FLAGS), f"{name}: {', '.join(done)}")


def cases(start: int, count: int) -> Iterator[BrokenText]:
    """Cases in a row."""
    return map(case, range(start, start + count))
