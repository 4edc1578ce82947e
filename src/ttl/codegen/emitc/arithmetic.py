"""Arithmetic in ``emitc``, whose operations have the semantics of those of C++ with the same types."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    ArrayAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ttl.analysis.arithmetic import is_bool, modulo_of, negated_of
from ttl.analysis.intervals import FIRST_UNSIGNED
from ttl.codegen.cpp.arithmetic import FLOAT_PREDICATES
from ttl.codegen.cpp.demand import inputs_of
from ttl.codegen.cpp.types import bits_of, is_long
from ttl.codegen.emitc.values import I32, I64, INDEX, Values
from ttl.emitc.conversion import ARITHMETIC
from ttl.emitc.dialect import opaque

_PLAIN = (
    arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.ShLIOp,
)  # fmt: skip
# The logical operators that replace bitwise ones on conditions.
_BITS: Mapping[type[Operation], str] = MappingProxyType(
    {arith.AndIOp: "logical_and", arith.OrIOp: "logical_or", arith.XOrIOp: ""}
)
_NOT_EQUAL = 1
_DIVISIONS: Mapping[type[Operation], tuple[str, str]] = MappingProxyType(
    {
        arith.FloorDivSIOp: ("div", "floor_div"),
        arith.CeilDivSIOp: ("", "ceil_div"),
        arith.CeilDivUIOp: ("", "ceil_div"),
        arith.DivSIOp: ("div", ""),
        arith.DivUIOp: ("div", ""),
        arith.RemSIOp: ("rem", ""),
        arith.RemUIOp: ("rem", ""),
    }
)
_EXTREMES: Mapping[type[Operation], str] = MappingProxyType(
    {
        arith.MinSIOp: "std::min",
        arith.MinUIOp: "std::min",
        arith.MaxSIOp: "std::max",
        arith.MaxUIOp: "std::max",
    }
)


class EmitcArithmetic:
    """Expressions of ``arith`` as operations of ``emitc``."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self.helpers: set[str] = set()
        self.standard: set[str] = set()

    def made(self, op: Operation) -> SSAValue | None:
        """Convert an operation of ``arith``; return the value that replaces its result, or None if it has no form."""
        values = self._values
        if is_long(op, values.ranges):
            return values.cast(self._long(op), values.type_of(op.results[0]))
        if (modulo := modulo_of(op)) is not None:
            return self._modulo(op, *modulo)
        if (condition := negated_of(op)) is not None:
            return values.computed("logical_not", values.use(condition), result=values.type_of(op.results[0]))
        if isinstance(op, _PLAIN):
            return values.computed(
                ARITHMETIC[type(op)], *values.uses(op.operands), result=values.type_of(op.results[0])
            )
        if (logical := _BITS.get(type(op))) is not None:
            return self._bits(op, ARITHMETIC[type(op)], logical)
        if (names := _DIVISIONS.get(type(op))) is not None:
            return self._division(op, *names)
        if (function := _EXTREMES.get(type(op))) is not None:
            return self._extreme(op, function)
        return self._other(op)

    def _other(self, op: Operation) -> SSAValue | None:
        values = self._values
        match op:
            case arith.ConstantOp():
                if not isinstance(op.value, FloatAttr):
                    return None
                return values.number(op.value.value.data, values.type_of(op.result))
            case arith.CmpiOp():
                return self._comparison(op)
            case arith.CmpfOp():
                relation = FLOAT_PREDICATES[op.predicate.value.data][1]
                operands = values.uses(op.operands)
                result = values.type_of(op.result)
                return values.computed("cmp", *operands, result=result, predicate=IntegerAttr(relation, i64))
            case arith.FPToSIOp():
                return values.cast(values.use(op.input), self._integer(op.result, is_signed=True))
            case arith.SelectOp():
                result = values.type_of(op.result)
                decided = values.ranges.of(op.cond).only
                if decided is not None:
                    return values.cast(values.use(op.lhs if decided else op.rhs), result)
                chosen = [values.cast(values.use(value), result) for value in (op.lhs, op.rhs)]
                return values.computed("conditional", values.use(op.cond), *chosen, result=result)
            case arith.ShRSIOp() | arith.ShRUIOp():
                is_signed = isinstance(op, arith.ShRSIOp) and not values.ranges.of(op.lhs).is_natural
                shifted = values.cast(values.use(op.lhs), self._integer(op.lhs, is_signed=is_signed))
                return values.computed(
                    "bitwise_right_shift", shifted, values.use(op.rhs), result=values.type_of(op.result)
                )
            case arith.IndexCastOp() | arith.ExtUIOp() | arith.ExtSIOp() | arith.TruncIOp():
                return self._converted(op.input, op.result)
            case arith.SIToFPOp() | arith.UIToFPOp():
                return values.cast(values.use(inputs_of(op)[0]), values.type_of(op.result))
            case arith.ExtFOp() | arith.TruncFOp():
                return values.cast(values.use(op.input), values.type_of(op.result))
            case arith.NegfOp():
                return values.computed(
                    "unary_minus", values.use(op.operand), result=values.type_of(op.result)
                )
            case arith.BitcastOp():
                ctype = "uint32_t" if isinstance(op.result.type, IntegerType) else "float"
                arguments = ArrayAttr([opaque(ctype), IntegerAttr(0, INDEX)])
                return values.computed(
                    "call_opaque",
                    values.use(op.input),
                    result=values.type_of(op.result),
                    callee=StringAttr("__builtin_bit_cast"),
                    args=arguments,
                )
        return None

    def _long(self, op: Operation) -> SSAValue:
        """Compute an operation whose numbers do not all fit one type of 32 bits: in signed 64 bits."""
        values = self._values
        a, b = operands = [values.cast(values.use(value), I64) for value in inputs_of(op)]
        is_natural = all(values.ranges.of(value).is_natural for value in inputs_of(op))
        if isinstance(op, arith.CmpiOp):
            return values.compared(op, operands, i1)
        if (function := _EXTREMES.get(type(op))) is not None:
            self.standard.add("algorithm")
            types = ArrayAttr([opaque("int64_t")])
            return values.computed(
                "call_opaque", a, b, result=I64, callee=StringAttr(function), template_args=types
            )
        name, helper = ("rem", "floor_mod")
        if modulo_of(op) is None:
            name, helper = _DIVISIONS.get(type(op)) or (ARITHMETIC[type(op)], "")
        if name and (is_natural or not helper):
            return values.computed(name, *operands, result=I64)
        self.helpers.add(f"{helper}_64")
        return values.computed("call_opaque", a, b, result=I64, callee=StringAttr(f"{helper}_64"))

    def _converted(self, operand: SSAValue, result: SSAValue) -> SSAValue:
        # First convert to the operand's own signedness, then to more or fewer bits.
        value = self._values.use(operand)
        if not is_bool(operand):
            value = self._values.cast(value, self._values.type_of(operand))
        elif isinstance(result.owner, arith.ExtSIOp):
            value = self._values.computed("unary_minus", self._values.cast(value, I32), result=I32)
        return self._values.cast(value, self._values.type_of(result))

    def _bits(self, op: Operation, name: str, logical: str) -> SSAValue:
        values = self._values
        operands = values.uses(op.operands)
        result = values.type_of(op.results[0])
        if not is_bool(op.results[0]):
            return values.computed(name, *operands, result=result)
        if logical:
            return values.computed(logical, *operands, result=result)
        return values.computed("cmp", *operands, result=result, predicate=IntegerAttr(_NOT_EQUAL, i64))

    def _comparison(self, op: arith.CmpiOp) -> SSAValue:
        if is_bool(op.lhs):
            operands = self._values.uses(op.operands)
        else:
            is_unsigned = op.predicate.value.data >= FIRST_UNSIGNED
            operands = self._ordered(op.lhs, op.rhs, is_unsigned=is_unsigned)
        return self._values.compared(op, operands, self._values.type_of(op.result))

    def _ordered(self, a: SSAValue, b: SSAValue, *, is_unsigned: bool = False) -> list[SSAValue]:
        """Operands converted to one type in which they compare as the numbers do."""
        is_natural = all(self._values.ranges.of(value).is_natural for value in (a, b))
        type_ = self._integer(a, is_signed=not is_natural and not is_unsigned)
        return [self._values.cast(self._values.use(value), type_) for value in (a, b)]

    def _division(self, op: Operation, name: str, helper: str) -> SSAValue:
        a, b = op.operands
        is_natural = all(self._values.ranges.of(value).is_natural for value in (a, b))
        if name and (is_natural or not helper):
            is_unsigned = isinstance(op, arith.DivUIOp | arith.RemUIOp)
            operands = self._ordered(a, b, is_unsigned=is_unsigned)
            return self._values.computed(name, *operands, result=self._values.type_of(op.results[0]))
        return self._helper(helper, a, b, self._values.type_of(op.results[0]))

    def _modulo(self, op: Operation, a: SSAValue, b: SSAValue) -> SSAValue:
        result = self._values.type_of(op.results[0])
        if all(self._values.ranges.of(value).is_natural for value in (a, b)):
            return self._values.computed("rem", *self._ordered(a, b), result=result)
        return self._helper("floor_mod", a, b, result)

    def _helper(self, function: str, a: SSAValue, b: SSAValue, result: Attribute) -> SSAValue:
        self.helpers.add(function)
        operands = [self._values.cast(self._values.use(value), I32) for value in (a, b)]
        return self._values.computed("call_opaque", *operands, result=result, callee=StringAttr(function))

    def _extreme(self, op: Operation, function: str) -> SSAValue:
        a, b = op.operands
        self.standard.add("algorithm")
        operands = self._ordered(a, b, is_unsigned=isinstance(op, arith.MinUIOp | arith.MaxUIOp))
        common = operands[0].type
        assert isinstance(common, IntegerType)
        unsigned = "u" if common.signedness.data is Signedness.UNSIGNED else ""
        chosen = self._values.computed(
            "call_opaque",
            *operands,
            result=common,
            callee=StringAttr(function),
            template_args=ArrayAttr([opaque(f"{unsigned}int{common.width.data}_t")]),
        )
        return self._values.cast(chosen, self._values.type_of(op.results[0]))

    def _integer(self, value: SSAValue, *, is_signed: bool) -> Attribute:
        bits = bits_of(value, self._values.ranges)
        return IntegerType(bits) if is_signed else IntegerType(bits, Signedness.UNSIGNED)
