"""Sixty mutants of the reader, each shown by a program that CPython judges."""

from __future__ import annotations

import pytest

from python_semantics.judge import judged
from python_semantics.mutants import Gone, Mutant, applied, kept
from python_semantics.suite import suite

_MUTANTS = kept()


@pytest.mark.parametrize("mutant", _MUTANTS, ids=str)
def test_a_mutant_of_the_reader_is_shown(mutant: Mutant) -> None:
    program = suite()[mutant.killer]
    try:
        with applied(mutant):
            assert judged(program, checked=False, seconds=2.0).verdict != "right"
    except Gone as gone:
        pytest.fail(
            f"the reader has no {gone} any more: python scripts/mutate_reader.py --keep looks for other mutants"
        )
    assert judged(program, checked=False).verdict == "right"


def test_there_are_sixty() -> None:
    assert len(_MUTANTS) == 60
