"""Binaries with mistakes: an error, never another exception, and no memory without bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ttmlir
from support.broken_binaries import KINDS, broken
from support.run_broken import exercised
from support.ttnn_binaries import Binary as Tables
from tt_model.layouts.known_systems import default_system
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import prepare_program, run_program
from tt_model.runtime.problems import RuntimeProblem
from ttrt.common.api import Run

torch = pytest.importorskip("torch")


def models() -> list[bytes]:
    @ttmlir.compile(((64, 128), "bf16"), ((128, 32), "bf16"), ((1, 32), "bf16"))
    def layer(x: Any, w: Any, b: Any) -> Any:
        y = torch.relu(x @ w + b)
        return torch.cat([y[:, 0:16], y[:, 16:]], 1).softmax(-1), y.mean(1, True)

    @ttmlir.compile(((1, 3, 8, 8), "bf16"), ((4, 3, 3, 3), "bf16"))
    def windows(x: Any, w: Any) -> Any:
        return torch.nn.functional.max_pool2d(torch.nn.functional.conv2d(x, w, padding=1), 2)

    @ttmlir.compile(((2, 4), "i32"), ((16, 32), "bf16"))
    def table(i: Any, t: Any) -> Any:
        rows = torch.nn.functional.embedding(i, t)
        return torch.where(rows > 0, 1.0, 2.0).clamp(0, 1).transpose(1, 2).sum(0)

    return [one.binary.content for one in (layer, windows, table)]


def test_three_hundred_broken_binaries() -> None:
    kinds = {
        exercised(copy)
        for content in models()
        for kind in KINDS
        for copy in broken(content, kind, 20, seed=7)
    }
    assert {"ran", "FlatbufferError", "RuntimeProblem"} <= kinds


def _with(change: Any) -> dict[str, Any]:
    built = Tables()
    x = built.input([32, 64])
    y = built.op("SoftmaxOp", **{"in": x}, dimension=1, out=built.tensor([32, 64]))
    program = {
        "name": "main",
        "inputs": built.inputs,
        "outputs": built.output([32, 64], y),
        "operations": built.operations,
    }
    change(program, y)
    return program


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p, y: p["operations"][3]["type"].update(dimension=7), r"operation 3 \(SoftmaxOp\) at loc\(\"SoftmaxOp\"\): .*Dimension out of range"),
        (lambda p, y: p["operations"][3]["type"].pop("in"), r"operation 3 \(SoftmaxOp\).*the table SoftmaxOp has no in"),
        (lambda p, y: y["desc"].update(shape=[1 << 30, 1 << 30]), r"operation 3 \(SoftmaxOp\) .*tensor \d+ \(a result\): TensorDesc\.shape is \[1073741824, 1073741824\], which takes .*; .* may be taken: allow more with --host-memory or TTMLIR_RUNTIME_HOST_MEMORY"),
        (lambda p, y: y["desc"].update(shape=[1 << 40, 1 << 40, 0]), r"tensor \d+: TensorDesc\.shape has 3 extents, .* which is too many"),
        (lambda p, y: y["desc"]["layout"].update(core_range_set=[{"loc": {"y": 0, "x": 0}, "size": {"y": 1, "x": 1}}]) or y["desc"].update(shape=[64, 4096, 4096]), r"TensorDesc\.shape is \[64, 4096, 4096\], 1,073,741,824 elements, and its MemoryDesc\.shape says that 1 core holds \[32, 64\] tiles, 2,097,152 elements: one of them is wrong"),
        (lambda p, y: y["desc"].update(shape=[-1, 64]), r"TensorDesc\.shape is \[-1, 64\], with an extent below zero"),
        (lambda p, y: y["desc"]["layout"]["memory_desc"].update(data_type="Float8"), r"of the binary has no Float8|Float8"),
        (lambda p, y: p["operations"][0]["type"].update(chip_ids=[5]), r"chip 5 was not opened"),
    ],
)  # fmt: skip
def test_what_is_broken_is_named(change: Any, said: str) -> None:
    with pytest.raises(RuntimeProblem, match=said):
        program = prepare_program(_with(change))
        run_program(
            SimulatedDevice(default_system(), [0]), program, [torch.zeros(32, 64, dtype=torch.bfloat16)]
        )


def test_what_a_run_may_take_of_this_machine() -> None:
    """Tensors that are live at once; views take nothing, and what was deallocated takes nothing any more."""
    x, y = _with(lambda p, y: None), _with(lambda p, y: None)
    # The input in bf16, which the device shares, and the result.
    taken = 2 * 32 * 64 * 2
    assert prepare_program(x, host_memory=taken).steps
    with pytest.raises(
        RuntimeProblem, match=rf"which takes 4,096 bytes of this machine, {taken:,} with the other tensors"
    ):
        prepare_program(y, host_memory=taken - 1)


@pytest.mark.parametrize(
    ("flag", "variable", "said"),
    [
        ("5K", "", "tensor 4 (a result): TensorDesc.shape is [32, 64], which takes 4,096 bytes"),
        ("", "5000", "tensor 4 (a result): TensorDesc.shape is [32, 64], which takes 4,096 bytes"),
        ("much", "", "--host-memory is 'much'; expected a number of bytes, such as 8G or 512M"),
        ("", "0", "TTMLIR_RUNTIME_HOST_MEMORY is '0'; expected at least one byte"),
        ("1G", "0", ""),
    ],
)  # fmt: skip
def test_the_setting_for_it(
    flag: str, variable: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TTMLIR_RUNTIME_HOST_MEMORY", variable)
    built = Tables()
    y = built.op("SoftmaxOp", **{"in": built.input([32, 64])}, dimension=1, out=built.tensor([32, 64]))
    content = built.content(built.output([32, 64], y))
    (tmp_path / "m.ttnn").write_bytes(content)
    code, (entry,) = Run({"binary": "m.ttnn", "--golden": False, "--host-memory": flag})()
    assert (code == 0) == (said == "") and said in entry["exception"]
