"""Kernels of TTMetal, each without one of its synchronisation calls, on the emulated chip: as ``support.kernel_mutations``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from support.kernel_mutations import SEEDS, Fate, sites
from support.metal_kernels import compiled
from tt_model.flatbuffer.decode import decode
from tt_model.flatbuffer.schema import schema
from tt_model.layouts.kernel_permissions import allowed
from tt_model.layouts.known_systems import default_system
from tt_model.runtime.metal.device import MetalDevice
from tt_model.runtime.metal.executor import run_metal_program
from tt_model.runtime.metal.tables import PreparedMetalProgram, prepare_metal_program
from tt_model.runtime.problems import RuntimeProblem
from ttl import settings
from ttmlir.translate.metal import SCHEMA, ttmetal_to_flatbuffer


@dataclass(frozen=True, kw_only=True, slots=True)
class MetalMutation:
    """A program without one call of one of its kernels."""

    call: str
    place: str
    program: PreparedMetalProgram
    rest: str
    """What of the kernel comes after the call."""
    arguments: str

    @property
    def is_the_last(self) -> bool:
        """Whether nothing that comes after it needs it: its buffer is not used again, and each dispatch begins with buffers and
        units that are set up anew."""
        after = [line for line in self.rest.splitlines() if "_uninit" not in line]
        if self.call == "cb_pop_front" or (self.call == "cb_push_back" and " compute," in self.place):
            buffer = self.arguments.partition(",")[0]
            return not any(re.search(rf"\b{re.escape(buffer)}\b", line) for line in after)
        return self.call.endswith("_uninit") and not any("pack" in line for line in after)


class MetalLaunch:
    """A program of a module, on inputs that are always the same."""

    def __init__(self, text: str) -> None:
        module = compiled(text)
        self.device = MetalDevice(default_system())
        file = decode(schema(SCHEMA), ttmetal_to_flatbuffer(module, debug_info=False))
        self.program = prepare_metal_program(file["programs"][0], self.device.desc)
        generator = torch.Generator().manual_seed(1)
        self.inputs = [
            torch.rand(one.shape, generator=generator).to(_TYPES[one.data_type.keyword]) + 0.5
            for one in self.program.inputs
        ]

    def results(self, program: PreparedMetalProgram, seed: int | None = None) -> list[bytes]:
        """Its outputs, as bytes. Raises ``RuntimeProblem``."""
        with settings.override(emu_seed=seed), allowed(sources=True):
            outputs, _ = run_metal_program(self.device, program, self.inputs)
        return [bytes(one.float().numpy().tobytes()) for one in outputs]

    def mutations(self) -> Iterator[MetalMutation]:
        """The program without each of its synchronisation calls."""
        for number, device in enumerate(self.program.devices):
            for queue_number, queue in enumerate(device):
                for position, command in enumerate(queue.commands):
                    for index, kernel in enumerate(command.kernels):
                        for call, line, source in sites(kernel.source):
                            lines = kernel.source.splitlines(keepends=True)
                            kernels = _with(command.kernels, index, replace(kernel, source=source))
                            commands = _with(queue.commands, position, replace(command, kernels=kernels))
                            queues = _with(device, queue_number, replace(queue, commands=commands))
                            yield MetalMutation(
                                call=call,
                                place=f"command {position}, {kernel.thread}, line {line}",
                                program=replace(
                                    self.program, devices=_with(self.program.devices, number, queues)
                                ),
                                rest="".join(lines[line:]),
                                arguments=lines[line - 1].partition("(")[2],
                            )

    def fate(self, mutation: MetalMutation, expected: list[bytes]) -> tuple[Fate, str]:
        """What becomes of a program without a call, and the code of the report."""
        for seed in (None, *SEEDS):
            try:
                outputs = self.results(mutation.program, seed)
            except RuntimeProblem as problem:
                code = problem.message.rpartition("(")[2].rstrip(")")
                return ("another schedule" if seed else "reported"), code
            if outputs != expected:
                return ("another schedule" if seed else "differs"), ""
        return "harmless", ""


def _with(items: Sequence[Any], index: int, item: Any) -> tuple[Any, ...]:
    return (*items[:index], item, *items[index + 1 :])


_TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
