"""Python's own functions, and the language's, on values of the kernel domain: what they raise is a finding."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterable
from typing import Any

from ttl.diag import Diagnostic, TTLError
from ttl.diag.values import short
from ttl.frontend import number_functions, refusals, special_methods
from ttl.frontend.classes import Instance, UserClass
from ttl.frontend.containers import changed_by_call
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel import attributes
from ttl.frontend.kernel.algebra import TABLE, Decided
from ttl.frontend.kernel.arithmetic import undone
from ttl.frontend.kernel.kinds import NUMBERS_OF_NODE, ValueKind, kind_of, loops_of, stand_in
from ttl.frontend.limits import counted, is_harmless, too_much
from ttl.frontend.stop import Poisoned, Reject, StaticNeeded
from ttl.frontend.values import Poison, PrintedText, UserFunction, is_symbolic
from ttl.lang import mistakes

# Modules of functions that do nothing but compute.
_PURE = ("_operator", "builtins", "math")
_TEXTS = frozenset(map(id, (str, repr, ascii, format)))
# Python's own functions of one value, as the table calls them. They live as long as this.
_OF_ONE = {id(function): function.__name__ for function in (str, repr, format, hash, len, complex, iter)}
# Modules of ours that stand for torch where a program is read.
_TORCH = "ttl.frontend.host.torch_"


class Applying:
    """Application of functions that run while source is read."""

    def __init__(self, reader: Evaluator) -> None:
        self._reader = reader

    def python(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Apply a function of Python, or of the language, to values; what it raises is a finding."""
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
        if function is not getattr and not is_harmless(function, arguments):
            large = too_much(function, arguments)
            if large:
                raise Reject(refusals.too_large_a_value(large))
            arguments = counted(function, arguments)
        try:
            result = self._attribute(*arguments) if function is getattr else function(*arguments, **keywords)
        except (Reject, StaticNeeded, Poisoned, TTLError):
            raise
        except Exception as raised:
            if isinstance(raised, TypeError) and any(map(_is_of_node, arguments)):
                raise Reject(self._raised_of_numbers(function, arguments, keywords, raised)) from None
            kind = _read_class(raised, function, (*arguments, *keywords.values()))
            if kind is not None:
                raise Reject(refusals.of_read_object(ast.unparse(self._reader.place), kind)) from None
            raise Reject(_explained(raised, function, arguments)) from None
        if isinstance(result, Poison):  # out of a container or an object of host code
            raise Poisoned
        return result

    def _of_numbers(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """What a function of Python gives that the node computes; None where Python itself is to be asked.

        Raises ``StaticNeeded`` or ``Reject`` where nobody computes it.
        """
        if arguments and id(function) in _OF_ONE:
            cell = TABLE[_OF_ONE[id(function)]][kind_of(arguments[0])][ValueKind.OBJECT]
            if cell.decided not in (Decided.KNOWN, Decided.COMPUTED, Decided.RAISES):
                undone(self.python, cell, function, *arguments)
        owner = getattr(function, "__self__", None)
        if id(function) in _TEXTS or isinstance(owner, str):
            _require_text((*arguments, *keywords.values()))
        if type(owner) is list or type(owner) is tuple:
            return number_functions.method(self._reader, function, arguments)
        return None

    @staticmethod
    def _attribute(value: Any, name: str, *default: Any) -> Any:
        try:
            known = attributes.attribute(value, name)
        except AttributeError:
            if default:
                return default[0]
            raise
        return getattr(value, name, *default) if known is attributes.OTHERS else known

    def _raised_of_numbers(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        raised: TypeError,
    ) -> Diagnostic:
        """What is wrong with a function of numbers: they are known on the node only, or it takes no numbers at all."""
        if getattr(function, "__module__", None) not in _PURE:
            return _explained(raised, function)
        try:
            function(*map(stand_in, arguments), **keywords)
        except Exception as real:
            return _explained(real, function)
        return refusals.no_arithmetic(ast.unparse(self._reader.place))


def _read_class(raised: Exception, function: Any, values: tuple[Any, ...]) -> str | None:
    """The name of a class or function of the program that is only read, where Python may have failed for that reason."""
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


def _is_of_node(value: Any) -> bool:
    return isinstance(value, NUMBERS_OF_NODE)


def _explained(raised: Exception, function: Any, arguments: tuple[Any, ...] = ()) -> Diagnostic:
    """What Python raised, as a finding: in the language's words where it is about our objects."""
    finding = mistakes.without_a_frame(raised, function, arguments, of_arrays=of_arrays(function))
    if finding is not None:
        return finding
    text = str(raised).split("\n", 1)[0].rstrip(". ")
    if isinstance(raised, KeyError) and len(raised.args) == 1:
        text = short(raised.args[0])
    return refusals.raises(
        type(raised).__name__, text, notes=("it does so on every node, whatever is in the tensors",)
    )


def of_arrays(function: Any) -> bool:
    """Whether it is a function of NumPy or torch, or stands for one of torch that is read and not imported."""
    kind = function if isinstance(function, type) else type(function)
    modules = (getattr(function, "__module__", None), kind.__module__)
    return any(
        (module or "").partition(".")[0] in ("numpy", "torch") or (module or "").startswith(_TORCH)
        for module in modules
    )


def _require_text(given: tuple[Any, ...]) -> None:
    """An error where Python would make a text of what only the node knows."""
    if any(map(is_symbolic, given)):
        raise StaticNeeded(loops_of(given), "the text of a number")
