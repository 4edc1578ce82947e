"""Running an operation of TT-Lang on the tensors of a model: in the simulator, on the emulated chip, or by its reference."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ttl.diag import TTLError
from ttl.host.convert import to_torch
from ttl.host.device import open_device
from ttmlir.layouts.kernel_request import KernelOperand, KernelRequest
from ttmlir.operations.operation import RowOperation
from ttmlir.operations.verify_tt_lang import request_of
from ttmlir.tt_lang.findings import on_chip, text_of
from ttmlir.tt_lang.kernels import KernelError, TTLangKernel, kernel_named
from ttmlir.tt_lang.resolver import PROGRAM, check_arguments, resolve_operation
from ttmlir.tt_lang.tensors import with_data

if TYPE_CHECKING:
    import torch

Target = Literal["sim", "emu", "numpy"]
TARGETS: tuple[Target, ...] = ("sim", "emu", "numpy")


@dataclass(frozen=True, slots=True)
class KernelRun:
    """The results of a call, and the cycles of the emulated chip; None where nothing was emulated."""

    outputs: tuple[torch.Tensor, ...]
    cycles: int | None = None


def run_kernel(
    request: KernelRequest, values: Sequence[torch.Tensor], target: Target = "sim", artifact: str = ""
) -> KernelRun:
    """Run a call. ``values`` are those of all operands, destinations included, in the types that they are computed in.

    The emulated chip runs the kernels of ``artifact`` where there are some, else those that are compiled now. Raises
    ``KernelError`` with what ``ttl`` finds wrong, at the lines of the kernel.
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
            kernel.operation(*tensors)
            return KernelRun(_outputs(request, tensors))
    except TTLError as problem:
        raise KernelError(f"{request.kernel_id} fails:\n{text_of(problem.diagnostics)}") from None


def _tensors(request: KernelRequest, values: Sequence[torch.Tensor]) -> list[Any]:
    device = open_device(0)
    return [
        with_data(operand, value, device) for operand, value in zip(request.operands, values, strict=True)
    ]


def _outputs(request: KernelRequest, tensors: Sequence[Any]) -> tuple[torch.Tensor, ...]:
    return tuple(
        to_torch(tensor) for tensor, role in zip(tensors, request.roles, strict=True) if role == "out"
    )


def _emulated(request: KernelRequest, values: Sequence[torch.Tensor], artifact: str) -> KernelRun:
    from ttl.codegen.description import from_json
    from ttl.emu.launch import run
    from ttl.ir.failure import NotLegalized

    try:
        text = artifact or resolve_operation(request)
    except NotLegalized as problem:
        raise KernelError("; ".join(report.message for report in problem.reports)) from None
    try:
        description = from_json(json.dumps(json.loads(text)[PROGRAM]))
    except (ValueError, KeyError, TypeError) as problem:
        raise KernelError(
            f"the kernel_artifact of {request.kernel_id} has no {PROGRAM} that the emulated chip can run ({problem}): "
            "resolve it with the default resolver of ttnn-resolve-tt-lang-kernels"
        ) from None
    if len(description.tensors) > len(values):
        raise KernelError(
            f"the kernel_artifact of {request.kernel_id} is for {len(description.tensors)} tensors, and there are {len(values)}"
        )
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
    outs = [operand for operand, role in zip(request.operands, request.roles, strict=True) if role == "out"]
    return tuple(torch.from_numpy(array) for array in _referenced(kernel, inputs, outs))


def _referenced(
    kernel: TTLangKernel, inputs: Sequence[npt.NDArray[np.float64]], outs: Sequence[KernelOperand]
) -> list[npt.NDArray[np.float64]]:
    assert kernel.reference is not None
    given = kernel.reference(*inputs)
    results = list(given) if isinstance(given, tuple) else [given]
    arrays = [np.ascontiguousarray(result, np.float64) for result in results]
    shapes, wanted = [array.shape for array in arrays], [operand.shape for operand in outs]
    if shapes != wanted:
        raise KernelError(f"the reference of {kernel.kernel_id} gives {shapes}, and {wanted} is wanted")
    return arrays


def values_of(op: RowOperation, inputs: Sequence[npt.NDArray[np.float64]]) -> list[npt.NDArray[np.float64]]:
    """The results of a ``tt_lang_op`` in float64: by the reference of its kernel, or where it has none by the simulator,
    which computes in the types of the tensors. Raises ``ValueError``."""
    import torch

    try:
        request = request_of(op)
        kernel = kernel_named(request.kernel_id, request.version_tag)
        check_arguments(kernel, request)
        outs = request.operands[len(inputs) :]
        if kernel.reference is not None:
            return _referenced(kernel, inputs, outs)
        values = [torch.from_numpy(np.array(array)) for array in inputs]
        values += [torch.zeros(operand.shape, dtype=torch.float64) for operand in outs]
        cast = [value.float() for value in values]
        return [output.double().numpy() for output in run_kernel(request, cast).outputs]
    except KernelError as problem:
        raise ValueError(str(problem)) from None
