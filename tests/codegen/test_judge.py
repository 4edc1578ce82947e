"""Every kernel the compiler emits is accepted by the real kernel headers of both generations.

Emitted by every example; by every operation over element types, layouts and shapes; by random programs. What cannot be compiled has
a diagnostic of the compiler's own, and is listed in ``gaps.txt``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.compiled import complaints_about
from support.judged import gaps_of, kept_gaps, subjects
from support.kernel_check import needs_compiler
from ttl.diag import catalog

SUBJECTS = subjects()


@pytest.mark.headers
@needs_compiler
@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_headers_accept_what_is_emitted(subject: str, tmp_path: Path) -> None:
    found = SUBJECTS[subject](tmp_path)
    assert gaps_of(found) == kept_gaps().get(subject, "")
    assert complaints_about(found) == []


def test_every_gap_has_a_code_of_the_compiler_with_a_page() -> None:
    codes = {part.split(" ")[0] for gaps in kept_gaps().values() for part in gaps.split(", ")}
    assert codes and all(code.startswith("TTL14") and code in catalog.codes() for code in codes)
    assert kept_gaps().keys() <= SUBJECTS.keys()
