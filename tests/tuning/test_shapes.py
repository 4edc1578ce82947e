"""Several shapes of one operation: the best configuration for all, and heat maps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ttl.cli.tune_table import heat_table
from ttl.sweeps.pool import pool_for
from ttl.sweeps.work import SweepLimits, SweepWork
from ttl.tuner import heat, text
from ttl.tuner.coordinator import Coordinator, TunedCall
from ttl.tuner.journal import Journal
from ttl.tuner.search import search_for
from ttl.tuner.shapes import together, undecided
from ttl.tuner.trial import Screening, TunerTrial, Verdict


def call(key: str, *trials: tuple[Verdict, int], sizes: int | None = None, l1: int = 0) -> TunedCall:
    """A call with a configuration for each trial."""
    configurations = [
        {"block": [number // 2, 1], "count": number % 2} for number in range(sizes or len(trials))
    ]
    about = {
        "operation": "f", "file": "f.py", "chip": "wormhole", "grid": [1, 1], "key": [f"x: {key} bfloat16"],
        "configurations": configurations,
    }  # fmt: skip
    own = {
        number: TunerTrial(number=number, verdict=verdict, cycles=cycles, l1_bytes=100 - number)
        for number, (verdict, cycles) in enumerate(trials)
    }
    return TunedCall(about, trials=own)


def test_the_geometric_mean_over_the_shapes_decides_not_the_sum() -> None:
    # The sum is smallest with the first (1,000 + 200), the mean of the ratios with the second.
    calls = [
        call("64x64", ("measured", 1000), ("measured", 1150)),
        call("32x32", ("measured", 200), ("measured", 100)),
    ]
    (shapes,) = together(calls)
    assert shapes.best is not None and shapes.best.configuration == {"block": [0, 1], "count": 1}
    assert shapes.best.cycles == (1150, 100) and round(shapes.best.mean, 4) == round(1.15**0.5, 4)
    lines = list(text.of_shapes(shapes))
    assert lines[0] == "For all shapes at once choose block=(0, 1), count=1"
    assert "1.07 times the cycles of each shape's best (geometric mean), at most 1.15 times" in lines[1]
    assert "1.15x of 1,000 with block=(0, 1), count=0" in lines[2] and lines[3].endswith("the best there")


def test_of_equally_good_ones_the_one_with_less_l1() -> None:
    calls = [call(key, ("measured", 10), ("measured", 10)) for key in ("a", "b")]
    (shapes,) = together(calls)
    assert shapes.best is not None and shapes.best.configuration["count"] == 1


def test_what_is_wrong_or_impossible_on_a_shape_is_none_for_all() -> None:
    for verdict in ("wrong", "refused", "excluded", "failed", "lost"):
        calls = [call("a", ("measured", 10), ("measured", 30)), call("b", (verdict, 1), ("measured", 30))]
        (shapes,) = together(calls)
        assert shapes.best is not None and shapes.best.cycles == (30, 30) and undecided(calls) == {}
    calls = [call("a", ("measured", 10), ("wrong", 30)), call("b", ("wrong", 1), ("measured", 30))]
    (shapes,) = together(calls)
    assert shapes.best is None and "no configuration is right on all of them" in next(text.of_shapes(shapes))


def test_what_was_stopped_is_undecided_as_long_as_its_bound_does_not_rule_it_out() -> None:
    # Configuration 1 takes more than 12 on the second shape, and is far better than 0 on the first; 2 cannot be.
    calls = [
        call("a", ("measured", 40), ("measured", 10), ("slower", 39)),
        call("b", ("measured", 10), ("slower", 12), ("bound", 12)),
    ]
    (shapes,) = together(calls)
    assert shapes.best is not None and shapes.best.cycles == (40, 10)
    assert undecided(calls) == {calls[1].identity: [1]}
    assert "1 other one may be better" in list(text.of_shapes(shapes))[-1]
    calls[1].trials[1] = TunerTrial(number=1, verdict="measured", cycles=13)
    assert undecided(calls) == {}
    (shapes,) = together(calls)
    assert shapes.best is not None and shapes.best.cycles == (10, 13)


def test_what_a_budget_left_out_counts_with_its_bound() -> None:
    calls = [call("a", ("measured", 10), ("measured", 8)), call("b", ("measured", 10), sizes=2)]
    calls[1].screenings[1] = Screening(number=1, bound=20)
    assert undecided(calls) == {}
    calls[1].screenings[1] = Screening(number=1, bound=5)
    assert undecided(calls) == {calls[1].identity: [1]}


def test_calls_of_other_operations_and_chips_are_not_together() -> None:
    one, other = call("a", ("measured", 1)), call("b", ("measured", 1))
    for key, value in (("operation", "g"), ("chip", "blackhole"), ("grid", [8, 8]), ("file", "g.py")):
        assert not list(together([one, TunedCall({**other.about, key: value}, trials=other.trials)]))
    assert len(list(together([one, other]))) == 1 and not list(together([one]))


def test_a_map_of_shapes_has_each_cell_relative_to_the_best_of_its_column() -> None:
    (shapes,) = together(
        [call("64x64", ("measured", 100), ("measured", 150)), call("32x32", ("measured", 90), ("slower", 45))]
    )
    drawn = heat.of_shapes(shapes)
    assert drawn is not None and drawn.columns == ("64x64", "32x32")
    texts = [[cell and cell.text for cell in row] for row in drawn.cells]
    assert texts == [["1.00x", "1.00x"], ["1.50x", ">0.50x"]]
    assert [line.split()[-4:] for line in heat.plain(drawn)][2:] == [
        ["█", "1.00x", "█", "1.00x"],
        ["▒", "1.50x", "█", ">0.50x"],
    ]


def test_a_map_of_parameters_has_the_fewest_cycles_of_each_pair() -> None:
    one = call("a", ("measured", 100), ("slower", 300), ("measured", 120), ("wrong", 1), ("measured", 110))
    drawn = heat.of_parameters(one)
    assert drawn is not None and drawn.corner == "count \\ block"
    assert drawn.columns == ("(0, 1)", "(1, 1)", "(2, 1)") and drawn.rows == ("0", "1")
    texts = [[cell and cell.text for cell in row] for row in drawn.cells]
    assert texts == [["1.00x", "1.20x", "1.10x"], [">3.00x", None, None]]
    assert list(heat.plain(drawn))[-1].split() == ["1", "░", ">3.00x", "-", "-"]
    assert heat.of_parameters(call("a", ("measured", 1))) is None


def test_on_a_terminal_a_map_is_coloured_and_names_are_no_markup() -> None:
    rich = pytest.importorskip("rich.console")
    cells = (heat.HeatCell(cycles=10, ratio=1.0, exact=True),), (None,)
    drawn = heat.HeatMap(title="[red]t", corner="c", columns=("[bold]",), rows=("r", "s"), cells=cells)
    console = rich.Console(force_terminal=True, color_system="truecolor", width=60)
    with console.capture() as captured:
        console.print(heat_table(drawn))
    shown = captured.get()
    assert "[red]t" in shown and "[bold]" in shown and "48;2;26;152;80m  1.00x" in shown


def test_what_is_undecided_is_tried_to_its_end_in_a_second_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    first = [1000] * 16 + [100, 105]
    second = [1000] * 16 + [900, 100]
    script = {
        "calls": ["f/a", "f/b"],
        "costs": first,
        "costs of": {"a": first, "b": second},
        "folder": str(tmp_path),
    }
    # The second shape stops what takes more than four times the best of the first batch.
    script["estimates"] = [*range(100, 116), 1, 2]
    work = SweepWork(module="fake_worker", task={"script": script}, limits=SweepLimits(seconds=20))

    def coordinator(pool: Any) -> Coordinator:
        return Coordinator(
            pool, search=lambda configurations, screenings: search_for(configurations, screenings, 100, 0),
            journal=lambda about: Journal(None), read=lambda path: "",
            entered=lambda before, one: f"{before}{one.about['key'][0]}={one.ranking[0].number};",
            shown=lambda one, trial: None,
        )  # fmt: skip

    with pool_for(work, jobs=1) as pool:
        running = coordinator(pool)
        running.run()
    calls = running.calls
    # As if the best for both had been stopped on the second shape.
    calls[1].trials[17] = TunerTrial(number=17, verdict="slower", cycles=90)
    calls[1].trials[16] = TunerTrial(number=16, verdict="measured", cycles=900)
    wanted = undecided(calls)
    assert wanted == {calls[1].identity: [17]}
    log = tmp_path / "log"
    log.write_text("")
    with pool_for(work, jobs=1) as pool:
        again = coordinator(pool)
        again.complete(calls, wanted, {})
    assert log.read_text().split() == ["17"]
    assert calls[1].trials[17].verdict == "measured" and undecided(calls) == {}
    assert again.texts["table"] == "a=16;b=17;"
    (shapes,) = together(calls)
    assert shapes.best is not None and shapes.best.configuration == {"size": 17}
