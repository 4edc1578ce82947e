"""One process that does the work for items, one after the other, within limits. It leaves nothing behind.

It runs under ``ttl.processes.supervisor``: when the process that sends work ends, in any way, this process and all that it started end, too.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Lock
from typing import IO, Any

from ttl import processes
from ttl.session.patience import Unavailable
from ttl.session.switches import environment_of_task
from ttl.sweeps.work import Loss, SweepAnswer, SweepWork

_SUPERVISOR = str(Path(processes.__file__).with_name("supervisor.py"))
# Like a console script: no modules are imported from the current folder.
_START = """
import os, runpy, sys
if not sys.flags.safe_path:
    sys.path[0] = os.path.dirname(sys.executable)
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""
# The supervisor's own time limit, far beyond all limits of items.
_LIFETIME = 30 * 86400
_MOST_REPORT = 1 << 16
# The number of attempts for an item whose process died.
_TRIES = 2


def _lost(loss: Loss, why: str) -> Unavailable:
    """Return the exception for a lost process."""
    return Unavailable(why, loss)


class WorkerProcess:
    """Does the work for items, one at a time, for one thread at a time; starts a process if there is no running one."""

    def __init__(self, work: SweepWork) -> None:
        self._work = work
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._control = -1
        self._stopped = False

    def ask(self, number: int, item: Any) -> SweepAnswer:
        """Return the answer for an item. An item whose process is killed is tried once more, in another process."""
        for _ in range(_TRIES):
            try:
                return SweepAnswer(number=number, value=self._asked(item))
            except Unavailable as lost:
                report = self._report()
                self.close()
                answer = SweepAnswer(number=number, loss=lost.at, why=str(lost), report=report)
                if lost.at != "died" or self._stopped:
                    break
        return answer

    def stop(self) -> None:
        """End the process, even while another thread waits for it; no new process is started."""
        self._stopped = True
        self._let_go()

    def _let_go(self) -> None:
        with self._lock:
            if self._control >= 0:
                os.close(self._control)
            self._control = -1

    def close(self) -> None:
        """End the process and all processes that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        self._let_go()
        os.close(self._status)
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.stdout.close()
        process.wait()
        self._errors.close()

    def _asked(self, item: Any) -> Any:
        if self._process is not None and self._process.poll() is not None:
            self.close()  # it ended after being idle for too long
        if self._process is None:
            self._start()
            self._send({"function": self._work.function, "task": self._work.task})
        limits = self._work.limits
        self._send({"item": item})
        message = self._receive(limits.first)
        if "begun" in message:
            message = self._receive(limits.seconds)
        return message["answer"]

    def _start(self) -> None:
        if why := processes.why_not():
            raise _lost("died", why)
        control_in, control = os.pipe()
        with self._lock:
            self._control = control
        if self._stopped:
            self._let_go()
        self._status, status_in = os.pipe()
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - until the process has ended
        self._buffer = b""
        limits = (str(_LIFETIME), str(self._work.limits.megabytes), str(control_in), str(status_in), "-1")
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", _SUPERVISOR, *limits),
                *(sys.executable, "-c", _START, self._work.module),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            pass_fds=(control_in, status_in),
            env=environment_of_task({"PYTHONUNBUFFERED": "1"}),
            start_new_session=True,
            bufsize=0,
        )
        os.close(control_in)
        os.close(status_in)

    def _send(self, message: object) -> None:
        """Send a message to the process; if the process has died, the missing answer shows it."""
        assert self._process is not None and self._process.stdin is not None
        data = json.dumps(message).encode() + b"\n"
        with contextlib.suppress(OSError):
            while data:
                data = data[self._process.stdin.write(data) or 0 :]

    def _receive(self, seconds: float) -> dict[str, Any]:
        assert self._process is not None and self._process.stdout is not None
        stream = self._process.stdout
        until = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([stream], [], [], left)[0]:
                raise _lost("time", f"took longer than {seconds:g} s")
            data = os.read(stream.fileno(), 1 << 16)
            if not data:
                raise self._ended()
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def _ended(self) -> Unavailable:
        """Return the reason why the process has ended, as the supervisor reports it."""
        text = b""
        while data := os.read(self._status, 1 << 12):
            text += data
        try:
            told = json.loads(text)
        except ValueError:  # the supervisor itself was killed
            return _lost("died", "its process died")
        if told.get("ended") == "memory":
            return _lost("memory", f"used more than {self._work.limits.megabytes:,} MB of memory")
        code = told.get("code")
        if isinstance(code, int) and code < 0:
            return _lost("died", f"its process died of signal {-code}")
        return _lost("failed", f"its process ended with exit code {code}")

    def _report(self) -> str:
        if self._process is None:
            return ""
        end = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, end - _MOST_REPORT))
        return self._errors.read().decode(errors="replace")
