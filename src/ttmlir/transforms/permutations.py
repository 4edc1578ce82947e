"""Orders of dimensions, and operations that may have theirs changed: what such an operation is on permuted tensors.

An order says of each dimension of a permuted tensor which one it was: (0, 2, 3, 1) makes batch, height, width, channels of batch,
channels, height, width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import Any, TypeAlias

from xdsl.dialects.builtin import NoneAttr, TensorType
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Operation, SSAValue

from ttmlir.operations.operation import RowOperation
from ttmlir.transforms.emission import Tensor, shape_of, tensor_type_of

Order: TypeAlias = tuple[int, ...]
Exchange: TypeAlias = tuple[int, int]


def unchanged(rank: int) -> Order:
    """Every dimension where it was."""
    return tuple(range(rank))


def composed(first: Order, second: Order) -> Order:
    """One order, then another one on what that made."""
    return tuple(first[dim] for dim in second)


def inverse(order: Order) -> Order:
    """The order that takes another one back."""
    return tuple(order.index(dim) for dim in range(len(order)))


def between(current: Order, wanted: Order) -> Order:
    """What makes a tensor in one order of one that is in another."""
    return composed(inverse(current), wanted)


def permuted(extents: Sequence[int], order: Order) -> tuple[int, ...]:
    """The shape of a permuted tensor."""
    return tuple(extents[dim] for dim in order)


def exchanges(order: Order) -> list[Exchange]:
    """Exchanges of two dimensions that make an order, as few as there can be."""
    now = list(unchanged(len(order)))
    steps = []
    for position, dim in enumerate(order):
        other = now.index(dim)
        if other != position:
            now[position], now[other] = now[other], now[position]
            steps.append((position, other))
    return steps


def keeps_elements(extents: Sequence[int], order: Order) -> bool:
    """Whether the elements stay in their order in memory: only dimensions of extent one move."""
    long = [dim for dim in order if extents[dim] != 1]
    return long == sorted(long)


def after_reduction(order: Order, dims: frozenset[int]) -> Order:
    """The order of the dimensions that are left of a permuted tensor, when some of the original ones are gone."""
    left = [dim for dim in order if dim not in dims]
    return tuple(sorted(left).index(dim) for dim in left)


# Operations by name.

# The inherent attributes of an operation on tensors in another order, as far as they differ.
_Changes: TypeAlias = Callable[[RowOperation, Order], Mapping[str, Any]]


def _dims_moved(op: RowOperation, name: str, order: Order) -> list[int]:
    where = inverse(order)
    return sorted(where[dim % len(order)] for dim in op.integers(name))


def _one_dim(name: str) -> _Changes:
    return lambda op, order: {name: inverse(order)[op.integer(name) % len(order)]}


def _several_dims(name: str) -> _Changes:
    return lambda op, order: {name: _dims_moved(op, name, order)} if name in op.properties else {}


def _ranges(op: RowOperation, order: Order) -> Mapping[str, Any]:
    return {name: permuted(op.integers(name), order) for name in ("begins", "ends", "step")}


def _new_shape(op: RowOperation, order: Order) -> Mapping[str, Any]:
    return {"shape": permuted(shape_of(op.result), result_order(op, order))}


_REDUCTIONS = frozenset({"ttir.max", "ttir.mean", "ttir.sum"})
# Beside those that work element by element.
_CHANGES: Mapping[str, _Changes] = MappingProxyType(
    {
        "ttir.clamp": lambda op, order: {},
        "ttir.concat": _one_dim("dim"),
        "ttir.softmax": _one_dim("dimension"),
        "ttir.reshape": _new_shape,
        "ttir.slice": _ranges,
        "ttir.broadcast": _several_dims("dimension"),
        **dict.fromkeys(_REDUCTIONS, _several_dims("dim_arg")),
    }
)


def can_be_permuted(op: Operation) -> bool:
    """Whether an operation means the same on permuted tensors, with other attributes at most."""
    if not isinstance(op, RowOperation) or not (
        op.name in _CHANGES or (op.ROW.elementwise and op.ROW.dialect == "ttir")
    ):
        return False
    if len(op.results) != 1 or any(not isinstance(init.owner, EmptyOp) for init in op.inits):
        return False
    tensors = [op.result, *data_operands(op)]
    if not all(isinstance(one.type, TensorType) and one.type.encoding == NoneAttr() for one in tensors):
        return False
    rank = rank_of(op)
    if rank < 2:
        return False
    if op.ROW.elementwise or op.name == "ttir.broadcast":
        return all(len(shape_of(one)) <= rank for one in tensors)
    if op.name == "ttir.reshape":
        return sum(bool(before) for before, _ in _groups(op)) > 1
    if op.name in _REDUCTIONS and not op.flag("keep_dim"):
        # Of all dimensions: a tensor of one number, which has no order.
        return len(shape_of(op.result)) == rank - len(reduced(op))
    return all(len(shape_of(one)) == rank for one in tensors)


def rank_of(op: RowOperation) -> int:
    """How many dimensions the order has that an operation works in: those of its operands."""
    if op.name == "ttir.reshape":
        return len(shape_of(op.operand("input")))
    return max(len(shape_of(one)) for one in (*data_operands(op), op.result))


def reduced(op: RowOperation) -> frozenset[int]:
    """The dimensions that an operation takes away; none of most."""
    if op.name not in _REDUCTIONS or op.flag("keep_dim"):
        return frozenset()
    rank = len(shape_of(op.operand("input")))
    dims = op.optional_integers("dim_arg")
    return frozenset(range(rank) if dims is None else (dim % rank for dim in dims))


def data_operands(op: RowOperation) -> list[SSAValue]:
    """The operands that are read, without destinations."""
    inits = op.inits
    return [operand for operand in op.operands if operand not in inits]


def keeps_dimensions(op: RowOperation) -> bool:
    """Whether the result has the dimensions of the operands, and so the same order."""
    return op.name != "ttir.reshape" and not reduced(op)


def may_have(op: RowOperation, order: Order) -> bool:
    """Whether an operation means the same in an order: what a reshape joins or splits stays together."""
    if op.name != "ttir.reshape":
        return True
    for before, _ in _groups(op):
        if before:
            first = order.index(before[0])
            if list(order[first : first + len(before)]) != before:
                return False
    return True


def result_order(op: RowOperation, order: Order) -> Order:
    """The order of the result where the operands are in one that the operation may have."""
    if op.name == "ttir.reshape":
        groups = sorted(_groups(op), key=lambda group: order.index(group[0][0]))
        return tuple(dim for _, after in groups for dim in after)
    gone = reduced(op)
    return after_reduction(order, gone) if gone else order


def _groups(op: RowOperation) -> list[tuple[list[int], list[int]]]:
    """The dimensions of the operand that a reshape makes some of the result of, in the order of both."""
    old, new = shape_of(op.operand("input")), shape_of(op.result)
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
    if groups:  # what is left are dimensions of extent one
        groups[-1][1].extend(range(at, len(new)))
    return groups


def _size(extents: Sequence[int], dims: Sequence[int]) -> int:
    return prod(extents[dim] for dim in dims)


def permuted_attributes(op: RowOperation, order: Order) -> dict[str, Any]:
    """All inherent attributes of an operation on permuted tensors."""
    change = _CHANGES.get(op.name)
    return {**op.properties, **(change(op, order) if change is not None else {})}


def permuted_type(type: Tensor, order: Order) -> Tensor:
    """The type of a permuted tensor."""
    return TensorType(type.element_type, permuted(type.get_shape(), order), type.encoding)


def transposition_of(op: Operation) -> Order | None:
    """The order that a ``ttir.transpose`` makes; None for other operations, and where others write to its destination."""
    if not isinstance(op, RowOperation) or op.name != "ttir.transpose":
        return None
    type = tensor_type_of(op.result)
    if type.encoding != NoneAttr() or not all(isinstance(init.owner, EmptyOp) for init in op.inits):
        return None
    order = list(unchanged(len(type.get_shape())))
    first, second = op.integer("dim0"), op.integer("dim1")
    order[first], order[second] = order[second], order[first]
    return tuple(order)


def cost_of(extents: Sequence[int], order: Order) -> int:
    """Elements that are moved to permute a tensor: once for each exchange, and once where a reshape does it."""
    if order == unchanged(len(order)):
        return 0
    return prod(extents) * (1 if keeps_elements(extents, order) else len(exchanges(order)))


def steps_of(
    extents: Sequence[int], order: Order
) -> Iterator[tuple[Exchange | None, Order, tuple[int, ...]]]:
    """How a tensor gets into an order: exchanges, or None for a reshape; after each, the order so far and the shape."""
    if order == unchanged(len(order)):
        return
    if keeps_elements(extents, order):
        yield None, order, permuted(extents, order)
        return
    now = unchanged(len(order))
    for first, second in exchanges(order):
        swapped = list(now)
        swapped[first], swapped[second] = swapped[second], swapped[first]
        now = tuple(swapped)
        yield (first, second), now, permuted(extents, now)
