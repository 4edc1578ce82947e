"""The passes of ``ttl-opt``: a list one can read. A pass is imported when it is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.passes import ModulePass


@dataclass(frozen=True, kw_only=True, slots=True)
class PassEntry:
    """A pass: its name, what it does in one line, and its class."""

    name: str
    summary: str
    load: Callable[[], type[ModulePass]]


def _canonicalize() -> type[ModulePass]:
    from ttl.opt.upstream import Canonicalize

    return Canonicalize


def _cse() -> type[ModulePass]:
    from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

    return CommonSubexpressionElimination


def _dce() -> type[ModulePass]:
    from xdsl.transforms.dead_code_elimination import DeadCodeElimination

    return DeadCodeElimination


def _licm() -> type[ModulePass]:
    from ttl.opt.upstream import LoopInvariantCodeMotion

    return LoopInvariantCodeMotion


def _lower_affine() -> type[ModulePass]:
    from ttl.opt.upstream import LowerAffine

    return LowerAffine


def _check() -> type[ModulePass]:
    from ttl.opt.checking import Check

    return Check


def _infer_sync() -> type[ModulePass]:
    from ttl.passes.infer_sync import InferSync

    return InferSync


def _ttl_canonicalize() -> type[ModulePass]:
    from ttl.passes.canonicalize import Canonicalize

    return Canonicalize


def _ttkernel_canonicalize() -> type[ModulePass]:
    from ttl.passes.canonicalize import CanonicalizeKernels

    return CanonicalizeKernels


def _expand() -> type[ModulePass]:
    from ttl.passes.expand import Expand

    return Expand


def _allocate() -> type[ModulePass]:
    from ttl.passes.allocate import Allocate

    return Allocate


def _convert_datamovement() -> type[ModulePass]:
    from ttl.passes.convert_datamovement import ConvertDataMovement

    return ConvertDataMovement


def _convert_structure() -> type[ModulePass]:
    from ttl.passes.convert_structure import ConvertStructure

    return ConvertStructure


def _plan_pipes() -> type[ModulePass]:
    from ttl.passes.pipes.plan import PlanPipes

    return PlanPipes


def _merge_barriers() -> type[ModulePass]:
    from ttl.passes.merge_barriers import MergeBarriers

    return MergeBarriers


def _assign_dst() -> type[ModulePass]:
    from ttl.passes.assign_dst import AssignDst

    return AssignDst


def _form_regions() -> type[ModulePass]:
    from ttl.passes.form_regions import FormRegions

    return FormRegions


def _narrow() -> type[ModulePass]:
    from ttl.passes.narrow import Narrow

    return Narrow


def _materialize() -> type[ModulePass]:
    from ttl.passes.materialize import Materialize

    return Materialize


def _subblock() -> type[ModulePass]:
    from ttl.passes.subblock import Subblock

    return Subblock


def _choose_mode() -> type[ModulePass]:
    from ttl.passes.choose_mode import ChooseMode

    return ChooseMode


def _padding() -> type[ModulePass]:
    from ttl.passes.padding import KeepPaddingOut

    return KeepPaddingOut


def _convert_compute() -> type[ModulePass]:
    from ttl.passes.convert_compute import ConvertCompute

    return ConvertCompute


def _hand_over() -> type[ModulePass]:
    from ttl.passes.hand_over import HandOver

    return HandOver


def _hoist_inits() -> type[ModulePass]:
    from ttl.passes.hoist_inits import HoistInits

    return HoistInits


def _join_waits() -> type[ModulePass]:
    from ttl.passes.join_waits import JoinWaits

    return JoinWaits


def _late_waits() -> type[ModulePass]:
    from ttl.passes.late_waits import LateWaits

    return LateWaits


PASSES: tuple[PassEntry, ...] = (
    PassEntry(
        name="canonicalize", summary="fold what is known and erase what has no effect", load=_canonicalize
    ),
    PassEntry(
        name="convert-compute-to-ttkernel",
        summary="regions to sections of tile functions",
        load=_convert_compute,
    ),
    PassEntry(
        name="convert-datamovement-to-ttkernel",
        summary="copies, waits, pipes and semaphores to transfers on the network",
        load=_convert_datamovement,
    ),
    PassEntry(
        name="convert-ttl-to-ttkernel",
        summary="operations to programs, and what is left of ttl in kernels to calls",
        load=_convert_structure,
    ),
    PassEntry(name="cse", summary="compute the same thing once", load=_cse),
    PassEntry(name="dce", summary="erase what has no effect and no use", load=_dce),
    PassEntry(name="licm", summary="move what does not change out of scf.for and affine.for", load=_licm),
    PassEntry(name="lower-affine", summary="affine loops and maps to scf and arith", load=_lower_affine),
    PassEntry(
        name="ttkernel-hoist-inits",
        summary="drop inits and changes of format that change nothing, and move them out of loops",
        load=_hoist_inits,
    ),
    PassEntry(
        name="ttkernel-join-waits",
        summary="what is waited for, or given back, of one buffer in a row is one call",
        load=_join_waits,
    ),
    PassEntry(
        name="ttkernel-late-waits",
        summary="compute kernels wait for a block where they first need it",
        load=_late_waits,
    ),
    PassEntry(
        name="ttkernel-merge-barriers",
        summary="drop barriers that a later one makes superfluous",
        load=_merge_barriers,
    ),
    PassEntry(
        name="ttl-allocate",
        summary="numbers for buffers and semaphores, and the plan of L1",
        load=_allocate,
    ),
    PassEntry(
        name="ttl-assign-dst",
        summary="the unit and the registers of every tile of a region",
        load=_assign_dst,
    ),
    PassEntry(
        name="ttl-check", summary="check every ttl.operation against the rules of the language", load=_check
    ),
    PassEntry(
        name="ttl-choose-mode",
        summary="whether values in the registers are 16 or 32 bits wide",
        load=_choose_mode,
    ),
    PassEntry(
        name="ttl-form-regions",
        summary="expressions that are computed together become one region",
        load=_form_regions,
    ),
    PassEntry(
        name="ttl-canonicalize",
        summary="arithmetic that is known, once, outside of loops it does not depend on",
        load=_ttl_canonicalize,
    ),
    PassEntry(
        name="ttkernel-canonicalize",
        summary="the same for programs of kernels",
        load=_ttkernel_canonicalize,
    ),
    PassEntry(
        name="ttl-expand",
        summary="what the chip has no function for, in what it has one for",
        load=_expand,
    ),
    PassEntry(
        name="ttl-hand-over",
        summary="results that are copied to a tensor leave the compute kernel section by section",
        load=_hand_over,
    ),
    PassEntry(
        name="ttl-infer-sync",
        summary="insert the push, pop or wait that the language infers",
        load=_infer_sync,
    ),
    PassEntry(
        name="ttl-materialize",
        summary="buffers for values that have to be in one",
        load=_materialize,
    ),
    PassEntry(
        name="ttl-narrow",
        summary="intermediate values in bfloat16, where they do not fit into L1 as float32",
        load=_narrow,
    ),
    PassEntry(
        name="ttl-plan-pipes",
        summary="how messages get from node to node, and the semaphores and buffers that takes",
        load=_plan_pipes,
    ),
    PassEntry(
        name="ttl-padding",
        summary="keep padding of tensors out of reductions and products",
        load=_padding,
    ),
    PassEntry(
        name="ttl-subblock",
        summary="how many tiles of a region one section of the registers computes",
        load=_subblock,
    ),
)
