"""From a call of an operation to the dialect: ``ttl run`` checks the result, and the compiler compiles it."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ttl.frontend.kernel.calling import in_source
from ttl.frontend.kernel.library_calls import HostCalls
from ttl.frontend.kernel.operation import dependencies_of, keep, lower
from ttl.frontend.lowered import Lowered
from ttl.frontend.values import copied
from ttl.lang.device_grid import grid_of
from ttl.lang.operation import Operation
from ttl.settings import current_chip
from ttl.source.spans import user_span


def lower_call(
    operation: Operation,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    module: ModuleOp | None = None,
    host_calls: HostCalls = "pure",
) -> Lowered:
    """The operation of a call in the dialect, added to ``module``. No data are used.

    No code of the user runs. With ``host_calls`` "any", functions of libraries are called if all of their arguments are
    known: for callers that run the program anyway.
    """
    module = ModuleOp([]) if module is None else module
    operation, args, kwargs = operation.resolved(args, kwargs)
    user = in_source(operation.written)
    if user is None:
        name = operation.written.__name__
        return Lowered(module=module, notes=[f"the source of operation {name} cannot be found"])
    bound = operation.signature.bind(*args, **kwargs)
    bound.apply_defaults()
    chip = current_chip()
    grid = grid_of(operation, chip)
    arguments = {name: copied(value) for name, value in bound.arguments.items()}
    read = lower(user, arguments, grid, chip, user_span(), operation.options, host_calls=host_calls)
    if read.operation is not None:
        keep(read.operation, module)
    dependencies = dependencies_of(read.files)
    return Lowered(module=module, diagnostics=[*read.findings], calls=[read.call], dependencies=dependencies)
