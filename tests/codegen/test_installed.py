"""The generation of the kernel API is read off the headers that are installed."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from support.kernel_check import GENERATIONS, Generation
from support.kernel_headers import headers
from ttl.codegen.installed import generation_of, installed_generation


@pytest.mark.headers
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_headers_of_each_release_tell_theirs(generation: Generation) -> None:
    assert generation_of(headers(generation)) == generation


def test_without_headers_there_is_none(tmp_path: Path) -> None:
    assert generation_of(tmp_path) is None


def test_the_library_of_ours_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    import ttnn  # noqa: F401

    assert installed_generation() is None
    monkeypatch.setitem(sys.modules, "ttnn", ModuleType("ttnn"))
    assert installed_generation() is None
