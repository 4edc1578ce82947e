"""Keep the kernels that the compiler emits today: ``python scripts/update_golden.py [PROGRAM...]``.

They are in tests/codegen/golden. Read the difference before you commit it: what is kept there has been reviewed.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

from support.golden import PROGRAMS, keep  # noqa: E402


def main() -> int:
    names = sys.argv[1:] or list(PROGRAMS)
    unknown = [name for name in names if name not in PROGRAMS]
    if unknown:
        print(f"no program {unknown[0]}; there are: {', '.join(PROGRAMS)}", file=sys.stderr)
        return 2
    for name in names:
        for path in keep(name):
            print(f"updated: {name}/{path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
