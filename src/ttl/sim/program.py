"""From an expression to a linear program over its leaves.

Values whose programs are equal can be computed together, stacked along a leading batch axis. Encoding a program
is on the hot path of every store, so the key is flat: no nested tuples to build, hash and compare.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ttl.rows.dtypes import Array
from ttl.rows.row import Op, Params, Valid
from ttl.rows.types import BlockType
from ttl.sim.values import Expr, Value

if TYPE_CHECKING:
    from ttl.sim.memory import Memory


class GivenNumber(float):
    """A number that may have another value in a later call, with its ``id`` (``sim/numbers.py``)."""

    __slots__ = ("id",)
    id: int


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


# For each leaf: type (and whether it is unrounded) and valid extent; then for each instruction: operation, parameters,
# type, valid extent and arguments. An argument is the index of a leaf, the complement of the position at which an
# instruction begins, or a pair of type and text; with an id as third element, if the number may differ in a later call.
Key = tuple[tuple[Any, ...], tuple[Any, ...]]


def linearise(root: Expr) -> tuple[Key, list[Value]]:
    """Key and leaves of an expression. Shared parts appear once; order is that of evaluation.

    Expressions are at most a few hundred operations deep: the engine computes larger ones in parts.
    """
    leaves: list[Value] = []
    leaf_keys: list[Any] = []
    flat: list[Any] = []
    _visit(root, leaves, leaf_keys, flat, {})
    return (tuple(leaf_keys), tuple(flat)), leaves


def _visit(
    expr: Expr, leaves: list[Value], leaf_keys: list[Any], flat: list[Any], places: dict[int, int]
) -> int:
    """Append the instructions of an expression. Return the argument that stands for its result."""
    wired: list[Any] = [expr.op, expr.params, expr.type, expr.valid]
    for arg in expr.args:
        kind = type(arg)
        if kind is Expr:
            if arg.value is None:
                place = places.get(id(arg))
                wired.append(_visit(arg, leaves, leaf_keys, flat, places) if place is None else place)
                continue
            arg = arg.value
        elif kind is int or kind is float:
            # The type keeps 1 and 1.0 apart; repr keeps 0.0 and -0.0 apart and NaN equal to itself.
            wired.append((kind, repr(arg)))
            continue
        place = places.get(id(arg))
        if place is None:
            place = places[id(arg)] = len(leaves)
            leaves.append(arg)
            leaf_keys.append((arg.type, arg.exact) if arg.exact else arg.type)
            leaf_keys.append(arg.valid)
        wired.append(place)
    place = places[id(expr)] = -1 - len(flat)
    flat.extend(wired)
    return place


def decode(key: Key) -> list[Instruction]:
    """The instructions of a program."""
    leaf_keys, flat = key
    instructions: list[Instruction] = []
    results: dict[int, int] = {}
    result_valids: list[Valid] = []
    position = 0
    while position < len(flat):
        results[-1 - position] = len(instructions)
        op, params, type_, valid = flat[position : position + 4]
        position += 4
        args: list[Argument] = []
        valids: list[Valid] = []
        for content in flat[position : position + len(op.operands)]:
            if type(content) is tuple:
                args.append(("number", _number(*content)))
                valids.append(None)
            elif content < 0:
                args.append(("result", results[content]))
                valids.append(result_valids[results[content]])
            else:
                args.append(("leaf", content))
                valids.append(leaf_keys[2 * content + 1])
        position += len(op.operands)
        instructions.append(Instruction(op, params, tuple(args), type_, tuple(valids)))
        result_valids.append(valid)
    return instructions


def _number(kind: type[int] | type[float], text: str, id: int | None = None) -> int | float:
    if id is None:
        return kind(text)
    number = GivenNumber(text)
    number.id = id
    return number


class Executor(Protocol):
    """Computes values: one interface, so that executors can differ and results cannot."""

    def run(self, pending: list[Value], memory: Memory) -> None:
        """Compute every value; each one's operands are computed, earlier in the list, or tensor views."""

    def run_group(
        self,
        key: Key,
        type_: BlockType,
        exact: bool,
        members: list[tuple[Value, list[Value]]],
        memory: Memory,
    ) -> None:
        """Compute values of one program, ``key``: each with the operands in the order of its leaves."""

    def load(self, value: Value, memory: Memory) -> Array:
        """A computed value in arithmetic type (float32, int64) and element shape; padding is zero."""
