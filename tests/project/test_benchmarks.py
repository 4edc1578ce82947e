"""The programs of the benchmarks: they run, are right, and say so by themselves. Nothing is timed here."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"
NAMES = sorted(path.stem for path in (FOLDER / "programs").glob("*.py") if path.stem != "launching")


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The modules of benchmarks can be imported, and are forgotten afterwards."""
    for path in FOLDER.glob("*.py"):
        # An example of the same name, that another test has imported, is not meant.
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
    before = set(sys.modules)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, os.environ.get(name, "1"))  # importing growth sets them: put back at the end
    monkeypatch.syspath_prepend(str(FOLDER / "programs"))
    monkeypatch.syspath_prepend(str(FOLDER))
    yield
    for name in set(sys.modules) - before:
        if str(FOLDER) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_computes_what_torch_does(benchmarks: None, name: str) -> None:
    program = module(name).prepare()
    assert program.error() <= module("launching").TOLERANCE
    again = program.in_torch().float()
    assert module("launching").relative_error(again, program.expected()) < 0.05


def test_a_launch_that_writes_nothing_is_noticed(benchmarks: None) -> None:
    launching = module("launching")
    program = launching.launched(
        launching.opened(),
        lambda x, y: None,
        (launching.random(32, 32, seed=0),),
        (32, 32),
        in_torch=lambda x: x + x,
    )
    assert program.error() > launching.TOLERANCE


@pytest.mark.parametrize("pattern", ["ring", "gather", "pairs", "multicast"])
@pytest.mark.parametrize("made", ["body", "once"])
def test_every_pattern_of_pipes(benchmarks: None, pattern: str, made: str) -> None:
    program = module("pipes").prepare(pattern=pattern, made=made, grid=(3, 2), rounds=2)
    assert program.error() <= module("launching").TOLERANCE


def test_a_program_runs_by_itself_and_says_what_it_found(tmp_path: Path) -> None:
    wanted = {"parameters": {"size": 128, "block": [2, 2, 2]}, "rounds": 2}
    done = subprocess.run(
        [sys.executable, "-m", "ttl", "run", str(FOLDER / "programs" / "matmul.py")],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "BENCH_PROGRAM": json.dumps(wanted)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    line = done.stdout.splitlines()[-1]
    assert line.startswith("BENCH ")
    found = json.loads(line.removeprefix("BENCH "))
    assert found["correct"] and len(found["cpu_ms"]) == len(found["wall_ms"]) == 2


def test_every_program_is_a_row(benchmarks: None) -> None:
    rows = {case.program for case in module("cases").cases(quick=False)}
    curves = {curve.program for curve in module("curves").curves(quick=False)}
    assert rows | curves == set(NAMES)


def test_a_missing_peer_is_a_failure_of_its_row_only(benchmarks: None) -> None:
    case = module("cases").cases(quick=True)[0]
    figure = module("peer").measure(case, ["no-such-command-of-any-package"], seconds=10)
    assert figure.ms is None and figure.failure == "cannot be started: No such file or directory"


def test_a_peer_that_fails_is_quoted(benchmarks: None) -> None:
    case = module("cases").cases(quick=True)[0]
    command = [sys.executable, "-c", "raise SystemExit('no grid of this size')"]
    figure = module("peer").measure(case, command, seconds=60)
    assert figure.failure == "status 1: no grid of this size"


def test_a_known_gap_is_of_a_target_and_said_beside_it(benchmarks: None) -> None:
    cases, figures, report = module("cases"), module("figures"), module("report")
    known = [case for case in cases.cases(quick=False) if case.asked.known_gaps]
    assert [case.label for case in known] == ["multicast 1024, 1x1x1", "multicast 1024, 4x4x4"]
    page = (ROOT / "docs" / "reference" / "performance.md").read_text(encoding="utf-8")
    for case in known:
        assert set(case.asked.known_gaps) <= {"ratio"}
        assert case.asked.ratio is not None
        assert f"**{case.label}**" in page.partition("## Known gaps")[2]
        clocks = ("cpu_ms", "wall_ms", "fastest_wall_ms")
        modes = {mode: dict.fromkeys(clocks, ms) for mode, ms in (("default", 1e3), ("torch", 1.0))}
        figure = figures.Figure(
            case=case, found={"modes": modes, "peak_mib": {}, "correct": True, "same": True}
        )
        assert "(known: " in report.summary([figure], [])
        assert not figure.targets["ratio"].met


def _measured(replay_ms: float) -> dict[str, object]:
    modes = {"default": {"cpu_ms": 20.0}, "replay": {"cpu_ms": replay_ms}, "torch": {"cpu_ms": 10.0}}
    return {"modes": modes, "peak_mib": {"default": 129.0}, "correct": True, "same": True, "error": {}}


def test_a_product_has_a_share_of_what_the_processor_reaches(benchmarks: None) -> None:
    figures, cases = module("figures"), module("cases")
    case = cases.Case(
        label="x", program="matmul", parameters={}, asked=cases.Asked(replay_ratio=1.05), operations=2e9
    )
    figure = figures.Figure(case=case, found=_measured(10.4), peak_gflops=250.0)
    assert figure.share_of_peak == pytest.approx(2.0 / 10.4e-3 / 250.0)
    assert figure.targets["replay ratio"].met and not figure.targets["peak MiB"].met
    assert figures.Figure(case=case, found=_measured(10.4)).share_of_peak is None
    again = figures.Figure.from_object(json.loads(json.dumps(figure.to_object())))
    assert again.to_object() == figure.to_object()


def test_every_row_of_a_product_has_its_operations(benchmarks: None) -> None:
    for case in module("cases").cases(quick=False):
        products = ("matmul", "matmul_multicast", "matmul_through_buffer")
        assert (case.operations is not None) == (case.program in products)


def test_the_page_has_a_table_of_every_machine(
    benchmarks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, figures, cases = module("report"), module("figures"), module("cases")
    page = tmp_path / "page.md"
    marks = [f"<!-- {name}: generated -->\n<!-- end of {name} -->\n" for name in ("benchmarks", "checking")]
    page.write_text("".join(marks), encoding="utf-8")
    for name, value in (("MACHINES", tmp_path / "machines"), ("PAGE", page), ("PLOT", tmp_path / "plot.svg")):
        monkeypatch.setattr(report, name, value)
    case = cases.Case(label="matmul", program="matmul", parameters={}, operations=2e9)
    for processor, replay_ms in (("Of A", 10.0), ("Of B", 12.0), ("Of B", 16.0)):
        facts = {**report.environment(), "processor": processor, "peaks": {"avx2": 250.0, "triad": 20.0}}
        report.write_documentation(
            [figures.Figure(case=case, found=_measured(replay_ms), peak_gflops=250.0)], [], facts
        )
    text = page.read_text(encoding="utf-8")
    assert text.count("### Of A\n") == text.count("### Of B\n") == 1
    assert "One core reaches at most: avx2 250 GFLOP/s, triad 20 GB/s." in text
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| matmul")]
    assert [(row[6].strip(), row[9].strip()) for row in rows] == [("10.0", "80%"), ("16.0", "50%")]


def test_the_page_is_that_of_the_machines(
    benchmarks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = module("report")
    page = tmp_path / "page.md"
    page.write_text(report.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    before = page.read_text(encoding="utf-8")
    monkeypatch.setattr(report, "PAGE", page)
    monkeypatch.setattr(report, "PLOT", tmp_path / "plot.svg")
    report.write_page()
    assert page.read_text(encoding="utf-8") == before


def test_a_product_of_a_torch_level_is_compared_with_every_set(benchmarks: None) -> None:
    products, peak = module("products"), module("peak")
    seconds = {"torch": [1e-3, 2e-3], "avx2": [2e-3, 2e-3]}
    row = {"format": "float32", "product": "8x8x8", "flops": 1e8, "seconds": seconds}
    shown = products.table(
        {level: [row] for level in products.LEVELS}, {"avx2": 100.0, "amx": 1000.0, "triad": 20.0}
    )
    assert shown.splitlines()[1].split() == ["float32", "8x8x8", *["1.50"] * 4, "1.50x", "50%"]
    assert peak.of_products({"avx2": 100.0, "amx": 1000.0, "triad": 2000.0}) == 1000.0
    assert peak.words({}) == ""


def test_growth_is_the_slope_of_the_upper_half(benchmarks: None) -> None:
    growth, curves = module("growth"), module("curves")
    points = tuple(curves.Point(events=events, parameters={}) for events in (1, 2, 4, 8, 16, 32))
    curve = curves.Curve(name="x", title="x", events="nodes", program="x", points=points, sentence="{slope}")
    quadratic = growth.Growth(curve=curve, ms=[5.0, 5.0, 5.0, 0.64, 2.56, 10.24])
    assert quadratic.slope == pytest.approx(2.0) and quadratic.superlinear
    linear = growth.Growth(curve=curve, ms=[5.0, 5.0, 5.0, 8.0, 16.0, 32.0])
    assert linear.slope == pytest.approx(1.0) and not linear.superlinear


@pytest.mark.one_of(3)
@pytest.mark.parametrize(
    ("part", "name"),
    [
        *((part, "tutorial_1_one_tile.py") for part in ("read", "check", "compile", "edit")),
        ("simulate", "one_tile"),
        ("replay", "one_tile"),
    ],
)
def test_every_part_of_a_pair_of_revisions_is_measured(benchmarks: None, part: str, name: str) -> None:
    revisions = module("revisions")
    assert name in revisions.names_of(part, ROOT)
    assert revisions.Measured().seconds(part, name) > 0


def test_a_checkout_beside_itself(benchmarks: None) -> None:
    found = module("revisions").measure(ROOT, [("read", "tutorial_1_one_tile.py")], 1, 1)
    assert [min(times) > 0 for times in found.values()] == [True]
