"""The possible uses of the value that a statement assigns to a name: the flow of control through one function.

``Flow`` follows one scope (a function, a lambda, a module) in the order in which Python evaluates it. Every expression
is a point of a graph; a name that is assigned, deleted or imported at a point has another value from there on. All
paths that cannot be excluded count, so a point that is not reached is certainly not used.

A nested function and a lambda use the names that they mention wherever their own name is used, or where they are
written. Comprehensions are evaluated in place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Flow:
    """The points of a scope, and the points that may follow each."""

    def __init__(self, scope: Scope) -> None:
        self._nodes: list[ast.AST | None] = []
        self._next: list[list[int]] = []
        self._ended: list[frozenset[str]] = []
        self._again: set[tuple[int, int]] = set()  # the edges that lead to the next iteration of a loop
        self._at: dict[ast.AST, int] = {}
        self._front: list[int] = []  # the points from which the next point is reached
        self._loops: list[tuple[list[int], list[int]]] = []  # the points of break, and of continue
        self._carriers = _carriers(scope)
        self._point(None)
        if isinstance(scope, ast.Lambda):
            self._expression(scope.body)
        else:
            self._statements(scope.body)

    def after_assignment(self, target: ast.Name) -> Iterator[ast.Name]:
        """The uses of the name that may be evaluated while it has the value assigned to ``target``."""
        start = self._at.get(target)
        if start is not None:
            for point in self._reached(start, target.id):
                node = self._nodes[point]
                if isinstance(node, ast.Name) and node.id == target.id and not self._ended[point]:
                    yield node

    def may_use(self, target: ast.Name, here: ast.AST) -> bool:
        """Whether the value assigned to ``target`` may be used by code after the evaluation of ``here``."""
        start, now = self._at.get(target), self._last_of(here)
        if start is None or now is None:
            return True
        if now not in self._reached(start, target.id):
            return False
        names = {target.id} | self.carriers_of(target.id)
        return any(
            not self._ended[point] and self._mentions(self._nodes[point], names)
            for point in self._reached(now, target.id)
        )

    def alternatives_of(self, target: ast.Name) -> Iterator[ast.Name]:
        """Other assignments to the name of ``target`` that exclude it: an iteration of a loop runs only one of them."""
        for other, point in self._at.items():
            if isinstance(other, ast.Name) and other.id == target.id and self._ended[point]:
                here = self._at[target]
                if point not in self._ahead(here) and here not in self._ahead(point) and point != here:
                    yield other

    def carriers_of(self, name: str) -> set[str]:
        """The functions of the scope, by name, that mention ``name`` directly or through each other."""
        reached: set[str] = set()
        pending = [name]
        while pending:
            for function in self._carriers.get(pending.pop(), ()):
                if function not in reached:
                    reached.add(function)
                    pending.append(function)
        return reached

    # --- searching ----------------------------------------------------------------------------------------

    def _reached(self, start: int, name: str) -> set[int]:
        """The points that may follow ``start`` while ``name`` keeps its value."""
        points: set[int] = set()
        pending = [start]
        while pending:
            for point in self._next[pending.pop()]:
                if point not in points:
                    points.add(point)
                    if name not in self._ended[point]:
                        pending.append(point)
        return points

    def _ahead(self, start: int) -> set[int]:
        """The points that may follow ``start`` within the same iterations of all loops."""
        points: set[int] = set()
        pending = [start]
        while pending:
            before = pending.pop()
            for point in self._next[before]:
                if point not in points and (before, point) not in self._again:
                    points.add(point)
                    pending.append(point)
        return points

    def _last_of(self, node: ast.AST) -> int | None:
        points = [self._at[inner] for inner in ast.walk(node) if inner in self._at]
        return self._at.get(node, max(points, default=None))

    @staticmethod
    def _mentions(node: ast.AST | None, names: set[str]) -> bool:
        """Whether a point is one of the names, or a lambda (which is one point) that mentions one of them."""
        if isinstance(node, ast.Name):
            return node.id in names
        return isinstance(node, ast.Lambda) and any(
            isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(node)
        )

    # --- building -----------------------------------------------------------------------------------------

    def _point(self, node: ast.AST | None, ended: Iterable[str] = ()) -> int:
        """Add a point that follows those at the front; it becomes the front."""
        point = len(self._nodes)
        self._nodes.append(node)
        self._next.append([])
        self._ended.append(frozenset(ended))
        if node is not None:
            self._at[node] = point
        for before in self._front:
            self._next[before].append(point)
        self._front = [point]
        return point

    def _back_to(self, point: int) -> None:
        for before in self._front:
            self._next[before].append(point)
            self._again.add((before, point))

    def _branches(self, *branches: Sequence[ast.stmt | ast.expr]) -> None:
        """Add alternatives, of which one is taken."""
        before, after = self._front, []
        for branch in branches:
            self._front = list(before)
            for statement in branch:
                self._any(statement)
            after += self._front
        self._front = after

    def _any(self, node: ast.stmt | ast.expr) -> None:
        if isinstance(node, ast.expr):
            self._expression(node)
        else:
            self._statement(node)

    def _statements(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.If():
                self._expression(node.test)
                self._branches(node.body, node.orelse)
            case ast.While():
                head = self._point(None)
                self._expression(node.test)
                self._loop(head, node.body, node.orelse)
            case ast.For() | ast.AsyncFor():
                self._expression(node.iter)
                head = self._point(None)
                self._loop(head, [node.target, *node.body], node.orelse)
            case ast.Break() | ast.Continue():
                if self._loops:
                    self._loops[-1][isinstance(node, ast.Continue)].extend(self._front)
                self._front = []
            case ast.Return() | ast.Raise():
                self._children(node)
                self._front = []
            case ast.Try() | ast.TryStar():
                self._try(node)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self._expression(item.context_expr)
                    if item.optional_vars is not None:
                        self._expression(item.optional_vars)
                self._statements(node.body)
            case ast.Match():
                self._expression(node.subject)
                self._match(node)
            case ast.Assign():
                self._expression(node.value)
                for target in node.targets:
                    self._expression(target)
            case ast.AnnAssign():
                if node.value is not None:
                    self._expression(node.value)
                    self._expression(node.target)
            case ast.AugAssign():
                # ``blk += x`` leaves the same block under the name.
                self._target_read(node.target)
                self._expression(node.value)
                self._point(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                for expression in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
                    if expression is not None:
                        self._expression(expression)
                self._point(node, (node.name,))
            case ast.ClassDef():
                for inner in ast.walk(node):
                    if isinstance(inner, ast.expr):
                        self._point(inner)
                self._point(node, (node.name,))
            case ast.Import() | ast.ImportFrom():
                self._point(node, ((alias.asname or alias.name.split(".")[0]) for alias in node.names))
            case _:
                self._children(node)

    def _loop(self, head: int, body: Sequence[ast.stmt | ast.expr], otherwise: list[ast.stmt]) -> None:
        """Add a loop's body. The front is where the loop is left or continues, ``head`` where an iteration begins."""
        left = list(self._front)
        self._loops.append(([], []))
        for statement in body:
            self._any(statement)
        broken, continued = self._loops.pop()
        self._front += continued
        self._back_to(head)
        self._front = left
        self._statements(otherwise)
        self._front = [*self._front, *broken]

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        first = len(self._nodes)
        before = list(self._front)
        self._statements(node.body)
        raised = [*before, *range(first, len(self._nodes))]
        self._statements(node.orelse)
        after = list(self._front)
        for handler in node.handlers:
            self._front = list(raised)
            if handler.type is not None:
                self._expression(handler.type)
            if handler.name is not None:
                self._point(handler, (handler.name,))
            self._statements(handler.body)
            after += self._front
        if node.finalbody:
            # Every early exit of the statement also passes here.
            after += [*before, *range(first, len(self._nodes))]
        self._front = after
        self._statements(node.finalbody)

    def _match(self, node: ast.Match) -> None:
        after: list[int] = []
        for case in node.cases:
            before = list(self._front)
            bound = {
                name
                for inner in ast.walk(case.pattern)
                for name in (getattr(inner, "name", None), getattr(inner, "rest", None))
                if isinstance(name, str)
            }
            self._point(case, bound)
            if case.guard is not None:
                self._expression(case.guard)
            refused = list(self._front)
            self._statements(case.body)
            after += self._front
            self._front = [*before, *refused]
        self._front += after

    def _expression(self, node: ast.expr) -> None:
        """Add the operands, then the point of the expression itself."""
        match node:
            case ast.BoolOp(values=[first, *others]):
                self._expression(first)
                for value in others:
                    self._branches([value], [])
            case ast.IfExp():
                self._expression(node.test)
                self._branches([node.body], [node.orelse])
            case ast.NamedExpr():
                self._expression(node.value)
                self._expression(node.target)
            case ast.Lambda():
                for default in (*node.args.defaults, *node.args.kw_defaults):
                    if default is not None:
                        self._expression(default)
            case _ if isinstance(node, _COMPREHENSIONS):
                head = self._point(None)
                for inner in ast.walk(node):
                    if isinstance(inner, ast.expr) and inner is not node:
                        self._point(inner)
                self._back_to(head)
            case _:
                self._children(node)
        ends = isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        self._point(node, (node.id,) if isinstance(node, ast.Name) and ends else ())

    def _target_read(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._point(target)
        else:
            self._expression(target)

    def _children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child)
            elif isinstance(child, ast.stmt):
                self._statement(child)
            else:
                self._children(child)


def _carriers(scope: Scope) -> dict[str, set[str]]:
    """Return for each name the functions that are defined in the scope and mention it."""
    carriers: dict[str, set[str]] = {}
    for node in ast.walk(scope):
        match node:
            case ast.FunctionDef(name=own) | ast.AsyncFunctionDef(name=own) if node is not scope:
                names = {own}
            case ast.Assign(targets=targets, value=value) if _has_lambda(value):
                names = {target.id for target in targets if isinstance(target, ast.Name)}
            case _:
                continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                carriers.setdefault(inner.id, set()).update(names - {inner.id})
    return carriers


def _has_lambda(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Lambda) for inner in ast.walk(node))


def is_pending(node: ast.expr, here: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether the value of ``node`` is waiting to be used by an expression that contains ``here``.

    ``x`` is, in ``x - f()`` and in ``x.store(f())``, while ``f`` runs, but not in ``(x + 1) - f()``.
    """
    around: set[ast.AST] = {here}
    outer = parents.get(here)
    while outer is not None and not isinstance(outer, _FUNCTIONS):
        around.add(outer)
        if isinstance(outer, ast.stmt):
            break
        outer = parents.get(outer)
    user = parents.get(node)
    while isinstance(user, ast.Attribute | ast.keyword | ast.Starred | _FUNCTIONS) or (
        user is not None and not isinstance(user, ast.stmt) and _inside_lambda(user, parents)
    ):
        user = parents.get(user)
    return user in around and not _evaluated_later(node, here, user)


def _inside_lambda(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    outer: ast.AST | None = node
    while outer is not None and not isinstance(outer, ast.stmt):
        if isinstance(outer, ast.Lambda):
            return True
        outer = parents.get(outer)
    return False


def _evaluated_later(node: ast.expr, here: ast.AST, user: ast.AST | None) -> bool:
    """Whether ``node`` counts as evaluated after ``here``: in an assignment, or if it stands further right."""
    if isinstance(user, ast.Assign | ast.AnnAssign):
        return True
    if user is here or isinstance(user, ast.AugAssign):
        return False
    return (node.lineno, node.col_offset) > (getattr(here, "lineno", 0), getattr(here, "col_offset", 0))
