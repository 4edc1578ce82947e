"""What inputs are drawn from fits the program, is said, and NaN of the reference is no agreement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
import ttmlir.torch
from ttrt.common.api import Run


def saved(folder: Path, module: Any, *inputs: Any) -> str:
    path = folder / "model.ttnn"
    ttmlir.torch.compile(module.eval(), *inputs).save(path)
    return str(path)


def run(capfd: Any, path: str, **options: Any) -> tuple[int, str]:
    """The exit code of ``ttrt run --golden`` and what it says."""
    status, _ = Run({"binary": path, "golden": True, "result-file": f"{path}.json", **options})()
    said = capfd.readouterr()
    return status, said.out + said.err


class Tokens(torch.nn.Module):
    """Rows of a small table by tokens, and by positions of whatever sign that count from the end."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(10, 32)

    def forward(self, tokens: Any, at: Any) -> Any:
        return self.table(tokens + 1 - 1) + self.table.weight[at]


class Normalised(torch.nn.Module):
    """A variance that is an input, a mask, and a logarithm of a probability."""

    def forward(self, x: Any, variance: Any, mask: Any, p: Any) -> Any:
        normal = x * torch.rsqrt(variance + 1e-5)
        return torch.where(mask, normal, 0.0) + torch.log(p) + torch.log(1 - p)


class Root(torch.nn.Module):
    """NaN for whatever is drawn."""

    def forward(self, x: Any) -> Any:
        return torch.sqrt(x * x - 100.0) + 1


def test_tokens_are_rows_of_their_table(tmp_path: Path, capfd: Any) -> None:
    status, text = run(capfd, saved(tmp_path, Tokens(), ((2, 8), "i64"), ((2, 8), "i64")))
    assert status == 0, text
    assert "tokens: whole numbers from 0 to 9, as rows of a table" in text
    assert "pass others with --inputs" in text


def test_variances_masks_and_probabilities_are_drawn_as_such(tmp_path: Path, capfd: Any) -> None:
    status, text = run(capfd, saved(tmp_path, Normalised(), (32, 32), (1, 32), ((32, 32), "bool"), (32, 32)))
    assert status == 0, text
    assert "input_1: between 0 and 1" in text
    assert "input_2: 0 and 1, as truth values" in text
    assert "input_3: between 0 and 1" in text
    assert "input_0" not in text


def test_nan_of_the_reference_fails_a_run(tmp_path: Path, capfd: Any) -> None:
    path = saved(tmp_path, Root(), (32, 32))
    status, text = run(capfd, path)
    assert status != 0
    assert "has 1,024 NaN of 1,024 in the reference" in text
    assert "--inputs" in text
    status, text = run(capfd, path, **{"allow-nan": True})
    assert status == 0, text
    assert "NaN of 1,024" in text


class Signs(torch.nn.Module):
    """Integers less than zero, and beyond what float32 counts."""

    def forward(self, n: Any) -> Any:
        return torch.maximum(n - 5, -n) * 100_000_007


def test_integers_agree_with_their_golden_tensors(tmp_path: Path, capfd: Any) -> None:
    path = tmp_path / "model.ttnn"
    ttmlir.torch.compile(Signs(), torch.arange(-3, 3, dtype=torch.int32), goldens=True).save(path)
    status, text = run(capfd, str(path))
    assert status == 0, text
