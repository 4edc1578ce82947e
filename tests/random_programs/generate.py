"""Random correct programs: every choice is drawn from the program's seed.

A value carries what decides whether a result is the same in any order of evaluation: whether its elements are
whole and how large they can be. Sums and products of small whole numbers are exact in float32, so most programs
are compared bit by bit; what is not exact goes through well-conditioned operations only and has a tolerance.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from random_programs.emit import LOOPS
from random_programs.reference import FLOATS, is_float
from random_programs.spec import Inner, Instr, Port, Program, Shape, Style, TensorSpec

_FLOAT_WEIGHTS = (8, 5, 2, 2, 1)
_LARGEST_EXACT = 2**23
_INT_LIMIT = 2**40


@dataclass(frozen=True, kw_only=True)
class Value:
    """A value of the compute kernel. ``inner`` are the dims (-1, -2) along which only lane 0 is defined."""

    name: str
    shape: Shape
    integer: bool = False
    dtype: str = ""
    whole: bool = True
    bound: float = 4.0
    exact: bool = True
    finite: bool = True
    inner: frozenset[int] = frozenset()

    def same_kind(self, other: Value) -> bool:
        return (self.shape, self.integer, self.inner) == (other.shape, other.integer, other.inner)


# Functions whose rounding is their own, and what keeps their argument where they are well-conditioned.
_INEXACT: dict[str, tuple[tuple[tuple[str, float], ...], tuple[float, float]]] = {
    "exp": ((), (-8, 8)), "exp2": ((), (-8, 8)), "expm1": ((), (-8, 8)), "log": ((), (0.5, 100)),
    "logp1": ((), (-0.5, 100)), "rsqrt": ((), (0.25, 100)), "tan": ((), (-1, 1)), "tanh": ((), (-9, 9)),
    "atan": ((), (-50, 50)), "atanh": ((), (-0.9, 0.9)), "sin": ((), (-9, 9)), "asin": ((), (-0.9, 0.9)),
    "asinh": ((), (-50, 50)), "cos": ((), (-9, 9)), "acos": ((), (-0.9, 0.9)), "acosh": ((), (1.5, 50)),
    "elu": ((("slope", 0.7),), (-9, 9)), "gelu": ((("approximate", False),), (-9, 9)), "sigmoid": ((), (-9, 9)),
    "celu": ((("alpha", 2.0), ("alpha_recip", 0.5)), (-9, 9)), "silu": ((), (-9, 9)),
    "selu": ((("scale", 1.0507), ("alpha", 1.67326)), (-9, 9)),
    "softplus": ((("beta", 2.0), ("beta_reciprocal", 0.5), ("threshold", 20.0)), (-9, 9)), "softsign": ((), (-50, 50)),
    "hardsigmoid": ((), (-9, 9)), "round": ((("decimals", 1),), (-50, 50)),
}  # fmt: skip
_SMOOTH = ("exp", "tanh", "sin", "cos", "sigmoid", "atan", "softsign", "silu", "gelu", "elu")


class Author:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.tensors: list[TensorSpec] = []
        self.inputs: list[Port] = []
        self.inner: list[Inner] = []
        self.outputs: list[Port] = []
        self.body: list[Instr] = []
        self.values: list[Value] = []
        self.count = 0
        self.inexact: set[str] = set()
        self.wide = self.random.choice(("int32", "uint32"))

    # --- small choices ----------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *options: Any) -> Any:
        return self.random.choice(options)

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def dtype(self, integer: bool) -> str:
        if integer:
            return str(self.pick(self.wide, self.wide, "uint16", "uint8"))
        floats = FLOATS if self.tiled else FLOATS[:3]
        return self.random.choices(floats, _FLOAT_WEIGHTS[: len(floats)])[0]

    def style(self) -> Style:
        return self.random.choices(("with", "explicit", "inferred"), (4, 3, 2))[0]  # type: ignore[return-value]

    # --- the program ------------------------------------------------------------------------------------

    def program(self) -> Program:
        """Everything but the final clean-up."""
        self.tiled = self.chance(0.75)
        self.uniform = self.chance(0.4)
        self.grid = (self.random.randint(1, 4), self.random.randint(1, 4)) if self.chance(0.6) else self.pick(
            (1, 1), (1, 2), (2, 1), (2, 2)
        )  # fmt: skip
        self.nodes = prod(self.grid)
        self.integer_program = self.chance(0.25)
        self.padded = self.tiled and self.chance(0.5)
        self.rank = self.pick(2, 2, 2, 3, 4) if self.tiled else self.pick(1, 2, 3)
        self.block = self._block_shape()
        self.blocks, self.items = self._items()
        self.total = prod(self.blocks)
        self.carry = self.echo = ""
        self._add_inputs()
        if self.tiled and self.chance(0.5):
            self._add_inner()
        if self.chance(0.12):
            self._add_barrier()
        self._write_body()
        self._add_outputs()
        if self.chance(0.2):
            self._add_carry()
        return Program(
            seed=self.seed, grid=self.grid, tensors=tuple(self.tensors), inputs=tuple(self.inputs),
            inner=tuple(self.inner), outputs=tuple(self.outputs), body=tuple(self.body), blocks=self.blocks,
            items=self.items, tiled=self.tiled, style=self.style(), group_transfer=self.chance(0.2),
            mesh=self.pick((1, 2), (2, 2), (2, 1)) if self.chance(0.08) else None, carry=self.carry,
            echo=self.echo, inexact=frozenset(self.inexact),
        )  # fmt: skip

    def _block_shape(self) -> Shape:
        if self.tiled:
            outer = tuple(self.pick(1, 1, 2) for _ in range(self.rank - 2))
            side = self.pick(1, 1, 2)
            return (*outer, side, side if self.chance(0.5) else self.pick(1, 2, 3))
        return tuple(self.random.choice((1, 2, 3, 8, 31)) for _ in range(self.rank - 1)) + (
            self.pick(1, 7, 16, 32, 33),
        )

    def _items(self) -> tuple[Shape, str]:
        if self.uniform:
            per_node = self.random.randint(1, 3)
            blocks = (1,) * (self.rank - 1) + (self.nodes * per_node,)
            return blocks, f"range(me * {per_node}, me * {per_node} + {per_node})"
        blocks = tuple(self.random.randint(1, 3) for _ in range(self.rank))
        if self.nodes > 4 and prod(blocks) < self.nodes and self.chance(0.5):
            blocks = (*blocks[:-1], blocks[-1] * 4)
        total = prod(blocks)
        per_node = -(-total // self.nodes)
        return blocks, self.pick(
            f"range(me, {total}, nodes)",
            f"range(min(me * {per_node}, {total}), min(me * {per_node} + {per_node}, {total}))",
            f"range({total} - 1 - me, -1, -nodes)",
        )

    # --- tensors and slices -----------------------------------------------------------------------------

    def _tensor(self, prefix: str, extents: Shape, dtype: str, *, ragged: bool = True, data: str = "") -> TensorSpec:
        """A tensor of whole blocks, or one whose last row and column of tiles are cut."""
        shape = list(extents)
        if self.tiled:
            shape[-2:] = [shape[-2] * 32, shape[-1] * 32]
            for axis in (-1, -2):
                if ragged and self.padded and self.chance(0.6):
                    shape[axis] -= self.pick(0, 1, 16, 31, self.random.randint(0, 31))
                if dtype.startswith("bfloat") and dtype != "bfloat16" and axis == -1:
                    shape[axis] = -(-shape[axis] // 16) * 16
        spec = TensorSpec(
            name=self.name(prefix), shape=tuple(shape), dtype=dtype, tiled=self.tiled,
            data=data or ("whole" if self.chance(0.7) else "real"), seed=self.random.randint(0, 2**31),
        )  # fmt: skip
        self.tensors.append(spec)
        return spec

    def _bounds(self, position: str, extent: int, blocks: int, axis_of: int) -> str:
        """The text of one index: a slice, or a number where that is the same."""
        if blocks == 1 and position == "0":
            return ":" if self.chance(0.4) else f"0:{extent}"
        if extent == 1 and self.chance(0.5):
            return position
        if extent == 1:
            return f"{position}:{position} + 1"
        return f"{position} * {extent}:({position} + 1) * {extent}"

    def _following(self, block: Shape, axes: tuple[int | None, ...]) -> tuple[Shape, str]:
        """Extents of a tensor whose axis n follows the block grid's axis ``axes[n]``, and the index of an item."""
        extents, texts = [], []
        for extent, axis in zip(block, axes, strict=True):
            blocks = 1 if axis is None else self.blocks[axis]
            extents.append(extent * blocks)
            texts.append(self._bounds("0" if axis is None else f"q{axis}", extent, blocks, 0))
        return tuple(extents), ", ".join(texts)

    def _value_of(self, name: str, tensor: TensorSpec, block: Shape) -> Value:
        integer = not is_float(tensor.dtype)
        whole = integer or tensor.data == "whole"
        return Value(
            name=name, shape=block, integer=integer, dtype=tensor.dtype if integer else "", whole=whole,
            bound={"whole": 4.0, "real": 4.0, "wide": 2.0**32, "edge": float("inf")}[tensor.data],
            finite=tensor.data != "edge",
        )  # fmt: skip

    def _add_inputs(self) -> None:
        for _ in range(self.random.randint(1, 3)):
            integer = self.integer_program if self.chance(0.85) else not self.integer_program
            self._add_input(integer)
        if self.chance(0.2):  # one tensor under two names
            port = self.random.choice(self.inputs)
            again = replace(self._spec(port.tensor), name=self.name("alias"), same_as=port.tensor)
            self.tensors.append(again)
            self._finish_input(again, port.block, port.index, port.delivery)

    def _spec(self, name: str) -> TensorSpec:
        return next(each for each in self.tensors if each.name == name)

    def _add_input(self, integer: bool) -> None:
        dtype = self.dtype(integer)
        data = self.pick("wide", "whole") if integer else self.random.choices(("", "edge"), (9, 1))[0]
        every = tuple(range(self.rank))
        form = self.random.random()
        delivery: Any = "direct"
        if self.uniform and self.chance(0.6):
            delivery = self.pick("row", "column", "all")
            steps = self.total // self.nodes
            extents: Shape = (self.total, *self.block)
            index = f"me * {steps} + j" + ", :" * self.rank
            tensor = self._tensor("a", extents, dtype, data=data)
            self._finish_input(tensor, self.block, index, delivery)
            return
        block = self.block
        axes: tuple[int | None, ...] = every
        if self.tiled and form < 0.35:  # a row, a column or a single tile, to be broadcast
            axis = self.pick(-1, -2, None)
            spread = {self.rank - 1, self.rank - 2} if axis is None else {axis % self.rank}
            block = tuple(1 if at in spread else extent for at, extent in enumerate(block))
            axes = tuple(None if at in spread else at for at in every)
        elif self.tiled and self.rank == 2 and form < 0.45:
            block, axes = block[::-1], (1, 0)
        elif self.rank > 2 and form < 0.5:  # without the outermost dimensions
            block, axes = block[1:], every[1:]
        extents, index = self._following(block, axes)
        lead = self.chance(0.2)
        if lead:
            count = self.random.randint(1, 3)
            extents, index = (count, *extents), f"{self.random.randrange(count)}, {index}"
        self._finish_input(self._tensor("a", extents, dtype, data=data), block, index, delivery)

    def _finish_input(self, tensor: TensorSpec, block: Shape, index: str, delivery: Any) -> None:
        loopback = delivery == "all" or self.chance(0.5)
        if delivery == "row" and self.grid[0] == 1 or delivery == "column" and self.grid[1] == 1:
            loopback = True
        port = Port(
            name=f"in_{tensor.name}", tensor=tensor.name, block=block, index=index,
            block_count=self.random.randint(1, 4), style=self.style(), kernel=self.pick("read", "read", "write"),
            delivery=delivery, loopback=loopback,
        )  # fmt: skip
        self.inputs.append(port)
        self.values.append(self._value_of(port.name, tensor, block))

    def _add_inner(self) -> None:
        """An accumulation: a product of matrices along K, or a sum over blocks."""
        dtype = self.dtype(False)
        count = self.random.randint(1, 4)
        kernel = self.pick("read", "read", "write")
        name = self.name("k")
        exact = True
        if self.uniform and self.chance(0.5):
            steps = self.total // self.nodes
            tensor = self._tensor("b", (self.total, *self.block), dtype)
            form = self.pick("sum", "max", "rest")
            ports: tuple[Port, ...] = (
                Port(
                    name=f"in_{tensor.name}", tensor=tensor.name, block=self.block,
                    index=f"me * {steps} + j" + ", :" * self.rank, block_count=self.random.randint(1, 3),
                    kernel=kernel, delivery=self.pick("ring", "gather"),
                ),
            )  # fmt: skip
            count = self.nodes if ports[0].delivery == "ring" else self.grid[0]
            shape, bound, tensors = self.block, 4.0 * self.nodes, [tensor]
        elif self.chance(0.6):
            form, depth = self.pick("matmul", "matmul", "matmul_left"), self.pick(1, 1, 2)
            *outer, rows, columns = self.block
            *grid, down, across = self.blocks
            heads = [self._bounds(f"q{axis}", e, b, 0) for axis, (e, b) in enumerate(zip(outer, grid))]
            outer_extents = [e * b for e, b in zip(outer, grid)]
            a = self._tensor("b", (*outer_extents, rows * down, depth * count), dtype)
            b = self._tensor("b", (*outer_extents, depth * count, columns * across), self.dtype(False))
            # Where K ends is padding in both operands.
            b = self._replace(b, shape=(*b.shape[:-2], a.shape[-1], b.shape[-1]))
            row = self._bounds(f"q{self.rank - 2}", rows, down, 0)
            column = self._bounds(f"q{self.rank - 1}", columns, across, 0)
            inner = self._bounds("k", depth, count, 0)
            ports = tuple(
                Port(
                    name=f"in_{tensor.name}", tensor=tensor.name, block=block, index=", ".join(index),
                    block_count=self.random.randint(1, 3), style=self.style(), kernel=kernel,
                )
                for tensor, block, index in (
                    (a, (*outer, rows, depth), (*heads, row, inner)),
                    (b, (*outer, depth, columns), (*heads, inner, column)),
                )
            )  # fmt: skip
            shape, bound, tensors = self.block, 16.0 * 32 * depth * count, [a, b]
        else:
            form = self.pick("sum", "product", "max", "rest")
            tensors, found = [], []
            for _ in range(2 if form == "product" else 1):
                extents, index = self._following(self.block, tuple(range(self.rank)))
                tensor = self._tensor("b", (count, *extents), dtype)
                tensors.append(tensor)
                found.append(
                    Port(
                        name=f"in_{tensor.name}", tensor=tensor.name, block=self.block, index=f"k, {index}",
                        block_count=self.random.randint(1, 3), style=self.style(), kernel=kernel,
                    )
                )  # fmt: skip
            ports, shape, bound = tuple(found), self.block, 16.0 * count
        whole = all(tensor.data == "whole" for tensor in tensors)
        exact = whole or not form.startswith("matmul")
        through = ""
        if self.chance(0.3) and form in ("sum", "product", "matmul"):
            through = tensors[0].name
            exact = exact and whole
            if any(t.dtype in ("bfloat8_b", "bfloat4_b") for t in tensors):
                through = ""
        self.inner.append(Inner(name=name, form=form, ports=ports, count=count, shape=shape, through=through))
        self.values.append(Value(name=name, shape=shape, whole=whole, bound=bound, exact=exact))

    def _replace(self, spec: TensorSpec, **changes: Any) -> TensorSpec:
        changed = replace(spec, **changes)
        self.tensors[self.tensors.index(spec)] = changed
        return changed

    def _add_barrier(self) -> None:
        """Each node reads what its neighbour wrote before the barrier."""
        dtype = self.dtype(self.integer_program)
        extents = (self.nodes, *self.block)
        spec = self._tensor("source", extents, dtype, ragged=False)
        self._replace(spec, name="source")
        self.tensors.append(replace(spec, name="scratch", data="whole", seed=0))
        tensor = self._spec("scratch")
        port = Port(
            name="in_scratch", tensor="scratch", block=self.block,
            index=f"(me + {self.random.randint(1, self.nodes)}) % nodes, ...", kernel="read",
        )  # fmt: skip
        self.inputs.append(port)
        self.values.append(replace(self._value_of(port.name, tensor, self.block), whole=spec.data == "whole"))

    # --- statements -------------------------------------------------------------------------------------

    def _emit(self, result: Value, op: str, *args: Any, **params: Any) -> Value:
        self.body.append(
            Instr(
                name=result.name, kind="op", op=op, args=args, params=tuple(params.items()), shape=result.shape,
                integer=result.integer,
            )
        )  # fmt: skip
        return self._checked(result)

    def _checked(self, value: Value) -> Value:
        """Keep magnitudes where arithmetic stays exact, or at least finite."""
        limit = _INT_LIMIT if value.integer else _LARGEST_EXACT
        self.values.append(value)
        if value.bound < limit or value.bound == float("inf") and self.chance(0.5):
            return value
        return self._clamped(value, -8, 8)

    def _clamped(self, value: Value, low: float, high: float) -> Value:
        whole = value.whole and low == int(low) and high == int(high)
        result = replace(value, name=self.name("t"), bound=max(abs(low), abs(high)), whole=whole)
        return self._emit(result, self.pick("clamp", "clamp", "hardtanh") if not value.integer else "clamp",
                          value.name, min=low, max=high)  # fmt: skip

    def _write_body(self) -> None:
        steps = self.random.choice((2, 4, 8, 12, 16, 20))
        for _ in range(steps):
            self._step()
        if self.chance(0.12):
            self._chain()

    def _step(self) -> None:
        unused = self._unused()
        value = self.random.choice(unused if unused and self.chance(0.5) else self.values)
        choice = self.random.random()
        if choice < 0.03:
            self._fill(value)
        elif choice < 0.4:
            self._binary(value)
        elif choice < 0.62:
            self._unary(value)
        elif choice < 0.68:
            self._select(value)
        elif choice < 0.9 and self.tiled:
            self._shape(value)
        elif choice < 0.93:
            self._typecast(value)
        elif choice < 0.97:
            self._through(value)
        else:
            self._overwrite()

    def _fill(self, value: Value) -> None:
        """A block of one number, which takes the element type of the value it is combined with."""
        number = self._number(value)
        filled = replace(value, name=self.name("t"), whole=number == int(number), bound=abs(number), exact=True,
                         finite=True, inner=frozenset())  # fmt: skip
        self._emit(filled, "fill", value=number, shape=value.shape)
        self.values.remove(filled)
        result = self._joined(value, filled, value.bound + abs(number))
        self._emit(result, self.pick("add", "max"), *self.random.sample([value.name, filled.name], 2))

    def _unused(self) -> list[Value]:
        """Values that nothing was made of yet."""
        used = {arg for instr in self.body for arg in instr.args}
        return [value for value in self.values if value.name not in used]

    def _partner(self, value: Value) -> Value | None:
        fits = [each for each in self.values if each.same_kind(value) and self._types_mix(each, value)]
        unused = [each for each in self._unused() if each in fits and each.name != value.name]
        fits = unused if unused and self.chance(0.6) else fits
        return self.random.choice(fits) if fits else None

    def _types_mix(self, a: Value, b: Value) -> bool:
        return not a.integer or not b.integer or {a.dtype, b.dtype} != {"int32", "uint32"}

    def _joined(self, a: Value, b: Value, bound: float, **changes: Any) -> Value:
        dtype = ""
        if a.integer:
            width = {"uint8": 8, "uint16": 16, "int32": 32, "uint32": 32}
            dtype = a.dtype if width[a.dtype] >= width[b.dtype] else b.dtype
        base = Value(
            name=self.name("t"), shape=a.shape, integer=a.integer, dtype=dtype, whole=a.whole and b.whole,
            bound=bound, exact=a.exact and b.exact, finite=a.finite and b.finite, inner=a.inner,
        )  # fmt: skip
        return replace(base, **changes)

    def _number(self, value: Value) -> float:
        return self.random.randint(-3, 3) if value.integer or self.chance(0.5) else self.pick(0.5, -1.25, 2.0, 0.1)

    def _binary(self, value: Value) -> None:
        other = self._partner(value) or value
        exact = value.exact and other.exact
        smooth = ["add", "add", "sub", "mul", "max", "min", "rsub"]
        rough = ["floordiv", "mod", self.pick("eq", "ne", "lt", "le", "gt", "ge")]
        if value.integer:
            options = [*smooth, *rough, "xor"]
        else:
            options = smooth + (["truediv", *rough] if exact else [])
        op = self.random.choice(options)
        if self.chance(0.3):  # a number on either side
            number = self._number(value)
            if op in ("truediv", "floordiv", "mod") and number == 0:
                number = 2
            whole = value.whole and number == int(number)
            other = replace(value, bound=abs(number), whole=whole, exact=True, finite=True, inner=value.inner)
            args: tuple[Any, ...] = (value.name, number)
            if op not in ("rsub", "floordiv", "mod") and self.chance(0.4):
                args = (number, value.name)
        else:
            args = (value.name, other.name)
        a, b = value.bound, other.bound
        match op:
            case "add" | "sub" | "rsub":
                result = self._joined(value, other, a + b)
            case "mul":
                # An infinity times zero is no number.
                result = self._joined(value, other, a * b if a and b else max(a, b))
            case "max" | "min":
                result = self._joined(value, other, max(a, b))
            case "xor":
                result = self._joined(value, other, 2.0 ** (max(a, b) + 1).__ceil__().bit_length())
            case "truediv":
                result = self._joined(value, other, float("inf"), whole=False, finite=False)
            case "floordiv" | "mod":
                result = self._joined(value, other, max(a, b) + 1 if value.integer else float("inf"))
                if not value.integer:
                    result = replace(result, whole=False, finite=False)
            case _:
                result = self._joined(value, other, 1, whole=True, finite=True)
        if op in ("xor", "mod") and not value.integer and a == float("inf"):
            return
        self._emit(result, op, *args)

    def _unary(self, value: Value) -> None:
        if value.integer:
            self._unary_integer(value)
            return
        if self.chance(0.45) or not value.exact:
            self._inexact(value)
            return
        base = replace(value, name=self.name("t"))
        op = self.pick(
            "abs", "neg", "square", "sqrt", "recip", "relu", "relu_max", "relu_min", "leaky_relu", "prelu", "hardtanh",
            "threshold", "sign", "signbit", "floor", "ceil", "trunc", "frac", "pow",
        )  # fmt: skip
        match op:
            case "abs" | "neg" | "relu" | "floor" | "ceil" | "trunc":
                result = replace(base, bound=value.bound + 1)
                self._emit(result, op, value.name)
            case "square":
                self._emit(replace(base, bound=value.bound**2), op, value.name)
            case "pow":
                exponent = self.random.randint(1, 3)
                self._emit(replace(base, bound=min(value.bound, 1e9) ** exponent), op, value.name, exponent)
            case "sqrt":
                positive = self._emit(replace(base, bound=value.bound), "abs", value.name)
                root = replace(positive, name=self.name("t"), whole=False)
                self._emit(root, op, positive.name)
            case "recip":
                self._emit(replace(base, bound=float("inf"), whole=False, finite=False), op, value.name)
            case "relu_max":
                self._emit(replace(base, bound=6), op, value.name, upper_limit=6)
            case "relu_min":
                self._emit(replace(base, bound=max(value.bound, 2)), op, value.name, lower_limit=2)
            case "leaky_relu":
                self._emit(replace(base, whole=False), op, value.name, slope=0.25)
            case "prelu":
                self._emit(replace(base, whole=False), op, value.name, alpha=0.3)
            case "hardtanh":
                self._clamped(value, -3, 2)
            case "threshold":
                self._emit(replace(base, bound=max(value.bound, 7)), op, value.name, threshold=1, value=7)
            case "frac":
                self._emit(replace(base, bound=1, whole=False), op, value.name)
            case _:
                self._emit(replace(base, bound=1, finite=True, whole=value.finite), op, value.name)

    def _unary_integer(self, value: Value) -> None:
        base = replace(value, name=self.name("t"))
        op = self.pick("abs", "neg", "square", "relu", "relu_max", "relu_min", "threshold", "sign", "signbit", "clamp")
        match op:
            case "square":
                self._emit(replace(base, bound=value.bound**2), op, value.name)
            case "relu_max":
                self._emit(replace(base, bound=6), op, value.name, upper_limit=6)
            case "relu_min":
                self._emit(replace(base, bound=max(value.bound, 2)), op, value.name, lower_limit=2)
            case "threshold":
                self._emit(replace(base, bound=max(value.bound, 7)), op, value.name, threshold=1, value=7)
            case "clamp":
                self._clamped(value, -100, 1000)
            case "sign" | "signbit":
                self._emit(replace(base, bound=1), op, value.name)
            case _:
                self._emit(base, op, value.name)

    def _inexact(self, value: Value) -> None:
        op = self.pick(*_SMOOTH) if not value.exact else self.pick(*_INEXACT)
        params, (low, high) = _INEXACT[op]
        inside = self._clamped(value, low, high)
        result = replace(
            inside, name=self.name("t"), whole=False, exact=False, bound=3000.0 if op.startswith("exp") else 60.0
        )
        self._emit(result, op, inside.name, **dict(params))

    def _select(self, value: Value) -> None:
        conditions = [
            each for each in self.values if each.shape == value.shape and each.inner == value.inner and each.exact
        ]
        if not conditions:
            return
        condition = self.random.choice(conditions)
        if self.chance(0.4):
            op = "mask" if value.integer or self.chance(0.7) else "mask_posinf"
            result = replace(value, name=self.name("t"))
            if op == "mask_posinf":
                result = replace(result, bound=float("inf"), finite=False)
            self._emit(result, op, value.name, condition.name)
            return
        other = self._partner(value) or value
        result = self._joined(value, other, max(value.bound, other.bound))
        if self.chance(0.3):
            number = self._number(value)
            whole = value.whole and number == int(number)
            result = replace(value, name=self.name("t"), bound=max(value.bound, abs(number)), whole=whole)
            args: tuple[Any, ...] = (condition.name, *self.random.sample([value.name, number], 2))
        else:
            args = (condition.name, value.name, other.name)
        self._emit(result, "where", *args)

    def _shape(self, value: Value) -> None:
        options = ["reduce", "reduce", "transpose", "unsqueeze", "squeeze", "broadcast", "broadcast", "matmul", "matmul"]
        match self.random.choice(options):
            case "reduce":
                self._reduce(value)
            case "transpose" if len(value.shape) == 2:
                turned = frozenset(-3 - dim for dim in value.inner)
                self._emit(
                    replace(value, name=self.name("t"), shape=value.shape[::-1], inner=turned), "transpose", value.name
                )
            case "unsqueeze" if len(value.shape) < 4:
                self._unsqueeze(value)
            case "squeeze":
                self._squeeze(value)
            case "matmul":
                self._matmul(value)
            case _:
                self._broadcast(value)

    def _reduce(self, value: Value) -> None:
        if value.inner:
            self._broadcast(value)
            return
        rank = len(value.shape)
        dims = self.random.sample(range(-rank, 0), self.random.randint(1, 2))
        shape = tuple(1 if axis - rank in dims else extent for axis, extent in enumerate(value.shape))
        op = self.pick("reduce_sum", "reduce_max")
        count = prod(
            extent * (32 if axis >= rank - 2 else 1) for axis, extent in enumerate(value.shape) if axis - rank in dims
        )
        result = replace(value, name=self.name("t"), shape=shape, inner=frozenset(dims) & {-1, -2})
        if op == "reduce_sum":
            bound = value.bound * count
            small = value.integer or (value.whole and bound < _LARGEST_EXACT)
            result = replace(result, bound=bound, exact=value.exact and small)
            if value.integer and bound > 2.0**62 or not value.finite:
                return
        given = [dim if self.chance(0.5) else dim + rank for dim in dims]
        params = {"shape": shape} if self.chance(0.5) else {}
        self._emit(result, op, value.name, dims=given, **params)

    def _broadcast(self, value: Value) -> None:
        rank = len(value.shape)
        dims = [dim for dim in range(-rank, 0) if value.shape[dim] == 1 and (dim in value.inner or self.chance(0.7))]
        if not dims or value.inner - set(dims):
            return
        # Mostly to a shape that something else has.
        fits = [
            each.shape
            for each in self.values
            if len(each.shape) == rank
            and all(each.shape[dim] == value.shape[dim] for dim in range(-rank, 0) if dim not in dims)
        ]
        shape = self.random.choice(fits) if fits else value.shape
        result = replace(value, name=self.name("t"), shape=shape, inner=frozenset())
        given = [dim if self.chance(0.5) else dim + rank for dim in dims]
        self._emit(result, "broadcast", value.name, dims=given, shape=shape)

    def _unsqueeze(self, value: Value) -> None:
        rank = len(value.shape) + 1
        moves_tiles = not self.padded and not value.inner and self.chance(0.3)
        position = self.random.randint(0, rank - 1) if moves_tiles else self.random.randint(0, rank - 3)
        shape = (*value.shape[:position], 1, *value.shape[position:])
        given = position if self.chance(0.5) else position - rank
        self._emit(replace(value, name=self.name("t"), shape=shape), "unsqueeze", value.name, dims=[given])

    def _squeeze(self, value: Value) -> None:
        rank = len(value.shape)
        last = rank if not self.padded and not value.inner else rank - 2
        ones = [axis for axis in range(last) if value.shape[axis] == 1]
        if rank < 3 or not ones:
            return
        axis = self.random.choice(ones)
        shape = (*value.shape[:axis], *value.shape[axis + 1 :])
        given = axis if self.chance(0.5) else axis - rank
        self._emit(replace(value, name=self.name("t"), shape=shape), "squeeze", value.name, dims=[given])

    def _matmul(self, value: Value) -> None:
        if value.integer or value.inner or not value.finite:
            return
        fits = [
            each
            for each in self.values
            if not each.integer and not each.inner and each.finite
            and each.shape[:-2] == value.shape[:-2] and each.shape[-2:-1] == value.shape[-1:]
        ]  # fmt: skip
        if not fits and len(value.shape) == 2:
            turned = replace(value, name=self.name("t"), shape=value.shape[::-1])
            fits = [self._emit(turned, "transpose", value.name)]
        if not fits:
            return
        other = self.random.choice(fits)
        bound = value.bound * other.bound * 32 * value.shape[-1]
        whole = value.whole and other.whole
        exact = value.exact and other.exact and whole and bound < _LARGEST_EXACT
        result = self._joined(value, other, bound, exact=exact, shape=(*value.shape[:-1], other.shape[-1]))
        product = self._emit(result, "matmul", value.name, other.name)
        if self.chance(0.5):  # more of the chain
            total = self._joined(product, product, 2 * product.bound)
            self._emit(total, "add", product.name, product.name)

    def _typecast(self, value: Value) -> None:
        if value.integer and self.chance(0.5):
            target = self.dtype(False)
            result = replace(value, name=self.name("t"), integer=False, dtype="", bound=min(value.bound, 1e9))
            if not value.bound < 2**7:  # converted to a float that need not hold it
                result = replace(result, whole=value.bound < 2**24)
            self._emit(result, "typecast", value.name, dtype=target)
        elif value.integer or (value.exact and value.finite and value.bound < 2**30):
            target = self.dtype(True)
            bound = {"uint8": 2.0**8, "uint16": 2.0**16, "int32": 2.0**31, "uint32": 2.0**32}[target]
            result = replace(value, name=self.name("t"), integer=True, dtype=target, bound=bound, whole=True)
            self._emit(result, "typecast", value.name, dtype=target)
        elif value.exact:
            self._emit(replace(value, name=self.name("t"), whole=False), "typecast", value.name, dtype=self.dtype(False))

    def _like(self, value: Value) -> TensorSpec | None:
        """A tensor whose element type a block of this value may have."""
        fits = [t for t in self.tensors if is_float(t.dtype) is not value.integer and t.tiled is self.tiled]
        fits = [t for t in fits if not value.integer or t.dtype in (self.wide, "uint16", "uint8")]
        return self.random.choice(fits) if fits else None

    def _stored(self, value: Value, name: str, dtype: str) -> Value:
        if value.integer:
            bound = {"uint8": 2.0**8, "uint16": 2.0**16, "int32": 2.0**31, "uint32": 2.0**32}[dtype]
            return replace(value, name=name, dtype=dtype, bound=bound)
        whole = value.whole and (dtype == "float32" or value.bound <= 128 and dtype in ("bfloat16", "float16"))
        inner = value.inner
        return replace(value, name=name, whole=whole, inner=inner)

    def _through(self, value: Value) -> None:
        like = self._like(value)
        if like is None or (not value.exact and like.dtype in ("bfloat8_b", "bfloat4_b")):
            return
        name = self.name("m")
        self.body.append(
            Instr(
                name=name, kind="through", args=(value.name,), target=like.name, shape=value.shape,
                count=self.random.randint(1, 3), integer=value.integer,
            )
        )  # fmt: skip
        stored = self._stored(value, name, like.dtype)
        self.values.append(stored)
        if not value.exact and not value.integer:
            return

    def _overwrite(self) -> None:
        """Store into an input's block after it was read; from then on it holds the new value."""
        names = {port.name for port in self.inputs}
        fits = [value for value in self.values if value.name in names]
        if not fits:
            return
        old = self.random.choice(fits)
        if not old.exact:
            return
        dtype = self._spec(next(port.tensor for port in self.inputs if port.name == old.name)).dtype
        if dtype in ("bfloat8_b", "bfloat4_b"):
            return
        changed = self._emit(replace(old, name=self.name("t"), bound=2 * old.bound), "add", old.name, old.name)
        name = self.name("w")
        self.body.append(
            Instr(name=name, kind="overwrite", args=(changed.name,), target=old.name, shape=old.shape,
                  integer=old.integer)
        )  # fmt: skip
        self.values = [value for value in self.values if value.name != old.name]
        new = self._stored(changed, name, dtype)
        self.values.append(new)
        self._emit(replace(new, name=self.name("t"), bound=new.bound + 1), "add", name, 1)

    def _chain(self) -> None:
        """More than 300 operations in one expression."""
        value = self.random.choice(self.values)
        other = self._partner(value)
        if other is None or value.bound == float("inf") or not value.finite or not other.finite:
            return
        forms = ["step", "flip"] if value.integer else list(LOOPS)
        form = self.random.choice(forms)
        if form == "blend" and max(value.bound, other.bound) > 1e5:
            return
        count = self.random.randint(290, 560)
        bound = {"add": value.bound + count * other.bound, "blend": 2 * other.bound + value.bound,
                 "step": value.bound + other.bound + count, "flip": value.bound + other.bound}.get(
            form, value.bound + other.bound
        )  # fmt: skip
        whole = value.whole and other.whole and form in ("add", "step", "flip")
        result = self._joined(value, other, bound, whole=whole)
        self.body.append(
            Instr(name=result.name, kind="loop", op=form, args=(value.name, other.name), count=count,
                  shape=result.shape, integer=result.integer)
        )  # fmt: skip
        self._checked(result)

    # --- outputs ----------------------------------------------------------------------------------------

    def _add_outputs(self) -> None:
        count = self.random.randint(1, 4)
        for number in range(count):
            unused = self._unused()
            self._add_output(self.random.choice(unused if unused and (number == 0 or self.chance(0.7)) else self.values))

    def _add_output(self, value: Value) -> None:
        dtype = self.dtype(value.integer)
        if value.integer and dtype not in (self.wide, "uint16", "uint8"):
            return
        if not value.exact and dtype in ("bfloat8_b", "bfloat4_b"):
            dtype = "bfloat16"
        tensor, index = self._output_tensor(value, dtype)
        port = Port(
            name=f"out_{tensor.name}", tensor=tensor.name, block=value.shape, index=index,
            block_count=self.random.randint(1, 4), style=self.style(), kernel="write",
        )  # fmt: skip
        self.outputs.append(port)
        if not value.exact:
            self.inexact |= {tensor.name, tensor.same_as or tensor.name}
            if self.echo == port.name:
                self.inexact.add("echo")
        name = self.name("s")
        self.body.append(
            Instr(name=name, kind="store", args=(value.name,), target=port.name, shape=value.shape,
                  integer=value.integer)
        )  # fmt: skip
        for _ in range(self.random.choices((0, 1, 2), (6, 2, 1))[0]):
            more = self._partner(value)
            if more is None or not more.exact or not value.exact:
                break
            again = self.name("s")
            self.body.append(
                Instr(name=again, kind="iadd", args=(name, more.name), target=port.name, shape=value.shape,
                      integer=value.integer)
            )  # fmt: skip
            name = again
        if self.chance(0.2) and value.exact:  # what was stored is an operand of what follows
            self.values.append(replace(self._stored(value, name, dtype), bound=max(4 * value.bound, 2.0**9)))

    def _output_tensor(self, value: Value, dtype: str) -> tuple[TensorSpec, str]:
        rank = len(value.shape)
        shared = [
            (port, self._spec(port.tensor))
            for port in self.inputs
            if port.block == value.shape and port.delivery == "direct" and port.tensor != "scratch"
            and all(f"q{axis}" in port.index for axis in range(self.rank) if self.blocks[axis] > 1)
        ]  # fmt: skip
        shared = [
            (port, spec)
            for port, spec in shared
            if spec.dtype == dtype and not spec.same_as and sum(p.tensor == spec.name for p in self.inputs) == 1
            and not any(t.same_as == spec.name for t in self.tensors)
            and not any(p.tensor == spec.name for p in self.outputs)
        ]  # fmt: skip
        if shared and self.chance(0.5):  # in place: each item reads its block before it writes it
            port, spec = self.random.choice(shared)
            if self.chance(0.5):
                return spec, port.index
            again = replace(spec, name=self.name("alias"), same_as=spec.name)
            self.tensors.append(again)
            return again, port.index
        if rank == self.rank and self.chance(0.7):
            axes = tuple(range(rank))
            extents, index = self._following(value.shape, axes)
            tensor = self._tensor("y", extents, dtype, data="whole")
            return tensor, index
        tensor = self._tensor("y", (self.total, *value.shape), dtype, data="whole")
        if not self.echo and self.chance(0.4):
            self.echo = f"out_{tensor.name}"
            self.tensors.append(replace(tensor, name="echo"))
        return tensor, "item" + ", :" * rank

    def _add_carry(self) -> None:
        """A value that goes round through a buffer from item to item."""
        fits = [value for value in self.values if value.exact and not value.inner and self._like(value) is not None]
        if not fits:
            return
        value = self.random.choice(fits)
        like = self._like(value)
        assert like is not None
        if not value.integer and like.dtype in ("bfloat8_b", "bfloat4_b"):
            return
        self.carry = like.name
        old, new = self.name("c"), self.name("t")
        limits = (0, 50) if value.integer else (-50, 50)
        inside, total = self.name("t"), self.name("t")
        shape, integer = value.shape, value.integer
        halved = Instr(name=new, kind="op", op="floordiv" if integer else "mul", args=(old, 2 if integer else 0.5),
                       shape=shape, integer=integer)  # fmt: skip
        self.body += [
            Instr(name=old, kind="carry", shape=shape, integer=integer),
            Instr(name=inside, kind="op", op="clamp", args=(value.name,),
                  params=(("min", limits[0]), ("max", limits[1])), shape=shape, integer=integer),
            halved,
            Instr(name=total, kind="op", op="add", args=(new, inside), shape=shape, integer=integer),
            Instr(name=self.name("o"), kind="carry_out", args=(total,), shape=shape, integer=integer,
                  count=self.random.randint(2, 4)),
        ]  # fmt: skip
        extents = (self.nodes, *shape)
        spec = self._tensor("last", extents, like.dtype, ragged=False, data="whole")
        self._replace(spec, name="last")


def generate(seed: int) -> Program:
    """The program of a seed."""
    return Author(seed).program()
