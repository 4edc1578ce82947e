"""Tensors on meshes of devices: mappers, composers, collectives."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ttl.diag import ProgramError
from ttl.host import api as ttnn

X = torch.arange(8 * 16.0).reshape(8, 16)


def code_of(program: Any) -> str:
    with pytest.raises(ProgramError) as caught:
        program()
    return caught.value.code


@pytest.fixture
def mesh() -> Any:
    return ttnn.open_mesh_device(ttnn.MeshShape(2, 4))


def cut(mesh: Any, dims: Any = (0, 1)) -> Any:
    return ttnn.from_torch(
        X,
        device=mesh,
        layout=ttnn.TILE_LAYOUT,
        mesh_mapper=ttnn.ShardTensor2dMesh(mesh, mesh_shape=(2, 4), dims=dims),
    )


def joined(tensor: Any, mesh: Any, dims: Any = (0, 1)) -> torch.Tensor:
    return ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMesh2dToTensor(mesh, mesh_shape=(2, 4), dims=dims))


def test_mesh_device(mesh: Any) -> None:
    assert mesh.shape == (2, 4) and mesh.get_num_devices() == 8 and mesh.get_device_ids() == list(range(8))
    assert ttnn.MeshShape(4) == (1, 4) and ttnn.MeshShape((2, 4)).mesh_size() == 8
    ttnn.close_mesh_device(mesh)
    assert code_of(lambda: ttnn.zeros((2, 2), device=mesh)) == "TTL1010"


def test_two_dimensional_shards(mesh: Any) -> None:
    tensor = cut(mesh)
    assert tensor.shape == (4, 4) and len(tensor.shards) == 8 and tensor.device() is mesh
    assert torch.equal(ttnn.to_torch(tensor.shards[5]), X[4:, 4:8])
    assert torch.equal(joined(tensor, mesh), X)


def test_one_dimension_cut_the_other_the_same(mesh: Any) -> None:
    tensor = cut(mesh, (None, 0))
    assert tensor.shape == (2, 16)
    assert torch.equal(ttnn.to_torch(tensor.shards[1]), X[2:4])
    assert torch.equal(ttnn.to_torch(tensor.shards[5]), X[2:4])


def test_both_dimensions_of_the_mesh_cut_the_same_one(mesh: Any) -> None:
    tensor = cut(mesh, (0, 0))
    assert torch.equal(ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0)), X)


def test_shard_and_concatenate_along_a_line(mesh: Any) -> None:
    tensor = ttnn.from_torch(X, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=-1))
    assert tensor.shape == (8, 2)
    assert torch.equal(ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=1)), X)


def test_replicas(mesh: Any) -> None:
    for tensor in (
        ttnn.from_torch(X, device=mesh, mesh_mapper=ttnn.ReplicateTensorToMesh(mesh)),
        ttnn.from_torch(X, device=mesh),
        ttnn.to_device(ttnn.from_torch(X), mesh),
    ):
        assert all(torch.equal(ttnn.to_torch(shard), X) for shard in ttnn.get_device_tensors(tensor))


def test_newer_names_of_mappers_and_composers(mesh: Any) -> None:
    config = ttnn.MeshMapperConfig([ttnn.PlacementShard(0), ttnn.PlacementReplicate()])
    tensor = ttnn.from_torch(X, device=mesh, mesh_mapper=ttnn.create_mesh_mapper(mesh, config))
    assert tensor.shape == (4, 16)
    composer = ttnn.create_mesh_composer(mesh, ttnn.MeshComposerConfig(dims=[0, 1]))
    assert torch.equal(ttnn.to_torch(tensor, mesh_composer=composer), X.repeat(1, 4))


def test_host_shards_move_to_the_mesh(mesh: Any) -> None:
    tensor = ttnn.from_torch(X, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0))
    assert tensor.device() is None
    moved = ttnn.to_device(tensor, mesh)
    assert moved.device() is mesh and moved.shards[3].shape == (1, 16)
    assert ttnn.from_device(moved).device() is None


def test_operations_work_on_each_shard(mesh: Any) -> None:
    tensor = cut(mesh)
    assert torch.equal(joined(tensor * 2 + tensor, mesh), X * 3)
    assert torch.equal(joined(ttnn.add(tensor, 1.0, output_tensor=tensor), mesh), X + 1)
    assert torch.equal(joined(tensor, mesh), X + 1)
    assert ttnn.to_layout(tensor, ttnn.ROW_MAJOR_LAYOUT).shards[0].layout is ttnn.ROW_MAJOR_LAYOUT
    assert ttnn.concat([tensor, tensor], dim=0).shape == (8, 4)
    values, indices = ttnn.topk(tensor, 2)
    assert len(values.shards) == len(indices.shards) == 8


def test_all_gather(mesh: Any) -> None:
    tensor = ttnn.from_torch(X, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0))
    gathered = ttnn.all_gather(tensor, dim=0, num_links=1, topology=ttnn.Topology.Ring)
    assert all(torch.equal(ttnn.to_torch(shard), X) for shard in gathered.shards)


def test_all_gather_along_a_row_of_the_mesh(mesh: Any) -> None:
    gathered = ttnn.all_gather(cut(mesh), dim=1, cluster_axis=1)
    assert torch.equal(ttnn.to_torch(gathered.shards[2]), X[:4])
    assert torch.equal(ttnn.to_torch(gathered.shards[7]), X[4:])


def test_all_reduce(mesh: Any) -> None:
    tensor = ttnn.from_torch(X, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0))
    reduced = ttnn.all_reduce(tensor)
    assert all(torch.equal(ttnn.to_torch(shard), X.sum(0, True)) for shard in reduced.shards)
    largest = ttnn.all_reduce(cut(mesh), cluster_axis=0, math_op=ttnn.ReduceType.Max)
    assert torch.equal(ttnn.to_torch(largest.shards[1]), X[4:, 4:8])


def test_reduce_scatter_then_all_gather_is_all_reduce(mesh: Any) -> None:
    tensor = ttnn.from_torch(
        torch.randn(8, 8, 16), ttnn.float32, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0)
    )
    scattered = ttnn.reduce_scatter(tensor, dim=1)
    assert scattered.shape == (1, 1, 16)
    gathered = ttnn.all_gather(scattered, dim=1)
    assert torch.equal(ttnn.to_torch(gathered.shards[3]), ttnn.to_torch(ttnn.all_reduce(tensor).shards[0]))


def test_shards_can_be_combined_again(mesh: Any) -> None:
    tensor = cut(mesh)
    assert torch.equal(joined(ttnn.combine_device_tensors(ttnn.get_device_tensors(tensor)), mesh), X)


def test_text_of_a_tensor_on_a_mesh(mesh: Any) -> None:
    assert "shard 7:" in str(cut(mesh)) and "on a mesh of 8 devices" in str(cut(mesh))


def test_deallocation_frees_every_shard(mesh: Any) -> None:
    tensor = cut(mesh)
    ttnn.deallocate(tensor)
    assert code_of(lambda: ttnn.to_torch(tensor.shards[0])) == "TTL1009"


def test_one_device_needs_no_composer() -> None:
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 1))
    assert torch.equal(ttnn.to_torch(ttnn.from_torch(X, device=mesh)), X)


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (lambda mesh: ttnn.to_torch(cut(mesh)), "TTL1012"),
        (
            lambda mesh: ttnn.from_torch(X[:7], device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0)),
            "TTL1012",
        ),
        (
            lambda mesh: ttnn.from_torch(X, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=2)),
            "TTL1007",
        ),
        (lambda mesh: ttnn.from_torch(X, device=mesh, mesh_mapper="rows"), "TTL1004"),
        (lambda mesh: ttnn.ShardTensor2dMesh(mesh, mesh_shape=(2, 3), dims=(0, 1)), "TTL1012"),
        (lambda mesh: ttnn.ShardTensor2dMesh(mesh, mesh_shape=(2, 4), dims=(0,)), "TTL1012"),
        (lambda mesh: ttnn.all_gather(ttnn.ones((2, 2)), dim=0), "TTL1012"),
        (lambda mesh: ttnn.all_reduce(cut(mesh), math_op="sum"), "TTL1004"),
        (lambda mesh: ttnn.reduce_scatter(cut(mesh), dim=0), "TTL1012"),
        (lambda mesh: ttnn.all_gather(cut(mesh), dim=0, cluster_axis=2), "TTL1007"),
        (
            lambda mesh: cut(mesh) + ttnn.from_torch(X, device=ttnn.open_mesh_device(ttnn.MeshShape(1, 2))),
            "TTL1012",
        ),
        (lambda mesh: ttnn.open_mesh_device(ttnn.MeshShape(0, 2)), "TTL1005"),
        (lambda mesh: ttnn.open_mesh_device(ttnn.MeshShape(1, 2), physical_device_ids=[1]), "TTL1011"),
        (lambda mesh: ttnn.open_mesh_device(ttnn.MeshShape(2, 99_999_999)), "TTL1011"),
        (lambda mesh: ttnn.to_torch(cut(mesh), mesh_composer=3), "TTL1004"),
        (lambda mesh: ttnn.combine_device_tensors([]), "TTL1012"),
    ],
)
def test_mistakes(program: Any, code: str, mesh: Any) -> None:
    assert code_of(lambda: program(mesh)) == code
