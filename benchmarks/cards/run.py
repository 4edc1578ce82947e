"""Run the published experiments on the emulated chip, and write how far it is from the cards.

    python benchmarks/cards/run.py            # the tables, printed
    python benchmarks/cards/run.py --write    # docs/reference/calibration.md and its drawing
    python benchmarks/cards/run.py --check    # fails when the page is not what --write would write

    python benchmarks/cards/run.py --family "MB1 WH" --costs '{"wormhole": {"pack_narrow": 45}}'

The last one is for fitting: families by the beginnings of their names, with other costs than the chip's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "reference" / "calibration.md"
DRAWING = ROOT / "docs" / "assets" / "calibration.svg"
BEFORE, SWAPPED = HERE / "before.json", HERE / "swapped.json"

sys.path[:0] = [str(ROOT / "src"), str(HERE)]

from ttl.host import importer

importer.install()

import causes
import page
import programs
import published
from errors import Found, by_family, errors


def measured(families: tuple[str, ...] = ("",)) -> list[Found]:
    """Every row that has a kernel, run."""
    return [
        Found(row=row, value=programs.measure(row))
        for row in published.rows()
        if programs.runs(row) and row.family.startswith(families)
    ]


def _with_other_costs(costs: causes.Costs, families: list[str]) -> list[Found]:
    """The same in a process of its own, whose chips have other costs."""
    command = [sys.executable, str(Path(__file__)), "--values", "--costs", json.dumps(costs)]
    for family in families:
        command += ["--family", family]
    result = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
    values = json.loads(result.stdout)
    rows = [row for row in published.rows() if programs.runs(row) and row.family.startswith(tuple(families))]
    return [Found(row=row, value=value) for row, value in zip(rows, values, strict=True)]


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--check", action="store_true", help="fail when the page is stale, change nothing")
    parser.add_argument("--family", action="append", default=[], help="only families whose names begin so")
    parser.add_argument("--costs", default="", help="JSON: chip, then name of a cost, then cycles")
    parser.add_argument("--values", action="store_true", help="print the numbers as JSON, for this script")
    parser.add_argument("--keep", type=Path, help="write errors by family as JSON")
    arguments = parser.parse_args()
    if arguments.costs:
        programs.use(json.loads(arguments.costs))
    found = measured(tuple(arguments.family) or ("",))
    if arguments.values:
        print(json.dumps([each.value for each in found]))
        return 0
    if arguments.keep:
        kept = {family: [round(error.mean, 1), round(error.bias, 1), round(error.within_20)]
                for family, rows in by_family(found).items() for error in [errors(rows)]}  # fmt: skip
        arguments.keep.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if not (arguments.write or arguments.check):
        print(page.table(by_family(found), worst=3))
        return 0
    costs = json.loads(SWAPPED.read_text(encoding="utf-8"))["costs"]
    swapped = _with_other_costs(costs, published.split()["swapped"]["held_out"])
    changed = {}
    for family in dict.fromkeys(each.family for each in causes.CAUSES):
        own = causes.of_family(family)
        for some in (*((each,) for each in own), *([tuple(own)] if len(own) > 1 else [])):
            changed[some] = _with_other_costs(causes.with_causes(costs, some), [family])
    texts = {
        PAGE: page.page(found, swapped, changed, json.loads(BEFORE.read_text(encoding="utf-8"))),
        DRAWING: page.drawing(found),
    }
    for path, text in texts.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if arguments.check:
            print(
                f"{path.relative_to(ROOT)} is stale: python benchmarks/cards/run.py --write", file=sys.stderr
            )
            return 1
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
