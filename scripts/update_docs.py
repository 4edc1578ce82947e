"""Write what the commands on the pages of the documentation print now into the pages.

    python scripts/update_docs.py [--check] [PAGE ...]

Only what is not right any more is written; a text with ``...`` for anything stays while it fits. Read what it
wrote before you commit it. ``--check`` only says which pages are stale.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from docs.blocks import pages, updated  # noqa: E402


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", metavar="PAGE", nargs="*", type=Path, help="default: all")
    parser.add_argument("--check", action="store_true", help="change nothing, fail when a page is stale")
    arguments = parser.parse_args()
    chosen = {path.resolve() for path in arguments.pages} or set(pages())
    stale = []
    for path in pages():
        if path not in chosen:
            continue
        before = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            after = updated(before, Path(folder).resolve())
        if after == before:
            continue
        stale.append(str(path.relative_to(ROOT)))
        if not arguments.check:
            path.write_text(after, encoding="utf-8")
    print(("stale: " if arguments.check else "updated: ") + (", ".join(stale) or "none"))
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
