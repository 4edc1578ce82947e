"""Every kernel the compiler emits is accepted by the real kernel headers of both generations.

Emitted by every example; by every operation over element types, layouts and shapes; by random programs. Most of the last two are
for ``make test-all``. What cannot be compiled has a diagnostic of the compiler's own, and is listed in ``gaps.txt``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.compiled import complaints_about
from support.judged import gaps_of, kept_gaps, subjects
from support.kernel_check import needs_compiler
from support.shares import share
from ttl.diag import catalog

SUBJECTS = subjects()
# The headers are read once for the kernels of so many subjects: that takes longer than the kernels.
_TOGETHER = {"example": 10, "operation": 10, "more": 8, "random": 1}
_RANDOM = 1


def groups(kind: str) -> list[tuple[str, ...]]:
    names = [name for name in SUBJECTS if name.startswith(f"{kind} ")]
    together = _TOGETHER[kind]
    return [tuple(names[start : start + together]) for start in range(0, len(names), together)]


@pytest.mark.one_of(6)
@pytest.mark.headers
@needs_compiler
@pytest.mark.parametrize(
    "group",
    [*groups("operation"), *groups("example"), *share(groups("random"), _RANDOM), *share(groups("more"), 0)],
    ids=", ".join,
)
def test_the_headers_accept_what_is_emitted(group: tuple[str, ...], tmp_path: Path) -> None:
    found = {subject: SUBJECTS[subject](tmp_path) for subject in group}
    assert {subject: gaps_of(each) for subject, each in found.items()} == {
        subject: kept_gaps().get(subject, "") for subject in group
    }
    assert complaints_about([each for of_subject in found.values() for each in of_subject]) == []


def test_every_gap_has_a_code_of_the_compiler_with_a_page() -> None:
    codes = {part.split(" ")[0] for gaps in kept_gaps().values() for part in gaps.split(", ")}
    assert codes and all(code.startswith("TTL14") and code in catalog.codes() for code in codes)
    assert kept_gaps().keys() <= SUBJECTS.keys()
