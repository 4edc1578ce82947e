"""Operations of TT-Lang on the two chips of an n300: a launch for each chip, on what that chip has."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.tt_lang_models import MODEL, MODELS, content_of
from tt_model.flatbuffer.system_desc import write_system_desc
from tt_model.layouts.known_systems import system

torch = pytest.importorskip("torch")
from ttrt.common.api import Run

# A kernel says nothing of how its results make one tensor: they are gathered.
GATHERED = MODEL.replace("-> tensor<64x96xbf16> {", "-> tensor<128x96xbf16> {").replace(
    "  return %5 : tensor<64x96xbf16>",
    """  %6 = tensor.empty() : tensor<128x96xbf16>
  %7 = "ttir.all_gather"(%5, %6) <{dim = 0 : si32, operand_constraints = [#tt.operand_constraint<any_device>, #tt.operand_constraint<any_device>]}> : (tensor<64x96xbf16>, tensor<128x96xbf16>) -> tensor<128x96xbf16>
  return %7 : tensor<128x96xbf16>""",
)


@pytest.fixture(autouse=True)
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(MODELS))
    monkeypatch.chdir(tmp_path)
    write_system_desc("n300.ttsys", system("n300"))
    yield
    sys.modules.pop("gated", None)


def run(target: str, **options: Any) -> tuple[int, dict[str, Any]]:
    content = content_of(GATHERED, allow_tt_lang=("gated",), system_desc_path="n300.ttsys", **options)
    Path("m.ttnn").write_bytes(content)
    code, (entry,) = Run(
        {
            "binary": "m.ttnn",
            "golden": True,
            "save-artifacts": True,
            "shard": "0:0,1:0",
            "tt-lang": target,
            "allow-tt-lang": "gated",
            "allow-kernel-source": True,
        }
    )()
    return code, entry


def saved(name: str) -> Any:
    (path,) = Path("ttrt-artifacts").rglob(f"program_0_{name}.pt")
    return torch.load(path).double()


@pytest.mark.parametrize("target", ["sim", "emu", "numpy"])
def test_each_chip_computes_what_it_has(target: str) -> None:
    code, entry = run(target, mesh_shape=(1, 2))
    assert (code, entry["exception"]) == (0, "")
    (program,) = entry["programs"]
    assert program["operations_compared"] >= 14
    x, gate, w, got = (saved(name) for name in ("input_0", "input_1", "input_2", "output_0"))
    wanted = (x.relu() * gate + x.relu()) @ w
    assert x.shape == (128, 128) and got.shape == (128, 96)
    assert torch.allclose(got, wanted, atol=0.02 * float(wanted.abs().max()))
    assert len(program["tt_lang_cycles"]) == (1 if target == "emu" else 0)


def test_written_kernels_on_a_mesh() -> None:
    assert run("sim", mesh_shape=(1, 2), lower_tt_lang_to_generic=True)[0] == 0
