"""The call of an operation of TT-Lang in a function of JAX: one primitive, whose parameters name the operation.

While JAX traces, the operation is checked and compiled for the shapes at hand, so that errors are reported at the line of the
call. JAX itself runs it in the simulator; for the device it becomes ``custom_call @tt.tt_lang_op``, as in the real project.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from tt_model.layouts.enums import DataType
from tt_model.layouts.kernel_permissions import allowed
from tt_model.layouts.kernel_request import KernelOperand, KernelRequest
from tt_model.operations.conditions.verify_tt_lang import roles_of
from tt_model.tt_lang.declared_kernels import KernelError, module_of
from tt_model.tt_lang.functional import FunctionalKernel
from ttmlir.jax.arguments import of_torch, to_device

TARGET = "tt.tt_lang_op"
_TYPES = {"float32": DataType.Float32, "bfloat16": DataType.BFloat16}
_NO_BATCH = "jax.vmap does not support operations of TT-Lang: make the batch a dimension of the tensors and of the kernel"


def is_of_jax(one: Any) -> bool:
    """Whether a value is an array, or a tracer of JAX."""
    import jax

    return isinstance(one, jax.Array | np.ndarray)


def call(kernel: FunctionalKernel, args: Sequence[Any], results: Sequence[Any]) -> list[Any]:
    """Call an operation on arrays or tracers, and return its results. Raises ``KernelError``."""
    shapes = tuple((tuple(one.shape), np.dtype(one.dtype).name) for one in results)
    bound: list[Any] = primitive().bind(
        *args,
        kernel_id=kernel.kernel_id,
        version_tag=kernel.version_tag,
        arg_roles=kernel.arg_roles,
        results=shapes,
    )
    return bound


@cache
def primitive() -> Any:
    """JAX's primitive for all operations: of inputs, with ``kernel_id``, ``version_tag``, ``arg_roles`` and ``results``."""
    import jax
    from jax.extend.core import Primitive
    from jax.interpreters import batching, mlir

    called: Any = Primitive("tt_lang_op")
    called.multiple_results = True

    def abstract(*inputs: Any, results: Any, **names: str) -> list[Any]:
        from tt_model.tt_lang.running import resolved

        with allowed([module_of(names["kernel_id"])]):
            resolved(_request([*((one.shape, one.dtype.name) for one in inputs), *results], **names))
        return [jax.core.ShapedArray(shape, np.dtype(_dtype(word))) for shape, word in results]

    def run(*inputs: Any, results: Any, **names: str) -> list[Any]:
        return [jax.numpy.asarray(one) for one in _run(inputs, results, **names)]

    def by_callback(*inputs: Any, results: Any, **names: str) -> Any:
        like = [jax.core.ShapedArray(shape, np.dtype(_dtype(word))) for shape, word in results]
        return jax.pure_callback(lambda *given: _run(given, results, **names), like, *inputs)

    def for_device(context: Any, *inputs: Any, results: Any, **names: str) -> Any:
        from jaxlib.mlir import ir

        attributes = {**names, "shard_spec": ""}
        frontend = ir.DictAttr.get({name: ir.StringAttr.get(value) for name, value in attributes.items()})
        types = [
            ir.RankedTensorType.get(one.shape, mlir.dtype_to_ir_type(one.dtype)) for one in context.avals_out
        ]
        operation = ir.Operation.create(
            "stablehlo.custom_call",
            results=types,
            operands=inputs,
            attributes={
                "call_target_name": ir.StringAttr.get(TARGET),
                "mhlo.frontend_attributes": frontend,
            },
        )
        return list(operation.results)

    def batched(*inputs: Any, **names: Any) -> Any:
        raise KernelError(_NO_BATCH)

    called.def_abstract_eval(abstract)
    called.def_impl(run)
    # JAX itself runs on the CPU; every other platform, and so that of ``compile``, gets the call.
    mlir.register_lowering(called, mlir.lower_fun(by_callback, multiple_results=True), platform="cpu")
    mlir.register_lowering(called, for_device)
    batching.primitive_batchers[called] = batched
    return called


def _dtype(word: str) -> Any:
    from jax import numpy as jnp

    return getattr(jnp, word)


def _request(
    tensors: Sequence[tuple[tuple[int, ...], str]], *, kernel_id: str, version_tag: str, arg_roles: str
) -> KernelRequest:
    """Return the kernel request for arrays in tiles in DRAM."""
    wrong = [word for _, word in tensors if word not in _TYPES]
    if wrong:
        raise KernelError(f"kernels of TT-Lang in models take float32 and bfloat16, not {wrong[0]}")
    operands = tuple(KernelOperand(shape=tuple(shape), data_type=_TYPES[word]) for shape, word in tensors)
    return KernelRequest(
        kernel_id=kernel_id, version_tag=version_tag, operands=operands, roles=roles_of(arg_roles)
    )


def _run(inputs: Sequence[Any], results: Sequence[tuple[tuple[int, ...], str]], **names: str) -> list[Any]:
    """Run the call in the simulator, on arrays."""
    import torch

    from tt_model.tt_lang.running import run_kernel

    arrays = [np.asarray(one) for one in inputs]
    destinations = [torch.zeros(shape, dtype=getattr(torch, word)) for shape, word in results]
    request = _request([*((one.shape, one.dtype.name) for one in arrays), *results], **names)
    given = [to_device(one, one) for one in arrays]
    with allowed([module_of(names["kernel_id"])]):
        outputs = run_kernel(request, [*given, *destinations]).outputs
    return [
        of_torch(value.to(one.dtype).reshape(one.shape))
        for value, one in zip(outputs, destinations, strict=True)
    ]
