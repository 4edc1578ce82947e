"""``--schedules N``: run a launch under N schedules and compare the results.

Programs that communicate through dataflow buffers and unicast pipes only cannot depend on the schedule; those with shared
tensors, semaphores or waits for the first of several receives can.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature

import numpy as np

from ttl.diag import Diagnostic, ProgramError, TTLError
from ttl.host.access import array_of, writable_array
from ttl.host.tensor import Tensor
from ttl.protocol.chips import NODE_DIMS, chip_name
from ttl.protocol.grid import coordinate
from ttl.rows.comparison import equal
from ttl.rows.dtypes import Array
from ttl.rules.races import result_differs
from ttl.session import Part
from ttl.session import current as current_session
from ttl.sim.placement import Launch
from ttl.source.spans import user_span

# The tensors that a launch has written, in the order of their first writes, with their contents before.
Originals = list[tuple[Tensor, Array]]
# Runs a launch under the schedule of a seed.
Run = Callable[[Launch, int | None], Originals]


@dataclass(slots=True)
class SeedShare:
    """The seeds of ``--schedules`` that this process tries.

    ``failed``: number of the launch, seed, and diagnostics of the error that was raised.
    """

    first: int
    count: int
    launches: int = 0
    failed: tuple[int, int, tuple[Diagnostic, ...]] | None = None


SHARE: Part[SeedShare | None] = Part(lambda: None)


def explore(launch: Launch, run: Run) -> None:
    """Run under the fixed schedule and under seeds, all or this process's share.

    Raises an error when a result differs or a run fails.
    """
    share = current_session()[SHARE]
    if share is not None:
        share.launches += 1
    first_seed = launch.settings.schedule_seed
    written = run(launch, first_seed)
    expected = {id(tensor): (tensor, array_of(tensor).copy()) for tensor, _ in written}
    base = 0 if first_seed is None else first_seed + 1
    seeds = range(base, base + launch.settings.schedules - 1)
    for seed in seeds if share is None else seeds[share.first : share.first + share.count]:
        # Tensors may share memory, so the tensor that was written first is restored last.
        for tensor, original in reversed(written):
            writable_array(tensor)[...] = original
        try:
            _compared(launch, run, seed, written, expected)
        except TTLError as failure:
            if share is not None:
                share.failed = share.launches, seed, failure.diagnostics
            raise


def _compared(
    launch: Launch,
    run: Run,
    seed: int,
    written: Originals,
    expected: dict[int, tuple[Tensor, Array]],
) -> None:
    """Run under the schedule of a seed. Raises an error when that fails, or a result differs from the expected one."""
    try:
        now = run(launch, seed)
    except TTLError as failure:
        first, *others = failure.diagnostics
        note = f"this happens only in some schedules: reproduce this one with --schedule-seed {seed}"
        raise type(failure)(first.noting(note), *others) from None
    for tensor, original in now:
        if id(tensor) not in expected:
            expected[id(tensor)] = (tensor, original)
            written.append((tensor, original))
    for tensor, data in expected.values():
        if not equal(array_of(tensor), data):
            _fail(launch, tensor, data, seed)


def _names(launch: Launch) -> dict[int, str]:
    """The parameter each tensor (or each shard of it) is an argument for, by identity."""
    bound = signature(launch.operation.function).bind(*launch.args, **launch.kwargs)
    names: dict[int, str] = {}
    mesh = launch.grid[:-NODE_DIMS]
    for name, arg in bound.arguments.items():
        if isinstance(arg, Tensor):
            names[id(arg)] = name
            for number, shard in enumerate(arg.shards or ()):
                names[id(shard)] = f"{name} on {chip_name(coordinate(number, mesh, len(mesh)))}"
    return names


def _fail(launch: Launch, tensor: Tensor, expected: Array, seed: int) -> None:
    different = np.argwhere(array_of(tensor) != expected)
    where = tuple(int(value) for value in different[0]) if len(different) else ()
    name = _names(launch).get(id(tensor), "that the operation captures")
    raise ProgramError(
        result_differs(
            launch.operation.function.__name__, name, len(different), expected.size, where, seed
        ).at(user_span())
    )
