"""``match``: converted to the equivalent chain of ``if`` and ``elif``, which is evaluated like any other.

A subject is compared with values and constants, taken apart as a tuple or list, or bound to a name. A pattern that asks
for a class or for keys, or is an alternative with names of its own, becomes a test in the chain that has no meaning in
either domain.
"""

from __future__ import annotations

import ast
from typing import Any

from ttl.frontend.domain import Signals
from ttl.frontend.evaluator import Evaluator, Handlers
from ttl.frontend.flow import inline
from ttl.source.facts import fact_of_syntax
from ttl.source.scopes import locate

_Tests = tuple[list[ast.expr], list[tuple[str, ast.expr]]]


def _match(reader: Evaluator, statement: ast.Match) -> Signals:
    name, body = _chain(statement)
    scope = reader.scope
    reader.assign(scope, name, reader.lazy(statement.subject))
    try:
        return inline(reader, body)
    finally:
        reader.delete(scope, name)


@fact_of_syntax
def _chain(statement: ast.Match) -> tuple[str, list[ast.stmt]]:
    """The name of the subject in the chain, and the statements of the chain."""
    # Names in source never begin with a dollar sign.
    name = f"$subject{statement.lineno}_{statement.col_offset}"
    body: list[ast.stmt] = []
    for case in reversed(statement.cases):
        tests, names = _tests(case.pattern, ast.Name(name, ast.Load()))
        if names:
            captured: ast.expr = ast.Tuple(
                [ast.NamedExpr(ast.Name(key, ast.Store()), value) for key, value in names], ast.Load()
            )
            # A tuple with assignments, whose value is not used: the test is always true.
            tests.append(ast.Compare(captured, [ast.IsNot()], [ast.Constant(None)]))
        if case.guard is not None:
            tests.append(case.guard)
        body = [ast.If(_all(tests), case.body, body)] if tests else case.body
    for part in body:
        locate(part, statement.subject)
    return name, body


def _tests(pattern: ast.pattern, subject: ast.expr) -> _Tests:
    """Return the tests that a pattern makes, in order, and the names that it binds, with their values."""
    match pattern:
        case ast.MatchValue(value=value):
            return [_located(ast.Compare(subject, [ast.Eq()], [value]), pattern)], []
        case ast.MatchSingleton(value=constant):
            return [_located(ast.Compare(subject, [ast.Is()], [ast.Constant(constant)]), pattern)], []
        case ast.MatchAs(pattern=None, name=name):
            return [], [] if name is None else [(name, subject)]
        case ast.MatchAs(pattern=inner, name=str(name)) if inner is not None:
            tests, names = _tests(inner, subject)
            return tests, [*names, (name, subject)]
        case ast.MatchOr(patterns=patterns) if not _names_in(pattern):
            parts = [_all(_tests(part, subject)[0]) for part in patterns]
            return [_located(ast.BoolOp(ast.Or(), parts), pattern)], []
        case ast.MatchSequence(patterns=patterns):
            return _members(pattern, patterns, subject)
    no_expression: Any = pattern
    return [no_expression], [(name, no_expression) for name in _names_in(pattern)]


def _names_in(pattern: ast.pattern) -> list[str]:
    """The names that a pattern binds."""
    names = [getattr(part, "name", None) or getattr(part, "rest", None) for part in ast.walk(pattern)]
    return [name for name in names if isinstance(name, str)]


def _members(pattern: ast.pattern, patterns: list[ast.pattern], subject: ast.expr) -> _Tests:
    starred = next((at for at, part in enumerate(patterns) if isinstance(part, ast.MatchStar)), None)
    count = ast.Constant(len(patterns) - (starred is not None))
    relation: ast.cmpop = ast.Eq() if starred is None else ast.GtE()
    is_sequence = ast.Call(_constant(isinstance), [subject, _constant((tuple, list))], [])
    length = ast.Call(_constant(len), [subject], [])
    tests: list[ast.expr] = [
        _located(is_sequence, pattern),
        _located(ast.Compare(length, [relation], [count]), pattern),
    ]
    names: list[tuple[str, ast.expr]] = []
    for at, part in enumerate(patterns):
        behind = len(patterns) - at
        if isinstance(part, ast.MatchStar):
            if part.name is not None:
                end = None if behind == 1 else ast.Constant(1 - behind)
                part_of = ast.Subscript(subject, ast.Slice(ast.Constant(at), end), ast.Load())
                names.append((part.name, ast.Call(_constant(list), [part_of], [])))
            continue
        place = at if starred is None or at < starred else -behind
        more, inner = _tests(part, ast.Subscript(subject, ast.Constant(place), ast.Load()))
        tests += more
        names += inner
    return tests, names


def _all(tests: list[ast.expr]) -> ast.expr:
    if not tests:
        return ast.Constant(True)
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _located(expression: ast.expr, pattern: ast.pattern) -> ast.expr:
    """An expression with the location of a pattern."""
    locate(expression, pattern)
    return expression


def _constant(value: Any) -> ast.Constant:
    """Return any Python value as an expression."""
    return ast.Constant(value)


HANDLERS: Handlers = {ast.Match: _match}
