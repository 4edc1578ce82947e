"""Which data movement kernel runs on which processor and network.

A node has two data movement processors: NCRISC, whose transfers go over NoC 0, the one that is better for reading
memory, and BRISC on NoC 1, better for writing it. The kernel that reads gets the first, the one that writes the
second; where that does not tell them apart, the order of the program does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64

from ttl.analysis.dominance import inside
from ttl.dialects import ttl as dialect
from ttl.passes.marks import NOC, PROCESSOR


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A processor of a node and the network it uses."""

    processor: Literal["ncrisc", "brisc"]
    noc: Literal[0, 1]


READER = Place(processor="ncrisc", noc=0)
WRITER = Place(processor="brisc", noc=1)


def assign(operation: dialect.OperationOp) -> None:
    """Give every data movement kernel of an operation its place, while it still has its copies."""
    kernels = [each for each in operation.kernels if isinstance(each, dialect.DataMovementKernelOp)]
    places = (READER, WRITER)
    if kernels and _only_writes(kernels[0]) and not (len(kernels) > 1 and _only_writes(kernels[1])):
        places = (WRITER, READER)
    for kernel, place in zip(kernels, places):
        kernel.attributes[PROCESSOR] = StringAttr(place.processor)
        kernel.attributes[NOC] = IntegerAttr(place.noc, i64)


def place_of(kernel: dialect.KernelOp) -> Place:
    """The place of a data movement kernel."""
    noc = kernel.attributes.get(NOC)
    return WRITER if isinstance(noc, IntegerAttr) and noc.value.data == 1 else READER


def _only_writes(kernel: dialect.KernelOp) -> bool:
    copies = [op for op in inside(kernel) if isinstance(op, dialect.CopyOp)]
    reads = any(isinstance(op.src.type, dialect.SliceType) for op in copies)
    return not reads and any(isinstance(op.dst.type, dialect.SliceType) for op in copies)
