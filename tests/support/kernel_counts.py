"""How good a generated kernel is, counted in its text: what a kernel engineer looks for first.

Static counts: loops with constant bounds count as often as they turn, branches as if they were taken.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from support.kernel_text import Branch, Call, Loop, Node, read, walk
from ttl.kernel_api.function_rows import Applied
from ttl.kernel_api.table import CALLS

_BARRIERS = frozenset({"noc_async_read_barrier", "noc_async_write_barrier", "noc_async_writes_flushed"})
_MOVED = frozenset({"cb_push_back", "cb_pop_front"})
_PACKS = frozenset({"pack_tile"})
_FUNCTION = re.compile(r"(\w+)\s*(?:<[^()]*>)?\(")
_SUFFIX = re.compile(r"\b(\d+)u\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Function:
    """What the table of the kernel API says about a C++ name: the unit it configures, where its DST registers are named."""

    configures: str | None
    registers: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ComputeCounts:
    """Of a compute kernel."""

    hoistable: tuple[str, ...]
    """Calls that configure a unit inside a loop which configures that unit in one way only."""
    sections: int
    """Places where DST is acquired."""
    registers: int | None
    """DST registers that the fullest section uses; None where that cannot be seen."""


@cache
def functions() -> Mapping[str, Function]:
    """By C++ name, of both generations."""
    found: dict[str, Function] = {}
    for call in CALLS.values():
        for statement in (each for spelling in call.spelling.values() for each in spelling):
            if not isinstance(statement, Applied):
                continue
            registers = tuple(
                position
                for position, part in enumerate(statement.arguments)
                if isinstance(part, str) and re.fullmatch(r"d\d?|dst|from|to|out_d", part)
            )
            prefixes = statement.chosen_by[1].values() if statement.chosen_by else ("",)
            for prefix in prefixes:
                name = statement.processor or prefix + statement.name
                found.setdefault(name, Function(configures=call.configures, registers=registers))
    return found


def compute_counts(text: str) -> ComputeCounts:
    """Of the text of a compute kernel."""
    nodes = read(text)
    used = [_registers(section, loops) for section, loops in _sections(nodes, ())]
    return ComputeCounts(
        hoistable=tuple(_hoistable(nodes)),
        sections=len(used),
        registers=None if not used or None in used else max(number for number in used if number is not None),
    )


def barriers_per_block(text: str) -> float | None:
    """Of a data movement kernel: barriers in it, for each place where a block is handed on.

    Those after the last block are the end of the kernel's, and no block's. None without blocks.
    """
    names = [call.name for call, _ in walk(read(text))]
    moved = [position for position, name in enumerate(names) if name in _MOVED]
    if not moved:
        return None
    return sum(name in _BARRIERS for name in names[: moved[-1]]) / len(moved)


def _hoistable(nodes: Sequence[Node]) -> Iterator[str]:
    """The calls that could stand before the innermost loop they are in."""
    for node in nodes:
        match node:
            case Branch():
                yield from _hoistable(node.body)
            case Loop():
                yield from _hoistable(node.body)
                yield from _hoistable_from(node)


def _hoistable_from(loop: Loop) -> Iterator[str]:
    seen: dict[str, set[str]] = {}
    for call, _ in walk(loop.body):
        function = functions().get(call.name)
        if function is not None and function.configures is not None:
            seen.setdefault(function.configures, set()).add(_text(call))
    for call in _directly(loop.body):
        function = functions().get(call.name)
        if function is None or function.configures is None or len(seen[function.configures]) > 1:
            continue
        if loop.variable is None or not re.search(rf"\b{loop.variable}\b", call.arguments):
            yield _text(call)


def _directly(nodes: Sequence[Node]) -> Iterator[Call]:
    """The calls of a loop that are in no loop within it."""
    for node in nodes:
        match node:
            case Call():
                yield node
            case Branch():
                yield from _directly(node.body)


def _sections(
    nodes: Sequence[Node], loops: tuple[Loop, ...]
) -> Iterator[tuple[list[Node], tuple[Loop, ...]]]:
    """What stands between the acquisition of DST and its release."""
    inside: list[Node] | None = None
    for node in nodes:
        if inside is not None:
            if isinstance(node, Call) and node.name == "tile_regs_release":
                yield inside, loops
                inside = None
            else:
                inside.append(node)
        elif isinstance(node, Call) and node.name == "tile_regs_acquire":
            inside = []
        elif isinstance(node, Loop):
            yield from _sections(node.body, (*loops, node))
        elif isinstance(node, Branch):
            yield from _sections(node.body, loops)


def _registers(section: list[Node], outer: tuple[Loop, ...]) -> int | None:
    """One more than the highest register that is named."""
    highest = -1
    for call, loops in walk(section):
        function = functions().get(call.name)
        for position in () if function is None else function.registers:
            last = _largest(_arguments(call.arguments)[position], (*outer, *loops))
            if last is None:
                return None
            last += _further(call)
            highest = max(highest, last)
    return highest + 1


def _further(call: Call) -> int:
    """How many registers a call goes on from the one it names."""
    if call.name != "matmul_block":
        return 0
    sizes = [_largest(text, ()) for text in _arguments(call.arguments)[6:8]]
    return 0 if None in sizes else (sizes[0] or 1) * (sizes[1] or 1) - 1


def _largest(text: str, loops: Sequence[Loop]) -> int | None:
    """The largest value of sums and products of numbers and variables of loops."""
    limits = {loop.variable: loop.trips - 1 for loop in loops if loop.variable and loop.trips}
    try:
        tree = ast.parse(_SUFFIX.sub(r"\1", text.strip()), mode="eval")
        return _value(tree.body, limits)
    except (SyntaxError, KeyError, TypeError):
        return None


def _value(node: ast.AST, limits: Mapping[str | None, int]) -> int:
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.Name(id=name):
            return limits[name]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _value(left, limits) + _value(right, limits)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _value(left, limits) * _value(right, limits)
    raise TypeError(type(node))


def _arguments(text: str) -> list[str]:
    """The arguments of a call, split at the commas outside of parentheses."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def _text(call: Call) -> str:
    return f"{call.name}({call.arguments})"
