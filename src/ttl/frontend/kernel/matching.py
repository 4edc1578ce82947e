"""``match`` in kernels: the chain of ``if`` and ``elif`` that it stands for, evaluated as any other.

A subject is compared with values and constants, taken apart as a tuple or list, given a name. Patterns that ask for a class
or for keys are refused: what a number of the node is, and what a dictionary has, is known anyway.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from ttl.frontend import refusals
from ttl.frontend.domain import Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.flow import inline
from ttl.frontend.stop import Reject
from ttl.session.patience import Unavailable
from ttl.source.facts import fact_of_syntax

_REFUSED = {
    ast.MatchClass: "a pattern for a class",
    ast.MatchMapping: "a pattern for the keys of a dictionary",
}


@dataclass(frozen=True, slots=True)
class _Chain:
    """The statements, or the pattern that has none."""

    name: str
    body: list[ast.stmt]
    refused: ast.pattern | None = None


def match(reader: Evaluator, statement: ast.Match) -> Signals:
    """Evaluate a ``match``."""
    chain = _chain(statement)
    if chain.refused is not None:
        reader.place = chain.refused
        raise Reject(
            refusals.construct(
                _REFUSED.get(type(chain.refused), "an alternative with names of its own"),
                help="compare with values, or take a tuple apart: write if and elif for the rest",
            )
        )
    scope = reader.scope
    reader.assign(scope, chain.name, reader.lazy(statement.subject))
    signals = inline(reader, chain.body)
    reader.delete(scope, chain.name)
    return signals


@fact_of_syntax
def _chain(statement: ast.Match) -> _Chain:
    # No name of the source begins with a dollar sign.
    name = f"$subject{statement.lineno}_{statement.col_offset}"
    body: list[ast.stmt] = []
    for case in reversed(statement.cases):
        try:
            tests, names = _tests(case.pattern, _name(name))
        except Unavailable as refused:
            return _Chain(name, [], refused.at)
        if names:
            captured: ast.expr = ast.Tuple(
                [ast.NamedExpr(_stored(key), value) for key, value in names], ast.Load()
            )
            # A tuple, of which nobody looks at the value.
            tests.append(ast.Compare(captured, [ast.IsNot()], [ast.Constant(None)]))
        if case.guard is not None:
            tests.append(case.guard)
        if not tests:
            body = case.body
        else:
            test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
            body = [ast.If(test, case.body, body)]
    for part in body:
        for item in ast.walk(part):
            if isinstance(item, ast.expr | ast.stmt) and not hasattr(item, "lineno"):
                ast.copy_location(item, statement.subject)
    return _Chain(name, body)


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _stored(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def _tests(pattern: ast.pattern, subject: ast.expr) -> tuple[list[ast.expr], list[tuple[str, ast.expr]]]:
    """What has to hold for a pattern to fit, in the order in which it is tested; and the names that it gives, with values."""
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
        case ast.MatchOr(patterns=patterns):
            alternatives = [_tests(part, subject) for part in patterns]
            if any(names for _, names in alternatives):
                raise Unavailable(at=pattern)
            parts = [_all(tests) for tests, _ in alternatives]
            return [_located(ast.BoolOp(ast.Or(), parts), pattern)], []
        case ast.MatchSequence(patterns=patterns):
            return _members(pattern, patterns, subject)
    raise Unavailable(at=pattern)


def _members(
    pattern: ast.pattern, patterns: list[ast.pattern], subject: ast.expr
) -> tuple[list[ast.expr], list[tuple[str, ast.expr]]]:
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
    """An expression at the place of a pattern."""
    for item in ast.walk(expression):
        if isinstance(item, ast.expr | ast.stmt) and not hasattr(item, "lineno"):
            item.lineno, item.col_offset = pattern.lineno, pattern.col_offset
            item.end_lineno, item.end_col_offset = pattern.end_lineno, pattern.end_col_offset
    return expression


def _constant(value: Any) -> ast.Constant:
    """A value of Python's, whatever it is, as an expression."""
    return ast.Constant(value)
