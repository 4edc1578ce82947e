"""Orders of dimensions, the operations that can work in another order, and their attributes on permuted tensors.

An order has for each dimension of a permuted tensor the number of the original dimension: (0, 2, 3, 1) permutes batch,
channels, height, width to batch, height, width, channels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

from xdsl.dialects.builtin import NoneAttr, TensorType
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Operation, SSAValue

from tt_model.operations.elementwise import TTIRElementwiseOp
from tt_model.operations.operation import RowOperation
from tt_model.operations.result_shapes import exchanged, exchanges_of
from tt_model.operations.shared import (
    TTIRConcatOp,
    TTIRReductionOp,
    TTIRReshapeOp,
    TTIRSliceOp,
    TTIRSoftmaxOp,
    TTIRTransposeOp,
)
from tt_model.operations.stages import Stage, on
from tt_model.operations.tensors import Tensor, shape_of, tensor_type_of
from tt_model.operations.ttir import TTIRBroadcastOp, TTIRClampOp

Order: TypeAlias = tuple[int, ...]
Exchange: TypeAlias = tuple[int, int]


def unchanged(rank: int) -> Order:
    """The order in which every dimension is at its original place."""
    return tuple(range(rank))


def composed(first: Order, second: Order) -> Order:
    """The order that results from ``first``, then ``second`` on its result."""
    return tuple(first[dim] for dim in second)


def inverse(order: Order) -> Order:
    """The order that undoes another one."""
    return tuple(order.index(dim) for dim in range(len(order)))


def between(current: Order, wanted: Order) -> Order:
    """Return the permutation from one order of a tensor to another."""
    return composed(inverse(current), wanted)


def permuted(extents: Sequence[int], order: Order) -> tuple[int, ...]:
    """The shape of a permuted tensor."""
    return tuple(extents[dim] for dim in order)


def keeps_elements(extents: Sequence[int], order: Order) -> bool:
    """Whether the elements stay in their order in memory: only dimensions of extent one move."""
    long = [dim for dim in order if extents[dim] != 1]
    return long == sorted(long)


def after_reduction(order: Order, dims: frozenset[int]) -> Order:
    """The order of the remaining dimensions of a permuted tensor after the original dimensions ``dims`` are removed."""
    left = [dim for dim in order if dim not in dims]
    return tuple(sorted(left).index(dim) for dim in left)


# The inherent attributes of an operation on tensors in another order, as far as they differ.
_Changed: TypeAlias = Mapping[str, Any]


def _moved(dims: Sequence[int], order: Order) -> list[int]:
    where = inverse(order)
    return sorted(where[dim % len(order)] for dim in dims)


def _no_change(op: RowOperation, order: Order) -> _Changed:
    return {}


def _concat(op: TTIRConcatOp, order: Order) -> _Changed:
    return {"dim": _moved([op.dim], order)[0]}


def _softmax(op: TTIRSoftmaxOp, order: Order) -> _Changed:
    return {"dimension": _moved([op.dimension], order)[0]}


def _broadcast(op: TTIRBroadcastOp, order: Order) -> _Changed:
    return {"dimension": _moved(op.dimension, order)}


def _reduction(op: TTIRReductionOp, order: Order) -> _Changed:
    return {} if op.dim_arg is None else {"dim_arg": _moved(op.dim_arg, order)}


def _slice(op: TTIRSliceOp, order: Order) -> _Changed:
    return {
        "begins": permuted(op.begins, order),
        "ends": permuted(op.ends, order),
        "step": permuted(op.step, order),
    }


def _reshape(op: TTIRReshapeOp, order: Order) -> _Changed:
    return {"shape": permuted(shape_of(op.result), result_order(op, order))}


# The operations that compute the same in another order, with the functions of their changed attributes.
CHANGES = Stage(
    on(TTIRElementwiseOp, _no_change),
    on(TTIRClampOp, _no_change),
    on(TTIRConcatOp, _concat),
    on(TTIRSoftmaxOp, _softmax),
    on(TTIRReshapeOp, _reshape),
    on(TTIRSliceOp, _slice),
    on(TTIRBroadcastOp, _broadcast),
    on(TTIRReductionOp, _reduction),
)


def can_be_permuted(op: Operation) -> bool:
    """Whether an operation computes the same on permuted tensors, possibly with other attributes."""
    if not isinstance(op, RowOperation) or CHANGES.of(type(op)) is None:
        return False
    if len(op.results) != 1 or any(not isinstance(init.owner, EmptyOp) for init in op.inits):
        return False
    tensors = [op.result, *data_operands(op)]
    if not all(isinstance(one.type, TensorType) and one.type.encoding == NoneAttr() for one in tensors):
        return False
    rank = rank_of(op)
    if rank < 2:
        return False
    if isinstance(op, TTIRElementwiseOp | TTIRBroadcastOp):
        return all(len(shape_of(one)) <= rank for one in tensors)
    if isinstance(op, TTIRReshapeOp):
        return sum(bool(before) for before, _ in _groups(op)) > 1
    if isinstance(op, TTIRReductionOp) and not op.keeps_rank:
        # A reduction of all dimensions has one number as its result, which has no order.
        return len(shape_of(op.result)) == rank - len(reduced(op))
    return all(len(shape_of(one)) == rank for one in tensors)


def rank_of(op: RowOperation) -> int:
    """Return the number of dimensions in the order of an operation: the rank of its operands."""
    if isinstance(op, TTIRReshapeOp):
        return len(shape_of(op.input))
    return max(len(shape_of(one)) for one in (*data_operands(op), op.result))


def reduced(op: RowOperation) -> frozenset[int]:
    """Return the dimensions that an operation removes; most operations remove none."""
    if not isinstance(op, TTIRReductionOp) or op.keeps_rank:
        return frozenset()
    rank = len(shape_of(op.input))
    dims = op.dim_arg
    return frozenset(range(rank) if dims is None else (dim % rank for dim in dims))


def data_operands(op: RowOperation) -> list[SSAValue]:
    """The operands that are read, without destinations."""
    inits = op.inits
    return [operand for operand in op.operands if operand not in inits]


def keeps_dimensions(op: RowOperation) -> bool:
    """Whether the result has the dimensions of the operands, and so the same order."""
    return not isinstance(op, TTIRReshapeOp) and not reduced(op)


def may_have(op: RowOperation, order: Order) -> bool:
    """Whether an operation computes the same in an order: dimensions that a reshape joins must stay adjacent."""
    if not isinstance(op, TTIRReshapeOp):
        return True
    for before, _ in _groups(op):
        if before:
            first = order.index(before[0])
            if list(order[first : first + len(before)]) != before:
                return False
    return True


def result_order(op: RowOperation, order: Order) -> Order:
    """The order of the result if the operands have an order that the operation may have."""
    if isinstance(op, TTIRReshapeOp):
        groups = sorted(_groups(op), key=lambda group: order.index(group[0][0]))
        return tuple(dim for _, after in groups for dim in after)
    gone = reduced(op)
    return after_reduction(order, gone) if gone else order


def _groups(op: TTIRReshapeOp) -> list[tuple[list[int], list[int]]]:
    """Return groups of dimensions of the operand, each with the dimensions of the result that a reshape makes of it."""
    old, new = shape_of(op.input), shape_of(op.result)
    groups: list[tuple[list[int], list[int]]] = []
    at = 0
    for dim, extent in enumerate(old):
        size, before, after = extent, [dim], list[int]()
        if groups and _size(old, groups[-1][0]) != _size(new, groups[-1][1]):
            before, after = groups[-1]
            before.append(dim)
            size = _size(old, before)
        else:
            groups.append((before, after))
        while at < len(new) and size != 1 and _size(new, after) < size:
            after.append(at)
            at += 1
    if groups:  # the remaining dimensions have extent 1
        groups[-1][1].extend(range(at, len(new)))
    return groups


def _size(extents: Sequence[int], dims: Sequence[int]) -> int:
    return prod(extents[dim] for dim in dims)


def permuted_attributes(op: RowOperation, order: Order) -> dict[str, Any]:
    """All inherent attributes of an operation on permuted tensors."""
    change = CHANGES.of(type(op))
    return {**op.properties, **(change(op, order) if change is not None else {})}


def permuted_type(type: Tensor, order: Order) -> Tensor:
    """The type of a permuted tensor."""
    return TensorType(type.element_type, permuted(type.get_shape(), order), type.encoding)


def transposition_of(op: Operation) -> Order | None:
    """The order that a ``ttir.transpose`` makes; None for other operations.

    It is also None if the destination is not a ``tensor.empty``, or if the tensor has an encoding.
    """
    if not isinstance(op, TTIRTransposeOp):
        return None
    type = tensor_type_of(op.result)
    if type.encoding != NoneAttr() or not all(isinstance(init.owner, EmptyOp) for init in op.inits):
        return None
    return exchanged(unchanged(len(type.get_shape())), (op.dim0, op.dim1))


def cost_of(extents: Sequence[int], order: Order) -> int:
    """The elements that are moved to permute a tensor: all of them for each exchange, or once if a reshape suffices."""
    if order == unchanged(len(order)):
        return 0
    return prod(extents) * (
        1 if keeps_elements(extents, order) else len(exchanges_of(unchanged(len(order)), order))
    )


def steps_of(
    extents: Sequence[int], order: Order
) -> Iterator[tuple[Exchange | None, Order, tuple[int, ...]]]:
    """Yield the steps of a permutation: an exchange, or None for a reshape, then the order and the shape after it."""
    if order == unchanged(len(order)):
        return
    if keeps_elements(extents, order):
        yield None, order, permuted(extents, order)
        return
    now = unchanged(len(order))
    for exchange in exchanges_of(now, order):
        now = exchanged(now, exchange)
        yield exchange, now, permuted(extents, now)
