"""Reports of programs, for tests: made as users make them, and their columns read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from docs.blocks import ROOT
from support.programs import run_ttl
from ttl.report.pack import Array, unpacked


def example(name: str) -> str:
    return str(ROOT / "examples" / f"{name}.py")


def report_of(program: str, target: str, folder: Path, *flags: str) -> dict[str, Any]:
    outcome = run_ttl(["run", "--target", target, "--report", "report.json", *flags, program], folder=folder)
    assert outcome.status == 0, outcome.stderr
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return report


@dataclass(frozen=True)
class ReadLaunch:
    """A launch with its columns as arrays, and absolute times of its slices."""

    data: dict[str, Any]
    begin: Array
    end: Array
    label: Array
    cause: Array
    transfers: dict[str, Array]
    path: dict[str, Array]

    def text(self, number: int) -> str:
        text: str = self.data["labels"][self.label[number]]["text"]
        return text


def launch_of(report: dict[str, Any], number: int = 0) -> ReadLaunch:
    data = report["launches"][number]
    columns = {name: unpacked(value) for name, value in data["slices"].items()}
    begin, end = np.zeros_like(columns["gap"]), np.zeros_like(columns["gap"])
    for track in data["tracks"]:
        own = slice(track["first"], track["first"] + track["count"])
        end[own] = np.cumsum(columns["gap"][own] + columns["length"][own])
        begin[own] = end[own] - columns["length"][own]
    return ReadLaunch(
        data=data,
        begin=begin,
        end=end,
        label=columns["label"],
        cause=columns["cause"],
        transfers={name: unpacked(value) for name, value in data["transfers"].items()},
        path={name: unpacked(value) for name, value in data["path"].items() if name != "resources"},
    )


def failed_report_of(program: str, target: str, folder: Path, *flags: str) -> dict[str, Any]:
    """The report of a program that ends with an error."""
    outcome = run_ttl(["run", "--target", target, "--report", "report.json", *flags, program], folder=folder)
    assert outcome.status == 1
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return report
