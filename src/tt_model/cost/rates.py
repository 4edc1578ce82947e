"""The cycles that each processor of a core takes for a tile, from the chip's table, which the emulated chip uses, too.

A core unpacks, computes and packs at the same time, so that a tile takes the time of the slowest of the three. A
function that was not measured on this chip has the cycles of another chip, or those of its instructions, as on the
emulated chip.
"""

from __future__ import annotations

from dataclasses import dataclass

from tt_model.layouts.elements import tile_bytes
from tt_model.layouts.enums import DataType
from tt_model.layouts.system_desc import ChipDesc
from tt_model.operations import elementwise, shared
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.stages import PerClass
from ttl.arch import USUAL, Chip, all_chips, chip_named, chip_of_arch
from ttl.arch.costs import Costs, estimate
from ttl.rows.table import op
from ttl.settings import costed

# ASSUMED, not measured here: half of the rate of PCIe 4.0 x16 in one direction. The host is not part of a chip's table.
HOST_BYTES_PER_SECOND = 16_000_000_000
HOST_RATE = f"PCIe {HOST_BYTES_PER_SECOND // 10**9} GB/s, assumed"
# Passes of the matrix unit for a product: those of HiFi4, which our compiler and ttnn's float products use.
_PHASES = 4
_USUAL_TILE = 2048
# Functions that the language does not have, and the rows of its table with about the same cost.
_LIKE = PerClass[str](
    (elementwise.TTNNCbrtOp, "pow"),
    (elementwise.TTNNIsFiniteOp, "signbit"),
    ((elementwise.TTNNLogicalAndOp, elementwise.TTNNLogicalOrOp, elementwise.TTNNLogicalXorOp), "ne"),
    (elementwise.TTNNLogicalNotOp, "eq"),
    (elementwise.TTNNRemainderOp, "mod"),
)


def chip_of(desc: ChipDesc) -> Chip:
    """The table of a chip, with the costs of ``--costs``.

    A chip without a table of its own gets that of the default chip.
    """
    return costed(chip_of_arch(desc.arch.keyword) or chip_named(USUAL))


def row_of(kind: type[TTNNOperation]) -> str | None:
    """Return the row of the language's table with the cost of an elementwise function; None if there is no such row."""
    return kind.ROW.function or _LIKE.of(kind)


def is_of_matrix_unit(kind: type[TTNNOperation]) -> bool:
    """Whether an elementwise function is computed by the matrix unit, not by the vector unit."""
    return bool(kind.ROW.function) and op(kind.ROW.function).reads_buffers


@dataclass(frozen=True, slots=True)
class Rates:
    """Costs of tiles and bytes on one chip, in its cycles."""

    chip: Chip

    @property
    def costs(self) -> Costs:
        """The table of the chip."""
        return self.chip.costs

    @property
    def start(self) -> int:
        """The cycles of an operation before its first tile."""
        return self.costs.before_reads + self.costs.startup.value

    @property
    def core_in(self) -> float:
        """Bytes per cycle that one core receives over the network."""
        return self.costs.niu_in_rate.per_cycle

    @property
    def core_out(self) -> float:
        """Bytes per cycle that one core sends over the network."""
        return self.costs.niu_out_rate.per_cycle

    @property
    def links(self) -> float:
        """Bytes per cycle that cores can send each other when each reads from all others.

        It is the rate of the links in the rows and columns of cores, divided by the number of links that a tile passes:
        half of the torus.
        """
        (rows, columns), (high, wide) = self.chip.grid[::-1], self.chip.noc.torus
        return (rows * wide + columns * high) * self.core_out / (sum(self.chip.noc.torus) / 2)

    @property
    def multicast(self) -> float:
        """Bytes per cycle that one core sends to a row or column of cores at once, in linked transfers."""
        return self.costs.multicast_linked_rate.per_cycle

    def read_latency(self, *, from_dram: bool) -> int:
        """Return the cycles before the first byte of a read arrives.

        The request and its answer together go once around the torus.
        """
        return self.costs.read_fixed.value + self._around + (self.costs.dram_read.value if from_dram else 0)

    def write_latency(self, *, to_dram: bool) -> int:
        """Return the cycles that a write takes after its last byte was sent."""
        return self.costs.write_fixed.value + self._around + (self.costs.dram_write.value if to_dram else 0)

    @property
    def handshake(self) -> int:
        """The cycles in which cores report free space to a sender, and the sender reports arrived data to them."""
        on_the_way = (
            self.costs.arrive_fixed.value + self.costs.arrive_hop.value * sum(self.chip.noc.torus) // 2
        )
        return 2 * (on_the_way + self.costs.semaphore.value + self.costs.poll.value)

    @property
    def _around(self) -> int:
        return sum(self.chip.noc.torus) * self.costs.hop.value

    @property
    def host_bytes(self) -> float:
        """Bytes per cycle between the host and the chip."""
        return HOST_BYTES_PER_SECOND / self.chip.clock_hz

    def pack(self, data_type: DataType) -> int:
        """The cycles to pack a tile from the registers to L1."""
        return (self.costs.pack_wide if tile_bytes(data_type) > _USUAL_TILE else self.costs.pack_narrow).value

    def unpack(self, data_type: DataType, tiles: int) -> int:
        """The cycles to unpack one tile, or two, from L1 to the registers."""
        nbytes = tile_bytes(data_type)
        if tiles > 1:
            return max(self.costs.unpack_least.value, self.costs.unpack_two.value * nbytes // _USUAL_TILE)
        # Requesting a single tile takes longer than moving its bytes.
        return max(self.costs.unpack_one.value, self.costs.unpack_matmul.value * nbytes // _USUAL_TILE)

    def conversion(self, to_tiles: bool) -> int:
        """The cycles to convert rows to a tile, or a tile to rows."""
        return (self.costs.unpack_tilize if to_tiles else self.costs.pack_untilize).value + self._per_tile()

    def reload(self, data_type: DataType) -> int:
        """The cycles to read a partial sum of a tile back from L1, so that it can be added to."""
        return max(self.costs.math_copy.value, self.unpack(data_type, 1))

    def eltwise(self, kind: type[TTNNOperation], data_type: DataType, inputs: int) -> int:
        """The cycles of one tile of an elementwise function."""
        cost = self._matrix(kind)
        if cost is None:
            cost = self.function(row_of(kind) or "abs")
            # A function of the vector unit with two operands copies the second tile beside the first.
            cost += self.costs.math_copy.value * (max(inputs, 1) - 1)
        return max(cost, self.unpack(data_type, min(inputs, 2)), self.pack(data_type)) + self._per_tile()

    def _matrix(self, kind: type[TTNNOperation]) -> int | None:
        if not is_of_matrix_unit(kind):
            return None
        if kind is elementwise.TTNNMultiplyOp:
            return self.costs.math_multiply.value + (_PHASES - 1) * self.costs.math_multiply_phase.value
        return self.costs.math_add.value

    def function(self, row: str) -> int:
        """The cycles of one tile of a function of the vector unit, including the copy into its registers."""
        for chip in (self.chip, *all_chips()):
            if row in chip.operations:
                return chip.operations[row].value
        calls = next(iter(list(op(row).hardware.values())[::-1]), ())
        return max((estimate(call.instructions).value for call in calls), default=self.costs.math_copy.value)

    def product(self, data_type: DataType) -> int:
        """The cycles of a product of two tiles that is added to a third tile."""
        arithmetic = _PHASES * self.costs.matmul_phase.value + self.costs.matmul_overhead.value
        return max(arithmetic, 2 * self.costs.unpack_matmul.value * tile_bytes(data_type) // _USUAL_TILE)

    def reduction(self, kind: type[TTNNOperation], columns: bool, rows: bool, data_type: DataType) -> int:
        """The cycles of one tile of a reduction along the columns of a row, along the rows of a column, or both."""
        costs = self.costs
        once, phase = (
            (costs.reduce_both, costs.reduce_both_phase)
            if columns and rows
            else (costs.reduce_row, costs.reduce_row_phase)
            if columns
            else (costs.reduce_column, costs.reduce_column_phase)
        )
        if kind is shared.TTNNMaxOp:
            cost = (costs.reduce_row_max if columns else costs.reduce_column).value
        else:
            cost = once.value + (_PHASES - 1) * phase.value
        return max(cost, self.unpack(data_type, 1)) + self._per_tile()

    def softmax(self, data_type: DataType) -> int:
        """The cycles of one tile: maximum, difference, exponential, sum, and product with the sum's reciprocal."""
        reductions = sum(
            self.reduction(one, True, False, data_type) for one in (shared.TTNNMaxOp, shared.TTNNSumOp)
        )
        steps = (elementwise.TTNNSubtractOp, elementwise.TTNNExpOp, elementwise.TTNNMultiplyOp)
        return reductions + sum(self.eltwise(one, data_type, 2) for one in steps)

    def _per_tile(self) -> int:
        costs = self.costs
        blocks = costs.compute_wait.value + costs.compute_push.value
        return (blocks + costs.acquire.value + costs.commit.value + costs.release.value) // 4
