"""Specification, "Block states", as programs: every step of the table is tried on a block in every state.

The simulator and ``ttl.protocol`` are compared with the same transcription of the table
(``support.block_states``), so they agree.
"""

from __future__ import annotations

from typing import Any

import pytest

import ttl
from support.block_states import LEGAL, STATES, Role, code_of, path_to, reachable
from support.failing import fails
from support.tensors import blank, numbered_tiles, tiled


class Reached(Exception):
    """Ends the operation right after the step under test."""


def attempt(role: Role, steps: list[str]) -> str:
    """Take ``steps`` on a freshly acquired block; the state (of the table) it is in afterwards."""
    acquired, kernel = role
    compute = kernel == "compute"
    state = ""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        decorate = ttl.compute() if compute else ttl.datamovement()

        @ttl.datamovement()
        def other() -> None:
            if acquired == "wait":
                with dfb.reserve() as blk:
                    xf = ttl.copy(a[0, 0], blk)
                    xf.wait()

        @decorate
        def tested() -> None:
            nonlocal state
            blk = dfb.reserve() if acquired == "reserve" else dfb.wait()
            into: list[ttl.Transfer] = []
            out_of: list[ttl.Transfer] = []
            for step in steps:
                match step:
                    case "copy in":
                        into.append(ttl.copy(blk if compute else a[0, 0], blk))
                    case "copy out":
                        out_of.append(ttl.copy(blk, blk if compute else out[0, 0]))
                    case "copy in done":
                        into.pop().wait()
                    case "copy out done":
                        out_of.pop().wait()
                    case "read":
                        blk + 1
                    case "store":
                        blk.store(ttl.block.fill(1, shape=(1, 1)) if compute else blk)
                    case "push":
                        blk.push()
                    case "pop":
                        blk.pop()
            state = STATES[blk.state]  # type: ignore[attr-defined]
            raise Reached

    with pytest.raises(Reached):
        op(tiled(numbered_tiles(1, 1)), blank((32, 32)))
    return state


def name(case: tuple[Role, str, str]) -> str:
    (acquired, kernel), state, step = case
    return f"{acquired} in {kernel}, {state}, {step}"


LEGAL_CASES = [case for case in reachable() if case in LEGAL]
# A pop of a block that was not looked at is judged when the launch has ended: tests/language/test_popped_unread.py.
ILLEGAL_CASES = [case for case in reachable() if case not in LEGAL and case[1:] != ("UR", "pop")]


@pytest.mark.parametrize("case", LEGAL_CASES, ids=name)
def test_a_legal_step_runs_and_leads_to_the_next_state(case: tuple[Role, str, str]) -> None:
    role, state, step = case
    way = path_to(role, state)
    assert way is not None
    assert attempt(role, way) == state
    assert attempt(role, [*way, step]) == LEGAL[case]


@pytest.mark.parametrize("case", ILLEGAL_CASES, ids=name)
def test_every_other_step_is_an_error(case: tuple[Role, str, str]) -> None:
    role, state, step = case
    way = path_to(role, state)
    assert way is not None
    with fails(code_of(role, state, step)):
        attempt(role, [*way, step])


@pytest.mark.parametrize("role", [("wait", "data movement"), ("reserve", "data movement")], ids=" ".join)
def test_several_copies_read_a_block_at_once(role: Role) -> None:
    """ROR(n): the block is readable by further copies, and free again after the last of them."""
    way = [*(path_to(role, "MR") or []), "copy out", "copy out", "copy out"]
    assert attempt(role, [*way, "copy out done"]) == "ROR"
    assert attempt(role, [*way, "copy out done", "copy out done"]) == "ROR"
    assert attempt(role, [*way, *["copy out done"] * 3]) == "RW"
    with fails("TTL0306"):
        attempt(role, [*way, "copy out done", "copy out done", "copy in"])


def test_the_table_is_large_enough_to_mean_something() -> None:
    assert len(LEGAL_CASES) == len(LEGAL)
    assert len(ILLEGAL_CASES) > 60
