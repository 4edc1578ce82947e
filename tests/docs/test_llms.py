"""``docs/llms.txt`` names the pages that there are."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_list_for_language_models_is_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "update_llms.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_names_pages_that_exist_or_are_made_with_the_site() -> None:
    text = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
    missing = [
        page for page in re.findall(r"\]\(([^)]+\.md)\)", text) if not (ROOT / "docs" / page).is_file()
    ]
    assert missing == ["reference/language.md", "errors/index.md"]
