"""The compiler, top to bottom: from the operations of a program to kernels of TT-Metalium.

Each pass is a class of its own in this package and can be run alone in ``ttl-opt``; ``codegen`` prints what comes out.
"""

from __future__ import annotations

from xdsl.passes import ModulePass

from ttl.arch import USUAL, Chip, chip_named
from ttl.passes.allocate import Allocate
from ttl.passes.assign_dst import AssignDst
from ttl.passes.canonicalize import CanonicalizeKernels, CanonicalizeOperations
from ttl.passes.choose_mode import ChooseMode
from ttl.passes.convert_compute import ConvertCompute
from ttl.passes.convert_datamovement import ConvertDataMovement
from ttl.passes.convert_structure import ConvertStructure
from ttl.passes.expand import Expand
from ttl.passes.form_regions import FormRegions
from ttl.passes.hand_over import HandOver
from ttl.passes.hoist_inits import HoistInits
from ttl.passes.infer_sync import InferSync
from ttl.passes.join_waits import JoinWaits
from ttl.passes.late_waits import LateWaits
from ttl.passes.materialize import Materialize
from ttl.passes.merge_barriers import MergeBarriers
from ttl.passes.narrow import Narrow
from ttl.passes.padding import KeepPaddingOut
from ttl.passes.pipes.plan import PlanPipes
from ttl.passes.subblock import Subblock
from ttl.passes.target import Target


def pipeline(
    chip: Chip | None = None, *, spare_buffers: bool = False, narrow: int = 0
) -> tuple[ModulePass, ...]:
    """The passes of a compilation for a chip, else the usual one.

    ``spare_buffers``: without buffers that only save time; ``narrow``: so many intermediate buffers in bfloat16.
    """
    chip = chip or chip_named(USUAL)
    own_grid = chip.grid == chip_named(chip.name).grid
    return (
        Target(chip=chip.name, grid=None if own_grid else "x".join(map(str, chip.grid))),
        # What the program leaves to the language, and what is known before it runs.
        InferSync(),
        CanonicalizeOperations(),
        # Computation: rows the hardware has, buffers where it needs them, what is computed together, in which registers.
        Expand(),
        ChooseMode(),
        KeepPaddingOut(),
        Materialize(spare_buffers=spare_buffers),
        Narrow(buffers=narrow),
        FormRegions(),
        AssignDst(),
        Subblock(),
        HandOver(),
        # Resources of a node.
        PlanPipes(),
        Allocate(),
        # To kernels.
        ConvertDataMovement(),
        ConvertCompute(),
        ConvertStructure(),
        # What is between the calls, and which calls are superfluous.
        CanonicalizeKernels(),
        MergeBarriers(),
        HoistInits(),
        JoinWaits(),
        LateWaits(),
    )


PASSES: tuple[type[ModulePass], ...] = tuple(map(type, pipeline()))
