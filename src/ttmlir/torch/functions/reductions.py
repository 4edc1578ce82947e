"""Functions of ATen over dimensions: sums, maxima, softmax, normalisations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ttmlir.torch.functions.ordering import POSITIONS, extreme_with_position
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.row import AtenValue, Rule, rows

if TYPE_CHECKING:
    import torch

Dims = int | Sequence[int] | None


def _dims(value: AtenValue, given: Dims) -> list[int]:
    """Return dimensions as non-negative numbers; all of them if none is named."""
    if given is None or (not isinstance(given, int) and not len(given)):
        return list(range(value.rank)) or [0]
    several = [given] if isinstance(given, int) else list(given)
    return [dim % max(1, value.rank) for dim in several]


def _reduced(name: str) -> Rule:
    def rule(at: GraphLowering, value: AtenValue, dim: Dims = None, keepdim: bool = False, *_: Any) -> Any:
        operand = at.operand(value, at.dtype)
        if not value.rank:
            return at.again(operand, at.shape)
        return getattr(at.builder, name)(operand, _dims(value, dim), keepdim)

    return rule


def _sum_of_all(name: str) -> Rule:
    """Return the rule of the reduction ``name`` over all dimensions; the other argument is a type."""
    return lambda at, value, *_: _reduced(name)(at, value)


def _minimum(at: GraphLowering, value: AtenValue, dim: Dims = None, keepdim: bool = False) -> Any:
    build = at.builder
    return build.neg(build.max(build.neg(at.operand(value)), _dims(value, dim), keepdim))


def _any(at: GraphLowering, value: AtenValue, dim: Dims = None, keepdim: bool = False) -> Any:
    import torch

    return at.builder.max(at.operand(value, torch.bool), _dims(value, dim), keepdim)


def _all(at: GraphLowering, value: AtenValue, dim: Dims = None, keepdim: bool = False) -> Any:
    import torch

    build = at.builder
    wrong = build.logical_not(at.operand(value, torch.bool))
    return build.logical_not(build.max(wrong, _dims(value, dim), keepdim))


def _variance(at: GraphLowering, value: AtenValue, dims: list[int], correction: float, keepdim: bool) -> Any:
    import math

    build, operand = at.builder, at.wide(value)
    count = math.prod(value.shape[dim] for dim in dims)
    if count <= correction:
        raise at.refuse(f"a variance of {count} elements with a correction of {correction}", "more elements")
    centred = build.subtract(operand, build.mean(operand, dims, True))
    squares = build.mean(build.multiply(centred, centred), dims, keepdim)
    return at.times(squares, count / (count - correction))


def _var(
    at: GraphLowering,
    value: AtenValue,
    dim: Dims = None,
    correction: float | None = None,
    keepdim: bool = False,
) -> Any:
    return at.narrow(
        _variance(at, value, _dims(value, dim), 1 if correction is None else correction, keepdim)
    )


def _std(
    at: GraphLowering,
    value: AtenValue,
    dim: Dims = None,
    correction: float | None = None,
    keepdim: bool = False,
) -> Any:
    squares = _variance(at, value, _dims(value, dim), 1 if correction is None else correction, keepdim)
    return at.narrow(at.builder.sqrt(squares))


def _var_mean(
    at: GraphLowering,
    value: AtenValue,
    dim: Dims = None,
    correction: float | None = None,
    keepdim: bool = False,
) -> Any:
    mean = at.builder.mean(at.operand(value), _dims(value, dim), keepdim)
    return [_var(at, value, dim, correction, keepdim), mean]


def _vector_norm(
    at: GraphLowering, value: AtenValue, order: float = 2, dim: Dims = None, keepdim: bool = False, *_: Any
) -> Any:
    """The square root of the sum of squares, the sum of absolute values, or the greatest of those."""
    build, operand, dims = at.builder, at.wide(value), _dims(value, dim)
    if order == 2:
        return at.narrow(build.sqrt(build.sum(build.multiply(operand, operand), dims, keepdim)))
    if order == 1:
        return at.narrow(build.sum(build.abs(operand), dims, keepdim))
    if order == float("inf"):
        return at.narrow(build.max(build.abs(operand), dims, keepdim))
    raise at.refuse(f"a norm of order {order}", "the orders 1, 2 and inf")


def _softmax(at: GraphLowering, value: AtenValue, dim: int, *_: Any) -> Any:
    return at.builder.softmax(at.operand(value, at.dtype), dim)


def _log_softmax(at: GraphLowering, value: AtenValue, dim: int, *_: Any) -> Any:
    build, operand = at.builder, at.wide(value)
    dims = _dims(value, dim)
    shifted = build.subtract(operand, build.max(operand, dims, True))
    return at.narrow(build.subtract(shifted, build.log(build.sum(build.exp(shifted), dims, True))))


def _log_sum_exp(at: GraphLowering, value: AtenValue, dim: Dims, keepdim: bool = False) -> Any:
    build, operand = at.builder, at.wide(value)
    dims = _dims(value, dim)
    largest = build.max(operand, dims, True)
    total = build.log(build.sum(build.exp(build.subtract(operand, largest)), dims, True))
    result = build.add(total, largest)
    return at.narrow(result if keepdim else build.reshape(result, list(at.shape) or [1]))


def _cumulative_sum(at: GraphLowering, value: AtenValue, dim: int, *_: Any) -> Any:
    import torch

    if not value.rank:
        return value
    extent = value.shape[dim]
    return at.mixed(value, dim % value.rank, torch.ones(extent, extent).tril())


# Normalisations: in float32 where the tensors have fewer digits, and rounded once, as torch does it.


def _layer_norm(
    at: GraphLowering,
    value: AtenValue,
    shape: Sequence[int],
    weight: AtenValue | None = None,
    bias: AtenValue | None = None,
    epsilon: float = 1e-5,
    *_: Any,
) -> Any:
    scale, offset = (None if one is None else at.wide(one) for one in (weight, bias))
    return at.narrow(at.builder.layer_norm(at.wide(value), len(shape), scale, offset, epsilon))


def _native_layer_norm(at: GraphLowering, *arguments: Any) -> Any:
    if at.is_used(1) or at.is_used(2):
        raise at.refuse(
            "mean and scale of a normalisation are results for training only", "the normalised tensor only"
        )
    return [_layer_norm(at, *arguments), None, None]


def _rms_norm(
    at: GraphLowering,
    value: AtenValue,
    shape: Sequence[int],
    weight: AtenValue | None = None,
    epsilon: float | None = None,
) -> Any:
    import torch

    least = torch.finfo(at.dtype).eps if epsilon is None else epsilon
    scale = None if weight is None else at.wide(weight)
    return at.narrow(at.builder.rms_norm(at.wide(value), len(shape), scale, least))


def _group_norm(
    at: GraphLowering,
    value: AtenValue,
    groups: int,
    weight: AtenValue | None = None,
    bias: AtenValue | None = None,
    epsilon: float = 1e-5,
    *_: Any,
) -> Any:
    """Statistics of each channel of (N, C, ...) first, which many cores do, then of each group of them."""
    build, operand = at.builder, at.wide(value)

    def mean_of_groups(of: Any) -> Any:
        means = build.mean(of, list(range(2, value.rank)), True) if value.rank > 2 else of
        return _shared_by_groups(at, means, groups)

    centred = build.subtract(operand, mean_of_groups(operand))
    variance = mean_of_groups(build.multiply(centred, centred))
    scale = build.rsqrt(build.add(variance, build.number_like(epsilon, variance)))
    if weight is not None:
        scale = build.multiply(scale, _for_each_channel(at, weight, value.rank))
    result = build.multiply(centred, scale)
    return at.narrow(result if bias is None else build.add(result, _for_each_channel(at, bias, value.rank)))


def _shared_by_groups(at: GraphLowering, means: Any, groups: int) -> Any:
    """Average numbers for each channel, (N, C, 1, ...), over the group of the channel."""
    build, shape = at.builder, list(at.builder.get_shape(means))
    batch, channels = shape[:2]
    if channels == groups:
        return means
    of_group = build.mean(build.reshape(means, [batch, groups, channels // groups]), [2], True)
    return build.reshape(build.broadcast(of_group, [batch, groups, channels // groups]), shape)


def _for_each_channel(at: GraphLowering, vector: AtenValue, rank: int) -> Any:
    """Return a vector (C) as (1, C, 1, ...)."""
    return at.builder.reshape(at.wide(vector), [1, vector.shape[0], *[1] * (rank - 2)])


def _batch_norm(
    at: GraphLowering,
    value: AtenValue,
    weight: AtenValue | None,
    bias: AtenValue | None,
    mean: AtenValue | None,
    variance: AtenValue | None,
    training: bool,
    momentum: float,
    epsilon: float,
    *_: Any,
) -> Any:
    """x scale + offset, where scale = weight / sqrt(variance + epsilon) and offset = bias - mean scale."""
    if training or mean is None or variance is None:
        raise at.refuse(
            "it uses mean and variance of the batch: the module is in training mode", "module.eval()"
        )
    build, shape = at.builder, [1, value.shape[1], *[1] * (value.rank - 2)]
    if all(one is None or one.known is not None for one in (weight, bias, mean, variance)):
        numbers = _known_scale_and_offset(weight, bias, mean, variance, epsilon)
        scale, offset = (at.operand(AtenValue.of(one.reshape(shape)), small=True) for one in numbers)
        return at.narrow(build.add(build.multiply(at.wide(value), scale), offset))
    spread = at.wide(variance)
    scale = build.rsqrt(build.add(spread, build.number_like(epsilon, spread)))
    if weight is not None:
        scale = build.multiply(at.wide(weight), scale)
    offset = build.multiply(at.wide(mean), scale)
    offset = build.neg(offset) if bias is None else build.subtract(at.wide(bias), offset)
    scale, offset = build.reshape(scale, shape), build.reshape(offset, shape)
    return at.narrow(build.add(build.multiply(at.wide(value), scale), offset))


def _known_scale_and_offset(
    weight: AtenValue | None, bias: AtenValue | None, mean: AtenValue, variance: AtenValue, epsilon: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return scale and offset of a batch norm, in float32, with each weight and bias that is known included."""
    assert mean.known is not None and variance.known is not None
    scale = (variance.known.float() + epsilon).rsqrt()
    if weight is not None and weight.known is not None:
        scale = scale * weight.known.float()
    offset = -mean.known.float() * scale
    return scale, offset if bias is None or bias.known is None else offset + bias.known.float()


def _instance_norm(
    at: GraphLowering,
    value: AtenValue,
    weight: AtenValue | None,
    bias: AtenValue | None,
    mean: AtenValue | None,
    variance: AtenValue | None,
    of_input: bool,
    momentum: float,
    epsilon: float,
    *_: Any,
) -> Any:
    """Normalise each channel of each image: a group norm with as many groups as channels."""
    if of_input:
        return _group_norm(at, value, value.shape[1], weight, bias, epsilon)
    return _batch_norm(at, value, weight, bias, mean, variance, False, momentum, epsilon)


def _batch_norm_of_core(at: GraphLowering, *arguments: Any) -> Any:
    *first, momentum, epsilon = arguments
    return [_batch_norm(at, *first, False, momentum, epsilon), None, None]


_BATCH = "ttir.rsqrt, ttir.multiply, ttir.subtract or ttir.neg, ttir.add, in float32"
_MEANS = "ttir.mean, ttir.subtract, ttir.multiply, ttir.add, ttir.rsqrt, in float32"
ROWS = rows(
    ("sum.dim_IntList", _reduced("sum"), "ttir.sum"),
    ("sum.default", _sum_of_all("sum"), "ttir.sum"),
    ("mean.dim", _reduced("mean"), "ttir.mean"),
    ("mean.default", _sum_of_all("mean"), "ttir.mean"),
    ("amax.default max.default", _reduced("max"), "ttir.max"),
    ("amin.default min.default", _minimum, "ttir.neg, ttir.max"),
    ("max.dim", extreme_with_position(False, _reduced("max")), f"ttir.max; {POSITIONS} for the positions"),
    ("min.dim", extreme_with_position(True, _minimum), f"ttir.neg, ttir.max; {POSITIONS} for the positions"),
    ("any.default any.dim any.dims", _any, "ttir.max"),
    ("all.default all.dim all.dims", _all, "ttir.logical_not, ttir.max"),
    ("var.correction", _var, "ttir.mean, ttir.subtract, ttir.multiply"),
    ("std.correction", _std, "ttir.mean, ttir.subtract, ttir.multiply, ttir.sqrt"),
    ("var_mean.correction", _var_mean, "ttir.mean, ttir.subtract, ttir.multiply"),
    ("softmax.int _softmax.default _safe_softmax.default", _softmax, "ttir.softmax"),
    ("log_softmax.int _log_softmax.default", _log_softmax, "ttir.max, ttir.subtract, ttir.exp, ttir.sum, ttir.log"),
    ("logsumexp.default", _log_sum_exp, "ttir.max, ttir.subtract, ttir.exp, ttir.sum, ttir.log, ttir.add"),
    ("linalg_vector_norm.default", _vector_norm, "ttir.multiply, ttir.sum, ttir.sqrt, ttir.abs, ttir.max, in float32", "other orders than 1, 2, inf"),
    ("cumsum.default", _cumulative_sum, "ttir.matmul with a triangle of ones, between ttir.transpose where it is not the last dimension"),
    ("layer_norm.default", _layer_norm, _MEANS),
    ("native_layer_norm.default", _native_layer_norm, _MEANS, "mean and scale as results"),
    ("rms_norm.default", _rms_norm, _MEANS),
    ("group_norm.default", _group_norm, f"ttir.reshape, ttir.broadcast, {_MEANS}"),
    ("instance_norm.default", _instance_norm, f"ttir.reshape, ttir.broadcast, {_MEANS}"),
    ("batch_norm.default", _batch_norm, _BATCH, "training"),
    ("_native_batch_norm_legit_no_training.default", _batch_norm_of_core, _BATCH),
)  # fmt: skip
