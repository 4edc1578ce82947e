"""Models from TTIR to a binary, run and compared with the reference operation by operation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from support import tt_lang_models, ttmlir_programs
from support.random_programs.ttir.modules import CONSTRAINTS
from tt_model.binaries.reference import ReferenceModules
from tt_model.binaries.submission import prepared
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import PreparedProgram, RunReport, run_program
from ttmlir.translate.serialise import ttnn_to_flatbuffer
from ttrt.binary import Binary, load_binary_from_capsule
from ttrt.common.golden import GoldenCheck, golden_check
from ttrt.common.programs import initialised, system_for

HEADER = "".join(f"#{name} = #tt.operand_constraint<{words}>\n" for name, words in CONSTRAINTS.items())


def ttnn_module(text: str, **options: Any) -> ModuleOp:
    """A module after the backend pipeline; ``CONSTRAINTS`` are defined where it does not define them.

    ``options`` are those of the pipeline.
    """
    given = text if "tt.operand_constraint<" in text else HEADER + text
    module, errors = tt_lang_models.compiled(given, **options)
    assert not errors, errors
    return module


def compiled(text: str, **options: Any) -> Binary:
    """A module as the binary that it becomes; see ``ttnn_module``."""
    return load_binary_from_capsule(ttnn_to_flatbuffer(ttnn_module(text, **options)))


@dataclass(frozen=True, slots=True)
class GoldenRun:
    """A run of a program and what it was compared with."""

    program: PreparedProgram
    inputs: Sequence[Any]
    outputs: Sequence[Any]
    golden: GoldenCheck
    report: RunReport

    def complaint(self, pcc: float = 0.99) -> str:
        """What is wrong; empty where nothing is."""
        bad = self.golden.first_bad(pcc)
        return "\n".join(self.report.leaks) or ("" if bad is None else bad.report(pcc))


def drawn(binary: Binary, index: int = 0, seed: int = 0) -> list[Any]:
    """Random inputs of a program."""
    return initialised(prepared(binary, index), "randn", seed)


def golden_run(
    of: Binary | ReferenceModules, index: int = 0, inputs: Sequence[Any] | None = None, **how: Any
) -> GoldenRun:
    """Run a program of a binary on a simulated system, every operation beside the reference; ``how`` as ``run_program`` takes it."""
    modules = of if isinstance(of, ReferenceModules) else ReferenceModules(of)
    binary = modules.binary
    program = prepared(binary, index)
    given = initialised(program, "randn", 0) if inputs is None else inputs
    golden = golden_check(modules, index, given)
    system = system_for(binary, "")
    device = SimulatedDevice(system, list(range(len(system.chips))))
    outputs, report = run_program(device, program, given, before=golden.before, observe=golden, **how)
    assert golden.comparisons
    return GoldenRun(program, given, outputs, golden, report)


def operation(
    name: str, inputs: Sequence[str], output: str, attributes: str = "", *, constraint: str = "any_device"
) -> str:
    """A module of one operation. ``inputs`` and ``output`` are shapes with element types, such as ``2x3xf32``."""
    names = [f"%arg{index}" for index in range(len(inputs))]
    arguments = ", ".join(f"{one}: tensor<{type}>" for one, type in zip(names, inputs, strict=True))
    body = ttmlir_programs.operation(
        "%1", name, " ".join(names), inputs, output, f"#{constraint}", attributes, location=f'loc("{name}")'
    )
    return ttmlir_programs.function(arguments, output, body, "%1", "main") + "\n"
