"""Classes of host code: their objects, and what Python's own functions do with these."""

from __future__ import annotations

import ast
from typing import Any

from ttl.frontend.classes import Instance, Super, UserClass, annotated_fields
from ttl.frontend.host_statements import HostStatements
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import UserFunction


class HostObjects(HostStatements):
    """Evaluation of what has to do with classes."""

    def __init__(self, budget: int) -> None:
        super().__init__(budget)
        # The class that a method was found in, by its definition.
        self._kinds: dict[int, UserClass] = {}

    def instance(self, kind: UserClass, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        made: Instance = self.born(Instance(kind))
        start = kind.ttl_find("__init__")
        for name, value in kind.ttl_names.items():
            function = getattr(value, "function", value)
            if isinstance(function, UserFunction):
                self._kinds[id(function.node)] = kind
            del name
        if isinstance(start, UserFunction):
            self._kinds.setdefault(id(start.node), kind)
            self.apply(start, [made, *arguments], keywords)
        elif kind.ttl_fields is not None:
            self.fill(made, kind.ttl_fields, arguments, keywords)
        elif (arguments or keywords) and not kind.ttl_bases:
            raise TypeError("no arguments")
        return made

    def called_object(self, instance: Instance, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        for name in ("__call__", "forward"):
            function = instance.ttl_kind.ttl_find(name)
            if isinstance(function, UserFunction) and (name == "__call__" or instance.ttl_kind.ttl_open):
                return self.apply(function, [instance, *arguments], keywords)
        raise TypeError("not callable")

    def super_of(self, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        node = self.function
        kind = self._kinds.get(id(node))
        if kind is None or not isinstance(node, ast.FunctionDef) or not node.args.args:
            raise NotKnown(Unknown(self.place, self.file))
        return Super(self.scope.names.get(node.args.args[0].arg), kind)

    def dataclass_of(self, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if not arguments:
            return as_dataclass
        return as_dataclass(arguments[0])

    def asked(self, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """``getattr``."""
        try:
            return self.attribute(arguments[0], arguments[1])
        except AttributeError:
            if len(arguments) < 3:
                raise
            return arguments[2]

    def set_of(self, arguments: list[Any], keywords: dict[str, Any]) -> None:
        self._set_attribute(*arguments)

    def is_instance(self, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        value, kinds = arguments
        for kind in kinds if isinstance(kinds, tuple) else (kinds,):
            if isinstance(kind, UserClass):
                if isinstance(value, Instance) and _derives(value.ttl_kind, kind):
                    return True
            elif self.python(isinstance, value, kind):
                return True
        return False


def as_dataclass(made: Any) -> Any:
    """``@dataclass``."""
    if isinstance(made, UserClass):
        made.ttl_fields = annotated_fields(made, made.ttl_names.get("$annotations", []))
    return made


def _derives(kind: UserClass, base: UserClass) -> bool:
    return kind is base or any(
        isinstance(each, UserClass) and _derives(each, base) for each in kind.ttl_bases
    )
