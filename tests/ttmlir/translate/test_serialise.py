"""What a TTNN module says in a file: numbers of tensors, layouts, tables of operations, and what is refused. Facts §4.1, §7."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from support.ttmlir_models import HEADER
from tt_model.flatbuffer.decode import decode
from tt_model.flatbuffer.schema import schema
from tt_model.operations.dialects import DIALECTS
from ttl.ir.context import make_context
from ttl.ir.driver import Driver, Options, Timing
from ttl.ir.failure import NotLegalized
from ttl.ir.forms import MLIRText
from ttl.ir.parser import parse_text
from ttmlir.transforms.pipelines import PIPELINES
from ttmlir.transforms.system_desc import ImplicitDevice, LoadSystemDesc
from ttmlir.translate.serialise import ttnn_to_flatbuffer

F32, TALL = "tensor<32x32xf32>", "tensor<512x1024xbf16>"


def compiled(body: str) -> ModuleOp:
    """A module of TTIR as TTNN."""
    context = make_context(DIALECTS)
    module = parse_text(context, HEADER + body, "model.mlir")
    passes = PIPELINES["ttir-to-ttnn-backend-pipeline"]().passes()
    driver = Driver({}, passes, Options(), Timing(), print, MLIRText())
    assert not [report for report in driver.run_passes(context, module) if report.severity == "error"]
    return module


def on_device(text: str, *, mesh: tuple[int, ...] = (), system: str = "n150") -> ModuleOp:
    """A module of TTNN with the device that it has on a system."""
    context = make_context(DIALECTS)
    module = parse_text(context, text, "m.mlir")
    LoadSystemDesc(path=system).apply(context, module)
    ImplicitDevice(mesh_shape=mesh).apply(context, module)
    return module


def programs(module: ModuleOp, **options: Any) -> list[dict[str, Any]]:
    content = ttnn_to_flatbuffer(module, **options)
    written: list[dict[str, Any]] = decode(schema("TTNN/binary.fbs"), content)["programs"]
    return written


def numbers(program: dict[str, Any]) -> str:
    """The tensors of a program: ``1 2 -> ToLayoutOp 1:3 ... -> 9``, per operation its operands and its result."""

    def numbers_of(value: Any) -> list[int]:
        return [one["global_id"] for one in (value if isinstance(value, list) else [value])]

    def text(values: list[int]) -> str:
        return ",".join(map(str, values))

    lines = []
    for operation in program["operations"]:
        fields = operation["type"]
        if operation["type_type"] in ("GetDeviceOp", "DeallocateOp"):
            continue
        names = ("in", "in0", "in1", "input", "weight", "bias", "ins", "inputs")
        operands = [number for name in names if name in fields for number in numbers_of(fields[name])]
        lines.append(f"{operation['type_type'][:-2]} {text(operands)}:{text(numbers_of(fields['out']))}")
    first, last = (text(numbers_of(program.get(end, []))) for end in ("inputs", "outputs"))
    return f"{first} -> {'; '.join(lines)} -> {last}"


def row(name: str, operands: str, types: str, attributes: str) -> str:
    count = types.split(" -> ")[0].count("tensor")
    constraints = f"operand_constraints = [{', '.join(['#any_device'] * count)}]"
    return f'"ttir.{name}"({operands}) <{{{attributes}{constraints}}}> : {types}'


TWICE = "operandSegmentSizes = array<i32: 2, 1>, "
MULTIPLY = f"""func.func @main(%a: {F32}, %b: {F32}) -> {F32} {{
  %0 = tensor.empty() : {F32}
  %1 = {row("multiply", "%a, %b, %0", f"({F32}, {F32}, {F32}) -> {F32}", TWICE)}
  return %1 : {F32}
}}"""
GATHER = """func.func @main(%w: tensor<448x384xbf16>, %i: tensor<1x2x1xi32>) -> tensor<1x2x384xbf16> {
  %0 = tensor.empty() : tensor<1x2x384xbf16>
  %1 = "ttir.gather"(%w, %i, %0) <{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>,
    operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>,
    index_vector_dim = 2 : si64, slice_sizes = array<i64: 1, 384>, indices_are_sorted = false,
    operand_constraints = [#any_device, #any_device, #any_device]}>
    : (tensor<448x384xbf16>, tensor<1x2x1xi32>, tensor<1x2x384xbf16>) -> tensor<1x2x384xbf16>
  return %1 : tensor<1x2x384xbf16>
}"""
CONSTANTS = f"""func.func @main(%a: {F32}) -> {F32} {{
  %k0 = "ttir.constant"() <{{value = dense<0.0> : {F32}}}> : () -> {F32}
  %0 = tensor.empty() : {F32}
  %1 = {row("add", "%a, %k0, %0", f"({F32}, {F32}, {F32}) -> {F32}", TWICE)}
  %k1 = "ttir.constant"() <{{value = dense<3.0> : {F32}}}> : () -> {F32}
  %2 = tensor.empty() : {F32}
  %3 = {row("add", "%1, %k1, %2", f"({F32}, {F32}, {F32}) -> {F32}", TWICE)}
  %k2 = "ttir.constant"() <{{value = dense<3.0> : {F32}}}> : () -> {F32}
  %4 = tensor.empty() : {F32}
  %5 = {row("multiply", "%3, %k2, %4", f"({F32}, {F32}, {F32}) -> {F32}", TWICE)}
  return %5 : {F32}
}}"""
INLINED = f"""func.func private @h(%a: {TALL}) -> tensor<512x1xbf16> {{
  %0 = tensor.empty() : {TALL}
  %1 = {row("softmax", "%a, %0", f"({TALL}, {TALL}) -> {TALL}", "dimension = -1 : si32, ")}
  %2 = tensor.empty() : tensor<512x1xbf16>
  %3 = {row("sum", "%1, %2", f"({TALL}, tensor<512x1xbf16>) -> tensor<512x1xbf16>", "keep_dim = true, dim_arg = [1 : i32], ")}
  return %3 : tensor<512x1xbf16>
}}
func.func @main(%a: {TALL}) -> tensor<512x1xbf16> {{
  %0 = call @h(%a) : ({TALL}) -> tensor<512x1xbf16>
  return %0 : tensor<512x1xbf16>
}}"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            MULTIPLY,
            "1,2 -> ToLayout 1:3; ToDevice 3:4; ToLayout 2:5; ToDevice 5:6; Empty :7; Eltwise 4,6:7; "
            "FromDevice 7:8; ToLayout 8:9 -> 9",
        ),
        (
            GATHER,
            "1,2 -> ToLayout 2:3; ToDevice 3:4; Reshape 4:5; ToMemoryConfig 5:6; ToDevice 1:7; Empty :8; "
            "Embedding 6,7:8; FromDevice 8:9; ToLayout 9:10 -> 10",
        ),
        (
            CONSTANTS,
            "1 -> Full :2; Empty :3; ToLayout 1:4; ToDevice 4:5; Empty :6; Eltwise 5,3:6; Empty :7; Eltwise 6,2:7; "
            "Empty :8; Eltwise 7,2:8; FromDevice 8:9; ToLayout 9:10 -> 10",
        ),
        (
            INLINED,
            "1 -> ToDevice 1:2; ToLayout 2:3; Softmax 3:4; Reduction 4:5; FromDevice 5:6; ToLayout 6:7 -> 7",
        ),
        (f"func.func @main(%a: {F32}) -> {F32} {{ return %a : {F32} }}", "1 ->  -> 1"),
    ],
    ids=["P1", "P6", "P7", "P9", "argument"],
)
def test_numbers_of_tensors(text: str, wanted: str) -> None:
    (program,) = programs(compiled(text))
    assert program["name"] == "main"
    assert numbers(program) == wanted


def layout(
    shape: str = "64x96",
    element: str = "f32",
    *,
    space: str = "dram",
    memory: str = "",
    grid: str = "1x1",
    linear: str = "(d0, d1) -> (d0, d1)",
) -> str:
    return f"#ttnn.ttnn_layout<{linear}, <{grid}>, memref<{shape}x{element}, #ttnn.buffer_type<{space}>>{memory}>"


HOST = f"tensor<64x96xf32, {layout(space='system_memory')}>"
DRAM = f"tensor<64x96xf32, {layout(memory=', interleaved')}>"


def function(body: str, arguments: str = "", results: str = "", name: str = "@main", words: str = "") -> str:
    arrow = f" -> {results}" if results else ""
    return f"func.func {words}{name}({arguments}){arrow} {{\n{body}\n}}"


def test_programs_are_all_functions_in_order_and_numbers_go_on() -> None:
    body = f"return %a : {HOST}"
    text = "\n".join(
        function(body, f"%a: {HOST}, %b: {HOST}", HOST, name, words)
        for name, words in (("@b", ""), ("@a", "private "), ("@c", ""))
    )
    written = programs(on_device(text))
    assert [(program["name"], numbers(program)) for program in written] == [
        ("b", "1,2 ->  -> 1"),
        ("a", "3,4 ->  -> 3"),
        ("c", "5,6 ->  -> 5"),
    ]


def described(type_: str, **options: Any) -> dict[str, Any]:
    """The ``TensorDesc`` of a type."""
    module = on_device(function(f"return %a : {type_}", f"%a: {type_}", type_), **options)
    (program,) = programs(module, debug_info=False)
    reference = program["inputs"][0]
    assert (reference["address"], reference["size"]) == (0, 0)
    assert reference == program["outputs"][0]
    desc: dict[str, Any] = reference["desc"]
    return desc


def rectangle(y: int, x: int, height: int, width: int) -> dict[str, Any]:
    return {"loc": {"y": y, "x": x}, "size": {"y": height, "x": width}}


@pytest.mark.parametrize("grid", [(1, 1), (4, 2), (8, 8), (1, 8), (8, 1), (3, 5)])
def test_a_rectangle_of_cores_is_one_range(grid: tuple[int, int]) -> None:
    height, width = grid
    tiles = layout(
        "1x1", "!tt.tile<32x32, bf16>", space="l1", grid=f"{height}x{width}", memory=", block_sharded"
    )
    desc = described(f"tensor<{32 * height}x{32 * width}xbf16, {tiles}>")
    assert desc == {
        "shape": [32 * height, 32 * width],
        "layout": {
            "stride": [32 * width, 1],
            "oob_val": "Undef",
            "core_range_set": [rectangle(0, 0, height, width)],
            "memory_desc": {
                "shape": [1, 1],
                "tile_shape": {"y": 32, "x": 32},
                "data_type": "BFloat16",
                "memory_space": "DeviceL1",
                "memory_layout": "BlockSharded",
                "size": 2048,
            },
        },
    }


def test_strides_are_of_the_layout_and_memory_is_of_one_shard() -> None:
    linear = "(d0, d1, d2) -> (d0 * 15 + d1, d2)"
    desc = described(f"tensor<6x15x10xf32, {layout('90x10', linear=linear, space='system_memory')}>")
    assert desc["layout"]["stride"] == [150, 10, 1]
    assert desc["layout"]["memory_desc"] == {
        "shape": [90, 10],
        "tile_shape": {"y": 1, "x": 1},
        "data_type": "Float32",
        "memory_space": "System",
        "memory_layout": "None",
        "size": 3600,
    }


def test_each_shape_has_its_own_strides_under_one_encoding() -> None:
    one = layout("32x32", space="system_memory")
    types = f"tensor<32x32xf32, {one}>", f"tensor<10x20xf32, {one}>"
    text = function(f"return %a : {types[0]}", f"%a: {types[0]}, %b: {types[1]}", types[0])
    (program,) = programs(on_device(text))
    assert [one["desc"]["layout"]["stride"] for one in program["inputs"]] == [[32, 1], [20, 1]]


# Operations as they stand in a module; ``DEVICE`` is the type of its device.
GET = '%d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> DEVICE'
SHAPE, RETURN = "shape = #ttnn.shape<64x96>", "\nreturn"
CONFIG = "memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x96>>>"


def module_of(*lines: str, arguments: str = "", mesh: tuple[int, ...] = (), system: str = "n150") -> ModuleOp:
    empty = on_device("", mesh=mesh, system=system)
    device = str(empty.attributes["tt.device"]).replace("#tt.device", "!tt.device<", 1) + ">"
    body = "\n".join(lines).replace("DEVICE", device) + RETURN
    return on_device(function(body, arguments), mesh=mesh, system=system)


def operations(*lines: str, **options: Any) -> list[tuple[str, dict[str, Any]]]:
    (program,) = programs(module_of(*lines, **options))
    return [(operation["type_type"], operation["type"]) for operation in program["operations"]]


def test_empty_and_full_and_the_device() -> None:
    (_, device), (_, host), (_, dram), (_, full) = operations(
        GET,
        f'%0 = "ttnn.empty"() <{{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<row_major>, {SHAPE}}}> : () -> {HOST}',
        f'%1 = "ttnn.empty"(%d) <{{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<row_major>, {CONFIG}, {SHAPE}}}> : (DEVICE) -> {DRAM}',
        f'%2 = "ttnn.full"(%d) <{{fillValue = 1.5 : f32}}> : (DEVICE) -> {DRAM}',
    )
    assert device == {"mesh": {"y": 1, "x": 1}, "chip_ids": [0], "out": {"global_id": 0}}
    plain = {"shape": [64, 96], "dtype": "Float32", "layout": "RowMajor", "num_shards": 1, "strategy": {}}
    config = {
        "tensor_memory_layout": "Interleaved",
        "buffer_type": "DRAM",
        "shard_spec": {"shard_shape": [64, 96]},
    }
    assert {name: value for name, value in host.items() if name != "out"} == plain
    assert {name: value for name, value in dram.items() if name != "out"} == {
        **plain,
        "device": {"global_id": 0},
        "memcfg": config,
    }
    assert {name: value for name, value in full.items() if name != "out"} == {
        "device": {"global_id": 0},
        "fill_value": 1.5,
        "num_shards": 1,
        "strategy": {},
    }
    assert full["out"]["desc"]["layout"]["memory_desc"]["data_type"] == "Float32"


def test_a_mesh_is_one_row_of_its_chips() -> None:
    ((_, device),) = operations(GET, mesh=(2, 1, 1), system="n300")
    assert (device["mesh"], device["chip_ids"]) == ({"y": 1, "x": 2}, [0, 1])


def test_the_text_of_an_operation_has_its_location_and_no_aliases() -> None:
    (program,) = programs(compiled(MULTIPLY))
    texts = [operation["debug_info"] for operation in program["operations"]]
    multiply = next(text for text in texts if "ttnn.multiply" in text)
    line = HEADER.count("\n") + 3
    assert multiply.endswith(f'loc("model.mlir":{line}:8)')
    assert "#ttnn.ttnn_layout<" in multiply and "#ttnn_layout" not in multiply.replace(
        "#ttnn.ttnn_layout", ""
    )
    shared = program["debug_info"]
    assert shared["mlir"]["name"] == "ttnn"
    assert "#ttnn_layout = #ttnn.ttnn_layout<" in shared["mlir"]["source"]
    assert "loc(" not in shared["mlir"]["source"]
    assert (shared["cpp"], shared["golden_info"]) == ("", {"golden_map": []})


def test_without_text_there_is_none() -> None:
    (program,) = programs(compiled(MULTIPLY), debug_info=False)
    assert "debug_info" not in program
    assert not any("debug_info" in operation for operation in program["operations"])


TYPECAST = '%0 = "ttnn.typecast"(%a) <{{dtype = #tt.supportedDataTypes<{}>}}> : ({}) -> {}'
CASES = [
    (
        f'%0 = "ttnn.alloc"() <{{address = 0 : i64, buffer_type = #ttnn.buffer_type<system_memory>, size = 24576 : i64}}> : () -> {HOST}',
        "'ttnn.alloc' op is not in the format of .ttnn files",
    ),
    (f"func.call @main(%a) : ({HOST}) -> ()", "'func.call' op is not in the format of .ttnn files"),
    ("%0 = arith.constant 1 : i32", "'arith.constant' op is not in the format of .ttnn files"),
    *(
        (TYPECAST.format(name, HOST, HOST), f"TTNN cannot make tensors of {name}; use {instead}")
        for name, instead in {
            "f16": "bf16",
            "bfp_f8": "bfp_bf8",
            "bfp_f4": "bfp_bf4",
            "bfp_f2": "bfp_bf4",
            "bfp_bf2": "bfp_bf4",
        }.items()
    ),
    (
        f'%0 = "ttnn.from_device"(%a) : ({HOST}) -> tensor<64x96xf32, {layout(space="l1_small", memory=", interleaved")}>',
        "files cannot hold a tensor in l1_small",
    ),
    (
        f'%0 = "ttnn.from_device"(%a) : ({HOST}) -> tensor<64x96xf32>',
        "has a value of type tensor<64x96xf32>, which has no ttnn_layout",
    ),
    (
        f'%0 = "ttnn.all_gather"(%a) <{{dim = 0 : si32, num_links = -1 : si32}}> : ({HOST}) -> {HOST}',
        "num_links: -1 does not fit",
    ),
]


@pytest.mark.parametrize(("line", "message"), CASES)
def test_what_is_refused_is_refused_at_its_operation(line: str, message: str) -> None:
    with pytest.raises(NotLegalized) as problem:
        ttnn_to_flatbuffer(module_of(line, arguments=f"%a: {HOST}"))
    (report,) = problem.value.reports
    assert message in report.message
    assert report.span is not None
    assert report.span.line == 2


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            function("return", f"%a: tensor<64x96xf32, {layout(space='trace', memory=', interleaved')}>"),
            1,
            "'func.func' op cannot be written: files cannot hold a tensor in trace",
        ),
        (
            function("return", "%a: tensor<4xf32>"),
            1,
            "has an argument of type tensor<4xf32>, which has no ttnn_layout",
        ),
        (
            function("cf.br ^bb1\n^bb1:\nreturn"),
            1,
            "'func.func' op has 2 blocks; programs in files cannot have branches",
        ),
    ],
)
def test_what_is_refused_of_functions(text: str, line: int, message: str) -> None:
    with pytest.raises(NotLegalized) as problem:
        ttnn_to_flatbuffer(on_device(text))
    report = problem.value.reports[0]
    assert message in report.message
    assert report.span is not None and report.span.line == line


def test_a_grid_beyond_one_chip_is_refused() -> None:
    wide = layout("32x32", space="l1", grid="8x16", memory=", block_sharded")
    type_ = f"tensor<256x512xf32, {wide}>"
    with pytest.raises(NotLegalized, match="is on chip 1; a file names the cores of one chip"):
        ttnn_to_flatbuffer(on_device(function("return", f"%a: {type_}"), mesh=(1, 2), system="n300"))


def test_a_module_that_is_not_compiled() -> None:
    module = parse_text(make_context(DIALECTS), "module {}", "m.mlir")
    with pytest.raises(NotLegalized, match=r"the module has no tt\.device"):
        ttnn_to_flatbuffer(module)
