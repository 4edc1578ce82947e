"""Calls in the host domain: operations are launched, functions and classes of the program read, a few others known."""

from __future__ import annotations

import ast
import dataclasses
import functools
import sys
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ttl.frontend import library
from ttl.frontend.classes import (
    REQUIRED,
    DataclassField,
    Instance,
    Super,
    UserClass,
    Wrapped,
    annotated_fields,
)
from ttl.frontend.domain import Course, Signals
from ttl.frontend.evaluator import DEEPEST_CALL, Evaluator
from ttl.frontend.flow import block, doing
from ttl.frontend.function_calls import apply, called_scope, initialised
from ttl.frontend.host import meta
from ttl.frontend.host.courses import ITERATOR, PathStates, ProgramEnded
from ttl.frontend.host.operations import (
    ExampleDecorator,
    OperationDecorator,
    Operations,
    ReadOperation,
    TunableDecorator,
)
from ttl.frontend.host.torch_modules import Transparent
from ttl.frontend.library import Handler, may_run
from ttl.frontend.mutable import as_made, mutates
from ttl.frontend.number_functions import handler
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import UserFunction, same
from ttl.host.movement import to_device
from ttl.lang.pipe import PipeNet
from ttl.lang.schedule import OperationSchedule
from ttl.lang.storage import SRAMStorage
from ttl.session.patience import LimitReached
from ttl.source.scopes import is_generator

# Modules whose methods, of schedules and of operations, depend on their objects only.
_OF_SCHEDULES = frozenset({"ttl.lang.schedule", "ttl.lang.operation"})
# Keyword arguments that say where and how torch computes, which does not matter here.
_INCIDENTAL = frozenset({"device", "generator", "requires_grad", "pin_memory", "out"})
# Modules whose functions change none of their arguments.
_HARMLESS = frozenset(
    (
        "os", "json", "time", "logging", "pprint", "pathlib", "subprocess", "warnings", "datetime", "timeit", "textwrap", "re",
        "io", "copy", "tabulate", "platform", "statistics", "sympy", "pickle", "csv", "yaml", "toml", "tomllib", "hashlib",
    )
)  # fmt: skip


class HostCalling:
    """Application of functions."""

    def __init__(
        self, reader: Evaluator, courses: PathStates, python: Callable[..., Any], operations: Operations
    ) -> None:
        self._reader = reader
        self._courses = courses
        self._python = python
        self._operations = operations
        self.read_functions: set[int] = set()
        # The functions being read.
        self._entered: list[int] = []
        # The class in which each method was found, by the method's definition.
        self.kinds: dict[int, UserClass] = {}
        self._handlers: dict[Any, Handler] = {
            **_HANDLERS,
            **operations.handlers,
            super: self._super,
            getattr: handler(getattr, _getattr),
        }

    def _unknown(self) -> Unknown:
        return Unknown(self._reader.place, self._reader.file)

    def apply(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """The result of a call; the current place is the call."""
        match function:
            case Unknown():
                if not _is_harmless(function):
                    self._handed_out((*arguments, *keywords.values()))
                raise NotKnown(function)
            case ReadOperation():
                return self._operations.launch(function, arguments, keywords)
            case UserClass():
                return self._instance(function, arguments, keywords)
            case Instance():
                return self._called_object(function, arguments, keywords)
            case Wrapped():
                return apply(self._reader, function.function, arguments, keywords)
            case OperationDecorator() | ExampleDecorator() | TunableDecorator():
                return self._operations.decorated(function, arguments[0], self._reader.place)
        special = self._handlers.get(function) if callable(function) else None
        if special is not None:
            return special(self._reader, arguments, keywords)
        return self._library(function, arguments, keywords)

    def _library(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """The result of a call of a function that is not in the program."""
        module = getattr(function, "__module__", None) or ""
        if module == "ttl.utils.correctness":
            return None  # compares data, which do not exist here
        owner = getattr(function, "__self__", None)
        if owner is not None and mutates(owner, function.__name__):
            self._courses.watcher.touched(owner)
        if any(function is lasting for lasting in meta.LASTING):
            self._courses.watcher.lost()
        if isinstance(owner, OperationSchedule | ReadOperation) and module in _OF_SCHEDULES:
            return self._result(function, arguments, keywords)
        if isinstance(owner, SRAMStorage):
            return self._of_storage(owner, function, arguments, keywords)
        if function is SRAMStorage:
            keywords = meta.with_devices(keywords)
        shapes = meta.find(function)
        if shapes is not None or module.startswith("ttl.host"):
            keywords = meta.with_devices(keywords)
            if function is to_device and len(arguments) == 2 and type(arguments[1]) is Unknown:
                arguments = [arguments[0], meta.some_device()]
            if shapes is None and not meta.may_call(function, (*arguments, *keywords.values())):
                raise NotKnown(self._unknown())
            if not meta.fits(function, arguments, keywords):
                shapes = None  # the function itself reports the mistake
            return self._result(shapes or function, arguments, keywords)
        if function is PipeNet and any(
            type(member) is Unknown
            for given in arguments
            if isinstance(given, list | tuple)
            for member in given
        ):
            raise NotKnown(self._unknown())
        if module.startswith("ttl.frontend."):
            keywords = {name: value for name, value in keywords.items() if name not in _INCIDENTAL}
            return self._result(function, arguments, keywords)
        known = None if module.startswith("ttl") else library.find(function)
        if known is not None:
            return known(self._reader, arguments, keywords)
        if may_run(function):
            return self._result(function, arguments, keywords)
        self._handed_out(value for value in (*arguments, *keywords.values()) if type(value) is ITERATOR)
        raise NotKnown(self._unknown())

    def _of_storage(
        self, storage: SRAMStorage, function: Any, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """Call a method of a ``ttl.SRAMStorage``.

        If the call may not run, it is not known afterwards whether the storage has its memory.
        """
        self._courses.watcher.lost()
        if self._courses.uncertain and function.__name__ in ("allocate", "close"):
            return storage.doubt()
        if function.__name__ != "submit" or not arguments:
            return self._result(function, arguments, keywords)
        self._python(storage.admit, arguments[0], arguments[1:], keywords)
        return self.apply(arguments[0], arguments[1:], keywords)

    def _result(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        result = self._python(function, *arguments, **keywords)
        return as_made(self._reader, result, function, (*arguments, *keywords.values()))

    # --- functions of the program -----------------------------------------------------------------------------------

    def inlined(
        self,
        function: UserFunction,
        arguments: list[Any],
        keywords: dict[str, Any],
        body: Callable[[], Any],
    ) -> Any:
        """The result of a call of a function of the program."""
        node, returns = function.node, self._courses.returns
        self.read_functions.add(id(node))
        again = id(node) in self._entered and self._courses.uncertain
        if len(self._reader.chain) >= DEEPEST_CALL or again:
            raise NotKnown(self._unknown())
        self._reader.step()
        self._entered.append(id(node))
        returns.append([])
        try:
            if isinstance(node, ast.FunctionDef) and is_generator(node):
                self._generated(function, arguments, keywords, node.body)
            try:
                result = body()
            except NotKnown as stopped:
                result = stopped.origin
            earlier = returns[-1]
        finally:
            returns.pop()
            self._entered.pop()
        return result if all(same(result, other) for other in earlier) else self._unknown()

    def _generated(
        self, function: UserFunction, arguments: list[Any], keywords: dict[str, Any], body: list[ast.stmt]
    ) -> None:
        """Call a generator. Each of its effects may happen or not, because its progress is not followed."""
        reader = self._reader
        scope = called_scope(reader, function, arguments, keywords)
        chain = reader.chain_of_call()
        with reader.within(scope, function.file, function.globals, chain, function.node):
            self._courses.perhaps(doing(partial(block, after=None), reader, body))
        raise NotKnown(self._unknown())

    def _handed_out(self, values: Iterable[Any]) -> None:
        """Note that values are passed to an unknown function, which may change and call them."""
        for value in values:
            if isinstance(value, list | dict | set | deque | Instance | ITERATOR):
                self._courses.blur(value)
            elif isinstance(value, UserFunction) and id(value.node) not in self._entered:
                given = value.node.args
                count = len(given.posonlyargs) + len(given.args) - len(value.defaults)
                arguments: list[Any] = [self._unknown() for _ in range(max(count, 0))]
                self._courses.perhaps(self._call_of(value, arguments))

    def _call_of(self, function: UserFunction, arguments: list[Any]) -> Course:
        def call() -> Signals:
            try:
                apply(self._reader, function, arguments, {})
            except (ProgramEnded, LimitReached):
                raise
            except Exception:  # as in any expression, the call has no value
                return {}
            return {}

        return call

    # --- objects ----------------------------------------------------------------------------------------------------

    def _instance(self, kind: UserClass, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if kind.ttl_find("__new__") is not REQUIRED:
            raise NotKnown(self._unknown())
        instance: Instance = self._reader.domain.born(Instance(kind))
        start = kind.ttl_find("__init__")
        for value in kind.ttl_names.values():
            function = getattr(value, "function", value)
            if isinstance(function, UserFunction):
                self._note_kind(id(function.node), kind)
        if isinstance(start, UserFunction):
            self._note_kind(id(start.node), self.kinds.get(id(start.node), kind))
        if not initialised(self._reader, instance, arguments, keywords) and not kind.ttl_bases:
            raise TypeError("no arguments")
        return instance

    def _note_kind(self, node: int, kind: UserClass) -> None:
        self.kinds[node] = kind
        self._courses.watcher.instance(node, kind)

    def _called_object(self, instance: Instance, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        for name in ("__call__", "forward"):
            function = instance.ttl_kind.ttl_find(name)
            if isinstance(function, UserFunction) and (name == "__call__" or instance.ttl_kind.ttl_open):
                return apply(self._reader, function, [instance, *arguments], keywords)
        raise TypeError("not callable")

    def _super(self, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        node = reader.function
        kind = self.kinds.get(id(node))
        if kind is None or not isinstance(node, ast.FunctionDef) or not node.args.args:
            raise NotKnown(self._unknown())
        return Super(reader.scope.names.get(node.args.args[0].arg), kind)


def _getattr(reader: Evaluator, value: Any, name: Any, /, *default: Any) -> Any:
    try:
        return reader.domain.attribute(value, name)
    except AttributeError:
        if not default:
            raise
        return default[0]


def _as_dataclass(data: Any, *, is_ordered: bool = False) -> Any:
    """Apply ``@dataclass``."""
    if isinstance(data, UserClass):
        data.ttl_fields = annotated_fields(data, data.ttl_names.get("$annotations", []))
        data.ttl_is_ordered = is_ordered
    return data


def _is_harmless(function: Unknown) -> bool:
    """Whether an unknown function belongs to a module of Python that does not change its arguments."""
    return function.why.removeprefix("module ").partition(".")[0] in _HARMLESS


def _end(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """``sys.exit``."""
    raise ProgramEnded


def _iter(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    (value,) = arguments
    if type(value) is ITERATOR:
        return value
    return reader.domain.drawn(reader.domain.members(value, reader.place), "iterator")


def _wrapped(how: Any) -> Handler:
    return lambda reader, arguments, keywords: Wrapped(arguments[0], how)


def _transparent(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """``functools.cache`` and the like, with and without arguments."""
    plain = len(arguments) == 1 and isinstance(arguments[0], UserFunction) and not keywords
    return arguments[0] if plain else Transparent()


def _dataclass(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if arguments:
        return _as_dataclass(arguments[0])
    return functools.partial(_as_dataclass, is_ordered=keywords.get("order") is True)


def _field(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> DataclassField:
    return DataclassField(
        keywords.get("default", REQUIRED),
        keywords.get("default_factory", REQUIRED),
        is_given=keywords.get("init", True) is not False,
    )


_HANDLERS: dict[Any, Handler] = {
    print: lambda reader, arguments, keywords: None,
    iter: _iter,
    next: lambda reader, arguments, keywords: reader.domain.python(next, *arguments),
    sys.exit: _end,
    staticmethod: _wrapped("static"),
    classmethod: _wrapped("class"),
    property: _wrapped("property"),
    functools.cached_property: _wrapped("property"),
    functools.cache: _transparent,
    functools.lru_cache: _transparent,
    functools.wraps: lambda reader, arguments, keywords: Transparent(),
    dataclasses.dataclass: _dataclass,
    dataclasses.field: _field,
    partial: lambda reader, arguments, keywords: partial(arguments[0], *arguments[1:], **keywords),
}
