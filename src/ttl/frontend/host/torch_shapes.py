"""Arrays of torch and NumPy in a program that is only read: a shape and an element type, no data."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import EllipsisType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ttl.frontend.unknown import NotKnown, ReadArray, Unknown
from ttl.host.table import BINARY, UNARY

# From the least to the most general type, for results of operands of different types.
NAMES = (
    "bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64",
    "float16", "bfloat16", "float32", "float64",
)  # fmt: skip
ALIASES = {
    "float": "float32", "double": "float64", "half": "float16", "int": "int32", "long": "int64", "short": "int16",
    "bool_": "bool", "single": "float32",
}  # fmt: skip
_MOST_MEMBERS = 4096


@dataclass(frozen=True, slots=True)
class Element:
    """An element type: ``torch.float32``, ``np.float32``."""

    name: str
    library: str

    @property
    def is_floating_point(self) -> bool:
        """Whether the type is one of floating point numbers."""
        return "float" in self.name

    def __call__(self, value: Any) -> Any:
        """``np.float32(1.0)``: the number."""
        return float(value) if "float" in self.name else int(value)


class Array(ReadArray):
    """A tensor of torch or an array of NumPy: ``shape`` in elements."""

    __slots__ = ("dtype", "library", "shape")

    def __new__(cls, shape: Sequence[int], dtype: Any = None, library: str = "torch") -> Array:
        """Return a new array. Messages name values by their class and its module."""
        return super().__new__(_CLASSES[library])

    def __init__(self, shape: Sequence[int], dtype: Any = None, library: str = "torch") -> None:
        self.shape = tuple(int(extent) for extent in shape)
        if any(extent < 0 for extent in self.shape):
            raise ValueError("negative extent")
        default = "float32" if library == "torch" else "float64"
        self.dtype = element(dtype, library) or Element(default, library)
        self.library = library
        self.members = None

    def of(self, shape: Sequence[int], dtype: Any = None) -> Array:
        """Return another array of the same library; it has the same element type unless another is given."""
        return Array(shape, self.dtype if dtype is None else dtype, self.library)

    def along(self, dim: int, extent: int) -> Array:
        """Return another array with another extent of one dimension."""
        shape = list(self.shape)
        shape[dim] = extent
        return self.of(shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def T(self) -> Array:
        """Dimensions in reverse."""
        return self.of(self.shape[::-1])

    @property
    def mT(self) -> Array:
        """The last two dimensions swapped."""
        return transpose(self, -1, -2)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "size" and self.library == "numpy":
            return math.prod(self.shape)
        if name in ("tolist", "item") and self.members is not None:
            return partial(_given, self, name)
        function = METHODS.get(name)
        if function is None and name.rstrip("_") in SAME:
            function = same
        if (function is None and name in NAMES) or name in ALIASES:
            return partial(converted, self, ALIASES.get(name, name))
        if function is None:
            return Unknown(why=f"{name} of an array of {self.library}")
        return partial(function, self)

    def __getitem__(self, index: Any) -> Any:
        part = indexed(self, index)
        if self.members is not None and isinstance(index, int):
            member = self.members[index]
            if not isinstance(member, list):
                return member
            part.members = member
        return part

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if self.shape[0] > _MOST_MEMBERS:
            raise _data(self)
        return iter([self.of(self.shape[1:]) for _ in range(self.shape[0])])

    def _with(self, other: Any) -> Array:
        return elementwise(self, other)

    def _compared(self, other: Any) -> Array:
        return compared(self, other)

    def _alone(self) -> Array:
        return self.of(self.shape)

    def _data(self, *arguments: Any) -> NoReturn:
        raise _data(self)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _with
    __pow__ = __rpow__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = _with
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _with
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compared  # type: ignore[assignment]
    __neg__ = __pos__ = __abs__ = __invert__ = _alone
    __bool__ = __int__ = __float__ = __index__ = __str__ = __repr__ = __format__ = __setitem__ = _data
    __hash__ = object.__hash__

    def __matmul__(self, other: Any) -> Array:
        return matmul(self, other)


_CLASSES = {
    "torch": type("Tensor", (Array,), {"__module__": "torch", "__slots__": ()}),
    "numpy": type("ndarray", (Array,), {"__module__": "numpy", "__slots__": ()}),
}


def _data(array: Array) -> NotKnown:
    return NotKnown(Unknown(why=f"the values in an array of {array.library}"))


def element(value: Any, library: str) -> Element | None:
    """Return the element type for the program's value of a ``dtype``; None if it is not one."""
    if isinstance(value, Element):
        return Element(value.name, library)
    if isinstance(value, str):
        name = ALIASES.get(value, value)
        return Element(name, library) if name in NAMES else None
    names = {float: "float64", int: "int64", bool: "bool"}
    return Element(names[value], library) if value in names else None


def elementwise(first: Array, *others: Any) -> Array:
    """The result of an element-wise function."""
    shape, name = first.shape, first.dtype.name
    for other in others:
        if isinstance(other, Array):
            shape = np.broadcast_shapes(shape, other.shape)
            name = max(name, other.dtype.name, key=NAMES.index)
        elif isinstance(other, float) and "float" not in name:
            name = "float32" if first.library == "torch" else "float64"
    return first.of(shape, name)


def same(array: Array, *arguments: Any, **keywords: Any) -> Array:
    """The result of a function that keeps shape and type."""
    return array.of(array.shape)


def _given(array: Array, name: str) -> Any:
    """``tolist()`` and ``item()`` of an array whose members the program's source gives."""
    members: Any = copy.deepcopy(array.members)
    while name == "item" and isinstance(members, list):
        (members,) = members
    return members


def converted(array: Array, dtype: Any = None, *arguments: Any, **keywords: Any) -> Array:
    """``x.to(torch.bfloat16)``, ``x.astype(np.float32)``; a device changes nothing."""
    wanted = keywords.get("dtype", dtype)
    if isinstance(wanted, Array):
        wanted = wanted.dtype
    return array.of(array.shape, element(wanted, array.library))


def blank(array: Array) -> Any:
    """Return a NumPy array of this shape without memory of its own, for NumPy to compute resulting shapes."""
    return np.broadcast_to(np.int8(0), array.shape)


def matmul(first: Array, second: Any, *arguments: Any, **keywords: Any) -> Array:
    """The product of matrices; batch dimensions are broadcast."""
    left, right = first.shape, second.shape
    a = left if len(left) > 1 else (1, *left)
    b = right if len(right) > 1 else (*right, 1)
    if a[-1] != b[-2]:
        raise ValueError("shapes do not go together")
    shape = (
        *np.broadcast_shapes(a[:-2], b[:-2]),
        *((a[-2],) if len(left) > 1 else ()),
        *((b[-1],) if len(right) > 1 else ()),
    )
    return first.of(shape)


def reshape(array: Array, *shape: Any, **keywords: Any) -> Array:
    """``reshape`` and ``view``; one extent may be -1."""
    if len(shape) == 1 and isinstance(shape[0], Element):
        return array.of(array.shape, shape[0])
    if not shape and not keywords:
        return array.of(array.shape)
    return array.of(blank(array).reshape(sizes(shape or (keywords["shape"],))).shape)


def transpose(array: Array, *dims: Any, **keywords: Any) -> Array:
    """``transpose`` of two dimensions (torch), or all (NumPy)."""
    if array.library == "numpy" or not dims:
        return array.of(blank(array).transpose(sizes(dims) if dims else None).shape)
    return array.of(blank(array).swapaxes(*dims).shape)


def indexed(array: Array, index: Any) -> Array:
    """``x[...]`` with integers, slices, ``None`` and ``...``."""
    for entry in index if isinstance(index, tuple) else (index,):
        if isinstance(entry, bool) or not isinstance(entry, int | slice | EllipsisType | None):
            raise _data(array)
    return array.of(blank(array)[index].shape)


def unsqueeze(array: Array, dim: int = 0, **keywords: Any) -> Array:
    """Insert a dimension of extent 1."""
    dim = keywords.get("axis", dim)
    at = dim % (len(array.shape) + 1)
    return array.of((*array.shape[:at], 1, *array.shape[at:]))


def squeeze(array: Array, *dims: Any, **keywords: Any) -> Array:
    """Remove dimensions of extent 1: all of them, or the named ones."""
    dims = dims or tuple(keywords[name] for name in ("axis", "dim") if keywords.get(name) is not None)
    named = {axis % len(array.shape) for axis in sizes(dims)} if dims and dims != (None,) else None
    return array.of(
        [
            extent
            for axis, extent in enumerate(array.shape)
            if extent != 1 or (named is not None and axis not in named)
        ]
    )


def flatten(array: Array, start_dim: int = 0, end_dim: int = -1) -> Array:
    """Merge dimensions into one."""
    rank = len(array.shape)
    first, last = start_dim % rank, end_dim % rank
    joined = math.prod(array.shape[first : last + 1])
    return array.of((*array.shape[:first], joined, *array.shape[last + 1 :]))


def expand(array: Array, *shape: Any) -> Array:
    """Repeat dimensions of extent 1; -1 keeps one."""
    wanted = sizes(shape)
    lead = len(wanted) - len(array.shape)
    kept = [array.shape[axis - lead] if extent == -1 else extent for axis, extent in enumerate(wanted)]
    return array.of(np.broadcast_shapes(array.shape, kept))


def repeat(array: Array, *times: Any, **keywords: Any) -> Array:
    """Repeat every dimension (torch), or every element (NumPy)."""
    if array.library == "numpy":
        return repeated(array, *times, **keywords)
    counts = sizes(times)
    extents = (1,) * (len(counts) - len(array.shape)) + array.shape
    return array.of([a * b for a, b in zip(extents, counts, strict=True)])


def tiled(array: Array, *times: Any) -> Array:
    """Repeat every dimension; with fewer counts than dimensions, the last ones."""
    counts = sizes(times)
    lead = max(len(counts) - len(array.shape), 0)
    extents = (*(1,) * lead, *array.shape)
    return array.of(
        [a * b for a, b in zip(extents, (1,) * (len(extents) - len(counts)) + counts, strict=True)]
    )


def dot(first: Array, second: Any) -> Array:
    """``dot`` with a number, of vectors, and of matrices; with more dimensions (NumPy), of each with each."""
    if not isinstance(second, Array) or not second.shape:
        return first.of(first.shape)
    if max(len(first.shape), len(second.shape)) <= 2:
        return matmul(first, second)
    if first.shape[-1] != second.shape[-2:][0]:
        raise ValueError("shapes do not go together")
    return first.of((*first.shape[:-1], *second.shape[:-2], *second.shape[-1:][: len(second.shape) - 1]))


class ValuesAndIndices(NamedTuple):
    """The largest or smallest elements along a dimension, as torch returns them."""

    values: Array
    indices: Array


def extreme(array: Array, *arguments: Any, **keywords: Any) -> Any:
    """``max``, ``min``, ``median``: of all elements, of two arrays, or along a dimension (in torch with indices)."""
    if isinstance(arguments[0] if arguments else keywords.get("other"), Array):
        return elementwise(array, *arguments, *keywords.values())
    result = reduced(array, *arguments, **keywords)
    if array.library == "numpy" or not (arguments or keywords.keys() & {"dim", "axis"}):
        return result
    return ValuesAndIndices(result, result.of(result.shape, "int64"))


def norm(array: Array, order: Any = None, dim: Any = None, keepdim: bool = False, **keywords: Any) -> Array:
    """A norm, of all elements or over dimensions."""
    return reduced(array, dim, keepdim, **keywords)


def reduced(array: Array, dim: Any = None, keepdim: bool = False, **keywords: Any) -> Array:
    """A sum, a mean and the like over dimensions."""
    dim, keepdim = keywords.get("axis", dim), keywords.get("keepdims", keepdim)
    given = range(len(array.shape)) if dim is None else (dim,) if isinstance(dim, int) else dim
    dims = {axis % len(array.shape) for axis in given}
    extents = [
        1 if axis in dims else extent
        for axis, extent in enumerate(array.shape)
        if axis not in dims or keepdim
    ]
    return array.of(extents, element(keywords.get("dtype"), array.library))


def cat(arrays: Sequence[Array], dim: int = 0, **keywords: Any) -> Array:
    """Concatenate arrays along a dimension."""
    at = keywords.get("axis", dim)
    return arrays[0].along(at, sum(array.shape[at] for array in arrays))


def stack(arrays: Sequence[Array], dim: int = 0, **keywords: Any) -> Array:
    """Stack arrays along a new dimension."""
    first = arrays[0]
    at = keywords.get("axis", dim) % (len(first.shape) + 1)
    return first.of((*first.shape[:at], len(arrays), *first.shape[at:]))


def split(array: Array, size: Any, dim: int = 0, **keywords: Any) -> list[Array]:
    """Pieces of one size, or of several sizes, along a dimension."""
    at = keywords.get("axis", dim)
    extent = array.shape[at]
    if isinstance(size, int):
        size = [min(size, extent - start) for start in range(0, extent, size)[:_MOST_MEMBERS]]
    return [array.along(at, piece) for piece in size]


def chunk(array: Array, count: int, dim: int = 0, **keywords: Any) -> list[Array]:
    """A number of pieces along a dimension."""
    return split(array, -(-array.shape[dim] // count), dim)


def repeated(array: Array, times: int, dim: int | None = None, **keywords: Any) -> Array:
    """Repeat every element several times, along a dimension."""
    dim = keywords.get("axis", dim)
    if dim is None:
        return array.of((math.prod(array.shape) * times,))
    return array.along(dim, array.shape[dim] * times)


def padded(array: Array, amounts: Sequence[int], *arguments: Any, **keywords: Any) -> Array:
    """``torch.nn.functional.pad``: amounts before and after, beginning with the last dimension."""
    extents = list(array.shape)
    for number in range(len(amounts) // 2):
        extents[-1 - number] += amounts[2 * number] + amounts[2 * number + 1]
    return array.of(extents)


def diagonal_matrix(array: Array, offset: int = 0, **keywords: Any) -> Array:
    """``diag``: a matrix of a vector, the diagonal of a matrix."""
    offset = keywords.get("diagonal", keywords.get("k", offset))
    if len(array.shape) == 1:
        extent = array.shape[0] + abs(offset)
        return array.of((extent, extent))
    rows, columns = array.shape
    return array.of((max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0),))


def largest(array: Array, k: int, dim: int = -1, *more: Any, **keywords: Any) -> ValuesAndIndices:
    """``topk``: values and indices."""
    values = array.along(dim, k)
    return ValuesAndIndices(values, values.of(values.shape, "int64"))


def compared(first: Any, *others: Any, **keywords: Any) -> Array:
    """``==``, ``logical_and``, ``isnan`` and the like."""
    arrays = [operand for operand in (first, *others) if isinstance(operand, Array)]
    shape = arrays[0].shape
    for array in arrays[1:]:
        shape = np.broadcast_shapes(shape, array.shape)
    return arrays[0].of(shape, "bool")


def nothing(*arguments: Any, **keywords: Any) -> None:
    """Do nothing: the function has no result, such as ``torch.manual_seed``."""


def sizes(given: Sequence[Any]) -> tuple[int, ...]:
    """The extents in arguments: one by one, or as one sequence."""
    if len(given) == 1 and not isinstance(given[0], int):
        given = given[0]
    if not all(isinstance(extent, int) for extent in given):
        raise NotKnown(
            next((extent for extent in given if isinstance(extent, Unknown)), Unknown(why="a shape"))
        )
    return tuple(int(extent) for extent in given)


# Functions that keep shape and type. Element-wise functions of TT-NN have the same names in torch and NumPy.
_KEEPING = "clamp clip contiguous clone detach cpu cuda requires_grad softmax log_softmax cumsum cumprod flip roll tril triu "
_KEEPING += "masked_fill copy fill normal uniform zero layer_norm rms_norm dropout nan_to_num sort scatter scatter_add index_fill index_add"
SAME = frozenset(row.name for row in UNARY if not row.is_truth).union(_KEEPING.split())
_TRUTHS = frozenset(row.name for row in (*UNARY, *BINARY) if row.is_truth)
_WITH = "add sub subtract mul multiply div divide pow maximum minimum where remainder fmod true_divide floor_divide"
REDUCED = frozenset(
    [
        "sum",
        "mean",
        "max",
        "min",
        "amax",
        "amin",
        "prod",
        "std",
        "var",
        "norm",
        "logsumexp",
        "any",
        "all",
        "median",
        "argmax",
        "argmin",
    ]
)
METHODS: dict[str, Callable[..., Any]] = {
    "reshape": reshape, "view": reshape, "transpose": transpose,
    "swapaxes": lambda array, first, second: array.of(blank(array).swapaxes(first, second).shape),
    "unsqueeze": unsqueeze, "expand_dims": unsqueeze, "squeeze": squeeze, "flatten": flatten, "ravel": flatten,
    "expand": expand, "repeat": repeat, "tile": tiled, "split": split, "chunk": chunk,
    "to": converted, "astype": converted,
    "type": lambda array, *to, **keywords: converted(array, *to, **keywords) if to or keywords else Unknown(why="the name of a type"), "matmul": matmul, "mm": matmul,
    "bmm": matmul, "dot": dot, "t": transpose, "type_as": converted, "repeat_interleave": repeated,
    "diag": diagonal_matrix, "topk": largest,
    "permute": lambda array, *dims: array.of(blank(array).transpose(sizes(dims)).shape),
    "size": lambda array, dim=None, axis=None: array.shape[dim if axis is None else axis] if (dim, axis) != (None, None) else array.shape,
    "numel": lambda array: math.prod(array.shape),
    "dim": lambda array: len(array.shape),
    "numpy": lambda array: Array(array.shape, array.dtype.name, "numpy"),
    "outer": lambda first, second, **keywords: first.of((first.shape[0], second.shape[0])),
    "gather": lambda array, dim, index, **keywords: array.of(index.shape),
    **dict.fromkeys(_WITH.split(), elementwise), **dict.fromkeys(REDUCED, reduced),
    **dict.fromkeys(("max", "min", "median"), extreme), "norm": norm, **dict.fromkeys(_TRUTHS, compared),
}  # fmt: skip
