"""The builder of operations for nodes of an ATen graph, and conversions between torch's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import Attribute

from tt_model.integers import arithmetic
from tt_model.integers.arithmetic import EXACT
from tt_model.integers.kinds import kind_of, kind_of_dtype
from ttl.ir.refusals import Refused
from ttmlir.dialects import tt
from ttmlir.ir import BF16Type, Context, F32Type, IntegerType, Location, Type, Value
from ttmlir.torch.places import NodePlace
from ttmlir.ttir_builder import Operand, TTIRBuilder

if TYPE_CHECKING:
    import torch


class NodeBuilder(TTIRBuilder):
    """A builder whose operations have the name and line of their node; repeated names get a number."""

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
            values = values.long() & ((1 << kind.held_width) - 1)  # as they are on the device
        # Rules take the values of operations, not the operations.
        super()._keep(name, operand, values)
        super()._keep(name, value_in(operand), values)
        if kind is not None and values.numel() and values.device.type != "meta" and int(values.max()) > EXACT:
            # Golden tensors in files are float32: larger integers are compared with the reference only.
            self._id_goldens.pop(name, None)

    def give(self, operand: Operand, values: torch.Tensor, name: str) -> None:
        """Set the golden tensor of an argument."""
        self._keep(name, operand, values)

    @property
    def context(self) -> Context:
        """The context of the operations that it makes."""
        return self._ctx

    def element_of(self, operand: Operand) -> Type:
        """The element type of a value."""
        element: Type = self._tensor_type(operand).element_type
        return element


def located(context: Context, name: str, file: str, line: int) -> Location:
    """Return the location of a name, with a line if it is known."""
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


def value_in(operand: Operand) -> Value:
    """The only result of an operation; a value is returned unchanged."""
    value: Value = operand if isinstance(operand, Value) else operand.results[0]
    return value


class NodeEmitter:
    """Emits the operations of ``tt_model.integers`` through the builder. Truth values have the type of the compared values."""

    def __init__(self, builder: NodeBuilder) -> None:
        self._builder = builder

    def element(self, value: Operand) -> Attribute:
        """The element type of a value."""
        element: Attribute = self._builder.element_of(value).xdsl
        return element

    def elementwise(self, mnemonic: str, *operands: Operand, element: Attribute | None = None) -> Operand:
        """An operation of each element."""
        result: Operand = getattr(self._builder, mnemonic)(*operands)
        return result if element is None else self.typecast(result, element)

    def truth(self, mnemonic: str, *operands: Operand) -> Operand:
        """An operation whose result is 0 or 1."""
        first = self.element(operands[0])
        same = [self.typecast(one, first) for one in operands]
        result: Operand = getattr(self._builder, mnemonic)(*same)
        return result

    def choose(self, condition: Operand, chosen: Operand, other: Operand) -> Operand:
        """``chosen`` where the condition is not zero, else ``other``."""
        result: Operand = self._builder.where(condition, chosen, other)
        return result

    def splat(self, number: float, like: Operand) -> Operand:
        """One number in the element type of a value."""
        kind = kind_of(self.element(like))
        if kind is not None and not kind.is_signed:
            number = int(number) % (1 << kind.width)
        result: Operand = self._builder.number_like(number, like)
        return result

    def typecast(self, value: Operand, element: Attribute) -> Operand:
        """Convert a value as the device does."""
        if self.element(value) == element:
            return value
        result: Operand = self._builder.typecast(value, Type.wrapping(element, self._builder.context))
        return result


def converted(
    builder: NodeBuilder, operand: Operand, old: torch.dtype, new: torch.dtype, may_be_negative: bool
) -> Operand | None:
    """Convert a value between types of torch; None if neither is an integer type, or one is the truth type."""
    import torch

    if torch.bool in (old, new):
        return None
    before, after, w = kind_of_dtype(old), kind_of_dtype(new), NodeEmitter(builder)
    if before is not None and after is not None:
        return arithmetic.to_integer(operand, after, may_be_negative, w)  # type: ignore[no-any-return]
    if before is not None:
        element = element_type(new, builder.context).xdsl
        return arithmetic.to_float(operand, element, may_be_negative, w)  # type: ignore[no-any-return]
    if after is not None:
        return arithmetic.from_float(operand, after, "lowest bits", w)  # type: ignore[no-any-return]
    return None
