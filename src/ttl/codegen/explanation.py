"""What the compiler decided, by the lines of the program, for text, JSON and reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ttl.source import files

if TYPE_CHECKING:
    from ttl.codegen.compile import Remark

SCHEMA = 1
KIND = "explanation"


def by_place(remarks: Iterable[Remark]) -> Iterator[tuple[tuple[str, int], list[str]]]:
    """The remarks by file and line, each once; those about no line come last, with no file and line 0."""
    ordered = sorted(enumerate(remarks), key=lambda item: (*_order(item[1]), item[0]))
    for place, group in groupby(ordered, key=lambda item: _place(item[1])):
        yield place, list(dict.fromkeys(remark.text for _, remark in group))


def objects(remarks: Iterable[Remark]) -> Iterator[dict[str, Any]]:
    """The same for JSON: an object for each place. The schema is in docs/reference/command-line.md."""
    for (file, number), texts in by_place(remarks):
        yield {
            "schema": SCHEMA,
            "kind": KIND,
            "file": file or None,
            "line": number or None,
            "text": (files.line(file, number) or "").rstrip() if file else None,
            "remarks": texts,
        }


def _place(remark: Remark) -> tuple[str, int]:
    return ("", 0) if remark.span is None else (remark.span.file, remark.span.line)


def _order(remark: Remark) -> tuple[bool, str, int]:
    return (remark.span is None, *_place(remark))
