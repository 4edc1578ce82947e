"""Operations of StableHLO on tensors of more than five dimensions: the same on fewer, by joining dimensions.

Dimensions that an operation treats alike are joined. The replacement of such a tensor has the same elements in the same
order, in some shape of fewer dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import prod
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tt_model.stablehlo.dialect import HLOReduce, operation_named
from tt_model.stablehlo.numbers import shape_of, tensor_type
from tt_model.stablehlo.reading import integer, integers
from ttl.ir.refusals import Refused
from ttmlir.compositions.dimensions import (
    MOST_DIMENSIONS,
    Shape,
    joined,
    kept_apart,
    permuted,
    shape_by,
    split_at,
)
from ttmlir.transforms.from_stablehlo.shapes import padded
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer

# The groups of dimensions that are joined, and the attributes that differ because of that.
_Fewer = tuple[list[range], Mapping[str, Attribute]]


def is_large(op: Operation) -> bool:
    """Whether an operand or a result has more dimensions than TTNN supports."""
    return any(len(_extents(value)) > MOST_DIMENSIONS for value in (*op.operands, *op.results))


def results_of_many(op: Operation, rule: Rule, w: Writer) -> Sequence[SSAValue]:
    """Return the results of an operation of many dimensions: converted unchanged if possible, else on fewer dimensions.

    Raises ``Refused``.
    """
    name = op.name.partition(".")[2]
    if name == "dot_general":
        return rule(op, w)
    if all(w.shape(w[value]) == (_extents(value) or (1,)) for value in op.operands):
        with suppress(Refused):
            return rule(op, w)
    if name in _OF_THEIR_OWN:
        return [_in_shape(_OF_THEIR_OWN[name](op, w), shape_of(op.results[0]), w)]
    of_fewer = _ALONG.get(name) or (_elementwise if getattr(op, "ELEMENTWISE", False) else None)
    if of_fewer is None:
        raise _too_many(op)
    groups, changed = of_fewer(op)
    with _with_fewer(op, groups, changed) as few:
        for value, old in zip(few.operands, op.operands, strict=True):
            if value is not old:
                w.became[value] = w.reshape(w[old], shape_of(value))
        results = rule(few, w)
        return [_in_shape(new, _extents(old), w) for new, old in zip(results, op.results, strict=True)]


def _in_shape(value: SSAValue, shape: Shape, w: Writer) -> SSAValue:
    return value if len(shape) > MOST_DIMENSIONS else w.reshape(value, shape)


def _extents(value: SSAValue) -> Shape:
    return value.type.get_shape() if isinstance(value.type, TensorType) else ()


def _too_many(op: Operation) -> Refused:
    rank = max(len(_extents(value)) for value in (*op.operands, *op.results))
    return Refused(
        f"an operand or result has {rank} dimensions, and more than {MOST_DIMENSIONS} of them cannot be joined",
        "what works: fewer dimensions: join those that stay together by a reshape",
    )


def _repeated(op: Operation, w: Writer) -> SSAValue:
    (value,), dims = w.operands(op), integers(op, "broadcast_dimensions")
    source, target = shape_of(op.operands[0]), shape_of(op.results[0])
    order = sorted(range(len(dims)), key=lambda at: dims[at])
    if source:
        value = permuted(
            w.reshape(value, source) if len(source) <= MOST_DIMENSIONS else value, source, order, w
        )
    wide = [1] * len(target)
    for dim, extent in zip(dims, source, strict=True):
        wide[dim] = extent
    groups = joined([wide, target])
    if len(groups) > MOST_DIMENSIONS:
        raise _too_many(op)
    return w.broadcast(w.reshape(value, shape_by(wide, groups)), shape_by(target, groups))


def _sliced(op: Operation, w: Writer) -> SSAValue:
    """Slice one dimension after another."""
    value, shape = w[op.operands[0]], list(shape_of(op.operands[0]))
    ranges = zip(*(integers(op, name) for name in ("start_indices", "limit_indices", "strides")), strict=True)
    for dim, (begin, end, step) in enumerate(ranges):
        value = w.range(w.reshape(value, _around(shape, dim)), 1, begin, end, step)
        shape[dim] = -(-(end - begin) // step)
    return value


def _padded(op: Operation, w: Writer) -> SSAValue:
    """Pad one dimension after another."""
    value, shape, filling = w[op.operands[0]], list(shape_of(op.operands[0])), w.known.number(op.operands[1])
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    for dim, amounts in enumerate(zip(*(integers(op, name) for name in names), strict=True)):
        if any(amounts):
            nothing = (0, 0, 0)
            given = w[op.operands[1]] if filling is None else filling
            value = padded(w.reshape(value, _around(shape, dim)), [nothing, amounts, nothing], given, w)
            shape[dim] = w.shape(value)[1]
    return value


def _around(shape: Sequence[int], dim: int) -> Shape:
    return prod(shape[:dim]), shape[dim], prod(shape[dim + 1 :])


_OF_THEIR_OWN: Mapping[str, Callable[[Operation, Writer], SSAValue]] = MappingProxyType(
    {
        "broadcast_in_dim": _repeated,
        "pad": _padded,
        "reshape": lambda op, w: w[op.operands[0]],
        "slice": _sliced,
        "transpose": lambda op, w: permuted(
            w[op.operands[0]], shape_of(op.operands[0]), integers(op, "permutation"), w
        ),
    }
)


@contextmanager
def _with_fewer(op: Operation, groups: list[range], changed: Mapping[str, Attribute]) -> Iterator[Operation]:
    """Build an operation of fewer dimensions, outside of the module, on reshapes of the operands of ``op``."""
    if len(groups) > MOST_DIMENSIONS:
        raise _too_many(op)
    rank = groups[-1].stop

    def type_of(value: SSAValue) -> Attribute:
        kind, shape = tensor_type(value), _extents(value)
        if isinstance(op, HLOReduce) and value in op.results:
            gone = integers(op, "dimensions")
            full = iter(shape)
            shape = tuple(1 if dim in gone else next(full) for dim in range(rank))
            kept = [group for group in groups if group.start not in gone]
            return TensorType(kind.element_type, shape_by(shape, kept))
        return TensorType(kind.element_type, shape_by(shape, groups)) if len(shape) == rank else kind

    reshapes = [
        operation_named("stablehlo.reshape").create(operands=[value], result_types=[type_of(value)])
        for value in op.operands
    ]
    few = type(op).create(
        operands=[
            value if value.type == reshape.results[0].type else reshape.results[0]
            for value, reshape in zip(op.operands, reshapes, strict=True)
        ],
        result_types=[type_of(result) for result in op.results],
        properties={**op.properties, **{name: one for name, one in changed.items() if name in op.properties}},
        attributes={**op.attributes, **{name: one for name, one in changed.items() if name in op.attributes}},
        regions=[region.clone() for region in op.regions],
        location=op.location,
    )
    try:
        yield few
    finally:
        for temporary in (few, *reshapes):
            temporary.drop_all_references()


# Operations by the groups of dimensions that they do not distinguish.


def _elementwise(op: Operation) -> _Fewer:
    whole = shape_of(op.results[0])
    return joined([whole]), {}


def _listed(numbers: Sequence[int]) -> Attribute:
    return DenseArrayBase.from_list(i64, list(numbers))


def _numbers(of: Sequence[range], dims: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(next(at for at, group in enumerate(of) if dim in group) for dim in dims))


def _of_several(op: Operation) -> _Fewer:
    dims = integers(op, "dimensions")
    groups = split_at(len(shape_of(op.operands[0])), dims)
    return groups, {"dimensions": _listed(_numbers(groups, dims))}


def _of_one(attribute: str) -> Callable[[Operation], _Fewer]:
    def fewer(op: Operation) -> _Fewer:
        dim = integer(op, attribute)
        groups = kept_apart(len(shape_of(op.results[0])), [dim])
        (number,) = _numbers(groups, [dim])
        return groups, {attribute: IntegerAttr(number, i64)}

    return fewer


def _constant(op: Operation) -> _Fewer:
    groups, value = joined([shape_of(op.results[0])]), op.properties.get("value", op.attributes.get("value"))
    if not isinstance(value, DenseIntOrFPElementsAttr):
        raise _too_many(op)
    kind: Any = value.type
    small = TensorType(kind.element_type, shape_by(kind.get_shape(), groups))
    return groups, {"value": DenseIntOrFPElementsAttr(small, value.data)}


_ALONG: Mapping[str, Callable[[Operation], _Fewer]] = MappingProxyType(
    {
        "clamp": _elementwise,
        "concatenate": _of_one("dimension"),
        "constant": _constant,
        "iota": _of_one("iota_dimension"),
        "optimization_barrier": _elementwise,
        "reduce": _of_several,
        "reverse": _of_several,
        "select": _elementwise,
    }
)
