"""``convert-datamovement-to-ttkernel``: copies, waits, pipes and semaphores become transfers on the network.

Expects: operations after ``ttl-infer-sync``. Guarantees: no ``ttl.copy``, ``ttl.wait``, group, slice, accessor, pipe or
remote semaphore is left in a data movement kernel. Blocks and what acquires and releases them stay; the address of a
block is taken where it is acquired. Every data movement kernel knows its processor. (Specification, "Data movement".)

Raises ``NotLowered`` with all that the chip cannot move: TTL1410 to TTL1429.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ttl.arch import Chip
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.failure import NotLowered, placed
from ttl.passes.buffers.blocks import BlockAddresses
from ttl.passes.kernels.kernel_body import sink
from ttl.passes.marks import chip_of
from ttl.passes.movement.copies import convert_copies
from ttl.passes.movement.nodes import assign_processors, one_device
from ttl.passes.movement.semaphores import convert_semaphores, too_many_semaphores
from ttl.passes.movement.waits import convert_waits, drop_handles
from ttl.passes.names import name_resources
from ttl.passes.pipes.convert_pipes import convert_pipes


@dataclass(frozen=True)
class ConvertDataMovement(ModulePass):
    """Copies, waits, pipes and semaphores to transfers on the network."""

    name = "convert-datamovement-to-ttkernel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        findings: list[Diagnostic] = []
        for item in op.body.block.ops:
            if isinstance(item, dialect.OperationOp):
                findings += convert_datamovement(item, chip_of(item))
        if findings:
            raise NotLowered(findings)


def convert_datamovement(operation: dialect.OperationOp, target: Chip) -> list[Diagnostic]:
    """Convert one operation; returns what cannot be."""
    problem = one_device(operation.grid.extents)
    if problem is not None:
        return [placed(problem, operation)]
    name_resources(operation)
    assign_processors(operation)
    sink(operation)
    try:
        addresses = BlockAddresses(operation)
    except NotLowered as failure:
        return failure.diagnostics
    findings = convert_pipes(operation, target, addresses)
    if findings:
        return findings
    findings = convert_waits(operation)
    findings += convert_copies(operation, target, addresses)
    findings += convert_semaphores(operation)
    findings += too_many_semaphores(operation, target)
    if not findings:
        drop_handles(operation)
    return findings
