"""Integers of the node are Python's, judged by CPython: in 32 bits, in 64, or refused, and never others than they are."""

from __future__ import annotations

import pytest

from python_semantics.chip import on_the_chip
from python_semantics.judge import judged
from python_semantics.worker import Worker
from support.compiled import complaints_about, emitted
from support.kernel_check import needs_compiler
from support.random_programs.integers import program

# Programs that are compared with the IR, and with the emulated chip.
READ, EMULATED, PRINTED = 25, 5, 6
# Of these so many may be too wide: the generator likes large numbers.
MOST_REFUSED = 0.15


def test_what_is_read_is_what_python_computes() -> None:
    judgements = [judged(program(seed)) for seed in range(READ)]
    assert [each for each in judgements if each.verdict not in ("right", "refused")] == []
    refused = [each.codes for each in judgements if each.verdict == "refused"]
    assert {code for codes in refused for code in codes} <= {"TTL1317"}
    assert len(refused) <= MOST_REFUSED * READ, refused


@needs_compiler
def test_the_emulated_chip_computes_what_python_does() -> None:
    worker = Worker()
    try:
        read = [judged(program(seed)) for seed in range(EMULATED)]
        judgements = on_the_chip(read, worker)
    finally:
        worker.close()
    assert [each for each in judgements if each.is_wrong or each.codes not in ((), ("TTL1317",))] == []
    assert sum(each.verdict == "right" for each in judgements) >= EMULATED - 1


@pytest.mark.headers
@needs_compiler
def test_the_headers_accept_64_bits() -> None:
    modules = [judged(program(seed)).module for seed in range(PRINTED)]
    compiled = [emitted(module) for module in modules if module is not None]
    texts = [
        kernel.source for each in compiled for program in each.programs["0.81"] for kernel in program.kernels
    ]
    assert sum("int64_t" in text for text in texts) > PRINTED // 2
    assert complaints_about(compiled) == []
