"""Errors in calls of the library's operations (``ttl.ops``), and in the parameters with which they are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ttl.diag import Diagnostic, error
from ttl.rules.words import describe


def not_extents(operation: str, parameter: str, names: Sequence[str], value: object) -> Diagnostic:
    """The error for sizes, a grid or blocks that do not have a positive integer for each name (TTL1650)."""
    written = f"{parameter}=({', '.join(names)}{',' * (len(names) == 1)})"
    return error(
        "TTL1650",
        f"{parameter} of {operation} is {describe(value)}",
        notes=(
            f"it has {len(names)} positive integers: {', '.join(names)}"
            if len(names) > 1
            else f"it has one positive integer: {names[0]}",
        ),
        help=f"write {written} with a number for each name",
    )


def not_of_choices(operation: str, parameter: str, value: object, choices: Sequence[int]) -> Diagnostic:
    """The error for a parameter that is not one of the allowed numbers (TTL1650)."""
    written = " or ".join(f"{parameter}={choice}" for choice in choices)
    if len(choices) > 3:
        written = f"{parameter} as an integer from {choices[0]} to {choices[-1]:,}"
    return error("TTL1650", f"{parameter} of {operation} is {describe(value)}", help=f"write {written}")


COUNTS, WIDTHS = (4, 8, 16, 32, 64), (2, 4, 8, 16, 32, 64)
"""The numbers of elements that ``ttl.math.topk`` can find, and the numbers of tiles that it can search."""
_SORTED = {
    "k": f"one of {', '.join(map(str, COUNTS))}",
    "expr": f"a block expression of bfloat16 of (rows, width) tiles, width one of {', '.join(map(str, WIDTHS))}",
    "indices": "a block of uint16 of the shape of `expr`, whose elements are the numbers of their columns",
}


def not_sorted(parameter: str, given: str) -> Diagnostic:
    """The error for an argument that ``ttl.math.topk`` does not accept (TTL0433)."""
    return error(
        "TTL0433",
        f"`{parameter}` of ttl.math.topk must be {_SORTED[parameter]}, not {given}",
        help="ttl.ops.make_topk is an operation for tensors of other sizes",
    )


def not_equal(operation: str, name: str, value: int, other_name: str, other: int) -> Diagnostic:
    """The error for two numbers that have to be equal (TTL1650)."""
    return error(
        "TTL1650",
        f"{operation} has {value:,} for {name} and {other:,} for {other_name}",
        help=f"give {name} and {other_name} the same number",
    )


def not_divided(
    operation: str, what: str, extent: int, parts: int, into: str, nearest: Sequence[int], choice: str
) -> Diagnostic:
    """The error for an extent that ``parts`` does not divide into whole tiles, blocks or shares (TTL1651)."""
    return error(
        "TTL1651",
        f"{what} of {operation} is {extent:,}, which {parts:,} does not divide",
        notes=(f"it is divided into {into}",),
        help=f"{choice} that fit: {' or '.join(f'{number:,}' for number in nearest)}",
    )


def other_tensor(
    operation: str, wanted: Mapping[str, tuple[int, ...]], name: str, shape: tuple[int, ...]
) -> Diagnostic:
    """The error for a tensor whose shape differs from the one for which the operation was made (TTL1652)."""
    return error(
        "TTL1652",
        f"{name} of {operation} has the shape {shape}; the operation was made for {wanted[name]}",
        notes=(f"it takes {', '.join(f'{other} of {extents}' for other, extents in wanted.items())}",),
        help="make the operation with the sizes of the tensors, or pass tensors of these shapes",
    )


def other_type(operation: str, name: str, wanted: str, given: str) -> Diagnostic:
    """The error for a tensor whose element type differs from the one on which the operation works (TTL1652)."""
    return error(
        "TTL1652",
        f"{name} of {operation} is of {given}; the operation works on {wanted}",
        notes=("the matrix unit, which looks for the largest, cuts float32 to 10 bits of mantissa",),
        help=f"convert it: ttnn.typecast({name}, ttnn.{wanted})",
    )
