"""Remedies that change statements and definitions."""

from __future__ import annotations

import ast

from ttl.diag.model import Edit
from ttl.diag.remedies.expressions import Append
from ttl.diag.remedies.site import PlacedRemedy, SourceSite, block_of, enclosing, line_after, removal, within
from ttl.source.files import line


class DropStatement(PlacedRemedy):
    """Remove the whole statement, if it is on lines of its own and its block has other statements."""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One removal of lines."""
        statement = site.statement()
        if statement is None or not isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return):
            return ()
        block = block_of(statement, site.parents)
        if block is None or len(block) == 1:
            return ()
        end = statement.end_lineno or statement.lineno
        if any(
            other is not statement and other.lineno <= end and statement.lineno <= (other.end_lineno or 0)
            for other in block
        ):
            return ()
        first = line(site.span.file, statement.lineno)
        if first is None or first[: site.span_of(statement).column - 1].strip():
            return ()
        return (removal(site.span.file, (statement.lineno, 1), (end + 1, 1)),)


class DropRepetition(DropStatement):
    """Remove a statement that is repeated: the same statement is above it in its block.

    A statement that a loop repeats is left alone.
    """

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One removal of lines."""
        statement = site.statement()
        block = None if statement is None else block_of(statement, site.parents)
        if statement is None or block is None:
            return ()
        above = block[: block.index(statement)]
        is_repeated = any(ast.dump(other) == ast.dump(statement) for other in above)
        return super().edits(site) if is_repeated else ()


class StatementBefore(PlacedRemedy):
    """Insert a statement on a line above the statement; ``{object}`` is the variable whose method is called."""

    text: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One insertion."""
        statement = site.statement()
        if statement is None:
            return ()
        first = line(site.span.file, statement.lineno)
        indent = "" if first is None else first[: site.span_of(statement).column - 1]
        if first is None or indent.strip():
            return ()
        point = within(site.span.file, statement.lineno, 1, 1)
        if "{object}" in self.text:
            match site.node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                    return (Edit(span=point, replacement=f"{indent}{self.text.format(object=name)}\n"),)
            return ()
        return (Edit(span=point, replacement=f"{indent}{self.text}\n"),)


class StatementAfter(PlacedRemedy):
    """Insert a statement on a line below the statement."""

    text: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One insertion."""
        statement = site.statement()
        return () if statement is None else line_after(site, statement, self.text)


class InsertAtBlockEnd(PlacedRemedy):
    """Insert a statement at the end of the block in which the expression is assigned to a name, ``{}`` in ``text``."""

    text: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One insertion."""
        statement = site.statement()
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is site.node:
                pass
            case _:
                return ()
        method = self.text.removeprefix("{}.").removesuffix("()")
        if _calls(enclosing(site), name, method):
            return ()  # another path calls the method, and would call it twice
        block = block_of(statement, site.parents)
        if block is None or isinstance(block[-1], ast.Return | ast.Continue | ast.Break):
            return ()
        return line_after(site, block[-1], self.text.replace("{}", name))


class AssignmentAs(PlacedRemedy):
    """Replace an assignment by ``template``, with its two sides for ``{target}`` and ``{value}``."""

    template: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement of a statement."""
        match site.statement():
            case ast.Assign(targets=[target], value=value) as statement:
                texts = site.text(target), site.text(value)
                if None in texts:
                    return ()
                text = self.template.format(target=texts[0], value=texts[1])
                return (Edit(span=site.span_of(statement), replacement=text),)
        return ()


class SplitCall(PlacedRemedy):
    """Write a call with several arguments as one statement for each argument."""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement of a statement."""
        statement = site.statement()
        match statement:
            case ast.Expr(value=ast.Call(func=function, args=arguments, keywords=[])) if len(arguments) > 1:
                pass
            case _:
                return ()
        texts = [site.text(argument) for argument in arguments]
        indent = (line(site.span.file, statement.lineno) or "")[: site.span_of(statement).column - 1]
        if None in texts or indent.strip():
            return ()
        written = f"\n{indent}".join(f"{ast.unparse(function)}({text})" for text in texts)
        return (Edit(span=site.span_of(statement), replacement=written),)


class BeforeLoops(PlacedRemedy):
    """Insert a statement above all loops of the function around the location."""

    text: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One insertion; no edits without a loop."""
        outermost: ast.stmt | None = None
        node: ast.AST | None = site.node
        while node is not None and not isinstance(node, ast.FunctionDef):
            if isinstance(node, ast.For | ast.While):
                outermost = node
            node = site.parents.get(node)
        if outermost is None:
            return ()
        return StatementBefore(text=self.text).edits(SourceSite(site.span, outermost, site.file))


class SwappedWithNext(PlacedRemedy):
    """Exchange the statement and the next one, if both call the same method."""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """Two replacements."""
        statement = site.statement()
        block = None if statement is None else block_of(statement, site.parents)
        if statement is None or block is None or block[-1] is statement:
            return ()
        other = block[block.index(statement) + 1]
        texts = site.text(statement), site.text(other)
        if None in texts or _method(statement) is None or _method(statement) != _method(other):
            return ()
        first, second = site.span_of(statement), site.span_of(other)
        return (
            Edit(span=first, replacement=str(texts[1])),
            Edit(span=second, replacement=str(texts[0])),
        )


class AcquireBlock(PlacedRemedy):
    """Acquire a block of the buffer ``name`` in a ``with`` statement, and write the block instead of the buffer."""

    name: str
    acquire: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement of a statement."""
        statement = site.statement()
        text = None if statement is None else site.text(statement)
        if statement is None or text is None or not isinstance(statement, ast.Expr):
            return ()
        name = self.name or next(
            (
                node.value.id
                for node in (site.node,)
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            ),
            "",
        )
        places = [
            node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == name and name
        ]
        indent = (line(site.span.file, statement.lineno) or "")[: site.span_of(statement).column - 1]
        if len(places) != 1 or indent.strip():
            return ()
        block = f"{name.removesuffix('_dfb')}_blk"
        start = site.span_of(places[0]).column - site.span_of(statement).column
        written = f"{text[:start]}{block}{text[start + len(name) :]}"
        header = f"with {name}.{self.acquire}() as {block}:\n{indent}    "
        return (Edit(span=site.span_of(statement), replacement=header + written),)


class UnderWith(PlacedRemedy):
    """Turn the statement into a ``with`` of its expression, and put the rest of its block under it."""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """A replacement, and an indentation for each later line of the block; no edits if there are no later lines."""
        statement = site.statement()
        block = None if statement is None else block_of(statement, site.parents)
        text = None if statement is None else site.text(statement)
        if statement is None or block is None or text is None or block[-1] is statement:
            return ()
        end = block[-1].end_lineno or block[-1].lineno
        lines = range((statement.end_lineno or statement.lineno) + 1, end + 1)
        places = [
            within(site.span.file, number, 1, 1)
            for number in lines
            if (line(site.span.file, number) or "").strip()
        ]
        return (
            Edit(span=site.span_of(statement), replacement=f"with {text}:"),
            *(Edit(span=place, replacement="    ") for place in places),
        )


class WaitForCopy(PlacedRemedy):
    """Wait for the only copy of the block that is not waited for in place, where it is started or right after that."""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One insertion."""
        name, function = _block_name(site), enclosing(site)
        if not name or function is None:
            return ()
        copies = [
            call
            for call in ast.walk(function)
            if isinstance(call, ast.Call)
            and ast.unparse(call.func).rpartition(".")[2] == "copy"
            and any(isinstance(argument, ast.Name) and argument.id == name for argument in call.args)
            and not isinstance(site.parents.get(call), ast.Attribute)
            and call is not site.node
            and not any(node is site.node for node in ast.walk(call))
        ]
        if len(copies) != 1:
            return ()
        started = site.other(copies[0])
        match site.parents.get(copies[0]):
            case ast.Expr():
                return Append(text=".wait()").edits(started)
            case ast.Assign(targets=[ast.Name(id=handle)]):
                waits = _calls(function, handle, "wait")
                later = [site.other(wait) for wait in waits]
                removed = [DropStatement().edits(wait) for wait in later]
                here = StatementAfter(text=f"{handle}.wait()").edits(started)
                if len(later) > 1 or not all(removed):
                    return ()
                return (*here, *(edit for edits in removed for edit in edits)) if here else ()
        return ()


class Parameters(PlacedRemedy):
    """Give the function defined here, or the function called ``name`` around the location, the parameters ``text``."""

    text: str
    name: str = ""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement between the parentheses."""
        definition = _definition(site, self.name)
        first = None if definition is None else line(site.span.file, definition.lineno)
        if definition is None or first is None:
            return ()
        start, end = first.find("("), first.find(")")
        if start < 0 or end < 0 or not first.rstrip().endswith(":"):
            return ()
        span = within(site.span.file, definition.lineno, start + 2, end + 1)
        return (Edit(span=span, replacement=self.text),)


class NameOfDecorated(PlacedRemedy):
    """Rename the function below the decorator at the location."""

    name: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        definition = site.parents.get(site.node)
        if not isinstance(definition, ast.FunctionDef):
            return ()
        first = line(site.span.file, definition.lineno) or ""
        start = first.find(definition.name, first.find("def "))
        if start < 0:
            return ()
        place = within(
            site.span.file,
            definition.lineno,
            start + 1,
            start + 1 + len(definition.name),
        )
        return (Edit(span=place, replacement=self.name),)


class DecorateKernel(PlacedRemedy):
    """Decorate the function at the location: as a data movement kernel if it copies, a compute kernel if it stores."""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One insertion; no edits if the function copies and stores, or does neither."""
        definition = _definition(site, "")
        if definition is None or definition.decorator_list:
            return ()
        methods = {
            node.func.attr
            for node in ast.walk(definition)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        if ("copy" in methods) is ("store" in methods):
            return ()
        text = "@ttl.datamovement()" if "copy" in methods else "@ttl.compute()"
        return StatementBefore(text=text).edits(SourceSite(site.span, definition, site.file))


def _definition(site: SourceSite, name: str) -> ast.FunctionDef | None:
    """The function whose name is at the location, or the nearest function called ``name`` around it."""
    if isinstance(site.node, ast.FunctionDef):
        return site.node
    scope: ast.AST | None = site.node
    while scope is not None:
        for node in ast.iter_child_nodes(scope):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return node
        scope = site.parents.get(scope)
    return None


def _block_name(site: SourceSite) -> str:
    """The variable of the block at the location: the location names it, releases it, or acquires it in a ``with``."""
    match site.node:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="push" | "pop")):
            return name
    match site.parents.get(site.node):
        case ast.withitem(optional_vars=ast.Name(id=name)):
            return name
    return ""


def _calls(function: ast.FunctionDef | None, name: str, method: str) -> list[ast.Call]:
    """The calls of a method of the variable ``name`` in a function."""
    return [
        node
        for node in (() if function is None else ast.walk(function))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == name
    ]


def _method(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method), args=[])):
            return method
    return None


class ReleaseAfterUse(PlacedRemedy):
    """Move the only earlier release of a block (``method``: ``pop`` or ``push``) to after the last use of the block."""

    method: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One removal, and one insertion."""
        statement = site.statement()
        block = None if statement is None else block_of(statement, site.parents)
        if block is None or statement is None or statement not in block:
            return ()
        used = _names(site.node)
        at = block.index(statement)
        releases = [
            (index, name) for index, item in enumerate(block[:at]) if (name := self._released(item)) in used
        ]
        if len(releases) != 1:
            return ()
        index, name = releases[0]
        later = [item for item in block[index + 1 :] if name in _names(item)]
        if any(_is_assigned(name, item) or self._released(item) == name for item in later):
            return ()  # the name stands for another block then
        removed = DropStatement().edits(site.other(block[index]))
        here = line_after(site, later[-1], f"{name}.{self.method}()")
        return (*removed, *here) if removed and here else ()

    def _released(self, statement: ast.stmt) -> str | None:
        """The variable of the block that a statement releases."""
        match statement:
            case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=self.method), args=[])):
                return name
        return None


class SumInLoop(PlacedRemedy):
    """Write ``blk += ...`` for ``blk.store(blk + ...)`` in a loop that does nothing else with the block.

    A sum written with ``+=`` begins with its first term.
    """

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement of a statement."""
        statement = site.statement()
        match statement:
            case ast.Expr(
                ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="store"),
                    args=[ast.BinOp(left=left, op=ast.Add(), right=right)],
                    keywords=[],
                )
            ):
                terms = [
                    term for term in (left, right) if not (isinstance(term, ast.Name) and term.id == name)
                ]
            case _:
                return ()
        term = site.text(terms[0]) if len(terms) == 1 else None
        scope = self._acquired_outside_of_a_loop(site, statement, name)
        if term is None or scope is None:
            return ()
        uses = [item for item in ast.walk(scope) if isinstance(item, ast.Name) and item.id == name]
        if len(uses) != 3:  # the acquiring call, and the two uses in the statement
            return ()
        return (Edit(span=site.span_of(statement), replacement=f"{name} += {term}"),)

    @staticmethod
    def _acquired_outside_of_a_loop(site: SourceSite, statement: ast.stmt, name: str) -> ast.With | None:
        """The ``with`` that acquires the block, if there is a loop between it and the statement."""
        looped = False
        node: ast.AST | None = site.parents.get(statement)
        while node is not None and not isinstance(node, ast.FunctionDef):
            looped = looped or isinstance(node, ast.For)
            if isinstance(node, ast.With):
                acquired = [item.optional_vars for item in node.items]
                if any(isinstance(item, ast.Name) and item.id == name for item in acquired):
                    return node if looped else None
            node = site.parents.get(node)
        return None


def _names(node: ast.AST) -> set[str]:
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}


def _is_assigned(name: str, node: ast.AST) -> bool:
    return any(
        isinstance(item, ast.Name) and item.id == name and isinstance(item.ctx, ast.Store)
        for item in ast.walk(node)
    )
