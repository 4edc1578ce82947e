"""Older spellings: accepted, with one note each that carries the fix (LANGUAGE.md, "Older spellings")."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ttl.diag import Edit, Fix, note
from ttl.diag.report import emit
from ttl.source.calls import call_at, span_of_node
from ttl.source.files import line
from ttl.source.spans import READING, Span, span_of_site, user_site, user_span


def note_older(
    older: str,
    current_spelling: str,
    code: str,
    *,
    keyword: tuple[str, str] | None = None,
    function: str | None = None,
    name: tuple[str, str] | None = None,
    call: Callable[[ast.Call], str | None] | None = None,
    advice: str = "",
) -> None:
    """Say, once per place, that a spelling is older and what the current one is.

    At most one of the rest says how to repair the place: rename a keyword of the call, replace the name of
    the called function, replace an attribute (``("kernel", "operation")``), or rewrite the whole call. Where
    none of it works ``advice`` is given.
    """
    span, written = _place()
    edit = None
    if span is not None:
        if name is not None:
            edit = _name_edit(span, *name)
        elif written is not None:
            edit = _call_edit(span.file, written, keyword, function, call)
    finding = note(code, f"{older} is an older spelling of {current_spelling}").at(span)
    if edit is None:
        finding = finding.helping(advice or f"write {current_spelling}")
    else:
        finding = finding.fixed_by(Fix(description=f"write {current_spelling}", edits=(edit,)))
    emit(finding, once=True)


def note_needless(older: str, code: str, advice: str) -> None:
    """Say, once per place, that something older programs write is not needed any more."""
    emit(note(code, f"{older} is not needed any more", help=advice).at(user_span()), once=True)


def note_push_of_buffer() -> None:
    """The older ``dfb.push()``."""
    advice = "write blk = dfb.reserve() and later blk.push(), or use with dfb.reserve() as blk:"
    note_older("push() of a dataflow buffer", "push() of the block", "TTL1204", advice=advice)


def note_pop_of_buffer() -> None:
    """The older ``dfb.pop()``."""
    advice = "write blk = dfb.wait() and later blk.pop(), or use with dfb.wait() as blk:"
    note_older("pop() of a dataflow buffer", "pop() of the block", "TTL1212", advice=advice)


def note_accumulating_store() -> None:
    """The older ``blk.store(x, acc=True)``."""
    note_older("store(x, acc=True)", "blk += x", "TTL1205", call=accumulation)


def note_program() -> None:
    """The older ``ttl.Program``, which does nothing."""
    note_needless("ttl.Program", "TTL1209", "drop it: decorated kernels run by themselves")


def _place() -> tuple[Span | None, ast.Call | None]:
    """Where the user's code is, and the call it is at."""
    reading = READING.get()
    if reading is not None:
        return reading.span, reading.call
    site = user_site()
    return (None, None) if site is None else (span_of_site(site), call_at(site))


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
    rewrite: Callable[[ast.Call], str | None] | None,
) -> Edit | None:
    if function is not None:
        return Edit(span=span_of_node(file, found.func), replacement=function)
    if rewrite is not None:
        text = rewrite(found)
        return None if text is None else Edit(span=span_of_node(file, found), replacement=text)
    for given in found.keywords:
        if keyword is not None and given.arg == keyword[0]:
            start = span_of_node(file, given)
            end = start.column + len(keyword[0])
            place = Span(file=file, line=start.line, column=start.column, end_line=start.line, end_column=end)
            return Edit(span=place, replacement=keyword[1])
    return None


def accumulation(call: ast.Call) -> str | None:
    """``blk.store(x, acc=True)`` as ``blk += x``."""
    if not isinstance(call.func, ast.Attribute) or len(call.args) != 1:
        return None
    return f"{ast.unparse(call.func.value)} += {ast.unparse(call.args[0])}"


def older_name(name: str) -> Any:
    """What an older name of the module ``ttl`` stands for, with its note; None for any other name."""
    from ttl.lang import buffer, functions, grid, operation, program

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
        case "Program":
            return program.Program
        case _:
            return functions.free_function(name)
