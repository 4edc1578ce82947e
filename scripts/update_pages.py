"""Write what the failing programs of the pages print into their ``text expected`` blocks.

    python scripts/update_pages.py [--check] [CODE ...]

Read what it wrote before you commit it: the text is the product. ``--check`` only says which pages are stale.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from support.programs import run_case  # noqa: E402
from ttl.diag.catalog import parse  # noqa: E402

PAGES = ROOT / "src" / "ttl" / "diag" / "codes"


def updated(text: str) -> str:
    """The page with the expected blocks as the programs print them now."""
    page = parse(text)
    at = 0
    for case in page.cases:
        with tempfile.TemporaryDirectory() as folder:
            printed = run_case(page, case, folder=Path(folder).resolve()).stderr.rstrip("\n")
        begin = text.index("```text expected\n", at) + len("```text expected\n")
        end = text.index("```", begin)
        text = text[:begin] + printed + "\n" + text[end:]
        at = begin + len(printed)
    return text


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("codes", metavar="CODE", nargs="*", help="TTL0101 ...; default: all")
    parser.add_argument("--check", action="store_true", help="change nothing, fail when a page is stale")
    arguments = parser.parse_args()
    stale = []
    for path in sorted(PAGES.glob("TTL*.md")):
        if arguments.codes and path.stem not in arguments.codes:
            continue
        before = path.read_text(encoding="utf-8")
        after = updated(before)
        if after == before:
            continue
        stale.append(path.stem)
        if not arguments.check:
            path.write_text(after, encoding="utf-8")
    print(("stale: " if arguments.check else "updated: ") + (", ".join(stale) or "none"))
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
