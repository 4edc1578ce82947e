"""The values that a function can see: the one walk behind every cache that must notice changes of them.

A function sees its code and defaults, the variables around it, the values of its names in its globals and in modules
that it imports itself, and recursively: functions it calls, attributes of modules and classes that any code in the walk
mentions, attributes of objects, items of containers, the parts of a decorator, a ``partial`` or a bound method. Methods
that Python calls implicitly (``__getitem__``, ``__call__``) are seen with the class.

The walk runs none of the user's code: no property, ``__getattr__`` or ``__eq__``. It prefers to see too much: an
attribute counts for all owners that have one of this name. If code may access names that it does not spell
(``getattr``, ``vars``, ``eval``), the walk sees all members of its modules and classes. A value that cannot be
described is an error, not left out.
"""

from __future__ import annotations

import enum
import operator
import sys
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial, partialmethod
from importlib.util import resolve_name
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GenericAlias,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    SimpleNamespace,
    UnionType,
    WrapperDescriptorType,
)
from typing import Any, Literal

from ttl import control
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.lang.pipe import Pipe, PipeNet
from ttl.rows.dtypes import ARRAYS, DESCRIBED, NUMBERS, DType
from ttl.session import cached
from ttl.session.patience import Unavailable
from ttl.source.code import imports_in, is_foreign, is_foreign_file, names_in

# The most values that one walk sees.
MOST = 4096
MISSING = object()

Get = Callable[[], Any]
Kind = Literal["constant", "tensor", "state", "object", "foreign", "ours", "again"]

_ATOMS = frozenset(
    (
        int,
        float,
        complex,
        str,
        bytes,
        bool,
        type(None),
        type(...),
        type(NotImplemented),
        range,
        slice,
        CodeType,
    )
)
_SUBCLASSED = (int, float, complex, str, bytes)
# Types of the interpreter whose objects contain no values except a name.
_NAMED = (
    BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, WrapperDescriptorType, GetSetDescriptorType,
    MemberDescriptorType, GenericAlias, UnionType, operator.itemgetter, *DESCRIBED,
)  # fmt: skip
# Names with which code accesses names that it does not spell. ``locals`` is not among them: its values are seen anyway.
REFLECTIVE = frozenset(
    (
        "getattr", "vars", "globals", "dir", "eval", "exec", "__dict__", "__getattribute__", "attrgetter",
        "methodcaller", "import_module", "__import__", "getmembers", "modules",
    )
)  # fmt: skip
OF_ANNOTATIONS = frozenset(("__annotate__", "__annotate_func__", "__annotations_cache__"))
"""Attributes with which CPython 3.14 computes the annotations of a class, function or module on demand (PEP 649)."""
# Attributes that every class, and every module, has.
_OF_EVERY_CLASS = frozenset(
    (
        *OF_ANNOTATIONS, "__classdictcell__",
        "__module__", "__doc__", "__dict__", "__weakref__", "__annotations__", "__qualname__", "__slots__", "__firstlineno__",
        "__static_attributes__", "__match_args__", "__parameters__", "__orig_bases__", "__abstractmethods__", "_abc_impl",
    )
)  # fmt: skip
OF_EVERY_MODULE = frozenset(
    (
        *OF_ANNOTATIONS,
        "__builtins__",
        "__loader__",
        "__spec__",
        "__cached__",
        "__doc__",
        "__path__",
        "__warningregistry__",
    )
)


class VisibleObject:
    """One visible value: its name, a way to get it again, and the value at the time.

    ``number`` distinguishes objects, in the order in which the walk found them; it is 0 for values that are compared by
    value. A ``state`` is a value made to describe an object: it is compared, and never entered. ``variable`` is the
    name in a function through which the walk found the value.
    """

    __slots__ = ("get", "kind", "name", "number", "value", "variable")
    variable: str

    def __init__(self, name: str, get: Get, value: Any, kind: Kind, number: int = 0) -> None:
        self.name = name
        self.get = get
        self.value = value
        self.kind = kind
        self.number = number


def visible(roots: Iterable[Any]) -> list[VisibleObject]:
    """Return all values that functions and other values can see, in a deterministic order.

    Raises ``Unavailable`` if there are more than ``MOST``, or if one cannot be described.
    """
    walk = VisibleWalk()
    walk.all_of(roots)
    return walk.sights


def reachable(function: FunctionType) -> tuple[list[FunctionType], bool]:
    """The user's functions that a function may call, itself first; and whether these are all."""
    walk = VisibleWalk()
    try:
        walk.all_of((function,))
    except Unavailable:
        return walk.functions, False
    return walk.functions, True


class VisibleWalk:
    """One walk. ``sights`` are the visible values, ``functions`` the user's functions among them."""

    def __init__(self) -> None:
        self.sights: list[VisibleObject] = []
        self.functions: list[FunctionType] = []
        self._names: set[str] = set()
        self._numbers: dict[int, int] = {}
        # Objects are numbered by address, so all of them are kept alive.
        self._alive: list[Any] = []
        # Modules and classes, and the names that were looked up in each.
        self._owners: list[tuple[str, Any, set[str]]] = []
        self._modules: dict[str, None] = {}
        self._variable = ""

    def all_of(self, roots: Iterable[Any]) -> None:
        """Walk from several values. Raises ``Unavailable``."""
        try:
            for index, value in enumerate(roots):
                self.value(f"{index}", partial(_itself, value), value)
            self._settle()
        except RecursionError:
            raise Unavailable("what it captures is nested too deep") from None

    def _settle(self) -> None:
        """Look up in modules and classes the names that later functions mention, until there are no new values."""
        looked_up = -1
        while looked_up != len(self.sights):
            looked_up = len(self.sights)
            for owner in list(self._owners):
                self._members(*owner)

    # --- values -------------------------------------------------------------------------------------------------

    def value(self, name: str, get: Get, value: Any) -> None:
        """Visit a value. ``get`` returns its current value later."""
        kind = type(value)
        if kind in _ATOMS or value is MISSING or isinstance(value, (DType, *NUMBERS)):
            self._add(VisibleObject(name, get, value, "constant"))
            return
        if isinstance(value, Tensor):
            self._add(VisibleObject(name, get, value, "tensor", self._number(value)[0]))
            return
        number, is_new = self._number(value)
        if not is_new:
            self._add(VisibleObject(name, get, value, "again", number))
            return
        entry = _entry_of(self, value)
        if entry is None:
            self._add(VisibleObject(name, get, value, "foreign", number))
        elif entry == _OURS:
            self._add(VisibleObject(name, get, value, "ours", number))
        else:
            self._add(VisibleObject(name, get, value, "object", number))
            entry(value)

    def _add(self, sight: VisibleObject) -> None:
        sight.variable = self._variable
        self.sights.append(sight)
        if len(self.sights) > MOST:
            raise Unavailable(f"it can see more than {MOST} values")

    def _number(self, value: Any) -> tuple[int, bool]:
        """The number of an object, and whether the object is new."""
        number = self._numbers.get(id(value))
        if number is not None:
            return number, False
        self._alive.append(value)
        self._numbers[id(value)] = len(self._alive)
        return len(self._alive), True

    def _state(self, name: str, get: Get) -> None:
        """Add a value that describes a state."""
        self._add(VisibleObject(name, get, get(), "state"))

    def _attribute(self, owner: Any, name: str) -> None:
        get = partial(getattr, owner, name, MISSING)
        self.value(f".{name}", get, get())

    # --- functions and objects made from them -------------------------------------------------------------------

    def function(self, function: FunctionType) -> None:
        """Visit a function: its code, its defaults, and the values of its names."""
        code = function.__code__
        self.functions.append(function)
        # Pytest's rewritten ``assert`` uses names that do not occur in programs.
        names = frozenset(name for name in names_in(code) if not name.startswith("@py"))
        self._names |= names
        for attribute in ("__code__", "__defaults__", "__kwdefaults__"):
            self._attribute(function, attribute)
        if function.__dict__:
            self._container(function.__dict__)
        before = self._variable
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            self._variable = name
            get = partial(cell_content, cell)
            self.value(name, get, get())
        space = function.__globals__
        if names & REFLECTIVE:
            names = names | {name for name in space if isinstance(name, str)} - OF_EVERY_MODULE
        for name in sorted(names):
            self._variable = name
            get = partial(space.get, name, MISSING)
            self.value(name, get, get())
        self._variable = before
        for imported, level in imports_in(code):
            self._import(imported, level, space)

    def _import(self, name: str, level: int, space: dict[str, Any]) -> None:
        """Visit a module that a function imports when it runs, and the modules around it."""
        package = space.get("__package__") or str(space.get("__name__", "")).rpartition(".")[0]
        full = resolve_name("." * level + name, package) if level and package else name
        while full and full not in self._modules:
            self._modules[full] = None
            get = partial(sys.modules.get, full, MISSING)
            module = get()
            if module is MISSING:
                raise Unavailable(f"module {full} is not imported yet")
            self.value(f"import {full}", get, module)
            full = full.rpartition(".")[0]

    def _operation(self, value: Operation) -> None:
        for name in ("function", "grid", "options", "device_domain"):
            self._attribute(value, name)

    def _partial(self, value: Any) -> None:
        for part in ("func", "args", "keywords"):
            self._attribute(value, part)
        self._fields(value)

    def _method(self, value: Any) -> None:
        self._attribute(value, "__self__")
        if not isinstance(value, BuiltinFunctionType):
            self._attribute(value, "__func__")

    def _wrapper(self, value: Any) -> None:
        self._attribute(value, "__wrapped__")
        self._fields(value)

    # --- modules and classes ------------------------------------------------------------------------------------

    def _module(self, value: ModuleType) -> None:
        self._own(value.__name__, vars(value), set(OF_EVERY_MODULE), "__getattr__")

    def _class(self, value: type) -> None:
        self._state(
            "bases", lambda: tuple(f"{base.__module__}.{base.__qualname__}" for base in value.__mro__)
        )
        if type(value) is not type:
            self.value("metaclass", lambda: type(value), type(value))
        for base in value.__mro__:
            if not is_foreign(base) and (base is value or self._number(base)[1]):
                methods = [name for name, member in vars(base).items() if _is_called_by_python(name, member)]
                self._own(base.__qualname__, vars(base), set(_OF_EVERY_CLASS), *methods)
        if issubclass(value, enum.Enum):
            self._container(value.__members__)

    def _own(self, name: str, space: Any, looked_up: set[str], *at_once: str) -> None:
        """Visit a namespace, of which only members that code mentions by name count."""
        owner = (name, space, looked_up)
        self._owners.append(owner)
        self._members(*owner, at_once)
        self._members(*owner)

    def _members(
        self, owner: str, space: Any, looked_up: set[str], names: Iterable[str] | None = None
    ) -> None:
        if names is None:
            names = set(space) if self._names & REFLECTIVE else self._names
        for name in sorted(set(names) - looked_up):
            looked_up.add(name)
            get = partial(space.get, name, MISSING)
            self._member(f"{owner}.{name}", get, get())

    def _member(self, name: str, get: Get, value: Any) -> None:
        """Visit a member of a namespace, without the wrapper of a method."""
        if isinstance(value, staticmethod | classmethod):
            self.value(name, partial(_part, get, "__func__"), value.__func__)
        elif isinstance(value, property):
            for part in ("fget", "fset", "fdel"):
                self.value(name, partial(_part, get, part), getattr(value, part))
        elif type(value).__name__ in ("cached_property", "singledispatchmethod") and hasattr(value, "func"):
            self.value(name, partial(_part, get, "func"), value.func)
        elif isinstance(value, MemberDescriptorType | GetSetDescriptorType):
            self._state(name, lambda: type(get()).__name__)
        else:
            self.value(name, get, value)

    # --- data ---------------------------------------------------------------------------------------------------

    def _container(self, value: Any) -> None:
        """Visit a container and its items, in order."""
        if len(value) > MOST:
            raise Unavailable(f"it can see a container with more than {MOST} items")
        if isinstance(value, set | frozenset):
            for item in value:
                if not _is_plain(item):
                    raise Unavailable("it can see a set of objects")
            self._state("items", lambda: sorted(map(_described, value)))
        elif isinstance(value, dict | MappingProxyType):
            keys = list(value)
            if all(map(_is_plain, keys)):
                self._state("keys", lambda: [_described(key) for key in value])
            else:
                self._state("size", lambda: len(value))
                for index, key in enumerate(keys):
                    self.value(f"key {index}", lambda index=index: _nth(value, index), key)  # type: ignore[misc]
            for index, key in enumerate(keys):
                get = partial(value.get, key, MISSING)
                self.value(f"value {index}", get, value[key])
        else:
            self._state("size", lambda: len(value))
            for index, item in enumerate(value):
                self.value(f"{index}", partial(_item, value, index), item)
        if type(value) not in (list, tuple, dict, set, frozenset, MappingProxyType):
            self.value("class", lambda: type(value), type(value))
            self._fields(value)
            if isinstance(getattr(value, "default_factory", None), FunctionType | MethodType | partial):
                self._attribute(value, "default_factory")

    def _fields(self, value: Any) -> None:
        """Visit the attributes of the object itself."""
        fields = _dict_of(value)
        if fields:
            self._container(fields)
        for kind in type(value).__mro__:
            slots = kind.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else tuple(slots):
                full = f"_{kind.__name__.lstrip('_')}{name}" if _is_private(name) else name
                descriptor = kind.__dict__.get(full)
                if isinstance(descriptor, MemberDescriptorType):
                    get = partial(_slot, descriptor, value)
                    self.value(f".{full}", get, get())

    def _record(self, value: Any) -> None:
        """Visit an object of one of this package's frozen data classes: plain data."""
        self._state("class", lambda: type(value).__qualname__)
        for name in value.__dataclass_fields__:
            self._attribute(value, name)

    def _enumerated(self, value: enum.Enum) -> None:
        self.value("class", lambda: type(value), type(value))
        self._container(vars(value))

    def _array(self, value: Any) -> None:
        if value.size > MOST:
            raise Unavailable(f"it can see an array of more than {MOST} elements")
        self._state("array", lambda: (value.dtype.str, value.shape, value.strides, value.tobytes()))

    def _torch(self, value: Any) -> None:
        if value.numel() > MOST:
            raise Unavailable(f"it can see a torch.Tensor of more than {MOST} elements")
        self._state(
            "array", lambda: (str(value.dtype), tuple(value.shape), repr(value.detach().cpu().tolist()))
        )

    def _pipe(self, value: Any) -> None:
        for name in ("src", "dst") if isinstance(value, Pipe) else ("pipes", "parts"):
            self._attribute(value, name)

    def _object(self, value: Any) -> None:
        """Visit an instance: its class, its attributes, and its further state in C."""
        kind = type(value)
        self.value("class", lambda: type(value), kind)
        self._fields(value)
        base = next((parent for parent in kind.__mro__ if parent in _SUBCLASSED), None)
        if base is not None:
            self._state("value", lambda: base.__repr__(value))
        elif not _is_all_python(kind):
            self._state("contents", partial(_pickled, value))
            if "attrgetter" in kind.__name__ or "methodcaller" in kind.__name__:
                self._names.update(part for text in _texts(_pickled(value)) for part in text.split("."))


_OURS: Any = "ours"
_Entry = Callable[[Any], None]


def _entry_of(walk: VisibleWalk, value: Any) -> _Entry | None:
    """Return the method that visits an object; None for an object of a library, ``_OURS`` for one of this package."""
    kind = type(value)
    match value:
        case FunctionType():
            return None if is_foreign_file(value.__code__.co_filename) else walk.function
        case Operation():
            return walk._operation
        case ModuleType():
            return None if is_foreign(value) else walk._module
        case type():
            return None if is_foreign(value) else walk._class
        case enum.Enum():
            return None if is_foreign(kind) else walk._enumerated
        case list() | tuple() | dict() | set() | frozenset() | deque() | MappingProxyType():
            return walk._container
        case partial() | partialmethod():
            return walk._partial
        case MethodType():
            return walk._method
        case BuiltinFunctionType():
            return walk._method if _has_own_state(value) else None
        case Pipe() | PipeNet():
            return walk._pipe
        case _ if isinstance(value, ARRAYS):
            return walk._array
        case SimpleNamespace():
            return walk._fields
        case _ if isinstance(value, _NAMED) or kind is control.FUNCTION:
            return None
        case _ if kind.__module__ in ("typing", "typing_extensions"):
            return None
        case _ if kind.__module__.partition(".")[0] in ("ttl", "ttnn") and is_foreign(kind):
            return walk._record if _is_record(kind) else _OURS
        case _ if kind.__module__.partition(".")[0] == "torch":
            return walk._torch if hasattr(kind, "untyped_storage") else walk._object
        case _ if callable(value) and hasattr(kind, "cache_info") and hasattr(value, "__wrapped__"):
            return walk._wrapper
    return walk._object


def describe(value: Any) -> str:
    """Return a constant or a state as text: equal texts mean equal values."""
    if isinstance(value, CodeType):
        return _code_text(value, value.co_filename, value.co_qualname)
    if value is MISSING:
        return "nothing"
    if isinstance(value, NUMBERS):
        return f"{value.dtype.str} {value.tobytes()!r}"
    return f"{type(value).__name__} {value!r}"


@cached(maxsize=1024)
def _code_text(code: CodeType, file: str, name: str) -> str:
    """Return code as text: its instructions, its names and where it begins.

    Equal code may be of another file, or have another name.
    """
    inner = ",".join(map(_described, code.co_consts))
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    place = f"{file}:{code.co_firstlineno} {name}"
    return f"code {place} {code.co_flags} {code.co_argcount} {code.co_kwonlyargcount} {names} {code.co_code!r} [{inner}]"


def _described(value: Any) -> str:
    if isinstance(value, tuple | frozenset):
        parts = map(_described, value)
        return f"{type(value).__name__}({','.join(parts if isinstance(value, tuple) else sorted(parts))})"
    if isinstance(value, enum.Enum):
        return f"{type(value).__module__}.{type(value).__qualname__}.{value.name}"
    return describe(value)


def _is_plain(value: Any) -> bool:
    """Return whether a value and all its members are constants."""
    if type(value) in (tuple, frozenset):
        return all(map(_is_plain, value))
    return type(value) in _ATOMS or isinstance(value, DType | enum.Enum)


def _is_called_by_python(name: str, value: Any) -> bool:
    """Return whether Python itself calls a member of a class, without its name in the source."""
    known = is_special(name) and name not in _OF_EVERY_CLASS
    return known and callable(getattr(value, "__func__", value))


def is_special(name: str) -> bool:
    """Whether a name is a special name of Python: ``__init__``."""
    return name.startswith("__") and name.endswith("__")


def _is_record(kind: type) -> bool:
    parameters = getattr(kind, "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)


def _is_private(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def _has_own_state(value: Any) -> bool:
    """Whether a function in C is a method of an object: ``table.get``."""
    owner = getattr(value, "__self__", None)
    return owner is not None and not isinstance(owner, ModuleType | type)


def _is_all_python(kind: type) -> bool:
    """Return whether objects of a class have no state other than attributes and slots."""
    return kind.__basicsize__ <= _plain_size(kind) and not kind.__itemsize__


def _plain_size(kind: type) -> int:
    """The size of objects with the slots of a class, a ``__dict__`` and weak references."""
    slots = sum(
        isinstance(member, MemberDescriptorType) for base in kind.__mro__ for member in base.__dict__.values()
    )
    word = object.__basicsize__ // 2
    return object.__basicsize__ + word * (slots + (kind.__dictoffset__ > 0) + (kind.__weakrefoffset__ > 0))


def _pickled(value: Any) -> str:
    """Return the state of an object in C as text, in the form of ``pickle``.

    Raises ``Unavailable`` if it contains other values than constants.
    """
    try:
        reduced = value.__reduce_ex__(4)
        if isinstance(reduced, str):
            return reduced
        make, arguments, *more = reduced
        state = [list(part) if hasattr(part, "__next__") else part for part in more]
    except Exception:
        raise Unavailable(f"it can see an object of class {type(value).__qualname__}") from None
    return f"{getattr(make, '__qualname__', make)} {_constants(arguments)} {_constants(state)}"


def _constants(value: Any) -> str:
    """Return constants in containers as text. Raises ``Unavailable`` for any other value."""
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({','.join(map(_constants, value))})"
    if isinstance(value, dict):
        return f"dict({','.join(f'{_constants(key)}:{_constants(item)}' for key, item in value.items())})"
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if not _is_plain(value):
        raise Unavailable(f"it can see an object that holds one of class {type(value).__qualname__}")
    return _described(value)


def _texts(described: str) -> list[str]:
    """The strings in a text made by ``_constants``."""
    return described.replace("'", '"').split('"')[1::2]


def _dict_of(value: Any) -> dict[str, Any] | None:
    """Return the ``__dict__`` of an object itself, not a property of that name; None for an object without it."""
    try:
        fields = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return fields if type(fields) is dict else None


def _slot(descriptor: Any, value: Any) -> Any:
    try:
        return descriptor.__get__(value)
    except AttributeError:
        return MISSING


def _part(get: Get, name: str) -> Any:
    return getattr(get(), name, MISSING)


def _item(value: Any, index: int) -> Any:
    return value[index] if index < len(value) else MISSING


def _nth(value: Any, index: int) -> Any:
    return next((key for at, key in enumerate(value) if at == index), MISSING)


def _itself(value: Any) -> Any:
    return value


def cell_content(cell: Any) -> Any:
    """Return the value of a variable of an enclosing function; ``MISSING`` before it is assigned."""
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return MISSING
