"""The call of an operation of TT-Lang in a graph of torch: one custom operator, whose arguments name the operation.

All that a graph needs stands in the arguments, so that nothing is registered for an operation: its kernel id, version and roles,
and the shapes and types of the results. Eager torch runs it in the simulator. While torch traces, the operation is checked and
compiled for the shapes at hand, so that errors are reported at the line of the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tt_model.layouts.enums import DataType
from tt_model.layouts.kernel_permissions import allowed
from tt_model.layouts.kernel_request import KernelOperand, KernelRequest
from tt_model.operations.conditions.verify_tt_lang import roles_of
from tt_model.tt_lang.declared_kernels import module_of
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.node_builder import element_type
from ttmlir.torch.places import OPERATOR
from ttmlir.torch.row import AtenValue, rows

if TYPE_CHECKING:
    import torch


@cache
def operator() -> Any:
    """The custom operator: (kernel_id, version_tag, arg_roles, inputs, extents, ranks, types) to the results.

    ``extents`` are those of all results one after the other, ``ranks`` how many each has, ``types`` their types.
    """
    import torch

    def run(
        kernel_id: str,
        version_tag: str,
        arg_roles: str,
        inputs: Sequence[torch.Tensor],
        extents: Sequence[int],
        ranks: Sequence[int],
        types: Sequence[torch.dtype],
    ) -> list[torch.Tensor]:
        return _run(kernel_id, version_tag, arg_roles, inputs, _results(extents, ranks, types))

    def checked(
        kernel_id: str,
        version_tag: str,
        arg_roles: str,
        inputs: Sequence[torch.Tensor],
        extents: Sequence[int],
        ranks: Sequence[int],
        types: Sequence[torch.dtype],
    ) -> list[torch.Tensor]:
        results = _results(extents, ranks, types)
        check(request_for(kernel_id, version_tag, arg_roles, [*inputs, *results]))
        return [inputs[0].new_empty(one.shape, dtype=one.dtype) for one in results]

    schema = (
        "(str kernel_id, str version_tag, str arg_roles, Tensor[] inputs, int[] extents, int[] ranks, ScalarType[] types) "
        "-> Tensor[]"
    )
    defined = torch.library.custom_op(OPERATOR, run, mutates_args=(), schema=schema)
    defined.register_fake(checked)
    return defined


def _results(
    extents: Sequence[int], ranks: Sequence[int], types: Sequence[torch.dtype]
) -> list[torch.Tensor]:
    """The results, without elements."""
    import torch

    shapes, position = [], 0
    for rank in ranks:
        shapes.append(list(extents[position : position + rank]))
        position += rank
    return [
        torch.empty(shape, dtype=dtype, device="meta") for shape, dtype in zip(shapes, types, strict=True)
    ]


def request_for(
    kernel_id: str, version_tag: str, arg_roles: str, tensors: Sequence[torch.Tensor]
) -> KernelRequest:
    """The call for tensors of torch, in tiles in DRAM. Raises ``TypeError`` for types that no kernel takes."""
    operands = tuple(
        KernelOperand(shape=tuple(map(int, one.shape)), data_type=_data_type(one)) for one in tensors
    )
    return KernelRequest(
        kernel_id=kernel_id, version_tag=version_tag, operands=operands, roles=roles_of(arg_roles)
    )


def _data_type(tensor: torch.Tensor) -> DataType:
    import torch

    known = {torch.float32: DataType.Float32, torch.bfloat16: DataType.BFloat16}
    if tensor.dtype not in known:
        raise TypeError(f"kernels of TT-Lang in models take float32 and bfloat16, not {tensor.dtype}")
    return known[tensor.dtype]


def check(request: KernelRequest) -> None:
    """Check that there are kernels for a call. Raises ``KernelError`` with the problem, at the lines of the kernel."""
    from tt_model.tt_lang.running import resolved

    with allowed(modules_of(request.kernel_id)):
        resolved(request)


def modules_of(kernel_id: str) -> list[str]:
    """The module that a call imports. A Python program that calls the operation has imported it, and so allowed it."""
    return [module_of(kernel_id)]


def _run(
    kernel_id: str,
    version_tag: str,
    arg_roles: str,
    inputs: Sequence[torch.Tensor],
    results: Sequence[torch.Tensor],
) -> list[torch.Tensor]:
    import torch

    from tt_model.tt_lang.running import run_kernel

    request = request_for(kernel_id, version_tag, arg_roles, [*inputs, *results])
    given = [one.detach().cpu() for one in inputs]
    destinations = [torch.zeros(one.shape, dtype=one.dtype) for one in results]
    with allowed(modules_of(kernel_id)):
        run = run_kernel(request, [*given, *destinations])
    return [value.to(one.dtype).reshape(one.shape) for value, one in zip(run.outputs, results, strict=True)]


def _called(
    at: GraphLowering,
    kernel_id: str,
    version_tag: str,
    arg_roles: str,
    inputs: Sequence[AtenValue],
    extents: Sequence[int],
    ranks: Sequence[int],
    types: Sequence[torch.dtype],
) -> Any:
    at.kernel_modules.update(modules_of(kernel_id))
    results = _results(extents, ranks, types)
    elements = [element_type(one.dtype, at.builder.context) for one in results]

    def computed(*values: torch.Tensor) -> list[torch.Tensor]:
        if any(value.device.type == "meta" for value in values):
            return results
        given = [value.to(one.dtype) for value, one in zip(values, inputs, strict=True)]
        return _run(kernel_id, version_tag, arg_roles, given, results)

    operands = [at.operand(one) for one in inputs]
    return list(
        at.builder.tt_lang_op(operands, kernel_id, version_tag, arg_roles, elements, computed).results
    )


ROWS = rows(
    ("ttmlir.tt_lang_op.default", _called, "ttir.tt_lang_op", "other types than float32 and bfloat16")
)
