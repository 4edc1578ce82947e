"""Emitted kernels need no more than kernels written by hand: the counts of docs/reference/code-quality.md."""

from __future__ import annotations

import pytest

from support.code_quality import BY_HAND, capacity, counts_of
from support.compiled import emitted_file
from support.golden import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_needs_no_more_than_by_hand(name: str) -> None:
    (program,) = emitted_file(PROGRAMS[name]).programs["0.81"]
    found, hand = counts_of(program), BY_HAND[name]
    assert found.round_trips <= hand.round_trips
    assert found.hoistable == 0
    assert found.barriers <= hand.barriers
    assert found.registers >= (capacity(program) if hand.registers is None else hand.registers)
