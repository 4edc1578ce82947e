"""Loop nests of tile programs from metadata: the loops, which of them reduce, and how they index operands.

The names are those of ``linalg.generic`` (002, section "Operations"; first specification, question 2): indexing maps,
iterator types, block factors. The nest is written as text, and is then a tile program like any other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ttl.diag import Diagnostic
from ttl.rules import tiles as rules

_MAP = re.compile(r"\s*(?:affine_map<)?\s*\(([^()]*)\)\s*->\s*\(([^()]*)\)\s*>?\s*")
_TYPES = ("parallel", "reduction")
BODY = "body_of_the_nest"
"""The name of the author's function in the text of its nest."""


@dataclass(frozen=True, slots=True)
class LoopNest:
    """Loops around a function of blocks."""

    loops: tuple[str, ...]
    maps: tuple[tuple[str, ...], ...]
    """For each operand, the loops that index its dimensions; inputs first, then outputs."""
    types: tuple[str, ...]
    factors: tuple[int | None, ...]

    @property
    def outputs(self) -> int:
        """The number of operands that are written: the last ones, whose maps have no loops that reduce.

        It is at least 1, and 1 if no loop reduces.
        """
        reducing = {name for name, type_ in zip(self.loops, self.types, strict=True) if type_ == "reduction"}
        count = 0
        for operand in reversed(self.maps):
            if reducing & {*operand} or (not reducing and count == 1):
                break
            count += 1
        return max(count, 1)

    def text(self, name: str, parameters: Sequence[str]) -> str:
        """The nest as the text of a tile program; ``parameters`` are those of the author's function."""
        lines, depth = [f"def {name}({', '.join(parameters)}):"], 1
        inputs = len(self.maps) - self.outputs
        outputs = range(inputs, len(self.maps))
        ordered = sorted(range(len(self.loops)), key=lambda at: self.types[at] == "reduction")
        reduces = "reduction" in self.types
        for at in ordered:
            loop = self.loops[at]
            if self.types[at] == "reduction" and (
                at == ordered[0] or self.types[ordered[ordered.index(at) - 1]] != "reduction"
            ):
                lines += [f"{'    ' * depth}sum_{number} = 0" for number in outputs]
            kind = "temporal" if self.types[at] == "reduction" else "spatial"
            step = "" if self.factors[at] is None else f", {self.factors[at]}"
            lines.append(f"{'    ' * depth}for {loop} in ttl.{kind}({self._axis(loop, parameters)}{step}):")
            depth += 1
        given = [f"ttl.load({parameters[at]}[{', '.join(self.maps[at])}])" for at in range(inputs)]
        sums = [f"sum_{number}" for number in outputs]
        call = f"{BODY}({', '.join([*given, *(sums if reduces else ['0'] * len(sums))])})"
        lines.append(f"{'    ' * depth}{', '.join(sums)} = {call}")
        depth = 1 + sum(type_ == "parallel" for type_ in self.types)
        lines += [
            f"{'    ' * depth}ttl.store({parameters[number]}[{', '.join(self.maps[number])}], sum_{number})"
            for number in outputs
        ]
        return "\n".join(lines) + "\n"

    def _axis(self, loop: str, parameters: Sequence[str]) -> str:
        operand = next(at for at, names in enumerate(self.maps) if loop in names)
        return f"{parameters[operand]}.axis({self.maps[operand].index(loop)})"


def nest_of(maps: Any, types: Any, factors: Any) -> LoopNest | Diagnostic:
    """Return a nest from the arguments of a decorator, or the error in them."""
    if not isinstance(maps, list | tuple) or not maps or not all(isinstance(item, str) for item in maps):
        return rules.no_nest(
            f"indexing_maps is a list of texts, one for each operand, not {rules.shown(maps)}"
        )
    read: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for text in maps:
        match = _MAP.fullmatch(text)
        if match is None:
            return rules.no_nest(f"{text!r} is not an indexing map")
        loops, names = (
            tuple(part.strip() for part in group.split(",") if part.strip()) for group in match.groups()
        )
        if not all(name.isidentifier() for name in (*loops, *names)) or not {*names} <= {*loops}:
            return rules.no_nest(f"{text!r} maps names of loops to some of them")
        read.append((loops, names))
    loops = read[0][0]
    if any(own != loops for own, _ in read) or len({*loops}) != len(loops):
        return rules.no_nest("all indexing maps have the same loops on the left, each once")
    missing = [loop for loop in loops if not any(loop in names for _, names in read)]
    if missing:
        return rules.no_nest(
            f"no operand is indexed by {missing[0]}, so the extent of that loop is not known"
        )
    if (
        not isinstance(types, list | tuple)
        or len(types) != len(loops)
        or not all(item in _TYPES for item in types)
    ):
        return rules.no_nest(f"iterator_types has 'parallel' or 'reduction' for each of {', '.join(loops)}")
    given = [None] * len(loops) if factors is None else factors
    if (
        not isinstance(given, list | tuple)
        or len(given) != len(loops)
        or not all(item is None or (type(item) is int and item > 0) for item in given)
    ):
        return rules.no_nest(f"block_factors has a number of tiles, or None, for each of {', '.join(loops)}")
    return LoopNest(loops, tuple(names for _, names in read), tuple(types), tuple(given))
