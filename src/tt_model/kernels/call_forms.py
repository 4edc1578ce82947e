"""Operations of ``ttkernel`` in the text of 2024-11-21 as calls of the current kernel API.

A function of that time may be two functions today, take more arguments, or be gone. All other calls are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from tt_model.operations.operation import RowOperation
from tt_model.operations.stages import Stage, on
from tt_model.operations.ttkernel import TTKernelReturnOp, combined_call
from ttl.analysis.arithmetic import integer_of
from ttl.dialects.ttkernel import KernelCallOp, class_of
from ttl.ir.refusals import Refused

# The number of registers if each element takes 32 bits.
_REGISTERS = 4
_SUM, _ROWS = "PoolType::SUM", "ReduceDim::REDUCE_ROW"
_CopyTileInit, _CopyTile = class_of("copy_tile_init_of_any"), class_of("copy_tile")
_ReduceInit, _ReduceTile = class_of("reduce_init"), class_of("reduce_tile")
_UntilizeInit, _UntilizeBlock = class_of("untilize_init"), class_of("untilize_block")
_BinaryStart, _UnaryStart = class_of("binary_op_init_common"), class_of("unary_op_init_common")
_TilizeInit, _MatmulStart = class_of("tilize_init"), class_of("matmul_hw_startup")


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A call of a row of ``ttl.kernel_api``.

    It has operands, and constants in the form that ``ttl.dialects.ttkernel.call`` takes.
    """

    name: str
    operands: tuple[SSAValue | int, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)


def calls_of(op: RowOperation) -> tuple[ApiCall, ...]:
    """Return the calls of an operation, in order; an empty tuple if today's kernel API needs no call.

    Raises ``Refused``.
    """
    changed = CHANGED.of(type(op))
    if changed is not None:
        return tuple(changed(op))
    if not isinstance(op, KernelCallOp):
        combined = combined_call(op)
        return () if combined is None else (ApiCall(*combined),)
    return (ApiCall(op.call.name, tuple(op.operands), op.constants),)


def start_of(kernel: Block) -> ApiCall | None:
    """Return the call that starts a compute kernel today, for the formats of the buffers that it uses first.

    In 2024 the init of a kernel's first operation was its start, too, wherever it stood. The result is None for a
    kernel without such an init.
    """
    for op in kernel.walk():
        start = _STARTS.of(type(op))
        if start is not None:
            return start(op)
    return None


def _start_of_products(op: KernelCallOp) -> ApiCall:
    return ApiCall("matmul_hw_startup", tuple(op.operands))


def _start_of_three(op: KernelCallOp) -> ApiCall:
    return ApiCall("compute_kernel_hw_startup", tuple(op.operands))


def _start_of_two(op: KernelCallOp) -> ApiCall:
    source, *_, result = op.operands
    return ApiCall("compute_kernel_hw_startup", (source, source, result))


_STARTS: Stage[[], ApiCall] = Stage(
    on(_MatmulStart, _start_of_products),
    on(_BinaryStart, _start_of_three),
    on(_ReduceInit, _start_of_three),
    on(_UnaryStart, _start_of_two),
    on(_UntilizeInit, _start_of_two),
    on(_TilizeInit, _start_of_two),
)


# Operations that have become another call, or more than one.


def _after_unary_start(op: KernelCallOp) -> Iterator[ApiCall]:
    # In 2024 it also prepared copies, for kernels that do not prepare them themselves.
    kernel = op.parent
    assert kernel is not None
    calls = [one for one in kernel.walk() if isinstance(one, KernelCallOp)]
    copies = any(isinstance(one, _CopyTile) for one in calls)
    if copies and not any(isinstance(one, _CopyTileInit) for one in calls):
        yield ApiCall("copy_tile_init", (op.operands[0],))


def _untilize_start(op: KernelCallOp) -> Iterator[ApiCall]:
    source, result = op.operands
    full = _full_width(op)
    yield ApiCall("pack_untilize_init", (source, result), _untilized(full))


def _untilize(op: KernelCallOp) -> Iterator[ApiCall]:
    """Yield the calls that untilize with the packer, as today's kernels do: the unpacker's functions are deprecated.

    The packer takes a part of the tiles at a time.
    """
    source, _, result = op.operands
    how = _untilized(_full_width(op))
    for part in range(how["full"] // how["width"]):
        if part:
            yield ApiCall("cb_pop_front", (source, how["width"]))
        yield ApiCall("pack_untilize_block", (source, result, part), how)


def _pop(op: KernelCallOp) -> Iterator[ApiCall]:
    before = op.prev_op
    while isinstance(before, ConstantOp):
        before = before.prev_op
    buffer, pages = op.operands
    full = integer_of(pages)
    if full is not None and isinstance(before, _UntilizeBlock):
        source, tiles, _ = before.operands
        width = _untilized(full)["width"]
        if source is buffer and integer_of(tiles) == full and width < full:
            # All parts but the last have been popped already.
            yield ApiCall("cb_pop_front", (buffer, width))
            return
    yield ApiCall("cb_pop_front", (buffer, pages))


def _full_width(op: Operation) -> int:
    """Return the number of tiles side by side, which is an operand of the next ``untilize_block``.

    Raises ``Refused``.
    """
    at: Operation | None = op
    while at is not None and not isinstance(at, _UntilizeBlock):
        at = at.next_op
    if at is None:
        raise Refused(
            "no 'ttkernel.untilize_block' follows in its block, so how many tiles are side by side is not known",
            "what works: 'ttkernel.untilize_init' in the block of what is untilized, before it",
        )
    return _number(at.operands[1])


def _number(value: SSAValue) -> int:
    owner = value.owner
    if not isinstance(owner, ConstantOp) or not isinstance(owner.value, IntegerAttr):
        raise Refused(
            "how many tiles are side by side is computed in the kernel",
            "what works: an 'arith.constant'",
        )
    return owner.value.value.data


def _untilized(full: int) -> dict[str, int]:
    """The parts in which a row of tiles is untilized: as wide as the registers allow in any format."""
    return {"width": max(width for width in range(1, _REGISTERS + 1) if full % width == 0), "full": full}


def _copy_start(op: KernelCallOp) -> Iterator[ApiCall]:
    # In 2024 it took no buffer; today it takes the buffer that is copied from.
    following = op.next_op
    while following is not None and not isinstance(following, _CopyTile):
        following = following.next_op
    if following is None:
        raise Refused(
            "no 'ttkernel.copy_tile' follows in its block, so the buffer that it is for is not known",
            "what works: 'ttkernel.copy_tile_init' in the block of what is copied, before it",
        )
    yield ApiCall("copy_tile_init", (following.operands[0],))


def _prepared_read(op: KernelCallOp) -> Iterator[ApiCall]:
    # An earlier call has selected the memory; the operand is the address in it.
    source, destination = op.operands
    owner = source.owner
    if not isinstance(owner, _ADDRESSES):
        raise Refused(
            "it reads from an address on the network that no operation of its kernel has computed",
            "what works: the result of 'ttkernel.get_noc_addr' or 'ttkernel.get_noc_addr_xy'",
        )
    yield ApiCall("noc_async_read_one_packet_with_state", (owner.operands[-1], destination))


_ADDRESSES = (class_of("get_noc_addr_local"), class_of("get_noc_addr_xy"))


def _nothing(op: KernelCallOp) -> Iterator[ApiCall]:
    # ``start_of`` has put the start of the kernel first, and ``mul_tiles_init`` already prepares the arithmetic.
    return iter(())


def _start_of_reduction(op: KernelCallOp) -> Iterator[ApiCall]:
    yield _reduced(op, "init")


def _reduction(op: KernelCallOp) -> Iterator[ApiCall]:
    yield _reduced(op, "tile")


def _reduced(op: KernelCallOp, end: str) -> ApiCall:
    constants = op.constants
    if _is_row_sum(constants):
        # Sums of rows that give the same bits in both generations.
        return ApiCall(f"row_sum_{end}", tuple(op.operands))
    return ApiCall(f"reduce_{end}", tuple(op.operands), constants)


def _is_row_sum(constants: Mapping[str, Any]) -> bool:
    return (constants["pool"], constants["dim"]) == (_SUM, _ROWS)


def _return(op: TTKernelReturnOp) -> Iterator[ApiCall]:
    """Yield the calls that reset the packer; kernels of 2024 left that to the start of the next kernel."""
    kernel = op.parent
    assert kernel is not None
    for one in kernel.walk():
        if isinstance(one, _ReduceInit):
            with suppress(Refused):  # which is reported at the operation itself
                yield ApiCall("row_sum_uninit" if _is_row_sum(one.constants) else "reduce_uninit", ())
        elif isinstance(one, _UntilizeInit):
            yield ApiCall("pack_untilize_uninit", (one.operands[1],))


CHANGED: Stage[[], Iterator[ApiCall]] = Stage(
    on(_BinaryStart, _nothing),
    on(_MatmulStart, _nothing),
    on(_UnaryStart, _after_unary_start),
    on(_UntilizeInit, _untilize_start),
    on(_UntilizeBlock, _untilize),
    on(class_of("cb_pop_front"), _pop),
    on(_CopyTileInit, _copy_start),
    on(class_of("mul_tiles_init_f"), _nothing),
    on(_ReduceInit, _start_of_reduction),
    on(_ReduceTile, _reduction),
    on(class_of("noc_async_read_one_packet_with_state"), _prepared_read),
    on(TTKernelReturnOp, _return),
)
