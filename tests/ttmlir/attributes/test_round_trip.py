"""Every attribute and type: its text is read and printed as it is. Facts §1.2."""

from __future__ import annotations

import pickle

import pytest

from support.ttmlir_text import ATTRIBUTE_EXAMPLES as EXAMPLES
from support.ttmlir_text import DEVICE, L1, attribute, context
from tt_model.attributes import tt, tt_system, ttir, ttkernel, ttmetal, ttnn
from tt_model.attributes.tt_system import SystemDescAttr
from tt_model.layouts.known_systems import system, system_names


@pytest.mark.parametrize("text", EXAMPLES)
def test_text_is_read_and_printed_as_it_is(text: str) -> None:
    value = attribute(text)
    assert str(value) == text
    again = attribute(text)
    assert value == again
    assert hash(value) == hash(again)


def test_every_attribute_and_type_has_an_example() -> None:
    classes = {type(attribute(text)) for text in EXAMPLES}
    listed = {kind for module in (tt, tt_system, ttir, ttkernel, ttmetal, ttnn) for kind in module.ATTRIBUTES}
    assert listed - classes == set()
    assert len(listed) == 26 + 14 + 2 + 10 + 1


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("!tt.tile<32 x 32, bfp_bf8>", "!tt.tile<32x32, bfp_bf8>"),
        ("#tt.grid< 8 x 8 >", "#tt.grid<8x8>"),
        ("#tt<core_coord 3 x 4>", "#tt<core_coord 3x4>"),
        ("#tt<memory_space<l1>>", "#tt.memory_space<l1>"),
        ("#tt.operand_constraint<l1 | l1>", "#tt.operand_constraint<l1>"),
        (
            "#tt.operand_constraint<l1_block_sharded>",
            "#tt.operand_constraint<l1|scalar|tile|block_sharded|l1_block_sharded>",
        ),
        (
            "#tt.operand_constraint<dram|l1|tile|any_device_tile>",
            "#tt.operand_constraint<dram|l1|tile|none|interleaved|single_bank|height_sharded|width_sharded|"
            "block_sharded|any_layout|any_device_tile>",
        ),
        (
            "#ttnn.memory_config<#ttnn.tensor_memory_layout<interleaved>, #ttnn.buffer_type<l1>, "
            "#ttnn.shard_spec<#ttnn.shape<2x4>>>",
            "#ttnn.memory_config<<interleaved>, <l1>, <<2x4>>>",
        ),
        (
            "#tt<chip_physical_cores{worker = [#tt<core_coord 0x0>,0x1] dram = [8x0]}>",
            "#tt<chip_physical_cores{worker = [ 0x0,  0x1] dram = [ 8x0]}>",
        ),
        (
            f"#tt.layout<affine_map<(a, b) -> (a, b)>, undef, #tt.grid<1x2>, memref<8x150xf32, {L1}>, none>",
            f"#tt.layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<8x150xf32, {L1}>>",
        ),
        (
            "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, "
            "memref<4x4xf32, affine_map<(d0, d1) -> (d0, d1)>, #ttnn.buffer_type<l1>>>",
            "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x4xf32, #ttnn.buffer_type<l1>>>",
        ),
        (f"!tt.device<#tt.device<{DEVICE}>>", f"!tt.device<<{DEVICE}>>"),
    ],
)
def test_other_spellings(written: str, printed: str) -> None:
    assert str(attribute(written)) == printed


@pytest.mark.parametrize("name", system_names())
def test_systems_as_text(name: str) -> None:
    desc = SystemDescAttr(system(name))
    assert attribute(str(desc)) == desc


def test_attributes_of_one_value_are_one_object() -> None:
    assert tt.MemorySpaceAttr.of(3) is tt.MemorySpaceAttr.of(3)
    assert tt.MemorySpaceAttr.of(3) != ttnn.TTNNBufferTypeAttr.of(1)
    assert tt.TensorMemoryLayoutAttr.of(1) != ttnn.TTNNTensorMemoryLayoutAttr.of(1)


def test_they_can_be_sent_to_another_process() -> None:
    for text in EXAMPLES:
        value = attribute(text)
        assert pickle.loads(pickle.dumps(value)) == value


def test_the_dialects_are_those_of_the_context() -> None:
    for name in ("tt", "ttnn", "ttir"):
        assert context().get_optional_dialect(name) is not None
