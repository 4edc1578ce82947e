"""What a client asks about a place, over the protocol: one test for each kind of question."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from support.editing import edited, edits_of, opened, replaced
from support.queries import PROGRAM, place
from ttl.diag import catalog
from ttl.lsp.convert import path_of
from ttl.service.tokens import MODIFIERS, TYPES

pytestmark = pytest.mark.asyncio(loop_scope="module")
URI = "file:///nowhere/add_one.py"


def at(marked: str, occurrence: int = 0) -> dict[str, object]:
    """A text document and the position of ``|`` in it."""
    line, column = place(PROGRAM, marked, occurrence)
    return {
        "text_document": types.TextDocumentIdentifier(uri=URI),
        "position": types.Position(line=line - 1, character=column - 1),
    }


def lines_of(locations: object) -> list[int]:
    assert isinstance(locations, list | tuple)
    return [item.range.start.line + 1 for item in locations]


async def shown(client: LanguageClient) -> None:
    """The program is open and analysed."""
    if URI not in client.diagnostics:
        assert await opened(client, URI, PROGRAM) == []


async def test_hover(client: LanguageClient) -> None:
    await shown(client)
    about = await client.text_document_hover_async(types.HoverParams(**at("a_dfb.|reserve()")))  # type: ignore[arg-type]
    assert about is not None and isinstance(about.contents, types.MarkupContent)
    assert "ttl.DataflowBuffer.reserve() -> Block" in about.contents.value
    assert about.range is not None and about.range.start.line == 13


async def test_inlay_hints(client: LanguageClient) -> None:
    await shown(client)
    whole = types.Range(start=types.Position(line=0, character=0), end=types.Position(line=40, character=0))
    hints = await client.text_document_inlay_hint_async(
        types.InlayHintParams(text_document=types.TextDocumentIdentifier(uri=URI), range=whole)
    )
    labels = [(hint.position.line + 1, hint.label) for hint in hints or ()]
    assert (15, ".wait()") in labels and (15, "a_blk.push()") in labels and (22, ": 1x1 tile") in labels


async def test_completion_of_an_unfinished_statement(client: LanguageClient) -> None:
    await shown(client)
    written = "            a_dfb."
    stale = await edited(client, URI, 2, replaced(13, 0, 33, written))
    assert [finding.code for finding in stale] == ["TTL0111"]
    position = types.Position(line=13, character=len(written))
    result = await client.text_document_completion_async(
        types.CompletionParams(text_document=types.TextDocumentIdentifier(uri=URI), position=position)
    )
    items = result.items if isinstance(result, types.CompletionList) else list(result or ())
    ordered = sorted(items, key=lambda item: item.sort_text or "")
    assert ordered[0].label == "reserve"
    assert [item.label for item in ordered if item.deprecated] == ["pop", "push"]
    await edited(client, URI, 3, types.TextDocumentContentChangeWholeDocument(text=PROGRAM))


async def test_signature_help(client: LanguageClient) -> None:
    await shown(client)
    about = await client.text_document_signature_help_async(
        types.SignatureHelpParams(**at("ttl.block.fill(0, |shape=(1, 1))"))  # type: ignore[arg-type]
    )
    assert about is not None and about.active_parameter == 1
    assert about.signatures[0].label.startswith("ttl.block.fill(value: float, shape")


async def test_definition_and_the_place_where_a_block_comes_from(client: LanguageClient) -> None:
    await shown(client)
    used = at("total += a_b|lk")
    assert lines_of(await client.text_document_definition_async(types.DefinitionParams(**used))) == [20]  # type: ignore[arg-type]
    made = await client.text_document_type_definition_async(types.TypeDefinitionParams(**used))  # type: ignore[arg-type]
    assert lines_of(made) == [8]


async def test_references_across_kernels(client: LanguageClient) -> None:
    await shown(client)
    used = at("y_d|fb.reserve")
    context = types.ReferenceContext(include_declaration=True)
    result = await client.text_document_references_async(types.ReferenceParams(**used, context=context))  # type: ignore[arg-type]
    assert lines_of(result) == [9, 21, 30]
    marked = await client.text_document_document_highlight_async(types.DocumentHighlightParams(**used))  # type: ignore[arg-type]
    assert [item.kind for item in marked or ()] == [
        types.DocumentHighlightKind.Write,
        types.DocumentHighlightKind.Read,
        types.DocumentHighlightKind.Read,
    ]


async def test_document_symbols(client: LanguageClient) -> None:
    await shown(client)
    (operation,) = (
        await client.text_document_document_symbol_async(
            types.DocumentSymbolParams(text_document=types.TextDocumentIdentifier(uri=URI))
        )
        or ()
    )
    assert isinstance(operation, types.DocumentSymbol)
    assert operation.name == "add_one" and operation.detail == "a: 128x32 bfloat16, y: 128x32 bfloat16"
    assert [child.name for child in operation.children or ()] == [
        "a_dfb",
        "y_dfb",
        "read",
        "compute",
        "write",
    ]


async def test_semantic_tokens(client: LanguageClient) -> None:
    await shown(client)
    result = await client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(text_document=types.TextDocumentIdentifier(uri=URI))
    )
    assert result is not None
    line = column = 0
    named: dict[str, tuple[str, list[str]]] = {}
    lines = PROGRAM.splitlines()
    for begin in range(0, len(result.data), 5):
        down, right, length, type_, modifiers = result.data[begin : begin + 5]
        line, column = line + down, (column if down == 0 else 0) + right
        bits = [name for number, name in enumerate(MODIFIERS) if modifiers >> number & 1]
        named.setdefault(lines[line][column : column + length], (TYPES[type_], bits))
    assert named["a_dfb"] == ("dataflowBuffer", ["declaration"])
    assert named["a_blk"] == ("block", ["declaration"])
    assert named["compute"] == ("decorator", ["defaultLibrary"])
    assert named["a"] == ("tensor", ["declaration"])


async def test_rename_and_its_refusal(client: LanguageClient) -> None:
    await shown(client)
    used = at("y_d|fb.reserve")
    prepared = await client.text_document_prepare_rename_async(types.PrepareRenameParams(**used))  # type: ignore[arg-type]
    assert isinstance(prepared, types.PrepareRenamePlaceholder) and prepared.placeholder == "y_dfb"
    edit = await client.text_document_rename_async(types.RenameParams(**used, new_name="out"))  # type: ignore[arg-type]
    assert sorted(change.range.start.line + 1 for change in edits_of(edit, URI)) == [9, 21, 30]
    with pytest.raises(JsonRpcException, match="a_dfb is taken already, in line 8"):
        await client.text_document_rename_async(types.RenameParams(**used, new_name="a_dfb"))  # type: ignore[arg-type]


async def test_code_actions_write_what_is_inferred(client: LanguageClient) -> None:
    await shown(client)
    here = types.Position(line=13, character=0)
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=URI),
            range=types.Range(start=here, end=here),
            context=types.CodeActionContext(diagnostics=[]),
        )
    )
    written = next(action for action in actions or () if "a_blk.push()" in action.title)
    assert isinstance(written, types.CodeAction)
    (change,) = edits_of(written.edit, URI)
    assert (change.range.start.line, change.new_text) == (14, "\n            a_blk.push()")


async def test_folds_and_links(client: LanguageClient) -> None:
    uri = "file:///nowhere/folds.py"
    text = '"""Specification, "Pipe net".\n\nTTL0506 and TTL9999.\n"""\nimport ttl\nimport ttnn\n\n\ndef f():\n    # one\n    # two\n    return 1\n'
    await opened(client, uri, text)
    document = types.TextDocumentIdentifier(uri=uri)
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(text_document=document))
    assert [(fold.start_line + 1, fold.end_line + 1, fold.kind) for fold in folds or ()] == [
        (1, 4, "comment"), (5, 6, "imports"), (9, 12, None), (10, 11, "comment"),
    ]  # fmt: skip
    links = await client.text_document_document_link_async(types.DocumentLinkParams(text_document=document))
    assert [(link.range.start.line, (link.target or "").rpartition("/")[2]) for link in links or ()] == [
        (0, "rules.md#pipes"), (2, "TTL0506.md"),
    ]  # fmt: skip
    (_, page) = links or ()
    assert Path(path_of(page.target or "")).read_text(encoding="utf-8") == catalog.page("TTL0506").text


async def test_names_of_the_workspace(client: LanguageClient) -> None:
    await shown(client)
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query="a_d"))
    assert [(item.name, item.container_name, item.location.uri) for item in found or ()] == [  # type: ignore[union-attr]
        ("a_dfb", "add_one", URI)
    ]
    everything = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query=""))
    names = [item.name for item in everything or () if item.location.uri == URI]  # type: ignore[union-attr]
    assert sorted(names) == ["a_dfb", "add_one", "compute", "read", "write", "y_dfb"]


async def test_who_passes_which_buffer_to_whom(client: LanguageClient) -> None:
    await shown(client)
    prepare = types.CallHierarchyPrepareParams(**at("def comp|ute()"))  # type: ignore[arg-type]
    (kernel,) = await client.text_document_prepare_call_hierarchy_async(prepare) or ()
    assert (kernel.name, kernel.detail) == ("compute", "compute")
    (giver,) = (
        await client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(item=kernel))
        or ()
    )
    assert (giver.from_.name, giver.from_.detail) == ("read", "a_dfb")
    assert [span.start.line + 1 for span in giver.from_ranges] == [14]
    (taker,) = (
        await client.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(item=kernel))
        or ()
    )
    assert (taker.to.name, taker.to.detail) == ("write", "y_dfb")
    assert [span.start.line + 1 for span in taker.from_ranges] == [21]
    ends = types.CallHierarchyOutgoingCallsParams(item=taker.to)
    assert not await client.call_hierarchy_outgoing_calls_async(ends)
    buffer = types.CallHierarchyPrepareParams(**at("a_d|fb = ttl"))  # type: ignore[arg-type]
    users = await client.text_document_prepare_call_hierarchy_async(buffer)
    assert [item.name for item in users or ()] == ["read", "compute"]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000,
        "x = " + "[" * 5_000 + "]" * 5_000,
        "x = " + "not " * 5_000 + "1",
        "x = " + "lambda: " * 5_000 + "1",
        "x" + ".y" * 5_000,
    ],
)
async def test_what_is_nested_too_deep_is_a_finding(client: LanguageClient, text: str) -> None:
    uri = "file:///nowhere/deep.py"
    findings = await opened(client, uri, f"import ttl\n{text}\n")
    assert [finding.code for finding in findings] == ["TTL0111"]
    assert "too many nested parentheses" in findings[0].message or "nested too deep" in findings[0].message
    document = types.TextDocumentIdentifier(uri=uri)
    assert not await client.text_document_folding_range_async(
        types.FoldingRangeParams(text_document=document)
    )
