"""``affine`` loops of a kernel as ``scf`` loops."""

from __future__ import annotations

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from ttl.passes.building import Building, Number, erase


def lower_affine(root: Operation) -> None:
    """Replace ``affine.for`` and ``affine.apply`` inside an operation; names and places are kept."""
    for op in list(root.walk(reverse=True)):
        if isinstance(op, affine.ForOp):
            _lower_loop(op)
        elif isinstance(op, affine.ApplyOp):
            build = Building(op)
            value = _evaluate(build, op.map.data.results[0], list(op.mapOperands))
            op.result.replace_all_uses_with(build.value(value))
            erase(op)


def _lower_loop(op: affine.ForOp) -> None:
    build = Building(op)
    inits = list(op.inits)
    operands = [each for each in op.operands if each not in inits]
    lower = build.value(_bound(build, op.lowerBoundMap, operands))
    upper = build.value(_bound(build, op.upperBoundMap, operands))
    step = build.value(int(op.step.value.data))
    end = op.body.block.last_op
    assert isinstance(end, affine.YieldOp)
    within = Building(end)
    within.add(scf.YieldOp(*end.arguments))
    erase(end)
    body: Region = op.detach_region(op.body)
    loop = scf.ForOp(lower, upper, step, inits, body)
    loop.location = op.location
    loop.attributes |= op.attributes
    block = op.parent
    assert block is not None
    block.insert_op_before(loop, op)
    for old, new in zip(op.results, loop.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    erase(op)


def _bound(build: Building, map_: AffineMapAttr, operands: list[SSAValue]) -> Number:
    results = map_.data.results
    assert len(results) == 1, "a bound of a loop is one number"
    return _evaluate(build, results[0], operands)


def _evaluate(build: Building, expression: AffineExpr, operands: list[SSAValue]) -> Number:
    match expression:
        case AffineConstantExpr():
            return expression.value
        case AffineDimExpr():
            return operands[expression.position]
        case AffineBinaryOpExpr():
            left = _evaluate(build, expression.lhs, operands)
            right = _evaluate(build, expression.rhs, operands)
            match expression.kind:
                case AffineBinaryOpKind.Add:
                    return build.sum(left, right)
                case AffineBinaryOpKind.Mul:
                    return build.product(left, right)
                case AffineBinaryOpKind.FloorDiv if isinstance(right, int):
                    return build.quotient(left, right)
                case AffineBinaryOpKind.Mod if isinstance(right, int):
                    return build.remainder(left, right)
    raise AssertionError(f"the front end makes no {expression} in a bound")
