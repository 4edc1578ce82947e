"""Reductions of values together with their positions: where the largest or the least stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tt_model.stablehlo.known import Known
from tt_model.stablehlo.numbers import dtype_of, shape_of, tensor_type
from tt_model.stablehlo.reading import integers
from ttl.ir.refusals import Refused
from ttl.rows.dtypes import Array
from ttmlir.transforms.from_stablehlo.reductions import ReductionKind, reduced
from ttmlir.transforms.from_stablehlo.writer import Writer

_WAY_OUT = (
    "what works: two tensors, of values and of their positions along one dimension, of which the body keeps the largest or "
    "the least, as jnp.argmax and jnp.argmin write it"
)
# What float32 counts exactly, and what is beyond every position.
_MOST = 1 << 24


@dataclass(frozen=True)
class _Choice:
    largest: bool
    first: bool


def reduce_with_positions(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """The extreme values, and the first or last positions of them."""
    (dim, *others), value = integers(op, "dimensions"), w[op.operands[0]]
    positions = w.known[op.operands[1]]
    choice = _choice(op.regions[0].block)
    extent = shape_of(op.operands[0])[dim]
    if others or positions is None or choice is None or extent > _MOST:
        raise Refused(
            "it reduces two tensors together by a body that does not find the position of a maximum or minimum",
            _WAY_OUT,
        )
    line = np.moveaxis(positions, dim, 0).reshape(extent, -1)[:, 0]
    if not np.array_equal(
        np.moveaxis(positions, dim, -1), np.broadcast_to(line, _last(positions.shape, dim))
    ):
        raise Refused("its second tensor has no positions along the dimension", _WAY_OUT)
    if not np.array_equal(line, np.arange(extent)):
        raise Refused("its second tensor does not count from 0", _WAY_OUT)
    mnemonic = "maximum" if choice.largest else "minimum"
    extreme = reduced(
        value, [dim], ReductionKind(mnemonic, mnemonic, 0, w.signs.may_be_negative(op.operands[0])), w
    )
    kept = [1 if at == dim else one for at, one in enumerate(w.shape(value))]
    single: Attribute = Float32Type()
    is_extreme = w.elementwise("eq", value, w.reshape(extreme, kept), element=single)
    counted = w.along(w.count(extent, single), dim, len(kept))
    # The first is the largest of the negative ones.
    signed = w.elementwise("neg", counted) if choice.first else counted
    beyond = w.filled(-_MOST, (1,) * len(kept), single)
    candidates = w.elementwise("where", is_extreme, signed, beyond, shape=w.shape(value), element=single)
    best = w.reduce("max", candidates, [dim])
    position = w.elementwise("neg", best) if choice.first else best
    return [extreme, w.typecast(position, w.result(op, 1).element_type)]


def _last(shape: Sequence[int], dim: int) -> tuple[int, ...]:
    return (*(extent for at, extent in enumerate(shape) if at != dim), shape[dim])


def _choice(body: Block) -> _Choice | None:
    """What a body keeps, found by giving it numbers."""
    answers = [
        _answer(body, *case)
        for case in ((2, 0, 1, 1), (1, 0, 2, 1), (1, 1, 2, 0), (1, 0, 1, 1), (1, 1, 1, 0))
    ]
    for largest, value in ((True, 2), (False, 1)):
        for first in (True, False):
            tie = 0 if first else 1
            kept = [value, value, value, 1, 1]
            where = [0 if largest else 1, 1 if largest else 0, 0 if largest else 1, tie, tie]
            if answers == list(zip(kept, where, strict=True)):
                return _Choice(largest, first)
    return None


def _answer(body: Block, value: int, position: int, other: int, its_position: int) -> tuple[int, int] | None:
    # Values and positions of one side, then those of the other.
    given: dict[SSAValue, Array] = {}
    for argument, number in zip(body.args, (value, position, other, its_position), strict=True):
        dtype = dtype_of(tensor_type(argument).element_type)
        if dtype is None:
            return None
        given[argument] = np.asarray(number, dtype)
    known = Known(given)
    last = body.last_op
    results = [known[operand] for operand in last.operands] if last is not None else []
    if len(results) != 2 or results[0] is None or results[1] is None:
        return None
    return int(results[0].item()), int(results[1].item())
