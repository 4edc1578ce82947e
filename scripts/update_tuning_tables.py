"""Tries every configuration of the programs in ``tests/tuning/programs`` and writes what each takes to ``tests/tuning/tables``.

    python scripts/update_tuning_tables.py [NAME...]

``tests/tuning/test_optimum.py`` lets the search of ``ttl tune`` play on these tables, and verifies a sample of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROGRAMS = ROOT / "tests" / "tuning" / "programs"
TABLES = ROOT / "tests" / "tuning" / "tables"


def table_of(program: Path) -> str:
    """One line for each configuration that ``where`` allows."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        command = [sys.executable, "-m", "ttl", "tune", "--exhaustive", "--dry-run", "--format", "json"]
        done = subprocess.run(
            [*command, "--cache-dir", folder, str(program)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    (call,) = json.loads(done.stdout)["calls"]
    screened = {entry["number"]: entry for entry in call["screenings"]}
    rows = []
    for trial in call["trials"]:
        if trial["verdict"] == "excluded":
            continue
        known = screened.get(trial["number"], {"bound": 0, "estimate": 0, "l1_bytes": 0})
        row = {
            "config": call["configurations"][trial["number"]],
            "verdict": trial["verdict"],
            "cycles": trial["cycles"],
            **{name: known[name] for name in ("bound", "estimate", "l1_bytes")},
        }
        rows.append(json.dumps(row))
    return "\n".join(rows) + "\n"


def main(names: list[str]) -> None:
    """Write the tables of these programs, or of all."""
    TABLES.mkdir(exist_ok=True)
    for program in sorted(PROGRAMS.glob("*.py")):
        if not names or program.stem in names:
            text = table_of(program)
            (TABLES / f"{program.stem}.jsonl").write_text(text, encoding="utf-8")
            print(f"{program.stem}: {text.count(chr(10))} configurations")


if __name__ == "__main__":
    main(sys.argv[1:])
