"""Fetch the kernel headers that the tests compare generated code with: ``python scripts/setup_headers.py [--optional]``.

They come out of the published wheels of ttnn and are kept in the user's cache folder; see tests/support/kernel_headers.py.
Nothing is done when they are there. Exit code 1 when they cannot be fetched; with ``--optional`` that is only said.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

from support.fabric_headers import fabric_headers  # noqa: E402
from support.kernel_compiler import prepare  # noqa: E402
from support.kernel_headers import WHEELS, HeadersMissing, headers  # noqa: E402


def main() -> int:
    try:
        for generation in WHEELS:
            headers(generation)
            fabric_headers(generation)
            prepare(generation)
    except HeadersMissing as problem:
        print(problem, file=sys.stderr)
        return 0 if "--optional" in sys.argv else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
