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
from ttl.diag import ProgramError, error
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.settings import Settings
from ttl.source.spans import user_span

Run = Callable[[Operation, tuple[int, ...], Any, Any, Settings, Chip, int | None], None]


def explore(
    operation: Operation,
    grid: tuple[int, ...],
    args: Any,
    kwargs: Any,
    settings: Settings,
    chip: Chip,
    run: Run,
) -> None:
    """Run under the fixed schedule and under seeds; an error when a result differs."""
    tensors = _tensors(args, kwargs)
    before = [tensor._data.copy() for tensor in tensors]
    first_seed = settings.schedule_seed
    run(operation, grid, args, kwargs, settings, chip, first_seed)
    expected = [tensor._data.copy() for tensor in tensors]
    base = 0 if first_seed is None else first_seed + 1
    for seed in range(base, base + settings.schedules - 1):
        for tensor, data in zip(tensors, before, strict=True):
            tensor._writable()
            tensor._data[...] = data
        run(operation, grid, args, kwargs, settings, chip, seed)
        for tensor, data in zip(tensors, expected, strict=True):
            if not np.array_equal(tensor._data, data, equal_nan=tensor._data.dtype.kind == "f"):
                _fail(operation, args, kwargs, tensor, data, seed)


def _tensors(args: Any, kwargs: Any) -> list[Tensor]:
    found: dict[int, Tensor] = {}
    for arg in (*args, *kwargs.values()):
        for tensor in (arg.shards or (arg,)) if isinstance(arg, Tensor) else ():
            found[id(tensor)] = tensor
    return list(found.values())


def _names(operation: Operation, args: Any, kwargs: Any) -> dict[int, str]:
    """The parameter each tensor (or each shard of it) is an argument for, by identity."""
    bound = signature(operation.function).bind(*args, **kwargs)
    return {id(tensor): name for name, arg in bound.arguments.items() for tensor in _tensors((arg,), {})}


def _fail(operation: Operation, args: Any, kwargs: Any, tensor: Tensor, expected: Any, seed: int) -> None:
    different = np.argwhere(tensor._data != expected)
    where = tuple(int(value) for value in different[0]) if len(different) else ()
    names = _names(operation, args, kwargs)
    raise ProgramError(
        error(
            "TTL1101",
            f"the result of operation {operation.function.__name__} depends on the schedule",
            notes=(
                f"tensor {names[id(tensor)]} differs in {len(different)} of {tensor._data.size} elements, first at {where}",
                f"reproduce this schedule with --schedule-seed {seed}",
            ),
            help="synchronise the kernels that share the tensor or the semaphore: something is read before it is written",
        ).at(user_span())
    )
