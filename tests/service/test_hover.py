"""What a hover says of each kind of thing, in words that are asserted where they are the product."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.queries import PATH, PROGRAM, analysed, place, typed
from ttl.arch import chip_named
from ttl.service.analysis import Analysis
from ttl.service.hover import hover

EXAMPLES = Path(__file__).parents[2] / "examples"
ATTENTION = EXAMPLES / "flash_attention.py"


@pytest.fixture(scope="module")
def program() -> Analysis:
    return analysed(PATH, PROGRAM)[1]


@pytest.fixture(scope="module")
def attention() -> Analysis:
    return analysed(str(ATTENTION), ATTENTION.read_text(encoding="utf-8"))[1]


def said(analysis: Analysis, marked: str, at: int = 0) -> str:
    about = hover(analysis, *place(analysis.text.text, marked, at), chip_named("wormhole"))
    assert about is not None
    return about.text


def test_a_block(attention: Analysis) -> None:
    assert said(attention, "[head, query_rows, :], q_|blk)").splitlines() == [
        "```python",
        "(block) q_blk: bfloat16, (4, 2) tiles = (128, 64) elements",
        "```",
        "",
        "- Of dataflow buffer `q_dfb`: `reserve()` in kernel `read`, line 47",
        "- 16,384 bytes, one of 2 blocks",
        "- State before this line: **must be written**; after it: **being copied into, no access**",
        "- Next the kernel may wait for the copy",
        "",
        "- Producer: data movement kernel `read`, which reserves in line 47",
        "- Consumer: compute kernel `compute`, which waits in line 65",
    ]


def test_a_buffer(attention: Analysis) -> None:
    text = said(attention, "k_|dfb = ")
    assert "2 blocks of bfloat16, (4, 2) tiles = (128, 64) elements" in text
    assert "16,384 bytes × 2 blocks = 32,768 bytes of L1 on every node" in text
    assert "Producer: data movement kernel `read`" in text and "Consumer: compute kernel `compute`" in text


def test_a_function_with_its_hardware_cost_and_the_shape_of_this_call(attention: Analysis) -> None:
    text = said(attention, "ttl.math.reduce_|sum(weights")
    assert "ttl.math.reduce_sum(expr: BlockExpr, dims: Sequence[int] | int" in text
    assert "Sum over dimensions." in text and "`reduce_tile`" in text
    assert text.endswith("Here: bfloat16, (4, 1) tiles = (128, 32) elements")
    exp = said(attention, "ttl.math.e|xp(previous")
    assert "- Hardware: `exp_tile`" in exp and "cycles for a tile of 32x32 on Wormhole B0" in exp


def test_an_operator_is_the_expression(attention: Analysis) -> None:
    text = said(attention, "q_blk |@ ttl.block")
    assert text.splitlines()[1] == (
        "(expression) q_blk @ ttl.block.transpose(k_blk): bfloat16, (4, 4) tiles = (128, 128) elements"
    )


def test_numbers_tensors_and_kernels(attention: Analysis) -> None:
    assert "(number) item: 0 to 63, known on the node only" in said(attention, "for it|em in own_work")
    assert "(tensor) q: bfloat16, (8, 1024, 64) elements, tiled, DRAM, interleaved" in said(
        attention, "def attention(|q:"
    )
    kernel = said(attention, "def re|ad()")
    assert "(data movement kernel) read" in kernel and "Produces blocks of `k_dfb`" in kernel


def test_an_operation_says_what_it_was_checked_with(attention: Analysis) -> None:
    assert "- `q: 8x1024x64 bfloat16, k: 8x1024x64 bfloat16, v: 8x1024x64 bfloat16" in said(
        attention, "def atten|tion("
    )


def test_a_loop_gives_several_states(program: Analysis) -> None:
    text = said(program, "total += a_|blk")
    assert "State before this line: **filled, not read yet or may be read and written**" in text
    assert "The language infers the pop behind line 24" in text


def test_a_transfer_says_what_started_it(program: Analysis) -> None:
    assert "- Started in line 31: `ttl.copy(y_blk, y[i, 0])`" in said(program, "x|f.wait()")


def test_nothing_is_said_in_texts_and_comments(program: Analysis) -> None:
    other = typed(program, 15, '            x = "a_blk"  # a_blk')
    for column in (18, 29):
        assert hover(other, 15, column) is None


def test_beside_a_syntax_error_it_is_what_was_known(program: Analysis) -> None:
    broken = typed(program, 14, "            a_blk = a_dfb.")
    text = said(broken, "total += a_|blk")
    assert "(block) a_blk: bfloat16, (1, 1) tile" in text.replace("tiles", "tile")
    assert text.endswith("*for the last version of the text that could be read*")


VARYING = """\
import ttl
import ttnn


def touch(dfb):
    with dfb.wait() as blk:
        ttl.copy(blk, OUT[0, 0])


@ttl.example(ttl.TensorSpec((64, 64)), 1)
@ttl.example(ttl.TensorSpec((128, 64)), 4)
@ttl.operation(grid=(1, 1))
def copy_rows(a: ttnn.Tensor, rows) -> None:
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(rows, 1))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk:
            ttl.copy(a[0:rows, 0], a_blk)

    @ttl.datamovement()
    def write():
        with a_dfb.wait() as b_blk:
            ttl.copy(b_blk, a[0:rows, 0])
"""


def test_what_differs_from_call_to_call_is_listed() -> None:
    analysis = analysed(PATH, VARYING)[1]
    assert "(number) rows: 1 to 4" in said(analysis, "shape=(ro|ws, 1)")
    text = said(analysis, "], a_|blk)")
    assert "(1, 1) tiles = (32, 32) elements or bfloat16, (4, 1) tiles = (128, 32) elements" in text
