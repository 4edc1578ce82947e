"""``ttl.compute`` and ``ttl.datamovement`` (specification, "Operation function")."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, overload

from ttl.diag import error
from ttl.lang.check import describe, fail
from ttl.lang.context import KernelKind, current

Kernel = TypeVar("Kernel", bound=Callable[[], None])


@overload
def compute(function: None = None) -> Callable[[Kernel], Kernel]: ...
@overload
def compute(function: Kernel) -> Kernel: ...
def compute(function: Any = None) -> Any:
    """Decorate the compute kernel of an operation: a function without parameters that returns None."""
    return _decorate(function, "compute", "compute")


@overload
def datamovement(function: None = None) -> Callable[[Kernel], Kernel]: ...
@overload
def datamovement(function: Kernel) -> Kernel: ...
def datamovement(function: Any = None) -> Any:
    """Decorate a data movement kernel of an operation: a function without parameters that returns None."""
    return _decorate(function, "data movement", "datamovement")


def _decorate(function: Any, kind: KernelKind, name: str) -> Any:
    def register(kernel: Any) -> Any:
        execution = current(f"@ttl.{name}()")
        if not isinstance(kernel, FunctionType):
            fail(
                error(
                    "TTL0209",
                    f"@ttl.{name}() decorates a function, not {describe(kernel)}",
                    help=f"write @ttl.{name}() above a def inside the operation",
                )
            )
        code = kernel.__code__
        required = code.co_argcount - len(kernel.__defaults__ or ())
        if required or code.co_kwonlyargcount:
            names = ", ".join(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
            fail(
                error(
                    "TTL0210",
                    f"kernel {kernel.__name__} has parameters ({names}), and a kernel has none",
                    notes=("nobody calls a kernel: the node starts it",),
                    help="use the operation's arguments and variables directly, a kernel is a closure",
                )
            )
        execution.add_kernel(kernel, kind)
        return kernel

    return register if function is None else register(function)
