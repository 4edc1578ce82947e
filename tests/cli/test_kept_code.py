"""Code that dataclasses write is compiled once: the same code, and nothing of a user's is kept."""

from __future__ import annotations

import dataclasses
import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ttl_start import kept_code
from ttl_start.kept_code import CodeStore, code_kept

TEXT = "def __create_fn__(x):\n def f():\n  return x\n return f"
SOURCES = Path(__file__).parents[2] / "src"


def made(store: CodeStore) -> object:
    """What the function returns that the text makes."""
    names: dict[str, object] = {}
    store.execute(TEXT, {}, names)
    function = names["__create_fn__"]
    assert callable(function)
    return function(3)()


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path / "kept.codes"


def compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr(kept_code, "compile", refuse, raising=False)


def test_a_text_is_compiled_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = CodeStore(str(path))
    assert made(first) == 3
    first.save()
    assert files(path.parent) == ["kept.codes"]
    compiles_nothing(monkeypatch)
    assert made(CodeStore(str(path))) == 3


@pytest.mark.parametrize(
    "content", [b"", b"no such file", kept_code.MAGIC_NUMBER, kept_code.MAGIC_NUMBER + marshal.dumps([1])]
)
def test_a_file_that_is_none_of_ours_counts_as_none(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    store = CodeStore(str(path))
    assert made(store) == 3
    store.save()
    assert path.read_bytes().startswith(kept_code.MAGIC_NUMBER) and len(path.read_bytes()) > 100


def test_nothing_is_written_where_python_writes_no_byte_code(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    store = CodeStore(str(path))
    assert made(store) == 3
    store.save()
    assert files(path.parent) == []


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "file").touch()
    store = CodeStore(str(tmp_path / "file" / "kept.codes"))
    assert made(store) == 3
    store.save()


def test_the_file_does_not_grow_without_end(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_code, "_MOST_TEXTS", 3)
    for number in range(4):
        store = CodeStore(str(path))
        store.execute(f"x = {number}", {}, {})
        store.save()
    assert marshal.loads(path.read_bytes()[len(kept_code.MAGIC_NUMBER) :]) == {}


def test_dataclasses_are_the_same_inside_and_outside() -> None:
    def of_kind() -> type:
        @dataclasses.dataclass(frozen=True, order=True, slots=True)
        class Point:
            x: int
            y: list[int] = dataclasses.field(default_factory=list, compare=False)

        return Point

    outside = of_kind()
    with code_kept():
        inside = of_kind()
        assert "exec" in vars(dataclasses)
    assert "exec" not in vars(dataclasses)
    for name in ("__init__", "__repr__", "__eq__", "__lt__", "__hash__", "__setattr__"):
        one, other = vars(outside)[name], vars(inside)[name]
        assert (
            getattr(one, "__wrapped__", one).__code__.co_code
            == getattr(other, "__wrapped__", other).__code__.co_code
        )
    assert (
        repr(inside(1)).endswith("Point(x=1, y=[])")
        and inside(1) < inside(2)
        and hash(inside(1)) == hash(inside(1, [2]))
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        inside(1).x = 2


def test_a_second_check_compiles_no_class_and_keeps_none_of_the_program(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Unheard_of:\n    x: int\n", encoding="utf-8"
    )
    code = (
        "import sys; sys.dont_write_bytecode = False\nfrom ttl_start import kept_code\n"
        f"kept_code._path = lambda: {str(tmp_path / 'kept')!r}\n"
        "compiled = []\n"
        "def counted(text, *arguments, **options):\n    compiled.append(text)\n    return compile(text, *arguments, **options)\n"
        "kept_code.compile = counted\n"
        f"from ttl.cli.main import main\nmain(['check', {str(program)!r}])\n"
        f"import runpy; runpy.run_path({str(program)!r})\nprint(len(compiled))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONDONTWRITEBYTECODE": "1"}
    counts = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        counts.append(int(done.stdout.splitlines()[-1]))
    assert counts[0] > 100 and counts[1] == 0
    assert b"Unheard_of" not in (tmp_path / "kept").read_bytes()
