"""The affine dialect lowered to scf, arith and memref, including bounds of several results, operands and symbols."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineSymExpr
from xdsl.ir.affine.affine_expr import AffineBinaryOpExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from ttl.ir.affine import ADD, CEIL_DIV, FLOOR_DIV, MOD, MUL

_BINARY = (
    (ADD, arith.AddiOp),
    (MUL, arith.MuliOp),
    (FLOOR_DIV, arith.FloorDivSIOp),
    (CEIL_DIV, arith.CeilDivSIOp),
)


class LowerAffinePattern(RewritePattern):
    """Lowers one operation."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        def values(given: AffineMapAttr, operands: Sequence[SSAValue]) -> list[SSAValue]:
            dims, symbols = operands[: given.data.num_dims], operands[given.data.num_dims :]
            return [value(result, dims, symbols) for result in given.data.results]

        def value(expr: AffineExpr, dims: Sequence[SSAValue], symbols: Sequence[SSAValue]) -> SSAValue:
            match expr:
                case AffineConstantExpr():
                    return result(arith.ConstantOp(IntegerAttr(expr.value, IndexType())))
                case AffineDimExpr():
                    return dims[expr.position]
                case AffineSymExpr():
                    return symbols[expr.position]
            assert isinstance(expr, AffineBinaryOpExpr)
            left, right = value(expr.lhs, dims, symbols), value(expr.rhs, dims, symbols)
            if expr.kind == MOD:  # never negative, unlike the remainder of a division
                quotient = result(arith.FloorDivSIOp(left, right))
                return result(arith.SubiOp(left, result(arith.MuliOp(quotient, right))))
            return result(next(operation for kind, operation in _BINARY if kind == expr.kind)(left, right))

        def result(new_op: Operation) -> SSAValue:
            rewriter.insert(new_op)
            return new_op.results[0]

        def joined(numbers: Sequence[SSAValue], kind: type[arith.MinSIOp] | type[arith.MaxSIOp]) -> SSAValue:
            number, *others = numbers
            for other in others:
                number = result(kind(number, other))
            return number

        match op:
            case affine.ForOp():
                first = joined(values(op.lowerBoundMap, op.lowerBoundOperands), arith.MaxSIOp)
                end = joined(values(op.upperBoundMap, op.upperBoundOperands), arith.MinSIOp)
                step = result(arith.ConstantOp(IntegerAttr(op.step.value.data, IndexType())))
                body = rewriter.move_region_contents_to_new_regions(op.body)
                rewriter.replace(op, scf.ForOp(first, end, step, op.inits, body))
            case affine.YieldOp():
                rewriter.replace(op, scf.YieldOp(*op.arguments))
            case affine.ApplyOp() | affine.MinOp():
                rewriter.replace(op, [], [joined(values(op.map, op.operands), arith.MinSIOp)])
            case affine.LoadOp():
                rewriter.replace(op, memref.LoadOp.get(op.memref, values(op.map, op.indices)))
            case affine.StoreOp():
                rewriter.replace(op, memref.StoreOp.get(op.value, op.memref, values(op.map, op.indices)))
