"""Issue "One front end", part 5: runs and checks agree, and the page docs/reference/one-truth.md says where not, and why.

One program of four, always the same, is in ``make test``; all of them with ``--long``, and in ``make check``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from check.truth.measure import random_findings
from check.truth.table import RANDOM_PROGRAMS, Truth, measure, not_said, page, reason_of, reasons

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "one-truth.md"
SHARE = 4


@cache
def measured(one_of: int) -> Truth:
    return measure(one_of)


@pytest.fixture
def truth(request: pytest.FixtureRequest) -> Truth:
    return measured(1 if request.config.getoption("--long") else SHARE)


def test_every_difference_has_a_reason(truth: Truth) -> None:
    known = reasons()
    missing = [row.name for row in truth.differing if reason_of(row.name, known) is None]
    missing += [name for name in truth.refused if reason_of(name, known) is None]
    assert missing == []


@pytest.mark.long
def test_every_reason_is_of_a_difference(truth: Truth) -> None:
    names = [*(row.name for row in truth.differing), *truth.refused]
    known = reasons()
    unused = [
        pattern
        for pattern, why in known.items()
        if not any(
            reason_of(name, {pattern: why}) is not None and reason_of(name, known) == why for name in names
        )
    ]
    assert unused == []


def test_correct_programs_have_no_errors(truth: Truth) -> None:
    assert truth.false_errors == {}


@pytest.mark.long
def test_more_random_programs_have_no_errors() -> None:
    found = random_findings(range(RANDOM_PROGRAMS, 300))
    errors = {name: [one for one in said if one.severity == "error"] for name, said in found.items()}
    assert not any(errors.values()), errors


def test_every_wrong_program_is_caught(truth: Truth) -> None:
    assert [row.name for row in truth.rows if not row.caught] == []


def test_at_least_four_of_five_mistakes_in_operations_are_found_before_anything_runs(truth: Truth) -> None:
    inside = [row for row in truth.rows if not row.of_host]
    assert len(inside) > 200 // SHARE
    assert sum(row.certain for row in inside) >= 0.8 * len(inside)


def test_no_check_fails(truth: Truth) -> None:
    found = [(row.name, each) for row in truth.rows for each in (*row.said.check, *row.said.file)]
    assert [name for name, each in found if each.code == "TTL9001"] == []
    assert [row.name for row in truth.rows if any(each.code == "TTL9001" for each in row.said.run)] == []


def test_the_page_says_what_was_measured(truth: Truth) -> None:
    assert not_said(truth, PAGE.read_text(encoding="utf-8")) == [], "run scripts/one_truth.py"


@pytest.mark.long
def test_the_page_is_up_to_date(truth: Truth) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(truth), "run scripts/one_truth.py"
