"""Attributes and types of ``builtin`` as MLIR spells them.

A speller gets a function that returns the text of a part, which may be an alias, and writes the rest itself. ``ELIDED`` are the
spellers of attributes that are shorter inside lists, where the usual type of a number is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    BFloat16Type,
    CallSiteLoc,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    DictionaryAttr,
    FileLineColLoc,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    FunctionType,
    FusedLoc,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NameLoc,
    NoneAttr,
    NoneType,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    TupleType,
    UnitAttr,
    UnknownLoc,
    UnrankedMemRefType,
    UnrankedTensorType,
    UnregisteredAttr,
    VectorType,
)
from xdsl.ir import Attribute

from ttl.ir.affine import map_text
from ttl.ir.dense import count_of, is_splat
from ttl.ir.literals import dense_body, element_text, float_text, keyword, quoted, symbol
from ttl.ir.locations import CallLoc, FileRangeLoc


class Spelling(Protocol):
    """The interface that spellers use."""

    # Tables with more elements than this are left out, unless all elements are equal; None for no limit.
    elide_from: int | None
    # Tables with more elements than this are printed as their bytes, unless all elements are equal.
    hex_from: int

    def text_of(self, attribute: Attribute) -> str:
        """Return the text of an attribute or type, which may be an alias."""

    def short_text_of(self, attribute: Attribute) -> str:
        """Return the text of an attribute or type, without the usual types of numbers."""

    def place_of(self, location: Attribute) -> str:
        """Return a location inside another one, without ``loc(...)``."""

    def uses_resource(self, dialect: str, key: str) -> None:
        """Record that the text names a resource, which is printed at the end."""


Speller = Callable[[Any, Spelling], str]


def dimensions(shape: Iterable[int]) -> str:
    """``2x?x``."""
    return "".join(f"{'?' if extent < 0 else extent}x" for extent in shape)


def function_type(inputs: str, outputs: list[str], *, wrapped: bool) -> str:
    """``(inputs) -> output``; ``wrapped``: a single output needs brackets."""
    if len(outputs) == 1 and not wrapped:
        return f"({inputs}) -> {outputs[0]}"
    return f"({inputs}) -> ({', '.join(outputs)})"


def entry(name: str, value: Attribute, text: Spelling) -> str:
    """``name = value`` in a dictionary."""
    return keyword(name) if isinstance(value, UnitAttr) else f"{keyword(name)} = {text.text_of(value)}"


def dictionary(entries: Mapping[str, Attribute], text: Spelling) -> str:
    """``{a = 1 : i32, b}``, by name."""
    return "{" + ", ".join(entry(name, value, text) for name, value in sorted(entries.items())) + "}"


def _integer_type(type: IntegerType, text: Spelling) -> str:
    sign = {Signedness.SIGNED: "s", Signedness.UNSIGNED: "u"}.get(type.signedness.data, "")
    return f"{sign}i{type.width.data}"


def _integer(attribute: IntegerAttr[Any], text: Spelling) -> str:
    type, value = attribute.type, attribute.value.data
    if isinstance(type, IntegerType) and type.width.data == 1 and type.signedness.data == Signedness.SIGNLESS:
        return "true" if value else "false"
    if isinstance(type, IntegerType) and type.signedness.data == Signedness.UNSIGNED:
        value %= 1 << type.width.data
    return f"{value} : {text.text_of(type)}"


def _short_integer(attribute: IntegerAttr[Any], text: Spelling) -> str:
    type = attribute.type
    usual = (
        isinstance(type, IntegerType)
        and type.width.data == 64
        and type.signedness.data == Signedness.SIGNLESS
    )
    return str(attribute.value.data) if usual else _integer(attribute, text)


def _float(attribute: FloatAttr[Any], text: Spelling) -> str:
    return f"{float_text(attribute.value.data, attribute.type)} : {text.text_of(attribute.type)}"


def _short_float(attribute: FloatAttr[Any], text: Spelling) -> str:
    if isinstance(attribute.type, Float64Type):
        return float_text(attribute.value.data, attribute.type)
    return _float(attribute, text)


def _list(attribute: ArrayAttr[Attribute], text: Spelling) -> str:
    return f"[{', '.join(map(text.short_text_of, attribute.data))}]"


def _numbers(attribute: DenseArrayBase[Any], text: Spelling) -> str:
    element = element_text(attribute.elt_type)
    values = ", ".join(map(element, attribute.get_values()))
    return f"array<{text.text_of(attribute.elt_type)}{': ' if values else ''}{values}>"


def _dense(attribute: DenseIntOrFPElementsAttr[Any], text: Spelling) -> str:
    type = text.text_of(attribute.type)
    if text.elide_from is not None and count_of(attribute) > text.elide_from and not is_splat(attribute):
        return f"dense_resource<__elided__> : {type}"
    return f"dense<{dense_body(attribute, text.hex_from)}> : {type}"


def _resource(attribute: DenseResourceAttr, text: Spelling) -> str:
    key = attribute.resource_handle.data
    text.uses_resource("builtin", key)
    return f"dense_resource<{keyword(key)}> : {text.text_of(attribute.type)}"


def _symbol(attribute: SymbolRefAttr, text: Spelling) -> str:
    parts = (attribute.root_reference, *attribute.nested_references.data)
    return "::".join(symbol(part.data) for part in parts)


def _tensor(type: TensorType[Attribute], text: Spelling) -> str:
    encoding = "" if isinstance(type.encoding, NoneAttr) else f", {text.short_text_of(type.encoding)}"
    return f"tensor<{dimensions(type.get_shape())}{text.text_of(type.element_type)}{encoding}>"


def _memref(type: MemRefType[Attribute], text: Spelling) -> str:
    parts = f"{dimensions(type.get_shape())}{text.text_of(type.element_type)}"
    if not (isinstance(type.layout, NoneAttr) or is_identity(type.layout)):
        parts += f", {text.text_of(type.layout)}"
    if not isinstance(type.memory_space, NoneAttr):
        parts += f", {text.short_text_of(type.memory_space)}"
    return f"memref<{parts}>"


def is_identity(layout: Attribute) -> bool:
    """Whether the layout of a memref is the identity, which is not printed."""
    if not isinstance(layout, AffineMapAttr):
        return False
    map = layout.data
    return (
        map.num_symbols == 0
        and len(map.results) == map.num_dims
        and map_text(map).endswith(f"-> ({', '.join(f'd{at}' for at in range(map.num_dims))})")
    )


def _unranked(type: UnrankedMemRefType[Attribute], text: Spelling) -> str:
    space = "" if isinstance(type.memory_space, NoneAttr) else f", {text.short_text_of(type.memory_space)}"
    return f"memref<*x{text.text_of(type.element_type)}{space}>"


def _vector(type: VectorType[Attribute], text: Spelling) -> str:
    extents = zip(type.get_shape(), type.scalable_dims.data)
    shape = "".join(f"[{extent}]x" if scalable else f"{extent}x" for extent, scalable in extents)
    return f"vector<{shape}{text.text_of(type.element_type)}>"


def _function(type: FunctionType, text: Spelling) -> str:
    outputs = type.outputs.data
    return function_type(
        ", ".join(map(text.text_of, type.inputs.data)),
        [text.text_of(output) for output in outputs],
        wrapped=len(outputs) == 1 and isinstance(outputs[0], FunctionType),
    )


def unregistered(attribute: UnregisteredAttr) -> str:
    """Return an undefined attribute or type of a dialect as it was written."""
    mark = "!" if attribute.is_type.data else "#"
    name, body = attribute.attr_name.data, attribute.value.data
    if attribute.is_opaque.data:
        return f"{mark}{name.replace('.', '<', 1)}{body}>"
    return f"{mark}{name}<{body}>" if body else f"{mark}{name}"


def _place(location: FileLineColLoc, text: Spelling) -> str:
    return f"{quoted(location.filename.data)}:{location.line.data}:{location.column.data}"


def _named_place(location: NameLoc, text: Spelling) -> str:
    inner = location.location
    name = quoted(location.desc.data)
    return name if isinstance(inner, NoneAttr | UnknownLoc) else f"{name}({text.place_of(inner)})"


def parts_of(location: FusedLoc) -> tuple[Attribute, ...]:
    """Return the locations that make up a fused location."""
    parts = location.locations
    assert isinstance(parts, ArrayAttr)
    return tuple(parts.data)


def _fused_place(location: FusedLoc, text: Spelling) -> str:
    parts = ", ".join(text.place_of(part) for part in parts_of(location))
    metadata = "" if isinstance(location.metadata, NoneAttr) else f"<{text.text_of(location.metadata)}>"
    return f"fused{metadata}[{parts}]"


def _call_place(location: CallLoc | CallSiteLoc, text: Spelling) -> str:
    return f"callsite({text.place_of(location.callee)} at {text.place_of(location.caller)})"


def _range_place(location: FileRangeLoc, text: Spelling) -> str:
    span = location.data
    end = "" if span.end_line == span.line else str(span.end_line)
    return f"{quoted(span.file)}:{span.line}:{span.column} to {end}:{span.end_column}"


PLACES: Mapping[type[Any], Speller] = MappingProxyType(
    {
        UnknownLoc: lambda location, text: "unknown",
        FileLineColLoc: _place,
        NameLoc: _named_place,
        FusedLoc: _fused_place,
        CallLoc: _call_place,
        CallSiteLoc: _call_place,
        FileRangeLoc: _range_place,
    }
)
SPELLERS: Mapping[type[Any], Speller] = MappingProxyType(
    {
        AffineMapAttr: lambda attribute, text: f"affine_map<{map_text(attribute.data)}>",
        AffineSetAttr: lambda attribute, text: f"affine_set<{attribute.data}>",
        ArrayAttr: _list,
        BFloat16Type: lambda type, text: "bf16",
        ComplexType: lambda type, text: f"complex<{text.text_of(type.element_type)}>",
        DenseArrayBase: _numbers,
        DenseIntOrFPElementsAttr: _dense,
        DenseResourceAttr: _resource,
        DictionaryAttr: lambda attribute, text: dictionary(attribute.data, text),
        Float16Type: lambda type, text: "f16",
        Float32Type: lambda type, text: "f32",
        Float64Type: lambda type, text: "f64",
        FloatAttr: _float,
        FunctionType: _function,
        IndexType: lambda type, text: "index",
        IntegerAttr: _integer,
        IntegerType: _integer_type,
        MemRefType: _memref,
        NoneType: lambda type, text: "none",
        StringAttr: lambda attribute, text: quoted(attribute.data),
        SymbolRefAttr: _symbol,
        TensorType: _tensor,
        TupleType: lambda type, text: f"tuple<{', '.join(map(text.text_of, type.types.data))}>",
        UnitAttr: lambda attribute, text: "unit",
        UnrankedMemRefType: _unranked,
        UnrankedTensorType: lambda type, text: f"tensor<*x{text.text_of(type.element_type)}>",
        VectorType: _vector,
        **{
            kind: (lambda location, text: f"loc({PLACES[type(location)](location, text)})") for kind in PLACES
        },
    }
)
ELIDED: Mapping[type[Any], Speller] = MappingProxyType({IntegerAttr: _short_integer, FloatAttr: _short_float})
