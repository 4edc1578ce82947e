"""Remedies that change an expression."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ttl.diag.model import Edit
from ttl.diag.remedies.site import PlacedRemedy, SourceSite, insertion, operands_of, removal, within
from ttl.source.files import line
from ttl.source.spans import Span

_PLACES = re.compile(r"\{\d+\}")


class Wrap(PlacedRemedy):
    """Replace the expression, or one operand of it, by ``template`` with its text for ``{}``."""

    template: str
    operand: int | None = None

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        operands = operands_of(site.node)
        if self.operand is not None and self.operand >= len(operands):
            return ()
        node = site.node if self.operand is None else operands[self.operand]
        text = site.text(node) if isinstance(node, ast.expr) else None
        if text is None or not isinstance(node, ast.expr) or isinstance(node, ast.Starred):
            return ()
        return (Edit(span=site.span_of(node), replacement=self.template.replace("{}", text)),)


class Rewrite(PlacedRemedy):
    """Replace the expression by ``template``, with the texts of its operands for ``{0}``, ``{1}``, ...

    ``{function}`` is the function of a call, ``{object}`` the object whose method is called. ``slices``: the operands
    must be written as slices, ``x[...]``.
    """

    template: str
    slices: bool = False

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        if self.slices and not all(isinstance(operand, ast.Subscript) for operand in operands_of(site.node)):
            return ()
        texts = [site.text(operand) for operand in operands_of(site.node)]
        wanted = len(set(_PLACES.findall(self.template)))
        if not isinstance(site.node, ast.expr) or wanted > len(texts) or None in texts:
            return ()
        names: dict[str, str] = {}
        if isinstance(site.node, ast.Call):
            names["function"] = ast.unparse(site.node.func)
            if isinstance(site.node.func, ast.Attribute):
                names["object"] = ast.unparse(site.node.func.value)
        if any(f"{{{name}}}" in self.template for name in ("function", "object") if name not in names):
            return ()
        return (Edit(span=site.span, replacement=self.template.format(*texts, **names)),)


class Rename(PlacedRemedy):
    """Write ``current`` for ``older``, a name, attribute, keyword or text that the expression contains once."""

    older: str
    current: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement, if the name occurs once."""
        places = list(dict.fromkeys(_mentions(site, self.older)))
        if len(places) != 1:
            return ()
        return (Edit(span=places[0], replacement=self.current),)


class Mention(PlacedRemedy):
    """Write ``current`` for the one expression inside this expression that reads ``older``: ``torch.bfloat16``, say."""

    older: str
    current: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement, if the expression occurs once."""
        expressions = [
            node
            for node in ast.walk(site.node)
            if isinstance(node, ast.expr) and ast.unparse(node) == self.older
        ]
        return (
            (Edit(span=site.span_of(expressions[0]), replacement=self.current),)
            if len(expressions) == 1
            else ()
        )


class Append(PlacedRemedy):
    """Write ``text`` directly after the expression: ``.wait()``, say."""

    text: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One insertion."""
        if not isinstance(site.node, ast.expr):
            return ()
        end = site.span_of(site.node)
        return (insertion(end.file, end.end_line, end.end_column, self.text),)


class WholeDivision(PlacedRemedy):
    """Write ``//`` for the only ``/`` in the expression."""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        expressions = [
            node
            for node in ast.walk(site.node)
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        ]
        if len(expressions) != 1:
            return ()
        left, right = site.text(expressions[0].left), site.text(expressions[0].right)
        if left is None or right is None:
            return ()
        between = (site.span_of(expressions[0].left), site.span_of(expressions[0].right))
        written = line(site.span.file, between[0].end_line)
        if written is None or between[0].end_line != between[1].line:
            return ()
        start, end = between[0].end_column - 1, between[1].column - 1
        if written[start:end].count("/") != 1:
            return ()
        at = start + written[start:end].index("/") + 1
        here = Span(
            file=site.span.file,
            line=between[1].line,
            column=at,
            end_line=between[1].line,
            end_column=at + 1,
        )
        return (Edit(span=here, replacement="//"),)


class RoundedUp(PlacedRemedy):
    """Round up the only integer division in the expression: ``-(-n // 64)`` for ``n // 64``."""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        expressions = [
            node
            for node in ast.walk(site.node)
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)
        ]
        texts = [site.text(part) for node in expressions for part in (node.left, node.right)]
        if len(expressions) != 1 or None in texts:
            return ()
        simple = isinstance(expressions[0].left, ast.Name | ast.Constant | ast.Attribute | ast.Subscript)
        dividend = f"-{texts[0]}" if simple else f"-({texts[0]})"
        return (Edit(span=site.span_of(expressions[0]), replacement=f"-({dividend} // {texts[1]})"),)


class Index(PlacedRemedy):
    """Write ``value`` as the index of dimension ``axis``."""

    axis: int
    value: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        entry = _entry(site.node, self.axis)
        if entry is None or isinstance(entry, ast.Slice | ast.Starred):
            return ()
        return (Edit(span=site.span_of(entry), replacement=self.value),)


class IndexAsSlice(PlacedRemedy):
    """Write the index ``i`` of dimension ``axis`` as the slice ``i:i + 1``."""

    axis: int

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        match _entry(site.node, self.axis):
            case ast.Constant(value=int(number)):
                return Index(axis=self.axis, value=f"{number}:{number + 1}").edits(site)
            case ast.Name(id=name):
                return Index(axis=self.axis, value=f"{name} : {name} + 1").edits(site)
        return ()


def _entry(node: ast.AST, axis: int) -> ast.expr | None:
    """Return the expression for a dimension in the index of a subscription; None for a shorter index."""
    if not isinstance(node, ast.Subscript):
        return None
    entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return entries[axis] if axis < len(entries) else None


class RemoveDuplicates(PlacedRemedy):
    """Remove repeated items from the lists in the expression."""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One removal for each repeated item."""
        lists = [node for node in ast.walk(site.node) if isinstance(node, ast.List)]
        removals = []
        for elements in (list_.elts for list_ in lists):
            seen: set[str] = set()
            for before, element in zip([None, *elements], elements):
                text = ast.unparse(element)
                if text in seen and before is not None:
                    kept, gone = site.span_of(before), site.span_of(element)
                    start = (kept.end_line, kept.end_column)
                    removals.append(removal(gone.file, start, (gone.end_line, gone.end_column)))
                seen.add(text)
        return tuple(removals)


class MethodAsFunction(PlacedRemedy):
    """Call ``function`` with the object whose property, or method without arguments, is at the location."""

    function: str

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        if not isinstance(site.node, ast.Attribute):
            return ()
        parent, text = site.parents.get(site.node), site.text(site.node.value)
        if text is None:
            return ()
        if not isinstance(parent, ast.Call) or parent.func is not site.node:
            return (Edit(span=site.span, replacement=f"{self.function}({text})"),)
        if parent.args or parent.keywords:
            return ()
        return (Edit(span=site.span_of(parent), replacement=f"{self.function}({text})"),)


class InTiles(PlacedRemedy):
    """Divide the constants of the index or slice of dimension ``axis`` by the extent of a tile."""

    axis: int
    extent: int

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement for each constant except 0, if all bounds are integer constants and divisible."""
        if not isinstance(site.node, ast.Subscript):
            return ()
        entries = site.node.slice.elts if isinstance(site.node.slice, ast.Tuple) else [site.node.slice]
        entry = entries[self.axis] if self.axis < len(entries) else None
        bounds = [entry.lower, entry.upper] if isinstance(entry, ast.Slice) else [entry]
        numbers = [bound for bound in bounds if isinstance(bound, ast.Constant) and type(bound.value) is int]
        if len(numbers) < sum(bound is not None for bound in bounds):
            return ()
        values = [number.value for number in numbers if isinstance(number.value, int)]
        if any(value % self.extent for value in values):
            return ()
        return tuple(
            Edit(span=site.span_of(number), replacement=str(value // self.extent))
            for number, value in zip(numbers, values, strict=True)
            if value
        )


class CombinedRemedy(PlacedRemedy):
    """Several changes of the same expression that only work together."""

    remedies: tuple[PlacedRemedy, ...]

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """The edits of all remedies; none if one of them does not apply."""
        item = [remedy.edits(site) for remedy in self.remedies]
        return tuple(edit for edits in item for edit in edits) if all(item) else ()


def _mentions(site: SourceSite, name: str) -> Iterator[Span]:
    file = site.span.file
    for node in ast.walk(site.node):
        match node:
            case ast.Name(id=result) if result == name:
                yield site.span_of(node)
            case ast.Attribute(attr=result) if result == name:
                end = site.span_of(node)
                if end.end_column > len(name):
                    start = end.end_column - len(name)
                    yield within(file, end.end_line, start, end.end_column)
            case ast.keyword(arg=result) if result == name:
                start_of = site.span_of(node)
                end_column = start_of.column + len(name)
                yield within(file, start_of.line, start_of.column, end_column)
            case ast.Constant(value=str() as result) if result == name:
                whole = site.span_of(node)
                yield Span(
                    file=file,
                    line=whole.line,
                    column=whole.column + 1,
                    end_line=whole.end_line,
                    end_column=whole.end_column - 1,
                )
