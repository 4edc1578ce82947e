"""Reasons not to replay a call although all that it can see is unchanged: the rules, and the places where they are broken.

``lang.visible`` lists the objects that a function can see, and ``lang.captured`` notices changes of them. Replay requires more:
running the function again must do nothing but compute the same tasks. Therefore its code is examined, and each name it loads is
looked up: its value must be data, a function that can be judged in turn, or one that is known to have no effects.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GenericAlias,
    MemberDescriptorType,
    ModuleType,
    SimpleNamespace,
    WrapperDescriptorType,
)
from typing import Any, NoReturn

import numpy as np

import ttl.lang
from ttl import control
from ttl.host.shape import Shape
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.lang.pipe import Pipe, PipeNet
from ttl.lang.semaphore import Semaphore
from ttl.lang.visible import MISSING, cell_content
from ttl.rows.dtypes import DType
from ttl.session.patience import Unavailable
from ttl.sim.replay.allowed import ATTRIBUTES, BUILTINS, MODULES
from ttl.sim.replay.purity import NameRead, summary
from ttl.source.calls import function_at
from ttl.source.code import is_foreign
from ttl.source.files import display_name
from ttl.source.spans import is_our_file, span_of_site

# The most objects that one judgement examines.
_MOST_FUNCTIONS, _MOST_ITEMS = 256, 10_000
# Attributes that decorators leave behind in a function.
_OF_DECORATORS = {"__wrapped__"}
_KERNELS = ("compute", "datamovement")
_LANGUAGE_MODULES = ("ttl", "ttl.math", "ttl.block")
_LANGUAGE = next(iter(ttl.lang.__path__))
_ATOMS = (int, str, bool, bytes, float, complex, type(None), type(...), type(NotImplemented), DType)
# Data whose attributes are those of their type, and not the user's.
_DATA = (
    *_ATOMS, list, dict, set, frozenset, tuple, Shape, range, slice, FunctionType, partial, Tensor, Pipe, PipeNet,
)  # fmt: skip
# Values with a single object: comparing them with ``is`` says no more than ``==``.
_SINGLE = (Enum, DType, bool, type(None))
_WORDS = {ModuleType: "a module", Operation: "an operation"}
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: classes made by a class statement
# Modules whose decorators and base classes add methods that compute nothing of the user's.
_GENERATING = ("enum", "typing", "dataclasses")


@dataclass(frozen=True, slots=True)
class UsePlace:
    """A place where code uses something.

    ``codes`` are the code objects from the operation or helper inwards; ``spelling`` is the used expression, as the
    program writes it.
    """

    codes: tuple[CodeType, ...]
    offset: int
    spelling: str = ""
    called: bool = False

    def refuse(self, what: str = "") -> NoReturn:
        """Raise ``Unavailable`` with a reason: ``what`` the code does, by default that it uses ``spelling``."""
        if not what:
            what = f"{'calls' if self.called else 'uses'} {self.spelling}"
        span = span_of_site((self.codes[-1], self.offset))
        raise Unavailable(f"{_role(self.codes)} {what} at {display_name(span.file)}:{span.line}")

    def refuse_value(self, kind: str) -> NoReturn:
        """Raise ``Unavailable``, as the value used here is of a kind that cannot be replayed."""
        self.refuse(f"{'calls' if self.called else 'uses'} {self.spelling}, {kind},")


@dataclass(frozen=True, slots=True)
class CallArgument:
    """An argument of the operation, as the origin of a value that is judged; compare ``UsePlace``."""

    name: str

    def refuse_value(self, kind: str) -> NoReturn:
        """Raise ``Unavailable``, as the argument is of a kind that cannot be replayed."""
        raise Unavailable(f"argument {self.name} is {kind}")


class Judge:
    """One judgement of functions and values. Its methods raise ``Unavailable`` where something is refused.

    ``tensors`` are the distinct tensors that were met, and ``met`` their numbers, once for each time. ``relied_on`` are
    the values that the code has from libraries and from Python's own names, each with a function that gets it again;
    ``values`` are the values of the user's names. ``takes_traced``: traced numbers (``sim/numbers.py``) may stand for
    floats, since nothing notices or keeps one.
    """

    def __init__(self) -> None:
        self.tensors: list[Tensor] = []
        self.met: list[int] = []
        self.relied_on: list[tuple[Callable[[], Any], Any]] = []
        self.values: dict[str, Any] = {}
        self.takes_traced = True
        self._known: dict[int, Any] = {}  # by address; the objects are kept alive, so addresses stay unique
        self._items = self._functions = 0

    def function(self, function: FunctionType) -> None:
        """Judge a user's function: its code and everything that it reads."""
        if self._is_known(function):
            return
        self._functions += 1
        if self._functions > _MOST_FUNCTIONS:
            raise Unavailable(f"it reaches more than {_MOST_FUNCTIONS} functions")
        code = function.__code__
        start = UsePlace((code,), 0, "a default value")
        if type(function.__globals__) is not dict or type(_builtins_of(function)) is not dict:
            start.refuse("runs in a namespace of its own kind")
        if function.__dict__.keys() - _OF_DECORATORS:
            start.refuse("has attributes")
        self.value(function.__defaults__, start)
        self.value(tuple((function.__kwdefaults__ or {}).values()), start)
        waiting: list[tuple[tuple[CodeType, ...], frozenset[str]]] = [((code,), frozenset(code.co_freevars))]
        while waiting:
            codes, outer = waiting.pop()
            content = summary(codes[-1], outer)
            self.takes_traced &= not content.catches
            for read in content.reads:
                self._read(function, read, UsePlace(codes, read.offset, read.spelling, read.called))
            if content.refused is not None:
                words, offset = content.refused
                UsePlace(codes, offset).refuse(words)
            waiting.extend(((*codes, inner), free) for inner, free in reversed(content.nested))

    def value(self, value: Any, use: UsePlace | CallArgument) -> None:
        """Judge a value that code may use in any way."""
        kind = type(value)
        if kind in _ATOMS or kind is GenericAlias or kind is control.FUNCTION:
            return
        if kind is Tensor:
            self.tensor(value, use)
        elif isinstance(value, tuple) and (kind in (tuple, Shape) or _is_torch_size(kind)):
            self._container(value, use)
        elif kind in (list, dict, set, frozenset):
            if not self._is_known(value):
                self._container(value, use)
        elif isinstance(value, Enum):
            _check_enum(value, use)
            self.value(value.value, use)
        elif kind is range or kind is slice:
            if not all(type(part) in _ATOMS for part in (value.start, value.stop, value.step)):
                use.refuse_value("a slice of objects")
        elif isinstance(value, np.generic) and not isinstance(value, np.void | np.object_):
            return
        elif kind is FunctionType and not is_our_file(value.__code__.co_filename):
            self.function(value)
        elif kind is partial and not value.__dict__:
            for part in (value.func, value.args, value.keywords):
                self.value(part, use)
        elif kind is Pipe:
            self.value(value.src, use)
            self.value(value.dst, use)
        elif kind is PipeNet:
            if not self._is_known(value):
                self.value(value.pipes, use)
        elif not _is_harmless(value):
            self._refuse(value, use)

    def tensor(self, tensor: Tensor, use: UsePlace | CallArgument) -> None:
        """Note a tensor; a tensor on a mesh is refused."""
        if tensor.shards is not None:
            use.refuse_value("a tensor on a mesh")
        for index, other in enumerate(self.tensors):
            if other is tensor:
                self.met.append(index)
                return
        self.met.append(len(self.tensors))
        self.tensors.append(tensor)

    def _is_known(self, value: Any) -> bool:
        if id(value) in self._known:
            return True
        self._known[id(value)] = value
        return False

    def _refuse(self, value: Any, use: UsePlace | CallArgument) -> NoReturn:
        kind = type(value)
        module = "" if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}."
        words = f"an object of type {module}{kind.__qualname__}"
        if isinstance(use, CallArgument):
            use.refuse_value(words)
        if isinstance(value, type) or kind in (FunctionType, BuiltinFunctionType) or kind.__name__ == "ufunc":
            use.refuse()
        use.refuse_value(_WORDS.get(kind) or words)

    def _container(self, value: Any, use: UsePlace | CallArgument) -> None:
        self.takes_traced &= isinstance(value, tuple | frozenset)
        self._items += len(value)
        if self._items > _MOST_ITEMS:
            use.refuse_value(f"one of more than {_MOST_ITEMS} values in containers")
        for item in value:
            self.value(item, use)
        if isinstance(value, dict):
            for item in value.values():
                self.value(item, use)

    # -- names ---------------------------------------------------------------------------------------------------

    def _read(self, function: FunctionType, read: NameRead, use: UsePlace) -> None:
        if read.free:
            cell = (function.__closure__ or ())[function.__code__.co_freevars.index(read.name)]
            self._path(cell_content(cell), read.attributes, use, read.identity)
            return
        if read.name.startswith("@py"):
            return  # a name of pytest's rewritten ``assert``, which looks at values that failed
        value = function.__globals__.get(read.name, MISSING)
        if value is not MISSING:
            self._path(value, read.attributes, use, read.identity)
            return
        builtins = _builtins_of(function)
        value = builtins.get(read.name, MISSING)
        self.relied_on.append((partial(builtins.get, read.name, MISSING), value))
        if value is not MISSING and (BUILTINS.get(read.name, MISSING) is not value or read.attributes):
            use.refuse()

    def _path(self, value: Any, attributes: tuple[str, ...], use: UsePlace, identity: bool) -> None:
        """Judge a value of which attributes are taken one after the other."""
        if value is MISSING:
            return  # an error, if the code gets there
        if isinstance(value, ModuleType) and attributes:
            self._of_module(value, attributes, use, identity)
        elif not attributes or type(value) in _DATA or isinstance(value, Enum | np.generic):
            if not ATTRIBUTES.issuperset(attributes):
                use.refuse()
            self.value(value, use)
            words = use.spelling.split(".")
            self.values.setdefault(".".join(words[: len(words) - len(attributes)]), value)
            if identity and (attributes or not isinstance(value, _SINGLE)):
                use.refuse(f"compares {use.spelling} with 'is'")
        else:
            child = _plain_attribute(value, attributes[0], use)
            self._path(child, attributes[1:], use, identity)

    def _of_module(
        self, module: ModuleType, attributes: tuple[str, ...], use: UsePlace, identity: bool
    ) -> None:
        name, *rest = attributes
        if module.__name__ in _LANGUAGE_MODULES and name not in vars(module):
            if name not in dir(module):
                return  # an older spelling, made anew each time
            getattr(module, name)  # the functions of the table are made when they are asked for
        child = vars(module).get(name, MISSING)
        if child is MISSING:
            use.refuse()
        if is_foreign(module):
            self.relied_on.append((partial(getattr, module, name, MISSING), child))
        self._path(child, tuple(rest), use, identity)


def _plain_attribute(value: Any, name: str, use: UsePlace) -> Any:
    """Return a plain attribute: looking it up runs no user code."""
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


def _of_class(value: type, name: str, use: UsePlace) -> Any:
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
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), MISSING)


def _is_harmless(value: Any) -> bool:
    """Return whether an object that is not data has no visible effects."""
    if isinstance(value, FunctionType):
        return value.__module__ in _LANGUAGE_MODULES or value.__code__.co_filename.startswith(_LANGUAGE)
    if isinstance(value, BuiltinFunctionType | type):
        if value.__module__ in MODULES or value is partial:
            return True
        if value.__module__ == "builtins" and BUILTINS.get(value.__name__) is value:
            return True
        return isinstance(value, type) and _is_plain_class(value)
    return type(value).__module__ == "typing"  # in an annotation


def _is_plain_class(kind: type) -> bool:
    """Whether a class is of the language, the type of tensors, or an exception without code or values of its own."""
    if kind is Tensor or kind.__module__ in ("typing", "collections.abc"):
        return True
    if kind.__module__.startswith("ttl.lang.") and not issubclass(kind, Semaphore | Operation):
        return True
    return issubclass(kind, Exception) and not any(
        isinstance(member, FunctionType) or not name.startswith("__")
        for base in kind.__mro__
        if base.__module__ != "builtins"
        for name, member in vars(base).items()
    )


def _check_enum(value: Enum, use: UsePlace | CallArgument) -> None:
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


def _is_torch_size(kind: type) -> bool:
    """torch's type of shapes, known by name: torch is not imported for this."""
    return kind.__module__ == "torch" and kind.__name__ == "Size"


def _builtins_of(function: FunctionType) -> dict[str, Any]:
    """The namespace in which a function looks up names that are not in its globals."""
    untyped: Any = function  # type checkers may not know the attribute, depending on their version of Python
    names: dict[str, Any] = untyped.__builtins__
    return names


def _role(codes: tuple[CodeType, ...]) -> str:
    """Return the user's word for the innermost code: ``kernel read``, ``operation add`` or ``function helper``."""
    for code in reversed(codes):
        if code.co_name == "<lambda>":
            return "a lambda"
        if not code.co_name.startswith("<"):  # comprehensions are part of the code around them
            return f"{_kind(code)} {code.co_name}"
    return "code"


def _kind(code: CodeType) -> str:
    definition = function_at(code)
    for decorator in definition.decorator_list if definition is not None else ():
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = ast.unparse(named).rpartition(".")[2]
        if name in _KERNELS:
            return "kernel"
        if name == "operation":
            return "operation"
    return "function"
