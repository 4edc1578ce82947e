"""``ttnn.generic``: kernels that are written out, in a module, in a file, read back and run from the file alone."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from xdsl.utils.exceptions import VerifyException

from support.tt_lang_models import MODEL, MODELS, binary_of, compiled, content_of, operation, run
from tt_model.attributes.kernel_program import artifact_of, program_attribute
from tt_model.flatbuffer.decode import decode
from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.kernel_program import artifact_of_table, program_table
from tt_model.flatbuffer.schema import schema
from tt_model.operations.dialects import DIALECTS
from tt_model.operations.shared import TTNNTTLangOp
from tt_model.operations.ttnn import TTNNGenericOp
from tt_model.tt_lang.artifact import artifact_of as written
from tt_model.tt_lang.declared_kernels import KernelError
from ttl.codegen.description import CircularBufferDescription
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttl.ir.printer import print_module
from ttmlir.tt_lang import allowed

torch = pytest.importorskip("torch")
from tt_model.binaries.submission import prepared
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import run_program
from tt_model.runtime.problems import RuntimeProblem
from ttrt.binary import load_from_path
from ttrt.common.api import Read
from ttrt.common.programs import initialised, system_for

GENERIC = {"allow_tt_lang": ("gated",), "lower_tt_lang_to_generic": True}


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(MODELS))
    yield
    sys.modules.pop("gated", None)


@pytest.fixture(name="artifact", scope="module")
def _artifact() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(MODELS))
        module, errors = compiled(MODEL, allow_tt_lang=("gated",))
    assert not errors
    return json.loads(operation(module, TTNNTTLangOp).kernel_artifact or "")


def test_a_buffer_of_small_tiles_is_refused() -> None:
    buffer = CircularBufferDescription(
        name="x_dfb", index=0, pages=1, page_bytes=256, dtype="bfloat16", tile=(4, 32)
    )
    description: Any = SimpleNamespace(
        name="op", generation="0.81", chip="wormhole", kernels=(), grid=(1, 1), circular_buffers=(buffer,)
    )
    with pytest.raises(KernelError, match=r"x_dfb has tiles of 4x32, .*tile=\(32, 32\)"):
        written(description)


def test_the_attribute_has_the_kernels_and_reads_back() -> None:
    module, errors = compiled(MODEL, **GENERIC)
    assert not errors
    program: Any = operation(module, TTNNGenericOp).program
    assert [kernel.name for kernel in program.kernels] == [
        "ttnn.read_kernel", "ttnn.compute_kernel", "ttnn.write_kernel",
    ]  # fmt: skip
    assert all("void kernel_main()" in kernel.fields.data["source"].data for kernel in program.kernels)
    again = parse_text(make_context(DIALECTS), print_module(module), "again.mlir")
    assert operation(again, TTNNGenericOp).program == program


def test_json_attribute_and_table_say_the_same(artifact: Any) -> None:
    del artifact["warnings"]
    assert artifact_of(program_attribute(artifact)) == artifact
    (table,) = (
        operation["type"]
        for operation in decode(schema("TTNN/binary.fbs"), content_of(MODEL, **GENERIC))["programs"][0][
            "operations"
        ]
        if operation["type_type"] == "GenericOp"
    )
    read = artifact_of_table(table["program"])
    assert {**artifact, "kernel_id": "gated.gated::v1", "version_tag": "1"}.items() <= _without_defaults(
        read, artifact
    ).items()


def _without_defaults(read: Any, artifact: Any) -> Any:
    """A table without the fields that a file has no way to leave out: numbers and flags."""
    for kernel, wanted in zip(read["kernels"], artifact["kernels"], strict=True):
        config, known = kernel["kernel_config"], wanted["kernel_config"]
        kernel["kernel_config"] = {name: config.get(name, known[name]) for name in known}
    for buffer in read["cb_configs"]:
        assert buffer.pop("byte_offset") == 0
    return read


def test_a_table_keeps_words_that_only_a_device_knows(artifact: Any) -> None:
    assert artifact_of_table(program_table(artifact))["kernels"][0]["kernel_config"]["common_args"] == [
        "address(gate)",
        "address(x)",
    ]


def test_it_runs_from_the_file_alone() -> None:
    binary = binary_of(MODEL, **GENERIC)
    sys.modules.pop("gated")
    program = prepared(binary, 0)
    x, gate, w = inputs = initialised(program, "randn", 0)
    device = SimulatedDevice(system_for(binary, ""), [0])
    with allowed(sources=True):
        (result,), report = run_program(device, program, inputs)
    assert "gated" not in sys.modules
    wanted = (x.double().relu() * gate.double() + x.double().relu()) @ w.double()
    assert torch.nn.functional.cosine_similarity(
        result.double().flatten(), wanted.flatten(), dim=0
    ) == pytest.approx(1, abs=1e-4)
    (kernel,) = report.kernels
    assert kernel.cycles > 1000


def test_it_agrees_with_the_numpy_of_its_maker_and_with_the_named_operation() -> None:
    binary = binary_of(MODEL, **GENERIC)
    with allowed(["gated"], sources=True):
        _, (written,), report = run(binary, "emu", "GenericOp")
        _, (by_numpy,), _ = run(binary, "numpy", "GenericOp")
        _, (named,), named_report = run(binary_of(MODEL, allow_tt_lang=("gated",)), "emu")
    assert torch.equal(written, named)
    assert report.kernels[0].cycles == named_report.kernels[0].cycles
    assert torch.allclose(written.float(), by_numpy.float(), atol=0.5)


def test_ttrt_read_prints_the_kernels(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "generic.ttnn"
    path.write_bytes(content_of(MODEL, **GENERIC))
    code, _ = Read({"binary": str(path)})()
    text = capsys.readouterr().out
    assert code == 0
    assert '"cpp_source": ' in text
    assert "void kernel_main()" in text
    programs = json.loads(load_from_path(path).as_json())["programs"]
    (table,) = (one["type"] for one in programs[0]["operations"] if one["type_type"] == "GenericOp")
    assert [buffer["name"] for buffer in table["program"]["cb_configs"]] == ["x_dfb", "gate_dfb", "out_dfb"]


def test_readers_of_2024_refuse_it_by_its_number() -> None:
    import tt_model.flatbuffer.schema as schemas

    content = content_of(MODEL, **GENERIC)
    text = schemas._texts()["TTNN/program.fbs"]
    older = re.sub(r"  TTLangOp,\n(  \w+Op,\n)+}", "}", text)
    assert older != text
    old = schemas.read_schema("TTNN/binary.fbs", {**schemas._texts(), "TTNN/program.fbs": older})
    with pytest.raises(
        FlatbufferError, match=r"operations\[11\]\.type: tt.target.ttnn.OpType has no member 23"
    ):
        decode(old, content)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kernels": []}, "has a program without kernels"),
        ({"cpp_source": " "}, "has a program whose kernel #0 has no source"),
        ({"tensor_indices": [1, 7]}, r"has 3 operands, and kernel #0 names the tensors \[1, 7\]"),
        ({"tensor_indices": "x"}, "has 3 operands, and kernel #0 names the tensors x"),
    ],
)
def test_what_the_verifier_says(change: dict[str, Any], said: str, artifact: Any) -> None:
    module, _ = compiled(MODEL, **GENERIC)
    op = operation(module, TTNNGenericOp)
    if "kernels" not in change:
        change = {"kernels": [{**artifact["kernels"][0], **change}]}
    op.properties["program"] = program_attribute({**artifact, **change})
    with pytest.raises(VerifyException, match=said):
        op.verify()


def test_an_unallowed_source_is_not_compiled() -> None:
    binary = binary_of(MODEL, **GENERIC)
    program = prepared(binary, 0)
    inputs = initialised(program, "randn", 0)
    device = SimulatedDevice(system_for(binary, ""), [0])
    with pytest.raises(RuntimeProblem, match=r"GenericOp.*:6:8(.|\n)*TTL0131(.|\n)*--allow-kernel-source"):
        run_program(device, program, inputs)
