"""The objects that are reachable from values of a host program: the changeable ones, and locations that they keep."""

from __future__ import annotations

import dataclasses
import enum
from collections import deque
from collections.abc import Iterable
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ttl.frontend.classes import REQUIRED, DataclassField, Instance, UserClass, Wrapped
from ttl.frontend.host.modules import ReadModule, SystemModule
from ttl.frontend.host.operations import ReadOperation
from ttl.frontend.host.torch_modules import Transparent
from ttl.frontend.host.torch_shapes import Array
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import Scope, UserFunction
from ttl.host.access import untold_layout
from ttl.host.device import Device
from ttl.host.tensor import Tensor
from ttl.source.spans import Span

_LEAVES = (
    int,
    float,
    complex,
    str,
    bytes,
    range,
    enum.Enum,
    np.generic,
    Device,
    type,
    FunctionType,
    Transparent,
)


class ReachableValues:
    """The objects that are reachable from some values."""

    def __init__(self, values: Iterable[Any]) -> None:
        self.changing: list[Any] = []
        """Values that may be changed in place.

        Each change has to be announced (``PathStates.require_mutable``, ``blur``, ``touch``).
        """
        self.places: list[Span] = []
        """Locations that objects keep."""
        self.is_known = True
        """Whether all objects are of kinds that are listed here."""
        self._seen: dict[int, Any] = {}
        self._left = list(values)
        while self._left and self.is_known:
            value = self._left.pop()
            if value is None or value is REQUIRED or id(value) in self._seen:
                continue
            self._seen[id(value)] = value
            self._visit(value)

    def _visit(self, value: Any) -> None:
        left = self._left
        match value:
            case list() | set() | deque():
                self.changing.append(value)
                left += value
            case dict():
                self.changing.append(value)
                left += (*value, *value.values())
            case tuple() | frozenset():
                left += value
            case Instance():
                self.changing.append(value)
                left += (value.ttl_kind, *value.ttl_values.values())
            case UserClass():
                self.changing.append(value)
                left += (*value.ttl_bases, *value.ttl_names.values(), *(value.ttl_fields or {}).values())
            case UserFunction():
                left += (*value.defaults, *value.keyword_defaults.values())
                self._scope(value.scope)
            case ReadOperation():
                self._operation(value)
            case Wrapped():
                left.append(value.function)
            case DataclassField():
                left += (value.default, value.factory)
            case partial():
                left += (value.func, value.args, value.keywords)
            case slice():
                left += (value.start, value.stop, value.step)
            case Unknown():
                self.changing.append(value)  # its first use sets its location
            case Array():
                self.changing.append(value)
            case Tensor():
                self._tensor(value)
            case ModuleType():
                self.is_known = (
                    not isinstance(value, ReadModule | SystemModule) and value.__name__ != "argparse"
                )
            case BuiltinFunctionType() | MethodType():
                if not isinstance(value.__self__, ModuleType):
                    left.append(value.__self__)
            case _:
                self.is_known = isinstance(value, _LEAVES) or _is_record(type(value))

    def _scope(self, scope: Scope | None) -> None:
        while scope is not None:
            if id(scope) not in self._seen:
                self._seen[id(scope)] = scope
                self._left += scope.names.values()
            scope = scope.parent

    def _operation(self, operation: ReadOperation) -> None:
        self.changing.append(operation)
        self._left.append(operation.function)
        if operation.tunable is not None:
            self.is_known = False
        for example in operation.examples:
            self._left += (*example.args, *example.kwargs.values())
            if isinstance(example.span, Span):
                self.places.append(example.span)

    def _tensor(self, tensor: Tensor) -> None:
        self._left += tensor.shards or ()
        untold = untold_layout(tensor)
        if untold is not None and untold[1] is not None:
            self.places.append(untold[1])


def _is_record(kind: type) -> bool:
    """Whether a class of this package is a frozen dataclass, so that its values do not change."""
    parameters: Any = getattr(kind, "__dataclass_params__", None)
    is_ours = kind.__module__.startswith(("ttl.host.", "ttl.lang.", "ttl.rows.", "ttl.arch."))
    return is_ours and dataclasses.is_dataclass(kind) and parameters.frozen
