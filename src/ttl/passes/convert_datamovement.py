"""``convert-datamovement-to-ttkernel``: copies, waits, pipes and semaphores become transfers on the network.

Expects: operations after ``ttl-infer-sync``. Guarantees: no ``ttl.copy``, ``ttl.wait``, group, slice, accessor, pipe or
remote semaphore is left in a data movement kernel. Acquisitions and releases of blocks stay; the address of a
block is taken where it is acquired. Every data movement kernel knows its processor. (Specification, "Data movement".)

Raises ``NotLowered`` with an error for each transfer that the chip cannot do: TTL1411 to TTL1429.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ttl.analysis.dominance import inside
from ttl.arch import Chip
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.failure import NotLowered
from ttl.passes.buffers.blocks import BlockAddresses
from ttl.passes.building import erase
from ttl.passes.choices import ChoicePoint, ChoosingPass, named, operations_of, point
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.kernels.kernel_body import operations_of_kernels, sink
from ttl.passes.marks import chip_of
from ttl.passes.movement.copies import convert_copies
from ttl.passes.movement.elements import assert_slices, convert_elements
from ttl.passes.movement.nodes import assign_processors, hinted_noc, movement_kernels, place_of
from ttl.passes.movement.semaphores import convert_semaphores, too_many_semaphores
from ttl.passes.movement.waits import convert_waits, drop_handles
from ttl.passes.names import name_resources
from ttl.passes.pipes.convert_pipes import convert_pipes


@dataclass(frozen=True)
class ConvertDataMovement(ChoosingPass):
    """Copies, waits, pipes and semaphores to transfers on the network.

    ``nocs`` overrides the choice of the network for single data movement kernels: ``read:1``.
    """

    name = "convert-datamovement-to-ttkernel"
    contract: ClassVar = Contract(needs=(PassFact.NUMBERS,), gives=(PassFact.MOVERS,))
    nocs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        named("noc", self.nocs)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        asked = named("noc", self.nocs)
        findings: list[Diagnostic] = []
        for item in operations_of_kernels(op):
            findings += convert_datamovement(item, chip_of(item), asked)
        if findings:
            raise NotLowered(findings)

    def choices(self, module: ModuleOp) -> Iterator[ChoicePoint]:
        asked = named("noc", self.nocs)
        for operation in operations_of(module):
            kernels = movement_kernels(operation)
            names = [kernel.kernel_name for kernel in kernels]
            for kernel in kernels:
                chosen = str(place_of(kernel).noc)
                why = "NoC 0 is better for reading memory and NoC 1 for writing it; else the order of the program"
                hint = hinted_noc(kernel)
                legal = ("0", "1") if hint is None else (str(hint),)
                if hint is not None:
                    why = f"@ttl.datamovement(noc={hint}) asks for it"
                elif kernel.kernel_name in asked:
                    why = "asked for"
                elif any(name in asked for name in names) or any(
                    hinted_noc(other) is not None for other in kernels
                ):
                    why = "the other network is asked for"
                yield point(f"noc.{kernel.kernel_name}", chosen, legal, why, kernel)


def convert_datamovement(
    operation: dialect.OperationOp, target: Chip, asked: Mapping[str, str]
) -> list[Diagnostic]:
    """Convert one operation; returns diagnostics for the parts that cannot be converted."""
    name_resources(operation)
    for op in inside(operation):
        if isinstance(op, dialect.DfbResidentOp):
            erase(op)  # the tensor is in L1 already
    findings = assign_processors(operation, asked)
    if findings:
        return findings
    sink(operation)
    try:
        addresses = BlockAddresses(operation)
    except NotLowered as failure:
        return failure.diagnostics
    links, findings = convert_pipes(operation, target, addresses)
    if findings:
        return findings
    findings = convert_waits(operation)
    assert_slices(operation)
    findings += convert_copies(operation, target, addresses)
    convert_elements(operation, addresses)
    findings += convert_semaphores(operation, links)
    links.begin_and_end()
    findings += too_many_semaphores(operation, target)
    if not findings:
        drop_handles(operation)
    return findings
