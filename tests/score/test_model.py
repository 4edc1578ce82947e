"""The total: what later stages earn depends on earlier ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ttl.arch import chip_named
from ttl.diag import ProgramError
from ttl.score.arrays import load
from ttl.score.best import BestTable, read_best
from ttl.score.comparing import accuracy_of
from ttl.score.reference_worker import counted, expected
from ttl.score.references import given_reference
from ttl.score.scorer import speed_of
from ttl.score.stages import WORTH, Score, ScoreStage
from ttl.score.text import render


def score_of(**failed: bool) -> Score:
    stages = tuple(
        ScoreStage(name=name, passed=not failed.get(name, False), share=0.5 if name == "speed" else 1.0)
        for name in WORTH
    )
    return Score(program="p.py", stages=stages, reference={})


def test_all_stages_are_worth_one() -> None:
    assert sum(WORTH.values()) == pytest.approx(1)
    assert score_of().total == 0.9


@pytest.mark.parametrize("name", ["parsed", "checked", "ran", "right"])
def test_nothing_counts_after_a_stage_that_is_needed(name: str) -> None:
    before = list(WORTH)[: list(WORTH).index(name)]
    assert score_of(**{name: True}).total == pytest.approx(sum(WORTH[item] for item in before))


@pytest.mark.parametrize("name", ["schedules", "sanitized", "compiled", "emulated"])
def test_what_is_wrong_is_not_made_up_for_by_speed(name: str) -> None:
    assert score_of(**{name: True}).total == pytest.approx(0.8 - WORTH[name])


def test_exit_codes_go_by_stage() -> None:
    assert [score_of(**{name: True}).status for name in WORTH] == list(range(10, 19))
    assert score_of().status == 0


def test_one_wrong_tile_among_many_is_wrong() -> None:
    values = np.random.default_rng(0).standard_normal((1024, 1024)).astype(np.float32)
    result = values.copy()
    result[:32, :32] = 0
    found = accuracy_of("y", "bfloat16", result, values)
    assert found.pcc > 0.999
    assert not found.right
    assert accuracy_of("y", "bfloat16", values, values).right


def test_what_is_no_number_has_to_be_none_in_both() -> None:
    values = np.array([1.0, np.nan, np.inf])
    assert accuracy_of("y", "float32", values, values).right
    assert not accuracy_of("y", "float32", np.array([1.0, 0.0, np.inf]), values).right


def test_products_of_a_reference_are_counted() -> None:
    tensors = [{"name": name, "written": name == "y"} for name in "aby"]
    inputs = {"a": np.ones((4, 8)), "b": np.ones((8, 16)), "y": np.ones((4, 16))}
    assert counted(lambda a, b: np.exp(a @ b), tensors, inputs, expected) == 2 * 4 * 8 * 16
    assert counted(lambda a, b: np.dot(a, b) + 1, tensors, inputs, expected) == 2 * 4 * 8 * 16
    assert counted(lambda a: a + 1, tensors, inputs, expected) == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = 1", "it has no function 'reference'"),
        ("def", "it is not Python"),
        ("SHAPES = make()\ndef reference(a): ...", "SHAPES is not a dictionary"),
    ],
)
def test_a_reference_that_cannot_be_used(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "reference.py"
    path.write_text(text)
    with pytest.raises(ProgramError, match=why):
        given_reference(str(path))


def test_a_file_of_the_best_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "best.toml"
    path.write_text('[[matmul]]\nchip = "wormhole"\n')
    with pytest.raises(ProgramError, match="TTL0129"):
        read_best(str(path))


def test_arrays_of_somebody_else_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    np.savez(path, x=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="pickle"):
        load(str(path))
    path.write_bytes(b"PK nothing")
    with pytest.raises(ValueError, match="no file of arrays"):
        load(str(path))


def test_the_first_sentence_is_what_to_do_first() -> None:
    def call(cycles: int, *saved: tuple[int, bool]) -> dict[str, Any]:
        advice = [{"cycles": number, "wrong": wrong} for number, wrong in saved]
        return {"cycles": cycles, "advice": advice, "headline": f"Change {cycles}"}

    passed = [ScoreStage(name=name, passed=True) for name in WORTH]

    def first_line(stages: list[ScoreStage], *calls: dict[str, Any]) -> str:
        score = Score(program="f.py", stages=tuple(stages), reference={"kind": None}, calls=calls)
        return render(score.to_object()).splitlines()[0]

    # Of the call that can save most; what makes results wrong saves nothing.
    assert first_line(passed, call(100, (90, False)), call(900, (500, True), (20, False))) == "Change 100"
    assert first_line(passed, call(100), call(900, (500, True))) == "Change 900"
    failed = ScoreStage(name="right", passed=False, why="y is off", help="wait for the block")
    assert first_line([*passed[:3], failed], call(100)) == "First, right: wait for the block"
    assert first_line(passed) == "f.py: 1.00 of 1"


def test_speed_is_measured_against_the_best_that_is_known() -> None:
    chip = chip_named("wormhole")
    read = {"operation": "add", "arguments": ["a 32x32"], "line": 1}
    profile = {"cycles": 1000, "headline": "", "verdict": "", "roof": {"share": 0.5}, "advice": []}
    call = {"tensors": [], "profile": profile, "l1_bytes": 0}

    def of_best(known: dict[str, int] | None) -> float | None:
        table = None if known is None else BestTable({})
        for operation, cycles in (known or {}).items():
            assert table is not None and table.enter(operation, "wormhole", ["a 32x32"], cycles)
        _, stage = speed_of([read], [call], chip, table)
        share: float | None = stage.facts["of_best"]
        assert stage.share == (share or stage.facts["of_roofline"])
        return share

    assert [of_best(None), of_best({"mul": 500}), of_best({"add": 500})] == [None, None, 0.5]
    assert of_best({"add": 2000}) == 1  # faster than the best known is as fast as the best known
