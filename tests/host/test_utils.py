"""``ttl.utils``: assertions about results, and blocks of work, as programs around kernels import them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ttl.host import api as ttnn
from ttl.utils.block_allocation import get_large_matmul_params, split_work_to_cores, split_work_to_nodes
from ttl.utils.correctness import (
    assert_allclose,
    assert_equal,
    assert_pcc,
    assert_with_pcc,
    assert_with_ulp,
    comp_pcc,
    pcc,
    ulp,
    ulp_error,
)

X = torch.randn(40, 50, generator=torch.Generator().manual_seed(0))


def test_correlation() -> None:
    noisy = X + 0.1 * torch.randn(40, 50, generator=torch.Generator().manual_seed(1))
    expected = np.corrcoef(X.flatten(), noisy.flatten())[0, 1]
    assert pcc(X, noisy) == pytest.approx(expected, abs=1e-6)
    assert pcc(X, 3 * X) == pytest.approx(1.0) and pcc(torch.ones(3), torch.ones(3)) == 1.0
    assert_with_pcc(X, ttnn.from_torch(X, dtype=ttnn.bfloat16), 0.999)
    assert comp_pcc(X, -X)[0] is False
    with pytest.raises(AssertionError, match=r"at least 0\.9999"):
        assert_pcc(X, noisy)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float16])
def test_units_in_the_last_place(dtype: torch.dtype) -> None:
    values = torch.tensor([1.0, 1.5, -2.0, 1000.0, 3e-3], dtype=dtype)
    beyond = torch.nextafter(values.float(), 2 * values.float()) if dtype is torch.float32 else None
    assert ulp(values)[0] == torch.finfo(dtype).eps
    if beyond is not None:
        assert ulp_error(values, beyond) == 1.0
    moved = (values.double() + 3 * torch.from_numpy(ulp(values))).to(dtype)
    assert_with_ulp(values, moved, 3)
    with pytest.raises(AssertionError, match=r"3\.0 ULP off"):
        assert_with_ulp(values, moved, 2)
    assert ulp_error(torch.tensor([float("nan"), 1.0]), torch.tensor([float("nan"), 1.0])) == 0.0
    assert ulp_error(torch.tensor([1.0]), torch.tensor([float("inf")])) == float("inf")


def test_differences_say_where_they_are() -> None:
    with pytest.raises(AssertionError, match=r"most at \(1, 2\): expected 0, computed 3"):
        assert_allclose(np.zeros((2, 3)), np.array([[0, 0, 0], [0, 1, 3.0]]))
    with pytest.raises(AssertionError, match="shapes"):
        assert_equal(np.zeros(3), np.zeros(4))
    assert_equal(X, X.clone())


@pytest.mark.parametrize(("rows", "columns"), [(64, 64), (20, 24), (8, 64), (7, 13)])
def test_blocks_of_a_product(rows: int, columns: int) -> None:
    found = get_large_matmul_params(rows, columns, 8, 8, 2)
    assert rows % found.block_h == 0 and rows // found.block_h <= 8
    assert columns % found.block_w == 0 and columns // found.block_w <= 8
    assert found.block_h % found.subblock_h == 0 and found.block_w % found.subblock_w == 0
    assert found.subblock_h * found.subblock_w <= 8


def test_no_blocks_where_nothing_fits() -> None:
    assert get_large_matmul_params(1009, 1009, 8, 8) == (0, 0, 0, 0)


def test_work_of_nodes() -> None:
    parts = split_work_to_nodes(8, 21)
    assert [count for _, count in parts] == [3, 3, 3, 3, 3, 2, 2, 2] and parts[5] == (15, 2)
    assert split_work_to_cores((8, 8), 100)[0] == 64
