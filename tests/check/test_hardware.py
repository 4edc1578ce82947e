"""What the chip does not do as the simulator does."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

from support.memory_ir import Program, elements, line_of, place, tensor, tiles
from ttl.check.hardware import check
from ttl.diag import Diagnostic, Severity
from ttl.dialects import ttl as dialect
from ttl.dialects.ttl import COMPUTE
from ttl.rows.dtypes import BFLOAT16, FLOAT32, INT32, UINT16, DType
from ttl.rows.types import BlockType

TILE = tiles(1, 1)


def only(found: list[Diagnostic]) -> Diagnostic:
    (finding,) = found
    return finding


# --- semaphores -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("semaphores", "nets"), [(14, 1), (15, 1), (14, 9), (16, 0), (0, 9)])
def test_semaphores_of_the_program_and_of_pipes(semaphores: int, nets: int) -> None:
    p = Program((2, 1))
    for number in range(semaphores):
        p.semaphore(f"s{number}")
    dfb = p.buffer("dfb", TILE)
    made = [p.net(((0, 0), (1, 0))) for _ in range(nets)]
    with p.kernel("move"):
        for net in made:
            with p.if_pipe(net, "src") as pipe:
                p.send(dfb, pipe)
            with p.if_pipe(net, "dst") as pipe:
                p.receive(pipe, dfb)
    found = p.found_by(check)
    needed = semaphores + 2
    assert bool(found) is (nets > 0 and needed > 16)
    if found:
        assert (only(found).code, only(found).severity) == ("TTL0820", Severity.WARNING)
        assert only(found).message.startswith(f"{needed} semaphores")


# --- alignment ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "memory", "arch", "reads", "writes"),
    [
        (16, "dram", "wormhole", False, False),
        (16, "dram", "blackhole", False, False),
        (8, "dram", "wormhole", False, False),
        (8, "l1", "wormhole", False, False),
        (4, "l1", "blackhole", False, True),
        (5, "dram", "blackhole", True, True),
    ],
)
def test_row_major_slices_that_begin_within_a_unit_of_transfer(
    columns: int, memory: str, arch: str, reads: bool, writes: bool
) -> None:
    """bfloat16: 16 columns are 32 bytes. Rows of whole words are read and then shifted."""
    type_ = tensor(4, 128, layout="row_major", memory=memory)
    p = Program((1, 1), x=type_, y=type_)
    dfb = p.buffer("dfb", elements(columns))
    with p.kernel("read"), p.loop("m", 0, 3) as m:
        read = p.read(dfb, "x", 0, (p.times(m, columns), columns))
    with p.kernel("write"), p.loop("m", 0, 3) as m:
        write = p.write(dfb, "y", 0, (p.times(m, columns), columns))
    found = p.found_by(check, arch)
    assert all(finding.code == "TTL0821" for finding in found)
    places = [
        place(copy.operands[end].owner) for copy, end, bad in ((read, 0, reads), (write, 1, writes)) if bad
    ]
    assert [line_of(finding) for finding in found] == places


def test_whole_rows_and_tiles_are_aligned() -> None:
    p = Program((1, 1), x=tensor(50, 99, dtype=FLOAT32, layout="row_major"), y=tensor(64, 64))
    row, tile = p.buffer("row", elements(99, dtype=FLOAT32)), p.buffer("tile", TILE)
    with p.kernel("read"), p.loop("m", 0, 50) as m:
        p.read(row, "x", m, (0, 99))
        p.read(tile, "y", 1, 1)
    assert not p.found_by(check)


# --- compute --------------------------------------------------------------------------------------------------


class Compute:
    """A compute kernel over one block."""

    def __init__(self, dtype: DType = BFLOAT16) -> None:
        self.program = Program((1, 1))
        self.type = tiles(1, 1, dtype=dtype)
        self.dfb = self.program.buffer("dfb", self.type)

    def read(self) -> SSAValue:
        block = self.program.emit(dialect.DfbWaitOp(self.dfb)).result
        value: SSAValue = self.program.emit(dialect.BlockReadOp(block)).result
        return value

    def op(self, name: str, operands: list[SSAValue], *given: object) -> SSAValue:
        kind = COMPUTE[name]
        params = given or tuple(param.default for param in kind.ROW.params)
        types = tuple(dialect.block_type_of(operand.type) for operand in operands)
        result = kind.ROW.infer(types, params)
        assert isinstance(result, BlockType), result
        value: SSAValue = self.program.emit(kind(operands, params, result)).result
        return value


@pytest.mark.parametrize(
    ("row", "dtype", "wrong"),
    [
        ("reduce_sum", BFLOAT16, False),
        ("reduce_sum", INT32, False),
        ("reduce_sum", UINT16, True),
        ("reduce_max", FLOAT32, False),
        ("reduce_max", INT32, True),
    ],
)
def test_reductions_of_integers(row: str, dtype: DType, wrong: bool) -> None:
    c = Compute(dtype)
    with c.program.kernel("compute", compute=True):
        c.op(row, [c.read()], (-1,), None)
    found = c.program.found_by(check)
    assert [finding.code for finding in found] == ["TTL0822"] * wrong


def test_elementwise_operations_on_integers_are_fine() -> None:
    c = Compute(INT32)
    with c.program.kernel("compute", compute=True):
        x = c.read()
        c.op("add", [x, x])
    assert not c.program.found_by(check)


@pytest.mark.parametrize(
    ("dims", "where"), [((-1,), "column 0"), ((-2,), "row 0"), ((0, 1), "element (0, 0)"), ((1,), "column 0")]
)
def test_a_reduction_beside_what_it_was_reduced_from(dims: tuple[int, ...], where: str) -> None:
    c = Compute()
    with c.program.kernel("compute", compute=True):
        x = c.read()
        largest = c.op("reduce_max", [x], dims, None)
        difference = c.op("sub", [x, largest])
    finding = only(c.program.found_by(check))
    assert (finding.code, finding.severity) == ("TTL0823", Severity.WARNING)
    assert where in finding.message
    assert line_of(finding) == place(difference.owner)
    assert [label.span.line for label in finding.secondary] == [place(largest.owner)]


def test_a_reduction_that_went_through_other_operations() -> None:
    c = Compute()
    with c.program.kernel("compute", compute=True):
        x = c.read()
        total = c.op("recip", [c.op("reduce_sum", [c.op("exp", [x])], (-1,), None)])
        c.op("mul", [c.op("exp", [x]), total])
    assert only(c.program.found_by(check)).code == "TTL0823"


def test_a_reduction_that_is_broadcast() -> None:
    c = Compute()
    with c.program.kernel("compute", compute=True):
        x = c.read()
        largest = c.op("reduce_max", [x], (-1,), None)
        c.op("sub", [x, c.op("broadcast", [largest], (-1,), (1, 1))])
    assert not c.program.found_by(check)


def test_reductions_among_themselves_and_with_other_blocks() -> None:
    """The running maximum of an online softmax: a column each, whatever its other elements hold."""
    c = Compute()
    with c.program.kernel("compute", compute=True):
        x, before = c.read(), c.read()
        largest = c.op("reduce_max", [x], (-1,), None)
        c.op("max", [before, largest])
        c.op("mul", [c.op("reduce_sum", [x], (-1,), None), largest])
    assert not c.program.found_by(check)


# --- float32 that the matrix unit reads, too -------------------------------------------------------------------


def test_a_float32_block_that_a_product_and_something_else_read() -> None:
    c = Compute(FLOAT32)
    with c.program.kernel("compute", compute=True):
        x = c.read()
        c.op("matmul", [x, c.op("transpose", [x])])
        power = c.op("exp", [x])
    finding = only(c.program.found_by(check))
    assert (finding.code, finding.severity) == ("TTL0824", Severity.WARNING)
    assert "11 of its 24 bits" in finding.message
    assert line_of(finding) == place(power.owner)


@pytest.mark.parametrize(
    ("dtype", "rows"), [(BFLOAT16, ("matmul", "exp")), (FLOAT32, ("exp",)), (FLOAT32, ("matmul",))]
)
def test_blocks_of_which_all_bits_are_kept_or_products_only(dtype: DType, rows: tuple[str, ...]) -> None:
    c = Compute(dtype)
    with c.program.kernel("compute", compute=True):
        x = c.read()
        for row in rows:
            c.op(row, [x, x] if row == "matmul" else [x])
    assert not c.program.found_by(check)
