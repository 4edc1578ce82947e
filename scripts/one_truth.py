"""Write docs/reference/one-truth.md: what runs and checks say about the same programs.

    python scripts/one_truth.py [--check]

``--check`` changes nothing and fails when the page is stale. The reasons in it are those of
tests/check/truth/reasons.toml.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "one-truth.md"
sys.path[:1] = [
    str(ROOT / "src"),
    str(ROOT / "tests"),
]  # in place of this folder, where "fuzz" is another file

import ttl  # noqa: E402, F401 - lets ``import ttnn`` find the host library
from check.truth.table import measure, page  # noqa: E402


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="change nothing, fail when the page is stale")
    arguments = parser.parse_args()
    text = page(measure())
    fresh = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
    if not fresh and not arguments.check:
        PAGE.write_text(text, encoding="utf-8")
    print("up to date" if fresh else "stale" if arguments.check else f"written: {PAGE.relative_to(ROOT)}")
    return 1 if arguments.check and not fresh else 0


if __name__ == "__main__":
    sys.exit(main())
