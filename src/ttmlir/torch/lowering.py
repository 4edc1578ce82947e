"""A graph of ATen as TTIR: node by node, by the table; what depends on nothing that is an input is computed by torch now.

What cannot be lowered does not end it: its result is replaced by a tensor of the same shape, so that everything that is in
the way is said at once.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha1
from typing import TYPE_CHECKING, Any

from tt_model.integers.arithmetic import EXACT, is_filled
from tt_model.integers.bounds import WAY_OUT, for_any_input, known_beyond
from tt_model.integers.kinds import kind_of, kind_of_dtype
from tt_model.operations.interfaces import broadcast_shapes
from ttl.ir.refusals import Refused
from ttmlir.compositions.dimensions import MOST_DIMENSIONS, joined, program_shape, shape_by
from ttmlir.dialects import tt
from ttmlir.ir import BF16Type, Context, F32Type, IntegerType, Location, Type, Value
from ttmlir.torch.integers import converted, rule_for
from ttmlir.torch.many_dimensions import with_fewer
from ttmlir.torch.nodes import bound_arguments, flat, is_of_aten, is_random, no_row, overload_of, plain
from ttmlir.torch.places import NodePlace, place_of
from ttmlir.torch.row import AtenRow, AtenValue
from ttmlir.torch.spans import Bounds, span_of
from ttmlir.ttir_builder import Operand, TTIRBuilder

if TYPE_CHECKING:
    import torch

# Elements of a known tensor up to which it is looked at.
_LARGEST_COMPARED = 1 << 16


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A node that cannot be lowered."""

    place: NodePlace
    operation: str
    reason: str
    way: str

    def __str__(self) -> str:
        module = f" in module {self.place.module}" if self.place.module else ""
        return f"{self.place}: {self.operation}{module}: {self.reason}\n  what works: {self.way}"


class NodeBuilder(TTIRBuilder):
    """Operations have the name of the node that they are made for, and its line; a second one of a name gets a number."""

    def __init__(self, ctx: Context, location: Location, *, goldens: bool) -> None:
        super().__init__(ctx, location, goldens=goldens, constraint=tt.OperandConstraint.AnyDeviceTile)
        self.place = NodePlace("", 0, "", "model")
        self._taken: dict[str, int] = {}

    def _next_name(self) -> str:
        base = self.place.name
        count = self._taken[base] = self._taken.get(base, 0) + 1
        return base if count == 1 else f"{base}_{count}"

    def _location(self, name: str) -> Location:
        return located(self._ctx, name, self.place.file, self.place.line)

    def _keep(self, name: str, operand: Operand, values: torch.Tensor) -> None:
        kind = kind_of(self.element_of(operand).xdsl)
        if kind is not None and not values.dtype.is_floating_point and values.device.type != "meta":
            values = values.long() & ((1 << kind.held_width) - 1)  # as the device has them
        # Rules take the values of operations, not the operations.
        super()._keep(name, operand, values)
        super()._keep(name, value_in(operand), values)
        if kind is not None and values.numel() and values.device.type != "meta" and int(values.max()) > EXACT:
            # Golden tensors of files are float32: what that does not hold is compared with the reference only.
            self._id_goldens.pop(name, None)

    def give(self, operand: Operand, values: torch.Tensor, name: str) -> None:
        """The golden tensor of an argument."""
        self._keep(name, operand, values)

    @property
    def context(self) -> Context:
        """The context of what it makes."""
        return self._ctx

    def element_of(self, operand: Operand) -> Type:
        """The element type of a value."""
        element: Type = self._tensor_type(operand).element_type
        return element


def located(context: Context, name: str, file: str, line: int) -> Location:
    """A name, with a line where one is known."""
    if not file:
        return Location.name(name, context=context)
    return Location.name(name, Location.file(file, line, 1, context), context)


def element_type(dtype: torch.dtype, context: Context) -> Type:
    """The element type of TTIR for a type of torch; truth values are numbers of 16 bits. Raises ``Refused``."""
    import torch

    if dtype is torch.float32:
        return F32Type.get(context)
    if dtype in (torch.bfloat16, torch.bool):
        return BF16Type.get(context)
    kind = kind_of_dtype(dtype)
    if kind is not None:
        return IntegerType.wrapping(kind.element, context)
    word = str(dtype).removeprefix("torch.")
    raise Refused(
        f"there are no tensors of {word}", "float32 or bfloat16: module.float(), tensor.to(torch.bfloat16)"
    )


@dataclass
class GraphLowering:
    """The lowering of one graph.

    Args:
        builder: at the insertion point of the function's body.
        table: the rows by their overloads.
        argument: makes one more argument of the function, for a tensor that is known: its name and elements.
    """

    builder: NodeBuilder
    table: Mapping[str, AtenRow]
    argument: Any
    obstacles: list[Obstacle] = field(default_factory=list)
    values: dict[Any, Any] = field(default_factory=dict)
    # Modules with operations of TT-Lang that the graph calls.
    kernel_modules: set[str] = field(default_factory=set)
    # Nodes of tensors that the graph writes into, and of what they are after it.
    caches: set[Any] = field(default_factory=set)
    # How large integers among the arguments may be.
    bounds: Bounds = field(default_factory=Bounds)
    _node: Any = None
    # The shape of the results of the node under way where dimensions of it are joined.
    _few: tuple[int, ...] | None = None
    _constants: dict[Any, Operand] = field(default_factory=dict)

    # What rules ask about the node under way.

    @property
    def node(self) -> Any:
        """The node under way."""
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
        """To be raised: why there is no operation, and what works."""
        return Refused(reason, way)

    # Values.

    def operand(self, value: AtenValue, dtype: torch.dtype | None = None, *, small: bool = False) -> Operand:
        """The value in TTIR, converted where it has another type.

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
        """A value of a type of torch as another one. Truth values may have any element type."""
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
        """A tensor of several numbers that are known, as an argument of the function; equal ones are one argument.

        Large ones are neither read nor copied: those that are the same memory are one argument.
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

    # What rules are made of.

    def again(self, operand: Operand, shape: Sequence[int]) -> AtenValue:
        """A value of TTIR under way, of the result's type, as a tensor of torch's shape."""
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
        """The result, where it is one number."""
        return AtenValue.of(self.number(value).known.expand(self.shape))  # type: ignore[union-attr]

    def times(self, operand: Operand, factor: float) -> Operand:
        """A value by a number."""
        if factor == 1:
            return operand
        return self.builder.multiply(operand, self.builder.number_like(factor, operand))  # type: ignore[no-any-return]

    def wide(self, value: AtenValue) -> Operand:
        """In float32, for functions of several operations: torch rounds to fewer digits once, at their end."""
        import torch

        return self.operand(value, torch.float32)

    def narrow(self, operand: Operand) -> Operand:
        """In the type of the result."""
        return self._as(operand, element_type(self.dtype, self.builder.context))

    def counted(self, operand: Operand) -> Operand:
        """Positions, which are floats without fractions, as int64."""
        import torch

        return self._as(operand, element_type(torch.int64, self.builder.context))

    def joint(self, name: str, *operands: AtenValue, dtype: torch.dtype | None = None) -> Any:
        """An elementwise operation of the builder on operands of one type, repeated to the shape of the result.

        The type is that of the result unless ``dtype`` says another.
        """
        wanted = self.dtype if dtype is None else dtype
        small = _covers(self.shape, operands)
        return getattr(self.builder, name)(*self._of_one_type(operands, wanted, small))

    def _of_one_type(self, operands: Sequence[AtenValue], dtype: torch.dtype, small: bool) -> list[Operand]:
        import torch

        values = [self.operand(one, dtype, small=small) for one in operands]
        if dtype is not torch.bool:
            return values
        # Truth values have the element type of what was compared: all get that of the first one that is not known.
        first = next((index for index, one in enumerate(operands) if one.known is None), 0)
        element = self.builder.element_of(values[first])
        return [self._as(one, element) for one in values]

    def choice(
        self, condition: AtenValue, chosen: AtenValue, other: AtenValue, shape: tuple[int, ...] | None = None
    ) -> Operand:
        """One value where a condition holds and another one elsewhere, repeated to ``shape``, else that of the result."""
        import torch

        wanted = self.shape if shape is None else shape
        small = _covers(wanted, (condition, chosen, other))
        values = [self.operand(one, self.dtype, small=small) for one in (chosen, other)]
        truth = self._as(self.operand(condition, torch.bool, small=small), self.builder.element_of(values[0]))
        return self.builder.where(truth, *values)  # type: ignore[no-any-return]

    def reshape(self, value: AtenValue, shape: Sequence[int]) -> AtenValue:
        """The same elements in another shape. One of more than five dimensions has an operand of fewer."""
        if tuple(shape) == value.shape:
            return value
        if value.known is not None:
            return AtenValue.of(value.known.reshape(list(shape)))
        operand = value.operand
        assert operand is not None
        if len(shape) > MOST_DIMENSIONS:
            # No operation yet: who permutes it, or makes it smaller again, needs the elements in this order and no more.
            return AtenValue(tuple(shape), value.dtype, operand=operand)
        wanted = list(shape) or [1]
        same = list(self.builder.get_shape(operand)) == wanted
        return AtenValue(
            tuple(shape), value.dtype, operand=operand if same else self.builder.reshape(operand, wanted)
        )

    def spread(self, value: AtenValue, shape: Sequence[int]) -> AtenValue:
        """A tensor repeated to a shape."""
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
        """Along one dimension the products with a matrix (new extent, old extent) that is known."""
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

    # The graph.

    def lower(self, node: Any) -> None:
        """One node of the graph: a call."""
        self._node, self._few = node, None
        self.builder.place = place_of(node)
        if node.target is operator.getitem:
            several, index = node.args
            self.values[node] = self.values[several][index]
            return
        if str(node.target) == "with_effects" and "_linalg_check_errors" in str(node.args[1]):
            self.values[node] = [None]  # torch raises an error there; a device cannot raise errors
            return
        try:
            self.values[node] = self._lowered(node)
        except Refused as problem:
            self._stand_in(node, problem.condition, problem.way_out)
        except ValueError as problem:  # of the builder: shapes and attributes that no operation has
            self._stand_in(node, str(problem), "other shapes or arguments")

    def output(self, node: Any) -> Operand:
        """A result of the graph. One that cannot be is an obstacle, and the operand something else."""
        self._node = node
        self.builder.place = place_of(node)
        try:
            return self.operand(self.values[node])
        except Refused as problem:
            self._stand_in(node, problem.condition, problem.way_out)
            return self.values[node].operand  # type: ignore[no-any-return]

    def _lowered(self, node: Any) -> Any:
        row = self.table.get(overload_of(node))
        arguments = bound_arguments(node, self.values)
        known = self._computed_now(node, arguments)
        if known is not None:
            return known
        metas = node.meta.get("val")
        results = list(metas) if isinstance(metas, list | tuple) else [metas]
        spans = self._spans(node, arguments, results)
        rule = rule_for(overload_of(node), arguments)
        if rule is None and row is None:
            raise self.refuse(*no_row(node))
        fewer = with_fewer(self, arguments)
        if fewer is not None:
            arguments, self._few = fewer
        given = (rule or row.make)(self, *arguments)  # type: ignore[union-attr]
        if isinstance(given, list | tuple):
            return [
                self._with(self._result(one, meta), span) for one, meta, span in zip(given, results, spans)
            ]
        return self._with(self._result(given, metas), spans[0])

    def _spans(self, node: Any, arguments: Sequence[Any], results: Sequence[Any]) -> list[Any]:
        """The spans of the results. Raises ``NotLowered`` where these need 64 bits for whatever arguments."""
        could = any(self.bounds.left)
        spans = [
            None
            if one is None or (len(results) > 1 and not self.is_used(at))
            else self.bounds.of_node(node, arguments, one, at)
            for at, one in enumerate(results)
        ]
        if could and not any(self.bounds.left):
            assert self.bounds.last is not None
            raise self.refuse(for_any_input(*self.bounds.last), WAY_OUT)
        return spans

    def _with(self, value: AtenValue | None, spans: Any) -> AtenValue | None:
        return value if value is None or spans is None else replace(value, spans=spans)

    def _result(self, given: Any, meta: torch.Tensor) -> AtenValue | None:
        if given is None:
            return None
        if self._few is not None:
            value = (
                given
                if isinstance(given, AtenValue)
                else self.again(given, tuple(self.builder.get_shape(given)))
            )
            return replace(self.reshape(value, tuple(meta.shape)), dtype=meta.dtype)
        if isinstance(given, AtenValue):
            got, wanted = (given.shape, given.dtype), (tuple(meta.shape), meta.dtype)
            assert got == wanted, f"{self._node.target} gives {got}, and torch {wanted}"
            return given
        operand = value_in(given)
        extents, expected = tuple(self.builder.get_shape(operand)), tuple(meta.shape) or (1,)
        assert extents == expected, f"{self._node.target} gives {extents}, and torch {expected}"
        return AtenValue(tuple(meta.shape), meta.dtype, operand=operand)

    def _computed_now(self, node: Any, arguments: Sequence[Any]) -> Any:
        """The result of a function of known tensors; None where something is not known yet, or drawn at random."""
        import torch

        tensors = [one for argument in arguments for one in flat(argument) if isinstance(one, AtenValue)]
        if any(one.known is None for one in tensors) or is_random(node) or not is_of_aten(node):
            return None
        positional = [plain(argument) for argument in arguments]
        schema = node.target._schema.arguments
        first = [one for one, argument in zip(positional, schema) if not argument.kwarg_only]
        named = {argument.name: one for one, argument in zip(positional, schema) if argument.kwarg_only}
        with torch.no_grad():
            result = node.target(*first, **named)
        if isinstance(result, list | tuple):
            return [AtenValue.of(one) if isinstance(one, torch.Tensor) else None for one in result]
        return AtenValue.of(result) if isinstance(result, torch.Tensor) else None

    def _stand_in(self, node: Any, reason: str, way: str) -> None:
        self.obstacles.append(Obstacle(self.builder.place, str(node.target), reason, way))
        metas = node.meta.get("val")
        several = metas if isinstance(metas, list | tuple) else [metas]
        empty = [self._empty(meta) for meta in several]
        self.values[node] = empty if isinstance(metas, list | tuple) else empty[0]

    def _empty(self, meta: Any) -> AtenValue | None:
        if meta is None:
            return None
        try:
            element = element_type(meta.dtype, self.builder.context)
        except Refused:
            element = F32Type.get(self.builder.context)
        operation = self.builder.empty(list(program_shape(meta.shape)), element)
        return AtenValue(tuple(meta.shape), meta.dtype, operand=operation.result)


def _covers(shape: tuple[int, ...], operands: Sequence[AtenValue]) -> bool:
    """Whether the operands that are not known repeat to a shape, so that those that are known may be small."""
    rest: tuple[int, ...] | None = ()
    for one in operands:
        if one.known is None and rest is not None:
            rest = broadcast_shapes(rest, one.shape)
    return rest == shape


def value_in(operand: Operand) -> Value:
    """The value that an operation of one result gives, or the value itself."""
    value: Value = operand if isinstance(operand, Value) else operand.results[0]
    return value
