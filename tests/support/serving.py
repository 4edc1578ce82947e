"""Language servers that a test starts itself: with another command line, other capabilities, or to be ended."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client

SERVER = (sys.executable, "-m", "ttl", "lsp")
# In seconds. Nothing takes as long; a test that waits for what does not come ends with it.
PATIENCE = 30.0


@asynccontextmanager
async def served(
    *command: str,
    capabilities: types.ClientCapabilities | None = None,
    options: Any = None,
    answers: list[types.InitializeResult] | None = None,
) -> AsyncIterator[LanguageClient]:
    """A client of a server on standard input and output, without any capability if none is given; both have ended behind it.

    What the server says that it can is added to ``answers``.
    """
    client = make_test_lsp_client()
    await client.start_io(*(command or SERVER))
    answer = await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities or types.ClientCapabilities(), initialization_options=options
        )
    )
    if answers is not None:
        answers.append(answer)
    try:
        yield client
    finally:
        await client.shutdown_session()
        await client.stop()


async def ended(process: int) -> None:
    """Wait until a process that is not a child of this one is gone."""
    async with asyncio.timeout(PATIENCE):
        while Path(f"/proc/{process}").exists() and " Z " not in _status(process):
            await asyncio.sleep(0.02)


def _status(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return " Z "


def message(method: str, params: Any, number: int | None = None) -> bytes:
    """A message as it is sent."""
    body: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        body["id"] = number
    data = json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n" % len(data) + data


def initialize(process: int | None) -> bytes:
    """The first message of a client."""
    return message("initialize", {"processId": process, "rootUri": None, "capabilities": {}}, 1)


def codes(findings: Sequence[types.Diagnostic]) -> list[str]:
    """The codes of findings, in order."""
    return [str(finding.code) for finding in findings]
