"""Assignments, definitions and imports of host code."""

from __future__ import annotations

import ast
import enum
from types import ModuleType
from typing import Any

from ttl.frontend.classes import Instance, UserClass, annotated_fields, enumeration
from ttl.frontend.host_expressions import ClassScope, HostExpressions
from ttl.frontend.modules import ReadModule
from ttl.frontend.names import assigned
from ttl.frontend.torch_shapes import Array
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import UNBOUND, UserFunction
from ttl.lang.operation import Operation


class HostDefinitions(HostExpressions):
    """Statements that give names a value."""

    def module_of(self, name: str, level: int) -> Any:
        """A module that is imported."""
        raise NotImplementedError

    def decorated(self, decorator: Any, made: Any, node: ast.expr) -> Any:
        """What a decorator makes of a function or class."""
        raise NotImplementedError

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
                self._set_item(holder, index, value)

    def _set_item(self, holder: Any, index: Any, value: Any) -> None:
        if isinstance(holder, list | dict):
            self.require_mutable(holder)
            if type(index) is not Unknown and not (isinstance(index, slice) and type(value) is Unknown):
                holder[index] = value
                return
        elif isinstance(holder, Array):
            holder.members = None  # other values in the same shape
            return
        elif isinstance(holder, Instance):
            method = holder.ttl_kind.ttl_find("__setitem__")
            if isinstance(method, UserFunction):
                self.apply(method, [holder, index, value], {})
                return
        self.blur(holder)

    def _set_attribute(self, holder: Any, name: str, value: Any) -> None:
        if isinstance(holder, Instance):
            self.require_mutable(holder)
            holder.ttl_values[name] = value
        elif isinstance(holder, UserClass):
            self.require_mutable(holder)
            holder.ttl_names[name] = value
        elif isinstance(holder, ReadModule):
            # A module that may be changed here is not put back when the other course is read.
            holder.__dict__[name] = Unknown(self.place, self.file) if self.uncertain else value
        elif not isinstance(holder, UserFunction | Operation | ModuleType):
            self.blur(holder)

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
            self.blur(current)
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
                try:
                    self.python(holder.__delitem__, index)
                except NotKnown:
                    self.blur(holder)
                    raise
            elif isinstance(target, ast.Attribute):
                holder = self.eval(target.value)
                if isinstance(holder, Instance) and not self.uncertain:
                    holder.ttl_values.pop(target.attr, None)
                else:
                    self.blur(holder)

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


def annotated(statement: ast.ClassDef) -> list[str]:
    """The annotated names of a class, in order."""
    return [
        each.target.id
        for each in statement.body
        if isinstance(each, ast.AnnAssign)
        and isinstance(each.target, ast.Name)
        and "ClassVar" not in ast.dump(each.annotation)
    ]
