"""The transition table of the specification ("Block states"), transcribed row by row.

It is written here a second time on purpose: ``ttl.protocol.blocks`` and the simulator are both compared with it.
States are named as in the specification; ``ROR`` stands for ROR(n), and ``UR`` for the MR of a block of wait() that
nothing was written to: it takes the same steps as MR, and a pop of it is judged when the launch ends.
"""

from __future__ import annotations

from itertools import product

ROLES = (*product(("reserve", "wait"), ("data movement", "compute")),)
STATES = ("MW", "MR", "RW", "ROR", "NAW", "OS", "UR")
STEPS = ("copy in", "copy out", "copy in done", "copy out done", "read", "store", "push", "pop")
# Single elements (0.18): of any block of a data movement kernel.
ELEMENT_STEPS = ("element read", "element written")

Role = tuple[str, str]

START = {role: "MW" if role[0] == "reserve" else "UR" for role in ROLES}

# (acquired, kernel): [(step, states it is legal in, state after it)]
_ROWS: dict[Role, list[tuple[str, str, str]]] = {
    ("wait", "data movement"): [
        ("copy out", "UR MR RW ROR", "ROR"),
        ("copy in", "RW", "NAW"),
        ("copy out done", "ROR", "RW"),  # ROR(1); ROR(n) becomes ROR(n-1)
        ("copy in done", "NAW", "MR"),
        ("pop", "RW", "OS"),
    ],
    ("reserve", "data movement"): [
        ("copy in", "MW RW", "NAW"),
        ("copy out", "MR RW ROR", "ROR"),
        ("copy in done", "NAW", "MR"),
        ("copy out done", "ROR", "RW"),
        ("push", "MR RW", "OS"),
    ],
    ("wait", "compute"): [
        ("read", "UR MR RW", "RW"),
        ("store", "RW", "MR"),
        ("pop", "RW", "OS"),
    ],
    ("reserve", "compute"): [
        ("store", "MW RW", "MR"),
        ("read", "MR RW", "RW"),
        ("push", "MR RW", "OS"),
    ],
}

LEGAL: dict[tuple[Role, str, str], str] = {
    (role, state, step): after
    for role, rows in _ROWS.items()
    for step, states, after in rows
    for state in states.split()
}

LEGAL_OF_ELEMENTS: dict[tuple[Role, str, str], str] = {
    (role, state, step): "RW"
    for role in ROLES
    if role[1] == "data movement"
    for step, states in zip(ELEMENT_STEPS, ("UR MR RW", "MW RW"), strict=True)
    for state in states.split()
}


def path_to(role: Role, goal: str) -> list[str] | None:
    """Fewest legal steps from the acquisition to a state; None where the role never gets there."""
    paths: dict[str, list[str]] = {START[role]: []}
    frontier = [START[role]]
    while frontier:
        state = frontier.pop(0)
        for step in STEPS:
            after = LEGAL.get((role, state, step))
            if after is not None and after not in paths:
                paths[after] = [*paths[state], step]
                frontier.append(after)
    return paths.get(goal)


def code_of(role: Role, state: str, step: str) -> str:
    """The code of an illegal step: one formula for all of them."""
    acquired, kernel = role
    if kernel == "compute" and step.startswith("copy"):
        return "TTL0501"
    if kernel == "data movement" and step in ("read", "store"):
        return {"read": "TTL0312", "store": "TTL0313"}[step]
    release = step in ("push", "pop")
    if state == "OS":
        return "TTL0311" if release else "TTL0307"
    if release and (acquired, step) in (("wait", "push"), ("reserve", "pop")):
        return {"push": "TTL0308", "pop": "TTL0309"}[step]
    match state:
        case "MW":
            return "TTL0302" if release else "TTL0301"
        case "NAW":
            return "TTL0310" if release else "TTL0305"
        case "ROR":
            return "TTL0310" if release else "TTL0306"
        case _:
            return "TTL0303" if step == "pop" else "TTL0304"


def reachable() -> list[tuple[Role, str, str]]:
    """Every (role, state, step) a program can try: a copy can only end where one was started."""
    done = {"copy in done": "NAW", "copy out done": "ROR"}
    return [
        (role, state, step)
        for role, state, step in product(ROLES, STATES, STEPS)
        if path_to(role, state) is not None and done.get(step, state) == state
    ]
