"""What of a tile program cannot be designed, in words (TTL1806 and following)."""

from __future__ import annotations

from typing import Any

from ttl.diag import Diagnostic, error
from ttl.rules.words import describe

_EXPLICIT = "write this operation explicitly, with @ttl.operation: kernels decide by numbers of the node"


def decided_by_loop() -> Diagnostic:
    """A decision of Python that depends on a loop over blocks (TTL1806)."""
    return error(
        "TTL1806",
        "this decides by where a loop over blocks is, and all of its turns are the same",
        help=("move what differs out of the loop, or make it data: a tensor of masks", _EXPLICIT),
    )


def no_position(value: Any) -> Diagnostic:
    """Where a block starts, computed with something that is no integer (TTL1803)."""
    return error(
        "TTL1803",
        f"where a block starts is computed with integers, not with {describe(value)}",
        help="add, subtract and multiply integers; // and % take positive ones",
    )


def loop_not_followed() -> Diagnostic:
    """A loop over blocks that is no ``for`` statement (TTL1807)."""
    return error(
        "TTL1807",
        "a loop over blocks is a for statement, not an argument or a comprehension",
        help="write for m in ttl.temporal(x.rows):",
    )


def no_target() -> Diagnostic:
    """The target of a loop over blocks is no name (TTL1807)."""
    return error(
        "TTL1807", "a loop over blocks has one variable", help="write for m in ttl.temporal(x.rows):"
    )


def left_early() -> Diagnostic:
    """A loop over blocks that is left early (TTL1807)."""
    return error(
        "TTL1807",
        "a loop over blocks has break, continue, return or else, and all of its turns are the same",
        help=("let every turn run to its end", _EXPLICIT),
    )


def carried_shape(name: str, first: tuple[int, ...], then: tuple[int, ...]) -> Diagnostic:
    """A variable that has another shape after a turn (TTL1808)."""
    return error(
        "TTL1808",
        f"{name} has {first} elements when a turn of this loop begins, and {then} when it ends",
        help="begin with a value of the shape that it keeps; a number takes the shape of what is computed with it",
    )


def carried_other(name: str) -> Diagnostic:
    """A variable that is no value any more after a turn (TTL1808)."""
    return error(
        "TTL1808", f"{name} is a value when a turn of this loop begins, and something else when it ends",
        help="use another name for what it becomes",
    )  # fmt: skip


def counts_in_loop(name: str) -> Diagnostic:
    """A number of Python's that turns of a loop change (TTL1808)."""
    return error(
        "TTL1808",
        f"{name} is a number of Python's, and turns of this loop over blocks change it",
        help="compute it from the block of the turn: m.start is where it begins",
    )


def not_divided(axis: str, units: int, step: int) -> Diagnostic:
    """A step that leaves a rest (TTL1809)."""
    near = [number for number in range(1, units + 1) if units % number == 0]
    near = sorted(sorted(near, key=lambda number: abs(number - step))[:3])
    return error(
        "TTL1809",
        f"{axis} has {units} tiles, which are no whole blocks of {step}",
        help=f"write a step of {' or '.join(map(str, near))}, or leave it out: the designer chooses one that fits",
    )


def no_product(first: tuple[int, ...], second: tuple[int, ...]) -> Diagnostic:
    """Factors that do not fit (TTL1804)."""
    return error(
        "TTL1804",
        f"a product of values with {first} and {second} elements",
        help="the last extent of the left factor is the one before the last of the right one; .T transposes",
    )


def not_in_tile_programs(label: str) -> Diagnostic:
    """A function of blocks that tile programs do not have (TTL1810)."""
    return error(
        "TTL1810",
        f"{label} is about the shape of blocks, which a tile program does not have",
        help="extents of 1 are repeated by themselves; .T transposes; a number stands for a block of it",
    )


def captured_tensor(name: str) -> Diagnostic:
    """A tensor that is no parameter (TTL1811)."""
    return error(
        "TTL1811",
        f"{name} is a tensor from outside of the tile program",
        help=f"make it a parameter: def program(..., {name}):",
    )


def stores_nothing(name: str) -> Diagnostic:
    """A program without a store (TTL1812)."""
    return error(
        "TTL1812",
        f"tile program {name} stores nothing",
        help="end with ttl.store(y[m], value): results are tensors",
    )


def carried_over_nodes(loop: str, names: list[str]) -> Diagnostic:
    """A spatial loop that carries values (TTL1812)."""
    return error(
        "TTL1812",
        f"the spatial loop over {loop} carries {', '.join(names)} from turn to turn, and its turns are on different nodes",
        help="write ttl.temporal, so that a node has all turns; or begin with a fresh value in each turn",
    )


def spatial_inside(loop: str) -> Diagnostic:
    """A spatial loop in a temporal one (TTL1812)."""
    return error(
        "TTL1812",
        f"the spatial loop over {loop} is in a loop that every node goes through",
        help="put it around that loop, or write ttl.temporal",
    )


def read_and_written(tensor: str) -> Diagnostic:
    """A tensor that is loaded in one place and stored to in another (TTL1812)."""
    return error(
        "TTL1812",
        f"{tensor} is loaded and stored to with different indices, so that nodes would need to wait for each other",
        help="store to a tensor of its own, and call a second tile program with it",
    )


def stored_by_all(tensor: str) -> Diagnostic:
    """A store that every node would do (TTL1812)."""
    return error(
        "TTL1812",
        f"this store to {tensor} is outside of the spatial loops, so that every node would do it",
        help="move it into the loop, or write ttl.temporal where one node is to do everything",
    )


def stored_by_several(tensor: str, loop: str) -> Diagnostic:
    """A store that several turns of a spatial loop do to the same place (TTL1812)."""
    return error(
        "TTL1812",
        f"turns of the spatial loop over {loop} store to the same part of {tensor}, and they are on different nodes",
        help="index the tensor with the variable of that loop, or write ttl.temporal",
    )


def does_not_fit(nbytes: int, budget: int, largest: list[tuple[str, int]]) -> Diagnostic:
    """No choice of sizes fits (TTL1813)."""
    return error(
        "TTL1813",
        f"the smallest blocks of this tile program take {nbytes:,} bytes of L1, and a node has {budget:,}",
        notes=(f"largest: {', '.join(f'{name} {size:,}' for name, size in largest)}",),
        help="loop over the dimension that is taken whole, for k in ttl.temporal(x.columns), and carry what goes on",
    )


def too_many_buffers(needed: int, most: int) -> Diagnostic:
    """Too many loads and stores for the buffers of a node (TTL1813)."""
    return error(
        "TTL1813",
        f"this tile program takes {needed} dataflow buffers, one for each load and store and some of the compiler's, and a node has {most}",
        help="load in a loop over blocks what is now loaded in so many places, or divide the program in two",
    )


def without_source(name: str) -> Diagnostic:
    """A tile program of which the source cannot be found (TTL1811)."""
    return error(
        "TTL1811",
        f"the source of tile program {name} cannot be found",
        help="write it in a file, not in exec or a prompt",
    )


def shape_not_known(tensor: str) -> Diagnostic:
    """A tensor whose extents are not known (TTL1811)."""
    return error(
        "TTL1811",
        f"the extents of {tensor} have to be known to design an operation",
        help="declare a call with @ttl.example",
    )


def not_tiled(tensor: str) -> Diagnostic:
    """A tensor that is not in tiles (TTL1811)."""
    return error(
        "TTL1811",
        f"{tensor} is not in tiles, and a tile program loads and stores tiles",
        help="give it layout=ttnn.TILE_LAYOUT and at least two dimensions",
    )


def no_choice(why: str) -> Diagnostic:
    """A choice that a tile program does not have (TTL1814)."""
    return error("TTL1814", why, help="ttl design shows the loops of a tile program and what was chosen")
