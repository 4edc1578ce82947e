"""Errors of tile programs that cannot be designed (TTL1806 and following)."""

from __future__ import annotations

from ttl.diag import Diagnostic, error
from ttl.diag.remedies import Argument, Callee

_TEMPORAL = Callee(description="let a node have all iterations", function="ttl.temporal")
_EXPLICIT = "write this operation explicitly, with @ttl.operation: kernels decide by numbers of the node"


def decided_by_loop() -> Diagnostic:
    """The error for a condition of Python that depends on a loop over blocks (TTL1806)."""
    return error(
        "TTL1806",
        "this condition depends on the position in a loop over blocks, whose iterations must all be the same",
        help=(
            "move the different part out of the loop, or turn the condition into data, such as a tensor of masks",
            _EXPLICIT,
        ),
    )


def loop_not_followed() -> Diagnostic:
    """The error for a loop over blocks that is not a ``for`` statement (TTL1807)."""
    return error(
        "TTL1807",
        "a loop over blocks must be a for statement, not an argument or a comprehension",
        help="write for m in ttl.temporal(x.rows):",
    )


def no_target() -> Diagnostic:
    """The error for a loop over blocks whose target is not a name (TTL1807)."""
    return error(
        "TTL1807", "a loop over blocks must have one variable", help="write for m in ttl.temporal(x.rows):"
    )


def left_early() -> Diagnostic:
    """The error for a loop over blocks with ``break``, ``continue``, ``return`` or ``else`` (TTL1807)."""
    return error(
        "TTL1807",
        "a loop over blocks has break, continue, return or else, but all of its iterations must be the same",
        help=("let every iteration run to its end", _EXPLICIT),
    )


def carried_shape(name: str, first: tuple[int, ...], then: tuple[int, ...]) -> Diagnostic:
    """The error for a variable whose shape differs after an iteration (TTL1808)."""
    return error(
        "TTL1808",
        f"{name} has {first} elements when an iteration of this loop begins, and {then} when it ends",
        help="start with a value of the final shape; a number takes the shape of the values that it is combined with",
    )


def not_divided(axis: str, units: int, step: int) -> Diagnostic:
    """The error for a step that does not divide the number of tiles (TTL1809)."""
    near = [number for number in range(1, units + 1) if units % number == 0]
    near = sorted(sorted(near, key=lambda number: abs(number - step))[:3])
    return error(
        "TTL1809",
        f"{axis} has {units} tiles, which is not a multiple of {step}",
        help=f"write a step of {' or '.join(map(str, near))}, or leave it out: the designer chooses one that fits",
    ).remedied_by(Argument(description=f"write {near[0]}", name="step", value=str(near[0]), position=1))


def not_in_tile_programs(label: str) -> Diagnostic:
    """The error for a function of blocks that does not exist in tile programs (TTL1810)."""
    return error(
        "TTL1810",
        f"{label} is about the shape of blocks, which a tile program does not have",
        help="extents of 1 are broadcast automatically; .T transposes; a number counts as a block of that number",
    )


def captured_tensor(name: str) -> Diagnostic:
    """The error for a tensor that is not a parameter of the tile program (TTL1811)."""
    return error(
        "TTL1811",
        f"{name} is a tensor from outside of the tile program",
        help=f"make it a parameter: def program(..., {name}):",
    )


def stores_nothing(name: str) -> Diagnostic:
    """The error for a tile program without a store (TTL1812)."""
    return error(
        "TTL1812",
        f"tile program {name} stores nothing",
        help="end with ttl.store(y[m], value): results are tensors",
    )


def carried_over_nodes(loop: str, names: list[str]) -> Diagnostic:
    """The error for a spatial loop that carries values (TTL1812)."""
    return error(
        "TTL1812",
        f"the spatial loop over {loop} carries {', '.join(names)} from one iteration to the next, and its iterations are on different nodes",
        help="write ttl.temporal, so that a node has all iterations; or begin with a fresh value in each iteration",
    ).remedied_by(_TEMPORAL)


def spatial_inside(loop: str) -> Diagnostic:
    """The error for a spatial loop in a temporal loop (TTL1812)."""
    return error(
        "TTL1812",
        f"the spatial loop over {loop} is inside a loop that every node runs",
        help="put it around that loop, or write ttl.temporal",
    ).remedied_by(_TEMPORAL)


def read_and_written(tensor: str) -> Diagnostic:
    """The error for a tensor that is loaded and stored with different indices (TTL1812)."""
    return error(
        "TTL1812",
        f"{tensor} is loaded and stored with different indices, so nodes would have to wait for each other",
        help="store to another tensor, and call a second tile program with it",
    )


def stored_by_all(tensor: str) -> Diagnostic:
    """The error for a store that every node would execute (TTL1812)."""
    return error(
        "TTL1812",
        f"this store to {tensor} is outside of the spatial loops, so every node would do it",
        help="move it into the loop, or write ttl.temporal if one node should do everything",
    )


def stored_by_several(tensor: str, loop: str) -> Diagnostic:
    """The error for a store to the same part of a tensor in several iterations of a spatial loop (TTL1812)."""
    return error(
        "TTL1812",
        f"iterations of the spatial loop over {loop} store to the same part of {tensor}, and they are on different nodes",
        help="index the tensor with the variable of that loop, or write ttl.temporal",
    )


def does_not_fit(nbytes: int, budget: int, largest: list[tuple[str, int]]) -> Diagnostic:
    """The error for a tile program whose smallest blocks do not fit in L1 (TTL1813)."""
    return error(
        "TTL1813",
        f"the smallest blocks of this tile program take {nbytes:,} bytes of L1, and a node has {budget:,}",
        notes=(f"largest: {', '.join(f'{name} {size:,}' for name, size in largest)}",),
        help="loop over the dimension that is taken whole, for k in ttl.temporal(x.columns), and carry the values that change",
    )


def too_many_buffers(needed: int, most: int) -> Diagnostic:
    """The error for a tile program with more loads and stores than a node has buffers (TTL1813)."""
    return error(
        "TTL1813",
        f"this tile program takes {needed} dataflow buffers, one for each load and store and some for the compiler, but a node has {most}",
        help="load in a loop over blocks instead of in so many places, or divide the program in two",
    )


def without_source(name: str) -> Diagnostic:
    """The error for a tile program whose source cannot be found (TTL1811)."""
    return error(
        "TTL1811",
        f"the source of tile program {name} cannot be found",
        help="write it in a file, not in exec or a prompt",
    )


def shape_not_known(tensor: str) -> Diagnostic:
    """The error for a tensor whose extents are not known (TTL1811)."""
    return error(
        "TTL1811",
        f"the extents of {tensor} have to be known to design an operation",
        help="declare a call with @ttl.example",
    )


def not_tiled(tensor: str) -> Diagnostic:
    """The error for a tensor that is not in tiles (TTL1811)."""
    return error(
        "TTL1811",
        f"{tensor} is not in tiles, and a tile program loads and stores tiles",
        help="give it layout=ttnn.TILE_LAYOUT and at least two dimensions",
    )


def no_choice(why: str) -> Diagnostic:
    """The error for a choice that a tile program does not have (TTL1814)."""
    return error("TTL1814", why, help="ttl design shows the loops of a tile program and what was chosen")


def changed_by_iterations(name: str) -> Diagnostic:
    """The error for a Python object that iterations of a loop both change and read (TTL1808)."""
    return error(
        "TTL1808",
        f"{name} is read here, and iterations of a loop over blocks change it to something other than a value computed from loads",
        notes=(
            "all iterations of a loop over blocks are read as one: only values, and numbers that become values, can be carried from one iteration to the next",
        ),
        help=(
            "compute it from the variable of the loop",
            "or loop over a range: for k in range(4) is written out",
        ),
    )


def changed_elsewhere(name: str) -> Diagnostic:
    """The error for a carried variable that a function changes by ``nonlocal`` (TTL1808)."""
    return error(
        "TTL1808",
        f"iterations of this loop change {name} by nonlocal, but a carried value must be assigned in the loop itself",
        help=f"return the new {name}, and assign it in the loop",
    )  # fmt: skip


def carries_blocks(name: str, axis: str) -> Diagnostic:
    """The error for a carried variable that has the extent of a loop's block (TTL1808)."""
    return error(
        "TTL1808",
        f"{name} goes from one iteration to the next with the extent of a block of {axis}, and iterations may have blocks of different extents",
        help=f"reduce along that dimension before you add: {name} += value.sum(axis), or carry values of other dimensions only",
    )


def mean_of_blocks() -> Diagnostic:
    """The error for a mean along blocks of a loop, whose extents differ (TTL1815)."""
    return error(
        "TTL1815",
        "a mean along blocks of a loop: blocks have different extents, depending on the designer's choice and the end of the tensor",
        help="add up sums over the loop, and divide by the whole extent: total / x.shape[-1]",
    )


def loaded_after_store(tensor: str) -> Diagnostic:
    """The error for a load of a tensor that was stored to before (TTL1812)."""
    return error(
        "TTL1812",
        f"{tensor} is loaded after it is stored to, and loads run ahead of stores",
        help=(
            "use the value that was stored, instead of a load of it",
            "or write two tile programs, and call the second one with what the first one stored",
        ),
    )


def loaded_in_other_iterations(tensor: str, loop: str) -> Diagnostic:
    """The error for a part of a tensor that different iterations of a loop load and store (TTL1812)."""
    return error(
        "TTL1812",
        f"iterations of the loop over {loop} load a part of {tensor} that other iterations store to, and loads run ahead of stores",
        help="carry a value from one iteration to the next, and store it behind the loop",
    )


def stored_by_nodes(tensor: str) -> Diagnostic:
    """The error for stores of different nodes to the same part of a tensor (TTL1812)."""
    return error(
        "TTL1812",
        f"different nodes store to the same part of {tensor}, and it is not known which store is the last",
        help="let iterations of spatial loops have parts of their own, or write ttl.temporal if one node should do it all",
    )


def printed() -> Diagnostic:
    """The error for ``print`` in a tile program, which is read and not run iteration by iteration (TTL1810)."""
    return error(
        "TTL1810",
        "print in a tile program has no effect: the program is read, not run; only the designed operation runs",
        help="run the function over arrays, where print shows numbers: program.reference(...)",
    )
