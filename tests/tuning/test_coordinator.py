"""Processes that die, hang or come late lose no result, and what is chosen does not depend on them."""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ttl.session.patience import Unavailable
from ttl.sweeps.pool import pool_for
from ttl.sweeps.work import SweepLimits, SweepWork
from ttl.tuner import text
from ttl.tuner.coordinator import Coordinator, TunedCall
from ttl.tuner.journal import Journal
from ttl.tuner.search import search_for
from ttl.tuner.trial import TunerTrial

# The estimates of the fake worker are these, too: what it costs decides the order in which it is tried.
COSTS = [50, 40, 30, 90, 20, 70, 60, 80, 10, 95, 35, 45]


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", here)


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

    work = SweepWork(module="fake_worker", task={"script": whole}, limits=SweepLimits(seconds=seconds))
    with pool_for(work, jobs=processes) as pool:
        running = Coordinator(
            pool,
            search=lambda configurations, screenings: search_for(configurations, screenings, budget, seed),
            journal=journal,
            read=lambda path: "",
            entered=entered,
            shown=lambda call, trial: None,
            compiles="choices" in script,
        )
        running.run()
    assert running.texts["table"] == "".join(
        f"{call.about['operation']}={call.ranking[0].number};" for call in running.calls
    )
    return running.calls


def log(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "log").read_text().split()]


def test_what_cannot_be_the_best_is_not_run_and_what_is_slow_is_stopped(tmp_path: Path) -> None:
    costs = [100 + number for number in range(8)] + [101, 300, 250, 99]
    bounds = [0] * 8 + [100, 200, 60, 50]
    (call,) = tuned(tmp_path, {"costs": costs, "bounds": bounds, "estimates": [*range(12)]})
    assert call.ranking[0].number == 11
    verdicts = {number: call.trials[number].verdict for number in (8, 9, 10, 11)}
    assert verdicts == {8: "measured", 9: "bound", 10: "measured", 11: "measured"}
    assert 9 not in log(tmp_path)
    # The second batch may take four times as long as the best, the third twice.
    costs = [100] * 8 + [500] * 16 + [250]
    (call,) = tuned(tmp_path / "more", {"costs": costs, "estimates": [*range(25)]})
    assert {trial.verdict for number, trial in call.trials.items() if number >= 8} == {"slower"}
    assert call.trials[8].cycles == 400
    assert call.trials[24].cycles == 200
    report = "\n".join(text.render(call))
    assert "17 stopped early" in report


def test_choices_of_the_compiler_that_help_are_put_together(tmp_path: Path) -> None:
    points = [
        {"name": "op:registers", "chosen": "32", "legal": ["16", "32"]},
        {"name": "op:sync", "chosen": "half", "legal": ["full", "half"]},
        {"name": "op:narrow", "chosen": "0", "legal": ["0", "1", "bad"]},
        {"name": "op:order", "chosen": "program", "legal": ["program", "largest"]},
        {"name": "op:noc.read", "chosen": "0", "legal": ["0", "1"]},
    ]
    gains = {
        "op:registers=16": 3,
        "op:sync=full": 1,
        "op:narrow=1": -2,
        "op:narrow=bad": 9,
        "op:order=largest": 5,
    }
    (call,) = tuned(tmp_path, {"choices": points, "gains": gains})
    best = call.best_compiled
    assert best is not None
    assert (best.compile_option, best.cycles) == ("op:registers=16 op:sync=full", min(COSTS) - 4)
    tried = {trial.compile_option for trial in call.compiled}
    assert not any("order" in options or "noc" in options for options in tried)
    report = "\n".join(text.render(call))
    assert "op:registers=16 op:sync=full" in report
    # A second call goes on with them, too.
    (again,) = tuned(tmp_path, {"choices": points, "gains": gains})
    assert again.compiled_known == len(again.compiled) == len(call.compiled)
    assert again.best_compiled == best


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
    assert call.trials[8].verdict == "measured"
    assert call.trials[3].verdict == "slower"
    assert sorted(log(tmp_path)) == list(range(len(COSTS)))


def test_what_kills_its_process_or_hangs_is_lost_and_never_wins(tmp_path: Path) -> None:
    (call,) = tuned(tmp_path, {"dies": [8], "hangs": [4]}, seconds=3)
    assert {number: trial.why for number, trial in call.trials.items() if trial.verdict == "lost"} == {
        8: "its process died of signal 9",
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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_loses_nothing_but_the_journal() -> None:
    journal = Journal("/dev/full")
    journal.add([TunerTrial(number=1, verdict="measured", cycles=2)])
    assert journal.problem is not None
    assert journal.problem.errno == errno.ENOSPC
    journal.add([TunerTrial(number=2, verdict="measured", cycles=2)])


def test_a_program_that_fails_before_its_call(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="the program is broken"):
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
