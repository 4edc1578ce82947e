"""Builders for kernels of TTKernel, operation by operation, and for the dispatch that runs them on cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.arith import IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, LocationAttr, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

from tt_model.attributes.ttkernel import NocConfigAttr, PlacedCBType, TensixConfigAttr
from tt_model.attributes.ttmetal import MetalCoreRangeAttr
from tt_model.layouts.elements import TileRecord
from tt_model.layouts.enums import CBPort, MathFidelity, NocIndex, UnpackToDestMode
from tt_model.layouts.layout import MemRef
from tt_model.layouts.records import CircularBufferRecord, CoreRangeRecord, TensixConfig
from tt_model.layouts.system_desc import ChipDesc
from tt_model.operations.dialects import build
from tt_model.operations.operation import RowOperation
from ttl.dialects.kernel.types import NocAddrType
from ttl.ir.conversion import OpBuilder
from ttl.ir.refusals import Refused
from ttmlir.transforms.metal.movement import Coordinate, Transaction

# The most circular buffers of a kind that a kernel can have.
MOST_BUFFERS = 8
NO_WRAP = IntegerOverflowAttr([IntegerOverflowFlag.NSW])


class KernelBuilder(OpBuilder):
    """Appends operations to a block."""

    def constant(self, value: int) -> SSAValue:
        """A 32-bit integer."""
        return self.add(arith.ConstantOp(IntegerAttr(value, i32))).results[0]

    def call(
        self, name: str, *operands: SSAValue | int, result: Attribute | None = None, **attributes: Any
    ) -> SSAValue | None:
        """Append an operation of TTKernel. Numbers among its operands become constants."""
        values = [self.constant(one) if isinstance(one, int) else one for one in operands]
        op = build(
            f"ttkernel.{name}",
            values,
            [] if result is None else [result],
            attributes,
            location=self.location,
        )
        self.move(op)
        return None if result is None else op.results[0]

    def value(self, name: str, *operands: SSAValue | int, result: Attribute) -> SSAValue:
        """Append an operation of TTKernel that has a result, and return the result."""
        value = self.call(name, *operands, result=result)
        assert value is not None
        return value

    def increased(self, value: SSAValue, by: int) -> SSAValue:
        """The sum of a value and a number."""
        return self.add(arith.AddiOp(value, self.constant(by), overflow=NO_WRAP)).results[0]

    def loop(
        self,
        bound: int,
        values: Sequence[SSAValue],
        body: Callable[[KernelBuilder, SSAValue, list[SSAValue]], Sequence[SSAValue]],
    ) -> list[SSAValue]:
        """Append ``for i in range(bound)``. ``body`` takes i and the carried values, and returns their next values."""
        start, end, step = (self.constant(number) for number in (0, bound, 1))
        block = Block(arg_types=[i32, *(value.type for value in values)])
        for argument in block.args:
            argument.location = self.location
        inner = KernelBuilder(block, location=self.location)
        carried = body(inner, block.args[0], list(block.args[1:]))
        inner.add(scf.YieldOp(*carried))
        loop = scf.ForOp(start, end, step, list(values), Region(block))
        return list(self.add(loop).results)

    def end(self) -> None:
        """Append the end of a kernel."""
        self.call("return")


@dataclass(slots=True)
class DispatchedKernel:
    """A kernel, the cores that run it, and its configuration."""

    block: Block
    cores: CoreRangeRecord
    config: Attribute


@dataclass(slots=True)
class DispatchBuilder:
    """The kernels of one ``ttmetal.dispatch``."""

    location: LocationAttr
    chip: ChipDesc
    kernels: list[DispatchedKernel] = field(default_factory=list)

    def compute(self, cores: Coordinate, buffers: Sequence[CircularBufferRecord]) -> KernelBuilder:
        """Begin a compute kernel on a grid of cores that starts at the first core."""
        modes = (UnpackToDestMode.Default,) * self.chip.num_cbs
        config = TensixConfigAttr(TensixConfig(MathFidelity.HiFi4, False, False, modes))
        return self._kernel(CoreRangeRecord((0, 0), cores), config, buffers)

    def noc(
        self, offset: Coordinate, size: Coordinate, buffers: Sequence[CircularBufferRecord] = ()
    ) -> KernelBuilder:
        """Begin a data movement kernel."""
        return self._kernel(CoreRangeRecord(offset, size), NocConfigAttr(NocIndex.Noc0), buffers)

    def _kernel(
        self, cores: CoreRangeRecord, config: Attribute, buffers: Sequence[CircularBufferRecord]
    ) -> KernelBuilder:
        rows, columns = (at + extent for at, extent in zip(cores.offset, cores.size))
        if rows > self.chip.grid[0] or columns > self.chip.grid[1]:
            raise Refused(
                f"it runs on {cores.size[0]}x{cores.size[1]} cores, and the chip has "
                f"{self.chip.grid[0]}x{self.chip.grid[1]}",
                "what works in the TTMetal pipeline: a grid of one chip",
            )
        block = Block(arg_types=[PlacedCBType(buffer) for buffer in buffers])
        for argument in block.args:
            argument.location = self.location
        self.kernels.append(DispatchedKernel(block, cores, config))
        return KernelBuilder(block, location=self.location)

    def build(
        self, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue], types: Sequence[Attribute]
    ) -> RowOperation:
        """Build the ``ttmetal.dispatch``."""
        return build(
            "ttmetal.dispatch",
            [inputs, outputs],
            types,
            {
                "core_ranges": ArrayAttr([MetalCoreRangeAttr(kernel.cores) for kernel in self.kernels]),
                "kernelConfigs": ArrayAttr([kernel.config for kernel in self.kernels]),
            },
            location=self.location,
            regions=[Region(kernel.block) for kernel in self.kernels],
        )


def circular_buffer(
    kind: str, number: int, address: int, memref: MemRef, page: int | None = None
) -> CircularBufferRecord:
    """The circular buffer with a number among the inputs (``in``) or outputs (``out``). Raises ``Refused``."""
    if number >= MOST_BUFFERS:
        raise Refused(
            f"it has more than {MOST_BUFFERS} operands",
            f"what works in the TTMetal pipeline: at most {MOST_BUFFERS} inputs and as many results",
        )
    if page is None:
        if not isinstance(memref.element, TileRecord):
            raise Refused(
                f"an operand is in scalars: {memref.element}",
                "what works: operands in tiles, as #tt.operand_constraint<any_device_tile> asks for",
            )
        page = memref.element.bytes
    return CircularBufferRecord(CBPort.from_keyword(f"cb_{kind}{number}"), address, memref, page, 1)


def read(builder: KernelBuilder, moved: Transaction, source: int, destination: int) -> None:
    """Emit an asynchronous read of bytes of another core into the core's own memory."""
    address, size, remote = _numbers(builder, moved, source, destination)
    noc = builder.value("get_noc_addr_xy", remote[1], remote[0], address[0], result=NocAddrType())
    builder.call("noc_async_read", noc, address[1], size)


def write(builder: KernelBuilder, moved: Transaction, source: int, destination: int) -> None:
    """Emit an asynchronous write of bytes of the core's own memory to another core."""
    address, size, remote = _numbers(builder, moved, source, destination)
    noc = builder.value("get_noc_addr_xy", remote[1], remote[0], address[1], result=NocAddrType())
    builder.call("noc_async_write", address[0], noc, size)


def _numbers(
    builder: KernelBuilder, moved: Transaction, source: int, destination: int
) -> tuple[tuple[SSAValue, SSAValue], SSAValue, tuple[SSAValue, SSAValue]]:
    remote = (builder.constant(moved.remote[0]), builder.constant(moved.remote[1]))
    addresses = (
        builder.constant(source + moved.source),
        builder.constant(destination + moved.destination),
    )
    return addresses, builder.constant(moved.size), remote
