"""Tensors on several chips: replicated, in shards, gathered; and meshes that are none."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
from support.ttnn_binaries import Binary
from tt_model.layouts.known_systems import default_system, system
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.distribution import MeshShards, Replicate, ShardAlong, ShardGrid, cut
from tt_model.runtime.executor import run_on_mesh, run_program
from tt_model.runtime.problems import OutOfMemory, RuntimeProblem

N300 = system("n300")
ROWS = {"strategy_type": "ShardTensor", "strategy": {"shard_dim": 0}}
COLUMNS = {"strategy_type": "ShardTensor", "strategy": {"shard_dim": 1}}


def drawn(*shape: int) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))).to(torch.bfloat16)


def pair() -> Binary:
    return Binary([0, 1], N300)


def product_of_rows(binary: Binary) -> dict[str, Any]:
    """A product whose first operand is 32 rows on each chip."""
    x, w = binary.input([32, 64]), binary.input([64, 32])
    return binary.op("MatmulOp", in0=x, in1=w, out=binary.tensor([32, 32]))


X, W = drawn(64, 64), drawn(64, 32)
SHARDS = cut(X, ShardAlong(0), 2, "x")


def test_each_chip_computes_its_rows_and_they_make_what_one_chip_computes() -> None:
    alone = Binary()
    x, w = alone.input([64, 64]), alone.input([64, 32])
    y = alone.op("MatmulOp", in0=x, in1=w, out=alone.tensor([64, 32]))
    (wanted,), single = alone.run(alone.output([64, 32], y), X, W)

    binary = pair()
    outputs = binary.output([32, 32], product_of_rows(binary))
    device = binary.device()
    (shards,), report = run_on_mesh(device, binary.prepared(outputs), [SHARDS, W])
    assert isinstance(shards, MeshShards) and shards.strategy == ShardAlong(0)
    assert [tuple(part.shape) for part in shards.parts] == [(32, 32)] * 2
    (whole,), _ = run_program(device, binary.prepared(outputs), [SHARDS, W])
    assert torch.equal(whole, wanted)
    peaks = [report.peaks[f"DRAM of chip {chip}"] for chip in (0, 1)]
    assert peaks[0] == peaks[1] <= single.peaks["DRAM of chip 0"]


def test_what_is_replicated_is_computed_once_and_lies_on_both_chips(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = torch.matmul
    monkeypatch.setattr(torch, "matmul", lambda a, b: (calls.append(1), real(a, b))[1])
    binary = pair()
    (got,), report = binary.run(binary.output([32, 32], product_of_rows(binary)), X[:32], W)
    assert len(calls) == 1 and torch.equal(got, real(X[:32], W))
    assert report.peaks["DRAM of chip 0"] == report.peaks["DRAM of chip 1"] > 0


@pytest.mark.parametrize("dim", [0, 1])
def test_all_chips_have_what_is_gathered(dim: int) -> None:
    binary = pair()
    shape = [64, 32] if dim == 0 else [32, 64]
    y = binary.op(
        "AllGatherOp", **{"in": product_of_rows(binary)}, dim=dim, num_links=1, out=binary.tensor(shape)
    )
    (got,), _ = run_on_mesh(binary.device(), binary.prepared(binary.output(shape, y)), [SHARDS, W])
    assert torch.equal(got, torch.cat([part @ W for part in SHARDS.parts], dim))


def test_the_binary_cuts_tensors_and_puts_them_together() -> None:
    """Strategies in the file: the host has whole tensors, the chips their columns."""
    binary = pair()
    given = binary.tensor([32, 64], space="System")
    binary.inputs.append(given)
    x = binary.op(
        "ToDeviceOp", **{"in": given}, device={"global_id": 0}, out=binary.tensor([32, 32], strategy=COLUMNS)
    )
    y = binary.op("EltwiseOp", type="Neg", ins=[x], out=binary.tensor([32, 32]))
    host = binary.op("FromDeviceOp", **{"in": y}, out=binary.tensor([32, 64], space="System", tiled=False))
    (got,), _ = binary.run([host], X[:32])
    assert torch.equal(got, -X[:32])


def test_an_input_that_the_binary_cuts_is_given_whole() -> None:
    binary = pair()
    given = binary.tensor([32, 64], space="System", strategy=ROWS)
    binary.inputs.append(given)
    x = binary.op("ToDeviceOp", **{"in": given}, device={"global_id": 0}, out=binary.tensor([32, 64]))
    outputs = binary.output([32, 64], x)
    assert binary.prepared(outputs).input_shapes == [(64, 64)]
    (got,), _ = binary.run(outputs, X)
    assert torch.equal(got, X)


def test_the_binary_says_how_a_reshaped_tensor_lies() -> None:
    """Of a shape from which it does not follow."""
    binary = pair()
    x = binary.input([32, 64])
    for strategy, known in ((None, False), (COLUMNS, True)):
        out = binary.tensor([64, 32], strategy=strategy)
        y = binary.op("ReshapeOp", **{"in": x}, shape=[64, 32], out=out)
        outputs = binary.output([64, 32], y)
        (shards,), _ = run_on_mesh(
            binary.device(), binary.prepared(outputs), [cut(drawn(32, 128), ShardAlong(1), 2, "x")]
        )
        assert isinstance(shards, MeshShards) and (shards.strategy is not None) == known


def test_new_tensors_of_each_chip() -> None:
    binary = pair()
    zeros = binary.op(
        "EmptyOp", shape=[32, 32], dtype="BFloat16", layout="Tile", num_shards=2, strategy=ROWS,
        device={"global_id": 0}, memcfg={"tensor_memory_layout": "Interleaved", "buffer_type": "DRAM"},
        out=binary.tensor([32, 32]),
    )  # fmt: skip
    (got,), _ = binary.run(binary.output([32, 32], zeros))
    assert got.shape == (64, 32) and not got.any()


def test_two_rows_of_two_columns() -> None:
    shards = cut(drawn(4, 6), ShardGrid(2, 2), 4, "x")
    assert isinstance(shards, MeshShards) and [tuple(part.shape) for part in shards.parts] == [(2, 3)] * 4
    assert torch.equal(shards.whole(), drawn(4, 6))


def test_what_does_not_fit_on_the_second_chip_is_said() -> None:
    binary = pair()
    program = binary.prepared(binary.output([32, 32], product_of_rows(binary)))
    device = binary.device()
    dram = device.chips[1].dram
    dram.allocate(dram.capacity // 32 * 32 - 32, "somebody else")
    with pytest.raises(
        OutOfMemory,
        match=r"operation 2 \(ToDeviceOp\).*out of memory in DRAM of chip 1: .*(\n.*)*somebody else",
    ):
        run_program(device, program, [SHARDS, W])
    assert not list(device.chips[0].dram.live())


def test_a_part_of_the_mesh_and_tensors_on_other_chips() -> None:
    binary = pair()
    binary.operations.append(
        {
            "type_type": "GetDeviceOp",
            "type": {"mesh": {"y": 1, "x": 1}, "chip_ids": [1], "out": {"global_id": 7}},
        }
    )
    both = binary.input([32, 32])
    laid = binary.op(
        "ToLayoutOp", **{"in": binary.inputs[0]}, layout="Tile", out=binary.tensor([32, 32], space="System")
    )
    second = binary.op("ToDeviceOp", **{"in": laid}, device={"global_id": 7}, out=binary.tensor([32, 32]))
    doubled = binary.op("EltwiseOp", type="Add", ins=[second, second], out=binary.tensor([32, 32]))
    (got,), report = binary.run(binary.output([32, 32], doubled), X[:32, :32])
    assert torch.equal(got, 2 * X[:32, :32])
    assert report.peaks["DRAM of chip 0"] < report.peaks["DRAM of chip 1"]
    bad = binary.op("EltwiseOp", type="Add", ins=[second, both], out=binary.tensor([32, 32]))
    with pytest.raises(
        RuntimeProblem,
        match=r"one operand lies on the chips \[1\], another \(.*\) on \[0, 1\]: bring it there",
    ):
        binary.run(binary.output([32, 32], bad), X[:32, :32])


def test_sums_that_are_cut_make_no_tensor() -> None:
    """The dimension that is summed over lies on both chips: each has a part of every sum."""
    binary = pair()
    x, w = binary.input([32, 32]), binary.input([32, 32])
    y = binary.op("MatmulOp", in0=x, in1=w, out=binary.tensor([32, 32]))
    inputs = [cut(X[:32], ShardAlong(1), 2, "x"), cut(W, ShardAlong(0), 2, "w")]
    outputs = binary.output([32, 32], y)
    with pytest.raises(
        RuntimeProblem, match=r"output 0 of main cannot be read as one tensor: it lies in 2 shards of 32x32"
    ):
        binary.run(outputs, *inputs)
    (shards,), _ = run_on_mesh(binary.device(), binary.prepared(outputs), inputs)
    assert isinstance(shards, MeshShards)
    assert torch.allclose(sum(part.float() for part in shards.parts), (X[:32] @ W).float(), atol=0.2)


def _get_device(**fields: Any) -> Any:
    return lambda binary: binary.operations[0]["type"].update(fields)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_get_device(mesh={"y": 2, "x": 1}), r"GetDeviceOp\.mesh is 2x1: the runtime opens chips as one row: use 1x2"),
        (_get_device(mesh={"y": 1, "x": 3}), r"GetDeviceOp\.mesh is 1x3, and GetDeviceOp\.chip_ids names 2 chips: \[0, 1\]"),
        (_get_device(chip_ids=[1, 0]), r"operation 0 \(GetDeviceOp\): GetDeviceOp\.chip_ids is \[1, 0\]: chips of a mesh must be neighbours, in the order"),
        (_get_device(chip_ids=[0, 0]), r"chips of a mesh must be neighbours"),
        (_get_device(chip_ids=[0, 2]), r"chip 2 was not opened; opened are \[0, 1\]"),
        (_get_device(mesh={"y": 1, "x": 0}, chip_ids=[]), r"chips of a mesh must be neighbours"),
        (_get_device(mesh={"y": 1, "x": 1}, chip_ids=[1]), r"a tensor \(.*one of 2 shards, sharded along dimension 0\) for 2 chips is brought to a device of 1, the chips \[1\]"),
        (lambda binary: binary.operations.insert(1, binary.operations[0]), r"operation 1 \(GetDeviceOp\): device 0 is defined twice, before with the chips \[0, 1\]"),
        (lambda binary: binary.operations[5]["type"]["out"]["desc"]["layout"].update(strategy={"strategy_type": "ReplicateTensor", "strategy": {}}), r"tensor 7 is replicated in the binary, and the chips have different values: put a ttnn\.all_gather before"),
        (lambda binary: binary.operations[5]["type"]["out"]["desc"]["layout"].update(strategy={"strategy_type": "ShardTensor", "strategy": {"shard_dim": 2}}), r"ShardTensor\.shard_dim is 2, and the tensor has 2 dimensions: name one from 0 to 1"),
        (lambda binary: binary.operations[5]["type"]["out"]["desc"]["layout"].update(strategy={"strategy_type": "ShardTensor2D", "strategy": {"shard_mesh": {"y": 2, "x": 2}}}), r"ShardTensor2D\.shard_mesh is 2x2, and there are 2 chips"),
        (lambda binary: binary.operations[5]["type"]["out"]["desc"]["layout"].update(strategy={"strategy_type": "AllGatherTensor", "strategy": {}}), r"AllGatherTensor, which does not make one tensor: insert a ttnn\.all_gather"),
    ],
)  # fmt: skip
def test_meshes_and_strategies_that_are_none(change: Any, said: str) -> None:
    binary = pair()
    outputs = binary.output([32, 32], product_of_rows(binary))
    change(binary)
    with pytest.raises(RuntimeProblem, match=said):
        binary.run(outputs, SHARDS, W)


def eight(mesh: dict[str, int]) -> Binary:
    binary = Binary(list(range(8)), system("t3000"))
    binary.operations[0]["type"]["mesh"] = mesh
    return binary


def scattered(binary: Binary, shape: list[int], **fields: Any) -> list[dict[str, Any]]:
    """A reduce_scatter of 32x64 of each chip."""
    x = binary.input([32, 64])
    y = binary.op("ReduceScatterOp", **{"in": x}, num_links=1, out=binary.tensor(shape), **fields)
    return binary.output(shape, y)


@pytest.mark.parametrize(("math_op", "name"), [(0, "sum"), (2, "amax"), (3, "amin")])
@pytest.mark.parametrize(("axis", "chips"), [(None, 8), (0, 2), (1, 4)])
@pytest.mark.parametrize("collectives", ["host", "sim"])
def test_chips_combine_what_they_have(
    math_op: int, name: str, axis: int | None, chips: int, collectives: Any
) -> None:
    """Whole numbers, so that any order of adding gives the same; parts that end within a tile."""
    generator = torch.Generator().manual_seed(math_op)
    parts = tuple(torch.randint(-9, 9, (32, 64), generator=generator).to(torch.bfloat16) for _ in range(8))
    binary = eight({"y": 2, "x": 4})
    fields = {"math_op": math_op, "scatter_split_dim": 1} | ({} if axis is None else {"cluster_axis": axis})
    outputs = scattered(binary, [32, 64 // chips], **fields)
    program = binary.prepared(outputs)
    ((got,), _) = run_on_mesh(binary.device(), program, [MeshShards(parts, None)], collectives=collectives)
    stacked = torch.stack(parts).reshape(2, 4, 32, 64)
    over = {None: (0, 1), 0: (0,), 1: (1,)}[axis]
    whole = getattr(stacked, name)(over, keepdim=True).expand(2, 4, 32, 64)
    assert isinstance(got, MeshShards)
    for chip, part in enumerate(got.parts):
        row, column = divmod(chip, 4)
        place = {None: chip, 0: row, 1: column}[axis]
        assert torch.equal(part, whole[row, column].chunk(chips, 1)[place])
    # Along the other axis nobody knows what chips have.
    assert got.strategy == (ShardAlong(1) if axis is None else got.strategy)
    if axis is not None:
        with pytest.raises(RuntimeProblem, match="it is not known how they are joined to one tensor"):
            got.whole()


@pytest.mark.parametrize(
    ("fields", "shape", "said"),
    [
        ({"scatter_split_dim": 2}, [32, 8], r"ReduceScatterOp\.scatter_split_dim is 2, and tensor \d+ .* has 2 dimensions"),
        ({"scatter_split_dim": 1}, [32, 64], r"a part for each of 8 chips of tensor \d+ .* is 32x8, and the binary says 32x64"),
        ({"scatter_split_dim": 1, "math_op": 5}, [32, 8], r"ReduceScatterOp\.math_op is 5; known are 0 \(sum\)"),
        ({"scatter_split_dim": 1, "cluster_axis": 2}, [32, 8], r"cluster_axis is 2, and a mesh 2x4 has the axes 0"),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit(fields: dict[str, Any], shape: list[int], said: str) -> None:
    binary = eight({"y": 2, "x": 4})
    with pytest.raises(RuntimeProblem, match=said):
        binary.run(scattered(binary, shape, **fields), drawn(32, 64))
    odd = eight({"y": 2, "x": 4})
    x = odd.input([30, 60])
    y = odd.op("ReduceScatterOp", **{"in": x}, scatter_split_dim=1, out=odd.tensor([30, 8]))
    with pytest.raises(RuntimeProblem, match="does not divide into parts for 8 chips: pad it to 64"):
        odd.run(odd.output([30, 8], y), drawn(30, 60))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"dim": 2, "shape": [64, 32]}, r"AllGatherOp\.dim is 2, and tensor \d+ .* has 2 dimensions"),
        ({"dim": 0, "shape": [96, 32]}, r"the parts of tensor \d+ .* on 2 chips make 64x32 along dimension 0, and the binary says 96x32"),
    ],
)  # fmt: skip
def test_gathers_that_do_not_fit(fields: dict[str, Any], said: str) -> None:
    binary = pair()
    y = product_of_rows(binary)
    y = binary.op("AllGatherOp", **{"in": y}, dim=fields["dim"], out=binary.tensor(fields["shape"]))
    with pytest.raises(RuntimeProblem, match=said):
        binary.run(binary.output(fields["shape"], y), SHARDS, W)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ((X, W), r"input 0 of main has shape \(64, 64\), but the program expects \(32, 64\)"),
        ((MeshShards((X[:16], X[16:48]), ShardAlong(0)), W), r"a shard of input 0 of main has shape \(16, 64\)"),
        ((SHARDS, MeshShards((W,) * 3, ShardAlong(0))), r"for 3 chips is brought to a device of 2"),
    ],
)  # fmt: skip
def test_inputs_that_do_not_fit(inputs: Any, said: str) -> None:
    binary = pair()
    with pytest.raises(RuntimeProblem, match=said):
        binary.run(binary.output([32, 32], product_of_rows(binary)), *inputs)


@pytest.mark.parametrize(
    ("strategy", "chips", "said"),
    [
        (ShardAlong(0), 3, r"x is 4x6, whose dimension 0 does not divide into 3 shards: pad it to 6, or replicate it"),
        (ShardAlong(-3), 2, r"shard_dim is -3"),
        (ShardGrid(2, 2), 2, r"shard_mesh is 2x2, and there are 2 chips"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_divide(strategy: Any, chips: int, said: str) -> None:
    with pytest.raises(RuntimeProblem, match=said):
        cut(drawn(4, 6), strategy, chips, "x")
    assert torch.equal(cut(drawn(4, 6), Replicate(), 2, "x"), drawn(4, 6))


def test_a_device_has_a_mesh_of_its_chips() -> None:
    assert SimulatedDevice(N300, [0, 1]).mesh_shape == (1, 2)
    assert SimulatedDevice(N300, [0, 1], (2, 1)).mesh_shape == (2, 1)
    with pytest.raises(
        RuntimeProblem, match=r"a mesh of 2x2 has another size than the 2 chips that are named: \[0, 1\]"
    ):
        SimulatedDevice(N300, [0, 1], (2, 2))
    with pytest.raises(RuntimeProblem, match="no chips are named"):
        SimulatedDevice(default_system(), [])
