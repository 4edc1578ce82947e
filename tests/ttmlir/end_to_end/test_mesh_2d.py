"""A mesh of 2x4 chips (T3000): a layer that its rows share by batch and its columns by features, as one chip computes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from support.kernel_check import needs_compiler
from support.ttmlir_models import HEADER, compiled
from tt_model.flatbuffer.system_desc import write_system_desc
from tt_model.layouts.known_systems import system
from ttrt import runtime
from ttrt.binary import Binary
from ttrt.common.api import Run

A3 = "operand_constraints = [#any_device, #any_device, #any_device]"
A2 = "operand_constraints = [#any_device, #any_device]"
ROWS, COLUMNS = 2, 4


def of_shape(*shape: int) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def op(result: str, name: str, operands: list[tuple[str, str]], out: str, attributes: str = "") -> str:
    constraints = A3 if len(operands) == 2 else A2
    names = ", ".join(name for name, _ in operands)
    types = ", ".join(type for _, type in operands)
    return f"""
  {result}_e = tensor.empty() : {out}
  {result} = "ttir.{name}"({names}, {result}_e) <{{{attributes}{constraints}}}> : ({types}, {out}) -> {out} loc("{result[1:]}")"""


def layer(batch: int, hidden: int, between: str) -> str:
    """relu(x @ up) @ down, of shapes of one chip; ``between`` brings the chips' parts of the sum together."""
    x, up, down = of_shape(batch, 64), of_shape(64, hidden), of_shape(hidden, 128)
    h, y = of_shape(batch, hidden), of_shape(batch, 128)
    text = op("%h", "matmul", [("%x", x), ("%up", up)], h)
    text += op("%r", "relu", [("%h", h)], h, "operandSegmentSizes = array<i32: 1, 1>, ")
    text += op("%p", "matmul", [("%r", h), ("%down", down)], y)
    last, out = "%p", y
    if between == "all_reduce":
        text += op("%y", "all_reduce", [("%p", y)], y, "cluster_axis = 1 : ui32, reduce_type = 0 : i32, ")
        last = "%y"
    if between == "reduce_scatter":
        out = of_shape(batch, 32)
        text += op(
            "%y",
            "reduce_scatter",
            [("%p", y)],
            out,
            "cluster_axis = 1 : ui32, reduce_type = 0 : i32, scatter_dim = -1 : si32, ",
        )
        last = "%y"
    if between == "gathered":
        out = of_shape(batch * ROWS, 128)
        text += op("%y", "all_reduce", [("%p", y)], y, "cluster_axis = 1 : ui32, reduce_type = 0 : i32, ")
        text += op("%g", "all_gather", [("%y", y)], out, "cluster_axis = 0 : ui32, dim = 0 : si32, ")
        last = "%g"
    return (
        HEADER
        + f"""
func.func @forward(%x: {x}, %up: {up}, %down: {down}) -> {out} {{{text}
  return {last} : {out}
}}
"""
    )


@pytest.fixture(scope="module")
def inputs() -> list[Any]:
    generator = torch.Generator().manual_seed(0)
    # Whole numbers, so that sums are the same in any order.
    return [
        torch.randint(-3, 4, shape, generator=generator).to(torch.float32)
        for shape in ((128, 64), (64, 256), (256, 128))
    ]


@pytest.fixture(scope="module")
def of_one_chip(inputs: list[Any]) -> Any:
    device = runtime.open_device([0], system="n150")
    out = torch.zeros(128, 128, dtype=torch.float32)
    binary = compiled(layer(128, 256, ""), system_desc_path="n150")
    runtime.submit(device, binary, 0, [runtime.Tensor(one) for one in inputs], [runtime.Tensor(out)])
    return out


@pytest.fixture
def t3000(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    write_system_desc("t3000.ttsys", system("t3000"))
    return "t3000.ttsys"


@pytest.mark.parametrize("between", ["all_reduce", "reduce_scatter", "gathered"])
def test_eight_chips_give_what_one_gives(
    t3000: str, inputs: list[Any], of_one_chip: Any, between: str
) -> None:
    """Rows of the mesh have half of the batch each, columns a quarter of the features."""
    binary = compiled(layer(64, 64, between), system_desc_path=t3000, mesh_shape=(ROWS, COLUMNS))
    (got,) = on_eight(binary, inputs, [(0, None), (None, 1), (None, 0)])
    assert torch.equal(got, of_one_chip)


def on_eight(binary: Binary, inputs: list[Any], dims: list[Any]) -> list[Any]:
    from tt_model.binaries.submission import prepared
    from tt_model.runtime.distribution import ShardGrid, cut
    from tt_model.runtime.executor import run_program

    program = prepared(binary, 0)
    device = runtime.open_device(list(range(8)), system="t3000", mesh_shape=(ROWS, COLUMNS))
    shards = [
        cut(one, ShardGrid(ROWS, COLUMNS, axes), 8, "input") for one, axes in zip(inputs, dims, strict=True)
    ]
    outputs, report = run_program(device.simulated, program, shards)
    assert report.leaks == []
    return outputs


def test_golden_results_on_eight_chips(t3000: str) -> None:
    binary = compiled(layer(64, 64, "gathered"), system_desc_path=t3000, mesh_shape=(ROWS, COLUMNS))
    binary.store("model.ttnn")
    flags = {"--golden": True, "--shard": "0:0/-,1:-/1,2:-/0"}
    code, (entry,) = Run({"binary": "model.ttnn", **flags})()
    assert code == 0, entry
    # Without the reduction each column has its part of the sum: there is no tensor that is known.
    binary = compiled(layer(64, 64, ""), system_desc_path=t3000, mesh_shape=(ROWS, COLUMNS))
    binary.store("model.ttnn")
    code, (entry,) = Run({"binary": "model.ttnn", **flags})()
    assert code == 1 and "output 0 of forward cannot be read as one tensor" in entry["exception"]


BETWEEN = ("broadcast", "reduce_scatter", "all_gather")


def torch_layer(x: Any, up: Any, down: Any, builder: Any) -> Any:
    """Rows of the mesh have half of the batch each, columns a quarter of the features; ``builder`` says what is between."""
    x = builder.mesh_shard(x, (ROWS, 1), (0, -1))
    up = builder.mesh_shard(up, (1, COLUMNS), (-1, 1))
    down = builder.mesh_shard(down, (COLUMNS, 1), (-1, 0))
    y = builder.all_reduce(torch.relu(x @ up) @ down, cluster_axis=1)
    return builder.mesh_shard(y, (ROWS, 1), (0, -1), direction="shard_to_full")


@pytest.mark.parametrize("collectives", ["host", "sim", pytest.param("emu", marks=needs_compiler)])
def test_a_function_of_torch_on_eight_chips(t3000: str, inputs: list[Any], collectives: Any) -> None:
    """Whole numbers: equal to torch however sums are made; golden on each chip."""
    import ttmlir.torch

    model = ttmlir.torch.compile(
        torch_layer, *(tuple(one.shape) for one in inputs), options=f"system-desc-path={t3000} mesh-shape=2,4"
    )
    assert model.prepared.extents == (ROWS, COLUMNS)
    model.collectives = collectives
    x, up, down = inputs
    assert torch.equal(model.run(*inputs), torch.relu(x @ up) @ down)
    model.save("model.ttnn")
    code, (entry,) = Run({"binary": "model.ttnn", "--golden": True, "--collectives": collectives})()
    assert code == 0, entry
    kinds = {kernel.kernel_id for kernel in model.report.kernels}
    assert kinds == ({f"ttl.ops.{name}" for name in BETWEEN} if collectives == "emu" else set())
    assert all(kernel.cycles > 1000 for kernel in model.report.kernels)
