"""What a specialisation depends on, as one string: equal keys mean equal modules and equal findings.

It is made on every call that is checked, so it looks at values, not at source: the source of a function is fixed with
its code object, and a change on disk is caught by the hashes of files that go with a stored result.
"""

from __future__ import annotations

import enum
import hashlib
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from ttl.arch import current_chip
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.ops.dtypes import DType
from ttl.source.code import names_in
from ttl.source.foreign import is_foreign

# Values in a container, and functions behind functions, that are looked at.
_MOST = 2000


class _Unknown(Exception):
    """A value that nothing can be said about."""


def specialisation_key(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """The key of a call; None where something it depends on has no value that could be compared later."""
    found = _Key()
    try:
        found.add(operation.grid)
        found.add(operation.options)
        found.add(current_chip().name)
        found.function(operation.function)
        for value in args:
            found.add(value)
        for name in sorted(kwargs):
            found.add(name)
            found.add(kwargs[name])
    except (_Unknown, RecursionError):
        return None
    return found.digest()


class _Key:
    """Collects what a key is made of."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._functions: set[int] = set()
        # The names in the code of the functions so far.
        self._names: set[str] = set()
        # Tensors by identity: the same one twice is another program than two equal ones.
        self._tensors: dict[int, int] = {}
        self._count = 0

    def digest(self) -> str:
        """The key."""
        return self._hash.hexdigest()

    def _note(self, text: str) -> None:
        self._count += 1
        if self._count > _MOST:
            raise _Unknown
        self._hash.update(text.encode(errors="surrogatepass"))
        self._hash.update(b"\0")

    def add(self, value: Any) -> None:
        """A value that the operation can see."""
        match value:
            case None | bool() | int() | float() | str() | bytes() | range() | slice() | complex():
                self._note(f"{type(value).__name__} {value!r}")
            case Tensor():
                self._tensor(value)
            case DType() | enum.Enum():
                self._note(f"{type(value).__name__} {value!r}")
            case tuple() | list() | frozenset() | set():
                self._several(value)
            case dict():
                self._note(f"dict {len(value)}")
                for key, each in value.items():
                    self.add(key)
                    self.add(each)
            case FunctionType():
                self.function(value)
            case Operation():
                self.function(value.function)
            case BuiltinFunctionType():
                self._named(value)
            case ModuleType() | type():
                self._named(value)
                self._members(value)
            case _:
                self._other(value)

    def _named(self, value: Any) -> None:
        self._note(f"{type(value).__name__} {getattr(value, '__module__', '')} {value.__name__}")

    def _members(self, owner: Any) -> None:
        """What the code that was read may take from a module or a class of the user's."""
        if id(owner) in self._functions or is_foreign(owner):
            return
        self._functions.add(id(owner))
        for each in (owner,) if isinstance(owner, ModuleType) else owner.__mro__:
            if is_foreign(each):
                continue
            members = vars(each)
            for name in sorted(self._names.intersection(members)):
                self._note(name)
                member = members[name]
                self._seen(getattr(member, "fget", None) or getattr(member, "__func__", member))

    def _several(self, values: Any) -> None:
        self._note(f"{type(values).__name__} {len(values)}")
        for each in sorted(values, key=repr) if isinstance(values, set | frozenset) else values:
            self.add(each)

    def _tensor(self, tensor: Tensor) -> None:
        number = self._tensors.setdefault(id(tensor), len(self._tensors))
        shards = 0 if tensor.shards is None else len(tensor.shards)
        self._note(
            f"tensor {number} {tuple(tensor.shape)} {tensor.dtype!r} {tensor.layout} {tensor.memory_config()!r} {shards}"
        )

    def _other(self, value: Any) -> None:
        fields = getattr(type(value), "__dataclass_fields__", None)
        if fields is not None:
            self._note(f"{type(value).__module__}.{type(value).__qualname__}")
            for name in fields:
                self.add(getattr(value, name, None))
            return
        if type(value).__module__.partition(".")[0] in ("ttl", "functools"):
            if callable(value) and hasattr(value, "__wrapped__"):
                self._note(f"function {value.__name__}")
                return
            if type(value).__name__ == "partial":
                for part in (value.func, value.args, value.keywords):
                    self.add(part)
                return
        raise _Unknown

    def function(self, function: FunctionType) -> None:
        """A function: its code, its defaults and what it captures."""
        if id(function) in self._functions:
            return
        self._functions.add(id(function))
        code = function.__code__
        self._note(f"{code.co_filename}:{code.co_firstlineno} {code.co_qualname}")
        self._code(code)
        self._names |= names_in(code)
        self.add(function.__defaults__ or ())
        self.add(function.__kwdefaults__ or {})
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                captured = cell.cell_contents
            except ValueError:
                continue
            self._note(name)
            self._seen(captured)
        for name in sorted(names_in(code)):
            if name in function.__globals__:
                self._note(name)
                self._seen(function.__globals__[name])

    def _seen(self, value: Any) -> None:
        """A value that a name stands for: of another library's only that it is one."""
        module = getattr(value, "__module__", None) or type(value).__module__
        if isinstance(value, FunctionType) and "site-packages" in value.__code__.co_filename:
            self._note(f"function {module}.{value.__qualname__}")
            return
        self.add(value)

    def _code(self, code: CodeType) -> None:
        self._hash.update(code.co_code)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._code(constant)
            else:
                self._note(repr(constant))
