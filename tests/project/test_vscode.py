"""The extension for VS Code: in step with the package, and its own light tests. Those in a whole editor: ``make test-vscode``."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import ttl
from ttl.arch import names as chips

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
MANIFEST: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text())
SETTINGS: dict[str, Any] = MANIFEST["contributes"]["configuration"]["properties"]

needs_packages = pytest.mark.skipif(
    shutil.which("npm") is None or not (EXTENSION / "node_modules" / ".ready").exists(),
    reason="no npm, or not the packages of the extension: make vscode-packages",
)


@pytest.mark.parametrize("name", ["package.json", "package-lock.json"])
def test_version_is_the_package_s(name: str) -> None:
    assert json.loads((EXTENSION / name).read_text())["version"] == ttl.__version__


def test_every_command_that_is_offered_is_there() -> None:
    declared = {command["command"] for command in MANIFEST["contributes"]["commands"]}
    source = "\n".join(path.read_text() for path in (EXTENSION / "src").glob("*.ts"))
    registered = set(re.findall(r'command\("(ttl\.\w+)"', source)) | set(
        re.findall(r'^  "(ttl\.\w+)": \[', source, re.M)
    )
    assert declared <= registered
    offered = {
        entry["command"] for entries in MANIFEST["contributes"]["menus"].values() for entry in entries
    } | set(re.findall(r"\(command:(ttl\.\w+)\)", json.dumps(MANIFEST)))
    assert offered <= declared


def test_chips_that_can_be_chosen_are_the_package_s() -> None:
    assert SETTINGS["ttl.arch"]["enum"] == ["", *chips()]


def test_only_checking_is_done_where_the_workspace_is_not_trusted() -> None:
    trust = MANIFEST["capabilities"]["untrustedWorkspaces"]
    assert trust["supported"] == "limited"
    assert {"ttl.interpreter", "ttl.sanitizeOnSave"} <= set(trust["restrictedConfigurations"])


def test_lock_files_name_no_registry() -> None:
    for lock in (EXTENSION, EXTENSION / "packing", EXTENSION / "browser"):
        assert '"resolved"' not in (lock / "package-lock.json").read_text()


@needs_packages
def test_types_are_right() -> None:
    done = subprocess.run(["npm", "run", "--silent", "types"], cwd=EXTENSION, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_packages
def test_the_extension_s_own_tests_pass() -> None:
    done = subprocess.run(["npm", "run", "--silent", "test"], cwd=EXTENSION, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^# pass [1-9]", done.stdout, re.M)
