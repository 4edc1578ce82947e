"""Addresses in other nodes: their coordinates on the network are arguments of the kernel.

Which coordinate a column or a row of the grid has is known to the host only. Where the node is known, its coordinate
is an argument by itself; where it depends on the node the kernel runs on, it is looked up in a table of arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from ttl.dialects.ttkernel import CommonArgOp, call
from ttl.passes.building import Building, Number

# An argument that is looked up has the table it is in here; its place is put in when arguments are numbered.
TABLE = "ttl.table"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rectangle:
    """Nodes of columns ``left`` to ``right`` and rows ``top`` to ``bottom``, the last ones included."""

    left: Number
    top: Number
    right: Number
    bottom: Number

    def count(self, build: Building) -> Number:
        """How many nodes it has."""
        width = build.sum(build.difference(self.right, self.left), 1)
        height = build.sum(build.difference(self.bottom, self.top), 1)
        return build.product(width, height)


def node_address(build: Building, column: Number, row: Number, address: Number) -> SSAValue:
    """An address in the memory of a node."""
    made = build.ask(
        "get_noc_addr_xy", _coordinate(build, "noc_x", column), _coordinate(build, "noc_y", row), address
    )
    return _named(made, "remote", address)


def rectangle_address(build: Building, nodes: Rectangle, address: Number, noc: Literal[0, 1]) -> SSAValue:
    """An address in the memory of every node of a rectangle. NoC 1 goes the other way, from the last node on."""
    first = [_coordinate(build, "noc_x", nodes.left), _coordinate(build, "noc_y", nodes.top)]
    last = [_coordinate(build, "noc_x", nodes.right), _coordinate(build, "noc_y", nodes.bottom)]
    corners = first + last if noc == 0 else last + first
    return _named(build.ask("get_noc_multicast_addr", *corners, address), "all", address)


def _named(value: SSAValue, prefix: str, address: Number) -> SSAValue:
    """Name an address on the network after the one in the node's memory."""
    hint = address.name_hint if isinstance(address, SSAValue) else None
    if hint is not None:
        value.name_hint = f"{prefix}_{hint.removesuffix('_address')}"
    return value


def _coordinate(build: Building, table: str, index: Number) -> SSAValue:
    if isinstance(index, int):
        return build.add(CommonArgOp(f"{table}({index})")).results[0]
    op = call("get_common_arg_val", index)
    op.attributes[TABLE] = StringAttr(table)
    return build.add(op).results[0]
