"""The classes as the front end, the checks and the passes use them: constructors, accessors, inverses, effects."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import Float64Type, FloatAttr, IndexType
from xdsl.dialects.test import TestOp as ValuesOp
from xdsl.ir import Block, Operation, Region, SSAValue

from support.dialect_examples import application
from ttl.dialects import ttl
from ttl.dialects.text import parse_module
from ttl.ir.locations import chain_of, location, span_of, synthetic
from ttl.ir.verifier import verify
from ttl.rows import dtypes
from ttl.rows.table import OPS
from ttl.rows.types import BlockType, Layout
from ttl.source.spans import Span

ALL_DTYPES = (*dtypes.DTYPES, dtypes.WHOLE_NUMBER, dtypes.REAL_NUMBER)
BLOCK = BlockType.of((2, 1), dtypes.BFLOAT16, Layout.TILE)
HERE = Span(file="f.py", line=3, column=5, end_line=3, end_column=20)
CALL = Span(file="f.py", line=9, column=1, end_line=10, end_column=4)
OUTER = Span(file="g.py", line=1)


def given(*types: Any) -> tuple[SSAValue, ...]:
    """Values of these types, from nowhere."""
    return tuple(ValuesOp(result_types=list(types)).results)


def number(value: float) -> SSAValue:
    """A constant, as the front end makes it for a Python float."""
    return ConstantOp(FloatAttr(value, Float64Type())).result


class TestTypes:
    @pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
    @pytest.mark.parametrize("layout", Layout)
    def test_every_element_type_has_an_inverse(self, dtype: dtypes.DType, layout: Layout) -> None:
        assert ttl.dtype_and_layout(ttl.element_type(dtype, layout)) == (dtype, layout)

    @pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
    def test_values_and_blocks_have_inverses(self, dtype: dtypes.DType) -> None:
        for shape in ((2, 1), (3, 2, 4)):
            block = BlockType.of(shape, dtype, Layout.TILE)
            assert ttl.block_type_of(ttl.value_type(block)) is block
            assert ttl.BlockMemoryType.of(block).block_type is block
            buffer = ttl.DataflowBufferType.of(block, 2)
            assert (buffer.block_type, buffer.block_count) == (block, 2)

    def test_names_are_different(self) -> None:
        assert len(set(ttl.SHORT_NAMES.values())) == len(ttl.SHORT_NAMES) == len(ALL_DTYPES)

    def test_an_accessor_knows_its_tensor(self) -> None:
        encoding = ttl.EncodingAttr("l1", ttl.LayoutAttr("tiled", "height_sharded", shard_shape=(32, 64)))
        accessor = ttl.AccessorType(ttl.tensor_type((64, ttl.DYNAMIC), dtypes.BFLOAT8_B, encoding))
        assert accessor.shape == (64, ttl.DYNAMIC)
        assert (accessor.dtype, accessor.layout) == (dtypes.BFLOAT8_B, Layout.TILE)
        assert accessor.element_type == ttl.TileType(32, 32, "bfp8")
        assert accessor.encoding.memory_space is ttl.MemoryKind.L1
        assert accessor.encoding.layout.shard_shape == (32, 64)

    def test_a_pipe(self) -> None:
        pipe = ttl.PipeAttr((0, 1), (2, ttl.SliceAttr(1, 4)))
        assert pipe.src == (0, 1)
        assert pipe.dst == (2, ttl.SliceAttr(1, 4))
        assert pipe.is_multicast
        assert list(pipe.dst[1].indices) == [1, 2, 3]  # type: ignore[union-attr]


class TestLocations:
    def test_the_place_and_the_calls(self) -> None:
        op = ttl.DmaBarrierOp()
        op.location = location(HERE, (CALL, OUTER))
        assert span_of(op) == HERE
        assert chain_of(op) == (CALL, OUTER)

    def test_equal_places_are_one_object(self) -> None:
        assert location(HERE, (CALL,)) is location(HERE, (CALL,))

    def test_what_the_compiler_made_has_no_place(self) -> None:
        op = ttl.DmaBarrierOp()
        op.location = synthetic("infer sync")
        assert span_of(op) is None
        assert chain_of(op) == ()

    def test_a_place_without_an_end(self) -> None:
        op = ttl.DmaBarrierOp()
        op.location = location(OUTER)
        assert span_of(op) == OUTER


class TestConstructors:
    def test_an_operation(self) -> None:
        body = Region(Block(arg_types=[IndexType()]))
        operation = ttl.OperationOp(
            name="f", arg_names=["n"], arg_types=[IndexType()], grid=(8, 8), body=body
        )
        kernel = ttl.ComputeKernelOp(name="compute", body=Region(Block()))
        body.block.add_op(kernel)
        assert (operation.operation_name, operation.argument_names) == ("f", ("n",))
        assert operation.kernels == (kernel,)
        assert (kernel.kind, kernel.kernel_name) == ("compute", "compute")
        assert body.block.args[0].name_hint == "n"
        assert verify(operation) == []

    def test_blocks_know_their_buffer(self) -> None:
        dfb = ttl.CreateDfbOp(type=ttl.DataflowBufferType.of(BLOCK, 2), name="a_dfb").result
        wait = ttl.DfbWaitOp(dfb)
        assert wait.result.type == ttl.BlockMemoryType.of(BLOCK)
        assert ttl.acquired_from(wait.result) is wait
        assert ttl.dfb_of(wait.result) is dfb
        (other,) = given(ttl.BlockMemoryType.of(BLOCK))
        assert ttl.acquired_from(other) is None
        assert ttl.dfb_of(other) is None
        assert ttl.DfbPopOp(wait.result, how="inferred").how == "inferred"

    def test_a_slice_with_sizes_that_are_known_later(self) -> None:
        encoding = ttl.EncodingAttr("dram", ttl.LayoutAttr("tiled"))
        (accessor,) = given(ttl.AccessorType(ttl.tensor_type((64, 64, 64), dtypes.BFLOAT16, encoding)))
        i, n = given(IndexType(), IndexType())
        slice_ = ttl.TensorSliceOp(
            accessor, [i, i, i], sizes=[2, -1, 1], single=[False, False, True], dynamic_sizes=[n]
        )
        assert slice_.size_values == (2, n, 1)
        assert slice_.single == (False, False, True)
        assert slice_.result.type == ttl.SliceType([2, -1, 1], ttl.TileType(32, 32, "bf16"))

    def test_what_is_not_given(self) -> None:
        (semaphore,) = given(ttl.SemaphoreType())
        whole_grid = ttl.GetRemoteMulticastSemaphoreOp(semaphore)
        assert (len(whole_grid.starts), len(whole_grid.stops)) == (0, 0)
        assert ttl.PrintOp(["done"], []).num_pages is None
        assert ttl.AcquireDstOp().index is None
        (transfer,) = given(ttl.TransferType())
        assert ttl.WaitOp(transfer).how == "explicit"


@pytest.mark.parametrize("row", OPS, ids=lambda row: row.name)
class TestExpressions:
    def test_parameters_come_back(self, row: Any) -> None:
        operands, params, result = application(row)
        op = ttl.COMPUTE[row.name](given(*map(ttl.value_type, operands)), params, result)
        assert op.params == params
        assert [type(value) for value in op.params] == [type(value) for value in params]
        assert op.row is row
        assert ttl.block_type_of(op.result.type) is result  # type: ignore[arg-type]
        op.verify()

    def test_a_wrong_result_is_refused(self, row: Any) -> None:
        operands, params, result = application(row)
        other = result.with_shape((*result.shape, 7))
        op = ttl.COMPUTE[row.name](given(*map(ttl.value_type, operands)), params, other)
        (report,) = verify_one(op)
        assert report.startswith(f"'ttl.block_{row.name}' op the result is ")


def verify_one(op: Operation) -> list[str]:
    """What is wrong with an operation whose operands come from nowhere."""
    body = Block([*dict.fromkeys(operand.owner for operand in op.operands), op])  # type: ignore[misc]
    kernel = Block([ttl.ComputeKernelOp(name="compute", body=Region(body))])
    operation = ttl.OperationOp(name="f", arg_names=[], arg_types=[], grid=(1, 1), body=Region(kernel))
    return [report.message for report in verify(operation)]


class TestNumbers:
    """A number among the operands is a constant of ``arith``; its value can matter."""

    def test_a_constant_is_checked_with_its_value(self) -> None:
        whole = BlockType.of((2, 1), dtypes.INT32, Layout.TILE)
        (block,) = given(ttl.value_type(whole))
        assert verify_one(ttl.COMPUTE["add"]([block, number(2.0)], (), whole)) == []
        (block,) = given(ttl.value_type(whole))
        (wrong,) = verify_one(ttl.COMPUTE["add"]([block, number(2.5)], (), whole))
        assert "2.5" in wrong

    def test_a_number_that_is_known_later(self) -> None:
        block, later = given(ttl.value_type(BLOCK), Float64Type())
        assert verify_one(ttl.COMPUTE["mul"]([block, later], (), BLOCK)) == []


PARAMETERS: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**62, 1.0, -0.5, 1e-300, "fast", (), (1,), (-1, 2)),
    *(dtypes.BFLOAT16, dtypes.BFLOAT4_B, Layout.TILE, Layout.ROW_MAJOR, ("a", 1.5)),
)


@pytest.mark.parametrize("value", PARAMETERS, ids=str)
def test_a_parameter_as_an_attribute(value: Any) -> None:
    found = ttl.value_of(ttl.attribute_of(value))
    assert found == value
    assert type(found) is type(value)


def test_other_things_are_no_parameters() -> None:
    with pytest.raises(TypeError, match="is not a parameter of an operation"):
        ttl.attribute_of(object())


class TestVerifier:
    def test_values_of_blocks_above_are_seen_in_those_below(self) -> None:
        text = """
            func.func @f(%c: i1) {
              %i = arith.constant 0 : index
              cf.cond_br %c, ^left, ^right
            ^left:
              %j = arith.addi %i, %i : index
              cf.br ^end
            ^right:
              %k = arith.addi %i, %{name} : index
              cf.br ^end
            ^end:
              func.return
            }
        """
        assert verify(parse_module(text.replace("{name}", "i"))) == []
        (report,) = verify(parse_module(text.replace("{name}", "j")))
        assert report.message == "operand #1 does not dominate this use"
        assert report.span is not None
        assert report.span.line == 9
        assert [(note.message, note.span.line) for note in report.notes if note.span] == [
            ("operand defined here (op in another block or region)", 6)
        ]
