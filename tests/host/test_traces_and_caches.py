"""Traces replay with new contents; caches are written in place; names and devices that programs around kernels use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import ttl
from ttl.diag import ProgramError, report
from ttl.host import api as ttnn
from ttl.host import importer


def t(values: torch.Tensor, **options: Any) -> Any:
    return ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, **options)


@ttl.operation(grid=(1, 1))
def double(x: Any, y: Any) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read() -> None:
        with x_dfb.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()

    @ttl.compute()
    def compute() -> None:
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(x_blk * 2)

    @ttl.datamovement()
    def write() -> None:
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[0, 0]).wait()


def test_a_trace_does_its_work_again_with_new_contents() -> None:
    device = ttnn.open_device(device_id=0, trace_region_size=1000)
    first, second = torch.randn(32, 32), torch.randn(32, 32)
    x, y = t(first, device=device), ttnn.zeros_like(t(first, device=device))
    trace = ttnn.begin_trace_capture(device, cq_id=0)
    assert ttnn.is_trace_capture_active()
    double(x, y)
    inner = ttnn.exp(y)
    total = ttnn.sum(inner + 1.0, dim=-1)
    left, right = ttnn.split(y, 16, dim=1)
    ttnn.deallocate(inner)
    ttnn.end_trace_capture(device, trace, cq_id=0)
    torch.testing.assert_close(ttnn.to_torch(total), ((first * 2).exp() + 1).sum(-1))
    ttnn.copy_host_to_device_tensor(t(second), x)
    ttnn.execute_trace(device, trace, cq_id=0, blocking=False)
    ttnn.synchronize_device(device)
    torch.testing.assert_close(ttnn.to_torch(total), ((second * 2).exp() + 1).sum(-1))
    assert torch.equal(torch.cat([ttnn.to_torch(left), ttnn.to_torch(right)], 1), second * 2)
    ttnn.release_trace(device, trace)
    for again in (lambda: ttnn.execute_trace(device, trace), lambda: ttnn.end_trace_capture(device, trace)):
        with pytest.raises(ProgramError) as caught:
            again()
        assert caught.value.code == "TTL1025"


def test_only_one_trace_is_captured() -> None:
    device = ttnn.open_device(device_id=0)
    trace = ttnn.begin_trace_capture(device)
    for wrong in (lambda: ttnn.begin_trace_capture(device), lambda: ttnn.execute_trace(device, trace)):
        with pytest.raises(ProgramError) as caught:
            wrong()
        assert caught.value.code == "TTL1025"
    ttnn.end_trace_capture(device, trace)
    assert not ttnn.is_trace_capture_active()


def test_a_trace_on_a_mesh() -> None:
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
    options: dict[str, Any] = {"device": mesh, "mesh_mapper": ttnn.ShardTensorToMesh(mesh, dim=0)}
    first, second = torch.randn(64, 32), torch.randn(64, 32)
    x = t(first, **options)
    trace = ttnn.begin_trace_capture(mesh)
    y = ttnn.square(x)
    ttnn.end_trace_capture(mesh, trace)
    ttnn.copy_host_to_device_tensor(t(second, **options), x)
    ttnn.execute_trace(mesh, trace)
    whole = ttnn.to_torch(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
    torch.testing.assert_close(whole, second * second)


@pytest.mark.parametrize("dtype", [ttnn.float32, ttnn.bfloat16, ttnn.bfloat8_b])
def test_caches_are_written_in_place(dtype: Any) -> None:
    reference = torch.zeros(4, 2, 64, 32)
    cache = t(reference, dtype=dtype)
    prompt, token = torch.randn(1, 2, 16, 32), torch.randn(1, 2, 4, 32)
    assert ttnn.fill_cache(cache, t(prompt), 1) is cache
    ttnn.kv_cache.fill_cache_for_user_(cache, t(prompt * 2), 3)
    ttnn.update_cache(cache, t(token), 20)
    ttnn.kv_cache.update_cache_for_token_(cache, t(token), 21, 0)
    step = torch.randn(1, 4, 32, 32)
    ttnn.experimental.paged_update_cache(cache, t(step), update_idxs=[30, 31, -1, 33])
    reference[1, :, :16], reference[3, :, :16] = prompt[0], prompt[0] * 2
    reference[:, :, 20], reference[:, :, 21] = token[0].transpose(0, 1), token[0].transpose(0, 1)
    for user, position in ((0, 30), (1, 31), (3, 33)):
        reference[user, :, position] = step[0, user, :2]
    tolerance = {"float32": 0.0, "bfloat16": 2e-2, "bfloat8_b": 6e-2}[dtype.name]
    torch.testing.assert_close(ttnn.to_torch(cache).float(), reference, rtol=0, atol=tolerance * 2)
    part = ttnn.experimental.nlp_kv_cache_load_slice(cache, seq_len_start=0, seq_len_end=32)
    assert torch.equal(ttnn.to_torch(part), ttnn.to_torch(cache)[:, :, :32])


def test_paged_caches() -> None:
    cache = t(torch.zeros(8, 2, 8, 16))
    table = ttnn.from_torch(torch.tensor([[5, 2], [0, 7]]), dtype=ttnn.int32)
    prompt, step = torch.randn(1, 2, 12, 16), torch.randn(1, 2, 32, 16)
    ttnn.experimental.paged_fill_cache(cache, t(prompt), table, batch_idx=1)
    ttnn.experimental.paged_update_cache(
        cache, t(step), update_idxs_tensor=ttnn.from_torch(torch.tensor([9, 12])), page_table=table
    )
    found = ttnn.to_torch(cache)
    assert torch.equal(found[0], prompt[0, :, :8]) and torch.equal(found[7, :, :4], prompt[0, :, 8:])
    assert torch.equal(found[2, :, 1], step[0, 0, :2]) and torch.equal(found[7, :, 4], step[0, 1, :2])


@pytest.mark.parametrize("units", [1, 7, 64, 100, 130])
@pytest.mark.parametrize("row_wise", [False, True])
def test_split_work_to_cores(units: int, row_wise: bool) -> None:
    count, cores, first, second, more, less = ttnn.split_work_to_cores(ttnn.CoreCoord(8, 8), units, row_wise)
    counts = [len(ttnn.corerange_to_cores(each)) for each in (cores, first, second)]
    assert count == min(units, 64) == counts[0] == counts[1] + counts[2]
    assert counts[1] * more + counts[2] * less == units and (not counts[2] or more == less + 1)


def test_modules_below_ttnn(monkeypatch: pytest.MonkeyPatch) -> None:
    importer.install()
    import ttnn as library
    import ttnn.transformer
    from ttnn.device import get_max_worker_l1_unreserved_size
    from ttnn.experimental import nlp_concat_heads

    assert nlp_concat_heads is library.experimental.nlp_concat_heads
    assert (
        get_max_worker_l1_unreserved_size() == library.device.get_max_worker_l1_unreserved_size() > 1_000_000
    )
    assert library.operations.add is library.add
    for wrong in (
        lambda: library.device.nothing_like_it,
        lambda: library._ttnn.nothing,
        lambda: library.transformer.flash_mla,
        lambda: library.experimental.wan,
    ):
        with pytest.raises(AttributeError) as caught:
            wrong()
        assert isinstance(caught.value, ProgramError) and caught.value.code == "TTL1001"


def test_types_of_torch_are_taken_with_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    made = ttnn.from_torch(torch.ones(2, 2), dtype=torch.bfloat16)
    assert made.dtype is ttnn.bfloat16
    report.emit_kept()
    said = capsys.readouterr().err
    assert "note[TTL1219]" in said and "dtype=ttnn.bfloat16" in said


def test_devices_links_and_files(tmp_path: Path) -> None:
    ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D)
    assert ttnn.get_fabric_config() is ttnn.FabricConfig.FABRIC_1D
    device = ttnn.CreateDevice(0, dispatch_core_config=ttnn.DispatchCoreConfig(ttnn.DispatchCoreType.WORKER))
    ttnn.SetDefaultDevice(device)
    assert ttnn.GetDefaultDevice() is device
    ttnn.event_synchronize(ttnn.record_event(device, 0))
    x = ttnn.as_tensor(
        np.arange(6, dtype=np.float32).reshape(2, 3), dtype=ttnn.bfloat16, device=device, cache_file_name="x"
    )
    ttnn.dump_tensor(tmp_path / "x.tensorbin", x)
    y = ttnn.load_tensor(tmp_path / "x.tensorbin", device=device)
    assert ttnn.allclose(x, y) and y.device() is device and not ttnn.allclose(x, torch.zeros(2, 3), atol=0.1)
    assert ttnn.pearson_correlation_coefficient(x, y) == 1.0
    ttnn.SetDefaultDevice(None)
    ttnn.CloseDevice(device)
    assert not device.is_open()
