"""The code that a text's operations compile to: C++, IR, explicit forms of tile programs. No operation is executed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ttl import settings
from ttl.check.fitting import fits
from ttl.check.module import check_module
from ttl.codegen.compile import compile_module
from ttl.codegen.texts import module_text
from ttl.design.listing import designs_of
from ttl.design.text import module
from ttl.diag import Diagnostic, Severity, TTLError
from ttl.dialects import ttl as dialect
from ttl.frontend.file import lower_file

Links = tuple[tuple[int, str, int], ...]
"""Triples of a line of the output, and the file and line of the user's program that it comes from; lines from 1."""

_LOCATION = re.compile(r'.*\bloc\("((?:[^"\\]|\\.)*)":(\d+):')


@dataclass(frozen=True, kw_only=True, slots=True)
class EmittedKernel:
    """The code of one kernel of an operation, or the explicit form of a tile program."""

    operation: str
    name: str
    file: str
    text: str
    lines: Links


@dataclass(frozen=True, kw_only=True, slots=True)
class Emitted:
    """The kernels of a text's operations, or its IR; with the findings, and notes on parts that were not compiled."""

    kernels: tuple[EmittedKernel, ...] = ()
    ir: str = ""
    lines: Links = ()
    """The origins of the lines of the IR."""
    findings: tuple[Diagnostic, ...] = ()
    notes: tuple[str, ...] = ()
    """The parts that were left out, with the reasons."""


def kernels_of(path: str, operation: str | None = None) -> Emitted:
    """The C++ of one operation of a file, or of all (None), for the arguments of the calls.

    The text of the file is that of the current session.
    """
    chosen = settings.current()
    try:
        lowered = lower_file(path, (), fits)
        findings = check_module(lowered.module, settings=chosen, strict=chosen.strict)
        if any(finding.severity is Severity.ERROR for finding in (*lowered.diagnostics, *findings)):
            return Emitted(findings=(*lowered.diagnostics, *findings), notes=tuple(lowered.notes))
        compiled = compile_module(lowered.module, chosen)
    except TTLError as raised:
        return Emitted(findings=tuple(raised.diagnostics))
    kernels = tuple(
        EmittedKernel(
            operation=program.name,
            name=kernel.name,
            file=f"{program.name}/{kernel.file}",
            text=kernel.source,
            lines=tuple((number, span.file, span.line) for number, span in sorted(kernel.lines.items())),
        )
        for program in compiled.descriptions
        if operation is None or program.name == operation
        for kernel in program.kernels
    )
    findings = [*lowered.diagnostics, *findings, *compiled.diagnostics]
    return Emitted(kernels=kernels, findings=tuple(findings), notes=(*lowered.notes, *compiled.notes))


def ir_of(path: str, operation: str | None = None) -> Emitted:
    """The IR of all operations of a file, or of one, in the ``ttl`` dialect."""
    try:
        lowered = lower_file(path, (), fits)
    except TTLError as raised:
        return Emitted(findings=tuple(raised.diagnostics))
    if operation is not None:
        for op in list(lowered.module.body.block.ops):
            if isinstance(op, dialect.OperationOp) and op.operation_name != operation:
                lowered.module.body.block.detach_op(op)
    text = module_text(lowered.module)
    located = module_text(lowered.module, locations=True).splitlines()
    lines = []
    if len(located) == len(text.splitlines()):
        for number, line in enumerate(located, 1):
            place = _LOCATION.match(line)
            if place is not None:
                lines.append((number, place[1].replace("\\\\", "\\").replace('\\"', '"'), int(place[2])))
    return Emitted(
        ir=text, lines=tuple(lines), findings=tuple(lowered.diagnostics), notes=tuple(lowered.notes)
    )


def explicit_of(path: str, operation: str | None = None) -> Emitted:
    """The explicit operations that are designed for all tile programs of a file, or for one, each as a module."""
    try:
        calls, findings = designs_of(path)
    except TTLError as raised:
        return Emitted(findings=tuple(raised.diagnostics))
    kernels: list[EmittedKernel] = []
    for call in calls:
        name = call.wanted.function.name
        if call.design is None or operation not in (None, name):
            continue
        number = sum(kernel.operation == name for kernel in kernels)
        explicit = "explicit" if not number else f"explicit_{number + 1}"
        text = module(call.design, call.wanted.arguments, path, call.wanted.chip)
        above = text[: text.index(call.design.text.rstrip())].count("\n")
        lines = tuple(
            (line, span.file, span.line)
            for line, (_, span) in enumerate(call.design.source.lines, above + 1)
            if span is not None
        )
        kernels.append(
            EmittedKernel(operation=name, name=explicit, file=f"{name}/{explicit}.py", text=text, lines=lines)
        )
    return Emitted(kernels=tuple(kernels), findings=tuple(findings))
