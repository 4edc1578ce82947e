"""``TTL_TARGET=emu``: an operation that is called is compiled, and its C++ runs on the emulated chip."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ttl import settings
from ttl.check.module import check_module
from ttl.codegen.compile import compile_module
from ttl.diag import Diagnostic, ProgramError, Severity
from ttl.diag.report import emit
from ttl.emu.launch import run
from ttl.frontend.live import lower_call
from ttl.lang.operation import Operation


def launch(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Run an operation on the emulated chip. Raises ``ProgramError`` with what the compiler or the run finds wrong."""
    chosen = settings.current()
    lowered = lower_call(operation, args, kwargs)
    _report(lowered.diagnostics)
    if chosen.check != "off":
        _report(check_module(lowered.module, settings=chosen, strict=chosen.strict))
    compiled = compile_module(lowered.module, chosen)
    _report(compiled.diagnostics)
    (description,) = compiled.descriptions
    (call,) = lowered.calls
    run(description, call.tensors)


def _report(findings: Iterable[Diagnostic]) -> None:
    """Raise the errors among findings, and show the others."""
    errors = []
    for finding in findings:
        if finding.severity is Severity.ERROR:
            errors.append(finding)
        else:
            emit(finding, once=True)
    if errors:
        raise ProgramError(*errors)
