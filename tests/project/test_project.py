"""What is around the package: the files a reader and a machine expect, generated files that are fresh."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize(
    "name",
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "Makefile", ".ci/run"],
)
def test_the_file_is_there(name: str) -> None:
    assert (ROOT / name).is_file()


def test_the_package_needs_numpy_greenlet_xdsl_and_flatbuffers_only() -> None:
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in PROJECT["dependencies"]}  # type: ignore[index]
    assert names == {"numpy", "greenlet", "xdsl", "flatbuffers"}


def test_the_makefile_has_the_targets_of_the_readers() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test", "check", "bench", "wheel-test", "docs", "clean"):
        assert re.search(rf"^{target}:", text, re.MULTILINE)
    assert re.search(r"^TORCH := torch==\d+\.\d+\.\d+$", text, re.MULTILINE)


def test_ci_runs_what_a_developer_runs() -> None:
    path = ROOT / ".ci" / "run"
    assert path.stat().st_mode & 0o111
    assert "make test" in path.read_text(encoding="utf-8")


def test_the_licence_is_whole() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text and "END OF TERMS AND CONDITIONS" in text
    assert PROJECT["license"] == "Apache-2.0"


def test_the_entry_points_are_there() -> None:
    import ttl_start
    from ttl.pytest_plugin import pytest_configure

    commands = ("ttl", "ttl-opt")
    assert PROJECT["scripts"] == {name: f"ttl_start:{name.replace('-', '_')}" for name in commands}
    assert all(callable(getattr(ttl_start, name.replace("-", "_"))) for name in commands)
    assert PROJECT["entry-points"]["pytest11"] == {"ttl": pytest_configure.__module__}


def test_the_command_line_reference_is_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "update_reference.py"), "--check"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
