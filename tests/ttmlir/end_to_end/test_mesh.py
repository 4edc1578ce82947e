"""Models for an n300: compiled for its two chips, run by ``ttrt run``, with the results of one chip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from support.ttmlir_models import HEADER, compiled
from tt_model.flatbuffer.system_desc import write_system_desc
from tt_model.layouts.enums import DataType
from tt_model.layouts.known_systems import system
from tt_model.runtime.distribution import ShardAlong, cut
from tt_model.runtime.problems import RuntimeProblem
from ttl.diag import ProgramError
from ttrt import runtime
from ttrt.binary import Binary
from ttrt.common.api import Run

A = "operand_constraints = [#any_device, #any_device, #any_device]"


def layer(rows: int, gathered: int) -> str:
    """Rows of a layer on each chip, softmax over them, and the gathered result."""
    x, w, y, g = (
        f"tensor<{shape}xbf16>" for shape in (f"{rows}x64", "64x96", f"{rows}x96", f"{gathered}x96")
    )
    return (
        HEADER
        + f"""
func.func @forward(%x: {x}, %w: {w}) -> {g} {{
  %0 = tensor.empty() : {y}
  %1 = "ttir.matmul"(%x, %w, %0) <{{{A}}}> : ({x}, {w}, {y}) -> {y} loc("product")
  %2 = tensor.empty() : {y}
  %3 = "ttir.softmax"(%1, %2) <{{dimension = -1 : si32, operand_constraints = [#any_device, #any_device]}}> : ({y}, {y}) -> {y} loc("soft")
  %4 = tensor.empty() : {g}
  %5 = "ttir.all_gather"(%3, %4) <{{dim = 0 : si32, operand_constraints = [#any_device, #any_device]}}> : ({y}, {g}) -> {g} loc("gathered")
  return %5 : {g}
}}
"""
    )


@pytest.fixture
def n300(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    write_system_desc("n300.ttsys", system("n300"))
    return "n300.ttsys"


def run(binary: Binary, **flags: Any) -> tuple[int, dict[str, Any]]:
    binary.store("model.ttnn")
    code, (entry,) = Run({"binary": "model.ttnn", "--golden": True, "--save-artifacts": True, **flags})()
    return code, entry


def saved(name: str) -> Any:
    (path,) = Path("ttrt-artifacts").rglob(name)
    return torch.load(path)


@pytest.mark.parametrize("mesh", [(1, 2), (2, 1), (2, 1, 1)])
def test_two_chips_give_what_one_gives(n300: str, mesh: tuple[int, ...]) -> None:
    """Each chip has 32 of 64 rows; one chip has all of them."""
    code, entry = run(compiled(layer(32, 64), system_desc_path=n300, mesh_shape=mesh), **{"--shard": "0:0"})
    assert code == 0, entry
    peaks = entry["programs"][0]["peak_bytes_per_bank"]
    assert peaks["DRAM of chip 0"] == peaks["DRAM of chip 1"] > 0
    x, w, of_two = (saved(f"program_0_{name}.pt") for name in ("input_0", "input_1", "output_0"))
    assert x.shape == (64, 64)
    (of_one,) = _on_one_chip(compiled(layer(64, 64), system_desc_path=n300), x, w)
    assert torch.equal(of_one, of_two)


def _on_one_chip(binary: Binary, *inputs: Any) -> list[Any]:
    device = runtime.open_device([0], system="n300")
    out = torch.zeros(64, 96, dtype=torch.bfloat16)
    runtime.submit(device, binary, 0, [runtime.Tensor(one) for one in inputs], [runtime.Tensor(out)])
    return [out]


def test_the_host_gives_shards_and_reads_them_back(n300: str) -> None:
    binary = compiled(layer(32, 64), system_desc_path=n300, mesh_shape=(1, 2))
    generator = torch.Generator().manual_seed(0)
    x, w = (torch.randn(shape, generator=generator).to(torch.bfloat16) for shape in ((64, 64), (64, 96)))
    halves = [half.contiguous() for half in x.chunk(2)]

    def on_mesh(tensors: list[Any], **strategy: str) -> runtime.Tensor:
        shape = list(tensors[0].shape)
        return runtime.create_multi_device_tensor(
            [one.data_ptr() for one in tensors], shape, [shape[1], 1], 2, DataType.BFloat16, strategy
        )

    device = runtime.open_device([0, 1], system="n300", mesh_shape=(1, 2))
    inputs = [
        on_mesh(halves, strategy="shard", shard_dim="0"),
        on_mesh([w, w], strategy="replicate", replication_factor="2"),
    ]
    outputs = on_mesh([torch.zeros(64, 96, dtype=torch.bfloat16)] * 2, strategy="replicate")
    runtime.submit(device, binary, 0, inputs, [outputs])
    assert torch.equal(outputs.shards[0], outputs.shards[1])
    wanted = torch.softmax((x.double() @ w.double()), -1)
    assert torch.allclose(outputs.values.double(), wanted, atol=0.02)
    assert inputs[0].values.equal(x) and device.report is not None and device.report.leaks == []


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        ({"strategy": "shard", "shard_dim": "2"}, r"ShardTensor\.shard_dim is 2, and the tensor has 2 dimensions"),
        ({"strategy": "shard", "shard_dim": "x"}, r"shard_dim of the strategy is 'x', which is not a whole number"),
        ({"strategy": "shard_2d", "mesh_shape_y": "2", "mesh_shape_x": "2"}, r"shard_mesh is 2x2, and there are 2 chips"),
        ({"strategy": "shard_2d"}, r"the mesh of shard_2d \(mesh_shape_y, mesh_shape_x\) is 0x0"),
        ({"strategy": "replicate", "replication_factor": "3"}, r"replication_factor is 3, but memory of 2 tensors is passed"),
        ({"strategy": "spread"}, r"the strategy spread is not known; expected replicate, shard or shard_2d"),
    ],
)  # fmt: skip
def test_strategies_that_are_none(strategy: dict[str, str], said: str) -> None:
    x = torch.zeros(32, 32)
    with pytest.raises(RuntimeProblem, match=said):
        runtime.create_multi_device_tensor(
            [x.data_ptr()] * 2, [32, 32], [32, 1], 4, DataType.Float32, strategy
        )


@pytest.mark.parametrize(
    ("shard", "said"),
    [
        ("2:0", "--shard 2:0: forward has 2 inputs, the first is 0"),
        ("0:5", "ShardTensor.shard_dim is 5, and the tensor has 2 dimensions: name one from 0 to 1"),
    ],
)
def test_shards_that_there_are_not(n300: str, shard: str, said: str) -> None:
    code, entry = run(compiled(layer(32, 64), system_desc_path=n300, mesh_shape=(1, 2)), **{"--shard": shard})
    assert code == 1 and said in entry["exception"]


@pytest.mark.parametrize("shard", ["0", "x:0", "0:", "²:0", "0:-", "0:0/-/1", "0:/"])
def test_a_list_of_shards_that_is_none(n300: str, shard: str) -> None:
    binary = compiled(layer(32, 64), system_desc_path=n300, mesh_shape=(1, 2))
    with pytest.raises(ProgramError, match=r"--shard is a list such as 0:0,2:1 \(input:dimension\)"):
        run(binary, **{"--shard": shard})


def test_a_program_for_another_number_of_chips(n300: str) -> None:
    code, entry = run(compiled(layer(32, 64), system_desc_path=n300))
    assert code == 1
    said = entry["exception"].splitlines()[0]
    assert '(AllGatherOp) at loc("gathered"): the parts of tensor' in said
    assert said.endswith(
        "make 32x96 along dimension 0, and the binary says 64x96: it was written for another number of chips"
    )
    code, entry = run(compiled(layer(32, 32), system_desc_path=n300), **{"--shard": "0:0"})
    assert (
        code == 1 and "forward runs on one chip; compile it with mesh-shape=1,2 for two" in entry["exception"]
    )


def test_a_wrong_gather_is_named(n300: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The golden results are those of each chip: the halves in the wrong order are the fault of the all_gather."""
    binary = compiled(layer(32, 64), system_desc_path=n300, mesh_shape=(1, 2))
    real = torch.cat
    monkeypatch.setattr(
        "torch.cat",
        lambda parts, dim=0: real(list(reversed(parts)) if parts[0].shape == (32, 96) else parts, dim),
    )
    code, entry = run(binary, **{"--shard": "0:0", "--save-artifacts": False})
    lines = entry["exception"].splitlines()
    assert code == 1 and "AllGatherOp: " in lines[0] and lines[0].endswith('at loc("gathered")')
    assert lines[1].startswith("this operation causes it")


def test_programs_follow_each_other_on_a_mesh(n300: str) -> None:
    """Shards stay on their chips between two binaries; a tensor of another device is refused."""
    first = compiled(layer(32, 64), system_desc_path=n300, mesh_shape=(1, 2))
    second = compiled(layer(64, 128), system_desc_path=n300, mesh_shape=(1, 2))
    assert [one.shape for one in runtime.get_input_layouts(second, 0)] == [(64, 64), (64, 96)]
    device, other = (runtime.open_device([0, 1], system="n300") for _ in range(2))
    generator = torch.Generator().manual_seed(1)
    x, w, v = (
        torch.randn(shape, generator=generator).to(torch.bfloat16) for shape in ((64, 64), (64, 96), (64, 96))
    )
    shards = runtime.Tensor(cut(x, ShardAlong(0), 2, "x"))
    (whole,) = runtime.submit_on_device(device, first, 0, [shards, runtime.Tensor(w)])
    assert torch.allclose(
        runtime.to_host(whole).double(), torch.softmax(x.double() @ w.double(), -1), atol=0.02
    )
    columns = runtime.to_host(whole)[:, :64].contiguous()
    (again,) = runtime.submit_on_device(device, second, 0, [runtime.Tensor(columns), runtime.Tensor(v)])
    # Both chips have all rows: they stand there twice.
    assert torch.equal(*runtime.to_host(again).chunk(2))
    with pytest.raises(
        RuntimeProblem, match=r"a tensor is on another device: 64x96 bf16.*; read it with to_host"
    ):
        runtime.to_layout(whole, other, runtime.get_input_layouts(second, 0)[1])
    for tensor in (whole, again):
        runtime.deallocate_tensor(tensor)
    assert list(device.simulated.live()) == []
