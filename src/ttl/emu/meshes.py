"""Programs over several chips on the emulated chips: tensors in parts, connections, counters.

Each chip runs the kernels of the description with its own arguments on its own cores (``EmulatedChip.at``), all in one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from ctypes import c_uint32
from dataclasses import replace

from ttl.codegen.description import ProgramDescription
from ttl.codegen.entries import MeshNumbers
from ttl.codegen.mesh import Wiring, links_of
from ttl.emu.chip import SEMAPHORE_BYTES
from ttl.emu.memory import ChipMemory, Placed
from ttl.emu.program import ChipKernel, ChipSemaphore, Core, Program
from ttl.emu.ready import Places, program_of_chip
from ttl.emu.standing import semaphore_number
from ttl.emu.system import emulated_system
from ttl.host.mesh_programs import LINK_SHIFT
from ttl.host.mesh_programs import links_of as system_of
from ttl.host.tensor import Tensor


def wiring_of(tensors: Sequence[Tensor]) -> Wiring:
    """The system that the tensors of a call are on."""
    device = tensors[0].device()
    assert device is not None, "tensors of a mesh are on devices"
    system, places = system_of(device)
    return Wiring(system=system, places=places)


def memory_of_mesh(
    description: ProgramDescription, tensors: Sequence[Tensor], wiring: Wiring
) -> tuple[ChipMemory, list[tuple[str, Placed]]]:
    """The memory of the chips with the tensors' parts, and the parts on the first chip by name.

    A tensor has the same address on all chips.
    """
    memory = ChipMemory(emulated_system(wiring.system))
    placed = []
    for item in description.tensors:
        tensor = tensors[item.index]
        first: Placed | None = None
        for shard, chip in zip(tensor.shards or (tensor,), wiring.places, strict=False):
            one = memory.place(shard, None if first is None else first.address, chip)
            first = first or one
        assert first is not None
        placed.append((item.name, first))
    return memory, placed


def program_of_mesh(
    description: ProgramDescription, places: Places, memory: ChipMemory, wiring: Wiring
) -> Program:
    """The program of all chips, with its global semaphores in memory, at their first values."""
    chip = memory.chip
    semaphores = _counters(description, memory, wiring)
    kernels: list[ChipKernel] = []
    one = None
    for number, place in enumerate(wiring.places[: description.chips]):
        numbers = MeshNumbers(
            chip=number, fabric_chips=tuple(wiring.places), fabric_mesh=0, semaphores=semaphores
        )
        one = program_of_chip(description, places, numbers)
        kernels += (
            replace(kernel, cores=tuple(chip.at(place, core) for core in kernel.cores))
            for kernel in one.kernels
        )
    assert one is not None
    every = [(place, core) for place in wiring.places[: description.chips] for core in one.kernels[0].cores]
    cores = tuple(chip.at(place, core) for place, core in every)
    program = replace(
        one,
        kernels=tuple(kernels),
        circular_buffers=tuple(replace(buffer, cores=cores) for buffer in one.circular_buffers),
        semaphores=tuple(replace(semaphore, cores=cores) for semaphore in one.semaphores),
    )
    return _connected(program, description, wiring, memory, semaphores)


def _counters(description: ProgramDescription, memory: ChipMemory, wiring: Wiring) -> dict[str, int]:
    """Place the global semaphores in memory, with their first values. Return their addresses by name."""
    chip, addresses = memory.chip, {}
    base = memory.take_l1(SEMAPHORE_BYTES * len(description.global_semaphores))
    columns, rows = description.grid
    for number, semaphore in enumerate(description.global_semaphores):
        address = addresses[semaphore.name] = base + SEMAPHORE_BYTES * number
        memory.kept.append((address, address + SEMAPHORE_BYTES))
        for place in wiring.places[: description.chips]:
            for node in range(columns * rows):
                core = chip.index(chip.at(place, divmod(node, rows)))
                c_uint32.from_address(chip.l1(core) + address).value = semaphore.initial
    return addresses


def _connected(
    program: Program,
    description: ProgramDescription,
    wiring: Wiring,
    memory: ChipMemory,
    counters: Mapping[str, int],
) -> Program:
    """The program with the arguments of its connections, and the two semaphores of each connection on its node."""
    chip = memory.chip
    free = max((semaphore.id for semaphore in program.semaphores), default=-1) + 1
    taken: Counter[Core] = Counter()
    args: dict[int, dict[Core, tuple[int, ...]]] = {}
    semaphores: list[ChipSemaphore] = []
    for links in links_of(description, wiring):
        core = chip.at(wiring.places[links.chip], links.node)
        words = list(links.first_args)
        for connection in links.connections:
            ids = [free + taken[core], free + taken[core] + 1]
            taken[core] += len(ids)
            semaphores += (
                ChipSemaphore(id=number, cores=(core,), initial=0, name=f"semaphore {number}")
                for number in ids
            )
            words += (wiring.places[connection.towards] | connection.channel << LINK_SHIFT, *ids)
        args.setdefault(links.chip * len(description.kernels) + links.kernel, {})[core] = tuple(words)
    # In reports, words beyond the host's semaphores have the numbers that follow.
    semaphores += (
        ChipSemaphore(id=semaphore_number(address), cores=(), initial=0, name=name)
        for name, address in counters.items()
    )
    kernels = [
        replace(kernel, args=dict.fromkeys(kernel.cores, (0, 0)) | args.get(number, {}))
        if description.kernels[number % len(description.kernels)].links
        else kernel
        for number, kernel in enumerate(program.kernels)
    ]
    return replace(program, kernels=tuple(kernels), semaphores=(*program.semaphores, *semaphores))
