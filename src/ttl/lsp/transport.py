"""The transport of messages: on standard input and output or with one client that connects; and the check that the client is
alive."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import sys
import threading
import time
from typing import Any, BinaryIO, NoReturn, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdinAsyncReader, StdoutWriter

from ttl.diag.errors import WrongRequest
from ttl.lsp.texts import TextServer

LOG = logging.getLogger(__name__)
# The seconds between two checks of whether the client still runs.
_CLIENT_LOOKED_AT = 2.0
# The bytes of messages that are buffered before the client must wait: more than the text of any program.
_MOST_BYTES = 1 << 24
# The most digits of a message's length; and the most bytes of a wrong line that a report shows.
_MOST_DIGITS = 9
_MOST_SHOWN = 40
_NAME = re.compile(rb"[A-Za-z][A-Za-z-]*")
_NUMBER = re.compile(rb"[0-9]{1,%d}" % _MOST_DIGITS)


def serve_stdio(server: TextServer) -> NoReturn:
    """Serve on standard input and output, until the input ends. Other output goes to standard error."""
    output, sys.stdout = sys.stdout.buffer, sys.stderr
    server.protocol.set_writer(StdoutWriter(output))

    async def serve() -> None:
        await _listen(server, await _reader(sys.stdin.buffer, output) or StdinAsyncReader(sys.stdin.buffer))

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())
    server.leave(0)


def serve_tcp(server: TextServer, host: str, port: int) -> NoReturn:
    """Serve one client that connects, until it disconnects. Raises ``OSError`` when the port is taken."""

    async def serve() -> None:
        over = asyncio.Event()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            listener.close()
            server.protocol.set_writer(cast("Any", writer))
            await _listen(server, reader)
            over.set()

        listener = await asyncio.start_server(talk, host, port)
        print(
            f"ttl lsp: listening on {host}:{listener.sockets[0].getsockname()[1]}",
            file=sys.stderr,
            flush=True,
        )
        await over.wait()

    asyncio.run(serve())
    server.leave(0)


def _no_header(line: bytes, why: str) -> WrongRequest:
    """Return the error for a line that is not a header of a message: it is not known where the next message begins."""
    shown = repr(line[:_MOST_SHOWN])[1:] + ("..." if len(line) > _MOST_SHOWN else "")
    return WrongRequest(
        f"the client sent something that is not a header of the protocol: {shown} ({why}); the server ends"
    )


async def _listen(server: TextServer, reader: Any) -> None:
    """Answer messages until the input ends. Input that is not a message ends the server with an error."""
    try:
        while (length := await _length(reader)) is not None:
            _handle(server, await reader.readexactly(length))
    except WrongRequest as problem:
        LOG.error("%s", problem)
        print(f"ttl lsp: error: {problem}", file=sys.stderr, flush=True)
        with contextlib.suppress(Exception):  # the client may be gone
            said = types.ShowMessageParams(type=types.MessageType.Error, message=f"ttl lsp: {problem}")
            server.window_show_message(said)
        server.leave(1)
    except (OSError, asyncio.IncompleteReadError):
        LOG.info("the client has hung up")


async def _length(reader: Any) -> int | None:
    """The length of the next message, whose header is read; None at the end. Raises ``WrongRequest``."""
    length: int | None = None
    while True:
        try:
            line: bytes = await reader.readline()
        except ValueError:  # the line is longer than the limit of the stream
            raise _no_header(b"", f"a line of more than {_MOST_BYTES} bytes") from None
        if not line.endswith(b"\n"):  # the input has ended, perhaps in the middle of a line
            return None
        name, colon, value = line.strip().partition(b":")
        if not name and not colon:
            if length is None:
                raise _no_header(line, "it needs Content-Length before an empty line")
            return length
        if not colon or not _NAME.fullmatch(name):
            raise _no_header(line, "a line of a header is 'Name: value'")
        if name.lower() == b"content-length":
            if not _NUMBER.fullmatch(value.strip()):
                raise _no_header(line, f"Content-Length is a number of up to {_MOST_DIGITS} digits")
            length = int(value)


def _handle(server: TextServer, body: bytes) -> None:
    """Answer a message. An invalid one is reported, and the next may be valid."""
    try:
        server.protocol.handle_message(json.loads(body, object_hook=server.protocol.structure_message))
    except Exception as problem:
        LOG.exception("a message cannot be handled")
        server.report_server_error(problem, JsonRpcException)


async def _reader(source: BinaryIO, output: BinaryIO) -> asyncio.StreamReader | None:
    """The input as a stream of this event loop; None if that is not possible (a file, a console of Windows).

    The usual way, a thread that reads for the loop, wakes up three times for a message (two lines and the body); each
    time the thread waits for Python's lock, then the loop does: up to 6 ms during an analysis.
    """
    if os.name != "posix" or os.path.sameopenfile(source.fileno(), output.fileno()):
        return None  # reads must not block, but writes must: that needs two files
    reader = asyncio.StreamReader(limit=_MOST_BYTES)
    loop = asyncio.get_running_loop()
    try:
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
    except ValueError:
        return None
    return reader


def watch_client(process: int) -> None:
    """End this process when the client, the process with this number, has ended: a killed client sends no message.

    A client in another container, or on another machine, has a number that means nothing here: it is not watched.
    """

    def watch() -> None:
        while True:
            time.sleep(_CLIENT_LOOKED_AT)
            try:
                os.kill(process, 0)
            except ProcessLookupError:
                os._exit(1)
            except OSError:
                continue

    if os.name != "posix":  # on Windows, os.kill ends a process whatever the signal is
        return
    with contextlib.suppress(OSError):
        os.kill(process, 0)
        threading.Thread(target=watch, name="client", daemon=True).start()
