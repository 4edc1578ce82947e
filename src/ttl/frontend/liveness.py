"""The names that are live after a statement: later code reads them before assigning them.

A data-flow analysis over statements. It errs on the side of live: it assumes that a statement does all that it may do.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ttl.frontend.domain import Course
from ttl.source.facts import fact_of_syntax
from ttl.source.scopes import (
    all_nodes,
    assigned,
    captured,
    ends,
    locals_of,
    nonlocals,
    parts,
    reads,
    statements_of,
)

_Names = frozenset[str]
_NONE: _Names = frozenset()


@dataclass(slots=True)
class Tail:
    """The code after the statement that is being evaluated: the rest of its block, and the code after that block.

    A branch that is the last action of its statement may evaluate the tail at the end of each of its ways; then the
    tail is ``taken``, and no other code evaluates it. If a tail has no statements of its own, ``taken`` applies to the
    tail ``after`` it. ``in_way``: it is the tail of one way of a branch, so that the tail after it may be taken in that
    way only. ``ends``: the tail after it cannot be taken, because it follows the end of a loop, or the release of a
    block. ``iterations`` evaluates the rest of an unrolled loop if this is the end of an iteration; it is taken only
    for receives that one iteration leaves to the next.
    """

    body: list[ast.stmt]
    start: int
    after: Tail | None = None
    in_way: bool = False
    ends: bool = False
    taken: bool = False
    iterations: Course | None = None

    def take(self) -> None:
        """Mark the tail as evaluated."""
        self.taken = True
        if self.after is not None and not self.in_way:
            self.after.taken = True

    @property
    def is_empty(self) -> bool:
        """Return whether the tail contains no code that can be taken."""
        return self.ends or (self.start >= len(self.body) and (self.after is None or self.after.is_empty))

    def open_iterations(self) -> None:
        """Allow the remaining iterations of the loops around to be taken, too."""
        tail: Tail | None = self
        while tail is not None and (tail.iterations is not None or not tail.ends):
            tail.ends, tail = False, tail.after

    def reads(self, name: str, *, iterations: bool = False) -> bool:
        """Return whether the part of the tail that can be taken may read a name before assigning it.

        ``iterations``: include the remaining iterations of loops.
        """
        return self._reads(name, beyond=False, iterations=iterations)

    def is_live(self, name: str) -> bool:
        """Return whether any code that follows may read a name before assigning it."""
        return self._reads(name, beyond=True)

    def _reads(self, name: str, *, beyond: bool, iterations: bool = False) -> bool:
        tail: Tail | None = self
        leaves = False
        while tail is not None and (beyond or not tail.ends or (iterations and tail.iterations is not None)):
            for position in range(tail.start, len(tail.body)):
                statement = tail.body[position]
                exposed, killed = _effects(statement)
                if name in exposed:
                    return True
                leaves = leaves or jumps(statement)
                if name in killed or ends([statement]):
                    if not leaves:
                        return False
                    # A ``break`` or ``continue`` before it continues with the loop around, or after it.
                    while tail.after is not None and not tail.after.ends:
                        tail = tail.after
                    break
            tail = tail.after
        return False


def may_see_later(function: ast.AST, name: str, tail: Tail) -> bool:
    """Return whether the code that follows may call functions, defined in ``function``, that mention a name.

    It cannot if it does not read their own names, the only references to them: they are only called by these names, or
    passed to ``if_src`` and ``if_dst``, which do not keep them.
    """
    if name not in captured(function):
        return False
    keepers, kept = _keepers(function)
    left, seen = [name], {name}
    while left:
        for keeper in keepers.get(left.pop(), ()):
            if keeper in kept or tail.is_live(keeper):
                return True
            if keeper not in seen:
                seen.add(keeper)
                left.append(keeper)
    return False


@fact_of_syntax
def _keepers(function: ast.AST) -> tuple[dict[str, set[str]], _Names]:
    """For each name, the functions that mention it, by their own names; and the functions with other references.

    The latter are read other than by a call, so that the function may be known by another name; ``""`` is for functions
    without a name.
    """
    nodes = [node for node in all_nodes(function) if node is not function]
    used_at_once = set[int]()
    named: dict[int, str] = {}
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name() | ast.Lambda() as called):
                used_at_once.add(id(called))
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Lambda() as called):
                named[id(called)] = target
            case ast.Call(func=ast.Attribute(attr="if_src" | "if_dst"), args=[given], keywords=[]):
                used_at_once.add(id(given))
    keepers: dict[str, set[str]] = {}
    kept = {""} | {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in used_at_once
    }
    for node in nodes:
        if id(node) in used_at_once or not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp | ast.ClassDef
        ):
            continue
        own = named.get(id(node), "")
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            own = node.name
        for mentioned in (*reads(node), *nonlocals(node), *assigned(node)):
            keepers.setdefault(mentioned, set()).add(own)
    return keepers, frozenset(kept)


def exposed(body: list[ast.stmt]) -> _Names:
    """The names that statements may read before they assign them."""
    return _sequence(body)[0]


def _sequence(body: list[ast.stmt]) -> tuple[_Names, _Names]:
    """The names that statements may read before they assign them, and the names that they certainly assign."""
    exposed: set[str] = set()
    killed: set[str] = set()
    for statement in body:
        more, assigns = _effects(statement)
        exposed |= more - killed
        killed |= assigns
    return frozenset(exposed), frozenset(killed)


@fact_of_syntax
def jumps(statement: ast.stmt) -> bool:
    """Whether a statement may leave the iteration of the loop that contains it."""
    match statement:
        case ast.Break() | ast.Continue():
            return True
        case ast.For() | ast.While():
            return any(map(jumps, statement.orelse))
    return any(map(jumps, statements_of(statement)))


@fact_of_syntax
def _effects(statement: ast.stmt) -> tuple[_Names, _Names]:
    match statement:
        case ast.If(test=test):
            first, after_first = _sequence(statement.body)
            second, after_second = _sequence(statement.orelse)
            if ends(statement.body):
                killed = after_second
            elif ends(statement.orelse):
                killed = after_first
            else:
                killed = after_first & after_second
            return _free(test) | first | second, killed
        case ast.For(target=target, iter=iterated):
            inside, _ = _sequence(statement.body)
            last, _ = _sequence(statement.orelse)
            read = _free(iterated) | _free(target)
            return read | (inside - frozenset(assigned(target))) | last, _NONE
        case ast.While(test=test):
            inside, _ = _sequence(statement.body)
            last, _ = _sequence(statement.orelse)
            return _free(test) | inside | last, _NONE
        case ast.With(items=items):
            within, bound = set[str](), set[str]()
            for item in items:
                within |= _free(item.context_expr) - bound
                if item.optional_vars is not None:
                    within |= _free(item.optional_vars) - bound
                    bound |= frozenset(assigned(item.optional_vars))
            inside, killed = _sequence(statement.body)
            return frozenset(within) | (inside - bound), frozenset(bound) | killed
        # A name that is assigned inside an expression, or by a function that is defined here, may never be assigned.
        case ast.Assign(targets=targets):
            return _free(statement), frozenset(assigned(*targets))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()) | ast.FunctionDef(name=name):
            return _free(statement), frozenset((name,))
        case ast.Import() | ast.ImportFrom():
            return _NONE, frozenset(assigned(statement))
    return _free(statement), _NONE


def _free(node: ast.AST) -> _Names:
    """The names of the surrounding scope that a piece of source reads, also in functions defined in it."""
    names: set[str] = set()
    left = [node]
    while left:
        item = left.pop()
        match item:
            case ast.Name(id=name, ctx=used):
                if not isinstance(used, ast.Store):
                    names.add(name)
            case ast.AugAssign(target=ast.Name(id=name)):
                names.add(name)
                left.append(item.value)
            case (
                ast.FunctionDef()
                | ast.Lambda()
                | ast.ListComp()
                | ast.SetComp()
                | ast.DictComp()
                | ast.GeneratorExp()
            ):
                names |= _free_of_scope(item)
            case _:
                left += parts(item)
    return frozenset(names)


@fact_of_syntax
def _free_of_scope(node: ast.AST) -> _Names:
    """Return the names of the surrounding scope that a definition with its own scope reads."""
    names = frozenset[str]().union(*map(_free, parts(node)))
    match node:
        case ast.FunctionDef() | ast.Lambda():
            around = (*node.args.defaults, *(item for item in node.args.kw_defaults if item is not None))
            return (names - locals_of(node)).union(
                *map(_free, around), *map(_free, getattr(node, "decorator_list", ()))
            )
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            own = {name for part in node.generators for name in assigned(part.target)}
            return (names - own) | _free(node.generators[0].iter)
    return names
