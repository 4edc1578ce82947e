"""Tensors of a model that is being written down: torch's functions, methods and operators on them make operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ttmlir.ttir_builder import TTIRBuilder

Rule = Callable[..., Any]


class NotTraced(TypeError):
    """A function of torch, or an argument, that no operation is made of. The text says what there is instead."""


class TracedTensor:
    """A value of the model. It has the operators of a tensor, and the functions of torch that there are operations for.

    ``shape`` and ``ndim`` are those of the tensor; its elements are not known while the model is written down.
    """

    def __init__(self, builder: TTIRBuilder, value: Any) -> None:
        self.builder = builder
        self.value = value

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return tuple(self.builder.get_shape(self.value))

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self.shape)

    def dim(self) -> int:
        """How many dimensions there are."""
        return self.ndim

    def size(self, dim: int | None = None) -> Any:
        """The extents, or one of them."""
        return self.shape if dim is None else self.shape[dim]

    @property
    def T(self) -> TracedTensor:
        """The last two dimensions exchanged."""
        return self.transpose(-2, -1)  # type: ignore[no-any-return]

    def __bool__(self) -> bool:
        raise NotTraced("the elements of a tensor are not known while a model is compiled: use torch.where")

    def __len__(self) -> int:
        return self.shape[0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in _RULES:
            raise AttributeError(f"a tensor of a model has no {name!r}; there are {_known()}")
        return lambda *args, **more: apply(name, (self, *args), more)

    def __getitem__(self, key: Any) -> Any:
        return _sliced(self, key)

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        return apply(func.__name__, args, kwargs or {})

    def __repr__(self) -> str:
        return f"TracedTensor({'x'.join(map(str, self.shape))})"


def apply(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """What a function of torch makes. Raises ``NotTraced`` for one that no operation is made of."""
    rule = _RULES.get(name)
    if rule is None:
        raise NotTraced(f"torch.{name} is not an operation of a model; there are {_known()}")
    builder = _builder_of(args)
    try:
        result = rule(builder, *(_operand(builder, one) for one in args), **kwargs)
    except TypeError as problem:
        if isinstance(problem, NotTraced):
            raise
        raise NotTraced(f"torch.{name}: {str(problem).replace('<lambda>()', 'it')}") from None
    return TracedTensor(builder, result)


def _known() -> str:
    return ", ".join(sorted(name for name in _RULES if not name.startswith("_")))


def _builder_of(args: Sequence[Any]) -> TTIRBuilder:
    for one in args:
        if isinstance(one, TracedTensor):
            return one.builder
        if isinstance(one, list | tuple) and one and isinstance(one[0], TracedTensor):
            return one[0].builder
    raise NotTraced("no argument is a tensor of the model")


def _operand(builder: TTIRBuilder, one: Any) -> Any:
    if isinstance(one, TracedTensor):
        return one.value
    if isinstance(one, list | tuple):
        return [_operand(builder, inner) for inner in one]
    if hasattr(one, "untyped_storage"):
        raise NotTraced(
            f"a tensor of torch of shape {tuple(one.shape)} is used in the model: make it an input; files have constants of "
            "one number only"
        )
    return one


def _elementwise(name: str) -> Rule:
    """A function of two tensors, or of a tensor and a number."""

    def rule(builder: TTIRBuilder, left: Any, right: Any) -> Any:
        return getattr(builder, name)(_tensor(builder, left, right), _tensor(builder, right, left))

    return rule


def _tensor(builder: TTIRBuilder, one: Any, beside: Any) -> Any:
    return builder.number_like(one, beside) if isinstance(one, bool | int | float) else one


def _plain(name: str) -> Rule:
    return lambda builder, value: getattr(builder, name)(value)


def _reduction(name: str) -> Rule:
    def rule(builder: TTIRBuilder, value: Any, dim: Any = None, keepdim: bool = False) -> Any:
        return getattr(builder, name)(value, dim, keepdim)

    return rule


def _softmax(builder: TTIRBuilder, input: Any, dim: int = -1, _stacklevel: int = 3, dtype: Any = None) -> Any:
    return builder.softmax(input, dim)


def _gelu(builder: TTIRBuilder, input: Any, approximate: str = "none") -> Any:
    if approximate != "none":
        raise NotTraced(f"gelu(approximate={approximate!r}): there is only 'none', with the error function")
    return builder.gelu(input)


def _linear(builder: TTIRBuilder, input: Any, weight: Any, bias: Any = None) -> Any:
    return builder.linear(input, weight, _operand(builder, bias))


def _layer_norm(
    builder: TTIRBuilder,
    input: Any,
    normalized_shape: Sequence[int],
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Any:
    scale, offset = _operand(builder, weight), _operand(builder, bias)
    return builder.layer_norm(input, len(normalized_shape), scale, offset, eps)


def _embedding(
    builder: TTIRBuilder, input: Any, weight: Any, padding_idx: Any = None, *rest: Any, **more: Any
) -> Any:
    # A row for padding differs in training only.
    if more.get("max_norm") is not None or (rest and rest[0] is not None):
        raise NotTraced("embedding(max_norm=...): rows are not normalised")
    return builder.embedding(input, weight)


def _reshape(builder: TTIRBuilder, input: Any, *shape: Any) -> Any:
    wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
    return builder.reshape(input, list(wanted))


def _permute(builder: TTIRBuilder, input: Any, *dims: Any) -> Any:
    return builder.permute(input, dims[0] if len(dims) == 1 and isinstance(dims[0], list | tuple) else dims)


def _conv2d(
    builder: TTIRBuilder,
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    offsets = None
    if bias is not None:
        flat = _operand(builder, bias)
        offsets = builder.reshape(flat, [1, 1, 1, list(builder.get_shape(flat))[-1]])
    more = {"stride": stride, "padding": padding, "dilation": dilation}
    numbers = {
        name: value if isinstance(value, int) else (value[0], value[-1]) for name, value in more.items()
    }
    return builder.convolution(input, weight, offsets, groups=groups, **numbers)


def _max_pool2d(
    builder: TTIRBuilder,
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    if return_indices:
        raise NotTraced("max_pool2d(return_indices=True): there are no indices")
    rows = builder.transpose(builder.transpose(input, 1, 2), 2, 3)
    kernel = tuple(kernel_size) if isinstance(kernel_size, list) else kernel_size
    by = tuple(stride) if isinstance(stride, list) else stride
    pooled = builder.max_pool2d(rows, kernel, by, padding, dilation, ceil_mode)
    return builder.transpose(builder.transpose(pooled, 2, 3), 1, 2)


def _sliced(tensor: TracedTensor, key: Any) -> TracedTensor:
    builder, value, shape = tensor.builder, tensor.value, tensor.shape
    keys = list(key) if isinstance(key, tuple) else [key]
    if Ellipsis in keys:
        at = keys.index(Ellipsis)
        keys[at : at + 1] = [slice(None)] * (len(shape) - len(keys) + 1)
    if len(keys) > len(shape):
        raise IndexError(f"{len(keys)} indices of a tensor of {len(shape)} dimensions")
    begins, ends, steps, gone = [], [], [], []
    for dim, extent in enumerate(shape):
        one = keys[dim] if dim < len(keys) else slice(None)
        if isinstance(one, slice):
            begin, end, step = one.indices(extent)
        elif isinstance(one, int) and -extent <= one < extent:
            begin, end, step = one % extent, one % extent + 1, 1
            gone.append(dim)
        else:
            raise NotTraced(
                f"index {one!r} of dimension {dim}, of extent {extent}: give numbers in range or slices"
            )
        begins.append(begin)
        ends.append(end)
        steps.append(step)
    if begins != [0] * len(shape) or tuple(ends) != shape or set(steps) != {1}:
        value = builder.slice(value, begins, ends, steps)
    if gone:
        kept = [extent for dim, extent in enumerate(builder.get_shape(value)) if dim not in gone] or [1]
        value = builder.reshape(value, kept)
    return TracedTensor(builder, value)


_OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "div", "eq": "eq", "ne": "ne",
    "ge": "ge", "gt": "gt", "le": "le", "lt": "lt",
}  # fmt: skip
_SAME = "abs ceil cos exp expm1 floor isfinite log log1p logical_not neg reciprocal relu rsqrt sigmoid sign sin sqrt"
_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        **{name: _plain(name) for name in _SAME.split()},
        **{name: _elementwise(name) for name in ["add", "eq", "ge", "gt", "le", "logical_and", "logical_or", "logical_xor", "lt", "ne"]},
        **{name: _elementwise(name) for name in ["div", "maximum", "minimum", "multiply", "subtract"]},
        **{name: _elementwise(full) for name, full in _OPERATORS.items()},
        "true_divide": _elementwise("div"),
        "fmod": _elementwise("remainder"),
        "rsub": lambda builder, left, right: _elementwise("subtract")(builder, right, left),
        "gelu": _gelu,
        "leaky_relu": lambda builder, input, negative_slope=0.01, inplace=False: builder.leaky_relu(
            input, negative_slope
        ),
        "silu": lambda builder, input, inplace=False: builder.silu(input),
        "tanh": lambda builder, input: builder.tanh(input),
        "square": lambda builder, input: builder.multiply(input, input),
        "clamp": lambda builder, input, min, max: builder.clamp(input, float(min), float(max)),
        "where": lambda builder, condition, input, other: builder.where(
            condition, _tensor(builder, input, condition), _tensor(builder, other, condition)
        ),
        "matmul": lambda builder, input, other: builder.matmul(input, other),
        "bmm": lambda builder, input, mat2: builder.matmul(input, mat2),
        "mm": lambda builder, input, mat2: builder.matmul(input, mat2),
        "linear": _linear,
        "softmax": _softmax,
        "layer_norm": _layer_norm,
        "sum": _reduction("sum"),
        "mean": _reduction("mean"),
        "amax": _reduction("max"),
        "reshape": _reshape,
        "view": _reshape,
        "permute": _permute,
        "flatten": lambda builder, input, start_dim=0, end_dim=-1: _flattened(
            builder, input, start_dim, end_dim
        ),
        "transpose": lambda builder, input, dim0, dim1: builder.transpose(input, dim0, dim1),
        "t": lambda builder, input: builder.transpose(input, 0, 1),
        "squeeze": lambda builder, input, dim: builder.squeeze(input, dim),
        "unsqueeze": lambda builder, input, dim: builder.unsqueeze(input, dim),
        "cat": lambda builder, tensors, dim=0: builder.concat(
            [_operand(builder, one) for one in tensors], dim
        ),
        "concat": lambda builder, tensors, dim=0: builder.concat(
            [_operand(builder, one) for one in tensors], dim
        ),
        "embedding": _embedding,
        "conv2d": _conv2d,
        "max_pool2d": _max_pool2d,
        "contiguous": lambda builder, input: input,
    }
)  # fmt: skip


def _flattened(builder: TTIRBuilder, value: Any, start: int, end: int) -> Any:
    shape = list(builder.get_shape(value))
    first, last = start % len(shape), end % len(shape)
    return builder.reshape(value, [*shape[:first], -1, *shape[last + 1 :]])


def _operator(name: str, reverse: bool = False) -> Callable[..., Any]:
    def of_two(self: Any, other: Any) -> Any:
        return apply(name, (other, self) if reverse else (self, other), {})

    return of_two


def _give_operators() -> None:
    methods: dict[str, Any] = {f"__{name}__": _operator(name) for name in _OPERATORS}
    methods |= {f"__r{name}__": _operator(name, reverse=True) for name in ("add", "mul", "sub", "truediv")}
    methods["__matmul__"] = _operator("matmul")
    methods["__neg__"] = lambda self: apply("neg", (self,), {})
    # What has == and no hash of its own has none.
    methods["__hash__"] = object.__hash__
    for name, method in methods.items():
        setattr(TracedTensor, name, method)


_give_operators()
