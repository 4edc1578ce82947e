"""Runs a random program: by the reference, or by the simulator under some settings."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

import numpy as np
import ttnn

import ttl  # noqa: F401 - lets ``import ttnn`` find the host library
from support.random_programs.language.emit import device_text, live
from support.random_programs.language.emit_reference import reference_text
from support.random_programs.language.reference import INTEGERS, Array, Machine, Tensor
from support.random_programs.language.spec import Program, TensorSpec
from ttl import control, settings
from ttl.diag import report
from ttl.lang.launches import NUMBERS, LaunchNumbers
from ttl.sim import memory, pending

_STORED = {"int32": np.int32, "uint32": np.uint32, "uint16": np.uint16, "uint8": np.uint8}

_LIMITS = ((memory, "_PENDING_WRITES"), (pending, "_PENDING_OPERATIONS"), (pending, "_PENDING_BYTES"))
M = TypeVar("M", bound=Machine)
# What each device's tensors hold at the end.
Results = list[dict[str, Array]]


def contents(program: Program, spec: TensorSpec, device: int, turn: int = 0) -> Array:
    """What a tensor holds before call number ``turn`` of the operation."""
    array = _own_contents(spec, device, turn)
    if spec.overlaps:
        shared = contents(program, program.tensor(spec.overlaps), device, turn)
        array = np.concatenate([shared[spec.shift :], array[: spec.shift]])
    return array


def _own_contents(spec: TensorSpec, device: int, turn: int) -> Array:
    random = np.random.default_rng([spec.seed, device, turn] if turn else [spec.seed, device])
    shape = spec.shape
    if spec.data.startswith("special "):
        return _combined(spec)
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


def special(dtype: str) -> dict[str, float]:
    """Values at which functions do something of their own, by name; of numbers that are not normal one, and two ordinary ones."""
    largest = float(np.finfo(np.float32).max) if dtype == "float32" else 255 * 2.0**120
    values = {"0": 0.0, "inf": np.inf, "tiny": 1e-40, "largest": largest, "1": 1.0}
    signed = {sign + name: float(f"{sign}1") * value for name, value in values.items() for sign in ("", "-")}
    return signed | {"nan": np.nan}


def _combined(spec: TensorSpec) -> Array:
    """Operand number n of all combinations of special values; ``data`` is "special n"."""
    values = np.array(list(special(spec.dtype).values()), np.float32)
    place = np.arange(np.prod(spec.shape)) // len(values) ** int(spec.data.removeprefix("special "))
    return values[place % len(values)].reshape(spec.shape)


def devices(program: Program) -> int:
    return program.mesh[0] * program.mesh[1] if program.mesh else 1


def run_reference(program: Program, precision: str = "spec") -> list[dict[str, Tensor]]:
    """What the tensors of each device hold at the end, by the reference."""
    return [tensors for _, tensors in references(program, lambda: Machine(precision))]


def references(program: Program, machine: Callable[[], M]) -> Iterator[tuple[M, dict[str, Tensor]]]:
    """The same, with the reference's machine that has run the program for the device."""
    scope: dict[str, Any] = {}
    exec(compile(reference_text(program), "<reference>", "exec"), scope)
    specs = live(program).tensors
    for device in range(devices(program)):
        tensors = {
            spec.name: Tensor(contents(program, spec, device), spec.dtype, spec.tiled)
            for spec in specs
            if not spec.same_as
        }
        tensors |= {spec.name: tensors[spec.same_as] for spec in specs if spec.same_as}
        running = machine()
        with np.errstate(all="ignore"):
            scope["run"](running, tensors)
        yield running, tensors


def compiled(program: Program, folder: Path) -> Any:
    """The program's code, from a file in ``folder``: diagnostics show its lines."""
    handle, name = tempfile.mkstemp(".py", "program_", folder)
    os.close(handle)
    file = Path(name)
    file.write_text(device_text(program))
    return compile(file.read_text(), str(file), "exec")


def run(
    program: Program,
    code: Any,
    overrides: Mapping[str, Any],
    *,
    tiny: bool = False,
    turns: Sequence[int] = (0,),
) -> tuple[list[Results], str]:
    """Call the operation once for each of ``turns``, each time on new tensors. Results, and the text on stderr.

    ``tiny``: every store is computed, every copy carried out at once.
    """
    said = io.StringIO()
    report.SAID.get().keys.clear()  # notes that are given once are given once per run
    with (
        settings.override(**overrides),
        _thresholds(tiny),
        contextlib.redirect_stderr(said),
        NUMBERS.given(LaunchNumbers()),
    ):
        results: list[Results] = copy_context().run(_execute, program, code, turns)
    return results, said.getvalue()


@contextlib.contextmanager
def _thresholds(tiny: bool) -> Iterator[None]:
    with contextlib.ExitStack() as patched:
        for module, name in _LIMITS if tiny else ():
            patched.enter_context(mock.patch.object(module, name, 0))
        if tiny and control.NATIVE:
            from ttl.sim.native.pending import NativePending

            original = NativePending.__init__

            def impatient(self: Any, engine: Any) -> None:
                original(self, engine)
                self.limit_bytes = self.limit_intermediate = 0

            patched.enter_context(mock.patch.object(NativePending, "__init__", impatient))
        yield


def _execute(program: Program, code: Any, turns: Sequence[int]) -> list[Results]:
    scope: dict[str, Any] = {"__name__": "program"}
    exec(code, scope)
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(*program.mesh)) if program.mesh else None
    specs = live(program).tensors
    found: list[Results] = []
    for turn in turns:
        tensors = make_tensors(program, specs, mesh, turn)
        kept = [] if program.mesh else [spec.name for spec in specs if not spec.same_as and spec.seed % 2]
        looked_at = [ttnn.to_numpy(tensors[name]) for name in kept]
        before = [view.copy() for view in looked_at]
        scope["op"](*(tensors[spec.name] for spec in specs))
        for view, copy in zip(looked_at, before, strict=True):
            np.testing.assert_array_equal(
                view, copy, "what was taken from a tensor before the operation changed"
            )
        found.append(_taken(program, specs, tensors, mesh))
    if mesh is not None:
        ttnn.close_mesh_device(mesh)
    return found


def make_tensors(program: Program, specs: Sequence[TensorSpec], mesh: Any, turn: int) -> dict[str, Any]:
    """The tensors of the operation by name."""
    tensors: dict[str, Any] = {}
    for spec in specs:
        if spec.same_as:
            continue
        array = np.concatenate([contents(program, spec, device, turn) for device in range(devices(program))])
        # Memory that is the caller's, or that the caller still looks at, is not written to.
        array.flags.writeable = spec.seed % 3 != 0
        options = (
            {"mesh_mapper": ttnn.ShardTensorToMesh(mesh, dim=0), "device": mesh} if mesh is not None else {}
        )
        tensors[spec.name] = ttnn.from_numpy(
            array, getattr(ttnn, spec.dtype), layout=_layout(spec), **options
        )
    for spec in specs:
        if spec.overlaps and mesh is None:
            _share(program, spec, tensors, turn)
    return tensors | {spec.name: tensors[spec.same_as] for spec in specs if spec.same_as}


def _share(program: Program, spec: TensorSpec, tensors: dict[str, Any], turn: int) -> None:
    """Make two tensors anew over one memory."""
    first = program.tensor(spec.overlaps)
    if spec.shift == 0:
        tensors[spec.name] = ttnn.reshape(tensors[first.name], first.shape)
        return
    rows = len(contents(program, first, 0, turn))
    whole = np.concatenate(
        [contents(program, first, 0, turn), contents(program, spec, 0, turn)[rows - spec.shift :]]
    )
    if spec.dtype == "float16":
        whole = whole.astype(np.float16)
    whole.flags.writeable = False
    for each, start in ((first, 0), (spec, spec.shift)):
        tensors[each.name] = ttnn.from_numpy(
            whole[start : start + rows], getattr(ttnn, spec.dtype), layout=_layout(spec)
        )


def _layout(spec: TensorSpec) -> Any:
    return ttnn.TILE_LAYOUT if spec.tiled else ttnn.ROW_MAJOR_LAYOUT


def _taken(program: Program, specs: Sequence[TensorSpec], tensors: dict[str, Any], mesh: Any) -> Results:
    found: Results = [{} for _ in range(devices(program))]
    for spec in specs:
        composer = {"mesh_composer": ttnn.ConcatMeshToTensor(mesh, dim=0)} if mesh is not None else {}
        whole = np.array(ttnn.to_numpy(tensors[spec.name], **composer))
        for device, part in enumerate(np.split(whole, devices(program))):
            found[device][spec.name] = part
    return found
