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


PASSES: tuple[PassEntry, ...] = (
    PassEntry(
        name="canonicalize", summary="fold what is known and erase what has no effect", load=_canonicalize
    ),
    PassEntry(name="cse", summary="compute the same thing once", load=_cse),
    PassEntry(name="dce", summary="erase what has no effect and no use", load=_dce),
    PassEntry(name="licm", summary="move what does not change out of scf.for and affine.for", load=_licm),
    PassEntry(name="lower-affine", summary="affine loops and maps to scf and arith", load=_lower_affine),
    PassEntry(
        name="ttl-check", summary="check every ttl.operation against the rules of the language", load=_check
    ),
    PassEntry(
        name="ttl-infer-sync",
        summary="insert the push, pop or wait that the language infers",
        load=_infer_sync,
    ),
)
