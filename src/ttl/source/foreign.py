"""Which modules, classes and files are none of the user's: what they define does not change while a program runs."""

from __future__ import annotations

import sys
from types import ModuleType

from ttl.source.spans import is_library_file, is_our_file

# Packages whose classes nobody changes.
_PACKAGES = frozenset({"ttl", "ttnn", "torch", "numpy"}) | sys.stdlib_module_names


def is_foreign_file(file: str) -> bool:
    """Whether a file belongs to this package or to a library."""
    return is_our_file(file) or is_library_file(file)


def is_foreign(owner: ModuleType | type) -> bool:
    """Whether a module or class is none of the user's."""
    if isinstance(owner, ModuleType):
        file = getattr(owner, "__file__", None)
        # One without a file is made in memory or is a folder of modules, unless it is in the interpreter.
        return is_foreign_file(file) if file else _is_of_the_interpreter(owner)
    return owner.__module__.partition(".")[0] in _PACKAGES


def _is_of_the_interpreter(module: ModuleType) -> bool:
    origin = getattr(getattr(module, "__spec__", None), "origin", None)
    return module.__name__ in sys.builtin_module_names or origin in ("built-in", "frozen")
