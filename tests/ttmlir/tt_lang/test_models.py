"""Operations of TT-Lang in models: resolved, checked, lowered, written to a file, run everywhere, compared with the reference."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.tt_lang_models import MODEL, MODELS, binary_of, compiled, operation, run
from tt_model.operations.shared import TTNNTTLangOp
from ttmlir.transforms.tt_lang import LowerTTLangToGeneric, ResolveTTLangKernels
from ttmlir.tt_lang import allowed

torch = pytest.importorskip("torch")
from tt_model.binaries.submission import prepared
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import run_program
from tt_model.runtime.problems import RuntimeProblem
from ttrt.common.golden import golden_check
from ttrt.common.programs import initialised, system_for

BROKEN = """
import ttl
import ttnn

from gated import gated
from ttmlir.tt_lang import tt_lang_operation


@ttl.operation(grid=(1, 1))
def beyond(x: ttnn.Tensor, gate: ttnn.Tensor, out: ttnn.Tensor) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0, 5], x_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk:
            pass

    @ttl.datamovement()
    def write():
        pass


other = tt_lang_operation("broken_kernel.other::v1", reference=lambda x, gate: x * gate)(gated.operation)


def nothing(request):
    return "{}"
"""


@pytest.fixture(autouse=True)
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "broken_kernel.py").write_text(BROKEN, encoding="utf-8")
    monkeypatch.syspath_prepend(str(MODELS))
    monkeypatch.syspath_prepend(str(tmp_path))
    with allowed(["gated", "broken_kernel", "no_such_module"]):
        yield
    for name in ("gated", "broken_kernel"):
        sys.modules.pop(name, None)


def test_a_model_runs_everywhere_and_agrees() -> None:
    binary = binary_of(MODEL, ResolveTTLangKernels())
    (x, gate, w), (simulated,), _ = run(binary, "sim")
    _, (emulated,), report = run(binary, "emu")
    _, (by_numpy,), _ = run(binary, "numpy")
    gated = x.double().relu() * gate.double() + x.double().relu()
    wanted = gated @ w.double()
    for result in (simulated, emulated, by_numpy):
        assert torch.nn.functional.cosine_similarity(
            result.double().flatten(), wanted.flatten(), dim=0
        ) == pytest.approx(1, abs=1e-4)
    (kernel,) = report.kernels
    assert kernel.kernel_id == "gated.gated::v1"
    assert kernel.cycles > 1000
    assert '"model.mlir":6' in str(kernel.at)


def test_emulated_from_the_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has the kernels: the emulated chip needs no Python of the author's."""
    binary = binary_of(MODEL, ResolveTTLangKernels())
    program = prepared(binary, 0)
    inputs = initialised(program, "randn", 0)
    sys.modules.pop("gated")
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(MODELS)])
    device = SimulatedDevice(system_for(binary, ""), [0])
    with allowed(sources=True):
        _, report = run_program(device, program, inputs, tt_lang="emu")
    assert len(report.kernels) == 1
    with pytest.raises(RuntimeProblem, match=r"TTLangOp.*:6:8.*module 'gated'.*cannot be imported"):
        run_program(device, program, inputs, tt_lang="sim")


def test_the_artifact() -> None:
    module, errors = compiled(MODEL, ResolveTTLangKernels())
    assert not errors
    artifact = json.loads(operation(module, TTNNTTLangOp).kernel_artifact or "")
    assert artifact["format_version"] == 2
    assert sorted(kernel["thread_type"] for kernel in artifact["kernels"]) == ["compute", "noc", "noc"]
    assert artifact["core_range"] == {"start": [0, 0], "end": [1, 0]}
    assert [buffer["total_size"] for buffer in artifact["cb_configs"]] == [4096] * 3
    indices = {kernel["kernel_config"]["name"]: kernel["tensor_indices"] for kernel in artifact["kernels"]}
    assert {name: sorted(value) for name, value in indices.items()} == {
        "read": [0, 1], "compute": [], "write": [2],
    }  # fmt: skip


def test_without_kernels_there_is_nothing_to_lower() -> None:
    _, (error,) = compiled(MODEL, LowerTTLangToGeneric())
    assert error.message == "failed to legalize operation 'ttnn.tt_lang_op'"
    assert [note.message for note in error.notes][:2] == [
        "kernel 'gated.gated::v1' has no kernel_artifact",
        "what works: the pass ttnn-resolve-tt-lang-kernels in front of this one",
    ]


@pytest.mark.parametrize(
    ("kernel_id", "said"),
    [
        ("gated.absent::v1", "'absent' of 'gated' is not an operation of TT-Lang; the module has: gated"),
        ("gated.gated::v2", "the model is for 'gated.gated::v2'"),
        ("no_such_module.kernel::v1", "the module 'no_such_module' of kernel_id"),
        ("../gated::v1", "kernel_id '../gated::v1' is not a name such as"),
    ],
)
def test_what_names_no_kernel(kernel_id: str, said: str) -> None:
    _, (error,) = compiled(MODEL.replace("gated.gated::v1", kernel_id), ResolveTTLangKernels())
    assert str(error.span).startswith("model.mlir:6:")
    assert error.notes[0].message.startswith(said)


def test_a_wrong_kernel_is_reported_at_its_line_and_at_the_model_s() -> None:
    _, (error,) = compiled(
        MODEL.replace("gated.gated::v1", "broken_kernel.beyond::v1"), ResolveTTLangKernels()
    )
    assert str(error.span).startswith("model.mlir:6:")
    assert "in 64x128 bf16 in tiles, dram interleaved" in error.message
    note = next(note for note in error.notes if "TTL0507" in note.message)
    assert note.message.startswith("index 5 is out of range in dimension 1, which has 4 tiles")
    assert note.span is not None
    assert note.span.file.endswith("broken_kernel.py")
    assert BROKEN.splitlines()[note.span.line - 1].strip() == "ttl.copy(x[0, 5], x_blk).wait()"


def test_a_model_that_gives_other_arguments() -> None:
    text = MODEL.replace("%1, %gate, %2) <{kernel_id", "%1, %2) <{kernel_id").replace(
        '"in,in,out"', '"in,out"'
    )
    line = next(line for line in text.splitlines() if "tt_lang_op" in line)
    fewer = line.replace("(tensor<64x128xbf16>, tensor<64x128xbf16>, ", "(tensor<64x128xbf16>, ")
    _, (error,) = compiled(text.replace(line, fewer), ResolveTTLangKernels())
    assert error.notes[0].message == "operation gated takes 3 tensors (x, gate, out), but the model passes 2"


def test_a_kernel_that_computes_something_else_is_to_blame() -> None:
    binary = binary_of(MODEL.replace("gated.gated::v1", "broken_kernel.other::v1"), ResolveTTLangKernels())
    program = prepared(binary, 0)
    inputs = initialised(program, "randn", 0)
    golden = golden_check(binary, 0, inputs)
    device = SimulatedDevice(system_for(binary, ""), [0])
    run_program(device, program, inputs, before=golden.before, observe=golden)
    (blamed,) = golden.to_blame()
    assert blamed.operation.endswith("TTLangOp")


def test_resolvers_of_one_s_own_are_checked() -> None:
    resolver = ResolveTTLangKernels(python_module="broken_kernel", python_function="nothing")
    _, (error,) = compiled(MODEL, resolver)
    assert "does not have format_version 2" in error.notes[0].message
    _, (error,) = compiled(MODEL, ResolveTTLangKernels(python_function="absent"))
    assert error.message.startswith("the resolver tt_model.tt_lang.resolver.absent cannot be imported")
