"""``convert-ttl-to-ttkernel``: operations become programs, and ``ttl`` operations left in their kernels become calls.

Expects: operations whose data movement and computation are converted. Guarantees: each is a ``ttkernel.program`` with
its tensors, buffers, semaphores and kernels; every kernel contains all values that it uses, and only operations of
``ttkernel``, ``scf`` and ``arith``. Blocks are acquired and released by pages of circular buffers.

Raises ``NotLowered`` with an error for each operation that no kernel can do: TTL1411 to TTL1429.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass

from ttl.analysis.dominance import inside, of_kinds
from ttl.analysis.network import device_grid
from ttl.diag import Diagnostic
from ttl.dialects import ttkernel
from ttl.dialects import ttl as dialect
from ttl.dialects.compute import value_of
from ttl.ir.failure import NotLowered
from ttl.passes.buffers.l1 import block_pages, memory_of
from ttl.passes.building import Building, erase
from ttl.passes.compute.modes import compute_mode
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.kernels.kernel_body import convert_body, lower_affine, operations_of_kernels, sink
from ttl.passes.marks import (
    ACROSS,
    CONFIG,
    INITIAL,
    MADE_BY,
    NOC,
    PROCESSOR,
    RESETS,
    SEMAPHORE_ID,
    is_made,
    is_numbered,
)
from ttl.passes.movement.nodes import TABLE, assign_processors, place_of
from ttl.passes.movement.waits import finish_kernel
from ttl.passes.names import name_resources
from ttl.passes.pipes.words import FIRST, semaphores_of
from ttl.protocol.chips import chip_count


@dataclass(frozen=True)
class ConvertStructure(ModulePass):
    """Convert operations to programs, and the ``ttl`` operations that are left in kernels to calls."""

    name = "convert-ttl-to-ttkernel"
    contract: ClassVar = Contract(needs=(PassFact.MOVERS, PassFact.TILES), gives=(PassFact.KERNELS,))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        findings: list[Diagnostic] = []
        for item in operations_of_kernels(op):
            findings += convert_structure(item)
        if findings:
            raise NotLowered(findings)


def convert_structure(operation: dialect.OperationOp) -> list[Diagnostic]:
    """Replace one operation by its program; returns diagnostics for the parts that cannot be converted."""
    name_resources(operation)
    if not all(NOC in op.attributes for op in _movers(operation)):
        assign_processors(operation)
    sink(operation)
    config = _config(operation)  # before the blocks of its kernels, which it depends on, are converted
    findings: list[Diagnostic] = []
    for kernel in operation.kernels:
        lower_affine(kernel)
        findings += convert_body(kernel, operation.grid.extents)
    if findings:
        return findings
    body = Block()
    _declare(operation, body)
    numbers = _numbers(operation)
    for kernel in operation.kernels:
        _number_semaphores(kernel, numbers)
        body.add_op(_kernel(kernel, operation, config))
    program = ttkernel.ProgramOp(
        operation.operation_name,
        device_grid(operation.grid.extents),
        Region(body),
        arg_names=operation.argument_names,
        mesh=operation.grid.extents[:-2] if chip_count(operation.grid.extents) > 1 else (),
    )
    program.location = operation.location
    program.attributes |= operation.attributes
    parent = operation.parent
    assert parent is not None
    parent.insert_op_before(program, operation)
    erase(operation)
    return []


def _movers(operation: dialect.OperationOp) -> list[dialect.UserKernelOp]:
    return [kernel for kernel in operation.kernels if isinstance(kernel, dialect.DataMovementKernelOp)]


# --- declarations -----------------------------------------------------------------------------------------------


def _declare(operation: dialect.OperationOp, body: Block) -> None:
    tensors = [
        (name, argument.type)
        for name, argument in zip(operation.argument_names, operation.body.block.args, strict=True)
        if isinstance(argument.type, TensorType)
    ]
    for index, (name, type_) in enumerate(tensors):
        declared = ttkernel.TensorArgOp(name, index, type_)
        declared.location = operation.location
        body.add_op(declared)
    ops = [op for op in operation.body.block.ops if isinstance(op, dialect.CreateDfbOp)]
    ops.sort(key=is_made)
    free = count(max((op.buffer_index for op in ops if op.buffer_index is not None), default=-1) + 1)
    for op in ops:
        index = next(free) if op.buffer_index is None else op.buffer_index
        _add(body, _buffer(op, index, operation), op)
    for semaphore, number in zip(_semaphores(operation), _numbers(operation).values(), strict=True):
        _add(
            body,
            ttkernel.SemaphoreOp(semaphore.semaphore_name.data, number, semaphore.initial_value),
            semaphore,
        )
    for semaphore in semaphores_of(operation):
        if ACROSS in semaphore.attributes:
            name = semaphore.semaphore_name.data
            counter = ttkernel.GlobalSemaphoreOp(name, semaphore.initial_value)
            _add(body, counter, semaphore)
            if not is_made(semaphore):
                counter.attributes[RESETS] = UnitAttr()


def _semaphores(operation: dialect.OperationOp) -> list[dialect.CreateSemaphoreOp]:
    return [op for op in semaphores_of(operation) if is_numbered(op)]


def _numbers(operation: dialect.OperationOp) -> dict[str, int]:
    """The number of each semaphore by name: the number assigned to it, else the next free one."""
    semaphores = _semaphores(operation)
    given = {
        op: attribute.value.data
        for op in semaphores
        if isinstance(attribute := op.attributes.get(SEMAPHORE_ID), IntegerAttr)
    }
    free = count(max(given.values(), default=-1) + 1)
    return {op.semaphore_name.data: given[op] if op in given else next(free) for op in semaphores}


def _buffer(op: dialect.CreateDfbOp, index: int, operation: dialect.OperationOp) -> ttkernel.CircularBufferOp:
    type_ = op.result.type
    initial = op.attributes.get(INITIAL)
    return ttkernel.CircularBufferOp(
        op.buffer_name.data,
        index,
        block_pages(type_.block_type) * type_.block_count,
        type_.block_type.page_bytes,
        type_.element_type,
        made_by="compiler" if is_made(op) else "user",
        initial=initial.data if isinstance(initial, StringAttr) else None,
        memory=memory_of(operation, op),
        byte_offset=op.offset,
    )


def _add(body: Block, op: Operation, source: Operation) -> None:
    """Add a declaration, with the location of its source and the attributes that passes left there."""
    op.location = source.location
    op.attributes |= {
        name: value
        for name, value in source.attributes.items()
        if name not in (MADE_BY, INITIAL, SEMAPHORE_ID, CONFIG, ACROSS)
    }
    body.add_op(op)


# --- kernels ----------------------------------------------------------------------------------------------------


def _config(operation: dialect.OperationOp) -> dict[str, Any]:
    mode = compute_mode(operation)
    return {
        "math_fidelity": mode.fidelity,
        "fp32_dest_acc_en": mode.fp32_dest,
        "dst_full_sync_en": mode.full_sync,
        "math_approx_mode": False,
    }


def _kernel(
    kernel: dialect.UserKernelOp, operation: dialect.OperationOp, config: dict[str, Any]
) -> ttkernel.KernelOp:
    moves = isinstance(kernel, dialect.DataMovementKernelOp)
    if moves:
        finish_kernel(kernel)
    accessors = _accessors(kernel)
    common = _common_args(kernel, accessors, device_grid(operation.grid.extents))
    body = kernel.detach_region(kernel.body)
    if moves:
        place = place_of(kernel)
        op = ttkernel.KernelOp(
            kernel.kernel_name,
            "noc",
            body,
            processor=place.processor,
            noc=place.noc,
            common_args=common,
            accessors=accessors,
        )
    else:
        given = kernel.attributes.get(CONFIG)
        if isinstance(given, DictionaryAttr):
            config = config | {key: value_of(value) for key, value in given.data.items()}
        op = ttkernel.KernelOp(kernel.kernel_name, "tensix", body, common_args=common, config=config)
    op.location = kernel.location
    kernel.hint_word = None
    done = (PROCESSOR, NOC, CONFIG)
    op.attributes |= {key: value for key, value in kernel.attributes.items() if key not in done}
    return op


def _accessors(kernel: dialect.UserKernelOp) -> list[str]:
    names = [op.declared_name for op in of_kinds(kernel, ttkernel.AccessorOp)]
    return list(dict.fromkeys(names))


def _common_args(kernel: dialect.UserKernelOp, accessors: list[str], grid: tuple[int, int]) -> list[str]:
    """The common arguments of a kernel; constants that stand for the start of a table get its index."""
    entries = [f"address({name})" for name in accessors]
    tables = [op for op in inside(kernel) if TABLE in op.attributes]
    for words in dict.fromkeys(_table(op.attributes[TABLE], grid) for op in tables):
        entries += words
    asked = [op.entry for op in of_kinds(kernel, ttkernel.CommonArgOp)]
    entries += [entry for entry in dict.fromkeys(asked) if entry not in entries]
    for op in tables:
        _shift(op, entries.index(_table(op.attributes.pop(TABLE), grid)[0]))
    return entries


def _table(attribute: Any, grid: tuple[int, int]) -> tuple[str, ...]:
    """The entries of a table of arguments."""
    if isinstance(attribute, ArrayAttr):
        return tuple(map(_text, attribute))
    word = _text(attribute)
    return tuple(f"{word}({index})" for index in range(grid[0] if word == "noc_x" else grid[1]))


def _shift(op: Operation, by: int) -> None:
    """Add ``by`` to the first operand of an operation, an index."""
    build = Building(op)
    op.operands[0] = build.value(build.sum(op.operands[0], by))


def _number_semaphores(kernel: dialect.UserKernelOp, numbers: dict[str, int]) -> None:
    """Turn indices into a group of semaphores into semaphore numbers: add the number of the group's first semaphore."""
    for op in inside(kernel):
        if FIRST in op.attributes:
            _shift(op, numbers[_text(op.attributes.pop(FIRST))])


def _text(attribute: Any) -> str:
    assert isinstance(attribute, StringAttr)
    return attribute.data
