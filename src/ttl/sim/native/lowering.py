"""From a program over blocks (``sim/program.py``) to the bytes the machine runs.

A row becomes the machine's operation of the same name, or the nodes that its builder in ``_BUILDERS`` makes. ``lower``
returns None for a program with a row, an element type or a number that the machine lacks: NumPy computes it then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from math import gcd, inf
from typing import Any, NamedTuple

import numpy as np

from ttl.native import machine
from ttl.rows.dtypes import BFLOAT4_B, BFLOAT8_B, BFLOAT16, FLOAT16, WHOLE_NUMBER, DType
from ttl.rows.row import Op
from ttl.rows.rules import negative
from ttl.rows.table import ADD, OPS
from ttl.rows.types import BlockType, Layout
from ttl.session.patience import Unavailable
from ttl.sim.native.code import MachineCode, encode
from ttl.sim.native.nodes import (
    EXACT,
    Extents,
    Format,
    Map,
    ValueNode,
    extents_of,
    format_of,
    is_power_of_two,
    number_node,
    view_node,
)
from ttl.sim.native.plan import SegmentPlan
from ttl.sim.program import Instruction

# The largest magnitude of the exponent, by ``math.frexp``, of a power of two that scales bfloat16 numbers in bfloat16:
# with a larger one they might leave the range of normal numbers.
_LARGEST_SHIFT = 8
# Type of an operand, and whether it is unrounded: stored as float32 whatever its element type.
LeafType = tuple[BlockType, bool]


class _Case(NamedTuple):
    """An instruction whose arguments are nodes. ``types`` are those of the arguments, None for numbers."""

    instruction: Instruction
    args: tuple[ValueNode, ...]
    types: tuple[BlockType | None, ...]
    extents: Extents

    @property
    def params(self) -> tuple[Any, ...]:
        return self.instruction.params

    def block(self, position: int) -> ValueNode:
        """An argument as a block of its extents, even if it is one number everywhere."""
        source, block = self.args[position], self.types[position]
        assert block is not None
        return _element("copy", extents_of(block), (source,)) if source.kind == "number" else source


Builder = Callable[[_Case], ValueNode]

# Opcodes whose results fit into a format if all operands do.
_KEEPS_FORMAT = frozenset({row.name for row in OPS if "closed" in row.traits} | {"copy"})


def lower(
    instructions: Sequence[Instruction], leaves: Sequence[LeafType], result: BlockType, stored_as: DType
) -> bytes | None:
    """The machine's program; None when the machine lacks something. See ``code_of``."""
    code = code_of(instructions, leaves, result, stored_as)
    return None if code is None else code.content


def code_of(
    instructions: Sequence[Instruction], leaves: Sequence[LeafType], result: BlockType, stored_as: DType
) -> MachineCode | None:
    """The machine's program, whose operands are ``leaves`` and whose last instruction is stored as ``stored_as``.

    None when the machine lacks something. Without instructions the first leaf is copied.
    """
    if not result.dtype.is_float:
        return None
    try:
        nodes = [_leaf(index, *leaf) for index, leaf in enumerate(leaves)]
        given: list[ValueNode] = []
        types = [block for block, _ in leaves]
        root = _build(instructions, nodes, types, given) if instructions else nodes[0]
    except Unavailable:
        return None
    code = encode(SegmentPlan(nodes, root, extents_of(result), format_of(stored_as)))
    return code._replace(asked=frozenset(node.index for node in given if node.asked))


def _leaf(index: int, block: BlockType, unrounded: bool) -> ValueNode:
    if not block.dtype.is_float:
        raise Unavailable
    format = Format.F32 if unrounded else format_of(block.dtype)
    return ValueNode("leaf", extents_of(block), format=format, index=index)


def _build(
    instructions: Sequence[Instruction],
    leaves: list[ValueNode],
    leaf_types: list[BlockType],
    given: list[ValueNode],
) -> ValueNode:
    """Return the node of the last instruction. The numbers that may differ between calls are added to ``given``."""
    uses = [0] * len(instructions)
    for instruction in instructions:
        for kind, content in instruction.args:
            if kind == "result":
                uses[content] += 1
    results: list[ValueNode] = []
    chains = _Chains()
    for instruction in instructions:
        builder = builder_of(instruction.op)
        if builder is None or not instruction.type.dtype.is_float:
            raise Unavailable
        args: list[ValueNode] = []
        types: list[BlockType | None] = []
        for kind, content in instruction.args:
            if kind == "number":
                args.append(number_node(content))
                types.append(None)
                if args[-1].index >= 0:
                    given.append(args[-1])
            else:
                args.append((leaves if kind == "leaf" else results)[content])
                types.append(leaf_types[content] if kind == "leaf" else instructions[content].type)
        extents = extents_of(instruction.type)
        case = _Case(instruction, tuple(args), tuple(types), extents)
        if instruction.op.neutral is not None:
            padded = tuple(_padded(position, case) for position in range(len(args)))
            case = _Case(instruction, padded, case.types, extents)
        single = [kind == "result" and uses[content] == 1 for kind, content in instruction.args]
        results.append(chains.joined(case, single) or builder(case))
    return results[-1]


def _padded(position: int, case: _Case) -> ValueNode:
    """An argument as a block, with its padding replaced by the neutral number of the operation."""
    source, valid, neutral = (
        case.block(position),
        case.instruction.valids[position],
        case.instruction.op.neutral,
    )
    if valid is None:
        return source
    assert neutral is not None
    return ValueNode(
        "pad", source.extents, (source,), opcode="pad", params=(neutral, *valid), format=source.format
    )


class _Chains:
    """``base + a0 @ b0 + a1 @ b1 ...`` becomes one product, and ``fill(0)`` is not a base."""

    def __init__(self) -> None:
        # By the id of a sum that was built here: its base and its joined product.
        self._parts: dict[int, tuple[ValueNode, ValueNode]] = {}

    def joined(self, case: _Case, single: list[bool]) -> ValueNode | None:
        """Return the sum, if it extends a chain. ``single`` says which arguments have no other use."""
        if case.instruction.op is not ADD:
            return None
        left, right = case.args
        if right.kind == "product" and single[1]:
            term, rest, alone = right, left, single[0]
        elif left.kind == "product" and single[0]:
            term, rest, alone = left, right, single[1]
        else:
            return None
        if rest.kind == "number" and rest.number == 0:
            return term
        if alone and rest.kind == "product":
            return _product((*rest.args, *term.args), case.extents)
        base, before = self._parts.get(id(rest), (rest, None)) if alone else (rest, None)
        product = term if before is None else _product((*before.args, *term.args), case.extents)
        total = _element(ADD.name, case.extents, (base, product))
        self._parts[id(total)] = (base, product)
        return total


def _product(args: tuple[ValueNode, ...], extents: Extents) -> ValueNode:
    return ValueNode("product", extents, args)


def _element(
    opcode: str, extents: Extents, args: tuple[ValueNode, ...], params: tuple[float, ...] = ()
) -> ValueNode:
    node = ValueNode("element", extents, args, opcode=opcode, params=params)
    if opcode == "to_bf16":
        node.format = Format.BF16
    elif opcode in _KEEPS_FORMAT:
        values = args[1:] if opcode == "where" else args
        for value in values:
            value.asked = True
        if all(value.format is Format.BF16 for value in values):
            node.format = Format.BF16
    return node


# --- the nodes of rows ---------------------------------------------------------------------------------------


def _direct(opcode: str) -> Builder:
    """An operation of the machine, with the row's operands and parameters."""

    def build(case: _Case) -> ValueNode:
        return _element(opcode, case.extents, case.args, _floats(case.params))

    return build


def _floats(numbers: Sequence[Any]) -> tuple[float, ...]:
    """Parameters, as the float32 they are used as."""
    with np.errstate(over="ignore"):
        return tuple(float(np.float32(number)) for number in numbers)


def _fill(case: _Case) -> ValueNode:
    value = case.params[0]
    if type(value) is int and abs(value) > EXACT:
        raise Unavailable  # stays an integer until it meets a float
    return number_node(value)


def _rsub(case: _Case) -> ValueNode:
    return _element("sub", case.extents, case.args[::-1])


def _pow(case: _Case) -> ValueNode:
    base = case.args[0]
    kind, number = case.instruction.args[1]
    if kind != "number" or number not in (1, 2, 3, 4):
        return _element("pow", case.extents, case.args)
    if number == 1:
        return base
    square = _element("square", case.extents, (base,))
    if number == 2:
        return square
    return _element("mul", case.extents, (square, base if number == 3 else square))


def _exp(case: _Case) -> ValueNode:
    _, scale = case.params
    if scale == 1:
        return _element("exp", case.extents, case.args)
    return _element("exp_scaled", case.extents, case.args, _floats((scale,)))


def _gelu(case: _Case) -> ValueNode:
    return _element("gelu_tanh" if case.params[0] else "gelu", case.extents, case.args)


def _round(case: _Case) -> ValueNode:
    (decimals,) = case.params
    if decimals == 0:
        return _element("rint", case.extents, case.args)
    decimals = max(min(decimals, 45), -39)
    opcode = "round_scaled" if decimals > 0 else "round_unscaled"
    return _element(opcode, case.extents, case.args, (10.0 ** abs(decimals),))


def _masked(replacement: float) -> Builder:
    def build(case: _Case) -> ValueNode:
        return _element("mask", case.extents, case.args, (replacement,))

    return build


def _where(case: _Case) -> ValueNode:
    numbers = [content for kind, content in case.instruction.args if kind == "number"]
    if case.instruction.type.dtype is WHOLE_NUMBER and any(abs(number) > EXACT for number in numbers):
        raise Unavailable
    return _element("where", case.extents, case.args)


def _typecast(case: _Case) -> ValueNode:
    target = case.instruction.type.dtype
    if target in (BFLOAT8_B, BFLOAT4_B):
        return _element("block_float", case.extents, case.args, (float(target.mantissa_bits),))
    if target is BFLOAT16:
        return _element("to_bf16", case.extents, case.args)
    if target is FLOAT16:
        return _element("to_f16", case.extents, case.args)
    return case.args[0]


def _reduction(columns: str, rows: str) -> Builder:
    def build(case: _Case) -> ValueNode:
        (source,), (block,) = case.args, case.types
        assert block is not None
        shape = case.instruction.type.shape
        dims = negative(case.params[0], len(shape))
        if dims == (-1,):
            return ValueNode("columns", case.extents, (source,), opcode=columns)
        map = _outer_map(shape[:-2], block.shape[:-2])
        return ValueNode(
            "rows", case.extents, (source,), opcode=rows, map=map, fixed=(-2 in dims, -1 in dims)
        )

    return build


def _broadcast(case: _Case) -> ValueNode:
    (source,) = case.args
    shape = case.instruction.type.shape
    dims = negative(case.params[0], len(shape))
    if source.kind == "number":
        return source
    if dims == (-1,):
        return ValueNode("spread", case.extents, (source,), format=source.format)
    before = tuple(1 if dim - len(shape) in dims else extent for dim, extent in enumerate(shape))
    return view_node(source, case.extents, _outer_map(before[:-2], shape[:-2]), -2 in dims, -1 in dims)


def _outer_map(small: tuple[int, ...], large: tuple[int, ...]) -> Map | None:
    """For each matrix of the larger block, the index of its matrix in the smaller one; None if the shapes are the same.

    The extents of the smaller block are 1 where they differ.
    """
    if small == large:
        return None
    index = np.arange(int(np.prod(small, dtype=np.int64))).reshape(small)
    return tuple(np.broadcast_to(index, large).ravel().tolist())


def _transpose(case: _Case) -> ValueNode:
    (source,) = case.args
    if source.kind == "number":
        return source
    return ValueNode("transpose", case.extents, (source,), format=source.format)


def _reshape(case: _Case) -> ValueNode:
    """Squeeze and unsqueeze: nothing to do where matrices stay as they are."""
    (source,) = case.args
    if source.kind == "number":
        return source
    if source.extents == case.extents:
        return source
    if case.instruction.type.layout is Layout.TILE:
        height, width = case.instruction.type.tile
        units = (float(height), float(width))
    else:
        units = (1.0, float(gcd(source.extents[2], case.extents[2])))
    return ValueNode("regroup", case.extents, (source,), format=source.format, params=units)


def _matmul(case: _Case) -> ValueNode:
    left, right = case.args
    return _product((_narrowed(left, right), _narrowed(right, left)), case.extents)


def _narrowed(operand: ValueNode, other: ValueNode) -> ValueNode:
    """Return an operand of a product, as bfloat16 if it is scaled and the other operand is scaled or bfloat16.

    *Scaled* means: bfloat16 times a power of two. The conversion is exact, except for numbers below the normal ones,
    which products of bfloat16 take for zeros anyway.
    """
    if not (_is_scaled(operand) and (other.format is Format.BF16 or _is_scaled(other))):
        return operand
    return ValueNode("element", operand.extents, (operand,), opcode="copy", format=Format.BF16)


def _is_scaled(node: ValueNode) -> bool:
    if node.kind != "element" or node.opcode != "mul":
        return False
    for source, scale in (node.args, node.args[::-1]):
        if scale.kind == "number" and source.format is Format.BF16 and source.kind != "number":
            scale.asked = True
            return is_power_of_two(scale.number) and abs(math.frexp(scale.number)[1]) <= _LARGEST_SHIFT
    return False


# The builders of rows that are not one opcode of their own name.
_BUILDERS: Mapping[str, Builder] = {
    "broadcast": _broadcast,
    "exp": _exp,
    "fill": _fill,
    "gelu": _gelu,
    "mask": _masked(0.0),
    "mask_posinf": _masked(inf),
    "matmul": _matmul,
    "pow": _pow,
    "reduce_max": _reduction("max_columns", "max_rows"),
    "reduce_sum": _reduction("sum_columns", "add_rows"),
    "round": _round,
    "rsub": _rsub,
    "squeeze": _reshape,
    "transpose": _transpose,
    "typecast": _typecast,
    "unsqueeze": _reshape,
    "where": _where,
}


def builder_of(row: Op) -> Builder | None:
    """Return the builder of the machine's nodes for a row; None where the machine lacks the row."""
    if row.name in _BUILDERS:
        return _BUILDERS[row.name]
    return _direct(row.name) if row.name in machine().OPCODES else None


# Rows that NumPy always computes; a row that is defined on floats is not among them.
FALLBACK: Mapping[str, str] = {"xor": "bits of integers, which the machine does not have"}
