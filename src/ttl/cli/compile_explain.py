"""What ``ttl compile --explain`` says: the decisions of the compiler under the lines of the program they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from ttl.diag import Severity
from ttl.diag.paint import Painter
from ttl.source import files

if TYPE_CHECKING:
    from ttl.codegen.compile import Remark


def explanation(remarks: Iterable[Remark], *, color: bool) -> str:
    """The remarks by file and line, each once; those about no line come last."""
    paint = Painter(color, Severity.NOTE)
    lines = [line for place, texts in _grouped(remarks) for line in _section(place, texts, paint)]
    return "".join(f"{line}\n" for line in lines) or "nothing to explain: no operation was compiled\n"


def _grouped(remarks: Iterable[Remark]) -> Iterator[tuple[tuple[str, int], list[str]]]:
    ordered = sorted(enumerate(remarks), key=lambda each: (*_order(each[1]), each[0]))
    for place, group in groupby(ordered, key=lambda each: _place(each[1])):
        yield place, list(dict.fromkeys(remark.text for _, remark in group))


def _place(remark: Remark) -> tuple[str, int]:
    return ("", 0) if remark.span is None else (remark.span.file, remark.span.line)


def _order(remark: Remark) -> tuple[bool, str, int]:
    return (remark.span is None, *_place(remark))


def _section(place: tuple[str, int], texts: list[str], paint: Painter) -> Iterator[str]:
    file, number = place
    if file:
        yield paint.frame(f"{files.display_name(file)}:{number}: ") + (files.line(file, number) or "").strip()
    else:
        yield paint.frame("the operation as a whole:")
    for text in texts:
        yield f"  - {text}"
