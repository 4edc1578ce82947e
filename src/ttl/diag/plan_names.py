"""Names from the original plan of the compiler, and from the tools of that time, with their current equivalents.

The tables serve Python programs, hand-written IR and command lines. ``tests/diag/test_plan_names.py`` checks that the
replacements exist. Older names that still work, with a note, are in ``ttl.lang.older_functions``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

PYTHON: Mapping[str, str] = MappingProxyType(
    {
        "if_pipe_src": "write net.if_src(function): what a net does with its pipes is asked of the net",
        "if_pipe_dst": "write net.if_dst(function): what a net does with its pipes is asked of the net",
        "TensorAccessor": "slice the tensor itself: ttl.copy(a[0, 1], blk)",
        "create_cb": "write ttl.make_dataflow_buffer_like(tensor, shape=...)",
        "dma": "write ttl.copy(source, destination).wait()",
        "dma_barrier": "wait for the transfers: ttl.copy(...).wait(), or ttl.GroupTransfer() for several",
    }
)
"""Advice for names that the module ``ttl`` does not have."""
ARGUMENTS: Mapping[str, str] = MappingProxyType(
    {
        "block_factors": "leave it out, and give each buffer the shape of its blocks: ttl.make_dataflow_buffer_like(a, shape=(1, 1))",
        "compile_time_args": "leave it out: numbers that the kernels use from around them are constants of the compiled kernels",
        "runtime_args": "leave it out: tensors are arguments of the operation, and ttl.node() says which node runs",
        "dim": "the argument is called dims",
        "core_ranges": "leave it out: the grid says which nodes run, grid=(2, 2)",
        "format": "the argument is called data_format and is an element type: data_format=ttnn.bfloat16",
    }
)
"""Advice for arguments that no function of this package has."""
MODULES: Mapping[str, str] = MappingProxyType(
    {
        "ttlang.runtime": "call the operation, which launches it",
        "ttlang.d2m_api": "write @ttl.operation(grid=...) and call the operation; 'ttl compile PROGRAM' shows what it becomes",
        "ttlang.api": "write @ttl.operation(grid=...) and call the operation; 'ttl compile PROGRAM' shows what it becomes",
        "ttlang.operators": "blocks have operators; functions are in ttl.math and ttl.block",
    }
)
"""Advice for modules that the package ``ttlang`` does not have; ``from ttlang import ttl`` itself works."""
IR: Mapping[str, str] = MappingProxyType(
    {
        "ttl.kernel": "ttl.operation", "ttl.program": "ttl.operation", "ttl.compute_thread": "ttl.compute_kernel",
        "ttl.datamovement_thread": "ttl.datamovement_kernel", "ttl.create_cb": "ttl.create_dfb", "ttl.cb_wait": "ttl.dfb_wait",
        "ttl.cb_reserve": "ttl.dfb_reserve", "ttl.cb_push": "ttl.dfb_push", "ttl.cb_pop": "ttl.dfb_pop",
        "ttl.create_pipe": "ttl.create_pipe_net", "ttl.core": "ttl.node", "ttl.core_dim": "ttl.node_linear",
        "ttl.core_linear": "ttl.node_linear", "ttl.block_compute": "ttl.compute_region", "ttl.index_accessor": "ttl.tensor_slice",
        "ttl.block_div": "ttl.block_truediv", "ttl.block_bcast": "ttl.block_broadcast", "ttl.tile_add": "ttl.block_add",
        "ttl.tile_mul": "ttl.block_mul", "ttl.tile_exp": "ttl.block_exp", "ttl.spill_tile_to_l1": "ttl.spill_tile",
        "ttl.restore_tile_from_l1": "ttl.restore_tile", "ttl.cb": "ttl.dfb", "ttl.xf": "ttl.transfer",
        "ttl.tensor_encoding": "ttl.encoding", "ttl.core_mask": "ttl.node_mask",
    }
)  # fmt: skip
"""Current names of operations, types (written with ``!``) and attributes (``#``) of the dialect ``ttl``."""
PASSES: Mapping[str, str] = MappingProxyType(
    {
        "ttl-validate": "ttl-check", "ttl-verify-layouts": "ttl-check", "ttl-insert-synchronization": "ttl-infer-sync",
        "ttl-bufferize": "ttl-materialize", "ttl-allocate-circular-buffers": "ttl-allocate", "ttl-allocate-cbs": "ttl-allocate",
        "ttl-expand-threads": "convert-ttl-to-ttkernel", "ttl-assign-dst-registers": "ttl-assign-dst",
        "ttl-lower-compute": "convert-compute-to-ttkernel", "ttl-lower-data-movement": "convert-datamovement-to-ttkernel",
        "ttl-lower-synchronization": "convert-datamovement-to-ttkernel", "ttl-lower-to-ttkernel": "convert-ttl-to-ttkernel",
        "ttcore-register-device": "ttl-target",
    }
)  # fmt: skip
"""Current names of passes of ``ttl-opt``. Users may also write ``ttl-expand-threads`` as ``TTLExpandThreads``."""

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OF_IR = re.compile(r"'?(ttl\.\w+)'?")


def pass_today(name: str) -> str | None:
    """Return the note about a pass that the user calls by its name in the plan; None for other names."""
    plain = name.lstrip("-").partition("=")[0]
    dashed = _WORDS.sub("-", plain).lower().removesuffix("-pass")
    current = PASSES.get(dashed, dashed if dashed != plain and dashed.startswith("ttl-") else None)
    return None if current is None else f"{plain} is a pass of the plan: today that is {current}"


def ir_today(message: str) -> str | None:
    """Return the note for an error about a renamed part of the dialect; None for other errors."""
    for name in _OF_IR.findall(message):
        if name in IR and "regist" in message:
            return f"{name} is a name of the plan: today that is {IR[name]}"
    return None
