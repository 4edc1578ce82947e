"""Which modules, classes and files are none of the user's: what they define does not change while a program runs."""

from __future__ import annotations

from types import ModuleType

from ttl.source.spans import is_library_file, is_our_file

# Packages whose classes nobody changes.
_PACKAGES = frozenset({"ttl", "ttnn", "builtins", "enum", "typing", "abc", "torch", "numpy"})


def is_foreign_file(file: str) -> bool:
    """Whether a file belongs to this package or to a library."""
    return is_our_file(file) or is_library_file(file)


def is_foreign(owner: ModuleType | type) -> bool:
    """Whether a module or class is none of the user's."""
    if isinstance(owner, ModuleType):
        return is_foreign_file(getattr(owner, "__file__", None) or "<frozen >")
    return owner.__module__.partition(".")[0] in _PACKAGES
