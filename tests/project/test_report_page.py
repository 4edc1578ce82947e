"""The report page (``web/report``): built from its sources, with right types, and its own tests, in Node.js and headless Chromium.

What the page is given is tested where it is made; this is about how it shows it.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "web" / "report"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

needs_packages = pytest.mark.skipif(
    shutil.which("npm") is None or not (PAGE / "node_modules" / ".ready").exists(),
    reason="no npm, or not the packages of the page: make report-page",
)
needs_chromium = pytest.mark.skipif(
    not Path(CHROMIUM).exists(), reason="no Chromium: apt-get install chromium, or CHROMIUM=..."
)


@pytest.fixture(scope="module")
def build() -> ModuleType:
    """``web/report/build.py``."""
    spec = importlib.util.spec_from_file_location("report_page_build", PAGE / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def run(script: str) -> str:
    """What ``npm run script`` prints; it has to succeed."""
    done = subprocess.run(
        ["npm", "run", "--silent", script], cwd=PAGE, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_dependencies_are_pinned_and_the_lock_file_names_no_registry() -> None:
    package: dict[str, Any] = json.loads((PAGE / "package.json").read_text())
    for version in [*package["dependencies"].values(), *package["devDependencies"].values()]:
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert '"resolved"' not in (PAGE / "package-lock.json").read_text()


def test_sources_never_read_html() -> None:
    """Names of users become text: nothing in the page parses HTML, evaluates text, or asks the network."""
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|\bfetch\(|XMLHttpRequest|WebSocket"
    )
    sources = sorted((PAGE / "src").rglob("*.ts"))
    assert len(sources) > 20
    assert [path.name for path in sources if forbidden.search(path.read_text())] == []


@needs_packages
def test_the_page_is_built_from_the_sources_as_they_are(build: ModuleType) -> None:
    build.build()
    assert build.is_current()
    assert build.STYLE.stat().st_size > 1000
    script = build.SCRIPT.read_text()
    assert "</script" not in script
    assert len(script) < 1_000_000


@needs_packages
def test_types_are_right() -> None:
    run("types")


@needs_packages
def test_what_the_page_computes() -> None:
    assert re.search(r"^# pass [1-9]", run("test"), re.M)


@needs_packages
@needs_chromium
def test_the_page_in_a_browser(build: ModuleType) -> None:
    build.build()
    assert re.search(r"^# pass [1-9]", run("browser"), re.M)
