"""Operations on distributed tensors: distribution, the shard of a node, redistribution, and gathering."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import MemRefType, StringAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import BaseAttr, IRDLOperation, operand_def, prop_def, result_def, traits_def
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ttl.diag import Diagnostic
from ttl.dialects.dist_tensor import DistributionStrategy, DistTensorType, lying_of
from ttl.dialects.effects import BUFFERS, DRAM, L1, PIPES, Effects, anywhere, changes, reads, writes
from ttl.dialects.layouts import EncodingAttr
from ttl.dialects.structure import grid_around
from ttl.dialects.transfer import CopyOp
from ttl.dialects.types import DataflowBufferType, SliceType, tensor_shape
from ttl.ir.rewriting import Foldable, Folds
from ttl.ir.syntax import Keyword, operation_definition, word_of
from ttl.rules import distribution as rules


def _accepted(result: rules.Distribution | Diagnostic) -> rules.Distribution:
    if isinstance(result, Diagnostic):
        raise VerifyException(f"{result.message} ({result.code})")
    return result


def _type_of(value: SSAValue) -> DistTensorType:
    assert isinstance(value.type, DistTensorType)
    return value.type


@operation_definition
class DistributeOp(IRDLOperation):
    """Makes a distributed tensor from a tensor. Where it is sharded in L1, each shard is in the memory of its node."""

    name = "ttl.distribute"
    tensor = operand_def(TensorType[Attribute])
    result = result_def(DistTensorType)
    assembly_format = "$tensor attr-dict `:` type($tensor) `->` type($result)"
    traits = traits_def(Pure())

    def verify_(self) -> None:
        tensor, type_ = self.tensor.type, _type_of(self.result)
        assert isinstance(tensor, TensorType)
        if not isinstance(tensor.encoding, EncodingAttr):
            raise VerifyException(f"a tensor that is distributed has a #ttl.encoding, not {tensor.encoding}")
        type_.require_same_tensor(tensor)
        nodes, lying = grid_around(self), lying_of(tensor.encoding, tensor_shape(tensor))
        if nodes is None:
            return
        own = _accepted(type_.over(nodes, lying))
        if own.order != type_.along.data:
            raise VerifyException(f"the shards in L1 follow the nodes {own.order}, not {type_.along.data}")
        if type_.strategy is DistributionStrategy.INTERLEAVED and lying.spread != "interleaved":
            raise VerifyException(f"a tensor that is {lying.spread} is not interleaved ({rules.ELSEWHERE})")


@operation_definition
class ExtractShardOp(IRDLOperation):
    """The shard of a distributed tensor on this node: an end of a copy, or a memref.

    The shard of a replicated or redistributed tensor can be read and not written.
    """

    name = "ttl.extract_shard"
    source = operand_def(DistTensorType)
    result = result_def(BaseAttr(SliceType) | BaseAttr(MemRefType))
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"
    traits = traits_def(Pure())

    def verify_(self) -> None:
        of = _type_of(self.source)
        if of.strategy is DistributionStrategy.INTERLEAVED:
            finding = rules.no_shard(of.strategy.value)
            raise VerifyException(f"{finding.message} ({finding.code})")
        legal = SliceType(of.shard_shape, of.element_type), of.buffer_type()
        if self.result.type not in legal:
            raise VerifyException(f"the shard of a node is {legal[0]} or {legal[1]}, not {self.result.type}")
        if not any(isinstance(use.operation, CopyOp) and use.index == 1 for use in self.result.uses):
            return
        if isinstance(self.source.owner, RedistributeOp):
            raise VerifyException(
                "the result of a redistribution cannot be written to: it is a value without memory"
            )
        nodes = grid_around(self)
        if of.strategy is DistributionStrategy.REPLICATED and nodes is not None and max(nodes) > 1:
            finding = rules.many_writers(nodes)
            raise VerifyException(f"{finding.message} ({finding.code})")


@operation_definition
class RedistributeOp(IRDLOperation, Foldable):
    """The same values in another distribution.

    ``%b = ttl.redistribute %a strategy = replicated : !ttl.dist_tensor<...> -> !ttl.dist_tensor<...>``. No data are
    moved until a node copies its shard of the result: it then reads the parts that it needs from the nodes that hold
    them.
    """

    name = "ttl.redistribute"
    source = operand_def(DistTensorType)
    word = prop_def(StringAttr, prop_name="strategy")
    strategy = word_of("strategy", "How the result lies.")
    result = result_def(DistTensorType)
    assembly_format = (
        "$source `strategy` `=` custom<Keyword>($strategy) attr-dict `:` type($source) `->` type($result)"
    )
    custom_directives = (Keyword,)
    traits = traits_def(Pure(), Folds())

    def __init__(self, source: SSAValue, type: DistTensorType) -> None:
        strategy = StringAttr(type.strategy.value)
        super().__init__(operands=[source], result_types=[type], properties={"strategy": strategy})

    def fold_by(self, rewriter: PatternRewriter) -> None:
        """Fold a redistribution that changes nothing to its operand, and two in a row to the second."""
        if self.source.type == self.result.type:
            rewriter.replace(self, (), [self.source])
        elif isinstance(self.source.owner, RedistributeOp):
            rewriter.replace(self, RedistributeOp(self.source.owner.source, _type_of(self.result)))

    def verify_(self) -> None:
        before, after = _type_of(self.source), _type_of(self.result)
        if self.strategy != after.strategy.value:
            raise VerifyException(f"the result is {self.strategy}, not {after}")
        if (before.shape, before.element_type) != (after.shape, after.element_type):
            raise VerifyException(
                f"a redistribution keeps shape and elements: {list(before.shape)} x {before.element_type} "
                f"is not {list(after.shape)} x {after.element_type}"
            )
        if (nodes := grid_around(self)) is not None:
            _accepted(after.over(nodes))


@operation_definition
class GatherShardsOp(IRDLOperation):
    """Brings every shard of a tensor to every node: into blocks of a buffer, in the order of the shards' numbers.

    It is for a data movement kernel that every node runs. The node that holds a shard reads it once, and sends it to
    the other nodes.
    """

    name = "ttl.gather_shards"
    source = operand_def(DistTensorType)
    dfb = operand_def(DataflowBufferType)
    assembly_format = "$source `to` $dfb attr-dict `:` type($source) `,` type($dfb)"
    traits = traits_def(Effects(reads(DRAM), changes(BUFFERS, PIPES), writes(L1, of=anywhere)))

    def verify_(self) -> None:
        of, dfb = _type_of(self.source), self.dfb.type
        assert isinstance(dfb, DataflowBufferType)
        if of.strategy is not DistributionStrategy.SHARDED:
            raise VerifyException(
                f"only a sharded tensor can be gathered, not one that is {of.strategy.value}"
            )
        if (dfb.shape, dfb.element_type) != (of.shard_shape, of.element_type):
            raise VerifyException(
                f"a block of the buffer is a shard, {list(of.shard_shape)} x {of.element_type}, "
                f"not {list(dfb.shape)} x {dfb.element_type}"
            )


DISTRIBUTED: tuple[type[Operation], ...] = (DistributeOp, ExtractShardOp, RedistributeOp, GatherShardsOp)


def values_of(value: SSAValue) -> SSAValue:
    """The distributed tensor whose memory holds the values of ``value``: the source of all redistributions."""
    while isinstance(value.owner, RedistributeOp):
        value = value.owner.source
    return value


def other_nodes(nodes: Sequence[int], node: tuple[int, int]) -> Iterator[tuple[range, range]]:
    """All nodes of a grid except ``node``, as rectangles: columns and rows of each."""
    columns, rows = (*nodes, 1)[:2]
    x, y = node
    for part in ((range(columns), range(y)), (range(x), range(y, y + 1)), (range(x + 1, columns), range(y, y + 1)), (range(columns), range(y + 1, rows))):  # fmt: skip
        if part[0] and part[1]:
            yield part
