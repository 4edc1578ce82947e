"""Files that hosts of repositories read: forms, workflows, the citation; and what has to hold before a release."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import yaml

from ttl.diag.internal import version

ROOT = Path(__file__).resolve().parents[2]
HOSTED = ROOT / ".github"


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def release_check() -> Any:
    spec = importlib.util.spec_from_file_location("release_check", ROOT / "scripts" / "release_check.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["bug", "feature"])
def test_a_form_asks_for_a_program(name: str) -> None:
    form = loaded(HOSTED / "ISSUE_TEMPLATE" / f"{name}.yml")
    assert form["name"] and form["description"]
    fields = {item["id"]: item for item in form["body"]}
    assert fields["program"]["validations"] == {"required": True}
    assert all(item["attributes"]["label"] for item in form["body"])


@pytest.mark.parametrize("path", sorted((HOSTED / "workflows").glob("*.yml")), ids=lambda path: path.stem)
def test_a_workflow_may_read_only_and_runs_what_the_makefile_has(path: Path) -> None:
    workflow = loaded(path)
    assert workflow["permissions"] == {"contents": "read"}
    targets = {
        step["run"].removeprefix("make ")
        for job in workflow["jobs"].values()
        for step in job["steps"]
        if step.get("run", "").startswith("make ")
    }
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets and all(f"\n{target}:" in makefile for target in targets)


def test_what_is_tested_elsewhere_is_what_is_tested_here() -> None:
    steps = [
        step for job in loaded(HOSTED / "workflows" / "ci.yml")["jobs"].values() for step in job["steps"]
    ]
    assert ".ci/run" in [step.get("run") for step in steps]


def test_the_citation_names_this_version() -> None:
    citation = loaded(ROOT / "CITATION.cff")
    assert (citation["cff-version"], citation["license"], citation["version"]) == (
        "1.2.0",
        "Apache-2.0",
        version(),
    )


def test_versions_agree_and_no_entry_of_the_changelog_stands_twice() -> None:
    check = release_check()
    assert check.versions() == []
    assert [line for line in check.changelog() if "twice" in line] == []


def test_a_version_that_the_changelog_has_not_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = release_check()
    (tmp_path / "src" / "ttl").mkdir(parents=True)
    (tmp_path / "src" / "ttl" / "__init__.py").write_text('__version__ = "9.8.7"\n')
    (tmp_path / "CHANGELOG.md").write_text("## [Unreleased]\n\n- One.\n- One.\n")
    monkeypatch.setattr(check, "ROOT", tmp_path)
    wrong = check.changelog()
    assert "9.8.7" in wrong[0] and "twice: - One." in wrong[1]
    (tmp_path / "CHANGELOG.md").write_text("## [9.8.7] - 2026-12-01\n\n- One.\n")
    assert check.changelog() == []
