"""``ttmlir-opt --ttir-to-ttl``: the file that it writes, what it refuses, and models whose operations run everywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.outlined import outline
from support.ttir_text import Model
from ttmlir.outlining.module_text import is_unchanged

REGIONS = Path(__file__).parent / "regions"
TEXT = (REGIONS / "matmul_with_epilogue.mlir").read_text(encoding="utf-8")


def opt(folder: Path, *arguments: str, text: str = TEXT) -> subprocess.CompletedProcess[str]:
    (folder / "model.mlir").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "ttmlir.opt", *arguments, "model.mlir"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def test_the_file_stands_alone(tmp_path: Path) -> None:
    assert opt(tmp_path, "--ttir-to-ttl=output=layer.py").returncode == 0
    for verb in ("check", "run"):
        done = subprocess.run(
            [sys.executable, "-m", "ttl", verb, "layer.py"],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert "layer.residual::v1: correlation with the reference 1.0000" in done.stdout


def test_the_same_model_is_the_same_file(tmp_path: Path) -> None:
    texts = {outline(TEXT, tmp_path).source for _ in range(2)}
    assert len(texts) == 1 and is_unchanged(texts.pop())


def test_a_changed_file_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "layer.py"
    assert opt(tmp_path, "--ttir-to-ttl=output=layer.py").returncode == 0
    mine = path.read_text(encoding="utf-8").replace("buffering=ttl", "buffering =ttl")
    path.write_text(mine, encoding="utf-8")
    done = opt(tmp_path, "--ttir-to-ttl=output=layer.py")
    assert done.returncode == 1 and path.read_text(encoding="utf-8") == mine
    assert "error: layer.py was changed since --ttir-to-ttl wrote it, and is not overwritten" in done.stderr
    assert "give another name: --ttir-to-ttl=output=other.py" in done.stderr


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("layer.txt", "'layer.txt' is not the name of a Python module, such as kernels.py"),
        ("my-layer.py", "'my-layer.py' is not the name of a Python module, such as kernels.py"),
        ("class.py", "'class.py' is not the name of a Python module, such as kernels.py"),
        ("ttl.py", "'ttl.py' would hide the module ttl, which the operations import: choose another name"),
        ("nowhere/layer.py", "cannot write nowhere/layer.py: No such file or directory"),
        ("folder.py", "cannot write folder.py: Is a directory"),
    ],
)
def test_an_output_that_cannot_be(output: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    done = opt(tmp_path, f"--ttir-to-ttl=output={output}")
    assert done.returncode != 0 and message in done.stderr and "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.py", "model.mlir"]


def test_names_of_the_model_become_names_of_python(tmp_path: Path) -> None:
    model = Model("64x64")
    power = model.op("exp", "64x64", "a0", result="power")
    end = model.op("relu", "64x64", power, result="end")
    hostile = model.text(end).replace('loc("power")', 'loc("ttl; import os #\\22\\22\\22")')
    hostile = hostile.replace('loc("end")', 'loc("class")')
    outlined = outline(hostile, tmp_path)
    assert outlined.kernels == ["class_2"]
    assert "ttl_import_os = ttl.math.exp(" in outlined.source
    compile(outlined.source, "kernels.py", "exec")


def test_operations_run_on_the_emulated_chip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From TTIR to a binary, in which each operation is compared with its reference."""
    pytest.importorskip("torch")
    from support.tt_lang_models import binary_of, run
    from ttmlir.tt_lang import allowed

    model = Model("2x40x64", "2x96x64", "2x40x1")
    turned = model.op("transpose", "2x64x96", "a1", dim0="1 : si32", dim1="2 : si32")
    scores = model.op("matmul", "2x40x96", "a0", turned, result="scores")
    scaled = model.op("multiply", "2x40x96", scores, "a2", result="scaled")
    weights = model.op("softmax", "2x40x96", scaled, dimension="-1 : si32", result="weights")
    mean = model.reduce("mean", "2x40x1", weights, result="mean")
    end = model.op("subtract", "2x40x96", weights, mean, result="end")
    outlined = outline(model.text(scores, end), tmp_path)
    assert outlined.kernels == ["scores", "end"]
    monkeypatch.syspath_prepend(str(tmp_path))
    with allowed(["kernels"]):
        binary = binary_of(str(outlined.after), allow_tt_lang=("kernels",))
        inputs, (_, emulated), _ = run(binary, "emu")
        _, (_, simulated), _ = run(binary, "sim")
    sys.modules.pop("kernels", None)
    a, b, c = (one.double().numpy() for one in inputs)
    power = a @ np.swapaxes(b, -1, -2) * c
    power = np.exp(power - power.max(-1, keepdims=True))
    wanted = power / power.sum(-1, keepdims=True)
    wanted -= wanted.mean(-1, keepdims=True)
    np.testing.assert_allclose(simulated.double().numpy(), wanted, atol=1e-5)
    # The matrix unit multiplies float32 as TF32.
    np.testing.assert_allclose(emulated.double().numpy(), wanted, atol=2e-2)


def test_attention_as_one_operation_runs_on_the_emulated_chip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    from support.tt_lang_models import binary_of, run
    from ttmlir.tt_lang import allowed

    outlined = outline(
        (REGIONS / "attention_of_two_batches_in_bf16.mlir").read_text(encoding="utf-8"), tmp_path
    )
    assert outlined.kernels == ["mixed"]
    monkeypatch.syspath_prepend(str(tmp_path))
    with allowed(["kernels"]):
        run(binary_of(str(outlined.after), allow_tt_lang=("kernels",)), "emu")
    sys.modules.pop("kernels", None)
