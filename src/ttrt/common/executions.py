"""Executions of a binary's programs: operations of TTNN on a simulated system, or commands of TTMetal on the emulated chip.

Both have the same methods, so that ``ttrt run`` is one command for both kinds of files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from tt_model.binaries.reference import ReferenceModules
from tt_model.binaries.submission import prepared
from tt_model.layouts.kernel_request import CollectiveTarget, KernelTarget
from tt_model.layouts.system_desc import SystemRecord
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import PreparedProgram, RunReport, run_program
from ttrt.binary import Binary
from ttrt.common.golden import GoldenCheck, golden_check
from ttrt.common.metal_execution import MetalExecution
from ttrt.common.programs import AnyObserver, Inputs, ProgramOfBinary
from ttrt.common.util import Logger

if TYPE_CHECKING:
    import torch

    from tt_model.runtime.metal.executor import MetalReport
    from ttrt.common.metal_golden import MetalGoldenCheck
    from ttrt.common.metal_report import MetalReportFile

AnyReport: TypeAlias = "RunReport | MetalReport"
AnyCheck: TypeAlias = "GoldenCheck | MetalGoldenCheck"


class BinaryExecution(Protocol):
    """Runs the programs of one binary. All methods raise ``RuntimeProblem``."""

    def prepared(self, index: int) -> ProgramOfBinary:
        """Return a program by its number."""

    def run(
        self,
        program: Any,
        inputs: Inputs,
        *,
        before: AnyObserver | None = None,
        observe: AnyObserver | None = None,
    ) -> tuple[list[torch.Tensor], AnyReport]:
        """Run a program and return its outputs and the report of the run."""

    def golden(self, index: int, inputs: Inputs, *, use_stored: bool, alone: bool = False) -> AnyCheck:
        """Return the check of a run; with ``alone``, of each operation by itself on golden inputs.

        Also raises ``NoGolden``.
        """

    def details(self, name: str, report: Any, logger: Logger) -> dict[str, Any]:
        """Report the details of this kind of program to the logger, and return them for the result file."""

    def sources(self, program: Any) -> dict[str, str]:
        """The C++ of the program's kernels by the names of files."""

    def add_to(self, file: MetalReportFile, program: Any, report: Any) -> None:
        """Add a run to a report on the emulated chip."""


@dataclass(frozen=True, slots=True)
class TTNNExecution:
    """Programs of a ``.ttnn`` file."""

    modules: ReferenceModules
    device: SimulatedDevice
    strict: bool
    tt_lang: KernelTarget
    host_memory: int | None
    collectives: CollectiveTarget = "host"

    def prepared(self, index: int) -> PreparedProgram:
        """A program by its number."""
        return prepared(self.modules.binary, index, host_memory=self.host_memory)

    def run(
        self,
        program: PreparedProgram,
        inputs: Inputs,
        *,
        before: AnyObserver | None = None,
        observe: AnyObserver | None = None,
    ) -> tuple[list[torch.Tensor], RunReport]:
        """Run a program and return its outputs and the report of the run."""
        return run_program(
            self.device,
            program,
            inputs,
            before=before,
            observe=observe,
            strict=self.strict,
            tt_lang=self.tt_lang,
            collectives=self.collectives,
        )

    def golden(self, index: int, inputs: Inputs, *, use_stored: bool, alone: bool = False) -> GoldenCheck:
        """Return the check of a run."""
        return golden_check(self.modules, index, inputs, of_golden_inputs=alone, use_stored=use_stored)

    def details(self, name: str, report: RunReport, logger: Logger) -> dict[str, Any]:
        """Log the cycles of operations of TT-Lang, and return them."""
        for kernel in report.kernels:
            logger.info(f"{name}: {kernel.at}: {kernel.kernel_id} took {kernel.cycles:,} cycles")
        cycles = [{"kernel_id": kernel.kernel_id, "cycles": kernel.cycles} for kernel in report.kernels]
        return {"tt_lang_cycles": cycles}

    def sources(self, program: PreparedProgram) -> dict[str, str]:
        """Return no files: kernels of TT-Lang are operations of TTNN."""
        return {}

    def add_to(self, file: MetalReportFile, program: PreparedProgram, report: RunReport) -> None:
        """Add nothing: operations of TTNN are not emulated."""


def execution_of(
    binary: Binary,
    system: SystemRecord,
    *,
    strict: bool = False,
    tt_lang: KernelTarget = "sim",
    collectives: CollectiveTarget = "host",
    host_memory: int | None = None,
    recorded: bool = False,
) -> BinaryExecution:
    """Return the execution of a binary. Raises ``RuntimeProblem`` for a system that is not emulated."""
    modules = ReferenceModules(binary)
    if binary.file_identifier == "TTM0":
        return MetalExecution(modules, system, recorded=recorded)
    chips = list(range(len(system.chips)))
    return TTNNExecution(modules, SimulatedDevice(system, chips), strict, tt_lang, host_memory, collectives)
