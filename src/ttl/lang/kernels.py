"""``ttl.compute`` and ``ttl.datamovement`` (specification, "Operation function")."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, overload

from ttl import control
from ttl.diag import ProgramError
from ttl.lang.check import fail, require_function
from ttl.lang.context import current
from ttl.lang.extern_calls import KINDS, NamedKernel
from ttl.rules import kernel_definitions as rules
from ttl.source.spans import span_of_site

if TYPE_CHECKING:
    from ttl.control import KernelName as _NAME
    from ttl.protocol.blocks import KernelKind

_NOT_PLAIN = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


if not TYPE_CHECKING:
    _NAME = control.base("KernelName", ("function", "kind"))


@control.accelerated
class KernelFunction(_NAME):
    """The value of a kernel's name in its operation. The node starts kernels; they are never called."""

    __slots__ = ()

    def __init__(self, function: FunctionType, kind: KernelKind) -> None:
        self.function = function
        self.kind = kind

    @property
    def __name__(self) -> str:
        """Name of the kernel."""
        return self.function.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """An error: a kernel cannot be called."""
        fail(rules.called(self.kind, self.function.__name__))

    def __repr__(self) -> str:
        return f"<{self.kind} kernel {self.function.__name__}>"


@overload
def compute(
    function: None = None, *, kernel: NamedKernel | None = None
) -> Callable[[Callable[[], None]], KernelFunction]: ...
@overload
def compute(function: Callable[[], None]) -> KernelFunction: ...
def compute(function: Any = None, *, kernel: Any = None) -> Any:
    """Decorate the compute kernel of an operation: a function without parameters that returns None.

    It runs on every node, once, beside the data movement kernels. It computes with blocks and cannot access tensors.
    At most one per node (TTL0205). ``kernel``: a ``ttl.Kernel`` of this kind, by which ``kernel=`` of
    ``ttl.call_extern_func`` names it (TTL0270). Specification: "Operation function".
    """
    return _decorate(function, "compute", "compute", kernel)


@overload
def datamovement(
    function: None = None, *, kernel: NamedKernel | None = None, noc: Literal[0, 1] | None = None
) -> Callable[[Callable[[], None]], KernelFunction]: ...
@overload
def datamovement(function: Callable[[], None]) -> KernelFunction: ...
def datamovement(function: Any = None, *, kernel: Any = None, noc: Any = None) -> Any:
    """Decorate a data movement kernel of an operation: a function without parameters that returns None.

    It runs on every node, once, beside the other kernels. It copies between tensors, blocks and pipes, and waits
    on semaphores; it does not compute with blocks. At most two per node (TTL0205). ``kernel``: as of ``ttl.compute``.
    ``noc``: which network on chip its transfers use (TTL0271); two kernels may have the same one. Without it the compiler
    chooses. It changes no result. Specification: "Operation function".
    """
    return _decorate(function, "data movement", "datamovement", kernel, noc)


def require_selector(kind: KernelKind, selector: object) -> None:
    """Raise the error (TTL0270) for ``kernel=`` of a decorator with a value that is not a name of such a kernel."""
    named = KINDS.get(selector.kind) if isinstance(selector, NamedKernel) else None
    if selector is not None and named != kind:
        fail(rules.no_selector(kind, selector, named))


def require_noc(noc: object) -> None:
    """Raise the error (TTL0271) for ``noc=`` with a value that is not a network on chip."""
    if noc is not None and (type(noc) is not int or noc not in (0, 1)):
        fail(rules.no_noc(noc))


def _decorate(
    function: Any, kind: KernelKind, name: rules.Decorator, selector: Any = None, noc: Any = None
) -> Any:
    require_selector(kind, selector)
    require_noc(noc)

    def register(kernel: Any) -> KernelFunction:
        execution = current(f"@ttl.{name}()")
        checked = require_function(kernel, name)
        require_plain(checked, f"kernel {checked.__name__}")
        code = checked.__code__
        required = code.co_argcount - len(checked.__defaults__ or ())
        if required or code.co_kwonlyargcount:
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            raise ProgramError(rules.has_parameters(checked.__name__, names).at(span_of_site((code, 0))))
        execution.add_kernel(checked, kind, selector, noc)
        return KernelFunction(checked, kind)

    return register if function is None else register(function)


def require_plain(function: FunctionType, what: str) -> None:
    """Raise the error for a generator or an ``async`` function."""
    flags = function.__code__.co_flags & _NOT_PLAIN
    if not flags:
        return
    finding = rules.not_plain(what, "yield" if flags & inspect.CO_GENERATOR else "async")
    raise ProgramError(finding.at(span_of_site((function.__code__, 0))))


control.register(kernel_name=KernelFunction)
compute = control.function(
    "decorate", compute, control.function("register", _decorate(None, "compute", "compute"), "compute")
)
datamovement = control.function(
    "decorate",
    datamovement,
    control.function("register", _decorate(None, "data movement", "datamovement"), "data movement"),
)
