"""Detection of forbidden acts of a program while it is scored, by an audit hook of Python, which cannot be removed.

The fence limits the acts that are possible; this module detects attempts that an honest program has no reason for. Each
of them disqualifies the program: its total is 0.
"""

from __future__ import annotations

import os
import signal
import sys
import sysconfig
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import numpy.testing  # noqa: F401 - its functions are watched, too

from ttl.processes import CHANNEL

_PROCESSES = frozenset(
    ("os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec", "os.system", "subprocess.Popen", "pty.spawn")
)  # fmt: skip
_OBJECTS = frozenset(("gc.get_objects", "gc.get_referrers", "gc.get_referents"))
_INTERPRETER = frozenset(
    ("sys.settrace", "sys.setprofile", "sys.addaudithook", "sys.monitoring.register_callback")
)
_CHANGES = frozenset(
    ("os.rename", "os.remove", "os.truncate", "os.link", "os.symlink", "os.chmod", "os.rmdir", "os.mkdir")
)
_IN_PLACE = frozenset(("__code__", "__defaults__", "__kwdefaults__"))
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Modules whose functions a program has no reason to replace: this package, and modules that compare or send answers.
_KEPT = ("ttl", "ttnn", "numpy", "torch.testing", "builtins", "json", "os", "math")
_OURS = str(Path(__file__).resolve().parents[1])


class CheatWatcher:
    """Watches a process from its creation on.

    ``told`` is called with the reason why the program is disqualified, before the forbidden action happens.
    """

    def __init__(self, told: Callable[[str], None], *, private: str, own: str, program: str) -> None:
        """``private`` is the folder of the score; the program may use only ``own`` in it. ``program`` is its file."""
        self._told = told
        self._kept = _functions()
        self._watching = [True]
        sys.addaudithook(_hook(told, self._watching, private, own, program))

    def finish(self) -> None:
        """Stop watching; report replaced functions, threads and alarms that the program has left in this process."""
        self._watching.clear()
        for name, function in self._kept.items():
            if name.now() is not function:
                self._told(f"it replaces {name}")
                break
        if any(map(_is_programs, sys._current_frames().items())):
            self._told("it leaves a thread behind, which could act when it is judged")
        if hasattr(signal, "getitimer") and signal.getitimer(signal.ITIMER_REAL)[0] > 0:
            self._told("it leaves an alarm behind, which could go off when it is judged")


class FunctionPlace:
    """The place of a function: the attribute of a module or class."""

    __slots__ = ("attribute", "owner")

    def __init__(self, owner: ModuleType | type, attribute: str) -> None:
        self.owner, self.attribute = owner, attribute

    def now(self) -> Any:
        """The current value of the attribute."""
        return vars(self.owner).get(self.attribute)

    def __str__(self) -> str:
        owner = self.owner
        name = owner.__name__ if isinstance(owner, ModuleType) else f"{owner.__module__}.{owner.__qualname__}"
        return f"{name}.{self.attribute}"


def _functions() -> Mapping[FunctionPlace, Any]:
    kept: dict[FunctionPlace, Any] = {}
    for name, module in list(sys.modules.items()):
        if not any(name == known or name.startswith(f"{known}.") for known in _KEPT):
            continue
        for attribute, value in list(vars(module).items()):
            if not callable(value):
                continue
            kept[FunctionPlace(module, attribute)] = value
            if isinstance(value, type) and value.__module__ == name and name.startswith("ttl"):
                for member, function in list(vars(value).items()):
                    if isinstance(function, FunctionType | staticmethod | classmethod | property):
                        kept[FunctionPlace(value, member)] = function
    return kept


def _is_programs(thread: tuple[int, FrameType]) -> bool:
    """Whether a thread, other than this one, executes a function that does not belong to an installed package."""
    number, innermost = thread
    frame: FrameType | None = innermost
    while frame is not None and number != threading.get_ident():
        if not _is_installed(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


def _hook(
    told: Callable[[str], None], watching: Sequence[bool], private: str, own: str, program: str
) -> Callable[[str, tuple[Any, ...]], None]:
    away = (private + os.sep, _OURS + os.sep)
    realpath, here = os.path.realpath, own + os.sep

    def path_of(value: Any) -> str:
        return realpath(os.fsdecode(value)) if isinstance(value, str | bytes | os.PathLike) else ""

    def of_file(value: Any, changes: bool) -> str:
        path = path_of(value)
        if path.startswith(here) or not path:
            return ""
        if path.startswith(private + os.sep):
            return "it looks into the folder of the scorer"
        if changes and (path == program or path.startswith(away)):
            return f"it changes {os.path.basename(path)}, which it is judged by"
        named = os.path.abspath(os.fsdecode(value))
        if named.startswith(("/proc/", "/dev/fd/")) and named.endswith(("/mem", f"/fd/{CHANNEL}")):
            return f"it reaches into the process that judges ({named})"
        return ""

    def why(event: str, args: tuple[Any, ...]) -> str:
        if event == "open":
            return of_file(args[0], bool(args[2] & _WRITING) if isinstance(args[2], int) else False)
        if event in _CHANGES:
            return next((text for value in args[:2] if (text := of_file(value, True))), "")
        if event in _OBJECTS:
            return f"it searches the objects of the process that judges ({event})"
        if event == "object.__setattr__":
            owner = getattr(args[0], "__module__", None) or ""
            changed = args[1] in _IN_PLACE and str(owner).split(".")[0] in ("ttl", "ttnn", "numpy")
            return f"it replaces {owner}.{getattr(args[0], '__name__', '')}" if changed else ""
        if event in _PROCESSES and _is_of_program(sys._getframe()):
            return f"it starts another process ({event})"
        if event in _INTERPRETER and _is_of_program(sys._getframe()):
            return f"it follows the process that judges ({event})"
        if event.startswith("ctypes.") and _is_of_program(sys._getframe()):
            return f"it reaches into memory by ctypes ({event})"
        return ""

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if watching and (text := why(event, args)):
            told(text)

    return hook


_STANDARD = tuple({os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib")})


_PACKAGES = f"{os.sep}site-packages{os.sep}"


def _is_installed(file: str) -> bool:
    return file.startswith(("<frozen", _OURS + os.sep, *_STANDARD)) or _PACKAGES in file


def _is_of_program(frame: FrameType | None) -> bool:
    """Whether an act is the program's own: the innermost function outside of the standard library is the program's."""
    while frame is not None:
        file = frame.f_code.co_filename
        standard = file.startswith(("<frozen", *_STANDARD)) and _PACKAGES not in file
        if not standard and file != __file__:
            return not _is_installed(file)
        frame = frame.f_back
    return False
