"""Loops as loops of the IR. A loop of which a member must be known during compilation is unrolled instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from xdsl.dialects import affine, scf
from xdsl.ir import Block, SSAValue
from xdsl.traits import is_side_effect_free

from ttl.frontend import refusals
from ttl.frontend.assignments import assign
from ttl.frontend.domain import Signals
from ttl.frontend.effects import Place, changed_elsewhere
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.flow import apart, joined
from ttl.frontend.kernel.branches import Branches
from ttl.frontend.kernel.builder import INDEX, new_block, region, require_word
from ttl.frontend.kernel.carrying import Carrying, CarryingLoop, LoopVar
from ttl.frontend.kernel.loop_facts import LoopFacts
from ttl.frontend.kernel.merging import NOTHING_OF, CarriedKind, common, from_ir, kind_of, to_ir
from ttl.frontend.kernel.objects import TracedBlock, receive_in
from ttl.frontend.kernel.regions import Regions, again, discard, flags, returned_value
from ttl.frontend.kernel.selected import Selected, means_outside
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.scalars import NodeCondition, NodeInteger, both, bounds_of, either, loops_of, negated
from ttl.frontend.stop import Poisoned, Reject
from ttl.frontend.values import RETURN, UNBOUND, Poison, RangeValue, Scope, Sequential, same
from ttl.source.scopes import assigned, leaves, may_act, only_augmented, reads

_AFTER_LOOP = "a loop that is not unrolled assigns it, and this is after the loop"
# The most iterations of a loop that is unrolled.
MOST_UNROLLED = 4096


class Loops:
    """``for`` and ``while`` as loops of the IR."""

    def __init__(
        self, reader: Evaluator, tracer: Tracer, regions: Regions, carrying: Carrying, branches: Branches
    ) -> None:
        self._reader = reader
        self._tracer = tracer
        self._builder = tracer.builder
        self._regions = regions
        self._carrying = carrying
        self._branches = branches

    def for_(self, statement: ast.For, over: Sequential, facts: LoopFacts) -> Signals:
        """Build a loop over an iterable that is computed from positions."""
        with self._building() as number:
            self._loop(statement, over, CarryingLoop(number, new_block(INDEX)), facts)
        return self._left(statement, number)

    @contextmanager
    def _building(self) -> Iterator[int]:
        """Build a loop, and yield its number. If that fails, names get back their earlier values."""
        mark = self._reader.mark()
        try:
            with self._builder.looping() as number:
                yield number
        except BaseException:
            self._reader.leave_way(mark)
            raise

    def _loop(self, statement: ast.For, over: Sequential, loop: CarryingLoop, facts: LoopFacts) -> None:
        exits = leaves(statement)
        places = facts.places
        low = bounds_of(over.length)[0]
        if exits and low is not None and low >= 1:
            self._give_first(statement.target)
        loop.types = facts.kinds()
        carriable = self._carriable(loop, places, exits)
        start, stop, step = self._bounds(over)
        with self._builder.inside(loop.block), self._regions.inside(loop.number):
            if isinstance(statement.target, ast.Name):
                loop.block.args[0].name_hint = statement.target.id
            loop.member = self._member(over, loop)
            self._body(loop, statement, loop.member, exits)
            yielded = self._yielded(loop, carriable, statement)
        self._reader.place = statement.iter
        result = self._made(loop, start, stop, step, yielded)
        self._after(loop, carriable, result, over)

    def facts(self, statement: ast.For | ast.While) -> LoopFacts:
        """The facts about a loop, before it is built."""
        reader = self._reader
        body = [statement.target if isinstance(statement, ast.For) else statement.test, *statement.body]
        places = self._places(statement, *body)
        return LoopFacts(
            statement, reader.scope, reader.globals, self._regions.as_function, places, reader.function
        )

    def is_live(self, name: str) -> bool:
        """Return whether a name is read after the loop.

        A name of another function may be read by any code.
        """
        reader = self._reader
        return reader.scope.holder(name) is not reader.scope or reader.tail.is_live(name)

    def _give_first(self, target: ast.expr) -> None:
        """Assign a value to a loop's variable before the loop, which may be left early, if later code reads it."""
        if isinstance(target, ast.Name) and self.is_live(target.id):
            scope = self._reader.scope.holder(target.id)
            if scope is not None and kind_of(scope.names.get(target.id, UNBOUND)) is None:
                self._reader.assign(scope, target.id, 0)

    def _places(self, statement: ast.For | ast.While, *body: ast.AST) -> list[Place]:
        """Return the variables, of any scope, whose value may change in an iteration.

        ``blk += value`` changes the block, not the name.
        """
        reader, same_block = self._reader, only_augmented(statement)
        places: dict[Place, None] = {}
        for name in assigned(*body):
            scope = reader.scope.holder(name)
            if scope is None or (name in same_block and isinstance(scope.names.get(name), TracedBlock)):
                continue
            places[scope, name] = None
        elsewhere = changed_elsewhere(body, reader.scope, reader.globals, self._regions.as_function)
        return list(places | dict.fromkeys(elsewhere))

    def _carriable(
        self, loop: CarryingLoop, places: list[Place], exits: frozenset[str]
    ) -> list[tuple[Scope, str, Any]]:
        """Mark the variables that the loop changes; return them with their values before it."""
        reader, scope = self._reader, self._reader.scope
        if exits:
            running, returned = flags(loop.number)
            reader.assign(scope, running, True)
            places = [*places, (scope, running)]
            if "return" in exits:
                reader.assign(scope, returned, False)
                places += [(scope, returned)]
        carriable = []
        for scope, name in places:
            prior = scope.names.get(name, UNBOUND)
            carriable.append((scope, name, prior))
            if prior is not UNBOUND and (not isinstance(prior, Poison) or type(prior) is Selected):
                reader.assign(scope, name, LoopVar(prior, loop))
        return carriable

    def _body(self, loop: CarryingLoop, statement: ast.For, member: Any, exits: frozenset[str]) -> None:
        reader = self._reader
        if not exits:
            assign(reader, statement.target, member)
            apart(reader, statement.body, statement)
            return
        # If the code after the loop reads the variable, it keeps the value from the iteration that left the loop.
        is_read = any(map(self.is_live, assigned(statement.target)))
        if not is_read:
            assign(reader, statement.target, member)

        def once() -> Signals:
            if is_read:
                assign(reader, statement.target, member)
            return apart(reader, statement.body, statement)

        scope = reader.scope
        running, returned = flags(loop.number)
        goes_on = self._flag(scope, running)
        signals = self._branches.guarded(goes_on, once)
        left = either(signals.get("break", False), signals.get("return", False))
        reader.assign(scope, running, both(goes_on, negated(left)))
        if "return" in exits and signals.get("return", False) is not False:
            reader.assign(scope, returned, either(self._flag(scope, returned), signals["return"]))
            self._keep_returned(loop, signals["return"])

    def _keep_returned(self, loop: CarryingLoop, now: Any) -> None:
        """Keep the value that the function returns in an iteration until the loop has ended."""
        reader, scope = self._reader, self._reader.scope
        value = scope.returned
        place = scope, returned_value(loop.number)
        reader.assign(scope, RETURN, UNBOUND)
        kind = kind_of(value)
        if kind is None or isinstance(value, bool | int):
            if kind is None and not _constant(value):
                self._refuse_returned(loop, value)
            reader.assign(*place, value)
            return
        if kind.type is not None:
            self._refuse_returned(loop, value)
        ssa = loop.block.insert_arg(kind.attribute, len(loop.block.args))
        loop.carried[place] = (0, kind, ssa)
        loops = frozenset(self._builder.open_loops)
        before = from_ir(self._tracer, ssa, kind, loops)
        chosen = value
        if isinstance(now, NodeCondition):
            chosen = self._branches.value(now, lambda: value, lambda: before)
        reader.assign(*place, chosen)

    def _refuse_returned(self, loop: CarryingLoop, value: Any) -> None:
        if isinstance(value, Poison) and value.reported:
            raise Poisoned
        finding = refusals.not_known_here("what is returned from the loop", _AFTER_LOOP)
        raise Reject(finding)

    def _flag(self, scope: Scope, name: str) -> Any:
        return self._carrying.settled(scope, name, scope.names[name])

    def _left(self, statement: ast.For | ast.While, number: int) -> Signals:
        """Evaluate the ``else`` of a loop, and return the exits of the loop and the ``else``."""
        scope, exits = self._reader.scope, leaves(statement)
        signals: Signals = {}
        running, returned = (
            self._reader.delete(scope, name) if name in scope.names else default
            for name, default in zip(flags(number), (True, False), strict=True)
        )
        if "return" in exits and returned is not False:
            signals["return"] = self._reader.domain.truth(returned)
            if returned_value(number) in scope.names:
                self._reader.assign(scope, RETURN, self._reader.delete(scope, returned_value(number)))
        if statement.orelse:
            ended = self._reader.domain.truth(running) if exits else True
            more = self._branches.guarded(ended, lambda: apart(self._reader, statement.orelse))
            every_path = signals and "break" not in exits and more.get("return", False) is ended
            signals = {"return": True} if every_path else joined(signals, more)
        return signals

    def _member(self, over: Sequential, loop: CarryingLoop) -> Any:
        loops = frozenset((loop.number,))
        variable = loop.block.args[0]
        if isinstance(over, RangeValue) and over.step > 0:
            last = (
                over.start + (over.length - 1) * over.step if isinstance(over.length, int) else over.stop - 1
            )
            low, high = bounds_of(over.start)[0], bounds_of(last)[1]
            return self._builder.atom(variable, low, high, loops | loops_of(over.start))
        most = bounds_of(over.length)[1]
        position = self._builder.atom(variable, 0, None if most is None else max(most - 1, 0), loops)
        return over.at(position)

    def _bounds(self, over: Sequential) -> tuple[Any, Any, int]:
        if isinstance(over, RangeValue) and over.step > 0:
            return over.start, over.stop, over.step
        return 0, over.length, 1

    def _yielded(
        self, loop: CarryingLoop, carriable: list[tuple[Scope, str, Any]], statement: ast.For
    ) -> dict[Place, SSAValue]:
        """The values of carried variables after an iteration, in the order of the block's arguments."""
        for scope, name, prior in carriable:
            if (
                (scope, name) in loop.carried
                or prior is UNBOUND
                or not self._read_elsewhere(name, scope, statement)
            ):
                continue
            after = scope.names.get(name, UNBOUND)
            if isinstance(after, LoopVar) or isinstance(prior, LoopVar) or _is_member(after, loop):
                continue
            # The loop assigns it and never reads it before: carried, too, for the code after the loop.
            kind = common(kind_of(prior), kind_of(after))
            if kind is not None:
                ssa = loop.block.insert_arg(kind.attribute, len(loop.block.args))
                loop.carried[scope, name] = (prior, kind, ssa)
        self._carrying.require_kept(loop)
        self._carrying.settle_types(loop)
        yielded: dict[Place, SSAValue] = {}
        for place, (prior, kind, _) in loop.carried.items():
            scope, name = place
            after = scope.names.get(name, UNBOUND)
            if isinstance(after, Poison) and after.reported:
                after = prior
            else:
                told = place in loop.types
                self._carrying.require_kind(name, after, kind, told=told)
            yielded[place] = to_ir(self._tracer, after, kind)
        return yielded

    def _read_elsewhere(self, name: str, scope: Scope, statement: ast.For) -> bool:
        """Whether code outside of a loop reads a name."""
        if scope is not self._reader.scope or name.startswith("$"):
            return True
        return reads(self._reader.function)[name] > reads(statement)[name]

    def _made(
        self, loop: CarryingLoop, low: Any, high: Any, step: int, yielded: dict[Place, SSAValue]
    ) -> Any:
        builder = self._builder
        initial = [to_ir(self._tracer, prior, kind) for prior, kind, _ in loop.carried.values()]
        if isinstance(low, int) and isinstance(high, int):
            require_word(low)
            require_word(high)
            with builder.inside(loop.block):
                builder.emit(affine.YieldOp.get(*yielded.values()))
            return builder.emit(
                affine.ForOp.from_region(
                    [], [], initial, [value.type for value in initial], low, high, region(loop.block), step
                )
            )
        with builder.inside(loop.block):
            builder.emit(scf.YieldOp(*yielded.values()))
        return builder.emit(
            scf.ForOp(
                builder.index(low), builder.index(high), builder.constant(step), initial, region(loop.block)
            )
        )

    def _after(
        self,
        loop: CarryingLoop,
        carriable: list[tuple[Scope, str, Any]],
        result: Any,
        over: Sequential,
    ) -> None:
        """Give variables their values after the loop."""
        reader, length = self._reader, over.length
        loops = frozenset(self._builder.open_loops[:-1])
        for ((scope, name), (prior, kind, _)), ssa in zip(loop.carried.items(), result.results, strict=True):
            value = from_ir(self._tracer, ssa, kind, loops | loops_of(prior) | loops_of(length))
            reader.assign(scope, name, value)
        for scope, name, prior in carriable:
            after = scope.names.get(name, UNBOUND)
            if (scope, name) in loop.carried or after is UNBOUND:
                continue
            if isinstance(after, LoopVar):
                reader.assign(scope, name, prior)
            elif _is_member(after, loop):
                reader.assign(scope, name, self._last_member(over, prior, name))
            elif _is_lost(after, loop.block):
                reader.assign(scope, name, Poison(_AFTER_LOOP, reported=False, of=after))
            elif not isinstance(after, Poison) and prior is not UNBOUND and not same(prior, after):
                low = bounds_of(length)[0]
                if low is None or low < 1:
                    lost = Poison("a loop assigns it, and may not run at all", reported=False)
                    reader.assign(scope, name, lost)

    def _last_member(self, over: Sequential, prior: Any, name: str) -> Any:
        """Return the value of a loop's variable after it: the last member, or the value before, without members."""
        low = bounds_of(over.length)[0]
        if low is not None and low >= 1:
            return over.at(over.length - 1)
        if not self.is_live(name):
            return Poison(_AFTER_LOOP, reported=False)
        if common(kind_of(prior), kind_of(over.at(0))) is None:
            return Poison("a loop assigns it, and may not run at all", reported=False)
        return self._branches.value(over.length > 0, lambda: over.at(over.length - 1), lambda: prior)

    # --- while ------------------------------------------------------------------------------------------------

    def while_(
        self, statement: ast.While, facts: LoopFacts | None = None, begun: NodeCondition | None = None
    ) -> Signals:
        """Build a ``while`` whose condition is known on the node only.

        ``facts`` are those of the loop where they are known; ``begun`` is its condition before the first iteration,
        where that has been evaluated.
        """
        blocks = new_block(), new_block()
        with self._building() as number:
            self._while_loop(statement, number, blocks, facts or self.facts(statement), begun)
        return self._left(statement, number)

    def _while_loop(
        self,
        statement: ast.While,
        number: int,
        blocks: tuple[Block, Block],
        facts: LoopFacts,
        begun: NodeCondition | None,
    ) -> None:
        builder, reader = self._builder, self._reader
        told, places = facts.kinds(), [*facts.places]
        first, second = blocks
        exits = leaves(statement)
        running, returned = flags(number)
        if exits:
            for name, value in ((running, True), (returned, False)):
                reader.assign(reader.scope, name, value)
                places.append((reader.scope, name))
        if begun is not None:
            reader.assign(reader.scope, again(number), False)
            places.append((reader.scope, again(number)))
        carried: dict[Place, tuple[Any, CarriedKind]] = {}
        others: dict[Place, Any] = {}
        for scope, name in places:
            prior = self._carrying.settled(scope, name, scope.names.get(name, UNBOUND))
            kind = told.get((scope, name)) or kind_of(prior)
            if kind is None:
                others[scope, name] = prior
            else:
                carried[scope, name] = prior, kind
        initial = [to_ir(self._tracer, prior, kind) for prior, kind in carried.values()]
        loops = frozenset(builder.open_loops)
        why = "a while loop that depends on the node assigns it"

        def lose() -> None:
            for (scope, name), prior in others.items():
                if name in scope.names:
                    receive = receive_in(prior, scope.names[name])
                    reader.assign(scope, name, Poison(why, reported=False, of=receive))

        def bind(block: Block, values: dict[Place, CarriedKind]) -> None:
            lose()
            for (scope, name), kind in values.items():
                ssa = block.insert_arg(kind.attribute, len(block.args))
                reader.assign(scope, name, from_ir(self._tracer, ssa, kind, loops))

        kinds = {place: kind for place, (_, kind) in carried.items()}
        with builder.inside(first), self._regions.inside(number):
            bind(first, kinds)
            mark = reader.mark()
            goes_on = reader.scope.names[running] if exits else True
            if begun is None:
                condition = self._condition(statement, goes_on)
            else:
                is_again = reader.scope.names[again(number)]
                condition = self._branches.value(
                    is_again, lambda: self._condition(statement, goes_on), lambda: begun
                )
            is_free = not reader.changed_since(mark) and all(map(is_side_effect_free, first.ops))
            tested = (
                condition.ssa() if isinstance(condition, NodeCondition) else builder.truth(bool(condition))
            )
            # The condition may assign names, too. Their values pass to the body and to the code after the loop.
            handed = kinds | {
                (scope, name): kind
                for scope, name in others
                if name in assigned(statement.test)
                and (kind := kind_of(scope.names.get(name, UNBOUND))) is not None
            }
            kept = self._kept(handed, {})
        if condition is False and is_free:  # the loop never runs
            for (scope, name), prior in [
                *others.items(),
                *((place, known[0]) for place, known in carried.items()),
            ]:
                if prior is not UNBOUND:
                    reader.assign(scope, name, prior)
            discard(first)
            return
        with builder.inside(second), self._regions.inside(number):
            bind(second, handed)
            signals = apart(reader, statement.body, statement)
            if begun is not None:
                reader.assign(reader.scope, again(number), True)
            if exits:
                left = either(signals.get("break", False), signals.get("return", False))
                reader.assign(reader.scope, running, negated(left))
                reader.assign(reader.scope, returned, signals.get("return", False))
            yielded = self._kept(kinds, told)
            kind = None
            if signals.get("return", False) is not False:
                # The loop ends when the function returns, so the value of the last iteration is the returned one.
                value, place = reader.scope.returned, (reader.scope, returned_value(number))
                kind = None if isinstance(value, bool | int | float) else kind_of(value)
                if kind is not None and kind.type is None:
                    yielded.append(to_ir(self._tracer, value, kind))
                elif not _constant(value):
                    reader.assign(reader.scope, RETURN, Poison(_AFTER_LOOP, reported=False))
                    kind = None
        if kind is not None:
            kept.append(first.insert_arg(kind.attribute, len(kinds)))
            initial.append(to_ir(self._tracer, NOTHING_OF[kind.kind], kind))
            second.insert_arg(kind.attribute, len(handed))
            handed[place] = kind
        with builder.inside(first):
            builder.emit(scf.ConditionOp(tested, *kept))
        with builder.inside(second):
            builder.emit(scf.YieldOp(*yielded))
        reader.place = statement.test
        operation = scf.WhileOp(
            initial, [kind.attribute for kind in handed.values()], region(first), region(second)
        )
        result = builder.emit(operation)
        outside = frozenset(builder.open_loops[:-1])
        lose()
        for ((scope, name), kind), ssa in zip(handed.items(), result.results, strict=True):
            reader.assign(scope, name, from_ir(self._tracer, ssa, kind, outside))
        if exits and signals.get("return", False) is False:
            reader.assign(reader.scope, returned, False)

    def _condition(self, statement: ast.While, running: Any) -> Any:
        """Whether a ``while`` continues. Its condition is not evaluated after the loop was left."""
        domain = self._reader.domain
        running = domain.truth(running)
        if not isinstance(running, NodeCondition) or not may_act(statement.test):
            return both(running, domain.condition(statement.test))
        return domain.truth(
            self._branches.value(running, lambda: domain.condition(statement.test), lambda: False)
        )

    def _kept(self, kinds: dict[Place, CarriedKind], told: dict[Place, CarriedKind]) -> list[SSAValue]:
        """Return the current values of the carried variables in the IR."""
        values = []
        for (scope, name), kind in kinds.items():
            value = scope.names.get(name, UNBOUND)
            if isinstance(value, Poison) and value.reported and kind.type is None:
                value = NOTHING_OF[kind.kind]
            self._carrying.require_kind(name, value, kind, told=(scope, name) in told)
            values.append(to_ir(self._tracer, value, kind))
        return values


def _is_member(after: Any, loop: CarryingLoop) -> bool:
    """Return whether the value of a name after an iteration is the member of that iteration."""
    return kind_of(after) is not None and same(after, loop.member)


def _is_lost(after: Any, block: Block) -> bool:
    """Return whether the value of a name after an iteration, in the block of the loop, has no meaning after the loop."""
    if after is UNBOUND or isinstance(after, LoopVar):
        return False
    if type(after) is Selected:
        return True
    return not isinstance(after, Poison) and not (_constant(after) and means_outside(after, (block,)))


def _constant(value: Any) -> bool:
    """Whether a value does not depend on the iteration in which it was computed."""
    if isinstance(value, NodeInteger | NodeCondition):
        return not value.loops
    if isinstance(value, tuple):
        return all(_constant(item) for item in value)
    return isinstance(value, int | float | str | bytes | None.__class__)
