"""Kernels of ``ttmetal.dispatch`` as C++: every one of random modules, and what the real headers say about them."""

from __future__ import annotations

import pytest

from support.kernel_check import GENERATIONS, Generation, Kernel, check_all, needs_compiler
from support.metal_kernels import dispatches
from ttmlir.emitc import KernelSource, kernel_sources

# Of these all kernels are converted; those of the first ones are given to the compiler, too.
MODULES, CHECKED = 24, 8


@pytest.mark.headers
@needs_compiler
def test_the_headers_of_both_generations_accept_them() -> None:
    kernels = []
    for seed in range(MODULES):
        for dispatch in dispatches(seed):
            sources = {generation: kernel_sources(dispatch, generation) for generation in GENERATIONS}
            assert len(kernel_sources(dispatch, "2024-11")) == len(dispatch.regions)
            assert len({source.name for source in sources["0.81"]}) == len(dispatch.regions)
            if seed < CHECKED:
                for generation, texts in sources.items():
                    kernels += [_checked(generation, source) for source in texts]
    assert [complaint for complaint in check_all(kernels) if complaint] == []


def _checked(generation: Generation, source: KernelSource) -> Kernel:
    kind = "compute" if source.thread == "compute" else "datamovement"
    return Kernel(generation=generation, kind=kind, text=source.text)
