"""The site: it builds without a warning, the reference has every public name, the decision records are listed."""

from __future__ import annotations

import fcntl
import html
import importlib.util
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

import ttl
from docs.blocks import ROOT, SOURCE, blocks, changed, commands, files
from ttl.diag import catalog
from ttl.protocol.blocks import Role, State, Step, next_state

REPORT_PAGE = ROOT / "src" / "ttl" / "report" / "page" / "report.js"
PACKAGES = ROOT / "web" / "report" / "node_modules"


def mkdocs_hook(name: str) -> ModuleType:
    """A hook of mkdocs or another script, from ``scripts``."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_the_reference_has_every_public_name_once() -> None:
    made = mkdocs_hook("mkdocs_language")
    names = Counter(name for _, section in made.SECTIONS for name in section)
    assert names == Counter(ttl.__all__)
    page = made.language()
    for name in ttl.__all__:
        assert f"`ttl.{name}`" in page


def test_the_reference_documents_every_method() -> None:
    page = mkdocs_hook("mkdocs_language").language()
    entries = re.findall(r"^#{3,4} `([^`]+)`\n(.*?)(?=^#|\Z)", page, re.MULTILINE | re.DOTALL)
    assert "ttl.DataflowBuffer.reserve" in dict(entries)
    undocumented = [name for name, text in entries if not re.search(r"^[A-Z].*\.", text, re.MULTILINE)]
    assert undocumented == []


def test_the_tables_of_block_states_are_the_state_machine() -> None:
    made = mkdocs_hook("mkdocs_language")
    rules = (ROOT / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")
    assert rules.count(made.STATES_GO_HERE) == 1
    tables = made.block_states()
    legal = len(re.findall("→", tables))
    illegal = len(re.findall(r"TTL03\d\d\]", tables))
    steps = (Step.COPY_IN, Step.COPY_OUT, Step.READ, Step.STORE, Step.PUSH, Step.POP)
    assert legal == sum(
        next_state(role, state, step) is not None for role in Role for state in State for step in steps
    )
    # States that can be reached, times the three steps each kind of kernel has.
    assert legal + illegal == 3 * (6 + 6 + 4 + 4)


def test_decision_records_are_numbered_and_listed() -> None:
    folder = ROOT / "docs" / "adr"
    index = (folder / "index.md").read_text(encoding="utf-8")
    records = sorted(folder.glob("0*.md"))
    for number, path in enumerate(records, start=1):
        title = path.read_text(encoding="utf-8").splitlines()[0]
        assert path.name.startswith(f"{number:04}-")
        assert title.startswith(f"# {number}. ")
        assert f"| {number} | [{title.partition('. ')[2]}]({path.name}) |" in index


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, int]:
    """The site, built once for all processes of a run of tests: its folder, what mkdocs said, and its exit code."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    site, said = shared / "site", shared / "site.json"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.is_file():
            done = subprocess.run(
                # Not --quiet: warnings that are not shown are not counted either.
                [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
                cwd=ROOT,
                env={"PYTHONPATH": str(SOURCE), "PATH": "", "NO_MKDOCS_2_WARNING": "1"},
                capture_output=True,
                text=True,
            )
            said.write_text(json.dumps([done.stdout + done.stderr, done.returncode]))
    text, status = json.loads(said.read_text())
    return site, text, status


@pytest.fixture
def site(built: tuple[Path, str, int]) -> Path:
    """The folder of the site."""
    return built[0]


def test_the_site_builds_without_a_warning(built: tuple[Path, str, int]) -> None:
    _, said, status = built
    wrong = [line for line in said.splitlines() if line.startswith(("WARNING", "ERROR", "Aborted"))]
    assert (wrong, status) == ([], 0)


def test_the_site_works_without_a_server_and_a_network(site: Path) -> None:
    assert (site / "reference" / "language.html").is_file()
    assert (site / "errors" / "TTL9001.html").is_file()
    loaded_from_elsewhere = [
        f"{page.relative_to(site)}: {found}"
        for page in site.rglob("*.html")
        for found in re.findall(
            r"<(?:script|img|link|iframe)\b[^>]*(?:src|href)=\"https?://[^>]*", page.read_text()
        )
    ]
    assert loaded_from_elsewhere == []
    # What search needs without a server: the index as a script, and what stands in for a Worker.
    assert (site / "search" / "search_index.js").read_text().startswith("var __index = ")
    home = (site / "index.html").read_text()
    for script in ("iframe-worker.js", "search-query.js"):
        assert f'src="assets/site/{script}"' in home
        assert (site / "assets" / "site" / script).is_file()
    tutorial = (site / "tutorial" / "elementwise.html").read_text()
    assert '<span class="kn">import</span>' in tutorial  # highlighted when it was built
    assert (site / "assets" / "drawings" / "ring.svg").is_file()
    assert (site / "assets" / "history.svg").is_file()
    assert "yardstick was" in (site / "reference" / "history.html").read_text()


def test_lines_of_blocks_are_not_wider_than_a_reader_scrolls(site: Path) -> None:
    """600 characters of the site's type for code are 5,000 pixels."""
    wide = [
        f"{page.relative_to(site)}: {line[:60]}..."
        for page in site.rglob("*.html")
        for block in re.findall(r"<pre\b.*?</pre>", page.read_text(), re.DOTALL)
        for line in html.unescape(re.sub(r"<[^>]+>", "", block)).splitlines()
        if len(line) > 600
    ]
    assert wide == []


GUIDES = ("index.html", "tutorial/", "guides/", "ttmlir/")
NAMES = {
    "TTL0911": "errors/TTL0911.html",
    "TTL1712": "errors/TTL1712.html",
    "ttl.math.gelu": "reference/operations.html#ttlmathgelu",
    "ttl.make_dataflow_buffer_like": "reference/language.html#ttlmake_dataflow_buffer_like",
    "cb_reserve_back": "ttmlir/reference/ttkernel.html#ttkernelcb_reserve_back",
    "ttir.softmax": "ttmlir/reference/ttir.html#ttirsoftmax",
    "--report": "guides/report.html",
    "--schedule-seed": "guides/debugging.html#other-schedules-schedules",
    "TTL_CORE": "reference/command-line.html#ttl-run",
}
"""What a code, an option or a function finds first."""
IN_WORDS = {
    "install": "index.html",
    "my kernel hangs": "guides/deadlocks.html",
    "torch": "ttmlir/from-pytorch.html",
    "out of memory": "guides/checking.html",
    "gelu": "guides/ready-operations.html",
    "wrong result": "guides/numerics.html",
    "make it faster": "guides/fast-kernels.html",
    "compile my model": "ttmlir/your-model.html",
}
"""What users ask, and the guide that answers."""


@pytest.mark.skipif(shutil.which("node") is None, reason="the search of the site is a script for Node.js")
def test_search_finds_guides_for_questions_and_references_for_names(site: Path) -> None:
    words = mkdocs_hook("mkdocs_search").WORDS
    first = IN_WORDS | NAMES
    listed = [(page, word) for page, text in words.items() for word in text.split()]
    done = subprocess.run(
        ["node", str(ROOT / "tests" / "docs" / "search.mjs"), str(site)],
        input="\n".join([*first, *(word for _, word in listed)]),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert {query: places[0] for query, places in zip(first, found, strict=False)} == first
    assert all(place.startswith(GUIDES) for place in IN_WORDS.values())
    # A word that is listed for a page finds it; several pages may share one.
    lost = [
        (page, word, places[:4])
        for (page, word), places in zip(listed, found[len(first) :], strict=True)
        if page.replace(".md", ".html") not in {place.partition("#")[0] for place in places[:4]}
    ]
    assert lost == []


def test_a_page_is_in_the_navigation_once_and_under_a_title_of_its_own() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    entries = re.findall(r"^ +- (.+): (\S+\.md)$", text, re.MULTILINE)
    assert len(entries) > 100
    for number in (0, 1):
        assert [
            name for name, count in Counter(entry[number] for entry in entries).items() if count > 1
        ] == []
    doors = re.findall(r"^  - (\w+):", text, re.MULTILINE)
    assert doors == ["Home", "Kernels", "Models", "Tools", "Contributing"]


def test_every_guide_is_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    guides = [
        path.relative_to(ROOT / "docs").as_posix()
        for folder in ("guides", "tutorial", "ttmlir", "ttmlir/reference", "reference", "internals")
        for path in (ROOT / "docs" / folder).glob("*.md")
    ]
    assert [name for name in guides if f": {name}\n" not in text] == []


def test_the_drawings_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "update_drawings.py"), "--check"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_picture_can_be_taken_again() -> None:
    pictures = mkdocs_hook("update_pictures")
    made = {f"{name}/{each}.png" for name, group in pictures.GROUPS.items() for each in group.pictures}
    kept = {
        path.relative_to(ROOT / "docs/assets").as_posix() for path in (ROOT / "docs/assets").rglob("*.png")
    }
    shown = {
        place
        for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
        for place in re.findall(r"!\[[^]]*\]\([./]*(?:docs/)?assets/([\w/-]+\.png)\)", path.read_text())
    }
    assert made == kept == shown
    assert [
        top for group in pictures.GROUPS.values() for top in group.shows if not (ROOT / top).exists()
    ] == []


@pytest.mark.skipif(
    not (shutil.which("node") and shutil.which("chromium") and PACKAGES.is_dir() and REPORT_PAGE.is_file()),
    reason="a picture needs Node.js, its packages (make report-page) and Chromium",
)
def test_a_picture_is_taken_of_a_real_run(tmp_path: Path) -> None:
    done = subprocess.run(
        ["node", "web/report/browser/screenshots.mjs", str(tmp_path), "roofline"],
        cwd=ROOT,
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (picture,) = tmp_path.iterdir()
    head = picture.read_bytes()[:24]
    assert (picture.name, head[12:]) == ("roofline.png", b"IHDR" + struct.pack(">II", 1280, 800))


def test_the_guide_to_errors_has_every_family_of_codes() -> None:
    guide = (ROOT / "docs" / "guides" / "errors.md").read_text()
    rows = re.findall(r"^\| (TTL\d\d)(?:xx|\d\d) \| (.*) \|$", guide, re.MULTILINE)
    assert rows == list(catalog.HEADINGS)
    assert sorted(code for _, codes in catalog.by_heading() for code in codes) == list(catalog.codes())


PAGE = """
```python one.py
a = 1
b = 2
```

```diff one.py two.py
-a = 1
+a = 3
```

```console
$ ttl run one.py
1
$ ttl run two.py
```
"""


def test_a_change_of_a_file_gives_a_file() -> None:
    assert files(PAGE) == {"one.py": "a = 1\nb = 2\n", "two.py": "a = 3\nb = 2\n"}
    assert changed("a\nb\nc\n", " a\n+x\n@@\n-c\n") == "a\nx\nb\n"


def test_commands_have_the_text_behind_them() -> None:
    assert [(command.line, command.expected) for command in commands(PAGE)] == [
        ("ttl run one.py", "1\n"),
        ("ttl run two.py", ""),
    ]
    assert [PAGE[block.start : block.end] for block in blocks(PAGE)] == [block.body for block in blocks(PAGE)]
