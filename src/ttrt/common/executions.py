"""What runs the programs of a binary: operations of TTNN on a simulated system, or commands of TTMetal on the emulated chip.

Both have the same methods, so that ``ttrt run`` is one command for both kinds of files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ttl.ir.failure import NotLegalized
from ttmlir.layouts.kernel_permissions import allowed
from ttmlir.layouts.kernel_request import KernelTarget
from ttmlir.layouts.system_desc import SystemDesc
from ttmlir.runtime.devices import SimulatedDevice
from ttmlir.runtime.distribution import MeshShards
from ttmlir.runtime.executor import PreparedProgram, RunReport, run_program
from ttmlir.runtime.metal.device import MetalDevice
from ttmlir.runtime.metal.executor import MetalReport, run_metal_program
from ttmlir.runtime.metal.tables import PreparedMetalProgram, prepare_metal_program
from ttmlir.runtime.problems import RuntimeProblem
from ttrt.binary import Binary
from ttrt.common.golden import GoldenCheck, golden_check
from ttrt.common.metal_golden import MetalGoldenCheck
from ttrt.common.reference import NoGolden, ReferenceModules, function_of
from ttrt.common.util import Logger
from ttrt.runtime.api import prepared

if TYPE_CHECKING:
    import torch

Inputs = Sequence["torch.Tensor | MeshShards"]
AnyProgram = PreparedProgram | PreparedMetalProgram
AnyReport = RunReport | MetalReport
AnyCheck = GoldenCheck | MetalGoldenCheck
AnyObserver = Callable[[Any, Any], None]


class Execution(Protocol):
    """Runs the programs of one binary. All methods raise ``RuntimeProblem``."""

    def prepared(self, index: int) -> AnyProgram:
        """A program by its number."""

    def run(
        self,
        program: Any,
        inputs: Inputs,
        *,
        before: AnyObserver | None = None,
        observe: AnyObserver | None = None,
    ) -> tuple[list[torch.Tensor], AnyReport]:
        """Its outputs, and what there is to say of the run."""

    def golden(self, index: int, inputs: Inputs, *, use_stored: bool, alone: bool = False) -> AnyCheck:
        """What a run is compared with; ``alone``: each operation by itself, of golden inputs. Raises ``NoGolden``, too."""

    def details(self, name: str, report: Any, logger: Logger) -> dict[str, Any]:
        """What a report says of its kind of program: to the logger, and for the result file."""


@dataclass(frozen=True, slots=True)
class TTNNExecution:
    """Programs of a ``.ttnn`` file."""

    modules: ReferenceModules
    device: SimulatedDevice
    strict: bool
    tt_lang: KernelTarget
    host_memory: int | None

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
        """Its outputs, and what there is to say of the run."""
        return run_program(
            self.device,
            program,
            inputs,
            before=before,
            observe=observe,
            strict=self.strict,
            tt_lang=self.tt_lang,
        )

    def golden(self, index: int, inputs: Inputs, *, use_stored: bool, alone: bool = False) -> GoldenCheck:
        """What a run is compared with."""
        return golden_check(self.modules, index, inputs, of_golden_inputs=alone, use_stored=use_stored)

    def details(self, name: str, report: RunReport, logger: Logger) -> dict[str, Any]:
        """Cycles of operations of TT-Lang."""
        for kernel in report.kernels:
            logger.info(f"{name}: {kernel.at}: {kernel.kernel_id} took {kernel.cycles:,} cycles")
        cycles = [{"kernel_id": kernel.kernel_id, "cycles": kernel.cycles} for kernel in report.kernels]
        return {"tt_lang_cycles": cycles}


class MetalExecution:
    """Programs of a ``.ttm`` file, on the first chip of its system.

    C++ of the file runs without being allowed where it is what this compiler writes for the module in the file. ``recorded``: runs
    keep what the processors of the chip did.
    """

    def __init__(self, modules: ReferenceModules, system: SystemDesc, *, recorded: bool = False) -> None:
        self.modules = modules
        self.device = MetalDevice(system)
        self._recorded = recorded
        self._known: dict[str, bool] = {}

    def prepared(self, index: int) -> PreparedMetalProgram:
        """A program by its number."""
        programs = self.modules.binary.programs
        if not 0 <= index < len(programs):
            raise RuntimeProblem(f"there is no program {index}: the binary has {len(programs)}")
        program = prepare_metal_program(programs[index], self.device.desc)
        self._known[program.name] = is_of_module(self.modules, index, program)
        return program

    def run(
        self,
        program: PreparedMetalProgram,
        inputs: Inputs,
        *,
        before: AnyObserver | None = None,
        observe: AnyObserver | None = None,
    ) -> tuple[list[torch.Tensor], MetalReport]:
        """Its outputs, and what there is to say of the run."""
        with allowed(sources=self._known.get(program.name, False)):
            return run_metal_program(
                self.device, program, whole(inputs), before=before, observe=observe, recorded=self._recorded
            )

    def golden(
        self, index: int, inputs: Inputs, *, use_stored: bool, alone: bool = False
    ) -> MetalGoldenCheck:
        """What a run is compared with. Commands are always judged by what they find in memory, too."""
        return MetalGoldenCheck(self.modules, index, self.prepared(index), whole(inputs))

    def details(self, name: str, report: MetalReport, logger: Logger) -> dict[str, Any]:
        """Cycles of each command with kernels."""
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


def execution_of(
    binary: Binary,
    system: SystemDesc,
    *,
    strict: bool = False,
    tt_lang: KernelTarget = "sim",
    host_memory: int | None = None,
    recorded: bool = False,
) -> Execution:
    """What runs a binary. Raises ``RuntimeProblem`` for a system that is not emulated."""
    modules = ReferenceModules(binary)
    if binary.file_identifier == "TTM0":
        return MetalExecution(modules, system, recorded=recorded)
    chips = list(range(len(system.chips)))
    return TTNNExecution(modules, SimulatedDevice(system, chips), strict, tt_lang, host_memory)


def whole(inputs: Inputs) -> list[torch.Tensor]:
    """Tensors that are not cut over chips."""
    return [one.whole() if isinstance(one, MeshShards) else one for one in inputs]


def is_of_module(modules: ReferenceModules, index: int, program: PreparedMetalProgram) -> bool:
    """Whether the kernels of a program are what this compiler writes for the module in its file, comments aside."""
    from ttmlir.emitc import kernel_sources

    try:
        function = function_of(modules.module(index), program.name)
        written = [
            kernel.text
            for op in function.body.block.ops
            if op.name == "ttmetal.dispatch"
            for kernel in kernel_sources(op)
        ]
    except (NoGolden, NotLegalized, ValueError):
        return False
    held = [kernel.source for command in program.steps for kernel in command.kernels]
    return len(held) == len(written) and all(
        "\\" not in one and _code_of(one) == _code_of(other) for one, other in zip(held, written)
    )


def _code_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("//")]
