"""Runs the user's program in a process of its own, within limits of time, memory and output. Nothing of it is left when it ends."""

from __future__ import annotations

import errno
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from ttl.processes import why_not
from ttl.processes.template import Template
from ttl.session.switches import environment_of_task

TaskStatus = Literal["ok", "failed", "cancelled", "limit"]

_SUPERVISOR = str(Path(__file__).with_name("supervisor.py"))
_CHUNK = 1 << 16
# The most objects of one run that are kept, and their bytes: a program that launches without end has more, which are
# dropped.
_MOST_OBJECTS = 10_000
_MOST_OBJECT_BYTES = 64 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The limits of a task."""

    seconds: float = 60.0
    megabytes: int = 4096
    """The megabytes of memory of all its processes together."""
    output: int = 1 << 20
    """Characters of output that are kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskResult:
    """The end of a task."""

    status: TaskStatus
    """``failed``: the program ended with another exit code than 0; ``limit``: it was ended, as ``reason`` says."""
    exit_code: int | None
    """None where the task was ended; less than 0: minus the number of the signal that ended it."""
    seconds: float
    output: str
    """The task's standard output and error, without the objects."""
    cut: int
    """Characters of output that were not kept."""
    objects: tuple[dict[str, Any], ...]
    """The objects of ``--format json``: diagnostics, exceptions, profiles, statistics."""
    reason: str = ""
    """The name of the limit."""
    peak_bytes: int = 0
    """The most memory that was seen in use."""
    answer: bytes = b""
    """The bytes that the task wrote to its channel, if it has one."""

    def of_kind(self, *kinds: str) -> list[dict[str, Any]]:
        """The objects of some kinds."""
        return [item for item in self.objects if item.get("kind") in kinds]


class Task:
    """A command, to be run once. ``run`` may be called on any thread, and ``cancel`` on any other, before, while or after it runs."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        text: str = "",
        folder: str | None = None,
        limits: Limits | None = None,
        environment: Mapping[str, str] | None = None,
        channel: int = 0,
    ) -> None:
        """``text`` is its standard input, ``folder`` its working folder, ``environment`` its own variables.

        ``environment`` has the variables that differ from this process's. ``channel``: the most bytes of an answer,
        which the task writes to descriptor ``CHANNEL``, that are kept; 0: it writes no answer.
        """
        self._most_answer = channel
        self._command = [*command]
        self._text = text
        self._folder = folder
        self._limits = limits or Limits()
        self._environment = environment_of_task(
            {"PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8", **(environment or {})}
        )
        self._lock = Lock()
        self._control: int | None = None
        self._cancelled = False

    def cancel(self) -> None:
        """End the task, and all it has started."""
        with self._lock:
            self._cancelled = True
            self._close_control()

    def run(self, on_output: Callable[[str], None] = lambda text: None) -> TaskResult:
        """Run it to its end. ``on_output`` gets its output as it comes.

        Raises ``OSError`` where no process can be started.
        """
        if why := why_not():
            raise OSError(errno.ENOTSUP, why)
        begun = time.monotonic()
        output = _Output(self._limits.output, on_output)
        answer = bytearray()
        status = self._supervised(output, answer)
        seconds = time.monotonic() - begun
        output.finish()
        ended, code = status.get("ended", "exit"), status.get("code")
        reason = ""
        if self._cancelled or ended == "cancelled":
            told: TaskStatus = "cancelled"
        elif ended == "time":
            told, reason = "limit", f"it ran longer than {self._limits.seconds:g} s"
        elif ended == "memory":
            told, reason = "limit", f"it used more than {self._limits.megabytes} MB of memory"
        else:
            told = "ok" if code == 0 else "failed"
            if isinstance(code, int) and code < 0:
                reason = f"it was ended by signal {-code} ({_name_of(-code)})"
        return TaskResult(
            status=told,
            exit_code=code if told in ("ok", "failed") else None,
            seconds=seconds,
            output=output.text,
            cut=output.cut,
            objects=tuple(output.objects),
            reason=reason,
            peak_bytes=int(status.get("peak", 0)),
            answer=bytes(answer),
        )

    def _supervised(self, output: _Output, answer: bytearray) -> dict[str, Any]:
        """Start the supervisor and read until it is over. Return its report."""
        # The ends of pipes: to read the task's output and errors and the supervisor's report, and to write them.
        (printed, out), (told, err), (status, status_in) = os.pipe(), os.pipe(), os.pipe()
        control_in, control = os.pipe()
        answered, answer_in = os.pipe()
        theirs = [out, err, control_in, status_in, answer_in]
        with self._lock:
            self._control = control
            if self._cancelled:
                self._close_control()
        try:
            with tempfile.TemporaryFile() as standard_input:
                standard_input.write(self._text.encode("utf-8", "surrogatepass"))
                standard_input.seek(0)
                wait = self._start([standard_input.fileno(), *theirs])
            for descriptor in theirs:
                os.close(descriptor)
            theirs = []
            try:
                _read({printed: output.print, told: output.error, answered: self._answering(answer)})
            except BaseException:  # of the function that gets the output
                with self._lock:
                    self._close_control()
                raise
            finally:
                wait()
            with os.fdopen(status, "rb", closefd=False) as file:
                text = file.read()
        finally:
            with self._lock:
                self._close_control()
            for descriptor in (*theirs, printed, told, status, answered):
                os.close(descriptor)
        try:
            said = json.loads(text)
        except ValueError:  # the supervisor was killed: by the system, for want of memory
            return {"ended": "exit", "code": -9}
        return said if isinstance(said, dict) else {}

    def _start(self, streams: Sequence[int]) -> Callable[[], object]:
        """Start the supervisor with these streams: standard ones, control, status and channel.

        Return a function that waits for its end.
        """
        given, out, err, control, status, answer = streams
        limits = self._limits
        process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", _SUPERVISOR),
                *map(str, (limits.seconds, limits.megabytes, control, status)),
                str(answer if self._most_answer else -1),
                *self._command,
            ],
            stdin=given,
            stdout=out,
            stderr=err,
            pass_fds=(control, status, answer),
            cwd=self._folder,
            env=self._environment,
            start_new_session=True,
        )
        return process.wait

    def _answering(self, answer: bytearray) -> Callable[[bytes], None]:
        def take(data: bytes) -> None:
            answer.extend(data[: max(self._most_answer - len(answer), 0)])

        return take

    def _close_control(self) -> None:
        if self._control is not None:
            os.close(self._control)
            self._control = None


class ForkedTask(Task):
    """A function that is called in a process forked from a template: from the arguments to the exit code."""

    def __init__(
        self,
        template: Template,
        function: str,
        arguments: Sequence[str],
        *,
        folder: str,
        limits: Limits,
        environment: Mapping[str, str],
        text: str = "",
        channel: int = 0,
    ) -> None:
        """``function`` is ``module:name``; for the others see ``Task``."""
        super().__init__(
            arguments, folder=folder, limits=limits, environment=environment, text=text, channel=channel
        )
        self._template = template
        self._function = function

    def _start(self, streams: Sequence[int]) -> Callable[[], object]:
        request = {
            "function": self._function,
            "arguments": self._command,
            "folder": self._folder,
            "environment": self._environment,
            "seconds": self._limits.seconds,
            "megabytes": self._limits.megabytes,
            "channel": self._most_answer > 0,
        }
        self._template.start(request, streams)
        return lambda: None


def _read(takers: Mapping[int, Callable[[bytes], None]]) -> None:
    """Read descriptors until all their writers have closed them, and pass the data to the callbacks."""
    with selectors.DefaultSelector() as selector:
        for descriptor, take in takers.items():
            selector.register(descriptor, selectors.EVENT_READ, take)
        while selector.get_map():
            for key, _ in selector.select():
                data = os.read(key.fd, _CHUNK)
                if data:
                    key.data(data)
                else:
                    selector.unregister(key.fd)


class _Output:
    """The beginning of a process's output, and the objects on its standard error."""

    def __init__(self, most: int, told: Callable[[str], None]) -> None:
        self._most = most
        self._told = told
        self._parts: list[str] = []
        self._length = 0
        self._line = b""
        self._object_bytes = 0
        self.cut = 0
        self.objects: list[dict[str, Any]] = []

    @property
    def text(self) -> str:
        """The part of the output that is kept."""
        return "".join(self._parts)

    def print(self, data: bytes) -> None:
        """Take a part of standard output."""
        self._add(data.decode("utf-8", "replace"))

    def error(self, data: bytes) -> None:
        """Take a part of standard error: whole lines that are objects are kept as such."""
        *lines, self._line = (self._line + data).split(b"\n")
        for line in lines:
            self._take(line + b"\n")
        if len(self._line) > _MOST_OBJECT_BYTES or (self._line and not self._line.startswith(b"{")):
            self._add(self._line.decode("utf-8", "replace"))
            self._line = b""

    def finish(self) -> None:
        """Take the rest, when there is no more output."""
        if self._line:
            self._take(self._line)
        self._line = b""

    def _take(self, line: bytes) -> None:
        if line.startswith(b"{"):
            try:
                item = json.loads(line)
            except ValueError:
                item = None
            if isinstance(item, dict) and "kind" in item and "schema" in item:
                self._object_bytes += len(line)
                if len(self.objects) < _MOST_OBJECTS and self._object_bytes <= _MOST_OBJECT_BYTES:
                    self.objects.append(item)
                return
        self._add(line.decode("utf-8", "replace"))

    def _add(self, text: str) -> None:
        room = self._most - self._length
        kept = text[: max(room, 0)]
        self.cut += len(text) - len(kept)
        if kept:
            self._length += len(kept)
            self._parts.append(kept)
            self._told(kept)


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
