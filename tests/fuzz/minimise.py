"""The smallest program that shows a finding: statements, items and arguments taken away while it stays."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

from fuzz.case import Case
from fuzz.judge import judge, run


def minimised(case: Case, finding: str, *, pages: bool = True, attempts: int = 3000) -> Case:
    """A smaller case with the same finding."""
    once = not finding.startswith("differs")

    def shows(candidate: Case) -> bool:
        verdict = run(candidate, pages=pages, seconds=2.0) if once else judge(candidate, pages=pages)
        return verdict.finding == finding or (
            finding.startswith("differs") and (verdict.finding or "").startswith("differs")
        )

    if case.settings:
        plain = Case(case.name, case.source)
        case = plain if shows(plain) else case
    left = attempts
    changed = True
    while changed and left > 0:
        changed = False
        for smaller in _smaller(case.source):
            left -= 1
            candidate = Case(case.name, smaller, case.settings)
            if len(smaller) < len(case.source) and shows(candidate):
                case, changed = candidate, True
                break
            if left <= 0:
                break
    return case


def _smaller(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    for change in _changes(tree):
        changed = copy.deepcopy(tree)
        try:
            change(changed)
            yield ast.unparse(ast.fix_missing_locations(changed)) + "\n"
        except (ValueError, IndexError, AttributeError, TypeError, SyntaxError):
            continue


def _changes(tree: ast.Module) -> Iterator[Callable[[ast.Module], None]]:
    """Large parts first."""
    nodes = list(ast.walk(tree))
    for number, node in enumerate(nodes):
        for name in ("body", "orelse", "finalbody", "decorator_list", "items", "args", "keywords", "elts"):
            part = getattr(node, name, None)
            if not isinstance(part, list):
                continue
            for index in reversed(range(len(part))):
                yield lambda changed, number=number, name=name, index=index: _drop(
                    changed, number, name, index
                )
                if isinstance(
                    part[index], ast.With | ast.For | ast.If | ast.FunctionDef | ast.Try | ast.While
                ):
                    yield lambda changed, number=number, name=name, index=index: _splice(
                        changed, number, name, index
                    )


def _drop(tree: ast.Module, number: int, name: str, index: int) -> None:
    node: Any = list(ast.walk(tree))[number]
    part = getattr(node, name)
    del part[index]
    if not part and name == "body":
        part.append(ast.Pass())
    if not part and name == "items":
        raise ValueError


def _splice(tree: ast.Module, number: int, name: str, index: int) -> None:
    node: Any = list(ast.walk(tree))[number]
    part = getattr(node, name)
    part[index : index + 1] = part[index].body
