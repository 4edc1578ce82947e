"""The published tt-perf-report on tables of ours."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest


def perf_report(path: Path) -> tuple[str, list[dict[str, str]]]:
    """What it says of a table, and the table that it makes of it. Skips the test where it is not installed."""
    pytest.importorskip("tt_perf_report")
    seen = path.with_name("seen.csv")
    command = [
        sys.executable,
        "-m",
        "tt_perf_report.perf_report",
        str(path),
        "--no-color",
        "--csv",
        str(seen),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    with seen.open(encoding="utf-8") as file:
        return done.stdout + done.stderr, list(csv.DictReader(file))
