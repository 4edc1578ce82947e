"""The reference page ``docs/reference/host.md`` is up to date, complete, and its programs run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ttl.host import api, importer
from ttl.host.reference import refreshed

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "host.md"
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_lists_are_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert refreshed(text) == text, "run python -m ttl.host.reference docs/reference/host.md"


def test_every_name_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    missing = [name for name in api.public_names() if not re.search(rf"\b{re.escape(name)}\b", text)]
    assert missing == []


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_programs_of_the_page_run(number: int) -> None:
    importer.install()
    exec(compile(PROGRAMS[number], "host.md", "exec"), {"__name__": "__main__"})
