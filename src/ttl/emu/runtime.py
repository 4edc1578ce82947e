"""The runtime of the emulator, ``ttl._emu``: an extension module that ``native/build.py`` makes."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from ttl.diag import ProgramError, error


@cache
def runtime() -> ModuleType:
    """The extension module. Raises ``ProgramError`` TTL1505 where this installation has none."""
    try:
        import ttl._emu as found
    except ImportError as problem:
        raise ProgramError(
            error(
                "TTL1505",
                "this installation has no emulated chip",
                notes=(str(problem),),
                help="install a C++ compiler (g++ 12, clang 15 or newer), then run 'python native/build.py' in a source "
                "tree, or install ttlang from source again",
            )
        ) from None
    module: ModuleType = found
    return module
