"""The names that the code of a function mentions, and whether code is the user's: only that may change during a run."""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import Any

from ttl.session import cached
from ttl.source.spans import is_library_file, is_our_file

_IMPORT = dis.opmap["IMPORT_NAME"]


def names_in(code: CodeType) -> frozenset[str]:
    """The global names and attributes that code, and the functions defined in it, mention."""
    return frozenset(_each_name(code))


def _each_name(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _each_name(constant)


@cached(maxsize=4096)
def imports_in(code: CodeType) -> tuple[tuple[str, int], ...]:
    """The modules that code, and the functions defined in it, import when they run: name and level.

    The level counts the dots in front of a relative name; the name is empty for ``from . import sizes``.
    """
    modules: dict[tuple[str, int], None] = {}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            modules.update(dict.fromkeys(imports_in(inner)))
    if _IMPORT not in code.co_code[::2]:
        return tuple(modules)
    constants: list[Any] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname == "LOAD_CONST":
            constants.append(instruction.argval)
        elif instruction.opname == "IMPORT_NAME":
            modules[instruction.argval, constants[-2]] = None
    return tuple(modules)


@cached(maxsize=4096)
def _equalities(code: CodeType) -> frozenset[int]:
    """The offsets of the instructions that compile ``==`` and ``!=``."""
    return frozenset(
        instruction.offset
        for instruction in dis.get_instructions(code)
        if instruction.opname == "COMPARE_OP" and instruction.argval in ("==", "!=")
    )


def is_author_equality(code: CodeType, lasti: int) -> bool:
    """Whether Python is at an ``==`` or ``!=`` that an author wrote.

    It is not when Python searches a container, in libraries, and in an ``__eq__`` that ``dataclasses`` generated.
    """
    if lasti not in _equalities(code) or is_foreign_file(code.co_filename):
        return False
    return not (code.co_name == "__eq__" and code.co_filename.startswith("<"))


# Packages whose classes do not change.
_PACKAGES = frozenset({"ttl", "ttnn", "torch", "numpy"}) | sys.stdlib_module_names


def is_foreign_file(file: str) -> bool:
    """Whether a file belongs to this package or to a library."""
    return is_our_file(file) or is_library_file(file)


def is_foreign(owner: ModuleType | type) -> bool:
    """Whether a module or class does not belong to the user."""
    if isinstance(owner, ModuleType):
        file = getattr(owner, "__file__", None)
        # A module without a file is made in memory or is a namespace package, unless it is built into the interpreter.
        return is_foreign_file(file) if file else _is_of_the_interpreter(owner)
    return owner.__module__.partition(".")[0] in _PACKAGES


def _is_of_the_interpreter(module: ModuleType) -> bool:
    origin = getattr(getattr(module, "__spec__", None), "origin", None)
    return module.__name__ in sys.builtin_module_names or origin in ("built-in", "frozen")
