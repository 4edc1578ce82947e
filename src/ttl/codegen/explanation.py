"""The compiler's decisions by the lines of the program, for text, JSON and reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from ttl.codegen.compile import Remark
from ttl.source import files

if TYPE_CHECKING:
    from ttl.passes.choices import ChoicePoint

    RemarkOrChoice: TypeAlias = Remark | ChoicePoint

SCHEMA = 1
KIND = "explanation"


def by_place(
    remarks: Iterable[RemarkOrChoice],
) -> Iterator[tuple[tuple[str, int], list[str], list[ChoicePoint]]]:
    """The remarks and choices by file and line, each once; those without a line come last, with no file and line 0."""
    ordered = sorted(enumerate(remarks), key=lambda item: (*_order(item[1]), item[0]))
    for place, group in groupby(ordered, key=lambda item: _place(item[1])):
        items = dict.fromkeys(item for _, item in group)
        points = [item for item in items if not isinstance(item, Remark)]
        texts = dict.fromkeys(item.text for item in items if isinstance(item, Remark))
        yield place, list(texts), points


def objects(remarks: Iterable[RemarkOrChoice]) -> Iterator[dict[str, Any]]:
    """Yield one JSON object for each place. The schema is in docs/reference/command-line.md."""
    for (file, number), texts, points in by_place(remarks):
        yield {
            "schema": SCHEMA,
            "kind": KIND,
            "file": file or None,
            "line": number or None,
            "text": (files.line(file, number) or "").rstrip() if file else None,
            "remarks": texts,
            "choices": [
                {
                    "option": point.name,
                    "chosen": point.chosen,
                    "legal": list(point.legal),
                    "exact": point.exact,
                    "why": point.why,
                }
                for point in points
            ],
        }


def _place(remark: RemarkOrChoice) -> tuple[str, int]:
    return ("", 0) if remark.span is None else (remark.span.file, remark.span.line)


def _order(remark: RemarkOrChoice) -> tuple[bool, str, int]:
    return (remark.span is None, *_place(remark))
