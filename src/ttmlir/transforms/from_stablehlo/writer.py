"""Builds TTIR for one operation after another, and determines the types and shapes of results.

Each operation writes to a ``tensor.empty`` of its own and constrains all its operands to tiles on the device, as in the
real project.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from xdsl.dialects.builtin import Float32Type, IntegerType, TensorType, bf16, f32
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from tt_model.integers.bounds import WAY_OUT, known_beyond
from tt_model.integers.kinds import kind_of
from tt_model.operations.dialects import build
from tt_model.operations.emission import constraints_of_tiles
from tt_model.operations.result_shapes import broadcast_shapes, exchanged
from tt_model.stablehlo.known import Known
from tt_model.stablehlo.numbers import Tensor, converted_type, dense_of
from tt_model.stablehlo.signs import Signs
from tt_model.stablehlo.widths import Widths
from ttl.ir.conversion import BlockConversion
from ttl.ir.refusals import Refused
from ttl.rows.dtypes import Array
from ttmlir.compositions.dimensions import MOST_DIMENSIONS


@lru_cache(maxsize=4096)
def tensor(shape: tuple[int, ...], element: Attribute) -> Tensor:
    """The type of a tensor; equal ones are one object."""
    return TensorType(element, shape)


def swaps_of(permutation: Sequence[int]) -> list[tuple[int, int]]:
    """The exchanges of two dimensions that make up a permutation, in the order of the real project."""
    left = list(permutation)
    steps: list[tuple[int, int]] = []
    for at in range(len(left)):
        while left[at] != at:
            other = left[at]
            steps.append((other, left[other]))
            left[at], left[other] = left[other], left[at]
    return steps


class Writer(BlockConversion):
    """Appends operations to a block. ``known`` has the numbers of values of StableHLO that are known.

    ``widths``: the limits of arguments, and the operations that are folded because 32 bits do not hold their results.
    """

    def __init__(self, block: Block, widths: Widths = Widths()) -> None:  # noqa: B008 - it does not change
        super().__init__(block)
        self.known = Known()
        self.widths = widths
        # Positions, by extent, and powers of two, by the negative extent.
        self.counts: dict[tuple[int, Attribute], SSAValue] = {}
        # Results of updates that are not joined yet: the dimension, and the updated parts by their starts.
        self.updates: dict[SSAValue, tuple[int, dict[int, SSAValue]]] = {}
        # Values of StableHLO that are caches, written in place.
        self.caches: set[SSAValue] = set()
        # Whether values were written as tables, so that the operations that compute them may be unused.
        self.has_tables = False

    @cached_property
    def signs(self) -> Signs:
        """The values of StableHLO that may be negative, or zero."""
        return Signs(self.known, self.widths.exponent, self.widths.bounded)

    def __getitem__(self, value: SSAValue) -> SSAValue:
        """Return the value that replaces a value."""
        return self.use(value)

    def operands(self, op: Operation) -> list[SSAValue]:
        """Return the values that replace the operands of an operation."""
        return self.uses(op.operands)

    def take_arguments(self, block: Block) -> None:
        """Replace the arguments of another block by those of the block that is written."""
        self.become(block.args, self.block.args)
        for old, new in zip(block.args, self.block.args, strict=True):
            new.location = old.location

    def become(self, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
        super().become(old, new)
        for before, after in zip(old, new, strict=True):
            after.name_hint = after.name_hint or before.name_hint

    def stand_in(self, value: SSAValue) -> SSAValue:
        try:
            return self.empty(converted_type(value.type))
        except Refused:
            return self.empty(tensor((1,), f32))

    # Operations.

    def make(
        self, name: str, operands: Sequence[Any], types: Sequence[Attribute], **attributes: Any
    ) -> Sequence[SSAValue]:
        """Append an operation of TTIR, by groups of operands. Raises ``Refused`` if attributes cannot hold numbers."""
        try:
            op = build(name, operands, types, attributes, location=self.location)
        except (ValueError, VerifyException) as problem:
            raise Refused(
                f"'{name}' cannot hold its numbers: {problem}", "what works: smaller extents and parameters"
            ) from problem
        self.move(op)
        return op.results

    def empty(self, type: Tensor) -> SSAValue:
        """Append a ``tensor.empty``."""
        return self.add(EmptyOp([], type)).results[0]

    def into_empty(
        self, name: str, operands: Sequence[Any], type: Tensor, *, count: int | None = None, **attributes: Any
    ) -> SSAValue:
        """Append an operation with one result that writes to a ``tensor.empty``.

        ``count``: the number of operand constraints, if it differs from the number of operands.
        """
        given = sum(1 if isinstance(group, SSAValue) else len(group or ()) for group in operands)
        constraints = constraints_of_tiles(given + 1 if count is None else count)
        empty = self.empty(type)
        (result,) = self.make(name, [*operands, empty], [type], **attributes, operand_constraints=constraints)
        return result

    def elementwise(
        self,
        mnemonic: str,
        *operands: SSAValue,
        element: Attribute | None = None,
        shape: Sequence[int] | None = None,
    ) -> SSAValue:
        """Append an elementwise operation. Operands are repeated to one shape.

        The element type is that of the last operand unless ``element`` is another one.
        """
        if shape is None:
            shape = ()
            for operand in operands:
                wide = broadcast_shapes(tuple(shape), self.shape(operand))
                assert wide is not None, [str(operand.type) for operand in operands]
                shape = wide
        kind = self.element(operands[-1]) if element is None else element
        return self.into_empty(f"ttir.{mnemonic}", [tuple(operands)], tensor(tuple(shape), kind))

    def truth(self, mnemonic: str, *operands: SSAValue) -> SSAValue:
        """Append an elementwise operation whose result is 0 or 1, in bf16."""
        return self.elementwise(mnemonic, *operands, element=bf16)

    def choose(self, condition: SSAValue, chosen: SSAValue, other: SSAValue) -> SSAValue:
        """``chosen`` where the condition is not zero, else ``other``."""
        return self.elementwise("where", condition, chosen, other)

    # Properties of values.

    def type(self, value: SSAValue) -> Tensor:
        """The type of a value of TTIR."""
        assert isinstance(value.type, TensorType)
        return value.type

    def shape(self, value: SSAValue) -> tuple[int, ...]:
        """Return the extents of a value."""
        return self.type(value).get_shape()

    def element(self, value: SSAValue) -> Attribute:
        """The type of the elements of a value."""
        element: Attribute = self.type(value).element_type
        return element

    def result(self, op: Operation, index: int = 0) -> Tensor:
        """Return the converted type of a result."""
        return converted_type(op.results[index].type)

    def is_integer(self, value: SSAValue) -> bool:
        """Whether the elements of a value are integers."""
        return isinstance(self.element(value), IntegerType)

    # Constants.

    def constant(self, values: Array, element: Attribute) -> SSAValue:
        """A table of known elements."""
        table = dense_of(values, element)
        (result,) = self.make("ttir.constant", [], [table.type], value=table)
        return result

    def splat(self, number: float, like: SSAValue, shape: Sequence[int] | None = None) -> SSAValue:
        """A constant of one number, of the element type of ``like``.

        Without ``shape``, it has the rank of ``like``, and extents of 1.
        """
        extents = (1,) * len(self.shape(like)) if shape is None else tuple(shape)
        return self.filled(number, extents, self.element(like))

    def filled(self, number: float, shape: Sequence[int], element: Attribute) -> SSAValue:
        """A tensor of one number. Raises ``Refused`` for an integer that its type does not hold."""
        kind = kind_of(element)
        if kind is not None and not -(1 << (kind.width - 1)) <= number < 1 << kind.width:
            wrong = int(number), int(number)
            raise Refused(known_beyond(kind, wrong), f"what works: {WAY_OUT}")
        scalar = np.asarray(number, np.float64 if not isinstance(element, IntegerType) else np.int64)
        return self.constant(np.broadcast_to(scalar, tuple(shape)), element)

    # Shapes. Operations that change nothing are left out.

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """Give the same elements another shape. Raises ``Refused`` for too many dimensions."""
        wanted = tuple(shape) or (1,)
        if wanted == self.shape(value):
            return value
        if len(wanted) > MOST_DIMENSIONS:
            raise Refused(
                f"it needs a tensor of {len(wanted)} dimensions ({'x'.join(map(str, wanted))})",
                f"what works: at most {MOST_DIMENSIONS} dimensions; join some of them by a reshape before",
            )
        return self.into_empty("ttir.reshape", [value], tensor(wanted, self.element(value)), shape=wanted)

    def permute(self, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """Permute dimensions: dimension ``i`` of the result is ``permutation[i]`` of the value."""
        for first, second in swaps_of(permutation):
            type = tensor(exchanged(self.shape(value), (first, second)), self.element(value))
            value = self.into_empty("ttir.transpose", [value], type, dim0=first, dim1=second)
        return value

    def rearrange(self, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """Permute dimensions, by a reshape if only dimensions of extent 1 move."""
        shape = self.shape(value)
        moved = [dim for dim in permutation if shape[dim] != 1]
        if moved == sorted(moved):
            return self.reshape(value, [shape[dim] for dim in permutation])
        return self.permute(value, permutation)

    def broadcast(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """Repeat a value to a shape of the same rank."""
        wanted = tuple(shape)
        if wanted == self.shape(value):
            return value
        type = tensor(wanted, self.element(value))
        return self.into_empty("ttir.broadcast", [value], type, dimension=range(len(wanted)))

    def concat(self, values: Sequence[SSAValue], dim: int) -> SSAValue:
        """Join values along a dimension."""
        if len(values) == 1:
            return values[0]
        shape = list(self.shape(values[0]))
        shape[dim] = sum(self.shape(value)[dim] for value in values)
        return self.into_empty(
            "ttir.concat", [tuple(values)], tensor(tuple(shape), self.element(values[0])), dim=dim
        )

    def slice(
        self, value: SSAValue, begins: Sequence[int], ends: Sequence[int], steps: Sequence[int] | None = None
    ) -> SSAValue:
        """Take a range of every dimension."""
        by = tuple(steps) if steps is not None else (1,) * len(begins)
        if not any(begins) and tuple(ends) == self.shape(value) and set(by) <= {1}:
            return value
        shape = tuple(-(-(end - begin) // step) for begin, end, step in zip(begins, ends, by, strict=True))
        type = tensor(shape, self.element(value))
        return self.into_empty("ttir.slice", [value], type, begins=tuple(begins), ends=tuple(ends), step=by)

    def range(self, value: SSAValue, dim: int, begin: int, end: int, step: int = 1) -> SSAValue:
        """Take a range of one dimension."""
        shape = self.shape(value)
        begins, ends, steps = [0] * len(shape), list(shape), [1] * len(shape)
        begins[dim], ends[dim], steps[dim] = begin, end, step
        return self.slice(value, begins, ends, steps)

    # Arithmetic that several rules need.

    def typecast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Convert to another element type."""
        if self.element(value) == element:
            return value
        return self.elementwise("typecast", value, element=element)

    def as_truth(self, value: SSAValue, element: Attribute) -> SSAValue:
        """1 where a value is not zero, else 0."""
        return self.elementwise("ne", value, self.splat(0, value), element=element)

    def matmul(self, left: SSAValue, right: SSAValue, type: Tensor) -> SSAValue:
        """A product of matrices."""
        return self.into_empty("ttir.matmul", [left, right], type)

    def reduce(self, kind: str, value: SSAValue, dims: Sequence[int], *, keep: bool = False) -> SSAValue:
        """``sum``, ``max`` or ``mean`` over dimensions."""
        if not dims:
            return value
        kept = [
            1 if dim in dims else extent
            for dim, extent in enumerate(self.shape(value))
            if keep or dim not in dims
        ]
        type = tensor(tuple(kept) or (1,), self.element(value))
        return self.into_empty(f"ttir.{kind}", [value], type, keep_dim=keep, dim_arg=tuple(dims))

    def product(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """A product of matrices, or of batches of them, in the element type of the left side."""
        shape = (*self.shape(left)[:-1], self.shape(right)[-1])
        return self.matmul(left, right, tensor(shape, self.element(left)))

    def rows(self, table: SSAValue, numbers: SSAValue) -> SSAValue:
        """Take rows of a table of two dimensions by their numbers, a tensor of one dimension."""
        shape = self.shape(numbers)[0], self.shape(table)[1]
        return self.into_empty("ttir.embedding", [numbers, table], tensor(shape, self.element(table)))

    def count(self, extent: int, element: Attribute) -> SSAValue:
        """The numbers 0, 1, 2, ... below ``extent``, in one dimension. They are built once."""
        known = self.counts.get((extent, element))
        if known is None:
            known = self.counts[extent, element] = self._counted(extent, element)
        return known

    def _counted(self, extent: int, element: Attribute) -> SSAValue:
        """Return the numbers from 0 to ``extent``, excluded, by doubling the counted part: TTNN has no tables."""
        # Integers that bf16 and f16 may not hold are counted in float32 and rounded once.
        wide = element if isinstance(element, IntegerType | Float32Type) else Float32Type()
        counted = self.filled(0, (1,), wide)
        while (have := self.shape(counted)[0]) < extent:
            more = min(have, extent - have)
            first = counted if more == have else self.range(counted, 0, 0, more)
            counted = self.concat([counted, self.elementwise("add", first, self.filled(have, (1,), wide))], 0)
        return self.typecast(counted, element)

    def powers(self, extent: int, element: Attribute) -> SSAValue:
        """The first ``extent`` powers of two: 1, 2, 4, ..., in one dimension. They are built once."""
        if (known := self.counts.get((-extent, element))) is None:
            line = self.filled(1, (1,), element)
            while (have := self.shape(line)[0]) < extent:
                first = self.range(line, 0, 0, min(have, extent - have))
                more = self.elementwise("multiply", first, self.filled(1 << have, (1,), element))
                line = self.concat([line, more], 0)
            known = self.counts[-extent, element] = line
        return known

    def along(self, line: SSAValue, dim: int, rank: int) -> SSAValue:
        """Reshape a tensor of one dimension to ``rank`` dimensions, of which it is dimension ``dim``."""
        return self.reshape(line, [self.shape(line)[0] if at == dim else 1 for at in range(rank)])


def volume(shape: Sequence[int]) -> int:
    """Return the number of elements of a shape."""
    return math.prod(shape)


# A rule: from an operation to its results.
Rule = Callable[[Operation, Writer], Sequence[SSAValue]]
