"""Expressions of host code: what cannot be known is ``Unknown``, and so is what comes of it.

Reported is only what the language and the host library refuse, in the words and at the place of a run.
"""

from __future__ import annotations

import ast
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, ClassVar, NoReturn

from ttl.diag import Diagnostic, TTLError
from ttl.frontend import meta
from ttl.frontend.applying import Text
from ttl.frontend.calls import Calls
from ttl.frontend.classes import Instance, Super
from ttl.frontend.host_guards import MOST_MEMBERS, OPERATORS, guard
from ttl.frontend.merging import same
from ttl.frontend.names import is_generator, locals_of
from ttl.frontend.regions import Signals
from ttl.frontend.state import DEEPEST_CALL, MOST_STATEMENTS
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import UNBOUND, Poison, Scope, Sequential, UserFunction
from ttl.host.tensor import Tensor
from ttl.settings import current_chip

# What may be asked of tensors without looking at their values.
_ABOUT = frozenset({len, isinstance, type, id, hasattr, getattr, operator.is_, operator.is_not, callable})

Names = list[tuple[dict[str, Any], dict[str, Any]]]


class Ended(Exception):
    """The program raises here, or ends."""


class TooLong(Exception):
    """The budget for reading a program is used up."""


class TopScope(Scope):
    """The names of a module."""


class ClassScope(Scope):
    """The names of a class, which functions in it do not see."""


class HostExpressions(Calls):
    """Evaluation of expressions of host code."""

    def __init__(self, budget: int) -> None:
        super().__init__((1, 1), current_chip())
        # Expressions that may still be read. Not a time: the same program has the same findings on any machine.
        self.budget = budget
        # Containers and objects that code changed which may not run.
        self.blurred: dict[int, Any] = {}
        # What was changed since, of those who want to know, innermost last.
        self.changes: list[list[Any]] = []
        # How often something was not known so far.
        self.unknowns = 0
        self.namespaces: list[dict[str, Any]] = []
        # Values that the function being read may have returned already, innermost function last.
        self.returns: list[list[Any]] = []
        # How many ``try`` with handlers are around what is being read.
        self.handlers = 0
        # The functions being read.
        self._entered: list[int] = []
        # The names where a loop may have been left, or continued, innermost loop last.
        self.exits: list[list[tuple[str, Names]]] = []

    # --- evaluation -------------------------------------------------------------------------------------------

    def eval(self, node: ast.expr) -> Any:
        """The value of an expression, which may be unknown."""
        if type(node) is ast.Constant:
            return node.value
        self.budget -= 1
        if self.budget < 0:
            raise TooLong
        place = self.place
        try:
            own = self._OF_HOST.get(type(node))
            value = super().eval(node) if own is None else own(self, node)
        except NotKnown as stopped:
            value = stopped.origin
            if value.node is None:
                value.node, value.file = node, self.file
        except (Ended, TooLong):
            raise
        except TTLError as raised:
            for finding in raised.diagnostics:
                self.found(finding)
            value = Unknown(node, self.file)
        except Exception:
            value = Unknown(node, self.file)
        finally:
            self.place = place
        if isinstance(value, Text):
            value = Unknown(node, self.file)
        if type(value) is Unknown:
            self.unknowns += 1
        elif self.blurred and id(value) in self.blurred:
            return Unknown(node, self.file)
        return value

    def step(self) -> None:
        """Count a statement."""
        self._steps += 1
        if self._steps > MOST_STATEMENTS:
            raise TooLong

    def python(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Apply a function to values that are all known. What it raises makes the result unknown."""
        values = (*arguments, *keywords.values())
        for value in values:
            if type(value) is Unknown:
                raise NotKnown(value)
        if function not in _ABOUT:
            result = meta.operated(function, arguments) if function in OPERATORS else None
            if result is not None:
                return result
            guard(function, values)
        return function(*arguments, **keywords)

    def refuse_poison(self, name: str, value: Poison) -> None:
        """A name is used whose value is not known."""
        raise NotKnown(value) if isinstance(value, Unknown) else NotKnown(Unknown(why=name))

    def captured(self, value: Any, node: ast.AST) -> Any:
        """A value as it is: host code may change what it has."""
        if isinstance(value, Poison):
            self.refuse_poison(getattr(node, "id", "this"), value)
        return value

    def members(self, value: Any, node: ast.AST) -> list[Any]:
        """What something has that is iterated over."""
        if isinstance(value, Sequential):
            length = value.length
            if not isinstance(length, int) or length > MOST_MEMBERS:
                raise NotKnown(Unknown(node, self.file))
            return [value.at(position) for position in range(length)]
        if type(value) is Unknown:
            raise NotKnown(value)
        if isinstance(value, Tensor):
            raise NotKnown(Unknown(node, self.file))
        found = list(islice(iter(value), MOST_MEMBERS + 1))
        if len(found) > MOST_MEMBERS:
            raise NotKnown(Unknown(node, self.file))
        return found

    def item(self, value: Any, index: Any) -> Any:
        """``value[index]``."""
        return self.python(operator.getitem, value, index)

    def attribute(self, value: Any, name: str) -> Any:
        """``value.name``."""
        if isinstance(value, Super):
            return value.look(name)
        if type(value) is Unknown:
            return value  # called, it may change what it is given
        found = self.python(getattr, value, name)
        if isinstance(value, Instance) and type(found) is Unknown and name not in value.ttl_values:
            made = value.ttl_kind.ttl_find(name)
            function = getattr(made, "function", None)
            if isinstance(function, UserFunction):  # a property
                return self.apply(function, [value], {})
        return found

    def found(self, finding: Diagnostic) -> None:
        """The language or the host library refuses something; said only where the program gets there for sure."""
        if not self.uncertain and not self.handlers:
            self.report(finding)

    # --- both ways --------------------------------------------------------------------------------------------

    @property
    def uncertain(self) -> bool:
        """Whether what is being read may not run at all."""
        return bool(self.regions)

    def names_now(self) -> Names:
        """All names that can change, to be restored."""
        found: dict[int, dict[str, Any]] = {id(each): each for each in self.namespaces}
        for scope in self.reachable():
            found.setdefault(id(scope.names), scope.names)
        return [(names, dict(names)) for names in found.values()]

    @staticmethod
    def restore_names(names: Names) -> None:
        """Names as they were. The dictionaries stay the same ones: modules have them, too."""
        for held, before in names:
            held.clear()
            held.update(before)

    def merge_names(self, other: Names) -> None:
        """Names as they are now, or as they are in ``other``: unknown where these differ."""
        for held, then in other:
            if len(held) == len(then) and all(map(operator.is_, held.values(), then.values())):
                continue
            for name in {**held, **then}:
                first, second = held.get(name, UNBOUND), then.get(name, UNBOUND)
                if not same(first, second):
                    held[name] = (
                        first if type(first) is Unknown else Unknown(self.place, self.file, f"{name},")
                    )

    @contextmanager
    def maybe(self) -> Iterator[None]:
        """Read what may not run."""
        self.regions.append(None)
        try:
            yield
        finally:
            self.regions.pop()

    def either_way(self, first: Callable[[], Signals], second: Callable[[], Signals]) -> Signals:
        """Read two courses of which one is taken, and merge what they leave behind."""
        before = self.names_now()
        left = self._course(first)
        after = self.names_now()
        self.restore_names(before)
        right = self._course(second)
        if not left and not right:
            self.merge_names(after)
            return {}
        if left and ("end" in left or not right):
            self._leaves(left, after)
            return right
        if right:
            self._leaves(right, self.names_now())
            self.restore_names(after)
        return left

    def _course(self, read: Callable[[], Signals]) -> Signals:
        with self.maybe():
            try:
                return read()
            except Ended:
                return {"end": True}

    def _leaves(self, signals: Signals, names: Names) -> None:
        """The function or loop may be left here."""
        for name in ("break", "continue"):
            if name in signals and self.exits:
                self.exits[-1].append((name, names))
        if "return" in signals and self.returns:
            scope = self.scope
            while scope.parent is not None and "$return" not in scope.names:
                scope = scope.parent
            value = next(
                (then["$return"] for held, then in names if held is scope.names and "$return" in then), None
            )
            self.returns[-1].append(value)

    def require_mutable(self, container: Any) -> None:
        """A container or object is changed; if that may not happen, nothing is known of it from here on."""
        for wanted in self.changes:
            wanted.append(container)
        known = self._births.get(id(container))
        depth = known[1] if known is not None and known[0] is container else 0
        if len(self.regions) > depth:
            self.blur(container)

    def spoil(self, container: Any) -> None:
        """As ``blur``."""
        self.blur(container)

    def blur(self, container: Any) -> None:
        """From here on nothing is known of a container or object: it was changed in a way that is not known."""
        if type(container) is not Unknown:
            self.blurred[id(container)] = container

    # --- expressions that choose --------------------------------------------------------------------------------

    def _choice(self, node: ast.IfExp) -> Any:
        tested = self.eval(node.test)
        if type(tested) is not Unknown:
            try:
                return self.eval(node.body if self.truth(tested) else node.orelse)
            except NotKnown:
                pass
        values: list[Any] = []

        def course(part: ast.expr) -> Callable[[], Signals]:
            def read() -> Signals:
                values.append(self.eval(part))
                return {}

            return read

        self.either_way(course(node.body), course(node.orelse))
        if len(values) == 2 and same(*values):
            return values[0]
        return values[0] if len(values) == 1 else Unknown(node, self.file)

    def _short_circuit(self, node: ast.BoolOp) -> Any:
        """``and`` and ``or``: what stands behind an operand that is not known may be evaluated or not."""
        for number, each in enumerate(node.values):
            value = self.eval(each)
            if type(value) is Unknown:
                for rest in node.values[number + 1 :]:
                    self.either_way(partial(self._only, rest), dict)
                return value
            if number == len(node.values) - 1 or bool(self.truth(value)) is isinstance(node.op, ast.Or):
                return value
        raise AssertionError("an operator without operands")

    def _only(self, node: ast.expr) -> Signals:
        self.eval(node)
        return {}

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Any:
        """A comprehension: where it cannot be followed, what its expressions do may happen any number of times."""
        try:
            return Calls.HANDLERS[type(node)](self, node)
        except Exception:
            for part in ast.walk(node):
                if isinstance(part, ast.NamedExpr):
                    self.assign(part.target, Unknown(part, self.file))
            scope = Scope(self.scope, frozenset())
            for part in ast.walk(node):
                if isinstance(part, ast.comprehension):
                    names = [each.id for each in ast.walk(part.target) if isinstance(each, ast.Name)]
                    scope.names.update({name: Unknown(node, self.file, name) for name in names})
            scope.local = frozenset(scope.names)
            parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
            with self.within(scope, self.file, self.globals, self.chain):
                for each in parts:
                    self.either_way(partial(self._only, each), dict)
            raise

    def handed_out(self, values: Iterable[Any]) -> None:
        """Values are given to a function of which nothing is known: it may change them, and call them."""
        for value in values:
            if isinstance(value, list | dict | set | deque | Instance):
                self.blur(value)
            elif isinstance(value, UserFunction) and id(value.node) not in self._entered:
                given = value.node.args
                count = len(given.posonlyargs) + len(given.args) - len(value.defaults)
                arguments: list[Any] = [Unknown(self.place, self.file) for _ in range(max(count, 0))]
                self.either_way(partial(self._call_of, value, arguments), dict)

    def _call_of(self, function: UserFunction, arguments: list[Any]) -> Signals:
        try:
            self.apply(function, arguments, {})
        except (Ended, TooLong):
            raise
        except Exception:
            return {}
        return {}

    def _function(self, node: ast.FunctionDef | ast.Lambda) -> UserFunction:
        made = super()._function(node)
        scope: Scope | None = made.scope
        while isinstance(scope, ClassScope):
            scope = scope.parent
        made.scope = None if isinstance(scope, TopScope) else scope
        return made

    def _starred_dict(self, node: ast.Dict) -> Any:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made.update(self.eval(value))
            else:
                made[self.eval(key)] = self.eval(value)
        return self.born(made)

    def inline(self, function: UserFunction, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Read the body of a function with arguments."""
        again = id(function.node) in self._entered and self.uncertain
        if len(self.chain) >= DEEPEST_CALL or again:
            raise NotKnown(Unknown(self.place, self.file))
        self.step()
        if isinstance(function.node, ast.FunctionDef) and is_generator(function.node):
            self._generated(function, arguments, keywords)
        self._entered.append(id(function.node))
        self.returns.append([])
        try:
            try:
                result = super().inline(function, arguments, keywords)
            except NotKnown as stopped:
                result = stopped.origin
            earlier = self.returns[-1]
        finally:
            self.returns.pop()
            self._entered.pop()
        if all(same(result, each) for each in earlier):
            return result
        return Unknown(self.place, self.file)

    def _generated(self, function: UserFunction, arguments: list[Any], keywords: dict[str, Any]) -> NoReturn:
        """A generator: how far it gets is not followed, so what it does may happen or not."""
        assert isinstance(function.node, ast.FunctionDef)
        scope = Scope(function.scope, locals_of(function.node))
        scope.names.update(self._bind(function, arguments, keywords))
        body = function.node.body
        self._entered.append(id(function.node))
        self.returns.append([])
        try:
            with self.within(scope, function.file, function.globals, (self.span, *self.chain), function.node):
                self.either_way(lambda: (self.block(body), {})[1], dict)
        finally:
            self.returns.pop()
            self._entered.pop()
        raise NotKnown(Unknown(self.place, self.file))

    _OF_HOST: ClassVar[dict[type[ast.expr], Callable[[Any, Any], Any]]] = {
        ast.IfExp: _choice,
        ast.BoolOp: _short_circuit,
        **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), _comprehension),
        ast.Dict: _starred_dict,
        ast.Await: lambda self, node: self.eval(node.value),
    }
