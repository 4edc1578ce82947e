"""What a run of a program says, and what the checks say of the calls it makes of operations.

The program runs once. Each call of an operation is checked first, then carried out whatever was found: both speak of the
same call with the same arguments.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from xdsl.dialects.builtin import ModuleOp

import ttl.cli.run
from check.truth.corpus import Program
from support.programs import run_ttl
from ttl.check.module import check_module
from ttl.diag import Diagnostic, TTLError
from ttl.frontend.file import lower_file
from ttl.lang.operation import Operation

FILE = "program.py"
ORDER = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True, slots=True)
class Said:
    """A finding: its severity, code, and line in the program (0: elsewhere)."""

    severity: str
    code: str
    line: int
    message: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.code}:{self.line}" + ("" if self.severity == "error" else f" {self.severity}")


@dataclass(slots=True)
class Measured:
    """What was said of a program, the worst first: by its run, by the checks of its calls, by the checks of its text."""

    run: list[Said] = field(default_factory=list)
    check: list[Said] = field(default_factory=list)
    file: list[Said] = field(default_factory=list)
    calls: int = 0
    inside: bool = False
    """Whether an exception came out of the call of an operation."""
    exception: str = ""
    """The type of an exception that ended the run."""


def measured(program: Program, folder: Path, *, carry_out: bool = True) -> Measured:
    """Run and check. ``carry_out=False``: operations are checked and not carried out."""
    path = folder / FILE
    path.write_text(program.source, encoding="utf-8")
    found = Measured()
    sys.path.append(program.folder)
    try:
        with _watched(found, str(path), carry_out=carry_out):
            outcome = run_ttl(["run", "--check", "--format", "json", FILE], folder=folder)
    finally:
        sys.path.remove(program.folder)
    found.run = [
        _of_object(json.loads(line)) for line in outcome.stderr.splitlines() if line.startswith('{"schema"')
    ]
    found.file = [_of_diagnostic(each, str(path)) for each in look_at_file(str(path))]
    found.run, found.check, found.file = (_ordered(each) for each in (found.run, found.check, found.file))
    return found


@contextmanager
def _watched(found: Measured, path: str, *, carry_out: bool) -> Iterator[None]:
    """What would stop calls with mistakes notes what it finds, and lets them go on."""

    def findings(of_call: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        found.calls += 1
        found.check += [_of_diagnostic(each, path) for each in of_call]
        return ()

    def verified(module: ModuleOp, **options: Any) -> list[Diagnostic]:
        module.verify()
        return check_module(module, **options)

    def failed(raised: BaseException) -> int:
        found.exception = type(raised).__name__
        frames = traceback.walk_tb(raised.__traceback__)
        found.inside = any(frame.f_code is Operation._launch.__code__ for frame, _ in frames)
        return report(raised)

    report = ttl.cli.run._failed
    with ExitStack() as patches:
        patches.enter_context(mock.patch("ttl.check.launch.in_order", findings))
        patches.enter_context(mock.patch("ttl.check.module.check_module", verified))
        patches.enter_context(mock.patch("ttl.cli.run._failed", failed))
        if not carry_out:
            patches.enter_context(mock.patch("ttl.sim.launch.launch", lambda *_: None))
        yield


def look_at_file(path: str) -> list[Diagnostic]:
    """Every finding in a file that is only read."""
    try:
        lowered = lower_file(path)
    except TTLError as raised:
        return list(raised.diagnostics)
    lowered.module.verify()
    return [*lowered.diagnostics, *check_module(lowered.module)]


def _of_diagnostic(found: Diagnostic, path: str) -> Said:
    line = 0
    if found.primary is not None and found.primary.span.file == path:
        line = found.primary.span.line
    return Said(found.severity.value, found.code, line, found.message)


def _of_object(found: dict[str, Any]) -> Said:
    place = found["primary"]
    line = place["line"] if place is not None and Path(place["file"]).name == FILE else 0
    return Said(found["severity"], found["code"], line, found["message"])


def _ordered(found: list[Said]) -> list[Said]:
    return sorted(dict.fromkeys(found), key=lambda each: ORDER[each.severity])
