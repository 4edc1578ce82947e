"""Clients that know little, and mistakes of ours: a server is of use to the first, and survives the second."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities

from docs.blocks import ROOT
from support.editing import edited, edits_of, opened, plain, replaced, takes_registrations, until
from support.queries import PROGRAM
from support.serving import PATIENCE, codes, served

pytestmark = pytest.mark.asyncio
ERRORS = ROOT / "examples" / "errors"
# A server with a mistake in it.
BROKEN = """
import sys
{mistake}
from ttl.cli.main import main
sys.exit(main(["lsp"]))
"""
HOVER_FAILS = """
import ttl.service.hover
def hover(analysis, line, column):
    raise ZeroDivisionError("of ours")
ttl.service.hover.hover = hover
"""
ANALYSIS_FAILS = """
import ttl.service.checking
checked = ttl.service.checking.check_file_whole
def check_file_whole(path, *rest, **more):
    from ttl.session import SOURCES
    if "MISTAKE" in SOURCES.get().of(path).text:
        raise ZeroDivisionError("of ours")
    return checked(path, *rest, **more)
ttl.service.checking.check_file_whole = check_file_whole
"""


def document(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri=uri)


def spans(text: str, part: str) -> types.Range:
    (line,) = [number for number, row in enumerate(text.split("\n")) if part in row]
    column = text.split("\n")[line].index(part)
    return types.Range(types.Position(line, column), types.Position(line, column + len(part)))


# --- a client without any capability


@pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning")
async def test_a_client_without_any_capability_gets_what_every_client_knows() -> None:
    path = ERRORS / "use_after_pop.py"
    uri, text = path.as_uri(), path.read_text(encoding="utf-8")
    async with served() as client:
        (finding,) = await opened(client, uri, text)
        assert (finding.code, finding.tags, finding.data, finding.code_description) == (
            "TTL0307",
            None,
            None,
            None,
        )
        # The other place, which it cannot show, is said.
        assert finding.related_information is None
        assert f"use_after_pop.py:{spans(text, 'x_blk.pop()').start.line + 1}: " in finding.message

        program = "untitled:add_one.py"
        await opened(client, program, PROGRAM)
        hover = await client.text_document_hover_async(
            types.HoverParams(document(program), spans(PROGRAM, "total += a_blk").start)
        )
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        assert hover.contents.kind == types.MarkupKind.PlainText
        assert "tile" in hover.contents.value and not set("`*") & set(hover.contents.value)
        symbols = await client.text_document_document_symbol_async(
            types.DocumentSymbolParams(document(program))
        )
        named = [
            (item.name, item.container_name)
            for item in symbols or ()
            if isinstance(item, types.SymbolInformation)
        ]
        assert ("add_one", None) in named and ("read", "add_one") in named
        found = await client.text_document_completion_async(
            types.CompletionParams(document(program), types.Position(20, 18))
        )
        items = found.items if isinstance(found, types.CompletionList) else found or []
        assert items and all(item.insert_text_format is None for item in items)
        assert all(
            isinstance(item.documentation, types.MarkupContent)
            and item.documentation.kind == types.MarkupKind.PlainText
            for item in items
            if item.documentation
        )
        # Nobody asks it for what it has not said that it can: to be told of files, to show progress, to apply edits.
        broken = (ERRORS / "operands_need_broadcast.py").read_text(encoding="utf-8")
        other = "untitled:broken.py"
        (finding,) = await opened(client, other, broken)
        offered = await client.text_document_code_action_async(
            types.CodeActionParams(document(other), finding.range, types.CodeActionContext([finding]))
        )
        (action,) = [item for item in offered or () if "broadcast" in item.title]
        assert isinstance(action, types.Command)
        params = types.ExecuteCommandParams(command=action.command, arguments=action.arguments)
        result = plain(await client.workspace_execute_command_async(params))
        assert (
            result["status"] == "failed"
            and result["reason"] == "this editor does not apply edits of a server"
        )
        params = types.ExecuteCommandParams(command="ttl.profile", arguments=[{"uri": program}])
        assert plain(await client.workspace_execute_command_async(params))["status"] == "ok"


# --- what is asked for as soon as a file is opened


async def test_what_stands_in_a_whole_file_is_there_at_once_and_again_when_a_file_beside_changes(
    tmp_path: Path,
) -> None:
    """Editors ask when a file is opened, the server is still starting, and not again before an edit, unless they are told to."""
    uri = (tmp_path / "add_one.py").as_uri()
    refreshed: list[str] = []
    async with served(capabilities=client_capabilities("visual-studio-code")) as client:
        takes_registrations(client, refreshed)
        item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=PROGRAM)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        whole = types.Range(types.Position(0, 0), types.Position(100, 0))
        assert await client.text_document_code_lens_async(types.CodeLensParams(document(uri)))
        assert await client.text_document_inlay_hint_async(types.InlayHintParams(document(uri), whole))
        tokens = await client.text_document_semantic_tokens_full_async(
            types.SemanticTokensParams(document(uri))
        )
        assert tokens is not None and tokens.data
        assert refreshed == []
        change = types.FileEvent(uri=(tmp_path / "beside.py").as_uri(), type=types.FileChangeType.Created)
        client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes=[change]))
        async with asyncio.timeout(PATIENCE):
            while types.WORKSPACE_CODE_LENS_REFRESH not in refreshed:
                await asyncio.sleep(0.01)


# --- edits that the server asks for


async def test_fix_all_is_of_the_newest_text_and_says_of_which_version(tmp_path: Path) -> None:
    """And so is an action of a client that knows commands only."""
    asked: list[types.ApplyWorkspaceEditParams] = []
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    capabilities.text_document.code_action = None
    unused = "    idle_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))\n"
    text = PROGRAM.replace("    y_dfb = ", f"{unused}{unused.replace('idle', 'other')}    y_dfb = ", 1)
    uri = (tmp_path / "unused.py").as_uri()
    async with served(capabilities=capabilities) as client:
        takes_registrations(client)

        @client.feature(types.WORKSPACE_APPLY_EDIT)
        def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            asked.append(params)
            return types.ApplyWorkspaceEditResult(applied=len(asked) != 2, failure_reason="it is read only")

        async def fix_all(**more: str) -> tuple[str, str]:
            params = types.ExecuteCommandParams(command="ttl.fixAll", arguments=[{"uri": uri, **more}])
            result = plain(await client.workspace_execute_command_async(params))
            return result["status"], result["output"] or result["reason"]

        assert codes(await opened(client, uri, text)) == ["TTL0907"] * 2
        change = types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(uri=uri, version=2), [replaced(0, 0, 0, "# above\n")]
        )
        client.text_document_did_change(change)
        assert await fix_all() == ("ok", "")
        (edit,) = edits_of(asked[0].edit, uri)
        assert (edit.range.start.line, edit.range.end.line, edit.new_text) == (9, 11, "")
        (of_file,) = asked[0].edit.document_changes or ()
        assert isinstance(of_file, types.TextDocumentEdit) and of_file.text_document.version == 2
        assert await fix_all(code="TTL0907") == ("failed", "it is read only")
        assert await fix_all(code="TTL0405") == ("ok", "nothing to fix of TTL0405")
        findings = client.diagnostics[uri]
        offered = await client.text_document_code_action_async(
            types.CodeActionParams(document(uri), findings[0].range, types.CodeActionContext(findings))
        )
        action = (offered or ())[0]
        assert isinstance(action, types.Command)
        params = types.ExecuteCommandParams(command=action.command, arguments=action.arguments)
        assert plain(await client.workspace_execute_command_async(params))["status"] == "ok"
        assert len(edits_of(asked[2].edit, uri)) == 1
        with pytest.raises(Exception, match="an object with a uri"):
            await client.workspace_execute_command_async(types.ExecuteCommandParams(command="ttl.fixAll"))


# --- workspaces that are not trusted


async def test_nothing_runs_where_the_workspace_is_not_trusted(tmp_path: Path) -> None:
    """Whatever settings say later, and not on save either; what is only read is answered."""
    ran = tmp_path / "ran"
    text = f"{PROGRAM}open({str(ran)!r}, 'w').close()\n"
    uri = (tmp_path / "mine.py").as_uri()
    async with served(options={"trusted": False, "sanitizeOnSave": True}) as client:
        assert await opened(client, uri, text) == []
        client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams(settings={"ttl": {"sanitizeOnSave": True, "trusted": True}})
        )
        client.text_document_did_save(types.DidSaveTextDocumentParams(document(uri)))
        for name in ("ttl.run", "ttl.sanitize", "ttl.compare", "ttl.profile"):
            params = types.ExecuteCommandParams(command=name, arguments=[{"uri": uri}])
            result = plain(await client.workspace_execute_command_async(params))
            assert result["status"] == "failed" and "not trusted" in result["reason"]
        params = types.ExecuteCommandParams(command="ttl.showKernels", arguments=[{"uri": uri}])
        assert plain(await client.workspace_execute_command_async(params))["status"] == "ok"
        assert not ran.exists()


# --- mistakes of ours


async def test_a_mistake_of_ours_in_a_question_is_said_once_and_the_server_goes_on(tmp_path: Path) -> None:
    uri = (tmp_path / "add_one.py").as_uri()
    log = tmp_path / "log"
    broken = BROKEN.format(mistake=HOVER_FAILS).replace('["lsp"]', repr(["lsp", "--log", str(log)]))
    async with served(sys.executable, "-c", broken) as client:
        await opened(client, uri, PROGRAM)
        for _ in range(2):
            position = spans(PROGRAM, "total += a_blk").start
            assert await client.text_document_hover_async(types.HoverParams(document(uri), position)) is None
        assert await client.text_document_document_symbol_async(types.DocumentSymbolParams(document(uri)))
        assert codes(await edited(client, uri, 2, replaced(0, 0, 0, "("))) == ["TTL0111"]
        (said,) = client.messages
        assert said.type == types.MessageType.Error
        assert said.message.startswith("TTL9001: internal error: ZeroDivisionError: of ours")
        assert "a question about add_one.py" in said.message and "please report it" in said.message
        assert [item.message for item in client.log_messages] == [said.message] * 2
    assert log.read_text().count("Traceback") == 2


async def test_a_mistake_of_ours_in_an_analysis_is_a_finding_and_goes_with_the_text(tmp_path: Path) -> None:
    uri, other = ((tmp_path / name).as_uri() for name in ("mine.py", "other.py"))
    capabilities = types.ClientCapabilities(experimental={"ttl": {"status": True}})
    states: list[str] = []
    async with served(
        sys.executable, "-c", BROKEN.format(mistake=ANALYSIS_FAILS), capabilities=capabilities
    ) as client:
        hear(client, states)
        (finding,) = await opened(client, uri, f"{PROGRAM}# MISTAKE\n")
        assert finding.code == "TTL9001" and "the analysis of this text" in finding.message
        assert await opened(client, other, PROGRAM) == []
        assert states[:2] == ["checking", "failed"]
        assert await edited(client, uri, 2, replaced(PROGRAM.count("\n"), 0, 9, "")) == []
        await edited(client, uri, 3, replaced(0, 0, 0, "("))
        await until(client, uri, lambda findings: codes(list(findings)) == ["TTL0111"])
        await opened(client, other, "import ttl\n")
        assert states[2:6] == ["checking", "ready", "ready", "stale"]


def hear(client: LanguageClient, states: list[str]) -> None:
    """Note the states that a server tells."""

    @client.feature("ttl/status")
    def status(params: Any) -> None:
        states.append(plain(params)["state"])
