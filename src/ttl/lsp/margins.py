"""Profiles in the editor: cycles beside the lines, and verdicts above operations; an edit makes them stale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lsprotocol import types

from ttl.lsp.convert import position, range_of, uri_of
from ttl.lsp.publishing import Publisher
from ttl.lsp.texts import TextServer
from ttl.processes.tasks import TaskResult
from ttl.service.analysis import Analysis
from ttl.service.profiles import Margin, files_of, margin_of
from ttl.session import FileText

PROFILE = "ttl/profile"


class Margins:
    """The profiles of the files that are open. ``server`` has the texts and the client; ``publisher`` shows findings."""

    def __init__(self, server: TextServer, publisher: Publisher) -> None:
        self._server = server
        self._publisher = publisher
        self._margins: dict[str, Margin] = {}
        self._files: dict[str, frozenset[str]] = {}
        """The files of the profiled program, by each file with a profile."""

    def show(
        self, path: str, texts: Mapping[str, FileText], result: TaskResult, operation: str | None
    ) -> None:
        """Show the profile of a program beside the lines of its files; ``texts`` are the program's and those open then.

        If ``operation`` is named, only its launches count.
        """
        profiles = result.of_kind("profile")
        files = frozenset((path, *files_of(profiles).intersection(texts)))
        for file in files:
            margin = margin_of(file, texts[file], profiles, operation)
            if result.status != "ok":
                why = result.reason or "the program failed"
                margin = replace(margin, verdict=f"{margin.verdict} (not all of it: {why})")
            now = self._server.ttl.text(file)
            if now is None and file != path:
                continue  # it was closed meanwhile
            self._margins[file] = margin.moved_to(now or texts[file])
            self._files[file] = files
            self._tell(file)
        self._publisher.refresh()

    def edited(self, path: str) -> None:
        """Handle an edit: the file's profile stays beside the lines, and is stale."""
        was_fresh = False
        for file in [file for file, files in self._files.items() if path in files]:
            margin, text = self._margins[file], self._server.ttl.text(file)
            if text is not None and text is not margin.text:
                self._margins[file] = margin.moved_to(text)
            elif not margin.stale and file != path:
                self._margins[file] = replace(margin, stale=True)
            else:
                continue
            was_fresh = was_fresh or not margin.stale
            self._tell(file)
        if was_fresh:
            self._publisher.refresh()

    def closed(self, path: str) -> None:
        """Handle the closing of a file."""
        self._margins.pop(path, None)
        self._files.pop(path, None)

    def _tell(self, path: str) -> None:
        """Send the profile to a client that supports the notification; other clients get hints at the ends of lines."""
        if not self._server.abilities.profile:
            return
        margin = self._margins[path]
        document = self._server.documents.get(path)
        lines: list[dict[str, Any]] = [
            {
                "line": item.line - 1,
                "text": item.text,
                "cycles": item.cycles,
                "share": item.share,
                "busy": item.busy,
                "waits": item.waits,
                "heat": item.heat,
            }
            for item in margin.lines
        ]
        self._server.protocol.notify(
            PROFILE,
            {
                "uri": uri_of(path) if document is None else document.uri,
                "version": None if document is None else document.version,
                "stale": margin.stale,
                "verdict": margin.verdict,
                "launches": list(margin.launches),
                "lines": lines,
            },
        )

    def hints(self, path: str, first: int, last: int) -> list[types.InlayHint]:
        """The profile as hints at the ends of some lines (from 1), for a client that does not show profiles itself."""
        margin = self._margins.get(path)
        if margin is None or self._server.abilities.profile:
            return []
        mark = " (stale)" if margin.stale else ""
        items = [
            (item.line, f"{item.text}{mark}", margin.verdict)
            for item in margin.lines
            if first <= item.line <= last
        ]
        if first <= 1:
            items.insert(0, (1, f"{margin.verdict}{mark}", "the verdict of the profile"))
        lines = margin.text.lines
        return [
            types.InlayHint(
                position=position(lines, line, len(lines[line - 1]) + 1, self._server.encoding),
                label=label,
                tooltip=tooltip,
                padding_left=True,
            )
            for line, label, tooltip in items
            if line <= len(lines)
        ]

    def lenses(self, uri: str, analysis: Analysis) -> list[types.CodeLens]:
        """Return a lens above each launched operation with the total of its launches; a click profiles again."""
        margin = self._margins.get(analysis.path)
        if margin is None:
            return []
        mark = " (of an older text; profile again)" if margin.stale else ""
        return [
            types.CodeLens(
                range=range_of(analysis.text.lines, operation.span, self._server.encoding),
                command=types.Command(
                    title=f"{margin.operations[operation.name]}{mark}",
                    command="ttl.profile",
                    arguments=[{"uri": uri, "operation": operation.name}],
                ),
            )
            for operation in analysis.operations
            if operation.span.file == analysis.path and operation.name in margin.operations
        ]
