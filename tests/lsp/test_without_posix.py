"""The server where Python has what it has on Windows, and standard streams are not in UTF-8. Windows itself has not been tried."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from support import without_posix
from support.editing import opened, takes_registrations
from support.serving import codes
from ttl import processes
from ttl.processes.tasks import Task
from ttl.sweeps.station import WorkerProcess
from ttl.sweeps.work import SweepWork

_SERVER = [sys.executable, str(without_posix.__file__), "lsp"]


@pytest_lsp.fixture(  # type: ignore[arg-type]
    scope="module",
    config=ClientServerConfig(server_command=_SERVER, server_env={"PYTHONIOENCODING": "cp1252"}),
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    takes_registrations(lsp_client)
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=client_capabilities("visual-studio-code"))
    )
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio(loop_scope="module")
async def test_texts_are_checked_and_a_run_says_why_not(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "é😀.py").as_uri()
    text = 'import ttl\r\nimport ttnn\r\n\r\n\r\n@ttl.operation(grid=(1, 1))\r\ndef op(a):\r\n    "→😀"; ttl.nod()\r\n\r\n\r\nop(ttnn.zeros((32, 32)))\r\n'
    (finding,) = await opened(client, uri, text)
    assert codes([finding]) == ["TTL0228"]
    assert (finding.range.start.line, finding.range.start.character) == (6, 11)
    command = types.ExecuteCommandParams(command="ttl.run", arguments=[{"uri": uri}])
    result = await client.workspace_execute_command_async(command)
    assert (result["status"], result["reason"]) == (
        "failed",
        "programs run within limits of time and memory on Linux and macOS; here, use 'ttl run' in a terminal",
    )


def test_what_runs_programs_within_limits_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "IS_POSIX", False)
    with pytest.raises(OSError, match="on Linux and macOS"):
        Task(["true"]).run()
    answer = WorkerProcess(SweepWork(function="json:loads")).ask(0, "1")
    assert answer.loss == "died" and "on Linux and macOS" in answer.why
