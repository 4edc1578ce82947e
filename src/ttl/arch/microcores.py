"""The microcores of a node: two that move data, each with a network on chip, and three that compute together.

Programs name them by role. A data movement kernel runs on one; the compute kernel is compiled three times, for the one that
unpacks, the one that computes and the one that packs.
"""

from __future__ import annotations

from typing import Literal, get_args

Role = Literal["NOC0", "NOC1", "UNPACK", "MATH", "PACK"]
ROLES: tuple[Role, ...] = get_args(Role)
MOVEMENT: tuple[Role, ...] = ROLES[:2]
COMPUTE: tuple[Role, ...] = ROLES[2:]


def role_of(processor: str, noc: int | None) -> Role:
    """The role of a processor (``brisc``, ``ncrisc``, ``unpack``, ``math``, ``pack``).

    A processor that moves data has the role of its NoC.
    """
    return (
        MOVEMENT[noc or 0]
        if processor in ("brisc", "ncrisc")
        else COMPUTE[("unpack", "math", "pack").index(processor)]
    )
