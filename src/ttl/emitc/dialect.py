"""The operations of ``emitc``. They are read in MLIR's own form, too, and printed in the generic one, which every version reads.

Where versions of MLIR differ, both forms are: of MLIR 19 a variable is used as it is, later ones load what is in it. xDSL has three
of the operations; types and opaque attributes are its.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.emitc import (
    EmitC_ArrayType,
    EmitC_LValueType,
    EmitC_OpaqueAttr,
    EmitC_OpaqueType,
    EmitC_PointerType,
    EmitC_PtrDiffT,
    EmitC_SignedSizeT,
    EmitC_SizeT,
)
from xdsl.ir import Attribute, Block, Dialect, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator, OpTrait, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException


@dataclass(frozen=True, slots=True)
class OperationShape:
    """How many operands (None: any), results and regions an operation has, and its attributes."""

    operands: int | None
    results: int | None = 0
    regions: int | None = 0
    attributes: tuple[str, ...] = ()


BINARY = (
    "add", "sub", "mul", "div", "rem", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
    "bitwise_right_shift", "logical_and", "logical_or",
)  # fmt: skip
UNARY = (
    "bitwise_not",
    "logical_not",
    "unary_minus",
    "unary_plus",
    "address_of",
    "dereference",
)
SHAPES: Mapping[str, OperationShape] = MappingProxyType(
    {
        "file": OperationShape(0, regions=1, attributes=("id",)),
        "include": OperationShape(0, attributes=("include", "is_standard_include")),
        "global": OperationShape(
            0,
            attributes=(
                "sym_name", "type", "initial_value", "extern_specifier", "static_specifier", "const_specifier",
            ),
        ),
        "get_global": OperationShape(0, 1, attributes=("name",)),
        "declare_func": OperationShape(0, attributes=("sym_name",)),
        "func": OperationShape(0, regions=1, attributes=("sym_name", "function_type", "specifiers")),
        "call": OperationShape(None, None, attributes=("callee",)),
        "return": OperationShape(None),
        "verbatim": OperationShape(None, attributes=("value",)),
        "constant": OperationShape(0, 1, attributes=("value",)),
        "literal": OperationShape(0, 1, attributes=("value",)),
        "variable": OperationShape(0, 1, attributes=("value",)),
        "assign": OperationShape(2),
        "load": OperationShape(1, 1),
        "subscript": OperationShape(None, 1),
        "member": OperationShape(1, 1, attributes=("member",)),
        "member_of_ptr": OperationShape(1, 1, attributes=("member",)),
        "apply": OperationShape(1, 1, attributes=("applicableOperator",)),
        "cast": OperationShape(1, 1),
        "call_opaque": OperationShape(None, None, attributes=("callee", "args", "template_args")),
        **dict.fromkeys(BINARY, OperationShape(2, 1)),
        "cmp": OperationShape(2, 1, attributes=("predicate",)),
        **dict.fromkeys(UNARY, OperationShape(1, 1)),
        "conditional": OperationShape(3, 1),
        "expression": OperationShape(None, 1, 1, attributes=("do_not_inline",)),
        "for": OperationShape(3, regions=1),
        "if": OperationShape(1, regions=2),
        "switch": OperationShape(1, regions=None, attributes=("cases",)),
        "yield": OperationShape(None),
    }
)  # fmt: skip
_TRAITS: Mapping[str, tuple[OpTrait, ...]] = MappingProxyType(
    {
        "file": (NoTerminator(), IsolatedFromAbove()),
        "func": (IsolatedFromAbove(), SymbolOpInterface()),
        "global": (SymbolOpInterface(),),
        "return": (IsTerminator(),),
        "yield": (IsTerminator(),),
    }
)
# Attributes that need not be there.
_OPTIONAL = frozenset(
    {
        *("is_standard_include", "args", "template_args", "specifiers", "do_not_inline"),
        *("initial_value", "extern_specifier", "static_specifier", "const_specifier"),
    }
)


class EmitcOp(IRDLOperation):
    """An operation of ``emitc``; ``SHAPES`` says what it has."""

    arguments = var_operand_def()
    res = var_result_def()
    bodies = var_region_def()

    @classmethod
    def parse(cls, parser: Parser) -> EmitcOp:
        from ttl.emitc.syntax import parse_operation

        return parse_operation(cls, parser)

    def verify_(self) -> None:
        shape = SHAPES[self.name.removeprefix("emitc.")]
        result = (len(self.operands), len(self.results), len(self.regions))
        for what, wanted, is_there in zip(
            ("operands", "results", "regions"),
            (shape.operands, shape.results, shape.regions),
            result,
            strict=True,
        ):
            if wanted is not None and wanted != is_there:
                raise VerifyException(f"{self.name} has {wanted} {what}, not {is_there}")
        for name in shape.attributes:
            if name not in _OPTIONAL and name not in self.properties:
                raise VerifyException(f"{self.name} has the attribute {name}")


@cache
def class_of(name: str) -> type[EmitcOp]:
    """The class of an operation, by its name without ``emitc.``. Raises KeyError."""
    shape = SHAPES[name]
    kind = type(
        f"{name.title().replace('_', '')}Op",
        (EmitcOp,),
        {
            "name": f"emitc.{name}",
            "traits": traits_def(*_TRAITS.get(name, ())),
            **{
                f"{attribute}_attr": opt_prop_def(Attribute, prop_name=attribute)
                for attribute in shape.attributes
            },
        },
    )
    return irdl_op_definition(kind)


@cache
def emitc() -> Dialect:
    """The dialect, for a context to read text with."""
    types = (
        EmitC_ArrayType, EmitC_LValueType, EmitC_OpaqueType, EmitC_PointerType, EmitC_PtrDiffT, EmitC_SignedSizeT, EmitC_SizeT,
    )  # fmt: skip
    return Dialect("emitc", [class_of(name) for name in SHAPES], [*types, EmitC_OpaqueAttr])


def operation(
    name: str,
    *operands: SSAValue,
    results: Sequence[Attribute] = (),
    regions: Sequence[Block | None] = (),
    **attributes: Attribute | None,
) -> EmitcOp:
    """An operation; a region is given by its block, None for one without."""
    result: Any = class_of(name)
    created: EmitcOp = result.create(
        operands=operands,
        result_types=results,
        regions=[Region([]) if block is None else Region([block]) for block in regions],
        properties={key: value for key, value in attributes.items() if value is not None},
    )
    return created


def opaque(text: str) -> EmitC_OpaqueAttr:
    """C++ as an attribute."""
    return EmitC_OpaqueAttr(StringAttr(text))
