"""Programs for the machine, built row by row, and what they must give according to the operations' table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ttl.rows.dtypes import BFLOAT16, FLOAT16, FLOAT32, Array, DType, promote
from ttl.rows.row import Params, Valid
from ttl.rows.table import op
from ttl.rows.types import BlockType, Layout
from ttl.sim.native.lowering import lower
from ttl.sim.program import Argument, Instruction

# A leaf or a result, by its place in the program.
Operand = tuple[str, int]


@dataclass(kw_only=True)
class Block:
    """The type of a leaf, and its extent that is not padding."""

    type: BlockType
    valid: Valid = None
    unrounded: bool = False


@dataclass
class Program:
    """A program under construction."""

    leaves: list[Block] = field(default_factory=list)
    instructions: list[Instruction] = field(default_factory=list)
    valids: list[Valid] = field(default_factory=list)

    def leaf(
        self,
        *shape: int,
        dtype: DType = BFLOAT16,
        layout: Layout = Layout.TILE,
        valid: Valid = None,
        unrounded: bool = False,
    ) -> Operand:
        """A new operand of the task."""
        kind = BlockType.of(shape, dtype, layout)
        self.leaves.append(Block(type=kind, valid=valid, unrounded=unrounded))
        return "leaf", len(self.leaves) - 1

    def type(self, operand: Operand) -> BlockType:
        """The type of a leaf or result."""
        kind, index = operand
        return self.leaves[index].type if kind == "leaf" else self.instructions[index].type

    def valid(self, operand: Operand) -> Valid:
        """The extent of a leaf or result that is not padding."""
        kind, index = operand
        return self.leaves[index].valid if kind == "leaf" else self.valids[index]

    def dtypes_mix(self, first: Operand, second: Operand) -> bool:
        """Whether an operation takes both."""
        return promote(self.type(first).dtype, self.type(second).dtype) is not None

    def apply(self, name: str, *operands: Operand | float, params: Params = ()) -> Operand:
        """An operation on leaves, results and numbers."""
        row = op(name)
        given = tuple(self.type(each) if isinstance(each, tuple) else each for each in operands)
        kind = row.infer(given, params)
        assert isinstance(kind, BlockType), kind
        args: tuple[Argument, ...] = tuple(
            each if isinstance(each, tuple) else ("number", each) for each in operands
        )
        valids = tuple(self.valid(each) if isinstance(each, tuple) else None for each in operands)
        self.instructions.append(Instruction(row, params, args, kind, valids))
        self.valids.append(row.valid_rule(valids, params, kind))
        return "result", len(self.instructions) - 1

    def lowered(self, stored_as: DType) -> bytes | None:
        """The machine's program."""
        leaves = [(leaf.type, leaf.unrounded) for leaf in self.leaves]
        result = self.instructions[-1].type if self.instructions else self.leaves[0].type
        return lower(self.instructions, leaves, result, stored_as)

    def expected(self, arrays: list[Array]) -> Array:
        """The result in float32, by ``Op.evaluate``. ``arrays`` are in float32."""
        results: list[Any] = []
        for instruction in self.instructions:
            args = []
            for (kind, content), valid in zip(instruction.args, instruction.valids, strict=True):
                arg = content if kind == "number" else (arrays if kind == "leaf" else results)[content]
                neutral = instruction.op.neutral
                if neutral is not None and valid is not None:
                    arg = arg.copy()
                    arg[..., valid[0] :, :] = neutral
                    arg[..., valid[1] :] = neutral
                args.append(arg)
            with np.errstate(all="ignore"):
                results.append(instruction.op.evaluate(args, instruction.params, instruction.type))
        last = results[-1] if results else arrays[0]
        return np.broadcast_to(np.asarray(last, np.float32), self.elements)

    @property
    def elements(self) -> tuple[int, ...]:
        """Shape of the result in elements."""
        return (self.instructions[-1].type if self.instructions else self.leaves[0].type).elements

    @property
    def dtype(self) -> DType:
        """Element type of the result; float32 for numbers."""
        found = (self.instructions[-1].type if self.instructions else self.leaves[0].type).dtype
        return found if found in (BFLOAT16, FLOAT16, FLOAT32) or "float" in found.name else FLOAT32


def stored(block: Block, values: Array) -> tuple[Array, Array]:
    """Values as they are stored, and as they are after that in float32."""
    if block.unrounded:
        return values.astype(np.float32), values.astype(np.float32)
    with np.errstate(all="ignore"):
        memory = block.type.dtype.store(values.astype(np.float32))
    return memory, block.type.dtype.load(memory).astype(np.float32)


def load(stored_as: DType, memory: Array) -> Array:
    """What memory of a result holds, in float32."""
    return stored_as.load(np.ascontiguousarray(memory)).astype(np.float32)


def empty(program: Program, stored_as: DType) -> Array:
    """Memory for a result."""
    return np.zeros(program.elements, stored_as.storage)


def in_rows(array: Array, gap: int) -> Array:
    """The same array with gaps between its rows and matrices."""
    if array.ndim == 1:
        return array
    *outer, rows, columns = array.shape
    room = np.zeros((*outer, rows + 1, columns + gap), array.dtype)
    view: Array = room[..., :rows, :columns]
    view[...] = array
    return view
