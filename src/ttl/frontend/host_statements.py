"""Statements of host code: what runs for sure is read as it runs, what may run is read both ways."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from ttl.frontend.classes import Instance
from ttl.frontend.host_definitions import HostDefinitions
from ttl.frontend.host_expressions import Ended, TooLong
from ttl.frontend.names import assigned, leaves
from ttl.frontend.regions import RETURN, Signals
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import UserFunction

# Iterations of a loop that are read.
_MOST_ITERATIONS = 256


class HostStatements(HostDefinitions):
    """Evaluation of statements of host code."""

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
                return getattr(self, handler)(statement) or {}
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
        depth = len(self.changes)
        try:
            if members is None:
                return self._once_or_not(statement, lambda: self.assign(statement.target, iterated))
            long = len(members) > _MOST_ITERATIONS
            if long:
                self.changes.append([])
            for member in members[:_MOST_ITERATIONS]:
                self.step()
                self.assign(statement.target, member)
                signals = self._iteration(statement.body)
                if signals is not None:
                    return signals
            if long:
                self._forget(statement)
                for changed in self.changes.pop():
                    self.blur(changed)
            self._merge_exits("break")
        finally:
            del self.changes[depth:]
            self.exits.pop()
        return self.block(statement.orelse)

    def _while(self, statement: ast.While) -> Signals:
        self.exits.append([])
        depth = len(self.changes)
        self.changes.append([])
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
                for changed in self.changes[depth]:
                    self.blur(changed)
            self._merge_exits("break")
        finally:
            del self.changes[depth:]
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
        if signals or not statement.orelse:
            return signals
        if "break" in leaves(statement):
            return self.either_way(lambda: self.block(statement.orelse), dict)
        return self.block(statement.orelse)

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
        self.handlers += bool(statement.handlers)
        before = self.names_now()
        depth = len(self.changes)
        self.changes.append([])
        try:
            signals = self.block(statement.body)
        except Ended as raised:
            ended = raised
        finally:
            self.handlers -= bool(statement.handlers)
            changed = self.changes[depth]
            del self.changes[depth:]
        if ended is not None and statement.handlers:
            ended = None
            signals = self._handled(statement)
        elif ended is None and self.unknowns != known and statement.handlers:
            reached = signals
            for container in changed:
                self.blur(container)

            def handled() -> Signals:
                # Where in the body it was left is not known: a name may be as it was, or as it became.
                self.merge_names(before)
                return self._handled(statement)

            signals = self.either_way(lambda: reached, handled)
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

    _STATEMENTS: ClassVar[dict[type[ast.stmt], str]] = {
        ast.Assign: "_assign",
        ast.AnnAssign: "_annotated",
        ast.AugAssign: "_augmented",
        ast.Delete: "_delete",
        ast.Expr: "_expression",
        ast.FunctionDef: "_definition",
        ast.ClassDef: "_class",
        ast.Import: "_import",
        ast.ImportFrom: "_import_from",
        ast.Pass: "_nothing",
        ast.Global: "_nothing",
        ast.Nonlocal: "_nothing",
        ast.Return: "_return",
        ast.Break: "_break",
        ast.Continue: "_continue",
        ast.If: "_if",
        ast.For: "_for",
        ast.While: "_while",
        ast.With: "_with",
        ast.Try: "_try",
        ast.Match: "_match",
        ast.Assert: "_assert",
        ast.Raise: "_raise",
    }


def assigned_by(pattern: ast.pattern) -> list[str]:
    """Names that a pattern binds."""
    names = (getattr(each, "name", None) or getattr(each, "rest", None) for each in ast.walk(pattern))
    return [name for name in names if isinstance(name, str)]
