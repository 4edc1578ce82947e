"""Random correct programs (specification: all of it) give what an independent NumPy program gives, in every mode.

``scripts/random_programs.py --cases N --seed S`` runs more of them, and minimises and keeps those that fail.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.child import Child
from support.random_programs.language import defects, minimise
from support.random_programs.language.emit import device_text, live
from support.random_programs.language.generate import generate
from support.random_programs.language.reference import Block, Machine, Tensor, rounded
from support.random_programs.language.run import check
from support.random_programs.language.spec import Program
from ttl import settings
from ttl.rows.table import OPS
from ttl.sim import numpy_executor

CASES = sorted((Path(__file__).parent / "cases").glob("*.txt"))


@pytest.mark.one_of(3)
@pytest.mark.parametrize("seed", range(150))
def test_a_random_program_gives_the_reference_in_every_mode(seed: int, tmp_path: Path) -> None:
    failure = check(generate(seed), tmp_path)
    assert failure is None, f"{failure.kind}\n{failure.text}\n{device_text(generate(seed))}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_what_once_failed(case: Path, tmp_path: Path) -> None:
    failure = check(minimise.read(case.read_text()), tmp_path)
    assert failure is None, f"{failure.kind}\n{failure.text}"


def test_the_programs_use_every_operation_and_every_feature() -> None:
    seen: Counter[str] = Counter()
    for seed in range(600):
        program = live(generate(seed))
        seen.update(instr.op if instr.kind == "op" else instr.kind for instr in program.body)
        seen.update(tensor.dtype for tensor in program.tensors)
        ports = (*program.inputs, *(port for inner in program.inner for port in inner.ports))
        seen.update(f"delivered {port.delivery}" for port in ports)
        seen.update(f"{'tiled' if program.tiled else 'row-major'} rank {len(program.blocks)}" for _ in "1")
        seen.update(port.style for port in (*ports, *program.outputs))
        seen.update(name for name in ("mesh", "barrier", "echo", "group_transfer") if getattr(program, name))
        seen.update("same tensor twice" for tensor in program.tensors if tensor.same_as)
        inputs = {port.tensor for port in program.inputs}
        seen.update("in place" for port in program.outputs if port.tensor in inputs)
        seen.update("through a buffer" for inner in program.inner if inner.through and not inner.turns)
        seen.update("round through a buffer" for inner in program.inner if inner.turns)
        seen.update("own number of steps" for inner in program.inner if inner.trips)
        seen.update("integer sum" for inner in program.inner if inner.integer)
        seen.update("long chain of products" for inner in program.inner if inner.count >= 8)
        outputs = {port.tensor for port in program.outputs}
        overlapping = [{tensor.name, tensor.overlaps} for tensor in program.tensors if tensor.overlaps]
        seen.update("overlap" if not pair & outputs else "written overlap" for pair in overlapping)
        seen.update("read and written in turn" for port in program.outputs if port.name == "out_turn")
        exchanged = any(port.delivery != "direct" for port in ports)
        for text in ("[me + 1]", "[x]", "[y]"):
            seen.update(
                f"ragged {text}" for _ in "1" if text in program.items and (exchanged or "me" in text)
            )
        seen.update(
            "repeated along an outer dimension"
            for instr in program.body
            if instr.op == "broadcast"
            and any(dim % len(instr.shape) < len(instr.shape) - 2 for dim in dict(instr.params)["dims"])
        )
        used = Counter(arg for instr in program.body for arg in instr.args)
        seen.update("shared" for instr in program.body if instr.kind == "loop" and used[instr.name] > 1)
    deliveries = [f"delivered {way}" for way in ("direct", "row", "column", "all", "ring", "gather")]
    ranks = [f"tiled rank {n}" for n in (2, 3, 4)] + [f"row-major rank {n}" for n in (1, 2, 3)]
    features = ["loop", "iadd", "overwrite", "through", "carry", "mesh", "barrier", "echo", "group_transfer",
                "same tensor twice", "in place", "through a buffer", "with", "explicit", "inferred",
                "round through a buffer", "own number of steps", "integer sum", "long chain of products", "overlap",
                "written overlap", "read and written in turn", "ragged [me + 1]", "ragged [x]", "ragged [y]",
                "shared", "repeated along an outer dimension"]  # fmt: skip
    wanted = [*(row.name for row in OPS), *deliveries, *ranks, *features]
    assert [name for name in wanted if not seen[name]] == []


def _reduces_padding(program: Program) -> bool:
    ragged = any(extent % 32 for tensor in program.tensors for extent in tensor.shape[-2:])
    return program.tiled and ragged and any(instr.op == "reduce_sum" for instr in program.body)


def _products(program: Program) -> bool:
    return any(inner.form.startswith("matmul") and inner.count > 1 for inner in program.inner)


def test_padding_in_a_reduce_is_found_and_minimised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_executor, "_mask_padding", lambda array, valid, neutral: array)
    with settings.override(executor="numpy"):
        program, failure = defects.found(tmp_path, _reduces_padding)
        assert failure.kind == "default wrong"
        smallest = minimise.minimised(program, failure, tmp_path)
        again = check(smallest, tmp_path)
    assert again is not None and again.kind == failure.kind
    assert any(instr.op.startswith("reduce") or instr.op == "matmul" for instr in smallest.body)
    assert len(smallest.body) <= len(program.body)
    assert minimise.read(minimise.written(smallest)) == smallest


def test_a_read_after_a_write_that_sees_old_data_is_found(tmp_path: Path, python_core: Child | None) -> None:
    """The defect is in the control plane written in Python: run where that one is in use."""
    kind = (
        defects.stale_read(str(tmp_path))
        if python_core is None
        else python_core.call("support.random_programs.language.defects:stale_read", str(tmp_path))
    )
    assert kind in ("default wrong", "schedule 1 differs")


def test_a_sum_of_products_that_loses_a_term_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = numpy_executor._find_chains

    def shorter(instructions: Any) -> Any:
        chains = original(instructions)
        for chain in chains.values():
            chain.pairs = chain.pairs[:1]
        return chains

    monkeypatch.setattr(numpy_executor, "_find_chains", shorter)
    with settings.override(executor="numpy"):
        _, failure = defects.found(tmp_path, _products)
    assert failure.kind == "default wrong"


# --- the reference by itself ----------------------------------------------------------------------------


def test_bfloat16_rounds_ties_to_even() -> None:
    values = np.array([1.0, 1.00390625, 1.01171875, -1.00390625], np.float32)
    assert rounded(values, "bfloat16").tolist() == [1.0, 1.0, 1.015625, -1.0]


def test_block_floats_share_the_exponent_of_the_largest() -> None:
    values = np.array([64.0, 0.3, 1.0, 1.6] + [0.0] * 12 + [0.3] * 16, np.float32)
    assert rounded(values, "bfloat8_b")[:4].tolist() == [64.0, 0.0, 1.0, 2.0]
    assert abs(float(rounded(values, "bfloat8_b")[20]) - 0.3) < 2**-8


def test_integers_wrap() -> None:
    assert rounded(np.array([256, -1]), "uint8").tolist() == [0, 255]
    assert rounded(np.array([2**31]), "int32").tolist() == [-(2**31)]


def test_padding_never_enters_a_reduce() -> None:
    machine = Machine()
    tensor = Tensor(np.full((33, 31), -2.0), "float32", tiled=True)
    block = machine.read(tensor, (slice(0, 2), slice(0, 1)), (2, 1))
    largest: Block = machine.apply("reduce_max", block, dims=[-1, -2])
    assert largest.shape == (1, 1)
    assert largest.values[0, 0] == -2
    assert not largest.undefined[0, 0] and largest.undefined[0, 1]
