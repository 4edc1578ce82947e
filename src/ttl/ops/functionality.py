"""Language features of the functionality matrix that are not operations, in the order of the specification.

The rows of operations come from the operation table. A version is the release that had it first, None: not
supported. The emulator and the device run what the compiler compiles.
"""

from __future__ import annotations

from dataclasses import dataclass

# The release in which the compiler is.
COMPILER = "0.2.0"


@dataclass(frozen=True, kw_only=True, slots=True)
class Feature:
    """One feature of the language and which execution has it, since which release."""

    text: str
    simulator: str | None = "0.1.0"
    compiler: str | None = COMPILER


def _features(*texts: str) -> tuple[Feature, ...]:
    return tuple(Feature(text=text, compiler=None if "multi-device" in text else COMPILER) for text in texts)


SPECIFIED: tuple[Feature, ...] = _features(
    '`ttl.operation` with a tuple, `"full"` or `"auto"` as grid',
    "`ttl.grid_size` and `ttl.node` with any `dims`, single-device grid",
    "`ttl.grid_size` and `ttl.node` on a multi-device grid",
    "TT-NN mesh devices",
    "TT-NN L1 sharded tensors",
    "`ttl.make_dataflow_buffer_like` for tiled tensors",
    "`ttl.make_dataflow_buffer_like` for row-major tensors",
    "`ttl.make_dataflow_buffer_like` with more than two dimensions",
    "`ttl.DataflowBuffer.reserve` and `wait`, also as `with` items",
    "`ttl.Block.store`, `push`, `pop`",
    "`+=` on block expressions and blocks",
    "`ttl.copy` and `ttl.Transfer`",
    "`ttl.GroupTransfer`",
    "`ttl.Pipe` and `ttl.PipeNet` on a single-device grid",
    "`ttl.Pipe` and `ttl.PipeNet` on a multi-device grid",
    "`ttl.Semaphore`, unicast and multicast, on a 2D grid",
    "`ttl.Semaphore` on a multi-device grid",
    "`ttl.signpost`",
    "`print` of tensors, blocks and dataflow buffers",
)

BEYOND: tuple[Feature, ...] = _features(
    "Inferred `push`, `pop` and transfer `wait`",
    "Numbers on either side of an operator",
    "`Block.shape` and `Block.dtype`",
    "Tensor slices that drop dimensions",
    "Predicates on pipes as lambdas",
    "SPMD: a 2D grid on a mesh device",
    "Older spellings, with a note that carries the fix",
    "`all_gather`, `all_reduce` and `reduce_scatter` of mesh tensors on the host",
) + tuple(
    Feature(text=text, simulator=None, compiler=None)
    for text in (
        "Reading and writing single elements in data movement kernels",
        "`ttl.make_dfb(dtype, shape, block_count)`",
        "Dataflow buffers backed by a tensor",
        "One function as the whole operation, split into kernels by the compiler",
    )
)
