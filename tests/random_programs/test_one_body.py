"""Random operations as one body: simulator, emulated chip and the kernels of ``ttl split`` give what NumPy gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import run_ttl
from support.random_programs.one_body import program

_EACH = 5


@pytest.mark.parametrize("first", range(0, 50, _EACH))
def test_every_execution_of_a_random_body_gives_the_same(first: int, tmp_path: Path) -> None:
    (tmp_path / "bodies.py").write_text(program(range(first, first + _EACH)))
    run = run_ttl(["run", "bodies.py"], folder=tmp_path)
    assert (run.status, run.stderr) == (0, "")
    assert run.stdout.count(" True ") == _EACH, run.stdout
    split = run_ttl(["split", "bodies.py", "-o", "kernels.py"], folder=tmp_path)
    assert (split.status, split.stderr) == (0, "")
    assert (tmp_path / "kernels.py").read_text().count("@ttl.compute()") == _EACH
    for arguments in (["run", "kernels.py"], ["run", "--target", "emu", "bodies.py"]):
        other = run_ttl(arguments, folder=tmp_path)
        assert (other.status, other.stderr, other.stdout) == (0, "", run.stdout)
