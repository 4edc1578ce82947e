"""Random programs of 32-bit elements: broadcasts, reductions, transpositions, comparisons and copies, chained in one kernel.

Their values are small whole numbers, of which no step loses a bit: the emulated chip has to leave exactly what the simulator
does, with the kernels of each generation of the API. 32 bits take ways of their own on the chip: straight to the registers,
and from there in halves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Literal

import numpy as np

from differential.expressions import run_each
from ttl.diag import TTLError

Kind = Literal["full", "row", "column", "one"]
Array = Any
_SIDE = 32
_LEAVES: Mapping[Kind, str] = {"row": "r", "column": "c", "one": "s"}
_DIMS: Mapping[Kind, str] = {"row": "[0]", "column": "[-1]", "one": "[0, 1]"}
_KEPT: Mapping[Kind, Any] = {"full": np.s_[:], "row": np.s_[:1], "column": np.s_[:, :1], "one": np.s_[:1, :1]}
_INPUTS: Mapping[str, Kind] = {"a": "full", "b": "full", "r": "row", "c": "column", "s": "one"}
_KINDS: tuple[Kind, ...] = ("full", "full", "full", "row", "column", "one")
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


@dataclass(frozen=True, kw_only=True, slots=True)
class WideProgram:
    """Statements about blocks, and what each tensor is."""

    body: str
    dtype: str
    inputs: Mapping[str, Array]
    outputs: Mapping[str, Kind]
    side: int
    """Of a whole block, in tiles."""

    def shape(self, kind: Kind) -> tuple[int, int]:
        """Of a block, in elements."""
        whole = self.side * _SIDE
        return (
            _SIDE if kind in ("row", "one") else whole,
            _SIDE if kind in ("column", "one") else whole,
        )


class _Author:
    def __init__(self, seed: int) -> None:
        self.random = Random(f"wide {seed}")
        self.side = self.random.choice((1, 1, 2, 2, 3))
        self.dtype = self.random.choice(("float32", "float32", "int32"))
        self.named: list[tuple[str, Kind]] = []

    def program(self) -> WideProgram:
        lines = []
        outputs: dict[str, Kind] = {}
        for number in range(self.random.randint(2, 4)):
            kind = self.random.choice(_KINDS)
            if self.random.random() < 0.35:
                lines.append(f"v{number} = {self.of(kind, 2)}")
                self.named.append((f"v{number}", kind))
                continue
            outputs[f"y{number}"] = kind
            lines.append(f"y{number}.store({self.of(kind, 3)})")
        outputs["z"] = "full"
        lines.append(f"z.store({self.combined([name for name, kind in self.named if kind == 'full'])})")
        for name, kind in self.named:
            if kind != "full":
                outputs[f"w{name}"] = kind
                lines.append(f"w{name}.store({name})")
        used = set(re.findall(r"\b[abrcs]\b", "\n".join(lines)))
        body = "\n".join(lines)
        program = WideProgram(body=body, dtype=self.dtype, inputs={}, outputs=outputs, side=self.side)
        numbers = np.random.default_rng(self.random.randrange(1 << 30))
        kinds = {name: kind for name, kind in _INPUTS.items() if name in used}
        return replace(
            program,
            inputs={name: numbers.integers(-4, 5, program.shape(kind)) for name, kind in kinds.items()},
        )

    def combined(self, names: list[str]) -> str:
        return f"({' + '.join([*names, self.of('full', 3)])})"

    def block(self, kind: Kind) -> str:
        return (
            f"({1 if kind in ('row', 'one') else self.side}, {1 if kind in ('column', 'one') else self.side})"
        )

    def of(self, kind: Kind, depth: int) -> str:
        """An expression of a kind."""
        named = [name for name, of in self.named if of == kind]
        if depth == 0 or self.random.random() < 0.1:
            return self.random.choice([*named, *(("a", "b") if kind == "full" else (_LEAVES[kind],))])
        if kind != "full":
            return self.random.choice((self.reduced, self.reduced, self.paired))(kind, depth)
        makers = (self.repeated, self.repeated, self.repeated, self.turned, self.paired, self.paired)
        return self.random.choice(makers)(kind, depth)

    def repeated(self, kind: Kind, depth: int) -> str:
        part: Kind = self.random.choice(("row", "column", "one"))
        value = self.of(part, depth - 1)
        return f"ttl.block.broadcast({value}, dims={_DIMS[part]}, shape={self.block('full')})"

    def turned(self, kind: Kind, depth: int) -> str:
        return f"ttl.block.transpose({self.of('full', depth - 1)})"

    def reduced(self, kind: Kind, depth: int) -> str:
        shape = f"dims={_DIMS[kind]}, shape={self.block(kind)}"
        if self.dtype == "int32":  # of which the chip finds no maximum
            return f"ttl.math.reduce_sum({self.of('full', depth - 1)}, {shape})"
        if kind != "one" and self.random.random() < 0.4:
            # Sums of zeros and ones, which ten bits of a mantissa hold.
            return f"ttl.math.reduce_sum({self.compared('full', depth - 1)}, {shape})"
        return f"ttl.math.reduce_max({self.of('full', depth - 1)}, {shape})"

    def compared(self, kind: Kind, depth: int) -> str:
        first, second = self.of(kind, max(depth - 1, 0)), self.of(kind, max(depth - 1, 0))
        return f"ttl.math.{self.random.choice(_COMPARISONS)}({first}, {second})"

    def paired(self, kind: Kind, depth: int) -> str:
        if self.random.random() < 0.3:
            return self.compared(kind, depth)
        first, second = self.of(kind, depth - 1), self.of(kind, depth - 1)
        how = self.random.choice(("{} + {}", "{} - {}", "ttl.math.max({}, {})", "ttl.math.min({}, {})"))
        return f"({how.format(first, second)})"


def generate(seed: int) -> WideProgram:
    """The program of a number."""
    return _Author(seed).program()


def judge(program: WideProgram, folder: Path) -> str | None:
    """What is wrong, or None; "refused TTL14..", where the compiler says that it cannot."""
    shapes = {name: program.shape(kind) for name, kind in program.outputs.items()}
    dtypes = dict.fromkeys((*program.inputs, *shapes), program.dtype)
    try:
        wanted, *found = run_each(
            program.body, program.inputs, shapes, folder, ("sim", "0.69", "0.81"), dtypes=dtypes
        )
    except TTLError as error:
        code = error.diagnostics[0].code
        return f"refused {code}" if code.startswith("TTL14") else f"{error}"
    for generation, results in zip(("0.69", "0.81"), found, strict=True):
        for name, kind in program.outputs.items():
            kept = _KEPT[kind]
            if not np.array_equal(results[name][kept], wanted[name][kept]):
                places = np.argwhere(results[name][kept] != wanted[name][kept])
                return f"{generation}: {name} differs at {len(places)} places, first {tuple(places[0])}"
    return None
