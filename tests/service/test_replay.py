"""What is known after any edit is what ``ttl check`` says of the text: nothing kept from an earlier one is wrong.

10,000 edits are ``python benchmarks/editor.py --replay 10000``.
"""

from __future__ import annotations

from random import Random

import pytest

from support.typing_at_random import differences, edits, fresh, programs
from ttl.service.workspace import Workspace
from ttl.session.switches import Settings

EDITS = 10
COMPARED = 0.2


@pytest.mark.parametrize("number", range(8))
def test_after_random_edits_an_analysis_is_that_of_a_fresh_check(number: int) -> None:
    workspace, settings = Workspace(None, Settings()), Settings()
    for program in programs()[number::8]:
        random = Random(f"0 {program.name}")
        path, text = str(program), program.read_text(encoding="utf-8")
        workspace.open(path, text, 0)
        for version, changed in zip(range(1, EDITS + 1), edits(text, random), strict=False):
            workspace.change(path, changed, version)
            analysis = workspace.analyse(path)
            assert analysis.version == version
            if random.random() < COMPARED or version == EDITS:
                assert differences(analysis, fresh(path, changed, settings)) == [], changed
        workspace.close(path)
