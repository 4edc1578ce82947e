"""Kernels written by hand print as they were reviewed, and the real headers accept them."""

from __future__ import annotations

import pytest

from support.cpp_golden import FOLDER, NAMES, kernels, printed, program
from support.golden import kept_in
from support.kernel_check import GENERATIONS, Generation, check_all, needs_compiler
from ttl.codegen.cpp import kernel_sources


@pytest.mark.parametrize("name", NAMES)
def test_the_text_is_the_one_that_was_reviewed(name: str) -> None:
    assert printed(name) == kept_in(FOLDER / name)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_program_gives_the_same_text(name: str) -> None:
    for generation in GENERATIONS:
        assert kernel_sources(program(name), generation) == kernel_sources(program(name), generation)


@pytest.mark.headers
@needs_compiler
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_headers_accept_them(generation: Generation) -> None:
    wanted = [kernel for name in NAMES for kernel in kernels(name, generation)]
    complaints = check_all(wanted)
    assert [f"{kernel.name}: {each}" for kernel, each in zip(wanted, complaints, strict=True) if each] == []
