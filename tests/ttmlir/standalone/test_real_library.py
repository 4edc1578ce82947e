"""Scripts on the real ttnn with a mock device: names, parameters, types, layouts and memory that it takes, of both releases.

A mock device allocates and checks what it is given as a card would; it runs nothing, so that results have shapes and no values.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
from support import real_ttnn
from support.operation_cases import CASES
from support.random_programs.ttir.modules import random_module, varied_profile
from support.scripts import NOT_OF_WHOLE_NUMBERS
from support.ttmlir_models import ttnn_module
from ttl.ir.failure import NotLegalized
from ttmlir.standalone.script import ttnn_to_python

GENERATIONS = ("0.81", "0.69")
ROOT = Path(__file__).resolve().parents[3]
# What the real library refuses, by a part of its message. docs/ttmlir/standalone.md lists them.
REFUSED = {
    ("embedding", "f32"): "Weights tensor must have BFLOAT16 dtype",
    (
        "random 27",
        "",
    ): "FillPadL1ShardedProgramFactory: N_slices > 1 not yet supported|DataType::UINT8 is not supported for binary operation BinaryOpType::MUL",
    ("matmul", "f32"): "requires inputs of the same rank|input tensors of the same rank",
    ("matmul", "bf16"): "requires inputs of the same rank|input tensors of the same rank",
}
_PROGRAM = """
ttnn.close_device(device)
device = ttnn.open_device(device_id=0, l1_small_size=32768)
answers = []
for name, dtype, text in json.load(open("scripts.json")):
    names = {"__name__": "script"}
    try:
        exec(compile(text, name, "exec"), names)
        shapes = []
        for program in names["PROGRAMS"].values():
            given = [
                ttnn.zeros(list(one.shape), dtype=getattr(ttnn, one.dtype), layout=one.layout)
                for one in program.inputs
            ]
            results = program.function(device, *given)
            results = results if isinstance(results, tuple) else (results,)
            for result, one in zip(results, program.outputs):
                assert list(result.shape) == list(one.shape), (list(result.shape), one.shape)
                assert result.dtype == getattr(ttnn, one.dtype), (result.dtype, one.dtype)
        answers.append((name, dtype, ""))
    except Exception as problem:
        answers.append((name, dtype, str(problem)[:600]))
answer(answers)
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the scripts of every operation, of floats and of whole numbers, and of random modules and models."""
    written = []
    for index, case in enumerate(CASES):
        dtypes = [dtype for dtype in case.dtypes if dtype in ("bf16", "f32", "i32")]
        for dtype in dtypes[index % len(dtypes) :][:1] if dtypes else ():
            try:
                written.append(
                    (case.name, dtype, ttnn_to_python(ttnn_module(case.text(dtype, "any_device"))))
                )
            except NotLegalized:
                assert "-7 : i32" in case.attributes or (dtype == "i32" and case.name in NOT_OF_WHOLE_NUMBERS)
    for model in ("mlp", "transformer_layer"):
        text = (ROOT / "examples" / "models" / f"{model}.mlir").read_text()
        written.append((model, "", ttnn_to_python(ttnn_module(text))))
    # Tensors in shards, in L1 and in rows.
    for seed in (7, 27):
        module = ttnn_module(random_module(seed, varied_profile(seed)).text)
        written.append((f"random {seed}", "", ttnn_to_python(module)))
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "scripts.json").write_text(json.dumps(written))
    return folder


@pytest.mark.one_of(2)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_real_library_takes_every_call(generation: str, scripts: Path) -> None:
    answers = real_ttnn.run(generation, _PROGRAM, files=scripts)
    assert len(answers) > 130
    wrong = []
    for name, dtype, problem in answers:
        known = REFUSED.get((name, dtype), "")
        if problem and not any(part and part in problem for part in known.split("|")):
            wrong.append(f"{name} {dtype}: {problem}")
    assert not wrong, "\n".join(wrong)
