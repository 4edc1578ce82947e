"""The recorder of a tile program: its loads, stores, computations and loops become the items of a graph while it is read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from ttl.analysis.polynomials import Indeterminate, Polynomial
from ttl.design.graph import (
    CarriedValue,
    Compute,
    GraphValue,
    Index,
    IndexEntry,
    Item,
    Knob,
    Load,
    Loop,
    Operand,
    Partial,
    Store,
    are_equal,
    tiles_of,
)
from ttl.design.values import BlockIndex, Position, SizeOfBlock, TracedValue, position
from ttl.diag import Diagnostic
from ttl.frontend import flow
from ttl.frontend.domain import Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.stop import Reject
from ttl.frontend.values import UNBOUND, Poison, same
from ttl.lang.tiles import Fraction, TileInMemory, TileLoop, TilePart
from ttl.rows.row import Op, Params
from ttl.rows.table import ADD, BROADCAST, FILL, MUL
from ttl.rows.types import TILE
from ttl.rules import design as rules
from ttl.rules import tiles
from ttl.source.scopes import assigned, leaves, returns
from ttl.source.spans import Span


class GraphRecorder:
    """Records the actions of a tile program as items of a graph, while the program is read."""

    def __init__(self, choices: Mapping[Any, int]) -> None:
        self.reader: Evaluator
        self.body: list[Item] = []
        self.knobs: dict[Any, Knob] = {}
        self.chosen: dict[Any, int] = {}
        self._choices = choices
        self._loops = 0
        # The loops whose step the designer chooses.
        self._free: set[int] = set()

    # --- the interface of the program -------------------------------------------------------------------------

    def load(self, part: TilePart) -> TracedValue:
        """Record a load."""
        index, extents = self._index(part)
        for item in reversed(self.body):  # a part that is loaded already is not loaded again
            if isinstance(item, Load | Store) and item.tensor == part.tensor.name:
                if isinstance(item, Load) and item.index == index:
                    return TracedValue(self, item.value)
                if isinstance(item, Store):
                    break
        value = GraphValue(extents, part.tensor.dtype)
        self.body.append(Load(value, part.tensor.name, index, self._span()))
        return TracedValue(self, value)

    def store(self, part: TilePart, value: Any) -> None:
        """Record a store."""
        index, extents = self._index(part)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = TracedValue(self, self._filled(value, extents))
        if isinstance(value, TileInMemory):
            raise Reject(tiles.not_loaded(value, 1))
        if not isinstance(value, TracedValue):
            raise Reject(tiles.no_value("what is stored", value))
        if not _all_equal(value.value.extents, extents):
            raise Reject(tiles.other_shape(part.tensor.name, extents, value.value.extents))
        self.body.append(Store(value.value, part.tensor.name, index, self._span()))

    def choice(self, values: tuple[Any, ...]) -> int:
        """Choose one of the author's values, and return it."""
        span = self._span()
        return self._choose(
            Knob(
                key=("choice", span.line, span.column),
                name=f"line {span.line}",
                values=values,
                what="value",
                span=span,
            )
        )

    def blocks(self, loop: TileLoop) -> Iterator[Any]:
        """Refuse to iterate, because loops are read as a whole. Raises ``Reject``."""
        raise Reject(rules.loop_not_followed())

    def _choose(self, knob: Knob) -> int:
        self.knobs.setdefault(knob.key, knob)
        value = self._choices.get(knob.key, knob.values[0])
        self.chosen[knob.key] = value
        return value

    def _span(self) -> Span:
        return self.reader.span

    def _index(self, part: TilePart) -> tuple[Index, tuple[int, ...]]:
        tensor, entries, extents = part.tensor, [], []
        rank = len(tensor.shape)
        for dimension, (entry, extent) in enumerate(zip(part.index, tensor.shape, strict=True)):
            tiled = dimension >= rank - 2
            unit = TILE if tiled else 1
            units = -(-extent // unit)
            first, last = Position(Polynomial.constant(0)), Position(Polynomial.constant(units))
            match entry:
                case BlockIndex() if tiled:
                    if entry.axis.extent != extent:
                        raise Reject(
                            tiles.other_extent(
                                tensor.name, dimension, extent, entry.axis.name, entry.axis.extent
                            )
                        )
                    first, last = entry.start, entry.stop
                case slice(start=start, stop=stop, step=None):
                    first = first if start is None else position(start)
                    last = last if stop is None else position(stop)
                case int() | Position() if not tiled:
                    if any(
                        isinstance(term.key, SizeOfBlock) for term in position(entry).free.indeterminates
                    ) or (self._free_loops(position(entry).free)):
                        raise Reject(tiles.depends_on_step(tensor.name, dimension))
                    entries.append(IndexEntry(position(entry).form, 1, single=True))
                    continue
                case _:
                    raise Reject(tiles.no_entry(tensor.name, dimension, entry, tiled=tiled))
            size = (last.form - first.form).number
            if size is None or not 1 <= size <= units:
                raise Reject(tiles.no_entry(tensor.name, dimension, entry, tiled=tiled))
            if not self._is_independent(first.free, last.free - first.free):
                raise Reject(tiles.depends_on_step(tensor.name, dimension))
            entries.append(IndexEntry(first.form, size))
            extents.append(_extent(first, last, size, extent, unit))
        return tuple(entries), tuple(extents)

    def _free_loops(self, form: Polynomial) -> set[Indeterminate]:
        """Return the loops in a position whose step the designer chooses."""
        return {term for term in form.indeterminates if term.key in self._free}

    def _is_independent(self, start: Polynomial, size: Polynomial) -> bool:
        """Whether the iterations of the loops together cover the same elements for any choice of steps."""
        loops, grown = self._free_loops(start), Polynomial({})
        for loop in loops:
            by = Polynomial.of(Indeterminate("size", SizeOfBlock(cast("int", loop.key))))
            grown += by.scaled(start.terms.get((loop,), 0))
        linear = all(
            len(term) <= 1 and not (term and term[0].parts)
            for term in start.terms
            if loops & Polynomial({term: 1}).indeterminates
        )
        sizes = any(isinstance(term.key, SizeOfBlock) for term in start.indeterminates)
        return linear and not sizes and (size - grown).number is not None

    # --- mathematics ------------------------------------------------------------------------------------------

    def apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> TracedValue:
        """Record an operation on values, which broadcast as in NumPy."""
        given: list[Operand] = [self._operand(op, at, operand) for at, operand in enumerate(operands)]
        unchanged = _unchanged(op, given)
        if unchanged is not None:
            return TracedValue(self, unchanged)
        match op.family:
            case "elementwise":
                extents = self._common(op, given)
                given = [self._fitted(op, at, operand, extents) for at, operand in enumerate(given)]
            case "product":
                extents = self._product(op, given)
            case "reduction":
                source = _only(given)
                dims = {
                    dim % len(source.extents)
                    for dim in params[0]
                    if -len(source.extents) <= dim < len(source.extents)
                }
                extents = tuple(1 if at in dims else extent for at, extent in enumerate(source.extents))
                params = (params[0], tiles_of(extents))
            case "transposition":
                source = _only(given)
                extents = (*source.extents[:-2], source.extents[-1], source.extents[-2])
            case "conversion":
                extents = _only(given).extents
            case _:
                raise Reject(rules.not_in_tile_programs(op.label))
        return TracedValue(self, self._computed(op, tuple(given), params, extents))

    def _computed(
        self, op: Op, operands: tuple[Operand, ...], params: Params, extents: tuple[int, ...]
    ) -> GraphValue:
        types = tuple(operand.type if isinstance(operand, GraphValue) else operand for operand in operands)
        result = op.infer(types, params)
        if isinstance(result, Diagnostic):
            raise Reject(result)
        value = GraphValue(extents, result.dtype)
        self.body.append(Compute(value, op, operands, params, self._span()))
        return value

    def _operand(self, op: Op, at: int, operand: Any) -> Operand:
        if isinstance(operand, TileInMemory):
            raise Reject(tiles.not_loaded(operand, at))
        if isinstance(operand, TracedValue):
            return operand.value
        if isinstance(operand, Position | BlockIndex):
            raise Reject(tiles.place_as_number(f"an operand of {op.label}"))
        if isinstance(operand, bool) or not isinstance(operand, int | float):
            raise Reject(tiles.no_value(f"an operand of {op.label}", operand))
        return operand

    def _common(self, op: Op, operands: list[Operand]) -> tuple[int, ...]:
        shapes = [operand.extents for operand in operands if isinstance(operand, GraphValue)]
        common = shapes[0]
        for shape in shapes[1:]:
            if len(shape) != len(common) or not all(
                1 in (one, two) or are_equal(one, two) for one, two in zip(common, shape, strict=True)
            ):
                raise Reject(tiles.no_shapes(op.label, common, shape))
            common = tuple(map(max, common, shape))
        return common

    def _fitted(self, op: Op, at: int, operand: Operand, extents: tuple[int, ...]) -> Operand:
        """Broadcast an operand to the extents of the result; numbers stay if the operation takes a number."""
        if not isinstance(operand, GraphValue):
            if op.operands[at].scalar:
                return operand
            return self._filled(operand, extents)
        dims = tuple(
            at - len(extents)
            for at, (own, extent) in enumerate(zip(operand.extents, extents, strict=True))
            if own == 1 != extent
        )
        if not dims:
            return operand
        shape = tuple(
            wide if at - len(extents) in dims else own
            for at, (own, wide) in enumerate(zip(tiles_of(operand.extents), tiles_of(extents), strict=True))
        )
        broad = tuple(max(own, wide) for own, wide in zip(operand.extents, extents, strict=True))
        return self._computed(BROADCAST, (operand,), (dims, shape), broad)

    def _filled(self, number: float, extents: tuple[int, ...]) -> GraphValue:
        return self._computed(FILL, (), (number, tiles_of(extents), None), extents)

    def _product(self, op: Op, operands: list[Operand]) -> tuple[int, ...]:
        left, right = operands
        if not isinstance(left, GraphValue) or not isinstance(right, GraphValue):
            raise Reject(
                tiles.no_value(f"an operand of {op.label}", left if isinstance(right, GraphValue) else right)
            )
        one, two = left.extents, right.extents
        if len(one) != len(two) or not _all_equal((*one[:-2], one[-1]), two[:-1]):
            raise Reject(tiles.no_product(one, two))
        return (*one[:-1], two[-1])

    # --- loops ------------------------------------------------------------------------------------------------

    def looped(self, statement: ast.For, over: TileLoop) -> Signals:
        """Read a loop as a whole: its body once for each guess of the carried values, until a guess is right."""
        reader = self.reader
        reader.place = statement.iter
        if statement.orelse or leaves(statement) or returns(statement):
            raise Reject(rules.left_early())
        if not isinstance(statement.target, ast.Name):
            reader.place = statement.target
            raise Reject(rules.no_target())
        step = self._step(statement, over)
        if step == over.axis.units and over.kind != "spatial":  # one iteration is not a loop
            name = statement.target.id
            reader.assign(reader.scope, name, self._member(over, self._loops, step, name))
            self._loops += 1
            flow.apart(reader, statement.body, statement)
            return {}
        # By name: values like the carried ones, where the value before the loop is a number or has other extents; the
        # findings about values that change and cannot be carried; and the names that only seemed to change.
        guess = _Guess({}, {}, frozenset())
        number = self._loops
        self._loops += 1
        while True:
            loop = Loop(
                number,
                "",
                over.kind or self._kind(statement),
                over.axis.units,
                step,
                reader.file.span(statement.iter),
                over.axis.name,
            )
            better = self._once(statement, over, loop, guess)
            if better is None:
                break
            guess = better
        self.body.append(loop)
        return {}

    def _member(self, over: TileLoop, number: int, step: int, name: str) -> Any:
        """Return the value of a loop's variable in an iteration; with only one iteration, the value is constant."""
        iterations = step != over.axis.units
        is_free = over.axis.unit != 1 and not isinstance(over.step, int)
        if is_free:
            self._free.add(number)
        variable = Polynomial.of(Indeterminate(name, number))
        iteration = variable if iterations else Polynomial.constant(0)
        start = Position(iteration, variable if is_free else iteration)
        if over.axis.unit == 1:
            return start if iterations or over.kind == "spatial" else 0
        return BlockIndex(start, step, over.axis, number, is_free=is_free)

    def _once(self, statement: ast.For, over: TileLoop, loop: Loop, guess: _Guess) -> _Guess | None:
        """Read the body of a loop; None if the guess of its carried values was right, else a better guess."""
        reader, scope = self.reader, self.reader.scope
        mark, outer, findings = reader.mark(), self.body, len(reader.diagnostics)
        target = cast("ast.Name", statement.target)
        loop.name = target.id
        before: dict[str, Any] = {}
        inside: dict[str, TracedValue] = {}
        for name in assigned(*statement.body):
            if scope.holder(name) is not scope:
                continue
            prior = before[name] = scope.names.get(name, UNBOUND)
            if name in guess.changed:
                reader.assign(scope, name, ChangedValue(guess.changed[name]))
            elif name not in guess.constant and (isinstance(prior, TracedValue) or name in guess.values):
                like = guess.values.get(name) or prior.value
                inside[name] = TracedValue(self, GraphValue(like.extents, like.dtype, name))
                reader.assign(scope, name, inside[name])
        regions, builder = reader.domain.regions, reader.domain.builder  # type: ignore[attr-defined]
        own, births = reader.mark(), reader.births
        self.body = loop.body
        reader.assign(scope, target.id, self._member(over, loop.number, loop.step, target.id))
        try:
            # Values from outside of the loop cannot be changed in place: all iterations are read as one.
            with builder.looping() as number, regions.inside(number):
                flow.apart(reader, statement.body, statement)
        finally:
            self.body = outer
        if reader.failed:
            reader.leave_way(mark)
            for name in before:
                reader.assign(scope, name, Poison())
            return None
        reader.place = statement.iter
        for holder, name, prior in reader.changed_since(own).values():
            is_own = holder is scope and (name in before or name == target.id)
            if (
                holder.birth <= births
                and not is_own
                and prior is not UNBOUND
                and holder.names.get(name, UNBOUND) is not prior
            ):
                raise Reject(rules.changed_elsewhere(name))
        after = {name: scope.names.get(name, UNBOUND) for name in before}
        better = _Guess(dict(guess.values), dict(guess.changed), guess.constant)
        for name, value in after.items():
            prior = before[name]
            if name in inside:
                if value is inside[name]:
                    better.constant |= {name}
                elif isinstance(value, TracedValue):
                    was, extents = inside[name].value.extents, value.value.extents
                    if not _all_equal(was, extents):
                        if isinstance(prior, TracedValue):
                            better.changed[name] = rules.carried_shape(name, was, extents)
                            continue
                        better.values[name] = value.value
                    if any(_is_of(extent, loop.number) for extent in extents):
                        raise Reject(rules.carries_blocks(name, loop.what))
                elif not isinstance(value, Poison):
                    better.changed[name] = rules.changed_by_iterations(name)
            elif name not in guess.changed and prior is not UNBOUND and not _is_same(prior, value):
                if (
                    isinstance(value, TracedValue)
                    and isinstance(prior, int | float)
                    and not isinstance(prior, bool)
                ):
                    better.values[name] = value.value
                else:
                    better.changed[name] = rules.changed_by_iterations(name)
        if better.values.keys() - guess.values.keys():  # other changing names may become values by that
            better.changed = guess.changed
        if better != guess:
            reader.leave_way(mark)
            del reader.diagnostics[findings:]
            return better
        reader.leave_way(mark)
        for name, value in after.items():
            prior = before[name]
            if name in inside and isinstance(value, TracedValue):
                begin = prior.value if isinstance(prior, TracedValue) else prior
                result = GraphValue(value.value.extents, value.value.dtype, name)
                loop.carried.append(CarriedValue(name, begin, inside[name].value, value.value, result))
                reader.assign(scope, name, TracedValue(self, result))
            elif name not in guess.constant and not (prior is not UNBOUND and _is_same(prior, value)):
                reader.assign(
                    scope,
                    name,
                    Poison("a loop over blocks assigns it, and this is behind the loop", reported=False),
                )
        reader.assign(
            scope,
            target.id,
            Poison("it belongs to an iteration of a loop, and the loop has ended", reported=False),
        )
        return None

    def _kind(self, statement: ast.For) -> str:
        """Return ``spread`` or ``temporal``, as the designer chooses, for a loop without a declared kind."""
        span = self.reader.file.span(statement.iter)
        name = getattr(statement.target, "id", "")
        knob = Knob(
            key=("spread", span.line, span.column, name),
            name=f"{name} spread",
            values=(1, 0),
            what="spread",
            span=span,
        )
        return "spread" if self._choose(knob) else "temporal"

    def _step(self, statement: ast.For, over: TileLoop) -> int:
        units = over.axis.units
        if over.axis.unit == 1:
            return 1
        if isinstance(over.step, int):
            if units % over.step:
                raise Reject(rules.not_divided(over.axis.name, units, over.step))
            return over.step
        span = self.reader.file.span(statement.iter)
        share = over.step.share if isinstance(over.step, Fraction) else None
        divisors = tuple(number for number in range(1, units + 1) if units % number == 0)
        name = getattr(statement.target, "id", over.axis.name)
        # All loops of a nest in metadata have the decorator's place: the variable's name distinguishes them.
        return self._choose(
            Knob(
                key=("step", span.line, span.column, name),
                name=name,
                values=divisors,
                what="step",
                share=share,
                span=span,
            )
        )


@dataclass(slots=True)
class _Guess:
    """The assumptions about the values that a loop carries, by name."""

    values: dict[str, GraphValue]
    changed: dict[str, Diagnostic]
    """The values that change, each with the finding if an iteration reads it before it assigns it."""
    constant: frozenset[str]


class ChangedValue(Poison):
    """A value that changes from iteration to iteration and that the loop cannot carry."""

    __slots__ = ("finding",)

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(reported=False)
        self.finding = finding


def _is_same(prior: Any, value: Any) -> bool:
    return prior is value or (not isinstance(prior, Position) and same(prior, value))


def _all_equal(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    return len(first) == len(second) and all(map(are_equal, first, second))


def _extent(first: Position, last: Position, size: int, extent: int, unit: int) -> int:
    """Return the extent in elements of a part from ``first`` to ``last``."""
    start, free = first.form.number, last.free - first.free
    if size == -(-extent // unit):
        return extent
    if start is not None and free.number is not None:
        end = min(extent, (start + size) * unit)
        return end - start * unit if end > start * unit >= 0 else size * unit
    key = (None if free.number is not None else free, (extent, first.free) if extent % unit else None)
    return size * unit if key == (None, None) else Partial.of(size * unit, key)


def _is_of(extent: int, loop: int) -> bool:
    """Whether an extent depends on the iteration or the step of a loop."""
    if not isinstance(extent, Partial):
        return False
    free, tail = extent.key
    forms = [form for form in (free, tail and tail[1]) if form is not None]
    return any(term.key in (loop, SizeOfBlock(loop)) for form in forms for term in form.indeterminates)


def _unchanged(op: Op, operands: list[Operand]) -> GraphValue | None:
    """Return the other operand of a sum with the number 0, or of a product with 1, as accumulators begin; else None."""
    if op in (ADD, MUL):
        neutral = 0 if op is ADD else 1
        for number, value in (operands, operands[::-1]):
            if not isinstance(number, GraphValue) and number == neutral and isinstance(value, GraphValue):
                return value
    return None


def _only(operands: list[Operand]) -> GraphValue:
    (value,) = operands
    if not isinstance(value, GraphValue):
        raise Reject(tiles.no_value("the operand", value))
    return value
