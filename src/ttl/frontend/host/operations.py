"""Operations of a program that is only read: their decorators, their declarations, and their calls."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ttl.diag import Diagnostic
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.function_calls import apply, signature_of
from ttl.frontend.host.courses import PathStates
from ttl.frontend.library import Handler
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import TileProgram, UserFunction
from ttl.host.access import require_usable
from ttl.host.tensor import Tensor
from ttl.lang import choices, tunable
from ttl.lang import example as declared
from ttl.lang.context import LAST_GRID
from ttl.lang.grid import grid_size
from ttl.lang.operation import Operation, operation, require_launchable, without_flags
from ttl.lang.tiles import TileOperation, tile_operation
from ttl.rules import tuning as rules
from ttl.rules.launches import wrong_arguments
from ttl.source.spans import OPERATIONS_FOLDER, Span
from ttl.source.trees import SourceFile


class ReadOperation(Operation):
    """An operation of a program that is only read."""

    def __init__(self, function: UserFunction, like: Operation) -> None:
        self.function: Any = function
        self.written = function
        self.grid = like.grid
        self.device_domain = like.device_domain
        self.options = like.options
        self.replay = like.replay
        self.kept = self.checked = None
        self.examples = ()
        self.tunable = None
        self.own_defaults = {}
        self.signature = signature_of(function)

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
class TunableDecorator:
    """``ttl.tunable(...)``."""

    tunable: choices.Tunable


@dataclass(slots=True)
class ReadLaunch:
    """A call of an operation: the values of its parameters, and its location."""

    operation: ReadOperation
    arguments: dict[str, Any]
    span: Span | None
    line: int = 0
    unknown: dict[str, Unknown] = field(default_factory=dict)


class Operations:
    """The operations of a program. ``launched`` is called for every call of an operation."""

    def __init__(
        self,
        reader: Evaluator,
        refuse: Callable[[Diagnostic], None],
        launched: Callable[[ReadLaunch], None],
        courses: PathStates,
    ) -> None:
        self._reader = reader
        self._courses = courses
        self._refuse = refuse
        self._launched = launched
        self.made: list[ReadOperation] = []
        # Functions with unknown decorators, such as tests, which a framework calls.
        self.orphans: list[UserFunction] = []
        # For tests, by definition: the names of parameters, and their values.
        self.parameters: dict[int, list[tuple[Any, Any]]] = {}
        # The grid of the operation that was called last.
        self._last_grid: Any = None
        self.handlers: dict[Any, Handler] = {
            operation: partial(self._decorator, operation),
            tile_operation: partial(self._decorator, tile_operation),
            declared.example: lambda reader, arguments, keywords: ExampleDecorator(
                tuple(arguments), keywords, reader.span
            ),
            tunable.tunable: self._tunable,
            tunable.as_large_as_fits: lambda reader, arguments, keywords: choices.AsLargeAsFits(
                tuple(arguments)
            ),
            grid_size: self._grid_size,
        }

    def launch(self, read_operation: ReadOperation, arguments: list[Any], keywords: dict[str, Any]) -> None:
        name = read_operation.function.name
        keywords = self._reader.domain.python(without_flags, read_operation.signature, keywords)
        self._last_grid = read_operation.grid
        try:
            given = read_operation.signature.bind(*arguments, **keywords)
        except TypeError as mismatch:
            self._refuse(wrong_arguments(name, read_operation.signature, mismatch))
            return
        annotations = {
            parameter.arg: ast.unparse(parameter.annotation)
            for parameter in ast.walk(read_operation.written.node.args)
            if isinstance(parameter, ast.arg) and parameter.annotation is not None
        }
        self._reader.domain.python(require_launchable, name, annotations)
        given.apply_defaults()
        for value in given.arguments.values():
            if isinstance(value, Tensor):
                self._reader.domain.python(require_usable, value)
        arguments_of_call = dict(given.arguments)
        self._met(read_operation, arguments_of_call)

    def _met(self, read_operation: ReadOperation, arguments: dict[str, Any]) -> None:
        """Handle a call of an operation at the current place."""
        reader = self._reader
        if read_operation not in self.made:
            self.made.append(read_operation)
        launch = ReadLaunch(read_operation, arguments, reader.span, getattr(reader.place, "lineno", 0))
        launch.unknown = {name: value for name, value in arguments.items() if type(value) is Unknown}
        self._courses.watcher.launch(launch, reader.place, reader.file)
        self._launched(launch)

    def launch_again(self, launch: ReadLaunch, place: ast.AST, file: SourceFile) -> None:
        """Repeat a call, at the same node, that was read in an earlier text."""
        reader = self._reader
        before = reader.place, reader.file
        reader.place, reader.file = place, file
        self._last_grid = launch.operation.grid
        try:
            self._met(launch.operation, launch.arguments)
        finally:
            reader.place, reader.file = before

    # --- decorators -------------------------------------------------------------------------------------------------

    def decorated(self, decorator: Any, data: Any, node: Any) -> Any:
        """Return the result of applying a decorator to a function or class."""
        self._reader.place = node
        match decorator:
            case Unknown():
                return self._by_somebody(decorator, data, node)
            case OperationDecorator():
                return self._operation(data, decorator.like)
            case ExampleDecorator():
                return self._declared(decorator, data)
            case TunableDecorator():
                return self._to_be_chosen(decorator, data)
        return apply(self._reader, decorator, [data], {})

    def _by_somebody(self, decorator: Unknown, data: Any, node: Any) -> Any:
        """Return the result of an unknown decorator.

        A function that it decorates may be called by other code, and is noted with the values of
        ``pytest.mark.parametrize``.
        """
        if not isinstance(data, UserFunction):
            return data
        if data not in self.orphans:
            self.orphans.append(data)
        match node:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[names, values, *_]):
                self.parameters.setdefault(id(data.node), []).append(
                    (self._reader.eval(names), self._reader.eval(values))
                )
                return data
            case (
                ast.Attribute(value=ast.Attribute(attr="mark"))
                | ast.Call(func=ast.Attribute(value=ast.Attribute(attr="mark")))
            ):
                return data
        return decorator

    def _operation(self, data: Any, like: Operation) -> Any:
        if not isinstance(data, UserFunction):
            return Unknown(self._reader.place, self._reader.file)
        if isinstance(like, TileOperation):
            data = TileProgram.of(data, like.nest)
        op = ReadOperation(data, like)
        if not data.file.path.startswith(
            OPERATIONS_FOLDER
        ):  # operations of the library count only if the program calls them
            self.made.append(op)
        return op

    def _declared(self, decorator: ExampleDecorator, data: Any) -> Any:
        if not isinstance(data, ReadOperation):
            if type(data) is not Unknown:
                self._refuse(
                    declared.not_an_operation(_placeholder if isinstance(data, UserFunction) else data)
                )
            return data
        try:
            data.signature.bind(*decorator.args, **decorator.kwargs)
        except TypeError as mismatch:
            self._refuse(declared.does_not_fit(data.function.name, str(mismatch)))
            return data
        self._courses.watcher.touched(data)
        one = declared.Example(args=decorator.args, kwargs=decorator.kwargs, span=decorator.span)
        data.examples = (one, *data.examples)
        return data

    def _tunable(self, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """``ttl.tunable(...)``."""
        if arguments or any(type(value) is Unknown for value in keywords.values()):
            return Unknown(reader.place, reader.file)
        where = keywords.pop("where", None)
        if where is not None and not isinstance(where, UserFunction):
            self._refuse(rules.no_condition(where))
            return Unknown(reader.place, reader.file)
        condition = () if where is None else tuple(signature_of(where).parameters)
        configs, key = keywords.pop("configs", None), keywords.pop("key", None)
        described = choices.declared(configs, key, (where, condition), keywords, reader.span)
        if isinstance(described, Diagnostic):
            self._refuse(described)
            return Unknown(reader.place, reader.file)
        return TunableDecorator(described)

    def _to_be_chosen(self, decorator: TunableDecorator, data: Any) -> Any:
        if type(data) is not Unknown:
            target = _placeholder if isinstance(data, UserFunction) else data
            self._courses.watcher.touched(target)
            finding = tunable.attach(target, decorator.tunable)
            if finding is not None:
                self._refuse(finding)
        return data

    def _decorator(
        self, public: Callable[..., Any], reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """``ttl.operation`` and ``ttl.tile_operation``, with and without parentheses."""
        if arguments and isinstance(arguments[0], UserFunction):
            return self._operation(arguments[0], public()(_placeholder))
        result = reader.domain.python(public, *arguments, **keywords)
        return OperationDecorator(result(_placeholder))

    def _grid_size(self, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """``ttl.grid_size()`` after a launch."""
        self._courses.watcher.unrepeatable()
        with LAST_GRID.given(self._last_grid):
            return reader.domain.python(grid_size, *arguments, **keywords)


def _placeholder() -> None:
    """Stand for the function of an operation if only the decorator's arguments matter."""
