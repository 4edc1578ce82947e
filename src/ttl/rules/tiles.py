"""Errors of tile programs (TTL18xx)."""

from __future__ import annotations

from typing import Any

from ttl.diag import Diagnostic, error
from ttl.diag.remedies import Append, Argument, Wrap
from ttl.diag.values import is_int
from ttl.rules.words import describe


def outside(what: str) -> Diagnostic:
    """The error for a part of the language of tile programs outside a tile program (TTL1800)."""
    return error(
        "TTL1800",
        f"{what} is outside of a tile program",
        help="write @ttl.tile_operation() above the function; other operations copy into dataflow buffers: ttl.copy",
    )


def no_dimension(tensor: str, dimension: Any, rank: int) -> Diagnostic:
    """The error for a dimension that a tensor does not have (TTL1801)."""
    return error(
        "TTL1801",
        f"{tensor} has {rank} dimensions, and no dimension {dimension if is_int(dimension) else describe(dimension)}",
        help=f"name one from 0 to {rank - 1}, or count from the end: -1 is the last",
    )


def no_axis(kind: str, axis: Any, *, is_tensor: bool = False) -> Diagnostic:
    """The error for a loop over a value that is not an axis (TTL1801); ``kind`` is the function, if there is one."""
    loop = f"ttl.{kind}" if kind else "a loop"
    finding = error(
        "TTL1801",
        f"{loop} goes over an axis of a tensor or a number of iterations, not over {'a tensor' if is_tensor else describe(axis)}",
        help=f"write ttl.{kind or 'temporal'}(x.rows), with another axis x.columns or x.axis(0), or with a number of iterations",
    )
    if not is_tensor:
        return finding
    rows = "loop over its rows"
    return finding.remedied_by(
        Wrap(description=rows, template="{}.rows", operand=0)
        if kind
        else Append(description=rows, text=".rows")
    )


def no_part(function: str, part: Any) -> Diagnostic:
    """Return the error for a value that is not part of a tensor (TTL1802)."""
    return error(
        "TTL1802",
        f"ttl.{function} takes part of a tensor, not {describe(part)}",
        help=f"write ttl.{function}(x[m, n]) with a tensor that the tile program is called with",
    )


def not_loaded(part: Any, operand: int | None = None) -> Diagnostic:
    """The error for a tensor, or part of one, where a value is expected (TTL1802)."""
    name = part.name if hasattr(part, "name") else part.tensor.name
    finding = error(
        "TTL1802",
        f"{name} is in memory: compute with values, which ttl.load returns",
        help=f"load it: ttl.load({name}[...])",
    )
    load = Wrap(description="load it", template="ttl.load({})", operand=operand)
    return finding if operand is None else finding.remedied_by(load)


def too_many_entries(tensor: str, entries: int, rank: int) -> Diagnostic:
    """The error for an index with more entries than dimensions (TTL1803)."""
    return error(
        "TTL1803",
        f"this index of {tensor} has {entries} entries, and {tensor} has {rank} dimensions",
        help="write one entry for each dimension, or fewer",
    )


def no_entry(tensor: str, dimension: int, entry: Any, *, tiled: bool) -> Diagnostic:
    """The error for an entry of an index that its dimension does not accept (TTL1803)."""
    takes = ":, a block of a loop, or a slice in tiles" if tiled else ":, a block of a loop, or a number"
    return error(
        "TTL1803",
        f"dimension {dimension} of {tensor} takes {takes}, not {describe(entry)}",
        help="loop over the axis, for m in ttl.temporal(x.rows), and index with its variable",
    )


def other_extent(tensor: str, dimension: int, extent: int, loop: str, other: int) -> Diagnostic:
    """The error for a loop over an axis whose extent differs from that of the indexed dimension (TTL1803)."""
    return error(
        "TTL1803",
        f"dimension {dimension} of {tensor} has {extent} elements, and the loop over {loop} goes to {other}",
        help="loop over the axis of a tensor that has the same extent",
    )


def block_as_number(axis: str) -> Diagnostic:
    """The error for arithmetic, a comparison or a lookup with the variable of a loop over blocks (TTL1803)."""
    return error(
        "TTL1803",
        f"this uses the block of a loop over {axis} as a number, but it is a range of tiles",
        notes=(
            "every iteration of the loop is designed alike: the program cannot decide by the place of a block",
        ),
        help="index with the block itself, x[m], or with a slice of its bounds in tiles: x[m.start + 1 : m.stop + 1]",
    )


def axis_as_number(axis: str) -> Diagnostic:
    """The error for arithmetic or a comparison with an axis (TTL1803)."""
    return error(
        "TTL1803",
        f"this uses the axis of {axis} as a number, but an axis is the range of a loop",
        help="its extent in elements is .extent, in tiles .units; of a tensor, x.shape[0]",
    )


_OTHERS = "blocks of different loops have different extents, depending on their steps and the ends of tensors"


def _notes(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[str, ...]:
    """Return the note on extents that are equal in this call but need not be in others."""
    return () if first != second or not first else (_OTHERS,)


def other_shape(tensor: str, part: tuple[int, ...], value: tuple[int, ...]) -> Diagnostic:
    """The error for a value whose shape differs from the part to which it is stored (TTL1804)."""
    differ = [
        f"dimension {at} has {have} and {want}"
        for at, (want, have) in enumerate(zip(part, value, strict=False))
        if want != have
    ]
    return error(
        "TTL1804",
        f"a value of {value} elements is stored to part of {tensor} with {part}",
        notes=_notes(part, value)
        or ((f"{' and '.join(differ)} elements",) if len(part) == len(value) else ()),
        help=(
            "index the tensor with the loops that the value depends on, in the order of its dimensions",
            f"or give {tensor} the extents of the computed value",
        ),
    )


def no_value(what: str, value: Any) -> Diagnostic:
    """Return the error for an object that is not a value of a tile program (TTL1804)."""
    return error(
        "TTL1804",
        f"{what} is {describe(value)}, which is not a value of a tile program",
        help="store a number, or a value computed from loads",
    )


def no_shapes(label: str, first: tuple[int, ...], second: tuple[int, ...]) -> Diagnostic:
    """The error for operands whose extents are neither equal nor 1 (TTL1804)."""
    return error(
        "TTL1804",
        f"{label} of values with {first} and {second} elements",
        notes=_notes(first, second),
        help="extents must be equal, or one of them must be 1",
    )


def no_choices(values: Any) -> Diagnostic:
    """The error for ``ttl.tunable`` with values that are not sizes (TTL1805)."""
    return error(
        "TTL1805",
        f"ttl.tunable in a tile program chooses from positive integers, not from {describe(values)}",
        help="write ttl.tunable(1, 2, 4)",
    )


def no_share(share: Any) -> Diagnostic:
    """The error for a value that is not a share of memory (TTL1805)."""
    return error(
        "TTL1805",
        f"ttl.fraction takes a share of a node's memory, not {describe(share)}",
        help="write a number above 0 and at most 1: ttl.fraction(0.5)",
    ).remedied_by(Argument(description="write half of it", name="share", value="0.5", position=0))


def no_step(step: Any, single: str = "") -> Diagnostic:
    """The error for a value that is not a step (TTL1805)."""
    if single:
        return error(
            "TTL1805",
            f"a loop over {single} takes one element in an iteration, not {describe(step)}",
            help="leave the step out: only the last two dimensions of a tensor are in tiles",
        ).remedied_by(
            Argument(description="take one element in an iteration", name="step", value="1", position=1)
        )
    return error(
        "TTL1805",
        f"the step of a loop is a number of tiles, not {describe(step)}",
        help="write a positive integer, ttl.tunable(1, 2, 4) or ttl.fraction(0.5), or leave it out",
    ).remedied_by(Argument(description="let the designer choose it", name="step", value="None", position=1))


def no_position(value: Any) -> Diagnostic:
    """The error for the start of a block computed with a value that is not an integer (TTL1803)."""
    return error(
        "TTL1803",
        f"the start of a block must be computed with integers, not with {describe(value)}",
        help="add, subtract and multiply integers; // and % take positive ones",
    )


def no_product(first: tuple[int, ...], second: tuple[int, ...]) -> Diagnostic:
    """The error for factors of a product whose extents do not fit (TTL1804)."""
    return error(
        "TTL1804",
        f"a product of values with {first} and {second} elements",
        notes=_notes(first[-1:], second[-2:-1]) if first[:-2] == second[:-2] else (),
        help="the last extent of the left factor is the one before the last of the right one; .T transposes",
    )


def no_divisor(value: Any) -> Diagnostic:
    """The error for the start of a block divided by a value that is not a positive integer (TTL1803)."""
    return error(
        "TTL1803",
        f"the start of a block is divided by {describe(value)}",
        help="divide by a positive integer that does not depend on a loop",
    )


def depends_on_step(tensor: str, dimension: int) -> Diagnostic:
    """The error for an entry of an index whose meaning depends on the step of a loop (TTL1803)."""
    return error(
        "TTL1803",
        f"this index of dimension {dimension} of {tensor} depends on the step of the loop, which the designer chooses",
        help="index with the variable of the loop, or give the loop a step: ttl.temporal(x.rows, 2)",
    )


def place_as_number(what: str) -> Diagnostic:
    """The error for the position or size of a block used as a value (TTL1804)."""
    return error(
        "TTL1804",
        f"{what} is the position or size of a loop's block: it can be used in indices, but not as a value",
        help="load it from a tensor that has these numbers",
    )


def shown(value: object) -> str:
    """A wrong argument of a decorator, as text for messages."""
    return describe(value)


def no_nest(why: str) -> Diagnostic:
    """The error for metadata that do not describe a loop nest (TTL1816)."""
    return error(
        "TTL1816",
        why,
        help='write indexing_maps=["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"], '
        'iterator_types=["parallel", "parallel", "reduction"]',
    )


def operands_of_nest(program: str, maps: int, parameters: int) -> Diagnostic:
    """The error for a function whose number of parameters differs from the number of operands of its nest (TTL1816)."""
    return error(
        "TTL1816",
        f"indexing_maps has {maps} operands, and {program} has {parameters} parameters",
        help="give a map for each parameter, first the inputs and then the outputs",
    )
