"""Variables that hold another kind of value after an iteration: the kind that a loop carries is told before, or follows from the rules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import ttnn
from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from python_semantics.judge import judged
from support.random_programs.python.programs import Program, load, unload
from ttl.dialects.elements import block_type_of
from ttl.frontend.live import lower_call
from ttl.ir.verifier import require_valid

NUMBERS = {
    "an integer becomes a float": "t = 0\nfor i in range(n + 1):\n    t = t + i * 0.5\nprint(t)",
    "under a condition": "t = 0\nfor i in range(n + 1):\n    if i == 2:\n        t += 0.5 * n\nprint(t)",
    "two in turn": "a, b = 0, 0\nfor i in range(n + 1):\n    a, b = b + 1, a + 0.5 * n\nprint(a)\nprint(b)",
    "in an inner loop": "t = 0\nfor i in range(n + 1):\n    for k in range(n + 1):\n        t = t + k * 0.25\nprint(t)",
    "by a function": "def f(v):\n    return v / 2\nt = 1\nfor i in range(n + 1):\n    t = f(t)\nprint(t)",
    "by a function with nonlocal": "t = 0\ndef f():\n    nonlocal t\n    t = t + n * 0.5\nfor i in range(n + 1):\n    f()\nprint(t)",
    "a condition becomes an integer": "f = False\nfor i in range(n + 1):\n    f = f + 1\nprint(f)",
    "the larger of two": "f = 0\nfor i in range(n + 1):\n    f = max(f, i * 0.5)\nprint(f)",
    "in while": "t = i = 0\nwhile i < n:\n    i += 1\n    t = t + i * 0.5\nprint(t)",
    "in while in for": "t = 0\nfor i in range(n + 1):\n    k = 0\n    while k < i:\n        k += 1\n        t += 0.5 * k\nprint(t)",
    "members with their numbers": "t = 0\nfor i, v in enumerate(range(n + 1)):\n    t = t + v * 0.5\nprint(t)",
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name: str) -> None:
    judgement = judged(Program(name="numbers", movement=NUMBERS[name]))
    assert judgement.verdict == "right", judgement


def test_a_number_of_another_kind_than_was_told_is_refused_or_its_loop_unrolled() -> None:
    # ``t`` is no integer that 32 bits hold for certain, which the kernel cannot compute in a loop of the node.
    program = "t = 0\nfor i in range(n + 1):\n    t = t + i * 0.5\n    print(t)\n    t = int(t)\nprint(t)"
    judgement = judged(Program(name="numbers", movement=program))
    assert judgement.verdict == "refused" and judgement.codes == ("TTL1305",)


OPERATION = """
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    f_dfb = ttl.make_dataflow_buffer_like(f, shape=(1, 1))
    w_dfb = ttl.make_dataflow_buffer_like(w, shape=(1, 1))
    n = ttl.node(dims=1)

    @ttl.compute()
    def compute():
        t = u = ttl.block.fill(0, shape=(1, 1))
        with dfb.wait() as blk, f_dfb.wait() as real, w_dfb.wait() as whole, dfb.reserve() as out:
"""
# The element types of what the loops of a program carry, outermost loop first; whole is of no type yet.
BLOCKS = {
    "for k in range(4):\n    t = t + blk": ["bfloat16"],
    "for k in range(4):\n    t = t * 2": ["number"],
    "for k in range(4):\n    t = t + whole": ["int32"],
    "for k in range(4):\n    v = t * 2 + 1\n    t = v + blk": ["bfloat16"],
    "for k in range(4):\n    t = (t + blk) * real": ["float32"],
    "for k in range(4):\n    u = t + u\n    t = t * real": ["float32", "float32"],
    "for k in range(4):\n    out.store(t)\n    t = t + blk": ["bfloat16"],
    "for k in range(4):\n    for j in range(3):\n        t = t * 2\n    t = t + blk": [
        "bfloat16",
        "bfloat16",
    ],
    "for k in range(n + 1):\n    v = t\n    for j in range(n + 2):\n        v = v * 2\n        if n == 3:\n            v = v + t\n    t = v + blk": [
        "bfloat16",
        "bfloat16",
    ],
    "for k in range(4):\n    v = t if n == k else blk\n    t = v + real": ["float32"],
    "for k in range(4):\n    t, u = u * 2, t + blk": ["bfloat16", "bfloat16"],
    "for k in range(4):\n    j = n\n    while j > 0:\n        j = j - 1\n        t = t * 2\n    t = t + blk": [
        "bfloat16",
        "bfloat16",
    ],
}


def carried(operation: Operation) -> Iterator[str]:
    """The element types of the block expressions that loops carry."""
    for inner in operation.walk():
        if isinstance(inner, affine.ForOp | scf.ForOp | scf.WhileOp):
            types = [result.type for result in inner.results]
            yield from (block_type_of(type).dtype.name for type in types if isinstance(type, TensorType))


@pytest.mark.parametrize("body", BLOCKS)
def test_block_expressions(body: str) -> None:
    lines = "".join(f"            {line}\n" for line in body.split("\n"))
    program = Program(
        name="blocks",
        movement="pass",
        functions=f"@ttl.operation(grid=(2, 3))\ndef typed(a, f, w):{OPERATION}{lines}",
    )
    types = (ttnn.bfloat16, ttnn.float32, ttnn.int32)
    tensors = tuple(ttnn.zeros((32, 32), dtype=dtype, layout=ttnn.TILE_LAYOUT) for dtype in types)
    try:
        lowered = lower_call(load(program).scope["typed"], tensors, {})
    finally:
        unload(program)
    assert [finding.message for finding in lowered.diagnostics] == []
    require_valid(lowered.module)
    assert list(carried(lowered.module)) == BLOCKS[body]
