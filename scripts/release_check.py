"""Whether this tree can be released: its versions agree, the changelog has them, packages install into empty environments, pages build.

    python scripts/release_check.py [--quick]

Prints a line for each step, and what is wrong. ``--quick`` leaves out what takes minutes: packages and pages. The exit code is 1
where a step fails. CONTRIBUTING.md says what a person does before and after.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def version() -> str:
    """The version of the package."""
    text = (ROOT / "src" / "ttl" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if found is None:
        raise SystemExit("src/ttl/__init__.py has no __version__")
    return found[1]


def versions() -> list[str]:
    """Where another version stands than that of the package."""
    own = version()
    citation = re.search(
        r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE
    )
    stated = {
        "CITATION.cff": citation[1] if citation else "none",
        "editors/vscode/package.json": json.loads(
            (ROOT / "editors/vscode/package.json").read_text(encoding="utf-8")
        )["version"],
    }
    return [
        f"{file} says {other}, src/ttl/__init__.py {own}" for file, other in stated.items() if other != own
    ]


def changelog() -> list[str]:
    """What the changelog lacks: a section of the version, a date, an entry; each entry once."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## \[(.+?)\](.*)$", text, re.MULTILINE)
    dated = {name: rest for name, rest in sections if re.fullmatch(r" - \d{4}-\d{2}-\d{2}", rest)}
    wrong = [] if version() in dated else [f"CHANGELOG.md has no section '## [{version()}] - YEAR-MONTH-DAY'"]
    # Two versions of an entry, as a merge leaves them, begin alike.
    entries = Counter(line[:60] for line in text.splitlines() if line.startswith("- "))
    twice = [entry for entry, count in entries.items() if count > 1]
    return wrong + [f"CHANGELOG.md has an entry twice: {line}" for line in twice]


def tree() -> list[str]:
    """Whether everything is committed."""
    changed = subprocess.run(
        ["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [f"not committed: {line}" for line in changed.stdout.splitlines()]


def packages() -> list[str]:
    """Whether the wheel, made from the source distribution, works in an empty environment: every command says its version."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TTL_MODELS"] = "1"
        built = _run(sys.executable, "-m", "build", "--outdir", folder, str(ROOT))
        built += _run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, str(ROOT / "models"))
        if built:
            return built
        shutil.copytree(folder, ROOT / "dist", dirs_exist_ok=True)
        wheels = [str(path) for path in sorted(Path(folder).glob("*.whl"))]
        venv.create(Path(folder) / "venv", with_pip=True)
        bin_ = Path(folder) / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
        wrong = _run(
            str(bin_ / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wheels
        )
        commands = [
            command
            for path in (ROOT / "pyproject.toml", ROOT / "models" / "pyproject.toml")
            for command in tomllib.loads(path.read_text(encoding="utf-8"))["project"]["scripts"]
        ]
        for command in () if wrong else commands:
            if command != "tt-explorer":  # it is in an extra
                wrong += _run(str(bin_ / command), "--version" if command == "ttl" else "--help", cwd=folder)
        return wrong


def pages() -> list[str]:
    """Whether the documentation builds without a warning."""
    with tempfile.TemporaryDirectory() as folder:
        return _run(sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder)


def _run(*command: str, cwd: str | Path = ROOT) -> list[str]:
    """What is wrong with a command: nothing, or its name and its last lines."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    last = "\n  ".join((done.stdout + done.stderr).splitlines()[-5:])
    return (
        []
        if done.returncode == 0
        else [f"{' '.join(command[:4])} ... ended with {done.returncode}\n  {last}"]
    )


QUICK: tuple[Callable[[], list[str]], ...] = (versions, changelog)
STEPS = (*QUICK, tree, packages, pages)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the steps; 1 where one fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="only versions and the changelog")
    failed = False
    for step in QUICK if parser.parse_args(arguments).quick else STEPS:
        wrong = step()
        failed = failed or bool(wrong)
        print(
            f"{step.__name__}: {'ok' if not wrong else ''}", *wrong, sep="\n  " if wrong else "", flush=True
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
