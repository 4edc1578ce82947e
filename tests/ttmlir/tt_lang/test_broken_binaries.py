"""Binaries with operations of TT-Lang and written kernels that are broken, or that lie: an error that says what is wrong."""

from __future__ import annotations

import copy
import json
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from support.broken_binaries import KINDS, broken
from support.tt_lang_models import MODEL, MODELS, content_of

torch = pytest.importorskip("torch")
from support.run_broken import exercised
from tt_model.binaries.submission import simulated_system
from tt_model.flatbuffer.decode import decode
from tt_model.flatbuffer.schema import schema
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import prepare_program, run_program
from tt_model.runtime.problems import RuntimeProblem
from ttmlir.tt_lang import allowed

TABLES = {
    "TTLangOp": {"allow_tt_lang": ("gated",)},
    "GenericOp": {"allow_tt_lang": ("gated",), "lower_tt_lang_to_generic": True},
}


@pytest.fixture(name="contents", scope="module")
def _contents() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(MODELS))
        yield {table: content_of(MODEL, **options) for table, options in TABLES.items()}
    sys.modules.pop("gated", None)


@pytest.fixture(name="nothing_runs")
def _nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that a file names or holds is imported or compiled."""
    monkeypatch.setattr(
        "tt_model.tt_lang.declared_kernels.import_module", lambda name: pytest.fail(f"{name} was imported")
    )
    monkeypatch.setattr("ttl.emu.compiler.compile_program", lambda *_: pytest.fail("C++ was compiled"))


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", KINDS)
def test_bytes_that_are_changed(table: str, kind: str, contents: Any, nothing_runs: None) -> None:
    """Refused as they are, or with what nobody allowed: a run never gets through."""
    kinds = {exercised(one) for one in broken(contents[table], kind, 40, seed=3)}
    assert kinds <= {"FlatbufferError", "RuntimeProblem"}


def problem_of(program: Any, target: Any = "emu", **permissions: Any) -> str:
    inputs = [torch.ones(64, 128).bfloat16(), torch.ones(64, 128).bfloat16(), torch.ones(128, 96).bfloat16()]
    with pytest.raises(RuntimeProblem) as problem, allowed(**permissions):
        run_program(
            SimulatedDevice(simulated_system("n150"), [0]), prepare_program(program), inputs, tt_lang=target
        )
    return str(problem.value)


def changed(content: bytes, table: str, change: Callable[[Any], Any]) -> Any:
    """The program of a file with something else in the operation."""
    program = copy.deepcopy(decode(schema("TTNN/binary.fbs"), content)["programs"][0])
    (operation,) = (one for one in program["operations"] if one["type_type"] == table)
    change(operation["type"])
    return program


NAMES = [
    ("no_such_module.kernel::v1", "module 'no_such_module' of kernel_id .* cannot be imported"),
    ("gated.absent::v1", "'absent' of 'gated' is not an operation of TT-Lang"),
    ("gated.gated::v2", "the model is for 'gated.gated::v2'"),
    ("gated.by_numpy::v1", "'by_numpy' of 'gated' is not an operation of TT-Lang"),
    ("gated", "is not a name such as"),
    ("", "is not a name such as"),
    ("os.system::v1", "TTL0130"),
    ("gated.gated.__globals__::v1", "'gated.gated' of kernel_id .* cannot be imported"),
    ("../gated.gated::v1", "is not a name such as"),
    ("gated\0.gated::v1", "is not a name such as"),
]


@pytest.mark.parametrize("target", ["sim", "numpy"])
@pytest.mark.parametrize(("name", "said"), NAMES)
def test_names_that_mean_no_kernel(
    name: str, said: str, target: str, contents: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(MODELS))
    program = changed(contents["TTLangOp"], "TTLangOp", lambda fields: fields.update(kernel_id=name))
    text = problem_of(program, target, modules=["gated", "no_such_module"])
    assert text.startswith("operation 11 (TTLangOp)")
    assert re.search(said, text), text


FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"version_tag": "7"}, "with version_tag '7', and"),
    ({"arg_roles": "in,out"}, "has arg_roles 'in,out' for 2 inputs and 1 outputs"),
    ({"arg_roles": "in,in,in,out"}, "has arg_roles 'in,in,in,out' for 2 inputs"),
    ({"arg_roles": "sideways,in,out"}, "has arg_roles 'sideways,in,out'"),
    ({"inputs": []}, "has arg_roles 'in,in,out' for 0 inputs"),
]


@pytest.mark.parametrize(("fields", "said"), FIELDS)
def test_counts_and_versions_that_are_wrong(
    fields: dict[str, Any], said: str, contents: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(MODELS))
    program = changed(contents["TTLangOp"], "TTLangOp", lambda table: table.update(fields))
    assert said in problem_of(program, "sim", modules=["gated"])


def _deep(levels: int) -> str:
    return "[" * levels + "]" * levels


ARTIFACTS = [
    ("no JSON", "it is not JSON"),
    (_deep(100_000), "it is not JSON"),
    ("[]", r"it is \[\], not an object with members"),
    ("{}", "it has no member format_version"),
    ('{"format_version": 3}', "its format_version is 3, but this release reads 2"),
    ('{"format_version": true}', "format_version is True, not a whole number"),
]


@pytest.mark.parametrize(("artifact", "said"), ARTIFACTS, ids=range(len(ARTIFACTS)))
def test_texts_that_are_no_artifact(artifact: str, said: str, contents: Any) -> None:
    program = changed(
        contents["TTLangOp"], "TTLangOp", lambda fields: fields.update(kernel_artifact=artifact)
    )
    text = problem_of(program, sources=True)
    assert "the kernel_artifact of gated.gated::v1 cannot be run: " in text
    assert re.search(said, text), text


def _set(path: str, value: Any) -> Callable[[Any], None]:
    def change(artifact: Any) -> None:
        *steps, last = (int(step) if step.isdecimal() else step for step in path.split("."))
        for step in steps:
            artifact = artifact[step]
        artifact[last] = value

    return change


MEMBERS: list[tuple[str, Any, str]] = [
    (
        "chip",
        "blackhole",
        "its kernels are for blackhole, and the system has wormhole_b0: compile the model again",
    ),
    ("chip", "abacus", "chip is 'abacus', not one of"),
    ("generation", "../../etc", "generation is '../../etc', not one of 0.69, 0.81"),
    ("core_range.end", [1_000_000, 0], "core_range.end[0] is 1000000, not a whole number from 0 to"),
    ("core_range.start", [1, 0], "not a rectangle of cores from (0, 0) on"),
    ("core_range.end", [0.5, 0], "core_range.end[0] is 0.5, not a whole number"),
    (
        "cb_configs.0.buffer_index",
        10**9,
        "cb_configs[0].buffer_index is 1000000000, not a whole number from 0 to 31",
    ),
    ("cb_configs.0.buffer_index", 1, "two of cb_configs have one buffer_index"),
    ("cb_configs.0.page_size", 0, "cb_configs[0].page_size is 0, not a whole number from 1"),
    ("cb_configs.0.total_size", 2**40, "cb_configs[0].total_size is 1099511627776, not a whole number"),
    ("cb_configs.0.total_size", 5000, "cb_configs[0]: 5000 bytes are not whole pages of 2048"),
    ("cb_configs.0.total_size", 2048 * 680, "take 1,400,832 bytes of L1, and a core has"),
    ("cb_configs.0.data_format", "float7", "cb_configs[0].data_format is 'float7', not one of float32"),
    ("cb_configs.0.shares", "nobody", "no earlier buffer named nobody has 4096 bytes to share"),
    ("cb_configs.0.memory", "x", "cb_configs[0]: x has no shards in L1 with 4096 bytes from byte 0 on"),
    ("kernels", [], "it has no kernels"),
    ("kernels.0.kernel_config.processor", "erisc", "processor is 'erisc', not one of ncrisc, brisc"),
    (
        "kernels.0.kernel_config.processor",
        "brisc",
        "two of kernels have one processor: brisc, compute, brisc",
    ),
    ("kernels.0.kernel_config.noc", 2, "noc is 2, not a whole number from 0 to 1"),
    ("kernels.0.kernel_config.name", "../../x", "name is '../../x', not the name of a kernel"),
    ("kernels.0.kernel_config.file", "/etc/passwd", "file is '/etc/passwd', not the name of a kernel"),
    (
        "kernels.0.kernel_config.defines",
        [["-x", "1"]],
        "defines[0] is ['-x', '1'], not a name and what it stands for",
    ),
    ("kernels.0.kernel_config.common_args", ["address(z)"], "there is no tensor z of address(z)"),
    ("kernels.0.kernel_config.common_args", ["rm -rf"], "common_args: no entry: rm -rf"),
    ("kernels.0.kernel_config.common_args", ["noc_x(99)"], "noc_x(99) is beyond the"),
    ("kernels.0.kernel_config.common_args", ["bank(99,0)"], "bank(99,0) is beyond the"),
    ("kernels.0.kernel_config.common_args", [2**32], "common_args[0] is 4294967296, not a whole number"),
    ("kernels.0.tensor_indices", [3], "tensor_indices[0] is 3, not a whole number from 0 to 2"),
    ("kernels.0.cpp_source", "", "kernels[0].cpp_source is empty"),
    ("kernels.0.thread_type", "dispatch", "thread_type is 'dispatch', not one of compute, noc"),
    ("kernels.1.kernel_config.math_fidelity", "HiFi9", "math_fidelity is 'HiFi9', not one of LoFi"),
    ("kernels.1.kernel_config.unpack_to_dest_fp32", ["z"], "unpack_to_dest_fp32[0] is 'z', not one of x_dfb"),
    ("tensors.0.shape", [32, 128], "tensors[0] is 32x128 bfloat16, but the model passes 64x128 bf16"),
    ("tensors.0.dtype", "float32", "tensors[0] is 64x128 float32, but the model passes 64x128 bf16"),
    ("tensors.0.index", 1, "two of tensors have one index: 1, 1, 2"),
    ("tensors.0.index", 9, "tensors[0].index is 9, not a whole number from 0 to 2"),
    ("semaphores", [{"name": "s", "id": 99}], "semaphores[0].id is 99, not a whole number from 0 to"),
]


@pytest.mark.parametrize(
    ("path", "value", "said"), MEMBERS, ids=[f"{path}={value}" for path, value, _ in MEMBERS]
)
def test_members_of_an_artifact_that_the_chip_has_not(
    path: str, value: Any, said: str, contents: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttl.emu.compiler.compile_program", lambda *_: pytest.fail("C++ was compiled"))

    def change(fields: Any) -> None:
        artifact = json.loads(fields["kernel_artifact"])
        _set(path, value)(artifact)
        fields["kernel_artifact"] = json.dumps(artifact)

    text = problem_of(changed(contents["TTLangOp"], "TTLangOp", change), sources=True)
    assert said in text


WRITTEN: list[tuple[str, Any, str]] = [
    ("format_version", 0, "its format_version is 0, but this release reads 2"),
    ("core_range", None, "it has no member core_range"),
    (
        "core_range",
        {"loc": {"x": 0, "y": 0}, "size": {"x": 0, "y": 1}},
        "core_range.end[0] is -1, not a whole number",
    ),
    (
        "core_range",
        {"loc": {"x": -5, "y": 0}, "size": {"x": 9, "y": 1}},
        "not a rectangle of cores from (0, 0) on",
    ),
    ("kernels", None, "it has no kernels"),
    ("kernels.0.cpp_source", None, "kernels[0] has no member cpp_source"),
    ("kernels.0.kernel_config", None, "kernels[0].kernel_config has no member name"),
    ("tensors", None, "tensor_indices[0] is 1, not a whole number from 0 to -1"),
    ("tensors.1.shape", None, "tensors[1] is  bfloat16, but the model passes 64x128 bf16"),
]


@pytest.mark.parametrize(
    ("path", "value", "said"), WRITTEN, ids=[f"{path}={value}" for path, value, _ in WRITTEN]
)
def test_written_kernels_that_say_too_little(
    path: str, value: Any, said: str, contents: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttl.emu.compiler.compile_program", lambda *_: pytest.fail("C++ was compiled"))

    def change(fields: Any) -> None:
        _set(path, value)(fields["program"])
        *steps, last = (int(step) if step.isdecimal() else step for step in path.split("."))
        owner = fields["program"]
        for step in steps:
            owner = owner[step]
        if value is None:
            del owner[last]

    text = problem_of(changed(contents["GenericOp"], "GenericOp", change), sources=True)
    assert said in text


def test_an_operation_without_a_program(contents: Any) -> None:
    program = changed(contents["GenericOp"], "GenericOp", lambda fields: fields.pop("program"))
    assert "it has no member format_version" in problem_of(program, sources=True)


def test_source_that_is_no_cpp(contents: Any) -> None:
    """It is compiled, since that is allowed, and what the compiler says is the error."""
    change = _set("program.kernels.0.cpp_source", "import os\n")
    text = problem_of(changed(contents["GenericOp"], "GenericOp", change), sources=True)
    assert "kernel read does not compile for the emulated chip [TTL1501]" in text
