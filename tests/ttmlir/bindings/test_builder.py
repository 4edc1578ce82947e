"""``TTIRBuilder`` and ``test_utils``: operations with golden tensors of torch."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from ttmlir.ir import Module
from ttmlir.test_utils import compile_as_mlir_module, compile_to_flatbuffer, ttir_to_ttnn
from ttmlir.ttir_builder import TTIRBuilder

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


def test_files_come_with_the_next_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    @compile_to_flatbuffer([(4, 8), (4, 8)], targets=["ttnn"])
    def written(in0: Any, in1: Any, *, builder: TTIRBuilder) -> Any:
        return builder.add(in0, in1)

    with pytest.raises(NotImplementedError, match="comes with the next half"):
        written()
    assert (tmp_path / "written.mlir").exists()
