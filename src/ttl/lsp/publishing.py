"""The output to the client: diagnostics of analyses and of runs, the state of an analysis, our own internal errors."""

from __future__ import annotations

import logging
from typing import Literal

from lsprotocol import types

from ttl.diag import Severity
from ttl.diag.families import Family
from ttl.diag.internal import internal_error
from ttl.lsp.convert import uri_of
from ttl.lsp.diagnostics import SOURCE, diagnostics_of, merged
from ttl.lsp.documents import Document
from ttl.lsp.texts import TextServer
from ttl.service.analysis import Analysis

LOG = logging.getLogger(__name__)
# The prefix of a file's path in the key for the findings of a run of it.
_OF_RUN = "run of "
# A text without this word and without operations is not a TT-Lang program: its findings are not shown.
_OURS = "ttl"


class Publisher:
    """Shows diagnostics and messages, on the thread that talks to the client."""

    def __init__(self, server: TextServer) -> None:
        self._server = server
        self._published: dict[str, dict[str, list[types.Diagnostic]]] = {}
        """The diagnostics that were shown last, by the file that was analysed and the file they are about."""
        self._said: set[str] = set()
        """Internal errors that were shown to the user."""

    # --- diagnostics -----------------------------------------------------------------------------------------------

    def show(self, document: Document, analysis: Analysis) -> None:
        """Publish the findings in the text of a document."""
        server = self._server
        before = self._published.get(analysis.path, {})
        now = (
            diagnostics_of(analysis, server.lines, server.encoding, server.abilities)
            if _OURS in document.text or analysis.operations
            else {analysis.path: []}
        )
        self._published[analysis.path] = now
        for path in dict.fromkeys((*now, *before)):
            self._publish(path)
        is_broken = any(finding.family is Family.DEFECTS for finding in analysis.findings)
        self.tell_status(
            document, "failed" if is_broken else "stale" if analysis.stale else "ready", analysis
        )

    def show_too_long(self, document: Document, most: int) -> None:
        """Report that a text is not analysed, as it would keep the server busy for seconds after each keystroke."""
        path = document.path
        note = types.Diagnostic(
            range=types.Range(types.Position(0, 0), types.Position(0, 0)),
            severity=types.DiagnosticSeverity.Information,
            source=SOURCE,
            message=f"not checked while you type: the text has {len(document.text):,} characters, and {most:,} are the most"
            "\nhelp: save it and use 'ttl check', which takes any length",
        )
        self._published[path] = {path: [note] if _OURS in document.text else []}
        self._publish(path)
        self.tell_status(document, "ready")

    def forget(self, path: str) -> None:
        """Forget a closed file: findings of its own analysis are removed, findings of other files about it stay."""
        gone = self._published.pop(path, {})
        for about in {path, *gone}:
            self._publish(about)

    def show_of_run(self, path: str, by_path: dict[str, list[types.Diagnostic]]) -> None:
        """Show the findings of a run of a file, by the files that they are about, and drop those of an earlier run."""
        key = f"{_OF_RUN}{path}"
        before = self._published.pop(key, {})
        if by_path:
            self._published[key] = by_path
        for about in dict.fromkeys((*by_path, *before)):
            # Places in the last text may not exist in the new text: findings are shown with the text in which they were found.
            if about not in self._server.documents or self._server.is_settled(about):
                self._publish(about)

    def _publish(self, path: str) -> None:
        """Show the findings of all analyses and runs about a file."""
        document = self._server.documents.get(path)
        items = merged(by_path[path] for by_path in self._published.values() if path in by_path)
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=uri_of(path) if document is None else document.uri,
                version=None if document is None else document.version,
                diagnostics=items,
            )
        )

    # --- other messages --------------------------------------------------------------------------------------------

    def tell_status(
        self,
        document: Document,
        state: Literal["checking", "ready", "stale", "failed"],
        analysis: Analysis | None = None,
    ) -> None:
        """Send the state of a text's analysis to a client that shows such states."""
        if not self._server.abilities.status:
            return
        settings = self._server.options.settings if analysis is None else analysis.settings
        grid = settings.grid
        self._server.protocol.notify(
            "ttl/status",
            {
                "uri": document.uri,
                "state": state,
                "chip": settings.arch,
                "target": settings.target,
                "grid": None if grid is None else "x".join(map(str, grid)),
                "errors": 0 if analysis is None else analysis.count(Severity.ERROR),
                "warnings": 0 if analysis is None else analysis.count(Severity.WARNING),
                "milliseconds": 0.0 if analysis is None else round(analysis.seconds * 1000, 1),
            },
        )

    def refresh(self) -> None:
        """Make the client ask again for its hints, tokens and lenses."""
        if self._server.abilities.refreshes_hints:
            self._server.workspace_inlay_hint_refresh(None)
        if self._server.abilities.refreshes_lenses:
            self._server.workspace_code_lens_refresh(None)
        if self._server.abilities.refreshes_tokens:
            self._server.workspace_semantic_tokens_refresh(None)

    def defect(self, raised: Exception, doing: str) -> None:
        """Log an internal error in an answer each time, and report it to the user once; the server continues."""
        LOG.error("%s failed", doing, exc_info=raised)
        finding = internal_error(raised, doing=doing).diagnostic
        rows = [f"{finding.code}: {finding.message}", *finding.notes, *finding.help]
        text = "\n".join(rows)
        self._server.window_log_message(types.LogMessageParams(type=types.MessageType.Error, message=text))
        if text not in self._said:
            self._said.add(text)
            self._server.window_show_message(
                types.ShowMessageParams(type=types.MessageType.Error, message=text)
            )
