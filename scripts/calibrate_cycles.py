"""Run the programs that cards were measured with on the emulated chip, and write what came out.

    python scripts/calibrate_cycles.py [--check]

Replaces the table between ``<!-- calibration -->`` and ``<!-- /calibration -->`` of docs/reference/cycles.md, and the
sentence in src/ttl/emu/claim.py that is shown beside every estimate. ``--check`` changes nothing and fails when one of
them is stale. Needs the kernels of TT-NN: ``make headers``.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "cycles.md"
CLAIM = ROOT / "src" / "ttl" / "emu" / "claim.py"

sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "benchmarks" / "emulated")]

from ttl.host import importer  # noqa: E402

importer.install()

import calibration  # noqa: E402

_HEAD = "| program | chip | published | emulated | error | source |\n| --- | --- | ---: | ---: | ---: | --- |"


def measured() -> list[calibration.Found]:
    """Every row, run."""
    return [calibration.Found(row=row, value=row.measure()) for row in calibration.rows()]


def table(found: list[calibration.Found]) -> str:
    """Both samples, apart."""
    parts = []
    for sample, title in (("held out", "Held out"), ("in sample", "In sample")):
        rows = [_HEAD, *(_row(each) for each in found if each.row.sample == sample)]
        parts.append(f"**{title}**\n\n" + "\n".join(rows))
    return f"{calibration.claim(found)}\n\n" + "\n\n".join(parts)


def _row(found: calibration.Found) -> str:
    row = found.row
    least, most = row.published
    published = _number(least) if least == most else f"{_number(least)} to {_number(most)}"
    return (
        f"| {row.name} | {row.chip} | {published} {row.unit} | {_number(found.value)} | {100 * found.error:+.0f} % | "
        f"{row.source} |"
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def page(text: str, found: list[calibration.Found]) -> str:
    """The page with the table of now."""
    new = f"<!-- calibration -->\n\n{table(found)}\n\n<!-- /calibration -->"
    return re.sub("<!-- calibration -->.*<!-- /calibration -->", lambda _: new, text, flags=re.DOTALL)


def claim(found: list[calibration.Found]) -> str:
    """The module with the sentence of now."""
    lines = textwrap.wrap(calibration.claim(found), 90, drop_whitespace=False)
    text = "\n".join(f'    "{line}"' for line in lines)
    return (
        '"""The sentence that stands beside every estimate. Made by ``scripts/calibrate_cycles.py``; do not edit by hand."""\n\n'
        f"CLAIM = (\n{text}\n)\n"
    )


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="fail when something is stale, change nothing")
    arguments = parser.parse_args()
    found = measured()
    for path, text in (
        (PAGE, page(PAGE.read_text(encoding="utf-8"), found)),
        (CLAIM, claim(found)),
    ):
        if text == path.read_text(encoding="utf-8"):
            continue
        if arguments.check:
            print(f"{path.relative_to(ROOT)} is stale: python scripts/calibrate_cycles.py", file=sys.stderr)
            return 1
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
