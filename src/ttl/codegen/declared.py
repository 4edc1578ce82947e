"""The buffers and pipe nets that a program declares, for tools that count blocks and messages in a run."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from ttl.analysis.pipe_ends import pipe_ends
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.passes.buffers.l1 import block_pages
from ttl.passes.movement.nodes import place_of_coordinate
from ttl.passes.names import name_resources
from ttl.protocol.grid import Grid, coordinate
from ttl.source.spans import Span

Core = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class DeclaredBuffer:
    """A dataflow buffer."""

    name: str
    """The name of its circular buffer."""
    shown: str
    """Its name in the program."""
    span: Span | None
    pages: int
    """The number of pages of a block in the circular buffer."""
    nbytes: int
    """The bytes of a block, as the program counts them."""
    block_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class DeclaredNet:
    """A pipe net."""

    name: str
    """Its name in the compiler."""
    shown: str
    span: Span | None
    pipes: int
    ends: tuple[tuple[Core, tuple[Core, ...]], ...] = ()
    """The sending node and the receiving nodes of each pipe, by column and row; empty where they are not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeclaredObjects:
    """The objects that one operation declares, in the order in which it makes them."""

    buffers: tuple[DeclaredBuffer, ...]
    nets: tuple[DeclaredNet, ...]


def declared(module: ModuleOp) -> DeclaredObjects:
    """The objects of a module's only operation; the module is the front end's."""
    (operation,) = (op for op in module.clone().walk() if isinstance(op, dialect.OperationOp))
    ops = list(operation.body.block.ops)
    grid = operation.grid.extents
    ends = [_ends(op, grid) for op in ops if isinstance(op, dialect.CreatePipeNetOp)]
    buffers = [op for op in ops if isinstance(op, dialect.CreateDfbOp)]
    nets = [op for op in ops if isinstance(op, dialect.CreatePipeNetOp)]
    shown = [op.buffer_name.data for op in buffers], [op.net_name.data for op in nets]
    name_resources(operation)
    return DeclaredObjects(
        buffers=tuple(
            DeclaredBuffer(
                name=op.buffer_name.data,
                shown=name,
                span=span_of(op),
                pages=block_pages(op.result.type.block_type),
                nbytes=op.result.type.block_type.nbytes,
                block_count=op.result.type.block_count,
            )
            for op, name in zip(buffers, shown[0], strict=True)
        ),
        nets=tuple(
            DeclaredNet(name=op.net_name.data, shown=name, span=span_of(op), pipes=len(op.pipes), ends=own)
            for op, name, own in zip(nets, shown[1], ends, strict=True)
        ),
    )


def _ends(net: dialect.CreatePipeNetOp, grid: Grid) -> tuple[tuple[Core, tuple[Core, ...]], ...]:
    def core(node: int) -> Core:
        return place_of_coordinate(coordinate(node, grid, len(grid)), grid)[:2]

    known = pipe_ends(net.result, grid) or ()
    return tuple((core(source), tuple(map(core, destinations))) for source, destinations in known)
