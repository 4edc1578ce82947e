"""Kinds of values: which are data, which functions and classes are harmless, which attributes are simply there."""

from __future__ import annotations

from enum import Enum
from functools import partial
from types import FunctionType, MemberDescriptorType, SimpleNamespace, WrapperDescriptorType
from typing import Any

import numpy as np

import ttl.lang
from ttl.host.shape import Shape
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.lang.pipe import Pipe, PipeNet
from ttl.lang.semaphore import Semaphore
from ttl.ops.dtypes import DType
from ttl.sim.replay.allowed import BUILTINS, MODULES
from ttl.sim.replay.checks import MISSING
from ttl.sim.replay.reason import Argument, Use

LANGUAGE_MODULES = ("ttl", "ttl.math", "ttl.block")
ATOMS = (int, str, bool, bytes, type(None), type(...), type(NotImplemented))

_LANGUAGE = next(iter(ttl.lang.__path__))
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: classes made by a class statement
# Modules whose decorators and base classes add methods that compute nothing of the user's.
_GENERATING = ("enum", "typing", "dataclasses")


def name_of(kind: type) -> str:
    """A type, for messages."""
    module = "" if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}."
    return f"{module}{kind.__qualname__}"


def is_data(value: Any) -> bool:
    """Whether the attributes of a value are those of its kind, and not the user's."""
    kind = type(value)
    return (
        kind in ATOMS
        or kind
        in (float, complex, list, dict, set, frozenset, tuple, Shape, range, slice, FunctionType, partial)
        or kind in (Tensor, DType, Pipe, PipeNet)
        or isinstance(value, Enum | np.generic)
    )


def plain_attribute(value: Any, name: str, use: Use) -> Any:
    """An attribute that is simply there: looking it up runs no code of anybody's."""
    if isinstance(value, type):
        return _of_class(value, name, use)
    kind = type(value)
    plain = (
        bool(kind.__flags__ & _HEAP_TYPE) and isinstance(kind.__getattribute__, WrapperDescriptorType)
    ) or kind is SimpleNamespace
    if name.startswith("__") or not plain:
        use.refuse()
    raw = _in_classes(kind, name)
    own: Any = getattr(value, "__dict__", {})
    if isinstance(raw, MemberDescriptorType) or type(raw).__name__ == "_tuplegetter":
        return getattr(value, name, MISSING)
    if hasattr(type(raw), "__get__"):
        use.refuse_value(f"which an object of class {kind.__qualname__} computes")
    if name in own:
        return own[name]
    if raw is MISSING:
        use.refuse()
    return raw


def _of_class(value: type, name: str, use: Use) -> Any:
    if type(value).__getattribute__ is not type.__getattribute__:
        use.refuse()
    if issubclass(value, Enum) and name in value.__members__:
        return value.__members__[name]
    raw = _in_classes(value, name)
    if name.startswith("__") or raw is MISSING:
        use.refuse()
    if isinstance(raw, staticmethod):
        return raw.__func__
    if hasattr(type(raw), "__get__") and not isinstance(raw, FunctionType):
        use.refuse_value(f"which class {value.__qualname__} computes")
    return raw


def _in_classes(kind: type, name: str) -> Any:
    for base in kind.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return MISSING


def is_of_the_language(function: FunctionType) -> bool:
    """Whether one of our functions is meant for programs."""
    return function.__module__ in LANGUAGE_MODULES or function.__code__.co_filename.startswith(_LANGUAGE)


def is_pure(value: Any) -> bool:
    """Whether compiled code is among what has no effects."""
    if value.__module__ in MODULES or value is partial:
        return True
    return value.__module__ == "builtins" and BUILTINS.get(value.__name__) is value


def is_plain_class(kind: type) -> bool:
    """A class of the language, the type of tensors, or an exception without code or values of its own."""
    if kind is Tensor:
        return True
    if kind.__module__.startswith("ttl.lang.") and not issubclass(kind, Semaphore | Operation):
        return True
    if kind.__module__ == "typing" or kind.__module__ == "collections.abc":
        return True
    if not issubclass(kind, Exception):
        return False
    return not any(
        isinstance(member, FunctionType) or not name.startswith("__")
        for base in kind.__mro__
        if base.__module__ != "builtins"
        for name, member in vars(base).items()
    )


def check_enum(value: Enum, use: Use | Argument) -> None:
    """Refuse a member of an enumeration with code of the user's in it."""
    for base in type(value).__mro__:
        if base.__module__.partition(".")[0] in ("builtins", "enum", "ttl"):
            continue
        for member in vars(base).values():
            method = isinstance(member, FunctionType) and member.__module__ not in _GENERATING
            if method or type(member) in (property, classmethod, staticmethod):
                use.refuse_value("a member of an enumeration with methods")
    if any(not name.startswith("_") for name in vars(value)):
        use.refuse_value("a member of an enumeration with attributes")


def is_torch_size(kind: type) -> bool:
    """torch's type of shapes, known by name: torch is not imported for this."""
    return kind.__module__ == "torch" and kind.__name__ == "Size"
