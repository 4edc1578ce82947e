"""Programs that use the bindings as users of the real ones do: each is run by itself, and FileCheck reads what it prints."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ttmlir
from support.shell import file_check

HERE = Path(__file__).parent
FILES = sorted(HERE.rglob("*/python/*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_program_prints_what_it_says(path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(ttmlir.__file__).parent.parent)}
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    complaints = io.StringIO()
    assert file_check([str(path)], done.stdout, complaints) == 0, complaints.getvalue()
