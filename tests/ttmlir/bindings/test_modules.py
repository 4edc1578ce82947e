"""``ttmlir.ir``: modules read and made from Python."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tt_model.operations.dialects import rows_of
from ttmlir.dialects import arith, func, tensor, tt, ttir, ttnn
from ttmlir.ir import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    Context,
    DenseElementsAttr,
    DenseI64ArrayAttr,
    F32Type,
    FlatSymbolRefAttr,
    FloatAttr,
    FunctionType,
    IndexType,
    InsertionPoint,
    IntegerAttr,
    IntegerType,
    Location,
    MLIRError,
    Module,
    Operation,
    RankedTensorType,
    StringAttr,
    SymbolTable,
    Type,
    TypeAttr,
    UnitAttr,
    Value,
    WalkOrder,
    WalkResult,
)


@pytest.fixture(autouse=True)
def context() -> Iterator[Context]:
    with Context() as ctx, Location.unknown():
        ttir.register_dialect(ctx)
        yield ctx


def constraints(ctx: Context, count: int) -> Attribute:
    one = tt.ir.OperandConstraintAttr.get(ctx, tt.OperandConstraint.AnyDevice)
    return tt.ir.OperandConstraintAttr.get(ctx, [one] * count)


def multiply_module(ctx: Context) -> Module:
    square = RankedTensorType.get([64, 128], F32Type.get())
    module = Module.create()
    with InsertionPoint(module.body):

        @func.FuncOp.from_py_func(square, square)
        def forward(left: Value, right: Value) -> Any:
            output = tensor.empty(square, [])
            return ttir.multiply([square], [left, right], [output], constraints(ctx, 3))

    return module


def test_a_module_written_in_python(context: Context) -> None:
    module = multiply_module(context)
    assert module.operation.verify()
    text = str(module)
    assert (
        "func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) -> tensor<64x128xf32> {"
        in text
    )
    assert '%1 = "ttir.multiply"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>' in text
    assert str(Module.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("func.func @f() { return }", "func.func"),
        ("module { func.func @f() { return } }", "builtin.module"),
        ("module { module { } }", "builtin.module"),
        ("module { }", "builtin.module"),
        ("func.func @f() { return }\nfunc.func @g() { return }", "builtin.module"),
    ],
)
def test_a_text_of_one_operation_is_that_operation(text: str, name: str, context: Context) -> None:
    parsed = Operation.parse(text, context=context)
    assert parsed.operation.name == name
    assert Operation.parse(str(parsed), context=context).operation.name == name


def test_operations_are_looked_at_by_name(context: Context) -> None:
    module = multiply_module(context)
    (function,) = module.body.operations
    assert isinstance(function, func.FuncOp)
    assert (function.name.value, function.is_external) == ("forward", False)
    empty, multiply, returned = function.entry_block.operations
    assert isinstance(multiply, ttir.MultiplyOp)
    assert [value.get_name() for value in multiply.inputs] == ["%arg0", "%arg1"]
    assert multiply.outputs[0] == empty.result and multiply.results_[0] == returned.operands[0]
    assert multiply.result.owner == multiply.operation
    assert [use.operand_number for use in empty.result.uses] == [2]
    assert multiply.name == multiply.OPERATION_NAME == "ttir.multiply"
    assert len(multiply.attributes) == 2 and "operand_constraints" in multiply.attributes
    assert [named.name for named in multiply.attributes] == ["operandSegmentSizes", "operand_constraints"]
    assert multiply.parent == function.operation and multiply.block == function.entry_block
    assert ttir.ir.is_dps(multiply) and not ttir.ir.is_dps(empty)
    with pytest.raises(ValueError, match="only valid for operations with a single result"):
        _ = returned.result


def test_attributes_are_set_and_deleted(context: Context) -> None:
    module = multiply_module(context)
    multiply = module.body.operations[0].entry_block.operations[1]
    multiply.attributes["note"] = StringAttr.get("mine")
    assert '{note = "mine"}' in str(multiply)
    del multiply.attributes["note"]
    assert "note" not in multiply.attributes
    with pytest.raises(KeyError, match="non-existent"):
        del multiply.attributes["note"]
    del multiply.attributes["operand_constraints"]
    with pytest.raises(MLIRError, match="requires attribute 'operand_constraints'"):
        module.operation.verify()


def test_every_operation_has_a_class_and_a_function() -> None:
    for dialect, module in (("ttir", ttir), ("ttnn", ttnn)):
        for row in rows_of(dialect).rows:
            assert row.name == getattr(module, f"{row.class_name}Op").OPERATION_NAME
            assert f"{row.class_name}Op" in dir(module)
    with pytest.raises(AttributeError, match="the dialect ttir has no operation sine"):
        _ = ttir.sine


def test_parameters_are_those_of_the_definition(context: Context) -> None:
    square = RankedTensorType.get([4, 4], F32Type.get())
    module = Module.create()
    with InsertionPoint(module.body):
        f = func.FuncOp("f", ([square], []))
        with InsertionPoint(f.add_entry_block()):
            (x,) = f.arguments
            y = ttir.sum(square, x, x, True, constraints(context, 2), dim_arg=[1])
            z = ttir.softmax(square, y, x, 1, constraints(context, 2), loc=Location.name("softmax"))
            ttnn.DeallocateOp(z, force=True)
            func.ReturnOp([])
    text = str(module)
    assert "dim_arg = [1 : i32], keep_dim = true" in text
    assert "dimension = 1 : si32" in text
    assert '"ttnn.deallocate"(%1) <{force = true}>' in text
    assert 'loc("softmax")' in module.operation.get_asm(enable_debug_info=True)
    with pytest.raises(TypeError, match="missing 1 required arguments: operand_constraints"):
        ttir.softmax(square, y, x, 1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'axis'"):
        ttir.softmax(square, y, x, 1, constraints(context, 2), axis=1)  # type: ignore[call-arg]


def test_operations_by_their_names(context: Context) -> None:
    f32 = F32Type.get()
    with InsertionPoint(Module.create().body):
        one = Operation.create("arith.constant", [f32], [], {"value": FloatAttr.get(f32, 1.0)})
        assert str(one) == "%cst = arith.constant 1.000000e+00 : f32"
        with pytest.raises(ValueError, match=r"operation 'mine.own' is not registered"):
            Operation.create("mine.own", [f32])
        context.allow_unregistered_dialects = True
        own = Operation.create("mine.own", [f32], [one.result], {"k": UnitAttr.get()})
        assert str(own).startswith('%0 = "mine.own"(%cst) {k}')
    c = arith.constant(IndexType.get(), 3, ip=False)
    assert str(c.owner) == "%c3 = arith.constant 3 : index"


def test_text_that_is_wrong_is_said_with_its_place(context: Context) -> None:
    with pytest.raises(MLIRError) as problem:
        Module.parse('func.func @f() {\n  "ttir.abs"() : () -> ()\n  return\n}')
    text = str(problem.value)
    assert text.startswith("Unable to parse module assembly:\nerror: \"-\":2:3: 'ttir.abs' op ")
    with pytest.raises(MLIRError, match="Unable to parse type"):
        Type.parse("tensor<4xf33>")
    with pytest.raises(MLIRError, match="Unable to parse attribute"):
        Attribute.parse("#tt.grid<8x")
    told: list[str] = []
    with (
        context.attach_diagnostic_handler(lambda one: not told.append(one.message)),
        pytest.raises(MLIRError),
    ):
        Module.parse("func.func @f( {}")
    assert len(told) == 1


def test_walks(context: Context) -> None:
    names: list[str] = []

    def visit(op: Operation) -> WalkResult:
        names.append(op.name)
        return WalkResult.INTERRUPT if op.name == "ttir.multiply" else WalkResult.ADVANCE

    module = multiply_module(context)
    module.operation.walk(visit, WalkOrder.PRE_ORDER)
    assert names == ["builtin.module", "func.func", "tensor.empty", "ttir.multiply"]


def test_symbols_and_moves(context: Context) -> None:
    module = multiply_module(context)
    table = SymbolTable(module.operation)
    forward = table["forward"]
    copy = forward.clone(ip=False)
    assert table.insert(copy) == "forward_0"
    assert [one.name.value for one in module.body.operations] == ["forward", "forward_0"]
    copy.move_before(forward)
    assert [one.name.value for one in module.body.operations] == ["forward_0", "forward"]
    table.erase(copy)
    with pytest.raises(KeyError, match="not in the symbol table"):
        _ = table["forward_0"]
    empty = forward.entry_block.operations[0]
    with InsertionPoint(empty):
        other = tensor.empty(empty.result.type, [])
    empty.result.replace_all_uses_with(other)
    empty.erase()
    assert module.operation.verify()


def test_calls_and_private_functions(context: Context) -> None:
    f32 = F32Type.get()
    module = Module.create()
    with InsertionPoint(module.body):
        callee = func.FuncOp("callee", ([f32], [f32]), visibility="private")
        caller = func.FuncOp("caller", FunctionType.get([f32], [f32]))
        with InsertionPoint(caller.add_entry_block()):
            value = func.CallOp(callee, [caller.arguments[0]]).result
            again = func.call([f32], FlatSymbolRefAttr.get("callee"), [value])
            func.ReturnOp([again])
    assert "func.func private @callee(f32) -> f32" in str(module)
    assert "%1 = call @callee(%0) : (f32) -> f32" in str(module)
    assert callee.is_external and caller.entry_block.operations[0].callee.value == "callee"


def test_attributes_from_python() -> None:
    assert IntegerAttr.get(IntegerType.get_signed(32), 3).value == 3
    assert BoolAttr.get(True).value is True and str(BoolAttr.get(True)) == "true"
    assert list(DenseI64ArrayAttr.get([1, 2])) == [1, 2]
    assert str(DenseI64ArrayAttr.get([1, 2])) == "array<i64: 1, 2>"
    assert TypeAttr.get(F32Type.get()).value == F32Type.get()
    array = ArrayAttr.get([StringAttr.get("a"), UnitAttr.get()])
    assert (len(array), array[0]) == (2, StringAttr.get("a"))
    assert isinstance(Attribute.parse("3 : si32"), IntegerAttr)
    with pytest.raises(ValueError, match="Cannot cast attribute to StringAttr"):
        StringAttr(UnitAttr.get())


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "bool"])
def test_dense_elements_are_arrays(dtype: str) -> None:
    values = np.arange(6).reshape(2, 3).astype(dtype)
    dense = DenseElementsAttr.get(values)
    assert np.array_equal(np.array(dense), values)
    assert len(dense) == 6


def test_splats_stay_one_value() -> None:
    huge = RankedTensorType.get([8192, 8192], F32Type.get())
    dense = DenseElementsAttr.get_splat(huge, FloatAttr.get_f32(1.5))
    assert dense.is_splat and dense.get_splat_value() == FloatAttr.get_f32(1.5)
    assert str(dense) == "dense<1.500000e+00> : tensor<8192x8192xf32>"


def test_what_has_no_context_says_what_to_do() -> None:
    def outside() -> str:
        import contextvars

        def make() -> str:
            with pytest.raises(RuntimeError, match="requires a Context") as problem:
                F32Type.get()
            return str(problem.value)

        return contextvars.Context().run(make)

    assert "with Context():" in outside()


def test_contexts_are_let_go() -> None:
    import weakref

    alive = Context()
    seen = weakref.ref(alive)
    with alive, Location.unknown():
        Module.parse("func.func @f() { return }")
    del alive
    gc.collect()
    assert seen() is None


def test_kinds_of_types_and_attributes() -> None:
    with Context():
        first, second, other = F32Type.get(), F32Type.get(), IntegerType.get_signless(8)
        assert first.typeid == second.typeid
        assert hash(first.typeid) == hash(second.typeid)
        assert first.typeid != other.typeid
        assert other.typeid == IntegerType.get_signless(16).typeid
        assert StringAttr.get("a").typeid == StringAttr.get("b").typeid != first.typeid


def test_dialects_of_a_context() -> None:
    with Context() as ctx:
        assert ctx.dialects["arith"].descriptor.namespace == "arith"
        assert ctx.d.ttnn.descriptor.namespace == "ttnn"
        assert ctx.get_dialect_descriptor("tosa").namespace == "tosa"
        with pytest.raises(IndexError, match="Dialect 'nobody' not found"):
            ctx.dialects["nobody"]
        with pytest.raises(AttributeError, match="Dialect 'nobody' not found"):
            ctx.dialects.nobody
        with pytest.raises(ValueError, match="Dialect 'nobody' not found"):
            ctx.get_dialect_descriptor("nobody")
