"""Specification, "Block states": the state machine is the table, and every other step has its diagnostic."""

from __future__ import annotations

from itertools import product

import pytest

from support.block_states import (
    ELEMENT_STEPS,
    LEGAL,
    LEGAL_OF_ELEMENTS,
    ROLES,
    START,
    STATES,
    STEPS,
    Role,
    code_of,
    path_to,
)
from ttl.protocol import blocks
from ttl.protocol.blocks import ILLEGAL, State, Step

# Of a block whose tiles are in different states nothing is in the table.
STATE = dict(zip(STATES, [state for state in State if state is not State.IN_PARTS], strict=True))
STEP = dict(zip((*STEPS, *ELEMENT_STEPS), Step, strict=True))


def role_of(role: Role) -> blocks.Role:
    return blocks.role_of(*role)  # type: ignore[arg-type]


def test_roles_are_the_four_ways_to_acquire_a_block() -> None:
    assert {role_of(role) for role in ROLES} == set(blocks.Role)


@pytest.mark.parametrize("role", ROLES, ids=" ".join)
def test_the_acquisition_decides_the_first_state(role: Role) -> None:
    assert blocks.initial_state(role_of(role)) is STATE[START[role]]


@pytest.mark.parametrize("role", ROLES, ids=" ".join)
def test_transitions_are_those_of_the_table_and_no_others(role: Role) -> None:
    found = {
        (state, step): blocks.next_state(role_of(role), STATE[state], STEP[step])
        for state, step in product(STATES, STEP)
    }
    legal = {**LEGAL, **LEGAL_OF_ELEMENTS}
    expected = {
        (state, step): None if (role, state, step) not in legal else STATE[legal[role, state, step]]
        for state, step in product(STATES, STEP)
    }
    assert found == expected


@pytest.mark.parametrize("role", ROLES, ids=" ".join)
def test_the_flat_table_says_the_same(role: Role) -> None:
    flat = blocks.flat_table(role_of(role))
    for state, step in product(State, Step):
        after = blocks.next_state(role_of(role), state, step)
        assert blocks.step_from(flat, state, step) == (ILLEGAL if after is None else after)
        assert step >= blocks.STEPS or flat[state * blocks.STEPS + step] == (
            ILLEGAL if after is None else after
        )


@pytest.mark.parametrize("role", ROLES, ids=" ".join)
def test_every_state_of_a_role_leads_to_its_release(role: Role) -> None:
    """A block that is used legally can always be released: no state is a trap."""
    for state in STATES:
        if path_to(role, state) is None:
            continue
        seen, frontier = {state}, [state]
        while frontier:
            here = frontier.pop()
            for step in STEPS:
                after = LEGAL.get((role, here, step))
                if after is not None and after not in seen:
                    seen.add(after)
                    frontier.append(after)
        assert "OS" in seen, f"{role} is stuck in {state}"


ILLEGAL_STEPS = [
    (role, state, step)
    for role, state, step in product(ROLES, STATES, STEPS)
    if (role, state, step) not in LEGAL
    and path_to(role, state) is not None
    and not step.endswith("done")
    and not code_of(role, state, step).startswith(("TTL05", "TTL0312", "TTL0313"))
]


@pytest.mark.parametrize(("role", "state", "step"), ILLEGAL_STEPS)
def test_an_illegal_step_is_explained(role: Role, state: str, step: str) -> None:
    finding = blocks.explain(role_of(role), STATE[state], STEP[step], "a_dfb")
    assert finding.code == code_of(role, state, step)
    assert "a_dfb" in finding.message
    assert finding.help
    told = " ".join((finding.message, *finding.notes, *finding.help))
    assert not any(name in told.split() for name in STATES), "the text speaks of our states"


def test_each_kind_of_mistake_has_a_code_of_its_own() -> None:
    """Equal codes have equal advice, up to the verb: one code is one kind of mistake."""
    by_message: dict[str, set[str]] = {}
    for role, state, step in ILLEGAL_STEPS:
        finding = blocks.explain(role_of(role), STATE[state], STEP[step], "a_dfb")
        by_message.setdefault(finding.message, set()).add(finding.code)
    assert all(len(codes) == 1 for codes in by_message.values())
