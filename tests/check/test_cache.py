"""What checks have found is kept on disk: when it is used, and that nothing in it can hurt."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from support.checker import CLEAN, PROGRAM, Checker, installed
from support.programs import Outcome, run_ttl
from ttl import settings
from ttl.check import cache
from ttl.diag import Edit, Fix, error
from ttl.session.switches import from_environment
from ttl.settings import Settings, override
from ttl.source.spans import Span

FINDING = (
    error("TTL0301", "wrong \udcff", notes=("a", "b"), help="c")
    .at(Span(file="f.py", line=1, column=2, end_line=1, end_column=3), "here")
    .also(Span(file="g.py", line=1, column=1, end_line=1, end_column=1), "there")
    .fixed_by(
        Fix(
            description="d",
            edits=(
                Edit(span=Span(file="f.py", line=1, column=1, end_line=1, end_column=1), replacement="x"),
            ),
        )
    )
)


@pytest.fixture
def checker() -> Iterator[Checker]:
    with installed() as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with override(cache_dir=str(tmp_path / "kept")):
        yield tmp_path / "kept" / "check"


def run(place: Path, source: str, **environment: str) -> Outcome:
    (place / "mine.py").write_text(source, encoding="utf-8")
    given = {"TTL_CACHE_DIR": str(place / "kept"), **environment}
    return run_ttl(["run", "--check", "mine.py"], folder=place, environment=given)


def test_a_second_run_does_not_check_again(tmp_path: Path, checker: Checker) -> None:
    source = PROGRAM + "f(tensor(), 1)\n"
    first, second = run(tmp_path, source), run(tmp_path, source)
    assert first == second
    assert "warning[TTL0905]" in first.stderr
    assert len(checker.lowered) == 1
    assert [path.suffix for path in (tmp_path / "kept" / "check").iterdir()] == [".json"]


def test_errors_are_kept_too(tmp_path: Path, checker: Checker) -> None:
    source = CLEAN + "wrong = 1\nf(tensor(), 1)\n"
    assert run(tmp_path, source) == run(tmp_path, source)
    assert len(checker.lowered) == 1


@pytest.mark.parametrize(
    ("environment", "count"),
    [({}, 1), ({"TTL_ARCH": "blackhole"}, 2), ({"TTL_GRID": "2x2"}, 2), ({"TTL_STRICT": "1"}, 2)],
)
def test_settings_that_matter_are_part_of_the_key(
    environment: dict[str, str], count: int, tmp_path: Path, checker: Checker
) -> None:
    run(tmp_path, CLEAN + "f(tensor(), 1)\n")
    run(tmp_path, CLEAN + "f(tensor(), 1)\n", **environment)
    assert len(checker.lowered) == count


def test_another_source_or_call_is_checked(tmp_path: Path, checker: Checker) -> None:
    run(tmp_path, CLEAN + "f(tensor(), 1)\n")
    run(tmp_path, CLEAN + "f(tensor(64), 1)\n")
    run(tmp_path, CLEAN + "\nf(tensor(), 1)\n")
    assert len(checker.lowered) == 3


def test_what_has_no_key_is_checked_in_every_run(tmp_path: Path, checker: Checker) -> None:
    for _ in (1, 2):
        assert run(tmp_path, CLEAN + "unkeyed = 1\nf(tensor(), 1)\nf(tensor(), 1)\n").status == 0
    assert len(checker.lowered) == 2


def test_it_can_be_switched_off(tmp_path: Path, checker: Checker) -> None:
    for _ in (1, 2):
        run(tmp_path, CLEAN + "f(tensor(), 1)\n", TTL_CACHE_DIR="off", HOME=str(tmp_path))
    assert len(checker.lowered) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_a_mistake_of_ours_is_not_kept(tmp_path: Path, checker: Checker) -> None:
    for _ in (1, 2):
        assert "note[TTL9001]" in run(tmp_path, CLEAN + "crash = 1\nf(tensor(), 1)\n").stderr
    assert len(checker.lowered) == 2


def test_what_is_kept_comes_back_whole(folder: Path) -> None:
    cache.store("a" * 64, (FINDING, FINDING.noting("more")), ())
    assert cache.load("a" * 64) == (FINDING, FINDING.noting("more"))
    assert cache.load("b" * 64) is None
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_file_that_changed_or_went_makes_it_stale(folder: Path, tmp_path: Path) -> None:
    helper = tmp_path / "helper.py"
    helper.write_text("x = 1\n", encoding="utf-8")
    cache.store("a", (), ((str(helper), cache.text_hash(str(helper))),))
    assert cache.load("a") == ()
    helper.write_text("x = 2\n", encoding="utf-8")
    assert cache.load("a") is None
    helper.unlink()
    assert cache.load("a") is None


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: text[:-10],
        lambda text: "[]",
        lambda text: "null",
        lambda text: '{"schema": 1}',
        lambda text: text.replace('"schema": 1', '"schema": 2'),
        lambda text: text.replace('"name": "a"', '"name": "b"'),
        lambda text: text.replace('"error"', '"worse"'),
        lambda text: text.replace('"line": 1', '"line": "x"'),
        lambda text: text.replace('"dependencies": []', '"dependencies": [["/", "x"]]'),
        lambda text: text.replace('"dependencies": []', '"dependencies": [7]'),
        lambda text: text.replace('"findings"', '"other"'),
        lambda text: "[" * 100_000,
    ],
)
def test_what_is_not_ours_counts_as_not_there(change: object, folder: Path) -> None:
    cache.store("a", (FINDING,), ())
    path = folder / "a.json"
    path.write_text(change(path.read_text()), encoding="utf-8")  # type: ignore[operator]
    assert cache.load("a") is None


def test_a_folder_that_cannot_be_used_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with override(cache_dir=str(tmp_path / "file")):
        cache.store("a", (FINDING,), ())
        assert cache.load("a") is None
    with (
        override(cache_dir=str(tmp_path / "kept")),
        mock.patch("ttl.check.cache.os.replace", side_effect=OSError),
    ):
        cache.store("a", (FINDING,), ())
        assert list((tmp_path / "kept" / "check").iterdir()) == []


def test_its_size_is_bounded(folder: Path) -> None:
    with mock.patch("ttl.check.cache._ENTRIES", 8):
        for number in range(20):
            cache.store(f"{number:02}", (), ())
            os.utime(folder / f"{number:02}.json", ns=(number, number))
    left = sorted(path.stem for path in folder.iterdir())
    assert len(left) <= 8
    assert left[-1] == "19"
    cache.store("large", (FINDING.noting("x" * 300_000),), ())
    assert cache.load("large") is None


def test_the_key_has_the_version_and_the_code_of_the_checks() -> None:
    plain = cache.digest("s", "f.py", Settings())
    assert plain == cache.digest("s", "f.py", Settings(format="json", stats=True))
    assert plain != cache.digest("t", "f.py", Settings())
    assert plain != cache.digest("s", "g.py", Settings())
    for part in ("version", "_fingerprint"):
        with mock.patch(f"ttl.check.cache.{part}", lambda: "another"):
            assert plain != cache.digest("s", "f.py", Settings())


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/ttl"),
        ({"XDG_CACHE_HOME": "x", "HOME": "/h"}, "/h/.cache/ttl"),
        ({"HOME": "/h"}, "/h/.cache/ttl"),
        ({"TTL_CACHE_DIR": "/mine", "HOME": "/h"}, "/mine"),
        ({"TTL_CACHE_DIR": "~/mine", "HOME": "/h"}, "/h/mine"),
        ({"TTL_CACHE_DIR": "OFF", "HOME": "/h"}, None),
    ],
)
def test_where_it_is(
    environment: dict[str, str], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "TTL_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with override(cache_dir=from_environment(environment).cache_dir):
        assert settings.cache_folder() == expected


def test_entries_are_readable(folder: Path) -> None:
    cache.store("a", (FINDING,), (("f.py", "0"),))
    entry = json.loads((folder / "a.json").read_text())
    assert (entry["dependencies"], entry["findings"][0]["code"]) == ([["f.py", "0"]], "TTL0301")
