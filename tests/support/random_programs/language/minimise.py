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


def minimised(program: Program, failure: Failure, folder: Path) -> Program:
    """Greedy: the first simpler program that still fails in the same way is taken, until none is left."""
    smallest = live(program)
    again = True
    while again:
        again = False
        for candidate in _simpler(smallest):
            if candidate == smallest:
                continue
            found = check(candidate, folder)
            if found is not None and found.kind == failure.kind:
                smallest, again = candidate, True
                break
    return smallest


def _simpler(program: Program) -> Iterator[Program]:
    """Programs with one thing less, the largest steps first."""
    if program.mesh is not None:
        yield live(replace(program, mesh=None))
    if program.grid != (1, 1):
        yield live(replace(program, grid=(1, 1)))
    for items in ("range(1)", "range(2)"):
        if program.items not in ("range(1)", "range(2)"):
            yield live(replace(program, items=items))
    if program.items == "range(2)":
        yield live(replace(program, items="range(1)"))
    for output in program.outputs if len(program.outputs) > 1 else ():
        yield live(replace(program, body=tuple(i for i in program.body if i.target != output.name)))
    for instr in program.body:
        if instr.kind in ("iadd", "carry_out"):
            rest = tuple(each for each in program.body if each is not instr)
            if instr.kind == "iadd":
                rest = tuple(_renamed(each, instr.name, instr.args[0]) for each in rest)
            yield live(replace(program, body=rest))
    for instr in reversed(program.body):
        if instr.kind in ("op", "loop", "overwrite", "through", "carry"):
            for other in _stand_ins(program, instr.name, instr.shape, instr.integer):
                yield _without(program, instr, other)
    for inner in program.inner:
        for other in _stand_ins(program, inner.name, inner.shape, inner.integer):
            rest = tuple(_renamed(each, inner.name, other) for each in program.body)
            yield live(replace(program, body=rest))
        yield replace(program, inner=tuple(replace(e, count=1) if e is inner else e for e in program.inner))
        plainer: dict[str, Any]
        for plainer in ({"turns": False}, {"trips": ""}, {"through": "", "turns": False}):
            yield replace(
                program, inner=tuple(replace(e, **plainer) if e is inner else e for e in program.inner)
            )
    yield from _plainer(program)


def _plainer(program: Program) -> Iterator[Program]:
    """The same statements in a plainer setting."""
    yield live(replace(program, echo=""))
    yield replace(program, group_transfer=False)
    yield replace(program, style="explicit")
    for field in ("inputs", "outputs"):
        ports = getattr(program, field)
        for number, port in enumerate(ports):
            plain: dict[str, Any]
            for plain in (
                {"style": "with"},
                {"block_count": 2},
                {"kernel": "read"} if field == "inputs" else {},
            ):
                changed = (*ports[:number], replace(port, **plain), *ports[number + 1 :])
                changes: dict[str, Any] = {field: changed}
                yield replace(program, **changes)
    for number, instr in enumerate(program.body):
        if instr.kind in ("loop", "through") and instr.count > 2:
            for count in (2, instr.count // 2):
                body = list(program.body)
                body[number] = replace(instr, count=count)
                yield replace(program, body=tuple(body))
    for number, tensor in enumerate(program.tensors):
        simpler: dict[str, Any]
        for simpler in ({"data": "whole"}, {"overlaps": "", "shift": 0}):
            tensors = list(program.tensors)
            tensors[number] = replace(tensor, **simpler)
            yield live(replace(program, tensors=tuple(tensors)))


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


def _without(program: Program, instr: Instr, other: str) -> Program:
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
