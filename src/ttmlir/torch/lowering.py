"""The current node of an ATen graph, as the rules of functions see it: its result, and the means to compute it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha1
from typing import TYPE_CHECKING, Any

from tt_model.integers.arithmetic import is_filled
from tt_model.integers.bounds import WAY_OUT, known_beyond
from tt_model.integers.kinds import kind_of_dtype
from tt_model.operations.result_shapes import broadcast_shapes
from ttl.ir.refusals import Refused
from ttmlir.compositions.dimensions import MOST_DIMENSIONS, joined, shape_by
from ttmlir.ir import Type
from ttmlir.torch.node_builder import NodeBuilder, converted, element_type
from ttmlir.torch.row import AtenValue
from ttmlir.torch.spans import Bounds, span_of
from ttmlir.ttir_builder import Operand

if TYPE_CHECKING:
    import torch

# The most elements of a known tensor that are examined.
_LARGEST_COMPARED = 1 << 16


@dataclass
class GraphLowering:
    """The interface of rules to the current node: they read it here and make its result.

    Args: builder: at the insertion point of the function's body. argument: makes one more argument of the function, for a tensor
    that is known: its name and elements.
    """

    builder: NodeBuilder
    argument: Any
    values: dict[Any, Any] = field(default_factory=dict)
    # Modules with operations of TT-Lang that the graph calls.
    kernel_modules: set[str] = field(default_factory=set)
    # Nodes of tensors that the graph writes into, and nodes with the new values of these tensors.
    caches: set[Any] = field(default_factory=set)
    # The bounds of the integers among the arguments.
    bounds: Bounds = field(default_factory=Bounds)
    _node: Any = None
    # The shape of the current node's results, if dimensions are joined.
    _few: tuple[int, ...] | None = None
    _constants: dict[Any, Operand] = field(default_factory=dict)

    # Queries of rules about the current node.

    @property
    def node(self) -> Any:
        """The current node."""
        return self._node

    @property
    def result(self) -> torch.Tensor:
        """The node's result, or the first of them, as a tensor without elements."""
        value = self._node.meta["val"]
        first: torch.Tensor = value[0] if isinstance(value, list | tuple) else value
        return first

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the node's first result: for torch, or with dimensions joined where there are more than five."""
        return tuple(self.result.shape) if self._few is None else self._few

    @property
    def dtype(self) -> torch.dtype:
        """The type of the node's first result."""
        return self.result.dtype

    def is_used(self, index: int) -> bool:
        """Whether one of several results has a user."""
        return any(
            user.target is operator.getitem and user.args[1] == index and user.users
            for user in self._node.users
        )

    def refuse(self, reason: str, way: str) -> Refused:
        """Return a refusal to raise, with the reason why there is no operation, and an alternative that works."""
        return Refused(reason, way)

    # Values.

    def operand(self, value: AtenValue, dtype: torch.dtype | None = None, *, small: bool = False) -> Operand:
        """Return the value in TTIR, converted to ``dtype`` if that is given and another type.

        Raises ``Refused`` for a known tensor with integers that the device's type does not hold.
        ``small``: a known tensor of one number has extents of one, for operations that repeat their operands.
        """
        wanted = value.dtype if dtype is None else dtype
        if value.known is not None:
            return self._known(value.known, wanted, small)
        assert value.operand is not None
        return self.cast(value.operand, value.dtype, wanted, may_be_negative=span_of(value)[0] < 0)

    def cast(
        self, operand: Operand, old: torch.dtype, new: torch.dtype, *, may_be_negative: bool = True
    ) -> Operand:
        """Convert a value from one type of torch to another. Truth values may have any element type."""
        import torch

        element = element_type(new, self.builder.context)
        if new is torch.bool:
            if old is torch.bool:
                return operand
            return self.builder.ne(operand, self.builder.number_like(0, operand))  # type: ignore[no-any-return]
        whole = None if old == new else converted(self.builder, operand, old, new, may_be_negative)
        return self._as(operand, element) if whole is None else whole

    def _as(self, operand: Operand, element: Type) -> Operand:
        if self.builder.element_of(operand) == element:
            return operand
        return self.builder.typecast(operand, element)  # type: ignore[no-any-return]

    def _known(self, values: torch.Tensor, dtype: torch.dtype, small: bool) -> Operand:
        import torch

        element, kind = element_type(dtype, self.builder.context), kind_of_dtype(dtype)
        values = values.to(torch.bfloat16 if dtype is torch.bool else dtype)
        if kind is not None and values.numel():
            least, most = int(values.min()), int(values.max())
            if least < kind.least or most > kind.most:
                raise self.refuse(known_beyond(kind, (least, most)), WAY_OUT)
        first = values[(0,) * values.dim()] if values.numel() else values
        if values.numel() and bool((values == first).all()):
            number = first.item()
            if kind is None or is_filled(int(number)):
                extents = [1] * max(1, values.dim()) if small else list(values.shape) or [1]
                return self.builder.constant(number, extents, element)  # type: ignore[no-any-return]
            values = first.reshape([1] * max(1, values.dim())) if small else values
        return self.constant_of(values)

    def constant_of(self, values: torch.Tensor) -> Operand:
        """Return a known tensor of several numbers as an argument of the function; equal tensors share one argument.

        Large tensors are neither read nor copied: they share an argument only if they are the same memory.
        """
        import torch

        key: tuple[Any, ...] = (values.dtype, tuple(values.shape))
        if values.numel() > _LARGEST_COMPARED:
            key = (*key, values.data_ptr(), values.stride())
        else:
            values = values.contiguous()
            raw = values.view(torch.int16) if values.dtype is torch.bfloat16 else values
            key = (*key, sha1(raw.numpy().tobytes()).digest())
        if key not in self._constants:
            self._constants[key] = self.argument(f"constant.{self.builder.place.name}", values)
        return self._constants[key]

    # Building blocks of rules.

    def again(self, operand: Operand, shape: Sequence[int]) -> AtenValue:
        """Wrap an intermediate TTIR value of the result's type as a tensor of the given torch shape."""
        return AtenValue(tuple(shape), self.dtype, operand=operand)

    def number(self, value: float, dtype: torch.dtype | None = None) -> AtenValue:
        """A number as a tensor without dimensions, of the result's type unless another is given."""
        import torch

        return AtenValue.of(torch.tensor(value, dtype=self.dtype if dtype is None else dtype))

    def numbers(self, values: Sequence[float], shape: Sequence[int]) -> Operand:
        """Numbers in float32, such as positions."""
        import torch

        known = torch.tensor(list(values), dtype=torch.float32).reshape(list(shape))
        return self.operand(AtenValue.of(known), torch.float32)

    def filled(self, value: float) -> AtenValue:
        """The result, filled with one number."""
        return AtenValue.of(self.number(value).known.expand(self.shape))  # type: ignore[union-attr]

    def times(self, operand: Operand, factor: float) -> Operand:
        """Multiply a value by a number."""
        if factor == 1:
            return operand
        return self.builder.multiply(operand, self.builder.number_like(factor, operand))  # type: ignore[no-any-return]

    def wide(self, value: AtenValue) -> Operand:
        """Return the operand in float32, for functions of several operations: torch rounds to fewer digits once, at their end."""
        import torch

        return self.operand(value, torch.float32)

    def narrow(self, operand: Operand) -> Operand:
        """Return an operand in the type of the result."""
        return self._as(operand, element_type(self.dtype, self.builder.context))

    def counted(self, operand: Operand) -> Operand:
        """Positions, which are floats without fractions, as int64."""
        import torch

        return self._as(operand, element_type(torch.int64, self.builder.context))

    def joint(self, name: str, *operands: AtenValue, dtype: torch.dtype | None = None) -> Any:
        """Apply an elementwise builder operation to operands of one type, broadcast to the shape of the result.

        The type is that of the result unless ``dtype`` is given.
        """
        wanted = self.dtype if dtype is None else dtype
        small = _covers(self.shape, operands)
        return getattr(self.builder, name)(*self._of_one_type(operands, wanted, small))

    def _of_one_type(self, operands: Sequence[AtenValue], dtype: torch.dtype, small: bool) -> list[Operand]:
        import torch

        values = [self.operand(one, dtype, small=small) for one in operands]
        if dtype is not torch.bool:
            return values
        # Truth values have the element type of the compared values: all get that of the first operand that is not
        # known.
        first = next((index for index, one in enumerate(operands) if one.known is None), 0)
        element = self.builder.element_of(values[first])
        return [self._as(one, element) for one in values]

    def choice(
        self, condition: AtenValue, chosen: AtenValue, other: AtenValue, shape: tuple[int, ...] | None = None
    ) -> Operand:
        """Choose between two values by a condition, broadcast to ``shape``, by default the shape of the result."""
        import torch

        wanted = self.shape if shape is None else shape
        small = _covers(wanted, (condition, chosen, other))
        values = [self.operand(one, self.dtype, small=small) for one in (chosen, other)]
        truth = self._as(self.operand(condition, torch.bool, small=small), self.builder.element_of(values[0]))
        return self.builder.where(truth, *values)  # type: ignore[no-any-return]

    def reshape(self, value: AtenValue, shape: Sequence[int]) -> AtenValue:
        """Give the same elements another shape. A value of more than five dimensions has an operand of fewer."""
        if tuple(shape) == value.shape:
            return value
        if value.known is not None:
            return AtenValue.of(value.known.reshape(list(shape)))
        operand = value.operand
        assert operand is not None
        if len(shape) > MOST_DIMENSIONS:
            # No operation yet: a later permutation or reshape to fewer dimensions needs only the elements in this
            # order.
            return AtenValue(tuple(shape), value.dtype, operand=operand)
        wanted = list(shape) or [1]
        same = list(self.builder.get_shape(operand)) == wanted
        return AtenValue(
            tuple(shape), value.dtype, operand=operand if same else self.builder.reshape(operand, wanted)
        )

    def spread(self, value: AtenValue, shape: Sequence[int]) -> AtenValue:
        """Broadcast a tensor to a shape."""
        if tuple(shape) == value.shape:
            return value
        if value.known is not None:
            return AtenValue.of(value.known.expand(list(shape)))
        of_rank = self.reshape(value, [1] * (len(shape) - value.rank) + list(value.shape))
        if of_rank.shape == tuple(shape):
            return of_rank
        extents = list(shape)
        if len(extents) > MOST_DIMENSIONS:
            groups = joined([of_rank.shape, extents])
            of_rank, extents = (
                self.reshape(value, shape_by(of_rank.shape, groups)),
                list(shape_by(extents, groups)),
            )
        operand = self.builder.broadcast(self.operand(of_rank), extents)
        return AtenValue(tuple(shape), value.dtype, operand=operand)

    def mixed(self, value: AtenValue, dim: int, matrix: torch.Tensor) -> AtenValue:
        """Multiply along one dimension by a known matrix (new extent, old extent)."""
        build, last = self.builder, value.rank - 1
        shape = (*value.shape[:dim], matrix.shape[0], *value.shape[dim + 1 :])
        operand = self.operand(value, self.dtype)
        if value.rank == 2 and dim == 0:
            return self.again(build.matmul(self.constant_of(matrix.to(self.dtype)), operand), shape)
        right = self.constant_of(matrix.T.contiguous().to(self.dtype))
        if dim != last:
            operand = build.transpose(operand, dim, last)
        product = build.matmul(operand, right)
        return self.again(product if dim == last else build.transpose(product, dim, last), shape)


def _covers(shape: tuple[int, ...], operands: Sequence[AtenValue]) -> bool:
    """Whether the operands that are not known broadcast to a shape by themselves, so that known ones may stay small."""
    rest: tuple[int, ...] | None = ()
    for one in operands:
        if one.known is None and rest is not None:
            rest = broadcast_shapes(rest, one.shape)
    return rest == shape
