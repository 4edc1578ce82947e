"""Older spellings: accepted, each with one note that carries the fix (LANGUAGE.md, "Older spellings")."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from ttl.diag import Edit, Fix, note
from ttl.diag.remedies import DropArguments, PlacedRemedy, Rename, SameBlock
from ttl.diag.remedies.site import SourceSite, block_of, removal
from ttl.diag.report import COLLECTOR, emit, first_time
from ttl.source.calls import call_at
from ttl.source.files import line
from ttl.source.parsing import parse_expression
from ttl.source.spans import READING, Site, Span, span_of_site, user_site
from ttl.source.trees import source_file


@dataclass(frozen=True, slots=True)
class DeprecatedPlace:
    """The location of an older spelling: a site, or the location being read. The source is looked up when needed."""

    site: Site | None
    span: Span | None
    call: ast.Call | None

    def written(self) -> tuple[Span | None, ast.Call | None]:
        """Return the span, and the call at it."""
        if self.site is None:
            return self.span, self.call
        return span_of_site(self.site), call_at(self.site)

    def repaired(self, remedy: PlacedRemedy) -> tuple[Edit, ...]:
        """Return the edits of a remedy for the call, or for another construct at this place."""
        span, call = self.written()
        file = None if span is None else source_file(span.file)
        if span is None or file is None:
            return ()
        edits = () if call is None else remedy.edits(SourceSite(file.extent(call), call, file))
        fix = None if edits else remedy.fix(span)
        return edits if fix is None else fix.edits


def here() -> DeprecatedPlace:
    """Return the location of the user's code. This is cheap."""
    reading = READING.get()
    if reading is not None:
        return DeprecatedPlace(None, reading.span, reading.call)
    return DeprecatedPlace(user_site(), None, None)


def _first_time(code: str, place: DeprecatedPlace) -> bool:
    """Return whether this is the first note at the place: a kernel comes to it many times, and a report costs more than a call."""
    if place.site is None or COLLECTOR.get() is not None:
        return True
    # The key is the identity of the code object: equal functions in two files are different places.
    here, offset = place.site
    return first_time((code, id(here), offset), here)


def note_older(
    older: str,
    current_spelling: str,
    code: str,
    remedy: PlacedRemedy | None = None,
    *,
    advice: str = "",
    place: DeprecatedPlace | None = None,
) -> None:
    """Report, once per location, that a spelling is older, and name the current one.

    ``remedy`` repairs the source; ``advice`` is given if it does not apply. ``place``: by default the current one.
    """
    written = f"write {current_spelling}"
    _say(
        f"{older} is an older spelling of {current_spelling}", code, remedy, written, advice or written, place
    )


def note_needless(older: str, code: str, advice: str, remedy: PlacedRemedy) -> None:
    """Report, once per location, that a construct of older programs is not needed any more; ``remedy`` removes it."""
    _say(f"{older} is not needed any more", code, remedy, advice, advice, None)


def _say(
    message: str,
    code: str,
    remedy: PlacedRemedy | None,
    repair: str,
    advice: str,
    place: DeprecatedPlace | None,
) -> None:
    place = here() if place is None else place
    if not _first_time(code, place):
        return
    finding = note(code, message).at(place.written()[0])
    edits = () if remedy is None else place.repaired(remedy)
    finding = finding.fixed_by(Fix(description=repair, edits=edits)) if edits else finding.helping(advice)
    emit(finding, once=True)


def note_push_of_buffer() -> None:
    """Report the older ``dfb.push()``."""
    advice = "write blk = dfb.reserve() and later blk.push(), or use with dfb.reserve() as blk:"
    note_older(
        "push() of a dataflow buffer",
        "push() of the block",
        "TTL1204",
        SameBlock(acquired="reserve"),
        advice=advice,
    )


def note_pop_of_buffer() -> None:
    """Report the older ``dfb.pop()``."""
    advice = "write blk = dfb.wait() and later blk.pop(), or use with dfb.wait() as blk:"
    note_older(
        "pop() of a dataflow buffer",
        "pop() of the block",
        "TTL1212",
        SameBlock(acquired="wait"),
        advice=advice,
    )


def note_accumulating_store() -> None:
    """Report the older ``blk.store(x, acc=True)``."""
    note_older("store(x, acc=True)", "blk += x", "TTL1205", RewrittenCall(rewrite=accumulation))


def note_current_core() -> None:
    """Report ``pipe.has_current_core()``."""
    advice = "ask the net of the pipe: net.is_active(), or net.is_src() and net.is_dst()"
    note_older("has_current_core() of a pipe", "is_active() of its net", "TTL1218", advice=advice)


def note_pipe_end(older: str, current: str, code: str, *, is_same: bool = True) -> None:
    """Report ``pipe.src_core``, ``pipe.dst_core`` and ``pipe.dst_core_range``.

    ``is_same``: whether the current spelling has the same value.
    """
    remedy = Rename(older=older, current=current) if is_same else None
    advice = f"write pipe.{current}, which is a node or a range of nodes; the older pipe.{older} is None for the other kind"
    note_older(f"{older} of a pipe", current, code, remedy, advice=advice)


def note_program() -> None:
    """Report the older ``ttl.Program``, which has no effect."""
    note_needless("ttl.Program", "TTL1209", "remove it: decorated kernels run automatically", DropCall())


class RewrittenCall(PlacedRemedy):
    """Replace the call by the text that ``rewrite`` returns for it, unless that is None."""

    rewrite: Callable[[ast.Call], str | None]

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement."""
        text = self.rewrite(site.node) if isinstance(site.node, ast.Call) else None
        return () if text is None else (Edit(span=site.span, replacement=_enclosed(text, site.span)),)


class DropCall(PlacedRemedy):
    """Remove the statement of a call whose result is unused, unless it is the first statement of its block."""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One removal of lines."""
        statement = site.statement()
        block = None if statement is None else block_of(statement, site.parents)
        if not isinstance(statement, ast.Return | ast.Expr) or block is None or block[0] is statement:
            return ()
        last = statement.end_lineno or statement.lineno
        return (removal(site.span.file, (statement.lineno, 1), (last + 1, 1)),)


def _enclosed(text: str, span: Span) -> str:
    """Return the text that replaces a call, in parentheses if it has an operator and the call is an operand."""
    tree = parse_expression(text) if not text.count("+= ") else None
    first, last = line(span.file, span.line), line(span.file, span.end_line)
    if not isinstance(tree, ast.BinOp | ast.UnaryOp) or first is None or last is None:
        return text
    before, after = first[: span.column - 1].rstrip(), last[span.end_column - 1 :].lstrip()
    begins = not before or before.endswith(("(", "[", ",", "=", "return", "lambda:"))
    ends = not after or after.startswith((")", "]", ",", "#", "\n", "\r", ";", "if "))
    return text if begins and ends else f"({text})"


def accumulation(call: ast.Call) -> str | None:
    """The text ``blk += x`` for the call ``blk.store(x, acc=True)``."""
    if not isinstance(call.func, ast.Attribute) or len(call.args) != 1:
        return None
    return f"{ast.unparse(call.func.value)} += {ast.unparse(call.args[0])}"


def note_compiler_arguments(
    names: tuple[str, ...],
    advice: str = "remove it, unless the chip must follow it: the compiler chooses by types and shapes",
) -> None:
    """Report arguments for the compiler, such as ``options=`` and ``math_fidelity=``, of an operation or a call."""
    note_needless(
        f"{', '.join(f'{name}=' for name in names)} of an operation",
        "TTL1203",
        advice,
        DropArguments(names=names),
    )


def note_print_options(names: tuple[str, ...]) -> None:
    """Report ``print(..., thread=, _dump_dst_registers=)``."""
    given = ", ".join(f"{name}=" for name in names)
    note_needless(
        f"{given} of print",
        "TTL1216",
        "remove it: a print shows the values of its own kernel",
        DropArguments(names=names),
    )
