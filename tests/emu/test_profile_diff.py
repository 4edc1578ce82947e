"""``ttl profile``: profiles in a file, and what changed between two of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.programs import Outcome, run_ttl
from ttl.emu import profile_diff
from ttl.emu.profile import LineCost, Profile, Roof
from ttl.emu.program import KernelLine
from ttl.lang.launches import LaunchName, TensorArgument

PROGRAM = """
import ttl
import ttnn

BLOCK = 1


@ttl.operation(grid=(1, 1))
def copied(x, y):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, BLOCK))

    @ttl.datamovement()
    def read():
        for column in range(0, 8, BLOCK):
            with dfb.reserve() as blk:
                ttl.copy(x[0, column : column + BLOCK], blk).wait()

    @ttl.datamovement()
    def write():
        for column in range(0, 8, BLOCK):
            with dfb.wait() as blk:
                ttl.copy(blk, y[0, column : column + BLOCK]).wait()


def tensor(rows=32):
    device = ttnn.open_device(device_id=0)
    return ttnn.ones((rows, 256), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


copied(tensor(), tensor())
copied(tensor(), tensor())
copied(tensor(64), tensor(64))
print("done")
"""


def run(folder: Path, *arguments: str) -> Outcome:
    return run_ttl(["profile", *arguments], folder=folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Profiles of the program, and of one with larger blocks and without the last call."""
    folder = tmp_path_factory.mktemp("profiles")
    faster = PROGRAM.replace("BLOCK = 1", "BLOCK = 4").replace("copied(tensor(64), tensor(64))\n", "")
    for name, source in (("before", PROGRAM), ("after", faster)):
        (folder / "example.py").write_text(source, encoding="utf-8")
        outcome = run(folder, "-o", f"{name}.json", "example.py")
        assert (outcome.status, outcome.stdout, outcome.stderr) == (0, "done\n", "")
    return folder


def test_the_difference_is_what_the_two_runs_say(folder: Path) -> None:
    before, after = (
        [json.loads(line) for line in (folder / f"{name}.json").read_text().splitlines()]
        for name in ("before", "after")
    )
    outcome = run(folder, "--diff", "before.json", "after.json", "--format", "json")
    assert outcome.status == 0
    diff = json.loads(outcome.stdout)
    (pair,) = diff["launches"]
    assert pair["before"]["launches"] == pair["after"]["launches"] == [1, 2]
    assert pair["before"]["cycles"] == before[0]["cycles"] + before[1]["cycles"]
    assert pair["after"]["cycles"] == after[0]["cycles"] + after[1]["cycles"]
    assert pair["speedup"] == round(pair["before"]["cycles"] / pair["after"]["cycles"], 4) > 1
    assert (pair["before"]["constants"], pair["after"]["constants"]) == ({"BLOCK": 1}, {"BLOCK": 4})
    assert [(item["launch"], item["cycles"]) for item in diff["only_before"]] == [(3, before[2]["cycles"])]
    assert diff["only_after"] == []
    change = sum(line["change"] for line in pair["lines"])
    launches = pair["after"]["path"]["launch"] - pair["before"]["path"]["launch"]
    assert change + launches == pair["after"]["cycles"] - pair["before"]["cycles"]


def test_the_report_says_how_much_faster_and_where(folder: Path) -> None:
    text = run(folder, "--diff", "before.json", "after.json").stdout
    first, *rows = text.splitlines()
    assert first.startswith("copied: ") and first.endswith("times as fast") and "in 2 launches" in first
    assert "  constants      BLOCK 1 -> 4" in rows
    (row,) = [row for row in rows if "ttl.copy(x[0, column" in row]
    assert "-" in row.split("|")[0] and row.split("|")[0].split()[-1] == "16"
    assert text.splitlines()[-2:-1] == ["only before:"] and "launch 3: copied(x 64x256" in text


def test_a_run_is_as_fast_as_itself(folder: Path) -> None:
    text = run(folder, "--diff", "after.json", "after.json").stdout
    assert "as fast as before" in text.splitlines()[0]
    assert text.splitlines()[-1] == "  critical path  as before"


def test_what_a_program_or_an_object_saved_is_read_as_well(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "after.json").read_text().splitlines()
    launches = [json.loads(line) for line in lines]
    (tmp_path / "object.json").write_text(json.dumps({"kind": "profiles", "launches": launches}))
    (tmp_path / "stream.txt").write_text("\n".join(["warming up {", *lines, '{"kind": "diagnostic"}', "{no"]))
    outcome = run(tmp_path, "--diff", "object.json", "stream.txt", "--format", "json")
    assert json.loads(outcome.stdout)["launches"][0]["speedup"] == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "no such file or directory"),
        (b"", "the file has no profile"),
        (b"\xff\xfe", "it is not text"),
        (b'{"kind": "profile"}', "profile 1 in it is not one of this version (KeyError: 'schema')"),
        (b'[1, {"kind": "profile", "schema": 7}]', "profile 1 in it is not one of this version"),
    ],
)
def test_a_file_without_a_profile_is_said(tmp_path: Path, text: bytes | None, said: str) -> None:
    if text is not None:
        (tmp_path / "before.json").write_bytes(text)
    outcome = run(tmp_path, "--diff", "before.json", "before.json")
    assert outcome.status == 2 and outcome.stdout == ""
    assert outcome.stderr.startswith("error[TTL0124]: cannot read a profile from 'before.json': ")
    assert said in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "TTL0102"),
        (("--diff", "a.json"), "TTL0113"),
        (("--diff", "a.json", "b.json", "example.py"), "TTL0113"),
        (("-o", "", "example.py"), "TTL0117"),
        (("-o", "missing/x.json", "example.py"), "TTL0117"),
        (("--target", "sim", "example.py"), "TTL0119"),
    ],
)
def test_a_wrong_command_line_is_said_before_anything_runs(
    tmp_path: Path, arguments: Sequence[str], code: str
) -> None:
    (tmp_path / "example.py").write_text("print('ran')\n")
    outcome = run(tmp_path, *arguments)
    assert outcome.status == 2 and outcome.stdout == "" and f"error[{code}]" in outcome.stderr


# --- matching


def profile(
    lines: Sequence[str], *, number: int = 1, rows: int = 32, file: str = "/a/mine.py", **constants: Any
) -> Profile:
    """A launch whose lines have as many cycles as they have characters."""
    costs = {
        KernelLine(file=file, line=at, kernel="read"): LineCost(path=len(text), busy={}, waits={}, text=text)
        for at, text in enumerate(lines, 1)
    }
    cycles = sum(cost.path for cost in costs.values())
    tensor = TensorArgument(
        name="x",
        shape=(rows, 32),
        dtype="bfloat16",
        layout="tile",
        memory="dram",
        memory_layout="interleaved",
    )
    return Profile(
        name="op", chip="wormhole", clock_hz=10**9, grid=(1, 1), nodes=1, cycles=cycles, path={"DRAM": cycles},
        processors=(), lines=costs, roof=Roof(resource="math", cycles=1, because=""), dram_bytes=0, dram_unique_bytes=0, busiest_bank=0,
        busiest_link=0,
        launch=LaunchName(operation="op", number=number, arguments=(tensor,), constants=constants),
    )  # fmt: skip


def numbers(diff: profile_diff.ProfileDiff) -> list[tuple[list[int], list[int]]]:
    def of(run: Sequence[Profile]) -> list[int]:
        return [item.launch.number for item in run if item.launch is not None]

    return [(of(change.before), of(change.after)) for change in diff.launches]


def test_launches_with_the_same_constants_belong_together_first() -> None:
    before = [
        profile(["a"], number=1, block=1),
        profile(["a"], number=2, block=2),
        profile(["a"], number=3, rows=64),
    ]
    after = [
        profile(["a"], number=1, block=2),
        profile(["a"], number=2, block=4),
        profile(["a"], number=3, block=1),
    ]
    diff = profile_diff.compared(before, after)
    assert numbers(diff) == [([1], [3]), ([2], [1])]
    assert [item.launch and item.launch.number for item in (*diff.only_before, *diff.only_after)] == [3, 2]


def test_lines_are_matched_by_text_then_by_place() -> None:
    before = profile(["one", "two", "three", "gone"])
    after = profile(["new", "one", "TWO", "three"], file="/elsewhere/mine.py")
    (change,) = profile_diff.compared([before], [after]).launches
    pairs = [
        tuple(None if line is None else line[1].text for line in (item.before, item.after))
        for item in change.lines
    ]
    assert pairs == [(None, "new"), ("one", "one"), ("two", "TWO"), ("three", "three"), ("gone", None)]


def test_a_file_with_another_name_is_known_by_its_lines() -> None:
    before = profile(["one", "two", "three"])
    (change,) = profile_diff.compared(
        [before], [profile(["one", "2", "three"], file="/a/faster.py")]
    ).launches
    assert [(line.place.file, line.place.line, line.change) for line in change.lines] == [
        ("/a/faster.py", 1, 0),
        ("/a/faster.py", 2, -2),
        ("/a/faster.py", 3, 0),
    ]
    (change,) = profile_diff.compared([before], [profile(["other"], file="/a/faster.py")]).launches
    assert [line.change for line in change.lines] == [5, -3, -3, -5]


def test_another_chip_is_compared_by_time() -> None:
    one, other = profile(["abcd"]), replace(profile(["abcd"]), chip="blackhole", clock_hz=2 * 10**9)
    diff = profile_diff.compared([one], [other])
    text = profile_diff.render(diff)
    assert "2.00 times as fast" in text and "wormhole -> blackhole" in text
    assert profile_diff.to_object(diff)["launches"][0]["speedup"] == 2
