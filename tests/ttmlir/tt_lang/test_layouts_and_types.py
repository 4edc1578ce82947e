"""Every type and layout of an operand works, in the simulator and on the emulated chip, or is refused with the way out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from support.tt_lang_models import MODEL, MODELS, binary_of, compiled, run
from tt_model.layouts.enums import BufferType, DataType, TensorMemoryLayout
from tt_model.layouts.kernel_request import KernelOperand, KernelRequest
from ttl.ir.failure import NotLegalized
from ttmlir.tt_lang import allowed

torch = pytest.importorskip("torch")
from tt_model.runtime.numbers import stored
from tt_model.tt_lang.resolver import resolve_operation
from tt_model.tt_lang.running import run_kernel

L1 = {"buffer_type": BufferType.L1}
LAYOUTS: dict[str, dict[str, Any]] = {
    "dram": {},
    "l1": L1,
    "height": {**L1, "memory_layout": TensorMemoryLayout.HeightSharded, "cores": (2, 1), "shard_shape": (32, 128)},
    "width": {**L1, "memory_layout": TensorMemoryLayout.WidthSharded, "cores": (1, 4), "shard_shape": (64, 32)},
    "block": {**L1, "memory_layout": TensorMemoryLayout.BlockSharded, "cores": (2, 2), "shard_shape": (32, 64)},
}  # fmt: skip
WHOLE = {DataType.UInt32: 32, DataType.UInt16: 16}
# One step of the type, relative to the largest value of a block.
STEPS = {
    DataType.Float32: 2.0**-22,
    DataType.BFloat16: 2.0**-7,
    DataType.BFP_BFloat8: 2.0**-5,
    DataType.BFP_BFloat4: 2.0**-1,
}
REFUSED = [one for one in DataType if one not in STEPS and one not in WHOLE and one is not DataType.UInt8]


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(MODELS))
    with allowed(["gated"]):
        yield
    sys.modules.pop("gated", None)


def request_for(data_type: DataType, **layout: Any) -> KernelRequest:
    operand = KernelOperand(shape=(64, 128), data_type=data_type, **layout)
    return KernelRequest(
        kernel_id="gated.gated::v1", version_tag="1", operands=(operand,) * 3, roles=("in", "in", "out")
    )


def drawn(data_type: DataType, seed: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    if data_type in WHOLE:
        return torch.randint(0, 1 << WHOLE[data_type], (64, 128), generator=generator)
    return stored(torch.randn(64, 128, generator=generator).double(), data_type)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("data_type", [*STEPS, *WHOLE], ids=lambda one: one.keyword)
def test_simulated_and_emulated_as_numpy_has_it(data_type: DataType, layout: str) -> None:
    request = request_for(data_type, **LAYOUTS[layout])
    x, gate = drawn(data_type, 0), drawn(data_type, 1)
    values = [x, gate, torch.zeros(64, 128, dtype=x.dtype)]
    (wanted,) = run_kernel(request, values, "numpy").outputs
    (simulated,) = run_kernel(request, values, "sim").outputs
    # Kernels in C++ are compiled once for each type and layout: those that move data, in bfloat16 alone.
    emulate = data_type is DataType.BFloat16 or layout == "dram"
    results = [simulated, *(run_kernel(request, values, "emu").outputs if emulate else ())]
    for result in results:
        error = (result.double() - wanted).abs().max()
        assert error <= STEPS.get(data_type, 0.0) * wanted.abs().max(), f"{float(error)}"


@pytest.mark.parametrize("data_type", REFUSED, ids=lambda one: one.keyword)
def test_types_that_kernels_do_not_take(data_type: DataType) -> None:
    with pytest.raises(NotLegalized) as refused:
        resolve_operation(request_for(data_type))
    (report,) = refused.value.reports
    assert f"not {data_type.keyword}: insert a typecast before" in report.message
    assert report.message.startswith("'x' of operation gated is 64x128")
    source = (MODELS / "gated.py").read_text(encoding="utf-8").splitlines()
    assert report.span is not None
    assert source[report.span.line - 1][report.span.column - 1 :].startswith("x: ttnn.Tensor")


def test_bytes_are_converted_and_not_computed_with() -> None:
    with pytest.raises(NotLegalized) as refused:
        resolve_operation(request_for(DataType.UInt8))
    assert "TTL1450" in refused.value.reports[0].message


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        (
            {"buffer_type": BufferType.L1Small},
            "tensors of kernels must be in dram or l1: insert a ttnn.to_memory_config",
        ),
        (
            {**LAYOUTS["height"], "buffer_type": BufferType.DRAM},
            "shards must be in l1: insert a ttnn.to_memory_config to l1",
        ),
        (
            {"memory_layout": TensorMemoryLayout.SingleBank},
            "tensors of kernels must be interleaved or sharded",
        ),
        ({**LAYOUTS["block"], "cores": (2, 2, 1)}, "its shards are on a grid of 3 dimensions"),
    ],
)
def test_layouts_that_kernels_do_not_take(layout: dict[str, Any], said: str) -> None:
    with pytest.raises(NotLegalized) as refused:
        resolve_operation(request_for(DataType.BFloat16, **layout))
    (report,) = refused.value.reports
    assert said in report.message
    assert report.span is not None


@pytest.mark.parametrize(("shape", "said"), [((), "has no dimension"), ((0, 32), "has no elements")])
def test_shapes_that_kernels_do_not_take(shape: tuple[int, ...], said: str) -> None:
    operand = KernelOperand(shape=shape, data_type=DataType.BFloat16)
    request = KernelRequest(
        kernel_id="gated.gated::v1", version_tag="1", operands=(operand,) * 3, roles=("in", "in", "out")
    )
    with pytest.raises(NotLegalized, match=said):
        resolve_operation(request)


def constrained(constraint: str, element: str = "bf16") -> str:
    given = ", ".join([f"#tt.operand_constraint<{constraint}>"] * 3)
    attributes = f'shard_spec = "", operand_constraints = [{given}]}}'
    return MODEL.replace("xbf16", f"x{element}").replace('shard_spec = ""}', attributes)


@pytest.mark.parametrize("constraint", ["l1|tile|interleaved", "l1|tile|block_sharded", "any", "any_device"])
@pytest.mark.parametrize("element", ["bf16", "f32", "i32", "i16"])
def test_constraints_of_a_model(constraint: str, element: str) -> None:
    """Where a model leaves the choice, kernels get tiles."""
    run(binary_of(constrained(constraint, element), allow_tt_lang=("gated",)))


@pytest.mark.parametrize(
    ("constraint", "said"),
    [
        ("dram|scalar|interleaved", "kernels of TT-Lang take tensors in tiles: use tile"),
        ("system|tile", "kernels run on the device: use dram or l1"),
        ("dram|tile|height_sharded", "shards are in l1: l1|tile|height_sharded"),
        (
            "l1|tile|single_bank",
            "in l1, tensors must be interleaved or sharded, not single_bank: l1|tile|interleaved",
        ),
    ],
)
def test_constraints_that_no_kernel_can_have(constraint: str, said: str) -> None:
    _, errors = compiled(constrained(constraint), allow_tt_lang=("gated",))
    assert [said in error.message for error in errors] == [True]
    assert str(errors[0].span).startswith("model.mlir:6:")


@pytest.mark.parametrize(("rows", "columns"), [(50, 70), (33, 1), (1, 1)])
def test_shapes_that_are_no_whole_tiles(rows: int, columns: int) -> None:
    text = MODEL.replace("64x128x", f"{rows}x{columns}x")
    text = text.replace("128x96x", f"{columns}x96x").replace("64x96x", f"{rows}x96x")
    run(binary_of(text, allow_tt_lang=("gated",)))


RESIDENT = """
import ttl
import ttnn

from ttmlir.tt_lang import tt_lang_operation


def by_numpy(x, gate):
    return x * gate + x


@tt_lang_operation("resident.gated::v1", version_tag="1", arg_roles="in,in,out", reference=by_numpy)
@ttl.operation(grid=(1, 1))
def gated(x: ttnn.Tensor, gate: ttnn.Tensor, out: ttnn.Tensor) -> None:
    x_dfb = ttl.make_tensor_backed_dfb(x, (1, 4), block_count=2)
    gate_dfb = ttl.make_tensor_backed_dfb(gate, (1, 4), byte_offset=8192)
    late_dfb = ttl.make_tensor_backed_dfb(gate, (1, 4))
    out_dfb = ttl.make_tensor_backed_dfb(out, (1, 4), block_count=2)

    @ttl.datamovement()
    def read():
        x_dfb.publish()
        gate_dfb.publish()
        late_dfb.publish()

    @ttl.compute()
    def compute():
        for gates in (late_dfb, gate_dfb):
            with x_dfb.wait() as x_blk, gates.wait() as gate_blk, out_dfb.reserve() as out_blk:
                out_blk.store(x_blk * gate_blk + x_blk)
"""


def test_buffers_in_the_memory_of_a_models_tensors(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A binary keeps of which tensor a buffer is the memory, from which byte on, and runs as the reference does."""
    (tmp_path / "resident.py").write_text(RESIDENT)
    monkeypatch.syspath_prepend(str(tmp_path))
    text = constrained("l1|tile|height_sharded").replace("gated.gated::v1", "resident.gated::v1")
    with allowed(["resident"]):
        binary = binary_of(text, allow_tt_lang=("resident",))
        for target in ("sim", "emu"):
            run(binary, target)
        _, errors = compiled(
            text.replace("l1|tile|height_sharded", "dram|tile|interleaved"), allow_tt_lang=("resident",)
        )
    assert any("[TTL0347]" in note.message for error in errors for note in error.notes)
    sys.modules.pop("resident", None)
