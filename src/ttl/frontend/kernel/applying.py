"""Functions of Python and of the language, applied to values of the kernel domain; exceptions become findings."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from ttl.diag import Diagnostic, TTLError
from ttl.diag.values import short
from ttl.frontend import number_functions, refusals, special_methods
from ttl.frontend.classes import Instance, UserClass, held_in, holds, holds_read, is_compared_here
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel.algebra import TABLE, CellDecision
from ttl.frontend.kernel.arithmetic import undone
from ttl.frontend.kernel.kinds import NUMBERS_OF_NODE, ValueKind, kind_of, stand_in
from ttl.frontend.limits import counted, is_harmless, too_much
from ttl.frontend.mutable import changed_by_call, noting_defaults
from ttl.frontend.reals import as_real
from ttl.frontend.scalars import NodeCondition, NodeInteger
from ttl.frontend.stop import Poisoned, Reject, static_needed
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import Poison, PrintedText, RangeValue, Sequential, UserFunction
from ttl.lang import mistakes
from ttl.lang.block import Block
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.expr import BlockExpr
from ttl.lang.tiles import TileInMemory, TileValue
from ttl.lang.transfers import GroupTransfer, Transfer

# Exceptions that end the evaluation of a statement, and are not exceptions of Python to be reported.
_ENDS = (Reject, Poisoned, TTLError)
# Modules whose functions only compute.
_PURE = ("_operator", "builtins", "math")
_TEXTS = frozenset(map(id, (str, repr, ascii, format)))
# Python's own functions of one value, by identity, and their names in the table. Builtins are never freed.
_OF_ONE = {id(function): function.__name__ for function in (str, repr, format, hash, len, complex, iter)}
# Modules of this package that stand for torch when a program is only read.
_TORCH = "ttl.frontend.host.torch_"
# The public classes of values for which a kernel has its own objects.
_PUBLIC: dict[ValueKind, type] = {
    ValueKind.EXPRESSION: BlockExpr,
    ValueKind.BLOCK: Block,
    ValueKind.BUFFER: DataflowBuffer,
}
# The attributes of an integer: 1 for those that are the integer itself; the others are constants.
_WHOLE = {"real": 1, "numerator": 1, "imag": 0, "denominator": 0}


class FunctionApplication:
    """Application of functions that run while source is read."""

    def __init__(self, reader: Evaluator) -> None:
        self._reader = reader

    def python(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Apply a function of Python, or of the language, to values; an exception becomes a finding."""
        for argument in arguments:
            if type(argument) is PrintedText:
                raise Reject(refusals.must_be_known("the text of a block, buffer or number"))
        if function is not getattr:
            function = stand_in(function)
            known = self._of_numbers(function, arguments, keywords)
            if known is not None:
                return known
            for changed in changed_by_call(function, arguments):
                self._reader.domain.require_mutable(changed)
        special = special_methods.applied(self._reader, function, arguments, keywords)
        if special is not special_methods.NOT_SPECIAL:
            return special
        if arguments and id(function) in _TEXTS and isinstance(arguments[0], Instance):
            kind = arguments[0].ttl_kind.ttl_name
            what = f"the text of an object of {kind}, which contains its address in memory"
            raise Reject(refusals.not_on_node(what, "give the class a __str__"))
        if function is not getattr and not is_harmless(function, arguments):
            large = too_much(function, arguments)
            if large:
                raise Reject(refusals.too_large_a_value(large))
            arguments = counted(function, arguments)
        is_attribute = function is getattr and len(arguments) in (2, 3) and not keywords
        called = self._attribute if is_attribute else function
        result = self.attempted(
            lambda: noting_defaults(
                lambda: called(*arguments, **keywords),
                function,
                arguments,
                self._reader.domain.require_mutable,
            ),
            function,
            arguments,
            keywords,
        )
        if isinstance(result, Poison):  # it comes from a container or an object of host code
            raise Poisoned
        return result

    def attempted(
        self,
        call: Callable[[], Any],
        function: Callable[..., Any],
        arguments: Sequence[Any],
        keywords: dict[str, Any],
    ) -> Any:
        """Return the result of a call that applies a function to values; an exception becomes a finding about it."""
        try:
            return call()
        except _ENDS:
            raise
        except Exception as raised:
            raise Reject(self._finding(raised, function, arguments, keywords)) from None

    def _finding(
        self,
        raised: Exception,
        function: Callable[..., Any],
        arguments: Sequence[Any],
        keywords: dict[str, Any],
    ) -> Diagnostic:
        values = (*arguments, *keywords.values())
        if of_arrays(function):
            return self._of_arrays(raised, function, values)
        if isinstance(raised, TypeError | AttributeError) and _has_number_of_node(values):
            return self._raised_of_numbers(function, arguments, keywords, raised)
        kind = _read_class(raised, function, values)
        if kind is not None:
            return refusals.of_read_object(ast.unparse(self._reader.place), kind)
        return _explained(raised, function)

    def _of_arrays(self, raised: Exception, function: Any, values: tuple[Any, ...]) -> Diagnostic:
        """Return the finding about an exception of a function of torch or NumPy, or of a stand-in for it.

        Raises ``NotKnown`` for a stand-in of a function of NumPy, in a program that is only read: the function itself
        is called when the program runs, and reports its errors then.
        """
        finding = mistakes.not_an_array(values)
        if finding is not None:
            return finding
        stands_in = _module_of(function).startswith(_TORCH)
        if _has_number_of_node(values) or (stands_in and not _is_of_numpy(function, values)):
            place = self._reader.place
            written = ast.unparse(place.func if isinstance(place, ast.Call) else place)
            return refusals.call(getattr(function, "name", written))
        if stands_in:
            raise NotKnown(Unknown(why="a function of NumPy")) from raised
        return _explained(raised, function)

    def _of_numbers(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """Return the result of a function of Python that the node computes; None if Python itself computes it.

        Raises ``Reject`` if neither computes it.
        """
        if arguments and id(function) in _OF_ONE:
            cell = TABLE[_OF_ONE[id(function)]][kind_of(arguments[0])][ValueKind.OBJECT]
            if cell.decided not in (CellDecision.KNOWN, CellDecision.COMPUTED, CellDecision.RAISES):
                undone(self.python, cell, function, *arguments)
        owner = getattr(function, "__self__", None)
        if id(function) in _TEXTS and arguments and not any(arguments[1:]):
            is_shown_here = partial(special_methods.is_shown_here, self._reader)
            if any(holds(member, is_shown_here) for member in held_in(arguments[0])):
                return self._reader.domain.text(special_methods.pieces_of(self._reader, arguments[0], repr))
        if id(function) in _TEXTS or isinstance(owner, str):
            _require_text((*arguments, *keywords.values()))
        if isinstance(owner, str) and holds_read((*arguments, *keywords.values())):
            raise Reject(refusals.not_on_node("the text of an object in another", "write an f-string"))
        if type(owner) is list or type(owner) is tuple:
            return number_functions.method(self._reader, function, arguments)
        return None

    @staticmethod
    def _attribute(value: Any, name: str, *default: Any) -> Any:
        try:
            return _attribute_of(value, name)
        except AttributeError:
            if not default:
                raise
            return default[0]

    def _raised_of_numbers(
        self,
        function: Callable[..., Any],
        arguments: Sequence[Any],
        keywords: dict[str, Any],
        raised: Exception,
    ) -> Diagnostic:
        """Return the finding about a function of numbers: they are known on the node only, or it accepts no numbers."""
        if getattr(function, "__module__", None) not in _PURE:
            if isinstance(raised, AttributeError) and isinstance(raised.obj, NUMBERS_OF_NODE):
                return refusals.must_be_known("a number")
            return _explained(raised, function)
        try:
            function(*map(stand_in, arguments), **keywords)
        except Exception as real:
            return _explained(real, function)
        return refusals.no_arithmetic(ast.unparse(self._reader.place))


def _read_class(raised: Exception, function: Any, values: tuple[Any, ...]) -> str | None:
    """The name of a class or function of the program that is only read, if Python may have failed for that reason."""
    if function is getattr and isinstance(raised, AttributeError) and isinstance(values[0], Instance):
        return None if values[0].ttl_kind.ttl_is_whole else values[0].ttl_kind.ttl_name
    return _first_read((function, *values, *raised.args))


def _first_read(values: Iterable[Any]) -> str | None:
    for value in values:
        match value:
            case Instance():
                return value.ttl_kind.ttl_name
            case UserClass():
                return value.ttl_name
            case UserFunction():
                return value.name
            case list() | tuple():
                inner = _first_read(value)
                if inner is not None:
                    return inner
            case _ if isinstance(value, enum.Enum) and hasattr(type(value), "ttl_methods"):
                return type(value).__name__
    return None


def _has_number_of_node(values: Iterable[Any]) -> bool:
    """Whether a value, or one inside a container, is a number that only the node knows."""
    return any(
        isinstance(value, NUMBERS_OF_NODE)
        or (isinstance(value, list | tuple | set) and _has_number_of_node(value))
        or (isinstance(value, dict) and _has_number_of_node(value.values()))
        for value in values
    )


def _explained(raised: Exception, function: Any) -> Diagnostic:
    """Return an exception of Python as a finding, in the language's words if it is about objects of this package."""
    finding = mistakes.without_a_frame(raised, function)
    if finding is not None:
        return finding
    text = str(raised).split("\n", 1)[0].rstrip(". ")
    if isinstance(raised, KeyError) and len(raised.args) == 1:
        text = short(raised.args[0])
    return refusals.raises(
        type(raised).__name__, text, notes=("this happens on every node, independent of the tensors",)
    )


def of_arrays(function: Any) -> bool:
    """Return whether a function is one of NumPy or torch, or stands for one in a program that is read and not imported."""
    kind = function if isinstance(function, type) else type(function)
    return any(
        module.partition(".")[0] in ("numpy", "torch") or module.startswith(_TORCH)
        for module in (_module_of(function), kind.__module__)
    )


def _module_of(function: Any) -> str:
    return str(getattr(function, "__module__", None) or "")


def _is_of_numpy(function: Any, values: tuple[Any, ...]) -> bool:
    """Return whether a stand-in for a function or method stands for one of NumPy's."""
    named = getattr(function, "name", getattr(values[0] if values else None, "library", ""))
    return getattr(function, "library", str(named).partition(".")[0]) == "numpy"


def _require_text(given: tuple[Any, ...]) -> None:
    """Refuse to make a text of values that only the node knows."""
    if any(map(is_compared_here, given)) and not holds_read(given):
        raise static_needed("the text of a number")


def _attribute_of(value: Any, name: str) -> Any:
    """Return ``value.name``; for a stand-in of a value of the node, the attribute of the program's own object.

    Raises ``AttributeError`` for an attribute that the program's own object would not have.
    """
    if isinstance(value, NUMBERS_OF_NODE):
        return _of_number(value, name)
    if isinstance(value, Sequential) and not (
        isinstance(value, RangeValue) and name in ("start", "stop", "step")
    ):
        raise static_needed(f"{name} of a range or list")
    public: type | None = None
    if isinstance(value, GroupTransfer | Transfer):
        public = GroupTransfer if isinstance(value, GroupTransfer) else Transfer
    elif isinstance(value, TileValue | TileInMemory):
        public = TileValue if isinstance(value, TileValue) else type(value)
    elif isinstance(value, BlockExpr | DataflowBuffer):
        public = _PUBLIC.get(kind_of(value))
    if public is not None and not hasattr(public, name):
        raise AttributeError(f"'{public.__name__}' object has no attribute '{name}'")
    return getattr(value, name)


def _of_number(value: Any, name: str) -> Any:
    known = stand_in(value)
    getattr(known, name)  # raises the error that Python would raise on every node
    if name == "__class__":
        return type(known)
    if isinstance(value, NodeInteger) and name in _WHOLE:
        return value if _WHOLE[name] else int(name == "denominator")
    if name == "imag":
        return 0 if isinstance(value, NodeCondition) else 0.0
    if name == "real" and not isinstance(value, NodeCondition):
        return as_real(value)
    raise Reject(refusals.not_on_node(f"{name} of a number", "compute it with operators on numbers"))
