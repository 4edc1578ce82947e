"""Operations of TT-Lang that modules of PyTorch call: in eager torch, traced, compiled, and what is wrong at the line of the call."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import ttmlir
import ttmlir.torch
from tt_model.tt_lang.declared_kernels import KernelError

EXAMPLES = Path(__file__).parents[3] / "examples" / "models"
KERNELS = """
import ttl
import ttnn

import gated as example
from ttmlir.torch import tt_lang_operation

gate_by = tt_lang_operation(
    "kernels_of_torch.gate_by::v1", version_tag="1", arg_roles="in,in,out", reference=example.by_numpy
)(example.gated)


@tt_lang_operation(
    "kernels_of_torch.first_row::v1", arg_roles="in,out", outputs=lambda x: x.new_empty(32, x.shape[1])
)
@ttl.operation(grid=(1, 1))
def first_row(x: ttnn.Tensor, out: ttnn.Tensor) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for col in range(2):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[0, col], x_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(2):
            with x_dfb.wait() as x_blk, out_dfb.reserve() as out_blk:
                out_blk.store(x_blk + x_blk)

    @ttl.datamovement()
    def write():
        for col in range(2):
            with out_dfb.wait() as out_blk:
                ttl.copy(out_blk, out[0, col]).wait()
"""


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (tmp_path / "kernels_of_torch.py").write_text(KERNELS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("kernels_of_torch")
    for name in ("gated", "kernels_of_torch"):
        sys.modules.pop(name, None)


class Gate(torch.nn.Module):
    def __init__(self, kernel: Any, width: int) -> None:
        super().__init__()
        self.kernel = kernel
        self.proj = torch.nn.Linear(64, width)
        self.gate = torch.nn.Parameter(torch.randn(64, width))

    def forward(self, x: Any) -> Any:
        y = torch.relu(self.proj(x))
        return self.kernel(y, self.gate).softmax(-1)


def test_a_kernel_is_a_function_of_a_module(kernels: Any) -> None:
    torch.manual_seed(0)
    module = Gate(kernels.gate_by, 128).eval().bfloat16()
    x = torch.randn(64, 64).bfloat16()
    with torch.no_grad():
        y = torch.relu(module.proj(x))
        eager = module(x)
        assert torch.allclose(eager.float(), (y * module.gate + y).softmax(-1).float(), atol=0.01)
    model = ttmlir.compile(module, x, goldens=True)
    assert '"ttir.tt_lang_op"' in str(ttmlir.torch.to_ttir(module, x))
    for target in ("sim", "numpy", "emu"):
        model.tt_lang = target
        assert torch.allclose(model.run(x).float(), eager.float(), atol=0.01), target
    assert model.report.kernels[0].cycles > 0
    texts = [one["debug_info"] for one in model.binary.programs[0]["operations"]]
    assert any('"ttnn.tt_lang_op"' in text and 'loc("gate_by"(' in text for text in texts)


def test_results_of_another_shape_and_what_the_call_is_told(kernels: Any) -> None:
    function = kernels.first_row

    class Rows(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return function(x) + 1

    x = torch.randn(64, 64)
    model = ttmlir.compile(Rows(), x)
    assert torch.allclose(model.run(x), 2 * x[:32] + 1, atol=1e-5)
    # A column of tiles less: the kernel reads beyond the tensor. It is said where the module calls it, while it is traced.
    lines, first = inspect.getsourcelines(Rows)
    line = first + next(index for index, text in enumerate(lines) if "function(x)" in text)
    with pytest.raises(ttmlir.CompileError) as caught:
        ttmlir.compile(Rows(), (64, 32))
    assert str(caught.value).startswith(
        f"{__file__}:{line}: Rows calls an operation of TT-Lang that cannot be made"
    )
    read = 1 + next(index for index, text in enumerate(KERNELS.splitlines()) if "ttl.copy(x[0, col]" in text)
    assert f"kernels_of_torch.py:{read}:" in str(caught.value) and "TTL0507" in str(caught.value)
    with pytest.raises(
        KernelError, match=r"takes 1 tensors, and gets 2 tensors: its results are what it returns"
    ):
        function(x, x)
    with pytest.raises(TypeError, match=r"take float32 and bfloat16, not torch\.float64"):
        function(x.double())


def test_a_declaration_without_roles_is_refused(kernels: Any) -> None:
    with pytest.raises(ValueError, match="give in or out for each parameter"):
        ttmlir.torch.tt_lang_operation("a.b::v1", arg_roles="in,inout")
    with pytest.raises(TypeError, match=r"decorates the result of @ttl\.operation"):
        ttmlir.torch.tt_lang_operation("a.b::v1", arg_roles="in,out")(print)
