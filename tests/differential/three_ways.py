"""Runs a program by the reference, on the simulator and on the emulated chip, and compares what they leave."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from differential.errors import ErrorMachine
from support.random_programs.language.compare import Failure, compare_with_reference, describe
from support.random_programs.language.execute import Results, compiled, references, run
from support.random_programs.language.reference import Array, Tensor
from support.random_programs.language.spec import Program
from ttl import emu
from ttl.diag import TTLError
from ttl.emu import compiler
from ttl.rows.comparison import within


@dataclass(frozen=True)
class Expected:
    """What a tensor holds at the end, and how far the chip may be off."""

    tensor: Tensor
    error: Array


def expected(program: Program, *, wide: bool, single: bool = False) -> list[dict[str, Expected]]:
    """By the reference, for each device. ``single``: nothing is computed from what was computed."""
    machines = references(program, lambda: ErrorMachine(wide=wide, single=single))
    return [
        {name: Expected(tensor, machine.error_of(tensor)) for name, tensor in tensors.items()}
        for machine, tensors in machines
    ]


def check(program: Program, folder: Path, *, arch: str = "wormhole") -> Failure | None:
    """What is wrong, or None; ``kind`` of a program that cannot be compiled is ``refused`` and the code."""
    try:
        code = compiled(program, folder)
        (simulated,), _ = run(program, code, {"arch": arch})
    except Exception:
        return Failure("generator", traceback.format_exc())
    try:
        found, wide = emulated(program, code, {"arch": arch})
    except TTLError as failed:
        return Failure(f"refused {failed.diagnostics[0].code}", str(failed))
    except Exception:
        return Failure("crashed", traceback.format_exc())
    wanted = expected(program, wide=wide)
    tensors = [{name: each.tensor for name, each in one.items()} for one in wanted]
    failure = compare_with_reference(program, "simulator", simulated, tensors)
    if failure is not None:
        return failure
    failure = compare("emulator", found, wanted)
    return failure and Failure(failure.kind, f"{failure.text}\n{_first_block(program, code, {'arch': arch})}")


def _first_block(program: Program, code: Any, overrides: Mapping[str, Any]) -> str:
    """Where the emulated chip first does something else than the simulator."""
    try:
        run(program, code, {"target": "emu", "check": "off", "compare": True, **overrides})
    except TTLError as differs:
        return str(differs)
    return "every block is the same as in the simulator, within the tolerance of --compare"


def wrong_outputs(program: Program, folder: Path, *, arch: str = "wormhole") -> dict[str, str]:
    """What is wrong with each output of a program of operations that have nothing to do with each other.

    Raises ``TTLError`` where the program cannot be compiled, or fails.
    """
    code = compiled(program, folder)
    (simulated,), _ = run(program, code, {"arch": arch})
    found, wide = emulated(program, code, {"arch": arch})
    wanted = expected(program, wide=wide, single=True)
    wrong: dict[str, str] = {}
    for port in program.outputs:
        name = port.tensor
        for failure in (
            compare("simulator", _only(simulated, name), expected(program, wide=True, single=True)),
            compare("emulator", _only(found, name), wanted),
        ):
            if failure is not None:
                wrong[name] = f"{failure.kind}: {failure.text}"
    return wrong


def _only(results: Results, name: str) -> Results:
    return [{name: tensors[name]} for tensors in results]


def emulated(program: Program, code: Any, overrides: Mapping[str, Any]) -> tuple[Results, bool]:
    """What the emulated chip leaves, and whether its registers held 32 bits."""
    seen: list[bool] = []
    with _registers(seen):
        (found,), _ = run(program, code, {"target": "emu", "check": "off", **overrides})
    return found, any(seen)


@contextlib.contextmanager
def _registers(seen: list[bool]) -> Iterator[None]:
    """Notes of every program that runs inside whether its registers hold 32 bits."""
    original = compiler.compile_program

    def noted(program: emu.Program, chip: str) -> list[compiler.CompiledKernel]:
        seen.extend(each.fp32_dst for each in program.kernels if each.processor == "compute")
        return original(program, chip)

    with mock.patch.object(compiler, "compile_program", noted):
        yield


def compare(mode: str, found: Results, wanted: list[dict[str, Expected]]) -> Failure | None:
    """Each defined element within its error."""
    for tensors, expected_tensors in zip(found, wanted, strict=True):
        for name, array in tensors.items():
            want = expected_tensors[name]
            wrong = outside(array, want)
            if wrong.any():
                values = want.tensor.values
                text = describe(name, wrong, array.astype(values.dtype), values)
                places = [tuple(int(i) for i in place) for place in np.argwhere(wrong)[:5]]
                allowed = ", ".join(f"{want.error[place]:.3g}" for place in places)
                return Failure(f"{mode} wrong", f"{text}\n  allowed: {allowed}")
    return None


def outside(array: Array, want: Expected) -> Array:
    """Elements that are further from the reference than they may be."""
    wanted = want.tensor.values
    free = ~np.isfinite(want.error) | want.tensor.undefined
    return ~(within(array.astype(wanted.dtype), wanted, 0.0, want.error * (1 + 1e-6)) | free)
