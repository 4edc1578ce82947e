"""How messages come and go, on standard input and output or from one client that connects; and that the client is still there."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, cast

from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async

if TYPE_CHECKING:
    from ttl.lsp.server import Server

LOG = logging.getLogger(__name__)
# How often is looked whether the client still runs, in seconds.
_CLIENT_LOOKED_AT = 2.0
# Bytes of a message that are kept before the client has to wait: more than the text of any program.
_MOST_BYTES = 1 << 24


def serve_stdio(server: Server) -> NoReturn:
    """Serve on standard input and output, until the input ends. What else is printed goes to standard error."""
    output, sys.stdout = sys.stdout.buffer, sys.stderr
    server.protocol.set_writer(StdoutWriter(output))

    async def serve() -> None:
        await _listen(server, await _reader(sys.stdin.buffer, output) or StdinAsyncReader(sys.stdin.buffer))

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())
    server.leave(0)


def serve_tcp(server: Server, host: str, port: int) -> NoReturn:
    """Serve one client that connects, until it leaves. Raises ``OSError`` where the port is taken."""

    async def serve() -> None:
        over = asyncio.Event()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            listener.close()
            server.protocol.set_writer(cast(Any, writer))
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


async def _listen(server: Server, reader: Any) -> None:
    """Until there is nothing more."""
    try:
        await run_async(threading.Event(), reader, server.protocol, LOG, server.report_server_error)
    except (OSError, asyncio.IncompleteReadError):
        LOG.info("the client has hung up")


async def _reader(source: BinaryIO, output: BinaryIO) -> asyncio.StreamReader | None:
    """The input as a stream of this loop; None where it cannot be one (a file, a console of Windows).

    A thread that reads for the loop, as is usual, is woken three times for a message (two lines and what follows), and each
    time it waits for Python's lock, then the loop does: up to 6 ms while something is analysed.
    """
    if os.name != "posix" or os.path.sameopenfile(source.fileno(), output.fileno()):
        return None  # what is read must not block, what is written must
    reader = asyncio.StreamReader(limit=_MOST_BYTES)
    loop = asyncio.get_running_loop()
    try:
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
    except ValueError:
        return None
    return reader


def watch_client(process: int) -> None:
    """End with the client, the process of this number: where it was killed, nobody says so.

    A client in another container, or on another machine, has a number that says nothing here: it is not looked for.
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

    if os.name != "posix":  # there, os.kill ends a process whatever the signal
        return
    with contextlib.suppress(OSError):
        os.kill(process, 0)
        threading.Thread(target=watch, name="client", daemon=True).start()
