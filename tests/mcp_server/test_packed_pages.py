"""A wheel has the pages that ``ttl mcp`` searches: those that a clone has where they are."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ttl.mcp import server

ROOT = Path(__file__).parents[2]


def included(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the build hook adds to a wheel for the search: file, and its place there."""
    # The builder of wheels need not be installed: the hooks want their base classes alone.
    for name, base in (
        ("hatchling.builders.hooks.plugin.interface", "BuildHookInterface"),
        ("hatchling.metadata.plugin.interface", "MetadataHookInterface"),
    ):
        interface = ModuleType(name)
        monkeypatch.setattr(interface, base, object, raising=False)
        monkeypatch.setitem(sys.modules, name, interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "hatch_build", module)
    spec.loader.exec_module(module)
    data: dict[str, Any] = {"force_include": {}}
    hook = module.NativeBuildHook.__new__(module.NativeBuildHook)
    hook.root = str(ROOT)
    hook._add_pages(data)
    return data["force_include"]


def test_the_search_of_a_wheel_is_that_of_a_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = included(monkeypatch)
    package = tmp_path / "ttl" / "mcp"
    for source, target in files.items():
        place = tmp_path / target
        assert place.is_relative_to(package / "pages")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place)
    of_clone = list(server._sections())
    monkeypatch.setattr(server, "_PLACES", (package / "pages", tmp_path / "nowhere"))
    assert list(server._sections()) == of_clone
    assert any(page == "docs/reference/score.md" for page, _, _ in of_clone)
