"""The compiler, top to bottom: from the operations of a program to kernels of TT-Metalium.

Each pass is a class of its own in this package and can be run alone in ``ttl-opt``; ``codegen`` prints the result.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.passes import ModulePass

from ttl.arch import USUAL, Chip, chip_named
from ttl.passes.allocate import Allocate
from ttl.passes.assign_dst import AssignDst
from ttl.passes.canonicalize import CanonicalizeKernels, CanonicalizeOperations
from ttl.passes.choices import one_of
from ttl.passes.choose_lanes import ChooseLanes
from ttl.passes.choose_mode import ChooseMode
from ttl.passes.convert_compute import ConvertCompute
from ttl.passes.convert_datamovement import ConvertDataMovement
from ttl.passes.convert_structure import ConvertStructure
from ttl.passes.distribute import LowerDistributed
from ttl.passes.expand import Expand
from ttl.passes.form_regions import FormRegions
from ttl.passes.hand_over import HandOver
from ttl.passes.hoist_inits import HoistInits
from ttl.passes.infer_sync import InferSync
from ttl.passes.join_waits import JoinWaits
from ttl.passes.late_waits import LateWaits
from ttl.passes.materialize import Materialize
from ttl.passes.merge_barriers import MergeBarriers
from ttl.passes.microcores import MicrocoresToKernels
from ttl.passes.narrow import Narrow
from ttl.passes.padding import KeepPaddingOut
from ttl.passes.pipes.plan import PlanPipes
from ttl.passes.plan_rows import PlanRows
from ttl.passes.subblock import Subblock
from ttl.passes.target import Target


def pipeline(chip: Chip | None = None, options: Mapping[str, str] | None = None) -> tuple[ModulePass, ...]:
    """The passes of a compilation for ``chip``, or for the usual chip.

    ``options`` are compile options by key (``ttl.session.compile_options``). Raises ``ValueError`` for a value that the
    pass refuses for every module.
    """
    chip = chip or chip_named(USUAL)
    usual = chip_named(chip.name)
    asked = options or {}
    return (
        # Threads of microcores are kernels with a hint.
        MicrocoresToKernels(),
        Target(
            chip=chip.name,
            grid=None if chip.grid == usual.grid else "x".join(map(str, chip.grid)),
            costs=chip.costs.changed(usual.costs),
        ),
        LowerDistributed(),
        # Synchronisation that the program leaves to the language, and arithmetic that is known before it runs.
        InferSync(),
        CanonicalizeOperations(),
        # Computation: operations that the chip has, buffers where they are needed, regions, and their registers.
        Expand(),
        ChooseMode(
            registers=asked.get("registers", "auto"),
            sync=asked.get("sync", "auto"),
            accumulation=asked.get("accumulation"),
        ),
        KeepPaddingOut(),
        ChooseLanes(),
        Materialize(spare_buffers=_truth(asked, "spare-buffers")),
        Narrow(buffers=_count(asked, "narrow")),
        FormRegions(),
        AssignDst(),
        Subblock(shapes=_of_one(asked, "subblock")),
        HandOver(arrivals=_of_one(asked, "arrivals")),
        # Resources of a node.
        PlanPipes(protocols=_of_one(asked, "protocol")),
        PlanRows(),
        Allocate(order=asked.get("order", "program")),
        # To kernels.
        ConvertDataMovement(nocs=_of_one(asked, "noc")),
        ConvertCompute(),
        ConvertStructure(),
        # Simplify the code between the calls, and drop superfluous calls.
        CanonicalizeKernels(),
        MergeBarriers(),
        HoistInits(),
        JoinWaits(),
        LateWaits(),
    )


def _of_one(options: Mapping[str, str], name: str) -> tuple[str, ...]:
    """The options ``name.WHICH=value`` as a list of ``WHICH:value``, the form that passes take."""
    parts = ((key.partition("."), value) for key, value in options.items())
    return tuple(f"{which}:{value}" for (option, dot, which), value in parts if option == name and dot)


def _truth(options: Mapping[str, str], name: str) -> bool:
    value = options.get(name, "false")
    one_of(name, value, ("false", "true"))
    return value == "true"


def _count(options: Mapping[str, str], name: str) -> int:
    value = options.get(name, "0")
    if not (value.isascii() and value.isdecimal() and len(value) < 6):
        raise ValueError(f"{name} is a whole number from 0 on, not {value}")
    return int(value)


PASSES: tuple[type[ModulePass], ...] = tuple(map(type, pipeline()))
