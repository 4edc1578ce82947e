"""Functions of ATen on tensors of more than five dimensions: the same function on fewer, with torch's shape aside."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ttl.ir.refusals import Refused
from ttmlir.compositions.dimensions import MOST_DIMENSIONS, Shape, joined, kept_apart, shape_by, split_at
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.nodes import flat, overload_of
from ttmlir.torch.row import AtenValue


def _named(overloads: str) -> frozenset[str]:
    return frozenset(overloads.split())


# Functions whose rules take any number of dimensions, because they change or need only the shape.
_OF_SHAPES = _named(
    "view.default reshape.default _unsafe_view.default flatten.using_ints unflatten.int squeeze.default squeeze.dim squeeze.dims "
    "unsqueeze.default permute.default transpose.int mT.default numpy_T.default expand.default clone.default detach.default "
    "alias.default contiguous.default lift.default lift_fresh_copy.default dropout.default _assert_tensor_metadata.default "
    "_assert_async.msg "
    "new_zeros.default new_ones.default new_full.default zeros_like.default ones_like.default full_like.default fill.Scalar"
)
# Elementwise functions that torch does not tag as such.
_ELEMENTWISE = _named(
    "rsub.Tensor floor_divide.default where.Scalar where.ScalarOther where.ScalarSelf masked_fill.Tensor _prelu_kernel.default "
    "hardswish.default copy.default"
)
_CONVERSIONS = _named("to.dtype to.dtype_layout to.device to.other _to_copy.default type_as.default")
# Functions of the last dimensions: the position of the argument that lists their extents; 0 for the last one only.
_OF_LAST = {
    "linear.default": 0,
    "layer_norm.default": 1,
    "native_layer_norm.default": 1,
    "rms_norm.default": 1,
}


def with_fewer(at: GraphLowering, arguments: Sequence[Any]) -> tuple[list[Any], Shape] | None:
    """Return the arguments and the result shape of the current node with dimensions joined.

    None if no dimensions have to be joined: if there are five or fewer, for functions that only change or need shapes,
    and for functions without tensors. Raises ``Refused`` if the function needs more than five separate dimensions.
    """
    import torch

    name = overload_of(at.node)
    values = [one for argument in arguments for one in flat(argument) if isinstance(one, AtenValue)]
    if name in _OF_SHAPES or not values:
        return None
    whole = at.shape
    rank = max([len(whole), *(value.rank for value in values)])
    if rank <= MOST_DIMENSIONS:
        return None
    if name in _CONVERSIONS:
        shape = prod(whole[:-1]), whole[-1]
        return [at.reshape(values[0], shape), *arguments[1:]], shape
    if torch.Tag.pointwise in at.node.target.tags or name in _ELEMENTWISE:
        groups = joined([*(_wide(value.shape, rank) for value in values), whole])
    elif name in _OF_LAST:
        return _of_last(at, arguments, len(arguments[1]) if _OF_LAST[name] else 1)
    elif name == "matmul.default" and min(value.rank for value in values) > 1:
        batches = [_wide(shape, rank)[:-2] for shape in (*(value.shape for value in values), whole)]
        groups = [*joined(batches), range(rank - 2, rank - 1), range(rank - 1, rank)]
    else:
        return _along(at, arguments, [value for value in values if value.rank > 1])
    return _joined(at, arguments, groups), _few(at, shape_by(whole, groups))


def _of_last(at: GraphLowering, arguments: Sequence[Any], count: int) -> tuple[list[Any], Shape]:
    """Return arguments and shape of a function of the last ``count`` dimensions; those before are joined into one."""
    first, *others = arguments
    rows = prod(first.shape[:-count])
    return [at.reshape(first, (rows, *first.shape[-count:])), *others], (rows, *at.shape[-count:])


def _along(
    at: GraphLowering, arguments: Sequence[Any], values: Sequence[AtenValue]
) -> tuple[list[Any], Shape]:
    """Return arguments and shape of a function along the dimensions that its schema names, or along all."""
    import torch

    whole, name = at.shape, overload_of(at.node)
    rank = max(value.rank for value in values)
    if name == "stack.default":
        return _stacked(at, arguments, rank)
    names = [argument.name for argument in at.node.target._schema.arguments]
    place = next((number for number, name in enumerate(names) if name in ("dim", "dims")), None)
    given = None if place is None else arguments[place]
    dims = list(range(rank)) if given in (None, []) else [dim % rank for dim in flat(given)]
    others = {tuple(extent for dim, extent in enumerate(value.shape) if dim not in dims) for value in values}
    is_reduced = len(whole) == rank - len(dims)
    if (
        len(others) != 1
        or any(value.rank != rank for value in values)
        or not (is_reduced or len(whole) == rank)
    ):
        raise _too_many(rank)
    goes_together = torch.Tag.reduction in at.node.target.tags or name == "flip.default"
    groups = split_at(rank, dims) if goes_together else kept_apart(rank, dims)
    new = _joined(at, arguments, groups)
    if place is not None:
        numbers = [next(number for number, group in enumerate(groups) if dim in group) for dim in dims]
        new[place] = numbers[0] if isinstance(given, int) else list(dict.fromkeys(numbers))
    if not is_reduced:
        return new, _few(at, shape_by(whole, groups))
    _few(at, tuple(range(len(groups))))
    kept = [group for group in groups if group.start not in dims]
    return new, shape_by(values[0].shape, kept)


def _stacked(at: GraphLowering, arguments: Sequence[Any], rank: int) -> tuple[list[Any], Shape]:
    values, dim = arguments[0], arguments[1] % (rank + 1)
    shape = prod(at.shape[:dim]), prod(at.shape[dim + 1 :])
    return [[at.reshape(one, shape) for one in values], 1], (shape[0], len(values), shape[1])


def _too_many(rank: int) -> Refused:
    return Refused(
        f"an operand or result has {rank} dimensions, and more than {MOST_DIMENSIONS} of them cannot be joined",
        "fewer dimensions: join those that stay together, by reshape or flatten",
    )


def _few(at: GraphLowering, shape: Shape) -> Shape:
    if len(shape) > MOST_DIMENSIONS:
        raise _too_many(len(at.shape))
    return shape


def _wide(shape: Sequence[int], rank: int) -> Shape:
    return (*(1 for _ in range(rank - len(shape))), *shape)


def _joined(at: GraphLowering, arguments: Sequence[Any], groups: Sequence[range]) -> list[Any]:
    """Return the arguments with dimensions of tensors joined; tensors with fewer than two dimensions are unchanged."""
    rank = groups[-1].stop

    def one(argument: Any) -> Any:
        if isinstance(argument, list | tuple):
            return [one(member) for member in argument]
        if not isinstance(argument, AtenValue) or argument.rank < 2:
            return argument
        return at.reshape(argument, shape_by(_wide(argument.shape, rank), groups))

    return [one(argument) for argument in arguments]
