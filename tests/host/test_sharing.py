"""Memory shared with torch and NumPy: not copied where that is possible, and never a surprise."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import torch

from ttl.host import api as ttnn

DTYPES = [torch.float32, torch.bfloat16, torch.float16, torch.int32, torch.uint8]


def values(dtype: torch.dtype) -> torch.Tensor:
    return (torch.arange(64 * 64).reshape(64, 64) % 200).to(dtype)


def address(tensor: torch.Tensor) -> int:
    return torch._C._data_address(tensor)  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("dtype", DTYPES)
def test_from_torch_does_not_copy(dtype: torch.dtype) -> None:
    source = values(dtype)
    tensor = ttnn.from_torch(source, layout=ttnn.TILE_LAYOUT)
    assert tensor._byte_range()[0] == address(source)


@pytest.mark.parametrize("dtype", DTYPES)
def test_to_torch_does_not_copy(dtype: torch.dtype) -> None:
    tensor = ttnn.zeros((64, 64), dtype=ttnn.from_torch(values(dtype)).dtype)
    result = ttnn.to_torch(tensor)
    assert result.dtype == dtype
    assert tensor._byte_range()[0] == address(result)


@pytest.mark.parametrize("dtype", DTYPES)
def test_changing_the_torch_tensor_does_not_change_the_tensor(dtype: torch.dtype) -> None:
    source = values(dtype)
    before = source.clone()
    tensor = ttnn.from_torch(source)
    source.zero_()
    assert torch.equal(ttnn.to_torch(tensor), before)


def test_changing_a_view_numpy_array_or_base_of_the_torch_tensor_does_not_change_the_tensor() -> None:
    for alias_of in (lambda t: t[0], lambda t: t.numpy()[0], lambda t: t.detach()[0]):
        source = values(torch.float32)
        before = source.clone()
        alias = alias_of(source)
        tensor = ttnn.from_torch(source)
        alias[:] = -1
        assert torch.equal(ttnn.to_torch(tensor), before)
        assert torch.equal(source[0], torch.full((64,), -1.0))


def test_a_torch_tensor_over_numpy_memory_is_copied() -> None:
    array = np.ones((4, 4), np.float32)
    tensor = ttnn.from_torch(torch.from_numpy(array))
    array[:] = 7
    assert ttnn.to_numpy(tensor).tolist() == np.ones((4, 4)).tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_changing_a_result_changes_nothing_else(dtype: torch.dtype) -> None:
    tensor = ttnn.from_torch(values(dtype))
    first, second = ttnn.to_torch(tensor), ttnn.to_torch(tensor)
    first.zero_()
    assert torch.equal(second, values(dtype))
    assert torch.equal(ttnn.to_torch(tensor), values(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_writing_the_tensor_changes_no_result(dtype: torch.dtype) -> None:
    source = values(dtype)
    tensor = ttnn.from_torch(source)
    result, array = ttnn.to_torch(tensor), ttnn.to_numpy(tensor)
    kept = array.copy()
    tensor._writable()[:] = 0
    assert torch.equal(result, values(dtype))
    assert torch.equal(source, values(dtype))
    assert np.array_equal(array, kept)
    assert not ttnn.to_torch(tensor).any()


def test_computing_with_a_tensor_whose_results_die_leaves_its_memory_alone() -> None:
    tensor = ttnn.zeros((256, 256), dtype=ttnn.float32)
    tensor._writable()[:] = 3
    result = ttnn.to_torch(tensor)
    for _ in range(3):
        ttnn.exp(tensor)
        ttnn.matmul(tensor, tensor)
        ttnn.sort(tensor)
    del result
    gc.collect()
    filler = [torch.full((256, 256), -1.0) for _ in range(8)]
    assert (tensor._data == 3).all()
    assert len(filler) == 8


def test_a_result_of_an_operation_is_writable_and_its_own() -> None:
    source = ttnn.from_torch(torch.ones(4, 4))
    for made in (
        ttnn.clone(source),
        ttnn.reshape(source, (2, 8)),
        ttnn.to_layout(source, ttnn.TILE_LAYOUT),
        source[0:2],
    ):
        made._writable()[:] = 5
        assert ttnn.to_torch(source).eq(1).all()


def test_to_numpy_is_read_only() -> None:
    array = ttnn.to_numpy(ttnn.ones((2, 2), dtype=ttnn.float32))
    with pytest.raises(ValueError, match="read-only"):
        array[:] = 3


def test_a_read_only_numpy_array_is_not_copied_and_never_written() -> None:
    array = np.arange(6, dtype=np.float32)
    array.flags.writeable = False
    tensor = ttnn.from_numpy(array)
    assert np.shares_memory(tensor._data, array)
    tensor._writable()[:] = 0
    assert array.tolist() == [0, 1, 2, 3, 4, 5]


def test_replicas_on_a_mesh_are_independent() -> None:
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
    tensor = ttnn.zeros((2, 2), dtype=ttnn.float32, device=mesh)
    tensor.shards[0]._writable()[:] = 1
    assert [shard._data.sum() for shard in tensor.shards] == [4, 0]


def test_a_tensor_that_requires_gradients() -> None:
    source = torch.ones(4, 4, requires_grad=True)
    tensor = ttnn.from_torch(source)
    with torch.no_grad():
        source.mul_(2)
    result = ttnn.to_torch(tensor)
    assert not result.requires_grad
    assert result.eq(1).all()


def test_torch_s_default_device_and_modes_have_no_influence() -> None:
    with torch.device("meta"):
        tensor = ttnn.ones((4, 4), ttnn.float32) + 1.5
        assert ttnn.rand((2, 2)).shape == (2, 2)
    with torch.inference_mode():
        copied = ttnn.exp(ttnn.from_torch(torch.zeros(4, 4)))
    assert ttnn.to_torch(tensor).eq(2.5).all()
    assert ttnn.to_torch(ttnn.add(copied, tensor, output_tensor=copied)).eq(3.5).all()
