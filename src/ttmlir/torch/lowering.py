"""A graph of ATen as TTIR: node by node, by the table; what depends on nothing that is an input is computed by torch now.

What cannot be lowered does not end it: its result is replaced by a tensor of the same shape, so that everything that is in
the way is said at once.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ttmlir.dialects import tt
from ttmlir.ir import BF16Type, Context, F32Type, IntegerType, Location, Type, Value
from ttmlir.operations.interfaces import broadcast_shapes
from ttmlir.torch.places import NodePlace, place_of
from ttmlir.torch.row import AtenRow, AtenValue, NotLowered
from ttmlir.ttir_builder import Operand, TTIRBuilder

if TYPE_CHECKING:
    import torch

# Integers of the device have 32 bits and no sign.
_LARGEST_INTEGER = (1 << 31) - 1


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

    def give(self, operand: Operand, values: torch.Tensor, name: str) -> None:
        """The golden tensor of an argument."""
        self._keep(name, operand, values)

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
    """The element type of TTIR for a type of torch; truth values are numbers of 16 bits. Raises ``NotLowered``."""
    import torch

    if dtype is torch.float32:
        return F32Type.get(context)
    if dtype in (torch.bfloat16, torch.bool):
        return BF16Type.get(context)
    if dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
        return IntegerType.get_signless(32, context)
    word = str(dtype).removeprefix("torch.")
    raise NotLowered(
        f"there are no tensors of {word}", "float32 or bfloat16: module.float(), tensor.to(torch.bfloat16)"
    )


@dataclass
class Lowering:
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
    _node: Any = None
    _materialised: dict[Any, Any] = field(default_factory=dict)

    # What rules ask about the node under way.

    @property
    def result(self) -> torch.Tensor:
        """The node's result, or the first of them, as a tensor without elements."""
        value = self._node.meta["val"]
        first: torch.Tensor = value[0] if isinstance(value, list | tuple) else value
        return first

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the node's first result, for torch."""
        return tuple(self.result.shape)

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

    def refuse(self, reason: str, way: str) -> NotLowered:
        """To be raised: why there is no operation, and what works."""
        return NotLowered(reason, way)

    # Values.

    def operand(self, value: AtenValue, dtype: torch.dtype | None = None, *, small: bool = False) -> Operand:
        """The value in TTIR, converted where it has another type.

        ``small``: a known tensor of one number has extents of one, for operations that repeat their operands.
        """
        wanted = value.dtype if dtype is None else dtype
        if value.known is not None:
            return self._known(value.known, wanted, small)
        assert value.operand is not None
        return self.cast(value.operand, value.dtype, wanted)

    def cast(self, operand: Operand, old: torch.dtype, new: torch.dtype) -> Operand:
        """A value of a type of torch as another one. Truth values may have any element type."""
        import torch

        element = element_type(new, self.builder._ctx)
        if new is torch.bool and old is not torch.bool:
            return self.builder.ne(operand, self.builder.number_like(0, operand))  # type: ignore[no-any-return]
        if self.builder.element_of(operand) == element or new is torch.bool:
            return operand
        return self.builder.typecast(operand, element)  # type: ignore[no-any-return]

    def _known(self, values: torch.Tensor, dtype: torch.dtype, small: bool) -> Operand:
        import torch

        element = element_type(dtype, self.builder._ctx)
        if not dtype.is_floating_point and dtype is not torch.bool:
            self._check_integers(values)
        first = values.flatten()[:1]
        if values.numel() and bool((values == first).all()):
            extents = [1] * max(1, values.dim()) if small else list(values.shape) or [1]
            return self.builder.constant(first.item(), extents, element)  # type: ignore[no-any-return]
        key = (id(values), dtype)
        if key not in self._materialised:
            stored = values.to(torch.bfloat16 if dtype is torch.bool else dtype)
            # The tensor is kept, so that no other one gets its id.
            self._materialised[key] = (values, self.argument(f"constant.{self.builder.place.name}", stored))
        operand: Operand = self._materialised[key][1]
        return operand

    def _check_integers(self, values: torch.Tensor) -> None:
        if values.numel() and (int(values.min()) < 0 or int(values.max()) > _LARGEST_INTEGER):
            raise self.refuse(
                f"whole numbers from {int(values.min())} to {int(values.max())} are used on the device, whose integers have "
                "32 bits and no sign",
                "numbers from 0 to 2147483647, or floats",
            )

    def joint(self, name: str, *operands: AtenValue, dtype: torch.dtype | None = None) -> Any:
        """An elementwise operation of the builder on operands of one type, repeated to the shape of the result.

        The type is that of the result unless ``dtype`` says another.
        """
        wanted = self.dtype if dtype is None else dtype
        rest: tuple[int, ...] | None = ()
        for one in operands:
            if one.known is None and rest is not None:
                rest = broadcast_shapes(rest, one.shape)
        small = rest == self.shape
        return getattr(self.builder, name)(*(self.operand(one, wanted, small=small) for one in operands))

    def number(self, value: float, dtype: torch.dtype | None = None) -> AtenValue:
        """A number as a tensor without dimensions, of the result's type unless another is given."""
        import torch

        return AtenValue.of(torch.tensor(value, dtype=self.dtype if dtype is None else dtype))

    # The graph.

    def lower(self, node: Any) -> None:
        """One node of the graph: a call."""
        self._node = node
        self.builder.place = place_of(node)
        if node.target is operator.getitem:
            several, index = node.args
            self.values[node] = self.values[several][index]
            return
        try:
            self.values[node] = self._lowered(node)
        except NotLowered as problem:
            self._stand_in(node, problem.reason, problem.way)
        except ValueError as problem:  # of the builder: shapes and attributes that no operation has
            self._stand_in(node, str(problem), "other shapes or arguments")

    def _lowered(self, node: Any) -> Any:
        row = self.table.get(overload_of(node))
        arguments = bound_arguments(node, self.values)
        known = self._computed_now(node, arguments)
        if known is not None:
            return known
        if row is None:
            raise self.refuse(*no_row(node))
        given = row.make(self, *arguments)
        metas = node.meta["val"]
        if isinstance(given, list | tuple):
            return [self._result(one, meta) for one, meta in zip(given, metas)]
        return self._result(given, metas)

    def _result(self, given: Any, meta: torch.Tensor) -> AtenValue | None:
        if given is None or isinstance(given, AtenValue):
            return given
        operand = value_in(given)
        got, wanted = tuple(self.builder.get_shape(operand)), tuple(meta.shape) or (1,)
        assert got == wanted, f"{self._node.target} gives {got}, and torch {wanted}"
        return AtenValue(tuple(meta.shape), meta.dtype, operand=operand)

    def _computed_now(self, node: Any, arguments: Sequence[Any]) -> Any:
        """The result of a function of known tensors; None where something is not known yet, or drawn at random."""
        import torch

        tensors = [one for argument in arguments for one in flat(argument) if isinstance(one, AtenValue)]
        if any(one.known is None for one in tensors) or is_random(node) or not _is_of_aten(node):
            return None
        positional = [_plain(argument) for argument in arguments]
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
            element = element_type(meta.dtype, self.builder._ctx)
        except NotLowered:
            element = F32Type.get(self.builder._ctx)
        operation = self.builder.empty(list(meta.shape) or [1], element)
        return AtenValue(tuple(meta.shape), meta.dtype, operand=operation.result)


def value_in(operand: Operand) -> Value:
    """The value that an operation of one result gives, or the value itself."""
    value: Value = operand if isinstance(operand, Value) else operand.results[0]
    return value


def overload_of(node: Any) -> str:
    """``add.Tensor`` for ``aten.add.Tensor``; operators of others have their namespace in front."""
    text = str(node.target)
    return text.removeprefix("aten.")


def bound_arguments(node: Any, values: Mapping[Any, Any]) -> list[Any]:
    """All arguments of a call in the order of the schema, with defaults; nodes as the values that they have become."""
    bound = []
    for index, argument in enumerate(node.target._schema.arguments):
        if index < len(node.args):
            given = node.args[index]
        elif argument.name in node.kwargs:
            given = node.kwargs[argument.name]
        else:
            given = argument.default_value if argument.has_default_value() else None
        bound.append(_valued(given, values))
    return bound


def _valued(given: Any, values: Mapping[Any, Any]) -> Any:
    import torch

    if isinstance(given, torch.fx.Node):
        return values[given]
    if isinstance(given, list | tuple):
        return [_valued(one, values) for one in given]
    return given


def flat(argument: Any) -> list[Any]:
    """An argument, or the members of one that is a list."""
    return list(argument) if isinstance(argument, list | tuple) else [argument]


def _plain(argument: Any) -> Any:
    if isinstance(argument, AtenValue):
        return argument.known
    return [_plain(one) for one in argument] if isinstance(argument, list | tuple) else argument


def is_random(node: Any) -> bool:
    """Whether the result is drawn at random."""
    import torch

    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def _is_of_aten(node: Any) -> bool:
    return getattr(node.target, "namespace", "") in ("aten", "prims")


def no_row(node: Any) -> tuple[str, str]:
    """Why a function without a row is refused, and the way out."""
    if is_random(node):
        return "it draws random numbers, and a model gives the same for the same inputs", (
            "the random numbers as an input, or module.eval() where they are for training"
        )
    if node.target._schema.is_mutable:
        return "it writes into a tensor", "the function without the underscore at its end"
    return "there is no operation for it", (
        "functions of docs/ttmlir/from-pytorch.md; or this part in TT-Lang, by ttmlir.torch.tt_lang_operation, or outside "
        "of the model"
    )
