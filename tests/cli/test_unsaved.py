"""``ttl run --stdin-texts``: programs and modules as they stand in an editor. ``tests/lsp`` has the editor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ttl.cli.unsaved import imported, texts_of


def run(folder: Path, program: str, given: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ttl", "run", "--stdin-texts", program]
    return subprocess.run(command, input=given, cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("given", ["", "3", "{", '{"a.py": 3}', '["a"]'])
def test_standard_input_that_is_no_object_of_texts_is_said(tmp_path: Path, given: str) -> None:
    done = run(tmp_path, "main.py", given)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "error[TTL0113]: argument --stdin-texts: standard input is not a JSON object"
    )


def test_a_program_is_read_from_there_or_from_disk(tmp_path: Path) -> None:
    """Also over a link, and where a module has an error of Python's own: it is the unsaved line that is shown."""
    (tmp_path / "main.py").write_text("import beside\nprint(beside.WORD)\n")
    (tmp_path / "link").symlink_to(tmp_path)
    texts = {str(tmp_path / "link" / "beside.py"): "WORD = 1\n"}
    assert run(tmp_path, "link/main.py", json.dumps(texts)).stdout == "1\n"
    texts[str(tmp_path / "link" / "beside.py")] = "# unsaved\nWORD = (\n"
    done = run(tmp_path, "link/main.py", json.dumps(texts))
    assert done.returncode == 1 and "WORD = (" in done.stderr and "line 2" in done.stderr
    texts = {"<untitled:1>": "print(__file__)\n"}
    assert run(tmp_path, "<untitled:1>", json.dumps(texts)).stdout == "<untitled:1>\n"
    assert run(tmp_path, "<untitled:2>", json.dumps(texts)).returncode == 2


def test_modules_are_found_as_python_finds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first folder of the path that has one; a package before a module; a folder without a file is none."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    (tmp_path / "second" / "unsaved_twice.py").write_text("WHERE = 'disk'\n")
    (tmp_path / "first" / "unsaved_space").mkdir()
    texts = {
        str(tmp_path / "first" / "unsaved_twice.py"): "WHERE = 'first'\n",
        str(tmp_path / "second" / "unsaved_twice.py"): "WHERE = 'second'\n",
        str(tmp_path / "second" / "unsaved_space.py"): "WHERE = 'second'\n",
        str(tmp_path / "first" / "unsaved_pack" / "__init__.py"): "from .part import WHERE\n",
        str(tmp_path / "first" / "unsaved_pack" / "part.py"): "WHERE = __package__\n",
    }
    monkeypatch.setattr(sys, "path", [str(tmp_path / "first"), str(tmp_path / "second"), *sys.path])
    with imported(texts_of(json.dumps(texts))):
        import unsaved_pack  # type: ignore[import-not-found]
        import unsaved_space  # type: ignore[import-not-found]
        import unsaved_twice  # type: ignore[import-not-found]
    for name in ("unsaved_pack.part", "unsaved_pack", "unsaved_space", "unsaved_twice"):
        del sys.modules[name]
    assert (unsaved_twice.WHERE, unsaved_space.WHERE, unsaved_pack.WHERE) == (
        "first",
        "second",
        "unsaved_pack",
    )
    assert unsaved_twice.__file__ == os.path.join(tmp_path, "first", "unsaved_twice.py")
    assert not list(tmp_path.rglob("*.pyc"))
