"""The ``ttkernel`` dialect: kernels of TT-Metalium, independent of the generation of its API.

Types and operations are defined by concern in ``ttl.dialects.kernel``; this module lists them. Calls of the kernel API
are made from the rows of ``ttl.kernel_api``: ``call`` makes a call, ``class_of`` returns its class.
"""

from __future__ import annotations

from functools import cache

from xdsl.ir import Attribute, Dialect, Operation

from ttl.dialects.kernel.call_classes import KernelCallOp, call, class_of
from ttl.dialects.kernel.debug import DPrintOp, ZoneOp
from ttl.dialects.kernel.declarations import CircularBufferOp, GlobalSemaphoreOp, SemaphoreOp, TensorArgOp
from ttl.dialects.kernel.kernel import KernelOp
from ttl.dialects.kernel.program import ProgramOp
from ttl.dialects.kernel.types import (
    CBType,
    KernelSemaphoreType,
    L1AddrPtrType,
    NocAddrType,
    TensorAccessorType,
)
from ttl.dialects.kernel.values import AccessorOp, CommonArgOp, GetCBOp, GetSemaphoreOp, TableOp
from ttl.kernel_api import CALLS

# Operations that are not calls, in the order of the documentation.
STRUCTURE: tuple[type[Operation], ...] = (
    ProgramOp,
    TensorArgOp,
    CircularBufferOp,
    SemaphoreOp,
    GlobalSemaphoreOp,
    KernelOp,
    GetCBOp,
    AccessorOp,
    GetSemaphoreOp,
    CommonArgOp,
    TableOp,
    DPrintOp,
    ZoneOp,
)

TYPES: tuple[type[Attribute], ...] = (
    CBType,
    NocAddrType,
    L1AddrPtrType,
    TensorAccessorType,
    KernelSemaphoreType,
)


def operations() -> tuple[type[Operation], ...]:
    """Every operation of the dialect, calls last."""
    return (*STRUCTURE, *map(class_of, CALLS))


@cache
def dialect() -> Dialect:
    """The dialect, for a context in which text is parsed."""
    return Dialect("ttkernel", list(operations()), list(TYPES))


__all__ = [
    "STRUCTURE",
    "TYPES",
    "AccessorOp",
    "CBType",
    "CircularBufferOp",
    "CommonArgOp",
    "DPrintOp",
    "GetCBOp",
    "GetSemaphoreOp",
    "GlobalSemaphoreOp",
    "KernelCallOp",
    "KernelOp",
    "KernelSemaphoreType",
    "L1AddrPtrType",
    "NocAddrType",
    "ProgramOp",
    "SemaphoreOp",
    "TableOp",
    "TensorAccessorType",
    "TensorArgOp",
    "ZoneOp",
    "call",
    "class_of",
    "dialect",
    "operations",
]
