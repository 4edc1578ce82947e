"""A front end and checks that find words: the command line around them can be tested without real ones.

A file has an operation for each line with ``@ttl.operation``. Findings are lines with these words:

``older(``   a note with a fix: write ``newer(``
``wrong``    an error without a fix
``odd``      a warning
``first(``   an error whose fix brings up the next one: write ``older(``
``lost(``    an error whose fix is not Python
``untaken``  an error of the front end
``crash``    a mistake of ours
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ttl.check.cache import text_hash
from ttl.diag import Diagnostic, Edit, Fix, error, note, warning
from ttl.lang.captured import CallKeys
from ttl.source import files
from ttl.source.spans import Span

_FIXES = {"older": "newer", "first": "older", "lost": "(("}

# A program with a word of the list above, and one without.
PROGRAM = """
import ttl
import ttnn

size = 1


def odd(): ...


@ttl.operation(grid=(1, 1))
def f(a, n):
    @ttl.compute()
    def compute():
        print("ran", n, size)


def tensor(rows=32):
    return ttnn.zeros((rows, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)

"""
CLEAN = PROGRAM.replace("def odd(): ...", "")


@dataclass
class Lowered:
    """What the front end makes of a file or a call."""

    text: str
    file: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unread: list[Any] = field(default_factory=list)

    @property
    def module(self) -> Any:
        return SimpleNamespace(text=self.text, file=self.file)

    @property
    def calls(self) -> list[Any]:
        return [
            SimpleNamespace(operation=str(number), complete=True)
            for number, line in enumerate(self.text.splitlines())
            if "@ttl.operation" in line
        ]

    @property
    def dependencies(self) -> tuple[tuple[str, str], ...]:
        return ((self.file, text_hash(self.file)),)


class Checker:
    """Counts what it was asked for."""

    def __init__(self) -> None:
        self.lowered: list[str] = []

    def lower_file(self, path: str, *more: object) -> Lowered:
        self.lowered.append(path)
        text = "\n".join(files.lines(path) or ())
        lowered = Lowered(text=text, file=path)
        lowered.diagnostics = list(_matches(text, path, {"untaken": _untaken}))
        if "# symbolic" in text:
            lowered.notes.append("operation f: it is not called")
        return lowered

    def lower_call(self, operation: Any, args: Any, kwargs: Any) -> Lowered:
        return self.lower_file(operation.function.__code__.co_filename)

    def check_module(
        self, module: Any, *, settings: Any = None, strict: bool = False, not_checked: Any = None
    ) -> list[Diagnostic]:
        if "crash" in module.text:
            raise ZeroDivisionError("crash")
        return list(_matches(module.text, module.file, _FINDINGS))

    def call_keys(self, operation: Any, args: Any, kwargs: Any, chip: str) -> CallKeys | None:
        text = Path(operation.function.__code__.co_filename).read_text()
        key = text + repr([str(getattr(arg, "shape", arg)) for arg in args])
        # The program changes names of its own, too.
        form = key + repr(operation.function.__globals__.get("size"))
        return None if "unkeyed" in text else CallKeys(key, form)


def _fixed(word: str, replacement: str) -> Any:
    def finding(span: Span) -> Diagnostic:
        edit = Edit(span=span, replacement=replacement)
        make = note if word == "older" else error
        return (
            make("TTL1206", f"{word} is not {replacement}")
            .at(span)
            .fixed_by(Fix(description=f"write {replacement}", edits=(edit,)))
        )

    return finding


def _untaken(span: Span) -> Diagnostic:
    return error("TTL1301", "cannot be compiled").at(span, "this")


_FINDINGS: dict[str, Any] = {
    **{word: _fixed(word, replacement) for word, replacement in _FIXES.items()},
    "wrong": lambda span: error("TTL0301", "wrong, 100%\nof it", help="write right").at(span, "here"),
    "odd": lambda span: warning("TTL0905", "odd").at(span),
    "stuck": lambda span: error("TTL0910", "stuck").at(span),
    "large": lambda span: error("TTL0801", "large").at(span),
}


def _matches(text: str, file: str, findings: Mapping[str, Any]) -> Iterator[Diagnostic]:
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        for found in re.finditer(r"\w+", line):
            if found[0] in findings:
                column, end = found.start() + 1, found.end() + 1
                span = Span(file=file, line=number, column=column, end_line=number, end_column=end)
                yield findings[found[0]](span)


@contextmanager
def installed() -> Iterator[Checker]:
    """Everything that looks for the front end finds this one: modules that have its functions by name, and those imported meanwhile."""
    checker = Checker()
    stubs: dict[tuple[str, str], Callable[..., Any]] = {
        ("ttl.frontend.file", "lower_file"): checker.lower_file,
        ("ttl.frontend.live", "lower_call"): checker.lower_call,
        ("ttl.check.module", "check_module"): checker.check_module,
        ("ttl.check.module", "without_overlaps"): lambda findings: [*findings],
        ("ttl.ir.printer", "print_module"): lambda module, locations: f"builtin.module {{{locations}}}",
    }
    real = {place: getattr(importlib.import_module(place[0]), place[1]) for place in stubs}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ttl.check.launch.call_keys", checker.call_keys)
        _replace(real, stubs)
        try:
            yield checker
        finally:
            _replace(stubs, real)


def _replace(before: Mapping[tuple[str, str], Any], after: Mapping[tuple[str, str], Any]) -> None:
    for module in [module for name, module in sys.modules.items() if name.startswith("ttl.")]:
        for place, function in before.items():
            if vars(module).get(place[1]) is function:
                setattr(module, place[1], after[place])
