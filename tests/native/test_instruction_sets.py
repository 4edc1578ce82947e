"""Which instruction set is used: the one that is asked for, or what was the fastest, kept for the next process."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import ttnn

import ttl
from ttl import settings
from ttl.diag import ProgramError

if importlib.util.find_spec("ttl._machine") is None:
    pytest.skip("the native core is not built: python native/build.py", allow_module_level=True)

from ttl import _machine as machine
from ttl.sim.native import instruction_sets


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = machine.isa()
    yield
    machine.set_isa(before)
    instruction_sets.fastest.cache_clear()


def of_processor(monkeypatch: pytest.MonkeyPatch, seconds: dict[str, float]) -> list[list[str]]:
    """A processor with these instruction sets, on which a product takes so long; gives what will be measured."""
    asked: list[list[str]] = []

    def measured(names: list[str]) -> dict[str, float]:
        asked.append(names)
        return {name: seconds[name] for name in names}

    there = SimpleNamespace(isas=lambda: list(seconds), SOURCES_HASH="of this test")
    monkeypatch.setattr(instruction_sets, "machine", lambda: there)
    monkeypatch.setattr(instruction_sets, "measured", measured)
    instruction_sets.fastest.cache_clear()
    return asked


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ({"plain": 1.0}, "plain"),
        ({"plain": 1.0, "avx2": 0.3}, "avx2"),
        ({"plain": 1.0, "avx2": 0.3, "avx512": 0.15, "avx512bf16": 0.07}, "avx512bf16"),
        ({"plain": 1.0, "avx2": 0.3, "avx512": 0.15, "avx512bf16": 0.26}, "avx512"),
        ({"plain": 1.0, "avx2": 0.15, "avx512": 0.15, "avx512bf16": 0.149}, "avx2"),
        # Not tried on a processor yet: only where they are asked for.
        ({"plain": 1.0, "avx2": 0.3, "avx512": 0.15, "avx512bf16": 0.26, "amx": 0.01}, "avx512"),
        ({"plain": 1.0, "neonbf16": 0.1}, "plain"),
    ],
)
def test_the_fastest_is_chosen_and_not_the_newest(
    monkeypatch: pytest.MonkeyPatch, seconds: dict[str, float], expected: str
) -> None:
    of_processor(monkeypatch, seconds)
    assert instruction_sets.fastest("off") == expected


def test_what_was_measured_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seconds = {"plain": 1.0, "avx2": 0.3, "avx512": 0.15}
    asked = of_processor(monkeypatch, seconds)
    assert instruction_sets.fastest(str(tmp_path)) == "avx512"
    (kept,) = (tmp_path / "instruction-set").iterdir()
    assert json.loads(kept.read_text(encoding="utf-8"))["instruction_set"] == "avx512"
    seconds["avx2"] = 0.01
    instruction_sets.fastest.cache_clear()
    assert instruction_sets.fastest(str(tmp_path)) == "avx512"
    assert asked == [["avx2", "avx512"]]
    for damaged in ("", "[]", '{"instruction_set": "mmx"}'):
        kept.write_text(damaged, encoding="utf-8")
        instruction_sets.fastest.cache_clear()
        assert instruction_sets.fastest(str(tmp_path)) == "avx2"


def test_every_set_of_this_processor_is_measured() -> None:
    names = machine.isas()
    before = machine.isa()
    seconds = instruction_sets.measured(names)
    assert list(seconds) == names
    assert all(0 < taken < 10 for taken in seconds.values())
    assert machine.isa() == before


def test_a_set_that_the_processor_lacks_is_refused() -> None:
    lacking = next(name for name in ("neonbf16", "avx2") if name not in machine.isas())
    with settings.override(isa=lacking) as chosen, pytest.raises(ProgramError) as caught:
        instruction_sets.instruction_set(chosen)
    finding = caught.value.diagnostic
    assert finding.code == "TTL0101"
    assert f"this processor has {', '.join(machine.isas())}" in finding.notes
    assert f"'{lacking}'" in finding.message and "'avx512'" in finding.help[0]


def test_tiles_that_the_system_refuses_are_an_error_of_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise ValueError(name)

    there = SimpleNamespace(isas=lambda: ["plain", "amx"], isa=lambda: "plain", set_isa=refuse)
    monkeypatch.setattr(instruction_sets, "machine", lambda: there)
    with settings.override(isa="amx") as chosen, pytest.raises(ProgramError) as caught:
        instruction_sets.use(chosen)
    assert caught.value.diagnostic.code == "TTL0101"
    assert "this system gives programs no tile registers" in caught.value.diagnostic.notes


@ttl.operation(grid=(1, 1))
def doubled(x: ttnn.Tensor, out: ttnn.Tensor) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
    out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1), block_count=2)

    @ttl.compute()
    def compute() -> None:
        with x_dfb.wait() as block, out_dfb.reserve() as result:
            result.store(block + block)

    @ttl.datamovement()
    def read() -> None:
        with x_dfb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write() -> None:
        with out_dfb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


@pytest.mark.parametrize("replay", ["off", "on"])
def test_a_launch_computes_with_what_is_asked_for(replay: str) -> None:
    device = ttnn.open_device(device_id=0)
    x, out = (
        ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for _ in range(2)
    )
    for isa in (*machine.isas(), "plain"):
        with settings.override(isa=isa, replay=replay):
            for _ in range(3):
                doubled(x, out)
        assert machine.isa() == isa
