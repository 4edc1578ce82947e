"""The shapes of the operations of ``emitc``: the table of the dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class OperationShape:
    """The numbers of operands (None: any), results and regions of an operation, and its attributes."""

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
