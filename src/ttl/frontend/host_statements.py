"""Statements of host code: what runs for sure is read as it runs, what may run is read both ways."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from ttl.frontend.classes import Instance, UserClass, annotated_fields, enumeration
from ttl.frontend.control import RETURN, Signals
from ttl.frontend.host_expressions import ClassScope, Ended, HostExpressions, TooLong
from ttl.frontend.names import assigned
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import UNBOUND, UserFunction

# Iterations of a loop that are read.
_MOST_ITERATIONS = 256


class HostStatements(HostExpressions):
    """Evaluation of statements of host code."""

    def module_of(self, name: str, level: int) -> Any:
        """A module that is imported."""
        raise NotImplementedError

    def decorated(self, decorator: Any, made: Any, node: ast.expr) -> Any:
        """What a decorator makes of a function or class."""
        raise NotImplementedError

    def block(self, body: list[ast.stmt]) -> Signals:
        """Read statements in order."""
        for statement in body:
            signals = self.statement(statement)
            if signals:
                return signals
        return {}

    def statement(self, statement: ast.stmt) -> Signals:
        """Read one statement. Where it cannot be read, nothing is known of what it assigns."""
        self.step()
        self.place = statement
        handler = self._STATEMENTS.get(type(statement))
        stopped: Unknown | None = None
        try:
            if handler is not None:
                return handler(self, statement) or {}
        except NotKnown as needed:
            stopped = needed.origin
        except (Ended, TooLong):
            raise
        except Exception:
            stopped = None
        self.unknowns += 1
        self.place = statement
        for name in assigned(statement):
            value = Unknown(statement, self.file, name) if stopped is None else stopped
            self._assign_name(name, value)
        return {}

    # --- assignments --------------------------------------------------------------------------------------------

    def _assign_name(self, name: str, value: Any) -> None:
        scope = self.scope.holder(name)
        (self.globals.values if scope is None else scope.names)[name] = value

    def assign(self, target: ast.expr, value: Any) -> None:
        """Assign a value to a target."""
        match target:
            case ast.Name(id=name):
                self._assign_name(name, value)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._unpack(targets, value)
            case ast.Starred(value=inner):
                self.assign(inner, value)
            case ast.Attribute(value=holder, attr=name):
                self._set_attribute(self.eval(holder), name, value)
            case ast.Subscript():
                holder, index = self.eval(target.value), self.eval(target.slice)
                if isinstance(holder, list | dict):
                    self.require_mutable(holder)
                    self._set_item(holder, index, value)

    def _set_item(self, holder: Any, index: Any, value: Any) -> None:
        if type(index) is Unknown:
            self._blurred[id(holder)] = holder
        else:
            holder[index] = value

    def _set_attribute(self, holder: Any, name: str, value: Any) -> None:
        if isinstance(holder, Instance):
            self.require_mutable(holder)
            holder.ttl_values[name] = value
        elif isinstance(holder, UserClass):
            self.require_mutable(holder)
            holder.ttl_names[name] = value

    def _unpack(self, targets: list[ast.expr], value: Any) -> None:
        if type(value) is Unknown:
            for each in targets:
                self.assign(each, value)
            return
        members = self.members(value, self.place)
        starred = next((at for at, each in enumerate(targets) if isinstance(each, ast.Starred)), None)
        if starred is not None:
            rest = len(targets) - starred - 1
            middle = self.born(members[starred : len(members) - rest])
            members = [*members[:starred], middle, *members[len(members) - rest :]]
        if len(members) != len(targets):
            raise ValueError("another number of values")
        for each, member in zip(targets, members, strict=True):
            self.assign(each, member)

    def _assign(self, statement: ast.Assign) -> None:
        value = self.eval(statement.value)
        for target in statement.targets:
            self.assign(target, value)

    def _annotated(self, statement: ast.AnnAssign) -> None:
        if statement.value is not None:
            self.assign(statement.target, self.eval(statement.value))

    def _augmented(self, statement: ast.AugAssign) -> None:
        target = statement.target
        load: ast.expr
        match target:
            case ast.Name(id=name):
                load = ast.Name(name, ast.Load())
            case ast.Attribute(value=holder, attr=name):
                load = ast.Attribute(holder, name, ast.Load())
            case ast.Subscript(value=holder, slice=index):
                load = ast.Subscript(holder, index, ast.Load())
        current = self.eval(ast.copy_location(load, target))
        value = self.eval(statement.value)
        if type(value) is Unknown and isinstance(current, list | dict | set):
            self._blurred[id(current)] = current
            return
        try:
            result = self.inplace(statement, current, value)
        except NotKnown as stopped:
            result = stopped.origin
        self.assign(target, result)

    def _delete(self, statement: ast.Delete) -> None:
        for target in statement.targets:
            if isinstance(target, ast.Name):
                scope = self.scope.holder(target.id)
                (self.globals.values if scope is None else scope.names).pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                holder, index = self.eval(target.value), self.eval(target.slice)
                self.require_mutable(holder)
                self.python(holder.__delitem__, index)

    def _expression(self, statement: ast.Expr) -> None:
        self.eval(statement.value)

    # --- definitions --------------------------------------------------------------------------------------------

    def _definition(self, statement: ast.FunctionDef) -> None:
        made: Any = self._function(statement)
        for decorator in reversed(statement.decorator_list):
            value = self.eval(decorator)
            self.place = decorator
            made = self.decorated(value, made, decorator)
        self._assign_name(statement.name, made)

    def _class(self, statement: ast.ClassDef) -> None:
        bases = tuple(self.eval(base) for base in statement.bases)
        kind = UserClass(statement.name, bases, {})
        scope = ClassScope(self.scope)
        scope.local = frozenset(assigned(*statement.body))
        scope.names = kind.ttl_names
        with self.within(scope, self.file, self.globals, self.chain):
            self.block(statement.body)
        made: Any = self.born(kind)
        known = [base for base in bases if isinstance(base, type) and issubclass(base, enum.Enum)]
        if known:
            made = enumeration(kind, known[0])
        if any(getattr(base, "__name__", "") == "NamedTuple" for base in bases if type(base) is not Unknown):
            kind.ttl_fields, kind.ttl_as_tuple = annotated_fields(kind, annotated(statement)), True
        for decorator in reversed(statement.decorator_list):
            value = self.eval(decorator)
            self.place = decorator
            if isinstance(made, UserClass):
                kind.ttl_names["$annotations"] = annotated(statement)
            made = self.decorated(value, made, decorator)
        self._assign_name(statement.name, made)

    def _import(self, statement: ast.Import) -> None:
        for alias in statement.names:
            module = self.module_of(alias.name, 0)
            name = alias.asname
            if name is None:
                name = alias.name.partition(".")[0]
                module = module if name == alias.name else self.module_of(name, 0)
            self._assign_name(name, module)

    def _import_from(self, statement: ast.ImportFrom) -> None:
        module = self.module_of(statement.module or "", statement.level)
        for alias in statement.names:
            if alias.name == "*":
                names = {} if type(module) is Unknown else dict(vars(module))
                for name, value in names.items():
                    if not name.startswith("_"):
                        self._assign_name(name, value)
                continue
            value = UNBOUND if type(module) is Unknown else getattr(module, alias.name, UNBOUND)
            if value is UNBOUND:
                inner = f"{statement.module}.{alias.name}" if statement.module else alias.name
                value = self.module_of(inner, statement.level)
            self._assign_name(alias.asname or alias.name, value)

    # --- control flow -------------------------------------------------------------------------------------------

    def _return(self, statement: ast.Return) -> Signals:
        self.scope.names[RETURN] = None if statement.value is None else self.eval(statement.value)
        return {"return": True}

    def _tested(self, test: ast.expr) -> bool | None:
        """A condition; None where it is not known."""
        value = self.eval(test)
        if type(value) is Unknown:
            return None
        self.place = test
        try:
            return bool(self.truth(value))
        except (Ended, TooLong):
            raise
        except Exception:
            return None

    def _if(self, statement: ast.If) -> Signals:
        tested = self._tested(statement.test)
        if tested is None:
            return self.either_way(lambda: self.block(statement.body), lambda: self.block(statement.orelse))
        return self.block(statement.body if tested else statement.orelse)

    def _for(self, statement: ast.For) -> Signals:
        iterated = self.eval(statement.iter)
        members: list[Any] | None = None
        if type(iterated) is not Unknown:
            try:
                members = self.members(iterated, statement.iter)
            except NotKnown as stopped:
                iterated = stopped.origin
        self.exits.append([])
        try:
            if members is None:
                return self._once_or_not(statement, lambda: self.assign(statement.target, iterated))
            for member in members[:_MOST_ITERATIONS]:
                self.step()
                self.assign(statement.target, member)
                signals = self._iteration(statement.body)
                if signals is not None:
                    return signals
            if len(members) > _MOST_ITERATIONS:
                self._forget(statement)
            self._merge_exits("break")
        finally:
            self.exits.pop()
        return self.block(statement.orelse)

    def _while(self, statement: ast.While) -> Signals:
        self.exits.append([])
        try:
            for _ in range(_MOST_ITERATIONS):
                tested = self._tested(statement.test)
                if tested is None:
                    return self._once_or_not(statement, lambda: None)
                if not tested:
                    break
                signals = self._iteration(statement.body)
                if signals is not None:
                    return signals
            else:
                self._forget(statement)
            self._merge_exits("break")
        finally:
            self.exits.pop()
        return self.block(statement.orelse)

    def _iteration(self, body: list[ast.stmt]) -> Signals | None:
        """Read an iteration; what leaves the loop for sure, or None."""
        signals = self.block(body)
        self._merge_exits("continue")
        if "break" in signals:
            self._merge_exits("break")
            return {}
        return signals if signals and "continue" not in signals else None

    def _merge_exits(self, how: str) -> None:
        found = [names for name, names in self.exits[-1] if name == how]
        self.exits[-1][:] = [each for each in self.exits[-1] if each[0] != how]
        for names in found:
            self.merge_names(names)

    def _once_or_not(self, statement: ast.For | ast.While, start: Callable[[], None]) -> Signals:
        """Read the body of a loop once, for however often it runs."""

        def once() -> Signals:
            start()
            signals = self.block(statement.body)
            self._forget(statement)
            return {name: True for name in signals if name in ("return", "end")}

        signals = self.either_way(once, dict)
        return signals or self.block(statement.orelse)

    def _forget(self, statement: ast.For | ast.While) -> None:
        for name in assigned(*statement.body):
            self._assign_name(name, Unknown(statement, self.file, name))

    def _with(self, statement: ast.With) -> Signals:
        entered: list[Any] = []
        for item in statement.items:
            value = self.eval(item.context_expr)
            self.place = item.context_expr
            given: Any = value
            if isinstance(value, AbstractContextManager):
                given = value.__enter__()
            elif isinstance(value, Instance):
                given = self._method(value, "__enter__")
            elif type(value) is not Unknown:
                given = Unknown(item.context_expr, self.file)
            entered.append(value)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, given)
        signals = self.block(statement.body)
        for value in reversed(entered):
            if isinstance(value, Instance):
                self._method(value, "__exit__", None, None, None)
        return signals

    def _method(self, value: Instance, name: str, *arguments: Any) -> Any:
        function = value.ttl_kind.ttl_find(name)
        if not isinstance(function, UserFunction):
            return Unknown(self.place, self.file)
        return self.apply(function, [value, *arguments], {})

    def _try(self, statement: ast.Try) -> Signals:
        known = self.unknowns
        ended: Ended | None = None
        signals: Signals = {}
        try:
            signals = self.block(statement.body)
        except Ended as raised:
            ended = raised
        if ended is not None and statement.handlers:
            ended = None
            signals = self._handled(statement)
        elif ended is None and self.unknowns != known and statement.handlers:
            reached = signals
            signals = self.either_way(lambda: reached, lambda: self._handled(statement))
        elif ended is None and not signals:
            signals = self.block(statement.orelse)
        last = self.block(statement.finalbody)
        if ended is not None and not last:
            raise ended
        return last or signals

    def _handled(self, statement: ast.Try) -> Signals:
        """Read the handlers of a ``try``, of which one runs."""

        def read(handlers: list[ast.ExceptHandler]) -> Signals:
            first = handlers[0]
            if first.name is not None:
                self._assign_name(first.name, Unknown(first, self.file, "an exception"))
            if len(handlers) == 1:
                return self.block(first.body)
            return self.either_way(lambda: self.block(first.body), lambda: read(handlers[1:]))

        return read(statement.handlers)

    def _match(self, statement: ast.Match) -> Signals:
        subject = self.eval(statement.subject)

        def read(cases: list[ast.match_case]) -> Signals:
            if not cases:
                return {}
            first = cases[0]
            pattern = first.pattern
            if isinstance(pattern, ast.MatchValue) and type(subject) is not Unknown and first.guard is None:
                value = self.eval(pattern.value)
                if type(value) is not Unknown:
                    return self.block(first.body) if self.truth(subject == value) else read(cases[1:])
            for name in assigned_by(pattern):
                self._assign_name(name, Unknown(pattern, self.file, name))
            return self.either_way(lambda: self.block(first.body), lambda: read(cases[1:]))

        return read(statement.cases)

    def _assert(self, statement: ast.Assert) -> None:
        if self._tested(statement.test) is False:
            raise Ended

    def _raise(self, statement: ast.Raise) -> None:
        if statement.exc is not None:
            self.eval(statement.exc)
        raise Ended

    def _break(self, statement: ast.Break) -> Signals:
        return {"break": True}

    def _continue(self, statement: ast.Continue) -> Signals:
        return {"continue": True}

    def _nothing(self, statement: ast.stmt) -> None:
        """``pass`` and the like."""

    _STATEMENTS: ClassVar[dict[type[ast.stmt], Callable[[Any, Any], Any]]] = {
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Delete: _delete,
        ast.Expr: _expression,
        ast.FunctionDef: _definition,
        ast.ClassDef: _class,
        ast.Import: _import,
        ast.ImportFrom: _import_from,
        ast.Pass: _nothing,
        ast.Global: _nothing,
        ast.Nonlocal: _nothing,
        ast.Return: _return,
        ast.Break: _break,
        ast.Continue: _continue,
        ast.If: _if,
        ast.For: _for,
        ast.While: _while,
        ast.With: _with,
        ast.Try: _try,
        ast.Match: _match,
        ast.Assert: _assert,
        ast.Raise: _raise,
    }


def annotated(statement: ast.ClassDef) -> list[str]:
    """The annotated names of a class, in order."""
    return [
        each.target.id
        for each in statement.body
        if isinstance(each, ast.AnnAssign)
        and isinstance(each.target, ast.Name)
        and "ClassVar" not in ast.dump(each.annotation)
    ]


def assigned_by(pattern: ast.pattern) -> list[str]:
    """Names that a pattern binds."""
    names = (getattr(each, "name", None) or getattr(each, "rest", None) for each in ast.walk(pattern))
    return [name for name in names if isinstance(name, str)]
