"""Runs a command within limits and ends all of its processes: a script, started by ``ttl.processes.tasks``.

It uses the standard library alone.

    python -I -S supervisor.py SECONDS MEGABYTES CONTROL STATUS CHANNEL COMMAND...

CONTROL, STATUS and CHANNEL are file descriptors; the command gets CHANNEL as descriptor 3, unless it is less than 0.
When CONTROL ends, because the process that asked for the command cancels it or has ended in any way, everything that
the command has started is killed. STATUS gets one line of JSON: how it ended, its exit code.

On Linux this process becomes the parent of processes that its descendants leave behind, so that not even a process that
has made itself a session of its own outlives the command; elsewhere the command's session is killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
# Seconds between two checks of the clock and the memory, and between asking a process to end and killing it.
_LOOK = 0.05
_GRACE = 0.5
# Seconds in which processes are looked for that were started while others were killed.
_PATIENCE = 5.0
# ``ttl.processes.CHANNEL``; this script imports nothing of the package.
_CHANNEL = 3
# Windows, where this module is imported but runs nothing, does not have all of them.
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def _prctl() -> Callable[[int, int], object]:
    """Linux's ``prctl``; elsewhere a function that does nothing."""
    if not sys.platform.startswith("linux"):
        return lambda option, value: None
    import ctypes

    function = ctypes.CDLL(None, use_errno=True).prctl
    return lambda option, value: function(option, value, 0, 0, 0)


def _descendants() -> dict[int, int]:
    """The processes that come from this one, with the bytes of memory that each has to itself."""
    try:
        return _from(os.getpid())
    except FileNotFoundError:  # a kernel that does not list children
        return _among_all()


def _from(ancestor: int) -> dict[int, int]:
    """Return the descendants of a process with their parents, from the kernel's lists of children.

    That is quick however many processes there are.
    """
    with open(f"/proc/{ancestor}/task/{ancestor}/children", "rb"):
        pass
    result: dict[int, int] = {}
    parents = [ancestor]
    while parents:
        parent = parents.pop()
        try:
            children = []
            for thread in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{thread}/children", "rb") as file:
                    children += [int(number) for number in file.read().split()]
        except OSError:  # it has ended meanwhile
            continue
        for child in children:
            status = _status_of(child)
            if status is not None and child not in result:
                result[child] = status[1]
                parents.append(child)
    return result


def _status_of(process: int) -> tuple[int, int] | None:
    """Return the parent of a process and its private bytes; None where it has ended."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        with open(f"/proc/{process}/statm", "rb") as file:
            pages = file.read().split()
    except OSError:
        return None
    if fields[0] in (b"Z", b"X"):
        return None
    return int(fields[1]), (int(pages[1]) - int(pages[2])) * _PAGE


def _among_all() -> dict[int, int]:
    try:
        entries = os.listdir("/proc")
    except OSError:
        return {}
    known = {int(name): status for name in entries if name.isdigit() and (status := _status_of(int(name)))}
    own = os.getpid()
    result = {}
    for process in known:
        ancestor = process
        while ancestor in known and ancestor != own:
            ancestor = known[ancestor][0]
        if ancestor == own and process != own:
            result[process] = known[process][1]
    return result


def _signal_all(group: int, number: int) -> bool:
    """Send a signal to all processes that the command has started. Return whether any is left."""
    left = list(_descendants())
    try:
        os.killpg(group, number)
        group_left = True
    except (ProcessLookupError, PermissionError):
        group_left = False
    for process in left:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):
            continue
    return bool(left) or (group_left and not os.path.isdir("/proc/self"))


def _reap() -> None:
    """Reap ended processes that were left to this one."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _end_all(group: int, grace: float) -> None:
    if grace:
        _signal_all(group, signal.SIGTERM)
        until = time.monotonic() + grace
        while time.monotonic() < until and _descendants():
            time.sleep(0.01)
            _reap()
    until = time.monotonic() + _PATIENCE
    while _signal_all(group, signal.SIGKILL) and time.monotonic() < until:
        time.sleep(0.01)
        _reap()
    _reap()


def prepare() -> None:
    """Prepare this process, before it starts a command, to end with all processes of the command."""
    _prctl()(_PR_SET_CHILD_SUBREAPER, 1)
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def as_command() -> None:
    """Restore the default signal handlers and end with the parent; the command's process calls this first."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    _prctl()(_PR_SET_PDEATHSIG, signal.SIGKILL)


def watch(
    child: int, poll: Callable[[], int | None], *, seconds: float, megabytes: int, control: int, status: int
) -> None:
    """Wait for the end of a command, or end it; then end the processes that it left. ``poll`` returns its exit code."""
    begun = time.monotonic()
    # The command's output is read until all writers have closed it: this process must not be one of them.
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    ended = "exit"
    peak = 0
    while poll() is None:
        memory = sum(_descendants().values())
        peak = max(peak, memory)
        if time.monotonic() - begun > seconds:
            ended = "time"
            break
        if memory > megabytes << 20:
            ended = "memory"
            break
        if select.select([control], [], [], _LOOK)[0]:
            ended = "cancelled"
            break
    # A process that ran into its limit of memory continues to allocate: it gets no time to end by itself.
    _end_all(child, 0.0 if ended in ("exit", "memory") else _GRACE)
    with contextlib.suppress(OSError):  # the process that asked has ended
        os.write(status, json.dumps({"ended": ended, "code": poll(), "peak": peak}).encode() + b"\n")


def main(arguments: list[str]) -> int:
    """Run the command line of this script."""
    seconds, megabytes, *descriptors = arguments[:5]
    control, status, channel = map(int, descriptors)
    prepare()
    handed: tuple[int, ...] = ()
    if channel >= 0:
        control, status = (os.dup(number) if number == _CHANNEL else number for number in (control, status))
        os.dup2(channel, _CHANNEL)
        handed = (_CHANNEL,)
        if channel != _CHANNEL:
            os.close(channel)
    child = subprocess.Popen(arguments[5:], start_new_session=True, preexec_fn=as_command, pass_fds=handed)
    for number in handed:
        os.close(number)
    watch(
        child.pid,
        child.poll,
        seconds=float(seconds),
        megabytes=int(megabytes),
        control=control,
        status=status,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
