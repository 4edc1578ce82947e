"""``convert-compute-to-ttkernel``: regions become sections of tile functions.

Expects: regions with units, places and sub-blocks. Guarantees: no ``ttl.compute_region``, no ``ttl.write_scaler`` and no ``ttl.write_mask``; a
section acquires the registers, computes a sub-block operation by operation, and packs it; loops go over the
sub-blocks. Every kernel that computes starts the hardware up once. ``ttl.config`` of a kernel has the buffers that are
unpacked to the registers as float32. Inits and changes of format are written where they are needed;
``ttkernel-hoist-inits`` removes those that change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ttl.analysis.dominance import outermost, walked
from ttl.dialects import ttl as dialect
from ttl.dialects.compute import attribute_of
from ttl.dialects.filled import WriteMaskOp, WriteScalerOp
from ttl.dialects.tiles import (
    TileComputeOp,
    TileFoldOp,
    TileMatmulOp,
    TileOp,
    TileReadOp,
    TileReduceOp,
    space_of,
)
from ttl.dialects.ttkernel import GetCBOp
from ttl.passes.buffers.blocks import circular_buffer, name_of
from ttl.passes.buffers.holding import holdings
from ttl.passes.buffers.l1 import block_pages
from ttl.passes.building import Building, Number, erase
from ttl.passes.compute import in_registers
from ttl.passes.compute.by_packer import is_added_up, is_later
from ttl.passes.compute.carried import LOOPS, carried_block, without
from ttl.passes.compute.matrix_unit import TileFunctions, by_column, lanes_by_vector_unit, reduction_of
from ttl.passes.compute.modes import ComputeMode, compute_mode, is_wide
from ttl.passes.compute.places import place_of, tile_operands
from ttl.passes.compute.points import Points, Section, Source
from ttl.passes.compute.regions import memory_dtype
from ttl.passes.compute.requirements import held_inputs, is_carried
from ttl.passes.compute.views import shape_around, strides_of
from ttl.passes.compute.written_tiles import write_mask, write_scaler
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.kernels.kernel_body import operations_of_kernels
from ttl.passes.marks import CONFIG, parts_of
from ttl.passes.structured.sizes import multitile_sizes
from ttl.passes.subblock import subblock_of
from ttl.rows.dtypes import FLOAT32


@dataclass(frozen=True)
class ConvertCompute(ModulePass):
    """Regions to sections of tile functions."""

    name = "convert-compute-to-ttkernel"
    contract: ClassVar = Contract(needs=(PassFact.NUMBERS,), gives=(PassFact.TILES,))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in operations_of_kernels(op):
            mode = compute_mode(operation)
            for item in walked(operation):
                match item:
                    case WriteScalerOp():
                        write_scaler(item)
                    case WriteMaskOp():
                        write_mask(item)
            for kernel in operation.kernels:
                if kernel.kind == "compute":
                    _KernelLowering(kernel, mode).convert()


class _KernelLowering:
    def __init__(self, kernel: dialect.UserKernelOp, mode: ComputeMode) -> None:
        self._kernel = kernel
        self._mode = mode
        self._regions = outermost(kernel, dialect.ComputeRegionOp)
        self._held = holdings(kernel)
        # The page at which each block of the region that is being lowered begins.
        self._firsts: dict[SSAValue, Number] = {}
        # For each block that the packer adds up in: whether tiles are added to its contents, as a value of the kernel.
        self._later: dict[SSAValue, SSAValue | None] = {}
        self._direct = self._unpacked_directly() if mode.fp32_dest else ()
        # The formats in which the unpackers read buffers, and those in which the packer writes them.
        inputs = {
            (memory_dtype(value), name_of(_dfb(value)) in self._direct)
            for region in self._regions
            for value in region.inputs
            if _is_block(value)
        }
        outputs = {memory_dtype(value) for region in self._regions for value in region.outputs}
        self._reconfigures_sources = len(inputs) > 1
        self._reconfigures_packer = len(outputs) > 1

    def convert(self) -> None:
        if not self._regions:
            return
        if self._direct:
            self._kernel.attributes[CONFIG] = DictionaryAttr(
                {"unpack_to_dest_fp32": attribute_of(self._direct)}
            )
        self._start_up()
        for region in self._regions:
            self._region(region)
        self._release_values()
        for view in outermost(self._kernel, dialect.BlockViewOp)[::-1]:
            erase(view)

    def _unpacked_directly(self) -> tuple[str, ...]:
        """Names of float32 buffers that only the vector unit reads: all bits of their elements reach the registers."""
        direct: dict[str, bool] = {}
        for region in self._regions:
            arguments = _arguments(region)
            for op in region.body.block.ops:
                for argument, copies in _readers(op):
                    value = arguments[argument]
                    if _is_block(value) and memory_dtype(value) is FLOAT32:
                        name = name_of(_dfb(value))
                        direct[name] = direct.get(name, True) and copies
        return tuple(name for name, copied in direct.items() if copied)

    def _is_direct(self, value: SSAValue) -> bool:
        """Whether a block is unpacked straight to the registers, as integers of 32 bits always are."""
        dtype = memory_dtype(value)
        return name_of(_dfb(value)) in self._direct or (is_wide(dtype) and not dtype.is_float)

    def _start_up(self) -> None:
        """Configure the hardware once, for the first buffers that are read and the first that is written."""
        out = next(value for op in self._regions for value in op.outputs)
        region, first = self._first_reader()
        buffers = [_dfb(out)]
        if first is not None:
            arguments = _arguments(region)
            buffers = [_dfb(arguments[argument]) for argument, _ in _readers(first)]
        call = "matmul_hw_startup" if isinstance(first, TileMatmulOp) else "compute_kernel_hw_startup"
        sources = [circular_buffer(region, value) for value in (buffers[0], buffers[-1])]
        output = circular_buffer(region, _dfb(out))
        place = next((op for op in self._kernel.body.block.ops if not isinstance(op, GetCBOp)), None)
        Building(place, block=self._kernel.body.block, place=first or region).call(call, *sources, output)

    def _first_reader(self) -> tuple[dialect.ComputeRegionOp, Operation | None]:
        """The operation for whose buffers the hardware is started: the first that reads floats, else the first that reads.

        If the hardware is started for integers, the matrix unit of the older generation treats its input as integers
        until it is configured again, which changes of format do not do (``_llk_math_hw_configure_`` of 0.69).
        """
        readers = [
            (region, op)
            for region in self._regions
            if any(_is_block(value) for value in region.inputs)
            for op in region.body.block.ops
            if _readers(op)
        ]
        floats = (reader for reader in readers if self._reads_floats(*reader))
        return next(floats, readers[0] if readers else (self._regions[0], None))

    def _reads_floats(self, region: dialect.ComputeRegionOp, op: Operation) -> bool:
        arguments = _arguments(region)
        return all(memory_dtype(arguments[argument]).is_float for argument, _ in _readers(op))

    def _region(self, region: dialect.ComputeRegionOp) -> None:
        build = Building(region)
        space = space_of(region)
        assert space is not None
        for block in (*region.inputs, *region.outputs):
            if _is_block(block):
                self._firsts[block] = self._first(block, build)
        self._later = {block: is_later(build, block) for block in region.outputs if is_added_up(block)}
        subblock = subblock_of(region)
        tiles = prod(space)
        if is_carried(region) or prod(subblock) >= tiles:
            linear = len(subblock) == 1
            starts = [0] if linear else [0] * len(space)
            columns_first = not is_carried(region) and by_column(region.body.block.ops)
            points = replace(_whole(space, subblock), by_column=columns_first)
            self._section(region, build, starts, points, linear=linear)
        elif len(subblock) == 1:
            self._linear(region, build, tiles, subblock[0])
        else:
            self._rectangles(region, build, space, subblock)
        self._erase(region)

    def _linear(self, region: dialect.ComputeRegionOp, build: Building, tiles: int, size: int) -> None:
        def iteration(within: Building, start: SSAValue, _: object) -> tuple[()]:
            count: Number = size
            if tiles % size:
                left = within.difference(tiles, start)
                smaller = arith.MinSIOp(within.value(size), within.value(left))
                within.add(smaller)
                smaller.result.name_hint = "count"
                count = smaller.result
            points = Points(outer=((),), rows=1, columns=count, size=size)
            self._section(region, within, [start], points, linear=True)
            return ()

        build.loop(0, tiles, size, (), iteration, name="tile")

    def _rectangles(
        self,
        region: dialect.ComputeRegionOp,
        build: Building,
        space: tuple[int, ...],
        subblock: tuple[int, ...],
    ) -> None:
        """Write sections over the sub-blocks of a space; where an extent is not a multiple, there are two sizes."""
        columns_first = by_column(region.body.block.ops)
        most = [*(1 for _ in space[:-2]), *subblock]
        parts = [multitile_sizes(extent, size).parts for extent, size in zip(space, most, strict=True)]
        names = [*(f"outer_{dim}" for dim in range(len(space) - 2)), "row", "column"]

        def nest(within: Building, starts: list[Number], sizes: list[int]) -> None:
            dim = len(starts)
            if dim == len(space):
                *_, rows, columns = sizes
                points = Points(((),), rows, columns, size=rows * columns, by_column=columns_first)
                self._section(region, within, starts, points, linear=False)
                return
            begin = 0
            for size, times in parts[dim]:

                def iteration(inner: Building, index: SSAValue, _: object, size: int = size) -> tuple[()]:
                    nest(inner, [*starts, index], [*sizes, size])
                    return ()

                if times == 1:
                    nest(within, [*starts, begin], [*sizes, size])
                else:
                    within.loop(begin, begin + size * times, size, (), iteration, name=names[dim])
                begin += size * times

        nest(build, [], [])

    def _section(
        self,
        region: dialect.ComputeRegionOp,
        build: Building,
        starts: Sequence[Number],
        points: Points,
        *,
        linear: bool,
    ) -> None:
        """Write the calls of one section; its points begin at ``starts``, which is one number if ``linear``."""
        block = region.body.block
        sources: dict[SSAValue, Source] = {}
        for value, argument in zip(region.inputs, block.args, strict=False):
            if _is_block(value):
                sources[argument] = Source(
                    circular_buffer(region, _dfb(value)), self._firsts[value], self._is_direct(value)
                )
        out = self._output_of(region)
        output = None if out is None else circular_buffer(region, _dfb(out))
        ops = [op for op in block.ops if isinstance(op, TileOp)]
        begins, ends = not held_inputs(region), not region.values
        if begins:
            build.call("tile_regs_acquire")
        section = Section(
            points=points,
            starts=tuple(starts),
            is_linear=linear,
            sources=sources,
            output=output,
            fp32_dest=self._mode.fp32_dest,
            reconfigures=self._reconfigures_sources,
        )
        for op in ops:
            TileFunctions(build.at(op), section).write(op)
        if ends:
            build.call("tile_regs_commit")
            build.call("tile_regs_wait")
            computed = self._computed_in_section(region)
            lanes = lanes_by_vector_unit(computed)
            if lanes is not None:
                assert output is not None
                build.call("pack_lanes_init", output, dim=lanes)
            self._pack(region, build, starts, points, linear)
            build.call("tile_regs_release")
            for name in dict.fromkeys(reduction_of(op) for op in computed if isinstance(op, TileReduceOp)):
                build.call(f"{name}_uninit")
            if lanes is not None:
                build.call("pack_lanes_uninit")
            for written in region.outputs:
                if (pages := _pages_of_part(written)) is not None:
                    build.call("cb_push_back", circular_buffer(region, _dfb(written)), pages)

    def _pack(
        self,
        region: dialect.ComputeRegionOp,
        build: Building,
        starts: Sequence[Number],
        points: Points,
        linear: bool,
    ) -> None:
        space = space_of(region)
        assert space is not None
        yielded = region.body.block.last_op
        assert isinstance(yielded, dialect.YieldTilesOp)
        axes = tuple(range(len(space)))
        for tile, block in zip(yielded.values, region.outputs, strict=False):
            buffer = circular_buffer(region, _dfb(block))
            place = place_of(tile)
            strides = (1,) if linear else strides_of(space, axes, len(space), shape_around(block))
            first: Number = 0  # counted from the first page that earlier sections have not handed over
            if _pages_of_part(block) is None:
                moved = (build.product(start, step) for start, step in zip(starts, strides, strict=True))
                first = build.sum(self._firsts[block], *moved)
            if self._reconfigures_packer:
                build.call("pack_reconfig_data_format", buffer)
            later = self._later.get(block)
            if later is not None:
                build.call("pack_reconfig_l1_acc", later)

            def body(
                within: Building,
                pages: tuple[Number, ...],
                register: Number,
                buffer: SSAValue = buffer,
                base: int = place * points.size,
                first: Number = first,
            ) -> None:
                within.call("pack_tile", within.sum(register, base), buffer, within.sum(first, pages[0]))

            points.each(build, (strides,), body)
            if later is not None:
                build.call("pack_reconfig_l1_acc", 0)

    def _first(self, block: SSAValue, build: Building) -> Number:
        """The page of a buffer at which a block, or a view of one, begins."""
        if isinstance(view := block.owner, dialect.BlockViewOp):
            around = shape_around(view.block)
            steps = strides_of(around, tuple(range(len(around))), len(around))
            moved = [
                build.product(_known(offset), step) for offset, step in zip(view.offsets, steps, strict=True)
            ]
            return build.sum(self._first(view.block, build), *moved)
        acquire = dialect.acquired_from(block)
        assert acquire is not None and isinstance(block.type, dialect.BlockMemoryType)
        return self._held[acquire] * block_pages(block.type.block_type)

    def _output_of(self, region: dialect.ComputeRegionOp) -> SSAValue | None:
        """The block to which the result of a region is packed, by this region or by a later one that continues it."""
        if region.outputs:
            return region.outputs[0]
        value: SSAValue = region.values[0]
        while True:
            use = next(iter(value.uses))
            user = use.operation
            if isinstance(user, dialect.ComputeRegionOp):
                if user.outputs:
                    return user.outputs[0]
                value = user.values[0]
            elif isinstance(user, LOOPS):
                value = user.results[use.index - len(user.operands)]
            else:
                loop = user.parent_op()
                assert loop is not None
                value = loop.results[use.index]

    def _computed_in_section(self, region: dialect.ComputeRegionOp) -> list[Operation]:
        """Return the operations of the section that a region ends, those in loops before it included."""
        computed = [*region.body.block.ops]
        for value in region.inputs:
            if isinstance(value.type, TensorType) and isinstance(value.owner, LOOPS):
                computed += walked(value.owner)
        return computed

    def _erase(self, region: dialect.ComputeRegionOp) -> None:
        if region.values:
            return  # erased later, with the loops that carry its values in the registers
        erase(region)

    def _release_values(self) -> None:
        """Remove values in the registers from the loops that carry them, and erase the regions that computed them."""
        kept = outermost(self._kernel, dialect.ComputeRegionOp)
        for region in [op for op in kept if held_inputs(op)]:
            held = [value for value in region.inputs if isinstance(value.type, TensorType)]
            for value, before in zip(region.values, held, strict=True):
                value.replace_all_uses_with(before)
            erase(region)
        for loop in [*in_registers.marked(self._kernel)][::-1]:
            while (sum_ := carried_block(loop)) is not None:
                sum_.result.replace_all_uses_with(sum_.initial)
                loop = without(sum_)
        for region in [op for op in kept if op.parent is not None]:
            erase(region)


def _whole(space: tuple[int, ...], subblock: tuple[int, ...]) -> Points:
    """All points of a space, in one section."""
    if len(subblock) == 1:
        return Points(outer=((),), rows=1, columns=prod(space), size=prod(space))
    outer = tuple(product(*map(range, space[:-2])))
    return Points(outer=outer, rows=space[-2], columns=space[-1], size=prod(space))


def _is_block(value: SSAValue) -> bool:
    return isinstance(value.type, dialect.BlockMemoryType)


def _known(value: SSAValue) -> Number:
    number = dialect.constant_of(value)
    return value if number is None else int(number)


def _pages_of_part(block: SSAValue) -> int | None:
    """The pages that each section hands over; None if the block is not handed over in parts."""
    pushes = (use.operation for use in block.uses if isinstance(use.operation, dialect.DfbPushOp))
    return next(filter(None, map(parts_of, pushes)), None)


def _dfb(block: SSAValue) -> SSAValue:
    dfb = dialect.dfb_of(block)
    assert dfb is not None
    return dfb


def _arguments(region: dialect.ComputeRegionOp) -> dict[SSAValue, SSAValue]:
    """Return the value outside of a region for each argument of its body."""
    return dict(zip(region.body.block.args, (*region.inputs, *region.outputs), strict=True))


def _readers(op: Operation) -> list[tuple[SSAValue, bool]]:
    """The inputs that an operation reads from their buffers, each with whether it copies them to the registers."""
    match op:
        case TileReadOp() if op.place is not None:
            return [(op.source, True)]
        case TileMatmulOp():
            return [(op.left, False), (op.right, False)]
        case TileReduceOp():
            return [(op.source, False)]
        case TileFoldOp():
            return [(op.source, True)]
        case TileComputeOp() if op.unit in ("fpu", "fpu_bcast", "reuse"):
            return [
                (value.owner.source, False)
                for value in tile_operands(op)
                if isinstance(value.owner, TileReadOp)
            ]
    return []
