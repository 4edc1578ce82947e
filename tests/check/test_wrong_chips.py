"""Forty programs over several chips that are wrong: each is refused or explained, before it runs where that is possible, with the chips."""

from __future__ import annotations

import pytest

from support.meshes import checked, simulated
from support.wrong_chips import GATHER, RECEIVE, RING, SEND, WRONG, over
from ttl import settings
from ttl.diag import Diagnostic

SAID_BY_THE_CHECK_ALONE = {"TTL0906", "TTL1101"}
"""What one run does not show: two writes to one place, and what depends on the schedule."""


def said(finding: Diagnostic) -> str:
    """All words of a finding."""
    labels = [label.text for label in (finding.primary, *finding.secondary) if label is not None]
    return "\n".join((finding.message, *labels, *finding.notes, *finding.help))


def test_there_are_enough() -> None:
    """The issue asks for forty."""
    assert len(WRONG) >= 40


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_is_explained_before_it_runs(name: str) -> None:
    """The check finds the code that is expected, and says which chips have to do with it."""
    wrong = WRONG[name]
    found, not_checked = checked(wrong.text, wrong.mesh, wrong.rows)
    finding = next((item for item in found if item.code == wrong.code), None)
    assert finding is not None, [(item.code, item.message) for item in found]
    assert not not_checked
    text = said(finding)
    assert all(word in text for word in wrong.words), text
    assert finding.help or finding.notes


@pytest.mark.parametrize("name", [name for name in WRONG if WRONG[name].code not in SAID_BY_THE_CHECK_ALONE])
def test_the_simulator_stops_a_wrong_program_for_the_same_reason(name: str) -> None:
    """Nobody has to trust the check: run all the same, the program stops with the same code and message."""
    wrong = WRONG[name]
    raised = simulated(wrong.text, wrong.mesh, wrong.rows)
    assert raised is not None
    found, _ = checked(wrong.text, wrong.mesh, wrong.rows)
    assert (raised.code, raised.message) in [(item.code, item.message) for item in found]
    assert raised.code == wrong.code


RING_OF_FOUR = over(RING, SEND + RECEIVE, chips=4)


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
        found, _ = checked(over(GATHER, SEND + RECEIVE, chips=4), (1, 4))
    assert "TTL0825" not in [item.code for item in found]
