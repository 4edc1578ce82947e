"""Notebooks: ``%%ttl`` in a real IPython, and what profiles and reports look like there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import ttl
from ttl.report.assembly import is_built

pytest.importorskip("IPython")

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

SETUP = """
import ttl, ttnn
device = ttnn.open_device(device_id=0)
def ones():
    return ttnn.ones((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
x, y = ones(), ones()
"""
CELL = """
@ttl.operation(grid=(1, 1))
def double(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for at in range(2):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[0, at], x_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(2):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(2 * x_blk)

    @ttl.datamovement()
    def write():
        for at in range(2):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[0, at]).wait()

double(x, y)
"""


@pytest.fixture(scope="module")
def shell() -> Iterator[InteractiveShell]:
    result = InteractiveShell.instance()
    result.run_cell("%load_ext ttl")
    assert result.run_cell(SETUP).success
    yield result
    InteractiveShell.clear_instance()


class Run:
    """A cell that ran."""

    def __init__(self, shell: InteractiveShell, line: str, cell: str) -> None:
        with capture_output() as said:
            self.result = shell.run_cell(f"%%ttl {line}\n{cell}")
        self.html = "".join(output.data.get("text/html", "") for output in said.outputs)
        self.text, self.errors = said.stdout, said.stderr
        # What a terminal shows of the same.
        self.plain = "".join(output.data.get("text/plain", "") for output in said.outputs)


def test_a_cell_runs_in_the_namespace_of_the_notebook(shell: InteractiveShell) -> None:
    run = Run(shell, "", CELL + "answer = ttnn.to_torch(y).sum().item() if False else 42\nprint('ran')")
    assert run.result.success, run.text
    assert shell.user_ns["answer"] == 42 and "ran" in run.text and run.html == ""


def test_an_error_of_the_text_is_shown_with_its_place_and_nothing_runs(shell: InteractiveShell) -> None:
    shell.user_ns.pop("after", None)
    cell = """
@ttl.example(ttl.TensorSpec((64, 64)), ttl.TensorSpec((64, 64)))
@ttl.operation(grid=(1, 1))
def wrong(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0:2, 0], x_blk).wait()

after = 1
"""
    run = Run(shell, "", cell)
    assert not run.result.success and "after" not in shell.user_ns
    assert run.plain.startswith("error[TTL") and "<pre" not in run.plain
    assert re.search(r"In\[\d+\]:\d+:", run.plain) and "ttl.copy(x[0:2, 0], x_blk)" in run.plain
    place = re.search(r"In\[\d+\]:(\d+):", run.html)
    assert place is not None, run.html
    # As the notebook counts: %%ttl is line 1.
    assert f"%%ttl\n{cell}".splitlines()[int(place[1]) - 1].strip().startswith("ttl.copy(x[0:2, 0]")
    assert "Traceback" not in run.text + run.errors


def test_an_error_of_a_call_is_shown_with_its_place_and_the_cell_fails(shell: InteractiveShell) -> None:
    cell = CELL.replace("for at in range(2):", "for at in range(3):", 1)
    run = Run(shell, "", cell)
    assert not run.result.success
    assert "error[" in run.html and re.search(r"In\[\d+\]:\d+:", run.html), run.html
    assert "Traceback" not in run.text + run.errors
    assert Run(shell, "", "ok = 1").result.success


def test_an_error_of_python_is_shown_as_ever(shell: InteractiveShell) -> None:
    run = Run(shell, "", "1 / 0")
    assert not run.result.success
    assert "ZeroDivisionError" in run.text + run.errors and run.html == ""


def test_a_profile_of_a_cell(shell: InteractiveShell) -> None:
    run = Run(shell, "--profile", CELL)
    assert run.result.success
    for shown in (run.html, run.plain):
        assert "cycles on 1 node" in shown and "ttl.copy(x[0, at], x_blk)" in shown
        assert re.search(r"In\[\d+\]:\d+", shown) and "ipython-input" not in shown
    assert "<table" not in run.plain
    # The names of cells are as wide as other names: columns stand below each other.
    rows = run.plain.partition("hottest lines\n")[2].partition("\n\n")[0].splitlines()
    assert len(rows) > 2 and len({row.index(" | ") for row in rows}) == 1, run.plain


def test_a_report_of_a_cell(shell: InteractiveShell, tmp_path: Path) -> None:
    file = tmp_path / "cell.json"
    assert Run(shell, f"--target emu --report {file}", CELL).result.success
    assert '"target":"emu"' in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("line", ["--target card", "--nothing", "--arch", '--report "'])
def test_a_wrong_line_is_an_error_of_the_cell(shell: InteractiveShell, line: str) -> None:
    shell.user_ns.pop("after", None)
    run = Run(shell, line, "after = 1")
    assert not run.result.success and "after" not in shell.user_ns
    assert "error[TTL0144]" in run.text + run.errors


class _Balanced(HTMLParser):
    """What is open at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_profile_is_shown_as_a_table(shell: InteractiveShell, tmp_path: Path) -> None:
    assert Run(shell, "", CELL).result.success
    ns = shell.user_ns
    profile = ttl.profile(ns["double"], ns["x"], ns["y"])
    html = profile._repr_html_()
    parser = _Balanced()
    parser.feed(html)
    assert parser.open == [] and profile.verdict in html
    assert html.count("<tr>") > 3
    page = profile.report(tmp_path / "page.json")
    (launch,) = page.to_object()["launches"]
    assert launch["length"] == profile.cycles and launch["verdict"] == profile.verdict
    if is_built():
        assert "<iframe" in page._repr_html_()
