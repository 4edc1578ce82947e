"""Take the pictures of the documentation again, from real runs in real pages: docs/assets/{report,explorer,editor}/*.png.

    python scripts/update_pictures.py              those whose programs have changed, into build/pictures, for 'make docs'
    python scripts/update_pictures.py --keep       all of them, into docs/assets, for the README and for readers of the repository
    python scripts/update_pictures.py report       only those of a group

The report page, tt-explorer and VS Code are opened in headless Chromium (the variable CHROMIUM names another one). A group
whose packages are not installed is skipped with the command that installs them; with ``--keep`` that is an error.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ASSETS = ROOT / "docs" / "assets"
MADE = ROOT / "build" / "pictures"
MODEL = "examples/models/mlp.mlir"


def of_the_report(folder: Path) -> None:
    """Pages of ``--report``: a product, a softmax, a deadlock, each run on the emulated chip."""
    node("web/report/browser/screenshots.mjs", str(folder))


def of_the_explorer(folder: Path) -> None:
    """tt-explorer with a model, before and after a click on another layout."""
    sys.path.insert(0, str(ROOT / "src"))
    from tt_adapter.models import compiled, read
    from tt_explorer import TTExplorer

    model = str(ROOT / MODEL)
    explorer = TTExplorer(port=0, server=True, config={"models": [model]})
    try:
        with tempfile.TemporaryDirectory() as temporary:
            binary = Path(temporary) / "mlp.ttnn"
            binary.write_bytes(compiled(read(model), policy="DF Sharding").binary.content)
            node("web/explorer/click.mjs", explorer.address, str(binary), str(folder))
    finally:
        explorer.close()


def of_the_editor(folder: Path) -> None:
    """VS Code with the packed extension."""
    node("editors/vscode/browser/screenshots.mjs", str(folder))


def node(script: str, *arguments: str) -> None:
    """Run a script of Node.js that takes pictures; :class:`NotTaken` says what it said when it failed."""
    command = ["node", script, *arguments]
    variables = {"PYTHON": sys.executable, **os.environ}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=900, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise NotTaken(f"{script} did not end within {late.timeout:g} s") from late
    if done.returncode != 0:
        raise NotTaken(f"{script} failed\n{done.stderr.strip()}")


class NotTaken(Exception):
    """Why pictures could not be taken."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Pictures that one script takes."""

    pictures: tuple[str, ...]
    take: Callable[[Path], None]
    shows: tuple[str, ...]
    """The folders and files that decide how the pictures look."""
    needs: str
    """What has to be installed."""
    install: str
    """The command that installs it."""


GROUPS = {
    "report": Group(
        pictures=("arrows", "dark", "deadlock", "line", "overview", "roofline"),
        take=of_the_report,
        shows=("web/report", "src/ttl", "native", "examples/matmul_multicast.py", "examples/softmax.py"),
        needs="web/report/node_modules/.ready",
        install="make report-page",
    ),
    "explorer": Group(
        pictures=("model", "override"),
        take=of_the_explorer,
        shows=("web/explorer", "src/tt_explorer", "src/tt_model", "src/ttmlir", MODEL),
        needs="web/report/node_modules/.ready",
        install="make report-page",
    ),
    "editor": Group(
        pictures=("diagnostic", "kernels", "profile"),
        take=of_the_editor,
        shows=("editors/vscode", "src/ttl", "examples/softmax.py", "examples/checking.py"),
        needs="editors/vscode/browser/node_modules/.ready",
        install="make vscode && editors/vscode/browser/setup",
    ),
}


def lacks(group: Group) -> str | None:
    """Why the pictures of a group cannot be taken here."""
    chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    if shutil.which("node") is None or shutil.which(chromium) is None:
        return f"Node.js and {chromium} are needed"
    return None if (ROOT / group.needs).exists() else f"run {group.install}"


def digest(group: Group) -> str:
    """Of everything that decides how the pictures of a group look."""
    found = hashlib.sha256()
    for top in group.shows:
        for path in sorted([ROOT / top, *(ROOT / top).rglob("*")]):
            if path.is_file() and not {"node_modules", "__pycache__", "build"} & set(path.parts):
                found.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return found.hexdigest()


def taken(name: str) -> dict[str, Path]:
    """The pictures of a group that lie in the folder of those made for the site, by their places in docs."""
    found = {f"assets/{name}/{each}.png": MADE / name / f"{each}.png" for each in GROUPS[name].pictures}
    return {place: path for place, path in found.items() if path.is_file()}


def update(name: str, *, keep: bool) -> bool:
    """Take the pictures of a group; return whether they are as the programs are."""
    group, stamp = GROUPS[name], MADE / f"{name}.sha256"
    if (lack := lacks(group)) is not None:
        print(f"== pictures of the {name} stay as they were: {lack}", flush=True)
        return False
    if not keep and stamp.is_file() and stamp.read_text() == digest(group):
        return True
    print(f"== taking the pictures of the {name}", flush=True)
    folder = ASSETS / name if keep else MADE / name
    folder.mkdir(parents=True, exist_ok=True)
    now = digest(group)
    try:
        group.take(folder)
    except NotTaken as failure:
        print(f"== pictures of the {name} stay as they were: {failure}", flush=True)
        return False
    if not keep:
        stamp.write_text(now)
    return True


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)}; default: all")
    parser.add_argument("--keep", action="store_true", help="write into docs/assets")
    arguments = parser.parse_args()
    if unknown := set(arguments.groups) - set(GROUPS):
        parser.error(f"no group {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    done = [update(name, keep=arguments.keep) for name in arguments.groups or GROUPS]
    return 1 if arguments.keep and not all(done) else 0


if __name__ == "__main__":
    sys.exit(main())
