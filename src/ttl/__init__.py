"""TT-Lang: kernels for Tenstorrent chips, written in Python.

The public names of the language (specification 0.17). ``import ttl`` also lets ``import ttnn`` find the host library of
this package if TT-NN is not installed. A name is imported when it is first used, so that a tool that needs one module
of the package does not wait for the others.
"""

from __future__ import annotations

from collections.abc import Mapping as _Mapping
from importlib import import_module as _import_module
from types import MappingProxyType as _MappingProxyType
from typing import TYPE_CHECKING as _CHECKING
from typing import Any as _Any

from ttl.host.importer import install as _install_ttnn

if _CHECKING:
    from ttl import block, math
    from ttl.diag import DeadlockError, InternalError, ProgramError, ResourceError, TTLError
    from ttl.lang.block import Block
    from ttl.lang.buffer import DFB, DataflowBuffer
    from ttl.lang.choices import Config
    from ttl.lang.copy import copy, wait_any
    from ttl.lang.debug import signpost
    from ttl.lang.devices import DeviceDomain, DeviceRange, DeviceRef, PipeMapping, TransferGraph
    from ttl.lang.distributed import DistributedTensor, TensorShard, distribute
    from ttl.lang.elements import copy_tensor_page, raw_element_read, raw_element_write, read_index
    from ttl.lang.example import TensorSpec, example
    from ttl.lang.expr import BlockExpr
    from ttl.lang.extern import call_extern_func, dfb_descriptor, extern, get_dfb_id, raw_addr
    from ttl.lang.extern_calls import (
        DFBAccess,
        DFBEffect,
        DispatchCondition,
        Kernel,
        KernelKind,
        ScalarType,
        TensorAccess,
    )
    from ttl.lang.grid import grid_size, node
    from ttl.lang.kernels import compute, datamovement
    from ttl.lang.making_buffers import (
        make_dataflow_buffer_like,
        make_dfb,
        make_dfb_allocation_group,
        make_tensor_backed_dfb,
    )
    from ttl.lang.operation import Operation, operation
    from ttl.lang.pipe import DstPipeIdentity, Pipe, PipeIdentity, PipeNet, SrcPipeIdentity
    from ttl.lang.resets import DFBReset, reset_all_dfbs, reset_dfbs
    from ttl.lang.semaphore import MulticastRemoteSemaphore, Semaphore, UnicastRemoteSemaphore
    from ttl.lang.storage import SRAMStorage
    from ttl.lang.tiles import TileOperation, fraction, load, spatial, store, temporal, tile_operation
    from ttl.lang.transfers import GroupTransfer, ReadyReceive, ReceiveRequest, TensorSlice, Transfer
    from ttl.lang.tunable import as_large_as_fits, tunable
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
    from ttl.lang.unrolling import static_range
    from ttl.report.profiling import CallProfile, profile

__version__ = "0.1.0"

_install_ttnn()

# Modules that are attributes of ``ttl`` without being imported by name: those that the public names need.
_ROOMS = frozenset(
    [
        "arch",
        "block",
        "control",
        "diag",
        "host",
        "lang",
        "math",
        "native",
        "ops",
        "processes",
        "protocol",
        "report",
        "rows",
        "rules",
        "session",
        "settings",
        "source",
    ]
)
# The modules that define the public names.
_PLACES: _Mapping[str, str] = _MappingProxyType(
    {
        name: module
        for module, names in (
            ("ttl.diag", "DeadlockError InternalError ProgramError ResourceError TTLError"),
            ("ttl.report.profiling", "CallProfile profile"),
            ("ttl.lang.block", "Block"),
            ("ttl.lang.copy", "copy wait_any"),
            ("ttl.lang.debug", "signpost"),
            ("ttl.lang.devices", "DeviceDomain DeviceRange DeviceRef PipeMapping TransferGraph"),
            ("ttl.lang.distributed", "DistributedTensor TensorShard distribute"),
            ("ttl.lang.elements", "copy_tensor_page raw_element_read raw_element_write read_index"),
            ("ttl.lang.example", "TensorSpec example"),
            ("ttl.lang.expr", "BlockExpr"),
            ("ttl.lang.grid", "grid_size node"),
            ("ttl.lang.kernels", "compute datamovement"),
            ("ttl.lang.operation", "Operation operation"),
            ("ttl.lang.pipe", "DstPipeIdentity Pipe PipeIdentity PipeNet SrcPipeIdentity"),
            ("ttl.lang.resets", "DFBReset reset_all_dfbs reset_dfbs"),
            ("ttl.lang.semaphore", "MulticastRemoteSemaphore Semaphore UnicastRemoteSemaphore"),
            ("ttl.lang.tiles", "TileOperation fraction load spatial store temporal tile_operation"),
            ("ttl.lang.storage", "SRAMStorage"),
            ("ttl.lang.tunable", "as_large_as_fits tunable"),
            ("ttl.lang.unrolling", "static_range"),
            ("ttl.lang.buffer", "DFB DataflowBuffer"),
            ("ttl.lang.choices", "Config"),
            ("ttl.lang.extern", "call_extern_func dfb_descriptor extern get_dfb_id raw_addr"),
            (
                "ttl.lang.extern_calls",
                "DFBAccess DFBEffect DispatchCondition Kernel KernelKind ScalarType TensorAccess",
            ),
            (
                "ttl.lang.making_buffers",
                "make_dataflow_buffer_like make_dfb make_dfb_allocation_group make_tensor_backed_dfb",
            ),
            ("ttl.lang.transfers", "GroupTransfer ReadyReceive ReceiveRequest TensorSlice Transfer"),
            (
                "ttl.lang.types",
                "TILE_SHAPE Count Index NaturalInt NodeCoord NodeRange PositiveInt Shape Size",
            ),
        )
        for name in names.split()
    }
)


def __getattr__(name: str) -> _Any:
    """Return a public name at its first use, or an older name of the language.

    Raises ``AttributeError`` with similar names for any other name.
    """
    if name in _ROOMS:
        return _import_module(f"ttl.{name}")
    if name in _PLACES:
        value = globals()[name] = getattr(_import_module(_PLACES[name]), name)
        return value
    if name.startswith("_"):
        raise AttributeError(f"module 'ttl' has no attribute {name!r}", name=name)
    from ttl.lang.functions import make, spellings
    from ttl.lang.names import missing
    from ttl.lang.older_functions import older_name

    getattr_ = older_name(name, make)
    if getattr_ is None:
        raise missing(name, "ttl", spellings() | {item: f"ttl.{item}" for item in __all__})
    return getattr_


def load_ipython_extension(ipython: _Any) -> None:
    """``%load_ext ttl`` in a notebook: the magic ``%%ttl`` checks a cell and runs it."""
    _import_module("ttl.report.magic").load(ipython)


__all__ = [
    "DFB",
    "TILE_SHAPE",
    "Block",
    "BlockExpr",
    "CallProfile",
    "Config",
    "Count",
    "DFBAccess",
    "DFBEffect",
    "DFBReset",
    "DataflowBuffer",
    "DeadlockError",
    "DeviceDomain",
    "DeviceRange",
    "DeviceRef",
    "DispatchCondition",
    "DistributedTensor",
    "DstPipeIdentity",
    "GroupTransfer",
    "Index",
    "InternalError",
    "Kernel",
    "KernelKind",
    "MulticastRemoteSemaphore",
    "NaturalInt",
    "NodeCoord",
    "NodeRange",
    "Operation",
    "Pipe",
    "PipeIdentity",
    "PipeMapping",
    "PipeNet",
    "PositiveInt",
    "ProgramError",
    "ReadyReceive",
    "ReceiveRequest",
    "ResourceError",
    "SRAMStorage",
    "ScalarType",
    "Semaphore",
    "Shape",
    "Size",
    "SrcPipeIdentity",
    "TTLError",
    "TensorAccess",
    "TensorShard",
    "TensorSlice",
    "TensorSpec",
    "TileOperation",
    "Transfer",
    "TransferGraph",
    "UnicastRemoteSemaphore",
    "as_large_as_fits",
    "block",
    "call_extern_func",
    "compute",
    "copy",
    "copy_tensor_page",
    "datamovement",
    "dfb_descriptor",
    "distribute",
    "example",
    "extern",
    "fraction",
    "get_dfb_id",
    "grid_size",
    "load",
    "make_dataflow_buffer_like",
    "make_dfb",
    "make_dfb_allocation_group",
    "make_tensor_backed_dfb",
    "math",
    "node",
    "operation",
    "profile",
    "raw_addr",
    "raw_element_read",
    "raw_element_write",
    "read_index",
    "reset_all_dfbs",
    "reset_dfbs",
    "signpost",
    "spatial",
    "static_range",
    "store",
    "temporal",
    "tile_operation",
    "tunable",
    "wait_any",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
