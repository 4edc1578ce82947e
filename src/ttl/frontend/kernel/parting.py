"""Selected values of which a statement needs a single part: found before the statement is evaluated once for each part.

A selected value that is only read, compared, joined or passed on stays selected. A single part is needed if the
statement makes an object from it that stays in one way of a branch: a slice of a tensor, a block of a buffer, a
transfer, a list that is changed.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Literal

from ttl.frontend.classes import Instance, UserClass
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel.kinds import NUMBERS_OF_NODE
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.values import UNBOUND, PrintedText, UserFunction
from ttl.host.tensor import Tensor
from ttl.source.facts import fact_of_syntax
from ttl.source.scopes import assigned, head_of, may_act, own_nodes, parts

# Values without members that stay in a branch, and containers from which only an item is read.
_PLAIN = (int, float, str, bytes, type(None), range, slice, PrintedText, UserFunction, FunctionType, Instance, UserClass)  # fmt: skip
_LOOKED_INTO = (list, tuple, dict, str, range, Instance)
# Functions that accept a selected value unchanged.
_TAKING_ANY = (UserFunction, FunctionType, BuiltinFunctionType, UserClass, type)
# Functions of Python without side effects.
_COMPUTING = frozenset(
    {"abs", "bool", "divmod", "float", "int", "isinstance", "len", "max", "min", "round", "sum"}
)
# Functions that go through the members of their arguments.
_OF_MEMBERS = (enumerate, zip, reversed, map, filter, iter)
# The use of a value: ``members`` always needs a single part, ``other`` never does. The member at an ``index`` is
# used itself; a value ``within`` an index contributes to it. A value that is ``kept`` in a list may be changed there.
_Context = Literal[
    "item", "index", "lookup", "within", "attribute", "argument", "members", "kept", "changed", "other"
]


@dataclass(frozen=True, slots=True)
class HeadUse:
    """A name or conditional expression in the head of a statement.

    ``of`` is the function called with it, or the object indexed by it.
    """

    node: ast.Name | ast.IfExp
    context: _Context
    of: ast.expr | None
    # Whether the test of a conditional expression may be evaluated first: code before it has no effects, it
    # assigns nothing that is read before it, and Python evaluates it wherever it evaluates the expressions in ``within``.
    is_first: bool
    # The conditional expressions around it, the outermost first, each with the way that contains it.
    within: tuple[tuple[HeadUse, bool], ...] = ()


def needed_as_one(
    reader: Evaluator,
    statement: ast.stmt,
    decided: Mapping[ast.expr, bool],
    numbers: Callable[[Any], Selected | None],
) -> Selected | ast.IfExp | None:
    """Return the selected value of which a statement needs a single part, or a conditional expression.

    The statement is to be evaluated for each part, or for each way of the conditional expression. None if there is
    neither. ``decided`` has the tests whose result is known, the outermost first; ``numbers`` returns the possible
    values of an index by which lists of any members may be indexed.
    """
    for use in _uses(statement):
        if isinstance(use.node, ast.Name):
            value = _named(reader, use.node.id)
            if type(value) is Selected and _is_needed(reader, use, [part for _, part in value.parts]):
                value = reader.domain.read(reader.scope, use.node, value)  # a condition may be decided here
                if type(value) is Selected:
                    return value
            elif (
                use.context in ("index", "lookup", "within")
                and isinstance(use.of, ast.Name)
                and (one_of := numbers(value)) is not None
                and not all(map(_is_plain, _members(_named(reader, use.of.id))))
            ):
                return one_of
        elif use.is_first and use.node.test not in decided and _stays(reader, use):
            first = _first_to_decide(use, decided)
            if first is not None:
                return first
    return None


def _first_to_decide(use: HeadUse, decided: Mapping[ast.expr, bool]) -> ast.IfExp | None:
    """Return the outermost conditional expression that has to be decided before ``use``.

    None if it is not evaluated, or not first.
    """
    for outer, holds in use.within:
        assert isinstance(outer.node, ast.IfExp)
        if outer.node.test not in decided:
            return outer.node if outer.is_first else None
        if decided[outer.node.test] is not holds:
            return None
    assert isinstance(use.node, ast.IfExp)
    return use.node


def _is_needed(reader: Evaluator, use: HeadUse, values: list[Any]) -> bool:
    of = _named(reader, use.of.id) if isinstance(use.of, ast.Name) else UNBOUND
    match use.context:
        case "members":
            return True
        case "kept":
            return not all(isinstance(value, (int, float, *NUMBERS_OF_NODE)) for value in values)
        case "other" | "within":
            return False
        case "item":
            return not all(isinstance(value, _LOOKED_INTO) for value in values)
        case "index" | "lookup":
            tensors = [part for _, part in of.parts] if type(of) is Selected else [of]
            if any(isinstance(part, Tensor) for part in tensors):
                return True
            if use.context == "lookup":
                return False
            values = _members(of)
        case "argument" if not isinstance(use.of, ast.Attribute):
            if any(of is function for function in _OF_MEMBERS):
                return True
            if of is UNBOUND or isinstance(of, _TAKING_ANY):
                return False
    return not all(map(_is_plain, values))


def _members(of: Any) -> list[Any]:
    return [*(of.values() if isinstance(of, dict) else of if isinstance(of, list | tuple) else ())]


def _stays(reader: Evaluator, use: HeadUse) -> bool:
    """Return whether the result of one way of a conditional expression may have to stay in that way."""
    assert isinstance(use.node, ast.IfExp)
    ways = use.node.body, use.node.orelse
    values = [_value_of(reader, way) for way in ways]
    if _is_needed(reader, use, values):
        return True
    for node in (node for way in ways for node in ast.walk(way)):
        match node:
            case ast.Subscript(value=ast.Name(id=name)) if isinstance(_named(reader, name), Tensor):
                return True
            case ast.Call(func=ast.Attribute(value=value)):
                module = _named(reader, value.id) if isinstance(value, ast.Name) else None
                if not isinstance(module, ModuleType) or module.__name__.partition(".")[0] == "ttl":
                    return True
    return False


def _value_of(reader: Evaluator, way: ast.expr) -> Any:
    """Return the value of one way of a conditional expression, if it is a name or constant.

    0 for a computed value, None for a literal container, an f-string or a lambda.
    """
    match way:
        case ast.Name(id=name):
            return _named(reader, name)
        case ast.Constant(value=value):
            return value
        case ast.JoinedStr() | ast.Tuple() | ast.List() | ast.Dict() | ast.Set() | ast.Lambda():
            return None
    return 0


def _named(reader: Evaluator, name: str) -> Any:
    holder = reader.scope.holder(name)
    if holder is not None:
        return holder.names.get(name, UNBOUND)
    return reader.globals.values.get(name, getattr(builtins, name, UNBOUND))


def _is_plain(value: Any) -> bool:
    return isinstance(value, _PLAIN) or (isinstance(value, tuple) and all(map(_is_plain, value)))


def _calls(test: ast.expr) -> bool:
    """Return whether a test calls other functions than Python's that only compute: functions may assign names."""
    calls = [node for node in own_nodes((test,)) if isinstance(node, ast.Call)]
    return not all(isinstance(call.func, ast.Name) and call.func.id in _COMPUTING for call in calls)


@fact_of_syntax
def _uses(statement: ast.stmt) -> tuple[HeadUse, ...]:
    """The uses of names and conditional expressions, in the order of their evaluation."""
    finder, context = _Finder(), _context_of_head(statement)
    return tuple(use for part in head_of(statement) for use in finder.found(part, context))


def _context_of_head(statement: ast.stmt) -> _Context:
    return "attribute" if isinstance(statement, ast.With) else "other"


class _Finder:
    """The uses in the head of one statement."""

    def __init__(self) -> None:
        self._has_acted = False
        self._read: set[str] = set()
        self._within: tuple[tuple[HeadUse, bool], ...] = ()

    def _comes_first(self, test: ast.expr) -> bool:
        """Whether a test may be evaluated before all expressions that Python evaluates before it."""
        if self._has_acted:
            return False
        if not self._read or not may_act(test):
            return True
        return self._read.isdisjoint(assigned(test)) and not _calls(test)

    def _in_order(self, nodes: Iterable[ast.AST], always: int) -> Iterator[HeadUse]:
        """Go through operands, of which Python certainly evaluates only the first ``always``."""
        for position, node in enumerate(nodes):
            self._has_acted |= position >= always
            yield from self.found(node)

    def found(
        self, node: ast.AST, context: _Context = "other", of: ast.expr | None = None
    ) -> Iterator[HeadUse]:
        """Yield the uses of names and conditional expressions in a piece of source."""
        match node:
            case ast.Name(ctx=ast.Load()):
                yield HeadUse(node, context, of, not self._has_acted)
                self._read.add(node.id)
            case ast.IfExp():
                use = HeadUse(node, context, of, self._comes_first(node.test), self._within)
                yield use
                yield from self.found(node.test)
                around = self._within
                for way, holds in ((node.body, True), (node.orelse, False)):
                    self._within = (*around, (use, holds))
                    yield from self.found(way, context, of)
                self._within = around
            case ast.BoolOp(values=values):
                yield from self._in_order(values, 1)
            case ast.Compare(left=left, comparators=others):
                yield from self._in_order((left, *others), 2)
            case ast.Lambda():
                return
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                yield from self.found(node.generators[0].iter, "members")
                self._has_acted = True
            case ast.Subscript():
                yield from self.found(node.value, "item" if isinstance(node.ctx, ast.Load) else "changed")
                how: _Context = "lookup" if context == "other" else "index"
                for index in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
                    yield from self.found(index, how, node.value)
                    if not isinstance(index, ast.Name):
                        names = [part for part in own_nodes((index,)) if isinstance(part, ast.Name)]
                        yield from (HeadUse(name, "within", node.value, False) for name in names)
            case ast.Attribute():
                yield from self.found(node.value, "attribute")
            case ast.Starred(ctx=ast.Load()):
                yield from self.found(node.value, "members")
            case ast.Dict():
                for key, value in zip(node.keys, node.values, strict=True):
                    if key is not None:
                        yield from self.found(key, "members")
                    yield from self.found(value, "members" if key is None else "kept")
            case ast.List(elts=members) | ast.Set(elts=members):
                for member in members:
                    yield from self.found(member, "kept")
            case ast.Call():
                yield from self.found(node.func)
                for argument in node.args:
                    yield from self.found(argument, "argument", node.func)
                for keyword in node.keywords:
                    yield from self.found(keyword.value, "argument" if keyword.arg else "members", node.func)
                self._has_acted = True
            case ast.NamedExpr():
                yield from self.found(node.value)
                self._has_acted = True
            case ast.AugAssign(target=ast.Name(id=name)):
                yield HeadUse(ast.Name(name, ast.Load()), "changed", None, True)
                yield from self.found(node.value)
            case ast.Assign() if any(isinstance(part, ast.Starred) for part in ast.walk(node)):
                yield from self.found(node.value, "members")
            case ast.Assign():
                yield from self.found(node.value)
                for target in node.targets:
                    yield from self.found(target)
            case _:
                for part in parts(node):
                    yield from self.found(part)
