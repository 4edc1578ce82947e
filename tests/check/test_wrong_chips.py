"""Programs over several chips with one mistake each: the check refuses them before they run, and names the chips.

Each file of ``wrong_chips`` is one program, with the mesh it is called on, the code it is refused with, and words that the message
or its notes contain.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.meshes import checked, simulated
from ttl import settings
from ttl.diag import Diagnostic

PROGRAMS = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((Path(__file__).parent / "wrong_chips").glob("*.py"))
}
FEWEST = 40

SAID_BY_THE_CHECK_ALONE = {"TTL0906", "TTL1101"}
"""A single run does not show two writes to one place, nor a fault that depends on the schedule."""


def of(name: str, text: str) -> list[str]:
    """The lines of a name in the comments that a program begins with."""
    return re.findall(rf"^# {name}: (.*)$", text, re.MULTILINE)


def call_of(name: str) -> tuple[str, tuple[int, int], int]:
    """The program of a name, the shape of its mesh, and the rows of tiles of its result."""
    text = PROGRAMS[name]
    rows, columns = map(int, of("mesh", text)[0].split("x"))
    return text, (rows, columns), int(next(iter(of("rows of tiles in the result", text)), 64))


def said(finding: Diagnostic) -> str:
    """All words of a finding."""
    labels = [label.text for label in (finding.primary, *finding.secondary) if label is not None]
    return "\n".join((finding.message, *labels, *finding.notes, *finding.help))


def test_there_are_enough() -> None:
    assert len(PROGRAMS) >= FEWEST


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_wrong_program_is_explained_before_it_runs(name: str) -> None:
    (code,) = of("refused", PROGRAMS[name])
    found, not_checked = checked(*call_of(name))
    finding = next((item for item in found if item.code == code), None)
    assert finding is not None, [(item.code, item.message) for item in found]
    assert not not_checked
    text = said(finding)
    words = of("names", PROGRAMS[name])
    assert words
    assert all(word in text for word in words), text
    assert finding.help or finding.notes


@pytest.mark.parametrize(
    "name", [name for name, text in PROGRAMS.items() if of("refused", text)[0] not in SAID_BY_THE_CHECK_ALONE]
)
def test_the_simulator_stops_a_wrong_program_for_the_same_reason(name: str) -> None:
    """Run without the check, the program stops with the same code and message."""
    raised = simulated(*call_of(name))
    assert raised is not None
    found, _ = checked(*call_of(name))
    assert (raised.code, raised.message) in [(item.code, item.message) for item in found]
    assert [raised.code] == of("refused", PROGRAMS[name])


def exchange(pipes: str) -> str:
    """A program in which each of four chips sends a block over these pipes, and stores what it receives."""
    return f"""
import ttl
N = 4


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    net = ttl.PipeNet([{pipes}])

    @ttl.datamovement()
    def move():
        with out_dfb.reserve() as out_blk:
            ttl.copy(a[0, 0], out_blk).wait()
            net.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
        with out_dfb.wait() as own_blk:
            ttl.copy(own_blk, y[0, 0]).wait()

        def receive(pipe):
            with in_dfb.reserve() as in_blk:
                ttl.copy(pipe, in_blk).wait()
            with in_dfb.wait() as in_blk:
                ttl.copy(in_blk, y[1, 0]).wait()

        net.if_dst(receive)
"""


RING_OF_FOUR = exchange("ttl.Pipe(src=(0, k, 0, 0), dst=(0, (k + 1) % N, 0, 0)) for k in range(N)")
GATHER = exchange("ttl.Pipe(src=(0, k, 0, 0), dst=(0, 0, 0, 0)) for k in range(1, N)")


@pytest.mark.parametrize(("system", "warned"), [(None, False), ("t3000", True), ("galaxy_torus_xy", False)])
def test_a_wrap_without_a_link_is_said_where_the_system_is_known(system: str | None, warned: bool) -> None:
    """Four chips of a row of a T3000 are a line: what goes from the last to the first passes the two between them."""
    with settings.override(system=system):
        found, _ = checked(RING_OF_FOUR, (1, 4))
    assert [item.code for item in found if item.code == "TTL0825"] == ["TTL0825"] * warned
    if warned:
        (finding,) = (item for item in found if item.code == "TTL0825")
        assert finding.message.startswith("no link joins chip (0, 3) and chip (0, 0) in T3000")


def test_nets_between_chips_that_are_far_apart_are_taken_as_they_are() -> None:
    """A gather is no ring that lacks a wire."""
    with settings.override(system="t3000"):
        found, _ = checked(GATHER, (1, 4))
    assert "TTL0825" not in [item.code for item in found]
