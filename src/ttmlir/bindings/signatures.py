"""The signatures of operations in Python, for their classes and functions, from the rows or from xDSL's definitions."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from xdsl.dialects import builtin
from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Attribute as XdslAttribute
from xdsl.ir import Operation as XdslOperation
from xdsl.irdl import (
    OptAttributeDef,
    OptOperandDef,
    OptPropertyDef,
    OptResultDef,
    VarOperandDef,
    VarResultDef,
)

from tt_model.operations.dialects import operation_class
from tt_model.operations.row import NO_DEFAULT, SEGMENTS, Row

Arity = Literal["one", "optional", "variadic"]
# Names that every operation has already; the bindings append an underscore to them.
_TAKEN = frozenset(
    {
        "attributes",
        "block",
        "context",
        "location",
        "name",
        "operands",
        "operation",
        "opview",
        "parent",
        "regions",
        "results",
        "successors",
        "verify",
        "print",
        "clone",
        "walk",
    }
)


def snake_case(name: str) -> str:
    """Return ``fill_value`` for ``fillValue``; adjacent capitals stay together."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def python_name(name: str) -> str:
    """Return a name of the dialects as a Python name."""
    name = name.replace(".", "_").replace("<", "_").replace(">", "").replace(" ", "_").replace("*", "")
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """A group of operands or results."""

    name: str
    arity: Arity = "one"

    @property
    def parameter(self) -> str:
        return python_name(self.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenAttribute:
    """An inherent attribute. ``convert`` makes one from a Python value."""

    name: str
    required: bool
    convert: Callable[[Any], XdslAttribute]
    # The default value.
    default: XdslAttribute | None = None

    @property
    def parameter(self) -> str:
        return python_name(self.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Signature:
    """The signature of an operation: its name, the name of its class, operands, attributes, results and regions."""

    name: str
    class_name: str
    doc: str
    operands: tuple[Group, ...]
    attributes: tuple[GivenAttribute, ...]
    results: tuple[Group, ...]
    regions: int
    segments: bool
    make: Callable[..., XdslOperation]
    # Infers the result types from the operand types: then they need not be passed.
    infer: Callable[[Sequence[XdslAttribute]], list[XdslAttribute]] | None = None
    attributes_first: bool = False

    @property
    def function_name(self) -> str:
        mnemonic = self.name.partition(".")[2]
        return f"{mnemonic}_" if keyword.iskeyword(mnemonic) else python_name(mnemonic)

    @property
    def positional(self) -> tuple[str, ...]:
        """The parameters that can be passed by position, in order: results, operands, required attributes."""
        results = () if self.infer is not None else tuple(group.parameter for group in self.results)
        operands = tuple(group.parameter for group in self.operands if group.arity != "optional")
        attributes = tuple(attribute.parameter for attribute in self.attributes if attribute.required)
        inputs = (*attributes, *operands) if self.attributes_first else (*operands, *attributes)
        return (*results, *inputs)

    @property
    def optional(self) -> tuple[str, ...]:
        """The optional parameters, which are passed by name."""
        return (
            *(group.parameter for group in self.operands if group.arity == "optional"),
            *(attribute.parameter for attribute in self.attributes if not attribute.required),
            *(("results",) if self.infer is not None else ()),
        )

    @property
    def spellings(self) -> dict[str, str]:
        """The parameters by their names in the function, in snake case: ``fill_value`` for ``fillValue``."""
        return {snake_case(name): name for name in (*self.positional, *self.optional)}

    def python_signature(self, *, function: bool) -> inspect.Signature:
        """Return the signature of the function, or of the class, that ``help`` and editors show."""

        def spelled(name: str) -> str:
            return snake_case(name) if function else name

        by_name = {"loc": None, "ip": None}
        return inspect.Signature(
            [
                *(
                    inspect.Parameter(spelled(name), inspect.Parameter.POSITIONAL_OR_KEYWORD)
                    for name in self.positional
                ),
                *(
                    inspect.Parameter(spelled(name), inspect.Parameter.KEYWORD_ONLY, default=None)
                    for name in (*self.optional, *by_name)
                ),
            ]
        )


def of_row(row: Row) -> Signature:
    """Return the signature of an operation of our dialects."""
    return Signature(
        name=row.name,
        class_name=f"{row.class_name}Op",
        doc=row.summary,
        operands=tuple(Group(name=one.name, arity=one.arity) for one in row.operands),
        attributes=tuple(
            GivenAttribute(
                name=one.name,
                required=not one.optional and one.default is NO_DEFAULT,
                convert=one.kind.make,
            )
            for one in row.attributes
        ),
        results=tuple(Group(name=one.name, arity=one.arity) for one in row.results),
        regions=row.regions or 0,
        segments=row.segments,
        make=operation_class(row.name).create,
    )


def of_class(kind: type[Any]) -> Signature:
    """Return the signature of an operation that xDSL defines."""
    definition = kind.get_irdl_definition()
    properties: Mapping[str, Any] = {**definition.properties, **definition.attributes}
    by_name = dict(definition.accessor_names)
    attributes = {
        by_name.get(accessor, (accessor, ""))[0]: kind_of for accessor, kind_of in properties.items()
    }
    return Signature(
        name=definition.name,
        class_name=f"{kind.__name__.removesuffix('Op').removesuffix('Operation')}Op",
        doc=(kind.__doc__ or "").strip().partition("\n")[0],
        operands=tuple(
            Group(name=name, arity=_arity(one, VarOperandDef, OptOperandDef))
            for name, one in definition.operands
        ),
        attributes=tuple(
            GivenAttribute(
                name=name,
                required=not isinstance(one, OptPropertyDef | OptAttributeDef) and one.default_value is None,
                convert=usual_attribute,
                default=one.default_value,
            )
            for name, one in attributes.items()
            if name != SEGMENTS
        ),
        results=tuple(
            Group(name=name, arity=_arity(one, VarResultDef, OptResultDef))
            for name, one in definition.results
        ),
        regions=len(definition.regions),
        segments=SEGMENTS in definition.properties
        or any(type(option).__name__ == "AttrSizedOperandSegments" for option in definition.options),
        make=kind.create,
    )


def _arity(one: Any, variadic: type, optional: type) -> Arity:
    if isinstance(one, optional):
        return "optional"
    return "variadic" if isinstance(one, variadic) else "one"


def usual_attribute(value: Any) -> XdslAttribute:
    """Return the usual attribute for a Python value. Raises ``TypeError`` for other values."""
    match value:
        case bool():
            return builtin.IntegerAttr(int(value), builtin.i1)
        case int():
            return builtin.IntegerAttr(value, builtin.i64)
        case float():
            return builtin.FloatAttr(value, builtin.f64)
        case str():
            return builtin.StringAttr(value)
        case XdslAttribute():
            return value
    raise TypeError(f"expected an attribute, got {value!r}")


@cache
def segment_sizes(sizes: tuple[int, ...]) -> XdslAttribute:
    """The sizes of the operand groups, as an attribute."""
    return DenseArrayBase.from_list(i32, sizes)
