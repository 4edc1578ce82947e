"""``convert-ttir-to-ttmetal``: the operations of a module become kernels on cores."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tt_model.attributes.tt import ArgAllocationAttr
from tt_model.layouts.elements import TileRecord
from tt_model.layouts.enums import MemorySpace
from tt_model.layouts.layout import LayoutRecord
from tt_model.layouts.values import LayoutError, volume
from tt_model.operations.dialects import build
from tt_model.operations.operation import RowOperation, TTIROperation, TTMetalOperation
from tt_model.operations.stages import Stage, on
from tt_model.operations.tensors import tensor_type_of
from tt_model.operations.ttir import TTIRAllocOp, TTIRDeallocOp, TTIRFillOp, TTIRGenericOp, TTIRToLayoutOp
from tt_model.operations.ttmetal import TTMetalAllocOp
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, Refused, reports_of
from ttl.ir.reports import Report
from ttmlir.transforms.metal.allocate import ARG_ALLOC, TargetMachine, machine_of
from ttmlir.transforms.metal.compute import ComputeWork, emit
from ttmlir.transforms.metal.dispatch import Dispatching
from ttmlir.transforms.metal.generic import what_stays, work_of
from ttmlir.transforms.metal.iteration import Axis, AxisMap, Iterations
from ttmlir.transforms.metal.kernel_functions import DispatchBuilder, circular_buffer, read, write
from ttmlir.transforms.metal.layout import layout_of
from ttmlir.transforms.metal.movement import check_alignment, grid_text, transactions
from ttmlir.transforms.metal.split_layout import LayoutDifference


@dataclass(frozen=True)
class ConvertTTIRToTTMetal(ModulePass):
    """Convert TTIR to TTMetal.

    Expects: TTIR with addresses, in which every ``ttir.to_layout`` makes a single change. Guarantees: ``ttmetal`` only:
    allocations, host transfers, and ``ttmetal.dispatch`` whose regions are kernels of ``ttkernel`` for ranges of cores.
    If a conversion is refused, the module stays unchanged.
    """

    name = "convert-ttir-to-ttmetal"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op, self.name)
        refused: list[tuple[Operation, Refusal]] = []
        conversions = []
        for function in op.walk():
            if isinstance(function, FuncOp) and function.body.blocks:
                conversion = _Conversion(function, machine)
                refused += conversion.prepare()
                conversions.append(conversion)
        for conversion in conversions:
            conversion.finish(commit=not refused)
        if refused:
            raise NotLegalized(reports_of(refused, explicitly=True))

    def foresees(self, module: ModuleOp) -> list[Report]:
        """Return the refusals that the pass would raise."""
        return reports_of([(op, refused.refusal) for op, refused in what_stays(module)], explicitly=True)


@dataclass
class _Conversion:
    """The conversion of one function. New operations are kept outside of it until all are built."""

    function: FuncOp
    machine: TargetMachine
    replaced: list[tuple[Operation, Operation]] = field(default_factory=list)
    addresses: dict[SSAValue, int] = field(default_factory=dict)

    def prepare(self) -> list[tuple[Operation, Refusal]]:
        """Build the replacement of each operation; return the operations that cannot be replaced, with the reasons."""
        if len(self.function.body.blocks) != 1:
            return [(self.function, Refusal("it has branches", "what works: functions of one block"))]
        block = self.function.body.block
        given = self.function.attributes.get(ARG_ALLOC)
        allocations = given.data if isinstance(given, ArrayAttr) else ()
        for argument, allocation in zip(block.args, allocations):
            if isinstance(allocation, ArgAllocationAttr):
                self.addresses[argument] = allocation.data.address
        refused: list[tuple[Operation, Refusal]] = []
        for op in block.ops:
            try:
                new = self._converted(op)
            except Refused as problem:
                refused.append((op, problem.refusal))
                new = None
            except LayoutError as problem:
                refused.append((op, Refusal(str(problem), _WAY_OUT)))
                new = None
            if new is not None:
                self.replaced.append((op, new))
            self._follow(op)
        return refused

    def finish(self, *, commit: bool) -> None:
        """Replace the old operations by the new ones, or drop the new ones."""
        for old, new in self.replaced:
            if commit:
                Rewriter.replace_op(old, new)
            else:
                new.drop_all_references()

    def _follow(self, op: Operation) -> None:
        """Record the addresses of results: those of their destinations."""
        if not isinstance(op, RowOperation):
            return
        if isinstance(op, TTIRAllocOp | TTMetalAllocOp):
            self.addresses[op.result] = op.address
        for init, result in zip(op.inits, op.results):
            if init in self.addresses:
                self.addresses[result] = self.addresses[init]

    def _converted(self, op: Operation) -> Operation | None:
        if isinstance(op, ReturnOp | TTMetalOperation):
            return None
        rule = RULES.of(type(op))
        if rule is not None:
            return rule(op, self)
        if isinstance(op, TTIROperation):
            work_of(op)
            raise Refused("it is not in a ttir.generic", "what works: --ttir-generic in front of this pass")
        if isinstance(op, EmptyOp):
            raise Refused("it has no address", "what works: --ttir-allocate in front of this pass")
        if isinstance(op, CallOp):
            raise Refused("it calls a function", "what works: --inline in front of the other passes")
        raise Refused(
            f"operations of {op.name.partition('.')[0]} do not run on the device", "what works: TTIR"
        )

    def address(self, value: SSAValue) -> int:
        address = self.addresses.get(value)
        if address is None:
            what = f"the result of '{value.op.name}'" if isinstance(value, OpResult) else "an argument"
            raise Refused(f"{what} has no address", "what works: --ttir-allocate in front of this pass")
        return address

    def moved(self, op: TTIRToLayoutOp, before: LayoutRecord, after: LayoutRecord) -> Operation:
        source, destination = op.operands
        reads = after.memory_space is MemorySpace.DeviceL1
        if not reads and before.memory_space is not MemorySpace.DeviceL1:
            raise Refused(
                "it moves a tensor within dram",
                "what works: one side in l1; --ttir-split-compound-layout inserts l1 if more than the memory changes",
            )
        shape = tensor_type_of(source).get_shape()
        moved = transactions(self.machine, before, after, shape, reads=reads)
        addresses = self.address(source), self.address(destination)
        dispatch = DispatchBuilder(op.location, self.machine.chip)
        for core, own in moved.items():
            kernel = dispatch.noc(core, (1, 1))
            for transaction in own:
                check_alignment(self.machine, transaction, *addresses)
                (read if reads else write)(kernel, transaction, *addresses)
            kernel.call("noc_async_read_barrier" if reads else "noc_async_write_barrier")
            kernel.end()
        return dispatch.build([source], [destination], [op.result.type])

    def reformatted(self, op: TTIRToLayoutOp, before: LayoutRecord, after: LayoutRecord) -> Operation:
        source, destination = op.operands
        tiles = after if after.is_tiled else before
        if after.memory_space is not MemorySpace.DeviceL1:
            raise Refused(
                "it changes elements in dram, but kernels compute only in l1",
                "what works: --ttir-split-compound-layout in front of --ttir-allocate, which uses l1 in between",
            )
        if not isinstance(tiles.element, TileRecord) or tiles.element.shape != (32, 32):
            raise Refused(
                f"it makes {after.element} of {before.element}",
                "what works: rows to 32x32 tiles, those to rows, and tiles of one type to those of another",
            )
        cores = _matrix(tiles)
        page = tiles.element.bytes
        dispatch = DispatchBuilder(op.location, self.machine.chip)
        # If tiles become tiles of another type, each side has pages of its own size.
        wanted = None if before.is_tiled and after.is_tiled else page
        buffers = (
            circular_buffer("in", 0, self.address(source), before.memref, wanted),
            circular_buffer("out", 0, self.address(destination), after.memref, wanted),
        )
        kernel = dispatch.compute(cores, buffers)
        rows, target = kernel.block.args
        if before.is_tiled and after.is_tiled:
            plain = AxisMap(Axis.ROWS, Axis.COLUMNS)
            work = ComputeWork(
                name="typecast",
                kind="eltwise",
                iterations=Iterations((plain, plain), frozenset()),
                buffers=buffers,
                values=(rows, target),
                numbers={},
            )
            emit(kernel, work)
        else:
            row = tiles.memref.shape[-1]
            name = "tilize" if after.is_tiled else "untilize"
            if after.is_tiled:
                kernel.call("tilize_init", rows, row, target)
            else:
                kernel.call("untilize_init", rows, target)
            for _ in range(volume(tiles.memref.shape) // row):
                kernel.call(f"{name}_block", rows, row, target)
                kernel.call("cb_pop_front", rows, row)
                kernel.call("cb_push_back", target, row)
        kernel.end()
        return dispatch.build([source], [destination], [op.result.type])


def _matrix(layout: LayoutRecord) -> tuple[int, int]:
    if layout.grid.rank != 2:
        raise Refused(
            f"its grid {grid_text(layout)} has {layout.grid.rank} dimensions",
            "what works in the TTMetal pipeline: grids of rows and columns on one chip",
        )
    return layout.grid.shape[0], layout.grid.shape[1]


_WAY_OUT = "what works: tensors with #tt.layout, as --ttir-layout gives them"


def _same(op: TTIRAllocOp | TTIRDeallocOp, conversion: _Conversion) -> Operation:
    """Convert to the TTMetal operation of the same name."""
    return build(
        f"ttmetal.{op.ROW.mnemonic}",
        list(op.operands),
        [result.type for result in op.results],
        op.properties,
        location=op.location,
    )


def _fill(op: TTIRFillOp, conversion: _Conversion) -> Operation:
    """Convert a fill to known values that the host writes."""
    return build(
        "ttmetal.host_write",
        [op.operands[0]],
        [op.result.type],
        {"value": op.value},
        location=op.location,
    )


def _to_layout(op: TTIRToLayoutOp, conversion: _Conversion) -> Operation:
    """Convert a change of layout: a read by the host, a move, or a change of elements."""
    before, after = (layout_of(operand.type) for operand in op.operands)
    change = LayoutDifference.between(before, after)
    if before.memory_space.is_host:
        raise Refused(
            "it moves a tensor from the host to the device",
            "what works in the TTMetal pipeline: arguments that are on the device, as "
            "--ttir-to-ttmetal-backend-pipeline lays them out",
        )
    if after.memory_space.is_host:
        return build("ttmetal.host_read", list(op.operands), [op.result.type], {}, location=op.location)
    if not change.element:
        return conversion.moved(op, before, after)
    if change.count > 1:
        raise Refused(
            "it changes the elements and something else at once",
            "what works: --ttir-split-compound-layout in front of --ttir-allocate",
        )
    return conversion.reformatted(op, before, after)


def _generic(op: TTIRGenericOp, conversion: _Conversion) -> Operation:
    """Convert a generic to kernels that compute and kernels that move their data."""
    return Dispatching(op, conversion.machine, conversion.address).build()


RULES = Stage(
    on(TTIRAllocOp, _same),
    on(TTIRDeallocOp, _same),
    on(TTIRFillOp, _fill),
    on(TTIRToLayoutOp, _to_layout),
    on(TTIRGenericOp, _generic),
)
