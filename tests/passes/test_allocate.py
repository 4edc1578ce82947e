"""``ttl-allocate``: limits of a chip that are too many lines for a file of IR.

``lit/allocate.mlir`` shows which numbers buffers and semaphores get, which buffers are one, and which share memory;
``lit/not_allocated.mlir`` shows what does not fit.
"""

from __future__ import annotations

from dataclasses import replace

from ttl.arch import chip_named
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.text import parse_module
from ttl.passes.allocate import allocate

WORMHOLE = chip_named("wormhole")
DFB = "!ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>"


def problem_of(*lines: str, buffers: int = WORMHOLE.dataflow_buffers) -> Diagnostic:
    """What does not fit of an operation on a chip with a number of dataflow buffers."""
    (op,) = parse_module(f"ttl.operation @f() grid <1x1> {{ {' '.join(lines)} }}").body.block.ops
    assert isinstance(op, dialect.OperationOp)
    (problem,) = allocate(op, replace(WORMHOLE, dataflow_buffers=buffers))
    return problem


def test_too_many_buffers_with_those_of_the_compiler() -> None:
    problem = problem_of(
        f'%a = ttl.create_dfb "a" : {DFB}',
        f'%b = ttl.create_dfb "b" : {DFB}',
        f'%t = ttl.create_dfb "t" {{ttl.made_by = "compiler"}} : {DFB}',
        buffers=2,
    )
    assert (problem.code, problem.message) == (
        "TTL1431",
        "2 dataflow buffers of the program and 1 that the compiler needs, and a node of wormhole has 2",
    )


def test_too_many_semaphores_are_reported_as_the_checks_report_them() -> None:
    problem = problem_of(*(f'%s{index} = ttl.create_semaphore "s{index}" = 0' for index in range(17)))
    assert problem.code == "TTL0803"
