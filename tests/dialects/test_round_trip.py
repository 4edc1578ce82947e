"""Every operation, type and attribute of the dialect: text to IR and back, in the readable and the generic form."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from support.dialect_examples import example_of, module_with
from ttl.dialects.text import context, parse_module
from ttl.dialects.ttl import ATTRIBUTES, OPERATIONS, TYPES
from ttl.ir.printer import print_module
from ttl.ir.verifier import verify

# How each is written. Types that stand in types of operations are read in full and in short form there.
WRITTEN = {
    "ttl.tile": ["!ttl.tile<32x32, bf16>", "!ttl.tile<16x32, bfp8>", "!ttl.tile<32x32, whole>"],
    "ttl.element": ["!ttl.element<bfp4>"],
    "ttl.dfb": ["!ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 2>", "!ttl.dfb<[64], si32, 3>"],
    "ttl.block": ["!ttl.block<[2, 1], !ttl.tile<32x32, bf16>>", "!ttl.block<[4, 64, 32], ui16>"],
    "ttl.slice": ["!ttl.slice<[2, ?], !ttl.tile<32x32, f32>>", "!ttl.slice<[4], f16>"],
    "ttl.accessor": [
        "!ttl.accessor<tensor<64x?xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>>"
    ],
    "ttl.microcores": ["#ttl.microcores<NOC0, NOC1, UNPACK, MATH, PACK>", "#ttl.microcores<NOC1, NOC1>"],
    "ttl.dist_tensor": [
        "!ttl.dist_tensor<grid=[2, 4], shard=[32, 64], f32, sharded, l1>",
        "!ttl.dist_tensor<grid=[1, 1], shard=[4, 4], !ttl.tile<32x32, bf16>, replicated, dram>",
        "!ttl.dist_tensor<grid=[1], shard=[64], si32, interleaved, dram>",
        "!ttl.dist_tensor<grid=[4, 2], shard=[1, 1], !ttl.tile<32x32, bfp8>, sharded, l1, col_major>",
    ],
    "ttl.distribution_strategy": [
        f"#ttl.distribution_strategy<{word}>" for word in ("sharded", "interleaved", "replicated")
    ],
    "ttl.transfer": ["!ttl.transfer"],
    "ttl.group": ["!ttl.group"],
    "ttl.pipe_net": ["!ttl.pipe_net"],
    "ttl.pipe": [
        "!ttl.pipe<src>",
        "!ttl.pipe<dst>",
        "#ttl.pipe<[0, 0] -> [0, 1:4]>",
        "#ttl.pipe<[3] -> [0:8:2]>",
    ],
    "ttl.over": [
        "#ttl.over<stencil [2, 4] by [[0, 1], [0, -1]] wrap each [2, 2]>",
        "#ttl.over<gather [4] axes [0] by [[3]] with [#ttl.pipe<[0, 0] -> [1, 1]>, #ttl.pipe<[1, 0] -> [1, 1]>]>",
        "#ttl.over<pairs [2, 4] by [[0, 1, 1], [3, -1, -1], [1, 2, 1], [0, 4, 1]] each [8, 8]>",
        "#ttl.over<edges [2] by [[0, 1]] each [1, 1]>",
        "#ttl.over<own [4] with [#ttl.pipe<[0, 0] -> [0, 1:2]>]>",
    ],
    "ttl.semaphore": ["!ttl.semaphore"],
    "ttl.remote_semaphore": ["!ttl.remote_semaphore<unicast>", "!ttl.remote_semaphore<multicast>"],
    "ttl.memory_space": [f"#ttl.memory_space<{space}>" for space in ("l1", "dram", "dst", "system")],
    "ttl.grid": ["#ttl.grid<8x8>", "#ttl.grid<4>", "#ttl.grid<2x3x4>"],
    "ttl.layout": [
        "#ttl.layout<tiled, interleaved>",
        "#ttl.layout<row_major, height_sharded, [64, 32]>",
        "#ttl.layout<tiled, block_sharded, [64, 64], 2x2>",
        "#ttl.layout<tiled, block_sharded, [64, 64], 2x2 at [1, 3], col_major>",
        "#ttl.layout<tiled, height_sharded, [64, 64], 4x1, 1x2 at [5, 0], col_major>",
    ],
    "ttl.order": ["#ttl.order<tiled>", "#ttl.order<row_major>"],
    "ttl.tensor_memory_layout": ["#ttl.tensor_memory_layout<width_sharded>"],
    "ttl.encoding": ["#ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [64, 64]>>"],
    "ttl.range": ["#ttl.range<0, 8, 2>"],
    "ttl.node_mask": ["#ttl.node_mask<2x2, [1, 0, 1, 1]>"],
}


def module_of(kind: type[Operation]) -> ModuleOp:
    """The example of an operation, among the values it uses."""
    return parse_module(module_with(kind), allow_unregistered=True)


@pytest.mark.parametrize("kind", OPERATIONS, ids=lambda kind: kind.name)
class TestOperation:
    def test_is_printed_as_its_example(self, kind: type[Operation]) -> None:
        module = module_of(kind)
        assert verify(module) == []
        assert any(isinstance(op, kind) for op in module.walk())
        printed = [line.strip() for line in print_module(module).splitlines()]
        wanted = [line.strip() for line in example_of(kind).splitlines()]
        # Encodings that occur twice have an alias in a module.
        assert [line for line in wanted if line not in printed and "#ttl.encoding" not in line] == []

    def test_round_trip(self, kind: type[Operation]) -> None:
        module = module_of(kind)
        for generic in (False, True):
            for locations in (False, True):
                text = print_module(module, generic=generic, locations=locations)
                again = parse_module(text, allow_unregistered=True)
                assert print_module(again, generic=generic, locations=locations) == text
                assert again.is_structurally_equivalent(module)


def test_every_operation_says_what_it_is() -> None:
    assert [kind.name for kind in OPERATIONS if not (kind.__doc__ or "").strip()] == []


@pytest.mark.parametrize("kind", [*TYPES, *ATTRIBUTES], ids=lambda kind: f"{kind.name} ({kind.__name__})")
def test_type_or_attribute(kind: type[Attribute]) -> None:
    from ttl.ir.parser import LocationParser

    mark = "!" if kind in TYPES else "#"
    written = [text for text in WRITTEN[kind.name] if text.startswith(mark)]
    assert written
    for text in written:
        found = LocationParser(context(), text).parse_attribute()
        assert type(found) is kind
        assert str(found) == text


def test_names_are_those_of_the_program() -> None:
    """Where a text gives none, as after MLIR's own tools: resources, parameters and accessors have theirs."""
    tensor = "tensor<64x64xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>"
    text = f"""
        "ttl.operation"() <{{arg_names = ["a", "not a name"], grid = #ttl.grid<1x1>, sym_name = "f"}}> ({{
        ^bb0(%arg0: {tensor}, %arg1: index):
          %0 = "ttl.create_semaphore"() <{{initial_value = 0 : i64, name = "ready"}}> : () -> !ttl.semaphore
          %1 = "ttl.tensor_accessor"(%arg0) : ({tensor}) -> !ttl.accessor<{tensor}>
          %2 = "arith.constant"() <{{value = -3 : i32}}> : () -> i32
          %3 = "arith.constant"() <{{value = 1 : i1}}> : () -> i1
        }}) : () -> ()
    """
    lines = [line.strip() for line in print_module(parse_module(text)).splitlines()]
    assert lines[2] == (
        'ttl.operation @f(%a: tensor<64x64xbf16, #encoding>, %arg1: index) grid <1x1> names ["a", "not a name"] {'
    )
    assert [line.partition(" = ")[0] for line in lines[3:7]] == ["%ready", "%a_accessor", "%c-3_i32", "%true"]


def test_equal_names_are_numbered() -> None:
    """As MLIR does; values of two operations do not disturb each other."""
    operation = "ttl.operation @{} () grid <1x1> {{\n  %x = ttl.node_linear\n  %x_5 = ttl.node_linear\n}}\n"
    printed = print_module(parse_module(operation.format("f") + operation.format("g")))
    names = [line.split()[0] for line in printed.splitlines() if "node_linear" in line]
    assert names == ["%x", "%x_0", "%x", "%x_0"]
    assert print_module(parse_module(printed)) == printed
