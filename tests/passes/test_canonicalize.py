"""``ttl-canonicalize``: programs mean what they meant, everything keeps its place, a second run changes nothing.

``lit/canonicalize.mlir`` shows what it changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import ModuleOp, UnknownLoc

from support.kernel_programs import Rejected, generate, observed
from ttl.analysis.arithmetic import integer_of
from ttl.dialects import ttl as dialect
from ttl.dialects.ttkernel import ProgramOp
from ttl.frontend.file import lower_file
from ttl.ir.locations import synthetic
from ttl.ir.verifier import require_valid
from ttl.passes.canonicalize import CanonicalizeKernels, CanonicalizeOperations

EXAMPLES = Path(__file__).parents[2] / "examples"
ARGUMENTS = [(0, 0, 0, 0), (1, 2, 3, 4), (7, 0, 1, 100), (2, 5, 3, 1)]


def shown(program: ProgramOp, arguments: Sequence[int]) -> list[int] | None:
    """What a kernel shows; nothing where it computes what no program may."""
    try:
        return observed(program, arguments)
    except Rejected:
        return None


def with_affine_loops(program: ProgramOp) -> None:
    """Loops with constant bounds as the front end writes them."""
    for loop in [op for op in program.walk() if isinstance(op, scf.ForOp)]:
        first, stop, step = map(integer_of, (loop.lb, loop.ub, loop.step))
        if first is None or stop is None or step is None:
            continue
        body, types = loop.detach_region(loop.body), [result.type for result in loop.results]
        end = body.block.last_op
        assert end is not None and loop.parent is not None
        body.block.add_op(affine.YieldOp.get(*end.operands))
        body.block.erase_op(end)
        made = affine.ForOp.from_region([], [], list(loop.iter_args), types, first, stop, body, step)
        loop.parent.insert_op_before(made, loop)
        for old, new in zip(loop.results, made.results, strict=True):
            old.replace_all_uses_with(new)
        loop.parent.erase_op(loop)


@pytest.mark.parametrize("seed", range(120))
def test_random_arithmetic_means_the_same(seed: int) -> None:
    program = generate(seed)
    if seed % 2:
        with_affine_loops(program)
    module = ModuleOp([program])
    for number, op in enumerate(module.walk()):
        op.location = synthetic(f"op {number}")
    require_valid(module)
    before = [shown(program, each) for each in ARGUMENTS]
    count = sum(1 for _ in module.walk())
    CanonicalizeKernels().apply(Context(), module)
    require_valid(module)
    after = [shown(program, each) for each in ARGUMENTS]
    assert [new for new, old in zip(after, before, strict=True) if old is not None] == [
        old for old in before if old is not None
    ]
    assert sum(1 for _ in module.walk()) <= count
    assert not [op for op in module.walk() if isinstance(op.location, UnknownLoc)]
    text = str(module)
    CanonicalizeKernels().apply(Context(), module)
    assert str(module) == text


@pytest.mark.parametrize("name", sorted(each.name for each in EXAMPLES.glob("*.py")))
def test_examples(name: str) -> None:
    module = lower_file(str(EXAMPLES / name)).module
    transfers = (dialect.CopyOp, dialect.WaitOp, dialect.AcquireOp, dialect.ReleaseOp, dialect.BlockStoreOp)
    effects = [op.name for op in module.walk() if isinstance(op, transfers)]
    CanonicalizeOperations().apply(Context(), module)
    require_valid(module)
    found = [op.name for op in module.walk() if isinstance(op, transfers)]
    assert found == effects
    text = str(module)
    CanonicalizeOperations().apply(Context(), module)
    assert str(module) == text
