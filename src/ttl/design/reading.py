"""The function of a tile program, read as a graph. Nothing of the user's runs: the front end evaluates its Python."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from ttl.analysis.polynomials import Indeterminate, Polynomial, derived
from ttl.arch import Chip
from ttl.design.graph import (
    Carried,
    Compute,
    Entry,
    Graph,
    Index,
    Item,
    Knob,
    Load,
    Loop,
    Operand,
    Store,
    Value,
    tiles_of,
)
from ttl.diag import Diagnostic
from ttl.diag.report import COLLECTOR
from ttl.frontend import flow
from ttl.frontend.assignments import assign
from ttl.frontend.domain import Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel.domain import KernelDomain
from ttl.frontend.kernel.repetition import KernelLoop
from ttl.frontend.python import HANDLERS
from ttl.frontend.stop import Endless, Reject
from ttl.frontend.values import RETURN, UNBOUND, Poison, Scope, UserFunction
from ttl.host.tensor import Tensor
from ttl.lang.tiles import TILES, Axis, Fraction, TileLoop, TilePart, TileTensor, TileValue
from ttl.rows.row import Op, Params
from ttl.rows.table import ADD, BROADCAST, FILL, MUL
from ttl.rules import design as rules
from ttl.rules import tiles
from ttl.source.depth import room
from ttl.source.scopes import assigned, body_of, leaves, locals_of, returns
from ttl.source.spans import READING, Span


class Position:
    """A number that depends on loops: where a block starts, in tiles or elements."""

    __slots__ = ("form",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, form: Polynomial) -> None:
        self.form = form

    def __add__(self, other: Any) -> Position:
        return Position(self.form + _form(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Position:
        return Position(self.form - _form(other))

    def __rsub__(self, other: Any) -> Position:
        return Position(_form(other) - self.form)

    def __mul__(self, other: Any) -> Position:
        return Position(self.form * _form(other))

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Position:
        return Position(derived("//", int.__floordiv__, self.form, _form(other)))

    def __mod__(self, other: Any) -> Position:
        return Position(derived("%", int.__mod__, self.form, _form(other)))

    def __bool__(self) -> NoReturn:
        raise Reject(rules.decided_by_loop())

    def __eq__(self, other: object) -> NoReturn:
        raise Reject(rules.decided_by_loop())

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__


def _form(value: Any) -> Polynomial:
    if isinstance(value, Position):
        return value.form
    if isinstance(value, int):
        return Polynomial.constant(int(value))
    raise Reject(rules.no_position(value))


class BlockIndex:
    """What a loop over tiles gives in a turn: a block of them."""

    __slots__ = ("extent", "size", "start", "what", "whole")

    def __init__(self, start: Position, size: int, axis: Axis) -> None:
        self.start, self.size, self.what = start, size, axis.name
        self.extent, self.whole = axis.extent, size == axis.units

    @property
    def stop(self) -> Position:
        """Where the block ends."""
        return self.start + self.size


class TracedValue(TileValue):
    """A value of the graph."""

    __slots__ = ("recorder", "value")

    def __init__(self, recorder: Recorder, value: Value) -> None:
        self.recorder, self.value = recorder, value

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> Any:
        return self.recorder.apply(op, operands, params)

    def __eq__(self, other: object) -> Any:
        return self is other

    def __ne__(self, other: object) -> Any:
        return self is not other

    __hash__ = TileValue.__hash__

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.extents

    @property
    def dtype(self) -> Any:
        return self.value.dtype


class Recorder:
    """Who runs a tile program while it is read: what it does becomes items of a graph."""

    def __init__(self, choices: Mapping[Any, int]) -> None:
        self.reader: Evaluator
        self.body: list[Item] = []
        self.knobs: dict[Any, Knob] = {}
        self.chosen: dict[Any, int] = {}
        self._choices = choices
        self._loops = 0

    # --- what the program asks for ----------------------------------------------------------------------------

    def load(self, part: TilePart) -> TracedValue:
        """A load."""
        index, extents = self._index(part)
        value = Value(extents, part.tensor.dtype)
        self.body.append(Load(value, part.tensor._name, index, self._span()))
        return TracedValue(self, value)

    def store(self, part: TilePart, value: Any) -> None:
        """A store."""
        index, extents = self._index(part)
        if not isinstance(value, TracedValue):
            raise Reject(tiles.no_value("what is stored", value))
        if value.value.extents != extents:
            raise Reject(tiles.other_shape(part.tensor._name, extents, value.value.extents))
        self.body.append(Store(value.value, part.tensor._name, index, self._span()))

    def choice(self, values: tuple[Any, ...]) -> int:
        """One of the author's values."""
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
        """Loops are evaluated as a whole."""
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
            units = tiles_of((1, extent))[1] if tiled else extent
            unit = 32 if tiled else 1
            match entry:
                case slice(start=None, stop=None, step=None):
                    entries.append(Entry(Polynomial.constant(0), units))
                    extents.append(extent)
                case BlockIndex() if tiled:
                    if entry.extent != extent:
                        raise Reject(
                            tiles.other_extent(tensor._name, dimension, extent, entry.what, entry.extent)
                        )
                    entries.append(Entry(entry.start.form, entry.size))
                    extents.append(extent if entry.whole else entry.size * unit)
                case slice(start=start, stop=stop, step=None) if start is not None and stop is not None:
                    first, last = _form(start), _form(stop)
                    size = (last - first).number
                    if size is None or not 1 <= size <= units:
                        raise Reject(tiles.no_entry(tensor._name, dimension, entry, tiled=tiled))
                    entries.append(Entry(first, size))
                    extents.append(extent if size == units else size * unit)
                case int() | Position() if not tiled:
                    entries.append(Entry(_form(entry), 1, single=True))
                case _:
                    raise Reject(tiles.no_entry(tensor._name, dimension, entry, tiled=tiled))
        return tuple(entries), tuple(extents)

    # --- mathematics ------------------------------------------------------------------------------------------

    def apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> TracedValue:
        """A row applied to values, which are broadcast as NumPy does."""
        given: list[Operand] = [self._operand(op, operand) for operand in operands]
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
    ) -> Value:
        types = tuple(operand.type if isinstance(operand, Value) else operand for operand in operands)
        result = op.infer(types, params)
        if isinstance(result, Diagnostic):
            raise Reject(result)
        value = Value(extents, result.dtype)
        self.body.append(Compute(value, op, operands, params, self._span()))
        return value

    def _operand(self, op: Op, operand: Any) -> Operand:
        if isinstance(operand, TracedValue):
            return operand.value
        if isinstance(operand, bool) or not isinstance(operand, int | float):
            raise Reject(tiles.no_value(f"an operand of {op.label}", operand))
        return operand

    def _common(self, op: Op, operands: list[Operand]) -> tuple[int, ...]:
        shapes = [operand.extents for operand in operands if isinstance(operand, Value)]
        for shape in shapes[1:]:
            if len(shape) != len(shapes[0]) or any(
                len({extent for extent in extents if extent != 1}) > 1
                for extents in zip(shapes[0], shape, strict=True)
            ):
                raise Reject(tiles.no_shapes(op.label, shapes[0], shape))
        return tuple(max(extents) for extents in zip(*shapes, strict=True))

    def _fitted(self, op: Op, at: int, operand: Operand, extents: tuple[int, ...]) -> Operand:
        """An operand with all extents of the result; a number where the operation takes one."""
        if not isinstance(operand, Value):
            if op.operands[at].scalar:
                return operand
            return self._computed(FILL, (), (operand, tiles_of(extents), None), extents)
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

    def _product(self, op: Op, operands: list[Operand]) -> tuple[int, ...]:
        left, right = operands
        if not isinstance(left, Value) or not isinstance(right, Value):
            raise Reject(
                tiles.no_value(f"an operand of {op.label}", left if isinstance(right, Value) else right)
            )
        one, two = left.extents, right.extents
        if len(one) != len(two) or one[-1] != two[-2] or one[:-2] != two[:-2]:
            raise Reject(rules.no_product(one, two))
        return (*one[:-1], two[-1])

    # --- loops ------------------------------------------------------------------------------------------------

    def looped(self, statement: ast.For, over: TileLoop) -> Signals:
        """A loop as a whole: its body is read once for each guess of what it carries, which is right in the end."""
        reader = self.reader
        reader.place = statement.iter
        if statement.orelse or leaves(statement) or returns(statement):
            raise Reject(rules.left_early())
        step = self._step(statement, over)
        if step == over.axis.units:  # one turn is no loop
            start = Position(Polynomial.constant(0))
            member = 0 if over.axis.unit == 1 else BlockIndex(start, step, over.axis)
            assign(reader, statement.target, member)
            flow.apart(reader, statement.body, statement)
            return {}
        # By name: what a turn begins with, where a number before the loop becomes a value in it.
        shapes: dict[str, Value] = {}
        constant: set[str] = set()
        while True:
            loop = Loop(
                self._loops,
                "",
                over.kind or self._kind(statement),
                over.axis.units,
                step,
                reader.file.span(statement.iter),
                over.axis.name,
            )
            self._loops += 1
            again = self._once(statement, over, loop, shapes, constant)
            if again is None:
                break
            shapes, constant = again
        self.body.append(loop)
        return {}

    def _once(
        self, statement: ast.For, over: TileLoop, loop: Loop, shapes: dict[str, Value], constant: set[str]
    ) -> tuple[dict[str, Value], set[str]] | None:
        """Read the body: None when what it carries was guessed right, else a better guess."""
        reader, scope = self.reader, self.reader.scope
        mark, outer, findings = reader.mark(), self.body, len(reader.diagnostics)
        target = statement.target
        if not isinstance(target, ast.Name):
            reader.place = target
            raise Reject(rules.no_target())
        loop.name = target.id
        before: dict[str, Any] = {}
        inside: dict[str, TracedValue] = {}
        for name in assigned(*statement.body):
            holder = scope.holder(name)
            if holder is not scope:
                continue
            before[name] = scope.names.get(name, UNBOUND)
            prior = before[name]
            if name in constant or not (isinstance(prior, TracedValue) or name in shapes):
                continue
            like = shapes.get(name) or prior.value
            inside[name] = TracedValue(self, Value(like.extents, like.dtype, name))
            reader.assign(scope, name, inside[name])
        regions, builder = reader.domain.regions, reader.domain.builder  # type: ignore[attr-defined]
        own = reader.mark()
        self.body = loop.body
        form = Polynomial.of(Indeterminate(target.id, loop.number))
        member = Position(form) if over.axis.unit == 1 else BlockIndex(Position(form), loop.step, over.axis)
        reader.assign(scope, target.id, member)
        try:
            # What is from outside of the loop cannot be changed in place: all turns are read as one.
            with builder.looping() as number, regions.inside(number):
                flow.apart(reader, statement.body, statement)
        finally:
            self.body = outer
        for holder, name, prior in reader.changed_since(own).values():
            if holder is not scope and prior is not UNBOUND and holder.names.get(name, UNBOUND) is not prior:
                reader.place = statement.iter
                raise Reject(rules.carried_other(name))
        after = {name: scope.names.get(name, UNBOUND) for name in before}
        wanted, kept = dict(shapes), set(constant)
        for name, value in after.items():
            prior = before[name]
            if name in inside:
                if value is inside[name]:
                    kept.add(name)
                elif isinstance(value, TracedValue) and value.value.extents != inside[name].value.extents:
                    if isinstance(prior, TracedValue):
                        reader.place = statement.iter
                        raise Reject(
                            rules.carried_shape(name, inside[name].value.extents, value.value.extents)
                        )
                    wanted[name] = value.value
                elif not isinstance(value, TracedValue) and not isinstance(value, Poison):
                    reader.place = statement.iter
                    raise Reject(rules.carried_other(name))
            elif isinstance(prior, int | float) and not isinstance(prior, bool):
                if isinstance(value, TracedValue):
                    wanted[name] = value.value
                elif not isinstance(value, Poison) and (type(value) is not type(prior) or value != prior):
                    reader.place = statement.iter
                    raise Reject(rules.counts_in_loop(name))
        if (wanted.keys() != shapes.keys() or kept != constant or wanted != shapes) and not reader.failed:
            reader.leave_way(mark)
            del reader.diagnostics[findings:]
            return wanted, kept
        reader.leave_way(mark)
        for name, value in after.items():
            prior = before[name]
            if name in inside and isinstance(value, TracedValue):
                begin = prior.value if isinstance(prior, TracedValue) else prior
                result = Value(value.value.extents, value.value.dtype, name)
                loop.carried.append(Carried(name, begin, inside[name].value, value.value, result))
                reader.assign(scope, name, TracedValue(self, result))
            elif name not in constant and not (prior is not UNBOUND and prior is value):
                reader.assign(
                    scope,
                    name,
                    Poison("a loop over blocks assigns it, and this is behind the loop", reported=False),
                )
        reader.assign(
            scope,
            target.id,
            Poison("it is what a turn of a loop gets, and this is behind the loop", reported=False),
        )
        return None

    def _kind(self, statement: ast.For) -> str:
        """Whether a loop of which the author did not say it is to be spread: it is, if that can be."""
        span = self.reader.file.span(statement.iter)
        name = getattr(statement.target, "id", "")
        knob = Knob(
            key=("spread", span.line, span.column),
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
        return self._choose(
            Knob(
                key=("step", span.line, span.column),
                name=getattr(statement.target, "id", over.axis.name),
                values=divisors,
                what="step",
                share=share,
                span=span,
            )
        )


def _unchanged(op: Op, operands: list[Operand]) -> Value | None:
    """What stays as it is: a sum with the zero, or the product with the one, that an accumulator began with."""
    if op in (ADD, MUL):
        neutral = 0 if op is ADD else 1
        for number, value in (operands, operands[::-1]):
            if not isinstance(number, Value) and number == neutral and isinstance(value, Value):
                return value
    return None


def _only(operands: list[Operand]) -> Value:
    (value,) = operands
    if not isinstance(value, Value):
        raise Reject(tiles.no_value("the operand", value))
    return value


class _TileLoop(KernelLoop):
    """A loop of a tile program: of blocks, it is one of the graph."""

    recorder: Recorder

    def whole(self, iterated: Any) -> Signals | None:
        if isinstance(iterated, Axis):
            iterated = TileLoop(iterated, None, None)
        if isinstance(iterated, TileLoop):
            return self.recorder.looped(self._statement, iterated)
        return super().whole(iterated)


class TileDomain(KernelDomain):
    """The kernel domain as the body of an operation sees it, with loops over blocks."""

    recorder: Recorder

    def repetition(self, statement: ast.For | ast.While) -> KernelLoop:
        loop = _TileLoop(self.reader, self.tracer, self._loops, statement)
        loop.recorder = self.recorder
        return loop

    def bind(self, target: ast.Name, value: Any) -> None:
        super().bind(target, value)
        if isinstance(value, TracedValue) and not value.value.name:
            value.value.name = target.id

    def captured(self, value: Any, node: ast.AST) -> Any:
        if isinstance(value, Tensor):
            self.reader.place = node
            raise Reject(rules.captured_tensor(getattr(node, "id", "this tensor")))
        return super().captured(value, node)


@room()
def read(
    function: UserFunction,
    arguments: Mapping[str, Any],
    grid: tuple[int, ...],
    chip: Chip,
    choices: Mapping[Any, int],
) -> tuple[Graph | None, list[Diagnostic]]:
    """The graph of a tile program, or what is wrong with it. ``choices`` are values of knobs; others have their first."""
    recorder = Recorder(choices)

    def domain(reader: Evaluator) -> TileDomain:
        made = TileDomain(reader, grid, chip, {}, "pure")
        made.recorder, recorder.reader = recorder, reader
        return made

    reader = Evaluator(HANDLERS, domain)
    node = function.node
    tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
    token = TILES.set(recorder)
    try:
        with READING.given(reader), COLLECTOR.given(reader.diagnostics.append):
            scope = Scope(function.scope, locals_of(node))
            reader.begin(scope, function.file, function.globals, node)
            for name, value in arguments.items():
                scope.names[name] = TileTensor(recorder, name, value) if name in tensors else value
            scope.names[RETURN] = UNBOUND
            with reader.domain.builder.inside(_unused_block()):  # type: ignore[attr-defined]
                try:
                    flow.block(reader, body_of(node), after=None)
                except Endless as stopped:
                    reader.report(stopped.finding)
                    reader.failed = True
    finally:
        TILES.reset(token)
    if reader.failed:
        return None, reader.diagnostics
    graph = Graph(
        getattr(node, "name", "program"),
        tensors,
        recorder.body,
        tuple(recorder.knobs.values()),
        recorder.chosen,
        function.file.span(node),
    )
    return graph, reader.diagnostics


def _unused_block() -> Any:
    from ttl.frontend.kernel.builder import new_block

    return new_block()
