"""A program that is only read: its module level and the functions that are called there, with the calls of operations.

Nothing of the program runs. Values are Python's where the source says them, tensors have shapes and no data, and
everything else is ``Unknown``, silently.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ttl.frontend import library, meta
from ttl.frontend.classes import REQUIRED, Field, Instance, UserClass, Wrapped
from ttl.frontend.host_expressions import Ended, TooLong, TopScope
from ttl.frontend.host_objects import HostObjects
from ttl.frontend.modules import Modules, ReadModule, roots_of, unknown_module
from ttl.frontend.torch_modules import Transparent
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import Globals, UserFunction
from ttl.host.movement import to_device
from ttl.lang import example as declared
from ttl.lang.context import LAST_GRID
from ttl.lang.grid import grid_size
from ttl.lang.operation import Operation, operation, without_flags
from ttl.rules.launches import wrong_arguments
from ttl.source.spans import Span
from ttl.source.trees import SourceFile

# Names that say where and how torch computes, which is of no interest.
_INCIDENTAL = frozenset({"device", "generator", "requires_grad", "pin_memory", "out"})
# Combinations of the parameters of one test that are read.
_MOST_PARAMETERS = 16
# Modules whose functions change none of their arguments.
_HARMLESS = frozenset(
    (
        "os", "json", "time", "logging", "pprint", "pathlib", "subprocess", "warnings", "datetime", "timeit", "textwrap", "re",
        "io", "copy", "tabulate", "platform", "statistics", "sympy", "pickle", "csv", "yaml", "toml", "tomllib", "hashlib",
    )
)  # fmt: skip
_LANGUAGE = ("ttl.lang.", "ttl.block", "ttl.math")


class ReadOperation(Operation):
    """An operation of a program that is only read."""

    def __init__(self, function: UserFunction, like: Operation) -> None:
        self.function: Any = function
        self.grid = like.grid
        self.options = like.options
        self.replay = like.replay
        self.kept = self.checked = None
        self.examples = ()
        self.signature = _signature(function)

    def __repr__(self) -> str:
        return f"<ttl.operation {self.function.name}>"


@dataclass(slots=True)
class OperationDecorator:
    """``ttl.operation(...)``."""

    like: Operation


@dataclass(slots=True)
class ExampleDecorator:
    """``ttl.example(...)``."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    span: Span


@dataclass(slots=True)
class Launch:
    """A call of an operation: what is bound to its parameters, and where it is."""

    operation: ReadOperation
    arguments: dict[str, Any]
    span: Span | None
    line: int = 0
    unknown: dict[str, Unknown] = field(default_factory=dict)


class HostEvaluator(HostObjects):
    """Reads a program. ``launched`` is told of every call of an operation, when it is met."""

    def __init__(
        self,
        path: str,
        launched: Callable[[Launch], None],
        budget: int,
        arguments: tuple[str, ...] = (),
    ) -> None:
        super().__init__(budget)
        self.modules = Modules(roots_of(path), [path, *arguments])
        self.launched = launched
        self.operations: list[ReadOperation] = []
        # Functions with decorators of which nothing is known: tests, say. Somebody else calls them.
        self.orphans: list[UserFunction] = []
        self.read_functions: set[int] = set()
        # Of tests, by their definition: names of parameters, and the values that they are given.
        self.parameters: dict[int, list[tuple[Any, Any]]] = {}
        # The grid of the operation that was called last.
        self.last_grid: Any = None

    # --- modules --------------------------------------------------------------------------------------------------

    def read_program(self, file: SourceFile) -> None:
        """Read a program as the main module."""
        folder = os.path.dirname(file.path)
        package = os.path.basename(folder) if os.path.isfile(os.path.join(folder, "__init__.py")) else ""
        module = self.modules.read[file.path] = ReadModule("__main__", file.path, package)
        self.place, self.file = file.tree, file
        self.scope = TopScope(None)
        self.globals = Globals(module.__dict__, "__main__")
        self.function = file.tree
        try:
            self._read(module, file)
        except Ended:
            return

    def _read(self, module: ReadModule, file: SourceFile) -> None:
        top = TopScope(None)
        top.names = module.__dict__
        self.namespaces.append(top.names)
        with self.within(top, file, Globals(module.__dict__, module.__name__), (), file.tree):
            self.place = file.tree
            self.block(file.tree.body)
        if len(self.namespaces) > 1 and "global " not in file.text:
            # What is read from now on cannot change it.
            self.namespaces = [each for each in self.namespaces if each is not top.names]

    def module_of(self, name: str, level: int) -> Any:
        """A module that is imported; one of the program is read now."""
        if level == 0:
            known = self.modules.ours(name)
            if known is not None:
                return known
        importer = self.modules.read.get(self.file.path)
        found = None if importer is None else self.modules.file_of(name, level, importer)
        if found is None:
            return unknown_module(name)
        path, full = found
        parent, _, last = name.rpartition(".")
        above = self.module_of(parent, level) if parent else None
        module = self.modules.read.get(path)
        if module is None:
            started = self.modules.start(path, full)
            if started is None:
                return unknown_module(name)
            module, file = started
            self._read(module, file)
        if isinstance(above, ReadModule):
            above.__dict__[last] = module
        return module

    def read_the_rest(self) -> None:
        """Read functions of the program that nobody has called, as if somebody did: tests with their parameters."""
        uncalled: list[tuple[UserFunction, list[Any]]] = [(each, []) for each in self.orphans]
        for names in self.namespaces[:1]:
            for value in list(names.values()):
                if isinstance(value, UserFunction):
                    uncalled.append((value, []))
                elif isinstance(value, UserClass) and value.ttl_name.startswith("Test"):
                    methods = [each for each in value.ttl_names.values() if isinstance(each, UserFunction)]
                    uncalled += [
                        (each, [Instance(value)]) for each in methods if each.name.startswith("test")
                    ]
        for function, first in uncalled:
            if id(function.node) in self.read_functions:
                continue
            for known in self._parametrised(function):
                self._as_if_called(function, first, known)

    def _as_if_called(self, function: UserFunction, first: list[Any], known: dict[str, Any]) -> None:
        """Read a function with some arguments; what is not given has its default, or is not known."""
        given = function.node.args
        positional = [each.arg for each in (*given.posonlyargs, *given.args)]
        needed = positional[len(first) : len(positional) - len(function.defaults)]
        needed += [each.arg for each in given.kwonlyargs if each.arg not in function.keyword_defaults]
        keywords = {name: Unknown(why=f"parameter {name} of {function.name}") for name in needed}
        keywords.update((name, value) for name, value in known.items() if name in (*positional, *keywords))
        for name in [each.arg for each in given.posonlyargs[len(first) :]]:
            first = [*first, keywords.pop(name, None)]
        with self.maybe():
            try:
                self.file, self.place = function.file, function.node
                self.apply(function, list(first), dict(keywords))
            except TooLong:
                raise
            except Exception:  # as in any expression: it has no value
                return

    def _parametrised(self, function: UserFunction) -> list[dict[str, Any]]:
        """The values with which a test is called, as ``pytest.mark.parametrize`` combines them; none of them, once."""
        found: list[dict[str, Any]] = [{}]
        for names, values in self.parameters.get(id(function.node), ()):
            if type(names) is Unknown or type(values) is Unknown or not isinstance(values, list | tuple):
                continue
            split = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
            sets = [value if len(split) > 1 else (value,) for value in values]
            usable = [each for each in sets if isinstance(each, list | tuple) and len(each) == len(split)]
            one = [dict(zip(split, each, strict=True)) for each in usable]
            found = [{**earlier, **each} for earlier in found for each in one][:_MOST_PARAMETERS] or found
        return found

    # --- calls ----------------------------------------------------------------------------------------------------

    def apply(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """The result of a call; the call is the place that is being read."""
        match function:
            case Unknown():
                if not _is_harmless(function):
                    self.handed_out((*arguments, *keywords.values()))
                raise NotKnown(function)
            case UserFunction():
                self.read_functions.add(id(function.node))
                return self.inline(function, arguments, keywords)
            case ReadOperation():
                return self._launch(function, arguments, keywords)
            case partial():
                return self.apply(
                    function.func, [*function.args, *arguments], {**function.keywords, **keywords}
                )
            case UserClass():
                return self.instance(function, arguments, keywords)
            case Instance():
                return self.called_object(function, arguments, keywords)
            case Wrapped():
                return self.apply(function.function, arguments, keywords)
            case OperationDecorator() | ExampleDecorator():
                return self.decorated(function, arguments[0], self.place)
        special = _SPECIAL.get(function) if isinstance(function, type) or callable(function) else None
        if special is not None:
            return special(self, arguments, keywords)
        return self._library(function, arguments, keywords)

    def _library(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """A call of something that is not the program's."""
        module = getattr(function, "__module__", None) or ""
        if module == "ttl.utils.correctness":
            return None  # about data
        handler = meta.find(function)
        if handler is not None or module.startswith("ttl.host"):
            keywords = meta.with_devices(keywords)
            if function is to_device and len(arguments) == 2 and type(arguments[1]) is Unknown:
                arguments = [arguments[0], meta.some_device()]
            if handler is None and not meta.may_call(function, (*arguments, *keywords.values())):
                raise NotKnown(Unknown(self.place, self.file))
            if not meta.fits(function, arguments, keywords):
                handler = None  # it says what is wrong
            return self._result(self.python(handler or function, *arguments, **keywords))
        if module.startswith("ttl.frontend."):
            keywords = {name: value for name, value in keywords.items() if name not in _INCIDENTAL}
            return self._result(self.python(function, *arguments, **keywords))
        known = None if module.startswith("ttl") else library.find(function)
        if known is not None:
            self.called = function
            return known(self, arguments, keywords)
        if self._may_run(function):
            return self._result(self.python(function, *arguments, **keywords))
        raise NotKnown(Unknown(self.place, self.file))

    def _launch(self, made: ReadOperation, arguments: list[Any], keywords: dict[str, Any]) -> None:
        name = made.function.name
        keywords = self.python(without_flags, made.signature, keywords)
        self.last_grid = made.grid
        try:
            given = made.signature.bind(*arguments, **keywords)
        except TypeError as mismatch:
            self.found(wrong_arguments(name, made.signature, mismatch))
            return
        given.apply_defaults()
        line = getattr(self.place, "lineno", 0)
        launch = Launch(made, dict(given.arguments), self.span, line)
        launch.unknown = {name: value for name, value in launch.arguments.items() if type(value) is Unknown}
        self.launched(launch)

    # --- decorators -------------------------------------------------------------------------------------------------

    def decorated(self, decorator: Any, made: Any, node: Any) -> Any:
        """What a decorator makes of a function or class."""
        self.place = node
        match decorator:
            case Unknown():
                return self._by_somebody(decorator, made, node)
            case OperationDecorator():
                return self._operation(made, decorator.like)
            case ExampleDecorator():
                return self._declared(decorator, made)
        return self.apply(decorator, [made], {})

    def _by_somebody(self, decorator: Unknown, made: Any, node: Any) -> Any:
        """What an unknown decorator makes of something: a function that somebody else calls, a test with its values."""
        if not isinstance(made, UserFunction):
            return made
        if made not in self.orphans:
            self.orphans.append(made)
        match node:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[names, values, *_]):
                self.parameters.setdefault(id(made.node), []).append((self.eval(names), self.eval(values)))
                return made
            case (
                ast.Attribute(value=ast.Attribute(attr="mark"))
                | ast.Call(func=ast.Attribute(value=ast.Attribute(attr="mark")))
            ):
                return made
        return decorator

    def _operation(self, made: Any, like: Operation) -> Any:
        if not isinstance(made, UserFunction):
            return Unknown(self.place, self.file)
        found = ReadOperation(made, like)
        self.operations.append(found)
        return found

    def _declared(self, decorator: ExampleDecorator, made: Any) -> Any:
        if not isinstance(made, ReadOperation):
            if type(made) is not Unknown:
                self.found(
                    declared.not_an_operation(_placeholder if isinstance(made, UserFunction) else made)
                )
            return made
        try:
            made.signature.bind(*decorator.args, **decorator.kwargs)
        except TypeError as mismatch:
            self.found(declared.does_not_fit(made.function.name, str(mismatch)))
            return made
        one = declared.Example(args=decorator.args, kwargs=decorator.kwargs, span=decorator.span)
        made.examples = (one, *made.examples)
        return made


def _is_harmless(function: Unknown) -> bool:
    """Whether a function of which nothing is known is of a module of Python's that changes nothing it is given."""
    return function.why.removeprefix("module ").partition(".")[0] in _HARMLESS


def _end(reader: HostEvaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """``sys.exit``."""
    raise Ended


def _decorator(reader: HostEvaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """``ttl.operation``, with and without parentheses."""
    if arguments and isinstance(arguments[0], UserFunction):
        return reader._operation(arguments[0], operation()(_placeholder))
    made = reader.python(operation, *arguments, **keywords)
    return OperationDecorator(made(_placeholder))


def _example(reader: HostEvaluator, arguments: list[Any], keywords: dict[str, Any]) -> ExampleDecorator:
    return ExampleDecorator(tuple(arguments), keywords, reader.span)


def _spec(reader: HostEvaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return reader.python(declared.TensorSpec, *arguments, **keywords)


def _placeholder() -> None:
    """Stands for the function of an operation where only the decorator's arguments are looked at."""


def _grid_size(reader: HostEvaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """``ttl.grid_size()`` after a launch."""
    with LAST_GRID.given(reader.last_grid):
        return reader.python(grid_size, *arguments, **keywords)


def _nothing(reader: HostEvaluator, arguments: list[Any], keywords: dict[str, Any]) -> None:
    return None


def _wrapped(how: Any) -> Callable[..., Any]:
    return lambda reader, arguments, keywords: Wrapped(arguments[0], how)


def _transparent(reader: HostEvaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """``functools.cache`` and the like, with and without arguments."""
    plain = len(arguments) == 1 and isinstance(arguments[0], UserFunction) and not keywords
    return arguments[0] if plain else Transparent()


def _field(reader: HostEvaluator, arguments: list[Any], keywords: dict[str, Any]) -> Field:
    return Field(keywords.get("default", REQUIRED), keywords.get("default_factory", REQUIRED))


def _signature(function: UserFunction) -> inspect.Signature:
    """The parameters of a function, with its defaults."""
    given = function.node.args
    kinds = inspect.Parameter
    positional = [*given.posonlyargs, *given.args]
    first = len(positional) - len(function.defaults)
    made = []
    for number, each in enumerate(positional):
        kind = kinds.POSITIONAL_ONLY if number < len(given.posonlyargs) else kinds.POSITIONAL_OR_KEYWORD
        default = function.defaults[number - first] if number >= first else kinds.empty
        made.append(kinds(each.arg, kind, default=default))
    if given.vararg is not None:
        made.append(kinds(given.vararg.arg, kinds.VAR_POSITIONAL))
    for each in given.kwonlyargs:
        default = function.keyword_defaults.get(each.arg, kinds.empty)
        made.append(kinds(each.arg, kinds.KEYWORD_ONLY, default=default))
    if given.kwarg is not None:
        made.append(kinds(given.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(made)


_SPECIAL: dict[Any, Callable[[HostEvaluator, list[Any], dict[str, Any]], Any]] = {
    operation: _decorator,
    declared.example: _example,
    declared.TensorSpec: _spec,
    grid_size: _grid_size,
    print: _nothing,
    sys.exit: _end,
    super: HostEvaluator.super_of,
    staticmethod: _wrapped("static"),
    classmethod: _wrapped("class"),
    property: _wrapped("property"),
    functools.cached_property: _wrapped("property"),
    functools.cache: _transparent,
    functools.lru_cache: _transparent,
    functools.wraps: lambda reader, arguments, keywords: Transparent(),
    dataclasses.dataclass: HostEvaluator.dataclass_of,
    dataclasses.field: _field,
    getattr: HostEvaluator.asked,
    setattr: HostEvaluator.set_of,
    isinstance: HostEvaluator.is_instance,
    partial: lambda reader, arguments, keywords: partial(arguments[0], *arguments[1:], **keywords),
}
