"""Remedies that change a call: its function, its arguments, or another call that it depends on."""

from __future__ import annotations

import ast

from ttl.diag.model import Edit
from ttl.diag.remedies.site import (
    PlacedRemedy,
    SourceSite,
    enclosing,
    insertion,
    operands_of,
    removal,
    within,
)


class Argument(PlacedRemedy):
    """Pass the keyword argument ``name`` with ``value`` (source text) in the call, or replace its value there.

    ``position``: its position if it is passed without its name. ``function``: the call must be of a function with this
    name.
    """

    name: str
    value: str
    position: int | None = None
    function: str = ""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement or insertion."""
        call = _call(site)
        if call is None or any(isinstance(argument, ast.Starred) for argument in call.args):
            return ()
        if self.function and ast.unparse(call.func).rpartition(".")[2] != self.function:
            return ()
        for keyword in call.keywords:
            if keyword.arg == self.name:
                return (Edit(span=site.span_of(keyword.value), replacement=self.value),)
        if self.position is not None and self.position < len(call.args):
            return (Edit(span=site.span_of(call.args[self.position]), replacement=self.value),)
        return _inserted(site, call, f"{self.name}={self.value}")


class DropArguments(PlacedRemedy):
    """Remove keyword arguments from the call. No edits if a function of a plain name would have no arguments left."""

    names: tuple[str, ...]

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One removal for each argument, with a comma."""
        call = _call(site)
        if call is None:
            return ()
        written: list[ast.expr | ast.keyword] = sorted(
            [*call.args, *call.keywords], key=lambda node: (node.lineno, node.col_offset)
        )
        goes = [isinstance(node, ast.keyword) and node.arg in self.names for node in written]
        if all(goes) and isinstance(call.func, ast.Name):
            return ()
        edits = []
        for position, node in enumerate(written):
            if not goes[position]:
                continue
            here = site.span_of(node)
            start, end = (here.line, here.column), (here.end_line, here.end_column)
            if not all(goes[:position]):
                before = site.span_of(written[position - 1])
                start = (before.end_line, before.end_column)
            elif position + 1 < len(written):
                after = site.span_of(written[position + 1])
                end = (after.line, after.column)
            edits.append(removal(here.file, start, end))
        return tuple(edits)


class RenameArgument(PlacedRemedy):
    """Rename the keyword argument ``older`` of the call to its current name."""

    older: str
    current: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        for keyword in site.node.keywords if isinstance(site.node, ast.Call) else ():
            if keyword.arg == self.older:
                here = site.span_of(keyword)
                name = within(here.file, here.line, here.column, here.column + len(self.older))
                return (Edit(span=name, replacement=self.current),)
        return ()


class Callee(PlacedRemedy):
    """Call ``function`` instead of the function that is called."""

    function: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        if not isinstance(site.node, ast.Call):
            return ()
        return (Edit(span=site.span_of(site.node.func), replacement=self.function),)


class CalleeByName(PlacedRemedy):
    """Call another function instead of the called one. ``names`` has pairs of its last name and the replacement."""

    names: tuple[tuple[str, str], ...]

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        if not isinstance(site.node, ast.Call):
            return ()
        current = dict(self.names).get(ast.unparse(site.node.func).rpartition(".")[2])
        return () if current is None else Callee(function=current).edits(site)


class WithoutMethod(PlacedRemedy):
    """Remove the call of method ``name`` from the argument at ``position``: ``x.wait()`` becomes ``x``."""

    name: str
    position: int = 0

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One removal."""
        operands = operands_of(site.node)
        match operands[self.position] if self.position < len(operands) else None:
            case ast.Call(func=ast.Attribute(value=value, attr=name)) as call if name == self.name:
                kept, whole = site.span_of(value), site.span_of(call)
                start = (kept.end_line, kept.end_column)
                return (removal(whole.file, start, (whole.end_line, whole.end_column)),)
        return ()


class BufferCreation(PlacedRemedy):
    """Apply a remedy to the call that makes the buffer whose method is called at the location: ``x_dfb.reserve()``."""

    remedy: PlacedRemedy

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """The edits of the assignment to the buffer's variable around the location, if there is only one."""
        match site.node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                pass
            case _:
                return ()
        scope: ast.AST | None = site.node
        while scope is not None:
            calls = [
                node.value
                for node in getattr(scope, "body", ())
                if isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Call)
                and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
            ]
            if calls:
                return self.remedy.edits(site.other(calls[0])) if len(calls) == 1 else ()
            scope = site.parents.get(scope)
        return ()


class OfDestination(PlacedRemedy):
    """Apply a remedy to the destination of the ``ttl.copy`` at the location."""

    remedy: PlacedRemedy

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """The edits of the copy's second argument."""
        match site.node:
            case ast.Call(args=[_, destination]):
                return self.remedy.edits(site.other(destination))
        return ()


class DecoratorAround(PlacedRemedy):
    """Apply a remedy to the only decorator with arguments of the function around the location."""

    remedy: PlacedRemedy

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """The edits of the innermost function that has such decorators."""
        scope: ast.AST | None = site.node
        while scope is not None:
            decorators = [node for node in getattr(scope, "decorator_list", ()) if isinstance(node, ast.Call)]
            if decorators:
                return self.remedy.edits(site.other(decorators[0])) if len(decorators) == 1 else ()
            scope = site.parents.get(scope)
        return ()


class BufferOfBlock(PlacedRemedy):
    """Apply a remedy to the call that makes the buffer of the block that is stored into, or copied, at the location.

    ``likeness``: make the buffer like the tensor at the other end of the copy.
    """

    remedy: PlacedRemedy | None = None
    likeness: bool = False

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """The edits of the block's buffer, if there is only one."""
        names = _block_names(site.node)
        acquired = [
            (name, call)
            for name in names
            for call in [_acquired(site, name)]
            if call is not None and isinstance(call.func, ast.Attribute)
        ]
        if len(acquired) != 1:
            return ()
        remedy = self.remedy
        if self.likeness:
            tensors = [
                node.value
                for node in operands_of(site.node)
                if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
            ]
            if len(tensors) != 1:
                return ()
            remedy = Argument(
                name="likeness_tensor",
                value=tensors[0].id,
                position=0,
                function="make_dataflow_buffer_like",
            )
        if remedy is None:
            return ()
        return BufferCreation(remedy=remedy).edits(site.other(acquired[0][1]))


class SameBlock(PlacedRemedy):
    """Call a method on the one block that the function has acquired of a buffer, instead of on the buffer."""

    acquired: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        match site.node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=buffer) as written)):
                pass
            case _:
                return ()
        function = enclosing(site)
        names = [
            node.targets[0].id
            for node in (() if function is None else ast.walk(function))
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and ast.unparse(node.value) == f"{buffer}.{self.acquired}()"
        ]
        return (Edit(span=site.span_of(written), replacement=names[0]),) if len(names) == 1 else ()


class DecoratorOf(PlacedRemedy):
    """Apply a remedy to the decorator with arguments of the function that is called at the location."""

    remedy: PlacedRemedy

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """The edits of the definition of that function in the file, if there is only one."""
        if not isinstance(site.node, ast.Call) or not isinstance(site.node.func, ast.Name):
            return ()
        calls = [
            decorator
            for node in ast.walk(site.file.tree)
            if isinstance(node, ast.FunctionDef) and node.name == site.node.func.id
            for decorator in node.decorator_list
            if isinstance(decorator, ast.Call)
        ]
        return self.remedy.edits(site.other(calls[0])) if len(calls) == 1 else ()


def _call(site: SourceSite) -> ast.Call | None:
    match site.node:
        case ast.Call():
            return site.node
        case ast.expr() | ast.keyword():
            parent = site.parents.get(site.node)
            if isinstance(parent, ast.keyword):
                parent = site.parents.get(parent)
            return parent if isinstance(parent, ast.Call) else None
    return None


def _inserted(site: SourceSite, call: ast.Call, text: str) -> tuple[Edit, ...]:
    """Insert ``text`` as the last argument of a call."""
    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if given:
        last = site.span_of(
            max(given, key=lambda node: (site.span_of(node).end_line, site.span_of(node).end_column))
        )
        place, text = (last.end_line, last.end_column), f", {text}"
    else:
        end = site.span_of(call)
        place = (end.end_line, end.end_column - 1)
    return (insertion(site.span.file, *place, text),)


def _block_names(node: ast.AST) -> list[str]:
    """The variables that may be blocks of a store or a copy."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="store")):
            return [name]
        case ast.Call(func=ast.Attribute(attr="copy"), args=arguments):
            return [argument.id for argument in arguments if isinstance(argument, ast.Name)]
    return []


def _acquired(site: SourceSite, name: str) -> ast.Call | None:
    """The only ``dfb.reserve()`` or ``dfb.wait()`` that gives a variable of the function its block."""
    function = enclosing(site)
    calls = []
    for node in () if function is None else ast.walk(function):
        match node:
            case ast.withitem(context_expr=ast.Call() as call, optional_vars=ast.Name(id=variable)):
                pass
            case ast.Assign(targets=[ast.Name(id=variable)], value=ast.Call() as call):
                pass
            case _:
                continue
        if variable == name:
            calls.append(call)
    return calls[0] if len(calls) == 1 else None
