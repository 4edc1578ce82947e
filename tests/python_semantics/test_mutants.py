"""Mutants of the reader, each shown by a program that CPython judges."""

from __future__ import annotations

import pytest

from python_semantics.mutants import Gone, Mutant, is_shown, kept
from python_semantics.suite import suite

_MUTANTS = kept()


@pytest.mark.one_of(3)
@pytest.mark.parametrize("mutant", _MUTANTS, ids=str)
def test_a_mutant_of_the_reader_is_shown(mutant: Mutant) -> None:
    program = suite()[mutant.killer]
    try:
        assert is_shown(mutant, program)
    except Gone as gone:
        pytest.fail(
            f"the reader has no {gone} any more: scripts/mutate_reader.py --keep looks for other mutants"
        )


def test_there_are_sixty() -> None:
    assert len(_MUTANTS) >= 60
