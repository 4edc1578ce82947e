"""What is known after any edit is what ``ttl check`` says of the text: nothing kept from an earlier one is wrong.

10,000 edits of each kind are ``python benchmarks/editor.py --replay 10000``.
"""

from __future__ import annotations

from random import Random

import pytest

from support import replaying
from support.random_programs.typing import programs
from ttl.service.workspace import Workspace
from ttl.session.switches import Settings

EDITS = 10
COMPARED = 0.2


@pytest.mark.one_of(3)
@pytest.mark.parametrize("number", range(8))
def test_after_random_edits_an_analysis_is_that_of_a_fresh_check(number: int) -> None:
    workspace = Workspace(None, Settings())
    for program in programs()[number::8]:
        text, random = program.read_text(encoding="utf-8"), Random(f"0 {program.name}")
        assert [*replaying.every_edit(workspace, str(program), text, random, EDITS, COMPARED)] == []


def test_what_is_known_of_a_text_that_was_not_read_yet_is_what_was_found_last() -> None:
    workspace = Workspace(None, Settings())
    for program in programs()[::9]:
        text, random = program.read_text(encoding="utf-8"), Random(f"0 {program.name}")
        assert [*replaying.stale(workspace, str(program), text, random, 20)] == []


def test_versions_may_repeat_and_go_back() -> None:
    workspace = Workspace(None, Settings())
    for program in programs()[4::16]:
        text, random = program.read_text(encoding="utf-8"), Random(f"0 {program.name}")
        assert [*replaying.versions(workspace, str(program), text, random, 12)] == []


def test_operations_that_are_declared_and_not_called_are_those_of_a_fresh_check() -> None:
    workspace = Workspace(None, Settings())
    for program in programs()[1::12]:
        text, random = replaying.declared(program), Random(f"0 {program.name}")
        if text is not None:
            assert text.count("ttl.example") and "close_device" not in text
            assert [*replaying.every_edit(workspace, str(program), text, random, 8, 0.3)] == []
