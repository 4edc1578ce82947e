"""The commands of the documents' pages on ``ttmlir-opt``, ``ttmlir-translate`` and on making files for ``ttrt``, in their order.

Each page is a list of lines that run one after another in one folder; what a line is to leave behind stands beside it. The page on
``ttrt`` itself is ``tests/ttrt/test_specification.py``, the one on the explorer ``tests/tt_explorer``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
from support.fake_card import provide_card
from support.shell import Shell
from ttmlir.opt.main import TTMLIR_OPT
from ttmlir.translate.main import TTMLIR_TRANSLATE
from ttrt.common.main import run as ttrt

MULTIPLY = """#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %0 = tensor.empty() : tensor<64x128xf32>
    // CHECK: %[[C:.*]] = "ttnn.multiply"[[C:.*]]
    %1 = "ttir.multiply"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    return %1 : tensor<64x128xf32>
  }
}
"""
SHELL = Shell({"ttmlir-opt": TTMLIR_OPT.run, "ttmlir-translate": TTMLIR_TRANSLATE.run})


@dataclass(frozen=True)
class Left:
    """What a line printed."""

    output: str


Proof = Callable[[Left], bool]
_TO_EMITC = "--ttir-load-system-desc --ttir-layout --convert-ttir-to-ttnn --convert-ttnn-to-emitc simple_multiply.mlir"


def prints(*texts: str) -> Proof:
    return lambda left: all(text in left.output for text in texts)


def passes(left: Left) -> bool:
    (entry,) = json.loads(Path("run_results.json").read_text())
    return bool(entry["result"] == "pass" and entry["programs"][0]["operations_compared"] > 0)


OPT: tuple[tuple[str, Proof], ...] = (
    ("ttmlir-opt --ttir-to-ttnn-backend-pipeline simple_multiply.mlir", prints('"ttnn.multiply"')),
    (
        "ttmlir-opt --ttir-to-ttmetal-backend-pipeline simple_multiply.mlir",
        prints('"ttmetal.dispatch"', '"ttkernel.mul_tiles"'),
    ),
)
TRANSLATE: tuple[tuple[str, Proof], ...] = (
    (f"ttmlir-opt {_TO_EMITC} -o c.mlir", lambda left: "emitc.call_opaque" in Path("c.mlir").read_text()),
    ("ttmlir-translate -mlir-to-cpp c.mlir -allow-unregistered-dialect", prints("ttnn::multiply(")),
    (
        f"ttmlir-opt {_TO_EMITC} | ttmlir-translate -mlir-to-cpp -allow-unregistered-dialect",
        prints("#include", "ttnn::multiply("),
    ),
    ("ttmlir-opt --ttir-to-ttnn-backend-pipeline simple_multiply.mlir -o ttnn.mlir", prints()),
    ("ttmlir-translate --ttnn-to-flatbuffer ttnn.mlir -o out.ttnn", lambda left: Path("out.ttnn").is_file()),
    ("ttrt run --golden out.ttnn", passes),
)
# The first two lines of the last page are one after the other here: what is loaded first is kept by the pipeline.
FLATBUFFER: tuple[tuple[str, Proof], ...] = (
    ("ttrt query --save-artifacts", lambda left: Path("ttrt-artifacts/system_desc.ttsys").is_file()),
    (
        'ttmlir-opt --ttir-load-system-desc="path=ttrt-artifacts/system_desc.ttsys" --ttir-to-ttnn-backend-pipeline simple_multiply.mlir -o ttnn.mlir',
        lambda left: "ttnn.multiply" in Path("ttnn.mlir").read_text(),
    ),
    (
        'ttmlir-opt --ttir-to-ttnn-backend-pipeline="system-desc-path=ttrt-artifacts/system_desc.ttsys" simple_multiply.mlir -o again.mlir',
        lambda left: Path("ttnn.mlir").read_text() == Path("again.mlir").read_text(),
    ),
    ("ttmlir-translate --ttnn-to-flatbuffer ttnn.mlir -o out.ttnn", lambda left: Path("out.ttnn").is_file()),
    ("ttrt run --golden out.ttnn", passes),
)
# Of the options of ``lit``: pass by pass, which leaves changes of layout whole until the file is written.
LIT: tuple[tuple[str, Proof], ...] = (
    ("ttrt query --save-artifacts", lambda left: Path("ttrt-artifacts/system_desc.ttsys").is_file()),
    (
        'ttmlir-opt --ttir-load-system-desc="path=ttrt-artifacts/system_desc.ttsys" --ttir-implicit-device --ttir-layout --convert-ttir-to-ttnn simple_multiply.mlir > t.mlir',
        lambda left: '"ttnn.to_layout"(%arg0, %0) <{dtype' in Path("t.mlir").read_text(),
    ),
    ("FileCheck simple_multiply.mlir --input-file=t.mlir", prints()),
    ("ttmlir-translate --ttnn-to-flatbuffer t.mlir > t.ttnn", lambda left: Path("t.ttnn").is_file()),
    ("ttrt run --golden --strict t.ttnn", passes),
    ("ttrt perf t.ttnn", prints()),
    ("ttmlir-translate --ttnn-to-python t.mlir", prints("ttnn.multiply(")),
)
PAGES = {"ttmlir-opt": OPT, "ttmlir-translate": TRANSLATE, "flatbuffers": FLATBUFFER, "lit": LIT}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The page's model, and a machine with a card, which ``ttrt query`` asks."""
    import types

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TT_MLIR_HOME", raising=False)
    (tmp_path / "card").mkdir()
    provide_card(tmp_path / "card")
    module = types.ModuleType("ttnn")
    exec((tmp_path / "card" / "ttnn" / "__init__.py").read_text(), module.__dict__)
    monkeypatch.setattr("ttrt.common.query.real_ttnn", lambda: module)
    (tmp_path / "simple_multiply.mlir").write_text(MULTIPLY)
    yield tmp_path
    shutil.rmtree(tmp_path / "card")


@pytest.mark.parametrize("page", PAGES)
def test_the_lines_of_a_page(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    for line, proof in PAGES[page]:
        command, _, arguments = line.partition(" ")
        if command == "ttrt":
            status, errors = ttrt(arguments.split()), ""
            output = capsys.readouterr().out
        else:
            result = SHELL.run(line)
            status, output, errors = result.status, result.output, result.errors
        assert status == 0, f"{line}\n{output}\n{errors}"
        assert proof(Left(output)), f"{line}\n{output}"
