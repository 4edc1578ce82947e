"""C++ expressions with the fewest parentheses that are right and give no compiler warning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from xdsl.ir import Operation

from ttl.diag import error
from ttl.diag.errors import InternalError
from ttl.diag.internal import CODE
from ttl.ir.locations import span_of


def unprintable(op: Operation, why: str) -> InternalError:
    """The error for an operation that has no C++."""
    finding = error(
        CODE,
        f"internal error: {op.name} cannot be printed as C++: {why}",
        notes=("this is a defect of ttlang, not of your program",),
        help="please report it with this text and the program",
    )
    span = span_of(op)
    return InternalError(finding if span is None else finding.at(span))


CType = str

# The precedence of operators; "" stands for texts that never need parentheses: a name, a number, a call.
_LEVEL: Mapping[str, int] = {
    "": 16, "unary": 15, "*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11,
    "<": 9, "<=": 9, ">": 9, ">=": 9, "==": 8, "!=": 8, "&": 7, "^": 6, "|": 5, "&&": 4, "||": 3, "?": 2,
}  # fmt: skip
# Operators for whose operands compilers request parentheses, unless they bind as strongly as a unary operator.
_CAUTIOUS = frozenset({"<<", ">>", "&", "^", "|"})
_ASSOCIATIVE = frozenset({"+", "*", "&", "^", "|", "&&", "||"})
OPPOSITE: Mapping[str, str] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
# Numbers this large are addresses or bits.
_LEAST_HEXADECIMAL = 2**24
_COMPARISONS = frozenset(OPPOSITE)
# Types whose sums and products depend on their order.
_ROUNDED = ("float", "double")


@dataclass(frozen=True, slots=True)
class CppExpr:
    """An expression: its text, its outermost operator, and its C++ type.

    ``opposite`` is the text of the opposite comparison, ``inner`` the operand of a minus, ``denied`` the operand of a
    ``!``. ``number`` is the value of a literal. ``names`` are the variables in it, ``signs`` its operators except a
    minus before an operand, and ``is_flat`` says that it has no parentheses.
    """

    text: str
    ctype: CType = "uint32_t"
    top: str = ""
    opposite: str | None = None
    number: int | None = None
    inner: CppExpr | None = None
    denied: CppExpr | None = None
    names: frozenset[str] = frozenset()
    signs: tuple[str, ...] = ()
    is_flat: bool = True
    # Whether the operators at the top are multiplications only, without a division beside them.
    is_product: bool = False

    @property
    def is_literal(self) -> bool:
        """Whether it is a literal number."""
        return self.number is not None

    @property
    def is_simple(self) -> bool:
        """Whether it is a name or a literal, which may be written many times."""
        return self.text.isidentifier() or self.is_literal

    @property
    def is_unsigned(self) -> bool:
        """Whether C++ compares and divides it as unsigned."""
        return self.ctype in ("uint32_t", "uint64_t")


def name(text: str, ctype: CType = "uint32_t") -> CppExpr:
    """A variable, or a text that is used like one."""
    is_variable = text.isidentifier()
    return CppExpr(text, ctype, names=frozenset([text] if is_variable else ()), is_flat=is_variable)


def literal(number: int) -> CppExpr:
    """Return an integer literal. One that is an ``int`` takes the type of the other operand."""
    if number < -(2**31) or number >= 2**63:
        is_signed = number < 0
        text = f"INT64_C({number})" if is_signed else f"UINT64_C({number:#x})"
        return CppExpr(text, "int64_t" if is_signed else "uint64_t", number=number, is_flat=False)
    if number >= 2**32:
        return CppExpr(f"INT64_C({number})", "int64_t", number=number, is_flat=False)
    if number >= 2**31:
        return CppExpr(f"{number:#x}u", "uint32_t", number=number)
    if number >= _LEAST_HEXADECIMAL:
        return CppExpr(f"{number:#x}", "int32_t", number=number)
    if number == -(2**31):
        return CppExpr("INT32_MIN", "int32_t", number=number)
    return CppExpr(str(number), "int32_t", "unary" if number < 0 else "", number=number)


def truth(value: bool) -> CppExpr:
    """``true`` or ``false``."""
    return CppExpr("true" if value else "false", "bool", number=int(value))


def call(function: str, *arguments: CppExpr, ctype: CType) -> CppExpr:
    """A function applied to arguments."""
    text = f"{function}({', '.join(argument.text for argument in arguments)})"
    return CppExpr(text, ctype, names=_names(*arguments), signs=_signs(*arguments), is_flat=False)


def element(array: str, index: CppExpr, ctype: CType) -> CppExpr:
    """An element of an array."""
    names = index.names | {array}
    return CppExpr(f"{array}[{index.text}]", ctype, names=names, signs=index.signs, is_flat=index.is_flat)


def _names(*operands: CppExpr) -> frozenset[str]:
    return frozenset().union(*(operand.names for operand in operands))


def _signs(*operands: CppExpr) -> tuple[str, ...]:
    return tuple(sign for operand in operands for sign in operand.signs)


def converted(operand: CppExpr, ctype: CType) -> CppExpr:
    """Convert an expression to another type; a literal that takes any type needs no conversion."""
    if operand.ctype == ctype or (
        operand.is_literal and operand.ctype == "int32_t" and ctype not in ("float", "double")
    ):
        return operand
    return call(ctype, operand, ctype=ctype)


def wider(a: CppExpr, b: CppExpr) -> CType:
    """The C++ type of the sum of two expressions."""
    for ctype in ("double", "float", "uint64_t", "int64_t", "uint32_t"):
        if ctype in (a.ctype, b.ctype):
            # A literal that takes any type is an int, which has the lowest rank.
            return ctype
    return "int32_t"


def infix(left: CppExpr, operator: str, right: CppExpr, ctype: CType) -> CppExpr:
    """``left operator right``; ``-b + a`` and ``a + -b`` are written ``a - b``."""
    if operator == "+" and right.inner is not None:
        operator, right = "-", right.inner
    elif operator == "+" and left.inner is not None:
        first_inner = left.inner
        left, operator, right = right, "-", first_inner
    first = _wrapped(left, operator, is_right=False)
    second = _wrapped(right, operator, is_right=True, regroups=ctype not in _ROUNDED)
    opposite = f"{first} {OPPOSITE[operator]} {second}" if operator in OPPOSITE else None
    return CppExpr(
        f"{first} {operator} {second}",
        ctype,
        operator,
        opposite,
        names=_names(left, right),
        signs=(*left.signs, operator, *right.signs),
        is_flat=left.is_flat and right.is_flat and (first, second) == (left.text, right.text),
        is_product=operator == "*"
        and (first != left.text or _LEVEL[left.top] > _LEVEL["*"] or left.is_product),
    )


def _wrapped(operand: CppExpr, operator: str, *, is_right: bool, regroups: bool = True) -> str:
    level, own = _LEVEL[operator], _LEVEL[operand.top]
    if operator in _CAUTIOUS:
        bare = own >= _LEVEL["unary"] or (operand.top == operator and operator in _ASSOCIATIVE)
    elif operator in _COMPARISONS:
        bare = own >= _LEVEL["<<"]
    elif operator == "||" and operand.top == "&&":
        bare = False
    elif own == level:
        # ``a + (b - c)`` equals ``a + b - c``, but ``a * (b / c)`` and ``a * (b % c * d)`` differ from ``a * b / c``
        # and ``a * b % c * d``.
        is_alike = operand.is_product if operator == "*" else operand.top == operator or operator == "+"
        bare = not is_right or (operator in _ASSOCIATIVE and is_alike and regroups)
    else:
        bare = own > level
    if is_right and operand.text.startswith("-"):
        bare = False
    return operand.text if bare else f"({operand.text})"


def prefix(operator: str, operand: CppExpr, ctype: CType) -> CppExpr:
    """``-x`` or ``!x``."""
    bare = _LEVEL[operand.top] >= _LEVEL[""]
    text = f"{operator}{operand.text}" if bare else f"{operator}({operand.text})"
    return CppExpr(
        text,
        ctype,
        "unary",
        inner=operand if operator == "-" else None,
        names=operand.names,
        signs=operand.signs if operator == "-" else (operator, *operand.signs),
        is_flat=bare and operand.is_flat,
    )


def negation(operand: CppExpr) -> CppExpr:
    """The opposite of a condition."""
    if operand.is_literal:
        return truth(not operand.number)
    if operand.opposite is not None:
        operator = OPPOSITE[operand.top]
        return replace(operand, text=operand.opposite, top=operator, opposite=operand.text)
    if operand.denied is not None:
        return operand.denied
    return replace(prefix("!", operand, "bool"), denied=operand)


def conditional(condition: CppExpr, then: CppExpr, otherwise: CppExpr) -> CppExpr:
    """``condition ? then : otherwise``, which has the type that C++ gives it."""
    first = condition.text if _LEVEL[condition.top] > _LEVEL["?"] else f"({condition.text})"
    middle = then.text if _LEVEL[then.top] > _LEVEL["?"] else f"({then.text})"
    return CppExpr(
        f"{first} ? {middle} : {otherwise.text}",
        then.ctype if then.ctype == otherwise.ctype else wider(then, otherwise),
        "?",
        names=_names(condition, then, otherwise),
        signs=(*condition.signs, "?", *then.signs, ":", *otherwise.signs),
        is_flat=condition.is_flat
        and then.is_flat
        and otherwise.is_flat
        and (first, middle) == (condition.text, then.text),
    )
