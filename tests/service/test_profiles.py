"""What of a profile stands beside the lines of a text."""

from __future__ import annotations

from typing import Any

from ttl.service.profiles import margin_of
from ttl.session import FileText

TEXT = FileText("one\ntwo\nthree\nfour\n")


def launch(name: str, number: int, *lines: tuple[str, int, int, float]) -> dict[str, Any]:
    """Lines: file, number, cycles of the path, cycles of work."""
    return {
        "name": name, "launch": number, "device": None, "arguments": [], "constants": {}, "bound_by": "math",
        "cycles": sum(path for _, _, path, _ in lines) + 100, "verdict": f"{name}: slow",
        "lines": [
            {"file": file, "line": line, "path": path, "busy": {"math": busy, "pack": 1.0}, "waits": {"math": 0.2}}
            for file, line, path, busy in lines
        ],
    }  # fmt: skip


def test_launches_are_added_up_line_by_line_of_the_file() -> None:
    margin = margin_of(
        "/a.py",
        TEXT,
        [
            launch("f", 1, ("/a.py", 2, 300, 250.0), ("/b.py", 2, 1000, 1.0)),
            launch("f", 2, ("/a.py", 2, 300, 250.0), ("/a.py", 4, 150, 9.0)),
        ],
    )
    assert [(item.line, item.cycles, item.heat) for item in margin.lines] == [(2, 600, 1.0), (4, 150, 0.25)]
    assert margin.lines[0].text == "600 cycles, 31 % | busy 500 math"
    assert margin.lines[0].share == round(600 / 1950, 4)
    assert margin.verdict.startswith("1,950 cycles in 2 launches, 72 % of them in launch 1: f: slow")


def test_one_operation_counts_alone_where_it_is_named() -> None:
    profiles = [launch("f", 1, ("/a.py", 1, 10, 1.0)), launch("g", 2, ("/a.py", 3, 20, 2.0))]
    margin = margin_of("/a.py", TEXT, profiles, "g")
    assert [item.line for item in margin.lines] == [3] and margin.verdict == "g: slow"
    assert [item["launch"] for item in margin.launches] == [2]
    nothing = margin_of("/a.py", TEXT, profiles, "h")
    assert (nothing.lines, nothing.verdict) == ((), "the program does not launch h")


def test_lines_move_with_the_text_and_those_that_changed_are_gone() -> None:
    profiles = [launch("f", 1, *(("/a.py", line, 10 * line, 1.0) for line in (1, 2, 3, 4)))]
    margin = margin_of("/a.py", TEXT, profiles)
    assert margin.moved_to(TEXT) is margin and not margin.stale
    moved = margin.moved_to(FileText("one\nnew\nTWO\nthree\nfour\n"))
    assert moved.stale and moved.verdict == margin.verdict
    assert [(item.line, item.cycles) for item in moved.lines] == [(1, 10), (4, 30), (5, 40)]
    assert [item.line for item in moved.moved_to(FileText("")).lines] == []
