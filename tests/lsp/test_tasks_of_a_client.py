"""A client that shows profiles and progress itself: notifications, cancel, and the sanitizer on save."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from docs.blocks import ROOT
from support.editing import edited, opened, plain, replaced, shown, takes_registrations

pytestmark = pytest.mark.asyncio(loop_scope="module")
EXAMPLE = ROOT / "examples" / "tutorial_1_one_tile.py"
PATIENCE = 60.0
OPERATION = """
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def copied(x, y):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, y[0, 0]).wait()


x, y = (ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT) for _ in range(2))
copied(x, y)
"""


@pytest_lsp.fixture(  # type: ignore[arg-type]
    scope="module", config=ClientServerConfig(server_command=[sys.executable, "-m", "ttl", "lsp"])
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    capabilities = client_capabilities("visual-studio-code")
    capabilities.experimental = {"ttl": {"profile": True, "status": True}}
    window = capabilities.window or types.WindowClientCapabilities()
    window.work_done_progress = True
    capabilities.window = window
    options = {"sanitizeOnSave": True}
    takes_registrations(lsp_client)
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=capabilities, initialization_options=options)
    )
    yield
    await lsp_client.shutdown_session()


async def command(client: LanguageClient, name: str, uri: str) -> Any:
    params = types.ExecuteCommandParams(command=name, arguments=[{"uri": uri}])
    return plain(await client.workspace_execute_command_async(params))


async def profile(client: LanguageClient) -> Any:
    async with asyncio.timeout(PATIENCE):
        return plain(await client.wait_for_notification("ttl/profile"))


async def test_the_profile_is_a_notification_that_gets_stale_with_the_text(client: LanguageClient) -> None:
    uri, text = EXAMPLE.as_uri(), EXAMPLE.read_text(encoding="utf-8")
    await opened(client, uri, text)
    told, result = await asyncio.gather(profile(client), command(client, "ttl.profile", uri))
    assert (told["uri"], told["version"], told["stale"]) == (uri, 1, False)
    (launch,) = result["profiles"]
    assert told["verdict"] == f"{launch['headline']}. {launch['verdict']}"
    assert [item["cycles"] for item in told["launches"]] == [launch["cycles"]]
    of_file = {item["line"] for item in launch["lines"] if item["file"] == str(EXAMPLE)}
    assert {item["line"] + 1 for item in told["lines"]} <= of_file
    assert max(item["heat"] for item in told["lines"]) == 1
    assert sum(item["cycles"] for item in told["lines"]) <= launch["cycles"]
    rows = text.splitlines()
    (store,) = [item for item in told["lines"] if "y_blk.store" in rows[item["line"]]]
    assert store["busy"] > 0 and f"{store['cycles']:,} cycles" in store["text"]

    moved, _ = await asyncio.gather(profile(client), edited(client, uri, 2, replaced(0, 0, 0, "# above\n")))
    assert (moved["version"], moved["stale"], moved["verdict"]) == (2, True, told["verdict"])
    assert [item["line"] for item in moved["lines"]] == [item["line"] + 1 for item in told["lines"]]
    params = types.InlayHintParams(
        types.TextDocumentIdentifier(uri=uri), types.Range(types.Position(0, 0), types.Position(200, 0))
    )
    hints = await client.text_document_inlay_hint_async(params) or []
    assert not any("cycles" in str(hint.label) for hint in hints)


async def test_progress_is_shown_and_cancels_the_program(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "long.py").as_uri()
    await opened(client, uri, "import time\nprint('halfway there', flush=True)\ntime.sleep(1000)\n")
    before = set(client.progress_reports)
    asked = asyncio.create_task(command(client, "ttl.run", uri))
    async with asyncio.timeout(PATIENCE):
        while not (new := set(client.progress_reports) - before) or not any(
            getattr(report, "message", None) == "halfway there"
            for report in client.progress_reports[min(new)]
        ):
            await asyncio.sleep(0.01)
    (token,) = new
    begin = client.progress_reports[token][0]
    assert isinstance(begin, types.WorkDoneProgressBegin)
    assert begin.title == "ttl run: long.py" and begin.cancellable
    client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token=token))
    result = await asked
    assert (result["status"], result["exitCode"], result["output"]) == ("cancelled", None, "halfway there\n")


async def test_progress_is_shown_under_the_token_of_the_client(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri, token = (tmp_path / "short.py").as_uri(), "mine"
    await opened(client, uri, "print('done', flush=True)\n")
    before = set(client.progress_reports)
    await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command="ttl.run", arguments=[{"uri": uri}], work_done_token=token)
    )
    assert set(client.progress_reports) - before == {token}
    first, *_, last = client.progress_reports[token]
    assert isinstance(first, types.WorkDoneProgressBegin) and first.title == "ttl run: short.py"
    assert isinstance(last, types.WorkDoneProgressEnd) and last.message == "ok"


async def test_the_sanitizer_runs_on_save_where_that_is_switched_on(
    client: LanguageClient, tmp_path: Path
) -> None:
    """Of a program without an operation nothing runs."""
    ran = tmp_path / "ran"
    source = f"open({str(ran)!r}, 'a').close()\nraise LookupError('mine')\n"
    for name, program, runs in (
        ("plain.py", f"import ttl\n{source}", False),
        ("ours.py", f"{OPERATION}{source}", True),
    ):
        path = tmp_path / name
        path.write_text(program)
        await opened(client, path.as_uri(), program)
        document = types.TextDocumentIdentifier(uri=path.as_uri())
        client.text_document_did_save(types.DidSaveTextDocumentParams(text_document=document))
        if runs:
            (finding,) = await shown(client, path.as_uri(), 1)
            assert (finding.source, finding.message) == ("ttl run", "LookupError: mine")
        assert ran.exists() == runs


async def test_a_command_that_is_asked_wrongly_is_an_error_and_the_server_goes_on(
    client: LanguageClient,
) -> None:
    for arguments in (None, [], [3], [{"uri": 3}], [{}]):
        params = types.ExecuteCommandParams(command="ttl.run", arguments=arguments)
        with pytest.raises(Exception, match="an object with a uri"):
            await client.workspace_execute_command_async(params)
    result = await command(client, "ttl.showIR", EXAMPLE.as_uri())
    assert result["status"] == "ok"
