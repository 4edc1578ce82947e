"""The operations of ``emitc`` that are C++ expressions: their operators, the precedence of these, and inlining."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Operation, SSAValue

from ttl.emitc.dialect import class_of
from ttl.ir.refusals import Refused

EXPRESSION, _APPLY = class_of("expression"), class_of("apply")
# The operators between two operands, and their precedence.
BINARY_OPERATORS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "mul": ("*", 13), "div": ("/", 13), "rem": ("%", 13), "add": ("+", 12), "sub": ("-", 12),
        "bitwise_left_shift": ("<<", 11), "bitwise_right_shift": (">>", 11), "bitwise_and": ("&", 7), "bitwise_xor": ("^", 6),
        "bitwise_or": ("|", 5), "logical_and": ("&&", 4), "logical_or": ("||", 3),
    }
)  # fmt: skip
UNARY_OPERATORS: Mapping[str, str] = MappingProxyType(
    {
        "bitwise_not": "~",
        "logical_not": "!",
        "unary_minus": "-",
        "unary_plus": "+",
        "address_of": "&",
        "dereference": "*",
    }
)
_COMPARISONS = (("==", 8), ("!=", 8), ("<", 9), ("<=", 9), (">", 9), (">=", 9), ("<=>", 10))
_UNARY_LEVEL, _CALL_LEVEL, _CONDITIONAL_LEVEL, LOWEST = 15, 16, 2, 0
# The operations that are C++ expressions, and those among them that have an effect.
EXPRESSIONS = frozenset(
    {
        *BINARY_OPERATORS,
        *UNARY_OPERATORS,
        "apply",
        "call",
        "call_opaque",
        "cast",
        "cmp",
        "conditional",
        "literal",
        "load",
    }
)
_EFFECTS = frozenset({"call", "call_opaque", "load", "dereference"})


def text_of(op: Operation, name: str) -> str:
    """The text of a string attribute. Raises ``Refused``."""
    value = op.properties.get(name)
    if not isinstance(value, StringAttr):
        raise Refused(f"has no text '{name}'", f'what works: {name} = "..."')
    return value.data


def comparison(op: Operation) -> tuple[str, int]:
    """The operator of an ``emitc.cmp``, and its precedence. Raises ``Refused``."""
    predicate = op.properties["predicate"]
    if not isinstance(predicate, IntegerAttr) or not 0 <= predicate.value.data < len(_COMPARISONS):
        raise Refused(
            f"has the predicate {predicate}", f"what works: an integer from 0 to {len(_COMPARISONS) - 1}"
        )
    return _COMPARISONS[predicate.value.data]


def level_of(op: Operation) -> int:
    """Return the precedence of an operator."""
    name = op.name.removeprefix("emitc.")
    if name in BINARY_OPERATORS:
        return BINARY_OPERATORS[name][1]
    match name:
        case "cmp":
            return comparison(op)[1]
        case "conditional":
            return _CONDITIONAL_LEVEL
        case "call" | "call_opaque" | "literal" | "load":
            return _CALL_LEVEL
    return _UNARY_LEVEL


def root_of(expression: Operation) -> Operation:
    """The operation whose value is that of an ``emitc.expression``. Raises ``Refused`` if it is missing."""
    end = expression.regions[0].block.last_op
    owner = end.operands[0].owner if end is not None and end.operands else None
    if not isinstance(owner, Operation):
        raise Refused("computes nothing", "what works: an operation whose result it yields")
    return owner


def is_part_of_expression(op: Operation) -> bool:
    """Whether an operation is in an ``emitc.expression``."""
    around = op.parent_op()
    return isinstance(around, EXPRESSION)


def _has_effect(expression: Operation) -> bool:
    return any(
        op.name.removeprefix("emitc.") in _EFFECTS
        or (isinstance(op, _APPLY) and text_of(op, "applicableOperator") == "*")
        for op in expression.regions[0].block.ops
    )


def is_inlined(expression: Operation) -> bool:
    """Whether an ``emitc.expression`` is written at its use.

    It is if it has no effect and a single use, which is neither in an expression nor in a subscript, unless it has
    ``do_not_inline``.
    """
    result = expression.results[0]
    users = [use.operation for use in result.uses]
    if "do_not_inline" in expression.properties or len(users) != 1 or _has_effect(expression):
        return False
    name = users[0].name.removeprefix("emitc.")
    return name not in EXPRESSIONS and name not in ("expression", "subscript")


def is_inlined_value(value: SSAValue) -> bool:
    """Whether a value is the result of an expression that is written at its use."""
    owner = value.owner
    return isinstance(owner, EXPRESSION) and is_inlined(owner)
