"""``--schedules N``: run a launch under N schedules and compare the results.

Programs that communicate through dataflow buffers and unicast pipes only cannot depend on the schedule; shared
tensors and semaphores can.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from ttl.arch.chip import Chip
from ttl.diag import ProgramError, TTLError, error
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.ops.dtypes import Array
from ttl.settings import Settings
from ttl.source.spans import user_span

# Tensors a launch has written, in the order of their first writes, and what they held before.
Originals = list[tuple[Tensor, Array]]
Run = Callable[[Operation, tuple[int, ...], Any, Any, Settings, Chip, int | None], Originals]


def explore(
    operation: Operation,
    grid: tuple[int, ...],
    args: Any,
    kwargs: Any,
    settings: Settings,
    chip: Chip,
    run: Run,
) -> None:
    """Run under the fixed schedule and under seeds; an error when a result differs or a run fails."""
    first_seed = settings.schedule_seed
    written = run(operation, grid, args, kwargs, settings, chip, first_seed)
    expected = {id(tensor): (tensor, tensor._data.copy()) for tensor, _ in written}
    base = 0 if first_seed is None else first_seed + 1
    for seed in range(base, base + settings.schedules - 1):
        # Tensors may share memory: what the first one held is put back last.
        for tensor, original in reversed(written):
            tensor._writable()
            tensor._data[...] = original
        try:
            now = run(operation, grid, args, kwargs, settings, chip, seed)
        except TTLError as failure:
            first, *others = failure.diagnostics
            note = f"only in some schedules: reproduce this one with --schedule-seed {seed}"
            raise type(failure)(first.noting(note), *others) from None
        for tensor, original in now:
            if id(tensor) not in expected:
                expected[id(tensor)] = (tensor, original)
                written.append((tensor, original))
        for tensor, data in expected.values():
            if not np.array_equal(tensor._data, data, equal_nan=tensor._data.dtype.kind == "f"):
                _fail(operation, args, kwargs, tensor, data, seed)


def _names(operation: Operation, args: Any, kwargs: Any) -> dict[int, str]:
    """The parameter each tensor (or each shard of it) is an argument for, by identity."""
    bound = signature(operation.function).bind(*args, **kwargs)
    return {
        id(tensor): name
        for name, arg in bound.arguments.items()
        if isinstance(arg, Tensor)
        for tensor in (arg.shards or (arg,))
    }


def _fail(operation: Operation, args: Any, kwargs: Any, tensor: Tensor, expected: Any, seed: int) -> None:
    different = np.argwhere(tensor._data != expected)
    where = tuple(int(value) for value in different[0]) if len(different) else ()
    name = _names(operation, args, kwargs).get(id(tensor), "that the operation captures")
    raise ProgramError(
        error(
            "TTL1101",
            f"the result of operation {operation.function.__name__} depends on the schedule",
            notes=(
                f"tensor {name} differs in {len(different)} of {tensor._data.size} elements, first at {where}",
                f"reproduce this schedule with --schedule-seed {seed}",
            ),
            help="synchronise the kernels that share the tensor or the semaphore: something is read before it is written",
        ).at(user_span())
    )
