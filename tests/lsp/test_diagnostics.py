"""What is published about texts that are being typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.editing import edited, opened, replaced

ERRORS = Path(__file__).parents[2] / "examples" / "errors"
pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_an_error_comes_and_goes_with_the_text(client: LanguageClient) -> None:
    path = ERRORS / "use_after_pop.py"
    uri, text = path.as_uri(), path.read_text(encoding="utf-8")
    (finding,) = await opened(client, uri, text)
    line = finding.range.start.line
    assert (finding.code, finding.source, finding.severity) == (
        "TTL0307",
        "ttl",
        types.DiagnosticSeverity.Error,
    )
    assert finding.code_description is not None
    assert finding.code_description.href.endswith("/TTL0307.md")
    assert [about.location.uri for about in finding.related_information or ()] == [uri]

    (moved,) = await edited(client, uri, 2, replaced(0, 0, 0, "# above\n"))
    assert moved.range.start.line == line + 1

    broken, stale = await edited(client, uri, 3, replaced(0, 0, 0, "(\n"))
    assert (broken.code, broken.range.start.line, broken.source) == ("TTL0111", 0, "ttl")
    assert (stale.code, stale.range.start.line, stale.source) == ("TTL0307", line + 2, "ttl (stale)")

    whole = types.TextDocumentContentChangeWholeDocument(text="import ttl\n")
    assert await edited(client, uri, 4, whole) == []
