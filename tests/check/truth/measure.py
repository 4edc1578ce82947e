"""What a run of a program says, what the checks say of the calls it makes, and what they say of its text alone.

The program runs once. Each call of an operation is checked first, as under ``ttl run``, and carried out whatever was
found: both speak of the same call with the same arguments.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any
from unittest import mock

from xdsl.dialects.builtin import ModuleOp

import ttl.cli.run
from check.truth.corpus import Program
from support.programs import run_ttl
from support.random_programs.language.execute import compiled, run
from support.random_programs.language.generate import generate
from ttl.check.module import check_module
from ttl.diag import Diagnostic, TTLError
from ttl.frontend.file import lower_file
from ttl.ir.verifier import require_valid
from ttl.lang.operation import Operation

FILE = "program.py"
_ORDER = {"error": 0, "warning": 1, "note": 2}
_TEXT = re.compile(r"(error|warning|note)\[(TTL\d{4})\]: ")
_LAUNCH: CodeType = Operation._launch.__code__


@dataclass(frozen=True, slots=True)
class Said:
    """A finding: its severity, its code (or an exception of Python's), its line in the program (0: elsewhere)."""

    severity: str
    code: str
    line: int
    message: str = field(default="", compare=False)

    def __str__(self) -> str:
        shown = f"{self.code}:{self.line}" if self.line else self.code
        return shown if self.severity == "error" else f"{shown} ({self.severity})"


@dataclass(slots=True)
class Measured:
    """What was said of a program, the worst first: by its run, by the checks of its calls, by the checks of its text."""

    run: list[Said] = field(default_factory=list)
    check: list[Said] = field(default_factory=list)
    file: list[Said] = field(default_factory=list)
    calls: int = 0
    inside: bool = False
    """Whether an exception came out of the call of an operation."""


def measured(program: Program, folder: Path, *, carry_out: bool = True) -> Measured:
    """Run and check. ``carry_out=False``: operations are checked and not carried out."""
    path = folder / FILE
    path.write_text(program.source, encoding="utf-8")
    found = Measured()
    with _importable(program, folder):
        with _watched(found, str(path), carry_out=carry_out):
            flags = ["--check", "--format", "json", *program.flags]
            outcome = run_ttl(["run", *flags, FILE], folder=folder)
        found.file = [_of(each, str(path)) for each in look_at_file(str(path), program.flags)]
    for line in outcome.stderr.splitlines():
        if line.startswith('{"schema"'):
            found.run.append(_of_object(json.loads(line)))
        elif (before := _TEXT.match(line)) is not None:  # said before the flags were read
            found.run.append(Said(before[1], before[2], 0))
    found.run, found.check, found.file = (_ordered(each) for each in (found.run, found.check, found.file))
    return found


@contextmanager
def _importable(program: Program, folder: Path) -> Iterator[None]:
    """The modules that a program imports are beside it, as for a user."""
    for module in program.modules:
        os.symlink(module, folder / module.name)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


@contextmanager
def _watched(found: Measured, path: str, *, carry_out: bool) -> Iterator[None]:
    """What would stop calls with mistakes notes what it finds, and lets them go on."""

    def findings(of_call: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        found.calls += 1
        found.check += [_of(each, path) for each in of_call]
        return ()

    def verified(module: ModuleOp, **options: Any) -> list[Diagnostic]:
        require_valid(module)
        return check_module(module, **options)

    def failed(raised: BaseException, *context: Any) -> int:
        frames = list(traceback.walk_tb(raised.__traceback__))
        found.inside = any(frame.f_code is _LAUNCH for frame, _ in frames)
        status = report(raised, *context)
        if not isinstance(raised, TTLError):
            lines = [line for frame, line in frames if frame.f_code.co_filename == path]
            found.run.append(Said("error", type(raised).__name__, lines[-1] if lines else 0))
        return status

    report = ttl.cli.run._failed
    with ExitStack() as patches:
        patches.enter_context(mock.patch("ttl.check.launch.in_order", findings))
        patches.enter_context(mock.patch("ttl.check.module.check_module", verified))
        patches.enter_context(mock.patch("ttl.cli.run._failed", failed))
        if not carry_out:
            patches.enter_context(mock.patch("ttl.sim.launch.launch", lambda *_: None))
        yield


def look_at_file(path: str, flags: Sequence[str] = ()) -> list[Diagnostic]:
    """Every finding in a file that is only read."""
    try:
        lowered = lower_file(path)
    except TTLError as raised:
        return list(raised.diagnostics)
    require_valid(lowered.module)
    return [*lowered.diagnostics, *check_module(lowered.module, strict="--strict" in flags)]


def random_findings(seeds: Iterable[int]) -> dict[str, list[Said]]:
    """What the checks say of random correct programs, by their names; those they say nothing of are left out."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        for seed in seeds:
            program = generate(seed)
            code = compiled(program, Path(name).resolve())
            measured = Measured()
            with _watched(measured, code.co_filename, carry_out=False):
                run(program, code, {"check": "on"})
            assert measured.calls, f"random program {seed} was not checked"
            if measured.check:
                found[f"random/{seed}"] = _ordered(measured.check)
    return found


def _of(found: Diagnostic, path: str) -> Said:
    inside = found.primary is not None and found.primary.span.file == path
    line = found.primary.span.line if inside and found.primary is not None else 0
    return Said(found.severity.value, found.code, line, found.message)


def _of_object(found: dict[str, Any]) -> Said:
    place = found["primary"]
    line = place["line"] if place is not None and Path(place["file"]).name == FILE else 0
    return Said(found["severity"], found["code"], line, found["message"])


def _ordered(found: list[Said]) -> list[Said]:
    return sorted(dict.fromkeys(found), key=lambda each: _ORDER[each.severity])
