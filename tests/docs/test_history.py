"""The history of releases: its files hold ratios that the page knows, in the order of versions."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from docs.blocks import ROOT


@pytest.fixture(scope="module")
def history() -> ModuleType:
    spec = importlib.util.spec_from_file_location("history", ROOT / "benchmarks" / "history.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["history"] = module
    spec.loader.exec_module(module)
    return module


def test_every_file_has_ratios_that_the_page_draws(history: ModuleType) -> None:
    kept = history.versions()
    assert kept and len(list(history.FOLDER.iterdir())) == len(kept)
    names = {measure.name for measure in history.MEASURES}
    for each in kept:
        assert (history.FOLDER / f"{each['version']}.json").is_file()
        assert set(each["ratios"]) <= names
        for ratio in each["ratios"].values():
            assert 0 < ratio["low"] <= ratio["median"] <= ratio["high"]


def kept(version: str, **ratios: float) -> dict[str, Any]:
    machine = {"processor": "P", "cores": 2, "load": [0.1, 3], "python": "3", "torch": "2", "yardstick_ms": 9}
    spread = {name: {"median": it, "low": it, "high": it + 1} for name, it in ratios.items()}
    return {"version": version, "date": "2026-12-01", "machine": machine, "ratios": spread}


def test_versions_are_in_the_order_of_releases(
    history: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "FOLDER", tmp_path)
    for version in ("0.10.0", "0.2.0", "0.2.0.dev10", "0.2.0.dev9"):
        (tmp_path / f"{version}.json").write_text(json.dumps(kept(version)))
    order = [each["version"] for each in history.versions()]
    assert order == ["0.2.0.dev9", "0.2.0.dev10", "0.2.0", "0.10.0"]


def test_a_ratio_is_shown_with_what_the_machine_did_to_it(history: ModuleType) -> None:
    lines = history.table([kept("0.1.0", programs=2.5), kept("0.2.0", suite=9.0)]).splitlines()
    assert lines[0] == "| lower is better | in | 0.1.0, 2026-12-01 | 0.2.0, 2026-12-01 |"
    assert lines[2] == "| programs, first calls | times torch | 2.5 (2.5 to 3.5) | not measured |"
    assert "load 0.1 to 3 on 2 cores" in lines[-1]
    drawn = history.drawing([kept("0.1.0", programs=2.5), kept("0.2.0", suite=9.0)])
    assert drawn.startswith("<?xml") and drawn.count('id="axes_') == len(history.MEASURES)
