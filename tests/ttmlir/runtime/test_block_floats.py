"""Block floats in a program: rounded where they are stored, sixteen neighbours with one exponent."""

from __future__ import annotations

import numpy as np
import pytest

from support.ttnn_binaries import Binary

torch = pytest.importorskip("torch")
from tt_model.reference.formats import FORMATS, converted


@pytest.mark.parametrize(
    ("data_type", "keyword"),
    [
        ("BFP_BFloat8", "bfp_bf8"),
        ("BFP_BFloat4", "bfp_bf4"),
        ("BFP_BFloat2", "bfp_bf2"),
        ("BFP_Float8", "bfp_f8"),
    ],
)
@pytest.mark.parametrize("word", ["Add", "Multiply", "Maximum"])
def test_a_block_float_is_what_the_reference_rounds_to(data_type: str, keyword: str, word: str) -> None:
    given = torch.randn((32, 64), generator=torch.Generator().manual_seed(3)).to(torch.bfloat16)
    binary = Binary()
    x = binary.input([32, 64])
    small = binary.op("TypecastOp", **{"in": x}, dtype=data_type, out=binary.tensor([32, 64], data_type))
    result = binary.op("EltwiseOp", type=word, ins=[small, small], out=binary.tensor([32, 64], data_type))
    back = binary.op("TypecastOp", **{"in": result}, dtype="BFloat16", out=binary.tensor([32, 64]))
    (output,), _ = binary.run(binary.output([32, 64], back), given)
    rounded = converted(given.double().numpy(), FORMATS[keyword])
    exact = {"Add": rounded + rounded, "Multiply": rounded * rounded, "Maximum": rounded}[word]
    wanted = converted(converted(exact, FORMATS[keyword]), FORMATS["bf16"])
    assert np.array_equal(output.double().numpy(), wanted)
    assert not np.array_equal(rounded, given.double().numpy())
