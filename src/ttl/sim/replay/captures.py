"""What an operation reads from outside: its globals, closures and helper functions, followed to the end.

A walk gives two things. The *content* is a hashable description: equal contents mean that the code does the same. The
*checks* tell quickly whether everything still is the very same object: then the content need not be made again. They
keep no tensor, function or container of the user's alive.
"""

from __future__ import annotations

from enum import Enum
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, GenericAlias, ModuleType
from typing import Any, NoReturn

import numpy as np

from ttl import control
from ttl.host.shape import Shape
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.lang.pipe import Pipe, PipeNet
from ttl.ops.dtypes import DType
from ttl.sim.replay.allowed import ATTRIBUTES, BUILTINS
from ttl.sim.replay.checks import (
    MISSING,
    All,
    Attribute,
    FunctionCheck,
    Items,
    Kept,
    Same,
    has_id,
    in_cell,
    items_of,
)
from ttl.sim.replay.kinds import (
    ATOMS,
    LANGUAGE_MODULES,
    check_enum,
    is_data,
    is_of_the_language,
    is_plain_class,
    is_pure,
    is_torch_size,
    name_of,
    plain_attribute,
)
from ttl.sim.replay.purity import Read, summary
from ttl.sim.replay.reason import Argument, NotReplayedError, Use
from ttl.source.spans import is_our_file

# A hashable description of a value.
Content = tuple[Any, ...]

# What one walk looks at at most.
_MOST_FUNCTIONS, _MOST_ITEMS = 256, 10_000
# What decorators leave behind in a function.
_OF_DECORATORS = {"__wrapped__"}
# Contents of values that say nothing to users.
_UNTOLD = ("function", "ttl", "builtin", "class", "type", "again")
# Contents of values of which there is one object only: comparing them with ``is`` says no more than ``==``.
_SINGLE = ("enum", "dtype", bool, type(None))
_WORDS = {ModuleType: "a module", Operation: "an operation"}


class Walk:
    """One walk from a function or a value.

    ``tensors`` are the distinct ones it came by, ``facts`` what the names it met stand for.
    """

    def __init__(self) -> None:
        self.tensors: list[Tensor] = []
        self.facts: dict[str, Content] = {}
        self._seen: dict[int, int] = {}
        self._alive: list[Any] = []
        self._items = self._functions = 0

    def function(self, function: FunctionType) -> tuple[Content, Kept]:
        """A user's function: its code and all that it reads. Raises ``NotReplayedError``."""
        known = self._once(function)
        if known is not None:
            return known, (None, Same(function))
        self._functions += 1
        if self._functions > _MOST_FUNCTIONS:
            raise NotReplayedError(f"it reaches more than {_MOST_FUNCTIONS} functions")
        code = function.__code__
        start = Use((code,), 0, "a default value")
        if type(function.__globals__) is not dict or type(builtins_of(function)) is not dict:
            start.refuse("runs in a namespace of its own kind")
        if function.__dict__.keys() - _OF_DECORATORS:
            start.refuse("has attributes")
        check = FunctionCheck(function)
        content: list[Any] = ["function", code]
        positional, kept = self.admit(function.__defaults__, start)
        keywords, kept_keywords = self.admit(function.__kwdefaults__, start)
        check.set_defaults(kept, kept_keywords)
        content += (positional, keywords)
        waiting: list[tuple[tuple[CodeType, ...], frozenset[str]]] = [((code,), frozenset(code.co_freevars))]
        while waiting:
            codes, outer = waiting.pop()
            found = summary(codes[-1], outer)
            for read in found.reads:
                content.append(self._read(function, check, read, codes))
            if found.refused is not None:
                words, offset = found.refused
                Use(codes, offset).refuse(words)
            waiting.extend(((*codes, inner), free) for inner, free in reversed(found.nested))
        return tuple(content), (None, check)

    def admit(self, value: Any, use: Use | Argument) -> tuple[Content, Kept]:
        """A value of a kind that can be compared between calls. Raises ``NotReplayedError`` for others."""
        kind = type(value)
        if kind in ATOMS:
            return (kind, value), (value, None)
        if kind is float or kind is complex:
            return (kind, repr(value)), (value, None)  # 0.0 == -0.0, and NaN is not equal to itself
        if kind is Tensor:
            return ("tensor", self.tensor(value, use)), (None, Same(value))
        if isinstance(value, tuple) and (kind in (tuple, Shape) or is_torch_size(kind)):
            return self._container(value, use)
        if kind in (list, dict, set, frozenset):
            known = self._once(value)
            return (
                self._container(value, use) if known is None else (known, (None, partial(has_id, id(value))))
            )
        if isinstance(value, Enum):
            check_enum(value, use)
            content, kept = self.admit(value.value, use)
            match = None if kept[1] is None else All(Same(value), Attribute(value, "value", kept))
            return ("enum", kind, value.name, content), (value if match is None else None, match)
        if kind is DType:
            return ("dtype", value), (value, None)
        if kind is range or kind is slice:
            content, kept = self.admit((value.start, value.stop, value.step), use)
            if kept[1] is not None:
                use.refuse_value("a slice of objects")
            return (kind, content), (value, None)
        if isinstance(value, np.generic) and not isinstance(value, np.void | np.object_):
            return (kind, value.dtype.str, value.tobytes()), (value, None)
        return self._admit_rarer(value, use)

    def tensor(self, tensor: Tensor, use: Use | Argument) -> int:
        """The number of a tensor among the distinct ones."""
        if tensor.shards is not None:
            use.refuse_value("a tensor on a mesh")
        for index, other in enumerate(self.tensors):
            if other is tensor:
                return index
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    # -- kinds of values -----------------------------------------------------------------------------------------

    def _admit_rarer(self, value: Any, use: Use | Argument) -> tuple[Content, Kept]:
        kind = type(value)
        if kind is FunctionType:
            if not is_our_file(value.__code__.co_filename):
                return self.function(value)
            if is_of_the_language(value):
                return ("ttl", value), (value, None)
        elif kind is BuiltinFunctionType or isinstance(value, type):
            if is_pure(value):
                return ("builtin", value), (value, None)
            if isinstance(value, type) and is_plain_class(value):
                return ("class", value), (value, None)
        elif kind is partial and not value.__dict__:
            parts = [(name, *self.admit(getattr(value, name), use)) for name in ("func", "args", "keywords")]
            matches = (Attribute(value, name, kept) for name, _, kept in parts)
            return ("partial", *(content for _, content, _ in parts)), (None, All(Same(value), *matches))
        elif kind is Pipe:
            (source, kept), (target, kept_target) = self.admit(value.src, use), self.admit(value.dst, use)
            ends = All(Attribute(value, "src", kept), Attribute(value, "dst", kept_target))
            return ("pipe", source, target), (None, ends)
        elif kind is PipeNet:
            known = self._once(value)
            content, kept = (known, (value.pipes, None)) if known else self.admit(value.pipes, use)
            return ("net", content), (None, All(Same(value), Attribute(value, "pipes", kept)))
        elif kind is control.FUNCTION:
            return ("ttl", value), (value, None)  # a function of the language, in C
        elif kind.__module__ == "typing" or kind is GenericAlias:
            return ("type", repr(value)), (value, None)  # in an annotation
        self._refuse(value, use)

    def _refuse(self, value: Any, use: Use | Argument) -> NoReturn:
        kind = type(value)
        if isinstance(use, Argument):
            use.refuse_value(f"an object of type {name_of(kind)}")
        if isinstance(value, type) or kind in (FunctionType, BuiltinFunctionType) or kind.__name__ == "ufunc":
            use.refuse()
        use.refuse_value(_WORDS.get(kind) or f"an object of type {name_of(kind)}")

    def _container(self, value: Any, use: Use | Argument) -> tuple[Content, Kept]:
        items = items_of(value)
        self._items += len(items)
        if self._items > _MOST_ITEMS:
            use.refuse_value(f"one of more than {_MOST_ITEMS} values in containers")
        pairs = [self.admit(item, use) for item in items]
        content = (type(value), *(content for content, _ in pairs))
        if isinstance(value, tuple | frozenset) and all(match is None for _, (_, match) in pairs):
            return content, (value, None)
        return content, (None, Items(value, (kept for _, kept in pairs)))

    def _once(self, value: Any) -> Content | None:
        """Content of an object that the walk has come by before: its number."""
        known = self._seen.get(id(value))
        if known is not None:
            return ("again", known)
        self._seen[id(value)] = len(self._seen)
        self._alive.append(value)
        return None

    # -- names ---------------------------------------------------------------------------------------------------

    def _read(
        self, function: FunctionType, check: FunctionCheck, read: Read, codes: tuple[CodeType, ...]
    ) -> Content:
        use = Use(codes, read.offset, read.spelling, read.called)
        if read.free:
            index = function.__code__.co_freevars.index(read.name)
            value = in_cell((function.__closure__ or ())[index])
            content, kept = self._path(value, read.attributes, check, use, read.identity)
            check.add_cell(index, kept)
        else:
            namespace = function.__globals__
            value = namespace.get(read.name, MISSING)
            if read.name.startswith("@py"):
                return ("pytest",)  # what its rewritten ``assert`` uses; looks at values that failed
            if value is MISSING:
                return self._builtin(function, check, read, use)
            content, kept = self._path(value, read.attributes, check, use, read.identity)
            check.add_global(namespace, read.name, kept)
        return content

    def _builtin(self, function: FunctionType, check: FunctionCheck, read: Read, use: Use) -> Content:
        check.add_global(function.__globals__, read.name, (MISSING, None))
        builtins = builtins_of(function)
        value = builtins.get(read.name, MISSING)
        check.add_global(builtins, read.name, (value, None))
        if value is MISSING:
            return ("nothing",)  # a NameError, if the code gets there
        if BUILTINS.get(read.name, MISSING) is not value or read.attributes:
            use.refuse()
        return ("builtin", read.name)

    def _path(
        self, value: Any, attributes: tuple[str, ...], check: FunctionCheck, use: Use, identity: bool
    ) -> tuple[Content, Kept]:
        """A value of which attributes are taken one after the other."""
        if value is MISSING:
            return ("nothing",), (MISSING, None)
        if isinstance(value, ModuleType) and attributes:
            return self._of_module(value, attributes, check, use, identity)
        if not attributes or is_data(value):
            if not ATTRIBUTES.issuperset(attributes):
                use.refuse()
            content, kept = self.admit(value, use)
            if content[0] not in _UNTOLD:
                words = use.spelling.split(".")
                self.facts.setdefault(".".join(words[: len(words) - len(attributes)]), content)
            if identity and (attributes or content[0] not in _SINGLE):
                use.refuse(f"compares {use.spelling} with 'is'")
            return content, kept
        name, *rest = attributes
        child = plain_attribute(value, name, use)
        content, kept = self._path(child, tuple(rest), check, use, identity)
        if isinstance(value, type):
            check.add_attribute(value, name, kept)
            return content, (value, None)
        return content, (None, Attribute(value, name, kept))

    def _of_module(
        self, module: ModuleType, attributes: tuple[str, ...], check: FunctionCheck, use: Use, identity: bool
    ) -> tuple[Content, Kept]:
        name, *rest = attributes
        if module.__name__ in LANGUAGE_MODULES and name not in vars(module):
            if name not in dir(module):  # an older spelling, made anew each time
                return ("older", *attributes), (module, None)
            getattr(module, name)  # the functions of the table are made when they are asked for
        child = vars(module).get(name, MISSING)
        if child is MISSING:
            use.refuse()
        content, kept = self._path(child, tuple(rest), check, use, identity)
        check.add_attribute(module, name, kept)
        return content, (module, None)


def builtins_of(function: FunctionType) -> dict[str, Any]:
    """The namespace in which a function looks up what is not in its globals."""
    untyped: Any = function  # whether types know the attribute depends on the version of Python that is meant
    found: dict[str, Any] = untyped.__builtins__
    return found
