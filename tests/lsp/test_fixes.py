"""Fixes of findings as code actions, and as a command."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.editing import edits_of, opened, until

pytestmark = pytest.mark.asyncio(loop_scope="module")
PROGRAM = """import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def twice(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    idle_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))  # 😀
    other_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0, 0], x_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(x_blk + x_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, 0]).wait()


tiles = {"dtype": ttnn.bfloat16, "layout": ttnn.TILE_LAYOUT}
twice(ttnn.ones((32, 32), **tiles), ttnn.zeros((32, 32), **tiles))
"""


def applied(text: str, edits: list[types.TextEdit]) -> str:
    """The text after edits; none is behind a character outside of ASCII in its line."""
    lines = text.split("\n")
    for edit in sorted(
        edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True
    ):
        begin, end = edit.range.start, edit.range.end
        last = lines[end.line][end.character :] if end.line < len(lines) else ""
        new = lines[begin.line][: begin.character] + edit.new_text + last
        lines[begin.line : end.line + 1] = new.split("\n")
    return "\n".join(lines)


async def test_a_fix_is_offered_and_all_of_its_code(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "twice.py").as_uri()
    findings = await opened(client, uri, PROGRAM)
    assert [(finding.code, *(finding.tags or ())) for finding in findings] == [
        ("TTL0907", types.DiagnosticTag.Unnecessary)
    ] * 2
    offered = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=uri),
            range=findings[0].range,
            context=types.CodeActionContext(diagnostics=findings[:1], only=[types.CodeActionKind.QuickFix]),
        )
    )
    one, every = offered or ()
    assert isinstance(one, types.CodeAction)
    assert isinstance(every, types.CodeAction)
    assert (one.title, list(one.diagnostics or ())) == ("Remove it", findings[:1])
    assert every.title == "Fix all TTL0907 in this file"
    lines = PROGRAM.split("\n")
    for action, left in ((one, 1), (every, 0)):
        after = applied(PROGRAM, edits_of(action.edit, uri))
        kept = [line for line in lines if "idle_dfb" not in line and (left or "other_dfb" not in line)]
        assert after.split("\n") == kept


async def test_a_file_beside_is_seen_as_it_is_being_typed(client: LanguageClient, tmp_path: Path) -> None:
    """The operation that a program calls is in another file, which is open, edited, and not saved."""
    definition, _, call = PROGRAM.partition("tiles = ")
    (tmp_path / "kernels.py").write_text(definition)
    beside, program = (tmp_path / "kernels.py").as_uri(), (tmp_path / "main.py").as_uri()
    text = f"import ttnn\nfrom kernels import twice\n\ntiles = {call}"
    await opened(client, program, text)
    await until(client, beside, lambda findings: [item.code for item in findings] == ["TTL0907", "TTL0907"])
    broken = definition.replace("x_blk + x_blk", "x_blk.pop()")
    await opened(client, beside, broken)
    await until(client, beside, lambda findings: any(item.code != "TTL0907" for item in findings))
