"""Adversarial schedules: processors and transfers are delayed at random, and right programs do not notice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from emu.harness import move, tensor_of, values_of
from emu.test_network import RECEIVER, SENDER, WRITER
from support.kernel_mutations import Launch, fate, launches, mutations
from ttl.diag import ProgramError
from ttl.emu import (
    CircularBuffer,
    Kernel,
    Program,
    Run,
    Semaphore,
    memory_of,
    rectangle,
    run_program,
)
from ttl.settings import override

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
VALUES = np.random.default_rng(3).integers(-64, 64, (96, 32)).astype(np.float32)
# Calls that other parts of the protocol make unnecessary, by kernel and line.
HARMLESS = {
    "tutorial_1_one_tile": set(),
    # The next message is sent after the last one was acknowledged, so it has left long before.
    "ring_all_gather": {("forward", "noc_async_writes_flushed")},
    # The node that lifts the barrier does not wait at it.
    "spec_one_to_many_barrier": {("dm", "noc_semaphore_set")},
}


def _multicast(sender: str, seed: int | None) -> tuple[Run, object]:
    columns, rows = 3, 2
    cores = rectangle(columns, rows)
    memory = memory_of()
    source, target = (
        memory.place(tensor_of(VALUES)),
        memory.place(tensor_of(np.zeros((96 * len(cores), 32), np.float32))),
    )
    corners = (*memory.chip.node(0, 0), *memory.chip.node(columns - 1, rows - 1))
    program = Program(
        generation="0.81",
        kernels=(
            Kernel(
                name="send", source=sender, processor="brisc", cores=cores[:1],
                compile_time_args=source.accessor, common_args=(len(cores) - 1, *corners, source.address),
            ),
            Kernel(
                name="receive", source=RECEIVER, processor="brisc", cores=cores[1:],
                common_args=memory.chip.node(0, 0),
            ),
            Kernel(
                name="write", source=WRITER, processor="ncrisc", noc=1, cores=cores,
                compile_time_args=target.accessor, common_args=(target.address, columns),
            ),
        ),
        circular_buffers=(CircularBuffer(index=0, pages=2, page_bytes=2048, dtype="bfloat16", cores=cores),),
        semaphores=(Semaphore(id=0, cores=cores), Semaphore(id=1, cores=cores)),
    )  # fmt: skip
    with override(emu_seed=seed):
        found = run_program(program, memory)
    return found, values_of(target.tensor).tobytes()


def test_a_seed_gives_one_schedule_and_every_schedule_the_same_results() -> None:
    first, expected = _multicast(SENDER, None)
    cycles = {None: first.cycles}
    for seed in (1, 2, 3, 1):
        found, values = _multicast(SENDER, seed)
        assert values == expected
        assert cycles.setdefault(seed, found.cycles) == found.cycles
    assert len(set(cycles.values())) == len(cycles)


def test_a_message_that_may_overtake_its_data_does_so_in_some_schedule() -> None:
    """Data and semaphore on different virtual channels: nothing keeps their order but a barrier."""
    racing = SENDER.replace(
        "noc_semaphore_set_multicast(valid, get_noc_multicast_addr(x0, y0, x1, y1, valid), receivers);",
        "noc_semaphore_set_multicast(valid, get_noc_multicast_addr(x0, y0, x1, y1, valid), receivers, false, 0, 5);",
    )
    assert racing != SENDER
    _, expected = _multicast(SENDER, None)
    ordered = racing.replace(
        "noc_semaphore_set(word, 1);", "noc_async_write_barrier(); noc_semaphore_set(word, 1);"
    )
    assert all(_multicast(ordered, seed)[1] == expected for seed in (None, 1, 2, 3))
    assert any(_multicast(racing, seed)[1] != expected for seed in (1, 2, 3))


def test_what_is_read_is_not_there_before_the_barrier() -> None:
    body = "cb_reserve_back(0, 1); cb_push_back(0, 1); cb_wait_front(0, 1); ASSERT(*(volatile uint16_t*)get_read_ptr(0) != 0xFFFF);"
    with pytest.raises(ProgramError, match="an assertion failed"):
        move(body, memory_of())


@pytest.mark.parametrize("name", HARMLESS)
def test_a_kernel_without_one_of_its_calls_is_found_out(name: str) -> None:
    for launch in launches(str(EXAMPLES / f"{name}.py")):
        assert _fates(launch) == HARMLESS[name]


def _fates(launch: Launch) -> set[tuple[str, str]]:
    """The calls that can be taken out without any difference."""
    expected = launch.results(launch.description)
    assert all(launch.results(launch.description, seed) == expected for seed in (1, 2))
    return {
        (each.kernel, each.call)
        for each in mutations(launch.description)
        if fate(launch, each, expected)[0] == "harmless"
    }
