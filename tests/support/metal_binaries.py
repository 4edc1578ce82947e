"""``.ttm`` files of modules, run on the emulated chip beside the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from support.metal_kernels import compiled
from support.random_programs.ttir.modules import RandomModule
from tt_model.binaries.submission import system_of
from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.schema import schema
from tt_model.runtime.metal.executor import MetalReport
from tt_model.runtime.numbers import host_dtype
from ttmlir.translate.metal import ttmetal_to_flatbuffer
from ttrt.binary import Binary, as_dict, load_binary_from_capsule
from ttrt.common.executions import execution_of
from ttrt.common.metal_golden import MetalGoldenCheck

Change = Callable[[dict[str, Any], list[dict[str, Any]]], object]


def metal_binary(text: str, system_desc: str = "") -> Binary:
    """A module of TTIR as a ``.ttm`` file."""
    return load_binary_from_capsule(ttmetal_to_flatbuffer(compiled(text, system_desc)))


def changed(binary: Binary, change: Change) -> Binary:
    """The file with other tables: ``change`` gets the program and its commands. Tables that were one are several."""
    values = as_dict(binary)
    program = values["programs"][0]
    change(program, program["device_programs"][0]["command_queues"][0]["commands"])
    return load_binary_from_capsule(encode(schema("TTMetal/binary.fbs"), values))


@dataclass(frozen=True, slots=True)
class MetalRun:
    """What a run gave."""

    outputs: list[torch.Tensor]
    report: MetalReport
    golden: MetalGoldenCheck | None


def run_binary(binary: Binary, inputs: Sequence[Any] = (), *, golden: bool = True) -> MetalRun:
    """Run the first program of a file, with each command compared."""
    execution: Any = execution_of(binary, system_of(binary))
    program = execution.prepared(0)
    if not inputs:
        generator = torch.Generator().manual_seed(0)
        inputs = [torch.randn(shape, generator=generator).numpy() for shape in program.input_shapes]
    given = [
        torch.from_numpy(np.array(values)).to(host_dtype(one.data_type))
        for values, one in zip(inputs, program.inputs, strict=True)
    ]
    check = execution.golden(0, given, use_stored=True) if golden else None
    outputs, report = execution.run(
        program, given, before=None if check is None else check.before, observe=check
    )
    return MetalRun(outputs, report, check)


def run_random(module: RandomModule) -> MetalRun:
    """A random module through the file, on the inputs that it has."""
    return run_binary(metal_binary(module.text), module.inputs("forward"))
