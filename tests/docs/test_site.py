"""The site: it builds without a warning, the reference has every public name, the decision records are listed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import ttl
from docs.blocks import ROOT, SOURCE, blocks, changed, commands, files
from ttl.diag import catalog
from ttl.protocol.blocks import Role, State, Step, next_state


def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mkdocs_language", ROOT / "scripts" / "mkdocs_language.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_has_every_public_name_once() -> None:
    made = reference()
    names = Counter(name for _, section in made.SECTIONS for name in section)
    assert names == Counter(ttl.__all__)
    page = made.language()
    for name in ttl.__all__:
        assert f"`ttl.{name}`" in page


def test_the_reference_documents_every_method() -> None:
    page = reference().language()
    entries = re.findall(r"^#{3,4} `([^`]+)`\n(.*?)(?=^#|\Z)", page, re.MULTILINE | re.DOTALL)
    assert "ttl.DataflowBuffer.reserve" in dict(entries)
    undocumented = [name for name, text in entries if not re.search(r"^[A-Z].*\.", text, re.MULTILINE)]
    assert undocumented == []


def test_the_tables_of_block_states_are_the_state_machine() -> None:
    made = reference()
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


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            # Not --quiet: warnings that are not shown are not counted either.
            "--strict",
            "--site-dir",
            str(tmp_path / "site"),
        ],
        cwd=ROOT,
        env={"PYTHONPATH": str(SOURCE), "PATH": "", "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    said = (done.stdout + done.stderr).splitlines()
    assert [line for line in said if line.startswith(("WARNING", "ERROR", "Aborted"))] == []
    assert done.returncode == 0
    built = tmp_path / "site"
    assert (built / "reference" / "language.html").is_file()
    assert (built / "errors" / "TTL9001.html").is_file()
    loaded_from_elsewhere = [
        f"{page.relative_to(built)}: {found}"
        for page in built.rglob("*.html")
        for found in re.findall(
            r"<(?:script|img|link|iframe)\b[^>]*(?:src|href)=\"https?://[^>]*", page.read_text()
        )
    ]
    assert loaded_from_elsewhere == []
    # What search needs without a server: the index as a script, and what stands in for a Worker.
    assert (built / "search" / "search_index.js").read_text().startswith("var __index = ")
    home = (built / "index.html").read_text()
    assert 'src="assets/site/iframe-worker.js"' in home
    assert (built / "assets" / "site" / "iframe-worker.js").is_file()
    tutorial = (built / "tutorial" / "elementwise.html").read_text()
    assert '<span class="kn">import</span>' in tutorial  # highlighted when it was built
    assert (built / "assets" / "drawings" / "ring.svg").is_file()


def test_the_drawings_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "update_drawings.py"), "--check"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


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
