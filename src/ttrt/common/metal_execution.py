"""Programs of ``.ttm`` files, for the commands of ``ttrt``: they run on the emulated chip, and may be compared.

The C++ of a file needs no permission to run where it equals the code that this compiler writes for the file's module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tt_model.binaries.reference import ReferenceModules, function_of
from tt_model.layouts.kernel_permissions import PERMISSIONS, allowed
from tt_model.layouts.system_desc import SystemRecord
from tt_model.operations.ttmetal import TTMetalDispatchOp
from tt_model.runtime.metal.device import MetalDevice
from tt_model.runtime.metal.executor import MetalReport, run_metal_program
from tt_model.runtime.metal.tables import PreparedMetalProgram, prepare_metal_program
from tt_model.runtime.problems import UNREADABLE, RuntimeProblem
from ttl.ir.failure import NotLegalized
from ttl.ir.verifier import verify
from ttl.session.patience import Unavailable
from ttrt.common.metal_golden import MetalGoldenCheck
from ttrt.common.programs import AnyObserver, Inputs, whole
from ttrt.common.util import Logger

if TYPE_CHECKING:
    import torch

    from ttrt.common.metal_report import MetalReportFile


class MetalExecution:
    """Programs of a ``.ttm`` file, on the first chip of its system.

    With ``recorded``, runs keep a record of the chip's processors.
    """

    def __init__(self, modules: ReferenceModules, system: SystemRecord, *, recorded: bool = False) -> None:
        self.modules = modules
        self.device = MetalDevice(system)
        self._recorded = recorded
        self._programs: dict[int, PreparedMetalProgram] = {}
        # Whether the kernels of a program are the compiler's, by the identity of the program, which is kept.
        self._trusted: dict[int, bool] = {}

    def prepared(self, index: int) -> PreparedMetalProgram:
        """A program by its number."""
        if index in self._programs:
            return self._programs[index]
        programs = self.modules.binary.programs
        if not 0 <= index < len(programs):
            raise RuntimeProblem(f"there is no program {index}: the binary has {len(programs)}")
        limits = self.modules.binary.limits(index)
        program = prepare_metal_program(programs[index], self.device.desc, limits)
        self._programs[index] = program
        self._trusted[id(program)] = not PERMISSIONS.get().sources and is_of_module(
            self.modules, index, program
        )
        return program

    def run(
        self,
        program: PreparedMetalProgram,
        inputs: Inputs,
        *,
        before: AnyObserver | None = None,
        observe: AnyObserver | None = None,
    ) -> tuple[list[torch.Tensor], MetalReport]:
        """Run a program and return its outputs and the report of the run."""
        with allowed(sources=self._trusted.get(id(program), False)):
            return run_metal_program(
                self.device, program, whole(inputs), before=before, observe=observe, recorded=self._recorded
            )

    def golden(
        self, index: int, inputs: Inputs, *, use_stored: bool, alone: bool = False
    ) -> MetalGoldenCheck:
        """Return the check of a run. Commands are always checked for the values that they find in memory, too."""
        return MetalGoldenCheck(self.modules, index, self.prepared(index), whole(inputs))

    def details(self, name: str, report: MetalReport, logger: Logger) -> dict[str, Any]:
        """Log the cycles of each command with kernels, and return them."""
        for one in report.dispatches:
            logger.debug(
                f"{name}: {one.command.at}: {one.cycles:,} cycles, {one.kernels} kernels on {one.cores} cores"
            )
        logger.info(
            f"{name}: {len(report.dispatches)} dispatches, {report.cycles:,} cycles on the emulated chip"
        )
        commands = [
            {
                "command": one.command.at.index,
                "location": one.command.at.location,
                "cycles": one.cycles,
                "kernels": one.kernels,
                "cores": one.cores,
            }
            for one in report.dispatches
        ]
        return {"cycles": report.cycles, "dispatches": commands}

    def sources(self, program: PreparedMetalProgram) -> dict[str, str]:
        """The C++ of the program's kernels: files are named after the command, the thread and the first core."""
        return {
            f"command_{command.at.index}_{kernel.thread}_{kernel.cores[0][0]}_{kernel.cores[0][1]}.cpp": kernel.source
            for command in program.steps
            for kernel in command.kernels
            if kernel.cores
        }

    def add_to(self, file: MetalReportFile, program: PreparedMetalProgram, report: MetalReport) -> None:
        """Add every command with kernels to a report."""
        file.add(program.name, report.dispatches, self.device.chip.chip)


def is_of_module(modules: ReferenceModules, index: int, program: PreparedMetalProgram) -> bool:
    """Whether the kernels of a program equal the code that this compiler writes for its module, comments aside."""
    from ttmlir.emitc import kernel_sources

    try:
        module = modules.module(index)
        if next(iter(verify(module)), None) is not None:
            return False
        function = function_of(module, program.name)
        written = [
            kernel.text
            for op in function.body.block.ops
            if isinstance(op, TTMetalDispatchOp)
            for kernel in kernel_sources(op)
        ]
    except (Unavailable, NotLegalized, *UNREADABLE):
        return False
    held = [kernel.source for command in program.steps for kernel in command.kernels]
    return len(held) == len(written) and all(
        "\\" not in one and _code_of(one) == _code_of(other) for one, other in zip(held, written)
    )


def _code_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("//")]
