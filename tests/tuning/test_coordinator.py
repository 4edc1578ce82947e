"""Processes that die, hang or come late lose no result, and what is chosen does not depend on them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ttl.tuner import coordinator, text
from ttl.tuner.coordinator import Coordinator, ProgramFailedError, TunedCall
from ttl.tuner.journal import Journal
from ttl.tuner.search import search_for

COSTS = [50, 40, 30, 90, 20, 70, 60, 80, 10, 95, 35, 45]


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", here)
    monkeypatch.setattr(coordinator, "_WORKER", "fake_worker")
    assert sys.executable


def tuned(
    folder: Path,
    script: dict[str, Any],
    *,
    processes: int = 2,
    budget: int = 100,
    seconds: float = 20,
    seed: int = 0,
) -> list[TunedCall]:
    folder.mkdir(exist_ok=True)
    whole = {"calls": ["first"], "costs": COSTS, "folder": str(folder), **script}

    def entered(before: str, call: TunedCall) -> str:
        return f"{before}{call.about['operation']}={call.ranking[0].number};"

    def journal(about: Mapping[str, Any]) -> Journal:
        return Journal(str(folder / f"{about['operation']}.jsonl"))

    running = Coordinator(
        {"script": whole},
        processes=processes,
        seconds=seconds,
        search=lambda configurations: search_for(configurations, budget, seed),
        journal=journal,
        read=lambda path: "",
        entered=entered,
        shown=lambda call, trial: None,
    )
    running.run()
    assert running.texts["table"] == "".join(
        f"{call.about['operation']}={call.ranking[0].number};" for call in running.calls
    )
    return running.calls


def log(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "log").read_text().split()]


def test_every_configuration_is_tried_once_and_the_fastest_wins(tmp_path: Path) -> None:
    (call,) = tuned(tmp_path, {})
    assert sorted(log(tmp_path)) == list(range(len(COSTS)))
    assert call.ranking[0].number == COSTS.index(min(COSTS))


def test_the_calls_of_a_program_are_tuned_one_after_the_other(tmp_path: Path) -> None:
    calls = tuned(tmp_path, {"calls": ["first", "second", "third"], "dies once": [4]}, processes=3)
    assert [call.about["operation"] for call in calls] == ["first", "second", "third"]
    assert all(len(call.trials) == len(COSTS) for call in calls)


def test_a_process_that_dies_loses_no_result(tmp_path: Path) -> None:
    (call,) = tuned(tmp_path, {"dies once": [3, 8]})
    assert call.trials[8].verdict == call.trials[3].verdict == "measured"
    assert sorted(log(tmp_path)) == list(range(len(COSTS)))


def test_what_kills_its_process_or_hangs_is_lost_and_never_wins(tmp_path: Path) -> None:
    (call,) = tuned(tmp_path, {"dies": [8], "hangs": [4]}, seconds=3)
    assert {number: trial.why for number, trial in call.trials.items() if trial.verdict == "lost"} == {
        8: "its process died",
        4: "took longer than 3 s",
    }
    assert call.ranking[0].number == COSTS.index(30)


def test_wrong_results_never_win(tmp_path: Path) -> None:
    (call,) = tuned(tmp_path, {"wrong": [8, 4], "excluded": [2]})
    assert call.ranking[0].number == COSTS.index(35)
    report = "\n".join(text.render(call))
    assert "2 with wrong results" in report
    assert "1 excluded by where" in report


def test_a_second_call_goes_on(tmp_path: Path) -> None:
    tuned(tmp_path, {})
    journal = tmp_path / "first.jsonl"
    lines = journal.read_text().splitlines()
    # As a full disk, a killed process or a person would leave it.
    journal.write_text("\n".join([*lines[:5], "nonsense", '{"number": "x"}', "[]", lines[5][:20]]))
    (tmp_path / "log").write_text("")
    (call,) = tuned(tmp_path, {})
    known = {json.loads(line)["number"] for line in lines[:5]}
    assert call.known == 5
    assert sorted(log(tmp_path)) == sorted(set(range(len(COSTS))) - known)
    assert call.ranking[0].number == COSTS.index(min(COSTS))


def test_a_journal_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = Journal(str(tmp_path / "file" / "journal.jsonl"))
    assert journal.load() == {}
    (call,) = tuned(tmp_path / "run", {})
    journal.add(list(call.trials.values()))
    assert journal.problem is not None


def test_a_program_that_fails_before_its_call(tmp_path: Path) -> None:
    with pytest.raises(ProgramFailedError, match="the program is broken"):
        tuned(tmp_path, {"dies at start": 1})


@pytest.mark.parametrize("processes", [1, 3])
def test_a_sample_is_the_same_for_a_seed_however_many_processes(tmp_path: Path, processes: int) -> None:
    pytest.importorskip("optuna")
    costs = [abs(number - 70) * 10 + 100 for number in range(120)]
    chosen = []
    for run in range(2):
        folder = tmp_path / str(run)
        (call,) = tuned(folder, {"costs": costs}, processes=processes, budget=30)
        assert len(call.trials) == 30
        chosen.append((sorted(call.trials), call.ranking[0].number))
    assert chosen[0] == chosen[1]
