"""Several runs against a baseline: what is in one row, and which run to keep."""

from __future__ import annotations

from ttl.emu.profile import LineCost, Profile, Roof
from ttl.emu.profile_runs import CycleRow, compared_runs, render, to_object
from ttl.emu.program import KernelLine
from ttl.lang.launches import Constant, LaunchName, TensorArgument


def cost(path: int, text: str) -> LineCost:
    return LineCost(path=path, busy={}, waits={}, text=text)


def profile(
    lines: dict[tuple[int, str], int],
    *,
    name: str = "f",
    number: int = 1,
    clock: int = 10**9,
    block: Constant = 1,
) -> Profile:
    """A launch; a line, by its number and text, of the kernel ``write`` where it writes."""
    argument = TensorArgument(
        name="a", shape=(64, 64), dtype="bfloat16", layout="tile", memory="dram", memory_layout="interleaved"
    )
    costs = {
        KernelLine(file="/home/me/f.py", line=line, kernel="write" if "write" in text else "read"): cost(
            cycles, text
        )
        for (line, text), cycles in lines.items()
    }
    total = sum(lines.values())
    return Profile(
        name=name, chip="wormhole", clock_hz=clock, grid=(1, 1), nodes=1, cycles=total, path={"math": total},
        processors=(), lines=costs, roof=Roof(resource="math", cycles=1, because=""), dram_bytes=0,
        dram_unique_bytes=0, busiest_bank=0.0, busiest_link=0.0,
        launch=LaunchName(operation=name, number=number, arguments=(argument,), constants={"block": block}),
    )  # fmt: skip


BASE = profile({(3, "read()"): 600, (4, "wait()"): 300, (9, "write()"): 100})
# Its lines stand elsewhere, one is gone, one is new; another constant.
FASTER = profile({(5, "read()"): 200, (8, "copy()"): 50, (12, "write()"): 100}, block=2)
SLOWER = profile({(3, "read()"): 900, (4, "wait()"): 300, (9, "write()"): 300})


def test_a_line_is_one_row_wherever_it_stands() -> None:
    result = compared_runs(("base", [BASE]), [("faster", [FASTER]), ("slower", [SLOWER])])
    (operation,) = result.operations
    assert operation.total == CycleRow(baseline=1000, runs=(350, 1500))
    assert operation.speedups == [round(1000 / 350, 4), round(1000 / 1500, 4)]
    assert operation.kernels == {
        "read": CycleRow(baseline=900, runs=(250, 1200)),
        "write": CycleRow(baseline=100, runs=(100, 300)),
    }
    rows = [(row.text, row.cycles.baseline, row.cycles.runs) for row in operation.lines]
    assert rows == [
        ("read()", 600, (200, 900)),
        ("wait()", 300, (50, 300)),  # one line stands for another, by its place
        ("write()", 100, (100, 300)),
    ]


def test_lines_that_the_baseline_has_not_are_rows_of_their_own() -> None:
    more = profile(
        {(3, "read()"): 600, (4, "wait()"): 300, (5, "wait()"): 70, (6, "wait()"): 80, (9, "write()"): 100}
    )
    (operation,) = compared_runs(("base", [BASE]), [("base2", [BASE]), ("more", [more])]).operations
    new = [(row.place.line, row.cycles) for row in operation.lines if row.cycles.baseline is None]
    assert new == [(6, CycleRow(baseline=None, runs=(0, 80))), (5, CycleRow(baseline=None, runs=(0, 70)))]
    assert sum(row.cycles.runs[1] or 0 for row in operation.lines) == more.cycles


def test_the_headline_says_which_run_to_keep() -> None:
    def headline(*runs: Profile) -> str:
        return compared_runs(("base", [BASE]), [(f"run{n}", [run]) for n, run in enumerate(runs, 1)]).headline

    assert headline(SLOWER, FASTER) == "Keep run2: 2.86 times as fast as base (1,000 -> 350 cycles)"
    assert (
        headline(SLOWER)
        == "Keep base: the fastest other run, run1, is 1.50 times as slow (1,000 -> 1,500 cycles)"
    )
    assert headline(BASE, SLOWER) == "Keep base: no run is faster"
    assert (
        headline(profile({(1, "g()"): 1}, name="g")) == "Nothing to compare: no run launches what base does"
    )
    # Twice the clock and 1.5 times the cycles are faster.
    fast_clock = profile({(3, "read()"): 900, (4, "wait()"): 300, (9, "write()"): 300}, clock=2 * 10**9)
    assert headline(fast_clock).startswith("Keep run1: 1.33 times as fast as base")


def test_what_a_run_launches_less_often_has_no_number_and_what_only_it_launches_is_said() -> None:
    other = profile({(20, "g()"): 5}, name="g", number=2)
    result = compared_runs(
        ("base", [BASE, profile({(3, "read()"): 10}, number=2)]),
        [("once", [SLOWER, other]), ("twice", [BASE, BASE])],
    )
    (operation,) = result.operations
    assert operation.launches == 2 and operation.total == CycleRow(baseline=1010, runs=(None, 2000))
    assert all(row.cycles.runs[0] is None for row in operation.lines)
    text = render(result)
    assert "f: 1,010 cycles in base in 2 launches" in text
    assert text.splitlines()[-2] == "only in once:" and "g(" in text.splitlines()[-1]
    assert to_object(result)["others"][0] and not to_object(result)["others"][1]


def test_the_table_has_the_baseline_then_how_many_more_or_fewer() -> None:
    rows = render(compared_runs(("base", [BASE]), [("faster", [FASTER]), ("slower", [SLOWER])])).splitlines()
    assert rows[0].startswith("Keep faster: ")
    assert [row.split() for row in rows[4:7]] == [
        ["base", "faster", "slower"],
        ["1,000", "-650", "+500", "all"],
        ["2.86", "0.67", "times", "as", "fast"],
    ]
    assert rows[7].split() == ["900", "-650", "+300", "kernel", "read"]
    assert rows[9].split() == ["600", "-400", "+300", "/home/me/f.py:3", "|", "read()"]
