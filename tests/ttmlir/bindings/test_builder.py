"""``TTIRBuilder`` and ``test_utils``: operations with golden tensors of torch."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from ttmlir.dialects import func
from ttmlir.ir import BF16Type, Context, F32Type, InsertionPoint, IntegerType, Location, Module
from ttmlir.passes import flatbuffer_of, ttnn_to_flatbuffer_binary, ttnn_to_flatbuffer_file
from ttmlir.test_utils import compile_as_mlir_module, compile_to_flatbuffer, ttir_to_ttnn
from ttmlir.ttir_builder import TTIRBuilder
from ttrt import binary

torch = pytest.importorskip("torch")


def model(in0: Any, in1: Any, *, builder: TTIRBuilder) -> Any:
    total = builder.add(in0, in1)
    return builder.multiply(builder.exp(total), in1)


def test_a_model_with_goldens(tmp_path: Path) -> None:
    module, builder = compile_as_mlir_module(model, [(4, 8), (4, 8)])
    text = module.operation.get_asm(enable_debug_info=True)
    assert "func.func @model(%arg0: tensor<4x8xf32>" in text and "-> tensor<4x8xf32>" in text
    assert [f'loc("{number}")' in text for number in range(3)] == [True] * 3
    goldens = builder.get_golden_map()
    assert list(goldens) == ["input_0", "input_1", "0", "1", "2"]
    first = torch.randn([4, 8], generator=torch.Generator().manual_seed(0))
    second = torch.randn([4, 8], generator=torch.Generator().manual_seed(1))
    wanted = (torch.exp(first + second) * second).flatten().tolist()
    stored = goldens["2"]
    assert (stored.shape, stored.strides) == ((4, 8), (8, 1))
    assert list(struct.unpack("32f", stored.data)) == pytest.approx(wanted)
    path = tmp_path / "out.mlir"
    compiled = ttir_to_ttnn(module, True, str(path), "")
    assert '"ttnn.exp"' in str(compiled)
    with compiled.context:
        assert str(Module.parseFile(str(path))) == str(compiled)


def test_every_operation_of_the_builder() -> None:
    unary = ["exp", "abs", "logical_not", "neg", "relu", "sqrt", "rsqrt", "sigmoid", "reciprocal"]
    binary = [
        "add",
        "multiply",
        "logical_and",
        "logical_or",
        "subtract",
        "eq",
        "ne",
        "ge",
        "gt",
        "le",
        "lt",
        "div",
        "maximum",
    ]

    def everything(in0: Any, in1: Any, *, builder: TTIRBuilder) -> Any:
        for name in unary:
            getattr(builder, name)(in0)
        for name in binary:
            last = getattr(builder, name)(in0, in1)
        return last

    module, builder = compile_as_mlir_module(everything, [(2, 3), (2, 3)])
    assert module.operation.verify()
    assert str(module).count('"ttir.') == len(unary) + len(binary) == builder.get_next_global_id()


def added(in0: Any, in1: Any, *, builder: TTIRBuilder) -> Any:
    return builder.add(in0, in1)


def test_files_are_written_with_goldens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    compile_to_flatbuffer([(4, 8), (4, 8)], targets=["ttnn"])(added)()
    assert '"ttnn.add"' in (tmp_path / "added.mlir").read_text()
    loaded = binary.load_binary_from_path("added.ttnn")
    drawn = [torch.randn([4, 8], generator=torch.Generator().manual_seed(seed)) for seed in (0, 1)]
    assert loaded.get_debug_info_golden("0") == pytest.approx((drawn[0] + drawn[1]).flatten().tolist())
    assert loaded.get_debug_info_golden("input_1") == pytest.approx(drawn[1].flatten().tolist())
    assert loaded.get_debug_info_golden("nothing") == []


def test_one_target_that_fails_keeps_no_other_from_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((RuntimeError, NotImplementedError), match="ttmetal"):
        compile_to_flatbuffer([(4, 8), (4, 8)], test_name="both")(added)()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["both.mlir", "both.ttnn"]
    with pytest.raises(ValueError, match="there is no target gpu; there are ttmetal, ttnn"):
        compile_to_flatbuffer([(4, 8)], targets=["gpu"])


def test_a_module_in_memory_is_a_binary(tmp_path: Path) -> None:
    module, builder = compile_as_mlir_module(added, [(4, 8), (4, 8)])
    with pytest.raises(RuntimeError, match=r"the module has no tt\.device: compile it"):
        ttnn_to_flatbuffer_binary(module)
    ttir_to_ttnn(module, False, system_desc_path="")
    loaded = binary.load_binary_from_capsule(ttnn_to_flatbuffer_binary(module))
    assert [program["name"] for program in loaded.programs] == ["added"]
    with pytest.raises(RuntimeError, match=r"Failed to open file: .*No such file or directory"):
        ttnn_to_flatbuffer_file(module, str(tmp_path / "no" / "where.ttnn"), builder.get_golden_map())
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(binary.FlatbufferError, match="the binary is not a binary of TT-MLIR"):
        binary.load_binary_from_capsule(b"nothing of the kind")


# What each method makes of inputs of these shapes; ``b`` before a shape is bf16, ``i`` whole numbers.
MORE: dict[str, tuple[str, Any]] = {
    "cbrt": ("4x8", lambda b, x: b.cbrt(x)),
    "ceil": ("4x8", lambda b, x: b.ceil(x)),
    "cos": ("4x8", lambda b, x: b.cos(x)),
    "expm1": ("4x8", lambda b, x: b.expm1(x)),
    "floor": ("4x8", lambda b, x: b.floor(x)),
    "gelu": ("4x8", lambda b, x: b.gelu(x)),
    "isfinite": ("4x8", lambda b, x: b.isfinite(x)),
    "leaky_relu": ("4x8", lambda b, x: b.leaky_relu(x, 0.1)),
    "log": ("4x8", lambda b, x: b.log(b.abs(x))),
    "log1p": ("4x8", lambda b, x: b.log1p(b.abs(x))),
    "sign": ("4x8", lambda b, x: b.sign(x)),
    "sin": ("4x8", lambda b, x: b.sin(x)),
    "typecast": ("4x8", lambda b, x: b.typecast(x, BF16Type.get(x.context))),
    "clamp": ("4x8", lambda b, x: b.clamp(x, -0.5, 0.5)),
    "logical_xor": ("4x8 4x8", lambda b, x, y: b.logical_xor(x, y)),
    "minimum": ("4x8 1x8", lambda b, x, y: b.minimum(x, y)),
    "remainder": ("4x8 4x8", lambda b, x, y: b.remainder(x, y)),
    "where": ("4x8 4x8 4x8", lambda b, c, x, y: b.where(b.gt(c, x), x, y)),
    "matmul": ("2x4x8 8x6", lambda b, x, y: b.matmul(x, y)),
    "sum": ("4x8", lambda b, x: b.sum(x, 1, True)),
    "mean": ("4x8", lambda b, x: b.mean(x, [0])),
    "max": ("4x8", lambda b, x: b.max(x, -1, True)),
    "softmax": ("4x8", lambda b, x: b.softmax(x)),
    "reshape": ("4x8", lambda b, x: b.reshape(x, [2, -1])),
    "transpose": ("4x8", lambda b, x: b.transpose(x)),
    "squeeze": ("4x1x8", lambda b, x: b.squeeze(x, 1)),
    "unsqueeze": ("4x8", lambda b, x: b.unsqueeze(x, 0)),
    "broadcast": ("1x8 4x8", lambda b, x, y: b.add(b.broadcast(x, [4, 8]), y)),
    "concat": ("4x8 4x2", lambda b, x, y: b.concat([x, y], -1)),
    "slice": ("4x8", lambda b, x: b.slice(x, [0, 1], [4, 8], [2, 3])),
    "index": ("4x8", lambda b, x: b.index(x, 1, 0, 6, 2)),
    "embedding": ("i2x4 b16x32", lambda b, x, y: b.embedding(x, y)),
    "gather": ("b16x32 i2x4", lambda b, x, y: b.gather(x, y)),
    "conv2d": ("1x8x8x3 4x3x3x3", lambda b, x, y: b.conv2d(x, y, padding=1)),
    "convolution": ("1x3x8x8 4x3x3x3 1x1x1x4", lambda b, x, y, z: b.convolution(x, y, z, stride=2)),
    "max_pool2d": ("b1x8x8x4", lambda b, x: b.max_pool2d(x, 2)),
    "pooling": ("b1x4x8x8", lambda b, x: b.pooling(x, 2)),
    "all_gather": ("4x8", lambda b, x: b.all_gather(x, 1)),
    "all_reduce": ("4x8", lambda b, x: b.all_reduce(x, cluster_axis=1)),
    "mesh_shard": ("4x8", lambda b, x: b.mesh_shard(x, [1], [-1, -1], kind="replicate")),
    "reduce_scatter": ("4x8", lambda b, x: b.reduce_scatter(x, 1)),
    "constant": ("4x8", lambda b, x: b.add(x, b.constant(1.5, [4, 8]))),
    "get_dimension_size": ("4x8", lambda b, x: b.get_dimension_size(x, 1)),
    "fill": ("4x8", lambda b, x: b.fill(1.0, [4, 8])),
    "to_layout": ("4x8", lambda b, x: b.to_layout(x, None, BF16Type.get(x.context))),
}
# These have no value that could be compared, or no method: they are of the way to TTMetal.
# Of the metal path; and what `ttmlir.tt_lang` makes.
WITHOUT_METHOD = {"alloc", "dealloc", "generic", "kernel", "yield"}


def test_every_operation_has_a_method() -> None:
    from tt_model.operations.ttir import TTIR

    for row in TTIR.rows:
        assert hasattr(TTIRBuilder, row.mnemonic) is (row.mnemonic not in WITHOUT_METHOD), row.name


@pytest.mark.parametrize("name", MORE)
def test_golden_tensors_are_what_the_compiled_model_gives(name: str) -> None:
    from tt_model.binaries.submission import system_of
    from tt_model.runtime.devices import SimulatedDevice
    from tt_model.runtime.executor import prepare_program, run_program
    from ttrt.common.programs import golden_inputs

    shapes, function = MORE[name]
    context = Context()
    with context, Location.unknown():
        builder = TTIRBuilder(context, Location.unknown(context))
        types = []
        for text in shapes.split():
            element = {"b": BF16Type.get(), "i": IntegerType.get_signless(32)}.get(text[0], F32Type.get())
            extents = [int(one) for one in text.lstrip("bi").split("x")]
            types.append(builder.ranked_tensor_type(extents, element))
        module = Module.create()
        with InsertionPoint(module.body):

            def body(*values: Any) -> Any:
                for index, value in enumerate(values):
                    builder.generate_input_golden(value, index)
                return function(builder, *values)

            func.FuncOp.from_py_func(*types, name="main")(body)
    assert module.operation.verify()
    assert f'"ttir.{name}"' in str(module)
    goldens = builder.get_golden_map()
    if name in ("fill", "to_layout"):
        return
    ttir_to_ttnn(module, False, system_desc_path="")
    loaded = binary.load_binary_from_capsule(flatbuffer_of(module, goldens))
    program = prepare_program(loaded.programs[0])
    inputs = golden_inputs(loaded, 0, program)
    assert inputs is not None
    (output,), report = run_program(SimulatedDevice(system_of(loaded), [0]), program, inputs)
    assert report.leaks == []
    last = goldens[str(builder.get_next_global_id() - 1)]
    wanted = torch.tensor(struct.unpack(f"{len(last.data) // 4}f", last.data)).reshape(last.shape)
    assert tuple(output.shape) == last.shape
    assert torch.allclose(output.double(), wanted.double(), rtol=0.02, atol=0.05)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda b, x: b.softmax(x, 2), r"Softmax of 4x8: there is no dimension 2 of 2"),
        (lambda b, x: b.reshape(x, [3, 3]), r"Reshape of 4x8: shape '\[3, 3\]' is invalid"),
        (lambda b, x: b.squeeze(x, 0), r"Squeeze of 4x8: dimension 0 has extent 4, not 1"),
        (lambda b, x: b.slice(x, [0], [1]), r"Slice: the tensor has 2 dimensions"),
        (lambda b, x: b.index(x, 0, 3, 1), r"Index of 4x8: the range 3:1:1 of dimension 0 is empty"),
        (lambda b, x: b.clamp(x, 1.0, 0.0), r"Clamp: min is 1\.0, greater than max, 0\.0"),
        (lambda b, x: b.add(x, b.transpose(x)), r"Add of 4x8, 8x4: "),
        (lambda b, x: b.concat([]), r"Concat: expected at least one tensor"),
        (lambda b, x: b.all_gather(x, 2), r"AllGather of 4x8: there is no dimension 2 of 2"),
        (lambda b, x: b.mesh_shard(x, [3, 1], [0, -1]), r"MeshShard of 4x8: dimension 0 does not divide into 3 parts"),
        (lambda b, x: b.reduce_scatter(x, 2), r"ReduceScatter of 4x8: there is no dimension 2 of 2"),
        (lambda b, x: b.get_dimension_size(x, 2), r"there is no dimension 2 of 2"),
        (lambda b, x: b.pooling(x, 1), r"both need extents greater than one; use max_pool2d"),
        (lambda b, x: b.conv2d(x, x), r"Conv2d of 4x8, 4x8: "),
    ],
)  # fmt: skip
@pytest.mark.parametrize("goldens", [True, False])
def test_shapes_that_do_not_fit(function: Any, said: str, goldens: bool) -> None:
    context = Context()
    with context, Location.unknown():
        builder = TTIRBuilder(context, Location.unknown(context), goldens=goldens)
        module = Module.create()
        with InsertionPoint(module.body), pytest.raises(ValueError, match=said):
            function(builder, builder.empty([4, 8]).result)
