"""The page about later text lists what there are rules for."""

from __future__ import annotations

import re
from pathlib import Path

from tt_model.operations.ttir import TTIR
from ttmlir.transforms.upgrade.upgrading import RULES, WITHOUT_FORM

PAGE = Path(__file__).parents[3] / "docs" / "ttmlir" / "later-text.md"


def test_the_page_lists_all_operations() -> None:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith(("| of both", "| later"))]
    rows = [set(re.findall(r"`(\w+)`", line)) for line in lines]
    both = {row.mnemonic for row in TTIR.rows} & set(RULES)
    assert rows == [both, (set(RULES) | {"fill_cache", "update_cache"}) - both, set(WITHOUT_FORM)]
