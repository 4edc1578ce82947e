"""Binaries as models that run, on a simulated device if there is no card: ``ttmlir.load("layer.ttnn").run(x, w)``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from tt_model.binaries.binary import load_binary_from_path
from tt_model.binaries.estimate import estimates
from tt_model.binaries.reference import ReferenceModules
from tt_model.binaries.submission import prepared, set_compatible_runtime, system_of
from tt_model.flatbuffer.files import write_whole
from tt_model.layouts.kernel_permissions import allowed
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import checked_inputs, run_program, with_stored_inputs
from tt_model.runtime.numbers import converted, to_host
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.stitching import StitchedProgram, is_as_wanted, release
from ttl.diag.words import counted
from ttmlir.inspection import module_of
from ttmlir.transforms.model_memory import memory_needs

if TYPE_CHECKING:
    import torch

    from tt_model.binaries.binary import Binary
    from tt_model.binaries.estimate import Estimate
    from tt_model.layouts.kernel_request import CollectiveTarget, KernelTarget
    from tt_model.runtime.executor import PreparedProgram, RunReport
    from tt_model.runtime.tensors import TensorDescription
    from ttmlir.ir import Module
    from ttmlir.transforms.model_memory import MemoryNeeds

__all__ = ["CompileError", "LoadedModel", "StitchedModels", "load", "stitch"]


class CompileError(Exception):
    """A function cannot be compiled. The text has the place and the reason."""


class LoadedModel:
    """A binary that can be run. ``binary`` is the file in memory, ``module`` the TTNN module that it was compiled from, if known.

    Args:
        binary: of one or more programs.
        program: the number of the program that ``run`` runs.
    """

    def __init__(self, binary: Binary, *, program: int = 0, module: Module | None = None) -> None:
        self.binary = binary
        self.module = module
        self.program_index = program
        self.report: RunReport | None = None
        self._program: PreparedProgram | None = None
        self._device: SimulatedDevice | None = None
        # The targets for TT-Lang operations and for operations between chips, and the code in the file that may run:
        # modules that it names, and kernels in C++.
        self.tt_lang: KernelTarget = "sim"
        self.collectives: CollectiveTarget = "host"
        self.allow_tt_lang: tuple[str, ...] = ()
        self.allow_kernel_source = False
        # The inputs of the program that are weights, if known.
        self.weight_positions: frozenset[int] | None = None

    def __repr__(self) -> str:
        """Describe the program with its inputs, outputs and size, and its chip; weights are only counted."""
        program = self.binary.programs[self.program_index]
        operations, name = program.get("operations", ()), f"{type(self).__name__} {program.get('name', '')}"
        try:
            weights = self.weight_positions or frozenset()
            free = self.prepared.free_inputs
            inputs = [_text_of(self.prepared.inputs[index]) for index in free if index not in weights]
            held = f" and {counted(len(weights), 'weight')}" if weights else ""
            outputs = ", ".join(map(_text_of, self.outputs))
            chips = [chip.arch.keyword for chip in system_of(self.binary).chips]
        except RuntimeProblem as problem:
            return f"<{name}, which cannot be run: {problem}>"
        where = chips[0] if len(chips) == 1 else f"{len(chips)} chips of {chips[0]}"
        return f"<{name}: ({', '.join(inputs)}){held} -> {outputs}, {counted(len(operations), 'operation')} on {where}>"

    @property
    def prepared(self) -> PreparedProgram:
        """The program, ready to run. Raises ``RuntimeProblem`` if it cannot run."""
        if self._program is None:
            self._program = prepared(self.binary, self.program_index)
        return self._program

    @property
    def integer_bound(self) -> int | None:
        """The bound of inputs on which 64-bit integers depend: -bound <= input < bound; None if there is no bound.

        ``run`` and ``ttrt run`` refuse other inputs: the device computes those integers in 32 bits.
        """
        limits = self.binary.limits(self.program_index)
        return min((most + 1 for _, most in limits.values()), default=None)

    @property
    def inputs(self) -> tuple[TensorDescription, ...]:
        """The inputs: names, shapes and types, without the tensors that are stored in the binary."""
        return tuple(self.prepared.inputs[index] for index in self.prepared.free_inputs)

    @property
    def outputs(self) -> tuple[TensorDescription, ...]:
        """The outputs: shapes and types."""
        return self.prepared.outputs

    def run(self, *tensors: torch.Tensor) -> Any:
        """Run the program. Returns the output, or a tuple of several outputs; ``report`` then has the costs of the run.

        Raises ``RuntimeProblem`` for a wrong number, shape or type of tensors, and for errors of operations.
        """
        if self._device is None:
            system = system_of(self.binary)
            self._device = SimulatedDevice(system, list(range(len(system.chips))))
        may_run_code = self.allow_tt_lang or self.allow_kernel_source
        with allowed(self.allow_tt_lang, sources=self.allow_kernel_source) if may_run_code else nullcontext():
            outputs, self.report = run_program(
                self._device,
                self.prepared,
                list(tensors),
                tt_lang=self.tt_lang,
                collectives=self.collectives,
            )
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    __call__ = run

    def estimates(self) -> list[Estimate]:
        """The costs of each operation on the binary's chip: bytes, arithmetic, cycles. These are estimates, not measurements."""
        chip = system_of(self.binary).chips[0]
        return estimates(self.binary.programs[self.program_index], chip)

    def memory(self) -> list[MemoryNeeds]:
        """The DRAM and L1 of the chip in bytes, and how much of it the model needs; ``print(*model.memory(), sep="\\n")``.

        Raises ``ttl.session.patience.Unavailable`` for a file without the text of its module.
        """
        name = self.binary.programs[self.program_index]["name"]
        module = (
            ReferenceModules(self.binary).module(self.program_index)
            if self.module is None
            else module_of(self.module)
        )
        return [one for one in memory_needs(module, self.weight_positions) if one.function == name]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the binary, completely or not at all. Raises ``OSError``."""
        write_whole(path, self.binary.pieces)


def _text_of(tensor: TensorDescription) -> str:
    return f"{'x'.join(map(str, tensor.shape)) or 'scalar'} {tensor.data_type.keyword}"


def load(
    path: str | os.PathLike[str],
    *,
    program: int = 0,
    allow_tt_lang: Sequence[str] = (),
    allow_kernel_source: bool = False,
) -> LoadedModel:
    """A ``.ttnn`` file as a model that can be run. Raises ``ttrt.binary.FlatbufferError`` for any other file.

    ``allow_tt_lang``: modules of Python that operations of TT-Lang in the file may import. ``allow_kernel_source``: the
    emulated chip may compile and run the C++ kernels in the file, which needs the same trust as running a program from its source.
    """
    binary = load_binary_from_path(path)
    set_compatible_runtime(binary)
    model = LoadedModel(binary, program=program)
    model.allow_tt_lang, model.allow_kernel_source = tuple(allow_tt_lang), allow_kernel_source
    return model


class StitchedModels(LoadedModel):
    """Models that run one after the other on one device: the outputs of each are the inputs of the next, and stay on the device.

    ``run`` takes the inputs of the first and returns the outputs of the last. ``moved`` are the tensors that the last run had
    to copy on the device, because the next model needs another layout.
    """

    def __init__(self, models: Sequence[LoadedModel]) -> None:
        if not models:
            raise RuntimeProblem("stitch needs at least one model")
        first, *others = (system_of(model.binary) for model in models)
        if any(other != first for other in others):
            raise RuntimeProblem("the models are for different systems: compile them for one")
        super().__init__(models[0].binary, program=models[0].program_index)
        self.models = tuple(models)
        self.moved: list[str] = []
        self._stages = [StitchedProgram.of(model.binary.programs[model.program_index]) for model in models]
        self._system = first

    def __repr__(self) -> str:
        return f"<StitchedModels: {', '.join(map(repr, self.models))}>"

    @property
    def outputs(self) -> tuple[TensorDescription, ...]:
        """The outputs of the last model."""
        return self.models[-1].outputs

    def run(self, *tensors: torch.Tensor) -> Any:
        """The outputs of the last model. Raises ``RuntimeProblem``."""
        if self._device is None:
            self._device = SimulatedDevice(self._system, list(range(len(self._system.chips))))
        current = checked_inputs(self.prepared, list(tensors))
        self.moved = []
        for number, (model, stage) in enumerate(zip(self.models, self._stages, strict=True)):
            if number:
                current = with_stored_inputs(model.prepared, current)
                self.moved += [
                    f"{tensor.describe()} to input {index} of model {number}"
                    for index, (tensor, wanted) in enumerate(zip(current, stage.program.inputs))
                    if not is_as_wanted(tensor, wanted)
                ]
            try:
                with allowed(model.allow_tt_lang, sources=model.allow_kernel_source):
                    results, self.report = stage.run(self._device, current, tt_lang=model.tt_lang)
            finally:
                for one in current:
                    release(one)
            current = results
        values = []
        for tensor, described in zip(current, self.outputs, strict=True):
            fitting = tensor.whole()
            if tensor.data_type is not described.data_type:
                fitting = converted(fitting, described.data_type)
            values.append(to_host(fitting, described.data_type).clone())
            release(tensor)
        return values[0] if len(values) == 1 else tuple(values)

    __call__ = run

    def save(self, path: str | os.PathLike[str]) -> None:
        """Raises ``ValueError``: several models cannot be saved as one binary."""
        raise ValueError("stitched models are several binaries; save each of .models")


def stitch(*models: LoadedModel) -> StitchedModels:
    """Compiled or loaded models as one model, which runs on one device without copies to the host between them. Raises ``RuntimeProblem``."""
    return StitchedModels(models)
