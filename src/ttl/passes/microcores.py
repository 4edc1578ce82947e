"""``ttl-kernels-to-microcores`` and back: kernels as threads of a ``ttl.tile_proc``, each bound to a microcore.

Expects: operations before data movement is lowered. Guarantees: the same operation in the other form; one pass undoes the
other to the byte. A thread whose network the compiler chose is marked ``inferred``, and becomes a kernel without a hint again;
every other thread becomes a kernel with ``microcore_hint``. (002, "Microcore Model".)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass

from ttl.analysis.dominance import outermost
from ttl.arch.microcores import COMPUTE, MOVEMENT, ROLES
from ttl.dialects import ttl as dialect
from ttl.passes.building import detach, erase
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.movement.nodes import hinted_noc, movement_kernels, places_of


@dataclass(frozen=True)
class KernelsToMicrocores(ModulePass):
    """Convert kernels to threads of microcores."""

    name = "ttl-kernels-to-microcores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in outermost(op, dialect.OperationOp):
            if operation.kernels:
                _to_threads(operation)


@dataclass(frozen=True)
class MicrocoresToKernels(ModulePass):
    """Convert threads of microcores to kernels."""

    name = "ttl-microcores-to-kernels"
    contract: ClassVar = Contract(gives=(PassFact.PROCESSORS,), before=(PassFact.BUFFERED,), again=True)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for processors in outermost(op, dialect.TileProcOp):
            _to_kernels(processors)


def _to_threads(operation: dialect.OperationOp) -> None:
    """Convert kernels to threads of a ``ttl.tile_proc``, into which operations between and after them move, too."""
    movers, block = movement_kernels(operation), operation.body.block
    roles = _roles(movers)
    shared = set(roles.values()) if len(movers) == len(MOVEMENT) else set()
    declared = (*roles.values(), *COMPUTE) if len(shared) == 1 else ROLES
    inside = Block()
    processors = dialect.TileProcOp(declared, Region(inside))
    processors.location = operation.kernels[0].location
    block.insert_op_before(processors, operation.kernels[0])
    while (op := processors.next_op) is not None:
        detach(op)
        if not isinstance(op, dialect.UserKernelOp):
            inside.add_op(op)
            continue
        moves, chosen = op in roles, op.microcore_hint is None
        thread = dialect.ThreadOp(
            name=op.kernel_name,
            roles=(roles[op],) if op in roles else COMPUTE,
            body=op.detach_region(op.body),
            inferred=moves and chosen,
        )
        thread.location = op.location
        thread.attributes |= op.attributes
        if moves:
            thread.hint_word = None
        inside.add_op(thread)
        op.erase()


def _roles(movers: Sequence[dialect.UserKernelOp]) -> dict[dialect.UserKernelOp, str]:
    """The microcores of data movement kernels, which their hints and the compiler's rule determine."""
    places = places_of(movers, [hinted_noc(kernel) for kernel in movers])
    return {kernel: MOVEMENT[place.noc] for kernel, place in zip(movers, places)}


def _to_kernels(processors: dialect.TileProcOp) -> None:
    operation, wanted = processors.parent_op(), dict[dialect.UserKernelOp, str]()
    assert isinstance(operation, dialect.OperationOp)
    for op in list(processors.body.block.ops):
        detach(op)
        if isinstance(op, dialect.ThreadOp):
            kind: type[dialect.UserKernelOp] = (
                dialect.ComputeKernelOp if op.kind == "compute" else dialect.DataMovementKernelOp
            )
            kernel = kind(name=op.kernel_name, body=op.detach_region(op.body))
            kernel.location = op.location
            kernel.attributes |= op.attributes
            if op.kind == "data movement":
                wanted[kernel] = op.roles[0]
                if not op.inferred:
                    kernel.hint_word = StringAttr(op.roles[0])
            op.erase()
            op = kernel
        operation.body.block.insert_op_before(op, processors)
    erase(processors)
    # A thread keeps its microcore, even if it is marked as chosen by the rule, and the rule would choose another one.
    for _ in wanted:
        for kernel, role in _roles(list(wanted)).items():
            if wanted[kernel] != role:
                kernel.hint_word = StringAttr(wanted[kernel])
