"""Arithmetic of whole-tensor operations: in torch when it is installed, in NumPy otherwise.

Floats are computed in float32 and rounded once when they are stored, integers in int64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ttl.host import storage
from ttl.host.arguments import check_type, place
from ttl.host.errors import Code, fail
from ttl.host.shape import stored
from ttl.host.storage import Memory
from ttl.host.tensor import Tensor
from ttl.ops.dtypes import BFLOAT16, FLOAT16, FLOAT32, Array, DType
from ttl.ops.types import Layout


def rounded(values: Any, dtype: DType) -> Memory:
    """Arithmetic values (an array or a torch tensor) as memory of a type, in the shape they have."""
    if isinstance(values, (np.ndarray, np.generic)):
        array: Array = np.asarray(values)
        kind = np.int64 if array.dtype.kind in "biu" and not dtype.is_float else np.float32
        kept = dtype.store(np.ascontiguousarray(array, kind).reshape(array.shape or (1,)))
        memory = storage.empty(array.shape, dtype) if storage.torch_if_imported() else None
        if memory is None:
            return Memory(np.ascontiguousarray(kept).reshape(array.shape))
        np.copyto(memory.array, kept.reshape(array.shape))
        return memory
    torch = storage.torch_or_none()
    assert torch is not None
    if dtype in (BFLOAT16, FLOAT32, FLOAT16):
        wanted = storage.torch_dtype(torch, dtype)
        made = values.to(torch.float32).to(wanted).contiguous()
        return storage.own(made.clone() if made is values else made, dtype)
    return rounded(values.detach().contiguous().numpy(), dtype)


def loaded(tensor: Tensor) -> Any:
    """The values in the tensor's shape, for reading: float32 or int64, as torch tensor or array."""
    torch = storage.torch_or_none()
    if torch is None:
        return tensor.dtype.load(tensor._data).reshape(tensor.shape)
    if not tensor.dtype.is_float or tensor.dtype.kind == "block_float":
        array = tensor.dtype.load(tensor._data)
        return torch.from_numpy(np.array(array)).view(tuple(tensor.shape))
    lent = storage.lend(tensor._memory(), tensor.dtype)
    return lent.view(tuple(tensor.shape)).to(torch.float32)


def pick(torch_function: Callable[..., Any], numpy_function: Callable[..., Any]) -> Callable[..., Any]:
    """The function for the arithmetic in use: ``torch_function(torch, ...)`` or ``numpy_function(...)``."""
    torch = storage.torch_or_none()
    if torch is None:

        def in_numpy(*args: Any) -> Any:
            with np.errstate(all="ignore"):
                return numpy_function(*args)

        return in_numpy
    return lambda *args: torch_function(torch, *args)


def finish(
    values: Any,
    like: Tensor,
    function: str,
    *,
    dtype: DType | None = None,
    layout: Layout | None = None,
    memory_config: Any = None,
    output: Any = None,
) -> Tensor:
    """Store a result: in a new tensor that lives where ``like`` does, or in the ``output`` tensor given."""
    shape = tuple(int(extent) for extent in values.shape)
    if output is not None:
        return _into(values, shape, output, function)
    element = like.dtype if dtype is None else dtype
    order = like.layout if layout is None else layout
    check_type(element, order)
    wanted = memory_config
    if wanted is None:
        keeps = not like.is_sharded() or shape == tuple(like.shape)
        wanted = like._memory_config if keeps else None
    config = place(wanted, shape, order, like._device)
    memory = rounded(values.reshape(stored(shape, order)), element)
    return Tensor._of(memory, shape, element, order, like._device, config)


def _into(values: Any, shape: tuple[int, ...], output: Any, function: str) -> Tensor:
    if not isinstance(output, Tensor):
        from ttl.host.errors import describe

        fail(Code.WRONG_KIND, f"ttnn.{function}: the output is a ttnn.Tensor, not {describe(output)}")
    output._check_usable()
    if shape != tuple(output.shape):
        fail(
            Code.OUTPUT,
            f"ttnn.{function}: the result has shape {shape}, the output tensor {tuple(output.shape)}",
            help="make the output with ttnn.empty of the result's shape",
        )
    output._replace(rounded(values.reshape(output._data.shape), output.dtype))
    return output


def swapped(values: Any) -> Any:
    """The last two dimensions exchanged."""
    return values.swapaxes(-1, -2)
