"""Kernels of ``ttmetal.dispatch`` as C++: every one of random modules, and what the real headers say about them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.kernel_check import GENERATIONS, Generation, Kernel, check_all, needs_compiler
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttmlir.emitc import KernelSource, kernel_sources
from ttmlir.operations.dialects import DIALECTS
from ttmlir.operations.operation import RowOperation
from ttmlir.reference.metal.random_modules import random_metal_module
from ttmlir.transforms.pipelines import TTIRToTTMetalBackendPipeline

# Of these all kernels are converted; those of the first ones are given to the compiler, too.
MODULES, CHECKED = 40, 12


def dispatches(seed: int) -> Iterator[RowOperation]:
    """What a random module is compiled to."""
    context = make_context(DIALECTS)
    module = parse_text(context, random_metal_module(seed).text, "model.mlir")
    for step in TTIRToTTMetalBackendPipeline().passes():
        step.apply(context, module)
    for op in module.walk():
        if op.name == "ttmetal.dispatch":
            assert isinstance(op, RowOperation)
            yield op


@pytest.mark.headers
@needs_compiler
def test_the_headers_of_both_generations_accept_them() -> None:
    kernels = []
    for seed in range(MODULES):
        for dispatch in dispatches(seed):
            sources = {generation: kernel_sources(dispatch, generation) for generation in GENERATIONS}
            assert len({source.name for source in sources["0.81"]}) == len(dispatch.regions)
            if seed < CHECKED:
                for generation, texts in sources.items():
                    kernels += [_checked(generation, source) for source in texts]
    assert [complaint for complaint in check_all(kernels) if complaint] == []


def _checked(generation: Generation, source: KernelSource) -> Kernel:
    kind = "compute" if source.thread == "compute" else "datamovement"
    return Kernel(generation=generation, kind=kind, text=source.text)
