"""Members of the host domain's containers and objects: as in Python, where their content is certain."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from itertools import islice
from types import ModuleType
from typing import Any

from ttl.frontend import special_methods
from ttl.frontend.classes import Instance, Super, UserClass, property_of
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.function_calls import apply
from ttl.frontend.host.courses import ITERATOR, PathStates
from ttl.frontend.host.guards import MOST_MEMBERS
from ttl.frontend.host.modules import ReadModule
from ttl.frontend.host.operations import ReadOperation
from ttl.frontend.host.torch_shapes import Array
from ttl.frontend.mutable import mutates
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import Sequential, UserFunction
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation


class HostItems:
    """Items, attributes and members."""

    def __init__(self, reader: Evaluator, courses: PathStates, python: Callable[..., Any]) -> None:
        self._reader = reader
        self._courses = courses
        self._python = python

    def item(self, value: Any, index: Any) -> Any:
        return self._python(operator.getitem, value, index)

    def set_item(self, target: ast.Subscript, holder: Any, index: Any, value: Any) -> None:
        if isinstance(holder, list | dict):
            self._courses.require_mutable(holder)
            if type(index) is not Unknown and not (isinstance(index, slice) and type(value) is Unknown):
                holder[index] = value
                return
        elif isinstance(holder, Array):
            self._courses.watcher.touched(holder)
            holder.members = None  # other values, but the same shape
            return
        elif isinstance(holder, Instance):
            method = holder.ttl_kind.ttl_find("__setitem__")
            if isinstance(method, UserFunction):
                apply(self._reader, method, [holder, index, value], {})
                return
        self._courses.blur(holder)

    def delete_item(self, holder: Any, index: Any) -> None:
        self._courses.require_mutable(holder)
        try:
            self._python(holder.__delitem__, index)
        except NotKnown:
            self._courses.blur(holder)
            raise

    def attribute(self, value: Any, name: str) -> Any:
        if isinstance(value, Super):
            return value.look(name)
        if type(value) is Unknown:
            return value  # a call of it may change its arguments
        getter = property_of(value, name)
        if getter is not None:
            return apply(self._reader, getter, [value], {})
        return self._python(getattr, value, name)

    def set_attribute(self, holder: Any, name: str, value: Any) -> None:
        if isinstance(holder, Instance):
            self._courses.require_mutable(holder)
            holder.ttl_values[name] = value
        elif isinstance(holder, UserClass):
            self._courses.require_mutable(holder)
            holder.ttl_names[name] = value
        elif isinstance(holder, ReadModule):
            # The change of a module is not undone when the other course is read.
            self._courses.watcher.lost()
            holder.__dict__[name] = (
                Unknown(self._reader.place, self._reader.file) if self._courses.uncertain else value
            )
        elif isinstance(holder, ReadOperation):
            self._courses.require_mutable(holder)
            holder.__dict__[name] = value
        elif not isinstance(holder, UserFunction | Operation | ModuleType):
            self._courses.blur(holder)

    def delete_attribute(self, target: ast.Attribute, statement: ast.Delete) -> None:
        holder = self._reader.eval(target.value)
        if isinstance(holder, Instance) and not self._courses.uncertain:
            self._courses.watcher.touched(holder)
            holder.ttl_values.pop(target.attr, None)
        else:
            self._courses.blur(holder)

    def members(self, value: Any, node: ast.AST) -> list[Any]:
        """Return the members of an iterable value. Raises ``NotKnown`` if they are unknown, or too many."""
        if type(value) is Unknown:
            raise NotKnown(value)
        if isinstance(value, Tensor):
            raise NotKnown(Unknown(node, self._reader.file))
        if isinstance(value, Sequential):
            length = value.length
            if not isinstance(length, int) or length > MOST_MEMBERS:
                raise NotKnown(Unknown(node, self._reader.file))
            return [value.at(position) for position in range(length)]
        if isinstance(value, Instance):
            iterated = special_methods.members_of(self._reader, value)
            if iterated is not special_methods.NOT_SPECIAL:
                return self.members(iterated, node)
        if type(value) is ITERATOR:
            self._courses.require_mutable(value)
        members = list(islice(iter(value), MOST_MEMBERS + 1))
        if len(members) > MOST_MEMBERS:
            raise NotKnown(Unknown(node, self._reader.file))
        return members

    def unpacked(self, value: Any, target: ast.expr) -> list[Any] | None:
        """The members of a value that is assigned to several targets; None if they are unknown."""
        return None if type(value) is Unknown else self.members(value, self._reader.place)

    def steps(self, value: Any, node: ast.AST) -> Iterator[Any]:
        """Return the members of an iterable value, one by one."""
        return iter(self.members(value, node))

    def drawn(self, members: Any, kind: str, *held: Any) -> Any:
        """Return a Python iterator, which taking a member changes. When members are computed does not matter."""
        return self._courses.born(iter(self.members(members, self._reader.place)))

    def changed_by(self, value: Any, method: str) -> Any:
        """The container that a method is about to change, or None."""
        if not mutates(value, method):
            return None
        self._courses.require_mutable(value)
        return value
