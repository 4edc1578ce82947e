"""Many programs at once on the emulated chip: what the kernels of one operation do one after the other.

The kernels are joined in the dialect, where each program has been read by itself, so that a compiler of C++ is started once for
all. Every program has an output tensor of its own, and says in its first line of print which one it is. Where the programs
together are refused, or do not end, each is compiled by itself: it costs nobody else's case.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from tests.support.python_events import printed_text
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region, SSAValue

from fuzz.bounded import TooLong, limits
from python_semantics.judge import SECONDS, Judgement, printed_by_cpython, simulated
from python_semantics.worker import NeverEnds, Worker
from support.random_programs.python.programs import GRID, NODES, PLACES, blank, table
from ttl import settings
from ttl.codegen.compile import Compiled, compile_module
from ttl.dialects import ttl as ir
from ttl.host import api as ttnn

_LINE = re.compile(r"\((\d+),(\d+)\):(NC|BR|TR1): (.*)")
_KERNELS = {"NC": "read", "BR": "write", "TR1": "compute"}
_CASE = "case "
Printed = dict[tuple[int, str], list[str]]


@dataclass
class Shown:
    """What one program shows on the chip."""

    printed: Printed = field(default_factory=dict)
    tensor: Any = None


def on_the_chip(judgements: Sequence[Judgement], worker: Worker) -> list[Judgement]:
    """The same judgements; those that are right so far are compiled, run, and compared with CPython and the simulator."""
    asked = [each for each in judgements if each.verdict == "right"]
    found = dict(zip(map(id, asked), _together(asked, worker), strict=True))
    return [found.get(id(each), each) for each in judgements]


def _together(judgements: Sequence[Judgement], worker: Worker) -> list[Judgement]:
    if not judgements:
        return []
    shown = _run([each.module for each in judgements if each.module is not None], worker)
    if isinstance(shown, list):
        return [_compared(each, one) for each, one in zip(judgements, shown, strict=True)]
    if len(judgements) == 1:
        return [replace(judgements[0], **shown)]
    named = [each for each in judgements if f"{each.program.name}.py" in shown["text"]]
    if len(named) == 1:
        # What is refused names its file: the others need not be halved to find it.
        (alone,) = _together(named, worker)
        others = iter(_together([each for each in judgements if each is not named[0]], worker))
        return [alone if each is named[0] else next(others) for each in judgements]
    middle = len(judgements) // 2
    return [*_together(judgements[:middle], worker), *_together(judgements[middle:], worker)]


def _run(modules: Sequence[ModuleOp], worker: Worker) -> list[Shown] | dict[str, Any]:
    """What each program shows; what is wrong with them, as fields of a judgement, where they cannot be run together."""
    try:
        with limits(SECONDS * len(modules)), settings.override(verify_each=False):
            compiled = compile_module(joined(modules), settings.current(), generation="0.81")
    except TooLong:
        return {"verdict": "never ends", "text": "the passes"}
    if compiled.diagnostics:
        codes = tuple(each.code for each in compiled.diagnostics)
        internal = any(code.startswith("TTL9") for code in codes)
        return {
            "verdict": "internal error" if internal else "refused",
            "codes": codes,
            "text": "\n".join(str(each) for each in compiled.diagnostics),
        }
    return _executed(compiled, len(modules), worker)


def _executed(compiled: Compiled, count: int, worker: Worker) -> list[Shown] | dict[str, Any]:
    (description,) = compiled.descriptions
    tensors = [ttnn.to_numpy(each) for each in (table(), *(blank() for _ in range(count)))]
    try:
        printed, left = worker.run(description, tensors, 60.0)
    except NeverEnds:
        return {"verdict": "never ends", "text": "on the chip"}
    except RuntimeError as failed:
        return {"verdict": "internal error", "codes": ("chip",), "text": str(failed)}
    shown = [Shown(tensor=tensor[::32, 0]) for tensor in left[1:]]
    current: dict[tuple[int, str], int] = {}
    for line in printed.splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            return {"verdict": "internal error", "codes": ("print",), "text": line}
        key = (int(match[1]) * GRID[1] + int(match[2]), _KERNELS[match[3]])
        if match[4].startswith(_CASE):
            current[key] = int(match[4].removeprefix(_CASE))
        else:
            shown[current[key]].printed.setdefault(key, []).append(printed_text(match[4]))
    return shown


def joined(modules: Sequence[ModuleOp]) -> ModuleOp:
    """One operation whose kernels are those of all the programs, one after the other."""
    programs = [op for module in modules for op in module.body.block.ops if isinstance(op, ir.OperationOp)]
    types = [each.type for each in programs[0].body.block.args]
    block = Block(arg_types=[types[0], *([types[1]] * len(programs))])
    buffers: dict[str, SSAValue] = {}
    kernels: dict[str, tuple[type, Block]] = {}
    for number, program in enumerate(programs):
        table_argument, output = program.body.block.args
        values: dict[SSAValue, SSAValue] = {
            table_argument: block.args[0],
            output: block.args[number + 1],
        }
        for op in program.body.block.ops:
            if isinstance(op, ir.UserKernelOp):
                _, body = kernels.setdefault(op.kernel_name, (type(op), Block()))
                body.add_op(ir.PrintOp([f"{_CASE}{number}"], []))
                for inner in op.body.block.ops:
                    body.add_op(inner.clone(values))
            elif isinstance(op, ir.CreateDfbOp) and op.buffer_name.data in buffers:
                values[op.result] = buffers[op.buffer_name.data]
            else:
                own = op.clone(values)
                block.add_op(own)
                if isinstance(own, ir.CreateDfbOp):
                    buffers[own.buffer_name.data] = own.result
    for name, (kind, body) in kernels.items():
        block.add_op(kind(name=name, body=Region(body)))
    operation = ir.OperationOp(
        name="op",
        arg_names=["a", *(f"y{number}" for number in range(len(programs)))],
        arg_types=[each.type for each in block.args],
        grid=GRID,
        body=Region(block),
    )
    return ModuleOp([operation])


def _compared(judgement: Judgement, shown: Shown) -> Judgement:
    assert judgement.expected is not None
    expected = {
        key: [printed_text(line) for line in lines]
        for key, lines in printed_by_cpython(judgement.expected).items()
    }
    simulator, tensor = simulated(judgement.program)
    for who, printed in (("the simulator", simulator), ("the chip", shown.printed)):
        for key, lines in expected.items():
            others = printed.get(key, [])
            if others != lines:
                text = _first(key, lines, others, who)
                return replace(
                    judgement, verdict="disagreement", codes=(who.removeprefix("the "),), text=text
                )
    for node in range(NODES if judgement.program.adds else 0):
        # What the compute kernel stores last is what the last kernel writes.
        *_, stored = (event[2] for event in judgement.expected[node, "compute"] if event[0] == "store")
        if tensor[node * PLACES + PLACES - 1] != stored:
            text = f"node {node}: CPython stores {stored}, the simulator {tensor[node * PLACES + PLACES - 1]}"
            return replace(judgement, verdict="disagreement", codes=("simulator",), text=text)
    if not np.array_equal(tensor, shown.tensor):
        node, place = divmod(int(np.flatnonzero(tensor != shown.tensor)[0]), PLACES)
        text = f"place {place} of node {node}: {tensor[node * PLACES + place]} in the simulator, {shown.tensor[node * PLACES + place]} on the chip"
        return replace(judgement, verdict="disagreement", codes=("chip",), text=text)
    return judgement


def _first(key: tuple[int, str], lines: list[str], others: list[str], who: str) -> str:
    number = next(
        (i for i, (a, b) in enumerate(zip(lines, others, strict=False)) if a != b),
        min(len(lines), len(others)),
    )
    mine, theirs = (each[number] if number < len(each) else "nothing more" for each in (lines, others))
    return f"kernel {key[1]} on node {key[0]}, line {number}: CPython prints {mine!r}, {who} {theirs!r}"
