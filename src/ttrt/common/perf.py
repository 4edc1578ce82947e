"""``ttrt perf``: the data movement and arithmetic of each operation of a binary, and an estimate of its cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tt_model.binaries.estimate import Estimate, estimates
from tt_model.binaries.reference import ReferenceModules
from tt_model.cost.rates import chip_of
from tt_model.layouts.system_desc import ChipDesc, SystemRecord
from tt_model.layouts.values import LayoutError
from tt_model.runtime.problems import RuntimeProblem
from ttl.emu.measured import WRONG_MEASUREMENT
from ttl.session.patience import Unavailable
from ttmlir.transforms.model_memory import MemoryNeeds, memory_needs
from ttrt.binary import Binary, FlatbufferError, load_binary_from_path
from ttrt.common import perf_files
from ttrt.common.command import ARTIFACT_FLAGS, Command, Flag
from ttrt.common.kernel_cycles import emulated_cycles
from ttrt.common.l1_time import L1Step, l1_over_time
from ttrt.common.measured import MeasuredOperation, measured_cycles, read_measured, table
from ttrt.common.perf_files import ProfiledCall, calls_of
from ttrt.common.perf_page import cycles_of, page, verdict
from ttrt.common.problems import Mismatch, no_capture
from ttrt.common.programs import check_program_options, check_version, program_indices, system_for
from ttrt.common.query import SIM_FLAG
from ttrt.common.run import ALLOW_FLAGS, PROGRAM_FLAGS, allowed_code
from ttrt.common.util import BINARIES, binaries_at, result_entry, save_results, write_whole

_PAGE_FILE = "perf_report.html"


class Perf(Command):
    """Estimate the performance of a binary file or a folder of binary files."""

    NAME = "perf"
    SUMMARY = "estimate cycles of each operation; an estimate, not a measurement of a card"
    FLAGS = (
        *ARTIFACT_FLAGS,
        *PROGRAM_FLAGS,
        *ALLOW_FLAGS,
        Flag(
            name="--host-only",
            default=False,
            help="profile only the host, not the chip",
        ),
        Flag(name="--port", default=0, help="of the real command's profiler; has no effect here"),
        Flag(name="--report", default=False, help=f"also write {_PAGE_FILE}, a page for a browser"),
        Flag(
            name="--measured",
            default="",
            help="the ops_perf_results.csv of a card, to be shown beside the estimates",
        ),
        SIM_FLAG,
        Flag(name="--result-file", default="perf_results.json", help="where the results are written"),
    )

    def execute(self) -> list[dict[str, Any]]:
        check_program_options(self.options)
        given = f"{perf_files.TRACE_FILE} of --save-artifacts has the estimates for ui.perfetto.dev and Tracy's importer of such files"
        if self.options["port"]:
            self.logger.report(no_capture(f"--port {self.options['port']}", given))
        if self.options["save-artifacts"]:
            self.logger.report(no_capture(perf_files.CAPTURE_FILE, given))
        with allowed_code(self.options):
            return self._files()

    def _files(self) -> list[dict[str, Any]]:
        paths = binaries_at(self.options["binary"], BINARIES)
        results = []
        for path in paths:
            try:
                results.append(self._file(path, alone=len(paths) == 1))
            except (Mismatch, FlatbufferError, RuntimeProblem, LayoutError) as problem:
                results.append(self.failed(path, problem, program_index=self.options["program-index"]))
        save_results(results, self.options["result-file"])
        return results

    def _file(self, path: Path, alone: bool) -> dict[str, Any]:
        binary = load_binary_from_path(path)
        check_version(binary)
        system = system_for(binary, self.options["sim"])
        memory = _memory_of(binary, program_indices(binary, self.options["program-index"]))
        programs = [
            (str(binary.programs[index].get("name", index)), self._estimates(binary, index, system))
            for index in program_indices(binary, self.options["program-index"])
        ]
        calls = calls_of(programs, self.options["loops"])
        operations = self._measured()
        cycles = measured_cycles(calls, operations)
        self._write(path, binary, system, calls, alone, cycles)
        self._say(path, calls)
        for line in table(calls, cycles, len(operations)) if operations else ():
            self.logger.info(line)
        for line in (line for needs in memory for line in needs.lines()):
            self.logger.info(f"  {line}")
        on_chip, transfers = cycles_of(calls)
        more = {"program_index": self.options["program-index"], "loops": self.options["loops"]}
        more |= {"estimated_cycles": on_chip, "estimated_transfer_cycles": transfers}
        if operations:
            more["measured_cycles"] = {str(number): round(one) for number, one in cycles.items()}
        more |= {"memory": [needs.as_dict() for needs in memory]}
        return result_entry(path, "pass", "", **self.entry(**more, verdict=verdict(calls)))

    def _measured(self) -> list[MeasuredOperation]:
        """Return the measurements of a card, if a file was given.

        Raises ``RuntimeProblem`` TTL0147, also where this command would overwrite the file.
        """
        path = self.options["measured"]
        if not path:
            return []
        if Path(path).resolve() == Path(perf_files.OPERATIONS_FILE).resolve():
            raise RuntimeProblem(
                f"the estimates would overwrite '{path}': rename the file that the card measured",
                code=WRONG_MEASUREMENT,
            )
        return read_measured(path)

    def _estimates(self, binary: Binary, index: int, system: SystemRecord) -> list[Estimate]:
        program: Mapping[str, Any] = binary.programs[index]
        if binary.file_identifier == "TTM0":
            if self.options["host-only"]:
                return []
            from ttrt.common.metal_perf import metal_estimates

            return metal_estimates(binary, index, system)
        if self.options["host-only"]:
            return [one for one in estimates(program, system.first_chip) if one.on_host]
        return estimates(
            program, system.first_chip, lambda kind, fields: emulated_cycles(kind, fields, system)
        )

    def _write(
        self,
        path: Path,
        binary: Binary,
        system: SystemRecord,
        calls: Sequence[ProfiledCall],
        alone: bool,
        measured: Mapping[int, float],
    ) -> None:
        files = {perf_files.OPERATIONS_FILE: perf_files.operations_table(calls)}
        if self.options["report"]:
            chip = system.first_chip
            l1 = self._l1(binary, chip, calls)
            files[_PAGE_FILE] = page(
                path.name, chip_of(chip).title, calls, l1, chip.program_l1_size, measured
            )
        if not self.options["save-artifacts"]:
            for name, text in files.items():
                # Files of several binaries, side by side in the working folder, have the binaries' names.
                write_whole(Path(name if alone else f"{path.stem}_{name}"), text.encode())
            return
        if not self.options["host-only"]:
            files[perf_files.DEVICE_FILE] = perf_files.device_log(calls)
        files[perf_files.DATA_FILE] = perf_files.operations_data(calls)
        files[perf_files.TIMES_FILE] = perf_files.operations_times(calls)
        files[perf_files.TRACE_FILE] = perf_files.trace(calls)
        with self.artifacts.of_binary(path, binary) as folder:
            for name, text in files.items():
                self.artifacts.save(folder / "perf" / name, text.encode())

    def _l1(self, binary: Binary, chip: ChipDesc, calls: Sequence[ProfiledCall]) -> dict[str, list[L1Step]]:
        """Return the tensors in L1 over time, by the names of programs."""
        steps: dict[str, list[L1Step]] = {}
        for index in program_indices(binary, self.options["program-index"]):
            program = binary.programs[index]
            name = str(program.get("name", index))
            estimated = [call.estimate for call in calls if call.program == name]
            steps[name] = l1_over_time(program, chip, estimated)
        return steps

    def _say(self, path: Path, calls: Sequence[ProfiledCall]) -> None:
        on_chip, _ = cycles_of(calls)
        self.logger.info(
            f"{path}: {len(calls)} operations, an estimate of {on_chip:,} cycles on the chip: {verdict(calls)}"
        )
        longest = sorted(
            (call.estimate for call in calls if not call.estimate.on_host), key=lambda one: -one.cycles
        )
        for one in longest[:5]:
            note = f" ({one.note})" if one.note else ""
            share = 100 * one.cycles / max(1, on_chip)
            self.logger.info(
                f"  {share:5.1f}%  {one.cycles:>10,} cycles, bound by {one.bound}{note}: {one.operation}"
            )


def _memory_of(binary: Binary, indices: Sequence[int]) -> list[MemoryNeeds]:
    """Return the memory needs of programs on the chip they were compiled for, where the binary has their text.

    Raises ``RuntimeProblem`` TTL1709 where they exceed the chip's memory.
    """
    if binary.file_identifier == "TTM0":
        return []
    modules = ReferenceModules(binary)
    memory: list[MemoryNeeds] = []
    for index in indices:
        name = binary.programs[index].get("name")
        try:
            needs = [one for one in memory_needs(modules.module(index)) if one.function == name]
        except (Unavailable, LayoutError):
            continue
        if bad := [one for one in needs if not one.fits]:
            raise RuntimeProblem("\n".join(map(str, bad)), code="TTL1709")
        memory += needs
    return memory
