"""Words of L1 that outlive programs: global semaphores, at one address of the cores of all chips."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_uint32

from ttl.emu.chip import SEMAPHORE_BYTES
from ttl.emu.memory import ChipMemory
from ttl.emu.program import Core
from ttl.host.mesh_programs import GlobalSemaphore


@contextmanager
def holding(
    semaphores: Sequence[GlobalSemaphore], chips: Sequence[int], running: Collection[Core], memory: ChipMemory
) -> Iterator[None]:
    """Inside, the words of L1 are the semaphores; afterwards the semaphores have the values that the words were given.

    ``chips``: of the devices of the mesh. A core that runs nothing has a word only where it is not zero, because each core that is
    used takes memory.
    """
    chip = memory.chip
    words: list[tuple[GlobalSemaphore, tuple[int, int], c_uint32]] = []
    for semaphore in semaphores:
        memory.kept.append((semaphore.address, semaphore.address + SEMAPHORE_BYTES))
        for device, number in enumerate(chips):
            for position, core_of_chip in enumerate(semaphore.cores):
                core, value = chip.at(number, core_of_chip), int(semaphore.values[device, position])
                if core in running or value:
                    place = chip.l1(chip.index(core)) + semaphore.address
                    word = c_uint32.from_address(place)
                    word.value = value
                    words.append((semaphore, (device, position), word))
    yield
    for semaphore, at, word in words:
        semaphore.values[at] = word.value
