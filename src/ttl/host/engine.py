"""Arithmetic of whole-tensor operations: in torch when it is installed, in NumPy otherwise.

Floats are computed in float32 and rounded once when they are stored, integers in int64.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ttl.host import numpy_functions, storage
from ttl.host.arguments import check_type, place
from ttl.host.config import UnaryOpType, UnaryWithParam
from ttl.host.errors import Code, describe, fail
from ttl.host.shape import stored
from ttl.host.storage import TensorMemory
from ttl.host.table import BY_NAME
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import BFLOAT16, FLOAT16, FLOAT32, Array, DType
from ttl.rows.types import Layout
from ttl.session import Part
from ttl.session.patience import Unavailable

ACTIVATIONS = ("relu", "gelu", "silu", "sigmoid", "tanh", "relu6", "mish", "exp", "sqrt", "square")


class _TorchFunctions:
    """The functions of torch that compute, by name: its own, those of networks, special ones."""

    def __init__(self, torch: Any) -> None:
        self._modules = (torch, torch.nn.functional, torch.special)

    def __getattr__(self, name: str) -> Any:
        function = next(getattr(module, name) for module in self._modules if hasattr(module, name))
        setattr(self, name, function)
        return function

    def cbrt(self, x: Any) -> Any:
        """The cube root, which torch does not have."""
        return self.sign(x) * self.pow(self.abs(x).double(), 1 / 3)


@cache
def _functions_of(torch: Any) -> Any:
    return numpy_functions if torch is None else _TorchFunctions(torch)


# Whether tensors have data. While a program is only read they do not, and torch, a second and 200 MB, is not imported.
HAS_DATA: Part[bool] = Part(lambda: True)


def functions() -> Any:
    """The functions that compute, by torch's names: torch's where it is installed, else the same ones for NumPy.

    Raises ``Unavailable`` where a program is only read.
    """
    if not HAS_DATA.get():
        raise Unavailable
    return _functions_of(storage.torch_or_none())


def arranged(values: Any) -> Any:
    """Return an array of indices or truth values, made by NumPy, in the form that the arithmetic computes with."""
    torch = storage.torch_or_none()
    return values if torch is None else torch.from_numpy(np.ascontiguousarray(values))


def floating(values: Any) -> Any:
    """Values as float32."""
    torch = storage.torch_or_none()
    return values.astype(np.float32) if torch is None else values.to(torch.float32)


def number(value: Any, *, floating: bool) -> Any:
    """A number as float32 or int64, without dimensions."""
    torch = storage.torch_or_none()
    if torch is None:
        return np.asarray(value, np.float32 if floating else np.int64)
    return torch.tensor(value, dtype=torch.float32 if floating else torch.int64, device="cpu")


def rounded(values: Any, dtype: DType) -> TensorMemory:
    """Arithmetic values (an array or a torch tensor) as memory of a type, in the shape they have."""
    if isinstance(values, (np.ndarray, np.generic)):
        array: Array = np.asarray(values)
        kind = np.int64 if array.dtype.kind in "biu" and not dtype.is_float else np.float32
        elements = dtype.store(np.ascontiguousarray(array, kind).reshape(array.shape or (1,)))
        memory = storage.empty(array.shape, dtype) if storage.torch_if_imported() else None
        if memory is None:
            return TensorMemory(np.ascontiguousarray(elements).reshape(array.shape))
        np.copyto(memory.array, elements.reshape(array.shape))
        return memory
    torch = storage.torch_or_none()
    assert torch is not None
    if dtype in (BFLOAT16, FLOAT32, FLOAT16):
        wanted = storage.torch_dtype(torch, dtype)
        elements = values.to(torch.float32).to(wanted).contiguous()
        return storage.own(elements.clone() if elements is values else elements, dtype)
    return rounded(values.detach().contiguous().numpy(), dtype)


def loaded(tensor: Tensor) -> Any:
    """The values in the tensor's shape, for reading: float32 or int64, as torch tensor or array."""
    torch = storage.torch_or_none()
    if torch is None:
        return in_numpy(tensor)
    if not tensor.dtype.is_float or tensor.dtype.kind == "block_float":
        return torch.from_numpy(np.array(in_numpy(tensor)))
    lent = storage.lend(tensor._memory(), tensor.dtype)
    return lent.view(tuple(tensor.shape)).to(torch.float32)


def in_numpy(tensor: Tensor) -> Any:
    """The values as an array of the tensor's shape, for reading: float32 or int64."""
    return tensor.dtype.load(tensor._data).reshape(tensor.shape)


def activate(values: Any, activation: Any, function: str) -> Any:
    """Apply the activation of a name to values; None changes nothing."""
    params: tuple[Any, ...] = ()
    if isinstance(activation, UnaryWithParam):
        activation, params = activation.op_type, activation.params
    if activation is None or activation is UnaryOpType.IDENTITY:
        return values
    if not isinstance(activation, UnaryOpType) and activation not in ACTIVATIONS:
        fail(
            Code.WRONG_KIND,
            f"ttnn.{function}: there is no activation {describe(activation)}",
            help=f"one of {', '.join(ACTIVATIONS)}",
        )
    row = BY_NAME[str(activation)]
    defaults = tuple(default for _, default in row.params)
    return row.compute(functions(), values, *(*params, *defaults[len(params) :])[: len(defaults)])


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
    """Store a result: in a new tensor at the place of ``like``, or in the ``output`` tensor."""
    shape = tuple(int(extent) for extent in values.shape)
    if output is not None:
        return _into(values, shape, output, function)
    element = like.dtype if dtype is None else dtype
    order = like.layout if layout is None else layout
    check_type(element, order)
    wanted = memory_config
    if wanted is None:
        stays = not like.is_sharded() or shape == tuple(like.shape)
        wanted = like._memory_config if stays else None
    config = place(wanted, shape, order, like._device)
    memory = rounded(values.reshape(stored(shape, order)), element)
    return Tensor._of(memory, shape, element, order, like._device, config)


def _into(values: Any, shape: tuple[int, ...], output: Any, function: str) -> Tensor:
    if not isinstance(output, Tensor):
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
