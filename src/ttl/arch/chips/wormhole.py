"""Wormhole B0, as on the n150 and n300 cards."""

from __future__ import annotations

from types import MappingProxyType

from ttl.arch.chip import Chip, DramPort, DstTiles, EthernetLink, Floorplan, Noc
from ttl.arch.costs import BENCH, ISA, NOC, NPE, PULLS, VECTOR, Costs, Number, measured, rate

_DOCUMENT = f"{ISA}, WormholeB0"
_HEADERS = "headers of the ttnn 0.81.1 wheel"

_COSTS = Costs(
    pack_narrow=Number(45, "fitted", f"{BENCH}, MB1"),
    pack_wide=Number(64, "measured", f"{ISA}: 16 bytes in a cycle for each of four packers"),
    hand_over=Number(42, "fitted", f"{BENCH}, MB1: what a pass takes that is not for its tiles"),
    unpack_tilize=Number(75, "measured", PULLS),
    unpack_untilize=Number(75, "measured", PULLS),
    pack_untilize=Number(75, "measured", PULLS),
    read_issue=Number(26, "measured", f"{NOC}: 26.1 for each read"),
    write_issue=Number(23, "measured", f"{NOC}: 23.1 for each write"),
    hop=Number(9, "measured", f"{ISA}: NoC; agrees with {NOC}: 293 across, 205 along one axis"),
    read_fixed=Number(57, "fitted", f"{NOC}: L1 read of 64 bytes, 293"),
    write_fixed=Number(61, "fitted", f"{NOC}: L1 write and barrier of 64 bytes, 296"),
    arrive_fixed=Number(40, "measured", f"{NPE}: latency of a write, 40 and 10 for each hop"),
    arrive_hop=Number(10, "measured", f"{NPE}: latency of a write, 40 and 10 for each hop"),
    dram_read=Number(85, "fitted", f"{NOC}: DRAM read of 64 bytes, 381"),
    dram_write=Number(129, "fitted", f"{NOC}: DRAM write of 64 bytes, 426"),
    dram_request=Number(7, "measured", "pull requests to tt-metal: a bank accepts a read every 6.8 cycles"),
    niu_out_rate=rate(28.1, "measured", f"{NOC}: L1 reads, 28; {NPE}: 28.1"),
    niu_in_rate=rate(30.4, "measured", f"{NOC}: DRAM reads of 256 tiles from all banks, 30.4"),
    link_rate=rate(30, "measured", f"{NPE}: links"),
    dram_rate=rate(22, "measured", f"{NOC}: DRAM reads of one bank, 22.0"),
    dram_stream_rate=rate(22, "measured", f"{NOC}: DRAM reads of one bank, 22.0"),
    multicast_rate=rate(15, "measured", "tt-metal, tech report on ideal performance: 8x8, unlinked"),
    multicast_linked_rate=rate(22, "measured", "tt-metal, tech report on ideal performance: 8x8, linked"),
)  # fmt: skip

_OPERATIONS = MappingProxyType(
    {
        **measured({
            "truediv": 1475, "exp2": 863, "recip": 1091, "tanh": 767, "sin": 838, "cos": 966, "relu_max": 298,
            "leaky_relu": 225, "silu": 1387, "softplus": 1500, "softsign": 831, "hardsigmoid": 289, "frac": 460,
            "trunc": 408, "floor": 520, "ceil": 520,
        }, VECTOR),
        "relu_min": Number(298, "deduced", f"{VECTOR}: as relu_max"),
    }
)  # fmt: skip

CHIP = Chip(
    name="wormhole",
    title="Wormhole B0",
    arch="wormhole_b0",
    grid=(8, 8),
    max_grid=(8, 10),
    l1_bytes=1464 * 1024,
    l1_reserved_bytes=103_712,
    dataflow_buffers=32,
    semaphores=16,
    dst=DstTiles(half_16bit=8, half_32bit=4, full_16bit=16, full_32bit=8),
    packer_adds_blocks=False,
    l1_alignment=16,
    dram_read_alignment=32,
    dram_write_alignment=16,
    noc=Noc(
        torus=(10, 12),
        flit_bytes=32,
        max_packet_bytes=8192,
        hop_cycles=9,
        entry_cycles=5,
        overtakes=False,
        read_bytes_per_cycle=28,
    ),
    dram=DramPort(channels=12, bytes_per_channel=1 << 30),
    ethernet=EthernetLink(
        bytes_per_second=12_500_000_000,
        hop_nanoseconds=1000,
        packet_bytes=4352,
        header_bytes=(48, 96),
        slots=8,
    ),
    clock_hz=1_000_000_000,
    max_runtime_args=341,
    floorplan=Floorplan(
        translated_columns=tuple(range(18, 26)),
        translated_rows=tuple(range(18, 28)),
        translated_banks=tuple((5 * (bank % 2), bank // 2) for bank in range(12)),
        columns=(1, 2, 3, 4, 6, 7, 8, 9),
        rows=(1, 2, 3, 4, 5, 7, 8, 9, 10, 11),
        # Of each controller's three endpoints, the two through which kernels reach its two banks.
        banks=(
            (0, 11),
            (0, 1),
            (0, 5),
            (0, 7),
            (5, 1),
            (5, 11),
            (5, 2),
            (5, 9),
            (5, 8),
            (5, 3),
            (5, 5),
            (5, 7),
        ),
        dram=(*((0, y) for y in (0, 1, 5, 6, 7, 11)), *((5, y) for y in range(12))),
        ethernet=tuple((x, y) for y in (0, 6) for x in (9, 1, 8, 2, 7, 3, 6, 4)),
        translated_ethernet=tuple((x, y) for y in (16, 17) for x in (25, 18, 24, 19, 23, 20, 22, 21)),
        arc=((0, 10),),
        pcie=((0, 3),),
    ),
    costs=_COSTS,
    operations=_OPERATIONS,
    sources=MappingProxyType(
        {
            "grid": "language specification: default grid of a Wormhole card; n150 and n300 have 64 nodes for compute",
            "max_grid": f"{_HEADERS}: translated worker coordinates x 18..25, y 18..27",
            "l1_bytes": f"{_HEADERS}: dev_mem_map.h",
            "l1_reserved_bytes": "l1_bytes minus the 1,395,424 bytes that ttnn 0.69.0 reports for circular buffers on a mock n150",
            "dataflow_buffers": f"{_HEADERS}: circular_buffer_constants.h",
            "semaphores": "tt-metal tt_metal/impl/buffers/semaphore.hpp: NUM_SEMAPHORES",
            "dst": f"{_HEADERS}: tt-llk get_dest_max_tiles",
            "packer_adds_blocks": "github.com/tenstorrent/tt-lang, #425: wrong sums of blocks of several tiles",
            "l1_alignment": f"{_HEADERS}: noc_parameters.h",
            "dram_read_alignment": f"{_HEADERS}: noc_parameters.h",
            "dram_write_alignment": f"{_HEADERS}: noc_parameters.h",
            "noc": f"{_DOCUMENT}: NoC; {_HEADERS}: NOC_MAX_BURST_SIZE; {NOC}: L1 reads, 28 bytes a cycle",
            "dram": f"{_DOCUMENT}: DRAM tiles; what a channel gives is ``dram_rate`` of ``costs``",
            "ethernet": f"{NPE}: 12.5 bytes a cycle, which is 100 Gbit/s; packet and headers: ttnn 0.81.1 on a mock device says so; ASSUMED, nobody measured them here: a hop, a microsecond; slots",
            "clock_hz": "tt-metal tech_reports/GEMM_FLOPS",
            "floorplan": "tt-metal, soc_descriptors/wormhole_b0_80_arch.yaml: functional workers, endpoints of workers in the views of DRAM; dram, eth, arc, pcie",
            "costs": "each its own",
            "operations": "each its own",
            "max_runtime_args": "ttnn host headers: max_runtime_args, 4096 / (3 * 4)",
        }
    ),
)
