"""Operations run by the simulator and on the emulated chip: both leave the same in memory, whatever arrives first.

With a seed, the emulated chip delays processors and transfers at random, and stops a kernel that does not wait for what it needs
(``tests/emu/test_schedules.py`` and ``test_misuse.py`` prove both).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.context import Context

from ttl import settings
from ttl.dialects import ttkernel
from ttl.dialects import ttl as dialect
from ttl.frontend.live import lower_call
from ttl.host.access import array_of
from ttl.ir.verifier import require_valid
from ttl.lang.operation import Operation
from ttl.passes.convert_datamovement import ConvertDataMovement
from ttl.passes.convert_structure import ConvertStructure
from ttl.passes.infer_sync import InferSync
from ttl.passes.merge_barriers import MergeBarriers
from ttl.passes.pipes.plan import PlanPipes

PASSES = (InferSync, PlanPipes, ConvertDataMovement, ConvertStructure, MergeBarriers)


def program_of(operation: Operation, *tensors: Any) -> ttkernel.ProgramOp:
    """The program that a call of an operation becomes by the passes of data movement; its compute kernels are empty."""
    lowered = lower_call(operation, tensors, {})
    assert not lowered.diagnostics, lowered.diagnostics
    module = lowered.module
    for kernel in [op for op in module.walk() if isinstance(op, dialect.ComputeKernelOp)]:
        for op in reversed(list(kernel.body.block.ops)):
            kernel.body.block.erase_op(op, safe_erase=False)
    for kind in PASSES:
        kind().apply(Context(), module)
        require_valid(module)
    (program,) = (op for op in module.body.block.ops if isinstance(op, ttkernel.ProgramOp))
    return program


def same_as_simulated(operation: Operation, *tensors: Any, seeds: int = 5) -> ttkernel.ProgramOp:
    """Run an operation once by the simulator, and on the emulated chip by some schedules: every tensor is the same to the bit."""
    program = program_of(operation, *tensors)
    before = [array_of(tensor).copy() for tensor in tensors]
    operation(*tensors)
    expected = [array_of(tensor).copy() for tensor in tensors]
    for seed in range(seeds):
        for tensor, values in zip(tensors, before, strict=True):
            array_of(tensor)[...] = values
        with settings.override(target="emu", emu_seed=seed):
            operation(*tensors)
        for name, tensor, values in zip(program.arg_names, tensors, expected, strict=True):
            np.testing.assert_array_equal(array_of(tensor), values, err_msg=f"{name}, seed {seed}")
    return program
