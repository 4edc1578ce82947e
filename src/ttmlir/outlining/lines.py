"""Lines of Python, and the expressions of a region among them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from types import MappingProxyType

from tt_model.operations.operation import TTIROperation
from tt_model.operations.shared import (
    TTIRMatmulOp,
    TTIRMaxOp,
    TTIRMeanOp,
    TTIRSoftmaxOp,
    TTIRTransposeOp,
)
from ttl.rows.table import REDUCE_MAX, REDUCE_SUM
from ttmlir.outlining.axes import BlockShapes
from ttmlir.outlining.naming import unique
from ttmlir.outlining.region import (
    Operand,
    OutlinedRegion,
    RegionNumber,
    RegionRead,
    RegionStep,
    Result,
)
from ttmlir.outlining.spelling import ELEMENTWISE, in_language, number
from ttmlir.outlining.views import Shape

_LINE = 110
# The axes along which a block may have several tiles, each with the name of the number of tiles.
SLICES = MappingProxyType({"row": "rows", "column": "columns"})


class Lines:
    """Text that is written line by line."""

    def __init__(self, level: int = 0) -> None:
        self._lines: list[str] = []
        self._level = level

    def __call__(self, *lines: str) -> None:
        """Write lines; an empty one separates."""
        for line in lines:
            self._lines.append(f"{'    ' * self._level}{line}" if line else "")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Write the head of a statement; lines that are written in the context are its body."""
        self(head)
        self._level += 1
        yield
        self._level -= 1

    @contextmanager
    def with_items(self, items: Sequence[str]) -> Iterator[None]:
        """Write a ``with`` statement, over several lines if it is long; without items write nothing."""
        if not items:
            yield
            return
        head = f"with {', '.join(items)}:"
        if len(head) + 4 * self._level <= _LINE:
            with self.block(head):
                yield
            return
        self("with (", *(f"    {item}," for item in items), "):")
        self._level += 1
        yield
        self._level -= 1

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"


@contextmanager
def numbered(lines: Lines, axes: Sequence[tuple[str, str]], needed: Container[str]) -> Iterator[None]:
    """Write a loop over a node's own blocks, with the position of each block along the axes in ``needed``.

    An axis is the name of a position and the name of the number of blocks. The last axis runs fastest.
    """
    if not any(name in needed for name, _ in axes):
        with lines.block("for _ in own:"):
            yield
        return
    single = len(axes) == 1
    with lines.block(f"for {axes[0][0] if single else 'item'} in own:"):
        for position, (name, count) in enumerate(axes):
            if name not in needed:
                continue
            if not single:
                behind = [other for _, other in axes[position + 1 :]]
                divisor = behind[0] if len(behind) == 1 else f"({' * '.join(behind)})"
                place = f"item // {divisor}" if behind else "item"
                lines(f"{name} = {place}" if position == 0 else f"{name} = {place} % {count}")
            if name in SLICES:
                extent = SLICES[name]
                lines(f"{name}_slice = slice({name} * {extent}, ({name} + 1) * {extent})")
        yield


class KernelStatements:
    """The steps of a region as statements, each named as the model names it."""

    def __init__(
        self,
        region: OutlinedRegion,
        inputs: Sequence[str],
        steps: Sequence[str],
        shapes: BlockShapes,
        elements: str,
    ) -> None:
        """``inputs``: names of the tensors; ``elements``: the text for the number of elements in a complete row."""
        self._region = region
        self._inputs = inputs
        self._steps = list(steps)
        self._shapes = shapes
        self._elements = elements
        self._taken = [*inputs, *steps]
        self._repeated: dict[tuple[Operand, Shape], str] = {}
        self._turned: dict[int, str] = {}

    def write(self, lines: Lines, steps: Sequence[int]) -> str:
        """Write steps and return the name of the last one."""
        for position in steps:
            self._step(lines, position)
        return self._steps[steps[-1]]

    def call(self, position: int, name: str) -> None:
        """Record that a step was written elsewhere, under this name."""
        self._steps[position] = name

    def _step(self, lines: Lines, position: int) -> None:
        step = self._region.steps[position]
        name = self._steps[position]
        if step.kind in ELEMENTWISE:
            operands = [self._operand(lines, operand, step.shape) for operand in step.operands]
            lines(f"{name} = {in_language(step.kind, operands, step.params)}")
        elif step.kind is TTIRTransposeOp:
            self._steps[position] = self._operand(lines, step.operands[0], step.shape)
        elif step.kind is TTIRSoftmaxOp:
            self._softmax(lines, step, name)
        elif step.kind is TTIRMatmulOp:
            left, right = (self._plain(lines, operand) for operand in step.operands)
            lines(f"{name} = {left} @ {right}")
        else:
            operand = self._plain(lines, step.operands[0])
            lines(f"{name} = {self._reduced(step.kind, operand, step.shape)}")

    def _reduced(self, kind: type[TTIROperation], operand: str, shape: Shape) -> str:
        row = REDUCE_MAX if kind is TTIRMaxOp else REDUCE_SUM
        text = f"{row.label}({operand}, dims=[-1], shape={self._shapes.of(shape)})"
        return f"{text} * (1 / {self._elements})" if kind is TTIRMeanOp else text

    def _softmax(self, lines: Lines, step: RegionStep, name: str) -> None:
        operand = self._plain(lines, step.operands[0])
        column = (*step.shape[:-1], 1)
        full, narrow = self._shapes.of(step.shape), self._shapes.of(column)
        largest, exponential, inverse = self._new("largest", "exponential", "inverse")
        if step.shape[-1] == 1:
            lines(f"{name} = ttl.math.exp({operand} - {operand})")
            return
        lines(
            f"{largest} = ttl.math.reduce_max({operand}, dims=[-1], shape={narrow})",
            f"{exponential} = ttl.math.exp({operand} - ttl.block.broadcast({largest}, dims=[-1], shape={full}))",
            f"{inverse} = ttl.math.recip(ttl.math.reduce_sum({exponential}, dims=[-1], shape={narrow}))",
            f"{name} = {exponential} * ttl.block.broadcast({inverse}, dims=[-1], shape={full})",
        )

    def _new(self, *names: str) -> list[str]:
        chosen = unique(names, self._taken)
        self._taken += chosen
        return chosen

    def _operand(self, lines: Lines, operand: Operand, wanted: Shape) -> str:
        """Return the text of an operand in the shape of the result, repeated if it is smaller."""
        if isinstance(operand, RegionNumber):
            return number(operand.value)
        text = self._plain(lines, operand)
        shape = self._region.shape_of(operand)
        dims = [dim for dim in (-2, -1) if shape[dim] != wanted[dim]]
        if not dims:
            return text
        key = (operand, wanted[-2:])
        if key not in self._repeated:
            base = (
                self._inputs[operand.number]
                if isinstance(operand, RegionRead)
                else self._steps[operand.number]
            )
            (self._repeated[key],) = self._new(f"{base}_repeated")
            lines(
                f"{self._repeated[key]} = ttl.block.broadcast({text}, dims={dims}, shape={self._shapes.of(wanted)})"
            )
        return self._repeated[key]

    def _plain(self, lines: Lines, operand: Operand) -> str:
        match operand:
            case Result(position):
                return self._steps[position]
            case RegionRead(position) if self._region.inputs[position].transposed:
                if position not in self._turned:
                    (self._turned[position],) = self._new(f"{self._inputs[position]}_transposed")
                    lines(f"{self._turned[position]} = ttl.block.transpose({self._inputs[position]}_blk)")
                return self._turned[position]
            case RegionRead(position):
                return f"{self._inputs[position]}_blk"
            case RegionNumber(value):
                return number(value)
