"""Runs a random program in every way the simulator has, and compares the results with each other and the reference."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import traceback
from collections.abc import Iterator
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import ttnn

import ttl  # noqa: F401 - lets ``import ttnn`` find the host library
from random_programs.emit import device_text, live
from random_programs.emit_reference import reference_text
from random_programs.reference import INTEGERS, Array, Machine, Tensor
from random_programs.spec import Program, TensorSpec
from ttl import settings
from ttl.diag import TTLError
from ttl.sim import memory, pending

_STORED = {"int32": np.int32, "uint32": np.uint32, "uint16": np.uint16, "uint8": np.uint8}
# Relative and absolute (of the largest element) distance for results whose order of evaluation is free.
_TOLERANCE = {"float32": (1e-4, 1e-4), "float16": (1e-2, 5e-3)}
_COARSE = (4e-2, 2e-2)
# A sum of this many terms may have lost this much before something small became of it.
_SMALLEST_ERROR = 1e-2

Results = list[dict[str, Array]]


@dataclass(frozen=True)
class Failure:
    """How a program failed: ``kind`` is stable under minimising, ``text`` is for people."""

    kind: str
    text: str


@dataclass(frozen=True)
class Mode:
    """One way to run a program. ``tiny``: every store is computed, every copy carried out at once."""

    name: str
    overrides: tuple[tuple[str, Any], ...] = ()
    tiny: bool = False


PLAIN = Mode("default", (("stats", True),))
MODES: tuple[Mode, ...] = (
    Mode("flush at once", (("stats", True),), tiny=True),
    Mode("schedule 1", (("schedule_seed", 1),)),
    Mode("schedule 2", (("schedule_seed", 2),)),
    Mode("schedule 3", (("schedule_seed", 3),), tiny=True),
)
SANITIZED = Mode("sanitize", (("sanitize", True),))


def check(program: Program, folder: Path) -> Failure | None:
    """What is wrong, or None. ``folder`` takes the program's source."""
    try:
        reference = _run_reference(program, "spec")
        handle, name = tempfile.mkstemp(".py", "program_", folder)
        os.close(handle)
        file = Path(name)
        file.write_text(device_text(program))
        code = compile(file.read_text(), str(file), "exec")
    except Exception:
        return Failure("generator", traceback.format_exc())
    try:
        return _check(program, code, reference)
    except TTLError as failed:
        return Failure(f"refused {failed.diagnostics[0].code}", str(failed))
    except Exception:
        return Failure("crashed", traceback.format_exc())


def _check(program: Program, code: Any, reference: list[dict[str, Tensor]]) -> Failure | None:
    plain, stats = _run(program, code, PLAIN)
    failure = _compare_with_reference(program, "default", plain, reference)
    if failure is not None:
        return failure
    for mode in MODES:
        found, said = _run(program, code, mode)
        failure = _compare_runs(mode.name, found, plain, None)
        if failure is not None:
            return failure
        if dict(mode.overrides).get("stats") and said != stats:
            return Failure("statistics differ", f"{stats}\n{said}")
    sanitized, _ = _run(program, code, SANITIZED)
    failure = _compare_runs(SANITIZED.name, sanitized, plain, reference)
    if failure is not None:
        return failure
    for precision in ("fp32", "spec" if _stores_a_block(program) else "dst16"):
        found, _ = _run(program, code, Mode(precision, (("precision", precision),)))
        failure = _compare_with_reference(program, precision, found, _run_reference(program, precision))
        if failure is not None:
            return failure
    return None


def _stores_a_block(program: Program) -> bool:
    """Whether a block is stored as it is: where that converts it, it passes through a register of 16 bits, or not."""
    blocks = {port.name for port in program.inputs} | {inner.name for inner in program.inner if inner.through}
    blocks |= {instr.name for instr in program.body if instr.kind not in ("op", "loop")}
    stored = [instr.args[0] for instr in program.body if instr.kind in ("store", "through", "carry_out")]
    return any(name in blocks for name in stored)


# --- contents -------------------------------------------------------------------------------------------


def contents(spec: TensorSpec, device: int) -> Array:
    """What a tensor holds before the operation."""
    random = np.random.default_rng([spec.seed, device])
    shape = spec.shape
    if spec.dtype in INTEGERS:
        bits, signed = INTEGERS[spec.dtype]
        if spec.data == "wide":
            low, high = (-(1 << (bits - 1)), 1 << (bits - 1)) if signed else (0, 1 << bits)
            return random.integers(low, high, shape).astype(_STORED[spec.dtype])
        return random.integers(-4 if signed else 0, 5, shape).astype(_STORED[spec.dtype])
    if spec.data == "whole":
        return random.integers(-4, 5, shape).astype(np.float32)
    values = random.uniform(-4, 4, shape).astype(np.float32)
    if spec.data == "edge":
        edges = np.array([np.inf, -np.inf, np.nan, -0.0, 0.0, 1e-40, 3e38], np.float32)
        values = np.where(random.random(shape) < 0.2, random.choice(edges, shape), values)
    return values.astype(np.float32)


def _devices(program: Program) -> int:
    return program.mesh[0] * program.mesh[1] if program.mesh else 1


def _run_reference(program: Program, precision: str) -> list[dict[str, Tensor]]:
    scope: dict[str, Any] = {}
    exec(compile(reference_text(program), "<reference>", "exec"), scope)
    found = []
    for device in range(_devices(program)):
        tensors: dict[str, Tensor] = {}
        for spec in live(program).tensors:
            if not spec.same_as:
                tensors[spec.name] = Tensor(contents(spec, device), spec.dtype, spec.tiled)
        for spec in live(program).tensors:
            if spec.same_as:
                tensors[spec.name] = tensors[spec.same_as]
        with np.errstate(all="ignore"):
            scope["run"](Machine(precision), tensors)
        found.append(tensors)
    return found


def _run(program: Program, code: Any, mode: Mode) -> tuple[Results, str]:
    """Results per device, and what was said on stderr."""
    said = io.StringIO()
    with settings.override(**dict(mode.overrides)), _thresholds(mode.tiny), contextlib.redirect_stderr(said):
        results: Results = copy_context().run(_execute, program, code)
    return results, said.getvalue()


@contextlib.contextmanager
def _thresholds(tiny: bool) -> Iterator[None]:
    places = ((memory, "_PENDING_WRITES"), (pending, "_PENDING_OPERATIONS"), (pending, "_PENDING_BYTES"))
    before = [getattr(module, name) for module, name in places]
    try:
        for module, name in places if tiny else ():
            setattr(module, name, 0)
        yield
    finally:
        for (module, name), value in zip(places, before, strict=True):
            setattr(module, name, value)


def _execute(program: Program, code: Any) -> Results:
    scope: dict[str, Any] = {"__name__": "program"}
    exec(code, scope)
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(*program.mesh)) if program.mesh else None
    devices = _devices(program)
    specs = live(program).tensors
    tensors: dict[str, Any] = {}
    for spec in specs:
        if spec.same_as:
            continue
        array = np.concatenate([contents(spec, device) for device in range(devices)])
        # Memory that is the caller's, or that the caller still looks at, is not written to.
        array.flags.writeable = spec.seed % 3 != 0
        options = (
            {"mesh_mapper": ttnn.ShardTensorToMesh(mesh, dim=0), "device": mesh} if mesh is not None else {}
        )
        layout = ttnn.TILE_LAYOUT if spec.tiled else ttnn.ROW_MAJOR_LAYOUT
        tensors[spec.name] = ttnn.from_numpy(array, getattr(ttnn, spec.dtype), layout=layout, **options)
    looked_at = (
        []
        if program.mesh
        else [ttnn.to_numpy(tensors[s.name]) for s in specs if not s.same_as and s.seed % 2]
    )
    before = [view.copy() for view in looked_at]
    for spec in specs:
        if spec.same_as:
            tensors[spec.name] = tensors[spec.same_as]
    scope["op"](*(tensors[spec.name] for spec in specs))
    for view, copy in zip(looked_at, before, strict=True):
        np.testing.assert_array_equal(view, copy, "what was taken from a tensor before the operation changed")
    found: Results = [{} for _ in range(devices)]
    for spec in specs:
        composer = {"mesh_composer": ttnn.ConcatMeshToTensor(mesh, dim=0)} if mesh is not None else {}
        whole = np.array(ttnn.to_numpy(tensors[spec.name], **composer))
        for device, part in enumerate(np.split(whole, devices)):
            found[device][spec.name] = part
    if mesh is not None:
        ttnn.close_mesh_device(mesh)
    return found


# --- comparing ------------------------------------------------------------------------------------------


def _compare_runs(
    mode: str, found: Results, plain: Results, reference: list[dict[str, Tensor]] | None
) -> Failure | None:
    """Equal to the bit; with a reference, in the lanes it defines."""
    for device, (tensors, expected) in enumerate(zip(found, plain, strict=True)):
        for name, array in tensors.items():
            different = (array != expected[name]) & ~((array != array) & (expected[name] != expected[name]))
            if reference is not None:
                different &= ~reference[device][name].undefined
            if different.any():
                return Failure(f"{mode} differs", _describe(name, different, array, expected[name]))
    return None


def _compare_with_reference(
    program: Program, mode: str, found: Results, reference: list[dict[str, Tensor]]
) -> Failure | None:
    inexact = inexact_outputs(program)
    for tensors, expected in zip(found, reference, strict=True):
        for name, array in tensors.items():
            wanted = expected[name]
            values = array.astype(wanted.values.dtype)
            same = (values == wanted.values) | ((values != values) & (wanted.values != wanted.values))
            if name in inexact and mode == "dst16":
                continue  # a last bit is as large as the whole tolerance there
            if name in inexact and wanted.dtype not in INTEGERS:
                relative, absolute = _TOLERANCE.get(wanted.dtype, _COARSE)
                finite = wanted.values[np.isfinite(wanted.values) & ~wanted.undefined]
                largest = float(np.abs(finite).max()) if finite.size else 0.0
                with np.errstate(all="ignore"):
                    distance = np.abs(values.astype(np.float64) - wanted.values.astype(np.float64))
                    same |= distance <= relative * np.abs(wanted.values) + max(
                        absolute * largest, _SMALLEST_ERROR
                    )
            wrong = ~same & ~wanted.undefined
            if wrong.any():
                return Failure(f"{mode} wrong", _describe(name, wrong, values, wanted.values))
    return None


def inexact_outputs(program: Program) -> set[str]:
    """Tensors that depend on a function or a sum whose last bits are free."""
    return {spec.name for spec in program.tensors if spec.name in program.inexact}


def _describe(name: str, wrong: Array, found: Array, expected: Array) -> str:
    places = np.argwhere(wrong)
    lines = [f"tensor {name}: {len(places)} of {wrong.size} elements differ"]
    for place in places[:5]:
        at = tuple(int(index) for index in place)
        lines.append(f"  at {at}: {found[at]!r}, expected {expected[at]!r}")
    return "\n".join(lines)
