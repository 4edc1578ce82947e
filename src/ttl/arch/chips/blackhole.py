"""Blackhole, as on the p150 card."""

from __future__ import annotations

from types import MappingProxyType

from ttl.arch.chip import Chip, DramPort, DstTiles, EthernetLink, Floorplan, Noc
from ttl.arch.costs import BENCH, ISA, MATH, NOC, NPE, PULLS, VECTOR, Costs, Number, measured, rate

_DOCUMENT = f"{ISA}, BlackholeA0"
_HEADERS = "headers of the ttnn 0.81.1 wheel"

_COSTS = Costs(
    pack_narrow=Number(25, "fitted", f"{BENCH}, MB1 and MB5.B: sums are packed in 28.4 for each tile in sections of 8"),
    pack_wide=Number(44, "fitted", f"{BENCH}, MB1: float32"),
    hand_over=Number(26, "fitted", f"{BENCH}, MB1: what a pass takes that is not for its tiles"),
    unpack_tilize=Number(71, "measured", PULLS),
    unpack_untilize=Number(71, "measured", PULLS),
    pack_untilize=Number(58, "measured", f"{PULLS}: packing rows, 29 to 58"),
    read_issue=Number(22, "fitted", f"{NOC}: DRAM reads of 256 tiles from all banks, 57.7 bytes in a cycle"),
    write_issue=Number(24, "measured", f"{NOC}: 24.3 for each write"),
    hop=Number(9, "deduced", f"{NPE}: latency of reads, 112 more along a column and 152 more along a row"),
    read_fixed=Number(77, "fitted", f"{NOC}: L1 read of 64 bytes, 373"),
    write_fixed=Number(62, "fitted", f"{NOC}: L1 write and barrier of 64 bytes, 360"),
    arrive_fixed=Number(40, "measured", f"{NPE}: latency of a write, 40 and 11 for each hop"),
    arrive_hop=Number(11, "measured", f"{NPE}: latency of a write, 40 and 11 for each hop"),
    dram_read=Number(112, "fitted", f"{NOC}: DRAM read of 64 bytes, 486"),
    dram_write=Number(38, "fitted", f"{NOC}: DRAM write of 64 bytes, 399"),
    dram_request=Number(16, "measured", "pull requests to tt-metal: a bank accepts a read every 16.4 cycles"),
    niu_out_rate=rate(60.9, "measured", f"{NOC}: L1 reads, 60.9; {NPE}: 60.9"),
    niu_in_rate=rate(60.9, "measured", f"{NPE}: 60.9"),
    link_rate=rate(60.9, "measured", f"{NPE}: links"),
    dram_rate=rate(40, "measured", f"{NPE}: DRAM"),
    dram_stream_rate=rate(21.6, "measured", f"{NOC}: DRAM reads of one bank, 21.6"),
    multicast_rate=rate(24, "measured", "tt-metal, tech report on ideal performance: 8x8, unlinked"),
    multicast_linked_rate=rate(41, "measured", "tt-metal, tech report on ideal performance: 8x8, linked"),
)  # fmt: skip

_OPERATIONS = MappingProxyType(
    {
        **measured({"mul": 83, "matmul": 68, "reduce_sum": 83, "reduce_max": 58}, MATH),
        **measured({
            "abs": 146, "tanh": 764, "atan": 1672, "gelu": 2847, "sigmoid": 1247, "floor": 476,
            "signbit": 180,
        }, VECTOR),
        **{
            name: Number(cycles, "fitted", f"{BENCH}, {'MB5.B' if cycles < 100 else 'MB4'}")
            for name, cycles in {"add": 28, "sub": 28, "exp": 601, "recip": 1222, "sqrt": 898, "rsqrt": 1020}.items()
        },
    }
)  # fmt: skip

CHIP = Chip(
    name="blackhole",
    title="Blackhole",
    arch="blackhole",
    grid=(13, 10),
    max_grid=(14, 10),
    l1_bytes=1536 * 1024,
    l1_reserved_bytes=109_632,
    dataflow_buffers=64,
    semaphores=16,
    dst=DstTiles(half_16bit=8, half_32bit=4, full_16bit=16, full_32bit=8),
    packer_adds_blocks=True,
    l1_alignment=16,
    dram_read_alignment=64,
    dram_write_alignment=16,
    noc=Noc(
        torus=(17, 12),
        flit_bytes=64,
        max_packet_bytes=16384,
        hop_cycles=10,
        entry_cycles=5,
        overtakes=True,
        read_bytes_per_cycle=28,
    ),
    dram=DramPort(channels=8, bytes_per_channel=4 << 30),
    ethernet=EthernetLink(
        bytes_per_second=50_000_000_000,
        hop_nanoseconds=1000,
        packet_bytes=4352,
        header_bytes=(48, 96),
        slots=8,
    ),
    clock_hz=1_350_000_000,
    max_runtime_args=341,
    floorplan=Floorplan(
        translated_columns=(1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16),
        translated_rows=tuple(range(2, 12)),
        translated_banks=tuple((17 + bank % 2, 12 + bank // 2) for bank in range(8)),
        columns=(1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16),
        rows=(2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
        # Of each controller's three endpoints, the one through which kernels reach its bank on either NoC.
        banks=((0, 11), (0, 2), (0, 9), (0, 5), (9, 11), (9, 3), (9, 8), (9, 6)),
        banks_of_noc_1=((0, 1), (0, 10), (0, 4), (0, 7), (9, 1), (9, 10), (9, 4), (9, 7)),
        dram=tuple((x, y) for x in (0, 9) for y in range(12)),
        ethernet=tuple((x, 1) for pair in zip(range(1, 8), range(16, 9, -1), strict=True) for x in pair),
        arc=((8, 0),),
        pcie=((2, 0), (11, 0)),
    ),
    costs=_COSTS,
    operations=_OPERATIONS,
    sources=MappingProxyType(
        {
            "grid": "tt-metal tech reports: p150 has 13x10 nodes for compute",
            "max_grid": f"{_HEADERS}: translated worker coordinates x 1..7 and 10..16, y 2..11",
            "l1_bytes": f"{_HEADERS}: dev_mem_map.h (the specification's appendix E gives Wormhole's 1464 KiB)",
            "l1_reserved_bytes": f"{_HEADERS}: MEM_MAP_END 41,088 plus the 68,544 bytes Wormhole reserves above its own",
            "dataflow_buffers": f"{_HEADERS}: circular_buffer_constants.h",
            "semaphores": "tt-metal tt_metal/impl/buffers/semaphore.hpp: NUM_SEMAPHORES",
            "dst": f"{_HEADERS}: tt-llk get_dest_max_tiles",
            "packer_adds_blocks": "github.com/tenstorrent/tt-lang, #425: what it says of Wormhole is not seen here; measured kernels (MB2, MB5.C) add to 64 tiles",
            "l1_alignment": f"{_HEADERS}: noc_parameters.h",
            "dram_read_alignment": f"{_HEADERS}: noc_parameters.h",
            "dram_write_alignment": f"{_HEADERS}: noc_parameters.h",
            "noc": f"{_DOCUMENT}: NoC; {_HEADERS}: NOC_MAX_BURST_SIZE; hop 9 to 11 cycles, the middle taken; read_bytes_per_cycle ASSUMED as Wormhole's",
            "dram": "tt-metal tech reports: p150, 8 channels of 4 GiB, 512 GB/s",
            "ethernet": f"{NPE}: 50 bytes a cycle, counted at 1 GHz: 400 Gbit/s, what a port is sold as (at 1.35 GHz it were more than the port carries); packet and headers: ttnn 0.81.1 on a mock device says so; ASSUMED, nobody measured them here: a hop, as Wormhole's; slots",
            "clock_hz": "tt-metal tech_reports/GEMM_FLOPS",
            "floorplan": "tt-metal, soc_descriptors/blackhole_140_arch.yaml: functional workers, endpoints of workers in the views of DRAM; dram, eth, arc, pcie",
            "costs": "each its own",
            "operations": "each its own",
            "max_runtime_args": "ttnn host headers: max_runtime_args, 4096 / (3 * 4)",
        }
    ),
)
