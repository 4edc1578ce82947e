"""Statements in order, and the constructs that change their order: branches, loops, ``with``, early exits."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

from ttl.frontend.assignments import assign
from ttl.frontend.domain import Course, Repetition, Signals
from ttl.frontend.evaluator import Evaluator, Handlers
from ttl.frontend.liveness import Tail, jumps
from ttl.frontend.scalars import both, either, negated
from ttl.frontend.values import RETURN
from ttl.source.scopes import ends


def block(reader: Evaluator, body: list[ast.stmt], start: int = 0, *, after: Tail | None) -> Signals:
    """Evaluate statements in order; those after a statement that may leave, under the condition that it did not.

    ``after`` is the code after the block, if the last branch in the block may evaluate it, too. It is None for the body
    of a function, class or file, because no later code reads its names. See ``apart`` and ``inline``, which pass the
    code after the statement.
    """
    outer, left = reader.tail, Signals()
    try:
        for position in range(start, len(body)):
            reader.tail = tail = Tail(body, position + 1, after)
            signals = reader.domain.one(body, position)
            if signals:
                left = joined(left, signals)
            if tail.taken or (signals and any(when is True for when in signals.values())):
                return left
            if signals and position + 1 < len(body):
                reader.tail = Tail([], 0, after)
                return following(reader, left, partial(inline, reader, body, position + 1), is_last=True)
        return left
    finally:
        reader.tail = outer


def following(reader: Evaluator, left: Signals, rest: Course, *, is_last: bool = False) -> Signals:
    """Evaluate ``rest``, the code after code that may have left, under the condition that it did not.

    Returns the exits of both.
    """
    if not left:
        return rest()
    if any(when is True for when in left.values()):
        return left
    staying = negated(_any(left))
    else_returned = left.keys() == {"return"}
    signals = reader.domain.guarded(staying, rest, is_last=is_last, else_returned=else_returned)
    more = {
        name: staying if when is True or when is staying else both(staying, when)
        for name, when in signals.items()
    }
    result = joined(left, more)
    for name, when in more.items():
        if when is staying and left.keys() == {name}:  # every path leaves: before or in ``rest``
            result[name] = True
    return result


def rest_of(reader: Evaluator, tail: Tail | None) -> Signals:
    """Evaluate the code after a statement."""
    if tail is None or tail.is_empty:
        return {}
    entry, after = Tail([], 0, tail.after), tail.after
    if tail.iterations is None:
        signals = block(reader, tail.body, tail.start, after=entry)
    else:
        reader.tail = Tail([], 0, entry)
        signals = tail.iterations()
    if entry.taken or after is None or after.is_empty:
        return signals
    return following(reader, signals, lambda: rest_of(reader, after))


def apart(
    reader: Evaluator, body: list[ast.stmt], loop: ast.stmt | None = None, iterations: Course | None = None
) -> Signals:
    """Evaluate statements that are not followed by the code after the current statement.

    ``loop`` is the loop whose body they are. It may continue with further iterations, which ``iterations`` evaluates.
    """
    own = reader.tail
    entry = Tail([] if loop is None else [loop], 0, own, ends=True, iterations=iterations)
    signals = block(reader, body, after=entry)
    if entry.taken and not entry.ends:
        own.take()
    return signals


def inline(reader: Evaluator, body: list[ast.stmt], start: int = 0) -> Signals:
    """Evaluate statements as the last action of the current statement."""
    own = reader.tail
    entry = Tail([], 0, own)
    signals = block(reader, body, start, after=entry)
    if entry.taken:
        own.take()
    return signals


def joined(first: Signals, second: Signals) -> Signals:
    """Return the early exits of either of two pieces of code."""
    if not first:
        return second
    return {name: either(first.get(name, False), second.get(name, False)) for name in {**first, **second}}


def _any(signals: Signals) -> Any:
    """Return whether any of the exits is possible."""
    gone: Any = False
    for when in signals.values():
        gone = either(gone, when)
    return gone


def evaluated(
    reader: Evaluator, statement: ast.stmt, course: Callable[[], Signals | None] | None = None
) -> Signals:
    """Evaluate one statement by itself, so that a failure does not hide mistakes in the next statements.

    ``course``, if given, evaluates it instead of the handler for its kind of node.
    """
    reader.step()
    reader.place = statement
    try:
        return (reader.meaning(statement) if course is None else course()) or {}
    except Exception as raised:
        reader.tail.taken = False
        reader.domain.gave_up(statement, raised)
    return {}


def course(reader: Evaluator, body: list[ast.stmt]) -> Course:
    """Return a course that evaluates statements when it is called."""
    return lambda: apart(reader, body)


def doing(compute: Callable[..., Any], *arguments: Any) -> Course:
    """Return a course that calls ``compute`` and never leaves early."""

    def computed() -> Signals:
        compute(*arguments)
        return {}

    return computed


def _return(reader: Evaluator, statement: ast.Return) -> Signals:
    reader.assign(reader.scope, RETURN, None if statement.value is None else reader.lazy(statement.value))
    return {"return": True}


def _if(reader: Evaluator, statement: ast.If) -> Signals:
    condition = reader.domain.condition(statement.test)
    first, second = statement.body, statement.orelse
    if isinstance(condition, bool):
        return inline(reader, first if condition else second)
    tail = reader.tail
    rest = tail.body[tail.start :]
    if rest and ends(first) is not ends(second):
        # Only one branch continues, and the statements after the ``if`` are appended to it.
        first, second = (body if ends(body) else [*body, *rest] for body in (first, second))
        tail.taken = True
        reader.tail = Tail([], 0, tail.after)
    reader.place = statement.test
    return reader.domain.branch(
        condition,
        lambda: inline(reader, first),
        (lambda: inline(reader, second)) if second else None,
        is_last=True,
    )


def _for(reader: Evaluator, statement: ast.For) -> Signals:
    iterated = reader.lazy(statement.iter)
    signals = reader.domain.each(iterated, partial(_over, reader, statement))
    return _over(reader, statement, iterated) if signals is None else signals


def _over(reader: Evaluator, statement: ast.For, iterated: Any) -> Signals:
    reader.place = statement.iter
    with reader.domain.repetition(statement) as loop:
        signals = loop.whole(iterated)
        if signals is not None:
            return signals
        signals, running = _iterations(reader, statement, loop, iterated)
    if statement.orelse and running is not False:
        signals = joined(signals, reader.domain.guarded(running, course(reader, statement.orelse)))
    return signals


def _iterations(
    reader: Evaluator, statement: ast.For, loop: Repetition, iterated: Any, begin: int = 0
) -> tuple[Signals, Any]:
    """Evaluate a ``for`` iteration by iteration; return its early exits, and whether it runs to its end."""
    left: Signals = {}
    running: Any = True
    own, is_plain = reader.tail, not (statement.orelse or any(map(jumps, statement.body)))
    for number, member in enumerate(islice(loop.members(iterated), begin, None), begin + 1):
        reader.step()

        def iterations(number: int = number) -> Signals:
            return _iterations(reader, statement, loop, iterated, number)[0]

        def once(
            member: Any = member, iterations: Course | None = iterations if is_plain else None
        ) -> Signals:
            assign(reader, statement.target, member)
            return apart(reader, statement.body, statement, iterations)

        signals = dict(reader.domain.guarded(running, once))
        if own.taken:
            return joined(left, signals), False
        broke = signals.pop("break", False)
        signals.pop("continue", None)
        left = joined(left, signals)
        running = both(running, negated(either(broke, _any(signals))))
        loop.continued(running)
        if running is False:
            break
    if not any(when is True for when in left.values()):
        loop.left()
    return left, running


def _while(reader: Evaluator, statement: ast.While) -> Signals:
    with reader.domain.repetition(statement) as loop:
        signals = loop.at_once()
        if signals is None:
            signals = _peeled(reader, statement, loop)
    return apart(reader, statement.orelse) if signals is None else signals


def _peeled(reader: Evaluator, statement: ast.While, loop: Repetition) -> Signals | None:
    """Evaluate a ``while`` iteration by iteration, as long as its condition is known.

    Returns its exits, or None if it ran to its end.
    """
    for _ in range(loop.most):
        reader.step()
        condition = reader.domain.condition(statement.test)
        if not isinstance(condition, bool):
            return loop.undecided(condition)
        if not condition:
            loop.left()
            return None
        signals = dict(apart(reader, statement.body, statement))
        loop.continued()
        if signals.get("break") is True:
            loop.left()
            return {}
        signals.pop("continue", None)
        if any(when is True for when in signals.values()):
            return {name: True for name, when in signals.items() if when is True}
        if signals:
            return loop.perhaps_left(signals)
    return loop.widened()


def _with(reader: Evaluator, statement: ast.With) -> Signals:
    domain = reader.domain
    managers: list[tuple[Any, ast.expr]] = []
    for item in statement.items:
        value = reader.eval(item.context_expr)
        reader.place = item.context_expr
        given = domain.entered(value)
        managers.append((value, item.context_expr))
        if item.optional_vars is not None:
            assign(reader, item.optional_vars, given)
    signals = apart(reader, statement.body)
    for value, expression in reversed(managers):
        reader.place = expression
        domain.exited(value)
    return signals


def _assert(reader: Evaluator, statement: ast.Assert) -> None:
    condition = reader.domain.condition(statement.test)
    reader.place = statement.test
    if condition is not True:
        reader.domain.asserted(condition, statement)


def _raise(reader: Evaluator, statement: ast.Raise) -> Signals:
    return reader.domain.raised(statement)


def _leaves(how: str) -> Callable[[Evaluator, ast.stmt], Signals]:
    return lambda reader, statement: {how: True}


def _nothing(reader: Evaluator, statement: ast.stmt) -> None:
    """Evaluate ``pass`` and the like."""


HANDLERS: Handlers = {
    ast.Return: _return,
    ast.Break: _leaves("break"),
    ast.Continue: _leaves("continue"),
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.With: _with,
    ast.Assert: _assert,
    ast.Raise: _raise,
    **dict.fromkeys((ast.Pass, ast.Global, ast.Nonlocal), _nothing),
}
