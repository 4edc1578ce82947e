"""The fixes of findings as edits of the text: the fix of one finding, all fixes of a code, or all fixes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ttl.diag import Diagnostic, fixes
from ttl.diag.fixes import SourceText
from ttl.diag.model import Edit, Fix
from ttl.service.analysis import Analysis
from ttl.service.moves import change_between
from ttl.session import FileText
from ttl.source.spans import Span

_MEANT = re.compile(r"did you mean (.+)\?")


@dataclass(frozen=True, kw_only=True, slots=True)
class QuickFix:
    """A fix that is offered for a finding."""

    title: str
    finding: Diagnostic
    edits: tuple[Edit, ...]


def quick_fixes(analysis: Analysis, first: int, last: int) -> Iterator[QuickFix]:
    """The fixes of the findings on some lines; none if the analysis is stale, as its fixes are for another text."""
    if analysis.stale:
        return
    for finding in analysis.findings:
        if finding.fix is None or not finding.fix.edits or finding.primary is None:
            continue
        span = finding.primary.span
        if span.file == analysis.path and span.line <= last and first <= max(span.end_line, span.line):
            yield QuickFix(title=_title(finding), finding=finding, edits=finding.fix.edits)


def fixable_codes(analysis: Analysis, codes: Iterable[str]) -> tuple[str, ...]:
    """Return those of ``codes`` for which more than one finding of the file has a fix."""
    have = [finding.code for finding in _with_fix(analysis)]
    return tuple(code for code in dict.fromkeys(codes) if have.count(code) > 1)


def fix_all(analysis: Analysis, code: str | None = None) -> tuple[Edit, ...]:
    """The edit that applies all compatible fixes of a code (None: of all), as ``ttl check --fix`` does in one round.

    Empty if no fix can be applied, or if the text would not be Python any more.
    """
    wanted = [finding for finding in _with_fix(analysis) if code is None or finding.code == code]
    text = analysis.text.text
    source = SourceText(
        path=analysis.path, text=text, encoding="utf-8", content=text.encode(errors="surrogatepass")
    )
    try:
        after, count = fixes.apply(source, fixes.fixes_of(wanted, analysis.path))
    except UnicodeEncodeError:
        return ()
    return _between(analysis, after.text) if count else ()


def _with_fix(analysis: Analysis) -> list[Diagnostic]:
    return [] if analysis.stale else [item for item in analysis.findings if item.fix is not None]


def _title(finding: Diagnostic) -> str:
    assert finding.fix is not None
    return title(finding.fix) or title_of(finding.help[0] if finding.help else finding.message)


def title(fix: Fix) -> str:
    """Return the title of a fix, as an editor offers it."""
    return title_of(fix.description)


def title_of(text: str) -> str:
    """A piece of advice as the title of a fix: "did you mean rows?" becomes "Write rows"."""
    meant = _MEANT.fullmatch(text)
    text = text if meant is None else f"write {meant[1]}"
    return f"{text[:1].upper()}{text[1:]}"


def _between(analysis: Analysis, after: str) -> tuple[Edit, ...]:
    """The one edit that turns the analysed text into ``after``."""
    old, new = analysis.text, FileText(after)
    change = change_between(old, new)
    span = Span(
        file=analysis.path,
        line=change.start[0],
        column=change.start[1],
        end_line=change.before[0],
        end_column=change.before[1],
    )
    return (Edit(span=span, replacement=_text_between(new, change.start, change.after)),)


def _text_between(text: FileText, begin: tuple[int, int], end: tuple[int, int]) -> str:
    lines = [*text.lines[begin[0] - 1 : end[0]], *([""] if end[0] > len(text.lines) else [])]
    lines[-1] = lines[-1][: end[1] - 1]
    lines[0] = lines[0][begin[1] - 1 :]
    return "\n".join(lines)
