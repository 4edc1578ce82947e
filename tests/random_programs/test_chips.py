"""Random graphs between chips, and programs over them: executions agree, and the check neither misses a hang nor invents one."""

from __future__ import annotations

import re
import warnings
from itertools import islice
from typing import Any

import numpy as np
import pytest
import ttnn

from support.meshes import called, checked
from support.random_programs.chips import ChipProgram
from support.shares import share
from ttl import settings
from ttl.diag import Diagnostic, Severity, TTLError
from ttl.emu.runtime import runtime

EXECUTIONS: dict[str, dict[str, Any]] = {
    "simulator": {},
    "simulator, another order": {"schedule_seed": 3, "executor": "numpy"},
}
"""How a program is run. The first one is compared with the check, the others with it."""
COUNT = 50


def run(program: ChipProgram, text: str, **chosen: Any) -> tuple[Diagnostic | None, Any]:
    """What a program stops with, or what is in ``y`` on every chip when it has ended."""
    with called(text, program.mesh) as (operation, (a, y)), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mesh = a.device()
        numbers = np.repeat(np.arange(1, len(program.chips) + 1, dtype=np.float32), 32 * 32).reshape(-1, 32)
        shards = ttnn.ShardTensorToMesh(mesh, dim=0)
        a = ttnn.from_numpy(numbers, ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=shards)
        with settings.override(check="off", **chosen):
            try:
                operation(a, y)
            except TTLError as raised:
                return raised.diagnostic, None
        return None, ttnn.to_numpy(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))[::32, ::32]


def stops(found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings that say that a program does not end well."""
    return [
        each
        for each in found
        if each.severity is Severity.ERROR or each.code.startswith(("TTL091", "TTL092"))
    ]


def require_said(text: str, mesh: tuple[int, int], raised: Diagnostic | None) -> None:
    """The check says of a program what its run says."""
    found, not_checked = checked(text, mesh)
    assert not not_checked
    said = [(item.code, item.message) for item in stops(found)]
    assert (said == []) if raised is None else ((raised.code, raised.message) in said), text


@pytest.mark.parametrize("seed", share(range(20 * COUNT), COUNT))
def test_a_random_program_over_chips(seed: int) -> None:
    """Every execution ends alike, with the same data on every chip; the check says of each what its run says."""
    program = ChipProgram(seed)
    text = program.text()
    (first, *others) = EXECUTIONS.values()
    raised, data = run(program, text, **first)
    require_said(text, program.mesh, raised)
    for chosen in others:
        again, other_data = run(program, text, **chosen)
        assert (again is None) is (raised is None), text
        if raised is None:
            assert np.array_equal(data, other_data), text


def _over_graphs(count: int) -> list[int]:
    """Seeds of programs that can be written over a device domain."""
    programs = ((seed, ChipProgram(seed)) for seed in range(4 * count))
    seeds = (seed for seed, program in programs if program.over_graphs(program.text()) is not None)
    return list(islice(seeds, count))


@pytest.mark.parametrize("seed", share(_over_graphs(6 * COUNT), COUNT // 2))
def test_a_device_domain_says_the_same_as_a_grid_over_chips(seed: int) -> None:
    """Two spellings of one program: they end alike, with the same data, and the check says the same of both."""
    program = ChipProgram(seed)
    text = program.text()
    other = program.over_graphs(text)
    assert other is not None
    raised, data = run(program, text)
    again, other_data = run(program, other)
    # Of several causes of one stand-still another one may be named: nets are made at another place.
    assert (again is None) is (raised is None), other
    assert raised is not None or np.array_equal(data, other_data), other
    require_said(other, program.mesh, again)


def require_equal_on_chips(program: ChipProgram, text: str) -> None:
    raised, data = run(program, text)
    again, other_data = run(program, text, target="emu")
    if raised is not None and again is None:
        # Where messages land in blocks, there may be room for more of them than for the one of a landing buffer: decision record 43.
        nets = sorted(set(re.findall(r"\b(net\d+)\.if_", text)))
        landing = " ".join(f"protocol.{net}=across" for net in nets)
        again, _ = run(program, text, target="emu", compile_option=landing)
        assert again is not None and again.code.startswith("TTL09"), text
    assert (again is None) is (raised is None), (again, text)
    assert raised is not None or np.array_equal(data, other_data), text


@pytest.mark.parametrize("seed", share(range(COUNT), 8))
def test_emulated_chips_give_what_the_simulator_gives(seed: int) -> None:
    """Compiled to C++ and run on emulated chips with links between them, a program leaves the same data on every chip, or stops, too."""
    program = ChipProgram(seed)
    require_equal_on_chips(program, program.text())


@pytest.mark.parametrize("seed", share(_over_graphs(COUNT), 4))
def test_emulated_chips_give_what_the_simulator_gives_over_graphs(seed: int) -> None:
    """The same of programs over a device domain."""
    program = ChipProgram(seed)
    text = program.over_graphs(program.text())
    assert text is not None
    require_equal_on_chips(program, text)


def test_memory_that_nobody_uses_makes_room_for_the_counters_of_chips(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A mesh that was used before may hold the addresses that the first counter of the next needs."""
    program, real, failed = ChipProgram(5), runtime().l1, []

    def first_fails(handle: object, core: int) -> int:
        if not failed:
            failed.append(core)
            raise MemoryError
        return real(handle, core)

    text = program.over_graphs(program.text())
    monkeypatch.setattr(runtime(), "l1", first_fails)
    raised, _ = run(program, text, target="emu")
    assert raised is None and len(failed) == 1


def test_programs_end_and_stop_for_several_causes() -> None:
    """What the first programs are: a generator of programs that all end, or all stop alike, would prove little."""
    codes = []
    for seed in range(30):
        program = ChipProgram(seed)
        codes.append(next((item.code for item in stops(checked(program.text(), program.mesh)[0])), ""))
    assert 8 <= codes.count("") <= 22
    assert len(set(codes)) > 2, codes
