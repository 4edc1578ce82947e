"""Older spellings: accepted, with one note each that carries the fix (LANGUAGE.md, "Older spellings")."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ttl.diag import Edit, Fix, note
from ttl.diag.remedies import SameBlock
from ttl.diag.report import COLLECTOR, emit, first_time
from ttl.source.calls import call_at, parsed_file, span_of_node
from ttl.source.files import line
from ttl.source.spans import READING, Site, Span, span_of_site, user_site

# Rewrites a call: the new text for it, or None where it has not the form that can be rewritten.
Rewrite = Callable[[ast.Call], str | None]
# Repairs the place of a call in a file.
Rewriter = Callable[[str, ast.Call], tuple[Edit, ...]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something older is written: a site, or what is being read. What is at it is looked up when it is needed."""

    site: Site | None
    span: Span | None
    call: ast.Call | None

    def written(self) -> tuple[Span | None, ast.Call | None]:
        """The span, and the call that it is."""
        if self.site is None:
            return self.span, self.call
        return span_of_site(self.site), call_at(self.site)


def here() -> Place:
    """Where the user's code is. Cheap."""
    reading = READING.get()
    if reading is not None:
        return Place(None, reading.span, reading.call)
    return Place(user_site(), None, None)


def _first_time(code: str, place: Place) -> bool:
    """Whether this was not said of the place yet: a kernel comes to it many times, and a report costs more than a call."""
    if place.site is None or COLLECTOR.get() is not None:
        return True
    # By the code object itself and not by its value: equal functions in two files are two places.
    here, offset = place.site
    return first_time((code, id(here), offset), here)


def note_older(
    older: str,
    current_spelling: str,
    code: str,
    *,
    keyword: tuple[str, str] | None = None,
    function: str | None = None,
    name: tuple[str, str] | None = None,
    call: Rewrite | None = None,
    edit: Callable[[Span], Edit | None] | None = None,
    advice: str = "",
    place: Place | None = None,
) -> None:
    """Say, once per place, that a spelling is older and what the current one is.

    At most one of the rest says how to repair the place: rename a keyword of the call, replace the name of
    the called function, replace an attribute (``("kernel", "operation")``), rewrite the whole call, or make an
    edit of the place's own. Where none of it works ``advice`` is given. ``place``: here, unless another one is given.
    """
    place = here() if place is None else place
    if not _first_time(code, place):
        return
    span, written = place.written()
    made = None
    if span is not None:
        if edit is not None:
            made = edit(span)
        elif name is not None:
            made = _name_edit(span, *name)
        elif written is not None:
            made = _call_edit(span.file, written, keyword, function, call)
    finding = note(code, f"{older} is an older spelling of {current_spelling}").at(span)
    if made is None:
        finding = finding.helping(advice or f"write {current_spelling}")
    else:
        finding = finding.fixed_by(Fix(description=f"write {current_spelling}", edits=(made,)))
    emit(finding, once=True)


def note_needless(
    older: str, code: str, advice: str, *, dropped: tuple[str, ...] = (), fix: Rewriter | None = None
) -> None:
    """Say, once per place, that something older programs write is not needed any more.

    ``dropped`` are keyword arguments of the call, which the fix takes away; ``fix`` gives the edits of another one.
    """
    place = here()
    if not _first_time(code, place):
        return
    span, call = place.written()
    edits: tuple[Edit, ...] = ()
    if span is not None and call is not None:
        edits = _without(span.file, call, dropped) if fix is None else fix(span.file, call)
    finding = note(code, f"{older} is not needed any more", help=advice).at(span)
    if edits:
        finding = replace(finding, help=(), fix=Fix(description=advice, edits=edits))
    emit(finding, once=True)


def _without(file: str, call: ast.Call, names: tuple[str, ...]) -> tuple[Edit, ...]:
    """The edits that take keyword arguments away, with a comma each."""
    written: list[ast.expr | ast.keyword] = sorted(
        [*call.args, *call.keywords], key=lambda each: (each.lineno, each.col_offset)
    )
    kept = [each for each in written if not (isinstance(each, ast.keyword) and each.arg in names)]
    if len(kept) == len(written) or (not kept and isinstance(call.func, ast.Name)):
        return ()
    edits = []
    for position, each in enumerate(written):
        if each in kept:
            continue
        span = span_of_node(file, each)
        if any(before in kept for before in written[:position]):
            before = span_of_node(file, written[position - 1])
            span = replace(span, line=before.end_line, column=before.end_column)
        elif position + 1 < len(written):
            after = span_of_node(file, written[position + 1])
            span = replace(span, end_line=after.line, end_column=after.column)
        edits.append(Edit(span=span, replacement=""))
    return tuple(edits)


def _without_statement(file: str, call: ast.Call) -> tuple[Edit, ...]:
    """The edit that takes away the statement of a call, where others stand before it in its block."""
    parsed = parsed_file(file)
    for node in ast.walk(parsed[0]) if parsed is not None else ():
        for position, statement in enumerate(getattr(node, "body", None) or ()):
            if not isinstance(statement, ast.Return | ast.Expr) or not position:
                continue
            begin, end = (call.lineno, call.col_offset), (call.end_lineno or 0, call.end_col_offset or 0)
            first = (statement.lineno, statement.col_offset)
            last = (statement.end_lineno or 0, statement.end_col_offset or 0)
            if first <= begin and end <= last:
                return (
                    Edit(
                        span=Span(file=file, line=first[0], end_line=last[0] + 1, end_column=1),
                        replacement="",
                    ),
                )
    return ()


def _on_the_block(acquired: str) -> Callable[[Span], Edit | None]:
    """The edit that calls the method on the block, where the function has one of the buffer."""

    def edit(span: Span) -> Edit | None:
        fix = SameBlock(acquired=acquired).fix(span)
        return None if fix is None else fix.edits[0]

    return edit


def note_push_of_buffer() -> None:
    """The older ``dfb.push()``."""
    advice = "write blk = dfb.reserve() and later blk.push(), or use with dfb.reserve() as blk:"
    note_older(
        "push() of a dataflow buffer",
        "push() of the block",
        "TTL1204",
        edit=_on_the_block("reserve"),
        advice=advice,
    )


def note_pop_of_buffer() -> None:
    """The older ``dfb.pop()``."""
    advice = "write blk = dfb.wait() and later blk.pop(), or use with dfb.wait() as blk:"
    note_older(
        "pop() of a dataflow buffer",
        "pop() of the block",
        "TTL1212",
        edit=_on_the_block("wait"),
        advice=advice,
    )


def note_accumulating_store() -> None:
    """The older ``blk.store(x, acc=True)``."""
    note_older("store(x, acc=True)", "blk += x", "TTL1205", call=accumulation)


def note_current_core() -> None:
    """``pipe.has_current_core()``."""
    advice = "ask the net of the pipe: net.is_active(), or net.is_src() and net.is_dst()"
    note_older("has_current_core() of a pipe", "is_active() of its net", "TTL1218", advice=advice)


def note_program() -> None:
    """The older ``ttl.Program``, which does nothing."""
    note_needless(
        "ttl.Program", "TTL1209", "drop it: decorated kernels run by themselves", fix=_without_statement
    )


def _name_edit(span: Span, older: str, current: str) -> Edit | None:
    text = line(span.file, span.line)
    if text is None or span.line != span.end_line:
        return None
    start, end = span.column - 1, span.end_column - 1
    if not text[start:end].endswith(f".{older}"):
        return None
    place = Span(
        file=span.file,
        line=span.line,
        column=end - len(older) + 1,
        end_line=span.line,
        end_column=end + 1,
    )
    return Edit(span=place, replacement=current)


def _call_edit(
    file: str,
    found: ast.Call,
    keyword: tuple[str, str] | None,
    function: str | None,
    rewrite: Rewrite | None,
) -> Edit | None:
    if function is not None:
        return Edit(span=span_of_node(file, found.func), replacement=function)
    if rewrite is not None:
        text = rewrite(found)
        whole = span_of_node(file, found)
        return None if text is None else Edit(span=whole, replacement=_enclosed(text, whole))
    for given in found.keywords:
        if keyword is not None and given.arg == keyword[0]:
            start = span_of_node(file, given)
            end = start.column + len(keyword[0])
            place = Span(file=file, line=start.line, column=start.column, end_line=start.line, end_column=end)
            return Edit(span=place, replacement=keyword[1])
    return None


def _enclosed(text: str, span: Span) -> str:
    """What replaces a call, in parentheses where it is an operator's and the call is part of more than that."""
    tree = ast.parse(text, mode="eval").body if not text.count("+= ") else None
    first, last = line(span.file, span.line), line(span.file, span.end_line)
    if not isinstance(tree, ast.BinOp | ast.UnaryOp) or first is None or last is None:
        return text
    before, after = first[: span.column - 1].rstrip(), last[span.end_column - 1 :].lstrip()
    begins = not before or before.endswith(("(", "[", ",", "=", "return", "lambda:"))
    ends = not after or after.startswith((")", "]", ",", "#", "\n", "\r", ";", "if "))
    return text if begins and ends else f"({text})"


def accumulation(call: ast.Call) -> str | None:
    """``blk.store(x, acc=True)`` as ``blk += x``."""
    if not isinstance(call.func, ast.Attribute) or len(call.args) != 1:
        return None
    return f"{ast.unparse(call.func.value)} += {ast.unparse(call.args[0])}"


def note_compiler_arguments(names: tuple[str, ...]) -> None:
    """``options="--..."``, ``math_fidelity=`` and the like, for the compiler: at an operation or at its call."""
    note_needless(
        f"{', '.join(f'{name}=' for name in names)} of an operation",
        "TTL1203",
        "drop it, unless the chip is to do as it says: the compiler chooses from the types and shapes",
        dropped=names,
    )


def note_print_options(names: tuple[str, ...]) -> None:
    """``print(..., thread=, _dump_dst_registers=)``."""
    given = ", ".join(f"{name}=" for name in names)
    note_needless(
        f"{given} of print", "TTL1216", "drop it: a print shows what its own kernel sees", dropped=names
    )


def older_name(name: str) -> Any:
    """What an older name of the module ``ttl`` stands for, with its note; None for any other name."""
    import ttl
    from ttl.lang import buffer, grid, older_functions, operation, program

    match name:
        case "kernel":
            note_older("ttl.kernel", "ttl.operation", "TTL1206", name=("kernel", "operation"))
            return operation.operation
        case "core":
            note_older("ttl.core", "ttl.node", "TTL1207", name=("core", "node"))
            return grid.node
        case "make_circular_buffer_like":
            current = "make_dataflow_buffer_like"
            note_older(f"ttl.{name}", f"ttl.{current}", "TTL1208", name=(name, current))
            return buffer.make_dataflow_buffer_like
        case "CircularBuffer":
            note_older(f"ttl.{name}", "ttl.DataflowBuffer", "TTL1208", name=(name, "DataflowBuffer"))
            return buffer.DataflowBuffer
        case "Program":
            return program.Program
        case "ttl":
            note_older("from ttl import ttl", "import ttl", "TTL1215", edit=_whole_import)
            return ttl
        case _:
            return older_functions.free_function(name)


def _whole_import(span: Span) -> Edit | None:
    """``from ttl import ttl`` as ``import ttl``; nothing where it imports more, or where it is an attribute."""
    parsed = parsed_file(span.file)
    for node in ast.walk(parsed[0]) if parsed is not None else ():
        if isinstance(node, ast.ImportFrom) and node.lineno <= span.line <= (node.end_lineno or node.lineno):
            match node.names:
                case [ast.alias(name="ttl", asname=known)]:
                    text = "import ttl" if known in (None, "ttl") else f"import ttl as {known}"
                    return Edit(span=span_of_node(span.file, node), replacement=text)
    return None
