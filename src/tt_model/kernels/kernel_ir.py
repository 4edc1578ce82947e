"""A kernel of a ``ttmetal.dispatch`` in the ``ttkernel`` dialect of TT-Lang.

Both dialects write calls of the same table, ``ttl.kernel_api``. In TT-Lang, numbers are of type ``index``, and circular
buffers are declared in a program and have no address. The code that prints and analyses kernels of TT-Lang thus handles
these, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from tt_model.attributes.ttkernel import PlacedCBType
from tt_model.kernels.call_forms import ApiCall, calls_of, start_of
from tt_model.layouts.element_types import DTYPES
from tt_model.layouts.elements import TileRecord, data_type_of
from tt_model.layouts.records import CircularBufferRecord
from tt_model.operations.operation import RowOperation
from ttl.analysis.arithmetic import integer_of
from ttl.dialects.elements import element_type
from ttl.dialects.ttkernel import CircularBufferOp, GetCBOp, KernelOp, ProgramOp, call
from ttl.ir.conversion import BlockConversion
from ttl.ir.refusals import Refusal, Refused
from ttl.rows.types import Layout

_INDEX = IndexType()
_ARITHMETIC = (
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.DivSIOp,
    arith.RemSIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
    arith.MinSIOp,
    arith.MaxSIOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
)


def program_of_region(
    op: Operation,
    block: Block,
    *,
    name: str,
    thread: Literal["tensix", "noc"],
    grid: Sequence[int],
    refused: list[tuple[Operation, Refusal]],
) -> ProgramOp:
    """Convert the block of a region to a program of one kernel.

    ``refused`` collects the operations that today's kernel API has no equivalent for.
    """
    body = Block()
    conversion = _RegionConversion(body)
    declared: list[Operation] = []
    for argument in block.args:
        assert isinstance(argument.type, PlacedCBType)
        operation = _declaration(argument.type.data)
        declared.append(operation)
        get = GetCBOp(operation.declared_name, operation.type)
        conversion.become([argument], conversion.instead_of([argument], get))
    start = start_of(block)
    if start is not None:
        conversion.call(start)
    conversion.convert_block(block)
    refused += conversion.refused
    noc: Literal[0] | None = 0 if thread == "noc" else None
    kernel = KernelOp(name, thread, Region([body]), noc=noc)
    kernel.location = op.location
    program = ProgramOp(function_name(op), tuple(grid), Region([Block([*declared, kernel])]))
    program.location = op.location
    return program


@lru_cache(maxsize=4096)
def _attribute(value: int) -> IntegerAttr[IndexType]:
    return IntegerAttr(value, _INDEX)


def function_name(op: Operation) -> str:
    """The name of the function that contains an operation; ``dispatch`` if its parent has no name."""
    parent = op.parent_op()
    symbol = None if parent is None else parent.properties.get("sym_name")
    return getattr(symbol, "data", "dispatch")


def _declaration(buffer: CircularBufferRecord) -> CircularBufferOp:
    element = buffer.memref.element
    layout = Layout.TILE if isinstance(element, TileRecord) else Layout.ROW_MAJOR
    return CircularBufferOp(
        buffer.port.keyword,
        int(buffer.port),
        max(1, buffer.pages),
        buffer.page_size,
        element_type(DTYPES[data_type_of(element)], layout),
    )


class _RegionConversion(BlockConversion):
    """Converts every number to one of type ``index``, and every operation to its calls of today."""

    def instead_of(self, old: Sequence[SSAValue], op: Operation) -> Sequence[SSAValue]:
        """Add an operation, and return its results, which get the names of the old ones."""
        self.add(op)
        for value, result in zip(old, op.results, strict=False):
            result.name_hint = result.name_hint or value.name_hint
        return op.results

    def stand_in(self, value: SSAValue) -> SSAValue:
        return self._number(0)

    def convert(self, op: Operation) -> Sequence[SSAValue]:
        match op:
            case arith.ConstantOp(value=IntegerAttr() as number):
                return [self._number(number.value.data)]
            case arith.AddiOp() if integer_of(op.rhs) == 0:
                return [self.use(op.lhs)]
            case _ if isinstance(op, _ARITHMETIC):
                return self.instead_of(op.results, type(op)(self.use(op.lhs), self.use(op.rhs)))
            case arith.CmpiOp():
                comparison = arith.CmpiOp(self.use(op.lhs), self.use(op.rhs), op.predicate.value.data)
                return self.instead_of(op.results, comparison)
            case arith.SelectOp():
                return self.instead_of(op.results, arith.SelectOp(*self.uses(op.operands)))
            case arith.IndexCastOp():
                return [self.use(op.input)]
            case scf.ForOp():
                return self._for(op)
            case scf.IfOp():
                return self._if(op)
            case scf.YieldOp():
                return ()  # the end of a loop or a branch, which their own conversion handles
            case RowOperation():
                results: Sequence[SSAValue] = ()
                for one in calls_of(op):
                    results = self.call(one, op.results)
                return results
            case _:
                raise Refused(
                    f"'{op.name}' has no meaning in a kernel",
                    "what works: calls of the kernel API, scf.for, scf.if, and arithmetic of integers",
                )

    def call(self, one: ApiCall, results: Sequence[SSAValue] = ()) -> Sequence[SSAValue]:
        """Add a call of the kernel API."""
        operands = [
            self._number(value) if isinstance(value, int) else self.use(value) for value in one.operands
        ]
        return self.instead_of(results, call(one.name, *operands, **one.constants))

    def _number(self, value: int) -> SSAValue:
        number = arith.ConstantOp.create(result_types=[_INDEX], properties={"value": _attribute(value)})
        return self.add(number).results[0]

    def _inside(self, block: Block, source: Block) -> None:
        """Convert the operations of ``source`` into ``block``."""
        with self.inside(block):
            self.convert_block(source)
            end = source.last_op
            self.add(scf.YieldOp(*self.uses(end.operands if isinstance(end, scf.YieldOp) else ())))

    def _if(self, op: scf.IfOp) -> Sequence[SSAValue]:
        regions = []
        for region in (op.true_region, op.false_region):
            regions.append(Region([Block()] if region.blocks else []))
            if region.blocks:
                self._inside(regions[-1].block, region.block)
        types = [_INDEX for _ in op.results]
        return self.instead_of(op.results, scf.IfOp(self.use(op.cond), types, regions[0], regions[1]))

    def _for(self, op: scf.ForOp) -> Sequence[SSAValue]:
        source = op.body.block
        block = Block(arg_types=[_INDEX for _ in source.args])
        for argument in block.args[1:]:
            argument.name_hint = "tile"
        self.become(source.args, block.args)
        self._inside(block, source)
        first, last, step, *carried = self.uses(op.operands)
        return self.instead_of(op.results, scf.ForOp(first, last, step, carried, Region([block])))
