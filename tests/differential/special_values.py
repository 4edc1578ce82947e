"""What each function makes of zeros, infinities, no number, numbers that are not normal and the largest ones: by the
reference, in the simulator with and without its native machine, and on the emulated chip."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from differential.known import Special, gap_of
from differential.rows import Case, cases, together
from differential.three_ways import emulated, expected
from support.random_programs.language.execute import compiled, run, special
from support.random_programs.language.spec import Program
from ttl.rows.comparison import within
from ttl.rows.dtypes import Array

EXECUTIONS = ("simulator", "NumPy", "chip")
# What rounding to the type, and the functions of an execution, may be off; infinities and zeros are compared as they are.
_STEP = {"float32": 2.0**-20, "bfloat16": 2.0**-7}


def groups(dtype: str) -> list[tuple[tuple[Case, ...], Program]]:
    """Programs of the functions that compute element by element, with every combination of special values."""
    chosen = [_on_special_values(case) for case in cases() if case.dtype == dtype and _is_meant(case)]
    return together({_form(case): case for case in chosen}.values())


def differing(group: tuple[Case, ...], program: Program, folder: Path) -> Iterator[Special]:
    """Where an execution gives another thing than the reference."""
    code = compiled(program, folder)
    ((simulated,),), _ = run(program, code, {})
    ((plain,),), _ = run(program, code, {"executor": "numpy"})
    (found,), wide = emulated(program, code, {})
    (wanted,) = expected(program, wide=wide, single=True)
    for number, case in enumerate(group):
        name = f"r{number}"
        for execution, results in zip(EXECUTIONS, (simulated, plain, found), strict=True):
            yield from _compared(case, execution, results[name], wanted[name].tensor.values)


def _is_meant(case: Case) -> bool:
    row, program = case.row, case.program
    blocks = {port.block for port in (*program.inputs, *program.outputs)}
    computes = row.family == "elementwise" or row.name in ("where", "mask", "mask_posinf")
    return bool(program.inputs) and computes and program.tiled and len(blocks) == 1 and gap_of(case) is None and (
        len(program.inputs[0].block) == 2
    )  # fmt: skip


def _on_special_values(case: Case) -> Case:
    order = {port.tensor: number for number, port in enumerate(case.program.inputs)}
    tensors = tuple(
        replace(spec, data=f"special {order[spec.name]}") if spec.name in order else spec
        for spec in case.program.tensors
    )
    return replace(case, program=replace(case.program, tensors=tensors))


def _form(case: Case) -> tuple[str, str]:
    (instr,) = (item for item in case.program.body if item.kind == "op")
    arguments = ["x" if isinstance(arg, str) else f"{arg:g}" for arg in instr.args]
    parameters = [f"{name}={value}" for name, value in instr.params]
    is_plain = not parameters and all(arg == "x" for arg in arguments)
    return case.row.name, "" if is_plain else ", ".join((*arguments, *parameters))


def _compared(case: Case, execution: str, results: Array, wanted: Array) -> Iterator[Special]:
    dtype, tolerance = case.dtype, case.row.tolerance[case.dtype]
    results, wanted = results.reshape(-1).astype(np.float32), wanted.reshape(-1).astype(np.float32)
    near = within(results, wanted, max(tolerance.relative, _STEP[dtype]), tolerance.absolute)
    # Zeros have a sign.
    alike = near & ((wanted != 0) | (results != 0) | (np.signbit(results) == np.signbit(wanted)))
    names = list(special(dtype))
    operands = list(itertools.product(names, repeat=len(case.program.inputs)))
    wrong: dict[tuple[str, ...], tuple[str, str]] = {}
    for place in np.flatnonzero(~alike[: len(operands)]):
        # The first operand changes with every element.
        wrong[operands[place][::-1]] = (_shown(wanted[place]), _shown(results[place]))
    row, form = _form(case)
    for given, (language, value) in _summarised(wrong).items():
        yield Special(row, form, given, execution, language, value)


def _shown(value: float) -> str:
    return f"{value:.3g}"


def _summarised(
    wrong: Mapping[tuple[str, ...], tuple[str, str]],
) -> dict[str, tuple[str, str]]:
    """In a line for each value of an operand with which it differs whatever the others are, else one for each combination."""
    left = dict(wrong)
    lines: dict[str, tuple[str, str]] = {}
    for position, value in sorted({(place, value) for key in wrong for place, value in enumerate(key)}):
        covered = {key: what for key, what in left.items() if key[position] == value}
        if len(covered) >= 8:
            which = ("first", "second", "third")[position]
            lines[f"{value} as the {which}"] = _together(tuple(covered.values()))
            left = {key: what for key, what in left.items() if key not in covered}
    return lines | {", ".join(key): what for key, what in left.items()}


def _together(pairs: Collection[tuple[str, str]]) -> tuple[str, str]:
    language, given = ({pair[side] for pair in pairs} for side in (0, 1))
    return tuple(side.pop() if len(side) == 1 else "a number" for side in (language, given))  # type: ignore[return-value]
