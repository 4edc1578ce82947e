"""The settings of projects and of the editor."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.editing import edited, opened, until
from ttl.lsp.options import options_of
from ttl.session.switches import Settings

pytestmark = pytest.mark.asyncio(loop_scope="module")
# 1,392 KB of buffers: more than a node of Wormhole has left, and less than one of Blackhole.
PROGRAM = """import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def twice(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(8, 29))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(8, 29), block_count=1)

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0:8, 0:29], x_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(x_blk + x_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0:8, 0:29]).wait()


tiles = {"dtype": ttnn.bfloat16, "layout": ttnn.TILE_LAYOUT}
twice(ttnn.ones((256, 928), **tiles), ttnn.zeros((256, 928), **tiles))
"""


async def test_a_project_says_the_chip_while_its_file_is_typed(
    client: LanguageClient, tmp_path: Path
) -> None:
    program, project = (tmp_path / "twice.py").as_uri(), (tmp_path / "pyproject.toml").as_uri()
    assert "TTL0801" in [finding.code for finding in await opened(client, program, PROGRAM)]
    item = types.TextDocumentItem(
        uri=project, language_id="toml", version=1, text='[tool.ttl]\narch = "blackhole"\n'
    )
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    await until(client, program, lambda findings: not findings)

    whole = types.TextDocumentContentChangeWholeDocument(text='[tool.ttl]\narch = "greyhole"\n')
    document = types.VersionedTextDocumentIdentifier(uri=project, version=2)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(text_document=document, content_changes=[whole])
    )
    await until(client, project, lambda findings: [item.code for item in findings] == ["TTL0125"])
    assert client.diagnostics[project][0].range.start == types.Position(line=1, character=0)
    await until(client, program, lambda findings: [item.code for item in findings] == ["TTL0801"])
    assert await edited(client, program, 2, types.TextDocumentContentChangeWholeDocument(text="")) == []


async def test_wrong_settings_of_an_editor_have_their_defaults() -> None:
    section = {
        "debounceMs": "soon",
        "task": {"seconds": 5},
        "inlayHints.shapes": False,
        "arch": "x",
        "grid": [2, 3],
    }
    options = options_of({"ttl": section}, Settings())
    assert (options.debounce_ms, options.task_seconds, options.inlay_shapes) == (10, 5, False)
    assert (options.settings.arch, options.settings.grid) == ("wormhole", (2, 3))
    assert len(options.wrong) == 2
