"""The description of the cards of this machine, as the real ``ttnn`` reports it.

Its Python interface does not report every field of a description, and older releases report fewer. A missing field is
taken from the description of a known machine, and listed.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.machinery import PathFinder
from math import prod
from types import MappingProxyType
from typing import Any

from tt_model.layouts.enums import Arch, ChipCapability, CPURole
from tt_model.layouts.known_systems import system
from tt_model.layouts.system_desc import ChipCoord, ChipDesc, Coordinate, CPUDesc, PhysicalCores, SystemRecord
from ttl.arch import all_chips
from ttl.source.spans import is_our_file
from ttrt.common.problems import no_card

_ARCHITECTURES: Mapping[str, Arch] = MappingProxyType(
    {"WORMHOLE_B0": Arch.WormholeB0, "BLACKHOLE": Arch.Blackhole, "GRAYSKULL": Arch.Grayskull}
)
# The machine whose fields replace those that the library does not report.
_KNOWN = "n150"


@dataclass(frozen=True, kw_only=True, slots=True)
class CardDescription:
    """The cards of a machine.

    ``missing`` are fields that the library does not report, and ``source`` says where their values are from.
    """

    system: SystemRecord
    missing: tuple[str, ...]
    source: str


def real_ttnn() -> Any:
    """Return the library that runs programs on a card.

    Raises ``NoCard`` if it is not installed or cannot be imported, or if the simulated library was imported before.

    ``import ttnn`` may find the simulated library of this package, which has no card: only a library on the path
    counts.
    """
    if PathFinder.find_spec("ttnn") is None:
        raise no_card("the real ttnn is not installed (pip install ttnn: for CPython 3.10 or 3.12 on Linux)")
    try:
        import ttnn
    except ImportError as problem:
        raise no_card(f"the real ttnn cannot be imported: {problem}") from None
    if is_our_file(getattr(ttnn, "__file__", None) or ""):
        raise no_card("this program has imported this package's simulated library as ttnn")
    return ttnn


def described(ttnn: Any) -> CardDescription:
    """Open every card, ask it, close it. Raises ``NoCard`` if there is no card, or one cannot be opened."""
    try:
        numbers = [int(number) for number in ttnn.get_device_ids()]
    except Exception as problem:
        raise no_card(f"ttnn cannot list the devices: {_first_line(problem)}") from None
    if not numbers:
        raise no_card("ttnn sees no device")
    on_pcie = set(_asked(lambda: list(ttnn.get_pcie_device_ids()), numbers))
    missing: dict[str, None] = {}
    chips = [_chip(ttnn, number, missing) for number in numbers]
    descs = list(dict.fromkeys(chips))
    if len(numbers) > 1:
        missing["the ethernet channels between its chips"] = None
    record = SystemRecord(
        cpu_descs=(CPUDesc(CPURole.Host, f"{platform.machine()}-pc-linux"),),
        chip_descs=tuple(descs),
        chip_desc_indices=tuple(descs.index(chip) for chip in chips),
        chip_capabilities=tuple(
            ChipCapability.PCIE | ChipCapability.HostMMIO if number in on_pcie else ChipCapability(0)
            for number in numbers
        ),
        chip_coords=tuple(ChipCoord(0, 0, 0, 0) for _ in numbers),
        chip_channels=(),
    )
    return CardDescription(
        system=record,
        missing=tuple(missing),
        source=f"the description of an {_KNOWN} and the table of the chip",
    )


def _chip(ttnn: Any, number: int, missing: dict[str, None]) -> ChipDesc:
    try:
        device = ttnn.open_device(device_id=number)
    except Exception as problem:
        raise no_card(f"device {number} does not open: {_first_line(problem)}") from None
    try:
        return _chip_of(ttnn, device, missing)
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError) as problem:
        raise no_card(f"device {number} does not say what it is: {_first_line(problem)}") from None
    finally:
        ttnn.close_device(device)


def _chip_of(ttnn: Any, device: Any, missing: dict[str, None]) -> ChipDesc:
    arch = _ARCHITECTURES[device.arch().name]
    table = next((chip for chip in all_chips() if chip.arch == arch.keyword), all_chips()[0])
    known = system(_KNOWN).first_chip
    same_arch = known.arch is arch

    def said(field: str, ask: Callable[[], Any], otherwise: Any) -> Any:
        """Return the library's answer, or ``otherwise``, and then record the field as missing."""
        result = _asked(ask, None)
        if result is None:
            missing[field] = None
            return otherwise
        return result

    grid = device.compute_with_storage_grid_size()
    banks = device.dram_grid_size()
    channels = int(banks.x) * int(banks.y)
    l1_align = said("the alignment of L1", lambda: int(ttnn.device.get_l1_alignment()), table.l1_alignment)
    dram_align = said(
        "the alignment of DRAM", lambda: int(ttnn.device.get_dram_alignment()), table.dram_read_alignment
    )
    l1_base, l1_size = said(
        "the size of L1 and where it is free",
        lambda: _memory(ttnn, device, ttnn.BufferType.L1),
        (known.l1_unreserved_base, known.l1_size if same_arch else table.l1_bytes),
    )
    dram_base, channel = said(
        "the size of a channel of DRAM and where it is free",
        lambda: _memory(ttnn, device, ttnn.BufferType.DRAM),
        (known.dram_unreserved_base, table.dram.bytes_per_channel),
    )
    workers = tuple(
        _coordinate(device.worker_core_from_logical_core(ttnn.CoreCoord(x, y)))
        for y in range(int(grid.y))
        for x in range(int(grid.x))
    )
    dram = said(
        "where its DRAM is",
        lambda: tuple(
            sorted(
                _coordinate(device.dram_core_from_logical_core(ttnn.CoreCoord(x, y)))
                for y in range(int(banks.y))
                for x in range(int(banks.x))
            )
        ),
        tuple(sorted((y, x) for x, y in table.floorplan.translated_banks[:channels])),
    )
    missing["its ethernet cores and where their L1 is free"] = None
    # The bytes that the runtime reserves at the end of each channel, for the programs of all cores.
    kept = -(-l1_base * prod((int(grid.x), int(grid.y))) // max(1, channels))
    return ChipDesc(
        arch=arch,
        grid=(int(grid.y), int(grid.x)),
        l1_size=l1_size,
        num_dram_channels=channels,
        dram_channel_size=channel,
        noc_l1_address_align_bytes=l1_align,
        pcie_address_align_bytes=known.pcie_address_align_bytes,
        noc_dram_address_align_bytes=dram_align,
        l1_unreserved_base=l1_base,
        erisc_l1_unreserved_base=known.erisc_l1_unreserved_base,
        dram_unreserved_base=dram_base,
        dram_unreserved_end=(channel - kept) // dram_align * dram_align,
        physical_cores=PhysicalCores(worker=workers, dram=dram),
        supported_data_types=known.supported_data_types,
        supported_tile_sizes=known.supported_tile_sizes,
        num_cbs=table.dataflow_buffers,
    )


def _memory(ttnn: Any, device: Any, kind: Any) -> tuple[int, int]:
    """The address from which a memory is free, and its end."""
    base = int(ttnn.get_allocator_base_address(device, kind))
    return base, base + int(ttnn.get_memory_view(device, kind).total_bytes_per_bank)


def _coordinate(core: Any) -> Coordinate:
    return int(core.y), int(core.x)


def _asked(ask: Callable[[], Any], otherwise: Any) -> Any:
    """Return the answer of ``ask``, or ``otherwise`` where this release does not have the call."""
    try:
        return ask()
    except (AttributeError, TypeError, RuntimeError):
        return otherwise


def _first_line(problem: BaseException) -> str:
    text = str(problem).strip().partition("\n")[0]
    return text or type(problem).__name__
