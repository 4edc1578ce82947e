"""Constants of several numbers as constants of one number each, one after another: TTNN fills tensors with one number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, LocationAttr
from xdsl.ir import Attribute, Operation, SSAValue

from tt_model.operations.emission import Emission, constraints_of_tiles
from tt_model.operations.tensors import tensor_type_of
from tt_model.operations.ttir import TTIRConstantOp, TTIRFillOp
from ttl.ir.dense import dense, is_splat, values_of

Shape = tuple[int, ...]
Table: TypeAlias = "TTIRConstantOp | TTIRFillOp"
# A constant of more operations is better an argument of the function.
_MOST_OPERATIONS = 512
_MOST_ELEMENTS = 1 << 16


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a table: one number, or parts that are joined along a dimension. Equal parts are one object."""

    shape: Shape
    values: tuple[Any, ...]
    dim: int = 0
    parts: tuple[_Part, ...] = ()

    @property
    def operations(self) -> int:
        """The number of operations that make it."""
        different = {id(part): part for part in self.parts}
        return 1 + sum(part.operations for part in different.values())


def parts_of(op: Operation) -> _Part | None:
    """Return the parts of a constant or fill of several numbers; None for other operations, and for too many parts."""
    if not isinstance(op, TTIRConstantOp | TTIRFillOp):
        return None
    value = op.value
    if not isinstance(value, DenseIntOrFPElementsAttr) or is_splat(value):
        return None
    if prod(value.type.get_shape()) > _MOST_ELEMENTS or _least(value) > _MOST_OPERATIONS:
        return None
    part = _parted(value.type.get_shape(), tuple(values_of(value)), 0, {})
    return part if part.operations <= _MOST_OPERATIONS else None


def _least(value: DenseIntOrFPElementsAttr[Any]) -> int:
    """A lower bound of the number of operations: the different numbers. Counting stops when there are too many."""
    different: set[Any] = set()
    for number in values_of(value):
        different.add(number)
        if len(different) > _MOST_OPERATIONS:
            break
    return len(different)


def _parted(shape: Shape, values: tuple[Any, ...], dim: int, known: dict[tuple[Any, ...], _Part]) -> _Part:
    key = (shape, tuple(map(_bits, values)))
    if key not in known:
        known[key] = _made(shape, values, dim, known)
    return known[key]


def _made(shape: Shape, values: tuple[Any, ...], dim: int, known: dict[tuple[Any, ...], _Part]) -> _Part:
    if len({_bits(value) for value in values}) == 1:
        return _Part(shape, values[:1])
    while shape[dim] == 1:
        dim += 1
    parts = tuple(
        _parted((*shape[:dim], len(run) // prod(shape[dim + 1 :]), *shape[dim + 1 :]), run, dim, known)
        for run in _runs(values, prod(shape[dim + 1 :]))
    )
    return _Part(shape, (), dim, parts)


def _bits(value: Any) -> Any:
    """The key that distinguishes a number: zeros differ by sign, and all NaNs are equal."""
    return str(value) if isinstance(value, float) else value


def _runs(values: tuple[Any, ...], size: int) -> Iterator[tuple[Any, ...]]:
    """Yield pieces of ``size`` values; adjacent pieces that consist of one and the same number are one run."""
    run: tuple[Any, ...] = ()
    for at in range(0, len(values), size):
        piece = values[at : at + size]
        is_one = len({_bits(value) for value in piece}) == 1
        if run and is_one and _bits(run[0]) == _bits(piece[0]) and len({_bits(value) for value in run}) == 1:
            run += piece
            continue
        if run:
            yield run
        run = piece
    yield run


def table_of_parts(op: Table, part: _Part, emission: Emission) -> Sequence[SSAValue]:
    """Build the constants of one number each, and the concatenations that join them."""
    type = tensor_type_of(op.result)
    value: Any = op.value
    return [_Joining(emission, type.element_type, value.type.element_type, op.location).value(part)]


@dataclass
class _Joining:
    emission: Emission
    # The element type of the tensor, and that of the written numbers, which may differ.
    element: Attribute
    written: Attribute
    place: LocationAttr
    made: dict[int, SSAValue] = field(default_factory=dict)

    def value(self, part: _Part) -> SSAValue:
        if id(part) not in self.made:
            self.made[id(part)] = self._joined(part) if part.parts else self._constant(part)
        return self.made[id(part)]

    def _constant(self, part: _Part) -> SSAValue:
        number = dense(self.emission.tensor(part.shape, self.written), part.values)
        return self.emission.make(
            "ttir.constant", [], self.emission.tensor(part.shape, self.element), value=number
        )

    def _joined(self, part: _Part) -> SSAValue:
        values = [self.value(one) for one in part.parts]
        return self.emission.into_empty(
            "ttir.concat",
            [values],
            self.emission.tensor(part.shape, self.element),
            dim=part.dim,
            operand_constraints=constraints_of_tiles(len(values) + 1),
        )
