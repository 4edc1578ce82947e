"""Affine loops where bounds are affine, and simplification by known bounds (seed 002, 5.5).

``raise-scf-to-affine`` turns ``scf.for`` into ``affine.for``, and accesses to memrefs into affine accesses, where
bounds, step and indices are sums of multiples of numbers, of variables of affine loops and of values from outside of
all loops; other loops stay ``scf``. ``affine-simplify-bounded`` removes quotients and remainders that the bounds of
variables decide, and operands of a minimum or maximum that another operand always makes superfluous.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType, ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap, AffineSymExpr
from xdsl.ir.affine.affine_expr import AffineBinaryOpExpr
from xdsl.passes import ModulePass

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import defined_in, walked
from ttl.analysis.intervals import Interval, exactly, modulo
from ttl.analysis.loops import Loop, bound
from ttl.ir.affine import ADD as PLUS
from ttl.ir.affine import (
    CEIL_DIV,
    FLOOR_DIV,
    MOD,
    add,
    ceildiv,
    constant,
    dims,
    floordiv,
    make_map,
    mod,
    mul,
    substitute,
)
from ttl.ir.refusals import Refused
from ttl.passes.building import Building, erase
from ttl.passes.structured import loops


@dataclass(frozen=True)
class RaiseToAffine(ModulePass):
    """Turn loops and accesses to memrefs whose bounds and indices are affine into those of the affine dialect."""

    name = "raise-scf-to-affine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for item in walked(op):
            match item:
                case scf.ForOp():
                    _raise_loop(item)
                case memref.LoadOp() | memref.StoreOp():
                    _raise_access(item)


@dataclass(frozen=True)
class SimplifyBounded(ModulePass):
    """Simplify affine maps and bounds by the bounds of their operands."""

    name = "affine-simplify-bounded"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for item in walked(op):
            simplify_bounded(item)


class _LoopPass(ModulePass):
    """Changes every loop for which the change is legal; the others stay."""

    def change(self, loop: Loop) -> object:
        """Change a loop. Raises ``Refused``."""
        raise NotImplementedError

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for item in [inner for inner in walked(op) if isinstance(inner, scf.ForOp | affine.ForOp)][::-1]:
            if item.parent is not None:
                try:
                    self.change(item)
                except Refused:
                    continue


@dataclass(frozen=True)
class TileLoops(_LoopPass):
    """Tile nests of loops: ``sizes`` has the iterations of a block for each loop of a nest, 0 for one that stays."""

    name = "loop-tile"
    sizes: tuple[int, ...] = (32,)

    def change(self, loop: Loop) -> object:
        around = loop.parent_op()
        if isinstance(around, scf.ForOp | affine.ForOp) and loops.nest_of(around, 2)[1:] == [loop]:
            return None
        return loops.tile(loop, self.sizes)


@dataclass(frozen=True)
class UnrollLoops(_LoopPass):
    """Unroll innermost loops by ``factor``; with the factor 0 completely, so that no loop is left."""

    name = "loop-unroll"
    factor: int = 0

    def change(self, loop: Loop) -> object:
        is_innermost = not any(isinstance(op, scf.ForOp | affine.ForOp) for op in walked(loop)[1:])
        return loops.unroll(loop, self.factor or None) if is_innermost else None


@dataclass(frozen=True)
class CoalesceLoops(_LoopPass):
    """Coalesce nests of two or more loops into one loop over all iterations."""

    name = "loop-coalesce"

    def change(self, loop: Loop) -> object:
        return loops.coalesce(loops.nest_of(loop, 2))


PASSES: tuple[type[ModulePass], ...] = (RaiseToAffine, SimplifyBounded, TileLoops, UnrollLoops, CoalesceLoops)


# --- raising -----------------------------------------------------------------------------------------------------


class _Operands:
    """The operands of a map that is being made: variables of affine loops, and values that are the same in all iterations."""

    def __init__(self) -> None:
        self.dims: list[SSAValue] = []
        self.symbols: list[SSAValue] = []

    def of(self, value: SSAValue) -> AffineExpr | None:
        """A value as an affine expression of the operands; None if it is not affine."""
        number = integer_of(value)
        if number is not None:
            return constant(number)
        op = value.owner
        if (
            isinstance(value, BlockArgument)
            and isinstance(value.block.parent_op(), affine.ForOp)
            and value.index == 0
        ):
            return AffineDimExpr(_position(self.dims, value))
        parts = [self.of(operand) for operand in op.operands] if isinstance(op, _AFFINE) else []
        if len(parts) == 2 and parts[0] is not None and parts[1] is not None:
            return _combined(op, parts[0], parts[1])
        if isinstance(value.type, IndexType) and not isinstance(defined_in(value).parent_op(), _CONTROL):
            return AffineSymExpr(_position(self.symbols, value))
        return None

    def map_of(self, results: Sequence[AffineExpr]) -> loops.MapBound:
        """A map of the operands with these results."""
        return loops.MapBound(
            make_map(len(self.dims), results, len(self.symbols)), (*self.dims, *self.symbols)
        )


_AFFINE = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.FloorDivSIOp, arith.CeilDivSIOp)
_CONTROL = (scf.ForOp, scf.WhileOp, scf.IfOp, affine.ForOp)


def _combined(op: Operation | object, left: AffineExpr, right: AffineExpr) -> AffineExpr | None:
    number = right.value if isinstance(right, AffineConstantExpr) else None
    match op:
        case arith.AddiOp():
            return add(left, right)
        case arith.SubiOp():
            return add(left, mul(right, constant(-1)))
        case arith.MuliOp() if number is not None or isinstance(left, AffineConstantExpr):
            return mul(left, right)
        case arith.FloorDivSIOp() if number is not None and number > 0:
            return floordiv(left, constant(number))
        case arith.CeilDivSIOp() if number is not None and number > 0:
            return ceildiv(left, constant(number))
    return None


def _position(values: list[SSAValue], value: SSAValue) -> int:
    if value not in values:
        values.append(value)
    return values.index(value)


def _bound_of(value: SSAValue, several: type[Operation]) -> loops.MapBound | None:
    """A bound as a map, with a result for each side of a minimum or maximum."""
    operands = _Operands()
    results: list[AffineExpr] = []
    pending = [value]
    while pending:
        item = pending.pop(0)
        if isinstance(item.owner, several):
            pending = [*item.owner.operands, *pending]
            continue
        result = operands.of(item)
        if result is None:
            return None
        results.append(result)
    return operands.map_of(results)


def _raise_loop(loop: scf.ForOp) -> None:
    step = integer_of(loop.step)
    first, end = _bound_of(loop.lb, arith.MaxSIOp), _bound_of(loop.ub, arith.MinSIOp)
    if step is None or step < 1 or first is None or end is None or not isinstance(loop.lb.type, IndexType):
        return
    last = loop.body.block.last_op
    assert last is not None
    Building(last).add(affine.YieldOp.get(*last.operands))
    erase(last)
    inits = [*loop.iter_args]
    raised = affine.ForOp.from_region(
        first.operands, end.operands, inits, [value.type for value in inits],
        AffineMapAttr(first.map), AffineMapAttr(end.map), loop.detach_region(loop.body), step,
    )  # fmt: skip
    raised.attributes |= loop.attributes
    Building(loop).add_as_is(raised)
    for old, new in zip(loop.results, raised.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    erase(loop)


def _raise_access(op: memref.LoadOp | memref.StoreOp) -> None:
    operands = _Operands()
    results = [operands.of(index) for index in op.indices]
    if not results or any(result is None for result in results):
        return
    map_, values = operands.map_of([result for result in results if result is not None])
    build = Building(op)
    # MLIR's text of an access has no symbols apart from dimensions: a value that does not change may be either.
    shifted = [*dims(map_.num_dims + map_.num_symbols)]
    place = AffineMapAttr(
        make_map(
            len(shifted),
            [
                substitute(result, shifted[: map_.num_dims], shifted[map_.num_dims :])
                for result in map_.results
            ],
        )
    )
    if isinstance(op, memref.StoreOp):
        build.add(affine.StoreOp(op.value, op.memref, values, place))
    else:
        access = build.result(affine.LoadOp(op.memref, values, place))
        access.name_hint = op.res.name_hint
        op.res.replace_all_uses_with(access)
    erase(op)


# --- simplifying -------------------------------------------------------------------------------------------------


def simplify_bounded(op: Operation) -> None:
    """Simplify the maps of a minimum, an application, an access or the bounds of a loop by ranges of operands."""
    match op:
        case affine.ForOp():
            lower, upper = (
                _dominant(op, op.lowerBoundMap, op.lowerBoundOperands, 1),
                _dominant(op, op.upperBoundMap, op.upperBoundOperands, -1),
            )
            op.lowerBoundMap, op.upperBoundMap = AffineMapAttr(lower), AffineMapAttr(upper)
        case affine.MinOp():
            map_ = _dominant(op, op.map, op.operands, -1)
            if len(map_.results) > 1:
                op.map = AffineMapAttr(map_)
            else:
                _replace(op, map_)
        case affine.ApplyOp():
            _replace(op, _dominant(op, op.map, op.operands, -1))
        case affine.LoadOp() | affine.StoreOp():
            given, ranges = op.map.data, [_range_of(value) for value in op.indices]
            known = ranges[: given.num_dims], ranges[given.num_dims :]
            results = [_simplified(result, *known) for result in given.results]
            op.map = AffineMapAttr(make_map(given.num_dims, results, given.num_symbols))


def _dominant(op: Operation, given: AffineMapAttr, operands: Sequence[SSAValue], sign: int) -> AffineMap:
    """A map with simpler results, without those that never exceed another one (sign -1: are never below it)."""
    map_ = given.data
    ranges = [_range_of(value) for value in operands]
    known = ranges[: map_.num_dims], ranges[map_.num_dims :]
    results: list[AffineExpr] = []
    for result in (_simplified(item, *known) for item in map_.results):
        if any(_is_ahead(other, result, known, sign) for other in results):
            continue
        results = [other for other in results if not _is_ahead(result, other, known, sign)]
        results.append(result)
    return make_map(map_.num_dims, results, map_.num_symbols)


_Ranges = tuple[Sequence[Interval], Sequence[Interval]]


def _is_ahead(one: AffineExpr, other: AffineExpr, known: _Ranges, sign: int) -> bool:
    """Whether one is never smaller than the other, or with the sign -1 never larger."""
    difference = interval_of(add(mul(one, constant(sign)), mul(other, constant(-sign))), *known)
    return difference.is_natural


def _replace(op: affine.ApplyOp | affine.MinOp, map_: AffineMap) -> None:
    (result,) = map_.results
    values = [*op.operands]
    match result:
        case AffineConstantExpr():
            value = Building(op).value(result.value)
        case AffineDimExpr():
            value = values[result.position]
        case AffineSymExpr():
            value = values[map_.num_dims + result.position]
        case _:
            value = Building(op).result(affine.ApplyOp(values, AffineMapAttr(map_)))
    op.result.replace_all_uses_with(value)
    erase(op)


def _range_of(value: SSAValue) -> Interval:
    """Return the interval of an operand that is a number or the variable of a loop with bounds; unbounded for others."""
    number = integer_of(value)
    if number is not None:
        return exactly(number)
    loop = value.block.parent_op() if isinstance(value, BlockArgument) else None
    if not isinstance(loop, affine.ForOp) or not isinstance(value, BlockArgument) or value.index != 0:
        return Interval()
    first, end = (
        [interval_of(result, ranges[: map_.num_dims], ranges[map_.num_dims :]) for result in map_.results]
        for map_, ranges in (
            (loop.lowerBoundMap.data, [*map(_range_of, loop.lowerBoundOperands)]),
            (loop.upperBoundMap.data, [*map(_range_of, loop.upperBoundOperands)]),
        )
    )
    lows = [item.low for item in first if item.low is not None]
    highs = [item.high for item in end if item.high is not None]
    step, begin = loop.step.value.data, bound(loop.lowerBoundMap)
    last = min(highs) - 1 if highs else None
    if last is not None and begin is not None and last >= begin:
        last -= (last - begin) % step
    return Interval(max(lows, default=None), last)


def interval_of(
    expr: AffineExpr, known_dims: Sequence[Interval], known_symbols: Sequence[Interval]
) -> Interval:
    """The numbers that an expression can be, for the numbers that its dimensions and symbols can be."""
    inside = partial(interval_of, known_dims=known_dims, known_symbols=known_symbols)
    match expr:
        case AffineConstantExpr():
            return exactly(expr.value)
        case AffineDimExpr():
            return known_dims[expr.position]
        case AffineSymExpr():
            return known_symbols[expr.position]
    assert isinstance(expr, AffineBinaryOpExpr)
    left, right = inside(expr.lhs), inside(expr.rhs)
    if expr.kind == PLUS:
        return left + right
    if expr.kind == FLOOR_DIV and right.is_positive:
        return left // right
    if expr.kind == CEIL_DIV and right.is_positive:
        return -(-left // right)
    if expr.kind == MOD and right.is_positive:
        return modulo(left, right)
    return Interval() if expr.kind in (FLOOR_DIV, CEIL_DIV, MOD) else left * right


def _simplified(
    expr: AffineExpr, known_dims: Sequence[Interval], known_symbols: Sequence[Interval]
) -> AffineExpr:
    only = interval_of(expr, known_dims, known_symbols).only
    if only is not None:
        return constant(only)
    if not isinstance(expr, AffineBinaryOpExpr):
        return expr
    left, right = (_simplified(part, known_dims, known_symbols) for part in (expr.lhs, expr.rhs))
    if expr.kind == MOD and isinstance(right, AffineConstantExpr):
        within = interval_of(left, known_dims, known_symbols)
        if within.is_natural and within.high is not None and within.high < right.value:
            return left
    make: dict[object, Callable[[AffineExpr, AffineExpr], AffineExpr]] = {
        PLUS: add,
        FLOOR_DIV: floordiv,
        CEIL_DIV: ceildiv,
        MOD: mod,
    }
    return make.get(expr.kind, mul)(left, right)
