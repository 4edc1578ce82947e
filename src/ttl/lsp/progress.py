"""The progress of a task as the client shows it, and its cancellation by the user."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable

from lsprotocol import types

from ttl.lsp.texts import TextServer

LOG = logging.getLogger(__name__)
# The most characters that are shown of the last line that a program has printed.
_REPORTED = 80


class TaskProgress:
    """The progress of a task, for a client that can show it."""

    def __init__(self, server: TextServer, token: types.ProgressToken | None) -> None:
        self._server = server
        self._token = token
        self._unreported = ""

    @classmethod
    async def begin(
        cls, server: TextServer, title: str, cancel: Callable[[], None], token: types.ProgressToken | None
    ) -> TaskProgress:
        """Show the progress under ``token``, or a new token; ``cancel`` is called when the user cancels."""
        progress = server.protocol.progress
        if token is None:
            if not server.abilities.progress:
                return cls(server, None)
            token = f"ttl-{uuid.uuid4()}"
            try:
                await progress.create_async(token)
            except Exception:  # the client refuses to show this progress
                LOG.warning("the client shows no progress", exc_info=True)
                return cls(server, None)
        progress.begin(token, types.WorkDoneProgressBegin(title=title, cancellable=True))
        progress.tokens[token].add_done_callback(lambda future: cancel() if future.cancelled() else None)
        return cls(server, token)

    def report(self, output: str) -> None:
        """Show the last whole line that the program has printed."""
        self._unreported += output
        *lines, self._unreported = self._unreported.rsplit("\n", 1)
        if self._token is not None and lines:
            message = lines[0].rsplit("\n", 1)[-1][:_REPORTED]
            self._server.protocol.progress.report(
                self._token, types.WorkDoneProgressReport(message=message, cancellable=True)
            )

    def end(self, status: str) -> None:
        """End the progress."""
        if self._token is not None:
            self._server.protocol.progress.end(self._token, types.WorkDoneProgressEnd(message=status))
            self._server.protocol.progress.tokens.pop(self._token, None)
