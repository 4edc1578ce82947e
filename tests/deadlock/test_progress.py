"""Long launches show their progress on a terminal, on one line that is gone afterwards (issue section 5)."""

from __future__ import annotations

import builtins
import io
from dataclasses import dataclass
from typing import Any

import pytest

import ttl
from support.tensors import blank
from ttl import settings
from ttl.sim import progress
from ttl.sim.progress import Progress

ERASE = "\r\x1b[K"


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True

    def versions(self) -> list[str]:
        """What the line said, one version after the other; an empty one is an erased line."""
        return self.getvalue().split(ERASE)[1:]


@dataclass
class Node:
    index: int


@dataclass
class Kernel:
    node: Node


def ends(shown: Progress, node: int) -> None:
    shown.kernel_ended(Kernel(Node(node)))  # type: ignore[arg-type]


def made(kernels: list[int]) -> tuple[Progress, Terminal, Clock]:
    clock, stream = Clock(), Terminal()
    return Progress("add", kernels, stream, clock), stream, clock


def test_nothing_is_shown_in_the_first_second() -> None:
    shown, stream, clock = made([1, 1])
    clock.now += 0.9
    ends(shown, 0)
    shown.tick()
    shown.erase()
    assert stream.getvalue() == ""


def test_the_line_says_nodes_done_rate_and_time_left() -> None:
    shown, stream, clock = made([3] * 8)
    for node in range(2):
        for _ in range(3):
            ends(shown, node)
    clock.now += 4
    shown.tick()
    assert stream.versions() == ["add: 2 of 8 nodes, 0.5 nodes/s, 12 s left"]


def test_a_node_is_done_with_its_last_kernel() -> None:
    shown, stream, clock = made([2, 2])
    clock.now += 2
    ends(shown, 0)
    clock.now += 2
    ends(shown, 0)
    assert stream.versions() == ["add: 0 of 2 nodes, 2 s", "add: 1 of 2 nodes, 0.25 nodes/s, 4 s left"]


def test_the_line_is_rewritten_ten_times_a_second_at_most() -> None:
    shown, stream, clock = made([1])
    clock.now += 1
    for _ in range(100):
        clock.now += 0.01
        shown.tick()
    assert 9 <= len(stream.versions()) <= 11


def test_it_is_erased_once() -> None:
    shown, stream, clock = made([1])
    clock.now += 2
    shown.tick()
    shown.erase()
    shown.erase()
    assert stream.versions() == ["add: 0 of 1 node, 2 s", ""]


def test_after_the_last_node_results_are_computed() -> None:
    shown, stream, clock = made([1, 1])
    clock.now += 3700
    ends(shown, 0)
    clock.now += 1
    ends(shown, 1)
    assert stream.versions()[0].endswith(", 1 h 1 min left")
    assert stream.versions()[1] == "add: 2 of 2 nodes, computing results"


def run() -> None:
    @ttl.operation(grid=(2, 2))
    def copy(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        node = ttl.node()

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[node], blk).wait()
            print("read")

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, y[node]).wait()

    copy(blank((64, 64)), blank((64, 64)))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every launch is a long one."""
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_INTERVAL", 0.0)


@pytest.mark.parametrize(
    ("setting", "stream", "wanted"),
    [
        ("auto", Terminal, True),
        ("on", io.StringIO, True),
        ("auto", io.StringIO, False),
        ("off", Terminal, False),
    ],
)
@pytest.mark.usefixtures("at_once")
def test_it_is_shown_on_a_terminal_or_where_asked_for(
    setting: str,
    stream: type[io.StringIO],
    wanted: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    errors = stream()
    monkeypatch.setattr("sys.stderr", errors)
    with settings.override(progress=setting):
        run()
    assert ("copy: " in errors.getvalue()) is wanted
    if wanted:
        assert errors.getvalue().endswith(ERASE)
    assert capsys.readouterr().out == "read\n" * 4, "what the program prints stays as it is"


@pytest.mark.usefixtures("at_once")
def test_what_a_kernel_prints_has_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("sys.stdout", terminal)
    run()
    printed = [version for version in terminal.versions() if "read" in version]
    assert printed[-3:] == ["read\n"] * 3


@pytest.mark.usefixtures("at_once")
def test_nothing_stays_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    printing = builtins.print
    monkeypatch.setattr("sys.stderr", Terminal())
    run()
    assert builtins.print is printing
