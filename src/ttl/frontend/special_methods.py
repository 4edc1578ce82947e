"""Special methods: operators and Python's own functions applied to objects of classes that are only read.

An object of a class of the program is an ``Instance`` while the program is read, so Python's operators do not find the
methods in its source. Both domains use this module before they apply a function of Python.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import BuiltinFunctionType
from typing import Any

from ttl.frontend import refusals
from ttl.frontend.classes import REQUIRED, Instance, UserClass, Wrapped, holds
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.function_calls import apply
from ttl.frontend.operators import ALIKE, BINARY, INPLACE, RELATION, alike, is_any
from ttl.frontend.reals import NodeFloat
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio, negated
from ttl.frontend.stop import Reject
from ttl.frontend.values import PrintedText, UserFunction, is_symbolic
from ttl.lang.expr import BlockExpr

NOT_SPECIAL: Any = object()

_RELATIONS = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_UNARY: Mapping[Callable[..., Any], tuple[str, ...]] = {
    operator.neg: ("__neg__",), operator.pos: ("__pos__",), operator.invert: ("__invert__",), abs: ("__abs__",),
    len: ("__len__",), bool: ("__bool__", "__len__"), int: ("__int__", "__index__"), float: ("__float__", "__index__"),
    operator.index: ("__index__",), round: ("__round__",), str: ("__str__", "__repr__"), repr: ("__repr__",),
    hash: ("__hash__",), operator.getitem: ("__getitem__",), operator.contains: ("__contains__",),
    reversed: ("__reversed__",), iter: ("__iter__",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Operator:
    """The methods of the left operand, in the order in which they are tried, and the method of the right operand."""

    left: tuple[str, ...]
    right: str


def _operators() -> dict[Callable[..., Any], _Operator]:
    table = {}
    for kind, function in BINARY.items():
        name = function.__name__.rstrip("_")
        plain, reflected = f"__{name}__", f"__r{name}__"
        table[function] = _Operator((plain,), reflected)
        table[INPLACE[kind]] = _Operator((f"__i{name}__", plain), reflected)
    for name, mirrored in _RELATIONS.items():
        table[getattr(operator, name)] = _Operator((f"__{name}__",), f"__{mirrored}__")
    table[alike] = table[operator.eq]
    return table


_OPERATORS = _operators()
_CHANGING = frozenset(INPLACE.values())
_ORDERS = (operator.lt, operator.le, operator.gt, operator.ge)
_RELATION = {function: kind for kind, function in RELATION.items()}


def applied(
    reader: Evaluator, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Any:
    """The result of a function of Python for an object that is read; ``NOT_SPECIAL`` if the object lacks the method."""
    if keywords or not arguments:
        return NOT_SPECIAL
    first = arguments[0]
    if function is getattr:
        return _attribute(reader, arguments) if len(arguments) in (2, 3) else NOT_SPECIAL
    second = arguments[1] if len(arguments) > 1 else None
    if not (isinstance(first, Instance) or isinstance(second, Instance)):
        if function is operator.getitem and isinstance(first, UserClass):
            return first  # ``Generic[T]`` and the like evaluate to the class
        # An object must not be changed while it is read.
        if type(function) is not BuiltinFunctionType or function not in _CHANGING:
            return NOT_SPECIAL
    if len(arguments) == 2:
        arguments = tuple(map(reader.domain.as_read, arguments))
        first = arguments[0]
    try:
        known = _OPERATORS.get(function)
        names = _UNARY.get(function, ())
    except TypeError:  # it is not hashable
        return NOT_SPECIAL
    if known is not None and len(arguments) == 2:
        return _operated(reader, function, known, first, arguments[1])
    if not isinstance(first, Instance):
        return NOT_SPECIAL
    if function is type and len(arguments) == 1:
        return _class_of(first)
    if function is format and arguments[1:] == ("",) and method_of(first, "__format__") is None:
        return _text(reader, first, ("__str__", "__repr__"))
    if function in (str, repr):
        return _text(reader, first, names)
    for name in names:
        method = method_of(first, name)
        if method is not None:
            result = apply(reader, method, list(arguments), {})
            return result if name != "__len__" or function is len else result != 0
    if function is operator.contains and method_of(first, "__iter__") is not None:
        return is_any(reader, arguments[1], reader.domain.members(first, reader.place))
    return NOT_SPECIAL


def members_of(reader: Evaluator, value: Instance) -> Any:
    """Return the result of an object's ``__iter__``; ``NOT_SPECIAL`` if it lacks the method."""
    method = method_of(value, "__iter__")
    return NOT_SPECIAL if method is None else apply(reader, method, [value], {})


def all_members(reader: Evaluator, value: Any, node: ast.AST) -> list[Any]:
    """All members, for a list or tuple. Like Python, it calls ``__iter__``, then ``__len__`` or ``__length_hint__``."""
    if not isinstance(value, Instance):
        return reader.domain.members(value, node)
    steps = reader.domain.steps(value, node)
    for name in ("__len__", "__length_hint__"):
        method = method_of(value, name)
        if method is not None:
            apply(reader, method, [value], {})
            break
    return list(steps)


def method_of(value: Instance, name: str) -> UserFunction | None:
    """A method in the source of an object's class; None if the class does not define it."""
    method = value.ttl_kind.ttl_find(name)
    return method if isinstance(method, UserFunction) else None


def is_instance(value: Any, kinds: Any, python: Callable[..., Any]) -> bool:
    """``isinstance``, whose classes may be classes that are only read."""
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if isinstance(kind, UserClass):
            if isinstance(value, Instance) and _derives(value.ttl_kind, kind):
                return True
        elif (isinstance(value, Instance) and _derives_of(value.ttl_kind, kind)) or python(
            isinstance, value, kind
        ):
            return True
    return False


def _operated(
    reader: Evaluator, function: Callable[..., Any], known: _Operator, left: Any, right: Any
) -> Any:
    if isinstance(left, BlockExpr) and any(hasattr(left, name) for name in known.left):
        return NOT_SPECIAL  # a block refuses unknown operands, and does not leave the operation to the other operand
    for value, other, names in ((left, right, known.left), (right, left, (known.right,))):
        for name in names:
            method = method_of(value, name) if isinstance(value, Instance) else None
            if method is not None:
                result = apply(reader, method, [value, other], {})
                if result is not NotImplemented:
                    return result
    if function in _RELATION and function not in (operator.is_, operator.is_not):
        tuples = _as_tuples(left, right)
        if tuples is not None:
            return reader.domain.related(_RELATION[function](), *tuples)
    if (
        function in _ORDERS
        and isinstance(left, Instance)
        and isinstance(right, Instance)
        and left.ttl_kind is right.ttl_kind
        and (left.ttl_kind.ttl_as_tuple or left.ttl_kind.ttl_is_ordered)
    ):
        values = (tuple(instance.ttl_values.values()) for instance in (left, right))
        return reader.domain.related(_RELATION[function](), *values)
    if function in (operator.eq, alike) and isinstance(left, Instance) and isinstance(right, Instance):
        if left is right or left.ttl_kind is not right.ttl_kind or left.ttl_kind.ttl_fields is None:
            return left is right
        values = (tuple(instance.ttl_values.values()) for instance in (left, right))
        return reader.domain.related(ALIKE, *values)
    if function is operator.ne:
        equal = _operated(reader, operator.eq, _OPERATORS[operator.eq], left, right)
        return equal if equal is NOT_SPECIAL else negated(reader.domain.truth(equal))
    return NOT_SPECIAL


def _as_tuples(left: Any, right: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """Return the members of two named tuples, or of a named tuple and a tuple; None for other values."""
    values: list[tuple[Any, ...]] = []
    for value in (left, right):
        if isinstance(value, Instance) and value.ttl_kind.ttl_as_tuple:
            values.append(tuple(value.ttl_values.values()))
        elif isinstance(value, tuple):
            values.append(value)
    return (values[0], values[1]) if len(values) == 2 else None


def _text(reader: Evaluator, value: Instance, names: tuple[str, ...]) -> Any:
    for name in names:
        method = method_of(value, name)
        if method is not None:
            return apply(reader, method, [value], {})
    kind = value.ttl_kind
    if kind.ttl_fields is None:
        return NOT_SPECIAL
    fields = {name: value.ttl_values[name] for name in kind.ttl_fields if name in value.ttl_values}
    return reader.domain.text(_of_fields(reader, kind.ttl_name, fields))


def pieces_of(reader: Evaluator, value: Any, text: Callable[..., Any] = str) -> list[Any]:
    """Return the text of a value in pieces: texts, and values that only the node knows."""
    match value:
        case PrintedText() if text is str:
            return [*value.parts]
        case NodeInteger() | NodeCondition() | NodeFloat() | NodeRatio():
            return [value]
        case Instance():
            return pieces_of(reader, reader.domain.python(text, value))
    if text is str and reader.domain.is_opaque(value):
        return [value]
    if not holds(value, partial(is_shown_here, reader)):
        return [value if text is str else reader.domain.python(repr, value)]
    if type(value) in (tuple, list):
        start, end = "[]" if type(value) is list else ("(", ",)" if len(value) == 1 else ")")
        return [start, *_listed(reader, [("", member) for member in value]), end]
    if type(value) is dict:
        return ["{", *_listed(reader, [(f"{key!r}: ", member) for key, member in value.items()]), "}"]
    if dataclasses.is_dataclass(value) and getattr(type(value).__repr__, "__wrapped__", None) is not None:
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.repr}
        return _of_fields(reader, type(value).__qualname__, fields)
    kind = (
        f"{type(value).__name__} with numbers of the node"
        if is_symbolic(value)
        else "block, buffer or number"
    )
    raise Reject(refusals.must_be_known(f"the text of a {kind}"))


def is_shown_here(reader: Evaluator, value: Any) -> bool:
    """Whether Python itself cannot convert a value to text."""
    return isinstance(value, Instance | PrintedText) or is_symbolic(value) or reader.domain.is_opaque(value)


def _of_fields(reader: Evaluator, name: str, fields: Mapping[str, Any]) -> list[Any]:
    return [f"{name}(", *_listed(reader, [(f"{field}=", value) for field, value in fields.items()]), ")"]


def _listed(reader: Evaluator, members: list[tuple[str, Any]]) -> list[Any]:
    pieces: list[Any] = []
    for position, (label, member) in enumerate(members):
        pieces += [", " * bool(position) + label, *pieces_of(reader, member, repr)]
    return pieces


def _attribute(reader: Evaluator, arguments: tuple[Any, ...]) -> Any:
    value, name, *_ = arguments
    if name == "item" and isinstance(value, int | float):
        return partial(_itself, value)  # a scalar of NumPy, which is a number here
    if isinstance(value, enum.Enum):
        method = getattr(type(value), "ttl_methods", {}).get(name)
        if isinstance(method, Wrapped):
            return apply(reader, method.function, [value], {}) if method.how == "property" else NOT_SPECIAL
        return NOT_SPECIAL if method is None else partial(method, value)
    if not isinstance(value, Instance) or name in value.ttl_values:
        return NOT_SPECIAL
    if name == "__class__":
        return _class_of(value)
    if name == "__dict__":
        return dict(value.ttl_values)
    fallback = method_of(value, "__getattr__")
    if fallback is None or value.ttl_kind.ttl_find(name) is not REQUIRED:
        return NOT_SPECIAL
    return apply(reader, fallback, [value, name], {})


def _itself(value: Any) -> Any:
    return value


def _class_of(value: Instance) -> Any:
    """The class of an object, as the program sees it."""
    kind = value.ttl_kind
    return kind if kind.ttl_origin is None else kind.ttl_origin


def _derives_of(kind: UserClass, base: Any) -> bool:
    return kind.ttl_origin is not None and isinstance(base, type) and issubclass(kind.ttl_origin, base)


def _derives(kind: UserClass, base: UserClass) -> bool:
    return kind is base or any(
        isinstance(parent, UserClass) and _derives(parent, base) for parent in kind.ttl_bases
    )
