"""Build the report page: ``src/ttl/report/page/report.js`` and ``report.css`` from ``web/report/src``, with npm and esbuild.

    python web/report/build.py [--force] [--optional]

Nothing is done when the built files were made from the sources as they are: ``report.js`` begins with their hash. The npm
packages, by the lock file, are installed once. Standard library only. Needs Node.js 20 or newer with npm;
without them ``--optional`` says so and succeeds, and ``--report`` explains what is missing.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
ROOT = WEB.parent.parent
PAGE = ROOT / "src" / "ttl" / "report" / "page"
SCRIPT = PAGE / "report.js"
STYLE = PAGE / "report.css"
PACKAGES = WEB / "node_modules"
STAMP = PACKAGES / ".ready"


class BuildError(Exception):
    """Why the page could not be built, in words for the user."""


def sources_hash() -> str:
    """Of everything that the page is made from, hexadecimal."""
    digest = hashlib.sha256()
    files = [
        *sorted((WEB / "src").rglob("*")),
        WEB / "esbuild.mjs",
        WEB / "package.json",
        WEB / "package-lock.json",
    ]
    for path in files:
        if path.is_file():
            digest.update(path.relative_to(WEB).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def is_current() -> bool:
    """Whether the built page was made from the sources as they are."""
    if not (SCRIPT.exists() and STYLE.exists()):
        return False
    with SCRIPT.open("rb") as script:
        return script.readline().strip() == _mark(sources_hash()).encode().strip()


def build(*, force: bool = False) -> dict[str, Path]:
    """The files of the page by name, built where they were not; :class:`BuildError` says why that failed."""
    if force or not is_current():
        _install_packages()
        PAGE.mkdir(parents=True, exist_ok=True)
        _run("node", "esbuild.mjs")
        # Written last and at once: a page that was not built to its end has no hash and is built again.
        text = _mark(sources_hash()) + SCRIPT.read_text(encoding="utf-8")
        partial = SCRIPT.with_suffix(".part")
        partial.write_text(text, encoding="utf-8")
        partial.replace(SCRIPT)
    return {path.name: path for path in (SCRIPT, STYLE)}


def _mark(digest: str) -> str:
    return f"/* made by web/report/build.py from sources {digest} */\n"


def _install_packages() -> None:
    lock = WEB / "package-lock.json"
    if STAMP.exists() and STAMP.stat().st_mtime >= lock.stat().st_mtime:
        return
    if shutil.which("npm") is None:
        raise BuildError("npm is needed, from Node.js 20 or newer")
    print("== installing the npm packages of web/report", flush=True)
    _run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    STAMP.touch()


def _run(*command: str) -> None:
    if shutil.which(command[0]) is None:
        raise BuildError(f"{command[0]} is needed, from Node.js 20 or newer")
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)} failed\n{done.stdout}{done.stderr}".rstrip())


def main() -> int:
    """0 when the page is there, or may be missing."""
    parser = argparse.ArgumentParser(description="Build the report page of a run.")
    parser.add_argument("--force", action="store_true", help="build it when nothing changed, too")
    parser.add_argument("--optional", action="store_true", help="succeed without Node.js, and say so")
    arguments = parser.parse_args()
    try:
        build(force=arguments.force)
    except BuildError as failure:
        print(f"== no report page (--report): {failure}", file=sys.stderr)
        return 0 if arguments.optional else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
