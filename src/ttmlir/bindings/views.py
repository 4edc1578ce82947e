"""Views of operations, made from their signatures: a class, a function, and properties for operands and attributes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Region as XdslRegion

from tt_model.operations.dialects import all_rows, rows_of
from tt_model.operations.row import SEGMENTS
from ttl.ir.context import make_context
from ttmlir.bindings.insertion import InsertionPoint
from ttmlir.bindings.operation_base import insert
from ttmlir.bindings.operations import OperationHandle, OpResultList, OpView, value_of, wrap_value
from ttmlir.bindings.scope import Attribute, Location, Type, location_or_current, wrap_attribute
from ttmlir.bindings.signatures import GivenAttribute, Group, Signature, of_class, of_row, segment_sizes
from ttmlir.bindings.upstream import adapted

# The dialects whose views are written by hand or made from xDSL's definitions.
UPSTREAM = ("func", "arith", "tensor", "scf", "affine")
# Dialects with views written by hand, in ``WRITTEN`` of their module.
WITH_WRITTEN = ("func", "scf", "tensor")


class GeneratedView(OpView):
    """The view of an operation with a known signature."""

    SIGNATURE: ClassVar[Signature]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        if len(arguments) == 1 and not named and isinstance(arguments[0], OperationHandle):
            super().__init__(arguments[0])
            return
        super().__init__(make_operation(self.SIGNATURE, arguments, named))

    def __init_subclass__(cls) -> None:
        for index, group in enumerate(cls.SIGNATURE.operands):
            setattr(cls, group.parameter, _operand_property(index, group))
        for index, group in enumerate(cls.SIGNATURE.results):
            if group.parameter != "result" or group.arity != "one":
                setattr(cls, group.parameter, _result_property(index, group))
        for attribute in cls.SIGNATURE.attributes:
            setattr(cls, attribute.parameter, _attribute_property(attribute))

    def operand_bounds(self, index: int) -> tuple[int, int]:
        """The positions of the first operand of a group and of the one after its last."""
        groups = self.SIGNATURE.operands
        operation = self.xdsl
        if self.SIGNATURE.segments:
            attribute: Any = operation.properties.get(SEGMENTS) or operation.attributes[SEGMENTS]
            sizes = list(attribute.get_values())
        else:
            fixed = sum(group.arity == "one" for group in groups)
            sizes = [1 if group.arity == "one" else len(operation.operands) - fixed for group in groups]
        return sum(sizes[:index]), sum(sizes[: index + 1])


def make_operation(signature: Signature, arguments: Sequence[Any], named: dict[str, Any]) -> OperationHandle:
    """Make an operation of a signature from the arguments of its class or function."""
    given = _bind(signature, arguments, named)
    place: Location = location_or_current(given.pop("loc", None))
    point: InsertionPoint | bool | None = given.pop("ip", None)
    operands, sizes = [], []
    for group in signature.operands:
        values = _values(given.get(group.parameter), group)
        operands += values
        sizes.append(len(values))
    attributes = {}
    for attribute in signature.attributes:
        value = given.get(attribute.parameter)
        if value is None and attribute.default is not None:
            attributes[attribute.name] = attribute.default
        if value is not None:
            plain = value.xdsl if isinstance(value, Attribute | Type) else _plain(value)
            attributes[attribute.name] = attribute.convert(plain) if not _is_xdsl(plain) else plain
    if signature.segments:
        attributes[SEGMENTS] = segment_sizes(tuple(sizes))
    results: list[Any] = []
    for group in signature.results:
        types = given.get("results" if signature.infer is not None else group.parameter)
        results += [types] if isinstance(types, Type) else list(types or ())
    result_types = [type.xdsl for type in results]
    if signature.infer is not None and not result_types:
        result_types = signature.infer([operand.type for operand in operands])
    operation = signature.make(
        operands=operands,
        result_types=result_types,
        properties=attributes,
        regions=[XdslRegion() for _ in range(signature.regions)],
        location=place.xdsl,
    )
    handle = OperationHandle.wrapping(operation, place.context)
    insert(handle, point)
    return handle


def _bind(signature: Signature, arguments: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
    positional = signature.positional
    who = f"{signature.class_name}()"
    if len(arguments) > len(positional):
        raise TypeError(
            f"{who} takes {len(positional)} positional arguments ({', '.join(positional)}) but {len(arguments)} were given"
        )
    given = dict(zip(positional, arguments, strict=False))
    spellings = signature.spellings
    for written, value in named.items():
        name = spellings.get(written, written)
        if name in given:
            raise TypeError(f"{who} got multiple values for argument '{name}'")
        if name not in (*positional, *signature.optional, "loc", "ip"):
            raise TypeError(
                f"{who} got an unexpected keyword argument '{name}'; it takes "
                f"{', '.join((*positional, *signature.optional, 'loc', 'ip'))}"
            )
        given[name] = value
    if missing := [name for name in positional if name not in given]:
        raise TypeError(f"{who} missing {len(missing)} required arguments: {', '.join(missing)}")
    return given


def _values(given: Any, group: Group) -> list[Any]:
    if given is None:
        return []
    if group.arity == "variadic" and isinstance(given, Sequence):
        return [value_of(one) for one in given]
    if group.arity == "variadic":
        results = getattr(given, "results", None)
        return [value_of(one) for one in results] if results is not None else [value_of(given)]
    return [value_of(given)]


def _is_xdsl(value: Any) -> bool:
    from xdsl.ir import Attribute as XdslAttribute

    return isinstance(value, XdslAttribute)


def _plain(value: Any) -> Any:
    wrapped = getattr(value, "xdsl", None)
    if wrapped is not None:
        return wrapped
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _operand_property(index: int, group: Group) -> property:
    def read(view: GeneratedView) -> Any:
        start, end = view.operand_bounds(index)
        values = [wrap_value(one, view.context) for one in view.xdsl.operands[start:end]]
        if group.arity == "variadic":
            return OpResultList(values)
        return values[0] if values else None

    return property(read, doc=f"The operand ``{group.name}``.")


def _result_property(index: int, group: Group) -> property:
    def read(view: GeneratedView) -> Any:
        values = [wrap_value(one, view.context) for one in view.xdsl.results]
        return OpResultList(values) if group.arity == "variadic" else values[index]

    return property(read, doc=f"The result ``{group.name}``.")


def _attribute_property(attribute: GivenAttribute) -> property:
    def read(view: GeneratedView) -> Any:
        value = view.xdsl.properties.get(attribute.name) or view.xdsl.attributes.get(attribute.name)
        return None if value is None else wrap_attribute(value, view.context)

    def write(view: GeneratedView, value: Any) -> None:
        if value is None:
            delete(view)
            return
        plain = _plain(value)
        view.xdsl.properties[attribute.name] = plain if _is_xdsl(plain) else attribute.convert(plain)

    def delete(view: GeneratedView) -> None:
        if attribute.required:
            raise ValueError(f"{view.OPERATION_NAME} requires the attribute {attribute.name}")
        view.xdsl.properties.pop(attribute.name, None)

    return property(read, write, delete, doc=f"The attribute ``{attribute.name}``.")


def make_view(signature: Signature) -> type[GeneratedView]:
    """Make the class of the views of an operation."""
    return type(
        signature.class_name,
        (GeneratedView,),
        {
            "SIGNATURE": signature,
            "OPERATION_NAME": signature.name,
            "__doc__": signature.doc,
            "__signature__": signature.python_signature(function=False),
        },
    )


def make_function(view: type[GeneratedView]) -> Any:
    """Make the function that makes an operation.

    It returns the result or results, or the operation if it has no results.
    """

    def function(*arguments: Any, **named: Any) -> Any:
        operation = view(*arguments, **named)
        match len(operation.results):
            case 0:
                return operation
            case 1:
                return operation.results[0]
        return operation.results

    function.__name__ = function.__qualname__ = view.SIGNATURE.function_name
    function.__doc__ = view.SIGNATURE.doc
    setattr(function, "__signature__", view.SIGNATURE.python_signature(function=True))  # noqa: B010
    return function


@cache
def views_of(dialect: str) -> dict[str, type[GeneratedView]]:
    """The views of a dialect's operations, by the names of their classes."""
    if dialect in UPSTREAM:
        signatures = [adapted(of_class(kind)) for kind in _upstream(dialect)]
    else:
        signatures = [of_row(row) for row in rows_of(dialect).rows]
    return {signature.class_name: make_view(signature) for signature in signatures}


def _upstream(dialect: str) -> list[type[Any]]:
    context = make_context({})
    context.load_registered_dialect(dialect)
    return [kind for kind in context.loaded_ops if kind.name.partition(".")[0] == dialect]


@cache
def _by_operation(dialect: str) -> dict[str, type[OpView]]:
    views: dict[str, type[OpView]] = {view.OPERATION_NAME: view for view in views_of(dialect).values()}
    if dialect in WITH_WRITTEN:
        module = import_module(f"ttmlir.dialects.{dialect}")
        views |= {view.OPERATION_NAME: view for view in module.WRITTEN}
    return views


def view_class(name: str) -> type[OpView]:
    """Return the class of the views of an operation by the operation's name."""
    dialect = name.partition(".")[0]
    if dialect in UPSTREAM or any(row.dialect == dialect for row in all_rows()):
        return _by_operation(dialect).get(name, OpView)
    if name == "builtin.module":
        return ModuleView
    return OpView


class ModuleView(OpView):
    """The view of a module."""

    OPERATION_NAME = "builtin.module"

    @property
    def body(self) -> Any:
        """The only block of the operation."""
        return self.regions[0].blocks[0]


def is_registered(operation: OperationHandle) -> bool:
    """Whether an operation is registered."""
    return not isinstance(operation.xdsl, UnregisteredOp)


@cache
def namespace_of(dialect: str) -> dict[str, Any]:
    """The classes and functions of a dialect, for its module."""
    names: dict[str, Any] = {}
    for view in views_of(dialect).values():
        names[view.__name__] = view
        names[view.SIGNATURE.function_name] = make_function(view)
    return names


def member_of(dialect: str, name: str) -> Any:
    """A class or a function of a dialect. Raises ``AttributeError``, as the module of the dialect does."""
    try:
        return namespace_of(dialect)[name]
    except KeyError:
        raise AttributeError(f"the dialect {dialect} has no operation {name}") from None
