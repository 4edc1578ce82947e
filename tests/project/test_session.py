"""Two sessions in one process do not see each other."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ttl import settings
from ttl.check.file import check_file
from ttl.diag.json import to_object
from ttl.session import CHOSEN, SOURCES, Part, Session, cached
from ttl.settings import Settings
from ttl.source.trees import source_file

PROGRAM = """\
import ttl, ttnn
from sizes import ROWS

@ttl.operation(grid=(1, 1))
def double(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=BLOCKS)

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(x_blk + x_blk)

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0, 0], x_blk).wait()

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[ROWS, 0]).wait()

device = ttnn.open_device(device_id=0)
x = ttnn.zeros((64, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((64, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
double(x, y)
"""
FINE = PROGRAM.replace("BLOCKS", "2")
# Buffers larger than the L1 of a Wormhole, and than that of a Blackhole.
LARGE = PROGRAM.replace("BLOCKS", "700")
LARGER = PROGRAM.replace("BLOCKS", "2000")


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A program and the module it imports, as they are on disk."""
    (tmp_path / "sizes.py").write_text("ROWS = 0\n")
    (tmp_path / "mine.py").write_text(FINE)
    return str(tmp_path / "mine.py")


@dataclass(frozen=True, slots=True)
class State:
    """What an editor has: unsaved texts, and what was chosen."""

    text: str
    sizes: str = "ROWS = 0\n"
    chosen: Mapping[str, Any] = field(default_factory=dict)

    def session(self, path: str) -> Session:
        made = Session({CHOSEN: Settings(cache_dir="off", **self.chosen)})
        made[SOURCES].show(path, self.text)
        made[SOURCES].show(str(Path(path).with_name("sizes.py")), self.sizes)
        return made

    def in_a_new_process(self, folder: Path, path: str) -> list[dict[str, Any]]:
        """What a process finds that has these texts on disk, as if they were at ``path``."""
        folder.mkdir()
        (folder / "mine.py").write_text(self.text)
        (folder / "sizes.py").write_text(self.sizes)
        flags = [word for name, value in self.chosen.items() for word in (f"--{name}", str(value))]
        command = [sys.executable, "-m", "ttl", "check", "--format", "json", "--cache-dir", "off", *flags]
        done = subprocess.run(
            [*command, str(folder / "mine.py")], capture_output=True, text=True, check=False
        )
        there = done.stdout.replace(str(folder), str(Path(path).parent))
        found: list[dict[str, Any]] = json.loads(there)["diagnostics"]
        return found


STATES = (
    State(FINE),
    State(LARGE),
    State(LARGE, chosen={"arch": "blackhole"}),
    State(FINE, "ROWS = 7\n"),
    State(LARGER, chosen={"arch": "blackhole"}),
    State(FINE.replace("x_dfb.wait()", "x_dfb.reserve()")),
)


def found_in(session: Session, path: str) -> list[dict[str, Any]]:
    """What is found, as JSON has it."""
    with session.entered():
        return [to_object(finding) for finding in check_file(path, settings.current()).findings]


def test_each_session_finds_what_a_new_process_finds(path: str, tmp_path: Path) -> None:
    fresh = [state.in_a_new_process(tmp_path / f"fresh{index}", path) for index, state in enumerate(STATES)]
    assert [[each["code"] for each in found] for found in fresh] == [
        [], ["TTL0801"], [], ["TTL0507"], ["TTL0801"], ["TTL0301", "TTL0315"],
    ]  # fmt: skip
    sessions = [state.session(path) for state in STATES]
    before = {file: file.read_bytes() for file in Path(path).parent.rglob("*") if file.is_file()}
    for order in (sessions, sessions[::-1]):
        found = {id(session): found_in(session, path) for session in order}
        assert [found[id(session)] for session in sessions] == fresh
    assert {file: file.read_bytes() for file in Path(path).parent.rglob("*") if file.is_file()} == before


def test_sessions_of_two_threads_find_what_they_find_alone(path: str) -> None:
    alone = [found_in(state.session(path), path) for state in STATES]
    found: dict[tuple[int, int], list[dict[str, Any]]] = {}
    start = threading.Barrier(2)

    def check(thread: int, states: Sequence[int]) -> None:
        sessions = {index: STATES[index].session(path) for index in states}
        start.wait()
        for index in (*states, *states):
            found[thread, index] = found_in(sessions[index], path)

    threads = [threading.Thread(target=check, args=each) for each in ((0, [1, 3, 0]), (1, [2, 4, 5]))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {index: of for (_, index), of in found.items()} == dict(enumerate(alone))


def test_a_text_changes_within_a_session(path: str) -> None:
    session = STATES[0].session(path)
    for state in (*STATES[:2], STATES[3], STATES[0]):
        session[SOURCES].show(path, state.text)
        session[SOURCES].show(str(Path(path).with_name("sizes.py")), state.sizes)
        assert found_in(session, path) == found_in(state.session(path), path)
    session[SOURCES].forget(path)
    assert found_in(session, path) == []


def test_a_module_that_was_never_saved_is_found(path: str) -> None:
    Path(path).with_name("sizes.py").unlink()
    assert found_in(STATES[3].session(path), path)[0]["code"] == "TTL0507"


def test_what_a_session_keeps_goes_with_it(path: str) -> None:
    session = STATES[1].session(path)
    assert found_in(session, path)
    with session.entered():
        file = source_file(path)
        assert file is not None
        tree = weakref.ref(file.tree)
        text = weakref.ref(SOURCES.get().of(path))
    del file, session
    gc.collect()
    assert tree() is text() is None


def test_a_part_is_made_once_and_shared_by_what_is_given_another_one() -> None:
    counted: Part[list[int]] = Part(list)
    name: Part[str] = Part(lambda: "none")
    session = Session()
    with session.entered():
        counted.get().append(1)
        with name.given("mine"):
            counted.get().append(2)
            assert name.get() == "mine"
        assert (name.get(), counted.get()) == ("none", [1, 2])
    with Session().entered():
        assert counted.get() == []


def test_results_are_kept_by_session() -> None:
    calls: list[int] = []

    @cached(maxsize=4)
    def half(number: int) -> int:
        calls.append(number)
        return number // 2

    one, other = Session(), Session()
    for session in (one, other, one):
        with session.entered():
            assert half(6) == half(6) == 3
    assert calls == [6, 6]
