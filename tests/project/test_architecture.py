"""ARCHITECTURE.md and the guides for those who change the package name what is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "src" / "ttl"
PAGES = (
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs" / "internals").glob("*.md")),
)
# `sim/launch.py: launch` or `sim/launch.py`, as in the tables of these pages.
_NAMED = re.compile(r"`(?P<path>[\w./]+\.(?:py|cpp|h))(?:: (?P<name>[\w.]+))?`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_file_that_is_named_is_there(page: Path) -> None:
    wrong = []
    for named in _NAMED.finditer(page.read_text(encoding="utf-8")):
        file = _file(named["path"])
        if file is None:
            wrong.append(f"{named['path']} is not there")
        elif named["name"] and (last := named["name"].rpartition(".")[2]) not in file.read_text(
            encoding="utf-8"
        ):
            wrong.append(f"{named['path']} has no {last}")
    assert wrong == []


def test_every_room_has_a_paragraph() -> None:
    text = (ROOT / "docs" / "internals" / "rooms.md").read_text(encoding="utf-8")
    rooms = [path.name for path in sorted(SOURCE.iterdir()) if path.is_dir() and any(path.glob("*.py"))]
    assert [room for room in rooms if f"`{room}/`" not in text] == []


def _file(named: str) -> Path | None:
    """The file of a name that stands in full, from the package's folder, or alone behind one that says its folder."""
    inside = f"/{named}"
    candidates = (
        ROOT / named,
        SOURCE / named,
        ROOT / "src" / "ttmlir" / named,
        ROOT / "src" / "tt_model" / named,
        ROOT / "src" / named,
        *(path for path in _sources().get(Path(named).name, ()) if path.as_posix().endswith(inside)),
    )
    return next((path for path in candidates if path.is_file()), None)


@cache
def _sources() -> Mapping[str, list[Path]]:
    """The files that may be named without their folders, by their last names."""
    files: dict[str, list[Path]] = {}
    for folder in (SOURCE, ROOT / "native", ROOT / "tests"):
        for suffix in ("py", "cpp", "h"):
            for path in folder.rglob(f"*.{suffix}"):
                files.setdefault(path.name, []).append(path)
    return files
