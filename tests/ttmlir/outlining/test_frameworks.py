"""Layers of PyTorch: all of their operations are in operations of TT-Lang, and the layer computes what torch computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from support.outlined import outline, results
from tt_model.operations.operation import TTIROperation
from tt_model.operations.shared import TTIRTTLangOp

torch = pytest.importorskip("torch")


def layer(name: str) -> torch.nn.Module:
    torch.manual_seed(0)
    if name == "encoder":
        return torch.nn.TransformerEncoderLayer(64, 2, 128, batch_first=True, dropout=0.0).eval()
    if name == "encoder that normalises first":
        return torch.nn.TransformerEncoderLayer(
            64, 2, 128, batch_first=True, dropout=0.0, norm_first=True, activation="gelu"
        ).eval()
    return torch.nn.TransformerDecoderLayer(64, 2, 128, batch_first=True, dropout=0.0).eval()


@pytest.mark.parametrize(
    ("name", "batch", "operations", "left"),
    [
        ("encoder", 1, 66, 0),
        # Torch keeps sequences before batches there, and its last projection goes over both as one dimension.
        ("encoder that normalises first", 2, 66, 6),
        ("decoder", 1, 120, 0),
    ],
)
def test_operations_of_a_layer_are_in_kernels(
    name: str, batch: int, operations: int, left: int, tmp_path: Path
) -> None:
    """All but ``left`` of them, and what the kernels need: a vector of weights gets a dimension more, or its part is taken."""
    from ttmlir.torch import to_ttir

    module = layer(name)
    inputs = [torch.randn(batch, 32, 64) for _ in range(2 if name == "decoder" else 1)]
    model = outline(str(to_ttir(module, *inputs)), tmp_path)
    assert sum(isinstance(op, TTIROperation) for op in model.before.walk()) == operations
    others = [
        op for op in model.after.walk() if isinstance(op, TTIROperation) and not isinstance(op, TTIRTTLangOp)
    ]
    assert sum(len(op.operands[0].type.get_shape()) > 1 for op in others) == left  # type: ignore[attr-defined]
    function = next(op for op in model.before.walk() if isinstance(op, FuncOp))
    rng = np.random.default_rng(0)
    values = [rng.standard_normal(type.get_shape()) / 8 for type in function.function_type.inputs]
    (before,), (referenced,), (simulated,) = results(model, function.sym_name.data, values, tmp_path)
    np.testing.assert_allclose(referenced, before, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(simulated, before, rtol=1e-4, atol=1e-4)
