"""Kernels in ``emitc``: what is printed of them computes what the kernels mean, and the real headers accept it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cpp_execute import pushed
from support.cpp_golden import ARGUMENTS, NAMES, program
from support.kernel_check import GENERATIONS, Generation, Kernel, check_all, needs_compiler
from support.kernel_programs import Rejected, generate, observed
from ttl.codegen.cpp import file_names
from ttl.codegen.emitc.export import export
from ttl.dialects.ttkernel import ProgramOp
from ttl.emitc.printer import print_cpp
from ttl.ir.failure import NotLowered
from ttl.ir.verifier import require_valid

COUNT = 60
INPUTS = ((0, 1, 2, 3), (7, 50, 4, 31))


@needs_compiler
def test_what_is_printed_computes_what_the_kernel_means(tmp_path: Path) -> None:
    modules, inputs, expected = {}, {}, {}
    for seed in range(COUNT):
        made = generate(seed)
        try:
            modules[seed] = export(made)
        except NotLowered as refused:
            assert {each.code for each in refused.diagnostics} == {"TTL1490"}
            continue
        require_valid(modules[seed])
        for number, arguments in enumerate(INPUTS):
            try:
                expected[seed, number] = observed(made, arguments)
            except Rejected:
                continue
            inputs[seed, number] = arguments
    assert len(modules) > COUNT // 2
    texts = {seed: print_cpp(module, file="read.cpp") for seed, module in modules.items()}
    found = pushed(texts, inputs, tmp_path, warnings=False)
    wrong = {key for key in expected if found[key] != expected[key]}
    assert wrong == set(), "\n".join(texts[seed] for seed in sorted({seed for seed, _ in wrong})[:2])


@pytest.mark.headers
@needs_compiler
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_headers_accept_it(generation: Generation) -> None:
    kernels = []
    for name in NAMES:
        found = program(name)
        files = file_names(found)
        module = export(found, generation)
        for kernel in found.kernels:
            text = print_cpp(module, file=files[kernel.declared_name])
            kind = "compute" if kernel.thread == "tensix" else "datamovement"
            kernels.append(Kernel(generation=generation, kind=kind, text=text, defines=ARGUMENTS, name=name))
    assert [complaint for complaint in check_all(kernels) if complaint] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_kernel_is_a_file(name: str) -> None:
    found = program(name)
    module = export(found)
    require_valid(module)
    files = [op.properties["id"].data for op in module.body.block.ops]
    assert files == list(file_names(found).values())


def test_a_while_loop_is_refused_where_it_is() -> None:
    for seed in range(200):
        made: ProgramOp = generate(seed)
        if any(op.name == "scf.while" for op in made.walk()):
            break
    with pytest.raises(NotLowered) as refused:
        export(made)
    assert refused.value.diagnostics[0].code == "TTL1490"
