"""Operations played as kernels and run by the simulator: both leave the same in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import TensorType

from passes.player import Compute, Player, paged, unpaged
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
    """The program that a call of an operation becomes; its compute kernels are empty."""
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


def same_as_simulated(
    operation: Operation,
    *tensors: Any,
    compute: Mapping[str, Compute] | None = None,
    seeds: int = 5,
) -> ttkernel.ProgramOp:
    """Play an operation several times and run it once; the tensors then hold what the run left."""
    program = program_of(operation, *tensors)
    accessors = {op.declared_name: _accessor(op.type) for op in program.tensors}
    before = [array_of(tensor).copy() for tensor in tensors]
    operation(*tensors)
    for seed in range(seeds):
        memory = {
            name: paged(_words(array, accessors[name].dtype.element_bytes), accessors[name])
            for name, array in zip(program.arg_names, before, strict=True)
        }
        Player(program, memory, compute=compute, seed=seed).play()
        for name, tensor in zip(program.arg_names, tensors, strict=True):
            expected = _words(array_of(tensor), accessors[name].dtype.element_bytes)
            found = unpaged(memory[name], expected.shape, expected.dtype, accessors[name])
            np.testing.assert_array_equal(found, expected, err_msg=f"{name}, seed {seed}")
    return program


def _accessor(type_: TensorType[Any]) -> dialect.AccessorType:
    return dialect.AccessorType(type_)


def _words(array: np.ndarray, size: int) -> np.ndarray:
    """Elements as words of their size on the chip; a bfloat16 is the upper half of a float32."""
    if array.itemsize == size:
        return np.ascontiguousarray(array).view(f"u{size}")
    assert (array.dtype, size) == (np.dtype(np.float32), 2)
    return (np.ascontiguousarray(array).view(np.uint32) >> 16).astype(np.uint16)
