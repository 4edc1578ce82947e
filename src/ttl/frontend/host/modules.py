"""Imports in a program that is only read: modules of this package, stand-ins, or files beside it, also only read."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import Any

from ttl.frontend.host.command_line import parser
from ttl.frontend.host.torch_modules import Library
from ttl.frontend.unknown import Unknown
from ttl.source.files import is_file
from ttl.source.spans import PACKAGE_FOLDER
from ttl.source.trees import SourceFile, source_file

# Modules of the standard library that are used as they are. Each call of their functions is checked separately.
_AS_THEY_ARE = frozenset(
    (
        "math", "cmath", "operator", "itertools", "functools", "dataclasses", "enum", "typing", "collections", "fractions", "string",
        "abc", "numbers", "types", "contextlib", "collections.abc", "__future__", "typing_extensions", "sys",
    )
)  # fmt: skip
# Modules of ours that programs import by name.
_UTILITIES = ("ttl.lang.library", "ttl.utils", "ttl.utils.correctness", "ttl.utils.block_allocation")
_STAND_INS = ("torch", "numpy")
# The package of operations written in the language, which are read like a program's own.
LIBRARY = "ttl.ops"
_ABOVE = os.path.dirname(PACKAGE_FOLDER.rstrip(os.sep))
# The most files of the program that are read.
MOST_FILES = 64


class SystemModule(ModuleType):
    """``sys`` with the attributes that are the same on every machine, the command line, and ``exit``."""

    def __init__(self, command: list[str]) -> None:
        super().__init__("sys")
        self.__dict__["argv"] = command

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("exit", "maxsize", "version_info", "float_info", "byteorder"):
            return getattr(sys, name)
        return Unknown(why=f"sys.{name}")


class ReadModule(ModuleType):
    """A module of the program."""

    def __init__(self, name: str, path: str, package: str) -> None:
        super().__init__(name)
        self.__dict__.update(__file__=path, __package__=package)


@dataclass(slots=True)
class Modules:
    """Modules by name. ``roots`` are the folders in which they are searched, ``command`` is ``sys.argv``."""

    roots: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    known: dict[str, Any] = field(default_factory=dict)
    # Modules of the program, by path, and whether they are being read.
    read: dict[str, ReadModule] = field(default_factory=dict)

    def ours(self, name: str) -> Any:
        """Return a module from outside the program: of this package, a stand-in, or part of Python; None for others."""
        known = self.known.get(name)
        if known is None:
            known = self._ours(name)
            if known is not None:
                self.known[name] = known
        return known

    def _ours(self, name: str) -> Any:
        first = name.partition(".")[0]
        if name == "ttnn":
            return importlib.import_module("ttl.host.api")
        if name == "ttlang":  # the package's older name
            return importlib.import_module(name)
        if first == "ttnn":
            return importlib.import_module("ttl.host.api").submodules().get(name.removeprefix("ttnn."))
        if f"{name}.".startswith(f"{LIBRARY}."):
            return None
        if first == "ttl":
            return importlib.import_module(name) if name in sys.modules or name in _UTILITIES else None
        if first in _STAND_INS:
            return Library(first, name)
        if name == "sys":
            return SystemModule(list(self.command))
        if name == "argparse":
            module = ModuleType("argparse")
            module.__dict__["ArgumentParser"] = partial(parser, tuple(self.command))
            for kind in argparse.__all__:
                module.__dict__.setdefault(kind, getattr(argparse, kind))
            return module
        return importlib.import_module(name) if name in _AS_THEY_ARE and name in sys.modules else None

    def file_of(self, name: str, level: int, importer: ModuleType) -> tuple[str, str] | None:
        """Return the path and full name of a module of the program; None if there is no file for it."""
        parts = name.split(".") if name else []
        if level:
            folder = os.path.dirname(str(importer.__dict__.get("__file__")))
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            package = str(importer.__dict__.get("__package__") or "").split(".")
            above = package[: len(package) - (level - 1)]
            return self._in(folder, parts, [item for item in above if item])
        roots = [_ABOVE] if f"{name}.".startswith(f"{LIBRARY}.") else self.roots
        for root in roots:
            file = self._in(root, parts, [])
            if file is not None:
                return file
        return None

    @staticmethod
    def _in(folder: str, parts: list[str], above: list[str]) -> tuple[str, str] | None:
        path = os.path.join(folder, *parts)
        full = ".".join([*above, *parts])
        for candidate in (f"{path}.py", os.path.join(path, "__init__.py")):
            if parts and is_file(candidate):
                return candidate, full
        if not parts and is_file(os.path.join(folder, "__init__.py")):
            return os.path.join(folder, "__init__.py"), full
        return None

    def start(self, path: str, name: str) -> tuple[ReadModule, SourceFile] | None:
        """Return a new module that is about to be read; None if it cannot be read, or after ``MOST_FILES`` files."""
        file = source_file(path) if len(self.read) < MOST_FILES else None
        if file is None:
            return None
        package = name if os.path.basename(path) == "__init__.py" else name.rpartition(".")[0]
        module = self.read[path] = ReadModule(name, path, package)
        return module, file


def is_library(holder: Any, name: Any) -> bool:
    """Whether an attribute of a module is the package of operations."""
    return name == "ops" and isinstance(holder, ModuleType) and holder.__name__ == "ttl"


def roots_of(path: str) -> list[str]:
    """The folders in which Python would look for the program's modules: its own, and the one around its package."""
    folder = os.path.dirname(os.path.abspath(path))
    roots = [folder]
    while is_file(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    if folder not in roots:
        roots.append(folder)
    return roots


def unknown_module(name: str) -> Unknown:
    """An unknown module."""
    return Unknown(why=f"module {name}")
