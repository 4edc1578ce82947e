"""Source files and places in them."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path

import pytest

from ttl.source import files
from ttl.source.spans import Span, span_of_site


def test_lines_of_a_file_that_is_there_and_of_one_that_is_not(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(b"a = 1\r\nb = 2")
    assert files.lines(str(path)) == ("a = 1", "b = 2")
    assert files.line(str(path), 2) == "b = 2"
    assert files.line(str(path), 0) is files.line(str(path), 3) is None
    assert files.lines(str(tmp_path / "missing.py")) is None
    assert files.lines("<stdin>") is None


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("one\n", encoding="utf-8")
    assert files.lines(str(path)) == ("one",)
    path.write_text("one and more\n", encoding="utf-8")
    assert files.lines(str(path)) == ("one and more",)


def test_text_that_only_python_knows_is_found() -> None:
    name = "<cell 1>"
    linecache.cache[name] = (4, None, ["x = 1\n"], name)
    assert files.lines(name) == ("x = 1",)
    del linecache.cache[name]


def test_names_are_relative_inside_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert files.display_name(str(tmp_path / "a" / "mine.py")) == str(Path("a") / "mine.py")
    assert files.display_name(str(tmp_path) + "-other/mine.py") == str(tmp_path) + "-other/mine.py"
    assert files.display_name("mine.py") == "mine.py"
    assert files.display_name("<stdin>") == "<stdin>"


def test_columns_count_characters_not_bytes(tmp_path: Path) -> None:
    """Python's own positions are offsets into UTF-8."""
    path = tmp_path / "mine.py"
    path.write_text('name = "größe 日本"; here = site()\n', encoding="utf-8")
    found: list[Span] = []

    def site() -> None:
        frame = sys._getframe(1)
        found.append(span_of_site((frame.f_code, frame.f_lasti)))

    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"site": site})
    text = path.read_text(encoding="utf-8")
    assert text[found[0].column - 1 : found[0].end_column - 1] == "site()"
