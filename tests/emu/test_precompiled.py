"""Headers are precompiled for the fourth kernel with the same arguments; kernels are the same with them and without."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ttl.emu.precompiled import header_for
from ttl.session import Session

GCC = shutil.which("g++")
FLAGS = ["-std=c++20", "-O1", "-w"]


def made(folder: Path, times: int, *, identity: str = "g++ 12") -> list[str | None]:
    assert GCC is not None
    return [header_for([GCC], FLAGS, ["cstdint"], identity, str(folder)) for _ in range(times)]


@pytest.mark.skipif(GCC is None, reason="needs g++")
def test_it_is_made_when_it_is_worth_it_and_changes_no_code(tmp_path: Path) -> None:
    assert GCC is not None
    with Session().entered():
        headers = made(tmp_path / "kept", 5)
    assert headers[:3] == [None, None, None]
    header = headers[3]
    assert header is not None and headers[4] == header
    assert Path(f"{header}.gch").exists()
    source = "uint32_t f(uint32_t a) { return a * 3; }"
    for number, name in enumerate(("cstdint", header)):
        command = [GCC, *FLAGS, "-include", name, "-x", "c++", "-S", "-o", str(tmp_path / f"{number}.s"), "-"]
        subprocess.run(command, input=source, text=True, check=True)
    assert (tmp_path / "0.s").read_text() == (tmp_path / "1.s").read_text()
    with Session().entered():  # another process knows it at once
        assert made(tmp_path / "kept", 1) == [header]


def test_it_is_done_without_where_it_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with Session().entered():
        assert header_for(["false"], [], [], "clang version 15", str(tmp_path)) is None
        assert {header_for(["false"], [], [], "g++", str(tmp_path / "kept")) for _ in range(5)} == {None}
        assert {header_for(["true"], [], [], "g++", str(tmp_path / "file" / "kept")) for _ in range(5)} == {
            None
        }
    assert not list((tmp_path / "kept").iterdir())


def test_those_that_nobody_uses_make_room(tmp_path: Path) -> None:
    with Session().entered():
        first = made_by_true(tmp_path, 0)
        os.utime(Path(first).parent, (1, 1))
        for number in range(1, 48):
            made_by_true(tmp_path, number)
            os.utime(tmp_path / Path(made_by_true(tmp_path, number)).parent.name, (number + 1, number + 1))
        assert made_by_true(tmp_path, 0) == first  # used again: the newest now
        last = made_by_true(tmp_path, 48)
    left = {path.name for path in tmp_path.iterdir()}
    assert len(left) == 49 - 24
    assert {Path(first).parent.name, Path(last).parent.name} <= left


def made_by_true(folder: Path, number: int) -> str:
    """A header for a compiler that only says that all is well."""
    headers = [header_for(["true"], [str(number)], ["cstdint"], "g++", str(folder)) for _ in range(4)]
    assert headers[3] is not None
    return headers[3]
