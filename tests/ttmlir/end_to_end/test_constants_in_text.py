"""Constants of several numbers are in the text of ``to_ttir``: what is compiled from the text alone computes what the module does."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
import ttmlir.torch
from ttmlir.ir import Context, Module
from ttmlir.loaded import LoadedModel
from ttmlir.passes import ttir_to_ttnn_backend_pipeline, ttnn_to_flatbuffer_binary
from ttrt.binary import load_binary_from_capsule


class Constants(torch.nn.Module):
    """One-hot rows, and a table of each type that a program has."""

    def __init__(self) -> None:
        super().__init__()
        tables = {
            "floats": torch.tensor([[0.1, -2.0, 3e-20]]),
            "halves": torch.tensor([1.5, -0.25, 7.0], dtype=torch.bfloat16),
            "whole": torch.tensor([-3, 70_000, 0]),
            "short": torch.tensor([-3, 5, 7], dtype=torch.int8),
            "truth": torch.tensor([True, False, True]),
        }
        for name, table in tables.items():
            self.register_buffer(name, table, persistent=False)

    def forward(self, numbers: Any) -> Any:
        chosen = torch.nn.functional.one_hot(numbers.long(), 3)
        return (
            chosen * self.floats + self.halves,
            chosen + self.whole,
            numbers[:, None] + self.short.to(torch.int32),
            torch.where(self.truth, chosen, 9),
        )


def test_what_is_compiled_from_the_text_alone_has_the_constants() -> None:
    module, numbers = Constants(), torch.tensor([1, 2, 0, 1], dtype=torch.int32)
    text = str(ttmlir.torch.to_ttir(module, numbers))
    read = Module.parse(text, Context())
    ttir_to_ttnn_backend_pipeline(read)
    binary = load_binary_from_capsule(ttnn_to_flatbuffer_binary(read))
    model = LoadedModel(binary)
    assert len(model.inputs) == 1 and len(binary.stored_inputs) >= 5
    given = model.run(numbers.to(torch.uint32))
    for one, wanted in zip(given, module(numbers), strict=True):
        # What is on the device is unsigned.
        signed = one.to(torch.int64) if one.dtype is torch.uint32 else one
        signed = (
            torch.where(signed >= 1 << 31, signed - (1 << 32), signed)
            if signed.dtype is torch.int64
            else signed
        )
        torch.testing.assert_close(signed.double(), wanted.double())
