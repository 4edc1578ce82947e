"""Operations of ``ttkernel`` as calls of the kernel API, as it is today.

The operations are those of 2024-11-21, and so are some of their names: what was one function then may be two today, or take
something more. This says which rows of ``ttl.kernel_api`` an operation is; the operands and constants of a row of the same name are
its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.ir.refusals import Refused
from ttl.kernel_api import CALLS
from ttmlir.layouts.element_types import DTYPES
from ttmlir.layouts.enums import DataType, ReduceDim, ReduceType
from ttmlir.operations.operation import RowOperation
from ttmlir.operations.stages import Stage, on
from ttmlir.operations.ttkernel import (
    TTKernelBinaryOpInitCommonOp,
    TTKernelCastToL1PtrOp,
    TTKernelCBPopFrontOp,
    TTKernelCopyTileInitOp,
    TTKernelCopyTileOp,
    TTKernelGetNocAddrOp,
    TTKernelGetNocAddrXYOp,
    TTKernelMatmulHwStartupOp,
    TTKernelMemZerosBaseOp,
    TTKernelMemZerosSizeOp,
    TTKernelMulTilesInitFOp,
    TTKernelNocAsyncReadOnePacketWithStateOp,
    TTKernelReduceInitOp,
    TTKernelReduceTileOp,
    TTKernelReductionOp,
    TTKernelReturnOp,
    TTKernelTilizeInitOp,
    TTKernelUnaryOpInitCommonOp,
    TTKernelUntilizeBlockOp,
    TTKernelUntilizeInitOp,
)

_POOLS = MappingProxyType({ReduceType.Sum: "PoolType::SUM", ReduceType.Max: "PoolType::MAX"})
# Constants that functions have got since 2024, and what they did then.
_USUAL: Mapping[str, Any] = MappingProxyType({"approx": False})
# How many registers there are where each takes 32 bits.
_REGISTERS = 4
_DIMS = MappingProxyType(
    {
        ReduceDim.Row: "ReduceDim::REDUCE_ROW",
        ReduceDim.Col: "ReduceDim::REDUCE_COL",
        ReduceDim.Scalar: "ReduceDim::REDUCE_SCALAR",
    }
)


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A row of ``ttl.kernel_api``, what it is given, and its constants as ``ttl.dialects.ttkernel.call`` takes them."""

    name: str
    operands: tuple[SSAValue | int, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)


def calls_of(op: RowOperation) -> tuple[ApiCall, ...]:
    """What an operation calls, in order; nothing where today's kernel API needs no call. Raises ``Refused``."""
    operands = tuple(op.operands)
    changed = CHANGED.of(type(op))
    if changed is not None:
        return tuple(changed(op, operands))
    if op.ROW.kernel_function is None:
        raise Refused(
            f"the kernel API has no function for 'ttkernel.{op.ROW.mnemonic}'",
            "what works: operations that the passes of TTMetal write",
        )
    row = CALLS[op.ROW.kernel_function]
    return (ApiCall(row.name, operands, {one.name: _constant(op, one.name) for one in row.constants}),)


def _constant(op: RowOperation, name: str) -> Any:
    attribute = op.ROW.attribute_named.get(name)
    if attribute is None:
        return _USUAL[name]
    value = op.value_of(attribute)
    if isinstance(value, DataType):
        if value not in DTYPES:
            raise Refused(
                f"'{name}' is {value.keyword}, which no register holds",
                f"what works: {', '.join(dtype.keyword for dtype in DTYPES)}",
            )
        return DTYPES[value]
    return value


def start_of(kernel: Block) -> ApiCall | None:
    """What a compute kernel of today calls first, once: its units are started for the formats of the buffers that it begins with.

    In 2024 the init of what a kernel does first was the start, too, wherever it stood.
    """
    for op in kernel.walk():
        operands = tuple(op.operands)
        match op:
            case TTKernelMatmulHwStartupOp():
                return ApiCall("matmul_hw_startup", operands)
            case TTKernelBinaryOpInitCommonOp() | TTKernelReduceInitOp():
                return ApiCall("compute_kernel_hw_startup", operands)
            case TTKernelUnaryOpInitCommonOp() | TTKernelUntilizeInitOp() | TTKernelTilizeInitOp():
                return ApiCall("compute_kernel_hw_startup", (operands[0], operands[0], operands[-1]))
    return None


# Where it is not the function of the same name, or more than that.

Operands = tuple[SSAValue, ...]


def _unary_start(op: TTKernelUnaryOpInitCommonOp, operands: Operands) -> Iterator[ApiCall]:
    # It prepared copies, too, for kernels that do not prepare them themselves.
    kernel = op.parent
    assert kernel is not None
    kinds = {type(one) for one in kernel.walk()}
    if TTKernelCopyTileOp in kinds and TTKernelCopyTileInitOp not in kinds:
        yield ApiCall("copy_tile_init", (operands[0],))


def _untilize_start(op: TTKernelUntilizeInitOp, operands: Operands) -> Iterator[ApiCall]:
    source, result = operands
    full = _full_width(op)
    yield ApiCall("pack_untilize_init", (source, result), _untilized(full))


def _untilize(op: TTKernelUntilizeBlockOp, operands: Operands) -> Iterator[ApiCall]:
    """By the packer, which today's kernels use: the unpacker's functions are deprecated. It takes a part of the tiles at a time."""
    source, _, result = operands
    how = _untilized(_full_width(op))
    for part in range(how["full"] // how["width"]):
        if part:
            yield ApiCall("cb_pop_front", (source, how["width"]))
        yield ApiCall("pack_untilize_block", (source, result, part), how)


def _pop(op: TTKernelCBPopFrontOp, operands: Operands) -> Iterator[ApiCall]:
    before = op.prev_op
    while isinstance(before, ConstantOp):
        before = before.prev_op
    buffer, full = operands[0], integer_of(operands[1])
    if (
        full is not None
        and isinstance(before, TTKernelUntilizeBlockOp)
        and before.cb_in is buffer
        and integer_of(before.num_tiles) == full
        and (width := _untilized(full)["width"]) < full
    ):
        # All parts but the last are gone already.
        yield ApiCall("cb_pop_front", (buffer, width))
        return
    yield ApiCall("cb_pop_front", operands)


def _full_width(op: Operation) -> int:
    """How many tiles are side by side: what the next ``untilize_block`` says."""
    at: Operation | None = op
    while at is not None and not isinstance(at, TTKernelUntilizeBlockOp):
        at = at.next_op
    if at is None:
        raise Refused(
            "no 'ttkernel.untilize_block' follows in its block, so how many tiles are side by side is not known",
            "what works: 'ttkernel.untilize_init' in the block of what is untilized, before it",
        )
    return _number(at.num_tiles)


def _number(value: SSAValue) -> int:
    owner = value.owner
    if not isinstance(owner, ConstantOp) or not isinstance(owner.value, IntegerAttr):
        raise Refused(
            "how many tiles are side by side is computed in the kernel",
            "what works: an 'arith.constant'",
        )
    return owner.value.value.data


def _untilized(full: int) -> dict[str, int]:
    """The parts that a row of tiles is untilized in: as many as registers hold, whatever the registers' format."""
    return {"width": max(width for width in range(1, _REGISTERS + 1) if full % width == 0), "full": full}


def _copy_start(op: TTKernelCopyTileInitOp, operands: Operands) -> Iterator[ApiCall]:
    # In 2024 it took no buffer; today it takes the one that is copied from.
    following = op.next_op
    while following is not None and not isinstance(following, TTKernelCopyTileOp):
        following = following.next_op
    if following is None:
        raise Refused(
            "no 'ttkernel.copy_tile' follows in its block, so the buffer that it is for is not known",
            "what works: 'ttkernel.copy_tile_init' in the block of what is copied, before it",
        )
    yield ApiCall("copy_tile_init", (following.cb0,))


def _prepared_read(op: TTKernelNocAsyncReadOnePacketWithStateOp, operands: Operands) -> Iterator[ApiCall]:
    # Which memory it is was said before; what it takes is the address in it.
    source, destination = operands
    owner = source.owner
    if not isinstance(owner, TTKernelGetNocAddrOp | TTKernelGetNocAddrXYOp):
        raise Refused(
            "it reads from an address on the network that no operation of its kernel has computed",
            "what works: the result of 'ttkernel.get_noc_addr' or 'ttkernel.get_noc_addr_xy'",
        )
    yield ApiCall("noc_async_read_one_packet_with_state", (owner.l1_address, destination))


def _nothing(op: RowOperation, operands: Operands) -> Iterator[ApiCall]:
    # The start of a kernel, which comes first; and of ``mul_tiles_init``, which comes before ``mul_tiles``, the part of the arithmetic.
    return iter(())


def _reduction(end: str) -> Callable[[TTKernelReductionOp, Operands], Iterator[ApiCall]]:
    def calls(op: TTKernelReductionOp, operands: Operands) -> Iterator[ApiCall]:
        pool, dim = op.reduce_type, op.reduce_dim
        if dim not in _DIMS:
            raise Refused(
                f"it reduces along '{dim.keyword}'",
                f"what works: {', '.join(one.keyword for one in _DIMS)}",
            )
        if _is_row_sum(op):
            # Sums of rows that keep their bits in both generations.
            yield ApiCall(f"row_sum_{end}", operands)
            return
        yield ApiCall(f"reduce_{end}", operands, {"pool": _POOLS[pool], "dim": _DIMS[dim]})

    return calls


def _is_row_sum(op: TTKernelReductionOp) -> bool:
    return op.reduce_type is ReduceType.Sum and op.reduce_dim is ReduceDim.Row


def _named(name: str, **constants: Any) -> Callable[[RowOperation, Operands], Iterator[ApiCall]]:
    return lambda op, operands: iter((ApiCall(name, operands, constants),))


def _return(op: TTKernelReturnOp, operands: Operands) -> Iterator[ApiCall]:
    """What sets the packer back, which kernels of 2024 left to the next one's start."""
    kernel = op.parent
    assert kernel is not None
    for one in kernel.walk():
        match one:
            case TTKernelReduceInitOp():
                yield ApiCall("row_sum_uninit" if _is_row_sum(one) else "reduce_uninit", ())
            case TTKernelUntilizeInitOp():
                yield ApiCall("pack_untilize_uninit", (one.cb_out,))


CHANGED: Stage[[Operands], Iterator[ApiCall]] = Stage(
    on(TTKernelBinaryOpInitCommonOp, _nothing),
    on(TTKernelMatmulHwStartupOp, _nothing),
    on(TTKernelUnaryOpInitCommonOp, _unary_start),
    on(TTKernelUntilizeInitOp, _untilize_start),
    on(TTKernelUntilizeBlockOp, _untilize),
    on(TTKernelCBPopFrontOp, _pop),
    on(TTKernelCopyTileInitOp, _copy_start),
    on(TTKernelMulTilesInitFOp, _nothing),
    on(TTKernelReduceInitOp, _reduction("init")),
    on(TTKernelReduceTileOp, _reduction("tile")),
    on(TTKernelGetNocAddrOp, _named("get_noc_addr_local")),
    on(TTKernelMemZerosBaseOp, _named("zeros_address")),
    on(TTKernelMemZerosSizeOp, _named("zeros_size")),
    on(TTKernelCastToL1PtrOp, _named("reinterpret_l1")),
    on(TTKernelNocAsyncReadOnePacketWithStateOp, _prepared_read),
    on(TTKernelReturnOp, _return),
)
