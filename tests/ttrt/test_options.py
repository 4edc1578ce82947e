"""Every flag of every command of ``ttrt`` does something that can be seen, or says that it does nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from support.metal_binaries import metal_binary
from support.ttmlir_models import compiled
from support.ttrt_models import exponential
from tt_model.flatbuffer.system_desc import encode_system_desc
from tt_model.layouts.known_systems import system
from ttrt.common.api import COMMANDS
from ttrt.common.main import run

_TILED = "#tt.operand_constraint<dram|l1|tile|any_device_tile>"
_EXPONENTIAL = f"""func.func @main(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {{
  %0 = tensor.empty() : tensor<32x32xf32>
  %1 = "ttir.exp"(%x, %0) <{{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [{_TILED}, {_TILED}]}}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}}"""


@cache
def metal_exponential() -> bytes:
    return metal_binary(_EXPONENTIAL).content


@cache
def logarithm() -> bytes:
    """A binary that can be compared with the reference, which knows no logarithms of negative numbers."""
    return bytes(compiled(_EXPONENTIAL.replace("ttir.exp", "ttir.log")).content)


# What a run says and leaves that is another one each time: times, and the name of the log.
_TIMES = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+|\d+\.\d+ s\b|time=\"[^\"]*\"")

# A line with each flag, after what the same line has without it. Of flags that need another one, that one is in both.
SHOWN: dict[str, dict[str, tuple[str, str]]] = {
    "read": {
        "--section": ("out.ttnn", "--section version"),
        "--clean-artifacts": ("out.ttnn", "--clean-artifacts"),
        "--save-artifacts": ("out.ttnn", "--save-artifacts"),
        "--log-file": ("out.ttnn", "--log-file ttrt.log"),
        "--artifact-dir": ("out.ttnn --save-artifacts", "--artifact-dir other"),
        "--result-file": ("out.ttnn", "--result-file other.json"),
    },
    "run": {
        "--clean-artifacts": ("out.ttnn", "--clean-artifacts"),
        "--save-artifacts": ("out.ttnn", "--save-artifacts"),
        "--log-file": ("out.ttnn", "--log-file ttrt.log"),
        "--artifact-dir": ("out.ttnn --save-artifacts", "--artifact-dir other"),
        "--program-index": ("out.ttnn", "--program-index 3"),
        "--loops": ("out.ttnn", "--loops 0"),
        "--init": ("out.ttnn --save-artifacts", "--init ones"),
        "--inputs": ("out.ttnn --save-artifacts", "--inputs numbers"),
        "--identity": ("out.ttnn", "--identity"),
        "--non-zero": ("relu.ttnn --init zeros", "--non-zero"),
        "--rtol": ("out.ttnn --identity --init ones", "--rtol 9"),
        "--atol": ("relu.ttnn --identity", "--atol 9"),
        "--seed": ("out.ttnn --save-artifacts", "--seed 3"),
        "--golden": ("out.ttnn", "--golden"),
        "--allow-nan": ("log.ttnn --golden --init zeros", "--allow-nan"),
        "--pcc": ("log.ttnn --golden --init ones", "--pcc 0.5"),
        "--bisect": ("out.ttnn", "--bisect"),
        "--host-memory": ("out.ttnn", "--host-memory 1K"),
        "--shard": ("out.ttnn", "--shard 0:0"),
        "--sim": ("out.ttnn", "--sim n300"),
        "--strict": ("out.ttm", "--strict"),
        "--tt-lang": ("out.ttm", "--tt-lang emu"),
        "--collectives": ("out.ttm", "--collectives sim"),
        "--allow-tt-lang": ("out.ttnn", "--allow-tt-lang not-a-name"),
        "--report": ("out.ttnn", "--report page.html"),
        "--result-file": ("out.ttnn", "--result-file other.json"),
    },
    "query": {
        "--sim": ("--sim n150", "--sim n300"),
        "--clean-artifacts": ("--sim n150", "--clean-artifacts"),
        "--save-artifacts": ("--sim n150", "--save-artifacts"),
        "--log-file": ("--sim n150", "--log-file ttrt.log"),
        "--artifact-dir": ("--sim n150 --save-artifacts", "--artifact-dir other"),
        "--quiet": ("--sim n150", "--quiet"),
        "--result-file": ("--sim n150", "--result-file other.json"),
    },
    "perf": {
        "--clean-artifacts": ("out.ttnn", "--clean-artifacts"),
        "--save-artifacts": ("out.ttnn", "--save-artifacts"),
        "--log-file": ("out.ttnn", "--log-file ttrt.log"),
        "--artifact-dir": ("out.ttnn --save-artifacts", "--artifact-dir other"),
        "--program-index": ("out.ttnn", "--program-index 3"),
        "--loops": ("out.ttnn", "--loops 2"),
        "--allow-tt-lang": ("out.ttnn", "--allow-tt-lang not-a-name"),
        "--host-only": ("out.ttnn", "--host-only"),
        "--port": ("out.ttnn", "--port 8086"),
        "--measured": ("out.ttnn", "--measured none.csv"),
        "--report": ("out.ttnn", "--report"),
        "--sim": ("out.ttnn", "--sim n300"),
        "--result-file": ("out.ttnn", "--result-file other.json"),
    },
    "check": {
        "--system-desc": ("out.ttnn --sim n300", "--system-desc n150.ttsys"),
        "--sim": ("out.ttnn --sim n300", "--sim n150"),
        "--clean-artifacts": ("out.ttnn --sim n150", "--clean-artifacts"),
        "--save-artifacts": ("out.ttnn --sim n150", "--save-artifacts"),
        "--log-file": ("out.ttnn --sim n150", "--log-file ttrt.log"),
        "--artifact-dir": ("out.ttnn --sim n150 --save-artifacts", "--artifact-dir other"),
        "--result-file": ("out.ttnn --sim n150", "--result-file other.json"),
    },
}
# Flags of the real runtime, which a simulation has no use for, and flags without what they need: each says so.
SAID = [
    *(
        (f"run out.ttnn {flag}", f"WARNING: {flag} has no effect: it is for the real runtime")
        for flag in (
            *("--load-kernels-from-disk", "--enable-async-ttnn", "--disable-ignore-tile-shape"),
            *("--disable-empty-op-row-major", "--disable-full-op-row-major", "--disable-maxpool2d-preshard"),
            "--disable-swap-binary-operands",
        )
    ),
    ("run out.ttnn --rtol 0.5", "WARNING: --rtol 0.5 has no effect: give --identity, too"),
    ("run out.ttnn --atol 0.5", "WARNING: --atol 0.5 has no effect: give --identity, too"),
    ("run out.ttnn --pcc 0.5", "WARNING: --pcc 0.5 has no effect: give --golden or --bisect, too"),
    ("run out.ttnn --allow-nan", "WARNING: --allow-nan has no effect: give --golden or --bisect, too"),
    ("run out.ttnn --seed 3 --init ones", "WARNING: --seed 3 has no effect: --init ones does not use random numbers"),
    ("run out.ttnn --artifact-dir other", "WARNING: --artifact-dir other has no effect: give --save-artifacts or"),
    ("run out.ttnn --report page.html", "WARNING: --report page.html has no effect: it is for .ttm files, and out.ttnn is not one"),
    ("run out.ttm --strict", "WARNING: --strict has no effect: it is for .ttnn files, and out.ttm is not one"),
    ("run out.ttm --host-memory 1G", "WARNING: --host-memory 1G has no effect: it is for .ttnn files"),
]  # fmt: skip
# What lets code of a file run, where there is some: ``tests/ttmlir/tt_lang`` shows it.
PERMISSIONS = {("run", "--allow-kernel-source"), ("perf", "--allow-kernel-source")}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """An empty folder with what the lines name, by its own name."""
    monkeypatch.delenv("TT_MLIR_HOME", raising=False)
    monkeypatch.delenv("TTRT_LOGGER_LEVEL", raising=False)

    def made(name: str) -> Path:
        path = tmp_path / name
        (path / "ttrt-artifacts").mkdir(parents=True)
        (path / "ttrt-artifacts" / "old.csv").write_text("")
        for name, kind in (("out", "Exp"), ("relu", "Relu")):
            (path / f"{name}.ttnn").write_bytes(exponential(kind))
        (path / "log.ttnn").write_bytes(logarithm())
        (path / "out.ttm").write_bytes(metal_exponential())
        (path / "n150.ttsys").write_bytes(encode_system_desc(system("n150")))
        (path / "numbers").mkdir()
        np.save(path / "numbers" / "input_0.npy", np.full((32, 64), 2.0, np.float32))
        monkeypatch.chdir(path)
        return path

    return made


def seen(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str, dict[str, object]]:
    """What a command says and leaves: its exit code, its two streams, and files by their names."""
    code = run(line.split())
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    files: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".pt":
            files[str(path.relative_to(folder))] = str(torch.load(path).tolist())
        elif path.is_file():
            files[str(path.relative_to(folder))] = _TIMES.sub("", path.read_bytes().decode("latin-1"))
    return code, said.out, _TIMES.sub("", said.err), files


def test_every_flag_is_decided() -> None:
    for command in COMMANDS:
        said = {
            flag
            for line, _ in SAID
            for flag in re.findall(r"--[\w-]+", line)
            if line.startswith(command.NAME)
        }
        open_ = {flag.name for flag in command.FLAGS} - SHOWN[command.NAME].keys() - said
        assert {(command.NAME, flag) for flag in open_} <= PERMISSIONS


@pytest.mark.parametrize(
    ("command", "flag"), [(command, flag) for command, flags in SHOWN.items() for flag in flags]
)
def test_a_flag_can_be_seen(
    command: str, flag: str, folder: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    line, given = SHOWN[command][flag]
    assert flag in given
    # The last one counts where a flag stands in both.
    without = seen(f"{command} {line}", folder("without"), capsys)
    assert seen(f"{command} {line} {given}", folder("with"), capsys) != without


@pytest.mark.parametrize(("line", "warning"), SAID, ids=[line for line, _ in SAID])
def test_what_has_no_effect_is_said(
    line: str, warning: str, folder: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    *_, err, _ = seen(line, folder("with"), capsys)
    assert warning in err


def test_what_is_seen_is_the_same_twice(
    folder: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    for command, line in (
        ("run", "out.ttnn --save-artifacts --golden"),
        ("perf", "out.ttnn --save-artifacts"),
    ):
        first = seen(f"{command} {line}", folder(f"{command}1"), capsys)
        assert seen(f"{command} {line}", folder(f"{command}2"), capsys) == first
