"""Transformations of loops that keep results: tiling, unrolling, coalescing; for ``scf.for`` and ``affine.for`` alike.

Each function replaces loops by new loops, and returns these. If that is not legal, it raises ``Refused``, with the
operation that prevents it, and the loops stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import NamedTuple

from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from ttl.analysis.dominance import inside, is_available, walked
from ttl.analysis.effects import is_free
from ttl.analysis.loops import Loop, bound, initial_values, trips
from ttl.ir.affine import add, ceildiv, constant, dims, floordiv, make_map, mul, substitute, symbols
from ttl.ir.refusals import Refused
from ttl.passes.building import Building, Number, detach, number

# Unrolling that makes more operations is a mistake, and takes long.
MOST_UNROLLED = 20_000


class MapBound(NamedTuple):
    """A bound of an affine loop that is not a number: the largest, or for an end the smallest, of the results of a map."""

    map: AffineMap
    operands: tuple[SSAValue, ...]


# A bound: a known number, a value, or, for affine loops, a map of values.
Bound = Number | MapBound


class LoopBounds(NamedTuple):
    """The first number of a loop, where it ends, and its step."""

    first: Bound
    end: Bound
    step: Number


def bounds_of(loop: Loop) -> LoopBounds:
    """The bounds of either kind of loop."""
    if isinstance(loop, scf.ForOp):
        return LoopBounds(number(loop.lb), number(loop.ub), number(loop.step))
    first, end = (
        MapBound(given.data, tuple(operands)) if (known := bound(given)) is None else known
        for given, operands in (
            (loop.lowerBoundMap, loop.lowerBoundOperands),
            (loop.upperBoundMap, loop.upperBoundOperands),
        )
    )
    return LoopBounds(first, end, loop.step.value.data)


def nest_of(loop: Loop, most: int) -> list[Loop]:
    """At most ``most`` loops that are nested in each other, outermost first: an iteration only runs the next loop."""
    nest = [loop]
    while len(nest) < most and (inner := _only_loop_in(nest[-1])) is not None:
        nest.append(inner)
    return nest


def tile(loop: Loop, sizes: Sequence[int]) -> tuple[list[Loop], list[Loop]]:
    """Let a nest of loops go over its iterations in blocks of ``sizes`` iterations, one size for each loop, outermost first.

    A loop whose size is 0 is not tiled. Returns the loops over blocks, and one loop for each of the nest, over the iterations in
    a block. Where several loops are tiled, iterations take place in another order; nothing may depend on that.
    """
    if not sizes or min(sizes) < 0:
        raise Refused(
            f"sizes are 0 or more iterations of a loop, not {[*sizes]}",
            "give a size for each loop, 0 for one that stays",
            loop,
        )
    nest = nest_of(loop, len(sizes))
    if len(nest) < len(sizes):
        raise Refused(
            f"there are sizes for {len(sizes)} nested loops, and the nest has {len(nest)}",
            "give a size for each loop of the nest, outermost first",
            loop,
        )
    tiled = [at for at, size in enumerate(sizes) if size]
    if not tiled:
        return [], nest
    part = nest[tiled[0] : tiled[-1] + 1]
    if len(part) > 1:
        _clear_between(part)
        _check_order(part)
    new = _Replacement(part)
    over = {at: new.add(nest[at], _of_blocks(new, nest[at], sizes[at])) for at in tiled}
    iterations: list[SSAValue] = []
    points: list[Loop] = []
    for at, item in enumerate(part, tiled[0]):
        bounds = bounds_of(item)
        if at not in over:
            points.append(new.add(item, bounds))
            iterations.append(new.variable)
            continue
        begin = over[at].body.block.args[0]
        if _is_even(item, sizes[at]):
            assert isinstance(bounds.step, int)
            points.append(new.add(item, LoopBounds(0, sizes[at] * bounds.step, bounds.step)))
            iterations.append(new.sum(begin, new.variable))
        else:
            end = new.smaller(begin, new.product(bounds.step, sizes[at]), bounds.end, item)
            points.append(new.add(item, LoopBounds(begin, end, bounds.step)))
            iterations.append(new.variable)
    new.fill(iterations)
    return [*over.values()], [*nest[: tiled[0]], *points, *nest[tiled[-1] + 1 :]]


def unroll(loop: Loop, factor: int | None = None) -> Loop | None:
    """Do ``factor`` iterations of a loop in one, or, without a factor, all of them, with no loop around them.

    Iterations that are left over follow in a loop of their own. Returns the loop of unrolled iterations; None if no loop is left.
    """
    count, bounds = trips(loop), bounds_of(loop)
    if factor is not None and factor < 1:
        raise Refused(f"at least one iteration is done in one, not {factor}", "give a factor from 1 on", loop)
    if factor is None and count is None:
        raise Refused(
            "how many iterations the loop takes is not known before it runs",
            "tile the loop, or unroll it by a factor",
            loop,
        )
    copies = count if count is not None and (factor is None or factor > count) else factor
    assert copies is not None
    body = len(inside(loop))
    if copies * body > MOST_UNROLLED:
        raise Refused(
            f"{copies} copies of {body} operations are more than {MOST_UNROLLED}",
            "unroll by a smaller factor",
            loop,
        )
    if count == copies:
        _write_out(loop, count)
        return None
    if copies == 1:
        return loop
    new = _Replacement([loop])
    if count is not None:
        assert isinstance(bounds.first, int) and isinstance(bounds.step, int)
        middle: Bound = bounds.first + count // copies * copies * bounds.step
    else:
        middle = new.whole_iterations(bounds, copies, loop)
    unrolled = new.add(loop, LoopBounds(bounds.first, middle, new.product(bounds.step, copies)))
    variable = new.variable
    new.copy(loop, [new.moved(variable, bounds.step, copy) for copy in range(copies)])
    if count is not None and count % copies == 0:
        new.replace(unrolled.results)
    else:
        rest = _Replacement([loop], unrolled.results)
        begin = rest.larger(bounds.first, middle) if isinstance(middle, MapBound) else middle
        rest.add(loop, LoopBounds(begin, bounds.end, bounds.step))
        rest.fill([rest.variable])
    return unrolled


def coalesce(loops: Sequence[Loop]) -> Loop:
    """Replace nested loops, given outermost first, by one loop over all iterations in the same order."""
    nest = nest_of(loops[0], len(loops))
    if len(loops) < 2 or [*map(id, nest)] != [*map(id, loops)]:
        raise Refused(
            f"the {len(loops)} loops are not nested with nothing between them",
            "give the loops of one nest, outermost first",
            loops[0],
        )
    counts: list[int] = []
    for item in nest:
        count = trips(item)
        if count is None:
            raise Refused(
                "how many iterations the loop takes is not known before it runs",
                "tile the loop, or unroll it by a factor",
                item,
            )
        counts.append(count)
    _clear_between(nest)
    new = _Replacement(nest)
    kind = next((item for item in nest if isinstance(item, scf.ForOp)), nest[0])
    joined = new.add(kind, LoopBounds(0, prod(counts), 1))
    iterations: list[SSAValue] = []
    variable, inner = new.variable, 1
    for item, count in zip(reversed(nest), reversed(counts), strict=True):
        first, _, step = bounds_of(item)
        assert isinstance(first, int) and isinstance(step, int)
        modulus = None if item is nest[0] else max(count, 1)
        iterations.insert(0, new.iteration(variable, inner, modulus, step, first))
        inner *= max(count, 1)
    new.fill(iterations)
    return joined


# --- conditions --------------------------------------------------------------------------------------------------


def _only_loop_in(loop: Loop) -> Loop | None:
    """The only loop in an iteration that otherwise only computes numbers; else None.

    The loop has to carry the carried values of the outer loop, and no others.
    """
    block = loop.body.block
    *before, last = block.ops
    acting = [op for op in before if not is_free(op)]
    if len(acting) != 1 or not isinstance(acting[0], scf.ForOp | affine.ForOp):
        return None
    inner = acting[0]
    carried = [*block.args[1:]]
    hands_on = [*initial_values(inner)] == carried and [*last.operands] == [*inner.results]
    alone = all(value.has_one_use() for value in (*carried, *inner.results))
    return inner if hands_on and alone else None


def _clear_between(nest: Sequence[Loop]) -> None:
    """Move operations between loops out of them, or into the innermost; no bound may depend on a variable."""
    for outer, inner in pairwise(nest):
        for op in [*outer.body.block.ops]:
            if op is not inner and is_free(op) and all(is_available(value, nest[0]) for value in op.operands):
                detach(op)
                _block_of(nest[0]).insert_op_before(op, nest[0])
    for inner in nest[1:]:
        used = set(inner.operands) - set(initial_values(inner))
        if not all(is_available(value, nest[0]) for value in used):
            raise Refused(
                "how many iterations the loop takes depends on a loop around it",
                "tile one of the loops alone",
                inner,
            )
    start = nest[-1].body.block.first_op
    assert start is not None
    for outer, inner in pairwise(nest):
        for op in [*outer.body.block.ops][:-1]:
            if op is not inner:
                detach(op)
                _block_of(start).insert_op_before(op, start)


def _check_order(nest: Sequence[Loop]) -> None:
    """Raise ``Refused`` if the order of iterations may matter: carried values, effects, or writes to shared places."""
    if initial_values(nest[0]):
        raise Refused(
            "iterations hand values on, so their order matters", "tile one of the loops alone", nest[0]
        )
    variables = {item.body.block.args[0] for item in nest}
    places: dict[SSAValue, set[tuple[object, ...]]] = {}
    written: dict[SSAValue, Operation] = {}
    for op in inside(nest[-1]):
        match op:
            case memref.StoreOp() | affine.StoreOp() | memref.LoadOp() | affine.LoadOp():
                places.setdefault(op.memref, set()).add(_place(op))
                if isinstance(op, memref.StoreOp | affine.StoreOp):
                    written[op.memref] = op
            case scf.YieldOp() | affine.YieldOp():
                pass
            case _ if not is_free(op) and not op.regions:
                raise Refused(
                    f"{op.name} has effects, so the order of the iterations matters",
                    "tile one of the loops alone",
                    op,
                )
    for memory, store in written.items():
        if len(places[memory]) > 1:
            raise Refused(
                "iterations may read or write what other iterations write",
                "tile one of the loops alone",
                store,
            )
        (place,) = places[memory]
        # Iterations that differ in one variable only stay in their order.
        if len(variables - set(place)) > 1:
            raise Refused(
                "iterations of several loops write to one place, so their order matters",
                "tile one of the loops alone",
                store,
            )


def _place(op: memref.StoreOp | affine.StoreOp | memref.LoadOp | affine.LoadOp) -> tuple[object, ...]:
    if isinstance(op, memref.StoreOp | memref.LoadOp):
        return tuple(op.indices)
    direct = [expr == dim for expr, dim in zip(op.map.data.results, dims(len(op.indices)))]
    return tuple(op.indices) if all(direct) else (op.map, *map(id, op.indices))


# --- construction ------------------------------------------------------------------------------------------------


class _Replacement:
    """Builds loops that replace a nest of loops, each new loop inside of the one before."""

    def __init__(self, old: Sequence[Loop], carried: Sequence[SSAValue] | None = None) -> None:
        for loop in old:
            if not isinstance(loop.body.block.args[0].type, IndexType):
                raise Refused(
                    f"it counts in {loop.body.block.args[0].type}, not in index",
                    "let it count in index",
                    loop,
                )
        self._old = old
        self._build = Building(old[0])
        self._carried: Sequence[SSAValue] = initial_values(old[0]) if carried is None else carried
        self._loops: list[Loop] = []

    @property
    def variable(self) -> SSAValue:
        """The variable of the loop that was made last."""
        return self._loops[-1].body.block.args[0]

    def add(self, like: Loop, bounds: LoopBounds) -> Loop:
        """Make a loop of the same kind as another one, with the same name for the variable."""
        old = like.body.block.args
        block = Block(arg_types=[old[0].type, *(value.type for value in self._carried)])
        for one, other in zip(block.args, old):
            one.name_hint = other.name_hint
            one.location = other.location
        loop = self._for(like, bounds, Region(block))
        loop.location = like.location
        self._build.move(loop)
        self._build = self._build.inside(block)
        self._carried = block.args[1:]
        self._loops.append(loop)
        return loop

    def _for(self, like: Loop, bounds: LoopBounds, body: Region) -> Loop:
        if isinstance(like, scf.ForOp):
            first_value, end_value, step = (self._build.value(_plain(given)) for given in bounds)
            return scf.ForOp(first_value, end_value, step, [*self._carried], body)
        first, end = map(_as_map, bounds[:2])
        assert isinstance(bounds.step, int)
        return affine.ForOp.from_region(
            first.operands, end.operands, [*self._carried], [value.type for value in self._carried],
            AffineMapAttr(first.map), AffineMapAttr(end.map), body, bounds.step,
        )  # fmt: skip

    def fill(self, iterations: Sequence[SSAValue]) -> None:
        """Move the body of the innermost old loop into the last new loop; ``iterations`` replace the old variables."""
        block = self._old[-1].body.block
        for item, iteration in zip(self._old, iterations, strict=True):
            iteration.name_hint = iteration.name_hint or item.body.block.args[0].name_hint
            item.body.block.args[0].replace_all_uses_with(iteration)
        for argument, value in zip(block.args[1:], self._carried, strict=True):
            argument.replace_all_uses_with(value)
        *ops, end = block.ops
        for op in ops:
            detach(op)
            self._build.move(op)
        self._end(end.operands)
        self.replace(self._loops[0].results)

    def copy(self, loop: Loop, iterations: Sequence[SSAValue]) -> None:
        """Copy the body of a loop into the last new loop, once for each of ``iterations``, one after the other."""
        self._carried = copied(loop, iterations, self._carried, self._build)
        self._end(self._carried)

    def replace(self, results: Sequence[SSAValue]) -> None:
        """Replace the results of the old loops by others, and erase the loops."""
        outer = self._old[0]
        for old, new in zip(outer.results, results, strict=True):
            new.name_hint = new.name_hint or old.name_hint
            old.replace_all_uses_with(new)
        _block_of(outer).erase_op(outer)

    def _end(self, values: Sequence[SSAValue]) -> None:
        for loop in reversed(self._loops):
            end = scf.YieldOp(*values) if isinstance(loop, scf.ForOp) else affine.YieldOp.get(*values)
            end.location = loop.location
            loop.body.block.add_op(end)
            values = loop.results

    # --- numbers -----------------------------------------------------------------------------------------------------

    def sum(self, one: SSAValue, other: Number) -> SSAValue:
        """``one + other``."""
        return self._build.value(self._build.sum(one, other))

    def moved(self, variable: SSAValue, step: Number, iterations: int) -> SSAValue:
        """The value of the variable so many iterations later."""
        return self.sum(variable, self._build.product(step, iterations))

    def product(self, one: Number, factor: int) -> Number:
        """``one * factor``."""
        return self._build.product(one, factor)

    def iteration(
        self, variable: SSAValue, divisor: int, modulus: int | None, step: int, first: int
    ) -> SSAValue:
        """``variable // divisor % modulus * step + first``, of a variable that is not negative."""
        build = self._build
        count = build.quotient(variable, divisor)
        count = count if modulus is None else build.remainder(count, modulus)
        return build.value(build.sum(build.product(count, step), first))

    def smaller(self, begin: SSAValue, length: Number, other: Bound, like: Loop) -> Bound:
        """The smaller of ``begin + length`` and another number, as the end of a loop."""
        if isinstance(like, scf.ForOp):
            end = self._build.value(_plain(other))
            return self._build.result(arith.MinSIOp(self.sum(begin, length), end))
        assert isinstance(length, int)
        return _joined(MapBound(make_map(1, [add(dims(1)[0], constant(length))]), (begin,)), _as_map(other))

    def larger(self, one: Bound, other: MapBound) -> Bound:
        """The larger of both, as the begin of an affine loop."""
        return _joined(_as_map(one), other)

    def whole_iterations(self, bounds: LoopBounds, factor: int, like: Loop) -> Bound:
        """The end of the last full group of ``factor`` iterations, for a loop with an unknown number of iterations."""
        first, end, step = bounds
        if isinstance(like, affine.ForOp):
            one, other = _as_map(first), _as_map(end)
            if len(one.map.results) != 1 or len(other.map.results) != 1:
                raise Refused(
                    "a bound of the loop is the smallest or largest of several numbers",
                    "tile the loop instead",
                    like,
                )
            assert isinstance(step, int)
            joined = _joined(one, other)
            low, high = joined.map.results
            iterations = floordiv(
                ceildiv(add(high, mul(low, constant(-1))), constant(step)), constant(factor)
            )
            whole = add(low, mul(iterations, constant(factor * step)))
            return MapBound(make_map(joined.map.num_dims, [whole], joined.map.num_symbols), joined.operands)
        build, first = self._build, _plain(first)
        length = arith.MaxSIOp(build.value(build.difference(_plain(end), first)), build.value(0))
        iterations_ = arith.CeilDivSIOp(build.result(length), build.value(step))
        times = build.quotient(build.result(iterations_), factor)
        distance = build.value(build.product(step, factor))
        return build.sum(first, build.product(times, distance))


def copied(
    loop: Loop, iterations: Sequence[SSAValue], carried: Sequence[SSAValue], build: Building
) -> Sequence[SSAValue]:
    """Copy the body of a loop for each of ``iterations``, passing carried values on; return the last values."""
    variable, *arguments = loop.body.block.args
    *ops, end = loop.body.block.ops
    for iteration in iterations:
        mapper: dict[SSAValue, SSAValue] = {variable: iteration, **dict(zip(arguments, carried, strict=True))}
        for op in ops:
            copy = op.clone(value_mapper=mapper)
            for one, other in zip(walked(copy), walked(op), strict=True):
                one.location = other.location
            build.move(copy)
        carried = [mapper.get(value, value) for value in end.operands]
    return carried


def _write_out(loop: Loop, count: int) -> None:
    """Replace a loop by its iterations, one after the other."""
    first, _, step = bounds_of(loop)
    build = Building(loop)
    iterations: list[SSAValue] = []
    for iteration in range(count):
        assert isinstance(first, int) and isinstance(step, int)
        iterations.append(build.value(first + iteration * step))
    results = copied(loop, iterations, initial_values(loop), build)
    for old, new in zip(loop.results, results, strict=True):
        old.replace_all_uses_with(new)
    _block_of(loop).erase_op(loop)


def _of_blocks(new: _Replacement, loop: Loop, size: int) -> LoopBounds:
    first, end, step = bounds_of(loop)
    return LoopBounds(first, end, new.product(step, size))


def _is_even(loop: Loop, size: int) -> bool:
    count = trips(loop)
    return count is not None and count % size == 0


def _plain(given: Bound) -> Number:
    assert not isinstance(given, MapBound)
    return given


def _block_of(op: Operation) -> Block:
    assert op.parent is not None
    return op.parent


def _as_map(given: Bound) -> MapBound:
    match given:
        case MapBound():
            return given
        case int():
            return MapBound(make_map(0, [constant(given)]), ())
    return MapBound(make_map(1, dims(1)), (given,))


def _joined(one: MapBound, other: MapBound) -> MapBound:
    """The results of both maps, over the operands of both."""
    places, symbol_count = one.map.num_dims, one.map.num_symbols
    all_dims, all_symbols = dims(places + other.map.num_dims), symbols(symbol_count + other.map.num_symbols)
    moved = [substitute(expr, all_dims[places:], all_symbols[symbol_count:]) for expr in other.map.results]
    return MapBound(
        make_map(len(all_dims), [*one.map.results, *moved], len(all_symbols)),
        (
            *one.operands[:places], *other.operands[: other.map.num_dims],
            *one.operands[places:], *other.operands[other.map.num_dims :],
        ),
    )  # fmt: skip
