"""``[tool.ttl]`` holds for whoever checks, runs or compiles a program."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import ttnn

device = ttnn.open_device(device_id=0)
grid = device.compute_with_storage_grid_size()
print(device.arch(), grid.x, grid.y)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[tool.ttl]\narch = "blackhole"\ngrid = [2, 3]\n')
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "program.py").write_text(PROGRAM)
    return tmp_path / "inside"


def test_a_run_is_on_the_chip_of_the_project(project: Path) -> None:
    outcome = run_ttl(["run", "program.py"], folder=project)
    assert outcome.stdout.lower().split() == ["blackhole", "2", "3"]


def test_flags_and_variables_win(project: Path) -> None:
    outcome = run_ttl(
        ["run", "--arch", "wormhole", "program.py"], folder=project, environment={"TTL_GRID": "4x4"}
    )
    assert outcome.stdout.lower().split() == ["wormhole_b0", "4", "4"]


@pytest.mark.parametrize("verb", ["run", "compile", "profile", "tune"])
def test_a_wrong_table_ends_it_at_its_place(project: Path, verb: str) -> None:
    (project.parent / "pyproject.toml").write_text('[tool.ttl]\narch = "grayskull"\n')
    outcome = run_ttl([verb, "program.py"], folder=project)
    assert outcome.status == 2
    assert "error[TTL0125]" in outcome.stderr
    assert "pyproject.toml:2" in outcome.stderr
    assert outcome.stdout == ""
