"""Arithmetic of MLIR as C++.

An operation is defined as on unbounded integers, and its result fits 64 bits. Where the intervals of its numbers fit 32
bits, C++ computes modulo 2**32; sums, differences, products and bits are right with any types. Casts are necessary
where the sign counts: to compare, to divide, to shift to the right, and to convert to 64 bits. Other operations are
computed in 64 bits with a sign (``_long``), to which every operand is converted first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerType
from xdsl.ir import Operation, SSAValue

from ttl.analysis.arithmetic import integer_of, is_bool, modulo_of, negated_of
from ttl.analysis.intervals import FIRST_UNSIGNED, LONG, SHORT, exactly
from ttl.analysis.ranges import Ranges
from ttl.codegen.cpp.demand import inputs_of
from ttl.codegen.cpp.expr import (
    CppExpr,
    call,
    conditional,
    converted,
    infix,
    literal,
    name,
    negation,
    prefix,
    truth,
    wider,
)
from ttl.codegen.cpp.types import bits_of, float_type, is_long, is_long_index, type_of
from ttl.kernel_api import fabric
from ttl.kernel_api.literals import literal as constant_text

# Division of numbers that may be negative, with the rounding of Python. A file defines the helpers that it uses.
_BODIES: Mapping[str, str] = {
    "floor_div": "a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0)",
    "floor_mod": "a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0)",
    "ceil_div": "a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0)",
}
HELPERS: Mapping[str, str] = {
    f"{name}{suffix}": f"static inline {ctype} {name}{suffix}({ctype} a, {ctype} b) {{\n    return {body};\n}}\n"
    for name, body in _BODIES.items()
    for suffix, ctype in (("", "int32_t"), ("_64", "int64_t"))
} | {
    "dfb_descriptor": "template <uint32_t Index, uint32_t Pages, uint32_t Blocks, uint32_t Bytes>\nstruct dfb_descriptor {\n"
    "    static constexpr uint32_t index = Index, pages_per_block = Pages, block_count = Blocks, page_size = Bytes;\n};\n",
    **fabric.HELPERS,
}

# The largest number that is added to a dividend to make it positive.
_MOST_ADDED = 2**16

_PLAIN: Mapping[type[Operation], str] = {arith.AddiOp: "+", arith.SubiOp: "-", arith.MuliOp: "*"}
_BITS: Mapping[type[Operation], tuple[str, str]] = {
    arith.AndIOp: ("&", "&&"),
    arith.OrIOp: ("|", "||"),
    arith.XOrIOp: ("^", "!="),
}
_PREDICATES = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
# The predicates of ``arith.cmpf`` that are operators of C++, and the numbers of the relations in ``emitc``.
FLOAT_PREDICATES: Mapping[int, tuple[str, int]] = {
    1: ("==", 0), 2: (">", 4), 3: (">=", 5), 4: ("<", 2), 5: ("<=", 3), 13: ("!=", 1),
}  # fmt: skip
_LONG_OPERATORS: Mapping[type[Operation], str] = {
    **_PLAIN,
    **{kind: sign for kind, (sign, _) in _BITS.items()},
    arith.ShLIOp: "<<",
    arith.ShRSIOp: ">>",
    arith.ShRUIOp: ">>",
    arith.DivSIOp: "/",
    arith.DivUIOp: "/",
    arith.RemSIOp: "%",
    arith.RemUIOp: "%",
}
_FLOATS: Mapping[type[Operation], str] = {
    arith.AddfOp: "+",
    arith.SubfOp: "-",
    arith.MulfOp: "*",
    arith.DivfOp: "/",
}
_SAME_NUMBER = (
    arith.IndexCastOp,
    arith.ExtUIOp,
    arith.ExtSIOp,
    arith.TruncIOp,
)


class ArithmeticPrinter:
    """Expressions for the operations of ``arith`` in one kernel.

    ``use`` returns the expression of an operand. ``helpers`` and ``headers`` collect the names that the file must
    define or include.
    """

    def __init__(self, ranges: Ranges, use: Callable[[SSAValue], CppExpr]) -> None:
        self._ranges = ranges
        self._use = use
        self._numbers: dict[SSAValue, CppExpr | None] = {}
        self.helpers: set[str] = set()
        self.headers: set[str] = set()

    def expression(self, op: Operation) -> CppExpr | None:
        """The C++ of an operation of ``arith``; None for other operations."""
        if not op.name.startswith("arith."):
            return None
        if len(op.results) == 1 and (known := self.known(op.results[0])) is not None:
            return known
        if is_long(op, self._ranges):
            return self._narrowed(op.results[0], self._long(op))
        if (sign := _PLAIN.get(type(op))) is not None:
            return self._plain(op, sign)
        if (signs := _BITS.get(type(op))) is not None:
            return self._bits(op, *signs)
        if (sign := _FLOATS.get(type(op))) is not None:
            left, right = self._operands(op)
            return infix(left, sign, right, float_type(op.results[0]))
        match op:
            case arith.ConstantOp():
                return self._constant(op)
            case arith.CmpiOp():
                return self._comparison(op)
            case arith.CmpfOp():
                left, right = self._operands(op)
                return infix(left, FLOAT_PREDICATES[op.predicate.value.data][0], right, "bool")
            case arith.SelectOp():
                return self.choice(op.cond, op.lhs, op.rhs, op.result)
            case arith.ShLIOp():
                left, right = self._operands(op)
                if left.is_literal:
                    left = (
                        CppExpr(f"{left.text}u", "uint32_t")
                        if left.top == ""
                        else converted(left, "uint32_t")
                    )
                return infix(left, "<<", right, left.ctype)
            case arith.ShRSIOp() | arith.ShRUIOp():
                left, right = self._operands(op)
                left = (
                    self._signed(op.lhs, left)
                    if isinstance(op, arith.ShRSIOp) and self._keeps_sign(op.lhs)
                    else self._unsigned(left, op.lhs)
                )
                return infix(left, ">>", right, left.ctype)
            case _ if isinstance(op, _SAME_NUMBER):
                return self._cast(op)
        return self._division(op) or self._least(op) or self._float(op)

    def known(self, value: SSAValue) -> CppExpr | None:
        """The literal of a value that can only be one number; None for other values."""
        if value not in self._numbers:
            self._numbers[value] = self._number(value)
        return self._numbers[value]

    def _number(self, value: SSAValue) -> CppExpr | None:
        only = self._ranges.of(value).only
        if is_bool(value):
            return None if only is None else truth(bool(only))
        if only is None or not -(2 ** (self._bits_of(value) - 1)) <= only < 2 ** self._bits_of(value):
            return None
        return literal(only)

    def _operands(self, op: Operation) -> tuple[CppExpr, CppExpr]:
        return self._use(op.operands[0]), self._use(op.operands[1])

    def _plain(self, op: Operation, sign: str) -> CppExpr:
        if (modulo := modulo_of(op)) is not None:
            return self._modulo(*modulo)
        left, right = self._operands(op)
        if sign == "-" and left.number == 0:
            return prefix("-", right, wider(left, right))
        for factor, other in ((left, right), (right, left)):
            if sign == "*" and factor.number == -1:
                return prefix("-", other, wider(left, right))
        if sign == "+" and left.is_literal and not right.is_literal:
            left, right = right, left
        if sign in "+-" and right.number is not None and -(2**31) < right.number < 0:
            sign, right = "-" if sign == "+" else "+", literal(-right.number)
        ctype = wider(left, right)
        if ctype == "int32_t" and not self._ranges.of(op.results[0]).fits_signed(SHORT):
            # The number is larger than an int, whose arithmetic does not wrap.
            left, ctype = call("uint32_t", left, ctype="uint32_t"), "uint32_t"
        return infix(left, sign, right, ctype)

    def _bits(self, op: Operation, sign: str, logical: str) -> CppExpr:
        if (condition := negated_of(op)) is not None:
            return negation(self._use(condition))
        left, right = self._operands(op)
        if is_bool(op.results[0]):
            return infix(left, logical, right, "bool")
        return infix(left, sign, right, wider(left, right))

    def _constant(self, op: arith.ConstantOp) -> CppExpr | None:
        if isinstance(op.value, FloatAttr):
            ctype = float_type(op.result)
            text = constant_text(ctype, op.value.value.data)
            return CppExpr(
                text, ctype, "unary" if text.startswith("-") else "", is_flat=not text.endswith(")")
            )
        number = integer_of(op.result)
        return None if number is None else literal(number)

    def _comparison(self, op: arith.CmpiOp) -> CppExpr:
        predicate = op.predicate.value.data
        if is_bool(op.lhs):
            left, right = self._operands(op)
            return infix(left, _PREDICATES[predicate], right, "bool")
        if predicate >= FIRST_UNSIGNED:
            left, right = (self._unsigned(self._use(value), value) for value in (op.lhs, op.rhs))
        else:
            left, right = self._ordered(op.lhs, op.rhs)
        return infix(left, _PREDICATES[predicate], right, "bool")

    def choice(self, condition: SSAValue, then: SSAValue, otherwise: SSAValue, result: SSAValue) -> CppExpr:
        """Return an expression for one of two values, chosen by a condition."""
        test = self._use(condition)
        if test.is_literal:
            return self.held(then if test.number else otherwise, type_of(result, self._ranges))
        if is_bool(then):
            return conditional(test, self._use(then), self._use(otherwise))
        if any(map(self._is_long_index, (then, otherwise, result))):
            return self._narrowed(result, conditional(test, *self._both_long(then, otherwise)))
        first, second = self._use(then), self._use(otherwise)
        if first.ctype != second.ctype and {first.ctype, second.ctype} <= {"uint32_t", "int32_t"}:
            first, second = self._ordered(then, otherwise)
        return conditional(test, first, second)

    def _ordered(self, a: SSAValue, b: SSAValue) -> tuple[CppExpr, CppExpr]:
        """Two operands in C++ types in which they compare as the numbers do."""
        left, right = self._use(a), self._use(b)
        if not (self._ranges.of(a).is_natural and self._ranges.of(b).is_natural):
            return self._signed(a, left), self._signed(b, right)
        if left.is_unsigned == right.is_unsigned:
            return left, right
        return self._unsigned(left, a), self._unsigned(right, b)

    def _signed(self, value: SSAValue, expr: CppExpr) -> CppExpr:
        if not expr.is_unsigned:
            return expr
        if expr.number is not None:
            return call("int64_t", expr, ctype="int64_t")
        return converted(expr, "int64_t" if self._bits_of(value) == LONG else "int32_t")

    def printed(self, value: SSAValue) -> CppExpr:
        """The expression of an operand of a print: with a sign where it may be negative."""
        expr = self._use(value)
        is_integer = isinstance(value.type, IndexType) or expr.ctype in ("int32_t", "int64_t")
        return expr if not is_integer or self._is_natural(value) else self._signed(value, expr)

    def _unsigned(self, expr: CppExpr, value: SSAValue) -> CppExpr:
        ctype = "uint64_t" if self._bits_of(value) == LONG else "uint32_t"
        if expr.number is not None and expr.number < 0:
            return call(ctype, expr, ctype=ctype)
        return converted(expr, ctype)

    # --- 64 bits ----------------------------------------------------------------------------------------------

    def _bits_of(self, value: SSAValue) -> int:
        return bits_of(value, self._ranges)

    def _is_long_index(self, value: SSAValue) -> bool:
        return is_long_index(value, self._ranges)

    def _keeps_sign(self, value: SSAValue) -> bool:
        """Whether a number keeps its value as a signed integer of the same width."""
        interval = self._ranges.of(value)
        return not interval.is_natural or interval.fits_signed(self._bits_of(value))

    def as_long(self, value: SSAValue) -> CppExpr:
        """A number as a signed integer of 64 bits; a literal is not converted."""
        expr = self._use(value)
        if expr.is_literal or expr.ctype == "int64_t":
            return expr
        if self._bits_of(value) == SHORT and expr.ctype in ("int32_t", "uint32_t"):
            # First convert to the signedness of its 32 bits.
            expr = converted(expr, "uint32_t" if self._is_natural(value) else "int32_t")
        return call("int64_t", expr, ctype="int64_t")

    def _both_long(self, a: SSAValue, b: SSAValue) -> tuple[CppExpr, CppExpr]:
        """Two numbers of which C++ computes in 64 bits with a sign: of two literals it would compute in 32."""
        left, right = self.as_long(a), self.as_long(b)
        if "int64_t" not in (left.ctype, right.ctype):
            left = call("int64_t", left, ctype="int64_t")
        return left, right

    def held(self, value: SSAValue, ctype: str) -> CppExpr:
        """The expression of a number for a variable of a type, which may have more bits than the number, or fewer."""
        if ctype == "int64_t" and isinstance(value.type, IndexType):
            return self.as_long(value)
        expr = self._use(value)
        is_cut = ctype in ("int32_t", "uint32_t") and expr.ctype in ("int64_t", "uint64_t")
        return call(ctype, expr, ctype=ctype) if is_cut else expr

    def _narrowed(self, value: SSAValue, expr: CppExpr) -> CppExpr:
        """Convert a result that was computed in 64 bits to the type of its value."""
        if is_bool(value) or self._bits_of(value) == LONG:
            return expr
        ctype = type_of(value, self._ranges)
        return call(ctype, expr, ctype=ctype)

    def _long(self, op: Operation) -> CppExpr:
        left, right = self._both_long(*inputs_of(op))
        match op:
            case _ if modulo_of(op) is not None:
                return self._divided("%", "floor_mod_64", op, left, right)
            case arith.FloorDivSIOp():
                return self._divided("/", "floor_div_64", op, left, right)
            case arith.CeilDivSIOp() | arith.CeilDivUIOp():
                return self._divided("", "ceil_div_64", op, left, right)
            case arith.MinSIOp() | arith.MinUIOp() | arith.MaxSIOp() | arith.MaxUIOp():
                self.headers.add("algorithm")
                least = isinstance(op, arith.MinSIOp | arith.MinUIOp)
                return call(f"std::{'min' if least else 'max'}<int64_t>", left, right, ctype="int64_t")
            case arith.CmpiOp():
                return infix(left, _PREDICATES[op.predicate.value.data], right, "bool")
        return infix(left, _LONG_OPERATORS[type(op)], right, "int64_t")

    def _divided(self, sign: str, helper: str, op: Operation, left: CppExpr, right: CppExpr) -> CppExpr:
        if sign and self._is_natural(*inputs_of(op)):
            return infix(left, sign, right, "int64_t")
        self.helpers.add(helper)
        return call(helper, left, right, ctype="int64_t")

    # --- divisions --------------------------------------------------------------------------------------------

    def _is_natural(self, *values: SSAValue) -> bool:
        return all(self._ranges.of(value).is_natural for value in values)

    def _division(self, op: Operation) -> CppExpr | None:
        match op:
            case arith.FloorDivSIOp():
                if self._is_natural(op.lhs, op.rhs):
                    return self._quotient(op, "/")
                return self._helper("floor_div", op.lhs, op.rhs)
            case arith.CeilDivSIOp() | arith.CeilDivUIOp():
                return self._rounded_up(op.lhs, op.rhs)
            case arith.DivSIOp() | arith.DivUIOp():
                return self._quotient(op, "/")
            case arith.RemSIOp() | arith.RemUIOp():
                return self._quotient(op, "%")
        return None

    def _quotient(self, op: Operation, sign: str) -> CppExpr:
        if isinstance(op, arith.DivUIOp | arith.RemUIOp):
            left, right = (self._unsigned(self._use(value), value) for value in op.operands)
        else:
            left, right = self._ordered(op.operands[0], op.operands[1])
        return infix(left, sign, right, wider(left, right))

    def _rounded_up(self, a: SSAValue, b: SSAValue) -> CppExpr:
        divisor = self._use(b)
        if not self._is_natural(a, b) or not divisor.is_simple:
            return self._helper("ceil_div", a, b)
        left, right = self._ordered(a, b)
        if divisor.number is not None:
            total = infix(left, "+", literal(divisor.number - 1), wider(left, right))
        else:
            total = infix(infix(left, "+", right, wider(left, right)), "-", literal(1), wider(left, right))
        return infix(total, "/", right, total.ctype)

    def _modulo(self, a: SSAValue, b: SSAValue) -> CppExpr:
        if self._is_natural(a, b):
            left, right = self._ordered(a, b)
            return infix(left, "%", right, wider(left, right))
        (least, most), divisor = self._ranges.of(a), self._ranges.of(b).only
        if least is None or most is None or divisor is None or divisor <= 0 or least < -_MOST_ADDED:
            return self._helper("floor_mod", a, b)
        # Adding a multiple of the divisor makes the dividend positive.
        added = -(least // divisor) * divisor
        if not exactly(most + added).fits_signed(SHORT):
            return self._helper("floor_mod", a, b)
        positive = infix(self._use(a), "+", literal(added), self._use(a).ctype)
        return infix(positive, "%", self._use(b), positive.ctype)

    def _helper(self, function: str, a: SSAValue, b: SSAValue) -> CppExpr:
        self.helpers.add(function)
        return call(function, self._use(a), self._use(b), ctype="int32_t")

    def _least(self, op: Operation) -> CppExpr | None:
        match op:
            case arith.MinSIOp() | arith.MinUIOp():
                function = "std::min"
            case arith.MaxSIOp() | arith.MaxUIOp():
                function = "std::max"
            case _:
                return None
        a, b = op.operands
        is_signed = isinstance(op, arith.MinSIOp | arith.MaxSIOp) and not self._is_natural(a, b)
        ctype = f"{'' if is_signed else 'u'}int{self._bits_of(a)}_t"
        self.headers.add("algorithm")
        return call(f"{function}<{ctype}>", self._use(a), self._use(b), ctype=ctype)

    def _cast(self, op: Operation) -> CppExpr:
        operand, result = op.operands[0], op.results[0]
        expr = self._use(operand)
        if is_bool(result):
            return infix(infix(expr, "&", literal(1), expr.ctype), "!=", literal(0), "bool")
        if is_bool(operand) and isinstance(op, arith.ExtSIOp):
            return prefix("-", expr, "int32_t")
        if self._bits_of(result) > self._bits_of(operand):
            if self._is_natural(operand):
                return call("uint64_t", expr, ctype="uint64_t")
            if isinstance(op, arith.ExtUIOp):
                return call("uint64_t", self._unsigned(expr, operand), ctype="uint64_t")
            return call("int64_t", self._signed(operand, expr), ctype="int64_t")
        if self._bits_of(result) < self._bits_of(operand):
            return call("uint32_t", expr, ctype="uint32_t")
        return converted(expr, "int64_t") if self._is_long_index(result) else expr

    def _float(self, op: Operation) -> CppExpr | None:
        match op:
            case arith.SIToFPOp():
                ctype, (given,) = float_type(op.result), inputs_of(op)
                number = self._use(given)
                if not self._is_natural(given):
                    number = self._signed(given, number)
                return call(ctype, number, ctype=ctype)
            case arith.UIToFPOp():
                ctype = float_type(op.result)
                return call(ctype, self._unsigned(self._use(op.input), op.input), ctype=ctype)
            case arith.FPToSIOp():
                whole = f"int{self._bits_of(op.result)}_t"
                return call(whole, self._use(op.input), ctype=whole)
            case arith.ExtFOp() | arith.TruncFOp():
                ctype = float_type(op.result)
                return call(ctype, self._use(op.input), ctype=ctype)
            case arith.NegfOp():
                return prefix("-", self._use(op.operand), float_type(op.result))
            case arith.BitcastOp():
                bits = "uint32_t" if isinstance(op.result.type, IntegerType) else float_type(op.result)
                return call("__builtin_bit_cast", name(bits), self._use(op.input), ctype=bits)
        return None
