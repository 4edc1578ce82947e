"""Random tile programs: expressions in nests of loops over blocks, with what they carry, helpers, and tensors with tails.

Half of them compute with whole numbers so small that no execution rounds: every one has to give the same to the bit. The
others have functions, of which ``tile_errors`` says how far a result may be off. ``judge`` runs a program every way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import numpy as np

Kind = tuple[str, str]
"""Rows and columns of a value: ``M`` all of an axis, ``m`` a block of the loop over it, ``1`` one."""

_AXES = ("M", "N", "K")
_EXTENTS = (32, 64, 96, 128, 160, 33, 40, 70, 100)
_GRIDS = ('"auto"', "(1, 1)", "(4, 4)", "(8, 8)")
# Functions of values between -4 and 4, and what they give at most. ``{}`` is the operand.
_SMOOTH = (
    ("ttl.math.tanh({})", 1.0), ("ttl.math.sigmoid({})", 1.0), ("ttl.math.exp({} * 0.25)", 3.0),
    ("ttl.math.sqrt(abs({}) + 0.5)", 2.2), ("ttl.math.rsqrt({} * {} + 1)", 1.0), ("ttl.math.log(abs({}) + 1)", 1.7),
    ("ttl.math.silu({})", 4.0), ("ttl.math.recip(abs({}) + 1)", 1.0), ("ttl.math.sin({})", 1.0),
)  # fmt: skip
_EXACT = ("abs({})", "-{}", "ttl.math.relu({})", "ttl.math.sign({})")
_PAIRS = ("{} + {}", "{} - {}", "{} * {}", "ttl.math.max({}, {})", "ttl.math.min({}, {})")
_NUMBERS = {"2": 2.0, "SCALE": 2.0, "factor": 2.0, "0": 0.0, "1": 1.0, "-1": 1.0}
_COMPARISONS = ("ttl.math.gt({}, {})", "{} <= {}", "{} == {}", "ttl.math.ne({}, {})")


@dataclass(frozen=True, kw_only=True, slots=True)
class TileProgram:
    """A file with a tile program ``program``, and its tensors in the order of its parameters."""

    source: str
    shapes: dict[str, tuple[int, ...]]
    outputs: tuple[str, ...]
    dtypes: dict[str, str]
    is_exact: bool
    seed: int

    def contents(self) -> dict[str, np.ndarray]:
        """What the tensors begin with: values that their element type holds."""
        random = np.random.default_rng(self.seed)
        side = 1 if "bfloat16" in self.dtypes.values() else 3
        values = {}
        for name, shape in self.shapes.items():
            whole = random.integers(-side, side + 1, shape).astype(np.float64)
            values[name] = whole if self.is_exact else random.integers(-128, 129, shape) / 64
        return values


@dataclass(slots=True)
class _Scope:
    """Where the writer is: the loops around, axis by variable, and the values with names."""

    loops: dict[str, str] = field(default_factory=dict)
    named: list[tuple[str, Kind, float]] = field(default_factory=list)
    batch: str = ""


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random = Random(f"tiles {seed}")
        self.seed = seed
        self.is_exact = random.random() < 0.5
        self.dtypes = random.choice((("bfloat16",), ("float32",), ("bfloat16", "float32")))
        is_narrow = "bfloat16" in self.dtypes
        # What products of two blocks of 16 bits, or of the ten that the matrix unit keeps of 32, hold without loss.
        self.most = (256.0 if is_narrow else 2048.0) if self.is_exact else 4.0
        self.unit = (1.0 if is_narrow else 3.0) if self.is_exact else 2.0
        self.extent = {axis: random.choice(_EXTENTS) for axis in _AXES}
        self.batches = random.choice((0, 0, 0, 2, 3))
        self.tensors: dict[str, tuple[str, Kind]] = {}
        self.helpers: list[str] = []
        self.outputs: list[str] = []
        self.lines: list[str] = []
        self.depth = 1
        self.names = 0

    # --- text ---------------------------------------------------------------------------------------------------

    def add(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def program(self) -> TileProgram:
        nests = self.random.choice((1, 1, 1, 2))
        # Beside a nest that is spread over nodes there is nothing that all nodes would do.
        self.kinds = ("ttl.spatial", "ttl.spatial", "", "ttl.temporal")
        if nests > 1:
            self.kinds = (self.random.choice(("ttl.spatial", "ttl.temporal")),)
        for _ in range(nests):
            self.nest()
        grid = self.random.choice(_GRIDS)
        head = ["import math", "import ttl", "", "SCALE = 2", ""]
        for helper in self.helpers:
            head += [helper, ""]
        head += [f"@ttl.tile_operation(grid={grid})", f"def program({', '.join(self.tensors)}, factor=2):"]
        random = Random(f"types {self.seed}")
        return TileProgram(
            source="\n".join([*head, *self.lines, ""]),
            shapes={name: self.shape(*tensor) for name, tensor in self.tensors.items()},
            outputs=tuple(self.outputs), dtypes={name: random.choice(self.dtypes) for name in self.tensors}, is_exact=self.is_exact, seed=self.seed,
        )  # fmt: skip

    def shape(self, batch: str, kind: Kind) -> tuple[int, ...]:
        sides = tuple(1 if axis == "1" else self.extent[axis] for axis in kind)
        return (self.batches, *sides) if batch else sides

    def tensor(self, kind: Kind, *, batch: bool = False, new: bool = False) -> str:
        """A tensor with the axes of a kind."""
        axes = kind[0].upper(), kind[1].upper()
        known = [name for name, of in self.tensors.items() if of == ("H" * batch, axes) and name[0] == "x"]
        if known and not new and self.chance(0.6):
            return self.random.choice(known)
        name = f"{self.name('y' if new else 'x')}_in"
        self.tensors[name] = ("H" * batch, axes)
        return name

    # --- loops --------------------------------------------------------------------------------------------------

    def nest(self) -> None:
        """A nest of loops that are spread, or that the designer spreads, and what is stored in it."""
        random = self.random
        scope = _Scope()
        depth, kind = self.depth, random.choice(self.kinds)
        axes = random.sample(_AXES, random.choice((1, 1, 2, 2) if kind == "ttl.spatial" else (0, 1, 1, 2, 2)))
        if self.batches and self.chance(0.7):
            scope.batch = self.name("h")
            over = self.tensor(("M", "N"), batch=True)
            self.add(f"for {scope.batch} in {self.over(f'{over}.axis(0)', kind, step=False)}:")
            self.depth += 1
        for axis in axes:
            self.loop(axis, kind, scope)
            if kind == "ttl.spatial" and self.chance(0.2):
                kind = "ttl.temporal"
        inside = [axis.lower() if axis in axes else axis for axis in _AXES]
        random.shuffle(inside)
        rows = [axis for axis in inside if axis.islower()]
        free = [axis for axis in inside if axis.isupper()]
        # Turns of spread loops store to parts of their own: every loop is in the index.
        target = [*rows, *random.sample([*free, "1"], 2 - len(rows))] if len(rows) < 2 else rows
        random.shuffle(target)
        self.stored((target[0], target[1]), scope)
        self.depth = depth

    def over(self, axis: str, kind: str, *, step: bool = True, units: int = 1) -> str:
        """What a loop goes over."""
        if not kind:
            return axis
        steps = ["", "", ", 1"]
        if step:
            divisors = [number for number in range(1, units + 1) if units % number == 0]
            steps += [
                ", ttl.fraction(0.5)",
                f", {self.random.choice(divisors)}",
                f", ttl.tunable(1, {units})",
            ]
        return f"{kind}({axis}{self.random.choice(steps)})"

    def loop(self, axis: str, kind: str, scope: _Scope, *, one: bool = False) -> str:
        """The head of a loop over blocks of an axis."""
        name = self.name(axis.lower())
        other = self.random.choice([*(other for other in _AXES if other != axis), "1"])
        if self.chance(0.5):
            over = f"{self.tensor((axis, other))}.{self.random.choice(('rows', 'axis(-2)', 'axis(0)'))}"
        else:
            over = f"{self.tensor((other, axis))}.{self.random.choice(('columns', 'axis(1)'))}"
        units = -(-self.extent[axis] // 32)
        text = f"{kind}({over}, 1)" if one else self.over(over, kind, units=units)
        self.add(f"for {name} in {text}:")
        self.depth += 1
        scope.loops[axis.lower()] = name
        return name

    # --- statements ---------------------------------------------------------------------------------------------

    def stored(self, kind: Kind, scope: _Scope) -> None:
        """Statements, and a store of a value of a kind."""
        in_place = "" if scope.batch or self.chance(0.85) else self.tensor(kind, new=True)
        if in_place:
            value = self.name("v")
            self.add(f"{value} = ttl.load({in_place}{self.index(kind, scope)})")
            scope.named.append((value, kind, self.unit))
        for _ in range(self.random.choice((0, 1, 1, 2))):
            self.statement(kind, scope)
        after = [axis for axis in kind if axis.isupper()]
        if after and not in_place and self.chance(0.2):
            # The rest of the result block by block.
            kept, depth = list(scope.named), self.depth
            self.loop(after[0], "ttl.temporal", scope)
            kind = tuple(axis.lower() if axis == after[0] else axis for axis in kind)  # type: ignore[assignment]
            self.finish(kind, scope, "")
            self.depth, scope.named = depth, kept
            del scope.loops[after[0].lower()]
            return
        self.finish(kind, scope, in_place)

    def finish(self, kind: Kind, scope: _Scope, in_place: str) -> None:
        text, _ = self.expression(kind, scope, 3)
        for again in range(1 if in_place else self.random.choice((1, 1, 1, 2))):
            output = in_place or self.tensor(kind, batch=bool(scope.batch), new=True)
            self.outputs.append(output)
            if again:
                text, _ = self.expression(kind, scope, 2)
            self.add(f"ttl.store({output}{self.index(kind, scope, batch=bool(scope.batch))}, {text})")

    def statement(self, kind: Kind, scope: _Scope) -> None:
        """A value with a name, a loop of Python's, or a loop that carries values."""
        choice = self.random.random()
        kind = self.near(kind)
        if choice < 0.35:
            text, bound = self.expression(kind, scope, 3)
            self.assign(text, kind, bound, scope)
        elif choice < 0.5:
            text, bound = self.clamped(*self.expression(kind, scope, 2))
            value = self.assign(text, kind, bound, scope)
            self.add(f"for step in range({self.random.choice((2, 3))}):")
            other, _ = self.clamped(*self.expression(self.less(kind), scope, 1))
            self.add("    if step != 1:")
            self.add(f"        {value} = ttl.math.min({value}, {other} + step)")
            self.add(f"    {value} += 1")
            scope.named.append((value, kind, bound + 4))
        else:
            self.accumulated(kind, scope)

    def assign(self, text: str, kind: Kind, bound: float, scope: _Scope) -> str:
        value = self.name("v")
        self.add(f"{value} = {text}")
        scope.named.append((value, kind, bound))
        return value

    def accumulated(self, kind: Kind, scope: _Scope) -> None:
        """A loop over an axis that is not looped over yet, and sums or maxima of what its turns compute."""
        axes = [axis for axis in _AXES if axis.lower() not in scope.loops and axis not in kind]
        if not axes:
            return
        axis = self.random.choice(axes)
        totals = []
        for _ in range(self.random.choice((1, 1, 2))):
            of, largest = (kind if not totals else self.near(kind)), self.chance(0.25)
            if axis in of or not self.sums(of, largest):
                continue
            name, begin = self.name("t"), "-math.inf" if largest else "0"
            if not largest and self.chance(0.3):
                begin, _ = self.clamped(*self.expression(of, scope, 1))
            totals.append((name, of, largest))
            self.add(f"{name} = {begin}")
        if not totals:
            return
        sums = [name for name, of, largest in totals if not largest and of == totals[0][1]]
        within = 2 * self.extent[axis] * self.unit**2 <= self.most
        change_places = len(sums) == 2 and within and self.chance(0.5)
        inner, depth = _Scope(dict(scope.loops), list(scope.named), scope.batch), self.depth
        kinds = ("ttl.temporal", "ttl.temporal", "") if scope.loops or scope.batch else ("ttl.temporal",)
        # Values that change places do so as often as there are turns: the author says how many.
        kind_of_loop = "ttl.temporal" if change_places else self.random.choice(kinds)
        self.loop(axis, kind_of_loop, inner, one=change_places)
        if self.chance(0.25):
            block = axis.lower()
            self.accumulated(self.random.choice(((kind[0], block), (block, kind[1]))), inner)
        if change_places:
            one, two = (self.summand(totals[0][1], axis.lower(), inner, largest=False) for _ in sums)
            self.add(f"{sums[0]}, {sums[1]} = {sums[1]} + {one}, {sums[0]} - {two}")
        for name, of, largest in [] if change_places else totals:
            text = self.summand(of, axis.lower(), inner, largest=largest)
            sums_up = (f"{name} += {text}", f"{name} = {text} + {name}")
            self.add(f"{name} = ttl.math.max({name}, {text})" if largest else self.random.choice(sums_up))
        self.depth = depth
        for name, of, largest in totals:
            size = self.extent[axis] * self.unit**2
            if largest:
                scope.named.append((name, of, self.unit))
                continue
            # Sums grow with the axis: what goes on is within bounds again.
            text, bound = self.clamped(name, max(size, self.most * 2))
            self.assign(text, of, bound, scope)

    def sums(self, kind: Kind, largest: bool) -> list[str]:
        """The ways to get a value of a kind out of blocks of an axis."""
        ways = ["row"] * (kind[1] == "1") + ["column"] * (kind[0] == "1")
        return ways if largest else [*ways, "product"]

    def summand(self, kind: Kind, block: str, scope: _Scope, *, largest: bool) -> str:
        """What a turn adds: the sum over a block, or a product along it, of small factors."""
        way, reduce = self.random.choice(self.sums(kind, largest)), "max" if largest else "sum"
        if way == "product":
            left, right = self.small((kind[0], block), scope), self.small((block, kind[1]), scope)
            return f"{left} @ {right}"
        if way == "row":
            return f"{self.small((kind[0], block), scope)}.{reduce}({self.random.choice(('', '-1', '1'))})"
        return f"{self.small((block, kind[1]), scope)}.{reduce}({self.random.choice(('0', '-2'))})"

    def small(self, kind: Kind, scope: _Scope) -> str:
        """A value no larger than what tensors begin with."""
        text, _ = self.clamped(*self.expression(kind, scope, self.random.choice((0, 0, 1, 2))))
        return f"({text})"

    # --- expressions --------------------------------------------------------------------------------------------

    def near(self, kind: Kind) -> Kind:
        """The kind, or one with less that goes with it."""
        return self.less(kind) if self.chance(0.4) else kind

    def less(self, kind: Kind) -> Kind:
        """A kind that is broadcast to another one."""
        return self.random.choice((kind, (kind[0], "1"), ("1", kind[1]), ("1", "1")))

    def clamped(self, text: str, bound: float) -> tuple[str, float]:
        """An expression within what later steps may begin with."""
        limit = self.unit
        if bound <= limit:
            return text, bound
        return f"ttl.math.max(ttl.math.min({text}, {limit:g}), {-limit:g})", limit

    def index(self, kind: Kind, scope: _Scope, *, batch: bool = False) -> str:
        entries = [scope.batch] if batch else []
        entries += [scope.loops[axis] if axis.islower() else ":" for axis in kind]
        while len(entries) > 1 and entries[-1] == ":" and self.chance(0.5):
            entries.pop()
        if entries == [":"] and self.chance(0.5):
            return ""
        return f"[{', '.join(entries)}]"

    def leaf(self, kind: Kind, scope: _Scope) -> tuple[str, float]:
        known = [(name, bound) for name, of, bound in scope.named if of == kind]
        if known and self.chance(0.6):
            return self.random.choice(known)
        batch = bool(scope.batch) and self.chance(0.5)
        if self.chance(0.15):
            turned = self.tensor((kind[1], kind[0]), batch=batch)
            return f"ttl.load({turned}{self.index((kind[1], kind[0]), scope, batch=batch)}).T", self.unit
        return f"ttl.load({self.tensor(kind, batch=batch)}{self.index(kind, scope, batch=batch)})", self.unit

    def expression(self, kind: Kind, scope: _Scope, depth: int) -> tuple[str, float]:
        """An expression of a kind, in brackets where it needs them, and how large it is at most."""
        if depth == 0 or self.chance(0.1):
            return self.leaf(kind, scope)
        makers = [self.paired, self.paired, self.applied, self.chosen, self.turned, self.helped]
        makers += [self.multiplied] + [self.reduced] * 3 * ("1" in kind)
        text, bound = self.random.choice(makers)(kind, scope, depth - 1)
        return self.clamped(text, bound) if bound > self.most else (text, bound)

    def paired(self, kind: Kind, scope: _Scope, depth: int) -> tuple[str, float]:
        pattern = self.random.choice(_PAIRS)
        first, one = self.expression(kind, scope, depth)
        second, two = self.expression(self.near(kind), scope, depth)
        if self.chance(0.2):
            second, two = self.random.choice([*_NUMBERS.items()])
        if self.chance(0.3) and second not in _NUMBERS:
            first, second = second, first
        bound = one * two if "*" in pattern else one + two if pattern[3] in "+-" else max(one, two)
        return f"({pattern.format(first, second)})", bound

    def applied(self, kind: Kind, scope: _Scope, depth: int) -> tuple[str, float]:
        text, bound = self.expression(kind, scope, depth)
        if self.is_exact:
            return f"({self.random.choice(_EXACT).replace('{}', text)})", max(bound, 1.0)
        pattern, most = self.random.choice(_SMOOTH)
        return f"({pattern.replace('{}', text)})", most

    def chosen(self, kind: Kind, scope: _Scope, depth: int) -> tuple[str, float]:
        """A choice by element: of exact values only, since a comparison of inexact ones may go either way."""
        if not self.is_exact:
            return self.divided(kind, scope, depth)
        condition = self.random.choice(_COMPARISONS)
        first, _ = self.expression(kind, scope, 0)
        second, _ = self.expression(self.near(kind), scope, 0)
        condition = f"({condition.format(first, second)})"
        if self.chance(0.4):
            return condition, 1.0
        one, bound = self.expression(kind, scope, depth)
        two, other = self.expression(self.near(kind), scope, depth)
        if self.chance(0.3):
            two, other = "1.0", 1.0
        return f"ttl.block.where({condition}, {one}, {two})", max(bound, other)

    def divided(self, kind: Kind, scope: _Scope, depth: int) -> tuple[str, float]:
        first, bound = self.expression(kind, scope, depth)
        second, _ = self.expression(self.near(kind), scope, depth)
        return f"({first} / (abs({second}) + 1))", bound

    def turned(self, kind: Kind, scope: _Scope, depth: int) -> tuple[str, float]:
        text, bound = self.expression((kind[1], kind[0]), scope, depth)
        return f"{text if text.endswith(')') else f'({text})'}.T", bound

    def helped(self, kind: Kind, scope: _Scope, depth: int) -> tuple[str, float]:
        """A call of a function of the file."""
        first, one = self.expression(kind, scope, depth)
        second, two = self.expression(self.near(kind), scope, depth)
        name = self.name("helper")
        self.helpers.append(
            f"def {name}(a, b, *, more=1):\n    for _ in range(2):\n        a = a + b * more\n    return a - more\n"
        )
        more = self.random.choice(("", ", more=SCALE", ", more=-1"))
        return f"{name}({first}, {second}{more})", one + 4 * two + 2

    def multiplied(self, kind: Kind, scope: _Scope, depth: int) -> tuple[str, float]:
        """A product along a whole axis, within bounds again."""
        axis = self.random.choice(_AXES)
        left, right = self.small((kind[0], axis), scope), self.small((axis, kind[1]), scope)
        bound = self.extent[axis] * self.unit**2
        if not self.is_exact:
            return f"(({left} @ {right}) * {1 / self.extent[axis]:.3g})", self.unit**2
        return f"({left} @ {right})", bound

    def reduced(self, kind: Kind, scope: _Scope, depth: int) -> tuple[str, float]:
        """A sum, maximum or mean over a whole axis."""
        axis = self.random.choice(_AXES)
        along = -1 if kind[1] == "1" and (kind[0] != "1" or self.chance(0.5)) else -2
        of = (kind[0], axis) if along == -1 else (axis, kind[1])
        way = self.random.choice(("sum", "max") if self.is_exact else ("sum", "max", "mean", "mean"))
        text, bound = (
            self.expression(of, scope, depth) if way != "sum" else (self.small(of, scope), self.unit)
        )
        text = text if text.endswith(")") else f"({text})"
        if way == "sum":
            bound *= self.extent[axis]
            if not self.is_exact:
                return f"({text}.sum({along}) * {1 / self.extent[axis]:.3g})", self.unit
        return f"{text}.{way}({along})", bound


def generate(seed: int) -> TileProgram:
    """The program of a number."""
    return _Writer(seed).program()
