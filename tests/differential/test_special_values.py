"""Functions of one operand make of infinities and no numbers what the language says, but for a table of exceptions."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.known import SPECIAL
from differential.special_values import differing, groups


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_infinities_and_no_numbers(dtype: str, tmp_path: Path) -> None:
    found = {each for group, program in groups(dtype) for each in differing(group, program, tmp_path)}
    assert found == {(each.row, each.operand, each.language, each.chip) for each in SPECIAL}
