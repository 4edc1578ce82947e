"""Arithmetic of MLIR as C++.

An operation means what it means on integers without bounds, and what it computes fits 32 bits (64 where its type
says so). C++ computes modulo 2**32, and whatever its types are, sums, differences, products and bits come out right.
Casts are needed where the sign counts: to compare, to divide, to shift to the right, and to convert to 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation, SSAValue

from ttl.analysis.arithmetic import integer_of, is_bool, modulo_of, negated_of
from ttl.analysis.ranges import Ranges
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
from ttl.codegen.cpp.types import bits_of, float_type
from ttl.kernel_api.literals import literal as constant_text

# Division of numbers that may be negative, as Python rounds it. A file defines those that it uses.
HELPERS: Mapping[str, str] = {
    "floor_div": (
        "static inline int32_t floor_div(int32_t a, int32_t b) {\n"
        "    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);\n"
        "}\n"
    ),
    "floor_mod": (
        "static inline int32_t floor_mod(int32_t a, int32_t b) {\n"
        "    return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);\n"
        "}\n"
    ),
    "ceil_div": (
        "static inline int32_t ceil_div(int32_t a, int32_t b) {\n"
        "    return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);\n"
        "}\n"
    ),
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
_UNSIGNED_PREDICATE = 6
# Predicates of ``arith.cmpf`` that C++ has an operator for, and the numbers of the relations in ``emitc``.
FLOAT_PREDICATES: Mapping[int, tuple[str, int]] = {
    1: ("==", 0), 2: (">", 4), 3: (">=", 5), 4: ("<", 2), 5: ("<=", 3), 13: ("!=", 1),
}  # fmt: skip
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

    ``use`` gives the expression of an operand. ``helpers`` and ``headers`` collect what a file must have for them.
    """

    def __init__(self, ranges: Ranges, use: Callable[[SSAValue], CppExpr]) -> None:
        self._ranges = ranges
        self._use = use
        self._numbers: dict[SSAValue, CppExpr | None] = {}
        self.helpers: set[str] = set()
        self.headers: set[str] = set()

    def expression(self, op: Operation) -> CppExpr | None:
        """The C++ of an operation of ``arith``; None for another one."""
        if not op.name.startswith("arith."):
            return None
        if len(op.results) == 1 and (known := self.known(op.results[0])) is not None:
            return known
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
                return self.choice(op.cond, op.lhs, op.rhs)
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
                    if isinstance(op, arith.ShRSIOp)
                    else self._unsigned(left, op.lhs)
                )
                return infix(left, ">>", right, left.ctype)
            case _ if isinstance(op, _SAME_NUMBER):
                return self._cast(op)
        return self._division(op) or self._least(op) or self._float(op)

    def known(self, value: SSAValue) -> CppExpr | None:
        """The number that a value can only be."""
        if value not in self._numbers:
            self._numbers[value] = self._number(value)
        return self._numbers[value]

    def _number(self, value: SSAValue) -> CppExpr | None:
        only = self._ranges.of(value).only
        if is_bool(value):
            return None if only is None else truth(bool(only))
        if only is None or not -(2 ** (bits_of(value) - 1)) <= only < 2 ** bits_of(value):
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
        return infix(left, sign, right, wider(left, right))

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
        if predicate >= _UNSIGNED_PREDICATE:
            left, right = (self._unsigned(self._use(value), value) for value in (op.lhs, op.rhs))
        else:
            left, right = self._ordered(op.lhs, op.rhs)
        return infix(left, _PREDICATES[predicate], right, "bool")

    def choice(self, condition: SSAValue, then: SSAValue, otherwise: SSAValue) -> CppExpr:
        """One of two values."""
        test = self._use(condition)
        if test.is_literal:
            return self._use(then if test.number else otherwise)
        if is_bool(then):
            return conditional(test, self._use(then), self._use(otherwise), "bool")
        first, second = self._use(then), self._use(otherwise)
        if first.ctype != second.ctype and {first.ctype, second.ctype} <= {"uint32_t", "int32_t"}:
            first, second = self._ordered(then, otherwise)
        return conditional(test, first, second, wider(first, second))

    def _ordered(self, a: SSAValue, b: SSAValue) -> tuple[CppExpr, CppExpr]:
        """Two operands as C++ types in which their order is that of the numbers."""
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
        return converted(expr, "int64_t" if bits_of(value) == 64 else "int32_t")

    def _unsigned(self, expr: CppExpr, value: SSAValue) -> CppExpr:
        if expr.number is not None and expr.number < 0:
            return call("uint64_t" if bits_of(value) == 64 else "uint32_t", expr, ctype="uint32_t")
        return converted(expr, "uint64_t" if bits_of(value) == 64 else "uint32_t")

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
        least, divisor = self._ranges.of(a).low, self._ranges.of(b).only
        if least is None or divisor is None or divisor <= 0 or least < -_MOST_ADDED:
            return self._helper("floor_mod", a, b)
        # Some multiple of the divisor makes it positive.
        positive = infix(self._use(a), "+", literal(-(least // divisor) * divisor), self._use(a).ctype)
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
        ctype = f"{'' if is_signed else 'u'}int{bits_of(a)}_t"
        self.headers.add("algorithm")
        return call(f"{function}<{ctype}>", self._use(a), self._use(b), ctype=ctype)

    def _cast(self, op: Operation) -> CppExpr:
        operand, result = op.operands[0], op.results[0]
        expr = self._use(operand)
        if is_bool(result):
            return infix(infix(expr, "&", literal(1), expr.ctype), "!=", literal(0), "bool")
        if is_bool(operand) and isinstance(op, arith.ExtSIOp):
            return prefix("-", expr, "int32_t")
        if bits_of(result) > bits_of(operand):
            if self._is_natural(operand):
                return call("uint64_t", expr, ctype="uint64_t")
            if isinstance(op, arith.ExtUIOp):
                return call("uint64_t", self._unsigned(expr, operand), ctype="uint64_t")
            return call("int64_t", self._signed(operand, expr), ctype="int64_t")
        if bits_of(result) < bits_of(operand):
            return call("uint32_t", expr, ctype="uint32_t")
        return expr

    def _float(self, op: Operation) -> CppExpr | None:
        match op:
            case arith.SIToFPOp():
                ctype = float_type(op.result)
                number = self._use(op.input)
                if not self._is_natural(op.input):
                    number = self._signed(op.input, number)
                return call(ctype, number, ctype=ctype)
            case arith.UIToFPOp():
                ctype = float_type(op.result)
                return call(ctype, self._unsigned(self._use(op.input), op.input), ctype=ctype)
            case arith.FPToSIOp():
                ctype = f"int{bits_of(op.result)}_t"
                return call(ctype, self._use(op.input), ctype=ctype)
            case arith.ExtFOp() | arith.TruncFOp():
                ctype = float_type(op.result)
                return call(ctype, self._use(op.input), ctype=ctype)
            case arith.NegfOp():
                return prefix("-", self._use(op.operand), float_type(op.result))
            case arith.BitcastOp():
                return call("__builtin_bit_cast", name("uint32_t"), self._use(op.input), ctype="uint32_t")
        return None
