"""The operations of ``emitc`` in MLIR's own form, as ``mlir-opt`` prints them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    i1,
    i64,
)
from xdsl.dialects.emitc import EmitC_ArrayType, EmitC_LValueType
from xdsl.dialects.utils import parse_func_op_like
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser

from ttl.emitc.shapes import BINARY, UNARY

_PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "three_way")
_GLOBAL_WORDS = ("extern", "static", "const")
Attributes = dict[str, Attribute]
OpT = TypeVar("OpT", bound=IRDLOperation)


def parse_operation(kind: type[OpT], parser: Parser) -> OpT:
    """Parse an operation after its name."""
    name = kind.name.removeprefix("emitc.")
    if name not in _FORMS:
        parser.raise_error(f"'{kind.name}' has the generic form only: \"{kind.name}\"(...)")
    op: OpT = _FORMS[name](kind, parser)
    return op


def _create(
    kind: type[OpT],
    operands: Sequence[SSAValue] = (),
    results: Sequence[Attribute] = (),
    attributes: Mapping[str, Attribute] = MappingProxyType({}),
    regions: Sequence[Region] = (),
) -> OpT:
    known = kind.get_irdl_definition().properties
    return kind.create(
        operands=operands,
        result_types=results,
        properties={key: value for key, value in attributes.items() if key in known},
        attributes={key: value for key, value in attributes.items() if key not in known},
        regions=regions,
    )


def _function_type(parser: Parser) -> FunctionType:
    parser.parse_punctuation(":")
    position = parser.pos
    type_ = parser.parse_type()
    if not isinstance(type_, FunctionType):
        parser.raise_error("expected a function type", position, parser.pos)
    return type_


def _functional(kind: type[OpT], parser: Parser) -> OpT:
    """``%a, %b {...} : (i32, i32) -> i32``; logical operations have only the types of operands."""
    position = parser.pos
    operands = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    attributes = parser.parse_optional_attr_dict()
    if kind.name.startswith("emitc.logical_"):
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return _create(kind, parser.resolve_operands(operands, types, position), [i1], attributes)
    types_of = _function_type(parser)
    given = parser.resolve_operands(operands, types_of.inputs.data, position)
    return _create(kind, given, types_of.outputs.data, attributes)


def _compared(kind: type[OpT], parser: Parser) -> OpT:
    word = parser.parse_identifier(" for the predicate")
    if word not in _PREDICATES:
        parser.raise_error(f"expected one of {', '.join(_PREDICATES)}")
    parser.parse_punctuation(",")
    op = _functional(kind, parser)
    op.properties["predicate"] = IntegerAttr(_PREDICATES.index(word), i64)
    return op


def _call(kind: type[OpT], parser: Parser, *, of_symbol: bool = False, name: str = "callee") -> OpT:
    """``"f"(%a) {...} : (i32) -> i32``, or ``@f(%a)``."""
    callee: Attribute
    if of_symbol:
        callee = SymbolRefAttr(parser.parse_symbol_name())
    else:
        callee = StringAttr(parser.parse_str_literal())
    position = parser.pos
    operands = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
    attributes = {name: callee, **parser.parse_optional_attr_dict()}
    types = _function_type(parser)
    return _create(
        kind, parser.resolve_operands(operands, types.inputs.data, position), types.outputs.data, attributes
    )


def _typed_operand(parser: Parser) -> SSAValue:
    operand = parser.parse_unresolved_operand()
    parser.parse_punctuation(":")
    return parser.resolve_operand(operand, parser.parse_type())


def _assign(kind: type[OpT], parser: Parser) -> OpT:
    value = _typed_operand(parser)
    parser.parse_keyword("to")
    return _create(kind, [_typed_operand(parser), value])


def _cast(kind: type[OpT], parser: Parser) -> OpT:
    operand = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    value = parser.resolve_operand(operand, parser.parse_type())
    parser.parse_keyword("to")
    return _create(kind, [value], [parser.parse_type()], attributes)


def _load(kind: type[OpT], parser: Parser) -> OpT:
    value = _typed_operand(parser)
    held = value.type.value_type if isinstance(value.type, EmitC_LValueType) else value.type
    return _create(kind, [value], [held])


def _conditional(kind: type[OpT], parser: Parser) -> OpT:
    position = parser.pos
    operands = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    return _create(kind, parser.resolve_operands(operands, [i1, type_, type_], position), [type_])


def _include(kind: type[OpT], parser: Parser) -> OpT:
    if parser.parse_optional_punctuation("<"):
        name = parser.parse_str_literal()
        parser.parse_punctuation(">")
        return _create(kind, attributes={"include": StringAttr(name), "is_standard_include": UnitAttr()})
    return _create(kind, attributes={"include": StringAttr(parser.parse_str_literal())})


def _literal(kind: type[OpT], parser: Parser) -> OpT:
    text = parser.parse_str_literal()
    parser.parse_punctuation(":")
    return _create(kind, results=[parser.parse_type()], attributes={"value": StringAttr(text)})


def _verbatim(kind: type[OpT], parser: Parser) -> OpT:
    text = parser.parse_str_literal()
    operands: Sequence[SSAValue] = ()
    if parser.parse_optional_keyword("args"):
        operands = _typed_operands(parser)
    return _create(
        kind, operands, attributes={"value": StringAttr(text), **parser.parse_optional_attr_dict()}
    )


def _typed_operands(parser: Parser) -> Sequence[SSAValue]:
    position = parser.pos
    operands = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return parser.resolve_operands(operands, types, position)


def _end(kind: type[OpT], parser: Parser) -> OpT:
    """``emitc.return``, ``emitc.yield %a : i32``."""
    operand = parser.parse_optional_unresolved_operand()
    if operand is None:
        return _create(kind)
    parser.parse_punctuation(":")
    return _create(kind, [parser.resolve_operand(operand, parser.parse_type())])


def _subscript(kind: type[OpT], parser: Parser) -> OpT:
    position = parser.pos
    array = parser.parse_unresolved_operand()
    indices = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
    types = _function_type(parser)
    operands = parser.resolve_operands([array, *indices], types.inputs.data, position)
    return _create(kind, operands, types.outputs.data)


def _with_body(parser: Parser, arguments: Sequence[Parser.Argument] = ()) -> Region:
    """Parse a region, and add the terminator that its text omits."""
    region = parser.parse_region(arguments or None)
    if not region.blocks:
        region.add_block(Block())
    block = region.blocks[-1]
    if block.last_op is None or block.last_op.name not in ("emitc.yield", "emitc.return", "func.return"):
        block.add_op(parser.ctx.get_op("emitc.yield").create())
    return region


def _for(kind: type[OpT], parser: Parser) -> OpT:
    counter = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=")
    first = parser.parse_unresolved_operand()
    parser.parse_keyword("to")
    end = parser.parse_unresolved_operand()
    parser.parse_keyword("step")
    step = parser.parse_unresolved_operand()
    type_: Attribute = IndexType()
    if parser.parse_optional_punctuation(":"):
        type_ = parser.parse_type()
    bounds = [parser.resolve_operand(operand, type_) for operand in (first, end, step)]
    return _create(kind, bounds, regions=[_with_body(parser, [counter.resolve(type_)])])


def _if(kind: type[OpT], parser: Parser) -> OpT:
    condition = parser.resolve_operand(parser.parse_unresolved_operand(), i1)
    then = _with_body(parser)
    otherwise = _with_body(parser) if parser.parse_optional_keyword("else") else Region()
    return _create(kind, [condition], regions=[then, otherwise])


def _switch(kind: type[OpT], parser: Parser) -> OpT:
    value = _typed_operand(parser)
    numbers, regions = [], []
    while parser.parse_optional_keyword("case"):
        numbers.append(parser.parse_integer())
        regions.append(_with_body(parser))
    parser.parse_keyword("default")
    default = _with_body(parser)
    cases = DenseArrayBase.from_list(i64, numbers)
    return _create(kind, [value], attributes={"cases": cases}, regions=[default, *regions])


def _expression(kind: type[OpT], parser: Parser) -> OpT:
    position = parser.pos
    operands = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    attributes: Attributes = {}
    if parser.parse_optional_keyword("noinline"):
        attributes["do_not_inline"] = UnitAttr()
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    if not operands:
        return _create(kind, results=[type_], attributes=attributes, regions=[_with_body(parser)])
    if not isinstance(type_, FunctionType):
        parser.raise_error("expected a function type", position, parser.pos)
    # The body uses the names of the operands outside, so that it is parsed as the form without operands.
    parser.resolve_operands(operands, type_.inputs.data, position)
    return _create(kind, results=type_.outputs.data, attributes=attributes, regions=[_with_body(parser)])


def _function(kind: type[OpT], parser: Parser) -> OpT:
    for visibility in ("public", "private", "nested"):
        if parser.parse_optional_keyword(visibility):
            break
    name, inputs, outputs, region, attributes, arguments, results = parse_func_op_like(
        parser, reserved_attr_names=("sym_name", "function_type")
    )
    properties: Attributes = dict(attributes.data) if attributes is not None else {}
    properties |= {"sym_name": StringAttr(name), "function_type": FunctionType.from_lists(inputs, outputs)}
    if arguments is not None:
        properties["arg_attrs"] = arguments
    if results is not None:
        properties["res_attrs"] = results
    return _create(kind, attributes=properties, regions=[region])


def _declare(kind: type[OpT], parser: Parser) -> OpT:
    return _create(kind, attributes={"sym_name": SymbolRefAttr(parser.parse_symbol_name())})


def _global(kind: type[OpT], parser: Parser) -> OpT:
    attributes: Attributes = {}
    for word in _GLOBAL_WORDS:
        if parser.parse_optional_keyword(word):
            attributes[f"{word}_specifier"] = UnitAttr()
    attributes["sym_name"] = parser.parse_symbol_name()
    parser.parse_punctuation(":")
    type_ = attributes["type"] = parser.parse_type()
    if parser.parse_optional_punctuation("="):
        attributes["initial_value"] = _initial(parser, type_)
    return _create(kind, attributes=attributes)


def _initial(parser: Parser, type_: Attribute) -> Attribute:
    if isinstance(type_, EmitC_ArrayType) and parser.parse_optional_keyword("dense"):
        return parser.parse_dense_int_or_fp_elements_attr(
            TensorType(type_.get_element_type(), list(type_.get_shape()))
        )
    value = parser.parse_attribute()
    # A number without a type has the type of the variable.
    match value:
        case IntegerAttr() if isinstance(type_, IntegerType | IndexType):
            return IntegerAttr(value.value.data, type_)
        case FloatAttr() if isinstance(type_, AnyFloat):
            return FloatAttr(value.value.data, type_)
    return value


def _get_global(kind: type[OpT], parser: Parser) -> OpT:
    name = SymbolRefAttr(parser.parse_symbol_name())
    parser.parse_punctuation(":")
    return _create(kind, results=[parser.parse_type()], attributes={"name": name})


def _file(kind: type[OpT], parser: Parser) -> OpT:
    identifier = StringAttr(parser.parse_str_literal())
    return _create(kind, attributes={"id": identifier}, regions=[parser.parse_region()])


_FORMS: Mapping[str, Callable[[Any, Parser], Any]] = MappingProxyType(
    {
        **dict.fromkeys((*BINARY, *UNARY), _functional),
        "apply": partial(_call, name="applicableOperator"),
        "assign": _assign,
        "call": partial(_call, of_symbol=True),
        "call_opaque": _call,
        "cast": _cast,
        "cmp": _compared,
        "conditional": _conditional,
        "declare_func": _declare,
        "expression": _expression,
        "file": _file,
        "for": _for,
        "func": _function,
        "get_global": _get_global,
        "global": _global,
        "if": _if,
        "include": _include,
        "literal": _literal,
        "load": _load,
        "return": _end,
        "subscript": _subscript,
        "switch": _switch,
        "verbatim": _verbatim,
        "yield": _end,
    }
)
