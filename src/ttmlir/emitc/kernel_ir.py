"""A kernel of a ``ttmetal.dispatch`` in the ``ttkernel`` dialect of TT-Lang.

Both are text of the same table, ``ttl.kernel_api``: numbers are of type ``index`` there, circular buffers are declared in a program
and have no address. What prints and analyses kernels of TT-Lang does it with these, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.dialects.elements import element_type
from ttl.dialects.ttkernel import CBType, CircularBufferOp, GetCBOp, KernelOp, ProgramOp, call
from ttl.ops.types import Layout
from ttmlir.attributes.ttkernel import CBType as RegionCBType
from ttmlir.emitc.calls import ApiCall, calls_of, start_of
from ttmlir.layouts.element_types import DTYPES
from ttmlir.layouts.elements import Tile, data_type_of
from ttmlir.layouts.records import CircularBufferRecord
from ttmlir.operations.operation import RowOperation
from ttmlir.transforms.refusals import Refused

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
    op: Operation, block: Block, *, name: str, thread: Literal["tensix", "noc"], grid: Sequence[int]
) -> ProgramOp:
    """A program of one kernel, of the block of a region.

    Raises ``CannotConvert`` with every operation that today's kernel API has nothing for.
    """
    body = Block()
    conversion = _RegionConversion(body)
    declared: list[Operation] = []
    for argument in block.args:
        assert isinstance(argument.type, RegionCBType)
        buffer = argument.type.data
        operation = _declaration(buffer)
        declared.append(operation)
        conversion.add(
            GetCBOp(operation.declared_name, CBType(operation.pages, operation.element_type)), argument
        )
    start = start_of(block)
    if start is not None:
        conversion.call(start)
    conversion.block(block)
    if conversion.refused:
        raise CannotConvert(conversion.refused)
    noc: Literal[0] | None = 0 if thread == "noc" else None
    kernel = KernelOp(name, thread, Region([body]), noc=noc)
    kernel.location = op.location
    program = ProgramOp(function_name(op), tuple(grid), Region([Block([*declared, kernel])]))
    program.location = op.location
    return program


class CannotConvert(Exception):
    """Operations of a kernel that the kernel API has nothing for, and why."""

    def __init__(self, refused: Sequence[tuple[Operation, Refused]]) -> None:
        super().__init__("; ".join(f"{op.name}: {problem}" for op, problem in refused))
        self.refused = tuple(refused)


def function_name(op: Operation) -> str:
    """The name of the function that an operation stands in."""
    parent = op.parent_op()
    symbol = None if parent is None else parent.properties.get("sym_name")
    return getattr(symbol, "data", "dispatch")


def _declaration(buffer: CircularBufferRecord) -> CircularBufferOp:
    element = buffer.memref.element
    layout = Layout.TILE if isinstance(element, Tile) else Layout.ROW_MAJOR
    pages = max(1, buffer.memref.bytes * buffer.num_buffers // buffer.page_size)
    return CircularBufferOp(
        buffer.port.keyword,
        int(buffer.port),
        pages,
        buffer.page_size,
        element_type(DTYPES[data_type_of(element)], layout),
    )


class _RegionConversion:
    """Puts operations at the end of a block."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self._values: dict[SSAValue, SSAValue] = {}
        self.refused: list[tuple[Operation, Refused]] = []

    def add(self, op: Operation, *stands_for: SSAValue) -> None:
        """An operation, and whose values its results are."""
        self._block.add_op(op)
        for value, result in zip(stands_for, op.results, strict=False):
            self._values[value] = result
            result.name_hint = result.name_hint or value.name_hint

    def block(self, block: Block) -> None:
        for op in block.ops:
            before = self._block.last_op
            try:
                self._operation(op)
            except Refused as problem:
                self.refused.append((op, problem))
            added = self._block.last_op
            while added is not None and added is not before:
                added.location = op.location
                added = added.prev_op

    def _use(self, value: SSAValue) -> SSAValue:
        if value not in self._values:
            # What gives it was refused: one report is enough.
            self._values[value] = self._number(0)
        return self._values[value]

    def _operation(self, op: Operation) -> None:
        match op:
            case arith.ConstantOp(value=IntegerAttr() as number):
                self._values[op.result] = self._number(number.value.data)
            case arith.AddiOp() if integer_of(op.rhs) == 0:
                self._values[op.result] = self._use(op.lhs)
            case _ if isinstance(op, _ARITHMETIC):
                a, b = map(self._use, op.operands)
                self.add(type(op)(a, b), *op.results)
            case arith.CmpiOp():
                self.add(
                    arith.CmpiOp(self._use(op.lhs), self._use(op.rhs), op.predicate.value.data), op.result
                )
            case arith.SelectOp():
                condition, then, otherwise = map(self._use, op.operands)
                self.add(arith.SelectOp(condition, then, otherwise), op.result)
            case arith.IndexCastOp():
                self._values[op.result] = self._use(op.input)
            case scf.ForOp():
                self._for(op)
            case scf.IfOp():
                self._if(op)
            case scf.YieldOp():
                pass  # the end of a loop or a branch, which these convert
            case RowOperation():
                for one in calls_of(op):
                    self.call(one, op.results)
            case _:
                raise Refused(
                    f"'{op.name}' has no meaning in a kernel",
                    "what works: calls of the kernel API, scf.for, scf.if, and arithmetic of integers",
                )

    def call(self, one: ApiCall, results: Sequence[SSAValue] = ()) -> None:
        """A call of the kernel API."""
        operands = [
            self._number(value) if isinstance(value, int) else self._use(value) for value in one.operands
        ]
        self.add(call(one.name, *operands, **one.constants), *results)

    def _number(self, value: int) -> SSAValue:
        constant = arith.ConstantOp(IntegerAttr(value, _INDEX), _INDEX)
        self.add(constant)
        return constant.result

    def _inside(self, block: Block, source: Block) -> None:
        """Convert a block into another one."""
        outer, self._block = self._block, block
        self.block(source)
        self._block = outer
        end = source.last_op
        given = end.operands if isinstance(end, scf.YieldOp) else ()
        block.add_op(scf.YieldOp(*map(self._use, given)))

    def _if(self, op: scf.IfOp) -> None:
        regions = []
        for region in (op.true_region, op.false_region):
            regions.append(Region([Block()] if region.blocks else []))
            if region.blocks:
                self._inside(regions[-1].block, region.block)
        types = [_INDEX for _ in op.results]
        self.add(scf.IfOp(self._use(op.cond), types, regions[0], regions[1]), *op.results)

    def _for(self, op: scf.ForOp) -> None:
        source = op.body.block
        block = Block(arg_types=[_INDEX for _ in source.args])
        for argument in block.args[1:]:
            argument.name_hint = "tile"
        self._values.update(zip(source.args, block.args, strict=True))
        self._inside(block, source)
        first, last, step = (self._use(value) for value in (op.lb, op.ub, op.step))
        loop = scf.ForOp(first, last, step, [self._use(value) for value in op.iter_args], Region([block]))
        self.add(loop, *op.results)
