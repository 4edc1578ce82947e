"""Wormhole B0, as on the n150 and n300 cards."""

from __future__ import annotations

from types import MappingProxyType

from ttl.arch.chip import Chip, DramPort, DstTiles, Noc
from ttl.arch.costs import WORMHOLE_COSTS
from ttl.arch.floorplan import Floorplan

_ISA = "tt-isa-documentation, WormholeB0"
_HEADERS = "headers of the ttnn 0.81.1 wheel"

WORMHOLE = Chip(
    name="wormhole",
    title="Wormhole B0",
    grid=(8, 8),
    max_grid=(8, 10),
    l1_bytes=1464 * 1024,
    l1_reserved_bytes=103_712,
    dataflow_buffers=32,
    semaphores=16,
    dst=DstTiles(half_16bit=8, half_32bit=4, full_16bit=16, full_32bit=8),
    l1_alignment=16,
    dram_read_alignment=32,
    dram_write_alignment=16,
    noc=Noc(torus=(10, 12), flit_bytes=32, max_packet_bytes=8192, hop_cycles=9, entry_cycles=5),
    dram=DramPort(channels=12, bytes_per_channel=1 << 30, bytes_per_second=288_000_000_000),
    clock_hz=1_000_000_000,
    max_runtime_args=341,
    floorplan=Floorplan(
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
    ),
    costs=WORMHOLE_COSTS,
    sources=MappingProxyType(
        {
            "grid": "language specification: default grid of a Wormhole card; n150 and n300 have 64 nodes for compute",
            "max_grid": f"{_HEADERS}: translated worker coordinates x 18..25, y 18..27",
            "l1_bytes": f"{_HEADERS}: dev_mem_map.h",
            "l1_reserved_bytes": "l1_bytes minus the 1,395,424 bytes that ttnn 0.69.0 reports for circular buffers on a mock n150",
            "dataflow_buffers": f"{_HEADERS}: circular_buffer_constants.h",
            "semaphores": "tt-metal tt_metal/impl/buffers/semaphore.hpp: NUM_SEMAPHORES",
            "dst": f"{_HEADERS}: tt-llk get_dest_max_tiles",
            "l1_alignment": f"{_HEADERS}: noc_parameters.h",
            "dram_read_alignment": f"{_HEADERS}: noc_parameters.h",
            "dram_write_alignment": f"{_HEADERS}: noc_parameters.h",
            "noc": f"{_ISA}: NoC; {_HEADERS}: NOC_MAX_BURST_SIZE",
            "dram": f"{_ISA}: DRAM tiles, 24 bytes per cycle and channel",
            "clock_hz": "tt-metal tech_reports/GEMM_FLOPS",
            "floorplan": "tt-metal, soc_descriptors/wormhole_b0_80_arch.yaml: functional workers, endpoints of workers in the views of DRAM",
            "costs": "each its own",
            "max_runtime_args": "ttnn host headers: max_runtime_args, 4096 / (3 * 4)",
        }
    ),
)
