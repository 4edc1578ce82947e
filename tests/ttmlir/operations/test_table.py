"""The table of operations: as many as the reference of 2024-11-21 has, our additions, and a class for every row."""

from __future__ import annotations

import re
from typing import Any

import pytest
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
    f32,
    i1,
    i32,
)
from xdsl.dialects.tensor import EmptyOp

from tt_model.cost.operations import WORK
from tt_model.emulated.kernel_choice import PROGRAMS
from tt_model.layouts.values import LayoutError
from tt_model.operations import kinds
from tt_model.operations.dialects import all_rows, build, dialect_named, operation_class, rows_of
from tt_model.operations.elementwise import TTIRElementwiseOp
from tt_model.operations.fields import attribute, operand
from tt_model.operations.file_fields import fields_of
from tt_model.operations.file_tables import class_in_file
from tt_model.operations.operation import TTNNOperation, is_destination_style, row_of
from tt_model.operations.row import FlatbufferTable, NoLowering, Row, SameOperation, WithoutInit
from tt_model.operations.shared import TTIRTransposeOp
from tt_model.operations.stages import PerClass
from tt_model.operations.ttir import TTIRConv2dOp
from tt_model.operations.ttkernel import LATER_CALLS
from tt_model.operations.ttnn import TTNNDeallocateOp, TTNNGetDeviceOp
from tt_model.reference.meanings import MEANINGS
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.steps import STEPS, operation_of
from ttmlir.standalone.library_functions import CALLS, of_class
from ttmlir.transforms.decomposition import DECOMPOSITIONS
from ttmlir.transforms.to_ttnn import RULES
from ttmlir.translate.tables import TABLES

TENSOR = TensorType(f32, [4, 8])
# Not of 2024-11-21: operations of TT-Lang in models, what writes in place, and calls of the kernel API for what that compiler does not bring to TTMetal.
LATER = {
    *("ttir.all_reduce", "ttir.mesh_shard", "ttir.reduce_scatter", "ttir.tt_lang_op"),
    *("ttnn.generic", "ttnn.mesh_shard", "ttnn.tt_lang_op"),
    *("ttir.fill_cache", "ttir.update_cache", "ttnn.copy", "ttnn.fill_cache", "ttnn.update_cache"),
    *(f"ttkernel.{name}" for name in LATER_CALLS),
}


@pytest.mark.parametrize(("dialect", "count"), [("ttir", 69), ("ttnn", 63), ("ttmetal", 5), ("ttkernel", 53)])
def test_every_operation_of_the_reference_has_a_row(dialect: str, count: int) -> None:
    assert len(rows_of(dialect).by_name.keys() - LATER) == count
    assert len({op.name for op in dialect_named(dialect).operations} - LATER) == count


@pytest.mark.parametrize("row", all_rows(), ids=lambda row: row.name)
def test_a_row_names_its_groups_once(row: Row) -> None:
    names = [operand.name for operand in row.operands]
    assert len(set(names)) == len(names)
    assert row.inits is None or row.inits in names
    variable = [operand for operand in row.operands if operand.arity != "one"]
    assert (row.segments or row.inits_by_results) == (len(variable) > 1)


def test_build_converts_values_and_fills_in_sizes_and_defaults() -> None:
    value = EmptyOp([], TENSOR)
    add = build(
        "ttir.add", [[value.tensor, value.tensor], value.tensor], [TENSOR], {"operand_constraints": []}
    )
    assert str(add.properties["operandSegmentSizes"]) == "array<i32: 2, 1>"
    assert isinstance(add, TTIRElementwiseOp)
    assert add.inputs == (value.tensor, value.tensor)
    assert add.inits == (value.tensor,)
    transpose = build("ttir.transpose", [value.tensor] * 2, [TENSOR], {"dim0": 0, "dim1": -1})
    assert transpose.properties["dim1"] == IntegerAttr(-1, kinds.si32)
    assert isinstance(transpose, TTIRTransposeOp)
    assert transpose.dim1 == -1
    deallocate = build("ttnn.deallocate", [value.tensor], [])
    assert deallocate.properties["force"] == IntegerAttr(0, i1)
    assert isinstance(deallocate, TTNNDeallocateOp)
    assert not deallocate.force


def test_groups_with_an_operand_that_may_be_absent() -> None:
    one, two, three = (EmptyOp([], TENSOR).tensor for _ in range(3))
    without = build("ttir.conv2d", [one, two, None, three], [TENSOR])
    assert isinstance(without, TTIRConv2dOp)
    assert without.bias is None
    assert without.output is three
    complete = build("ttir.conv2d", [one, two, one, three], [TENSOR])
    assert isinstance(complete, TTIRConv2dOp)
    assert complete.bias is one
    assert complete.inits == (three,)


def test_rows_and_style_of_operations() -> None:
    value = EmptyOp([], TENSOR)
    assert row_of(value) is None
    assert not is_destination_style(value)
    relu = build("ttir.relu", [value.tensor, value.tensor], [TENSOR])
    assert row_of(relu) is operation_class("ttir.relu").ROW
    assert is_destination_style(relu)
    assert not is_destination_style(build("ttnn.softmax", [value.tensor], [TENSOR], {"dimension": 1}))


def test_inherent_attributes_become_properties_and_unknown_properties_go() -> None:
    value = EmptyOp([], TENSOR).tensor
    op = operation_class("ttir.squeeze").create(
        operands=[value, value],
        result_types=[TENSOR],
        attributes={"dim": kinds.SI32.make(0), "note": kinds.SI32.make(7)},
        properties={"operandSegmentSizes": kinds.SI32.make(1)},
    )
    assert list(op.properties) == ["dim"]
    assert list(op.attributes) == ["note"]


TTIR_ROWS = rows_of("ttir").rows
REDUCED = frozenset({"operand_constraints"})
# What only later passes attach.
ATTACHED = frozenset({"kernel_artifact"})


@pytest.mark.parametrize("row", TTIR_ROWS, ids=lambda row: row.name)
def test_every_operation_of_ttir_has_a_way_to_ttnn_or_a_reason(row: Row) -> None:
    kind = operation_class(row.name)
    if DECOMPOSITIONS.of(kind) is not None or RULES.of(kind) is not None:
        assert row.lowering is None
        return
    match row.lowering:
        case SameOperation() | WithoutInit() as lowering:
            other = rows_of("ttnn").by_name[f"ttnn.{row.mnemonic}"]
            assert {item.name: item.kind for item in row.attributes if item.name not in REDUCED} == {
                item.name: item.kind for item in other.attributes if item.name not in ATTACHED
            }
            dropped = set() if lowering == SameOperation() else {row.inits}
            assert [group.name for group in other.operands] == [
                group.name for group in row.operands if group.name not in dropped
            ]
        case NoLowering(reason=reason):
            assert reason
        case None:
            pytest.fail(f"{row.name} has neither")


STAGES: dict[str, tuple[PerClass[Any], tuple[str, ...]]] = {
    "reference": (MEANINGS, ("ttir", "ttnn", "ttmetal")),
    "file": (TABLES, ("ttnn",)),
    "library call": (CALLS, ("ttnn",)),
    "cost": (WORK, ("ttnn",)),
    "emulated kernel": (PROGRAMS, ("ttnn",)),
}


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_has_something_for_every_class_or_says_why_not(stage: str) -> None:
    registered, dialects = STAGES[stage]
    for row in (row for dialect in dialects for row in rows_of(dialect).rows):
        kind = operation_class(row.name)
        has, reason = registered.of(kind) is not None, registered.reason(kind)
        assert has is (reason is None), f"{row.name}: {stage}"
        assert reason is None or len(reason) > 20, f"{row.name}: {stage}"


@pytest.mark.parametrize("row", rows_of("ttnn").rows, ids=lambda row: row.name)
def test_a_table_of_a_file_leads_back_to_its_class(row: Row) -> None:
    kind, written = operation_class(row.name), row.flatbuffer
    assert (written is None) is (TABLES.of(kind) is None)
    if written is not None:
        assert (STEPS.of(kind) or MEANINGS.of(kind)) is not None, "nothing computes it"
        assert class_in_file(written.table, {"type": written.type} if written.type else {}) is kind


def test_a_table_has_a_field_for_all_that_its_class_has() -> None:
    assert not {
        kind.name
        for kind in dialect_named("ttnn").operations
        if issubclass(kind, TTNNOperation)
        and kind.ROW.flatbuffer is not None
        and kind is not TTNNGetDeviceOp
        and not fields_of(kind)
    }

    class Narrower(TTNNOperation, name="ttnn.softmax", flatbuffer=FlatbufferTable("SoftmaxOp")):
        """With an attribute that the file has no field for."""

        input = operand()
        dimension = attribute(kinds.SI32)
        base = attribute(kinds.F32)

    with pytest.raises(LayoutError, match=r"the table SoftmaxOp has no field for base of ttnn\.softmax"):
        fields_of(Narrower)


def test_a_call_that_follows_from_the_class_has_a_signature() -> None:
    without = {
        kind.name
        for kind in dialect_named("ttnn").operations
        if CALLS.of(kind) is of_class and issubclass(kind, TTNNOperation) and not kind.ROW.signature
    }
    assert without == set()


def test_what_no_operation_is_written_as_is_refused_with_what_is_known() -> None:
    assert class_in_file("EltwiseOp", {"type": "Typecast"}) is operation_class("ttnn.typecast")
    for table, fields, said in (
        (
            "EltwiseOp",
            {"type": "Median"},
            "there is no EltwiseOp of the type Median; known are Abs, Add, Cbrt,",
        ),
        ("EltwiseOp", {"type": ["Add"]}, "there is no EltwiseOp of the type"),
        ("ReductionOp", {}, "there is no ReductionOp of the type None; known are Max, Mean, Sum"),
        ("MedianOp", {"type": "Add"}, "there is no operation MedianOp; known are AllGatherOp, ConcatOp,"),
    ):
        assert class_in_file(table, fields) is None
        with pytest.raises(RuntimeProblem, match=re.escape(said)):
            operation_of(table, fields)


def test_which_operations_say_that_they_have_no_effect() -> None:
    rows = [*TTIR_ROWS, *rows_of("ttnn").rows]
    effects = {row.name: row.traits for row in rows if row.traits}
    assert effects == {
        "ttir.constant": ("ConstantLike",),
        "ttir.yield": ("Pure", "ReturnLike", "Terminator"),
        "ttnn.empty": ("NoMemoryEffect",),
    }


def test_folders() -> None:
    value = EmptyOp([], TENSOR).tensor
    number = TensorType(i32, [1])
    size = build("ttir.get_dimension_size", [value], [number], {"dimension": 1})
    assert size.ROW.fold is not None
    assert size.ROW.fold(size) == DenseIntOrFPElementsAttr.from_list(number, [8])
    unknown = EmptyOp([value], TensorType(f32, [DYNAMIC_INDEX, 8])).tensor
    size = build("ttir.get_dimension_size", [unknown], [number], {"dimension": 0})
    assert size.ROW.fold is not None
    assert size.ROW.fold(size) is None
    elements = DenseIntOrFPElementsAttr.from_list(TENSOR, [1.0])
    constant = build("ttir.constant", [], [TENSOR], {"value": elements})
    assert constant.ROW.fold is not None
    assert constant.ROW.fold(constant) is elements
    assert {row.name for row in all_rows() if row.fold is not None} == {
        "ttir.constant",
        "ttir.get_dimension_size",
    }


def test_what_a_ttnn_file_has() -> None:
    """Every operation of TTNN but one is written; elementwise ones as one table, by their type."""
    rows = rows_of("ttnn").rows
    assert [row.mnemonic for row in rows if row.flatbuffer is None] == ["alloc"]
    types = [row.flatbuffer.type for row in rows if row.flatbuffer and row.flatbuffer.table == "EltwiseOp"]
    assert len(types) == len(set(types)) == 39
    assert len({row.flatbuffer.table for row in rows if row.flatbuffer}) == 21 + 7


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (kinds.SI32, -1, "-1 : si32"),
        (kinds.POSITIVE_I64, 1, "1 : i64"),
        (kinds.F32, 0.5, "5.000000e-01 : f32"),
        (kinds.BOOL, True, "true"),
        (kinds.I32_ARRAY, (1, -2), "[1 : i32, -2 : i32]"),
        (kinds.DENSE_I64, (1, -2), "array<i64: 1, -2>"),
        (kinds.DENSE_BOOL, (True, False), "array<i1: true, false>"),
        (kinds.SYMBOL, "name", "@name"),
    ],
)
def test_values_of_python_become_attributes_and_back(
    kind: kinds.AttributeKind, value: object, text: str
) -> None:
    attribute = kind.make(value)
    assert str(attribute) == text
    assert kind.holds(attribute)
    assert kind.value(attribute) == value
