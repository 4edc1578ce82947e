"""Random modules of TTIR, valid by construction: shapes, element types, broadcasting, chains, diamonds, calls.

``random_module(seed)`` is always the same module for the same seed. It is text, so that the parser takes part in what it is
used for, and comes with the inputs that its functions want (an index is one of a row that is there).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from support.random_programs.ttir.operations import FURTHER_OPERATIONS, OPERATIONS, Choice
from tt_model.reference.formats import Values

EXTENTS = (1, 2, 3, 4, 5, 8, 31, 32, 33, 40, 64)
LARGEST = 4096
_LAYOUTS = "none|interleaved|single_bank|height_sharded|width_sharded|block_sharded"
CONSTRAINTS = {
    "any": f"system|dram|l1|scalar|tile|{_LAYOUTS}|any_layout|any|any_device|any_device_tile|l1_block_sharded",
    "any_device": f"dram|l1|scalar|tile|{_LAYOUTS}|any_layout|any_device|any_device_tile|l1_block_sharded",
    "any_device_tile": f"dram|l1|tile|{_LAYOUTS}|any_layout|any_device_tile",
}
# Beside ``CONSTRAINTS``: L1, whole and in shards.
FURTHER_CONSTRAINTS = {
    "l1": "l1|tile|interleaved",
    "l1_rows": "l1|scalar|tile|interleaved",
    "l1_height_sharded": "l1|tile|height_sharded",
    "l1_width_sharded": "l1|tile|width_sharded",
    "l1_block_sharded": "l1|tile|block_sharded",
}


@dataclass(frozen=True, slots=True)
class Tensor:
    """A value: its name with the percent sign, shape and element type."""

    name: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def type(self) -> str:
        """As text."""
        return f"tensor<{''.join(f'{extent}x' for extent in self.shape)}{self.dtype}>"


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a function. ``below`` is what its values, as indices, must stay below; 0: any values will do."""

    tensor: Tensor
    below: int = 0

    def values(self, rng: np.random.Generator) -> Values:
        """Random values: indices, small integers, or eighths, of which products and short sums are exact."""
        if self.below:
            return rng.integers(0, self.below, self.tensor.shape).astype(np.float64)
        if self.tensor.dtype.startswith("i"):
            return rng.integers(-9, 10, self.tensor.shape).astype(np.float64)
        return rng.integers(-24, 25, self.tensor.shape) / 8.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """What modules are made of.

    ``constraint`` is a key of ``CONSTRAINTS`` or ``FURTHER_CONSTRAINTS``, or "mixed": one for each operand. ``operations`` are
    names of entries of ``OPERATIONS`` or ``FURTHER_OPERATIONS``, none for all of the first. ``functions`` is how many private functions there are to be called at most.
    ``dtypes`` are the element types of arguments, as often as they are named. ``extents`` are those of arguments, which have up to
    ``largest`` elements.
    """

    constraint: str = "any_device"
    operations: tuple[str, ...] = ()
    length: tuple[int, int] = (1, 12)
    functions: int = 2
    share_destinations: bool = False
    dtypes: tuple[str, ...] = ("f32", "f32", "bf16", "bf16", "i32")
    extents: tuple[int, ...] = EXTENTS
    largest: int = LARGEST


@dataclass(frozen=True, slots=True)
class RandomModule:
    """The text of a module and the arguments of its public functions."""

    seed: int
    text: str
    functions: dict[str, tuple[Argument, ...]] = field(compare=False)

    def inputs(self, function: str) -> list[Values]:
        """Values for the arguments of a public function; the same at every call."""
        rng = np.random.default_rng(self.seed)
        return [argument.values(rng) for argument in self.functions[function]]


def varied_profile(seed: int) -> Profile:
    """A profile with everything that there is: all types, all operations, all memories."""
    choice = random.Random(seed)
    return Profile(
        constraint=choice.choice([*CONSTRAINTS, *FURTHER_CONSTRAINTS, "mixed"]),
        operations=(*OPERATIONS, *FURTHER_OPERATIONS),
        dtypes=("f32", "f32", "bf16", "bf16", "bf16", "i32", "i16", "i8"),
    )


def random_module(seed: int, profile: Profile | None = None, *, suffix: str = "") -> RandomModule:
    """The module with this number. ``suffix``: of the names of its functions."""
    choice = random.Random(seed)
    profile = profile or Profile(constraint=choice.choice([*CONSTRAINTS, "mixed"]))
    helpers: list[Body] = []
    for index in range(choice.randint(0, profile.functions)):
        body = Body(choice, replace(profile, length=(1, 4)), helpers)
        body.fill(f"helper{index}{suffix}")
        helpers.append(body)
    public = []
    for name in ("forward", "backward")[: choice.choice((1, 1, 1, 2))]:
        body = Body(choice, profile, helpers)
        body.fill(name + suffix)
        public.append(body)
    header = header_of({} if profile.constraint in (*CONSTRAINTS, "mixed") else FURTHER_CONSTRAINTS)
    text = "\n".join(
        [*header, *(body.text("private ") for body in helpers), *(body.text("") for body in public)]
    )
    return RandomModule(seed, text + "\n", {body.name: tuple(body.arguments) for body in public})


def header_of(more: Mapping[str, str]) -> list[str]:
    """The lines that define the constraints."""
    return [f"#{name} = #tt.operand_constraint<{words}>" for name, words in {**CONSTRAINTS, **more}.items()]


def text_of_all(modules: Sequence[RandomModule]) -> str:
    """One text with the functions of several modules, whose names differ."""
    bodies = [line for module in modules for line in module.text.splitlines() if not line.startswith("#")]
    return "\n".join([*header_of(FURTHER_CONSTRAINTS), *bodies]) + "\n"


class FunctionText:
    """A function that is being written: its values, and the lines of its body."""

    def __init__(self, choice: random.Random) -> None:
        self.choice = choice
        self.name = "forward"
        self.arguments: list[Argument] = []
        self.values: list[Tensor] = []
        self.lines: list[str] = []
        self.outputs: list[Tensor] = []
        self._number = 0

    def fresh(self) -> str:
        """A name for a value."""
        self._number += 1
        return f"%{self._number}"

    def put_empty(self, tensor: Tensor) -> None:
        """Write a ``tensor.empty``."""
        self.lines.append(f"    {tensor.name} = tensor.empty() : {tensor.type}")

    def put_constant(self, tensor: Tensor, number: str) -> None:
        """Write a constant of one number."""
        self.lines.append(
            f'    {tensor.name} = "ttir.constant"() <{{value = dense<{number}> : {tensor.type}}}> : () -> {tensor.type}'
        )

    def put_operation(
        self,
        name: str,
        operands: Sequence[Tensor],
        attributes: Sequence[str],
        constraints: Sequence[str],
        result: Tensor,
    ) -> None:
        """Write an operation of TTIR. The last operand is its destination."""
        parts = [*attributes, f"operand_constraints = [{', '.join(constraints)}]"]
        self.lines.append(
            f'    {result.name} = "ttir.{name}"({", ".join(operand.name for operand in operands)}) '
            f"<{{{', '.join(parts)}}}> : ({', '.join(operand.type for operand in operands)}) -> {result.type}"
        )

    def text(self, visibility: str = "") -> str:
        """The function."""
        arguments = ", ".join(
            f"{argument.tensor.name}: {argument.tensor.type}" for argument in self.arguments
        )
        types = ", ".join(output.type for output in self.outputs)
        result = types if len(self.outputs) == 1 else f"({types})"
        returned = f"    return {', '.join(output.name for output in self.outputs)} : {types}"
        return "\n".join(
            [f"func.func {visibility}@{self.name}({arguments}) -> {result} {{", *self.lines, returned, "}"]
        )


class Body(FunctionText):
    """A function whose operations are added by the functions of ``OPERATIONS``."""

    def __init__(self, choice: random.Random, profile: Profile, helpers: Sequence[Body]) -> None:
        super().__init__(choice)
        self.profile = profile
        self.helpers = helpers
        self._destinations: list[Tensor] = []

    def fill(self, name: str) -> None:
        """Write the body."""
        self.name = name
        for _ in range(self.choice.randint(1, 3)):
            self.argument(self.shape(), self.choice.choice(self.profile.dtypes))
        known = {**OPERATIONS, **FURTHER_OPERATIONS}
        choices = [known[name] for name in self.profile.operations or OPERATIONS]
        weights = [choice.weight for choice in choices]
        wanted = self.choice.randint(*self.profile.length)
        written = 0
        for _ in range(8 * wanted):
            if written >= wanted:
                break
            if self.helpers and self.choice.random() < 0.1:
                self.call(self.choice.choice(self.helpers))
                written += 1
                continue
            (chosen,) = self.choice.choices(choices, weights)
            written += self.add(chosen)
        computed = [value for value in self.values if not value.name.startswith("%arg")] or self.values
        count = min(len(computed), self.choice.choice((1, 1, 1, 2, 3)))
        self.outputs = [computed[-1], *self.choice.sample(computed[:-1], count - 1)]

    def add(self, choice: Choice) -> bool:
        """Add an operation to the value that one of the last ones gave, or to another; False where it does not apply."""
        recent = self.values[-3:] if self.choice.random() < 0.7 else self.values
        source = self.choice.choice(recent)
        result = choice.write(self, source)
        if result is not None:
            self.values.append(result)
        return result is not None

    # What operations are written with.

    def shape(self, rank: int | None = None) -> tuple[int, ...]:
        """A random shape of a bounded number of elements."""
        rank = self.choice.choice((1, 2, 2, 2, 3, 3, 4)) if rank is None else rank
        while True:
            shape = tuple(self.choice.choice(self.profile.extents) for _ in range(rank))
            if math.prod(shape) <= self.profile.largest:
                return shape

    def argument(self, shape: tuple[int, ...], dtype: str, below: int = 0) -> Tensor:
        """A new argument of the function. One whose values are indices is not for everybody."""
        tensor = Tensor(f"%arg{len(self.arguments)}", shape, dtype)
        self.arguments.append(Argument(tensor, below))
        if not below:
            self.values.append(tensor)
        return tensor

    def value_like(self, accepts: Callable[[Tensor], bool], shape: tuple[int, ...], dtype: str) -> Tensor:
        """One of the values that are accepted, or a new argument."""
        candidates = [value for value in self.values if accepts(value)]
        if candidates and self.choice.random() < 0.7:
            return self.choice.choice(candidates)
        return self.argument(shape, dtype)

    def value_of(self, shape: tuple[int, ...], dtype: str) -> Tensor:
        """One of the values of a type, or a new argument."""
        return self.value_like(lambda value: (value.shape, value.dtype) == (shape, dtype), shape, dtype)

    def operation(
        self,
        name: str,
        inputs: Sequence[Tensor],
        shape: tuple[int, ...],
        dtype: str | None = None,
        attributes: Sequence[str] = (),
        *,
        segments: Sequence[int] = (),
        constraint: str = "",
    ) -> Tensor | None:
        """Write a destination-style operation of TTIR; None where its result would be too large, or have no elements.

        ``constraint``: that of all its operands, instead of the profile's.
        """
        if not 0 < math.prod(shape) <= 4 * self.profile.largest or len(shape) > 5 or not shape:
            return None
        result = Tensor("", shape, dtype or inputs[0].dtype)
        destination = self.destination(result)
        operands = [*inputs, destination]
        parts = list(attributes)
        if segments:
            parts.append(f"operandSegmentSizes = array<i32: {', '.join(map(str, segments))}>")
        constraints = [f"#{constraint}"] * len(operands) if constraint else self.constraints(len(operands))
        result = replace(result, name=self.fresh())
        self.put_operation(name, operands, parts, constraints, result)
        return result

    def destination(self, result: Tensor) -> Tensor:
        """A ``tensor.empty`` for a result."""
        if self.profile.share_destinations and self.choice.random() < 0.3:
            same = [tensor for tensor in self._destinations if tensor.type == result.type]
            if same:
                return self.choice.choice(same)
        destination = replace(result, name=self.fresh())
        self.put_empty(destination)
        self._destinations.append(destination)
        return destination

    def constraints(self, count: int) -> list[str]:
        """Names of constraints for operands."""
        if self.profile.constraint != "mixed":
            return [f"#{self.profile.constraint}"] * count
        if self.choice.random() < 0.5:
            return [f"#{self.choice.choice(list(CONSTRAINTS))}"] * count
        return [f"#{self.choice.choice(list(CONSTRAINTS))}" for _ in range(count)]

    def constant(self, shape: tuple[int, ...], dtype: str, text: str) -> Tensor:
        """A constant of one number."""
        result = Tensor(self.fresh(), shape, dtype)
        self.put_constant(result, text)
        return result

    def call(self, helper: Body) -> None:
        """Call a function, with values of the types that it wants."""
        operands = []
        for argument in helper.arguments:
            wanted = argument.tensor
            if argument.below:
                operands.append(self.argument(wanted.shape, wanted.dtype, argument.below))
            else:
                operands.append(self.value_of(wanted.shape, wanted.dtype))
        results = [replace(output, name="") for output in helper.outputs]
        name = self.fresh()
        count = f":{len(results)}" if len(results) > 1 else ""
        names = [f"{name}#{index}" for index in range(len(results))] if count else [name]
        types = ", ".join(result.type for result in results)
        self.lines.append(
            f"    {name}{count} = call @{helper.name}({', '.join(operand.name for operand in operands)}) : "
            f"({', '.join(operand.type for operand in operands)}) -> {f'({types})' if count else types}"
        )
        self.values.extend(replace(result, name=own) for result, own in zip(results, names, strict=True))
