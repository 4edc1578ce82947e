"""The NumPy executor: always available, the reference for every other one.

Values with equal programs are stacked and computed together, in pieces that stay in cache. A chain
``acc + a0 @ b0 + a1 @ b1 + ...`` becomes one matmul over the concatenated inner dimension: the sum is the
same, in float32, and it is how the hardware accumulates.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ttl.rows.dtypes import BFLOAT16, Array, round_to_bfloat16
from ttl.rows.row import Valid
from ttl.rows.table import ADD
from ttl.rows.types import TILE, BlockType, Layout
from ttl.sim.memory import Memory, empty
from ttl.sim.program import Argument, Instruction, Key, decode, linearise
from ttl.sim.values import Value

# Elements per operand of a stacked piece: float32 operands of this size stay in the second-level cache.
_PIECE_ELEMENTS = 1 << 15

# Values by level, program, type and whether they stay unrounded; each with the leaves of its program.
Groups = dict[tuple[int, Key, BlockType, bool], list[tuple[Value, list[Value]]]]


class NumpyExecutor:
    """Computes with NumPy in float32 (int64 for integers)."""

    def __init__(self, precision: str = "spec", sanitize: bool = False) -> None:
        self._precision = precision
        self._sanitize = sanitize
        # Whether stored floats stay float32: then values of one type are stored in two ways.
        self._keeps_float32 = precision == "fp32"
        self._plans: dict[Any, ProgramPlan] = {}

    @property
    def sanitizes(self) -> bool:
        """Whether padding and undefined elements are NaN."""
        return self._sanitize

    def stores_plainly(self, value: Value) -> bool:
        """Whether the value, like all of its type with the same ``exact``, is in the storage format of its type."""
        return not value.exact and not self._keeps_float32

    def load(self, value: Value, memory: Memory) -> Array:
        """A computed value in arithmetic type and element shape; padding zero, with the sanitizer NaN."""
        array = memory.data(value)
        dtype = value.type.dtype
        loaded = array if array.dtype == np.float32 and dtype.is_float else dtype.load(array)
        if loaded.shape[-2:] == value.type.elements[-2:]:
            return loaded
        padded = empty(value.type.elements, loaded.dtype, is_sanitized=self._sanitize)
        padded[tuple(slice(0, extent) for extent in loaded.shape)] = loaded
        return padded

    def run(self, pending: list[Value], memory: Memory) -> None:
        """Compute every pending value, level by level, equal programs together."""
        levels: dict[int, int] = {}
        groups: Groups = {}
        for value in pending:
            if id(value) not in levels:
                _place(value, levels, groups)
        for (_, key, type_, exact), members in sorted(groups.items(), key=lambda item: item[0][0]):
            self.run_group(key, type_, exact, members, memory)

    def run_group(
        self,
        key: Key,
        type_: BlockType,
        exact: bool,
        members: list[tuple[Value, list[Value]]],
        memory: Memory,
    ) -> None:
        """Compute values of one program; each with the leaves of the program, which are computed."""
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) > 1024:
                self._plans.clear()
            plan = self._plans[key] = ProgramPlan(decode(key), self._precision, self._sanitize)
        count = max(1, _PIECE_ELEMENTS // prod(type_.elements))
        with np.errstate(all="ignore"):
            for start in range(0, len(members), count):
                self._run_piece(plan, members[start : start + count], type_, exact, memory)

    def _run_piece(
        self,
        plan: ProgramPlan,
        members: list[tuple[Value, list[Value]]],
        type_: BlockType,
        exact: bool,
        memory: Memory,
    ) -> None:
        columns = list(zip(*(leaves for _, leaves in members), strict=True))
        result = plan.run(columns, len(members), memory, self)
        dtype = type_.dtype
        if exact or (self._keeps_float32 and dtype.is_float):
            # A change of shape returns a view of an operand, which may be a tensor that is written later.
            stored = result if result.flags.owndata else result.copy()
        else:
            stored = dtype.store(result)
        batched = stored.ndim > len(type_.elements)
        if batched and len(stored) == 1:  # one member, or all with the same operands
            stored, batched = stored[0], False
        for position, (value, _) in enumerate(members):
            value.array = stored[position] if batched else stored
            root = value.root
            if root is None:
                continue  # recorded by the native core
            if root.value is value:
                root.args = []  # its users take the value from now on
            value.root = None


def _place(value: Value, levels: dict[int, int], groups: Groups) -> int:
    """Put a value into its group; its level is one more than that of the latest value it needs."""
    root = value.root
    assert root is not None
    key, leaves = linearise(root)
    level = 0
    for leaf in leaves:
        if leaf.array is None:
            # Usually placed already; not if it was taken out of an expression recorded earlier.
            before = levels.get(id(leaf))
            level = max(level, (_place(leaf, levels, groups) if before is None else before) + 1)
    levels[id(value)] = level
    groups.setdefault((level, key, value.type, value.exact), []).append((value, leaves))
    return level


class ProgramPlan:
    """The computation of one program on stacked operands."""

    def __init__(self, instructions: list[Instruction], precision: str, sanitize: bool) -> None:
        self._instructions = instructions
        self._precision = precision
        self._sanitize = sanitize
        self._chains = {} if precision == "dst16" else _find_chains(instructions)
        self._skipped = {index for chain in self._chains.values() for index in chain.members}
        self._last_use = self._find_last_uses()

    def run(
        self, columns: list[tuple[Value, ...]], count: int, memory: Memory, executor: NumpyExecutor
    ) -> Array:
        """The value of the last instruction: batch axis first, unless no leaf is involved."""
        results: dict[int, Any] = {}
        leaves: dict[int, Any] = {}

        def fetch(argument: Argument) -> Any:
            kind, content = argument
            if kind == "number":
                return content
            if kind == "result":
                return results[content]
            if content not in leaves:
                leaves[content] = _stack(columns[content], count, memory, executor)
            return leaves[content]

        last = len(self._instructions) - 1
        for index, instruction in enumerate(self._instructions):
            if index in self._skipped:
                continue
            chain = self._chains.get(index)
            if chain is not None:
                total = _run_chain(chain, columns, count, memory, executor)
                results[index] = total if chain.base is None else fetch(chain.base) + total
            else:
                arrays = [fetch(argument) for argument in instruction.args]
                results[index] = self._apply(instruction, arrays)
            for kind, number in self._last_use.get(index, ()):
                (leaves if kind == "leaf" else results).pop(number, None)
        return results[last]  # type: ignore[no-any-return]

    def _apply(self, instruction: Instruction, arrays: list[Any]) -> Array:
        op = instruction.op
        if op.neutral is not None and any(valid is not None for valid in instruction.valids):
            arrays = [
                _mask_padding(a, v, op.neutral) for a, v in zip(arrays, instruction.valids, strict=True)
            ]
        if self._precision == "dst16" and instruction.type.dtype.is_float:
            return _apply_rounding(instruction, arrays)
        result = op.evaluate(arrays, instruction.params, instruction.type)
        if self._sanitize and instruction.type.dtype.is_float:
            lanes = op.undefined_lanes(instruction.params, instruction.type)
            if lanes is not None:
                result = np.where(lanes, np.float32(np.nan), result)
        return result

    def _find_last_uses(self) -> dict[int, list[tuple[str, int]]]:
        last: dict[tuple[str, int], int] = {}
        for index, instruction in enumerate(self._instructions):
            for kind, content in instruction.args:
                if kind != "number":
                    last[kind, content] = index
        for index, chain in self._chains.items():
            if chain.base is not None and chain.base[0] != "number":
                last[chain.base[0], chain.base[1]] = max(last.get((chain.base[0], chain.base[1]), 0), index)
        uses: dict[int, list[tuple[str, int]]] = {}
        for argument, index in last.items():
            uses.setdefault(index, []).append(argument)
        return uses


class OperationChain:
    """``base + a0 @ b0 + a1 @ b1 ...`` with leaves as operands; ``members`` are instructions it replaces."""

    def __init__(self, base: Argument | None, pairs: list[Instruction], members: set[int]) -> None:
        self.base = base
        self.pairs = pairs
        self.members = members


def _find_chains(instructions: list[Instruction]) -> dict[int, OperationChain]:
    """Chains by the index of their last addition."""
    uses: dict[int, int] = {}
    for instruction in instructions:
        for kind, content in instruction.args:
            if kind == "result":
                uses[content] = uses.get(content, 0) + 1

    def product(argument: Argument) -> int | None:
        kind, index = argument
        if kind != "result" or uses[index] != 1:
            return None
        candidate = instructions[index]
        plain = candidate.op.family == "product" and all(k == "leaf" for k, _ in candidate.args)
        return index if plain and not any(candidate.valids) else None

    chains: dict[int, OperationChain] = {}
    for index, instruction in enumerate(instructions):
        if instruction.op is not ADD or not instruction.type.dtype.is_float:
            continue
        left, right = instruction.args
        term, rest = product(right), left
        if term is None:
            term, rest = product(left), right
        if term is None:
            continue
        before = chains.get(rest[1]) if rest[0] == "result" and uses[rest[1]] == 1 else None
        if before is not None:
            if before.pairs[0].type.shape != instructions[term].type.shape:
                continue
            del chains[rest[1]]
            before.pairs.append(instructions[term])
            before.members |= {rest[1], term}
            chains[index] = before
            continue
        first = product(rest)
        if (
            first is not None
            and first != term
            and instructions[first].type.shape == instructions[term].type.shape
        ):
            chains[index] = OperationChain(None, [instructions[first], instructions[term]], {first, term})
        else:
            chains[index] = OperationChain(rest, [instructions[term]], {term})
    return chains


def _run_chain(
    chain: OperationChain,
    columns: list[tuple[Value, ...]],
    count: int,
    memory: Memory,
    executor: NumpyExecutor,
) -> Array:
    lefts = [columns[pair.args[0][1]] for pair in chain.pairs]
    rights = [columns[pair.args[1][1]] for pair in chain.pairs]
    a = _concatenate(lefts, -1, count, memory, executor)
    b = _concatenate(rights, -2, count, memory, executor)
    product: Array = np.matmul(a, b)
    return product


def _concatenate(
    columns: Sequence[tuple[Value, ...]], axis: int, count: int, memory: Memory, executor: NumpyExecutor
) -> Array:
    """Stack each column and join the columns along an axis, loading all of it at once."""
    first = columns[0][0]
    dtype = first.type.dtype
    if len(columns) == 1 or not all(
        executor.stores_plainly(column[0]) and column[0].type.dtype is dtype for column in columns
    ):
        return np.concatenate([_stack(column, count, memory, executor) for column in columns], axis)
    extents = [column[0].type.elements[axis] for column in columns]
    shape = list(first.type.elements)
    shape[axis] = sum(extents)
    joined = np.empty((count, *shape), dtype.storage)
    part: list[Any] = [slice(None)] * joined.ndim
    start = 0
    for column, extent in zip(columns, extents, strict=True):
        part[axis] = slice(start, start + extent)
        joined[tuple(part)] = _gather(column, count, memory)
        start += extent
    return dtype.load(joined)


def _stack(column: tuple[Value, ...], count: int, memory: Memory, executor: NumpyExecutor) -> Array:
    """Load the values of one leaf, batch axis first."""
    first = column[0]
    if count == 1 or all(value is first for value in column):
        return executor.load(first, memory)[None]
    if executor.stores_plainly(first) and not (executor.sanitizes and first.valid is not None):
        return first.type.dtype.load(_gather(column, count, memory))
    return np.stack([executor.load(value, memory) for value in column])


def _gather(column: tuple[Value, ...], count: int, memory: Memory) -> Array:
    """The values of one leaf as they are stored, batch axis first; padding zero."""
    elements = column[0].type.elements
    arrays: list[Any] = (
        [memory.data(value) for value in column] if memory.changed else [v.array for v in column]
    )
    if column[0].valid is None:
        return np.concatenate(arrays).reshape(count, *elements)
    gathered = np.zeros((count, *elements), column[0].type.dtype.storage)
    for position, array in enumerate(arrays):
        gathered[position][tuple(slice(0, extent) for extent in array.shape)] = array
    return gathered


def _mask_padding(array: Any, valid: Valid, neutral: float) -> Any:
    """The operand with its padding replaced by the operation's neutral value."""
    if valid is None or not isinstance(array, np.ndarray):
        return array
    rows, columns = valid
    masked = array.copy()
    if neutral == -np.inf and masked.dtype.kind != "f":
        neutral = np.iinfo(masked.dtype).min
    masked[..., rows:, :] = neutral
    masked[..., columns:] = neutral
    return masked


def _apply_rounding(instruction: Instruction, arrays: list[Any]) -> Array:
    """``precision="dst16"``: the destination register holds bfloat16, so every result is rounded to it."""
    if instruction.op.family == "product" and instruction.type.layout is Layout.TILE:
        a, b = arrays
        total = np.zeros(
            (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]), np.float32
        )
        for start in range(0, a.shape[-1], TILE):
            total = _round16(total + np.matmul(a[..., start : start + TILE], b[..., start : start + TILE, :]))
        return total
    return _round16(instruction.op.evaluate(arrays, instruction.params, instruction.type))


def _round16(values: Array) -> Array:
    return BFLOAT16.load(round_to_bfloat16(values))
