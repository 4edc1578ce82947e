"""Distributed tensors become slices, copies and pipes: ``ttl-lower-distributed``, and two passes beside it.

``ttl-lower-distributed`` expects operations with distributed tensors. It guarantees that none is left: the shard of a
node is a slice of the tensor at the node's coordinates, redistributed tensors are read from where they are, and shards
that are gathered go over pipes, each of them once. No later pass handles distributions, except for the checks, which
read from a slice of which distributed tensor it is a shard. ``ttl-bufferize-distributed`` is for functions: a
distributed tensor becomes the memref of a node's shard. ``ttl-show-shards`` notes on every distributed tensor which
node has which part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ttl.analysis.dominance import inside, outermost, walked
from ttl.dialects import ttl as dialect
from ttl.dialects.attributes import PipeAttr, SliceAttr
from ttl.dialects.dist_tensor import DistributionStrategy, DistTensorType
from ttl.dialects.distributed import DISTRIBUTED, other_nodes, values_of
from ttl.dialects.structure import grid_around
from ttl.dialects.types import BufferLike
from ttl.ir.failure import NotLegalized, not_legalized
from ttl.ir.rewriting import Fold, convert_types_of, rewrite
from ttl.ir.syntax import i64_array, numbers
from ttl.passes.building import Building, Number
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.names import UniqueNames
from ttl.rules.distribution import Distribution

SHARDS, SHARD_GROUP = "ttl.shards", "ttl.shard_group"


class _ShardIndex:
    """An index that is built as operations, with the operators of an int."""

    def __init__(self, build: Building, number: Number) -> None:
        self.build, self.number = build, number

    def __add__(self, other: _ShardIndex | int) -> _ShardIndex:
        return _ShardIndex(
            self.build, self.build.sum(self.number, other.number if isinstance(other, _ShardIndex) else other)
        )

    def __mul__(self, factor: int) -> _ShardIndex:
        return _ShardIndex(self.build, self.build.product(self.number, factor))

    def __floordiv__(self, divisor: int) -> _ShardIndex:
        return _ShardIndex(self.build, self.build.quotient(self.number, divisor))

    def __mod__(self, divisor: int) -> _ShardIndex:
        return _ShardIndex(self.build, self.build.remainder(self.number, divisor))


def lowered(operation: dialect.OperationOp) -> dialect.OperationOp:
    """A copy of an operation without distributed tensors; the operation itself if it has no distributed tensors."""
    if not any(isinstance(op, DISTRIBUTED) for op in inside(operation)):
        return operation
    copied = operation.clone()
    _ShardLowering(copied).run()
    return copied


@dataclass(frozen=True)
class LowerDistributed(ModulePass):
    """Lower distributed tensors to slices, copies and pipes."""

    name = "ttl-lower-distributed"
    contract: ClassVar = Contract(
        needs=(PassFact.CHIP,), gives=(PassFact.LOCAL,), before=(PassFact.BUFFERED,), again=True
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in outermost(op, dialect.OperationOp):
            if any(isinstance(inner, DISTRIBUTED) for inner in inside(operation)):
                _ShardLowering(operation).run()


class _ShardLowering:
    """The distributed tensors of one operation."""

    def __init__(self, operation: dialect.OperationOp) -> None:
        self.operation = operation
        self.body = operation.body.block
        self.grid = operation.grid.extents
        self.names = UniqueNames(
            op.net_name.data for op in self.body.ops if isinstance(op, dialect.CreatePipeNetOp)
        )
        self.accessors: dict[SSAValue, SSAValue] = {
            op.tensor: op.result for op in self.body.ops if isinstance(op, dialect.TensorAccessorOp)
        }
        self.node: list[SSAValue] = []

    def run(self) -> None:
        """Replace all distributed tensors."""
        for op in list(inside(self.operation)):
            if isinstance(op, dialect.ExtractShardOp):
                Rewriter.replace_op(op, self.part(Building(op), op.source))
            elif isinstance(op, dialect.GatherShardsOp):
                self.gather(op)
                Rewriter.erase_op(op)
        for op in reversed(list(inside(self.operation))):
            if isinstance(op, DISTRIBUTED):
                Rewriter.erase_op(op)

    def part(self, build: Building, value: SSAValue) -> dialect.TensorSliceOp:
        """The slice that is this node's shard."""
        type_, root = value.type, values_of(value).owner
        assert isinstance(type_, DistTensorType) and isinstance(root, dialect.DistributeOp)
        x, y = (_ShardIndex(build, coordinate) for coordinate in self.here(root))
        distribution = type_.over(self.grid)
        assert isinstance(distribution, Distribution), "the verifier let it through"
        offsets = [build.value(getattr(start, "number", start)) for start in distribution.origin(x, y)]
        sizes = type_.shard_shape
        part = dialect.TensorSliceOp(
            self.accessor(root.tensor, root),
            offsets,
            sizes=sizes,
            single=[False] * len(sizes),
            shard_of=type_,
        )
        part.location = build.location
        return part

    def here(self, place: Operation) -> list[SSAValue]:
        """Return column and row of the node, computed once."""
        if not self.node:
            op = self.first(dialect.NodeOp(2), place)
            self.node = list(op.results)
        return self.node

    def accessor(self, tensor: SSAValue, place: Operation) -> SSAValue:
        """Return the accessor of a tensor, from which its slices are taken."""
        if tensor not in self.accessors:
            self.accessors[tensor] = self.first(dialect.TensorAccessorOp(tensor), place).results[0]
        return self.accessors[tensor]

    def first(self, op: Operation, place: Operation) -> Operation:
        """Insert an operation at the beginning of the body."""
        return Building(self.body.first_op, place=place).add(op)

    def gather(self, op: dialect.GatherShardsOp) -> None:
        """Send the shards to all other nodes, one after the other, over a net for each; all nodes keep this order."""
        of, dfb = op.source.type, op.dfb
        assert isinstance(of, DistTensorType)
        build, distribution = Building(op), of.over(self.grid)
        assert isinstance(distribution, Distribution), "the verifier let it through"
        for number, node in enumerate(distribution.holders()):
            pipes = [
                PipeAttr(node, [SliceAttr(part.start, part.stop) for part in parts])
                for parts in other_nodes(self.grid, node)
            ]
            block = build.result(dialect.DfbReserveOp(dfb))
            if not pipes:
                self.copy(build, build.result(self.part(build, op.source)), block)
            else:
                net = self.first(
                    dialect.CreatePipeNetOp(pipes=pipes, name=self.names.unique(f"shard_{number}")), op
                ).results[0]
                sends, body = build.result(dialect.IsPipeSrcOp(net)), Block()
                own = build.inside(body)
                self.copy(own, own.result(self.part(own, op.source)), block)
                own.add(scf.YieldOp())
                build.add_as_is(scf.IfOp(sends, [], Region(body), Region()))
                for kind, end in ((dialect.IfPipeSrcOp, "src"), (dialect.IfPipeDstOp, "dst")):
                    body = Block(arg_types=[dialect.PipeType(end)])  # type: ignore[arg-type]
                    pipe = body.args[0]
                    self.copy(build.inside(body), *((block, pipe) if end == "src" else (pipe, block)))
                    build.add_as_is(kind(net, Region(body)))
            build.add(dialect.DfbPushOp(block, how="explicit"))

    @staticmethod
    def copy(build: Building, source: SSAValue, target: SSAValue) -> None:
        """Insert a copy, and a wait for it."""
        build.add(dialect.WaitOp(build.result(dialect.CopyOp(source, target)), how="explicit"))


@dataclass(frozen=True)
class BufferizeDistributed(ModulePass):
    """Turn distributed tensors in functions into the memrefs of a node's shards.

    Expects: functions in which shards are memrefs. Guarantees: no distributed tensor is left; an argument that was a
    distributed tensor has ``ttl.shard_group``: its number, and the grid over which its shards lie. Redistributions are
    refused: they move data between nodes.
    """

    name = "ttl-bufferize-distributed"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, [Fold()])
        functions = [inner for inner in op.body.block.ops if isinstance(inner, FuncOp)]
        refused = [
            not_legalized(inner, why)
            for function in functions
            for inner in walked(function)
            if (why := _why_not(inner)) is not None
        ]
        if refused:
            raise NotLegalized(refused)
        for function in functions:
            groups: list[DictionaryAttr] = []
            for number, type_ in enumerate(function.function_type.inputs):
                entry: dict[str, Attribute] = {}
                if isinstance(type_, DistTensorType):
                    entry[SHARD_GROUP] = DictionaryAttr(
                        {"tensor": IntegerAttr(number, i64), "grid": i64_array(numbers(type_.grid))}
                    )
                groups.append(DictionaryAttr(entry))
            if any(group.data for group in groups):
                function.arg_attrs = ArrayAttr(groups)
            for inner in list(walked(function)):
                convert_types_of(inner, _as_memref)
            for inner in list(walked(function)):
                if isinstance(inner, dialect.ExtractShardOp):
                    Rewriter.replace_op(inner, [], [inner.source])


def _as_memref(type_: Attribute) -> Attribute:
    return type_.buffer_type() if isinstance(type_, BufferLike) else type_


def _why_not(op: Operation) -> str | None:
    """Return why distributed tensors of a function with this operation cannot be memrefs; None if they can."""
    if isinstance(op, dialect.RedistributeOp):
        return "data move between nodes: redistribute in a ttl.operation, and lower it with ttl-lower-distributed"
    if isinstance(op, dialect.DistributeOp | dialect.GatherShardsOp):
        return "memory of all nodes: put it into a ttl.operation"
    if isinstance(op, dialect.ExtractShardOp) and isinstance(op.result.type, dialect.SliceType):
        return "a slice of a tensor: the shard in a function is a memref"
    types: list[Any] = [value.type for value in op.results]
    types += [argument.type for region in op.regions for block in region.blocks for argument in block.args]
    if any(
        isinstance(item, DistTensorType) and item.strategy is DistributionStrategy.INTERLEAVED
        for item in types
    ):
        return "an interleaved tensor has no part on a node"
    return None


@dataclass(frozen=True)
class ShowShards(ModulePass):
    """Note on distributed tensors in operations which node has which part, a line for each, in ``ttl.shards``."""

    name = "ttl-show-shards"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in walked(op):
            nodes = grid_around(inner)
            if nodes is None or not isinstance(inner, dialect.DistributeOp | dialect.RedistributeOp):
                continue
            type_ = inner.result.type
            assert isinstance(type_, DistTensorType)
            distribution = type_.over(nodes)
            assert isinstance(distribution, Distribution), "the verifier let it through"
            inner.attributes[SHARDS] = ArrayAttr(
                [StringAttr(line.strip()) for line in distribution.text().splitlines()]
            )
