"""``--compare``: the first block that differs, in the order in which one block comes from another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
import ttl.diag
from differential.expressions import run as run_expression
from differential.three_ways import check
from support.example_runs import run_example
from support.programs import run_ttl
from support.random_programs.language.execute import compiled
from support.random_programs.language.execute import run as run_program
from support.random_programs.language.generate import generate
from ttl import settings
from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.diag import Diagnostic, TTLError
from ttl.diag.catalog import parse
from ttl.emu import Run, compare, pushes, run, runtime, target
from ttl.emu.runtime import Watcher
from ttl.host.tensor import Tensor
from ttl.sim.engine import Engine

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@ttl.operation(grid=(2, 2))
def square_of_sum(a, b, y):  # type: ignore[no-untyped-def]
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 2))
    sum_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))
    column, row = ttl.node(dims=2)

    @ttl.datamovement()
    def read():  # type: ignore[no-untyped-def]
        for turn in range(2):
            with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                ttl.copy(a[2 * row + turn, 2 * column : 2 * column + 2], a_blk).wait()
                ttl.copy(b[2 * row + turn, 2 * column : 2 * column + 2], b_blk).wait()

    @ttl.compute()
    def compute():  # type: ignore[no-untyped-def]
        for _ in range(2):
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, sum_dfb.reserve() as sum_blk:
                sum_blk.store(a_blk + b_blk)
            with sum_dfb.wait() as sum_blk, y_dfb.reserve() as y_blk:
                y_blk.store(sum_blk * sum_blk)

    @ttl.datamovement()
    def write():  # type: ignore[no-untyped-def]
        for turn in range(2):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[2 * row + turn, 2 * column : 2 * column + 2]).wait()


def _tensors() -> list[Tensor]:
    random = np.random.default_rng(5)
    device = ttnn.open_device(device_id=0)
    return [
        ttnn.to_device(
            ttnn.from_numpy(random.integers(1, 9, (128, 128)).astype(np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT),
            device,
        )
        for _ in range(3)
    ]  # fmt: skip


def _line(finding: Diagnostic) -> str:
    assert finding.primary is not None and finding.primary.span is not None
    return Path(__file__).read_text(encoding="utf-8").splitlines()[finding.primary.span.line - 1].strip()


def _broken(monkeypatch: pytest.MonkeyPatch, change: Callable[[str], str]) -> None:
    """Let the compiler write other kernels."""

    def launched(
        description: ProgramDescription,
        tensors: list[Tensor],
        chip: Chip,
        chosen: settings.Settings,
        watcher: Watcher | None,
        *rest: object,
    ) -> Run:
        kernels = tuple(replace(each, source=change(each.source)) for each in description.kernels)
        return run(replace(description, kernels=kernels), tensors, watcher=watcher)

    monkeypatch.setattr(target, "launched", launched)


def _subtracts(source: str) -> str:
    return source.replace("add_tiles", "sub_tiles").replace("add_init", "sub_init")


def _found() -> Diagnostic:
    """What a comparison of the operation says."""
    with settings.override(target="emu", compare=True), pytest.raises(TTLError) as raised:
        square_of_sum(*_tensors())
    return raised.value.diagnostics[0]


def test_the_block_that_is_wrong_is_reported_and_not_what_is_made_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _broken(monkeypatch, _subtracts)
    finding = _found()
    assert finding.code == "TTL1590"
    assert (
        finding.message
        == "the 1st block pushed into sum_dfb on node (0, 0) is not what the simulator makes it"
    )
    assert _line(finding) == "sum_blk.store(a_blk + b_blk)"
    a, b, _ = (np.array(ttnn.to_numpy(each)) for each in _tensors())
    assert finding.notes[0] == (
        f"element (0, 0), which is (0, 0) of tile (0, 0), is {a[0, 0] - b[0, 0]} on the emulated chip, "
        f"{a[0, 0] + b[0, 0]} in the simulator"
    )
    labels = [label.text for label in finding.secondary]
    assert labels == ["pushed at the end of this with statement"]


def test_the_first_is_that_of_the_simulators_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """One node reads another page than it should, and all that comes from it is wrong."""
    page = "get_absolute_logical_x() * get_absolute_logical_y() ? 0 : page"
    _broken(monkeypatch, lambda source: source.replace("_read_page(page, a,", f"_read_page({page}, a,"))
    finding = _found()
    assert finding.message.startswith("the 1st block pushed into a_dfb on node (1, 1) ")
    assert _line(finding) == "ttl.copy(a[2 * row + turn, 2 * column : 2 * column + 2], a_blk).wait()"


def test_the_same_is_said_every_time_however_little_is_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    _broken(monkeypatch, _subtracts)
    first = _found()
    assert _found() == first
    monkeypatch.setattr(runtime, "_AT_ONCE", 1)
    assert _found() == first


def test_blocks_that_were_not_kept_are_left_to_the_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    _broken(monkeypatch, _subtracts)
    monkeypatch.setattr(pushes, "_KEPT", 0)
    assert _found().message == "block (0, 0) of y is not what the simulator makes it"


def test_another_number_of_blocks_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fewer(pushes.Pushes):
        """A simulator that does not push the last block."""

        def end(self, engine: Engine) -> None:
            super().end(engine)
            del self.found[-1]

    monkeypatch.setattr(compare, "Pushes", Fewer)
    finding = _found()
    assert finding.code == "TTL1591"
    assert (
        finding.message
        == "2 blocks are pushed into y_dfb on node (1, 1) on the emulated chip, and 1 in the simulator"
    )
    assert _line(finding) == "y_blk.store(sum_blk * sum_blk)"


@pytest.mark.parametrize("name", ["ring_all_gather", "row_major_copy", "spec_ring_forward"])
def test_every_block_that_is_pushed_is_compared(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that pipes bring, and row-major ones, as well."""
    made: list[compare.ComparedBlocks] = []

    class Noted(compare.ComparedBlocks):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            made.append(self)

    monkeypatch.setattr(compare, "ComparedBlocks", Noted)
    run_example(str(EXAMPLES / f"{name}.py"), {"target": "emu", "compare": True})
    assert sum(each.compared for each in made) == sum(each.known for each in made) > 0


def test_what_is_undefined_is_not_compared(tmp_path: Path) -> None:
    """A sum is in column 0. What the other columns are made of is not the same in both."""
    a = np.full((32, 32), 0.25, np.float32)
    with settings.override(compare=True):
        simulated, found = run_expression(
            "y.store(ttl.math.exp(ttl.math.reduce_sum(a, dims=[-1], shape=(1, 1))))",
            {"a": a}, {"y": (32, 32)}, tmp_path,
        )  # fmt: skip
    np.testing.assert_allclose(found["y"][:, 0], simulated["y"][:, 0], rtol=2**-7)


# Programs that write to a tensor in turns (seed 31 too, but it clamps 0 / 0: no number there is a number on the chip).
@pytest.mark.parametrize("seed", [34, 73, 77])
def test_a_block_is_what_was_read_even_where_the_tensor_is_written_later(seed: int, tmp_path: Path) -> None:
    generated = generate(seed)
    # Without infinities: what is no number is another thing on the chip where it is clamped.
    tensors = tuple(replace(spec, data="real") if spec.data == "edge" else spec for spec in generated.tensors)
    program = replace(generated, tensors=tensors)
    run_program(
        program, compiled(program, tmp_path), {"target": "emu", "check": "off", "compare": True}
    )  # TTL1590 if not


def test_a_random_program_that_fails_says_which_block_differs_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _broken(monkeypatch, _subtracts)
    failure = check(generate(13), tmp_path)
    assert failure is not None and failure.kind == "emulator wrong"
    assert "TTL1590" in failure.text and "block pushed into" in failure.text


def test_the_python_core_says_the_same(tmp_path: Path) -> None:
    page = parse((Path(ttl.diag.__file__).parent / "codes" / "TTL1590.md").read_text())
    (tmp_path / "program.py").write_text(page.correct[0])
    command = ["run", "--target", "emu", "--compare", "program.py"]
    here = run_ttl(command, folder=tmp_path)
    there = subprocess.run(
        [sys.executable, "-m", "ttl", *command], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "TTL_CORE": "python", "TTL_CACHE_DIR": "off"},
    )  # fmt: skip
    assert (there.returncode, there.stderr) == (1, here.stderr)
    assert "the 1st block pushed into y_dfb on node (0, 0)" in here.stderr


def test_a_difference_names_the_bits_that_products_of_float32_lose(tmp_path: Path) -> None:
    a = np.random.default_rng(0).uniform(30, 60, (32, 32)).astype(np.float32)
    with settings.override(compare=True), pytest.raises(TTLError) as raised:
        run_expression(
            "y.store(ttl.math.exp(a) + a @ a)", {"a": a}, {"y": (32, 32)}, tmp_path, dtypes={"a": "float32", "y": "float32"}
        )  # fmt: skip
    (finding,) = raised.value.diagnostics
    assert finding.code == "TTL1590"
    assert "a product of matrices reads a_dfb, of which the chip keeps 11 of 24 bits" in " ".join(
        finding.notes
    )
