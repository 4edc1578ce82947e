"""Modules with and without the optimizer: both run, and give the same, bit by bit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from support.random_programs.ttir.modules import RandomModule
from support.ttmlir_models import ttnn_module
from tt_model.binaries.submission import prepared
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import RunReport, run_program
from tt_model.runtime.numbers import host_dtype, is_integer
from tt_model.runtime.problems import OutOfMemory
from ttl.ir.verifier import require_valid
from ttmlir.transforms.memory_map import too_large_anywhere
from ttmlir.translate.serialise import ttnn_to_flatbuffer
from ttrt.binary import Binary, load_binary_from_capsule
from ttrt.common.programs import initialised, system_for

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "layouts": {},
    "DFSharding": {"memory_layout_analysis_enabled": True},
    **{
        policy: {"memory_layout_analysis_enabled": True, "memory_layout_analysis_policy": policy}
        for policy in ("L1Interleaved", "Fastest")
    },
    "no reconfiguration": {"memory_layout_analysis_enabled": True, "memreconfig_enabled": False},
}


def binary_of(text: str, **options: Any) -> Binary:
    """A module as a binary; its TTNN is verified."""
    module = ttnn_module(text, **options)
    require_valid(module)
    return load_binary_from_capsule(ttnn_to_flatbuffer(module, debug_info=False))


def inputs_of(module: RandomModule, program: Any) -> list[torch.Tensor]:
    """The inputs of a random module in the types that a program takes."""
    given = []
    for values, described in zip(module.inputs(program.name), program.inputs, strict=True):
        tensor = torch.from_numpy(np.ascontiguousarray(values))
        whole = tensor.to(torch.int64) if is_integer(described.data_type) else tensor
        given.append(whole.to(host_dtype(described.data_type)))
    return given


def outputs_of(
    binary: Binary, index: int, module: RandomModule | None = None, mesh: tuple[int, ...] = ()
) -> tuple[list[torch.Tensor], RunReport]:
    """What a program gives, of the inputs of a random module or of random ones, on one chip or on each of a mesh."""
    program = prepared(binary, index)
    if module is None:
        # Whole numbers are small: they may be those of rows.
        drawn = initialised(program, "randn", 0)
        given = [
            one if one.is_floating_point() else (one.to(torch.int64) % 32).to(one.dtype) for one in drawn
        ]
    else:
        given = inputs_of(module, program)
    device = SimulatedDevice(system_for(binary, ""), list(range(math.prod(mesh))), mesh)
    return run_program(device, program, given)


def differences(
    text: str, module: RandomModule | None = None, asked: Mapping[str, Any] | None = None, **more: Any
) -> Iterator[str]:
    """Where a module that was optimized does another thing than the same one that was not.

    ``asked`` are options of the optimizer, without which all policies are tried; ``more`` are those of both.
    One that asks for more memory than there is says so when it is compiled, and has nothing to compare.
    """
    plain, mesh = binary_of(text, **more), more.get("mesh_shape", ())
    indices = [
        index
        for index, program in enumerate(plain.programs)
        if module is None or program["name"] in module.functions
    ]
    try:
        before = {index: outputs_of(plain, index, module, mesh) for index in indices}
    except OutOfMemory:
        if not too_large_anywhere(ttnn_module(text, **more), "error"):
            raise
        return
    for name, options in (OPTIONS if asked is None else {str(asked): asked}).items():
        optimized = binary_of(text, enable_optimizer=True, **options, **more)
        for index in indices:
            outputs, report = outputs_of(optimized, index, module, mesh)
            expected, plain_report = before[index]
            if report.leaks or len(report.warnings) > len(plain_report.warnings):
                yield f"{name}: {report.leaks} {report.warnings}"
            for one, other in zip(outputs, expected, strict=True):
                if one.dtype != other.dtype or not torch.equal(bits(one), bits(other)):
                    yield f"{name}: {program_name(plain, index)} gives other values"


def program_name(binary: Binary, index: int) -> str:
    return str(binary.programs[index]["name"])


def bits(tensor: torch.Tensor) -> torch.Tensor:
    """The bytes of a tensor: what is no number equals itself."""
    return torch.empty(tensor.numel(), dtype=tensor.dtype).copy_(tensor.reshape(-1)).view(torch.uint8)
