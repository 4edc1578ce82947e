"""Kernels of TTMetal: what modules of TTIR are compiled to."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from support.random_programs.ttir.metal_modules import random_metal_module
from tt_model.operations.dialects import DIALECTS
from tt_model.operations.operation import RowOperation
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttmlir.transforms.pipelines import TTIRToTTMetalBackendPipeline


def compiled(text: str, system_desc: str = "") -> ModuleOp:
    """A module of TTIR, compiled to TTMetal."""
    context = make_context(DIALECTS)
    module = parse_text(context, text, "model.mlir")
    for step in TTIRToTTMetalBackendPipeline(system_desc_path=system_desc).passes():
        step.apply(context, module)
    return module


def dispatches_of(module: ModuleOp) -> Iterator[RowOperation]:
    """Its kernels."""
    for op in module.walk():
        if op.name == "ttmetal.dispatch":
            assert isinstance(op, RowOperation)
            yield op


def dispatches(seed: int) -> Iterator[RowOperation]:
    """What a random module is compiled to."""
    return dispatches_of(compiled(random_metal_module(seed).text))
