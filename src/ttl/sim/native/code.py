"""The bytes of a program, as ``native/machine/decode.cpp`` reads them."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import NamedTuple

from ttl.native import machine
from ttl.sim.native.nodes import Format, Map, ValueNode
from ttl.sim.native.plan import Level, SegmentPlan
from ttl.sim.native.segment import OperandAddresses, SegmentCode

_MAGIC = 0x504C5454
_ROWS, _FILL, _PRODUCT, _MOVE = range(4)


class _CodeWriter:
    """Numbers one after another, in the byte order of this machine."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.count = 0

    def int32(self, *values: int) -> None:
        self._parts.append(struct.pack(f"={len(values)}i", *values))

    def int64(self, *values: int) -> None:
        self._parts.append(struct.pack(f"={len(values)}q", *values))

    def float32(self, *values: float) -> None:
        self._parts.append(struct.pack(f"={len(values)}f", *values))

    def float64(self, *values: float) -> None:
        self._parts.append(struct.pack(f"={len(values)}d", *values))

    def add(self, other: _CodeWriter) -> None:
        self._parts.append(other.bytes())

    def bytes(self) -> bytes:
        return b"".join(self._parts)


class MachineCode(NamedTuple):
    """A program, the offset of its numbers, and the ids of the numbers that may differ between calls (else -1).

    ``asked``: the ids of the numbers on whose format the code depends.
    """

    content: bytes
    numbers: int
    ids: tuple[int, ...]
    asked: frozenset[int] = frozenset()


def encode(plan: SegmentPlan) -> MachineCode:
    """The program of a plan."""
    addresses = OperandAddresses(plan)
    steps = _CodeWriter()
    for level in plan.levels:
        _encode_level(plan, level, addresses, steps)
    code = _CodeWriter()
    code.int32(_MAGIC, machine().CODE_VERSION, len(plan.leaves))
    for leaf in plan.leaves:
        _extents(code, leaf.format, leaf.extents)
    _extents(code, plan.out_format, plan.result)
    code.int64(plan.scratch_bytes)
    code.int32(len(plan.buffers))
    for buffer in plan.buffers:
        code.int64(buffer.offset)
        _extents(code, buffer.format, buffer.extents)
    code.int32(len(addresses.maps))
    for map_ in addresses.maps:
        code.int32(len(map_), *map_)
    code.int32(len(addresses.numbers))
    numbers = len(code.bytes())
    code.float32(*addresses.numbers)
    code.int32(steps.count)
    code.add(steps)
    return MachineCode(code.bytes(), numbers, tuple(addresses.ids))


def _extents(code: _CodeWriter, format: Format, extents: Iterable[int]) -> None:
    code.int32(format)
    code.int64(*extents)


def _encode_level(plan: SegmentPlan, level: Level, addresses: OperandAddresses, code: _CodeWriter) -> None:
    for node in level.sums:
        _encode_fill(plan, node, code)
    for node in level.wholes:
        if node.kind == "product":
            _encode_product(node, addresses, code)
        else:
            _encode_move(node, addresses, code)
    for segment in level.segments.values():
        _encode_segment(SegmentCode(plan, segment, addresses), code)


def _encode_fill(plan: SegmentPlan, node: ValueNode, code: _CodeWriter) -> None:
    assert node.buffer is not None
    _, rows, columns = plan.buffers[node.buffer].extents
    code.int32(_FILL, -2 - node.buffer)
    code.int64(1 if node.fixed[0] else rows, 1 if node.fixed[1] else columns)
    code.float32(0.0 if node.opcode == "add_rows" else float("-inf"))
    code.count += 1


def _encode_product(node: ValueNode, addresses: OperandAddresses, code: _CodeWriter) -> None:
    code.int32(_PRODUCT, addresses.target(node), len(node.args) // 2)
    for a, b in zip(node.args[::2], node.args[1::2], strict=True):
        for operand in (a, b):
            map: Map | None = None
            if operand.kind == "view":
                map, operand = operand.map, operand.args[0]
            code.int32(addresses.source(operand), addresses.map(map))
    code.count += 1


def _encode_move(node: ValueNode, addresses: OperandAddresses, code: _CodeWriter) -> None:
    units = (int(param) for param in node.params) if node.kind == "regroup" else (0, 0)
    code.int32(_MOVE, addresses.source(node.args[0]), addresses.target(node))
    code.int64(*units)
    code.count += 1


def _encode_segment(segment: SegmentCode, code: _CodeWriter) -> None:
    opcodes: dict[str, int] = machine().OPCODES
    outer, rows = segment.domain
    code.int32(_ROWS)
    code.int64(outer, rows, segment.width)
    code.int32(segment.slots, segment.splits_columns, len(segment.places))
    for source, map, fixed in segment.places:
        code.int32(source, map, fixed)
    code.int32(len(segment.operations))
    for operation in segment.operations:
        code.int32(opcodes[operation.opcode], operation.of_column)
        code.int64(operation.width)
        for argument in (operation.d, *operation.args):
            code.int32(*argument)
        code.float64(*operation.params)
    code.count += 1
