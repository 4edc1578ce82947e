"""What ``ttl check`` has to say about a kernel in a model: at the model's place, and at the kernel's line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.tt_lang_models import MODEL, compiled
from ttl.ir.reports import Report
from ttmlir.tt_lang import allowed

KERNELS = """
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def whole(x: ttnn.Tensor, gate: ttnn.Tensor, out: ttnn.Tensor) -> None:
    rows, cols = (extent // ttl.TILE_SHAPE[0] for extent in x.shape)
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(rows, cols))  # too large
    out_dfb = ttl.make_dataflow_buffer_like(out, shape=(rows, cols))

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0:rows, 0:cols], x_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, out_dfb.reserve() as out_blk:
            out_blk.store(x_blk + x_blk)

    @ttl.datamovement()
    def write():
        with out_dfb.wait() as out_blk:
            ttl.copy(out_blk, out[0:rows, 0:cols]).wait()


@ttl.operation(grid=(1, 1))
def pairs(x: ttnn.Tensor, gate: ttnn.Tensor, out: ttnn.Tensor) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    gate_dfb = ttl.make_dataflow_buffer_like(gate, shape=(1, 1))
    out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))
    count = x.shape[0] // ttl.TILE_SHAPE[0]

    @ttl.datamovement()
    def read():
        for row in range(count):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[row, 0], x_blk).wait()
        with gate_dfb.reserve() as gate_blk:  # after all others
            ttl.copy(gate[0, 0], gate_blk).wait()

    @ttl.compute()
    def compute():
        with gate_dfb.wait() as gate_blk:  # stands still
            for _ in range(count):
                with x_dfb.wait() as x_blk, out_dfb.reserve() as out_blk:
                    out_blk.store(x_blk * gate_blk)

    @ttl.datamovement()
    def write():
        for row in range(count):
            with out_dfb.wait() as out_blk:
                ttl.copy(out_blk, out[row, 0]).wait()


@ttl.operation(grid=(1, 1))
def mixed(x: ttnn.Tensor, gate: ttnn.Tensor, out: ttnn.Tensor) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    gate_dfb = ttl.make_dataflow_buffer_like(gate, shape=(1, 1))
    out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk, gate_dfb.reserve() as gate_blk:
            ttl.copy(x[0, 0], x_blk).wait()
            ttl.copy(gate[0, 0], gate_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, gate_dfb.wait() as gate_blk, out_dfb.reserve() as out_blk:
            out_blk.store(x_blk * gate_blk)  # of two types

    @ttl.datamovement()
    def write():
        with out_dfb.wait() as out_blk:
            ttl.copy(out_blk, out[0, 0]).wait()


@ttl.operation(grid=(1, 1))
def square(x: ttnn.Tensor, gate: ttnn.Tensor, out: ttnn.Tensor) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for tile in range(x.shape[0] // 32):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[tile, tile], x_blk).wait()  # of a tensor that is not square

    @ttl.compute()
    def compute():
        for tile in range(x.shape[0] // 32):
            with x_dfb.wait() as x_blk, out_dfb.reserve() as out_blk:
                out_blk.store(x_blk + x_blk)

    @ttl.datamovement()
    def write():
        for tile in range(x.shape[0] // 32):
            with out_dfb.wait() as out_blk:
                ttl.copy(out_blk, out[tile, 0]).wait()
"""


@pytest.fixture(autouse=True)
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "checked_kernels.py").write_text(KERNELS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with allowed(["checked_kernels"]):
        yield
    sys.modules.pop("checked_kernels", None)


def errors_of(kernel: str, text: str = MODEL) -> list[Report]:
    model = text.replace("gated.gated::v1", f"checked_kernels.{kernel}::v1")
    return compiled(model, resolve_tt_lang_kernels=True)[1]


def sized(rows: int, columns: int, gate: str = "bf16") -> str:
    """The model for tensors of a size, its gate of another type."""
    text = MODEL.replace("64x128x", "@rx@cx").replace("128x96x", "@cx96x").replace("64x96x", "@rx96x")
    text = text.replace("%gate: tensor<@rx@cxbf16>", f"%gate: tensor<@rx@cx{gate}>")
    first, second = "(tensor<@rx@cxbf16>, tensor<@rx@cx", "bf16>, tensor<@rx@cxbf16>) -> tensor<@rx@cxbf16>"
    text = text.replace(first + second, first + gate + second.removeprefix("bf16"))
    return text.replace("@r", str(rows)).replace("@c", str(columns))


# Of each family: the kernel, a model in which it is right, one in which it is not, the code, and what stands at its line.
FAMILIES = {
    "L1": ("whole", sized(64, 128), sized(1024, 1024), "TTL0801", "# too large"),
    "shape": ("square", sized(64, 64), sized(128, 64), "TTL0507", "# of a tensor that is not square"),
    "deadlock": ("pairs", sized(64, 128), sized(96, 128), "TTL0917", "# stands still"),
    "type": ("mixed", sized(32, 32), sized(32, 32, gate="i32"), "TTL0403", "# of two types"),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_findings_are_those_of_this_model(family: str) -> None:
    kernel, right, wrong, code, line = FAMILIES[family]
    assert errors_of(kernel, right) == []
    (error,) = errors_of(kernel, wrong)
    assert str(error.span).startswith("model.mlir:6:")
    assert f"kernel 'checked_kernels.{kernel}::v1' cannot be made for in " in error.message
    notes = [note for note in error.notes if f"[{code}" in note.message]
    assert notes, [(str(note.span), note.message) for note in error.notes]
    source = KERNELS.splitlines()
    places = [note.span for note in error.notes if note.span is not None and note.span.file.endswith(".py")]
    assert any(source[place.line - 1].endswith(line) for place in places), [
        (note.message, str(note.span)) for note in error.notes
    ]
