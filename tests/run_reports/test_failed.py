"""The report of a launch that failed: what was found, what it did until then, and what its kernels wait for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from run_reports.reports import example, failed_report_of
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


def test_a_deadlock_shows_the_steps_up_to_it_and_who_waits_for_what(tmp_path: Path) -> None:
    """The check finds it before the launch; the launch is run all the same, to be shown."""
    report = failed_report_of(example("errors/deadlock_block_count"), "sim", tmp_path)
    (launch,) = report["launches"]
    assert report["findings"] == launch["findings"]
    assert [finding["code"] for finding in report["findings"]] == ["TTL0916"]
    assert launch["findings"][0]["primary"]["file"] == launch["sources"][0]["file"]
    assert open_waits(launch) == [
        ("read", "waits for room in x_dfb :26, for ever"),
        ("compute", "waits for room in acc_dfb :35, for ever"),
        ("write", "waits for data in y_dfb :42, for ever"),
    ]
    assert launch["verdict"].startswith("sum_of_tiles: stopped after 8 steps on 1 node")
    assert launch["path"] is None and launch["length"] == 9
    ends = np.cumsum(unpacked(launch["slices"]["gap"]) + unpacked(launch["slices"]["length"]))
    assert launch["length"] in ends


def test_waits_and_copies_of_a_pipe_say_which_one_it_is(tmp_path: Path) -> None:
    (launch,) = failed_report_of(example("errors/unmatched_pipe"), "sim", tmp_path)["launches"]
    about = {label["text"]: label["pipe"] for label in launch["labels"] if label["net"] is not None}
    waited = next(pipe for text, pipe in about.items() if text.startswith("waits for a message of net"))
    assert launch["pipes"][waited]["destinations"] == [0]
    assert {label["kind"] for label in launch["labels"] if label["pipe"] is not None} == {"busy", "wait"}


@pytest.mark.parametrize(
    ("name", "code", "steps"),
    [("copy_shape_mismatch", "TTL0515", True), ("l1_overflow", "TTL0801", False)],
)
def test_other_errors_of_a_run_are_shown_where_it_stopped(
    name: str, code: str, steps: bool, tmp_path: Path
) -> None:
    report = failed_report_of(example(f"errors/{name}"), "sim", tmp_path)
    assert report["findings"][0]["code"] == code
    (launch,) = report["launches"]
    assert bool(launch["tracks"]) == steps


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
