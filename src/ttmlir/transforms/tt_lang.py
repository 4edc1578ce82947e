"""``ttnn-resolve-tt-lang-kernels`` and ``ttnn-lower-tt-lang-to-generic``: operations of TT-Lang become kernels.

The first pass calls a Python function that compiles the kernels of each ``ttnn.tt_lang_op``, and attaches them as JSON;
the second pass converts them to ``ttnn.generic``. The function is an option: the passes do not depend on a compiler of
kernels.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tt_model.attributes.kernel_program import program_attribute
from tt_model.attributes.tt_system import arch_of
from tt_model.layouts.kernel_permissions import allowed, module_names
from tt_model.layouts.kernel_request import KernelRequest
from tt_model.operations.conditions.verify_tt_lang import request_of
from tt_model.operations.dialects import build
from tt_model.operations.operation import RowOperation
from tt_model.operations.shared import TTNNTTLangOp
from ttl.analysis.dominance import of_kinds
from ttl.ir.failure import NotLegalized, Remarks, not_legalized
from ttl.ir.locations import first_span
from ttl.ir.reports import Report, about
from ttl.source.spans import Span

_FORMAT_VERSION = 2


def _operations(module: ModuleOp) -> list[TTNNTTLangOp]:
    return of_kinds(module, TTNNTTLangOp)


@dataclass(frozen=True)
class ResolveTTLangKernels(ModulePass):
    """Compile the kernels of TT-Lang operations for the tensors of the module.

    Expects: TTNN after all passes that change layouts. ``python-function`` of ``python-module`` takes a
    ``KernelRequest`` and returns the JSON text of the kernels, or raises ``NotLegalized``; by default it is this
    project's compiler, which checks the kernels first. It imports modules that the model names, and only those that
    ``allow-tt-lang`` lists. Guarantees: every ``ttnn.tt_lang_op`` has its ``kernel_artifact``; or there is an error for
    each operation without one, with the lines of its kernel, and the module is unchanged. Warnings are shown.
    """

    name = "ttnn-resolve-tt-lang-kernels"
    mesh_shape: tuple[int, ...] = ()
    python_module: str = "tt_model.tt_lang.resolver"
    python_function: str = "resolve_operation"
    allow_tt_lang: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        module_names(",".join(self.allow_tt_lang))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        operations = _operations(op)
        if not operations:
            return
        resolver = self._resolver(op)
        arch = arch_of(op)
        artifacts: dict[KernelRequest, str | list[Report]] = {}
        reports: list[Report] = []
        remarks: list[Report] = []
        for kernel in operations:
            request = request_of(kernel, self.mesh_shape, arch)
            if request not in artifacts:
                artifacts[request] = self._resolved(resolver, request)
            artifact = artifacts[request]
            if isinstance(artifact, str):
                remarks += _warnings(kernel, artifact)
            else:
                message = f"'{TTNNTTLangOp.name}' op kernel '{request.kernel_id}' cannot be made for {_operands(request)}"
                reports.append(about(kernel, message, *_as_notes(artifact, kernel)))
        if reports:
            raise NotLegalized(reports)
        for kernel in operations:
            artifact = artifacts[request_of(kernel, self.mesh_shape, arch)]
            assert isinstance(artifact, str)
            kernel.properties["kernel_artifact"] = StringAttr(artifact)
        if remarks:
            raise Remarks(remarks)

    def _resolver(self, module: ModuleOp) -> Any:
        name = f"{self.python_module}.{self.python_function}"
        try:
            return getattr(import_module(self.python_module), self.python_function)
        except (ImportError, AttributeError, ValueError) as problem:
            message = f"the resolver {name} cannot be imported: {problem}"
            raise NotLegalized([about(module, message)]) from None

    def _resolved(self, resolver: Any, request: KernelRequest) -> str | list[Report]:
        """Return the artifact, or the errors of the resolver."""
        try:
            with allowed(self.allow_tt_lang):
                artifact = resolver(request)
            _decoded(artifact)
        except NotLegalized as problem:
            return list(problem.reports)
        except Exception as problem:  # a function of the user's
            name = f"{self.python_module}.{self.python_function}"
            return [Report(message=f"the resolver {name} fails: {type(problem).__name__}: {problem}")]
        return str(artifact)


def _operands(request: KernelRequest) -> str:
    return ", ".join(
        f"{role} {operand}" for role, operand in zip(request.roles, request.operands, strict=True)
    )


def _as_notes(reports: Sequence[Report], op: RowOperation) -> list[Report]:
    """Convert errors of a kernel to notes of an error about the model, each at its own line, else at the model's."""
    here = first_span(op.location)
    return [
        Report(message=note.message, severity="note", span=note.span or report.span or here)
        for report in reports
        for note in (report, *report.notes)
    ]


def _warnings(op: TTNNTTLangOp, artifact: str) -> list[Report]:
    """Return the warnings of the resolver, at the operation of the model, with the line of the kernel."""
    result = []
    for item in _decoded(artifact).get("warnings", ()):
        if not isinstance(item, Mapping) or "message" not in item:
            continue
        placed = all(name in item for name in ("file", "line", "column"))
        span = Span(file=item["file"], line=item["line"], column=item["column"]) if placed else None
        note = Report(message="in the kernel here", severity="note", span=span)
        result.append(
            Report(
                message=f"'{TTNNTTLangOp.name}' op kernel '{op.kernel_id}': {item['message']}",
                severity="warning",
                span=first_span(op.location),
                notes=() if span is None else (note,),
                operation=op,
            )
        )
    return result


def _decoded(artifact: Any) -> Mapping[str, Any]:
    """The JSON of an artifact. Raises ``ValueError`` if this release does not support its format."""
    try:
        data = json.loads(artifact)
    except (TypeError, ValueError, RecursionError) as problem:
        raise ValueError(f"its result is not JSON: {problem}") from None
    if not isinstance(data, dict) or data.get("format_version") != _FORMAT_VERSION:
        raise ValueError(f"its result does not have format_version {_FORMAT_VERSION}")
    return data


@dataclass(frozen=True)
class LowerTTLangToGeneric(ModulePass):
    """Replace operations of TT-Lang by the kernels that were compiled for them.

    Expects: ``ttnn-resolve-tt-lang-kernels`` has run. Guarantees: every ``ttnn.tt_lang_op`` has become a
    ``ttnn.generic`` on the same tensors; or there is an error for each operation without kernels, and the module is
    unchanged.
    """

    name = "ttnn-lower-tt-lang-to-generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        programs: list[tuple[TTNNTTLangOp, Attribute]] = []
        reports: list[Report] = []
        for kernel in _operations(op):
            artifact = kernel.kernel_artifact
            if artifact is None:
                reports.append(
                    not_legalized(
                        kernel,
                        f"kernel '{kernel.kernel_id}' has no kernel_artifact",
                        "what works: the pass ttnn-resolve-tt-lang-kernels in front of this one",
                    )
                )
                continue
            try:
                # The reference needs these names to compute the expected results by the author's NumPy function.
                named = {
                    "kernel_id": kernel.kernel_id,
                    "version_tag": kernel.version_tag,
                    "arg_roles": kernel.arg_roles,
                }
                programs.append((kernel, program_attribute({**_decoded(artifact), **named})))
            except ValueError as problem:
                reports.append(not_legalized(kernel, f"its kernel_artifact cannot be read: {problem}"))
        if reports:
            raise NotLegalized(reports)
        for kernel, program in programs:
            generic = build(
                "ttnn.generic",
                [kernel.inputs, kernel.outputs],
                [result.type for result in kernel.results],
                {"program": program},
                location=kernel.location,
            )
            Rewriter.replace_op(kernel, generic)
