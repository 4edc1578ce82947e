"""Assignments: to names, to members of containers, to several targets at once."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar

from ttl.dialects.structure import hint_name
from ttl.frontend import refusals
from ttl.frontend.calls import Calls
from ttl.frontend.objects import TracedExpr
from ttl.frontend.selected import Selected
from ttl.frontend.stop import Reject
from ttl.host.tensor import Tensor
from ttl.rules.expressions import item_assigned


class Assignments(Calls):
    """Evaluation of what assigns and deletes."""

    def unsupported(self, statement: ast.stmt) -> Reject:
        """What to say of a statement that no kernel can have."""
        what, advice = _UNSUPPORTED.get(type(statement), (type(statement).__name__, ""))
        return Reject(refusals.construct(f"{what}", help=advice))

    def _assign(self, statement: ast.Assign) -> None:
        value = self._named_value(statement.targets[0], statement.value)
        if isinstance(statement.targets[0], ast.Name) and isinstance(value, list | tuple | dict):
            self.tracer.name_members(statement.targets[0].id, value)
        for target in statement.targets:
            self.assign(target, value)

    def _named_value(self, target: ast.expr, value: ast.expr) -> Any:
        """The value of an expression that is assigned: what it makes is named after the target."""
        before = self.tracer.target
        try:
            if (
                isinstance(target, ast.Tuple)
                and isinstance(value, ast.Tuple)
                and len(target.elts) == len(value.elts)
            ):
                values = []
                for each, part in zip(target.elts, value.elts, strict=True):
                    self.tracer.target = each.id if isinstance(each, ast.Name) else None
                    values.append(self.lazy(part))
                if not any(isinstance(part, ast.Starred) for part in value.elts):
                    return tuple(values)
            self.tracer.target = target.id if isinstance(target, ast.Name) else None
            return (
                self.lazy(value) if isinstance(target, ast.Name | ast.Tuple | ast.List) else self.eval(value)
            )
        finally:
            self.tracer.target = before

    def _annotated(self, statement: ast.AnnAssign) -> None:
        if statement.value is not None:
            self.assign(statement.target, self._named_value(statement.target, statement.value))

    def _augmented(self, statement: ast.AugAssign) -> None:
        target = statement.target
        if isinstance(target, ast.Name):
            load = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            current = self.eval(load)
            self.assign(target, self.inplace(statement, current, self.eval(statement.value)))
            return
        if isinstance(target, ast.Subscript):
            holder, index = self.eval(target.value), self.eval(target.slice)
            self.place = target
            current = self.item(holder, index)
            result = self.inplace(statement, current, self.eval(statement.value))
            self._set_item(target, holder, index, result)
            return
        raise Reject(refusals.construct("assignment to an attribute", help="use a variable"))

    def assign(self, target: ast.expr, value: Any) -> None:
        """Assign a value to a target."""
        match target:
            case ast.Name(id=name):
                scope = self.scope.holder(name)
                if scope is None:
                    self.place = target
                    raise Reject(
                        refusals.construct(
                            f"assignment to the global {name}",
                            notes=("kernels of all nodes would change one variable of the host",),
                            help="use a variable of the operation or kernel",
                        )
                    )
                scope.names[name] = value
                if isinstance(value, TracedExpr) and value.ssa.name_hint is None:
                    hint_name(value.ssa, name)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._unpack(target, targets, value)
            case ast.Subscript():
                holder, index = self.eval(target.value), self.eval(target.slice)
                self._set_item(target, holder, index, value)
            case ast.Starred():
                self.assign(target.value, value)
            case _:
                self.place = target
                raise Reject(
                    refusals.construct(
                        "assignment to an attribute",
                        notes=("objects exist while the program is compiled, for all nodes at once",),
                        help="use a variable, or make a new object with the value",
                    )
                )

    def _unpack(self, target: ast.expr, targets: list[ast.expr], value: Any) -> None:
        members = self._selected_members(value, target) if type(value) is Selected else None
        members = self.members(value, target) if members is None else members
        self.place = target
        starred = [position for position, each in enumerate(targets) if isinstance(each, ast.Starred)]
        if starred:
            first = starred[0]
            rest = len(targets) - first - 1
            if len(members) >= len(targets) - 1:
                middle = self.born(members[first : len(members) - rest])
                members = [*members[:first], middle, *members[len(members) - rest :]]
        if len(members) != len(targets):
            more = "too many" if len(members) > len(targets) else "not enough"
            raise Reject(
                refusals.raises(
                    "ValueError", f"{more} values to unpack, {len(members)} for {len(targets)} names"
                )
            )
        for each, member in zip(targets, members, strict=True):
            self.assign(each, member)

    def _selected_members(self, value: Selected, target: ast.expr) -> list[Any]:
        """The members of one of several tuples or lists, each one of theirs."""
        parts = [(when, self.members(each, target)) for when, each in value.parts]
        if len({len(each) for _, each in parts}) != 1:
            self.require_one(value)
        return [
            self.joined([(when, each[position]) for when, each in parts], value)
            for position in range(len(parts[0][1]))
        ]

    def _set_item(self, target: ast.Subscript, holder: Any, index: Any, value: Any) -> None:
        self.place = target
        if isinstance(holder, Tensor):
            raise Reject(item_assigned())
        if isinstance(holder, list | dict):
            self.require_mutable(holder)
            self.python(holder.__setitem__, self._hashable(index, target), value)
            return
        self.python(_set_item, holder, index, value)

    def _delete(self, statement: ast.Delete) -> None:
        for target in statement.targets:
            match target:
                case ast.Name(id=name):
                    scope = self.scope.holder(name)
                    if scope is not None:
                        scope.names.pop(name, None)
                case ast.Subscript():
                    holder, index = self.eval(target.value), self.eval(target.slice)
                    self.place = target
                    self.require_mutable(holder)
                    self.python(holder.__delitem__, index)
                case _:
                    raise self.unsupported(statement)

    STATEMENTS: ClassVar[dict[type[ast.stmt], Callable[[Any, Any], Any]]] = {
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Delete: _delete,
    }


_UNSUPPORTED: dict[type[ast.stmt], tuple[str, str]] = {
    ast.Try: ("try", "a kernel has no exceptions on the chip; test the condition before, with if"),
    ast.ClassDef: ("a class defined in an operation", "define it at the top of the file"),
    ast.AsyncFunctionDef: ("an async function", "write def: kernels wait for one another through buffers"),
    ast.AsyncFor: ("async for", "write for"),
    ast.AsyncWith: ("async with", "write with"),
    ast.Match: ("match", "write if and elif"),
}


def _set_item(holder: Any, index: Any, value: Any) -> None:
    holder[index] = value
