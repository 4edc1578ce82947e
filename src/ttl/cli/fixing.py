"""Applying fixes to the files of ``ttl check``: in several rounds, since one fix may uncover the next."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ttl.check.file import FileReport
from ttl.cli.options import UsageError
from ttl.cli.program import unwritable
from ttl.diag import Diagnostic, edits, fixes
from ttl.diag.fixes import SourceText
from ttl.session import SOURCES
from ttl.source.files import display_name

# The number of rounds: fixes that keep requiring each other are not followed further.
_ROUNDS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedFile:
    """The text of one file before and after fixes."""

    before: SourceText
    after: SourceText
    fixes: int

    @property
    def path(self) -> str:
        """The absolute path of the file."""
        return self.before.path

    def diff(self, *, color: bool = False) -> str:
        """The change as a unified diff."""
        return edits.unified(display_name(self.path), self.before.text, self.after.text, color=color)


def repaired(
    paths: Sequence[str], check: Callable[[], list[FileReport]]
) -> tuple[list[FileReport], tuple[ChangedFile, ...]]:
    """Apply the fixes that ``check`` finds and check the result, until no fix applies. No file is written.

    Returns the findings that are left, and the changed files.
    """
    changes: dict[str, ChangedFile] = {}
    reports = check()
    sources = SOURCES.get()
    with sources.showing():
        for _ in range(_ROUNDS):
            findings = [finding for report in reports for finding in report.findings]
            changed = False
            for path in map(os.path.abspath, paths):
                change = _continued(changes.get(path), path, findings)
                if change is not None:
                    changes[path] = change
                    sources.show(path, change.after.text)
                    changed = True
            if not changed:
                break
            reports = check()
    return reports, tuple(
        changed_file
        for changed_file in changes.values()
        if changed_file.before.content != changed_file.after.content
    )


def write(changes: Sequence[ChangedFile]) -> None:
    """Write the changed files. Raises ``UsageError`` TTL0117 for a file that cannot be written."""
    for change in changes:
        _write(change)


def _continued(earlier: ChangedFile | None, path: str, findings: Sequence[Diagnostic]) -> ChangedFile | None:
    """Apply fixes to a file, on top of earlier changes to it; None if none of the fixes applies."""
    wanted = fixes.fixes_of(findings, path)
    if not wanted:
        return None
    try:
        before = fixes.read(path) if earlier is None else earlier.before
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None  # a finding already says that the file cannot be read
    last = before if earlier is None else earlier.after
    after, count = fixes.apply(last, wanted)
    if after.content == last.content:
        return None
    return ChangedFile(before=before, after=after, fixes=count + (0 if earlier is None else earlier.fixes))


def _write(change: ChangedFile) -> None:
    try:
        fixes.write(change.before, change.after)
    except OSError as problem:
        name = display_name(change.path)
        advice = f"or apply them yourself: 'ttl check --diff {name}' shows them"
        raise UsageError(unwritable(name, problem, "make the file writable", advice)) from None
