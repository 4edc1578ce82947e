"""``resolve_operation``: the kernels of an operation for the operands that a model calls it with, as JSON.

It is what ``ttnn-resolve-tt-lang-kernels`` calls unless another function is named. The operation is read, checked as
``ttl check`` does, and compiled for the shapes, types and layouts of the call; no card and no tool chain is needed.
"""

from __future__ import annotations

import json
from typing import Any

from ttl.check.module import check_module
from ttl.codegen.compile import compile_module
from ttl.codegen.description import KernelDescription, ProgramDescription, to_json
from ttl.codegen.entries import in_text
from ttl.diag import Diagnostic, Severity, TTLError
from ttl.frontend.live import lower_call
from ttl.host.device import open_device
from ttl.ir.failure import NotLegalized
from ttl.ir.reports import Report, report_of
from ttmlir.layouts.kernel_request import KernelRequest
from ttmlir.tt_lang.findings import on_chip
from ttmlir.tt_lang.kernels import KernelError, TTLangKernel, kernel_named
from ttmlir.tt_lang.tensors import without_data

FORMAT_VERSION = 2
# A member of the JSON that is ours: all that a launch needs, by which the emulated chip runs it.
PROGRAM = "ttl_program"
WARNINGS = "warnings"


def resolve_operation(request: KernelRequest) -> str:
    """The kernels of a call. Raises ``NotLegalized`` with everything that is wrong, at the lines of the kernel."""
    try:
        kernel = kernel_named(request.kernel_id, request.version_tag)
        check_arguments(kernel, request)
        with on_chip(request.arch):
            description, warnings = _compiled(kernel, request)
    except KernelError as problem:
        raise NotLegalized([Report(message=str(problem))]) from None
    except TTLError as problem:
        raise NotLegalized([report_of(finding) for finding in problem.diagnostics]) from None
    return json.dumps(_artifact(description, warnings))


def check_arguments(kernel: TTLangKernel, request: KernelRequest) -> None:
    """Raises ``KernelError`` where the operation takes other arguments than the model gives it."""
    parameters = kernel.operation.signature.parameters
    if len(parameters) != len(request.operands):
        raise KernelError(
            f"operation {kernel.operation.function.__name__} takes {len(parameters)} tensors ({', '.join(parameters)}), and the "
            f"model gives it {len(request.operands)}"
        )
    declared = kernel.arg_roles.replace(" ", "")
    if declared and declared != ",".join(request.roles):
        raise KernelError(
            f"operation {kernel.operation.function.__name__} is declared with arg_roles '{declared}', and the model says "
            f"'{','.join(request.roles)}'"
        )


def _compiled(kernel: TTLangKernel, request: KernelRequest) -> tuple[ProgramDescription, list[Diagnostic]]:
    from ttl import settings

    chosen = settings.current()
    device = open_device(0)
    tensors = tuple(without_data(operand, device) for operand in request.operands)
    lowered = lower_call(kernel.operation, tensors, {}, host_calls="any")
    findings = list(lowered.diagnostics)
    _stop(findings)
    if not lowered.calls or not lowered.calls[0].complete:
        notes = "; ".join(lowered.notes)
        raise KernelError(
            f"operation {kernel.operation.function.__name__} cannot be read as a whole: {notes}"
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


def _artifact(description: ProgramDescription, warnings: list[Diagnostic]) -> dict[str, Any]:
    columns, rows = description.grid
    return {
        "format_version": FORMAT_VERSION,
        "kernels": [_kernel(kernel, description) for kernel in description.kernels],
        "core_range": {"start": [0, 0], "end": [columns - 1, rows - 1]},
        "cb_configs": [
            {
                "buffer_index": buffer.index,
                "data_format": buffer.dtype,
                "page_size": buffer.page_bytes,
                "total_size": buffer.nbytes,
            }
            for buffer in description.circular_buffers
        ],
        "num_pipe_sync_semaphores": len(description.semaphores),
        "num_pipe_global_semaphores": 0,
        "pipe_sram_scratch_bytes": 0,
        PROGRAM: json.loads(to_json(description)),
        WARNINGS: [_warning(finding) for finding in warnings],
    }


def _kernel(kernel: KernelDescription, description: ProgramDescription) -> dict[str, Any]:
    config: dict[str, Any] = {
        "name": kernel.name,
        "compile_time_args": in_text(kernel.compile_time_args),
        "common_args": in_text(kernel.common_args),
    }
    if kernel.config is not None:
        config |= {
            "math_fidelity": kernel.config.math_fidelity,
            "fp32_dest_acc_en": kernel.config.fp32_dest_acc_en,
            "dst_full_sync_en": kernel.config.dst_full_sync_en,
            "math_approx_mode": kernel.config.math_approx_mode,
        }
    else:
        config |= {"processor": kernel.processor, "noc": kernel.noc}
    return {
        "thread_type": "compute" if kernel.thread == "tensix" else "noc",
        "cpp_source": kernel.source,
        "tensor_indices": [description.tensor(name).index for name in kernel.accessors],
        "kernel_config": config,
    }


def _warning(finding: Diagnostic) -> dict[str, Any]:
    span = None if finding.primary is None else finding.primary.span
    place = {} if span is None else {"file": span.file, "line": span.line, "column": span.column}
    return {"message": f"{finding.message} [{finding.code}]", **place}
