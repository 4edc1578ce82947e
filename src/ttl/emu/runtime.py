"""The runtime of the emulator, ``ttl._emu``: an extension module that ``native/build.py`` makes."""

from __future__ import annotations

from types import ModuleType

from ttl.diag import ProgramError, error
from ttl.source.spans import user_span


def missing() -> str | None:
    """Why this installation has no emulated chip; None when it has one."""
    try:
        import ttl._emu  # noqa: F401
    except ImportError as problem:
        return str(problem)
    return None


def require() -> None:
    """Check that there is an emulated chip. Raises ``ProgramError`` TTL1505."""
    reason = missing()
    if reason is None:
        return
    raise ProgramError(
        error(
            "TTL1505",
            "this installation has no emulated chip",
            notes=(reason,),
            help="install a C++ compiler (g++ 12, clang 15 or newer), then run 'python native/build.py' in a source tree, "
            "or install ttlang from source again",
        ).at(user_span())
    )


def runtime() -> ModuleType:
    """The extension module. Raises ``ImportError`` where there is none."""
    import ttl._emu as found

    module: ModuleType = found
    return module
