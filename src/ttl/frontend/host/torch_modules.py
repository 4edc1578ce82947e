"""``torch`` and ``numpy`` as modules of a program that is only read: their arrays have shapes and no data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

from ttl.frontend.host.torch_shapes import (
    ALIASES,
    METHODS,
    NAMES,
    SAME,
    Array,
    Element,
    cat,
    element,
    elementwise,
    matmul,
    nothing,
    padded,
    same,
    sizes,
    stack,
)  # fmt: skip
from ttl.frontend.limits import MOST_ITERATED
from ttl.frontend.unknown import Unknown
from ttl.host.convolution import positions


class Transparent:
    """``torch.no_grad()`` and the like: a decorator and context manager without effect."""

    def __call__(self, function: Any = None, *arguments: Any, **keywords: Any) -> Any:
        """Return the function itself."""
        return self if function is None else function

    def __enter__(self) -> Transparent:
        return self

    def __exit__(self, *raised: Any) -> None:
        """Do nothing."""


def ofsizes(library: str, *size: Any, **keywords: Any) -> Array:
    """Arrays of a given size: ``torch.zeros(2, 3)``, ``np.ones((2, 3))``."""
    given = keywords.get("size", keywords.get("shape"))
    if given is None and library == "numpy" and len(size) > 1 and not isinstance(size[0], int):
        size = size[:1]  # the second argument is a type
    if given is None and library == "numpy" and len(size) == 2 and not isinstance(size[1], int):
        keywords, size = {"dtype": size[1], **keywords}, size[:1]
    return Array(sizes((given,) if given is not None else size), keywords.get("dtype"), library)


def counted(library: str, *bounds: Any, **keywords: Any) -> Array:
    """``arange``."""
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    kind = "float32" if any(isinstance(bound, float) for bound in bounds) else "int64"
    array = Array((max(math.ceil((stop - start) / step), 0),), keywords.get("dtype", kind), library)
    if all(type(bound) is int for bound in (start, stop, step)) and not array.dtype.is_floating_point:
        numbers = range(start, stop, step)
        array.members = [*numbers] or None if len(numbers) <= MOST_ITERATED else None
    return array


def drawn(kind: str | None, library: str, *arguments: Any, **keywords: Any) -> Array:
    """Random numbers; the size is last or a keyword: ``randint(low, high, size)``, ``randperm(n)``, those of NumPy."""
    size = keywords.get("size", arguments[-1] if arguments else ())
    return Array(sizes((size,)), keywords.get("dtype", kind), library)


def of_data(library: str, data: Any, dtype: Any = None, **keywords: Any) -> Array:
    """``torch.tensor(data)``, ``np.array(data)``."""
    if isinstance(data, Array):
        return Array(data.shape, dtype or data.dtype, library)
    shape: list[int] = []
    inner = data
    while isinstance(inner, list | tuple | range):
        shape.append(len(inner))
        inner = inner[0] if len(inner) else 0.0
    if isinstance(inner, Array):
        return Array((*shape, *inner.shape), dtype or inner.dtype, library)
    kinds: dict[type, str | None] = {bool: "bool", int: "int64"}
    if type(inner) not in (bool, int, float):
        raise TypeError("no numbers")
    array = Array(shape, dtype or kinds.get(type(inner)), library)
    if all(extent > 0 for extent in shape) and not array.dtype.is_floating_point:
        array.members = _integers(data)
    return array


def _integers(data: Any) -> Any:
    """Nested lists of integers; None if an element is not an integer, or unknown."""
    if type(data) is int or type(data) is bool:
        return data
    if not isinstance(data, list | tuple | range):
        return None
    numbers = [_integers(member) for member in data]
    return None if None in numbers else numbers


# --- products, windows, grids --------------------------------------------------------------------------------------------


def einsum(pattern: str, *arrays: Array) -> Array:
    """``einsum`` with all indices written out."""
    before, _, after = pattern.replace(" ", "").partition("->")
    extents: dict[str, int] = {}
    for names, array in zip(before.split(","), arrays, strict=True):
        extents.update(zip(names, array.shape, strict=True))
    if not after:
        after = "".join(sorted(name for name in extents if before.count(name) == 1))
    return arrays[0].of([extents[name] for name in after])


def grids(*arrays: Array, **keywords: Any) -> list[Array]:
    """``meshgrid``."""
    given = list(arrays[0]) if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)) else list(arrays)
    shape = [array.shape[0] for array in given]
    by_columns = keywords.get("indexing", "ij" if given[0].library == "torch" else "xy") == "xy"
    if by_columns and len(shape) > 1:
        shape[:2] = shape[1::-1]
    return [array.of(shape) for array in given]


def stacked(rows: bool, arrays: Any, **keywords: Any) -> Array:
    """``vstack``, ``hstack``."""
    wide = [array.of((1, *array.shape)) if rows and len(array.shape) == 1 else array for array in arrays]
    return cat(wide, 0 if rows or len(wide[0].shape) == 1 else 1)


def windows(array: Array, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Array:
    """``torch.nn.functional.unfold``: the windows of images as columns."""
    n, c, *extents = array.shape
    size = _several(kernel_size, 2)
    count = math.prod(_positions(extents, size, stride, padding, dilation))
    return array.of((n, c * size[0] * size[1], count))


def convolved(
    array: Array,
    weight: Array,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """``torch.nn.functional.conv2d`` and ``conv1d``."""
    n, _, *extents = array.shape
    return array.of((n, weight.shape[0], *_positions(extents, weight.shape[2:], stride, padding, dilation)))


def pooled(
    array: Array, kernel_size: Any, stride: Any = None, padding: Any = 0, *more: Any, **keywords: Any
) -> Array:
    """``torch.nn.functional.max_pool2d`` and ``avg_pool2d``."""
    *outer, h, w = array.shape
    step = kernel_size if stride is None else stride
    return array.of((*outer, *_positions((h, w), kernel_size, step, padding)))


def padded_each(array: Array, amounts: Any, *more: Any, **keywords: Any) -> Array:
    """``np.pad``: before and after, for each dimension."""
    if isinstance(amounts, int):
        amounts = (amounts, amounts)
    pairs = [amounts] * len(array.shape) if isinstance(amounts[0], int) else amounts
    return array.of([extent + sum(pair) for extent, pair in zip(array.shape, pairs, strict=True)])


def _positions(extents: Any, window: Any, step: Any, padding: Any, spread: Any = 1) -> list[int]:
    """The number of positions of a window along each dimension."""
    rank = len(extents)
    given = (_several(value, rank) for value in (window, step, padding, spread))
    return [
        positions(extent, size, by, (edge, edge), gap)
        for extent, size, by, edge, gap in zip(extents, *given, strict=True)
    ]


def _several(value: Any, rank: int) -> tuple[int, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


# --- the modules -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadFunction:
    """A function of torch or NumPy, applied to arrays that have shapes and no data.

    An exception of ``shapes`` does not mean that the function called ``name`` would raise it.
    """

    name: str
    shapes: Callable[..., Any]

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """The result, as far as it is known."""
        return self.shapes(*arguments, **keywords)


class Library(ModuleType):
    """``torch``, ``numpy``, or a module of theirs."""

    def __init__(self, library: str, name: str) -> None:
        super().__init__(name)
        self.__dict__["_library"] = library

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        library = self.__dict__["_library"]
        if name in _MODULES and (self.__name__ == library or name == "functional"):
            return Library(library, f"{self.__name__}.{name}")
        given, full = member(library, name), f"{self.__name__}.{name}"
        if given is None:
            return Unknown(why=full)
        if isinstance(given, FunctionType | partial):
            return ReadFunction(name=full, shapes=given)
        return given


_MODULES = frozenset({"nn", "functional", "random", "linalg", "fft", "special"})
_CREATION: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("randn", "rand", "zeros", "ones", "empty"), ofsizes),
    "full": lambda library, size, fill=0.0, **keywords: Array(
        sizes((size,)), keywords.get("dtype", "int64" if isinstance(fill, int) else None), library
    ),
    "arange": counted,
    "linspace": lambda library, start, stop, steps=50, **keywords: Array((keywords.get("num", steps),), keywords.get("dtype"), library),
    "eye": lambda library, rows, columns=None, **keywords: Array(
        (rows, columns if isinstance(columns, int) else rows), keywords.get("dtype"), library
    ),
    **dict.fromkeys(("tensor", "as_tensor", "asarray", "array", "ascontiguousarray"), of_data),
    **dict.fromkeys(("random", "standard_normal", "normal", "uniform", "random_sample"), partial(drawn, None)),
    **dict.fromkeys(("randint", "randperm", "integers"), partial(drawn, "int64")),
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(
        ("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like"),
        lambda array, *more, **keywords: array.of(array.shape, element(keywords.get("dtype"), array.library)),
    ),
    **dict.fromkeys(("manual_seed", "seed", "set_printoptions", "set_default_dtype", "set_num_threads"), nothing),
    **dict.fromkeys(("cat", "concat", "concatenate"), cat),
    "stack": stack, "pad": padded, "einsum": einsum, "meshgrid": grids, "ger": METHODS["outer"],
    "where": lambda *operands: elementwise(*(operand for operand in (*operands[1:], operands[0]) if isinstance(operand, Array))),
    # Without num_classes, the shape depends on the data.
    "one_hot": lambda array, num_classes: array.of((*array.shape, num_classes)),
    "kron": lambda first, second: first.of([a * b for a, b in zip(first.shape, second.shape, strict=True)]),
    **dict.fromkeys(("addmm", "baddbmm"), lambda bias, first, second, **keywords: matmul(first, second)),
    "vstack": partial(stacked, True), "hstack": partial(stacked, False), "unfold": windows,
    "linear": lambda x, weight, bias=None: x.of((*x.shape[:-1], weight.shape[0])),
    "scaled_dot_product_attention": lambda q, k, v, *more, **keywords: q.of((*q.shape[:-1], v.shape[-1])),
    **dict.fromkeys(("conv1d", "conv2d"), convolved),
    **dict.fromkeys(("max_pool2d", "avg_pool2d"), pooled),
}  # fmt: skip
_NUMBERS = frozenset(
    ["prod", "ceil", "floor", "sqrt", "log2", "log", "exp", "gcd", "lcm", "sum", "max", "min", "abs"]
)


def member(library: str, name: str) -> Any:
    """Return the member of a library with this name; None if it is not known."""
    if name in _CREATION and not (library == "torch" and name in ("uniform", "integers")):
        return partial(_CREATION[name], library)
    if name in ("no_grad", "inference_mode", "errstate"):
        return Transparent()
    if name == "default_rng":
        return partial(_generator, library)
    if name in ("from_numpy",):
        return lambda array: Array(array.shape, array.dtype.name, "torch")
    if name in ("pi", "e", "inf", "nan"):
        return getattr(math, name)
    if name == "newaxis":
        return None
    if name in ("Tensor", "ndarray"):
        return Array
    if library == "numpy" and name == "pad":
        return padded_each
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    if library == "numpy" and name in _NUMBERS:
        return partial(_number, name)
    if name in METHODS and name not in ("to", "size", "dim", "type"):
        return METHODS[name]
    if name in SAME:
        return same
    plain = ALIASES.get(name, name)
    return Element(plain, library) if plain in NAMES else None


def _generator(library: str, *arguments: Any) -> Library:
    return Library(library, "generator")


def _number(name: str, value: Any, *arguments: Any, **keywords: Any) -> Any:
    """A function of NumPy, of an array or of numbers."""
    if isinstance(value, Array):
        return (METHODS.get(name) or same)(value, *arguments, **keywords)
    if name == "prod":
        return math.prod(value)
    function: Any = {"sum": sum, "max": max, "min": min, "abs": abs}.get(name) or getattr(math, name)
    return function(value, *arguments)
