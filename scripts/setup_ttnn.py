"""Make the environments that the tests of descriptors run the real ttnn in: ``python scripts/setup_ttnn.py``.

They are kept in the user's cache folder; see tests/support/real_ttnn.py. Nothing is done when they are there. Where they
cannot be made (no CPython 3.12, no network) that is said, and those tests will be skipped.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

from support.kernel_headers import WHEELS  # noqa: E402
from support.real_ttnn import Missing, environment  # noqa: E402


def main() -> int:
    try:
        for generation in WHEELS:
            environment(generation)
    except Missing as problem:
        print(problem, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
