"""Programs in the manner of those one finds elsewhere: earlier spellings, host library and kernels mixed, other habits.

Each checks its own result. They run in the simulator, are read by ``ttl check``, and the smaller ones run on the emulated chip.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.programs import run_program, run_ttl

FOLDER = Path(__file__).parent / "strangers"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))
ON_THE_CHIP = ("flash_attention", "fused_layernorm", "layernorm", "quantise", "ring", "stencil")


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_runs(name: str, tmp_path: Path) -> None:
    outcome = run_program((FOLDER / f"{name}.py").read_text(), folder=tmp_path, flags=["--format", "json"])
    assert outcome.status == 0, outcome.stderr
    said = [json.loads(line) for line in outcome.stderr.splitlines()]
    assert {each["severity"] for each in said} <= {"note"}
    codes = [(each["code"], each["message"]) for each in said]
    assert len(codes) == len(set(codes)), "one note for each spelling"


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_checked(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text((FOLDER / f"{name}.py").read_text())
    outcome = run_ttl(["check", f"{name}.py"], folder=tmp_path)
    assert outcome.status == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize("name", ON_THE_CHIP)
def test_it_runs_on_the_emulated_chip(name: str, tmp_path: Path) -> None:
    source = (FOLDER / f"{name}.py").read_text()
    outcome = run_program(source, folder=tmp_path, flags=["--target", "emu"])
    assert outcome.status == 0, outcome.stderr
