"""Forty programs over several chips that are wrong: each is refused or explained, before it runs where that is possible, with the chips."""

from __future__ import annotations

import pytest

from support.meshes import checked, simulated
from support.wrong_chips import WRONG, Wrong
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
    wrong: Wrong = WRONG[name]
    raised = simulated(wrong.text, wrong.mesh, wrong.rows)
    assert raised is not None
    found, _ = checked(wrong.text, wrong.mesh, wrong.rows)
    assert (raised.code, raised.message) in [(item.code, item.message) for item in found]
    assert raised.code == wrong.code
