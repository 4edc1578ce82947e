"""From an expression to a linear program over its leaves.

Values whose programs are equal can be computed together, stacked along a leading batch axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ttl.ops.row import Op, Params, Valid
from ttl.ops.types import BlockType
from ttl.sim.values import Expr, Value

# An argument of an instruction: ("leaf", index), ("result", index) or ("number", value).
Argument = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation of a program. ``valids`` are those of the arguments (None for numbers)."""

    op: Op
    params: Params
    args: tuple[Argument, ...]
    type: BlockType
    valids: tuple[Valid, ...]


# What makes programs equal: leaf types and extents, operations, parameters, wiring, result.
Key = tuple[Any, ...]


def linearise(root: Expr) -> tuple[Key, tuple[Value, ...]]:
    """Key and leaves of an expression. Shared parts appear once; order is that of evaluation."""
    leaves: list[Value] = []
    leaf_keys: list[Any] = []
    codes: list[Any] = []
    places: dict[int, Argument] = {}
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        expr, ready = stack.pop()
        if id(expr) in places:
            continue
        if not ready:
            stack.append((expr, True))
            for arg in reversed(expr.args):
                if type(arg) is Expr and id(arg) not in places:
                    stack.append((arg, False))
            continue
        wired = []
        for arg in expr.args:
            kind = type(arg)
            if kind is Expr:
                wired.append(places[id(arg)])
            elif kind is Value:
                place = places.get(id(arg))
                if place is None:
                    place = places[id(arg)] = ("leaf", len(leaves))
                    leaves.append(arg)
                    leaf_keys.append((arg.type, arg.valid))
                wired.append(place)
            else:
                # The type keeps 1, 1.0 and True apart; repr keeps 0.0 and -0.0 apart and NaN equal to itself.
                wired.append(("number", (kind, repr(arg), arg) if arg == arg else (kind, repr(arg), None)))
        places[id(expr)] = ("result", len(codes))
        codes.append((expr.op, expr.params, tuple(wired), expr.type, expr.valid))
    return (tuple(leaf_keys), tuple(codes)), tuple(leaves)


def decode(key: Key) -> list[Instruction]:
    """The instructions of a program."""
    leaf_keys, codes = key
    instructions = []
    for op, params, wired, type_, _ in codes:
        args: list[Argument] = []
        valids: list[Valid] = []
        for kind, content in wired:
            if kind == "number":
                cls, text, value = content
                args.append(("number", cls(text) if value is None else value))
                valids.append(None)
            else:
                args.append((kind, content))
                valids.append(leaf_keys[content][1] if kind == "leaf" else codes[content][4])
        instructions.append(Instruction(op, params, tuple(args), type_, tuple(valids)))
    return instructions
