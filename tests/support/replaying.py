"""Replays of random typing: what is known after each edit is compared with a fresh check, and with what was known before."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from support.random_programs.typing import differences, edits, fresh
from ttl.service import hover
from ttl.service.actions import actions
from ttl.service.analysis import Analysis
from ttl.service.workspace import Workspace
from ttl.session.switches import Settings
from ttl.source.spans import Span


def every_edit(
    workspace: Workspace, path: str, text: str, random: Random, count: int, compared: float
) -> Iterator[str]:
    """Each text is analysed: what differs from a fresh check, of a part of them and of the last."""
    settings = workspace.settings
    workspace.open(path, text, 0)
    for version, changed in zip(range(1, count + 1), edits(text, random), strict=False):
        workspace.change(path, changed, version)
        analysis = workspace.analyse(path)
        if random.random() < compared or version == count:
            yield from differences(analysis, fresh(path, changed, settings))
    workspace.close(path)


def stale(workspace: Workspace, path: str, text: str, random: Random, count: int) -> Iterator[str]:
    """Half of the texts are analysed, all are asked about: what is known of a text that is not Python, or was not looked at yet, is
    what was found last, and lies in the text. The text of the last edit is analysed.
    """
    workspace.open(path, text, 0)
    good = workspace.analyse(path)
    for version, changed in zip(range(1, count + 1), edits(text, random), strict=False):
        workspace.change(path, changed, version)
        if random.random() < 0.5 or version == count:
            analysis = workspace.analyse(path)
            if analysis.problem is None:
                good = analysis
                if analysis.stale:
                    yield f"edit {version}: stale after an analysis"
            yield from (
                f"edit {version}: {line}"
                for line in differences(analysis, fresh(path, changed, workspace.settings))
            )
        known = workspace.latest(path)
        assert known is not None
        yield from (f"edit {version}: {line}" for line in _not_of(known, good))
        lines = known.text.lines
        line = random.randrange(len(lines)) + 1
        with workspace.reading():
            about = hover.hover(known, line, random.randint(1, len(lines[line - 1]) + 1))
        if about is not None and not _is_in(about.span, known):
            yield f"edit {version}: a hover at {about.span}, which is not in the text"
    workspace.close(path)


def versions(workspace: Workspace, path: str, text: str, random: Random, count: int) -> Iterator[str]:
    """The numbers that the client gives its texts repeat and go back: the last text holds, under its own number."""
    workspace.open(path, text, 0)
    for number, changed in zip(range(1, count + 1), edits(text, random), strict=False):
        version = random.choice((number, number, 0, number - 1, random.randint(-3, number)))
        workspace.change(path, changed, version)
        known = workspace.latest(path)
        if known is not None and known.version != version and known.text.text != changed:
            yield f"edit {number}: version {known.version} for {version}"
        analysis = workspace.analyse(path)
        if analysis.version != version:
            yield f"edit {number}: analysed as version {analysis.version}, which is {version}"
        if number % 4 == 0 or number == count:
            yield from differences(analysis, fresh(path, changed, workspace.settings))
    workspace.close(path)


def declared(program: Path) -> str | None:
    """A program with ``ttl.example`` for what it calls, and without its calls; None where nothing can be declared."""
    path, text = str(program), program.read_text(encoding="utf-8")
    workspace = Workspace(None, Settings())
    workspace.open(path, text, 0)
    analysis = workspace.analyse(path)
    with workspace.reading():
        offered = actions(analysis, 1, len(analysis.text.lines))
    lines = list(analysis.text.lines)
    body = ast.parse(text).body
    definitions = [at for at, statement in enumerate(body) if isinstance(statement, ast.FunctionDef)]
    if not definitions:
        return None
    last = body[definitions[-1]].end_lineno
    declarations = [edit for action in offered if "ttl.example" in action.title for edit in action.edits]
    for edit in sorted(declarations, key=lambda edit: edit.span.line, reverse=True):
        if last is not None and edit.span.line <= last:
            lines[edit.span.line - 1 : edit.span.line - 1] = edit.replacement.rstrip("\n").split("\n")
            last += edit.replacement.count("\n")
    return "\n".join(lines[:last]) + "\n" if declarations else None


def _not_of(known: Analysis, good: Analysis) -> Iterator[str]:
    """Findings of a text that was not looked at which are not those of the last one that was, or are not in the text."""
    if known.stale:
        before = Counter((finding.code, finding.message) for finding in good.findings)
        now = Counter((finding.code, finding.message) for finding in known.findings)
        yield from (f"found nowhere: {finding}" for finding in now - before)
        yield from (f"has a fix: {finding.code}" for finding in known.findings if finding.fix is not None)
    for finding in known.findings:
        if (
            finding.primary is not None
            and finding.primary.span.file == known.path
            and not _is_in(finding.primary.span, known)
        ):
            yield f"{finding.code} at {finding.primary.span}, which is not in the text"


def _is_in(span: Span, known: Analysis) -> bool:
    lines = known.text.lines
    return 0 < span.line <= len(lines) and 0 < span.column <= len(lines[span.line - 1]) + 1
