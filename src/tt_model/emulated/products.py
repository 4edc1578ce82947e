"""Kernels for products of matrices, which are cut as the cost model cuts them.

The result is cut into blocks, one for each core, and the inner dimension into blocks that are computed with one after
the other. Operands are shared by multicast along rows and columns of cores, or read by every core.
"""

from __future__ import annotations

from collections.abc import Sequence

from tt_model.cost.operations import OperationCall, product_in_blocks
from tt_model.cost.products import ProductBlocks
from tt_model.cost.tensors import is_sharded
from tt_model.emulated.parts import RESULT, Core, Matrices, Parts, cores_of_shards
from tt_model.layouts.enums import DataType
from ttl.emu import Semaphore, rectangle
from ttl.emu.memory import Placed
from ttl.session.patience import Unavailable

_SUMS = 3
# Semaphores: one that is always set, and two for each operand, which count ready cores and mark valid data.
_ONE = 0


def program(call: OperationCall, parts: Parts) -> Placed:
    """Put together a product. Raises ``Unavailable``."""
    first, second = call.inputs[:2]
    out = call.outputs[0]
    blocks, work = product_in_blocks(call)
    if work.buffers > parts.chip.l1_available_bytes:
        raise Unavailable("a product whose blocks do not fit into L1")
    if min(len(first.shape), len(second.shape)) < 2:
        raise Unavailable("a product with a vector")
    a, b, c = (Matrices.of(one.shape) for one in (first, second, out))
    if b.count not in (1, a.count) or c.count != a.count:
        raise Unavailable("a product of stacks that are repeated")
    rows = a.count // b.count * a.rows
    if blocks.shared and b.count > 1:
        raise Unavailable("a product of stacks in shards")
    if is_sharded(out):
        places = {core: number for number, core in enumerate(cores_of_shards(out))}
    else:
        places = _places(blocks, call.grid)
    working = tuple(places)
    placed = [parts.place(first, 0), parts.place(second, 1)]
    result, result_here = parts.place(out), is_sharded(out)
    height, width = _part(blocks.m, blocks.n, 4 if call.data_type is DataType.Float32 else 8)
    steps = a.columns // blocks.k
    parts.buffer(0, 2 * blocks.m * blocks.k, working, first.data_type)
    parts.buffer(1, 2 * blocks.k * blocks.n, working, second.data_type)
    parts.buffer(_SUMS, blocks.m * blocks.n, working, out.data_type)
    parts.buffer(RESULT, blocks.m * blocks.n, working, out.data_type, at=result if result_here else None)
    for index in range(5):
        parts.semaphores.append(Semaphore(id=index, cores=working, initial=int(index == _ONE)))
    count = b.count * blocks.high * blocks.wide
    used = count if blocks.shared else len(places)
    common = (used, count, blocks.high, blocks.wide)
    of_first = (placed[0].address, rows, a.columns, rows * a.columns, blocks.m, blocks.k, steps, 1)
    of_second = (placed[1].address, b.rows, b.columns, b.rows * b.columns, blocks.k, blocks.n, steps, 0)
    of_result = (result.address, rows, c.columns, blocks.m, blocks.n)
    alone = (1, 0, 0, 0, 0, 0, 0, 0)
    for operand, words in enumerate((of_first, of_second)):
        args = {}
        for core, number in places.items():
            shared = _shared(parts, places, blocks, core, operand) if blocks.shared else alone
            args[core] = (number, *common, *words, *shared, *(of_result if operand == 0 else ()))
        parts.kernel(
            "block_in", "ncrisc" if operand else "brisc", args,
            defines={
                "OPERAND": operand, "WRITES": int(operand == 0), "SHARED": int(blocks.shared), "RESULT_HERE": int(result_here),
                "ONE_AT": _ONE, "READY_AT": 1 + 2 * operand, "VALID_AT": 2 + 2 * operand,
            },
            tensors=[placed[0], result] if operand == 0 else [placed[1]],
        )  # fmt: skip
    parts.kernel(
        "product", "compute",
        {
            core: (len(range(number, count, used)), blocks.m, blocks.n, blocks.k, steps)
            for core, number in places.items()
        },
        defines={"HEIGHT": height, "WIDTH": width}, fp32_dst=call.data_type is DataType.Float32,
    )  # fmt: skip
    return result


def _places(blocks: ProductBlocks, grid: Sequence[int]) -> dict[Core, int]:
    """The cores that work, with the number of their (first) block.

    Raises ``Unavailable`` for cores that are not a rectangle.
    """
    rows, columns = grid[-2:]
    if not blocks.shared:
        cores = rectangle(columns, rows)[: blocks.cores]
        return {core: number for number, core in enumerate(cores)}
    if blocks.high <= rows and blocks.wide <= columns:
        return {(x, y): y * blocks.wide + x for y in range(blocks.high) for x in range(blocks.wide)}
    if min(blocks.high, blocks.wide) > 1:
        raise Unavailable("a product in blocks that are not on a rectangle of cores")
    count = blocks.high * blocks.wide
    across = next((one for one in range(columns, 0, -1) if count % one == 0 and count // one <= rows), None)
    if across is None:
        raise Unavailable(f"a product on {count} cores, which are not a rectangle")
    return {core: number for number, core in enumerate(rectangle(across, count // across))}


def _shared(
    parts: Parts, places: dict[Core, int], blocks: ProductBlocks, core: Core, operand: int
) -> tuple[int, ...]:
    """Return whether a core reads, for how many others, the corners of its multicast, and the core that reads."""

    def line(number: int) -> int:
        return number // blocks.wide if operand == 0 else number % blocks.wide

    group = [other for other, number in places.items() if line(number) == line(places[core])]
    reader = group[0]
    first, last = parts.node(*group[0]), parts.node(*group[-1])
    # The network for writes runs in the opposite direction.
    corners = (*last, *first) if operand == 0 else (*first, *last)
    if core != reader:
        return (0, 0, 0, 0, 0, 0, *parts.node(*reader))
    return (1, len(group) - 1, *corners, *parts.node(*reader))


def _part(m: int, n: int, registers: int) -> tuple[int, int]:
    """The largest part of a block, in rows and columns of tiles, that fits into the registers."""
    parts = [
        (height, width)
        for height in range(1, m + 1)
        for width in range(1, n + 1)
        if m % height == 0 and n % width == 0 and height * width <= registers
    ]
    return max(parts, key=lambda part: (part[0] * part[1], part[1]))
