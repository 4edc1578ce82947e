"""How a server is reached, and that it ends with its client: nothing of it, or of what it runs, is left behind."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import make_test_lsp_client

from support.editing import opened, plain
from support.serving import PATIENCE, SERVER, codes, ended, initialize, message, served

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
BROKEN = "import ttl\n("


@asynccontextmanager
async def listening() -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """A server that waits for its client, and its port."""
    server = await asyncio.create_subprocess_exec(*SERVER, "--tcp", "0", stderr=asyncio.subprocess.PIPE)
    assert server.stderr is not None
    try:
        line = await asyncio.wait_for(server.stderr.readline(), PATIENCE)
        host, _, port = line.decode().strip().rpartition(":")
        assert host == "ttl lsp: listening on 127.0.0.1"
        yield server, int(port)
    finally:
        if server.returncode is None:
            server.kill()
        await server.wait()


@pytest.mark.asyncio
async def test_tcp_serves_one_client_of_this_machine_and_ends_with_it(tmp_path: Path) -> None:
    async with listening() as (server, port):
        bound = [row.split()[1] for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        assert f"0100007F:{port:04X}" in bound and f"00000000:{port:04X}" not in bound
        client = make_test_lsp_client()
        await client.start_tcp("127.0.0.1", port)
        await client.initialize_session(types.InitializeParams(capabilities=types.ClientCapabilities()))
        with pytest.raises(OSError):
            await asyncio.open_connection("127.0.0.1", port)
        assert codes(await opened(client, (tmp_path / "new.py").as_uri(), BROKEN)) == ["TTL0111"]
        await client.shutdown_async(None)
        client.exit(None)
        assert await asyncio.wait_for(server.wait(), PATIENCE) == 0
        await client.stop()


@pytest.mark.one_of(2)
@pytest.mark.asyncio
@pytest.mark.parametrize("how", ["before a word", "after a word", "in the middle of one", "with a reset"])
async def test_a_client_that_hangs_up_ends_the_server(how: str) -> None:
    async with listening() as (server, port):
        client = socket.create_connection(("127.0.0.1", port))
        if how != "before a word":
            client.sendall(initialize(None))
            assert client.recv(100).startswith(b"Content-Length")
        if how == "in the middle of one":
            client.sendall(message("textDocument/didOpen", {})[:-5])
        if how == "with a reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.close()
        assert await asyncio.wait_for(server.wait(), PATIENCE) is not None
        assert server.stderr is not None
        assert await server.stderr.read() == b""


@pytest.mark.one_of(3)
@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "a line of a header is 'Name: value'"),
        (b"Content-Length: many\r\n\r\n{}", "Content-Length is a number of up to 9 digits"),
        (b"Content-Length: -5\r\n\r\n{}", "Content-Length is a number"),
        (b"Content-Length: 99999999999999\r\n\r\n{}", "Content-Length is a number"),
        (b"Content-Type: text\r\n\r\n{}", "it needs Content-Length before an empty line"),
        (b"\r\n", "it needs Content-Length before an empty line"),
        (b'{"jsonrpc": "2.0"}\n', "a line of a header is 'Name: value'"),
        (b"\xff\xfe\0\n", "a line of a header is 'Name: value'"),
    ],
)
def test_what_is_no_header_ends_the_server_and_is_said(sent: bytes, why: str) -> None:
    done = subprocess.run(SERVER, input=initialize(None) + sent, capture_output=True, timeout=PATIENCE)
    assert done.returncode == 1
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("ttl lsp: error: the client sent something that is not a header of the protocol: ")
    assert why in line and len(line) < 250
    assert b"window/showMessage" in done.stdout


def test_headers_that_are_spelt_otherwise_are_read() -> None:
    body = initialize(None).partition(b"\r\n\r\n")[2]
    head = b"content-length:%d\nContent-Type: application/vscode-jsonrpc; charset=utf-8\n\n" % len(body)
    broken = b"Content-Length: 100000\r\n\r\n" + b"[" * 100_000
    sent = head + body + broken + message("shutdown", None, 2) + message("exit", None)
    done = subprocess.run(SERVER, input=sent, capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert b'"id":1' in done.stdout.replace(b" ", b"") and b'"id":2' in done.stdout.replace(b" ", b"")


@pytest.mark.asyncio
async def test_the_end_of_the_input_ends_the_server_and_what_it_runs(tmp_path: Path) -> None:
    """A program that would run for long, and has started another one that ignores what asks it to end."""
    beside = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(1000)"
    program = (
        "import ttl, os, subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {beside!r}], start_new_session=True)\n"
        "print(os.getpid(), child.pid, flush=True)\n"
        f"open({str(tmp_path / 'pids')!r}, 'w').write(f'{{os.getpid()}} {{child.pid}} ')\n"
        "time.sleep(1000)\n"
    )
    client = make_test_lsp_client()
    await client.start_io(*SERVER)
    await client.initialize_session(types.InitializeParams(capabilities=types.ClientCapabilities()))
    uri = (tmp_path / "long.py").as_uri()
    await opened(client, uri, program)
    asked = asyncio.create_task(
        client.workspace_execute_command_async(
            types.ExecuteCommandParams(command="ttl.run", arguments=[{"uri": uri}])
        )
    )
    written = tmp_path / "pids"
    async with asyncio.timeout(PATIENCE):
        while not written.exists() or not written.read_text().endswith(" "):
            await asyncio.sleep(0.02)
    server = client._server
    assert server is not None and server.stdin is not None
    server.stdin.close()
    assert await asyncio.wait_for(server.wait(), PATIENCE) == 0
    for process in map(int, written.read_text().split()):
        await ended(process)
    assert plain(await asked)["status"] == "cancelled"
    await client.stop()


def test_a_server_ends_with_the_process_of_its_client(tmp_path: Path) -> None:
    """The input stays open, as where a client has handed it on to others."""
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    server = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(initialize(client.pid))
        server.stdin.flush()
        assert server.stdout.readline().startswith(b"Content-Length")
        client.kill()
        client.wait()
        assert server.wait(PATIENCE) == 1
    finally:
        for process in (client, server):
            process.kill()
            process.communicate()


@pytest.mark.asyncio
async def test_a_client_in_another_container_is_not_looked_for(tmp_path: Path) -> None:
    """Its number is that of no process here, or of another one: the end of the input is what counts."""
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    server = await asyncio.create_subprocess_exec(
        *SERVER, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(initialize(gone.pid))
    assert (await server.stdout.readline()).startswith(b"Content-Length")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(server.wait(), 2.5)
    server.stdin.close()
    assert await asyncio.wait_for(server.wait(), PATIENCE) == 0


@pytest.mark.asyncio
async def test_exit_without_shutdown_is_a_failure() -> None:
    async with served() as client:
        client.exit(None)
        assert client._server is not None
        assert await asyncio.wait_for(client._server.wait(), PATIENCE) == 1
        client.capabilities = None  # there is nobody to be asked to shut down
