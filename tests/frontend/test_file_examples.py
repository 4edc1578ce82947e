"""Reading a program finds the calls of operations that running it makes: every example, both ways."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ttl.frontend.file import lower_file
from ttl.frontend.live import lower_call
from ttl.lang.operation import Operation

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.fixture
def beside_examples(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The modules that examples import, without the comparison of results: operations are not run here."""
    checking = ModuleType("checking")
    checking.BFLOAT16 = 2.0**-8  # type: ignore[attr-defined]
    checking.compare = lambda *arguments, **keywords: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "checking", checking)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_calls_of_a_program_are_those_it_makes(
    name: str, beside_examples: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: set[tuple[str, tuple[str, ...]]] = set()

    def call(self: Operation, *args: Any, **kwargs: Any) -> None:
        lowered = lower_call(self, args, kwargs)
        made.update((each.operation, each.arguments) for each in lowered.calls)

    monkeypatch.setattr(Operation, "__call__", call)
    with suppress(SystemExit):  # its way to say that results, which nobody computed, are wrong
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    read = lower_file(str(EXAMPLES / name))
    assert {(each.operation, each.arguments) for each in read.calls} == made
    assert all(each.complete for each in read.calls)
    assert not read.notes
    assert [finding.code for finding in read.diagnostics] == []


def test_the_files_of_a_program_are_its_dependencies() -> None:
    read = lower_file(str(EXAMPLES / "matmul.py"))
    assert [Path(path).name for path, _ in read.dependencies] == ["checking.py", "matmul.py"]
    assert all(len(text_hash) == 64 for _, text_hash in read.dependencies)
