"""Code that is written while modules are imported, compiled once: that of the methods of dataclasses.

``@dataclass`` writes the text of two to six functions for a class and compiles it, each time the class is made: half of what
xDSL, and a third of what this package takes to be imported. A text always compiles to the same code, so the code is kept
beside the byte code of this module, as Python keeps that of modules, and by the same rules: none is written where Python shall
write no byte code, and another version of Python, or another ``-O``, has a file of its own. What is not known is compiled.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import inspect
import marshal
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import MAGIC_NUMBER
from types import CodeType, ModuleType
from typing import Any

# Of edited sources the code of earlier texts stays: with more than this, the file is begun anew.
_MOST_TEXTS = 1 << 13


class CodeStore:
    """The code of texts that were compiled lately, in one file."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._codes = self._read()
        self._loaded: dict[str, CodeType] = {}  # a third of all texts are those of another class
        self._is_new = False

    def execute(self, text: str, names: dict[str, Any] | None, own_names: dict[str, Any]) -> None:
        """As ``exec``, of a text that ``dataclasses`` has written."""
        code = self._loaded.get(text)
        if code is None:
            kept = self._codes.get(text)
            if kept is None:
                code = compile(text, "<string>", "exec", dont_inherit=True)
                self._codes[text] = marshal.dumps(code)
                self._is_new = True
            else:
                code = marshal.loads(kept)
            self._loaded[text] = code
        builtins.exec(code, vars(dataclasses) if names is None else names, own_names)

    def save(self) -> None:
        """Write the file, where there is something new and byte code may be written; as a whole or not at all."""
        if not self._is_new or self._path is None or sys.dont_write_bytecode:
            return
        self._is_new = False
        codes = self._codes
        if len(codes) > _MOST_TEXTS:
            self._codes = codes = {}
        temporary = f"{self._path}.{os.getpid()}"
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            with open(temporary, "wb") as file:
                file.write(MAGIC_NUMBER + marshal.dumps(codes))
            os.replace(temporary, self._path)

    def _read(self) -> dict[str, bytes]:
        if self._path is None:
            return {}
        try:
            with open(self._path, "rb") as file:
                content = file.read()
            if not content.startswith(MAGIC_NUMBER):
                return {}
            codes = marshal.loads(content[len(MAGIC_NUMBER) :])
        except (OSError, EOFError, ValueError, TypeError):
            return {}
        return codes if isinstance(codes, dict) else {}


class _Unsigned(ModuleType):
    """``inspect`` as ``dataclasses`` uses it, without signatures for the docstrings of classes that have no docstring: 0.1 ms each."""

    def __getattr__(self, name: str) -> Any:
        return getattr(inspect, name)

    @staticmethod
    def signature(cls: type) -> str:
        """No text, which stands behind the name of the class."""
        return ""


def _path() -> str | None:
    """Beside the byte code of this module; None where Python keeps none."""
    if __spec__ is None or __spec__.cached is None:
        return None
    return __spec__.cached.removesuffix(".pyc") + ".codes"


@contextmanager
def code_kept() -> Iterator[None]:
    """Inside, dataclasses are made of code that is kept. For imports of ours: a user's classes are made as usual."""
    if "exec" in vars(dataclasses):  # an outer one, or somebody else's
        yield
        return
    store = CodeStore(_path())
    # ``dataclasses`` calls the builtin by its name, which is looked up in the module first.
    vars(dataclasses).update(exec=store.execute, inspect=_Unsigned("inspect"))
    try:
        yield
    finally:
        del vars(dataclasses)["exec"]
        vars(dataclasses)["inspect"] = inspect
        store.save()
