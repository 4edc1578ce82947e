"""TT-Lang: kernels for Tenstorrent chips, written in Python.

The public names of the language (specification 0.17). ``import ttl`` also lets ``import ttnn`` find the host
library where the real one is not installed.
"""

from __future__ import annotations

from typing import Any as _Any

from ttl import block, math
from ttl.diag import DeadlockError, InternalError, ProgramError, ResourceError, TTLError
from ttl.host.importer import install as _install_ttnn
from ttl.lang.block import Block
from ttl.lang.buffer import DataflowBuffer, make_dataflow_buffer_like
from ttl.lang.copy import GroupTransfer, TensorSlice, Transfer, copy
from ttl.lang.debug import signpost
from ttl.lang.example import TensorSpec, example
from ttl.lang.expr import BlockExpr
from ttl.lang.grid import grid_size, node
from ttl.lang.kernels import compute, datamovement
from ttl.lang.operation import Operation, operation
from ttl.lang.pipe import DstPipeIdentity, Pipe, PipeIdentity, PipeNet, SrcPipeIdentity
from ttl.lang.semaphore import MulticastRemoteSemaphore, Semaphore, UnicastRemoteSemaphore
from ttl.lang.types import (
    TILE_SHAPE,
    Count,
    Index,
    NaturalInt,
    NodeCoord,
    NodeRange,
    PositiveInt,
    Shape,
    Size,
)

__version__ = "0.1.0"

_install_ttnn()


def __getattr__(name: str) -> _Any:
    """An older name of the language; or an error that names what is near."""
    if name.startswith("__"):
        raise AttributeError(f"module 'ttl' has no attribute {name!r}", name=name)
    from ttl.lang.functions import make, spellings
    from ttl.lang.names import missing
    from ttl.lang.older_functions import older_name

    getattr_ = older_name(name, make)
    if getattr_ is None:
        raise missing(name, "ttl", spellings() | {item: f"ttl.{item}" for item in __all__})
    return getattr_


__all__ = [
    "TILE_SHAPE",
    "Block",
    "BlockExpr",
    "Count",
    "DataflowBuffer",
    "DeadlockError",
    "DstPipeIdentity",
    "GroupTransfer",
    "Index",
    "InternalError",
    "MulticastRemoteSemaphore",
    "NaturalInt",
    "NodeCoord",
    "NodeRange",
    "Operation",
    "Pipe",
    "PipeIdentity",
    "PipeNet",
    "PositiveInt",
    "ProgramError",
    "ResourceError",
    "Semaphore",
    "Shape",
    "Size",
    "SrcPipeIdentity",
    "TTLError",
    "TensorSlice",
    "TensorSpec",
    "Transfer",
    "UnicastRemoteSemaphore",
    "block",
    "compute",
    "copy",
    "datamovement",
    "example",
    "grid_size",
    "make_dataflow_buffer_like",
    "math",
    "node",
    "operation",
    "signpost",
]
