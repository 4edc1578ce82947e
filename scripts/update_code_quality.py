"""Write docs/reference/code-quality.md: ``python scripts/update_code_quality.py [--check]``.

``--check`` changes nothing and fails when the page is stale.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "code-quality.md"
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

from support.code_quality import BY_HAND, capacity, counts_of, reviewed  # noqa: E402

_HEAD = """\
<!-- Made by scripts/update_code_quality.py; do not edit. -->
# Quality of the emitted kernels

What a kernel engineer looks for first, counted in the kernels that the compiler emits for a dozen programs (`tests/codegen/golden`; the names
are those of `examples/` and of `tests/codegen/golden/programs/`). Behind each count stands, in parentheses, what a kernel written by hand needs; a
test compares the two.

- **Round trips**: how often values of one expression go through a circular buffer to the compute kernel that made them. The hardware forces some: a
  reduction and a broadcast read their operand from a circular buffer.
- **Hoistable**: calls that initialise or reconfigure a unit inside a loop that configures the unit in no other way.
- **Barriers**: waits for reads or writes for each block that is handed on, in the data movement kernel that has most of them. Several blocks that are
  read together share one.
- **DST**: registers that the fullest section of the compute kernel uses, of those that the program has.

| program | round trips | hoistable | barriers | DST | what limits it |
| --- | ---: | ---: | ---: | ---: | --- |
"""


def page() -> str:
    """The page as it should be."""
    rows = []
    for name, hand in BY_HAND.items():
        program = reviewed(name)
        found = counts_of(program)
        registers = capacity(program) if hand.registers is None else hand.registers
        rows.append(
            f"| {name} | {found.round_trips} ({hand.round_trips}) | {found.hoistable} (0) "
            f"| {found.barriers:.3g} ({hand.barriers:g}) "
            f"| {found.registers} ({registers}) of {capacity(program)} | {hand.why or 'nothing'} |\n"
        )
    return _HEAD + "".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the table of code quality.")
    parser.add_argument("--check", action="store_true", help="change nothing, fail when it is stale")
    check = parser.parse_args().check
    text = page()
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    if check:
        print(
            f"{PAGE.relative_to(ROOT)} is stale; run: python scripts/update_code_quality.py", file=sys.stderr
        )
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
