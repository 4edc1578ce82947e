"""``TTIRBuilder`` and ``test_utils``: operations with golden tensors of torch."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from ttmlir.ir import Module
from ttmlir.passes import ttnn_to_flatbuffer_binary, ttnn_to_flatbuffer_file
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
    with pytest.raises(binary.BinaryError, match="the binary is no binary of TT-MLIR"):
        binary.load_binary_from_capsule(b"nothing of the kind")
