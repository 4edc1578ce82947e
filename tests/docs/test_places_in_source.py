"""The pages that follow one operation name the module, and what in it decides, at each step: all of them are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from docs.blocks import ROOT, blocks, commands
from support.syntax_trees import nodes

PAGES = ("one-operation", "one-model")
FOLDERS = ("src/ttl", "src/ttmlir", "src", ".")
_PLACE = re.compile(r"`([\w/.]+\.(?:py|cpp|h|md))(?:: (\w+))?`|`([\w/]+/)`")


def places(page: str) -> list[tuple[str, str | None]]:
    """Files and folders that a page names outside of its blocks, and the name in a file."""
    text = page_text(page)
    for block in reversed(blocks(text)):
        text = text[: block.start] + text[block.end :]
    return [(found[1] or found[3], found[2]) for found in _PLACE.finditer(text)]


def page_text(page: str) -> str:
    return (ROOT / "docs" / "internals" / f"{page}.md").read_text(encoding="utf-8")


def names_in(path: Path) -> set[str]:
    """What a module defines at any depth."""
    found = set()
    for node in nodes(path):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_every_place_is_there(page: str) -> None:
    named = places(page)
    assert len(named) > 20
    for place, name in named:
        paths = [ROOT / folder / place for folder in FOLDERS if (ROOT / folder / place).exists()]
        assert paths, f"there is no {place}"
        assert name is None or name in names_in(paths[0]), f"{place} has no {name}"


def test_the_module_that_is_compiled_is_the_one_that_was_written() -> None:
    text = page_text("one-model")
    (module,) = (block.body for block in blocks(text) if block.language == "mlir")
    written = next(command.expected for command in commands(text) if command.line == "python model.py")
    assert module.strip() == written.strip()
