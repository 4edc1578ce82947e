"""Names: variables of the functions being read, of the module, and what Python has built in."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from ttl.frontend import refusals
from ttl.frontend.carrying import LoopVar
from ttl.frontend.operators import Operators
from ttl.frontend.selected import Selected
from ttl.frontend.stop import Lost, Poisoned, Reject
from ttl.frontend.tables import plain
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import UNBOUND, Poison, Unbound, copied
from ttl.rules.python import undefined_name
from ttl.source.names import names_visible

_CHANGED = "something that is changed in a way that is not known"


class Variables(Operators):
    """Evaluation of names."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        # Copies of the user's containers, under the identity of what they are copies of.
        self.copies: dict[int, tuple[Any, Any]] = {}
        # Containers and objects of the host's of which nothing is known any more, under their identity.
        self.unknown: Mapping[int, Any] = {}

    def known(self, value: Any) -> Any:
        """A value, or that it is not known what is in it."""
        return Unknown(why=_CHANGED) if id(value) in self.unknown else value

    def _name(self, node: ast.Name) -> Any:
        scope = self.scope.holder(node.id)
        if scope is None:
            return self._global(node)
        value = scope.names.get(node.id, UNBOUND)
        if isinstance(value, Poison):
            self.place = node
            if type(value) is Selected:
                return self.narrowed(value)
            self.refuse_poison(node.id, value)
        if type(value) is Unbound:
            self.place = node
            raise Reject(
                refusals.raises(
                    "UnboundLocalError",
                    f"{node.id} has no value here",
                    help="assign it before, on every path",
                )
            )
        if type(value) is LoopVar:
            self.place = node
            return self.carried(scope, node.id, value)
        return self._sound(value)

    def _sound(self, value: Any) -> Any:
        """A value, unless it is a container of which it is not known any more what is in it."""
        if self.spoiled and id(value) in self.spoiled:
            raise Poisoned
        return value

    def refuse_poison(self, name: str, value: Poison) -> None:
        """A name is used whose value is not to be had."""
        if value.reported:
            raise Poisoned
        if value.statement in self.open_statements:
            assert value.statement is not None
            raise Lost(value.statement)
        raise Reject(refusals.not_known_here(name, value.reason))

    def _global(self, node: ast.Name) -> Any:
        values = self.globals.values
        if node.id in values:
            return self.captured(values[node.id], node)
        found = getattr(builtins, node.id, UNBOUND)
        if found is UNBOUND:
            self.place = node
            raise Reject(undefined_name(node.id, names_visible(self.file.path, node.lineno)))
        return found

    def captured(self, value: Any, node: ast.AST) -> Any:
        """A value from outside the operation, fit for evaluation: containers are copied, nothing of the user's changes."""
        if isinstance(value, Poison):
            self.place = node
            self.refuse_poison(getattr(node, "id", "this"), value)
        if type(value) in (list, dict, set):
            known = self.copies.get(id(value))
            if known is None:
                instead = self.known if self.unknown else None
                known = self.copies[id(value)] = (value, copied(value, instead))
            return self._sound(known[1])
        return plain(value)

    HANDLERS: ClassVar[dict[type[ast.expr], Callable[[Any, Any], Any]]] = {
        **Operators.HANDLERS,
        ast.Name: _name,
    }
