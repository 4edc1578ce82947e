"""Public functions of the library: how they check their caller's arguments, and how their calls are captured for a trace.

``public`` wraps a function so that: keyword options of TT-NN that cannot change a result are accepted and dropped;
arguments that do not fit the signature are an error of ours at the user's line (TTL1003), never a Python traceback from
inside; an exception of the array library is an error of ours too (TTL1018)."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

from ttl.diag import spelling
from ttl.diag.remedies import Rename
from ttl.host.errors import Code, fail
from ttl.session import Part

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

# Options of TT-NN for the execution, which do not affect the result: accepted by every function.
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

# Exceptions of torch and NumPy for invalid arguments.
REFUSALS = (ValueError, RuntimeError, IndexError, OverflowError, ArithmeticError, MemoryError)


@dataclass(slots=True)
class CapturedCall:
    """A captured call, with its result."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    result: Any = None


@dataclass(slots=True)
class Capture:
    """The calls of a trace of a device. ``depth`` is the number of active calls; only the outermost are stored."""

    device: object
    number: int
    calls: list[CapturedCall] = field(default_factory=list)
    depth: int = 0


# The current capture; None outside of captures.
CAPTURE: Part[Capture | None] = Part(lambda: None)


def recorded(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any], capture: Capture
) -> Any:
    """Call a function, store the call in a capture unless an outer call is captured, and return the result."""
    if capture.depth:
        return function(*arguments, **keywords)
    call = CapturedCall(function, arguments, dict(keywords))
    capture.depth = 1
    try:
        call.result = function(*arguments, **keywords)
    finally:
        capture.depth = 0
    capture.calls.append(call)
    return call.result


def public(*options: str) -> Callable[[Callable[P, R]], Callable[..., R]]:
    """Make a function public. ``options`` are further keywords that are accepted and have no effect."""

    def wrap(function: Callable[P, R]) -> Callable[..., R]:
        guarded = direct(*options)(function)

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> R:
            capture = CAPTURE.get()
            if capture is None:
                return guarded(*args, **kwargs)
            return recorded(guarded, args, kwargs, capture)  # type: ignore[no-any-return]

        call.__ttnn_options__ = guarded.__ttnn_options__  # type: ignore[attr-defined]
        return call

    return wrap


def direct(*options: str) -> Callable[[Callable[P, R]], Callable[..., R]]:
    """Like ``public``, for functions that are not part of a trace: those that capture and execute it."""
    accepted = HARMLESS | frozenset(options)

    def wrap(function: Callable[P, R]) -> Callable[..., R]:
        @wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> R:
            try:
                return function(*args, **kwargs)
            except TypeError as mistake:
                return _again(function, accepted, args, kwargs, mistake)
            except REFUSALS as mistake:
                _refused(function, mistake)

        guarded.__ttnn_options__ = accepted  # type: ignore[attr-defined]
        return guarded

    return wrap


def checked(cls: type[T]) -> type[T]:
    """Make the constructor of a class public, like ``public``."""
    maker = "__init__" if "__init__" in vars(cls) else "__new__"
    wrapped = public()(getattr(cls, maker))
    setattr(cls, maker, staticmethod(wrapped) if maker == "__new__" else wrapped)
    return cls


def named(function: Callable[P, R], name: str, summary: str) -> Callable[P, R]:
    """Return a function that is made for a row of a table, after giving it its name and docstring."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = summary
    return function


def _again(
    function: Callable[..., R],
    accepted: frozenset[str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    mistake: TypeError,
) -> R:
    """Handle a failed call: it had an option without effect, or it does not fit the signature."""
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
        known = [*parameters, *sorted(accepted.difference(parameters))]
        near, slip = get_close_matches(unknown[0], known, n=2), spelling.meant(unknown[0], known)
        if near:
            help_text.insert(0, "did you mean " + " or ".join(f"'{name}'" for name in near) + "?")
        if slip is not None:
            remedy = Rename(older=unknown[0], current=slip)
    fail(Code.SIGNATURE, f"ttnn.{_name(function)}: {reason}", help=tuple(help_text), remedy=remedy)


def _refused(function: Callable[..., Any], mistake: Exception) -> NoReturn:
    text = str(mistake).strip().splitlines() or [type(mistake).__name__]
    fail(
        Code.REFUSED, f"ttnn.{_name(function)} can't be computed with these arguments: {text[0].rstrip('.')}"
    )


def _name(function: Callable[..., Any]) -> str:
    """Return the name that a user knows: for a constructor, that of the class."""
    constructs = function.__name__ in ("__init__", "__new__")
    return function.__qualname__.split(".")[-2] if constructs else function.__name__


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def signature_text(function: Callable[..., Any]) -> str:
    """Names and defaults of the parameters, without annotations: ``zeros(shape, dtype=bfloat16)``."""
    signature = _signature(function)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in signature.parameters.items()
        if name not in ("self", "cls")
    ]
    text = signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    return _name(function) + re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", str(text))
