"""``--stats`` on the emulated chip says what the simulator says of the same program, and counts cycles besides."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from docs.blocks import ROOT
from support.programs import Outcome, run_ttl

# Pipes from node to node, to many, through a landing buffer; blocks in parts; row-major blocks, of more bytes on the chip.
EXAMPLES = ("spec_ring_forward", "spec_gather", "spec_scatter_gather", "matmul", "row_major_copy")


def run(name: str, folder: Path, target: str, *flags: str) -> Outcome:
    program = str(ROOT / "examples" / f"{name}.py")
    outcome = run_ttl(["run", "--stats", "--no-replay", "--target", target, *flags, program], folder=folder)
    assert outcome.status == 0, outcome.stderr
    return outcome


def stats(name: str, folder: Path, target: str) -> list[Any]:
    lines = run(name, folder, target, "--format", "json").stderr.splitlines()
    return [item for item in map(json.loads, lines) if item["kind"] == "stats"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_blocks_and_messages_are_those_of_the_simulator(name: str, tmp_path: Path) -> None:
    simulated, emulated = (stats(name, tmp_path, target) for target in ("sim", "emu"))
    assert len(simulated) == len(emulated) > 0
    for sim, emu in zip(simulated, emulated, strict=True):
        for key in ("name", "launch", "device", "arguments", "constants", "chip", "nodes"):
            assert sim[key] == emu[key]
        keys = ("name", "file", "line", "blocks", "bytes", "block_count")
        own = [item for item in emu["buffers"] if item["made_by"] == "user"]
        assert [[item[key] for key in keys] for item in own] == [
            [item[key] for key in keys] for item in sim["buffers"]
        ]
        assert all(0 < item["high_water"] <= item["block_count"] for item in own if item["blocks"])
        for key in ("pipes", "sends", "bytes", "receives"):
            assert sum(item[key] for item in emu["pipes"]) == sum(item[key] for item in sim["pipes"])
        for item in emu["buffers"]:
            assert (item["data_waits"] > 0) == (item["data_wait_cycles"] > 0)
            assert (item["reserve_waits"] > 0) == (item["reserve_wait_cycles"] > 0)
        assert {item["data_wait_cycles"] for item in sim["buffers"]} == {None}


def test_the_table_has_cycles_on_the_emulated_chip_only(tmp_path: Path) -> None:
    texts = [run("spec_ring_forward", tmp_path, target).stderr.splitlines() for target in ("sim", "emu")]
    for text, chip, cycles in zip(texts, ("", " of wormhole, emulated"), (False, True), strict=True):
        assert re.fullmatch(rf"statistics of add_previous on 16 nodes{chip}, \d+ switches", text[0])
        assert text[1].startswith("  launch 1: a 128x128 bfloat16, y 128x128 bfloat16")
        assert text[2].endswith("data waits  reserve cycles  data cycles" if cycles else "data waits")
    assert [row.split()[:4] for row in texts[1][-1:]] == [["net", "16", "32768", "16"]]


def test_the_reference_has_every_key(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    (example,) = re.findall(r'```json\n(\{"schema": 1, "kind": "stats".*?)```', page, re.DOTALL)
    shown, (real,) = json.loads(example), stats("spec_ring_forward", tmp_path, "sim")
    assert shown.keys() == real.keys()
    for rows in ("buffers", "pipes"):
        assert shown[rows][0].keys() == real[rows][0].keys()


def test_a_replayed_launch_says_so_as_an_object(tmp_path: Path) -> None:
    source = (ROOT / "examples" / "tutorial_1_one_tile.py").read_text(encoding="utf-8")
    (tmp_path / "example.py").write_text(source)
    outcome = run_ttl(["run", "--stats", "--replay", "--format", "json", "example.py"], folder=tmp_path)
    told = [json.loads(line) for line in outcome.stderr.splitlines()]
    assert {item["kind"] for item in told} == {"stats", "replay"}
    (story,) = [item for item in told if item["kind"] == "replay"]
    assert story["launch"] == 1 and story["story"] == "traced: first call"
