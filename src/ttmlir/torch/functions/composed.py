"""Functions of ATen made of several others: inverse functions, quantisation, running products, windows as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from tt_model.integers import arithmetic
from ttmlir.compositions import functions, matrices
from ttmlir.compositions.emitter import SINGLE, halved, running
from ttmlir.torch.emitter import GraphEmitter
from ttmlir.torch.functions.elementwise import rounded
from ttmlir.torch.functions.integers import operands_of
from ttmlir.torch.functions.shapes import pad, taken
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.row import AtenValue, Rule, Scalar, common_type, rows
from ttmlir.ttir_builder import Operand


def _composed(function: Callable[..., Any]) -> Rule:
    """Return the rule of a function that is computed in float32 and rounded once."""

    def rule(at: GraphLowering, *operands: AtenValue) -> Any:
        wide = [at.wide(at.spread(one, at.shape)) for one in operands]
        return at.narrow(function(*wide, GraphEmitter(at)))

    return rule


# Quantisation.


def _fake_quantized(at: GraphLowering, value: AtenValue, scale: Any, zero: Any, least: int, most: int) -> Any:
    """Fake quantisation: round to whole steps of the scale within the limits, and scale back."""
    build, operand = at.builder, at.wide(value)
    scale, zero = (
        at.wide(one) if isinstance(one, AtenValue) else build.number_like(one, operand)
        for one in (scale, zero)
    )
    steps = rounded(at, build.multiply(operand, build.reciprocal(scale)))
    inside = build.clamp(build.add(steps, zero), float(least), float(most))
    return at.narrow(build.multiply(build.subtract(inside, zero), scale))


def _fake_quantized_masked(at: GraphLowering, value: AtenValue, *arguments: Any) -> Any:
    """Quantise by one scale, given as a number or a tensor, or by one for each index of a dimension; the mask is for training."""
    if at.is_used(1):
        raise at.refuse("the mask of a quantisation is needed only for training", "the quantised tensor only")
    scale, zero, *rest = arguments
    shape = [1] * value.rank
    if "per_channel" in str(at.node.target):
        dim = rest.pop(0)
        shape[dim] = value.shape[dim]
    elif len(rest) == 3:
        enabled = rest.pop(0)
        if enabled.known is None or not bool(enabled.known.all()):
            raise at.refuse(
                "its fake_quant_enabled is a tensor that is not 1",
                "a module whose fake_quant_enabled is 1",
            )
    scale, zero = (at.reshape(one, shape) if isinstance(one, AtenValue) else one for one in (scale, zero))
    return [_fake_quantized(at, value, scale, zero, *rest), None]


# Running sums, products and extremes.


def _combining(at: GraphLowering, name: str, w: GraphEmitter) -> Callable[[Operand, Operand], Operand]:
    def combine(before: Operand, own: Operand) -> Operand:
        if at.dtype.is_floating_point or name == "multiply":
            return w.elementwise(name, before, own)
        extreme: Operand = arithmetic.extreme(name, before, own, w)
        return extreme

    return combine


def _running_product(at: GraphLowering, value: AtenValue, dim: int, *_: Any) -> Any:
    if not value.rank:
        return at.again(at.operand(value, at.dtype), at.shape)
    w = GraphEmitter(at)
    wide = at.wide(value) if at.dtype.is_floating_point else at.operand(value, at.dtype)
    result = running(wide, dim % value.rank, _combining(at, "multiply", w), w)
    return at.narrow(result) if at.dtype.is_floating_point else result


def _running_extreme(name: str) -> Rule:
    """Return the rule of a running extreme with its position.

    The position is that of the last equal element: the running maximum of the positions where the extreme is reached.
    """

    def rule(at: GraphLowering, value: AtenValue, dim: int) -> Any:
        if not value.rank:
            return [value, AtenValue.of(at.number(0).known.long())]  # type: ignore[union-attr]
        w, dim = GraphEmitter(at), dim % value.rank
        operand = at.operand(value, at.dtype)
        extreme = running(operand, dim, _combining(at, name, w), w)
        if not at.is_used(1):
            return [extreme, None]
        here = w.typecast(w.truth("eq", operand, extreme), SINGLE)
        shape = [value.shape[dim] if axis == dim else 1 for axis in range(value.rank)]
        positions = w.elementwise("multiply", here, w.reshape(w.count(value.shape[dim], SINGLE), shape))
        last = running(positions, dim, lambda before, own: w.elementwise("maximum", before, own), w)
        return [extreme, at.counted(last)]

    return rule


def _running_log_sum(at: GraphLowering, value: AtenValue, dim: int) -> Any:
    """Compute a running log-sum-exp: for two values, the greater one plus the logarithm of 1 + exp(lesser - greater)."""
    if not value.rank:
        return value
    w = GraphEmitter(at)

    def combine(before: Operand, own: Operand) -> Operand:
        greatest = w.elementwise("maximum", before, own)
        least = w.elementwise("minimum", before, own)
        same = w.elementwise("eq", greatest, least)
        less = w.elementwise("where", same, w.splat(0, own), w.elementwise("subtract", least, greatest))
        return w.elementwise("add", greatest, w.elementwise("log1p", w.elementwise("exp", less)))

    return at.narrow(running(at.wide(value), dim % value.rank, combine, w))


# Positions in a sorted row.


def _searched(at: GraphLowering, sequence: AtenValue, value: Scalar, is_right: bool) -> Any:
    """Return how many numbers of a sorted row are less, or not greater."""
    if sequence.rank != 1 and isinstance(value, AtenValue) and sequence.shape[:-1] != value.shape[:-1]:
        raise at.refuse(
            "rows of another shape than the values", "one sorted row, or one for each row of values"
        )
    dtype, w = common_type(sequence, value), GraphEmitter(at)
    one = value if isinstance(value, AtenValue) else at.number(value, dtype)
    (row, wanted), negative = operands_of(at, sequence, one, dtype=dtype)
    row = w.reshape(
        row,
        [*sequence.shape[:-1], *(1 for _ in range(max(1, one.rank) - sequence.rank + 1)), sequence.shape[-1]],
    )
    wanted = w.reshape(wanted, [*(one.shape or (1,)), 1])
    name = "le" if is_right else "lt"
    if negative and not dtype.is_floating_point:
        before = arithmetic.compare(name, row, wanted, w)
    else:
        before = w.elementwise(name, row, wanted)
    count = w.reduce("sum", w.typecast(before, SINGLE), [len(w.shape(before)) - 1], keep=True)
    return at.narrow(w.reshape(count, at.shape))


def _bucketized(
    at: GraphLowering, value: Scalar, bounds: AtenValue, out_int32: bool = False, right: bool = False
) -> Any:
    return _searched(at, bounds, value, right)


def _searchsorted(
    at: GraphLowering,
    sequence: AtenValue,
    value: Scalar,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: AtenValue | None = None,
) -> Any:
    if sorter is not None:
        raise at.refuse("the row has a sorter", "a sorted row: row.gather(-1, sorter)")
    return _searched(at, sequence, value, right or side == "right")


# Windows as columns, and back.


def _windows(shape: Sequence[int], *numbers: Any) -> list[tuple[int, int, int, int, int]]:
    """Return kernel, dilation, padding, stride and the number of windows, for height and width."""
    matches = []
    for extent, kernel, dilation, edge, stride in zip(shape, *numbers, strict=True):
        matches.append(
            (kernel, dilation, edge, stride, (extent + 2 * edge - dilation * (kernel - 1) - 1) // stride + 1)
        )
    return matches


def _unfolded(
    at: GraphLowering, value: AtenValue, kernel: Sequence[int], dilation: Any, padding: Any, stride: Any
) -> Any:
    """Gather each window's elements along height and width (im2col), with the positions within a window in front."""
    import torch

    w, rank = GraphEmitter(at), value.rank
    windows = _windows(value.shape[-2:], kernel, dilation, padding, stride)
    planes = prod(value.shape[:-2])
    for dim, (size, apart, edge, by, count) in enumerate(windows, rank - 2):
        value = pad(at, value, dim, edge, edge, 0)
        value = taken(
            at, value, dim, (torch.arange(size)[:, None] * apart + torch.arange(count) * by).flatten()
        )
    (rows_of, *_, high), (columns, *_, wide) = windows
    split = w.reshape(at.operand(value), [planes, rows_of, high, columns, wide])
    return w.reshape(w.rearrange(split, [0, 1, 3, 2, 4]), at.shape)


def _folded(
    at: GraphLowering, value: AtenValue, size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any
) -> Any:
    """Sum overlapping windows at each pixel (col2im), by 0/1 matrices for the height and the width."""
    import torch

    w, windows = GraphEmitter(at), _windows(size, kernel, dilation, padding, stride)
    (rows_of, *_, high), (columns, *_, wide) = windows
    planes = prod(at.shape[:-2])
    split = w.reshape(at.operand(value), [planes, rows_of, columns, high, wide])
    shape = (planes, rows_of * high, columns * wide)
    image = at.again(w.reshape(w.rearrange(split, [0, 1, 3, 2, 4]), shape), shape)
    for dim, (extent, (size_of, apart, edge, by, count)) in enumerate(zip(size, windows, strict=True), 1):
        matrix = torch.zeros(extent + 2 * edge, size_of * count)
        places = (torch.arange(size_of)[:, None] * apart + torch.arange(count) * by).flatten()
        matrix[places, torch.arange(size_of * count)] = 1
        image = at.mixed(image, dim, matrix[edge : edge + extent])
    return at.reshape(image, at.shape)


def _product_in_int32(at: GraphLowering, left: AtenValue, right: AtenValue) -> Any:
    import torch

    return at.builder.matmul(*(at.operand(one, torch.int32) for one in (left, right)))


# Small matrices.


def _matrices(at: GraphLowering, value: AtenValue, w: GraphEmitter) -> Operand:
    """Return the value as (batch, rows, columns), in float32."""
    return w.reshape(at.wide(value), [prod(value.shape[:-2]), *value.shape[-2:]])


def _cholesky(at: GraphLowering, value: AtenValue, upper: bool = False, check_errors: bool = False) -> Any:
    """Return the Cholesky factor and an error code of 0; only the lower triangle of the matrix is read.

    The factor of a matrix that is not positive definite is NaN; there is no error.
    """
    w = GraphEmitter(at)
    result = matrices.cholesky(_matrices(at, value, w), w)
    if upper:
        result = w.rearrange(result, [0, 2, 1])
    return [at.narrow(w.reshape(result, at.shape)), _no_error(value.shape[:-2])]


def _solved(
    at: GraphLowering,
    value: AtenValue,
    right: AtenValue,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Any:
    w, swapped = GraphEmitter(at), [0, 2, 1]
    batch = at.shape[:-2]
    matrix, wanted = (_matrices(at, at.spread(one, (*batch, *one.shape[-2:])), w) for one in (value, right))
    if not left:  # X A = B is A' X' = B'
        matrix, wanted, upper = w.rearrange(matrix, swapped), w.rearrange(wanted, swapped), not upper
    matches = matrices.solved(matrix, wanted, w, is_upper=upper, has_unit_diagonal=unitriangular)
    return at.narrow(w.reshape(matches if left else w.rearrange(matches, swapped), at.shape))


def _identity(matrix: Operand, w: GraphEmitter) -> Operand:
    batch, count, _ = w.shape(matrix)
    line = w.count(count, SINGLE)
    one = w.elementwise("eq", w.reshape(line, [1, count, 1]), w.reshape(line, [1, 1, count]))
    return w.broadcast(one, [batch, count, count])


def _no_error(shape: Sequence[int]) -> AtenValue:
    """Return zeros as the error codes of a matrix inverse: elements are not examined, so that no error is reported."""
    import torch

    return AtenValue.of(torch.zeros(list(shape), dtype=torch.int32))


def _require_unused(at: GraphLowering, first: int, last: int) -> None:
    if any(at.is_used(number) for number in range(first, last + 1)):
        raise at.refuse(
            "the triangles of a decomposition and its order of rows are not available as results",
            "the solution or the determinant only",
        )


def _inverted(at: GraphLowering, value: AtenValue, check_errors: bool = False) -> Any:
    w = GraphEmitter(at)
    matrix = _matrices(at, value, w)
    inverse = matrices.eliminated(matrix, _identity(matrix, w), w).solution
    return [at.narrow(w.reshape(inverse, at.shape)), _no_error(value.shape[:-2])]


def _solved_by_elimination(
    at: GraphLowering, value: AtenValue, right: AtenValue, left: bool = True, check_errors: bool = False
) -> Any:
    _require_unused(at, 1, 2)
    w, swapped, shape = GraphEmitter(at), [0, 2, 1], at.shape
    is_vector = right.rank == 1 or (right.rank == value.rank - 1 and right.shape == value.shape[:-1])
    if is_vector:
        right, shape = at.reshape(right, (*right.shape, 1)), (*shape, 1)
    batch = shape[:-2]
    matrix, wanted = (_matrices(at, at.spread(one, (*batch, *one.shape[-2:])), w) for one in (value, right))
    if not left:
        matrix, wanted = (w.rearrange(one, swapped) for one in (matrix, wanted))
    solution = matrices.eliminated(matrix, wanted, w).solution
    solution = at.narrow(w.reshape(solution if left else w.rearrange(solution, swapped), at.shape))
    return [solution, None, None, _no_error(value.shape[:-2])]


def _eliminated(at: GraphLowering, value: AtenValue, w: GraphEmitter) -> matrices.Elimination:
    matrix = _matrices(at, value, w)
    return matrices.eliminated(matrix, w.range(matrix, 2, 0, 1), w)


def _determinant(at: GraphLowering, value: AtenValue) -> Any:
    _require_unused(at, 1, 2)
    w = GraphEmitter(at)
    parts = _eliminated(at, value, w)
    product = halved(parts.pivots, 2, lambda one, other: w.elementwise("multiply", one, other), w)
    return [at.narrow(w.reshape(w.elementwise("multiply", product, parts.sign), at.shape)), None, None]


def _logarithm_of_determinant(at: GraphLowering, value: AtenValue) -> Any:
    _require_unused(at, 2, 3)
    w = GraphEmitter(at)
    parts = _eliminated(at, value, w)
    signs = halved(
        w.elementwise("sign", parts.pivots), 2, lambda one, other: w.elementwise("multiply", one, other), w
    )
    sign = w.elementwise("multiply", signs, parts.sign)
    size = w.reduce("sum", w.elementwise("log", w.elementwise("abs", parts.pivots)), [2], keep=True)
    return [*(at.narrow(w.reshape(one, at.shape)) for one in (sign, size)), None, None]


_INVERSES = "acos acosh asin asinh atan atan2 atanh tan"
_ANGLES = "ttir.abs, ttir.maximum, ttir.div, ttir.multiply, ttir.where, or ttir.log and ttir.log1p, ttir.sin, ttir.cos, in float32"
_ERROR = "ttir.gelu, ttir.div, ttir.where, in float32"
_QUANTIZED = "ttir.reciprocal, ttir.multiply, ttir.floor, ttir.clamp, ttir.subtract, in float32"
_OF_ROWS = "ttir.slice, ttir.matmul, ttir.subtract, ttir.div, ttir.concat row after row, in float32"
_BY_COLUMNS = "ttir.max, ttir.eq, ttir.matmul, ttir.div, ttir.subtract column after column, in float32"
_RUNNING = "of ranges that are 1, 2, 4, ... apart, by ttir.slice and ttir.concat"
ROWS = rows(
    *((f"{name}.default", _composed(getattr(functions, name)), _ANGLES) for name in _INVERSES.split()),
    ("erf.default", _composed(functions.erf), _ERROR),
    ("erfc.default", _composed(functions.erfc), _ERROR),
    ("erfinv.default", _composed(functions.erf_inv), "ttir.log1p, ttir.sqrt, ttir.multiply, ttir.where, in float32"),
    ("fake_quantize_per_tensor_affine.default fake_quantize_per_tensor_affine.tensor_qparams", _fake_quantized, _QUANTIZED),
    ("fake_quantize_per_tensor_affine_cachemask.default _fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default fake_quantize_per_channel_affine_cachemask.default", _fake_quantized_masked, _QUANTIZED, "the mask"),
    ("cumprod.default", _running_product, f"ttir.multiply {_RUNNING}"),
    ("cummax.default", _running_extreme("maximum"), f"ttir.maximum {_RUNNING}"),
    ("cummin.default", _running_extreme("minimum"), f"ttir.minimum {_RUNNING}"),
    ("logcumsumexp.default", _running_log_sum, f"ttir.maximum, ttir.exp, ttir.log1p, ttir.add {_RUNNING}"),
    ("searchsorted.Tensor searchsorted.Scalar", _searchsorted, "ttir.lt or ttir.le, ttir.sum", "a sorter"),
    ("bucketize.Tensor bucketize.Scalar", _bucketized, "ttir.lt or ttir.le, ttir.sum"),
    ("linalg_cholesky_ex.default", _cholesky, _OF_ROWS, f"more than {matrices.MOST_ROWS} rows"),
    ("linalg_solve_triangular.default", _solved, _OF_ROWS, f"more than {matrices.MOST_ROWS} rows"),
    ("linalg_inv_ex.default", _inverted, _BY_COLUMNS, f"more than {matrices.MOST_ROWS} rows"),
    ("_linalg_solve_ex.default", _solved_by_elimination, _BY_COLUMNS, f"more than {matrices.MOST_ROWS} rows, and its decomposition"),
    ("_linalg_det.default", _determinant, _BY_COLUMNS, f"more than {matrices.MOST_ROWS} rows, and its decomposition"),
    ("_linalg_slogdet.default", _logarithm_of_determinant, f"{_BY_COLUMNS}, ttir.log", f"more than {matrices.MOST_ROWS} rows, and its decomposition"),
    ("im2col.default", _unfolded, "ttir.slice, ttir.concat, ttir.reshape, ttir.transpose"),
    ("col2im.default", _folded, "ttir.reshape, ttir.transpose, ttir.matmul with zeros and ones"),
    ("_int_mm.default", _product_in_int32, "ttir.matmul of int32"),
)  # fmt: skip
