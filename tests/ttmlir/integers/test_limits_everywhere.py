"""Limits of integers of 64 bits travel with every kind of program, and are checked where it runs (TTL1711)."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
from support.metal_binaries import metal_binary
from support.scripts import Script
from support.ttmlir_models import HEADER, ttnn_module
from tt_model.binaries.submission import system_of
from tt_model.runtime.problems import RuntimeProblem
from ttmlir.loaded import LoadedModel
from ttmlir.translate.serialise import ttnn_to_flatbuffer
from ttrt.binary import load_binary_from_capsule
from ttrt.common.executions import execution_of

TEXT = (
    HEADER
    + """
func.func @main(%x: tensor<64x64xi32> {ttir.limits = array<i64: -1000, 999>}) -> tensor<64x64xi32> {
  %0 = tensor.empty() : tensor<64x64xi32>
  %1 = "ttir.add"(%x, %x, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device_tile, #any_device_tile, #any_device_tile]}> : (tensor<64x64xi32>, tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
  return %1 : tensor<64x64xi32>
}
"""
)
BEYOND = ((-1001, 0), (1000, 0))


def given(*numbers: int) -> torch.Tensor:
    values = torch.zeros(64, 64, dtype=torch.int64)
    values[0, : len(numbers)] = torch.tensor(numbers)
    return values.to(torch.int32).view(torch.uint32)


def twice(values: torch.Tensor) -> list[int]:
    return values.view(torch.int32)[0, :3].tolist()  # type: ignore[no-any-return]


def test_a_binary_of_ttmetal() -> None:
    """Kernels of TTMetal compute floats, of which integers of 64 bits in a model may be made."""
    binary = metal_binary(TEXT.replace("xi32>", "xf32>"))
    assert binary.limits(0) == {0: (-1000, 999)}
    execution = execution_of(load_binary_from_capsule(binary.content), system_of(binary))
    program = execution.prepared(0)
    values = torch.zeros(64, 64)
    values[0, 0] = -1000
    (result,), _ = execution.run(program, [values])
    assert result[0, 0] == -2000
    for number in (-1001.0, 999.5):
        values[0, 0] = number
        with pytest.raises(
            RuntimeProblem, match=r"input 0 of main has numbers from .*inputs from -1000 to 999"
        ) as refused:
            execution.run(program, [values])
        assert refused.value.code == "TTL1711"


def test_a_binary_of_ttnn() -> None:
    model = LoadedModel(load_binary_from_capsule(ttnn_to_flatbuffer(ttnn_module(TEXT))))
    assert model.integer_bound == 1000
    assert twice(model.run(given(-1000, 0, 999))) == [-2000, 0, 1998]
    for numbers in BEYOND:
        with pytest.raises(RuntimeProblem, match="TTL1711"):
            model.run(given(*numbers))


def test_a_script() -> None:
    script = Script(ttnn_module(TEXT))
    assert twice(script.run([given(-1000, 0, 999)])[0].to(torch.int64).to(torch.int32)) == [-2000, 0, 1998]
    assert int(script.drawn()[0].long().max()) <= 999
    for numbers in BEYOND:
        with pytest.raises(SystemExit, match=r"inputs from -1000 to 999 \(TTL1711\)"):
            script.run([given(*numbers)])
