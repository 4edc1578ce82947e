"""The kernels to run on a card: small programs in the language, of the families of ``benchmarks/cards``, and what each tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

# The costs that these kernels can tell, not all of them on every chip: where one is waited for, another one is hidden. Of a latency of two parts, which no program can tell apart, one stands for the sum.
FREE: Mapping[str, str] = MappingProxyType(
    {
        "dram_read": "latency of a read of DRAM",
        "niu_in_rate": "rate at which a node reads",
        "niu_out_rate": "rate at which a node writes",
        "unpack_one": "unpacking the tile of a copy",
        "unpack_two": "unpacking a tile of a sum",
        "pack_narrow": "packing a tile of 16-bit values",
        "hand_over": "handing a block from packer to unpacker",
        "matmul_phase": "a pass of the matrix unit",
        "read_issue": "asking for a read",
        "write_issue": "asking for a write",
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedKernel:
    """A program of the plan: its name, under which its measurement is filed, the costs that it determines, and its text."""

    name: str
    what: str
    tells: tuple[str, ...]
    source: str


_HEAD = '''"""{title}: of the plan of 'ttl calibrate'. Measure it as measure.sh does."""

import ttl
import ttnn

TURNS = {turns}


'''
_TAIL = """

device = ttnn.open_device(device_id=0)
x, y = (
    ttnn.ones(shape, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for shape in ({given}, {result})
)


def launch():
    {name}(x, y)


if __name__ == "__main__":
    launch()
    ttnn.close_device(device)
"""

# Tiles come one by one, or in blocks of which the compute kernel needs one tile.
_READS = """@ttl.operation(grid=(1, 1))
def {name}(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, {width}), block_count={blocks})
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=2)

    @ttl.datamovement()
    def read():
        for turn in range(TURNS):
            with x_dfb.reserve() as block:
                ttl.copy(x[0, 0:{width}], block).wait()

    @ttl.compute()
    def compute():
        with y_dfb.reserve() as result:
            for turn in range(TURNS - 1):
                with x_dfb.wait() as a:
                    result += a[0:1, 0:1]
            with x_dfb.wait() as a:
                result += a[0:1, 0:1]

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as block:
            ttl.copy(block, y[0, 0:1]).wait()
"""

_WRITES = """@ttl.operation(grid=(1, 1))
def {name}(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, {width}), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, {width}), block_count={blocks})

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as block:
            ttl.copy(x[0, 0:{width}], block).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as a:
            for turn in range(TURNS):
                with y_dfb.reserve() as result:
                    result.store(a)

    @ttl.datamovement()
    def write():
        for turn in range(TURNS):
            with y_dfb.wait() as block:
                ttl.copy(block, y[turn, 0:{width}]).wait()
"""

# A block that goes round between two buffers of the compute kernel.
_ROUND = """@ttl.operation(grid=(1, 1))
def {name}(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, {width}), block_count=1)
    there_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, {width}), block_count=1)
    back_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, {width}), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, {width}), block_count=1)

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as block:
            ttl.copy(x[0, 0:{width}], block).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as given:
            with there_dfb.reserve() as result:
                result.store(given)
            for turn in range(TURNS):
                with there_dfb.wait() as a, back_dfb.reserve() as result:
                    result.store({expression})
                with back_dfb.wait() as a, there_dfb.reserve() as result:
                    result.store({expression})
        with there_dfb.wait() as a, y_dfb.reserve() as result:
            result.store(a)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as block:
            ttl.copy(block, y[0, 0:{width}]).wait()
"""

# Blocks of 32 tiles of which only one continues, so that nothing waits for DRAM.
_STEADY = """@ttl.operation(grid=(1, 1))
def {name}(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 32), block_count=1)
    made_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 32), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=2)

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as block:
            ttl.copy(x[0, 0:32], block).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as a:
            for turn in range(TURNS):
                with made_dfb.reserve() as result:
                    result.store({expression})
                with made_dfb.wait() as made, y_dfb.reserve() as result:
                    result.store(made[0:1, 0:1])

    @ttl.datamovement()
    def write():
        for turn in range(TURNS):
            with y_dfb.wait() as block:
                ttl.copy(block, y[turn, 0:1]).wait()
"""

_PRODUCT = """@ttl.operation(grid=(1, 1))
def {name}(x, y):
    a_dfb = ttl.make_dataflow_buffer_like(x, shape=(2, {inner}), block_count=1)
    b_dfb = ttl.make_dataflow_buffer_like(x, shape=({inner}, 2), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(2, 2), block_count=2)

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a, b_dfb.reserve() as b:
            ttl.copy(x[0:2, 0:{inner}], a).wait()
            ttl.copy(x[0:{inner}, 0:2], b).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a, b_dfb.wait() as b:
            for turn in range(TURNS):
                with y_dfb.reserve() as result:
                    result.store(a @ b)

    @ttl.datamovement()
    def write():
        for turn in range(TURNS):
            with y_dfb.wait() as block:
                ttl.copy(block, y[2 * turn : 2 * turn + 2, 0:2]).wait()
"""

_PIPE = """@ttl.operation(grid=(2, 1))
def {name}(x, y):
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
    sent_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, {width}), block_count=1)
    received_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, {width}), block_count=1)

    @ttl.datamovement()
    def move():
        for turn in range(TURNS):

            def send(pipe):
                with sent_dfb.reserve() as block:
                    ttl.copy(x[0, 0:{width}], block).wait()
                with sent_dfb.wait() as block:
                    ttl.copy(block, pipe).wait()

            def receive(pipe):
                with received_dfb.reserve() as block:
                    ttl.copy(pipe, block).wait()
                with received_dfb.wait() as block:
                    ttl.copy(block, y[turn, 0:{width}]).wait()

            net.if_src(send)
            net.if_dst(receive)

    @ttl.compute()
    def compute():
        pass

    @ttl.datamovement()
    def idle():
        pass
"""


def _kernel(
    name: str,
    what: str,
    tells: str,
    body: str,
    *,
    turns: int,
    result: tuple[int, int],
    given: tuple[int, int] = (1, 32),
    **words: object,
) -> PlannedKernel:
    """``given`` and ``result``: rows and columns of tiles of both tensors."""
    parts = (
        _HEAD.format(title=what[:1].upper() + what[1:], turns=turns),
        body.format(name=name, **words),
        _TAIL.format(name=name, given=_elements(given), result=_elements(result)),
    )
    return PlannedKernel(name=name, what=what, tells=tuple(tells.split()), source="".join(parts))


def _elements(tiles: tuple[int, int]) -> tuple[int, int]:
    return 32 * tiles[0], 32 * tiles[1]


KERNELS: tuple[PlannedKernel, ...] = (
    _kernel("reads", "tiles read one by one", "dram_read", _READS, turns=64, result=(1, 1), width=1, blocks=1),
    _kernel("reads_32", "blocks of 32 tiles read", "niu_in_rate read_issue", _READS, turns=16, result=(1, 1), width=32, blocks=2),
    _kernel("writes_8", "blocks of 8 tiles written", "niu_out_rate write_issue", _WRITES, turns=16, result=(16, 8), width=8, blocks=1),
    _kernel("writes_32", "blocks of 32 tiles written", "niu_out_rate write_issue", _WRITES, turns=16, result=(16, 32), width=32, blocks=2),
    _kernel("copies_1", "blocks of 1 tile, copied one by one", "hand_over unpack_one", _ROUND, turns=32, result=(1, 1), width=1, expression="a"),
    _kernel("copies_8", "blocks of 8 tiles, copied one by one", "hand_over unpack_one", _ROUND, turns=16, result=(1, 8), width=8, expression="a"),
    _kernel("copies", "blocks of 32 tiles copied", "pack_narrow", _STEADY, turns=16, result=(16, 1), expression="a"),
    _kernel("sums_1", "blocks of 1 tile, added to one by one", "unpack_two hand_over", _ROUND, turns=32, result=(1, 1), width=1, expression="a + given"),
    _kernel("sums_8", "blocks of 8 tiles, added to one by one", "unpack_two", _ROUND, turns=16, result=(1, 8), width=8, expression="a + given"),
    _kernel("sums", "blocks of 32 tiles added", "pack_narrow unpack_two", _STEADY, turns=16, result=(16, 1), expression="a + a"),
    _kernel("products", "products of 2x8 and 8x2 tiles", "matmul_phase", _PRODUCT, turns=16, result=(32, 2), given=(8, 8), inner=8),
    _kernel("products_6", "products of 2x6 and 6x2 tiles", "matmul_phase", _PRODUCT, turns=16, result=(32, 2), given=(8, 8), inner=6),
    _kernel("transfers_1", "tiles sent from node to node", "dram_read", _PIPE, turns=32, result=(32, 1), width=1),
    _kernel("transfers_8", "blocks of 8 tiles sent from node to node", "niu_in_rate niu_out_rate", _PIPE, turns=16, result=(16, 8), width=8),
)  # fmt: skip

BY_NAME: Mapping[str, PlannedKernel] = MappingProxyType({kernel.name: kernel for kernel in KERNELS})

SCRIPT = """#!/bin/sh
# Measures the kernels of 'ttl calibrate --plan' on a card, a file for each; then: ttl calibrate --from FOLDER
set -e
cd "$(dirname "$0")"
export TT_METAL_DEVICE_PROFILER=1 TTL_TARGET=device
log="${TT_METAL_HOME:-.}/generated/profiler/.logs/profile_log_device.csv"
for program in *.py; do
  rm -f "$log"
  ttl run "$program"
  cp "$log" "${program%.py}.csv"
done
"""
