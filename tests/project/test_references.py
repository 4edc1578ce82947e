"""What texts refer to is there: modules, files, sources that a reader can find."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from support.syntax_trees import python_files
from ttl.rows.table import OPS

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
PACKAGES = sorted(path.name for path in SOURCE.iterdir() if path.is_dir() and not path.name.startswith("_"))
# Pages that tools write, whose words are names of cases and not of files.
GENERATED = {"docs/reference/one-truth.md"}
# Files that are made where a command runs, and names that a text makes up.
MADE = {"benchmarks/results", "src/ttl/diag/codes/TTL0999.md"}
_MODULE = re.compile(rf"``((?:{'|'.join(PACKAGES)})(?:\.\w+)+)(?:: ?\w+)?``")
_FILE = re.compile(r"`((?:src|tests|scripts|docs|examples|benchmarks|native|web|editors)/[\w./*-]+)`")


def modules() -> Iterator[tuple[Path, str]]:
    for package in PACKAGES:
        for path in python_files(SOURCE / package):
            yield path, path.read_text(encoding="utf-8")


def pages() -> Iterator[tuple[Path, str]]:
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        yield path, path.read_text(encoding="utf-8")


def others() -> Iterator[tuple[Path, str]]:
    """Tests, scripts, benchmarks, examples, and the native core."""
    for folder in ("tests", "scripts", "benchmarks", "examples", "native"):
        for pattern in ("*.py", "*.cpp", "*.h"):
            for path in (ROOT / folder).rglob(pattern):
                yield path, path.read_text(encoding="utf-8")


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, what a module defines, or an operation of the language."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        folder = SOURCE.joinpath(*parts[:count])
        files = (folder.with_suffix(".py"), folder.with_suffix(".pyi"), folder / "__init__.py")
        file = next((each for each in files if each.is_file()), None)
        if file is None:
            continue
        rest = parts[count:]
        operations = {row.name for row in OPS} if parts[:2] in (["ttl", "math"], ["ttl", "block"]) else set()
        return (
            not rest
            or rest[0] in operations
            or bool(re.search(rf"\b{rest[0]}\b", file.read_text(encoding="utf-8")))
        )
    return False


def test_a_module_that_a_docstring_names_is_there() -> None:
    # What the packages export by name is looked up by other tests; dialects have names of operations below theirs.
    missing = [
        f"{path.relative_to(ROOT)}: {found}"
        for path, text in modules()
        for found in _MODULE.findall(text)
        if found.count(".") > 1 and not found.endswith(".toml") and not is_there(found)
    ]
    assert missing == []


def test_a_file_that_a_text_names_is_there() -> None:
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, text in (*pages(), *modules())
        if path.relative_to(ROOT).as_posix() not in GENERATED
        for name in (found.rstrip("./") for found in _FILE.findall(text))
        if name not in MADE and not any(ROOT.glob(name))
    ]
    assert missing == []


def test_a_source_is_one_that_a_reader_can_find() -> None:
    """Not notes and tickets that only some of us have."""
    hidden = re.compile(r"(?<![\w-])facts/|\b[Ii]ssue \d+|shared/seeds|comes with the second half")
    named = [
        f"{path.relative_to(ROOT)}: {found}"
        for path, text in (*modules(), *pages(), *others())
        if path.name != "CHANGELOG.md" and path != Path(__file__)
        if "facts/" in text or "ssue " in text or "seeds" in text or "second half" in text
        for found in hidden.findall(text)
    ]
    assert named == []
