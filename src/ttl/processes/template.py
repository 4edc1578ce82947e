"""A process that has imported the modules that many tasks need, and forks for each of them: tasks begin at once.

``Template`` is the caller's end; this module, run as a script, is the process. It runs nothing of a task itself. Every
fork is a supervisor (``ttl.processes.supervisor``), whose only child is the task: with the streams, folder, environment
and limits that a new process would have, no other open files, and nothing of this process but the modules that it
imported.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ttl.processes import CHANNEL, isolated, supervisor
from ttl.session.switches import become_task, environment_of_task

_LARGEST_DESCRIPTOR = 1 << 16
# The parts of a request: its text, standard streams, control and status of the supervisor, the task's channel.
_DESCRIPTORS = 7


class Template:
    """Starts the process with the first task; it ends when this object, or the process that has it, is gone."""

    def __init__(
        self, modules: Sequence[str], environment: Mapping[str, str], folders: Sequence[str] = ()
    ) -> None:
        """``modules`` are imported once, also from ``folders``; ``environment``: variables unlike this process's."""
        self._folders = [*folders]
        self._modules = [*modules]
        self._environment = {
            name: value
            for name, value in environment_of_task(environment).items()
            if not name.startswith("PYTHON") or name in environment
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def start(self, request: Mapping[str, Any], streams: Sequence[int]) -> None:
        """Begin a task.

        ``request`` has ``function`` (``module:name``), ``arguments``, ``folder``, ``environment``, ``seconds``,
        ``megabytes`` and ``channel`` (whether the task has one). ``streams`` are standard input, output and error,
        control and status of the supervisor, the channel. Raises ``OSError`` where the process cannot be started or has
        just ended.
        """
        with tempfile.TemporaryFile() as text:
            text.write(json.dumps(request).encode())
            text.seek(0)
            socket.send_fds(self._connected(), [b"\0"], [text.fileno(), *streams])

    def close(self) -> None:
        """End the process, after the tasks that it has become."""
        process, self._process = self._process, None
        if self._socket is not None:
            self._socket.close()
        if process is not None:
            process.wait()

    def _connected(self) -> socket.socket:
        if self._socket is None or self._process is None or self._process.poll() is not None:
            self.close()
            self._socket, there = socket.socketpair()
            with there:
                self._process = subprocess.Popen(
                    isolated.command(
                        __name__,
                        str(there.fileno()),
                        *self._modules,
                        flags=("-P", "-s"),
                        folders=self._folders,
                    ),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=(there.fileno(),),
                    env=self._environment,
                    start_new_session=True,
                )
        return self._socket


def main(arguments: Sequence[str]) -> int:
    """Fork a process for each task that is requested, until the socket closes."""
    asked = socket.socket(fileno=int(arguments[0]))
    for module in arguments[1:]:
        importlib.import_module(module)
    # No task searches the imported objects for garbage, which would copy all of them.
    gc.freeze()
    while True:
        sent, descriptors, _, _ = socket.recv_fds(asked, 1, _DESCRIPTORS)
        if not sent:
            _reap(0)
            return 0
        if os.fork() == 0:
            asked.close()
            return _supervised(*descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        _reap(os.WNOHANG)


def _reap(options: int) -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass


def _supervised(
    text: int, given: int, output: int, errors: int, control: int, status: int, channel: int
) -> int:
    """Become the supervisor, which ends here, and the task, whose exit code is returned."""
    with os.fdopen(text, "rb") as file:
        request = json.loads(file.read())
    os.setsid()
    for descriptor, stream in ((given, 0), (output, 1), (errors, 2)):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    os.chdir(request["folder"])
    supervisor.prepare()
    child = os.fork()
    if child:
        os.close(channel)
        supervisor.watch(
            child,
            _poll_of(child),
            seconds=request["seconds"],
            megabytes=request["megabytes"],
            control=control,
            status=status,
        )
        os._exit(0)
    os.setsid()
    supervisor.as_command()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if request["channel"]:
        os.dup2(channel, CHANNEL)
    os.closerange(CHANNEL + request["channel"], _LARGEST_DESCRIPTOR)
    become_task(request["environment"])
    tempfile.tempdir = None
    _forget_random_numbers()
    module, _, name = request["function"].partition(":")
    function: Callable[[list[str]], int] = getattr(importlib.import_module(module), name)
    return function(request["arguments"])


def _poll_of(child: int) -> Callable[[], int | None]:
    codes: list[int] = []

    def poll() -> int | None:
        if not codes:
            try:
                ended, how = os.waitpid(child, os.WNOHANG)
            except ChildProcessError:  # it was reaped with others
                codes.append(-signal.SIGKILL)
            else:
                if ended:
                    codes.append(os.waitstatus_to_exitcode(how))
        return codes[0] if codes else None

    return poll


def _forget_random_numbers() -> None:
    """Seed NumPy's generator, so that two tasks that set no seed get different numbers, as new processes do.

    Python's own generator does so by itself.
    """
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
