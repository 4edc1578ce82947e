"""Published measurements of cards, run on the emulated chip (docs/reference/calibration.md, benchmarks/cards)."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "calibration.md"


@pytest.fixture(scope="module")
def cards() -> Iterator[tuple[ModuleType, ModuleType, ModuleType]]:
    """The modules ``published``, ``programs`` and ``errors`` of the benchmarks."""
    folder = ROOT / "benchmarks" / "cards"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        # Programs of other tests have modules of these names, too: here are those of the benchmarks, and they do not stay.
        for name in (path.stem for path in folder.glob("*.py")):
            patch.setitem(sys.modules, name, ModuleType(name))
            del sys.modules[name]
        import errors
        import programs
        import published

        yield published, programs, errors
    # Their chips have memory that the tests after these need.
    for known in (published, programs, errors):
        for value in vars(known).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
    gc.collect()


def test_every_row_has_a_source_and_every_family_a_side(cards: tuple[ModuleType, ...]) -> None:
    published, programs, _ = cards
    rows = published.rows()
    assert len(rows) == 1094
    assert all(
        "tenstorrent/tt-lang, benchmarks/microbench/" in row.source and "@" in row.source for row in rows
    )
    families = {row.family for row in rows if programs.runs(row)} - {"MB5.C.ratio BH"}
    for split in published.split().values():
        assert sorted((*split["fitted"], *split["held_out"])) == sorted(families)


def test_the_page_has_what_the_emulated_chip_says_now(cards: tuple[ModuleType, ...]) -> None:
    published, programs, errors = cards
    page = PAGE.read_text(encoding="utf-8")
    for family in ("MB1 BH", "MB1 WH", "MB5.B BH", "MB5.C BH", "MB5.D BH", "pipes BH"):
        rows = [row for row in published.rows() if row.family == family and programs.runs(row)]
        found = errors.errors([errors.Found(row=row, value=programs.measure(row)) for row in rows])
        assert (
            f"| {family} | {found.rows} | {found.mean:.1f} | {found.median:.1f} | {found.bias:+.1f} |" in page
        )


def test_errors_and_orders(cards: tuple[ModuleType, ...]) -> None:
    published, _, errors = cards

    def found(value: float, emulated: float, **at: str) -> object:
        row = published.Row(
            set="MB5.A", chip="BH", at={"variant": "self", **at}, value=value, unit="ns", source=""
        )
        return errors.Found(row=row, value=emulated)

    rows = [
        found(100, 90, c="1"),
        found(50, 65, c="2"),
        found(51, 40, c="4"),
        found(20, 20, c="1", tiles="8"),
    ]
    known = errors.errors(rows)
    assert (known.rows, round(known.median, 1), known.within_20, known.worst) == (4, 15.8, 50.0, rows[1])
    # 50 and 51 are one number; of the other two pairs both are right, and one of those two is the fastest.
    assert errors.order(rows) == errors.Order(pairs=2, right=2, groups=1, fastest=1)
    assert errors.correlation([(1, 10), (2, 30), (3, 20)]) == pytest.approx(0.5)
