"""Attributes of the ``ttl`` dialect: grids, ranges of nodes, pipes, masks."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ttl.ir.syntax import (
    dimensions_text,
    extents_text,
    integers,
    numbers,
    parse_dimensions,
    parse_extents,
)
from ttl.protocol.devices import ChipDomain, ChipGraph
from ttl.protocol.grid import coordinate
from ttl.session import cached


@irdl_attr_definition
class NodeGridAttr(ParametrizedAttribute):
    """Extents of a grid of nodes: ``#ttl.grid<8x8>``."""

    name = "ttl.grid"
    shape: ArrayAttr[IntAttr]

    def __init__(self, extents: Sequence[int]) -> None:
        super().__init__(integers(extents))

    @property
    def extents(self) -> tuple[int, ...]:
        """Nodes along each dimension."""
        return numbers(self.shape)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (parse_dimensions(parser),)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{dimensions_text(self.extents)}>")

    def verify(self) -> None:
        if not self.extents or min(self.extents) < 1:
            raise VerifyException(f"a grid has at least one node along each dimension, not {self.extents}")


@irdl_attr_definition
class SliceAttr(ParametrizedAttribute):
    """A half-open range of nodes along one dimension: ``#ttl.range<0, 4, 1>``."""

    name = "ttl.range"
    bounds: ArrayAttr[IntAttr]

    def __init__(self, start: int, stop: int, step: int = 1) -> None:
        super().__init__(integers((start, stop, step)))

    @property
    def start(self) -> int:
        """The first node."""
        return self.bounds.data[0].data

    @property
    def stop(self) -> int:
        """The position after the last node."""
        return self.bounds.data[1].data

    @property
    def step(self) -> int:
        """The distance between nodes."""
        return self.bounds.data[2].data

    @property
    def indices(self) -> range:
        """The nodes in the range."""
        return range(self.start, self.stop, self.step)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        bounds = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parser.parse_integer)
        return (integers(bounds),)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.start}, {self.stop}, {self.step}>")

    def verify(self) -> None:
        if len(self.bounds) != 3:
            raise VerifyException(f"a range is start, stop and step, not {len(self.bounds)} numbers")
        if self.step < 1:
            raise VerifyException(f"the step of a range is at least 1, not {self.step}")


@irdl_attr_definition
class PipeAttr(ParametrizedAttribute):
    """A pipe from one node to another or to a range of nodes: ``#ttl.pipe<[0, 0] -> [0, 1:4]>``.

    The two ends may be written with different numbers of coordinates, as those of ``ttl.node(dims=...)`` may.
    """

    name = "ttl.pipe"
    source: ArrayAttr[IntAttr]
    destination: ArrayAttr[Attribute]

    def __init__(self, src: Sequence[int], dst: Sequence[int | SliceAttr]) -> None:
        super().__init__(
            integers(src),
            ArrayAttr([part if isinstance(part, SliceAttr) else IntAttr(part) for part in dst]),
        )

    @property
    def src(self) -> tuple[int, ...]:
        """The sending node."""
        return numbers(self.source)

    @property
    def dst(self) -> tuple[int | SliceAttr, ...]:
        """The receiving node or nodes."""
        return tuple(part.data if isinstance(part, IntAttr) else part for part in self.destination)  # type: ignore[misc]

    @property
    def is_multicast(self) -> bool:
        """Whether the destination is written as a range, even of one node."""
        return any(isinstance(part, SliceAttr) for part in self.destination)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def coordinate() -> Attribute:
            first = parser.parse_integer()
            if parser.parse_optional_punctuation(":") is None:
                return IntAttr(first)
            stop = parser.parse_integer()
            step = parser.parse_integer() if parser.parse_optional_punctuation(":") else 1
            return SliceAttr(first, stop, step)

        with parser.in_angle_brackets():
            source = parse_extents(parser)
            parser.parse_punctuation("->")
            destination = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, coordinate)
        return (source, ArrayAttr(destination))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{list(self.src)} -> [{', '.join(map(_coordinate_text, self.dst))}]>")

    def verify(self) -> None:
        if not self.src or not self.dst:
            raise VerifyException("source and destination of a pipe have one coordinate at least")
        for part in (*self.src, *self.dst):
            first = part.start if isinstance(part, SliceAttr) else part
            if first < 0 or (isinstance(part, SliceAttr) and part.start >= part.stop):
                raise VerifyException(
                    f"a coordinate of a node counts from 0, and a range has a node, not {_coordinate_text(part)}"
                )


@irdl_attr_definition
class NetPartAttr(ParametrizedAttribute):
    """A graph over chips, and the pipes of each of its edges: ``#ttl.over<stencil [4] by [[1]] wrap each [8, 8]>``.

    ``each [8, 8]`` stands for a pipe from every node of a grid to the node with the same coordinates; ``with [...]``
    lists other pipes. The coordinates of a pipe's ends are on the chips of the edge's source and destination.
    """

    name = "ttl.over"
    kind: StringAttr
    extents: ArrayAttr[IntAttr]
    axes: ArrayAttr[IntAttr]
    rows: ArrayAttr[ArrayAttr[IntAttr]]
    wrap: IntAttr
    nodes: ArrayAttr[IntAttr]
    pipes: ArrayAttr[PipeAttr]

    def __init__(self, graph: ChipGraph, nodes: Sequence[int], pipes: Sequence[PipeAttr] = ()) -> None:
        super().__init__(
            StringAttr(graph.kind),
            integers(graph.domain.extents),
            integers(graph.axes),
            ArrayAttr([integers(row) for row in graph.rows]),
            IntAttr(int(graph.wrap)),
            integers(nodes),
            ArrayAttr(pipes),
        )

    @property
    def graph(self) -> ChipGraph:
        """The graph, over a domain of one component."""
        return _graph(self)

    @property
    def pipe_count(self) -> int:
        """The number of pipes of each edge."""
        return prod(numbers(self.nodes)) if self.nodes else len(self.pipes)

    @property
    def node_pipes(self) -> tuple[PipeAttr, ...]:
        """The pipes of each edge."""
        if not self.nodes:
            return self.pipes.data
        extents = numbers(self.nodes)
        coords = (coordinate(node, extents, len(extents)) for node in range(prod(extents)))
        return tuple(PipeAttr(coord, coord) for coord in coords)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def ints() -> ArrayAttr[IntAttr]:
            return integers(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))

        with parser.in_angle_brackets():
            kind, extents = StringAttr(parser.parse_identifier()), ints()
            axes = ints() if parser.parse_optional_keyword("axes") else integers(())
            rows: list[ArrayAttr[IntAttr]] = []
            if parser.parse_optional_keyword("by"):
                rows = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, ints)
            wrap = IntAttr(int(parser.parse_optional_keyword("wrap") is not None))
            if parser.parse_optional_keyword("each"):
                return kind, extents, axes, ArrayAttr(rows), wrap, ints(), ArrayAttr([])
            parser.parse_keyword("with")
            pipes = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_attribute)
            return kind, extents, axes, ArrayAttr(rows), wrap, integers(()), ArrayAttr(pipes)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.kind.data} {list(numbers(self.extents))}")
        if self.axes:
            printer.print_string(f" axes {list(numbers(self.axes))}")
        if self.rows:
            printer.print_string(f" by {[list(numbers(row)) for row in self.rows]}")
        printer.print_string(" wrap" if self.wrap.data else "")
        if self.nodes:
            printer.print_string(f" each {list(numbers(self.nodes))}>")
            return
        printer.print_string(" with [")
        printer.print_list(self.pipes, printer.print_attribute)
        printer.print_string("]>")

    def verify(self) -> None:
        problem = self.graph.problem()
        if problem:
            raise VerifyException(problem)


@cached(maxsize=256)
def _graph(part: NetPartAttr) -> ChipGraph:
    domain = ChipDomain((("device", numbers(part.extents)),))
    rows = tuple(numbers(row) for row in part.rows)
    return ChipGraph(domain, part.kind.data, rows, numbers(part.axes), bool(part.wrap.data))  # type: ignore[arg-type]


def _coordinate_text(coordinate: int | SliceAttr) -> str:
    if isinstance(coordinate, int):
        return str(coordinate)
    step = f":{coordinate.step}" if coordinate.step != 1 else ""
    return f"{coordinate.start}:{coordinate.stop}{step}"


@irdl_attr_definition
class NodeMaskAttr(ParametrizedAttribute):
    """The nodes of a grid that take part, in row-major order: ``#ttl.node_mask<2x2, [1, 0, 1, 1]>``."""

    name = "ttl.node_mask"
    shape: ArrayAttr[IntAttr]
    mask: ArrayAttr[IntAttr]

    def __init__(self, extents: Sequence[int], mask: Sequence[int | bool]) -> None:
        super().__init__(integers(extents), integers(int(bit) for bit in mask))

    @property
    def extents(self) -> tuple[int, ...]:
        """Extents of the grid."""
        return numbers(self.shape)

    @property
    def bits(self) -> tuple[int, ...]:
        """1 for a node that takes part, 0 for other nodes."""
        return numbers(self.mask)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            extents = parse_dimensions(parser)
            parser.parse_punctuation(",")
            return (extents, parse_extents(parser))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{dimensions_text(self.extents)}, {extents_text(self.mask)}>")

    def verify(self) -> None:
        if len(self.bits) != prod(self.extents):
            raise VerifyException(
                f"a mask of a {dimensions_text(self.extents)} grid has {prod(self.extents)} bits, not {len(self.bits)}"
            )
        if not set(self.bits) <= {0, 1}:
            raise VerifyException(f"a mask is made of 0 and 1, not {sorted(set(self.bits) - {0, 1})[0]}")
