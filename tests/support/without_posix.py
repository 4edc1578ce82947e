"""``ttl`` where the names are missing that Windows has not: what nothing of ours may need before it is asked to run a program.

    python without_posix.py lsp

Python itself and the libraries, which know the system that they are on, are imported before.
"""

import asyncio  # noqa: F401
import concurrent.futures  # noqa: F401
import os
import signal
import socket
import subprocess  # noqa: F401
import sys

import lsprotocol.types  # noqa: F401
import numpy  # noqa: F401
import pygls.lsp.server  # noqa: F401
import xdsl.dialects.builtin  # noqa: F401

MISSING = {
    os: ("fork", "killpg", "setsid", "sysconf", "WNOHANG", "sched_getaffinity", "geteuid", "getuid", "uname", "nice", "getloadavg", "register_at_fork", "waitid"),
    signal: ("SIGHUP", "SIGKILL", "SIGALRM", "SIGCHLD", "SIGUSR1", "SIGPIPE", "pthread_sigmask", "setitimer"),
    socket: ("send_fds", "recv_fds"),
}  # fmt: skip

if __name__ == "__main__":
    for module, names in MISSING.items():
        for name in names:
            vars(module).pop(name, None)
    for absent in ("fcntl", "grp", "pwd", "resource", "termios"):
        sys.modules[absent] = None  # type: ignore[assignment]
    from ttl import processes

    processes.IS_POSIX = False
    from ttl.lsp import transport

    async def no_stream(*streams: object) -> None:
        """Standard input is no stream of a loop there: a thread reads it."""

    transport._reader = no_stream  # type: ignore[assignment]
    transport.watch_client = lambda process: None
    from ttl.cli.main import main

    sys.exit(main())
