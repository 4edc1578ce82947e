"""Values of a kernel in ``emitc``: types, constants, casts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    f32,
    f64,
    i1,
)
from xdsl.dialects.emitc import EmitC_LValueType, EmitC_OpaqueType, EmitC_PointerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ttl.codegen.api_calls import CallConversion
from ttl.codegen.cpp.facts import KernelFacts
from ttl.codegen.cpp.types import POINTER, type_of
from ttl.dialects.ttkernel import KernelSemaphoreType, TensorAccessorType
from ttl.emitc.dialect import operation

UI32 = IntegerType(32, Signedness.UNSIGNED)
I32 = IntegerType(32)
I64 = IntegerType(64)
INDEX = IndexType()
TYPES: Mapping[str, Attribute] = MappingProxyType(
    {
        "uint32_t": UI32,
        "int32_t": I32,
        "uint64_t": IntegerType(64, Signedness.UNSIGNED),
        "int64_t": I64,
        "bool": i1,
        "float": f32,
        "double": f64,
        POINTER: EmitC_PointerType(EmitC_OpaqueType(StringAttr(POINTER.removesuffix("*")))),
    }
)


class Values(CallConversion):
    """The values in EmitC that replace those of a kernel. Constants are added to ``start``."""

    def __init__(self, facts: KernelFacts) -> None:
        super().__init__(Block())
        self.facts = facts
        self.ranges = facts.ranges
        self.start: list[Operation] = []
        self._constants: dict[tuple[Attribute, int | float], SSAValue] = {}
        for value, name in facts.preamble.resources.items():
            self.became[value] = self.literal(name, _type_of_resource(value))
        self._named = {
            value: self.literal(name, self.type_of(value)) for value, name in facts.preamble.constants.items()
        }
        self.addresses = {value: self.literal(name, UI32) for value, name in facts.preamble.addresses.items()}

    def literal(self, text: str, type_: Attribute) -> SSAValue:
        """A name that is defined in C++, as a value."""
        op = operation("literal", results=[type_], value=StringAttr(text))
        self.start.append(op)
        return op.results[0]

    def number(self, number: int | float, type_: Attribute) -> SSAValue:
        """A constant as a value."""
        key = (type_, number)
        if key not in self._constants:
            value: Attribute
            if isinstance(type_, IntegerType):
                value = IntegerAttr(int(number), type_)
            else:
                value = FloatAttr(float(number), f64 if type_ == f64 else f32)
            op = operation("constant", results=[type_], value=value)
            self.start.append(op)
            self._constants[key] = op.results[0]
        return self._constants[key]

    def type_of(self, value: SSAValue) -> Attribute:
        """The type of a value in C++."""
        return TYPES[type_of(value, self.ranges)]

    def use(self, value: SSAValue) -> SSAValue:
        """Return the EmitC value that replaces a value."""
        if value in self._named:
            return self._named[value]
        only = self.ranges.of(value).only
        if only is not None:
            return self.number(only, self.type_of(value))
        return self.became[value]

    def cast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """A value cast to a type; unchanged if it has the type already."""
        return value if value.type == type_ else self.computed("cast", value, result=type_)

    def assign(self, variable: SSAValue, value: SSAValue) -> None:
        """Assign a number to a variable, cast to the variable's type."""
        assert isinstance(variable.type, EmitC_LValueType)
        super().assign(variable, self.cast(value, variable.type.value_type))


def _type_of_resource(value: SSAValue) -> Attribute:
    match value.type:
        case TensorAccessorType():
            return EmitC_OpaqueType(StringAttr("auto"))
        case KernelSemaphoreType():
            return TYPES[POINTER]
    return UI32
