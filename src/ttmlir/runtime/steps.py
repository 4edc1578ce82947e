"""The operations of a binary as functions: what each expects, what it computes, where the result lies.

A table of the binary is looked at once, when its program is prepared; running it is one call. What the real operations
refuse is refused, with the fix. Elementwise operations, reductions, softmax and products want tiles; whether those of a
card refuse others is not known of all of them, so that it is a warning, and an error in a strict run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ttmlir.runtime import collectives, computing, placement, reshaping, windows
from ttmlir.runtime.mesh_shard import mesh_shard
from ttmlir.runtime.operands import Fields, Step
from ttmlir.runtime.problems import RuntimeProblem
from ttmlir.runtime.tt_lang import prepare_generic, prepare_tt_lang


def prepare(kind: str, fields: Fields) -> Step:
    """The function of an operation. Raises ``RuntimeProblem`` for one that is not known, or that says too little."""
    make = STEPS.get(kind)
    if make is None:
        raise RuntimeProblem(f"there is no operation {kind}; known are {', '.join(sorted(STEPS))}")
    try:
        return make(fields)
    except KeyError as problem:
        raise RuntimeProblem(f"the table {kind} has no {problem.args[0]}") from None


STEPS: Mapping[str, Callable[[Fields], Step]] = MappingProxyType(
    {
        "GetDeviceOp": placement.get_device,
        "ToMemoryConfigOp": placement.to_memory_config,
        "ToLayoutOp": placement.to_layout,
        "TypecastOp": placement.typecast,
        "ToDeviceOp": placement.to_device,
        "FromDeviceOp": placement.from_device,
        "EmptyOp": placement.empty,
        "FullOp": placement.full,
        "EltwiseOp": computing.eltwise,
        "MatmulOp": computing.matmul,
        "ReductionOp": computing.reduction,
        "EmbeddingOp": reshaping.embedding,
        "SoftmaxOp": computing.softmax,
        "TransposeOp": reshaping.transpose,
        "Conv2dOp": windows.conv2d,
        "ConcatOp": reshaping.concat,
        "ReshapeOp": reshaping.reshape,
        "SliceOp": reshaping.cut_out,
        "MaxPool2dOp": windows.max_pool2d,
        "DeallocateOp": placement.deallocate,
        "AllGatherOp": collectives.all_gather,
        "ReduceScatterOp": collectives.reduce_scatter,
        "MeshShardOp": mesh_shard,
        "TTLangOp": prepare_tt_lang,
        "GenericOp": prepare_generic,
    }
)
