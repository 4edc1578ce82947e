"""What ``ttl check`` says first about a faulty program is what ``ttl run --no-check`` says first: code, message, help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from check.strangers import FAULTS, faulty
from support.programs import run_ttl

_WORST_FIRST = {"error": 0, "warning": 1, "note": 2}


def first(found: list[dict[str, Any]]) -> tuple[str, str, tuple[str, ...]]:
    found = [each for each in found if each.get("code")]
    assert found, "something is wrong with every one of these programs"
    worst = min(found, key=lambda each: _WORST_FIRST[each["severity"]])
    return worst["code"], worst["message"], tuple(worst["help"])


def said_by_run(folder: Path) -> list[dict[str, Any]]:
    outcome = run_ttl(["run", "--no-check", "--format", "json", "program.py"], folder=folder)
    return [json.loads(line) for line in outcome.stderr.splitlines() if line.startswith('{"schema"')]


def said_by_check(folder: Path) -> list[dict[str, Any]]:
    outcome = run_ttl(["check", "--format", "json", "program.py"], folder=folder)
    found: list[dict[str, Any]] = json.loads(outcome.stdout)["diagnostics"]
    return found


@pytest.mark.parametrize("name", FAULTS)
def test_a_check_says_first_what_a_run_says_first(name: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(faulty(name), encoding="utf-8")
    assert first(said_by_check(tmp_path)) == first(said_by_run(tmp_path))


def test_there_are_enough() -> None:
    assert len(FAULTS) >= 40


@pytest.mark.parametrize(
    ("name", "code", "advice"),
    [
        ("assign_block", "TTL0302", "write o_blk.store(a_blk + b_blk)"),
        ("swap_copy_read", "TTL0301", "the wrong way round? ttl.copy(source, blk)"),
        ("swap_copy_write", "TTL0304", "the wrong way round? ttl.copy(blk, destination)"),
        ("swap_copy_send", "TTL0502", "to send write ttl.copy(blk, pipe)"),
        ("pipe_xy", "TTL0603", "the wrong way round? (slice(0, 4), 0) is inside"),
        ("misspelt_local", "TTL0238", "did you mean rows_per_core?"),
        ("range_tensor", "TTL0239", "range(a.shape[0] // 32)"),
        ("host_tensor", "TTL0241", "ttnn.to_device(tensor, device)"),
        ("torch_exp", "TTL0225", "ttl.math.exp(blk)"),
        ("element_slices", "TTL0507", "indices of a tiled tensor count tiles, not elements"),
        ("elements_shape", "TTL0801", "write shape=(1, 1) for a_cb"),
        ("pipe_directly", "TTL0502", "net.if_dst(receive)"),
    ],
)
def test_the_advice_helps(name: str, code: str, advice: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(faulty(name), encoding="utf-8")
    found, _, help_ = first(said_by_check(tmp_path))
    assert found == code
    assert any(advice in each for each in help_), help_
