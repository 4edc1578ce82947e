"""``--verify-diagnostics``: comments in the text name the expected reports; any other report is an error.

``// expected-error@+1 {{part of the message}}``; ``warning`` and ``note`` likewise; ``@-1``, ``@above``, ``@below`` and
``@unknown``; ``expected-error-re`` for a message with regular expressions in ``{{...}}`` inside the braces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ttl.ir.reports import Report
from ttl.source.spans import Span

_COMMENT = re.compile(
    r"expected-(error|warning|note)(-re)?\s*(?:@([+-]\d+|above|below|unknown))?\s*"
    r"\{\{((?:[^{}]|\{(?!\{)|\}(?!\})|\{\{.*?\}\})*)\}\}"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Expectation:
    """An expected report. ``line`` is None for a report without a place in the file."""

    severity: str
    line: int | None
    pattern: re.Pattern[str]
    text: str
    written: Span

    def meets(self, report: Report, file: str) -> bool:
        """Return whether a report is the expected one."""
        here = report.span.line if report.span is not None and report.span.file == file else None
        return (
            report.severity == self.severity
            and here == self.line
            and self.pattern.search(report.message) is not None
        )


def expectations(lines: Sequence[str], file: str, first_line: int) -> Iterator[Expectation]:
    """Yield the reports that the comments of a text expect."""
    for index, text in enumerate(lines):
        comment = text.find("//")
        if comment < 0:
            continue
        for comment_match in _COMMENT.finditer(text, comment):
            number = first_line + index
            yield Expectation(
                severity=comment_match[1],
                line=_line(comment_match[3], index, lines, first_line),
                pattern=re.compile(
                    _pattern(comment_match[4]) if comment_match[2] else re.escape(comment_match[4])
                ),
                text=comment_match[4],
                written=Span(file=file, line=number, column=comment_match.start() + 1),
            )


def _line(where: str | None, index: int, lines: Sequence[str], first_line: int) -> int | None:
    match where:
        case None:
            return first_line + index
        case "unknown":
            return None
        case "above" | "below":
            step = -1 if where == "above" else 1
            at = index + step
            while 0 <= at < len(lines) and _COMMENT.search(lines[at]) and lines[at].lstrip().startswith("//"):
                at += step
            return first_line + at
        case _:
            return first_line + index + int(where)


def _pattern(text: str) -> str:
    parts = re.split(r"\{\{(.*?)\}\}", text)
    return "".join(part if index % 2 else re.escape(part) for index, part in enumerate(parts))


def compare(reports: Sequence[Report], wanted: Sequence[Expectation], file: str) -> list[Report]:
    """Return the differences: unexpected reports, and expectations that were not met. Unexpected notes are allowed."""
    open_ = list(wanted)
    wrong: list[Report] = []
    for report in (single for top in reports for single in (top, *top.notes)):
        met = next((expectation for expectation in open_ if expectation.meets(report, file)), None)
        if met is not None:
            open_.remove(met)
        elif report.severity != "note":
            wrong.append(Report(message=f"unexpected {report.severity}: {report.message}", span=report.span))
    wrong += [
        Report(
            message=f'expected {expectation.severity} "{expectation.text}" was not produced',
            span=expectation.written,
        )
        for expectation in open_
    ]
    return wrong
