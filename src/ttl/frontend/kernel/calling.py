"""Calls in the kernel domain: functions that are read, functions that are called while source is read, and refusals."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import _lru_cache_wrapper, partial
from types import FunctionType, MethodType
from typing import Any, get_origin

from ttl.diag.values import kind_of
from ttl.frontend import library, refusals
from ttl.frontend.classes import REQUIRED, Instance, UserClass
from ttl.frontend.evaluator import DEEPEST_CALL, Evaluator
from ttl.frontend.function_calls import apply, initialised
from ttl.frontend.kernel import library_calls
from ttl.frontend.kernel.applying import FunctionApplication, of_arrays
from ttl.frontend.kernel.iterators import is_iterator, iterator
from ttl.frontend.kernel.language import KernelDecorator, Language
from ttl.frontend.kernel.library_calls import HostCalls
from ttl.frontend.kernel.read_classes import ReadClasses
from ttl.frontend.kernel.regions import Regions
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.kernel.selecting import Selecting
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.mutable import as_made
from ttl.frontend.special_methods import method_of
from ttl.frontend.stop import Reject
from ttl.frontend.values import Globals, Poison, ReadKernel, Scope, UserFunction, copied
from ttl.lang.block import Block
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.expr import BlockExpr
from ttl.lang.operation import Operation
from ttl.lang.pipe import Pipe
from ttl.lang.storage import SRAMStorage
from ttl.lang.transfers import TensorSlice, Transfer
from ttl.rules import kernel_definitions as kernels
from ttl.rules import launches
from ttl.source.depth import MOST_LEVELS, beyond
from ttl.source.scopes import is_generator
from ttl.source.spans import is_library_file, is_our_file
from ttl.source.trees import definition

# Functions of TT-NN with effects on the tensors and devices of the operation's caller. An operation
# is read more than once, and before it runs.
_LASTING = frozenset(
    (
        "deallocate", "move", "close_device", "close_mesh_device", "CloseDevices", "SetDefaultDevice", "set_fabric_config",
        "begin_trace_capture", "end_trace_capture", "execute_trace", "release_trace",
    )
)  # fmt: skip
# Classes of objects that NumPy and torch refuse.
_OURS = (BlockExpr, Block, DataflowBuffer, TensorSlice, Transfer)


class Calling:
    """Application of functions."""

    def __init__(
        self,
        reader: Evaluator,
        tracer: Tracer,
        applying: FunctionApplication,
        selecting: Selecting,
        language: Language,
        regions: Regions,
        which: HostCalls,
    ) -> None:
        self._reader = reader
        self._regions = regions
        self._tracer = tracer
        self._python, self._attempted = applying.python, applying.attempted
        self._selecting = selecting
        self._language = language
        # The functions of libraries that are really called if all of their arguments are known.
        self._which = which
        self._functions: dict[int, tuple[Any, UserFunction]] = {}
        self.classes = ReadClasses(self._in_source, _is_users)
        regions.as_function = self.as_function
        self.unfinished: list[Instance] = []
        """Objects whose ``__init__`` or ``__post_init__`` is being read, innermost last."""

    # --- calls in the source ------------------------------------------------------------------------------------

    def call(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """The result of a call whose function or arguments may be selected on the node."""
        values = (function, *arguments, *keywords.values())
        if not self._selecting.is_any_of(values) or self._is_read(function):
            return apply(self._reader, function, arguments, keywords)
        place, end = self._reader.place, 1 + len(arguments)

        def call(values: list[Any]) -> Any:
            self._reader.place = place
            return self.call(values[0], values[1:end], dict(zip(keywords, values[end:], strict=True)))

        return self._selecting.mapped([*values], call, branching=True)

    def _is_read(self, function: Any) -> bool:
        """Return whether a function is one of the program, which is read at its call and accepts selected values."""
        return isinstance(function, UserFunction) or (
            type(function) is not Selected and self._language.find(function) is None and _is_users(function)
        )

    def called_by_language(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        """Call a condition function of a pipe net."""
        with self._reader.called_by_the_language():
            return apply(self._reader, function, list(arguments), {})

    def apply(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """The result of a call of a function that is not in the source."""
        reader = self._reader
        if isinstance(function, UserClass):
            return self._instance(function, arguments, keywords)
        if isinstance(function, Instance):
            method = method_of(function, "__call__")
            if method is not None:
                return apply(reader, method, [function, *arguments], keywords)
        if function is partial:
            return self._python(partial, *arguments, **keywords)
        if isinstance(function, KernelDecorator) and len(arguments) == 1 and not keywords:
            return self._language.register(arguments[0], function.kind, function.selector, function.noc)
        known = self._language.find(function)
        if known is not None:
            return known(reader, arguments, keywords)
        if isinstance(function, MethodType) and _is_users(function.__func__):
            return self.apply(function.__func__, [function.__self__, *arguments], keywords)
        if _is_users(function):
            return apply(reader, self._in_source(function), arguments, keywords)
        if isinstance(function, ReadKernel):
            raise Reject(kernels.called(function.kind, function.function.name))  # type: ignore[arg-type]
        if isinstance(function, Operation):
            raise Reject(launches.nested(function.function.__name__))
        if not callable(function):
            return self._python(function, *arguments, **keywords)
        origin = get_origin(function)
        if origin is not None:
            return self.apply(origin, arguments, keywords)
        if isinstance(function, _lru_cache_wrapper):
            result = reader.domain.quietly(
                lambda: self.apply(function.__wrapped__, arguments, keywords),
                refusal=refusals.does_more_than_cache(),
            )
            self._regions.keep(result)
            return result
        if _is_users(type(function).__call__):
            return self.apply(type(function).__call__, [function, *arguments], keywords)
        may_run = library.may_run(function)
        kind = None if may_run else self.classes.of(function)
        if kind is not None:
            return self._instance(kind, arguments, keywords)
        if _changes_the_host(function):
            owner = "SRAMStorage" if hasattr(function, "__self__") else "ttnn"
            raise Reject(refusals.change_of_host(f"{owner}.{function.__name__}"))
        # Python itself cannot call functions of the program that are read.
        held = (*arguments, *keywords.values())
        takes_function = UserFunction in map(type, held)
        if may_run and not (takes_function and library_calls.is_pure(function)):
            result = self._python(function, *arguments, **keywords)
            if isinstance(result, Pipe):
                self._tracer.nets.pipe_made(result)
            return self._made(result, function, held)
        result = library_calls.value_of(
            self._callable, function, arguments, keywords, self._which, self._attempted
        )
        if result is not library_calls.NOT_CALLED:
            return self._made(result, function, held)
        if of_arrays(function) and any(
            isinstance(value, _OURS) for value in (*arguments, *keywords.values())
        ):
            self._python(function, *arguments, **keywords)  # which raises the error that explains the refusal
        raise Reject(refusals.call(_named(function)))

    def _instance(self, kind: UserClass, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Return an object of a class of the program. Its attributes may be assigned only while it is initialised."""
        instance: Instance = self._regions.born(Instance(kind))
        if kind.ttl_fields is None and (not kind.ttl_is_whole or kind.ttl_find("__new__") is not REQUIRED):
            raise Reject(refusals.call(kind.ttl_name))
        self.unfinished.append(instance)
        try:
            if not initialised(self._reader, instance, arguments, keywords):
                raise Reject(refusals.call(kind.ttl_name))
        finally:
            self.unfinished.pop()
        return instance

    def is_unfinished(self, value: Any) -> bool:
        """Whether attributes of an object may be assigned: it is being initialised, and no region has opened since."""
        return any(value is instance for instance in self.unfinished) and not self._regions.crossed(value)

    def _made(self, value: Any, function: Any, held: tuple[Any, ...]) -> Any:
        """Return the result of a function; a container or iterator is noted as made at this place."""
        if is_iterator(value):
            return self._regions.born(iterator(value, type(value).__name__, self._regions, held=held))
        return as_made(self._reader, value, function, held)

    def _callable(self, function: UserFunction) -> Callable[..., Any]:
        """Return a function of the program as one that Python can call, which evaluates it."""
        return lambda *arguments, **keywords: apply(self._reader, function, list(arguments), keywords)

    # --- functions in the source --------------------------------------------------------------------------------

    def _in_source(self, function: FunctionType) -> UserFunction:
        """Return a live function of the program as one that is read."""
        known = self._functions.get(id(function))
        if known is not None:
            return known[1]
        user_function = in_source(function)
        if user_function is None:
            raise Reject(refusals.no_source(function.__name__))
        self._functions[id(function)] = (function, user_function)
        return user_function

    def as_function(self, value: Any) -> UserFunction | None:
        """Return a live function of the program as one that is read; None for any other value."""
        if not _is_users(value):
            return None
        try:
            return self._in_source(value)
        except Reject:  # without source it cannot be read, and a call is an error
            return None

    def inlined(
        self,
        function: UserFunction,
        arguments: list[Any],
        keywords: dict[str, Any],
        body: Callable[[], Any],
    ) -> Any:
        """The result of a call of a function in the source."""
        node = function.node
        is_async = isinstance(node, ast.AsyncFunctionDef)
        if is_async or (isinstance(node, ast.FunctionDef) and is_generator(node)):
            raise Reject(
                refusals.construct(
                    f"{function.name}, which is {'asynchronous' if is_async else 'a generator'},",
                    help="return a list, or loop where the values are used",
                )
            )
        for deep in beyond(node):
            raise Reject(refusals.too_deep(MOST_LEVELS).at(function.file.span(deep)))
        if len(self._reader.chain) >= DEEPEST_CALL:
            raise Reject(
                refusals.too_large(
                    f"calls of {function.name} are nested {DEEPEST_CALL} deep",
                    notes=(
                        "functions are compiled into their callers, so recursion has to end while it is compiled",
                    ),
                    help="write it as a loop",
                )
            )
        result = body()
        if isinstance(result, Poison) and type(result) is not Selected:
            self._selecting.refuse(f"{function.name}()", result)
        return result


def in_source(function: FunctionType) -> UserFunction | None:
    """A live function of a program as one that is read; None without source."""
    defined = definition(function)
    if defined is None:
        return None
    return UserFunction(
        *defined,
        closure(function),
        Globals(function.__globals__, function.__module__ or ""),
        function.__defaults__ or (),
        dict(function.__kwdefaults__ or {}),
    )


def closure(function: FunctionType) -> Scope | None:
    """Return the variables that a function captures."""
    names = function.__code__.co_freevars
    if not names:
        return None
    scope = Scope(None, frozenset())
    for name, cell in zip(names, function.__closure__ or (), strict=True):
        try:
            scope.names[name] = copied(cell.cell_contents)
        except ValueError:  # the variable has no value yet
            continue
    return scope


def _is_users(function: Any) -> bool:
    if not isinstance(function, FunctionType):
        return False
    file = function.__code__.co_filename
    return not is_our_file(file) and not is_library_file(file) and "site-packages" not in file


def _changes_the_host(function: Any) -> bool:
    module = getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__
    if isinstance(getattr(function, "__self__", None), SRAMStorage):
        return True
    return module.startswith("ttl.host.") and getattr(function, "__name__", None) in _LASTING


def _named(function: Any) -> str:
    if function is open:
        return "open"  # its module is io
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    module = getattr(function, "__module__", None)
    if isinstance(name, str) and isinstance(module, str) and module not in ("builtins", "__main__"):
        # Libraries define exported functions in private modules: torch._C._VariableFunctionsClass.tensor.
        return ".".join(part for part in f"{module}.{name}".split(".") if not part.startswith("_"))
    return name if isinstance(name, str) else kind_of(function)
