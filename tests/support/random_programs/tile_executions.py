"""Runs a random tile program every way, and says what is wrong with it."""

from __future__ import annotations

import contextlib
import importlib.util
import io
from collections.abc import Iterable, Mapping
from contextvars import copy_context
from pathlib import Path
from typing import Any

import numpy as np
import ttnn

from differential.three_ways import _registers
from support.random_programs.tile_errors import Expected, Registers, expected
from support.random_programs.tiles import TileProgram
from ttl import settings
from ttl.diag import TTLError, report
from ttl.rows.comparison import within

Arrays = Mapping[str, Any]
# What the compiler says that it cannot do, at the author's line: padding that would enter a result differently by block.
REFUSALS = frozenset({"TTL1406"})


def judge(program: TileProgram, folder: Path, *, emulated: bool, arch: str = "wormhole") -> str | None:
    """What is wrong with a program, or None, also where the compiler says that it cannot."""
    with settings.override(arch=arch):
        operation, again = (_operation(program, folder, name) for name in ("first", "again"))
        try:
            design = operation.explicit(*_tensors(program).values()).design
        except TTLError as error:
            return f"not designed: {error}"
        if again.explicit(*_tensors(program).values()).design.text != design.text:
            return "designed in another way the second time"
        file = str(folder / "first.py")
        try:
            results, said = _run(operation, program)
        except TTLError as error:
            return f"simulator: {error}"
        if said:
            return f"the simulator says\n{said}"
        wrong = _compared("simulator", program, results, _expected(operation, program, "simulator"))
        if wrong is not None or not emulated:
            return wrong and f"{wrong}\n{design.text}"
        seen: list[bool] = []
        try:
            with _registers(seen):
                chip, _ = _run(operation, program, target="emu", check="off")
        except TTLError as error:
            (finding, *_) = error.diagnostics
            if finding.primary is None or finding.primary.span.file != file:
                return f"refused without the author's line: {error}"
            return None if finding.code in REFUSALS else f"refused {finding.code}\n{error}"
    wanted = _expected(operation, program, "32 bits" if any(seen) else "16 bits")
    wrong = _compared("emulated chip", program, chip, wanted)
    return wrong and f"{wrong}\n{design.text}"


def _operation(program: TileProgram, folder: Path, name: str) -> Any:
    path = folder / f"{name}.py"
    path.write_text(program.source)
    spec = importlib.util.spec_from_file_location(f"random_tiles_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def _tensors(program: TileProgram) -> dict[str, Any]:
    return {
        name: ttnn.Tensor(
            array.astype(np.float32), dtype=getattr(ttnn, program.dtypes[name]), layout=ttnn.TILE_LAYOUT
        )
        for name, array in program.contents().items()
    }


def _run(operation: Any, program: TileProgram, **overrides: Any) -> tuple[Arrays, str]:
    """What the outputs hold at the end, and what was said meanwhile."""
    said, tensors = io.StringIO(), _tensors(program)
    report.SAID.get().keys.clear()
    with settings.override(**overrides), contextlib.redirect_stderr(said):
        copy_context().run(operation, *tensors.values())
    return {name: tensors[name].numpy() for name in program.outputs}, said.getvalue()


def _expected(operation: Any, program: TileProgram, registers: Registers) -> dict[str, Expected]:
    return expected(operation.written, program.contents(), registers, program.dtypes)


def _compared(what: str, program: TileProgram, results: Arrays, wanted: Mapping[str, Expected]) -> str | None:
    """Where results are not what the function gives over arrays: to the bit, where nothing is rounded."""
    for name in program.outputs:
        values = results[name].astype(np.float64)
        allowed = 0.0 if program.is_exact else wanted[name].error * (1 + 1e-6)
        wrong = ~within(values, wanted[name].values, 0.0, allowed)
        if wrong.any():
            places = [tuple(map(int, place)) for place in np.argwhere(wrong)[:4]]
            lines = [
                f"  {place}: {values[place]:.7g}, expected {wanted[name].values[place]:.7g}, "
                f"allowed {np.broadcast_to(allowed, values.shape)[place]:.3g}"
                for place in places
            ]
            return "\n".join([f"{what}: {name} differs at {wrong.sum()} of {wrong.size} places", *lines])
    return None


def wrong_among(
    programs: Iterable[TileProgram], folder: Path, *, emulated: bool, arch: str = "wormhole"
) -> dict[int, str]:
    """What is wrong, by the number of the program, with its source."""
    wrong = {}
    for program in programs:
        said = judge(program, folder, emulated=emulated, arch=arch)
        if said is not None:
            wrong[program.seed] = f"{said}\n{program.source}"
    return wrong
