"""The smallest program that fails as a given one does: statement by statement, choice by choice."""

from __future__ import annotations

import pprint
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from support.random_programs.language.emit import live
from support.random_programs.language.reference import is_float
from support.random_programs.language.run import Failure, check
from support.random_programs.language.spec import Inner, Instr, Port, Program, TensorSpec

# What is plainer, by what has it: each value is tried by itself.
_PLAINER: dict[type, tuple[dict[str, Any], ...]] = {
    Program: (
        {"mesh": None}, {"grid": (1, 1)}, {"items": "range(1)"}, {"items": "range(2)"}, {"echo": ""}, {"group_transfer": False},
        {"style": "explicit"},
    ),
    Inner: ({"count": 1}, {"turns": False}, {"trips": ""}, {"through": "", "turns": False}),
    Port: ({"style": "with"}, {"block_count": 2}),
    TensorSpec: ({"data": "whole"}, {"overlaps": "", "shift": 0}),
}  # fmt: skip


def minimised(program: Program, failure: Failure, folder: Path) -> Program:
    """Greedy: the first simpler program that still fails in the same way is taken, until none is left."""
    smallest = live(program)
    candidates = _simpler(smallest)
    while (candidate := next(candidates, None)) is not None:
        found = check(candidate, folder) if candidate != smallest else None
        if found is not None and found.kind == failure.kind:
            smallest, candidates = candidate, _simpler(candidate)
    return smallest


def _simpler(program: Program) -> Iterator[Program]:
    """Programs with one thing less, and then the same statements in a plainer setting."""
    for output in program.outputs if len(program.outputs) > 1 else ():
        yield live(replace(program, body=tuple(i for i in program.body if i.target != output.name)))
    for instr in reversed(program.body):
        match instr.kind:
            case "iadd":
                yield _without(program, instr, instr.args[0])
            case "carry_out":
                yield live(replace(program, body=tuple(each for each in program.body if each is not instr)))
            case "op" | "loop" | "overwrite" | "through" | "carry":
                for other in _stand_ins(program, instr.name, instr.shape, instr.integer):
                    yield _without(program, instr, other)
    for inner in program.inner:
        for other in _stand_ins(program, inner.name, inner.shape, inner.integer):
            yield _without(program, inner, other)
    for number, instr in enumerate(program.body):
        for count in (2, instr.count // 2) if instr.kind in ("loop", "through") and instr.count > 2 else ():
            yield _with(program, "body", number, count=count)
    for plainer in _PLAINER[Program]:
        yield (
            program
            if program.items == "range(1)" and "items" in plainer
            else live(replace(program, **plainer))
        )
    for field in ("inner", "inputs", "outputs", "tensors"):
        for number, each in enumerate(getattr(program, field)):
            more = ({"kernel": "read"},) if field == "inputs" else ()
            for plainer in (*_PLAINER[type(each)], *more):
                yield live(_with(program, field, number, **plainer))


def _with(program: Program, field: str, number: int, **plainer: Any) -> Program:
    items = list(getattr(program, field))
    items[number] = replace(items[number], **plainer)
    changes: dict[str, Any] = {field: tuple(items)}
    return replace(program, **changes)


def _stand_ins(program: Program, name: str, shape: tuple[int, ...], integer: bool) -> list[str]:
    """Values made before one of the same shape and kind; the first are the most basic."""
    found = []
    for port in program.inputs:
        if port.block == shape and is_float(program.tensor(port.tensor).dtype) is not integer:
            found.append(port.name)
    for instr in program.body:
        if instr.name == name:
            break
        if instr.kind == "op" and instr.shape == shape and instr.integer == integer:
            found.append(instr.name)
    return [each for each in found if each != name][:4]


def _without(program: Program, instr: Instr | Inner, other: str) -> Program:
    rest = tuple(_renamed(each, instr.name, other) for each in program.body if each is not instr)
    return live(replace(program, body=rest))


def _renamed(instr: Instr, old: str, new: str) -> Instr:
    if old not in instr.args:
        return instr
    return replace(instr, args=tuple(new if arg == old else arg for arg in instr.args))


def written(program: Program) -> str:
    """A program as the text of a regression case."""
    return f"{pprint.pformat(program, width=110)}\n"


def read(text: str) -> Program:
    """The program of a regression case."""
    names = {kind.__name__: kind for kind in (Inner, Instr, Port, Program, TensorSpec)}
    program: Program = eval(text, {**names, "frozenset": frozenset})
    return program
