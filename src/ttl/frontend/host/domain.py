"""The host domain: a program that is only read.

A value that cannot be known is ``Unknown``, and so is every value computed from it. Only errors of the language and the
host library are reported, with the messages and locations of a run.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ttl.diag import Diagnostic, TTLError
from ttl.frontend import special_methods
from ttl.frontend.classes import Instance
from ttl.frontend.definitions import class_
from ttl.frontend.domain import NOT_REDUCED, Connection, Course, Signals
from ttl.frontend.evaluator import EXPRESSIONS_BETWEEN, Evaluator
from ttl.frontend.expressions import formatted
from ttl.frontend.flow import doing, evaluated
from ttl.frontend.function_calls import apply
from ttl.frontend.host import meta
from ttl.frontend.host.calling import HostCalling
from ttl.frontend.host.control import HostLoop, try_
from ttl.frontend.host.courses import ITERATOR, PathStates, ProgramEnded
from ttl.frontend.host.guards import OPERATORS, guarded
from ttl.frontend.host.items import HostItems
from ttl.frontend.host.modules import LIBRARY, is_library
from ttl.frontend.host.operations import Operations, ReadLaunch
from ttl.frontend.mutable import changed_by_call, is_container, noting_defaults
from ttl.frontend.operators import BINARY, INPLACE, RELATION, UNARY
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import UNBOUND, Poison, Scope, Sequential, UserFunction, same
from ttl.host.tensor import Tensor
from ttl.lang.block import Block
from ttl.session import go_on
from ttl.session.patience import LimitReached
from ttl.source.scopes import assigned

if TYPE_CHECKING:
    from ttl.frontend.host.statements import HostStatements

# Functions of tensors that do not use their values.
_ABOUT = frozenset({len, isinstance, type, id, hasattr, getattr, operator.is_, operator.is_not, callable})


class HostDomain:
    """Values of a program, as far as its source determines them. ``Domain`` documents the methods.

    ``budget`` is the number of expressions that may be read. It is not a time, so that the same program has the same
    findings on any machine.
    """

    def __init__(
        self,
        reader: Evaluator,
        budget: int,
        modules: Callable[[str, int], Any],
        launched: Callable[[ReadLaunch], None],
    ) -> None:
        self.reader = reader
        self.courses = courses = PathStates(reader)
        self.budget = budget
        self.statements: HostStatements | None = None
        """The effects of the statements of the program's top level."""
        self.names_read: set[str] = set()
        """Global names that were read."""
        self.names_bound: set[str] = set()
        """Names of the main module that were assigned, even if to the value that they had."""
        self.lazy = self.eval
        self.operations = operations = Operations(reader, self.refuse, launched, courses)
        self.calling = calling = HostCalling(reader, courses, self.python, operations)
        items = HostItems(reader, courses, self.python)
        self.item, self.set_item, self.delete_item = items.item, items.set_item, items.delete_item
        self.attribute, self.set_attribute = items.attribute, items.set_attribute
        self.delete_attribute = items.delete_attribute
        self.members, self.steps, self.unpacked = items.members, items.steps, items.unpacked
        self.drawn, self.changed_by = items.drawn, items.changed_by
        self.apply, self.inlined, self.decorated = calling.apply, calling.inlined, operations.decorated
        self.module = modules
        self.born, self.require_mutable, self.spoil = courses.born, courses.require_mutable, courses.blur
        self.constructs: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
            ast.ClassDef: class_,
            ast.Await: lambda reader, node: reader.eval(node.value),
            ast.Try: lambda reader, statement: try_(reader, courses, statement),
        }

    # --- evaluation -------------------------------------------------------------------------------------------

    def eval(self, node: ast.expr) -> Any:
        """The value of an expression, which may be unknown."""
        if type(node) is ast.Constant:
            return node.value
        self.budget -= 1
        if self.budget < 0:
            raise LimitReached
        if not self.budget % EXPRESSIONS_BETWEEN:
            go_on()
        return self.attempt(node, self.reader.meaning, node)

    def attempt(self, node: ast.expr, compute: Callable[..., Any], *arguments: Any) -> Any:
        """Return the value of a computation; unknown if it has no value."""
        reader = self.reader
        place = reader.place
        try:
            value = compute(*arguments)
        except NotKnown as stopped:
            value = stopped.origin
            if value.node is None:
                self.courses.watcher.touched(value)
                value.node, value.file = node, reader.file
        except (ProgramEnded, LimitReached):
            raise
        except TTLError as raised:
            for finding in raised.diagnostics:
                self.refuse(finding)
            value = Unknown(node, reader.file)
        except Exception:
            value = Unknown(node, reader.file)
        finally:
            reader.place = place
        if type(value) is Unknown:
            self.courses.unknowns += 1
        elif self.courses.blurred and id(value) in self.courses.blurred:
            return Unknown(node, reader.file)
        return value

    def refuse(self, finding: Diagnostic) -> None:
        """Report an error of the language or the host library, if the program certainly reaches it."""
        if not self.courses.uncertain and not self.courses.handlers:
            self.reader.report(finding)

    def one(self, body: list[ast.stmt], position: int) -> Signals:
        statements = self.statements
        if statements is not None and body is statements.body:
            return statements.one(body[position], lambda: evaluated(self.reader, body[position]))
        return evaluated(self.reader, body[position])

    def refused(self, node: ast.AST) -> Exception:
        return NotImplementedError(type(node).__name__)

    def gave_up(self, statement: ast.stmt, raised: Exception) -> None:
        """Make all names unknown that a failed statement would have assigned."""
        if isinstance(raised, ProgramEnded | LimitReached):
            raise raised
        self.courses.unknowns += 1
        self.reader.place = statement
        for name in assigned(statement):
            self._bind(
                name,
                raised.origin if isinstance(raised, NotKnown) else Unknown(statement, self.reader.file, name),
            )

    def too_long(self) -> Exception:
        return LimitReached()

    def noted(self, finding: Diagnostic) -> Diagnostic:
        """Return the finding unchanged."""
        return finding

    def _unknown(self, node: ast.AST | None = None) -> Unknown:
        return Unknown(node or self.reader.place, self.reader.file)

    # --- names ------------------------------------------------------------------------------------------------

    def read(self, scope: Scope, node: ast.Name, value: Any) -> Any:
        return self.captured(value, node)

    def captured(self, value: Any, node: ast.AST) -> Any:
        """Return the value unchanged: host code may change its members."""
        if type(node) is ast.Name:
            self.names_read.add(node.id)
        if isinstance(value, Unknown):
            raise NotKnown(value)
        if isinstance(value, Poison):
            raise NotKnown(Unknown(why=getattr(node, "id", "this")))
        return value

    def bind(self, target: ast.Name, value: Any) -> None:
        self._bind(target.id, value)

    def _bind(self, name: str, value: Any) -> None:
        holder = self._holder(name)
        holder[name] = value
        if self.statements is not None and holder is self.statements.names:
            self.names_bound.add(name)

    def unbind(self, target: ast.Name) -> None:
        self.courses.watcher.unrepeatable()
        self._holder(target.id).pop(target.id, None)

    def _holder(self, name: str) -> dict[str, Any]:
        scope = self.reader.scope.holder(name)
        return self.reader.globals.values if scope is None else scope.names

    def naming(self, name: str | None, evaluate: Callable[[ast.expr], Any], value: ast.expr) -> Any:
        return evaluate(value)

    def named(self, name: str, value: Any) -> None:
        """Do nothing: no object is named after variables of the host."""

    # --- transfer functions -----------------------------------------------------------------------------------

    def python(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Apply a function to known values. If it raises, the result is unknown."""
        values = (*arguments, *keywords.values())
        for value in values:
            if type(value) is Unknown:
                for changed in changed_by_call(function, arguments):
                    self.spoil(changed)
                raise NotKnown(value)
            if type(value) is ITERATOR:
                self.require_mutable(value)
        if function is getattr and is_library(arguments[0], arguments[1]):
            return self.module(LIBRARY, 0)
        special = special_methods.applied(self.reader, function, arguments, keywords)
        if special is not special_methods.NOT_SPECIAL:
            return special
        if function not in _ABOUT:
            result = meta.operated(function, arguments) if function in OPERATORS else None
            if result is not None:
                return result
            arguments = guarded(function, arguments, values)
            for changed in changed_by_call(function, arguments):
                self.require_mutable(changed)
        return noting_defaults(
            lambda: function(*arguments, **keywords), function, arguments, self.require_mutable
        )

    def operated(self, how: ast.operator, left: Any, right: Any) -> Any:
        return self.python(BINARY[type(how)], left, right)

    def inplace(self, statement: ast.AugAssign, current: Any, value: Any) -> Any:
        self.reader.place = statement
        if type(current) is Unknown:
            self.courses.watcher.unrepeatable()  # it may refer to a node that is in no tree
        if is_container(current):
            if type(value) is Unknown:
                self.courses.blur(current)
                return current
            self.require_mutable(current)
        try:
            return self.python(INPLACE[type(statement.op)], current, value)
        except NotKnown as stopped:
            return stopped.origin

    def signed(self, how: ast.unaryop, value: Any) -> Any:
        return not self.truth(value) if isinstance(how, ast.Not) else self.python(UNARY[type(how)], value)

    def related(self, relation: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(relation, ast.In | ast.NotIn):
            return self.python(operator.contains, right, left) is isinstance(relation, ast.In)
        return self.python(RELATION[type(relation)], left, right)

    def as_read(self, value: Any) -> Any:
        return value  # all objects of the program are read here

    def truth(self, value: Any) -> Any:
        """A value as a condition: a truth value, or unknown."""
        if isinstance(value, bool) or type(value) is Unknown:
            return value
        return self.truth(value.length) if isinstance(value, Sequential) else self.python(bool, value)

    def mapped(
        self, values: list[Any], function: Callable[[list[Any]], Any], *, branching: bool | None
    ) -> Any:
        return function(values)

    def each(self, value: Any, course: Callable[[Any], Signals]) -> None:
        """Return None, because no value is one of several."""

    def is_opaque(self, value: Any) -> bool:
        return isinstance(value, Tensor | Block)

    def shown(self, value: Any, node: ast.FormattedValue) -> Any:
        return value if self.is_opaque(value) else formatted(self.reader, value, node)

    def text(self, parts: list[Any]) -> Any:
        """A text; unknown if it contains the data of tensors."""
        if any(map(self.is_opaque, parts)):
            raise NotKnown(Unknown())
        return "".join(parts)

    # --- containers -------------------------------------------------------------------------------------------

    def key(self, value: Any, node: ast.AST) -> Any:
        return value

    def quietly(
        self, take: Callable[[], Any], partly: list[Any] | None = None, refusal: Diagnostic | None = None
    ) -> Any:
        return take()

    def taken(self, value: Any) -> Any:
        return value

    def unlisted(self, value: Any) -> Any:
        """Return None, because lengths are known."""

    def not_followed(self, node: ast.expr) -> None:
        """Read the expressions of a comprehension once, because they may be evaluated any number of times."""
        reader, scope = self.reader, Scope(self.reader.scope, frozenset())
        for part in ast.walk(node):
            if isinstance(part, ast.NamedExpr):
                self.bind(part.target, self._unknown(part))
        for part in ast.walk(node):
            if isinstance(part, ast.comprehension):
                names = [name.id for name in ast.walk(part.target) if isinstance(name, ast.Name)]
                scope.names.update({name: Unknown(node, reader.file, name) for name in names})
        scope.local = frozenset(scope.names)
        parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)  # type: ignore[attr-defined]
        with reader.within(scope, reader.file, reader.globals, reader.chain):
            for part in parts:
                self.courses.perhaps(doing(reader.eval, part))

    # --- join and widen ---------------------------------------------------------------------------------------

    def condition(self, test: ast.expr) -> Any:
        """A test: a truth value, or unknown."""
        value = self.reader.eval(test)
        self.reader.place = test
        try:
            return self.truth(value)
        except (ProgramEnded, LimitReached):
            raise
        except Exception:
            return self._unknown(test)

    def decided(self, test: ast.expr) -> bool:
        return bool(self.truth(self.reader.eval(test)))

    def connected(self, rest: Connection, value: Any, truth: Any) -> Any:
        """``value and rest``, or ``value or rest``: the other operands may be evaluated or not."""
        self.courses.perhaps(doing(lambda: [step() for step in rest.steps]))
        return value

    nothing_returned = None

    def returned(self, signals: Signals, value: Any) -> Any:
        return value

    def chosen(
        self, condition: Any, first: Callable[[], Any], second: Callable[[], Any], node: ast.AST
    ) -> Any:
        """The value of ``first if condition else second``: known if both are the same."""
        values: list[Any] = []
        self.courses.either_way(doing(lambda: values.append(first())), doing(lambda: values.append(second())))
        if len(values) == 1 or (len(values) == 2 and same(*values)):
            return values[0]
        return self._unknown(node)

    def branch(
        self, condition: Any, first: Course, second: Course | None = None, *, is_last: bool = False
    ) -> Signals:
        """Read both ways."""
        return self.courses.either_way(first, second or dict)

    def guarded(
        self, condition: Any, body: Course, *, is_last: bool = False, else_returned: bool = False
    ) -> Signals:
        """Read under a condition, which is known."""
        return body() if condition else {}

    def repetition(self, statement: ast.For | ast.While) -> HostLoop:
        return HostLoop(self.reader, self.courses, statement)

    def reduced(self, function: Any, node: ast.Call) -> Any:
        """Return ``NOT_REDUCED``: comprehensions are read as they are."""
        return NOT_REDUCED

    # --- calls and imports ------------------------------------------------------------------------------------

    def call(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        return apply(self.reader, function, arguments, keywords)

    def imported(self, module: Any, statement: ast.ImportFrom, alias: ast.alias) -> dict[str, Any]:
        """``from module import name``, and ``*``."""
        is_known = type(module) is not Unknown
        if alias.name == "*":
            names = dict(vars(module)) if is_known else {}
            return {name: value for name, value in names.items() if not name.startswith("_")}
        value = UNBOUND
        if is_known and not is_library(module, alias.name):
            value = getattr(module, alias.name, UNBOUND)
            if value is UNBOUND and module.__name__ == "ttl" and find_spec(f"ttl.{alias.name}") is None:
                # The error names similar names, or says why it is missing.
                value = self.attempt(statement, getattr, module, alias.name)  # type: ignore[arg-type]
        if value is UNBOUND:
            inner = f"{statement.module}.{alias.name}" if statement.module else alias.name
            value = self.module(inner, statement.level)
        return {alias.asname or alias.name: value}

    # --- statements around values ------------------------------------------------------------------------------

    def stands_alone(self, node: ast.expr) -> None:
        self.reader.eval(node)

    def entered(self, value: Any) -> Any:
        if isinstance(value, AbstractContextManager):
            return value.__enter__()
        if isinstance(value, Instance):
            return self._method(value, "__enter__")
        return value if type(value) is Unknown else self._unknown()

    def exited(self, value: Any) -> None:
        if isinstance(value, Instance):
            self._method(value, "__exit__", None, None, None)

    def _method(self, value: Instance, name: str, *arguments: Any) -> Any:
        function = value.ttl_kind.ttl_find(name)
        if not isinstance(function, UserFunction):
            return self._unknown()
        return apply(self.reader, function, [value, *arguments], {})

    def asserted(self, condition: Any, statement: ast.Assert) -> None:
        """An assertion that fails ends the program."""
        if condition is False:
            raise ProgramEnded

    def raised(self, statement: ast.Raise) -> Signals:
        """The program ends, unless it handles the exception."""
        if statement.exc is not None:
            self.reader.eval(statement.exc)
        raise ProgramEnded
