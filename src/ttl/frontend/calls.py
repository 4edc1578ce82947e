"""Calls: functions of the program are evaluated where they are called, the language's are called, a few of Python's known."""

from __future__ import annotations

import ast
import inspect
from collections import deque
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from ttl import control
from ttl.diag import Diagnostic
from ttl.diag.values import kind_of, short
from ttl.frontend import host_calls, library, refusals
from ttl.frontend.classes import REQUIRED, Field, Instance, UserClass, Wrapped
from ttl.frontend.expressions import Expressions
from ttl.frontend.host_calls import HostCalls
from ttl.frontend.names import is_generator, locals_of
from ttl.frontend.regions import RETURN
from ttl.frontend.selected import Selected
from ttl.frontend.state import DEEPEST_CALL
from ttl.frontend.stop import Reject
from ttl.frontend.values import Globals, KernelFunction, Poison, Scope, UserFunction, copied
from ttl.lang import mistakes
from ttl.lang.block import Block
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.copy import TensorSlice, Transfer
from ttl.lang.expr import BlockExpr
from ttl.lang.operation import Operation
from ttl.lang.pipe import Pipe
from ttl.rules import kernels, launches
from ttl.source.spans import Span, is_library_file, is_our_file
from ttl.source.trees import definition

_IN_PLACE = ("difference_update", "intersection_update", "symmetric_difference_update")
_MUTATORS = {
    list: frozenset(
        {"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "__setitem__"}
    ),
    dict: frozenset({"update", "pop", "popitem", "clear", "setdefault", "subtract", "__setitem__"}),
    set: frozenset({"add", "remove", "discard", "pop", "clear", "update", *_IN_PLACE}),
    deque: frozenset(
        {
            "append",
            "appendleft",
            "extend",
            "extendleft",
            "insert",
            "remove",
            "pop",
            "popleft",
            "clear",
            "rotate",
            "reverse",
        }
    ),
}


# What NumPy and torch refuse.
_OURS = (BlockExpr, Block, DataflowBuffer, TensorSlice, Transfer)


class Calls(Expressions):
    """Evaluation of calls."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.tracer.call_function = self.call_with
        self.tracer.read_region = self.read_region
        self._functions: dict[int, tuple[Any, UserFunction]] = {}
        # Functions of libraries that are called for real where all that they are given is known.
        self.host_calls: HostCalls = "pure"
        # The function with a handler that is being called.
        self.called: Any = None
        # The chain of calls for the condition function that is called next.
        self.condition_of: tuple[Span, ...] | None = None

    def eval(self, node: ast.expr) -> Any:
        """The value of an expression."""
        return self._call_node(node) if type(node) is ast.Call else super().eval(node)

    def _call_node(self, node: ast.Call) -> Any:
        function = node.func
        changed: Any = None
        if isinstance(function, ast.Attribute):
            value = self.lazy(function.value)
            self.place = function
            if type(value) is Selected and any(
                isinstance(each, tuple(_MUTATORS)) and function.attr in names
                for _, each in value.parts
                for kind, names in _MUTATORS.items()
                if isinstance(each, kind)
            ):
                raise self.undone(value)
            for kind, names in _MUTATORS.items():
                if isinstance(value, kind) and function.attr in names:
                    self.require_mutable(value)
                    changed = value
            called = (
                self.captured(self.python(getattr, value, function.attr), function)
                if inspect.ismodule(value)
                else self.mapped([value], lambda each: self.attribute(each[0], function.attr), branching=True)
            )
        else:
            called = self.lazy(function)
        try:
            arguments = self._arguments(node.args) if self.selecting else self._members_of(node.args)
            keywords: dict[str, Any] = {}
            for each in node.keywords:
                if each.arg is None:
                    given = self.eval(each.value)
                    self.place = each.value
                    keywords.update(self.python(_keywords, given))
                else:
                    keywords[each.arg] = self.lazy(each.value)
            self.place = node
            if type(called) is Selected or any(
                type(each) is Selected for each in (*arguments, *keywords.values())
            ):
                return self._selected_call(called, arguments, keywords)
            return self.apply(called, arguments, keywords)
        except Exception:
            if changed is not None:
                self.spoil(changed)
            raise

    def _arguments(self, nodes: list[ast.expr]) -> list[Any]:
        """Arguments of a call, of which some may be selected on the node."""
        values: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                values.extend(self.members(self.eval(node.value), node))
            else:
                values.append(self.lazy(node))
        return values

    def _selected_call(self, called: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """A call of which the function or an argument is selected on the node."""
        if self._is_read(called):
            return self.apply(called, arguments, keywords)
        names = [*keywords]
        place = self.place

        def apply(values: list[Any]) -> Any:
            self.place = place
            if any(type(each) is Selected for each in values):
                return self._selected_call(
                    values[0], values[1 : 1 + count], dict(zip(names, values[1 + count :], strict=True))
                )
            return self.apply(
                values[0], values[1 : 1 + count], dict(zip(names, values[1 + count :], strict=True))
            )

        count = len(arguments)
        return self.mapped([called, *arguments, *keywords.values()], apply, branching=True)

    def _is_read(self, function: Any) -> bool:
        """Whether it is a function of the program, which is read where it is called: it takes selected values as they are."""
        return isinstance(function, UserFunction) or (
            type(function) is not Selected and library.find(function) is None and self._is_users(function)
        )

    def call_with(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        """Call a condition function of a pipe net: the language calls it, so it is no call of the program's."""
        chain, self.condition_of = self.condition_of, self.chain
        try:
            return self.apply(function, list(arguments), {})
        finally:
            self.condition_of = chain

    def apply(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """The result of a call; the call is the place that is being evaluated."""
        if isinstance(function, UserFunction):
            return self.inline(function, arguments, keywords)
        if isinstance(function, partial):
            return self.apply(function.func, [*function.args, *arguments], {**function.keywords, **keywords})
        if isinstance(function, UserClass) and function.ttl_fields is not None:
            made = Instance(function)
            self.fill(made, function.ttl_fields, arguments, keywords)
            return made
        if isinstance(function, library.Decorator) and len(arguments) == 1 and not keywords:
            return self.register(arguments[0], function.kind)  # type: ignore[attr-defined]
        known = library.find(function)
        if known is not None:
            self.called = function
            return known(self, arguments, keywords)
        if isinstance(function, MethodType) and self._is_users(function.__func__):
            return self.apply(function.__func__, [function.__self__, *arguments], keywords)
        if self._is_users(function):
            return self.inline(self.user_function(function), arguments, keywords)
        if isinstance(function, KernelFunction):
            raise Reject(kernels.called(function.kind, function.function.name))  # type: ignore[arg-type]
        if isinstance(function, Operation):
            raise Reject(launches.nested(function.function.__name__))
        if not callable(function):
            return self.python(function, *arguments, **keywords)
        # Python cannot call the program's functions, which are read, without help.
        takes_function = host_calls.is_pure(function) and any(
            isinstance(each, UserFunction) for each in (*arguments, *keywords.values())
        )
        if self._may_run(function) and not takes_function:
            made = self._result(self.python(function, *arguments, **keywords))
            if isinstance(made, Pipe):
                self.tracer.pipe_made(made)
            return made
        called = host_calls.value_of(self, function, arguments, keywords, self.host_calls)
        if called is not host_calls.NOT_CALLED:
            return self._result(called)
        if _of_arrays(function) and any(isinstance(each, _OURS) for each in (*arguments, *keywords.values())):
            self.python(function, *arguments, **keywords)  # which fails, for the reason that is to be given
        raise Reject(refusals.call(_named(function)))

    def fill(
        self, made: Instance, fields: dict[str, Any], arguments: list[Any], keywords: dict[str, Any]
    ) -> None:
        """Give an object of a dataclass its fields."""
        if len(arguments) > len(fields) or not set(keywords) <= set(fields):
            raise TypeError("no such field")
        given = {**dict(zip(fields, arguments, strict=False)), **keywords}
        for name, default in fields.items():
            if name in given:
                value = given[name]
            elif isinstance(default, Field):
                if default.default is REQUIRED and default.factory is REQUIRED:
                    raise TypeError(f"no value for {name}")
                known = default.default is not REQUIRED
                value = default.default if known else self.apply(default.factory, [], {})
            elif default is REQUIRED:
                raise TypeError(f"no value for {name}")
            else:
                value = default
            made.ttl_values[name] = value
        after = made.ttl_kind.ttl_find("__post_init__")
        if isinstance(after, UserFunction):
            self.apply(after, [made], {})

    def attribute(self, value: Any, name: str) -> Any:
        """``value.name``; properties of a class that was read are evaluated."""
        if isinstance(value, Instance) and name not in value.ttl_values:
            found = value.ttl_kind.ttl_find(name)
            if isinstance(found, Wrapped) and found.how == "property":
                return self.apply(found.function, [value], {})
        return super().attribute(value, name)

    def _result(self, value: Any) -> Any:
        return self.born(value) if type(value) in (list, dict, set) else value

    def _may_run(self, function: Any) -> bool:
        """Whether a function that is not the program's may be called: it is the language's, or pure."""
        if control.FUNCTION is not None and isinstance(function, control.FUNCTION):
            return True
        owner = getattr(function, "__self__", None)
        if isinstance(function, BuiltinFunctionType | MethodType) or owner is not None:
            if type(owner) in (list, tuple, dict, set, frozenset, str, range, slice, int, float):
                return True
            if type(owner).__module__.startswith("ttl."):
                return True
        module = getattr(function, "__module__", None) or ""
        if module.partition(".")[0] == "ttl":
            return True
        if isinstance(function, type):
            return _is_data(function) or library.is_pure(function)
        return library.is_pure(function)

    @staticmethod
    def _is_users(function: Any) -> bool:
        if not isinstance(function, FunctionType):
            return False
        file = function.__code__.co_filename
        return not is_our_file(file) and not is_library_file(file) and "site-packages" not in file

    def user_function(self, function: FunctionType) -> UserFunction:
        """A function of the program, from the object."""
        known = self._functions.get(id(function))
        if known is not None:
            return known[1]
        found = definition(function)
        if found is None:
            raise Reject(refusals.no_source(function.__name__))
        node, file = found
        made = UserFunction(
            node,
            file,
            closure(function),
            Globals(function.__globals__, function.__module__ or ""),
            function.__defaults__ or (),
            dict(function.__kwdefaults__ or {}),
        )
        self._functions[id(function)] = (function, made)
        return made

    def inline(self, function: UserFunction, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Evaluate the body of a function with arguments."""
        node = function.node
        if isinstance(node, ast.AsyncFunctionDef) or (
            isinstance(node, ast.FunctionDef) and is_generator(node)
        ):
            raise Reject(
                refusals.construct(
                    f"{function.name}, which is {'asynchronous' if isinstance(node, ast.AsyncFunctionDef) else 'a generator'},",
                    help="return a list, or loop where the values are used",
                )
            )
        if len(self.chain) >= DEEPEST_CALL:
            raise Reject(
                refusals.too_large(
                    f"calls of {function.name} are nested {DEEPEST_CALL} deep",
                    notes=(
                        "functions are compiled into their callers, so recursion has to end while it is compiled",
                    ),
                    help="write it as a loop",
                )
            )
        bound = self._bind(function, arguments, keywords)
        scope = Scope(function.scope, locals_of(node))
        scope.names.update(bound)
        chain, self.condition_of = (self.condition_of, None)
        if chain is None:
            chain = (self.span, *self.chain)
        with self.within(scope, function.file, function.globals, chain, node):
            self.place = node
            if isinstance(node, ast.Lambda):
                return self.lazy(node.body)
            scope.names[RETURN] = None
            self.block(node.body)
            result = scope.names[RETURN]
        if isinstance(result, Poison) and type(result) is not Selected:
            self.refuse_poison(f"{function.name}()", result)
        return result

    def _bind(self, function: UserFunction, arguments: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        """The parameters of a call, as Python binds them."""
        declared = function.node.args
        positional = [each.arg for each in (*declared.posonlyargs, *declared.args)]
        bound: dict[str, Any] = dict(zip(positional, arguments, strict=False))
        rest = dict(keywords)
        surplus = arguments[len(positional) :]
        if declared.vararg is not None:
            bound[declared.vararg.arg] = tuple(surplus)
        elif surplus:
            raise self._wrong(
                function, f"it takes {len(positional)} arguments, and {len(arguments)} are given"
            )
        only_by_place = {each.arg for each in declared.posonlyargs}
        for name in (*positional, *(each.arg for each in declared.kwonlyargs)):
            if name in rest and name not in only_by_place:
                if name in bound:
                    raise self._wrong(function, f"two values for {name}")
                bound[name] = rest.pop(name)
        if declared.kwarg is not None:
            bound[declared.kwarg.arg] = self.born(rest)
        elif rest:
            raise self._wrong(function, f"it has no parameter {next(iter(rest))}")
        defaults = dict(
            zip(positional[len(positional) - len(function.defaults) :], function.defaults, strict=True)
        )
        defaults.update(function.keyword_defaults)
        for name in (*positional, *(each.arg for each in declared.kwonlyargs)):
            if name not in bound:
                if name not in defaults:
                    raise self._wrong(function, f"no value for {name}")
                bound[name] = defaults[name]
        return bound

    def _wrong(self, function: UserFunction, reason: str) -> Exception:
        return Reject(refusals.raises("TypeError", f"{function.name}(): {reason}"))

    def explained(self, raised: Exception, function: Any, arguments: tuple[Any, ...] = ()) -> Diagnostic:
        """What Python raised, as a finding: in the language's words where it is about our objects."""
        finding = mistakes.without_a_frame(raised, function, arguments, of_arrays=_of_arrays(function))
        if finding is not None:
            return finding
        text = str(raised).split("\n", 1)[0].rstrip(". ")
        if isinstance(raised, KeyError) and len(raised.args) == 1:
            text = short(raised.args[0])
        return refusals.raises(
            type(raised).__name__, text, notes=("it does so on every node, whatever is in the tensors",)
        )


def closure(function: FunctionType) -> Scope | None:
    """The variables that a function has from around it."""
    names = function.__code__.co_freevars
    if not names:
        return None
    scope = Scope(None, frozenset())
    for name, cell in zip(names, function.__closure__ or (), strict=True):
        try:
            scope.names[name] = copied(cell.cell_contents)
        except ValueError:  # bound later than the function was made, and not yet
            continue
    return scope


def _keywords(given: Any) -> dict[str, Any]:
    return dict(**given)


# Modules of ours that stand for torch where a program is read.
_TORCH = "ttl.frontend.torch_"


def _of_arrays(function: Any) -> bool:
    """Whether it is a function of NumPy or torch, or stands for one of torch that is read and not imported."""
    kind = function if isinstance(function, type) else type(function)
    modules = (getattr(function, "__module__", None), kind.__module__)
    return any(
        (module or "").partition(".")[0] in ("numpy", "torch") or (module or "").startswith(_TORCH)
        for module in modules
    )


def _named(function: Any) -> str:
    if function is open:
        return "open"  # which is io.open
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    module = getattr(function, "__module__", None)
    if isinstance(name, str) and isinstance(module, str) and module not in ("builtins", "__main__"):
        # Libraries give the functions they export private homes: torch._C._VariableFunctionsClass.tensor.
        return ".".join(part for part in f"{module}.{name}".split(".") if not part.startswith("_"))
    return name if isinstance(name, str) else kind_of(function)


def _is_data(kind: type) -> bool:
    """Whether constructing a class only keeps values: a dataclass, a named tuple, an enumeration."""
    import enum

    if issubclass(kind, enum.Enum):
        return True
    if hasattr(kind, "__dataclass_fields__"):
        return "__post_init__" not in dir(kind)
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


Handler = Callable[[Calls, list[Any], dict[str, Any]], Any]
