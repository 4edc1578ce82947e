"""Runs a command without network access and without permission to change files; a script of the standard library alone.

    python -I -S fence.py NETWORK FILES FOLDERS HIDDEN SHOWN COMMAND...
    python -I -S fence.py --probe

NETWORK is ``namespace`` (Linux: a network namespace of its own, with only a loopback device that is down), ``seccomp``
(Linux: sockets of every other family than Unix are refused) or ``open``. FILES is ``landlock`` (Linux: no file outside
of FOLDERS can be created, changed or removed, and no process outside can be signalled or inspected) or ``open``. If a
restriction is not available, this process ends with exit code 97 before the command begins. With ``landlock``, files in
the folders HIDDEN cannot be read unless they lie in the files and folders SHOWN or in FOLDERS; all three are lists in
JSON. ``--probe`` prints the best available values of NETWORK and FILES, as JSON.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import platform
import struct
import sys
from collections.abc import Collection, Iterator, Sequence

REFUSED = 97

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
# The system calls of Landlock, which have the same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_WRITE_FILE = 1 << 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
# The rights to remove, and to create, entries of every kind (not ``IOCTL_DEV``, which terminals need).
_ENTRIES = sum(1 << bit for bit in range(4, 13))
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_SCOPES = 1 | 2  # abstract Unix sockets, signals
# Devices that may be written to in any case.
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/shm")
# By machine: the number of the architecture in a filter; the calls ``socket``, ``socketpair`` and ``io_uring_setup``.
_CALLS = {"x86_64": (0xC000003E, 41, 53, 425), "aarch64": (0xC00000B7, 198, 199, 425)}
_AF_UNIX = 1
_EPERM = 1


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _own_network() -> bool:
    libc = _libc()
    if libc.unshare(_CLONE_NEWNET) == 0:
        return True
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    # The user stays the same inside, and with it the permission to read files.
    with contextlib.suppress(OSError):
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    return os.getuid() == user


def _instruction(code: int, jump_true: int, jump_false: int, value: int) -> bytes:
    return struct.pack("HBBI", code, jump_true, jump_false, value)


def _no_sockets() -> bool:
    """Forbid ``socket`` and ``socketpair`` of other families than Unix, and io_uring; return whether it succeeded."""
    calls = _CALLS.get(platform.machine())
    if calls is None or sys.byteorder != "little":
        return False
    architecture, socket, pair, uring = calls
    load, equal, give = 0x20, 0x15, 0x06
    allow, refuse, kill = 0x7FFF0000, 0x00050000 | _EPERM, 0x80000000
    program = [
        _instruction(load, 0, 0, 4),  # the architecture
        _instruction(equal, 1, 0, architecture),
        _instruction(give, 0, 0, kill),
        _instruction(load, 0, 0, 0),  # the number of the system call
        _instruction(equal, 5, 0, uring),
        _instruction(equal, 1, 0, socket),
        _instruction(equal, 0, 2, pair),
        _instruction(load, 0, 0, 16),  # its first argument
        _instruction(equal, 0, 1, _AF_UNIX),
        _instruction(give, 0, 0, allow),
        _instruction(give, 0, 0, refuse),
    ]
    if architecture == 0xC000003E:
        # System calls of the x32 ABI have other numbers.
        program[4:4] = [_instruction(0x35, 0, 1, 0x40000000), _instruction(give, 0, 0, kill)]
    code = ctypes.create_string_buffer(b"".join(program))

    class FencedProgram(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))

    filter_ = FencedProgram(len(program), ctypes.cast(code, ctypes.c_void_p).value)
    libc = _libc()
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return int(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(filter_), 0, 0)) == 0


def _landlock_version() -> int:
    if not sys.platform.startswith("linux"):
        return 0
    return max(int(_libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)), 0)


def _visible(folder: str, hidden: Collection[str]) -> Iterator[str]:
    """Yield files and folders that together contain all of a folder except the hidden folders."""
    if folder in hidden:
        return
    if not any(other.startswith(folder.rstrip("/") + "/") for other in hidden):
        yield folder
        return
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if not entry.is_symlink():
                yield from _visible(entry.path, hidden)


def _read_only(folders: Sequence[str], hidden: Sequence[str], shown: Sequence[str]) -> bool:
    """Forbid changes outside of the folders and reads of hidden files, and return whether that is supported.

    It needs version 3 of Landlock, which covers truncation.
    """
    version = _landlock_version()
    if version < 3:
        return False
    libc = _libc()
    reading = _READ_FILE | _READ_DIR if hidden else 0
    changing = _WRITE_FILE | _ENTRIES | _REFER | _TRUNCATE
    handled = changing | reading
    attributes = struct.pack("QQQ", handled, 0, _SCOPES if version >= 6 else 0)[: 24 if version >= 6 else 8]
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    rules = libc.syscall(_CREATE_RULESET, buffer, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return False
    away = {os.path.realpath(path) for path in hidden}
    readable = [*_visible("/", away), *shown, *folders] if away else []
    wanted = [*((path, changing) for path in (*folders, *_DEVICES)), *((path, reading) for path in readable)]
    for path, rights in wanted:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        allowed = rights & (~0 if os.path.isdir(path) else _WRITE_FILE | _TRUNCATE | _READ_FILE)
        beneath = ctypes.create_string_buffer(struct.pack("=Qi", allowed, place), 12)
        failed = libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, beneath, 0)
        os.close(place)
        if failed:
            return False
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return int(libc.syscall(_RESTRICT_SELF, rules, 0)) == 0


def _as_it_is() -> bool:
    return True


_NETWORKS = {"namespace": _own_network, "seccomp": _no_sockets, "open": _as_it_is}


def _tried(attempt: str) -> bool:
    """Whether a restriction is available; tried in a child process, which ends with it."""
    child = os.fork()
    if child == 0:
        try:
            done = _read_only((), (), ()) if attempt == "landlock" else _NETWORKS[attempt]()
        except BaseException:
            done = False
        os._exit(0 if done else 1)
    return os.waitpid(child, 0)[1] == 0


def probe() -> dict[str, str]:
    """The strictest restrictions that this machine supports."""
    linux = sys.platform.startswith("linux")
    network = next((name for name in ("namespace", "seccomp") if linux and _tried(name)), "open")
    return {"network": network, "files": "landlock" if linux and _tried("landlock") else "open"}


def enter(network: str, files: str, *places: str) -> bool:
    """Restrict this process and its future children, forever; return whether that was possible.

    ``places``: FOLDERS, HIDDEN and SHOWN, as on the command line.
    """
    if not _NETWORKS[network]():
        return False
    return files == "open" or _read_only(*map(json.loads, places))


def main(arguments: list[str]) -> int:
    """Run the command line of this script."""
    if arguments == ["--probe"]:
        print(json.dumps(probe()))
        return 0
    command = arguments[5:]
    if not enter(*arguments[:5]):
        return REFUSED
    os.execv(command[0], command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
