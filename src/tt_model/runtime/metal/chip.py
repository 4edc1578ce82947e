"""An emulated chip by a system description: grid, coordinates on the network, memory sizes, tensors' addresses."""

from __future__ import annotations

from dataclasses import replace

from tt_model.layouts.system_desc import ChipDesc
from tt_model.runtime.problems import RuntimeProblem
from ttl.arch import Chip, all_chips, chip_of_arch
from ttl.emu.chip import ChipLayout, EmulatedChip, opened
from ttl.emu.runtime import missing
from ttl.settings import costed

# The beginning of an L1 belongs to firmware: semaphores, and bytes that stay zero.
SEMAPHORES, ZEROS, ZEROS_BYTES = 0, 256, 512
_RESERVED = ZEROS + ZEROS_BYTES
# More memory than any program uses, but little enough to map for all channels.
_DRAM_BYTES = 1 << 30
_MOST_CORES, _MOST_L1, _COORDINATES = 128, 2 << 20, 64


def chip_of(desc: ChipDesc) -> Chip:
    """The kind of chip, with the sizes of a description and the costs of ``--costs``.

    Raises ``RuntimeProblem`` for a chip that is not emulated.
    """
    chip = chip_of_arch(desc.arch.keyword)
    if chip is None:
        known = " and ".join(chip.arch for chip in all_chips())
        raise RuntimeProblem(
            f"the system has a chip of {desc.arch.keyword}, and emulated are {known}: compile the model for one of them"
        )
    return replace(
        costed(chip), l1_bytes=desc.l1_size, l1_reserved_bytes=min(desc.l1_unreserved_base, desc.l1_size)
    )


def dram_bytes(desc: ChipDesc) -> int:
    """Return the bytes of a DRAM channel of the emulated chip."""
    return min(_DRAM_BYTES, max(desc.dram_channel_size, 1))


def emulated_chip(desc: ChipDesc) -> EmulatedChip:
    """Open a new emulated chip, with empty memory.

    Raises ``RuntimeProblem`` for a description that no chip can have.
    """
    reason = missing()
    if reason is not None:
        raise RuntimeProblem(
            f"this installation has no emulated chip: {reason}",
            notes=("install a C++ compiler (g++ 12, clang 15 or newer), then run 'python native/build.py'",),
        )
    chip = chip_of(desc)
    rows, columns = desc.grid
    workers, banks = desc.physical_cores.worker, desc.physical_cores.dram
    _check(desc)
    try:
        return opened(
            chip,
            ChipLayout(
                columns=columns,
                rows=rows,
                workers=tuple((x, y) for y, x in workers),
                banks=tuple((x, y) for y, x in banks),
                l1_reserved=desc.l1_unreserved_base,
                semaphores=SEMAPHORES,
                dram_bytes=dram_bytes(desc),
            ),
        )
    except (MemoryError, ValueError) as problem:
        raise RuntimeProblem(f"a chip with this system description cannot be emulated: {problem}") from None


def _check(desc: ChipDesc) -> None:
    rows, columns = desc.grid
    cores = desc.physical_cores
    coordinates = [*cores.worker, *cores.dram]
    wrong = (
        f"a grid of {rows}x{columns} and {len(cores.worker)} workers"
        if rows < 1 or columns < 1 or len(cores.worker) != rows * columns
        else f"{rows * columns} cores, more than {_MOST_CORES}"
        if rows * columns > _MOST_CORES
        else f"L1 of {desc.l1_size:,} bytes, more than {_MOST_L1:,}"
        if not 0 < desc.l1_size <= _MOST_L1
        else f"tensors from byte {desc.l1_unreserved_base} of L1 on; firmware has the first {_RESERVED}"
        if not _RESERVED <= desc.l1_unreserved_base < desc.l1_size
        else "no channels of DRAM"
        if not cores.dram
        else "cores at coordinates outside of the network"
        if any(not 0 <= one < _COORDINATES for pair in coordinates for one in pair)
        else "two cores at the same coordinates"
        if len(set(coordinates)) != len(coordinates)
        else ""
    )
    if wrong:
        raise RuntimeProblem(f"the system description says {wrong}: such a chip cannot be emulated")
