"""Executes the compute kernel of an operation, as the program says it and as the compiler's calls do it.

``block_results`` looks at values of whole blocks, ``kernel_results`` at tiles in buffers and registers. Both take the
blocks that arrive in each buffer, and return those that are handed over to somebody else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from support.ir_blocks import BlockInterpreter, Blocks, Supply
from support.ir_device import block_of, pages_of
from support.ir_kernels import ComputeInterpreter, ScalerInterpreter, device_of
from ttl.dialects import ttl as dialect
from ttl.dialects.text import context
from ttl.dialects.ttkernel import ProgramOp
from ttl.ir.verifier import RepeatedVerification, require_valid
from ttl.passes.expand import Expand
from ttl.passes.pipeline import pipeline
from ttl.rows.dtypes import Array
from ttl.rows.types import BlockType


@dataclass(frozen=True)
class Outcome:
    """What a compute kernel hands over, by buffer; ``defined`` says which elements mean something.

    ``supplied`` are the blocks that arrived beside the inputs.
    """

    blocks: Mapping[str, Sequence[Array]]
    defined: Mapping[str, Sequence[Array]]
    supplied: Mapping[str, Sequence[Array]]


def operation_of(module: ModuleOp) -> dialect.OperationOp:
    """The one operation of a module."""
    (found,) = (op for op in module.body.block.ops if isinstance(op, dialect.OperationOp))
    return found


def types_of(operation: dialect.OperationOp) -> dict[str, BlockType]:
    """The blocks of every buffer, by its name."""
    return {
        op.buffer_name.data: op.result.type.block_type
        for op in operation.walk()
        if isinstance(op, dialect.CreateDfbOp)
    }


def block_results(
    module: ModuleOp, inputs: Blocks, *, rounds: bool = True, supply: Supply | None = None
) -> Outcome:
    """What the values of the blocks are. The module stays as it is. ``rounds``: where they are stored.

    ``supply`` makes the blocks that are not among the inputs.
    """
    operation = operation_of(module)
    (kernel,) = (each for each in operation.kernels if each.kind == "compute")
    interpreter = BlockInterpreter(inputs, rounds=rounds, supply=supply)
    interpreter.run_kernel(operation, kernel)
    return Outcome(
        {name: [each.elements for each in blocks] for name, blocks in interpreter.pushed.items()},
        {name: [~each.undefined for each in blocks] for name, blocks in interpreter.pushed.items()},
        interpreter.supplied,
    )


def simplified(module: ModuleOp) -> None:
    """Run the passes that leave everything a program of the language."""
    for one in takewhile(lambda one: not isinstance(one, Expand), pipeline()):
        one.apply(context(), module)
        require_valid(module)


def lowered(module: ModuleOp, options: Mapping[str, str] | None = None) -> ProgramOp:
    """Run the compiler on a module, verified after every pass."""
    reading = context()
    verification = RepeatedVerification()
    for one in pipeline(options=options):
        one.apply(reading, module)
        verification.require_valid(module)
    require_valid(module)
    (program,) = (op for op in module.body.block.ops if isinstance(op, ProgramOp))
    return program


@dataclass(frozen=True)
class Executed:
    """What the calls of a compute kernel hand over, by buffer, and how often each function was called."""

    blocks: Mapping[str, Sequence[Array]]
    calls: Mapping[str, int]


def kernel_results(
    program: ProgramOp, types: Mapping[str, BlockType], inputs: Blocks, *, rounds: bool = True
) -> Executed:
    """What the calls of the compute kernel compute. ``rounds``: as registers and buffers do."""
    (kernel,) = (each for each in program.kernels if each.thread == "tensix")
    device = device_of(program, kernel, rounds=rounds)
    for name, blocks in inputs.items():
        device.rings[name].arriving.extend(pages_of(block, types[name]) for block in blocks)
    scalers = {each.declared_name for each in program.buffers if each.initial is not None}
    for each in program.kernels:
        if each is not kernel:
            ScalerInterpreter({name: device.rings[name] for name in scalers}).run_kernel(each)
    interpreter = ComputeInterpreter(device)
    interpreter.block(kernel.body.block)
    found: dict[str, list[Array]] = {}
    for name, type_ in types.items():
        pages = device.rings[name].taken
        count = len(pages_of(np.zeros(type_.elements, np.float32), type_))
        starts = range(0, len(pages), count)
        found[name] = [block_of(pages[start : start + count], type_) for start in starts]
    return Executed(found, interpreter.counts)
