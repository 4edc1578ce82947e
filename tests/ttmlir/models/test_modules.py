"""Modules of PyTorch as models: their structure, names and places."""

from __future__ import annotations

from typing import Any

import pytest

import ttmlir

torch = pytest.importorskip("torch")


def drawn(*shape: int) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


class Nested(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))

    def forward(self, x: Any) -> Any:
        return {"y": self.layers(x)}


def test_a_module_is_a_model() -> None:
    module = Nested().eval()
    model = ttmlir.compile(module, (4, 16))
    assert [one.name for one in model.arguments] == [
        "x", "layers.0.weight", "layers.0.bias", "layers.2.weight", "layers.2.bias",
    ]  # fmt: skip
    x = drawn(4, 16)
    with torch.no_grad():
        assert torch.allclose(model.run(x)["y"], module(x)["y"], rtol=1e-4, atol=1e-5)
    assert model.report is not None and model.report.leaks == []
    text = model.module.operation.get_asm(enable_debug_info=True)
    assert f'loc("layers.1.relu"("{__file__}":' in text or '"layers.1.relu"(#loc' in text
