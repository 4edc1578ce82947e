"""Conversion to an element type: rounding as torch's types round, saturation as nothing else can be meant."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tt_model.reference.formats import FORMATS, converted, wrapped

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(
    ("name", "dtype"), [("f32", torch.float32), ("f16", torch.float16), ("bf16", torch.bfloat16)]
)
def test_floats_round_to_nearest_even(name: str, dtype: object) -> None:
    rng = np.random.default_rng(5)
    values = np.concatenate(
        [rng.standard_normal(1000) * 10.0 ** rng.integers(-12, 12, 1000), [math.inf, -math.inf, 0.0]]
    )
    single = values.astype(np.float32).astype(np.float64)
    expected = torch.from_numpy(single).to(torch.float32).to(dtype).to(torch.float64).numpy()  # type: ignore[call-overload]
    np.testing.assert_array_equal(converted(single, FORMATS[name]), expected)
    assert np.isnan(converted(np.array([math.nan]), FORMATS[name])[0])
    assert converted(np.zeros((2, 0, 3)), FORMATS[name]).shape == (2, 0, 3)


def test_integers_truncate_and_saturate() -> None:
    values = np.array([-1.9, 1.9, 300.0, -300.0, math.inf, -math.inf, math.nan])
    assert converted(values, FORMATS["u8"]).tolist() == [0, 1, 255, 0, 255, 0, 0]
    assert converted(values, FORMATS["i8"]).tolist() == [-1, 1, 127, -128, 127, -128, 0]
    assert converted(values, FORMATS["i1"]).tolist() == [1, 1, 1, 1, 1, 1, 1]
    assert converted(np.array([-1.0]), FORMATS["u32"]).tolist() == [0]


def test_wrapping_is_modulo_the_width() -> None:
    values = np.array([256, -1, 255, 128], np.int64)
    assert wrapped(values, FORMATS["u8"]).tolist() == [0, 255, 255, 128]
    assert wrapped(values, FORMATS["si8"]).tolist() == [0, -1, -1, -128]


@pytest.mark.parametrize(("name", "steps"), [("bfp_bf8", 127), ("bfp_bf4", 7), ("bfp_bf2", 1)])
def test_block_floats_share_the_exponent_of_sixteen(name: str, steps: int) -> None:
    values = np.zeros((2, 32))
    values[0, :2] = [0.999, 0.001]  # in [0.5, 1): the step is 1 / 2^bits
    values[0, 16] = 0.001
    result = converted(values, FORMATS[name])
    assert result[0, 0] == steps / (steps + 1)
    assert result[0, 1] == 0
    assert result[0, 16] == pytest.approx(0.001, rel=1 / (steps + 1))
