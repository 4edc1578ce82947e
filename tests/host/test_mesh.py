"""Tensors on meshes of devices: mappers, composers, collectives."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

import numpy as np
import pytest
import torch

from support import real_ttnn
from ttl.diag import ProgramError
from ttl.host import api as ttnn
from ttl.settings import override

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


def devices_have(tensor: Any) -> np.ndarray[Any, Any]:
    """What each device has, row by row of the mesh."""
    return np.stack([ttnn.to_torch(shard).float().numpy() for shard in ttnn.get_device_tensors(tensor)])


def random_on(mesh: Any, dtype: Any, shape: tuple[int, ...] = (32, 64)) -> tuple[Any, np.ndarray[Any, Any]]:
    """A tensor with other values on every device, and those."""
    generator = torch.Generator().manual_seed(7)
    whole = torch.randint(-8, 8, (mesh.get_num_devices() * shape[0], *shape[1:]), generator=generator)
    tensor = ttnn.from_torch(
        whole.float(), dtype=dtype, device=mesh, layout=ttnn.TILE_LAYOUT,
        mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0),
    )  # fmt: skip
    return tensor, devices_have(tensor)


SHAPES = [(1, 2), (1, 4), (1, 8), (2, 4)]


def lines(shape: tuple[int, int], axis: int | None) -> list[list[int]]:
    """The devices that exchange among themselves."""
    numbers = np.arange(shape[0] * shape[1]).reshape(shape)
    return [list(numbers.ravel())] if axis is None else [list(line) for line in (numbers.T if axis == 0 else numbers)]  # fmt: skip


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_exchanges_against_numpy(shape: tuple[int, int], axis: int | None) -> None:
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(*shape))
    for dtype in (ttnn.bfloat16, ttnn.float32):
        tensor, values = random_on(mesh, dtype)
        _, columns = values.shape[1:]
        results = {
            "gathered": ttnn.all_gather(tensor, dim=1, cluster_axis=axis),
            "reduced": ttnn.all_reduce(tensor, cluster_axis=axis),
            "scattered": ttnn.reduce_scatter(tensor, dim=1, cluster_axis=axis, num_links=1),
            "partitioned": ttnn.mesh_partition(tensor, 1, cluster_axis=axis),
            "exchanged": ttnn.experimental.all_to_all_async_generic(tensor, 1, 0, cluster_axis=axis),
        }
        semaphores = {"multi_device_global_semaphore": None, "num_links": 1, "topology": ttnn.Topology.Linear}
        more = {
            "gathered": ttnn.experimental.all_gather_async(tensor, dim=1, cluster_axis=axis, **semaphores),
            "scattered": ttnn.experimental.reduce_scatter_minimal_async(
                tensor, None, 1, cluster_axis=axis, **semaphores
            ),
        }
        for name, result in more.items():
            assert np.array_equal(devices_have(result), devices_have(results[name])), name
        each = ttnn.all_broadcast(tensor, cluster_axis=axis)
        for line in lines(shape, axis):
            total, count = values[line].sum(0), len(line)
            assert len(each) == count
            cut = columns // count
            for place, number in enumerate(line):
                own = slice(place * cut, (place + 1) * cut)
                wanted = {
                    "gathered": np.concatenate(values[line], 1),
                    "reduced": total,
                    "scattered": total[:, own],
                    "partitioned": values[number][:, own],
                    "exchanged": np.concatenate([values[other][:, own] for other in line], 0),
                }
                for name, result in results.items():
                    assert np.array_equal(devices_have(result)[number], wanted[name]), name
                for sender in range(count):
                    assert np.array_equal(devices_have(each[sender])[number], values[line[sender]])


def test_all_to_all_moves_the_dimension_that_is_cut(mesh: Any) -> None:
    whole = torch.arange(64 * 128.0).reshape(1, 1, 64, 128) % 256
    rows = ttnn.from_torch(whole, dtype=ttnn.bfloat16, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=2))  # fmt: skip
    between, into = (ttnn.from_torch(torch.zeros(1, 1, 64, 16), dtype=ttnn.bfloat16, device=mesh) for _ in range(2))  # fmt: skip
    result = ttnn.experimental.all_to_all_async(rows, between, into, 2, 3, None, topology=ttnn.Topology.Ring)
    assert result is into
    assert torch.equal(ttnn.to_torch(result, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=3)).float(), whole)  # fmt: skip


def test_broadcast_and_point_to_point(mesh: Any) -> None:
    tensor, values = random_on(mesh, ttnn.bfloat16)
    everywhere = devices_have(ttnn.broadcast(tensor, (1, 2)))
    assert np.array_equal(everywhere, np.stack([values[6]] * 8))
    in_its_row = devices_have(ttnn.broadcast(tensor, sender_coord=(1, 2), cluster_axis=1))
    assert np.array_equal(in_its_row, np.stack([*values[:4], *[values[6]] * 4]))
    sent = devices_have(ttnn.point_to_point(tensor, (0, 1), (1, 3), topology=ttnn.Topology.Linear))
    assert np.array_equal(sent[7], values[1]) and not sent[:7].any()
    into, before = random_on(mesh, ttnn.bfloat16)
    result = ttnn.point_to_point(tensor, (0, 1), (1, 3), output_tensor=into)
    assert result is into
    assert np.array_equal(devices_have(into), np.stack([*before[:7], values[1]]))
    # What was sent can be written without changing where it came from.
    copies = ttnn.broadcast(tensor, (0, 0))
    ttnn.add(copies, 1.0, output_tensor=copies)
    assert np.array_equal(devices_have(tensor), values)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda x: ttnn.broadcast(x, (2, 0)), r"ttnn.broadcast: there is no device \(2, 0\) in a mesh of shape \(2, 4\)"),
        (lambda x: ttnn.point_to_point(x, (0, 0), (0, 0, 0)), r"there is no device \(0, 0, 0\)"),
        (lambda x: ttnn.mesh_partition(x, 0, cluster_axis=5), "5"),
        (lambda x: ttnn.mesh_partition(x[:, :63], 1), r"dimension 1 of shape \(32, 63\) for 8 devices"),
        (lambda x: ttnn.experimental.all_to_all_async_generic(x[:, :63], 1, 0), "for 8 devices"),
        (lambda x: ttnn.broadcast(ttnn.get_device_tensors(x)[0], (0, 0)), "on no mesh of devices"),
        (lambda x: ttnn.get_usable_topology(x, "ring"), "a topology is a ttnn.Topology"),
        (lambda x: ttnn.from_host_shards([ttnn.zeros((2, 2))] * 3, (2, 2)), r"3 shards for a mesh of shape \(2, 2\)"),
        (lambda x: ttnn.aggregate_tensor(x, (0, 1)), "takes what ttnn.create_mesh_composer gives"),
        (lambda x: ttnn.distribute_tensor(x, ttnn.ReplicateTensorToMesh(x.device())), "has a shard for each device already"),
    ],
)  # fmt: skip
def test_exchanges_that_cannot_be(mesh: Any, program: Any, message: str) -> None:
    tensor, _ = random_on(mesh, ttnn.bfloat16)
    with pytest.raises(ProgramError, match=message):
        program(tensor)


def test_the_topology_that_devices_have() -> None:
    assert ttnn.ReduceType.Mean.name == "Mean"
    ring, linear = ttnn.Topology.Ring, ttnn.Topology.Linear
    with override(origin="--system", system="t3000"):
        for shape, axis, usable in (((2, 4), 1, linear), ((1, 8), None, ring), ((1, 4), None, linear)):
            tensor, _ = random_on(ttnn.open_mesh_device(ttnn.MeshShape(*shape)), ttnn.bfloat16)
            assert ttnn.get_usable_topology(tensor, ring, axis) is usable
            assert ttnn.get_usable_topology(tensor) is linear
    with override(origin="--system", system="galaxy_torus_x"):
        tensor, _ = random_on(ttnn.open_mesh_device(), ttnn.bfloat16)
        assert ttnn.get_usable_topology(tensor, ring, 1) is ring
        assert ttnn.get_usable_topology(tensor, ring, 0) is linear


def test_mappers_and_composers_by_their_other_names(mesh: Any) -> None:
    host = ttnn.from_torch(X)
    config = ttnn.MeshMapperConfig(row_dim=0, col_dim=1)
    for mapper in (
        ttnn.create_mesh_mapper(mesh, config),
        ttnn.create_mesh_mapper(ttnn.MeshShape(2, 4), config),
    ):
        spread = ttnn.distribute_tensor(host, mapper, mesh)
        assert torch.equal(ttnn.to_torch(spread.shards[5]), X[4:, 4:8])
        composer = ttnn.create_mesh_composer(mesh, ttnn.MeshComposerConfig(row_dim=0, col_dim=1))
        assert torch.equal(ttnn.to_torch(ttnn.aggregate_tensor(spread, composer)), X)
    shards = [ttnn.from_torch(X[4 * row :, 4 * column : 4 * column + 4][:4]) for row in range(2) for column in range(4)]  # fmt: skip
    assert torch.equal(joined(ttnn.from_host_shards(shards, ttnn.MeshShape(2, 4)), mesh), X)
    assert ttnn.shard_tensor_to_mesh_mapper is ttnn.ShardTensorToMesh


@pytest.mark.parametrize("system", [None, "t3000"])
def test_parts_of_a_mesh(system: str | None) -> None:
    """Shapes, numbers and refusals as ttnn 0.81.1 has them on a mock device."""
    chosen = {} if system is None else {"system": system}
    with override(origin="--system", **chosen):
        mesh = ttnn.open_mesh_device(ttnn.MeshShape(2, 4))
        part = mesh.create_submesh(ttnn.MeshShape(2, 2), (0, 2))
        assert (tuple(part.shape), part.get_device_ids()) == ((2, 2), [2, 3, 6, 7])
        assert part._links()[0].neighbours(2) == (1, 3, 6) and part._links()[1] == (2, 3, 6, 7)
        whole = torch.arange(32.0).reshape(4, 8)
        tensor = ttnn.from_torch(whole, device=part, mesh_mapper=ttnn.ShardTensorToMesh(part, dim=0))
        total = devices_have(ttnn.all_reduce(tensor))
        assert np.array_equal(total, np.stack([whole.sum(0, keepdim=True).numpy()] * 4))
        rows = mesh.create_submeshes(ttnn.MeshShape(1, 4))
        assert [row.get_device_ids() for row in rows] == [[0, 1, 2, 3], [4, 5, 6, 7]]
        assert rows[1].create_submesh((1, 2), (0, 1)).get_device_ids() == [5, 6]
        assert mesh.get_submeshes() == [part, *rows]
        mesh.reshape(ttnn.MeshShape(1, 8))
        assert (tuple(mesh.shape), mesh.get_device_ids()) == ((1, 8), list(range(8)))
        assert mesh._links()[0].shape == (2, 4)
        for wrong in (
            lambda: mesh.create_submesh((2, 2)),
            lambda: mesh.create_submesh((1, 4), (0, 5)),
            lambda: mesh.create_submeshes((1, 3)),
            lambda: mesh.reshape((3, 3)),
        ):
            assert code_of(wrong) == "TTL1012"
        ttnn.close_mesh_device(mesh)
        assert not part.is_open() and not rows[0].is_open()


def test_headers_of_packets_are_those_of_the_fabric() -> None:
    """As ttnn 0.81.1 says on a mock device (``tests/project/test_systems.py`` asks it)."""
    assert ttnn.get_fabric_config() is ttnn.FabricConfig.DISABLED
    assert code_of(ttnn.get_tt_fabric_packet_header_size_bytes) == "TTL1031"
    try:
        for config, size in (
            (ttnn.FabricConfig.FABRIC_1D_RING, 48),
            (ttnn.FabricConfig.FABRIC_2D_TORUS_X, 96),
        ):
            ttnn.set_fabric_config(config)
            assert ttnn.get_tt_fabric_packet_header_size_bytes() == size
        assert ttnn.get_tt_fabric_max_payload_size_bytes() == 4352
        router = ttnn.FabricRouterConfig()
        ttnn.set_fabric_config(
            ttnn.FabricConfig.FABRIC_1D,
            router_config=router,
            fabric_manager_mode=ttnn.FabricManagerMode.DEFAULT,
            fabric_udm_mode=ttnn.FabricUDMMode.DISABLED,
        )
        router.max_packet_payload_size_bytes = 8192
        assert (
            code_of(lambda: ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D, router_config=router))
            == "TTL1020"
        )
        assert (
            code_of(lambda: ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D, router_config=8192))
            == "TTL1004"
        )
    finally:
        ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)


# What the real library says of functions that are called with arguments that they have not.
ASKED = """
import re
found = {}
for name in json.loads(sys.argv[1]):
    function = ttnn
    for part in name.split("."):
        function = getattr(function, part)
    try:
        function(*[object()] * 40)
    except TypeError as mistake:
        lines = str(mistake).splitlines()
        found[name] = [line for line in lines if line.strip().startswith(name.rpartition(".")[2] + "(input_tensor")]
answer(found)
"""
EXCHANGES = (
    "all_gather", "all_reduce", "reduce_scatter", "broadcast", "all_broadcast", "point_to_point", "mesh_partition",
    "experimental.all_gather_async", "experimental.reduce_scatter_minimal_async", "experimental.all_to_all_async",
    "experimental.all_to_all_async_generic",
)  # fmt: skip


def test_exchanges_have_the_arguments_of_the_real_ones() -> None:
    """Named as there, and those that go without a name in the order of one of the real signatures."""
    found: Any = real_ttnn.run("0.81", "import sys" + ASKED, json.dumps(EXCHANGES))
    for name in EXCHANGES:
        function = ttnn
        for part in name.split("."):
            function = getattr(function, part)
        own = inspect.signature(function).parameters.values()
        positional = [one.name for one in own if one.kind is one.POSITIONAL_OR_KEYWORD]
        theirs = [re.findall(r"(?:[(]|, )(\*|\w+)(?=[:,])", line) for line in found[name]]
        assert theirs, name
        known = {parameter for one in theirs for parameter in one}
        options = {"math_op", "output_tensor"}  # of older releases
        assert {one.name for one in own} - known <= options, name
        orders = [[p for p in one[: [*one, "*"].index("*")] if p in positional] for one in theirs]
        assert any(order and positional[: len(order)] == order for order in orders), (
            name,
            positional,
            orders,
        )
