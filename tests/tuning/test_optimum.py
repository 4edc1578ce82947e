"""The search finds what trying everything finds, with a tenth of the trials; bounds hold; what stands in the tables is so.

``scripts/update_tuning_tables.py`` makes the tables: every configuration of five operations, run on the emulated chip.
"""

from __future__ import annotations

import contextlib
import json
import random
import runpy
from pathlib import Path
from typing import Any

import pytest

from support.random_programs.language.execute import compiled
from support.random_programs.language.execute import run as run_program
from support.random_programs.language.generate import generate
from support.shares import share
from ttl.codegen.compiled_calls import compile_read, is_complete, read_call
from ttl.diag import TTLError
from ttl.emu.launch import run
from ttl.lang.operation import OBSERVER, Operation
from ttl.settings import current, current_chip
from ttl.sim.placement import launches
from ttl.tuner.bound import cost_of
from ttl.tuner.search import Sampled, search_for
from ttl.tuner.trial import Bench, Screening, TunerTrial
from ttl.tuner.work import work_of
from ttl.tuning.key import normal
from ttl.tuning.space import configurations

pytest.importorskip("optuna")

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in (HERE / "programs").glob("*.py"))


class _Stopped(Exception):
    pass


def table_of(name: str) -> list[dict[str, Any]]:
    lines = (HERE / "tables" / f"{name}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", NAMES)
def test_a_tenth_of_the_trials_finds_the_optimum(name: str, seed: int) -> None:
    """At least 95 % of its speed. Some of them are what Optuna's estimator asks for, which has seen half of the budget then."""
    table = table_of(name)
    budget = len(table) // 10
    search = search_for(
        {number: row["config"] for number, row in enumerate(table)},
        {
            number: Screening(
                number=number, bound=row["bound"], estimate=row["estimate"], l1_bytes=row["l1_bytes"]
            )
            for number, row in enumerate(table)
        },
        budget,
        seed,
    )
    tried: list[int] = []
    while batch := search.ask():
        tried += batch
        search.tell(
            [
                TunerTrial(number=number, verdict=table[number]["verdict"], cycles=table[number]["cycles"])
                for number in batch
            ]
        )
    assert isinstance(search, Sampled)
    assert len(set(tried)) == len(tried) <= budget
    assert len(search.by_estimator) >= budget // 4
    best = min(row["cycles"] for row in table if row["verdict"] == "measured")
    mine = min(table[number]["cycles"] for number in tried if table[number]["verdict"] == "measured")
    assert best / mine >= 0.95


@pytest.mark.parametrize("name", NAMES)
def test_no_configuration_is_faster_than_its_bound(name: str) -> None:
    table = table_of(name)
    assert len(table) >= 70
    slower = [row for row in table if row["verdict"] == "measured" and not 0 < row["bound"] <= row["cycles"]]
    assert slower == []


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_of_a_table_is_what_the_chip_takes(name: str) -> None:
    """Two configurations by chance, of programs as they are now."""
    rows = random.Random(name).sample(table_of(name), 2)

    def observe(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        bound = operation.signature.bind(*args, **kwargs)
        assert operation.tunable is not None
        candidates = list(configurations(operation.tunable, "wormhole"))
        bound.apply_defaults()
        with OBSERVER.given(None):
            bench = Bench(operation, bound.arguments, candidates[0], current())
            for row in rows:
                (chosen,) = (
                    item
                    for item in candidates
                    if {key: normal(value) for key, value in item.items()} == row["config"]
                )
                trial, screening = bench.trial(0, chosen), bench.screened(0, chosen)
                assert (trial.verdict, trial.cycles) == (row["verdict"], row["cycles"])
                assert isinstance(screening, Screening)
                assert (screening.bound, screening.estimate) == (row["bound"], row["estimate"])
                # A limit stops what takes longer, and nothing else.
                assert bench.trial(0, chosen, trial.cycles).verdict == "measured"
                assert bench.trial(0, chosen, trial.cycles - 1).verdict == "slower"
        raise _Stopped

    with OBSERVER.given(observe), pytest.raises(_Stopped):
        runpy.run_path(str(HERE / "programs" / f"{name}.py"))


# Chips, and seeds of random programs.
RANDOM = [("wormhole", range(7)), ("blackhole", range(6)), ("wormhole", range(7, 14))]


@pytest.mark.parametrize("drawn", share(RANDOM, 2), ids=lambda drawn: f"{drawn[0]}-{drawn[1].start}")
def test_no_random_program_is_faster_than_its_bound(drawn: tuple[str, range], tmp_path: Path) -> None:
    """Programs of all kinds, some with loops whose bounds only the data know."""
    chip, seeds = drawn
    compared = []

    def observe(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        with OBSERVER.given(None):
            for item in launches(operation, args, kwargs, current_chip(), current()):
                lowered = read_call(operation, item.args, item.kwargs)
                if not is_complete(lowered):
                    continue
                (op,) = lowered.module.body.block.ops
                cost = cost_of(work_of(op, current_chip()), current_chip())  # type: ignore[arg-type]
                cycles = run(compile_read(lowered, current()), lowered.calls[0].tensors).cycles
                compared.append((cost.bound, cycles))
                assert cost.bound <= cycles
                assert cost.bound <= cost.estimate
        raise _Stopped

    for seed in seeds:
        program = generate(seed)
        with OBSERVER.given(observe), contextlib.suppress(_Stopped, TTLError):
            run_program(program, compiled(program, tmp_path), {"arch": chip, "check": "off"})
    assert len(compared) >= 3
