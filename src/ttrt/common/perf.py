"""``ttrt perf``: what each operation of a binary moves and computes, and an estimate of its cycles."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ttmlir.layouts.system_desc import SystemDesc
from ttmlir.runtime.problems import RuntimeProblem
from ttrt.binary import Binary, BinaryError, load_binary_from_path
from ttrt.common.command import ARTIFACT_FLAGS, Command, Flag
from ttrt.common.estimate import COLUMNS, Estimate, estimates
from ttrt.common.programs import Mismatch, check_version, program_indices, system_for
from ttrt.common.query import SIM_FLAG
from ttrt.common.run import PROGRAM_FLAGS
from ttrt.common.util import binaries_at, result_entry, save_results, write_whole

# The file that the real command writes, and that tools for reports read.
CSV_FILE = "ops_perf_results.csv"


class Perf(Command):
    """Estimate the performance of a binary file or a folder of binary files."""

    NAME = "perf"
    SUMMARY = "estimate cycles of each operation; an estimate, not a measurement of a card"
    FLAGS = (
        *ARTIFACT_FLAGS,
        *PROGRAM_FLAGS,
        Flag(
            name="--host-only",
            default=False,
            help="of the real command: nothing is measured on a device here",
        ),
        Flag(name="--port", default=0, help="of the real command's profiler"),
        SIM_FLAG,
        Flag(name="--result-file", default="perf_results.json", help="where the results are written"),
    )

    def execute(self) -> list[dict[str, Any]]:
        results = []
        for path in binaries_at(self.options["binary"], (".ttnn", ".ttm")):
            try:
                binary = load_binary_from_path(path)
                check_version(binary)
                rows = self._rows(binary, system_for(binary, self.options["sim"]))
                self._write(path, binary, rows)
                entry = result_entry(
                    path, "pass", "", **self.entry(estimated_cycles=sum(row.cycles for row in rows))
                )
            except Mismatch as problem:
                entry = result_entry(path, "skip", str(problem), **self.entry())
            except (BinaryError, RuntimeProblem) as problem:
                entry = result_entry(path, "error", str(problem), **self.entry())
            if entry["result"] != "pass":
                self.logger.error(f"{path}: {entry['exception']}")
            results.append(entry)
        save_results(results, self.options["result-file"])
        return results

    def _rows(self, binary: Binary, system: SystemDesc) -> list[Estimate]:
        rows: list[Estimate] = []
        for index in program_indices(binary, self.options["program-index"]):
            program: Mapping[str, Any] = binary.programs[index]
            rows += estimates(program, system.first_chip)
        return rows

    def _write(self, path: Path, binary: Binary, rows: list[Estimate]) -> None:
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(COLUMNS)
        begin = 0
        for row in rows:
            table.writerow(row.columns(begin))
            begin += row.cycles
        if self.options["save-artifacts"]:
            folder = self.artifacts.save_binary(path, binary)
            self.artifacts.save(folder / "perf" / CSV_FILE, text.getvalue().encode())
        else:
            write_whole(Path(CSV_FILE), text.getvalue().encode())
        total = sum(row.cycles for row in rows)
        self.logger.info(f"{path}: {len(rows)} operations, an estimate of {total:,} cycles")
        for row in sorted(rows, key=lambda one: -one.cycles)[:5]:
            share = 100 * row.cycles / max(1, total)
            self.logger.info(
                f"  {share:5.1f}%  {row.cycles:>10,} cycles, bound by {row.bound}: {row.operation}"
            )
