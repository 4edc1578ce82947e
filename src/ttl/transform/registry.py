"""The passes that a schedule or ``ttl-opt`` can run by name."""

from __future__ import annotations

from xdsl.passes import ModulePass

from ttl.ir import upstream
from ttl.passes.distribute import BufferizeDistributed, ShowShards
from ttl.passes.infer_dst import InferDstRequirements
from ttl.passes.microcores import KernelsToMicrocores
from ttl.passes.movement.read_over import ReadOver
from ttl.passes.pipeline import PASSES
from ttl.passes.scheduling.buffer_factor import BufferFactor
from ttl.passes.scheduling.prefetch import Prefetch
from ttl.passes.scheduling.reorder import ReorderTransfers
from ttl.passes.scheduling.split_k import SplitK
from ttl.passes.structured import affine_loops
from ttl.passes.structured.from_linalg import FromLinalg
from ttl.passes.structured.to_linalg import ToLinalg


def registered() -> tuple[type[ModulePass], ...]:
    """The passes of xDSL and of the compiler, passes that only schedules run, and passes that no compilation runs."""
    only_scheduled = (BufferFactor, Prefetch, ReorderTransfers, SplitK)
    beside: tuple[type[ModulePass], ...] = (
        ReadOver,
        InferDstRequirements,
        KernelsToMicrocores,
        BufferizeDistributed,
        ShowShards,
    )
    structured: tuple[type[ModulePass], ...] = (ToLinalg, FromLinalg, *affine_loops.PASSES)
    return (*upstream.PASSES, *PASSES, *only_scheduled, *beside, *structured)
