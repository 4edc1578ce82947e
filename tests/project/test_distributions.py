"""Two distributions: ``ttlang``, and ``ttlang-models`` with the vendor's names on top, which overwrites nothing of the vendor's."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

import ttlang_models
from ttlang_models.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
MODELS = tomllib.loads((ROOT / "models" / "pyproject.toml").read_text(encoding="utf-8"))
PACKED: Mapping[str, str] = MODELS["tool"]["ttlang"]["packed"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LIBRARIES = Path(np.__file__).resolve().parents[1]
# What is theirs: a package of each name, and the command of one.
DUMMY = "WHO = 'theirs'\ndef main():\n    print('their ttrt', *__import__('sys').argv[1:])\n    return 7\n"
ENTRY = "[console_scripts]\nttrt = ttrt:main\n"


def laid_out(site: Path) -> None:
    """The folder of packages as the wheel of ``ttlang-models`` and that of ``ttlang`` fill it."""
    for source, place in PACKED.items():
        target = site / place
        path = (ROOT / "models" / source).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.name == "ttlang_models":  # the folder that others lie in
            target.mkdir()
            for module in path.glob("*.py"):
                (target / module.name).write_bytes(module.read_bytes())
        else:
            target.symlink_to(path)
    for package in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        (site / Path(package).name).symlink_to(ROOT / package)


def with_theirs(site: Path) -> None:
    """The vendor's packages are there as well."""
    for name in ttlang_models.NAMES:
        (site / name).mkdir()
        (site / name / "__init__.py").write_text(DUMMY, encoding="utf-8")
    information = site / "ttrt-9.9.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: ttrt\nVersion: 9.9\n", encoding="utf-8"
    )
    (information / "entry_points.txt").write_text(ENTRY, encoding="utf-8")


def run(site: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A program in a Python that has this folder of packages, and what ours need beside it."""
    start = f"import site, sys; site.addsitedir({str(site)!r}); sys.path.append({str(LIBRARIES)!r})\n"
    command = [sys.executable, "-S", "-c", start + program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=site)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    laid_out(tmp_path)
    yield tmp_path


def test_ours_are_found_where_the_vendors_are_not_installed(site: Path) -> None:
    done = run(
        site,
        "import ttmlir, ttrt, tt_adapter, ttlang_models; print(ttmlir.__file__, ttlang_models.foreign())",
    )
    assert done.stdout == f"{site}/ttlang_models/ttmlir/__init__.py {{}}\n", done.stderr


def test_the_vendors_win_where_they_are_installed(site: Path) -> None:
    with_theirs(site)
    done = run(
        site,
        "import ttmlir, ttrt, tt_adapter, ttlang_models\nprint(ttmlir.WHO, ttrt.WHO, tt_adapter.WHO, *ttlang_models.foreign())",
    )
    assert done.stdout == "theirs theirs theirs ttmlir ttrt tt_adapter\n", done.stderr


def test_the_command_of_both_is_theirs_and_says_how_to_run_ours(site: Path) -> None:
    with_theirs(site)
    done = run(site, "from ttlang_models.commands import ttrt; ttrt()", "run", "x.ttnn")
    assert (done.stdout, done.returncode) == ("their ttrt run x.ttnn\n", 7)
    assert (
        done.stderr
        == f"note: this is the vendor's ttrt, in {site}/ttrt; ours is python -m ttlang_models ttrt\n"
    )


@pytest.mark.parametrize("vendor", [False, True])
def test_ours_runs_by_its_own_name(site: Path, vendor: bool) -> None:
    if vendor:
        with_theirs(site)
    ours = "import runpy, sys; runpy.run_module('ttlang_models', run_name='__main__')"
    assert run(site, ours, "ttrt", "--version").stdout.startswith("ttrt")
    done = run(site, ours, "frob")
    assert done.returncode == 2 and done.stderr.startswith("error: there is no command frob")


def test_nothing_is_installed_where_the_vendors_are() -> None:
    places = PACKED
    assert {Path(place).parts[0] for place in places.values()} == {"ttlang_models", "ttlang_models.pth"}
    packages = {
        path.name for path in (ROOT / "src").iterdir() if path.is_dir() and (path / "__init__.py").is_file()
    }
    in_base = {Path(path).name for path in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]}
    assert packages == in_base | {Path(source).name for source in places} - {"ttlang_models.pth"}
    assert MODELS["project"]["scripts"] == {
        name: f"ttlang_models.commands:{name.replace('-', '_')}" for name in COMMANDS
    }


@pytest.mark.long
def test_both_wheels_are_installed_beside_the_vendors(tmp_path: Path) -> None:
    """With pip: the vendor's files stay as they are, with either order of installing."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT / "models")],
        check=True,
    )
    (wheel,) = tmp_path.glob("ttlang_models-*.whl")
    names = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist() if "dist-info" not in name}
    assert names == {"ttlang_models", "ttlang_models.pth"}
    venv.create(tmp_path / "environment", with_pip=True)
    python = str(tmp_path / "environment" / "bin" / "python")
    (site,) = (tmp_path / "environment" / "lib").glob("python*/site-packages")
    with_theirs(site)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", str(wheel)], check=True)
    shown = "import ttmlir, ttlang_models; print(ttmlir.WHO, *ttlang_models.foreign())"
    done = subprocess.run([python, "-c", shown], capture_output=True, text=True)
    assert done.stdout == "theirs ttmlir ttrt tt_adapter\n", done.stderr
    subprocess.run([python, "-m", "pip", "uninstall", "--quiet", "--yes", "ttlang-models"], check=True)
    assert all(
        (site / name / "__init__.py").read_text(encoding="utf-8") == DUMMY for name in ttlang_models.NAMES
    )
