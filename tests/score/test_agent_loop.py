"""The table in docs/guides/ai-agents.md says what the loop does: fixes of all programs, and some of them scored."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from support.programs import run_ttl
from ttl.emu import runtime
from ttl.score.processes import probe

ROOT = Path(__file__).parents[2]


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("agent_loop", ROOT / "scripts" / "agent_loop.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["agent_loop"] = module
    spec.loader.exec_module(module)
    return module


LOOP = script()
FENCE = probe()
TABLE = LOOP.PAGE.read_text(encoding="utf-8").partition(LOOP.BEGIN)[2].partition(LOOP.END)[0]


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def ttl(*arguments: str, folder: Path) -> Any:
        # A folder of kernels that lies elsewhere is out of reach for a program that is scored.
        done = run_ttl(list(arguments), folder=folder, environment={"TTL_CACHE_DIR": "off"})
        return json.loads(done.stdout)

    monkeypatch.setattr(LOOP, "ttl", ttl)


@pytest.mark.parametrize("program", LOOP.PROGRAMS, ids=lambda path: path.stem)
def test_the_table_says_what_is_repaired(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[Path] = []
    monkeypatch.setattr(LOOP, "_is_right", lambda copy, folder, flags: scored.append(copy) or True)
    row = LOOP.loop(program).row
    assert row in TABLE, row


@pytest.mark.skipif("open" in (FENCE.network, FENCE.files), reason="programs cannot be kept in here")
@pytest.mark.skipif(runtime.missing() is not None, reason="there is no emulated chip")
@pytest.mark.parametrize("name", ["use_after_pop"])
def test_what_is_repaired_is_right(name: str) -> None:
    (program,) = (path for path in LOOP.PROGRAMS if path.stem == name)
    assert LOOP.loop(program).outcome == "repaired"


def test_the_numbers_above_the_table_are_those_of_its_rows() -> None:
    rows = [line.split("|")[1:-1] for line in TABLE.splitlines() if line.startswith("| `")]
    broken = [row for row in rows if row[1].strip() != "-"]
    repaired = sum(row[3].strip() == "repaired" for row in broken)
    assert len(rows) == len(LOOP.PROGRAMS)
    assert f"Of {len(broken)} programs in which errors are found, {repaired} are right afterwards" in TABLE
