"""Blackhole, as on the p150 card."""

from __future__ import annotations

from types import MappingProxyType

from ttl.arch.chip import Chip, DramPort, DstTiles, Noc
from ttl.arch.costs import BLACKHOLE_COSTS
from ttl.arch.floorplan import Floorplan

_ISA = "tt-isa-documentation, BlackholeA0"
_HEADERS = "headers of the ttnn 0.81.1 wheel"

BLACKHOLE = Chip(
    name="blackhole",
    title="Blackhole",
    grid=(13, 10),
    max_grid=(14, 10),
    l1_bytes=1536 * 1024,
    l1_reserved_bytes=109_632,
    dataflow_buffers=64,
    semaphores=16,
    dst=DstTiles(half_16bit=8, half_32bit=4, full_16bit=16, full_32bit=8),
    l1_alignment=16,
    dram_read_alignment=64,
    dram_write_alignment=16,
    noc=Noc(torus=(17, 12), flit_bytes=64, max_packet_bytes=16384, hop_cycles=10, entry_cycles=5),
    dram=DramPort(channels=8, bytes_per_channel=4 << 30, bytes_per_second=512_000_000_000),
    clock_hz=1_350_000_000,
    max_runtime_args=341,
    floorplan=Floorplan(
        columns=(1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16),
        rows=(2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
        # Of each controller's three endpoints, the one through which kernels reach its bank on either NoC.
        banks=((0, 11), (0, 2), (0, 9), (0, 5), (9, 11), (9, 3), (9, 8), (9, 6)),
        banks_of_noc_1=((0, 1), (0, 10), (0, 4), (0, 7), (9, 1), (9, 10), (9, 4), (9, 7)),
    ),
    costs=BLACKHOLE_COSTS,
    sources=MappingProxyType(
        {
            "grid": "tt-metal tech reports: p150 has 13x10 nodes for compute",
            "max_grid": f"{_HEADERS}: translated worker coordinates x 1..7 and 10..16, y 2..11",
            "l1_bytes": f"{_HEADERS}: dev_mem_map.h (the specification's appendix E gives Wormhole's 1464 KiB)",
            "l1_reserved_bytes": f"{_HEADERS}: MEM_MAP_END 41,088 plus the 68,544 bytes Wormhole reserves above its own",
            "dataflow_buffers": f"{_HEADERS}: circular_buffer_constants.h",
            "semaphores": "tt-metal tt_metal/impl/buffers/semaphore.hpp: NUM_SEMAPHORES",
            "dst": f"{_HEADERS}: tt-llk get_dest_max_tiles",
            "l1_alignment": f"{_HEADERS}: noc_parameters.h",
            "dram_read_alignment": f"{_HEADERS}: noc_parameters.h",
            "dram_write_alignment": f"{_HEADERS}: noc_parameters.h",
            "noc": f"{_ISA}: NoC; {_HEADERS}: NOC_MAX_BURST_SIZE; hop 9 to 11 cycles, the middle taken",
            "dram": "tt-metal tech reports: p150, 8 channels of 4 GiB, 512 GB/s",
            "clock_hz": "tt-metal tech_reports/GEMM_FLOPS",
            "floorplan": "tt-metal, soc_descriptors/blackhole_140_arch.yaml: functional workers, endpoints of workers in the views of DRAM",
            "costs": "each its own",
            "max_runtime_args": "ttnn host headers: max_runtime_args, 4096 / (3 * 4)",
        }
    ),
)
