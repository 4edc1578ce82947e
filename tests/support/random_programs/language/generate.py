"""Random correct programs: every choice is drawn from the program's seed."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from support.random_programs.language.accumulations import Accumulations
from support.random_programs.language.choices import Value
from support.random_programs.language.elementwise import Elementwise
from support.random_programs.language.emit import LOOPS
from support.random_programs.language.reference import BLOCK_FLOATS
from support.random_programs.language.shapes import Shapes
from support.random_programs.language.spec import Port, Program, Shape, TensorSpec


class Author(Elementwise, Shapes, Accumulations):
    """Writes one program."""

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
        for _ in range(self.random.choices((0, 1, 2), (10, 9, 1))[0]):
            self._add_inner()
        if self.chance(0.12):
            self._add_barrier()
        if self.chance(0.12):
            self._add_turn()
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

    def _add_inputs(self) -> None:
        for _ in range(self.random.randint(1, 3)):
            integer = self.integer_program if self.chance(0.85) else not self.integer_program
            self._add_input(integer)
        if self.chance(0.2):
            self._add_alias()
        if self.chance(0.2):
            self._add_overlap()

    def _add_input(self, integer: bool) -> None:
        dtype = self.dtype(integer)
        data = self.pick("wide", "whole") if integer else self.random.choices(("", "edge"), (9, 1))[0]
        every = tuple(range(self.rank))
        form = self.random.random()
        delivery: Any = "direct"
        if self.uniform and self.chance(0.6):
            ways = {"x": ("column",), "y": ("row",), "": ("row", "column", "all")}
            delivery = self.pick(*ways[self.ragged_by])
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
        elif self.tiled and self.rank > 2 and form < 0.75:  # repeated along an outer dimension
            axis = self.random.randrange(self.rank - 2)
            block = tuple(1 if at == axis else extent for at, extent in enumerate(block))
            axes = tuple(None if at == axis else at for at in every)
        extents, index = self._following(block, axes)
        lead = self.chance(0.2)
        if lead:
            count = self.random.randint(1, 3)
            extents, index = (count, *extents), f"{self.random.randrange(count)}, {index}"
        self._finish_input(self._tensor("a", extents, dtype, data=data), block, index, delivery)
        if len(block) == self.rank and block != self.block and block[-2:] == self.block[-2:]:
            dims = [self._given(at, self.rank) for at in every if block[at] != self.block[at]]
            self._moved(self.values[-1], "broadcast", self.block, dims=dims, shape=self.block)

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

    def _write_body(self) -> None:
        steps = self.random.choice((2, 4, 8, 12, 16, 20))
        for _ in range(steps):
            self._step()
        if self.chance(0.05):
            self._chain(self.random.randint(290, 560))
        if self.chance(0.15):
            self._share()

    def _step(self) -> None:
        unused = self._unused()
        value = self.random.choice(unused if unused and self.chance(0.5) else self.values)
        choice = self.random.random()
        if choice < 0.03:
            self._fill(value)
        elif choice < 0.4:
            self._binary(value)
        elif choice < 0.6:
            self._unary(value)
        elif choice < 0.65:
            self._select(value)
        elif choice < 0.9 and self.tiled:
            self._shape(value)
        elif choice < 0.93:
            self._typecast(value)
        elif choice < 0.97:
            self._through(value)
        else:
            self._overwrite()

    def _through(self, value: Value) -> None:
        like = self._like(value)
        if like is None or (not value.exact and like.dtype in BLOCK_FLOATS):
            return
        name = self.name("m")
        self._add("through", name, value, value.name, target=like.name, count=self.random.randint(1, 3))
        self.values.append(self._stored(value, name, like.dtype))

    def _overwrite(self) -> None:
        """Store into an input's block after it was read; from then on it holds the new value."""
        names = {port.name for port in self.inputs}
        fits = [value for value in self.values if value.name in names]
        old = self.random.choice(fits) if fits else None
        if old is None or not old.exact:
            return
        dtype = self._spec(next(port.tensor for port in self.inputs if port.name == old.name)).dtype
        if dtype in BLOCK_FLOATS:
            return
        changed = self._emit(
            replace(old, name=self.name("t"), bound=2 * old.bound), "add", old.name, old.name
        )
        name = self.name("w")
        self._add("overwrite", name, old, changed.name, target=old.name)
        self.values = [value for value in self.values if value.name != old.name]
        new = self._stored(changed, name, dtype)
        self.values.append(new)
        self._emit(replace(new, name=self.name("t"), bound=new.bound + 1), "add", name, 1)

    def _share(self) -> None:
        """An expression of some size that more than one other uses."""
        shared = self._chain(self.random.randint(8, 16))
        if shared is None:
            return
        for op in ("max", "min"):
            other = self._partner(shared) or shared
            self._emit(
                self._joined(shared, other, max(shared.bound, other.bound)), op, shared.name, other.name
            )
        self._through(shared)

    def _chain(self, count: int) -> Value | None:
        """``count`` steps in one expression."""
        value = self.random.choice(self.values)
        other = self._partner(value)
        if other is None or value.bound == float("inf") or not value.finite or not other.finite:
            return None
        forms = ["step", "flip"] if value.integer else list(LOOPS)
        form = self.random.choice(forms)
        if form == "add" and not (value.exact and other.exact):
            return None
        if form == "blend" and max(value.bound, other.bound) > 1e5:
            return None
        times, more = {"add": (count, 0), "blend": (2, 0), "step": (1, count)}.get(form, (1, 0))
        bound = value.bound + times * other.bound + more
        whole = value.whole and other.whole and form in ("add", "step", "flip")
        result = self._joined(value, other, bound, whole=whole)
        self._add("loop", result.name, result, value.name, other.name, op=form, count=count)
        return self._checked(result)

    def _add_outputs(self) -> None:
        turn = self._turn_output()
        if turn is not None:
            value, port = turn
            self.outputs.append(port)
            self._add("store", self.name("s"), value, value.name, target=port.name)
        for number in range(self.random.randint(1, 4)):
            unused = self._unused()
            fits = unused if unused and (number == 0 or self.chance(0.7)) else self.values
            self._add_output(self.random.choice(fits))

    def _add_output(self, value: Value) -> None:
        dtype = self.dtype(value.integer)
        if value.integer and dtype not in (self.wide, "uint16", "uint8"):
            return
        if not value.exact and dtype in BLOCK_FLOATS:
            dtype = "bfloat16"
        tensor, index = self._output_tensor(value, dtype)
        port = self._port("out", tensor.name, value.shape, index, most=4, kernel="write")
        self.outputs.append(port)
        if not value.exact:
            self.inexact |= {tensor.name, tensor.same_as or tensor.name}
            if self.echo == port.name:
                self.inexact.add("echo")
        name = self.name("s")
        self._add("store", name, value, value.name, target=port.name)
        for _ in range(self.random.choices((0, 1, 2), (6, 2, 1))[0]):
            more = self._partner(value)
            if more is None or not more.exact or not value.exact:
                break
            again = self.name("s")
            self._add("iadd", again, value, name, more.name, target=port.name)
            name = again
        if self.chance(0.2) and value.exact:  # what was stored is an operand of what follows
            self.values.append(replace(self._stored(value, name, dtype), bound=max(4 * value.bound, 2.0**9)))

    def _output_tensor(self, value: Value, dtype: str) -> tuple[TensorSpec, str]:
        rank = len(value.shape)
        used = [port.tensor for port in (*self.inputs, *self.outputs)]
        shared = [
            (port, spec)
            for port in self.inputs
            if port.block == value.shape and port.delivery == "direct" and port.tensor not in ("scratch", "turn")
            and all(f"q{axis}" in port.index for axis in range(self.rank) if self.blocks[axis] > 1)
            and (spec := self._spec(port.tensor)).dtype == dtype and not spec.same_as and used.count(spec.name) == 1
            and not any(t.same_as == spec.name for t in self.tensors)
        ]  # fmt: skip
        overlapping = {name for spec in self.tensors if spec.overlaps for name in (spec.name, spec.overlaps)}
        overlapped = [(port, spec) for port, spec in shared if spec.name in overlapping]
        if shared and self.chance(0.8 if overlapped else 0.5):
            # In place: each item reads its block before it writes it.
            port, spec = self.random.choice(overlapped or shared)
            if self.chance(0.5):
                return spec, port.index
            again = self._same(spec)
            self.tensors.append(again)
            return again, port.index
        if rank == self.rank and self.chance(0.7):
            extents, index = self._following(value.shape, tuple(range(rank)))
            return self._tensor("y", extents, dtype, data="whole"), index
        tensor = self._tensor("y", (self.total, *value.shape), dtype, data="whole")
        if not self.echo and self.chance(0.4):
            self.echo = f"out_{tensor.name}"
            self.tensors.append(replace(tensor, name="echo"))
        return tensor, "item" + ", :" * rank

    def _add_carry(self) -> None:
        """A value that goes round through a buffer from item to item."""
        exact = [value for value in self.values if value.exact and not value.inner]
        fits = [value for value in exact if self._like(value) is not None]
        if not fits:
            return
        value = self.random.choice(fits)
        like = self._like(value)
        assert like is not None
        if not value.integer and like.dtype in BLOCK_FLOATS:
            return
        self.carry = like.name
        old, new = self.name("c"), self.name("t")
        limits = (0, 50) if value.integer else (-50, 50)
        inside, total = self.name("t"), self.name("t")
        self._add("carry", old, value)
        self._add(
            "op", inside, value, value.name, op="clamp", params=(("min", limits[0]), ("max", limits[1]))
        )
        halving = ("floordiv", 2) if value.integer else ("mul", 0.5)
        self._add("op", new, value, old, halving[1], op=halving[0])
        self._add("op", total, value, new, inside, op="add")
        self._add("carry_out", self.name("o"), value, total, count=self.random.randint(2, 4))
        spec = self._tensor("last", (self.nodes, *value.shape), like.dtype, ragged=False, data="whole")
        self._replace(spec, name="last")


def generate(seed: int) -> Program:
    """The program of a seed."""
    return Author(seed).program()
