"""The arguments that a function of JAX is compiled for, and the conversion of arrays for the device and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tt_model.integers.kinds import as_given, held, kind_of_dtype
from tt_model.runtime.problems import RuntimeProblem, beyond_limits
from ttmlir.loaded import CompileError

if TYPE_CHECKING:
    import torch

_WORDS = {
    "f32": "float32", "f64": "float64", "bf16": "bfloat16", "f16": "float16", "i1": "bool", "bool": "bool",
    **{f"{sign}i{bits}": f"{kind}{bits}" for sign, kind in (("", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)},
}  # fmt: skip


def is_shape(given: Any) -> bool:
    """Whether a value is a shape: a sequence of integers."""
    return isinstance(given, list | tuple) and all(type(one) is int for one in given)


def is_typed_shape(given: Any) -> bool:
    """Whether something is a shape with the name of a type."""
    return (
        isinstance(given, list | tuple)
        and len(given) == 2
        and is_shape(given[0])
        and isinstance(given[1], str)
    )


def described(given: Any) -> Any:
    """Describe arguments for JAX's tracing: the leaves of a tree become ``ShapeDtypeStruct``.

    Raises ``CompileError`` for a leaf that is neither a shape, a shape with a type, an array, nor a number.
    """
    import jax

    shape_struct: Any = jax.ShapeDtypeStruct  # it has no annotations

    def one(leaf: Any) -> Any:
        if is_typed_shape(leaf):
            return shape_struct(_extents(leaf[0]), _dtype(leaf[1]))
        if is_shape(leaf):
            return shape_struct(_extents(leaf), np.dtype(np.float32))
        if hasattr(leaf, "untyped_storage"):  # of torch
            return shape_struct(tuple(leaf.shape), _dtype(str(leaf.dtype).removeprefix("torch.")))
        if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
            return shape_struct(tuple(leaf.shape), leaf.dtype, sharding=_of_several(leaf))
        if isinstance(leaf, bool | int | float):
            return shape_struct((), np.asarray(leaf, None if isinstance(leaf, bool) else type(leaf)).dtype)
        raise CompileError(
            f"an argument is {leaf!r}; give a shape such as (64, 128), ((64, 128), 'bf16'), or an array like it"
        )

    return jax.tree.map(one, given, is_leaf=lambda leaf: is_shape(leaf) or is_typed_shape(leaf))


def argument_names(function: Any, arguments: Sequence[Any]) -> list[str]:
    """The names of the arrays in trees of arguments: the parameter and the path to the array, such as ``layers.0.w``."""
    import inspect

    import jax

    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    named = [one.name for one in parameters if one.kind is not one.VAR_POSITIONAL]
    names: list[str] = []
    for number, tree in enumerate(arguments):
        first = named[number] if number < len(named) else f"argument{number}"
        for path, _ in jax.tree_util.tree_flatten_with_path(tree)[0]:
            keys = [str(getattr(key, "key", getattr(key, "idx", getattr(key, "name", key)))) for key in path]
            names.append(".".join([first, *keys]))
    return names


def _of_several(leaf: Any) -> Any:
    """Return the sharding of an array over several devices, if it has one."""
    import jax

    sharding = getattr(leaf, "sharding", None)
    named: Any = jax.sharding.NamedSharding
    return sharding if isinstance(sharding, named) and sharding.mesh.size > 1 else None


def _extents(shape: Sequence[int]) -> tuple[int, ...]:
    if any(extent < 1 for extent in shape):
        raise CompileError(f"an argument has the shape {tuple(shape)}: every extent is at least 1")
    return tuple(shape)


def _dtype(word: str) -> Any:
    from jax import numpy as jnp

    name = _WORDS.get(word, word)
    if not hasattr(jnp, name):
        raise CompileError(f"an argument is of type {word!r}; there are {', '.join(_WORDS)}")
    return np.dtype(getattr(jnp, name if name != "bool" else "bool_"))


def to_device(array: Any, wanted: Any) -> torch.Tensor:
    """Convert an array for the program: at least one dimension, booleans in bf16, 64 bits in 32, integers by bits.

    ``wanted`` is the description that the function was compiled for. Raises ``RuntimeProblem`` for another shape or
    type, and for integers that the expected type, or 32 bits, do not hold. Python numbers, and 64-bit arrays of the
    kind of the expected type, are converted to that type.
    """
    import torch

    if hasattr(array, "untyped_storage"):
        array = of_torch(array)
    values = np.asarray(array)
    known, dtype = values.dtype, np.dtype(wanted.dtype)
    # Python numbers take the expected type; a 64-bit array may stand for any type of the same kind.
    is_number = isinstance(array, int) or (isinstance(array, float) and dtype.kind not in "iub")
    weak = is_number or (known.kind == dtype.kind and known.itemsize == 8)
    if values.shape != tuple(wanted.shape) or (known != dtype and not weak):
        raise RuntimeProblem(
            f"an argument is {known.name}{list(values.shape)}, but {dtype.name}{list(wanted.shape)} is expected"
        )
    if known != dtype and dtype.kind in "iu" and values.size:
        least, most, limits = int(values.min()), int(values.max()), np.iinfo(dtype)
        if least < limits.min or most > limits.max:
            raise RuntimeProblem(
                f"an argument has numbers from {least} to {most}, but {dtype.name} holds {limits.min} to {limits.max}"
            )
    values = np.ascontiguousarray(values.astype(dtype, copy=False)).reshape(values.shape or (1,))
    if not values.flags.writeable:  # torch takes only writable arrays
        values = values.copy()
    match dtype.name:
        case "bool":
            return torch.from_numpy(values.astype(np.float32)).to(torch.bfloat16)
        case "bfloat16":
            return torch.from_numpy(values.view(np.int16)).view(torch.bfloat16)
        case "float64":
            return torch.from_numpy(values.astype(np.float32))
    kind = kind_of_dtype(dtype)
    if kind is None:
        return torch.from_numpy(values)
    try:
        return torch.from_numpy(held(values, kind))
    except ValueError as problem:
        raise beyond_limits(f"an argument, {dtype.name}{list(values.shape)}, has {problem}") from None


def of_torch(tensor: torch.Tensor) -> npt.NDArray[Any]:
    """Return a torch tensor as a NumPy array; bfloat16 has JAX's type."""
    import torch

    if tensor.dtype is torch.bfloat16:
        from ml_dtypes import bfloat16

        bits: npt.NDArray[Any] = tensor.detach().contiguous().view(torch.int16).numpy()
        return bits.view(bfloat16)
    array: npt.NDArray[Any] = tensor.detach().numpy()
    return array


def from_device(tensor: torch.Tensor, wanted: Any) -> Any:
    """A result of the program as an array of JAX, with the shape and the type of the function's result."""
    from jax import numpy as jnp

    values, dtype = of_torch(tensor), np.dtype(wanted.dtype)
    if dtype.name == "bool":
        values = values != 0
    elif (kind := kind_of_dtype(dtype)) is not None:
        values = as_given(values, kind)
    return jnp.asarray(values.reshape(wanted.shape).astype(dtype, copy=False))
