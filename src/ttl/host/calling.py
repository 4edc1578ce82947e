"""How a public function of the library meets its caller's arguments.

``public`` wraps a function so that: keyword options of TT-NN that cannot change a result are accepted and
dropped; arguments that do not fit the signature are our error at the user's line (TTL1003), never a Python
traceback from inside; an exception of the array library is our error too (TTL1018).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache, wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

from ttl.diag.remedies import Rename
from ttl.host.errors import Code, fail
from ttl.host.trace import CAPTURE, recorded

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

# Options of TT-NN that say how or where to compute, never what: accepted by every function.
HARMLESS = frozenset(
    {
        "cq_id",
        "queue_id",
        "sub_core_grids",
        "sub_device_id",
        "compute_kernel_config",
        "program_config",
        "core_grid",
    }
)

# How torch and NumPy refuse.
REFUSALS = (ValueError, RuntimeError, IndexError, OverflowError, ArithmeticError, MemoryError)


def public(*options: str) -> Callable[[Callable[P, R]], Callable[..., R]]:
    """Make a function public. ``options`` are further keywords that are accepted and have no effect."""
    return _public(frozenset(options), captured=True)


def _public(options: frozenset[str], *, captured: bool) -> Callable[[Callable[P, R]], Callable[..., R]]:
    accepted = HARMLESS | options

    def wrap(function: Callable[P, R]) -> Callable[..., R]:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> R:
            if captured and CAPTURE.get() is not None:
                return recorded(guarded, args, kwargs)  # type: ignore[no-any-return]
            try:
                return function(*args, **kwargs)
            except TypeError as mistake:
                return _again(function, accepted, args, kwargs, mistake)
            except REFUSALS as mistake:
                _refused(function, mistake)

        def guarded(*args: Any, **kwargs: Any) -> R:
            try:
                return function(*args, **kwargs)
            except TypeError as mistake:
                return _again(function, accepted, args, kwargs, mistake)
            except REFUSALS as mistake:
                _refused(function, mistake)

        call.__ttnn_options__ = accepted - set(_signature(function).parameters)  # type: ignore[attr-defined]
        return call

    return wrap


def direct(*options: str) -> Callable[[Callable[P, R]], Callable[..., R]]:
    """As ``public``, for functions that are no part of a trace: those that capture and execute it."""
    return _public(frozenset(options), captured=False)


def checked(cls: type[T]) -> type[T]:
    """Make the constructor of a class public, in the same sense."""
    maker = "__init__" if "__init__" in vars(cls) else "__new__"
    wrapped = public()(getattr(cls, maker))
    setattr(cls, maker, staticmethod(wrapped) if maker == "__new__" else wrapped)
    return cls


def _again(
    function: Callable[..., R],
    accepted: frozenset[str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    mistake: TypeError,
) -> R:
    """The call failed: it was an option that has no effect, or it does not fit the signature."""
    parameters = _signature(function).parameters
    wanted = {name: value for name, value in kwargs.items() if name in parameters or name not in accepted}
    if len(wanted) != len(kwargs):
        try:
            return function(*args, **wanted)
        except TypeError as reason:
            mistake = reason
        except REFUSALS as reason:
            _refused(function, reason)
    try:
        _signature(function).bind(*args, **wanted)
    except TypeError as reason:
        _does_not_fit(function, wanted, str(reason), accepted)
    return _refused(function, mistake)


def _does_not_fit(
    function: Callable[..., Any], kwargs: dict[str, Any], reason: str, accepted: frozenset[str]
) -> NoReturn:
    parameters = _signature(function).parameters
    help_text = [f"signature: {signature_text(function)}"]
    remedy = None
    unknown = [name for name in kwargs if name not in parameters]
    if unknown:
        reason = f"it has no argument '{unknown[0]}'"
        near = get_close_matches(unknown[0], [*parameters, *sorted(accepted)], n=2)
        if near:
            help_text.insert(0, "did you mean " + " or ".join(f"'{name}'" for name in near) + "?")
            remedy = Rename(older=unknown[0], current=near[0])
    fail(Code.SIGNATURE, f"ttnn.{_name(function)}: {reason}", help=tuple(help_text), remedy=remedy)


def _refused(function: Callable[..., Any], mistake: Exception) -> NoReturn:
    text = str(mistake).strip().splitlines() or [type(mistake).__name__]
    fail(
        Code.REFUSED, f"ttnn.{_name(function)} can't be computed with these arguments: {text[0].rstrip('.')}"
    )


def _name(function: Callable[..., Any]) -> str:
    """What a user calls it: the class for a constructor."""
    made = function.__name__ in ("__init__", "__new__")
    return function.__qualname__.split(".")[-2] if made else function.__name__


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def signature_text(function: Callable[..., Any]) -> str:
    """Names and defaults of the parameters, without annotations: ``zeros(shape, dtype=bfloat16)``."""
    signature = _signature(inspect.unwrap(function))
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in signature.parameters.items()
        if name not in ("self", "cls")
    ]
    text = signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    return _name(function) + re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", str(text))
