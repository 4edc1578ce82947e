"""What every report of cycles begins with: what to do first, with its figure; the hottest lines come first."""

from __future__ import annotations

from dataclasses import replace

from ttl.emu.advice.piece import Advice
from ttl.emu.headline import headline, headline_of, hottest
from ttl.emu.profile import LineCost, Profile, Roof
from ttl.emu.profile_text import render
from ttl.emu.program import KernelLine
from ttl.report.notebook import profile_html


def line(number: int, kernel: str = "compute", file: str = "/home/me/f.py") -> KernelLine:
    return KernelLine(file=file, line=number, kernel=kernel)


def cost(path: int, text: str = "", **busy: float) -> LineCost:
    return LineCost(path=path, busy=busy, waits={}, text=text)


def advice(change: str, cycles: int, *, wrong: bool = False, l1_bytes: int = 0) -> Advice:
    return Advice(
        name="idle-nodes", sentence="few nodes work", change=change, lines=(line(3),), cycles=cycles, basis="estimated",
        how="evenly divided", l1_bytes=l1_bytes, wrong=wrong,
    )  # fmt: skip


PROFILE = Profile(
    name="f", chip="wormhole", clock_hz=10**9, grid=(1, 1), nodes=1, cycles=1000, path={"math": 900, "launch": 100},
    processors=(), kernels={"compute": ("math",), "write": ("brisc",)},
    lines={
        line(4): cost(50, "a_blk = a_dfb.wait()", math=10.0),
        line(7): cost(350, "y_blk.store(a_blk)", math=300.0),
        line(7, "write"): cost(100, "y_blk.store(a_blk)", brisc=20.0),
        line(9): cost(0, "pass"),
        line(1, "write", "write.cpp"): cost(460, "noc_async_write_barrier();"),
    },
    roof=Roof(resource="math", cycles=500, because=""), dram_bytes=0, dram_unique_bytes=0, busiest_bank=0.0,
    busiest_link=0.0,
)  # fmt: skip


def test_the_strongest_advice_that_leaves_results_right_with_its_figure() -> None:
    advised = replace(PROFILE, advice=(advice("be wrong", 900, wrong=True), advice("use more nodes", 400)))
    assert (
        headline(advised) == "Change first, at f.py:3: use more nodes; saves about 400 of 1,000 cycles (40 %)"
    )
    # Of two launches that are added up, advice is about one.
    assert headline(replace(advised, cycles=2000), 2) == headline(advised)
    smaller = replace(PROFILE, advice=(advice("fewer blocks", 0, l1_bytes=4096),))
    assert headline(smaller).endswith("fewer blocks; saves 4,096 bytes of L1 on every node")


def test_without_advice_the_hottest_line_of_the_program_not_of_the_compiler() -> None:
    assert headline(PROFILE) == "Look first at f.py:7, 450 of 1,000 cycles (45 %): y_blk.store(a_blk)"
    assert headline(replace(PROFILE, lines={line(9): cost(0)})) == ""


def test_of_several_launches_the_advice_that_saves_most_else_the_longest() -> None:
    long = replace(PROFILE, cycles=5000, advice=(advice("a little", 10),))
    assert "use more nodes" in headline_of([long, replace(PROFILE, advice=(advice("use more nodes", 400),))])
    assert "450 of 5,000" in headline_of([PROFILE, replace(PROFILE, cycles=5000)])


def test_lines_by_cost_those_of_two_kernels_as_one() -> None:
    assert [(place.line, own.path) for place, own in hottest(PROFILE.lines)] == [(1, 460), (7, 450), (4, 50)]
    assert hottest(PROFILE.lines)[1][1].busy == {"math": 300.0, "brisc": 20.0}


def test_the_report_begins_with_it_and_its_first_table_is_the_hottest_lines() -> None:
    text = render(PROFILE).splitlines()
    assert text[0] == headline(PROFILE) and text[1] == PROFILE.verdict
    at = next(number for number, row in enumerate(text) if row.endswith("hottest lines"))
    shown = [row.split()[0] for row in text[at + 1 : at + 4]]
    assert shown == ["460", "450", "50"]
    assert at < text.index("/home/me/f.py")


def test_a_notebook_shows_the_same() -> None:
    html = profile_html(PROFILE.verdict, [PROFILE])
    assert html.index(headline(PROFILE)) < html.index(PROFILE.verdict)
    html = html[html.index("<tbody>") :]
    assert html.index("noc_async_write_barrier") < html.index("y_blk.store") < html.index("a_dfb.wait")
