"""Programs in Markdown, with what is found in them written where it is found.

A file is about one check: its prose is the specification, each section below it one property. A fence ``python`` of a
section is a whole program; the fence in front of the first section is put before each of them. What is found in a program
stands at the end of the line that the finding points to, and nothing else is found::

    b_blk.push()  # error: [TTL0307] "has been pushed"

Severity, code, and optionally a part of the message or its notes. A line can have several. The words behind ``python``
are settings: ``strict``, ``arch=blackhole``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from docs.blocks import blocks
from ttl.check.file import check_file
from ttl.diag import Diagnostic
from ttl.settings import Settings, current

_EXPECTED = re.compile(r'(error|warning): \[(TTL\d{4})\](?: "([^"]*)")?')


@dataclass(frozen=True, kw_only=True)
class Expected:
    """A finding: where it points to, how bad it is, its code, and words of it."""

    line: int
    severity: str
    code: str
    words: str = ""

    def is_of(self, finding: Diagnostic) -> bool:
        """Whether a finding is the expected one."""
        line = 0 if finding.primary is None else finding.primary.span.line
        said = "\n".join((finding.message, *finding.notes, *finding.help))
        return (line, finding.severity.name.lower(), finding.code) == (
            self.line, self.severity, self.code,
        ) and self.words in said  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class MarkdownProgram:
    """One program of a file, with the lines of the prelude before its own."""

    name: str
    source: str
    options: tuple[str, ...]
    expected: tuple[Expected, ...]

    def __str__(self) -> str:
        return self.name

    def findings(self, folder: Path) -> tuple[Diagnostic, ...]:
        """What ``ttl check`` finds in it; nothing may be left out."""
        path = folder / "program.py"
        path.write_text(self.source, encoding="utf-8")
        report = check_file(str(path), self._settings())
        assert report.operations or report.findings, f"nothing was checked: {report.unchecked}"
        return report.findings

    def differences(self, folder: Path) -> list[str]:
        """What is found and not expected, and what is expected and not found."""
        found, wanted = list(self.findings(folder)), list(self.expected)
        for expected in self.expected:
            match = next((finding for finding in found if expected.is_of(finding)), None)
            if match is not None:
                found.remove(match)
                wanted.remove(expected)
        unexpected = [
            f"found in line {finding.primary.span.line if finding.primary else 0}: "
            f"{finding.severity.name.lower()}: [{finding.code}] {finding.message}"
            for finding in found
        ]
        return [*unexpected, *(f"not found: {expected}" for expected in wanted)]

    def _settings(self) -> Settings:
        settings = current()
        for option in self.options:
            name, _, value = option.partition("=")
            settings = replace(settings, **{name: value or True})  # type: ignore[arg-type]
        return settings


def programs(path: Path) -> list[MarkdownProgram]:
    """The programs of a file, in order."""
    text = path.read_text(encoding="utf-8")
    prelude, made = "", []
    for block in blocks(text):
        if block.language != "python":
            continue
        headings = re.findall("^## (.*)$", text[: block.start], re.MULTILINE)
        if not headings:
            prelude = block.body
            continue
        number = sum(program.name.startswith(headings[-1]) for program in made)
        made.append(
            MarkdownProgram(
                name=headings[-1] if not number else f"{headings[-1]} ({number + 1})",
                source=prelude + block.body,
                options=tuple((block.name or "").split()),
                expected=tuple(_expected(prelude + block.body)),
            )
        )
    return made


def _expected(source: str) -> Iterator[Expected]:
    for number, line in enumerate(source.splitlines(), 1):
        for severity, code, words in _EXPECTED.findall(line.partition("#")[2]):
            yield Expected(line=number, severity=severity, code=code, words=words)
