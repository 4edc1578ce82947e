"""The messages for functions that JAX cannot trace or lower, in terms of the function, at its line."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

_ELEMENTS = (
    "the number of elements depends on their values, but layouts are made before values are known",
    "jnp.where(mask, x, 0), which keeps the shape; jnp.nonzero(x, size=n)",
)
_DECISION = (
    "a Python condition depends on the values of an array, but a model is one graph, made before values are known",
    "jnp.where(condition, x, y) or jax.lax.cond, which compute both branches; or decide outside of the model",
)
_NUMBER = (
    "converts an array to a number of Python, but a model is one graph, made before values are known",
    "the array itself, such as x[0] instead of int(x[0]); or a known number, passed with functools.partial",
)
# The reasons by the name of the error's class.
_REASONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "NonConcreteBooleanIndexError": _ELEMENTS,
        "TracerBoolConversionError": _DECISION,
        "ConcretizationTypeError": _NUMBER,
        "TracerArrayConversionError": _NUMBER,
        "TracerIntegerConversionError": _NUMBER,
    }
)
_NO_LOWERING = re.compile(
    r"translation rule for primitive '(\w+)' not found|`(\w+)` not supported on tt backend"
)


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function."""
    return str(getattr(function, "__name__", type(function).__name__))


def not_lowered(problem: Exception, function: Callable[..., Any]) -> str:
    """Return the message for a function that JAX does not trace, or does not lower completely."""
    name, text = name_of(function), str(problem)
    known = _REASONS.get(type(problem).__name__)
    if known is not None:
        if "size argument of jnp.nonzero" in text:
            known = _ELEMENTS
        says = known[0] if known[0].startswith(("decides", "takes")) else f"cannot be compiled: {known[0]}"
        return f"{_place(problem, function)}{name} {says}\n  what works: {known[1]}"
    place = _place(problem, function)
    missing = _NO_LOWERING.search(text)
    if missing is not None:
        return (
            f"{place}{name} cannot be compiled: JAX computes '{missing[1] or missing[2]}' with code for its own platforms, "
            "not with operations\n  what works: this part outside of the model, and its result as an argument"
        )
    return f"{name} cannot be traced by JAX: {place}{type(problem).__name__}: {problem}"


def _file_of(function: Callable[..., Any]) -> str | None:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return getattr(code, "co_filename", None)


def _place(problem: BaseException, function: Callable[..., Any]) -> str:
    """Return the last line of the function's file in the traceback, or of the equation that JAX could not lower.

    The result is ``file:line: ``, or empty if there is no such line.
    """
    file, line = _file_of(function), None
    while problem.__cause__ is not None and problem.__traceback__ is None:
        problem = problem.__cause__
    trace = problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        source = getattr(trace.tb_frame.f_locals.get("eqn"), "source_info", None)
        frames = getattr(getattr(source, "traceback", None), "frames", ())
        line = next((one.line_num for one in frames if one.file_name == file), line)
        trace = trace.tb_next
    return f"{file}:{line}: " if line is not None else ""
