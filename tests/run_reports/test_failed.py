"""The report of a launch that failed: what was found, what it did until then, and what its kernels wait for."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docs.blocks import ROOT
from run_reports.reports import example, failed_report_of
from support.programs import run_ttl
from ttl.report.pack import unpacked


def open_waits(launch: dict[str, Any]) -> list[tuple[str, str]]:
    """Of every track whose last slice is a wait that nothing ended, its role and what the slice is called."""
    labels, causes = (unpacked(launch["slices"][name]) for name in ("label", "cause"))
    last = [track["first"] + track["count"] - 1 for track in launch["tracks"]]
    waits = [
        (track["role"], launch["labels"][labels[slice_]])
        for track, slice_ in zip(launch["tracks"], last, strict=True)
        if causes[slice_] < 0
    ]
    return [(role, label["text"]) for role, label in waits if label["kind"] == "wait"]


DEADLOCK = (ROOT / "web" / "report" / "browser" / "deadlock.py").read_text(encoding="utf-8")


def stands_of(launch: dict[str, Any]) -> dict[str, tuple[str, int | None, int | None, list[str]]]:
    """Of every processor that had not ended: what it waits for, the line, that of the C++, and who should have ended that."""
    tracks, nodes, labels = launch["tracks"], launch["nodes"], launch["labels"]

    def who(track: int) -> str:
        return f"{tracks[track]['role']} {tuple(nodes[tracks[track]['node']]['node'])}"

    return {
        who(stand["track"]): (
            labels[stand["label"]]["text"],
            labels[stand["label"]]["line"],
            labels[stand["label"]]["kernel_line"],
            [who(track) for track in stand["awaited"]],
        )
        for stand in launch["stands"]
    }


def test_the_chip_at_a_deadlock(tmp_path: Path) -> None:
    """The page is of what the emulated chip did: where every processor stands, at which lines, and who should have ended its wait."""
    program = tmp_path / "gather.py"
    program.write_text(DEADLOCK, encoding="utf-8")
    (launch,) = failed_report_of(str(program), "emu", tmp_path)["launches"]
    assert launch["target"] == "emu" and launch["path"] is None and launch["profile"] is None
    lines = enumerate(DEADLOCK.splitlines(), 1)
    receives = next(number for number, text in lines if "ttl.copy(pipe, sum_blk)" in text)
    stands = stands_of(launch)
    said, at, cpp, awaited = stands["ncrisc (0, 0)"]
    assert said == f"waits for a message of net's pipe from (1, 0) to (0, 0) :{receives}, forever"
    assert at == receives and awaited == ["brisc (1, 0)"]
    kernel = next(kernel for kernel in launch["kernels"] if kernel["name"] == "read")
    assert cpp is not None and "semaphore_wait" in kernel["text"].splitlines()[cpp - 1]
    assert stands["unpack (0, 0)"][3] == ["ncrisc (0, 0)"] and stands["math (0, 0)"][3] == ["unpack (0, 0)"]
    said_first = r"gather: stopped after [\d,]+ cycles on 4 nodes .* 7 of 20 processors wait"
    assert re.match(said_first, launch["verdict"])
    waited = next(label for label in launch["labels"] if label["text"] == said)
    pipe = launch["pipes"][waited["pipe"]]
    assert (waited["waits_for"], pipe["source"], pipe["transfers"]) == ("message", 1, 1)
    buffer = next(
        label["buffer"] for label in launch["labels"] if label["text"] == stands["unpack (0, 0)"][0]
    )
    assert launch["buffer_names"][buffer]["text"] == "sum_dfb"
    assert ("ncrisc", said) in open_waits(launch) and len(open_waits(launch)) == len(stands) == 7


def test_who_broke_a_rule_of_the_chip_and_what_cannot_be_compiled(tmp_path: Path) -> None:
    (launch,) = failed_report_of(example("errors/two_producers"), "emu", tmp_path)["launches"]
    states = [stand["state"] for stand in launch["stands"]]
    assert launch["target"] == "emu" and sorted(set(states)) == ["failed", "waits", "works"]
    assert "refused by the check, run anyway" in launch["verdict"]
    (launch,) = failed_report_of(example("errors/copy_in_compute"), "emu", tmp_path)["launches"]
    assert launch["target"] == "sim" and "it cannot be compiled" in launch["verdict"]


HOST = """
import ttl
def shapes():
    return {"a": (32, 32)}["b"]
shapes()
"""


@pytest.mark.parametrize(
    ("text", "status", "verdict", "code"),
    [
        (HOST, 1, "p.py failed before it launched an operation: KeyError: 'b'", None),
        ("import ttl\nttl.opertion", 1, "p.py failed before it launched an operation", "TTL"),
        (
            "def f(:",
            2,
            "p.py failed before it launched an operation: 'p.py' is not a Python program",
            "TTL0111",
        ),
        ("import sys\nsys.exit(3)", 3, "p.py left with exit code 3 before it launched an operation", None),
        ("import os\nos._exit(9)", 9, "p.py had not ended when this was written", None),
        (
            "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)",
            -15,
            "p.py failed before it launched an operation: KeyboardInterrupt: the program was killed",
            None,
        ),
    ],
    ids=["exception", "name", "no Python", "exit", "killed at once", "killed"],
)
def test_a_program_that_fails_without_a_launch_has_a_page_too(
    text: str, status: int, verdict: str, code: str | None, tmp_path: Path
) -> None:
    (tmp_path / "p.py").write_text(text, encoding="utf-8")
    flags = ["run", "--report", "r.json", "p.py"]
    if "os." in text:
        command = [sys.executable, "-m", "ttl", *flags]
        assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == status
    else:
        assert run_ttl(flags, folder=tmp_path).status == status
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert report["launches"] == [] and report["failure"]["verdict"].startswith(verdict)
    findings = report["failure"]["findings"]
    if code is not None:
        assert findings[0]["code"].startswith(code)
    if text == HOST:
        assert [frame["line"] for frame in findings[0]["frames"]] == [5, 4]
        assert report["failure"]["sources"][0]["text"] == HOST


def test_a_deadlock_shows_the_steps_up_to_it_and_who_waits_for_what(tmp_path: Path) -> None:
    """The check finds it before the launch; the launch is run all the same, to be shown."""
    report = failed_report_of(example("errors/deadlock_block_count"), "sim", tmp_path)
    (launch,) = report["launches"]
    assert report["findings"] == launch["findings"]
    assert [finding["code"] for finding in report["findings"]] == ["TTL0916"]
    assert launch["findings"][0]["primary"]["file"] == launch["sources"][0]["file"]
    assert open_waits(launch) == [
        ("read", "waits for room in x_dfb :26, forever"),
        ("compute", "waits for room in acc_dfb :35, forever"),
        ("write", "waits for data in y_dfb :42, forever"),
    ]
    assert launch["verdict"].startswith("sum_of_tiles: stopped after 8 steps on 1 node")
    assert launch["path"] is None and launch["length"] == 9
    assert [(stand["needs"], stand["awaited"]) for stand in launch["stands"]] == [
        ("a free block of x_dfb, of which 2 of 2 blocks are full", [1]),
        ("a free block of acc_dfb, of which 1 of 1 block is full", []),
        ("a filled block of y_dfb, of which 0 of 2 blocks are full", [1]),
    ]
    ends = np.cumsum(unpacked(launch["slices"]["gap"]) + unpacked(launch["slices"]["length"]))
    assert launch["length"] in ends


def test_waits_and_copies_of_a_pipe_say_which_one_it_is(tmp_path: Path) -> None:
    (launch,) = failed_report_of(example("errors/unmatched_pipe"), "sim", tmp_path)["launches"]
    about = {label["text"]: label["pipe"] for label in launch["labels"] if label["net"] is not None}
    waited = next(pipe for text, pipe in about.items() if text.startswith("waits for a message of net"))
    assert launch["pipes"][waited]["destinations"] == [0]
    assert {label["kind"] for label in launch["labels"] if label["pipe"] is not None} == {"busy", "wait"}


@pytest.mark.parametrize(("name", "code"), [("copy_shape_mismatch", "TTL0515"), ("l1_overflow", "TTL0801")])
def test_other_errors_of_a_run_are_shown_where_it_stopped(name: str, code: str, tmp_path: Path) -> None:
    report = failed_report_of(example(f"errors/{name}"), "sim", tmp_path)
    assert report["findings"][0]["code"] == code
    (launch,) = report["launches"]
    assert launch["tracks"]


def test_an_exception_of_the_users_is_a_finding(tmp_path: Path) -> None:
    text = Path(example("errors/missing_push")).read_text(encoding="utf-8")
    at = text.index("@ttl.compute()")
    head = text.index("\n", text.index("def ", at)) + 1
    indent = " " * (len(text[head:]) - len(text[head:].lstrip()))
    program = tmp_path / "raises.py"
    program.write_text(f'{text[:head]}{indent}raise ValueError("no more")\n{text[head:]}', encoding="utf-8")
    report = failed_report_of(str(program), "sim", tmp_path, "--no-check")
    (finding,) = report["findings"]
    assert (finding["kind"], finding["type"], finding["message"]) == ("exception", "ValueError", "no more")
    assert "ValueError: no more" in report["launches"][0]["verdict"]
