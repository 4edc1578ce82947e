"""Pipe nets, and the bodies that run for each pipe of a net."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import I64, ArrayAttr, IndexType, IntegerAttr, StringAttr, i1, i64
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.printer import Printer
from xdsl.traits import NoTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.attributes import NetPartAttr, PipeAttr
from ttl.dialects.effects import PIPES, Effects, writes
from ttl.dialects.structure import MOVING, InBody, Resource, grid_around, hint_name
from ttl.dialects.types import PipeNetType, PipeType
from ttl.ir.rewriting import Foldable, Folds, RegionBranchOp
from ttl.ir.syntax import Keyword, number_of, numbers, operation_definition, word_of
from ttl.protocol.chips import NODE_DIMS, chip_name
from ttl.protocol.grid import show_nodes
from ttl.rules.pipes import pipe_name
from ttl.session import cached

MOST_DIMS = 64
"""A number of coordinates that is larger than that of every end of a pipe."""


@operation_definition
class CreatePipeNetOp(Resource):
    """A list of pipes between nodes, or, between the chips of a device domain, graphs (``over``) in place of lists."""

    name = "ttl.create_pipe_net"
    net_name = prop_def(StringAttr, prop_name="name")
    pipe_list = prop_def(ArrayAttr[PipeAttr], prop_name="pipes")
    part_list = opt_prop_def(ArrayAttr[NetPartAttr], prop_name="parts")
    result = result_def(PipeNetType())
    assembly_format = "$name $pipes (`over` $parts^)? attr-dict"
    traits = traits_def(InBody(), Effects(writes(PIPES)))

    def __init__(
        self, *, pipes: Sequence[PipeAttr] = (), parts: Sequence[NetPartAttr] = (), name: str
    ) -> None:
        properties: dict[str, Attribute] = {"name": StringAttr(name), "pipes": ArrayAttr(pipes)}
        if parts:
            properties["parts"] = ArrayAttr(parts)
        super().__init__(result_types=[PipeNetType()], properties=properties)
        hint_name(self.result, name)

    def verify_(self) -> None:
        """Raise ``VerifyException`` for a graph over other chips, or pipes between other nodes, than the operation has."""
        grid = grid_around(self)
        if grid is None:
            return
        chips, nodes = list(grid[:-NODE_DIMS]), list(grid[-NODE_DIMS:])
        for part in self.parts:
            if list(part.graph.domain.extents) != chips or (
                part.nodes and list(numbers(part.nodes)) != nodes
            ):
                raise VerifyException(f"a net over {part} in an operation on {chips} chips of {nodes} nodes")

    @property
    def parts(self) -> tuple[NetPartAttr, ...]:
        """The graphs over chips that make up the net, with the pipes of each edge; empty for a net of listed pipes."""
        return () if self.part_list is None else self.part_list.data

    @property
    def pipes(self) -> tuple[PipeAttr, ...]:
        """Its pipes, in order; for a net over graphs, all pipes of the graphs, with coordinates on the whole grid."""
        return self.pipe_list.data if self.part_list is None else _all_pipes(self.part_list)

    @property
    def pipe_count(self) -> int:
        """The number of pipes."""
        return sum(part.graph.count * part.pipe_count for part in self.parts) or len(self.pipe_list)

    def pipe_name(self, number: int) -> str:
        """Return the name of a pipe for messages."""
        pipe, name = self.pipes[number], self.net_name.data
        src: tuple[int | slice, ...] = pipe.src
        dst = tuple(
            entry
            if isinstance(entry, int)
            else slice(entry.start, entry.stop, entry.step if entry.step != 1 else None)
            for entry in pipe.dst
        )
        if not self.parts:
            return pipe_name(name, src, dst)
        ends = (
            f"{chip_name([part for part in end[:-NODE_DIMS] if isinstance(part, int)])}, node {show_nodes(end[-NODE_DIMS:])}"
            for end in (src, dst)
        )
        return f"{name}'s pipe from {' to '.join(ends)}"

    def dims(self, end: str) -> int:
        """The smallest number of coordinates of an end (``src`` or ``dst``) of its pipes."""
        if self.parts:
            return min(len(part.extents) + NODE_DIMS for part in self.parts)
        return min((len(pipe.src if end == "src" else pipe.dst) for pipe in self.pipes), default=MOST_DIMS)


@cached(maxsize=16)
def _all_pipes(parts: ArrayAttr[NetPartAttr]) -> tuple[PipeAttr, ...]:
    """All pipes of a net over graphs, as a list."""
    result = []
    for part in parts:
        domain, pipes = part.graph.domain, part.node_pipes
        for source, destination in part.graph.edges():
            first, second = domain.coordinate(source), domain.coordinate(destination)
            result += [PipeAttr((*first, *pipe.src), (*second, *pipe.dst)) for pipe in pipes]
    return tuple(result)


def _has_no_pipes(net: SSAValue) -> bool:
    """Whether a net has no pipes."""
    return isinstance(net.owner, CreatePipeNetOp) and not net.owner.pipe_count


class IfPipeOp(IRDLOperation, Foldable, RegionBranchOp):
    """Runs its region for each pipe of a net that has this node as an end, in the order of the list."""

    net = operand_def(PipeNetType())
    body = region_def("single_block")
    traits = traits_def(MOVING, NoTerminator(), RecursiveMemoryEffect(), Folds())

    END: ClassVar[Literal["src", "dst"]]
    MAY_SKIP: ClassVar[bool] = True

    def __init__(self, net: SSAValue, body: Region) -> None:
        super().__init__(operands=[net], regions=[body])

    @property
    def pipe(self) -> SSAValue:
        """The pipe, inside the region."""
        return self.body.block.args[0]

    def fold_by(self, rewriter: PatternRewriter) -> None:
        if _has_no_pipes(self.net):
            rewriter.erase(self)

    @classmethod
    def parse(cls, parser: Parser) -> IfPipeOp:
        net = parser.resolve_operand(parser.parse_unresolved_operand(), PipeNetType())
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(net, parser.parse_region())
        op.attributes |= attributes.data if attributes is not None else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.net)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body)

    def verify_(self) -> None:
        types = [argument.type for argument in self.body.block.args]
        if types != [PipeType(self.END)]:
            raise VerifyException(
                f"the region has one argument, a {PipeType(self.END)}, not {', '.join(map(str, types)) or 'none'}"
            )


@operation_definition
class IfPipeSrcOp(IfPipeOp):
    """Runs its body for each pipe whose source is this node."""

    name = "ttl.if_pipe_src"
    END: ClassVar[Literal["src", "dst"]] = "src"


@operation_definition
class IfPipeDstOp(IfPipeOp):
    """Runs its body for each pipe that has this node as a destination."""

    name = "ttl.if_pipe_dst"
    END: ClassVar[Literal["src", "dst"]] = "dst"


class _IsPipeOp(IRDLOperation, Foldable):
    net = operand_def(PipeNetType())
    result = result_def(i1)
    assembly_format = "$net attr-dict"
    traits = traits_def(Pure(), Folds())

    def __init__(self, net: SSAValue) -> None:
        super().__init__(operands=[net], result_types=[i1])

    def fold_by(self, rewriter: PatternRewriter) -> None:
        if _has_no_pipes(self.net):
            rewriter.replace(self, ConstantOp(IntegerAttr(0, i1)))


@operation_definition
class IsPipeSrcOp(_IsPipeOp):
    """Whether this node is the source of a pipe of a net."""

    name = "ttl.is_pipe_src"


@operation_definition
class IsPipeDstOp(_IsPipeOp):
    """Whether this node is a destination of a pipe of a net."""

    name = "ttl.is_pipe_dst"


@operation_definition
class PipeCoordinateOp(IRDLOperation):
    """A coordinate of the source of a pipe, or of its destination."""

    name = "ttl.pipe_coordinate"
    pipe = operand_def(PipeType)
    of_word = prop_def(StringAttr, prop_name="of")
    of = word_of("of", "Which end the coordinate is of.")
    axis_number = prop_def(IntegerAttr[I64], prop_name="axis")
    axis = number_of("axis", "Which coordinate.")
    result = result_def(IndexType())
    assembly_format = "custom<Keyword>($of) `of` $pipe `axis` $axis attr-dict `:` type($pipe)"
    custom_directives = (Keyword,)
    traits = traits_def(Pure())

    def __init__(self, pipe: SSAValue, *, of: Literal["src", "dst"], axis: int) -> None:
        super().__init__(
            operands=[pipe],
            result_types=[IndexType()],
            properties={"of": StringAttr(of), "axis": IntegerAttr(axis, i64)},
        )

    def verify_(self) -> None:
        if self.of not in ("src", "dst"):
            raise VerifyException(f"a coordinate is of src or dst, not {self.of}")
        if self.axis < 0:
            raise VerifyException(f"the axis of a coordinate is at least 0, not {self.axis}")
        around = self.pipe.owner.parent_op() if isinstance(self.pipe, BlockArgument) else None
        net = around.net.owner if isinstance(around, IfPipeOp) else None
        dims = net.dims(self.of) if isinstance(net, CreatePipeNetOp) else MOST_DIMS
        if self.axis >= dims:
            raise VerifyException(
                f"the {self.of} of a pipe of this net has {dims} coordinates, and none of axis {self.axis}"
            )


def pipe_body(end: Literal["src", "dst"]) -> Region:
    """Make an empty region for ``IfPipeSrcOp`` or ``IfPipeDstOp``."""
    return Region(Block(arg_types=[PipeType(end)]))
