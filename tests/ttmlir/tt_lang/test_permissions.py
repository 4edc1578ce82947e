"""Code that a model or a binary names or holds runs only where it was allowed: modules of Python, and kernels in C++."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.tt_lang_models import MODEL, MODELS, compiled, content_of
from tt_model.layouts.kernel_permissions import PERMISSIONS, KernelPermissions, allowed, module_names
from ttl.diag.errors import WrongRequest
from ttl.ir.pipeline import WrittenPass, pipeline_of
from ttmlir.transforms.pipelines import PIPELINES
from ttmlir.transforms.tt_lang import ResolveTTLangKernels

torch = pytest.importorskip("torch")
import ttmlir
from tt_model.runtime.problems import RuntimeProblem
from ttl.diag import ProgramError
from ttrt.common.api import Run

# Importing it leaves a trace.
TRACED = """
from pathlib import Path

Path(__file__).with_name("imported").touch()

from gated import gated
"""


@pytest.fixture(name="traced", autouse=True)
def _traced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "traced.py").write_text(TRACED, encoding="utf-8")
    monkeypatch.syspath_prepend(str(MODELS))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "imported"
    for name in ("gated", "traced"):
        sys.modules.pop(name, None)


@pytest.fixture(name="binary")
def _binary(tmp_path: Path, traced: Path) -> Path:
    path = tmp_path / "m.ttnn"
    path.write_bytes(content_of(NAMED, allow_tt_lang=("traced",)))
    sys.modules.pop("traced")
    traced.unlink()
    return path


NAMED = MODEL.replace("gated.gated::v1", "traced.gated::v1").replace('version_tag = "1"', 'version_tag = ""')


def run(binary: Path, **options: Any) -> tuple[int, str]:
    given = {name.replace("_", "-"): value for name, value in options.items()}
    code, (entry,) = Run({"binary": str(binary), "golden": False, **given})()
    return code, entry["exception"]


def test_nothing_is_allowed_unless_it_is_said() -> None:
    assert PERMISSIONS.get() == KernelPermissions()
    with allowed(["a.b"]):
        with allowed(["c"], sources=True):
            assert PERMISSIONS.get() == KernelPermissions(modules=("a.b", "c"), sources=True)
        assert PERMISSIONS.get() == KernelPermissions(modules=("a.b",))
    assert PERMISSIONS.get() == KernelPermissions()


@pytest.mark.parametrize(
    ("module", "may"),
    [("a.b", True), ("a.b.c", True), ("a", False), ("a.bc", False), ("", False), ("b", False)],
)
def test_a_package_is_allowed_with_what_is_in_it(module: str, may: bool) -> None:
    assert KernelPermissions(modules=("a.b",)).allows(module) is may


@pytest.mark.parametrize("options", [{"resolve_tt_lang_kernels": True}, {"allow_tt_lang": ("gated",)}])
def test_compiling_imports_what_was_allowed_alone(options: dict[str, Any], traced: Path) -> None:
    _, (error,) = compiled(NAMED, **options)
    assert not traced.exists()
    assert str(error.span).startswith("model.mlir:6:")
    messages = [note.message for note in error.notes]
    assert messages[0].endswith(
        "names the Python module 'traced', which may not be imported without permission [TTL0130]"
    )
    assert any("the option allow-tt-lang=traced" in message for message in messages)


def test_the_text_of_a_model_does_not_allow(traced: Path) -> None:
    """Not even the module that it names as its resolver: that is an option of who compiles."""
    _, errors = compiled(NAMED, ResolveTTLangKernels())
    assert len(errors) == 1
    assert not traced.exists()


@pytest.mark.parametrize("target", ["sim", "emu", "numpy"])
@pytest.mark.parametrize("golden", [True, False])
def test_running_a_binary_imports_and_compiles_nothing(
    target: str, golden: bool, binary: Path, traced: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttl.emu.compiler.compile_program", lambda *_: pytest.fail("C++ was compiled"))
    code, text = run(binary, tt_lang=target, golden=golden, allow_tt_lang="gated")
    assert code == 1
    assert not traced.exists()
    assert "operation 11 (TTLangOp)" in text
    assert "TTL0131" in text if target == "emu" else "TTL0130" in text
    assert "give ttrt --allow-tt-lang traced" in text


def test_the_flags_let_it_run(binary: Path, traced: Path) -> None:
    assert run(binary, tt_lang="emu", allow_kernel_source=True) == (0, "")
    assert not traced.exists()
    assert run(binary, allow_tt_lang="other,traced") == (0, "")
    assert traced.exists()


def test_kernels_are_made_anew_where_only_the_module_is_trusted(
    binary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tt_model.tt_lang import running

    original = running.resolve_operation
    resolved: list[str] = []

    def resolve(request: Any) -> str:
        resolved.append(request.kernel_id)
        return original(request)

    monkeypatch.setattr(running, "resolve_operation", resolve)
    assert run(binary, tt_lang="emu", allow_tt_lang="traced") == (0, "")
    assert resolved == ["traced.gated::v1"]


def test_from_python(binary: Path, traced: Path) -> None:
    inputs = [torch.ones(64, 128).bfloat16(), torch.ones(64, 128).bfloat16(), torch.ones(128, 96).bfloat16()]
    with pytest.raises(RuntimeProblem, match="TTL0130"):
        ttmlir.load(binary).run(*inputs)
    assert not traced.exists()
    assert float(ttmlir.load(binary, allow_tt_lang=["traced"]).run(*inputs)[0, 0]) == 256
    model = ttmlir.load(binary, allow_kernel_source=True)
    model.tt_lang = "emu"
    assert float(model.run(*inputs)[0, 0]) == 256
    assert model.report is not None
    assert model.report.kernels[0].cycles > 1000


@pytest.mark.parametrize("text", ["../x", "a..b", "a b", "1a", "a.b;c"])
def test_what_is_no_name_of_a_module(text: str, binary: Path) -> None:
    with pytest.raises(ValueError, match="is not the name of a module"):
        module_names(text)
    with pytest.raises(ProgramError, match="--allow-tt-lang: "):
        run(binary, allow_tt_lang=text)
    step = WrittenPass(name="ttir-to-ttnn-backend-pipeline", options={"allow-tt-lang": text})
    with pytest.raises(WrongRequest, match="is not the name of a module"):
        pipeline_of(step, PIPELINES)


def test_a_command_line_says_the_flag_and_leaves_no_traceback(binary: Path, traced: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ttrt", "run", str(binary)], capture_output=True, text=True, cwd=binary.parent
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "--allow-tt-lang traced" in done.stderr
    assert not traced.exists()
