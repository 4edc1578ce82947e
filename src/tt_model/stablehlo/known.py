"""Values of a program that are known at compile time, in NumPy: indices, counters of loops, masks of positions.

A value is computed from constants only, and only on request; most never are. None means that it is not known: it
depends on an input, has too many elements, or comes from an operation that is not evaluated here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import BFloat16Type, TensorType
from xdsl.ir import Operation, OpResult, SSAValue

from tt_model.stablehlo.dialect import HLOBroadcastInDim, HLOConstant
from tt_model.stablehlo.numbers import array_of, dtype_of, rounded_to
from tt_model.stablehlo.reading import attribute, integer, integers, word
from ttl.ir.refusals import Refused
from ttl.rows.dtypes import Array

# Tables with more elements are computed when the model runs.
MOST_ELEMENTS = 1 << 22

Rule = Callable[[Operation, Sequence[Array]], Array]


class Known:
    """Known values. ``given`` are those of block arguments, where they are known."""

    def __init__(self, given: Mapping[SSAValue, Array | None] | None = None) -> None:
        self._values: dict[SSAValue, Array | None] = dict(given or {})

    def __getitem__(self, value: SSAValue) -> Array | None:
        """The elements of a value; None if they are not known."""
        # An explicit stack, since chains of operations may have any length.
        waiting = [value]
        while waiting:
            current = waiting[-1]
            if current in self._values:
                waiting.pop()
                continue
            rule = _rule_of(current)
            if rule is None:
                self._values[current] = None
                waiting.pop()
                continue
            op = current.owner
            assert isinstance(op, Operation)
            missing = [operand for operand in op.operands if operand not in self._values]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            self._values[current] = self._computed(op, rule)
        return self._values[value]

    def _computed(self, op: Operation, rule: Rule) -> Array | None:
        operands = [self._values[operand] for operand in op.operands]
        if any(operand is None for operand in operands):
            return None
        type = op.results[0].type
        assert isinstance(type, TensorType)
        try:
            with np.errstate(all="ignore"):
                values = rule(op, [operand for operand in operands if operand is not None])
                repeated = all(stride == 0 for stride in values.strides)
                value = (
                    values
                    if repeated and values.dtype == dtype_of(type.element_type)
                    else rounded_to(values, type.element_type)
                )
        except (Refused, ValueError, IndexError, TypeError):
            return None  # invalid, or not supported by NumPy: its conversion reports it
        return value if value.shape == type.get_shape() else None

    def integers(self, value: SSAValue) -> tuple[int, ...] | None:
        """Whole numbers in row-major order; None if they are not known."""
        values = self[value]
        return (
            None
            if values is None or values.dtype.kind == "f"
            else tuple(int(one) for one in values.reshape(-1))
        )

    def number(self, value: SSAValue) -> float | int | bool | None:
        """The number that all elements equal; None if they differ, or are not known."""
        values = self[value]
        if values is None or not values.size:
            return None
        first = values[(0,) * values.ndim]
        same = values.size == 1 or all(
            stride == 0 for stride, extent in zip(values.strides, values.shape) if extent > 1
        )
        if not same and not (np.all(values == first) or (first != first and np.all(values != values))):
            return None
        result: float | int | bool = first.item()
        return result


def _rule_of(value: SSAValue) -> Rule | None:
    if not isinstance(value, OpResult) or len(value.op.results) != 1:
        return None
    type = value.type
    if not isinstance(type, TensorType) or dtype_of(type.element_type) is None:
        return None
    rule = RULES.get(value.op.name)
    shape = type.get_shape()
    if rule is None or any(extent < 0 for extent in shape):
        return None
    repeats = isinstance(value.op, (HLOConstant, HLOBroadcastInDim, ConstantOp))
    return rule if repeats or int(np.prod(shape)) <= MOST_ELEMENTS else None


def _constant(op: Operation, operands: Sequence[Array]) -> Array:
    values = array_of(attribute(op, "value"))
    if values is None:
        raise ValueError("the text does not contain its elements")
    return values


def _shape(op: Operation) -> tuple[int, ...]:
    type = op.results[0].type
    assert isinstance(type, TensorType)
    shape: tuple[int, ...] = type.get_shape()
    return shape


def _iota(op: Operation, operands: Sequence[Array]) -> Array:
    shape, dim = _shape(op), integer(op, "iota_dimension")
    line = np.arange(shape[dim]).reshape([-1 if at == dim else 1 for at in range(len(shape))])
    return np.broadcast_to(line, shape) + 0


def _broadcast(op: Operation, operands: Sequence[Array]) -> Array:
    shape, dims = _shape(op), integers(op, "broadcast_dimensions")
    wide = [1] * len(shape)
    for at, dim in enumerate(dims):
        wide[dim] = operands[0].shape[at]
    placed = operands[0].transpose(np.argsort(dims)) if list(dims) != sorted(dims) else operands[0]
    return np.broadcast_to(placed.reshape(wide), shape)


def _slice(op: Operation, operands: Sequence[Array]) -> Array:
    ranges = zip(
        integers(op, "start_indices"), integers(op, "limit_indices"), integers(op, "strides"), strict=True
    )
    return operands[0][tuple(slice(*one) for one in ranges)]


def _pad(op: Operation, operands: Sequence[Array]) -> Array:
    if (
        any(integers(op, "interior_padding"))
        or min((*integers(op, "edge_padding_low"), *integers(op, "edge_padding_high"), 0)) < 0
    ):
        raise ValueError("not computed here")
    widths = list(zip(integers(op, "edge_padding_low"), integers(op, "edge_padding_high"), strict=True))
    return np.pad(operands[0], widths, constant_values=operands[1].item())


def _dynamic_slice(op: Operation, operands: Sequence[Array]) -> Array:
    sizes = integers(op, "slice_sizes")
    starts = [
        min(max(int(start.item()), 0), extent - size)
        for start, extent, size in zip(operands[1:], operands[0].shape, sizes, strict=True)
    ]
    return operands[0][tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))]


_COMPARED: Mapping[str, Any] = MappingProxyType(
    {
        "EQ": np.equal,
        "NE": np.not_equal,
        "GE": np.greater_equal,
        "GT": np.greater,
        "LE": np.less_equal,
        "LT": np.less,
    }
)


def _divide(op: Operation, operands: Sequence[Array]) -> Array:
    left, right = operands
    if left.dtype.kind == "f":
        return left / right
    if np.any(right == 0):
        raise ValueError("division by zero")
    # Rounded to zero, exactly, like the division of whole numbers.
    quotient = np.abs(left.astype(object)) // np.abs(right.astype(object))
    signed: Array = np.where((left < 0) != (right < 0), -quotient, quotient)
    return signed.astype(left.dtype)


def _remainder(op: Operation, operands: Sequence[Array]) -> Array:
    left, right = operands
    if left.dtype.kind != "f" and np.any(right == 0):
        raise ValueError("division by zero")
    return np.fmod(left, right)


def _add(op: Operation, operands: Sequence[Array]) -> Array:
    return np.add(*operands)


def _reduce(op: Operation, operands: Sequence[Array]) -> Array:
    if len(operands) != 2:
        raise ValueError("not computed here")
    body = list(op.regions[0].block.ops)
    function = {"stablehlo.add": np.add, "stablehlo.maximum": np.maximum, "stablehlo.minimum": np.minimum,
                "stablehlo.multiply": np.multiply, "stablehlo.and": np.bitwise_and, "stablehlo.or": np.bitwise_or}.get(body[0].name)  # fmt: skip
    if function is None or len(body) != 2:
        raise ValueError("not computed here")
    reduced = function.reduce(
        operands[0], axis=integers(op, "dimensions"), initial=operands[1].item(), dtype=operands[0].dtype
    )
    return np.asarray(reduced)


def _shift(function: Any) -> Rule:
    def rule(op: Operation, operands: Sequence[Array]) -> Array:
        left, right = operands
        width = left.dtype.itemsize * 8
        beyond = (right < 0) | (right >= width)
        unsigned = left.view(f"u{left.dtype.itemsize}") if function == "logical" else left
        by = np.where(beyond, 0, right).astype(unsigned.dtype)
        shifted = np.left_shift(unsigned, by) if function == "left" else np.right_shift(unsigned, by)
        rest = np.where(left < 0, -1, 0) if function == "arithmetic" else np.zeros_like(left)
        return np.where(
            beyond, rest, shifted.astype(left.dtype) if function != "logical" else shifted.view(left.dtype)
        )

    return rule


def _bitcast(op: Operation, operands: Sequence[Array]) -> Array:
    """Reinterpret the bits as another type of the same width."""
    type = op.results[0].type
    assert isinstance(type, TensorType)
    dtype, (values,) = dtype_of(type.element_type), operands
    wide = isinstance(type.element_type, BFloat16Type) or values.dtype.kind == "b"
    if dtype is None or wide or dtype.itemsize != values.dtype.itemsize or dtype.kind == "b":
        raise ValueError("not computed here")
    return np.ascontiguousarray(values).view(dtype)


# Coefficients of Giles' approximation of the inverse error function (Mike Giles, 2010), near zero and far from it.
_NEAR = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
         0.246640727, 1.50140941)  # fmt: skip
_FAR = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
        1.00167406, 2.83297682)  # fmt: skip


def _erf_inv(values: Array) -> Array:
    """The inverse error function of float32, computed like XLA's."""
    x = values.astype(np.float32)
    w = -np.log1p(x * -x)
    near = w < 5
    w = np.where(near, w - np.float32(2.5), np.sqrt(w) - np.float32(3))
    total = np.where(near, np.float32(_NEAR[0]), np.float32(_FAR[0]))
    for small, large in zip(_NEAR[1:], _FAR[1:], strict=True):
        total = np.where(near, np.float32(small), np.float32(large)) + total * w
    return np.where(np.abs(x) == 1, x * np.float32(np.inf), total * x)


def _of(function: Callable[..., Array]) -> Rule:
    return lambda op, operands: function(*operands)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "arith.constant": _constant,
        "chlo.erf_inv": _of(_erf_inv),
        **{
            f"stablehlo.{name}": rule
            for name, rule in {
                "abs": _of(np.abs),
                "add": _add,
                "and": _of(np.bitwise_and),
                "bitcast_convert": _bitcast,
                "broadcast_in_dim": _broadcast,
                "ceil": _of(np.ceil),
                "clamp": _of(lambda low, x, high: np.minimum(np.maximum(low, x), high)),
                "compare": lambda op, operands: _COMPARED[word(op, "comparison_direction")](*operands),
                "concatenate": lambda op, operands: np.concatenate(operands, integer(op, "dimension")),
                "constant": _constant,
                "convert": lambda op, operands: operands[0],
                "divide": _divide,
                "dynamic_slice": _dynamic_slice,
                "floor": _of(np.floor),
                "get_dimension_size": lambda op, operands: np.asarray(
                    operands[0].shape[integer(op, "dimension")]
                ),
                "iota": _iota,
                "maximum": _of(np.maximum),
                "minimum": _of(np.minimum),
                "multiply": _of(np.multiply),
                "negate": _of(np.negative),
                "not": _of(np.invert),
                "or": _of(np.bitwise_or),
                "optimization_barrier": _of(lambda x: x),
                "pad": _pad,
                "power": _of(np.power),
                "reduce": _reduce,
                "remainder": _remainder,
                "reshape": lambda op, operands: operands[0].reshape(_shape(op)),
                "reverse": lambda op, operands: np.flip(operands[0], integers(op, "dimensions")),
                "select": _of(np.where),
                "shift_left": _shift("left"),
                "shift_right_arithmetic": _shift("arithmetic"),
                "shift_right_logical": _shift("logical"),
                "sign": _of(np.sign),
                "slice": _slice,
                "sqrt": _of(np.sqrt),
                "subtract": _of(np.subtract),
                "transpose": lambda op, operands: operands[0].transpose(integers(op, "permutation")),
                "xor": _of(np.bitwise_xor),
            }.items()
        },
    }
)
