"""The native core: whether it is present, and the reason if it is not.

It has two extension modules, which ``native/build.py`` builds: ``ttl._machine`` computes blocks, ``ttl._core`` runs
kernels and checks their calls. This module imports them on first use. Without them, the Python core and NumPy are used.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from types import ModuleType

from ttl.diag import ProgramError, error
from ttl.session.switches import Settings


def available() -> bool:
    """Whether both modules can be used."""
    return why_not() is None


def why_not() -> str | None:
    """Return why the native core cannot be used, in a few words without a full stop; None when it can."""
    return _why_not()


def machine() -> ModuleType:
    """The module ``ttl._machine``. Raises ``ImportError`` if it is missing."""
    import ttl._machine as extension

    module: ModuleType = extension
    return module


def core() -> ModuleType:
    """The module ``ttl._core``. Raises ``ImportError`` if it is missing."""
    import ttl._core as extension

    module: ModuleType = extension
    return module


def require(settings: Settings) -> None:
    """Check that the native core is present if the settings require it.

    Raises ``ProgramError`` TTL0114 when ``core`` or ``executor`` is ``native`` and the native core is missing.
    """
    for name, otherwise in (("core", "'python'"), ("executor", "'numpy'")):
        if getattr(settings, name) != "native":
            continue
        reason = why_not()
        if reason is None:
            return
        raise ProgramError(
            error(
                "TTL0114",
                f"{settings.origin(name)} asks for the native core, which this installation does not have",
                notes=(reason,),
                help=(
                    "to build it install a C++ compiler (g++ 12, clang 15 or newer), then run 'python "
                    "native/build.py' in a source tree, or install ttlang from source again",
                    f"or ask for {otherwise} or 'auto': that gives the same results, and takes longer",
                ),
            )
        )


def threads(settings: Settings) -> int:
    """Return the number of threads that compute: the setting, or one for every core this process may use."""
    return settings.threads or cores()


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _why_not() -> str | None:
    for name, load in _LOADERS.items():
        try:
            load()
        except ModuleNotFoundError as problem:
            if problem.name != f"ttl.{name}":
                return f"ttl.{name} cannot be loaded: {problem}"
            return _not_built(name)
        except ImportError as problem:
            return f"ttl.{name} cannot be loaded: {problem}"
    return None


_LOADERS = {"_machine": machine, "_core": core}


def _not_built(name: str) -> str:
    from pathlib import Path

    # The file name of a built module, for example: _core.cpython-311-x86_64-linux-gnu.so.
    built_for = [path.name.split(".")[1] for path in Path(__file__).parent.glob(f"{name}.*.so")]
    own = EXTENSION_SUFFIXES[0].split(".")[1]
    if built_for and own not in built_for:
        return f"ttl.{name} is built for {' and '.join(sorted(built_for))}, and this is {own}"
    return f"ttl.{name} is not built"
