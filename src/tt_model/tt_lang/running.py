"""Runs operations of TT-Lang on the tensors of a model: in the simulator, on the emulated chip, or by references."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tt_model.layouts.kernel_permissions import PERMISSIONS
from tt_model.layouts.kernel_request import KernelOperand, KernelRequest, KernelTarget
from tt_model.operations.conditions.verify_tt_lang import request_of, request_of_generic
from tt_model.operations.shared import TTLangOperation, TTNNTTLangOp
from tt_model.operations.ttnn import TTNNGenericOp
from tt_model.tt_lang.arguments import check_arguments, check_operand
from tt_model.tt_lang.artifact import description_of, read_artifact
from tt_model.tt_lang.declared_kernels import (
    KernelError,
    TTLangKernel,
    kernel_named,
    module_of,
    require_source_allowed,
    ways_to_allow,
)
from tt_model.tt_lang.findings import on_chip, text_of
from tt_model.tt_lang.resolver import resolve_operation
from tt_model.tt_lang.tensors import INTEGER_BITS, with_data
from ttl.codegen.description import ProgramDescription
from ttl.diag import TTLError
from ttl.host.convert import to_torch
from ttl.host.device import open_device
from ttl.ir.failure import NotLegalized
from ttl.session import SameObject, cached

if TYPE_CHECKING:
    import torch

# The number of calls whose kernels are kept; a model has few different calls.
_KEPT = 64


@dataclass(frozen=True, slots=True)
class KernelRun:
    """The results of a call, and the cycles of the emulated chip; None if it did not run there."""

    outputs: tuple[torch.Tensor, ...]
    cycles: int | None = None


def run_kernel(
    request: KernelRequest, values: Sequence[torch.Tensor], target: KernelTarget = "sim", artifact: str = ""
) -> KernelRun:
    """Run a call. ``values`` are those of all operands, destinations included, in the types that they are computed in.

    The emulated chip runs the kernels of ``artifact`` if that is permitted, or else kernels that are compiled from the
    module. Raises ``KernelError`` with the errors that ``ttl`` finds, at the lines of the kernel.
    """
    try:
        with on_chip(request.arch):
            if target == "emu":
                return _emulated(request, values, artifact)
            kernel = kernel_named(request.kernel_id, request.version_tag)
            check_arguments(kernel, request)
            if target == "numpy":
                return KernelRun(_by_reference(kernel, request, values))
            tensors = _tensors(request, values)
            _simulated(kernel, tensors)
            return KernelRun(_outputs(request, tensors))
    except TTLError as problem:
        raise KernelError(f"{request.kernel_id} cannot be run: {text_of(problem.diagnostics)}") from None


def _simulated(kernel: TTLangKernel, tensors: Sequence[Any]) -> None:
    try:
        kernel.operation(*tensors)
    except (TTLError, KernelError):
        raise
    except Exception as problem:  # the user's kernel
        last = traceback.extract_tb(problem.__traceback__)[-1]
        raise KernelError(
            f"{kernel.kernel_id} fails at {last.filename}:{last.lineno}: {type(problem).__name__}: {problem}"
        ) from problem


def run_generic(
    artifact: Mapping[str, Any],
    request: KernelRequest,
    values: Sequence[torch.Tensor],
    target: KernelTarget = "sim",
) -> KernelRun:
    """Run kernels that are written out. Only their C++ is known, which the emulated chip runs for ``sim``, too.

    ``numpy`` runs the reference of the operation of TT-Lang that they were made from, if they name it. Raises
    ``KernelError``.
    """
    try:
        with on_chip(request.arch):
            if target == "numpy":
                kernel = kernel_named(request.kernel_id, request.version_tag)
                check_arguments(kernel, request)
                return KernelRun(_by_reference(kernel, request, values))
            require_source_allowed("the file")
            for operand in request.operands:
                check_operand(operand)
            return _launched(description_of(artifact, request.arch, request.operands), request, values)
    except TTLError as problem:
        raise KernelError(f"the kernels cannot be run: {text_of(problem.diagnostics)}") from None


def _tensors(request: KernelRequest, values: Sequence[torch.Tensor]) -> list[Any]:
    device = open_device(0)
    return [
        with_data(operand, value, device) for operand, value in zip(request.operands, values, strict=True)
    ]


def _outputs(request: KernelRequest, tensors: Sequence[Any]) -> tuple[torch.Tensor, ...]:
    """The values of the destinations; whole numbers are converted to int64 without a sign."""
    import torch

    outputs = []
    for tensor, role, operand in zip(tensors, request.roles, request.operands, strict=True):
        if role == "out":
            values, bits = to_torch(tensor), INTEGER_BITS.get(operand.data_type)
            outputs.append(values if bits is None else values.to(torch.int64) & ((1 << bits) - 1))
    return tuple(outputs)


def _emulated(request: KernelRequest, values: Sequence[torch.Tensor], artifact: str) -> KernelRun:
    permissions = PERMISSIONS.get()
    if artifact and permissions.sources:
        try:
            description = _described(artifact, request.arch, request.operands)
        except KernelError as problem:
            raise KernelError(
                f"the kernel_artifact of {request.kernel_id} cannot be run: {problem}"
            ) from None
        return _launched(description, request, values)
    module = module_of(request.kernel_id)
    if artifact and not permissions.allows(module):
        way = f"or make them again from '{module}': {ways_to_allow(module)[0]}"
        require_source_allowed(f"the kernel_artifact of {request.kernel_id}", way)
    anew = resolved(request)
    return _launched(_described(anew, request.arch, request.operands), request, values)


def resolved(request: KernelRequest) -> str:
    """Return the kernels of a call as JSON, made once for the current state of the operation.

    Raises ``KernelError`` with all errors of the operation, at the lines of the kernel, and ``ProgramError`` TTL0130
    for a module without permission.
    """
    try:
        return _resolved(SameObject(kernel_named(request.kernel_id, request.version_tag).operation), request)
    except NotLegalized as problem:
        texts = [
            f"{report.span}: {report.message}" if report.span else report.message
            for report in problem.reports
        ]
        raise KernelError("\n".join(texts), problem.reports[0].span) from None


@cached(maxsize=_KEPT)
def _resolved(operation: SameObject, request: KernelRequest) -> str:
    """The kernels of a call, for the current state of an operation."""
    return resolve_operation(request)


@cached(maxsize=_KEPT)
def _described(artifact: str, arch: str, operands: tuple[KernelOperand, ...]) -> ProgramDescription:
    return description_of(read_artifact(artifact), arch, operands)


def _launched(
    description: ProgramDescription, request: KernelRequest, values: Sequence[torch.Tensor]
) -> KernelRun:
    from ttl.emu.launch import run

    tensors = _tensors(request, values)
    result = run(description, tensors)
    return KernelRun(_outputs(request, tensors), result.cycles)


def _by_reference(
    kernel: TTLangKernel, request: KernelRequest, values: Sequence[torch.Tensor]
) -> tuple[torch.Tensor, ...]:
    import torch

    if kernel.reference is None:
        raise KernelError(
            f"{request.kernel_id} has no reference: give one to tt_lang_operation, or run it in the simulator"
        )
    inputs = [
        value.double().numpy() for value, role in zip(values, request.roles, strict=True) if role == "in"
    ]
    return tuple(torch.from_numpy(array) for array in _referenced(kernel, request, inputs))


def _referenced(
    kernel: TTLangKernel, request: KernelRequest, inputs: Sequence[npt.NDArray[np.float64]]
) -> list[npt.NDArray[np.float64]]:
    """Return the results of the reference, in float64.

    Whole numbers are passed as int64, and results are wrapped to their type afterwards.
    """
    assert kernel.reference is not None
    outs = request.operands[len(inputs) :]
    given = [
        array.astype(np.int64) if operand.data_type in INTEGER_BITS else array
        for array, operand in zip(inputs, request.operands)
    ]
    try:
        returned = kernel.reference(*given)
        results = list(returned) if isinstance(returned, tuple) else [returned]
        arrays = [np.asarray(result) for result in results]
        shapes, wanted = [array.shape for array in arrays], [operand.shape for operand in outs]
        if shapes == wanted:
            return [_of_type(array, operand) for array, operand in zip(arrays, outs)]
    except Exception as problem:  # a function of the user's
        raise KernelError(
            f"the reference of {kernel.kernel_id} fails: {type(problem).__name__}: {problem}"
        ) from problem
    raise KernelError(f"the reference of {kernel.kernel_id} gives {shapes}, but {wanted} is expected")


def _of_type(array: npt.NDArray[Any], operand: KernelOperand) -> npt.NDArray[np.float64]:
    bits = INTEGER_BITS.get(operand.data_type)
    return np.ascontiguousarray(array if bits is None else np.mod(array, 1 << bits), np.float64)


def values_of(
    op: TTLangOperation, inputs: Sequence[npt.NDArray[np.float64]]
) -> list[npt.NDArray[np.float64]]:
    """The results of a ``tt_lang_op`` in float64. Raises ``ValueError``.

    They are computed by the reference of its kernel, or, without a reference, by the simulator, which computes in the
    types of the tensors. If its module must not be imported, but the kernels in the file may run, these are used.
    """
    try:
        request = request_of(op)
        artifact = op.kernel_artifact if isinstance(op, TTNNTTLangOp) else None
        if artifact and PERMISSIONS.get().sources and _maker(request) is None:
            return _arrays(run_kernel(request, _with_outputs(request, inputs), "emu", artifact))
        kernel = kernel_named(request.kernel_id, request.version_tag)
        check_arguments(kernel, request)
        if kernel.reference is not None:
            return _referenced(kernel, request, inputs)
        return _arrays(run_kernel(request, _with_outputs(request, inputs)))
    except (KernelError, TTLError) as problem:
        raise ValueError(_said(problem)) from None


def values_of_generic(
    op: TTNNGenericOp, inputs: Sequence[npt.NDArray[np.float64]]
) -> list[npt.NDArray[np.float64]]:
    """The results of a ``ttnn.generic`` in float64. Raises ``ValueError``.

    They are computed by the reference of the operation of TT-Lang that its kernels were made from, if that may be
    imported and has a reference, and otherwise by its kernels on the emulated chip.
    """
    try:
        artifact, request = request_of_generic(op)
        kernel = _maker(request)
        if kernel is not None and kernel.reference is not None:
            return _referenced(kernel, request, inputs)
        return _arrays(run_generic(artifact, request, _with_outputs(request, inputs)))
    except (KernelError, TTLError) as problem:
        raise ValueError(_said(problem)) from None


def _maker(request: KernelRequest) -> TTLangKernel | None:
    """The operation that kernels were made from; None if it must not be imported."""
    if not PERMISSIONS.get().allows(module_of(request.kernel_id)):
        return None
    return kernel_named(request.kernel_id, request.version_tag)


def is_its_own_reference(request: KernelRequest) -> bool:
    """Whether a call has no NumPy reference to compare it with, so that its own kernels make the golden results."""
    try:
        kernel = _maker(request)
    except (KernelError, TTLError):
        return False
    return kernel is None or kernel.reference is None


def _with_outputs(request: KernelRequest, inputs: Sequence[npt.NDArray[np.float64]]) -> list[torch.Tensor]:
    """The inputs, and zeros for the destinations."""
    import torch

    outs = request.operands[len(inputs) :]
    return [
        *(torch.from_numpy(np.array(array)).float() for array in inputs),
        *(torch.zeros(operand.shape) for operand in outs),
    ]


def _arrays(run: KernelRun) -> list[npt.NDArray[np.float64]]:
    return [output.double().numpy() for output in run.outputs]


def _said(problem: KernelError | TTLError) -> str:
    return text_of(problem.diagnostics) if isinstance(problem, TTLError) else str(problem)
