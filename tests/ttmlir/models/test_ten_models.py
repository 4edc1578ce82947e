"""Ten models of PyTorch end to end, at a small size: beside eager torch, and every operation beside the reference."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
import ttmlir
import ttmlir.torch
from support.ttmlir_models import golden_run
from tt_model.layouts.enums import DataType
from ttrt.common.golden import compared

FOLDER = Path(__file__).parents[3] / "examples" / "models"
sys.path.insert(0, str(FOLDER))
try:
    import ten_models
finally:
    sys.path.remove(str(FOLDER))

# Of float32 the largest error, as part of the largest number: rounding, and nothing else.
ROUNDING = 2e-6


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", ten_models.MODELS)
def test_a_model_of_float32_gives_what_torch_gives(name: str) -> None:
    example = ten_models.example(name)
    model = ttmlir.compile(example.module, *example.inputs)
    for result, wanted in both(model, example):
        scale = max(1.0, float(wanted.abs().max()))
        assert float((result - wanted).abs().max()) <= ROUNDING * scale
    assert model.report.leaks == []


@pytest.mark.parametrize("name", ten_models.MODELS)
def test_a_model_of_bfloat16_agrees_with_torch_and_its_operations_with_the_reference(name: str) -> None:
    example = ten_models.example(name, dtype=torch.bfloat16)
    model = ttmlir.compile(example.module, *example.inputs)
    for result, wanted in both(model, example):
        values = (one.double().numpy() for one in (wanted, result))
        comparison = compared(name, "", *values, DataType.BFloat16)
        assert not comparison.diverges(0.99), str(comparison)
    run = golden_run(model.binary, inputs=model.program_inputs(*example.inputs))
    assert run.complaint() == ""


def test_weights_that_are_constants_are_computed_with_once() -> None:
    for name, gone in (
        ("resnet", '"ttir.rsqrt"'),
        ("attention", "dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<16x16x"),
    ):
        example = ten_models.example(name)
        model = ttmlir.torch.compile(example.module, *example.inputs, weights="constants")
        assert model.weights == {}
        for result, wanted in both(model, example):
            assert torch.allclose(result, wanted, rtol=1e-5, atol=1e-5)
        text = str(ttmlir.torch.to_ttir(example.module, *example.inputs, weights="constants"))
        assert gone not in text and text.count('"ttir.') < str(
            ttmlir.torch.to_ttir(example.module, *example.inputs)
        ).count('"ttir.')
    with pytest.raises(ttmlir.CompileError, match="weights are 'none'; there are inputs, constants"):
        ttmlir.compile(example.module, *example.inputs, weights="none")


def both(model: Any, example: Any) -> list[tuple[Any, Any]]:
    """What the compiled model gives, and what torch gives, tensor by tensor."""
    got = model.run(*example.inputs)
    with torch.no_grad():
        wanted = example.module(*example.inputs)
    (results, tree), (expected, same) = (torch.utils._pytree.tree_flatten(one) for one in (got, wanted))
    assert tree == same
    assert [(one.shape, one.dtype) for one in results] == [(one.shape, one.dtype) for one in expected]
    return list(zip(results, expected, strict=True))
