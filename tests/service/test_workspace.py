"""What a workspace knows of files that nobody has open."""

from __future__ import annotations

from pathlib import Path

from ttl.service.workspace import Workspace
from ttl.session import Session
from ttl.session.switches import Settings


def test_a_file_that_is_not_open_has_the_settings_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.ttl]\narch = "blackhole"\n', encoding="utf-8")
    workspace = Workspace(None, Settings())
    with Session().entered():
        assert workspace.settings_for(str(tmp_path / "program.py")).arch == "blackhole"
        assert workspace.settings_for(str(tmp_path.parent / "program.py")).arch == Settings().arch
