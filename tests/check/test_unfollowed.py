"""``ttl check`` says where it could not follow a kernel to its end: what hangs there is not among its findings."""

from __future__ import annotations

from pathlib import Path

from support.memory_ir import Program, tiles
from ttl import settings
from ttl.check.context import CheckContext
from ttl.check.deadlock import unfollowed
from ttl.check.file import check_file
from ttl.settings import current_chip

WHILE = """
import ttl
import ttnn

@ttl.example(ttl.TensorSpec((128, 32), ttnn.bfloat16), ttl.TensorSpec((128, 32), ttnn.bfloat16))
@ttl.operation(grid=(1, 1))
def copy(x, y):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def write():
        for m in range(4):
            with dfb.wait() as blk:
                ttl.copy(blk, y[m, 0]).wait()

    @ttl.datamovement()
    def read():
        m = 0
        while m < 4:
            for n in range(2):
                if n == 1:
                    with dfb.reserve() as blk:
                        ttl.copy(x[m, 0], blk).wait()
            m += STEP
"""


def not_checked(tmp_path: Path, step: int) -> tuple[str, ...]:
    program = tmp_path / "mine.py"
    program.write_text(WHILE.replace("STEP", str(step)))
    return check_file(str(program), settings.current()).not_checked


def test_a_while_loop_that_does_not_end_is_said_not_to_be_checked(tmp_path: Path) -> None:
    assert not_checked(tmp_path, 0) == (
        "operation copy in line 19: a while loop runs too often to follow it; "
        "a deadlock of kernel read from there on would not be found",
    )


def test_nothing_is_said_of_a_while_loop_that_was_followed_to_its_end(tmp_path: Path) -> None:
    assert not_checked(tmp_path, 1) == ()


def test_what_concerns_several_kernels_is_said_of_the_operation() -> None:
    p = Program((2, 1))
    dfb = p.buffer("a_dfb", tiles(1, 1))
    net = p.net(((0, 0), (1, 0)))
    for name in ("first", "second"):
        with p.kernel(name), p.if_pipe(net, "src") as pipe:
            p.send(dfb, pipe)
    operation = p.built()
    assert unfollowed(operation, CheckContext(chip=current_chip(), strict=False, grid=(2, 1))) == (
        "operation example: two kernels of a node use the same end of a pipe; a deadlock would not be found"
    )
