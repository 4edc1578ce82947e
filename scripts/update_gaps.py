"""Write down which of the judged programs the compiler refuses: ``python scripts/update_gaps.py``, about three minutes.

The file is tests/codegen/gaps.txt; a test compares it. A line that is new is a program that could be compiled before: say in the
commit why it cannot be any more.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

import ttl  # noqa: E402, F401 - lets programs import ttnn
from support.judged import GAPS, gaps_of, subjects  # noqa: E402

HEADING = """\
# Programs that are right and that the compiler refuses, by the code it gives; what is not here compiles.
# Made by scripts/update_gaps.py.
"""


def main() -> int:
    lines = []
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for subject, judged in subjects().items():
            try:
                gaps = gaps_of(judged(Path(folder)))
            except Exception as mistake:  # one of ours: the tests show it, with its traceback
                notes = "; ".join(getattr(mistake, "__notes__", ()))
                print(f"{subject}: {type(mistake).__name__}: {mistake} ({notes})", file=sys.stderr)
                failed = True
                continue
            lines += [f"{subject}: {gaps}\n"] if gaps else []
    GAPS.write_text(HEADING + "".join(lines), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
