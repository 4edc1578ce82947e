"""Semaphores of this node and of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from xdsl.dialects.builtin import I64, IndexType, IntegerAttr, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    SameVariadicOperandSize,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.effects import (
    DRAM,
    L1,
    SEMAPHORES,
    BarrierType,
    Effects,
    SynchronizationOp,
    anywhere,
    changes,
    writes,
)
from ttl.dialects.structure import MOVING, InBody, Resource, hint_name
from ttl.dialects.types import RemoteSemaphoreType, SemaphoreType
from ttl.ir.syntax import Keyword, number_of, operation_definition, word_of

UNICAST = RemoteSemaphoreType("unicast")
MULTICAST = RemoteSemaphoreType("multicast")


@operation_definition
class CreateSemaphoreOp(Resource):
    """A semaphore of every node."""

    name = "ttl.create_semaphore"
    semaphore_name = prop_def(StringAttr, prop_name="name")
    value = prop_def(IntegerAttr[I64], prop_name="initial_value")
    initial_value = number_of("initial_value", "Its value when the operation starts.")
    result = result_def(SemaphoreType())
    assembly_format = "$name `=` $initial_value attr-dict"
    traits = traits_def(InBody(), Effects(writes(SEMAPHORES)))

    def __init__(self, *, initial_value: int, name: str) -> None:
        super().__init__(
            result_types=[SemaphoreType()],
            properties={"name": StringAttr(name), "initial_value": IntegerAttr(initial_value, i64)},
        )
        hint_name(self.result, name)

    def verify_(self) -> None:
        if not 0 <= self.initial_value < 2**32:
            raise VerifyException(f"a semaphore holds 0 to 4294967295, not {self.initial_value}")


@operation_definition
class GetRemoteSemaphoreOp(IRDLOperation):
    """The same semaphore on another node."""

    name = "ttl.get_remote_semaphore"
    semaphore = operand_def(SemaphoreType())
    node = var_operand_def(IndexType())
    result = result_def(UNICAST)
    assembly_format = "$semaphore `at` `[` $node `]` attr-dict"
    traits = traits_def(Pure())

    def __init__(self, semaphore: SSAValue, node: Sequence[SSAValue]) -> None:
        super().__init__(operands=[semaphore, node], result_types=[UNICAST])

    def verify_(self) -> None:
        if not self.node:
            raise VerifyException("a node has at least one coordinate")


@operation_definition
class GetRemoteMulticastSemaphoreOp(IRDLOperation):
    """The same semaphore on a range of nodes; without a range, on all other nodes of the grid."""

    name = "ttl.get_remote_multicast_semaphore"
    semaphore = operand_def(SemaphoreType())
    starts = var_operand_def(IndexType())
    stops = var_operand_def(IndexType())
    result = result_def(MULTICAST)
    irdl_options = (SameVariadicOperandSize(),)
    assembly_format = "$semaphore `from` `[` $starts `]` `to` `[` $stops `]` attr-dict"
    traits = traits_def(Pure())

    def __init__(
        self, semaphore: SSAValue, starts: Sequence[SSAValue] = (), stops: Sequence[SSAValue] = ()
    ) -> None:
        super().__init__(operands=[semaphore, starts, stops], result_types=[MULTICAST])


@operation_definition
class SemaphoreWaitOp(IRDLOperation, SynchronizationOp):
    """Waits until a semaphore of this node equals a value, or is at least that value."""

    name = "ttl.semaphore_wait"
    semaphore = operand_def(SemaphoreType())
    value = operand_def(IndexType())
    comparison_word = prop_def(StringAttr, prop_name="comparison")
    comparison = word_of("comparison", "``eq`` or ``ge``.")
    assembly_format = "$semaphore custom<Keyword>($comparison) $value attr-dict"
    custom_directives = (Keyword,)
    traits = traits_def(MOVING, Effects(changes(SEMAPHORES), writes(L1, DRAM, of=anywhere)))

    BARRIERS: ClassVar[tuple[BarrierType, ...]] = (BarrierType.SEMAPHORE,)
    SCOPE: ClassVar[Literal["node", "grid"]] = "grid"

    def __init__(self, semaphore: SSAValue, value: SSAValue, *, comparison: Literal["eq", "ge"]) -> None:
        super().__init__(operands=[semaphore, value], properties={"comparison": StringAttr(comparison)})

    def verify_(self) -> None:
        if self.comparison not in ("eq", "ge"):
            raise VerifyException(f"a semaphore is compared with eq or ge, not {self.comparison}")


@operation_definition
class SemaphoreSetOp(IRDLOperation):
    """Sets a semaphore of this node, or of a range of nodes."""

    name = "ttl.semaphore_set"
    semaphore = operand_def(SemaphoreType | RemoteSemaphoreType)
    value = operand_def(IndexType())
    assembly_format = "$semaphore `,` $value attr-dict `:` type($semaphore)"
    traits = traits_def(MOVING, Effects(writes(SEMAPHORES), writes(L1, DRAM, of=anywhere)))

    def __init__(self, semaphore: SSAValue, value: SSAValue) -> None:
        super().__init__(operands=[semaphore, value])


@operation_definition
class SemaphoreIncOp(IRDLOperation):
    """Adds to a semaphore of another node."""

    name = "ttl.semaphore_inc"
    semaphore = operand_def(RemoteSemaphoreType)
    value = operand_def(IndexType())
    assembly_format = "$semaphore `,` $value attr-dict `:` type($semaphore)"
    traits = traits_def(MOVING, Effects(changes(SEMAPHORES), writes(L1, DRAM, of=anywhere)))

    def __init__(self, semaphore: SSAValue, value: SSAValue) -> None:
        super().__init__(operands=[semaphore, value])
