"""``resolve_operation``: the kernels of an operation for the operands of a model's call, as JSON.

``ttnn-resolve-tt-lang-kernels`` calls it by default. The operation is read, checked as by ``ttl check``, and compiled
for the shapes, types and layouts of the call, without a card or a tool chain.
"""

from __future__ import annotations

import json
from typing import Any

from tt_model.layouts.kernel_request import KernelRequest
from tt_model.tt_lang.arguments import check_arguments, place_of
from tt_model.tt_lang.artifact import artifact_of
from tt_model.tt_lang.declared_kernels import KernelError, TTLangKernel, kernel_named
from tt_model.tt_lang.findings import on_chip
from tt_model.tt_lang.tensors import without_data
from ttl import settings
from ttl.check.choosing import completed
from ttl.check.module import check_module
from ttl.codegen.compile import compile_module
from ttl.codegen.description import ProgramDescription
from ttl.diag import Diagnostic, Severity, TTLError
from ttl.frontend.live import lower_call
from ttl.host.device import open_device
from ttl.ir.failure import NotLegalized
from ttl.ir.reports import Report, report_of


def resolve_operation(request: KernelRequest) -> str:
    """The kernels of a call, as JSON. Raises ``NotLegalized`` with all errors, at the lines of the kernel."""
    try:
        kernel = kernel_named(request.kernel_id, request.version_tag)
        check_arguments(kernel, request)
        with on_chip(request.arch):
            artifact = artifact_of(*_compiled(kernel, request))
    except KernelError as problem:
        raise NotLegalized([Report(message=str(problem), span=problem.span)]) from None
    except TTLError as problem:
        raise NotLegalized([report_of(finding) for finding in problem.diagnostics]) from None
    return json.dumps(artifact)


def _compiled(kernel: TTLangKernel, request: KernelRequest) -> tuple[ProgramDescription, list[Diagnostic]]:
    chosen = settings.current()
    device = open_device(0)
    tensors = tuple(without_data(operand, device) for operand in request.operands)
    args: tuple[Any, ...] = tensors
    kwargs: dict[str, Any] = {}
    if kernel.operation.tunable is not None:
        args, kwargs, chosen = completed(kernel.operation, tensors, {}, chosen)
    lowered = lower_call(kernel.operation, args, kwargs, host_calls="any")
    findings = list(lowered.diagnostics)
    _stop(findings)
    if not lowered.calls or not lowered.calls[0].complete:
        notes = "; ".join(lowered.notes)
        raise KernelError(
            f"operation {kernel.operation.function.__name__} cannot be read as a whole: {notes}",
            place_of(kernel),
        )
    findings += check_module(lowered.module, settings=chosen)
    _stop(findings)
    compiled = compile_module(lowered.module, chosen)
    findings += compiled.diagnostics
    _stop(findings)
    (description,) = compiled.descriptions
    return description, [finding for finding in findings if finding.severity is Severity.WARNING]


def _stop(findings: list[Diagnostic]) -> None:
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        raise NotLegalized([report_of(finding) for finding in errors])
