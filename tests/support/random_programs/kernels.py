"""Random compute kernels: expressions of blocks in loops and branches, with the blocks that arrive.

Values are small whole numbers as long as nothing but exact operations made them, so that the order of sums does not
matter; only such values are compared, rounded and chosen by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from support.block_kernels import random_blocks
from support.ir_blocks import Blocks
from support.ir_execution import operation_of, types_of
from support.random_programs.block_expressions import Expressions, Value


@dataclass(frozen=True)
class Case:
    """A kernel and what it gets."""

    module: ModuleOp
    inputs: Blocks
    # The largest element of anything, where everything is exact.
    bound: float | None


class Maker(Expressions):
    """Makes one case."""

    def case(self) -> Case:
        """The case of the seed."""
        for _ in range(self.choose.randint(1, 2)):
            if self.chance(0.25):
                self.turns = self.choose.randint(2, 3)
                self.author.loop(self.turns, [], self._scene)
                self.turns = 1
            else:
                self._scene()
        module = self.author.module()
        types = types_of(operation_of(module))
        inputs = random_blocks(types, self.counts, np.random.default_rng(self.seed), limit=3)
        return Case(module, inputs, self.bound)

    # --- scenes: what a kernel does with some blocks ---

    def _scene(self, *_: SSAValue) -> tuple[()]:
        scenes: list[Callable[[], None]] = [
            self._plain, self._plain, self._plain, self._accumulated, self._carried, self._carried, self._branch,
            self._popped_early, self._twice, self._many, self._used_in_loop, self._held_together, lambda: self._carried(depth=2),
            self._two_carried, self._several_sums, self._several_sums, self._stored_in_branch, self._overwritten, self._accumulated_in_branch,
        ]  # fmt: skip
        with self._inside():
            self.choose.choice(scenes)()
        return ()

    def _plain(self) -> None:
        self._inputs()
        self._send(self._expression(self.choose.randint(1, 7)))

    def _many(self) -> None:
        shape = self._shape()
        total = self._input(shape)
        count = self.choose.randint(6, 16)
        values = [self._input(shape, count=1) for _ in range(count)]
        if self.chance(0.5):
            values = [self._unary(each) for each in values]
        while len(values) > 1:  # as a chain, or as a tree
            left = values.pop(0)
            right = values.pop(self.choose.choice((0, len(values) - 1)))
            values.append(self._pair(self.choose.choice(("add", "mul", "max")), left, right))
        self._send(self._pair("add", total, values[0]))

    def _twice(self) -> None:
        self._inputs()
        value = self._expression(3)
        for _ in range(self.choose.randint(2, 3)):
            self._send(value if self.chance(0.4) else self._expression(self.choose.randint(1, 2), value))

    def _popped_early(self) -> None:
        self._inputs()
        value = self._expression(3)
        if self.held:
            self.author.pop(self.held.pop(0))
        self.pool = [value]  # what else there is may be gone
        self._input(value.shape)
        self._send(self._expression(2, value))

    def _used_in_loop(self) -> None:
        self._inputs()
        value = self._expression(2)

        def body() -> tuple[()]:
            with self._inside(value):
                self._input(value.shape)
                self._send(self._expression(2, value))
            return ()

        self._loop(body)

    def _held_together(self) -> None:
        shape = self._shape()
        count = self.choose.randint(2, 3)
        name = self._dfb(shape, count=count, blocks=count)
        blocks = [self.author.wait(name) for _ in range(count)]
        for block in blocks:
            self.pool.append(Value(self.author.read(block), shape, 3))
        self.held += blocks
        self._send(self._expression(3))

    def _accumulated(self) -> None:
        shape = self._shape()
        block = self.author.reserve(self._output(shape))
        if self.chance(0.2):
            first = self._input(shape)
            self.author.store(first.ssa, block)
        count = self.choose.randint(1, 3)

        def added(times: int) -> None:
            value = self._addend(shape)
            self._note(replace(value, bound=value.bound * times + 3))
            self.author.accumulate(value.ssa, block)

        def body() -> tuple[()]:
            with self._inside():
                added(count)
            return ()

        self._loop(body, count)
        if self.chance(0.3):
            added(count + 1)
        self.author.push(block)

    def _carried(self, depth: int = 1) -> None:
        shape = self._shape()
        first = self._first(shape)
        how = self.choose.choice(("add", "add", "add", "max", "min"))
        count = self.choose.randint(1, 3)
        kept: list[Value] = []

        def body(argument: SSAValue) -> Sequence[SSAValue]:
            return self._loop(step, 2, [Value(argument, shape, 1)]) if depth > 1 else step(argument)

        def step(argument: SSAValue) -> list[SSAValue]:
            with self._inside():
                value = self._addend(shape)
                kept.append(value)
                return [self.author.retype(self.author.apply(how, argument, value.ssa), argument)]

        (result,) = self._loop(body, count, [first])
        bound = first.bound + sum(each.bound for each in kept) * count * 2
        total = Value(result, shape, bound, first.exact and all(each.exact for each in kept))
        self._note(total)
        self.pool.append(total)
        self._send(self._expression(self.choose.randint(0, 3), total))

    def _two_carried(self) -> None:
        shape = self._shape()
        firsts = [self._first(shape), self._first(shape)]

        def body(one: SSAValue, other: SSAValue) -> list[SSAValue]:
            apply = self.author.apply
            with self._inside():
                given = self._input(shape).ssa
                new = apply("max", one, given)
                sums = apply("add", other, apply("sub", given, new))
                return [self.author.retype(new, one), self.author.retype(sums, other)]

        count = self.choose.randint(1, 3)
        results = self._loop(body, count, firsts)
        exact = all(each.exact for each in firsts)
        for result in results:
            value = Value(result, shape, 12.0 * count + 2 * firsts[0].bound + firsts[1].bound, exact)
            self._note(value)
            self._send(value)

    def _several_sums(self) -> None:
        shape = self._shape()
        firsts = [self._first(shape) for _ in range(self.choose.randint(2, 3))]
        if self.chance(0.4):
            firsts[1] = firsts[0]
        nested, crossed = self.chance(0.3), self.chance(0.3)
        count = self.choose.randint(1, 3)
        bound = 0.0

        def turn(*arguments: SSAValue) -> list[SSAValue]:
            nonlocal bound
            with self._inside():
                addends = [self._addend(shape) for _ in arguments]
                if crossed:
                    addends[-1] = Value(arguments[0], shape, 1)
                bound = sum(each.bound for each in addends)
                return [
                    self.author.retype(self.author.apply("add", each, addend.ssa), each)
                    for each, addend in zip(arguments, addends, strict=True)
                ]

        def outer(*arguments: SSAValue) -> Sequence[SSAValue]:
            return self._loop(turn, 2, [Value(each, shape, 1) for each in arguments])

        if self.chance(0.3):  # what the sums begin with is given back before the loop
            self._release()
        results = self._loop(outer if nested else turn, count, firsts)
        turns = 2 * count if nested else count
        most = (sum(each.bound for each in firsts) + turns * bound) * (turns + 1)
        exact = all(each.exact for each in firsts) and self.bound is not None
        values = [Value(each, shape, most, exact) for each in results]
        for value in values:
            self._note(value)
        if self.chance(0.6):
            *others, last = values
            for each in others:
                last = self._made(self._row("add", last, each), last, most * len(values))
            self._send(self._expression(self.choose.randint(0, 2), last))
            return
        for value in values:
            self._send(value)

    def _branch(self) -> None:
        self._inputs()
        value = self._expression(2)

        def one() -> list[SSAValue]:
            with self._inside(value):
                self._input(value.shape)
                found = self._expression(2, value)
                made.append(found if found.shape == value.shape else self._unary(value))
            return [made[-1].ssa]

        made: list[Value] = []
        chosen = self.chance(0.5)

        def other() -> list[SSAValue]:
            if not chosen:  # what arrives in the other way does not
                self.counts |= {name: 0 for name in self.counts if name not in known}
            made.append(self._unary(value))
            return [self.author.retype(made[1].ssa, made[0].ssa)]

        known = [*self.counts]
        (result,) = self.author.when(chosen, one, other)
        both = Value(result, value.shape, max(each.bound for each in made), all(each.exact for each in made))
        self.pool.append(both)
        self._send(self._expression(1, both))

    def _stored_in_branch(self) -> None:
        self._inputs()
        value = self._expression(2)
        block = self.author.reserve(self._output(value.shape))

        self.author.when(
            self.chance(0.5),
            lambda: self.author.store(self._unary(value).ssa, block),
            lambda: self.author.store(value.ssa, block),
        )
        self.author.push(block)

    def _overwritten(self) -> None:
        shape = self._shape()
        self._input(shape)
        block = self.author.reserve(self._output(shape))
        for _ in range(self.choose.randint(1, 3)):
            value = self._expression(1)
            if value.shape == shape:
                self.author.store(value.ssa, block)
                self.pool.append(replace(value, ssa=self.author.read(block)))
        self.author.store(self._unary(self.pool[0]).ssa, block)
        self.author.push(block)

    def _accumulated_in_branch(self) -> None:
        shape = self._shape()
        first = self._input(shape)
        block = self.author.reserve(self._output(shape))
        self.author.store(first.ssa, block)
        added = self._addend(shape)
        self.author.when(self.chance(0.5), lambda: self.author.accumulate(added.ssa, block), list)
        self._note(replace(added, bound=added.bound + 3))
        self.author.push(block)


def make(seed: int) -> Case:
    """The case of a seed."""
    return Maker(seed).case()
