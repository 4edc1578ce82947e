"""Functions of TT-NN in a program that is only read: tensors with shape, type, layout and place, and no data.

The rules here are for functions that compute. Functions that only describe (devices, memory configurations, meshes) are
called themselves, and so are functions that move elements of small tensors.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from types import BuiltinFunctionType
from typing import Any

from ttl.frontend.host.network_shapes import RULES, placed
from ttl.frontend.host.torch_shapes import METHODS, REDUCED, Array, reduced
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.host import api
from ttl.host.access import require_owner
from ttl.host.arguments import untold
from ttl.host.dataless import composed, like, make
from ttl.host.device import Device, open_device
from ttl.host.movement import to_layout, to_memory_config
from ttl.host.shape import broadcast, volume
from ttl.host.table import ALIASES, BY_NAME, IN_PLACE
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import DTYPES as _ALL
from ttl.rows.dtypes import FLOAT32, INT32, UINT8, UINT32, DType
from ttl.rows.types import Layout

Handler = Callable[..., Any]

# The most elements that a function which only moves them may get.
MOST_ELEMENTS = 1_000_000
_TYPES: dict[str, DType] = {
    **{dtype.name: dtype for dtype in _ALL},
    "float64": FLOAT32, "int8": INT32, "int16": INT32, "int64": INT32, "uint64": UINT32, "bool": UINT8,
}  # fmt: skip
_OF_TORCH = {"uint32": "int32", "uint16": "int16", "bfloat8_b": "float32", "bfloat4_b": "float32"}
# Modules of the host library whose functions compute no data.
_DESCRIPTIONS = frozenset(
    f"ttl.host.{name}"
    for name in (
        "device", "config", "memory", "coordinates", "cores", "mesh", "shape", "tensor", "creation", "movement", "arguments", "fabric",
        "trace",
    )
)  # fmt: skip
_MOVEMENTS = frozenset(f"ttl.host.{name}" for name in ("shaping", "indexing"))
# Namespaces whose functions have rules of their own.
_NETWORKS = (api.transformer, api.experimental, api.kv_cache)
# The library's names of the operators.
_NAMES = {
    **ALIASES, "truediv": "divide", "iadd": "add", "isub": "subtract", "imul": "multiply", "itruediv": "divide",
}  # fmt: skip
LASTING = (
    api.SetDefaultDevice, api.CloseDevices, api.set_fabric_config, api.begin_trace_capture,
    api.end_trace_capture, api.execute_trace, api.release_trace,
)  # fmt: skip
"""Functions that change the results of later calls of other functions."""
_DATA = frozenset({"numpy", "to_numpy", "item", "to_list", "tolist", "__array__"})
_OPERATORS = frozenset(
    {
        operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.eq, operator.ne,
        operator.lt, operator.le, operator.gt, operator.ge, operator.iadd, operator.isub, operator.imul,
        operator.itruediv, operator.neg, operator.pos,
    }
)  # fmt: skip


def find(function: Any) -> Handler | None:
    """Return the replacement for a function of TT-NN, or a method of a tensor, that computes with data; None if it has no
    replacement."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, Tensor):
        name = function.__name__
        if name in _DATA:
            return partial(_values, owner)
        handler = _named().get(name)
        return None if handler is None else partial(handler, owner)
    return _handlers().get(id(function))


def fits(function: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> bool:
    """Whether the number and names of a call's arguments fit the signature of a function of the library."""
    options = getattr(function, "__ttnn_options__", None)
    name = getattr(function, "__name__", "")
    if options is None or (isinstance(_named().get(name), partial) and _named()[name].func is spread):  # type: ignore[attr-defined]
        return True
    signature = inspect.signature(function)
    wanted = {
        key: value for key, value in keywords.items() if key in signature.parameters or key not in options
    }
    try:
        signature.bind(*arguments, **wanted)
    except TypeError:
        return False
    return True


def may_call(function: Any, arguments: Any) -> bool:
    """Whether a function of the host library may be called as it is."""
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or type(owner).__module__
    if module in _DESCRIPTIONS:
        return True
    elements = sum(volume(value.shape) for value in arguments if isinstance(value, Tensor))
    return (
        module in _MOVEMENTS and elements <= MOST_ELEMENTS and not isinstance(function, BuiltinFunctionType)
    )


def operated(function: Any, arguments: tuple[Any, ...]) -> Any:
    """The result of an operator of tensors; None if it is not an operator of tensors."""
    if not any(isinstance(value, Tensor) for value in arguments):
        return None
    if function in (operator.matmul, operator.imatmul):
        return product(*arguments)
    if function in _OPERATORS:
        return spread(_NAMES.get(function.__name__, function.__name__), *arguments)
    if function is operator.getitem and volume(arguments[0].shape) <= MOST_ELEMENTS:
        return arguments[0][arguments[1]]
    raise NotKnown(Unknown(why="the values in a tensor"))


# --- rules ------------------------------------------------------------------------------------------------------


def from_array(tensor: Any, dtype: Any = None, **options: Any) -> Tensor:
    """``ttnn.from_torch``, ``ttnn.from_numpy``, ``ttnn.as_tensor``, ``ttnn.Tensor``."""
    if not isinstance(tensor, Array):
        raise NotKnown(Unknown(why="data of a tensor"))
    known = {
        name: options[name]
        for name in ("layout", "device", "memory_config", "mesh_mapper")
        if name in options
    }
    result = make(tensor.shape, dtype, **known, default=_TYPES[tensor.dtype.name])
    return untold(result, "from_torch", known.get("layout"))


def to_array(library: str, tensor: Any, dtype: Any = None, **options: Any) -> Array:
    """``ttnn.to_torch``, ``ttnn.to_numpy``."""
    name = _OF_TORCH.get(tensor.dtype.name, tensor.dtype.name)
    shape = composed(tensor, options.get("mesh_composer"))
    rank = options.get("torch_rank")
    while isinstance(rank, int) and len(shape) > rank and shape[0] == 1:
        shape = shape[1:]
    return Array(shape, name if dtype is None else dtype, library)


def filled(name: str, *arguments: Any, **keywords: Any) -> Tensor:
    """``zeros``, ``full``, ``rand``, ``zeros_like`` and the like."""
    given = _bound(name, arguments, keywords)
    order = Layout.TILE if name in ("rand", "randn") else Layout.ROW_MAJOR
    shape, dtype, layout, device, config = (
        given.get(key) for key in ("shape", "dtype", "layout", "device", "memory_config")
    )
    model = given.get("tensor")
    if model is None:
        return untold(make(shape, dtype, layout, device, config, order=order), name, layout)
    return make(
        model.shape,
        model.dtype if dtype is None else dtype,
        model.layout if layout is None else layout,
        model.device() if device is None else device,
        model.memory_config() if config is None else config,
    )


def spread(name: str, *operands: Any, **options: Any) -> Tensor:
    """A function of elements. Operands are tensors, which broadcast, and numbers."""
    tensors = [value for value in (*operands, *options.values()) if isinstance(value, Tensor)]
    output = options.get("output_tensor")
    if isinstance(output, Tensor):
        return output
    shape: tuple[int, ...] = ()
    for tensor in tensors:
        shape = broadcast(shape, tensor.shape, name)
    model = next((tensor for tensor in tensors if tuple(tensor.shape) == shape), tensors[0])
    element = next((tensor.dtype for tensor in tensors if tensor.dtype.is_float), tensors[0].dtype)
    return placed(like(model, shape, options.get("dtype") or element), options)


def product(first: Tensor, second: Tensor, *more: Any, **options: Any) -> Tensor:
    """``ttnn.matmul``, ``ttnn.linear``."""
    output = options.get("optional_output_tensor")
    if isinstance(output, Tensor):
        return output
    left, right = Array(first.shape), Array(second.shape)
    left = left.mT if options.get("transpose_a") else left
    right = right.mT if options.get("transpose_b") else right
    return placed(like(first, METHODS["matmul"](left, right).shape, options.get("dtype")), options)


def kept(tensor: Tensor, *arguments: Any, **options: Any) -> Tensor:
    """Return a tensor of the same shape and type: for normalizations, and a sum over devices."""
    return placed(like(tensor, None, options.get("dtype")), options)


def cast(tensor: Tensor, dtype: Any = None, **options: Any) -> Tensor:
    """``ttnn.typecast``, ``ttnn.clone``."""
    return placed(like(tensor, None, dtype), options)


def relaid(tensor: Tensor, layout: Any, dtype: Any = None, **options: Any) -> Tensor:
    """``ttnn.to_layout``."""
    return to_layout(tensor if dtype is None else like(tensor, None, dtype), layout, **options)


def moved(tensor: Tensor, memory_config: Any, dtype: Any = None, **options: Any) -> Tensor:
    """``ttnn.to_memory_config``."""
    return to_memory_config(tensor if dtype is None else like(tensor, None, dtype), memory_config)


def shaped(name: str, tensor: Tensor, *arguments: Any, **options: Any) -> Tensor:
    """``reshape``, ``transpose``, ``sum``: with the rules of arrays."""
    config = options.pop("memory_config", None)
    options = {name: value for name, value in options.items() if name in ("dim", "keepdim", "shape", "dims")}
    if "dims" in options:
        arguments = (*arguments, options.pop("dims"))
    function = reduced if name in REDUCED else METHODS[name]
    result = like(tensor, function(Array(tensor.shape), *arguments, **options).shape)
    return result if config is None else to_memory_config(result, config)


def exchanged(name: str, tensor: Tensor, dim: int, cluster_axis: int | None = None, **options: Any) -> Tensor:
    """``ttnn.all_gather``, ``ttnn.reduce_scatter``."""
    device: Any = tensor.device()
    count = len(tensor.shards or ()) if cluster_axis is None else device.shape[cluster_axis]
    extents = list(tensor.shape)
    extents[dim] = extents[dim] * count if name == "all_gather" else extents[dim] // count
    return like(tensor, extents)


def left_alone(*arguments: Any, **options: Any) -> None:
    """Do nothing for closing and freeing: an open device stays open for the rest of the reading."""


def freed(tensor: Tensor, force: bool = True) -> None:
    """Do nothing for ``ttnn.deallocate``, except for the error if the tensor's memory belongs to another object."""
    if isinstance(tensor, Tensor):
        require_owner(tensor)


def _values(*arguments: Any, **options: Any) -> Any:
    raise NotKnown(Unknown(why="the values in a tensor"))


def _bound(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    signature = inspect.signature(getattr(api, name))
    known = {key: value for key, value in keywords.items() if key in signature.parameters}
    return signature.bind(*arguments, **known).arguments


def with_devices(keywords: dict[str, Any]) -> dict[str, Any]:
    """Return keyword arguments in which an unknown device, such as a fixture of a test, is replaced by one of ours."""
    if type(keywords.get("device")) is Unknown:
        return {**keywords, "device": some_device()}
    return keywords


def some_device() -> Device:
    """Return a device for a program that gets its device from outside."""
    return open_device(device_id=0)


@lru_cache(maxsize=1)
def _named() -> dict[str, Handler]:
    """Return the replacements by name of the function."""
    handlers: dict[str, Handler] = {
        **dict.fromkeys(("from_torch", "from_numpy", "as_tensor", "Tensor"), from_array),
        "to_torch": partial(to_array, "torch"), "to_numpy": partial(to_array, "numpy"),
        **{name: partial(spread, name) for name in BY_NAME},
        **{name: partial(spread, name) for name in ALIASES}, **{f"{name}_": partial(spread, f"{name}_") for name in IN_PLACE},
        **{name: partial(spread, name) for name in ("clamp", "clip")},
        **dict.fromkeys(("matmul", "linear"), product), "addmm": lambda bias, *operands, **options: product(*operands, **options),
        **dict.fromkeys(
            ("softmax", "softmax_in_place", "scale_mask_softmax", "layer_norm", "rms_norm", "all_reduce", "tril",
             "triu", "cumsum", "cumprod"), kept
        ),
        **dict.fromkeys(("typecast", "clone", "to_dtype"), cast), "to_layout": relaid, "to_memory_config": moved,
        **dict.fromkeys(
            ("close_device", "close_mesh_device", "copy_host_to_device_tensor", "copy_device_to_host_tensor"),
            left_alone,
        ),
        "deallocate": freed,
        **RULES,
        **{name: partial(exchanged, name) for name in ("all_gather", "reduce_scatter")},
    }  # fmt: skip
    filling = ("zeros", "ones", "full", "empty", "rand", "randn", "zeros_like", "ones_like", "full_like",
               "empty_like")  # fmt: skip
    by_shape = ("reshape", "view", "transpose", "permute", "unsqueeze", "squeeze", "expand", "repeat", "sum", "mean",
                "max", "min", "prod", "std", "var")  # fmt: skip
    handlers |= {name: partial(filled, name) for name in filling}
    return handlers | {name: partial(shaped, name) for name in by_shape}


@lru_cache(maxsize=1)
def _handlers() -> dict[int, Handler]:
    """Return the replacements by identity of the function."""
    names = vars(api)
    handlers = {id(names[name]): handler for name, handler in _named().items() if name in names}
    for module in _NETWORKS:
        below = vars(module).items()
        handlers |= {id(function): RULES[name] for name, function in below if name in RULES}
    return handlers
