"""The interface between the evaluator of Python and a domain: abstract values, and operations on them.

The evaluator knows the meaning of Python's constructs; a domain defines the values that exist while source is read.
There are two domains. In the kernel domain (``kernel``), integers, conditions and blocks that are known only on the
node become values of the IR. In the host domain (``host``), tensors have no data, values that depend on more than the
source are unknown, and no IR is built. In the terms of abstract interpretation: a domain lifts values, has a transfer
function for each operator, joins the states of two paths, and widens loops that it does not follow to their end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from ttl.diag import Diagnostic
    from ttl.frontend.values import Scope, UserFunction

Signals = dict[str, Any]
"""The ways in which a block may be left early (``break``, ``continue``, ``return``).

Each is mapped to True if the block is always left that way, or to the condition under which it is.
"""
Course = Callable[[], Signals]
NOT_REDUCED: Any = object()


@dataclass(frozen=True, slots=True)
class Connection:
    """Operands of ``and`` or ``or``, evaluated only when the result depends on them.

    ``truth_only``: only the truth value of the result is used.
    """

    node: ast.AST
    steps: Sequence[Callable[[], Any]]
    is_and: bool
    truth_only: bool = False


class Repetition(Protocol):
    """The evaluation of a loop. A domain implements the methods that it needs."""

    most: int
    """The number of iterations of a ``while`` that are followed before it is widened."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        """Do nothing."""
        return

    def whole(self, iterated: Any) -> Signals | None:
        """Evaluate a ``for`` as a whole, for any number of iterations; return None to have its iterations followed."""

    def members(self, iterated: Any) -> Iterable[Any]:
        """Return the members for the iterations of a ``for`` that are followed."""

    def at_once(self) -> Signals | None:
        """Evaluate a ``while`` as a whole if its condition is clearly unknown.

        Returns None to have its iterations followed.
        """
        return None

    def undecided(self, condition: Any) -> Signals:
        """Evaluate a ``while`` as a whole from this iteration on, because its evaluated condition is unknown."""

    def perhaps_left(self, signals: Signals) -> Signals | None:
        """Evaluate the rest of a ``while`` after an iteration that left it under a condition; return as ``widened``."""

    def widened(self) -> Signals | None:
        """Evaluate a ``while`` with too many iterations as a whole from here; return None if its ``else`` is next."""

    def continued(self, running: Any = True) -> None:
        """Join the states at the end of an iteration and at each ``continue``.

        ``running`` says whether there may be another iteration.
        """
        return

    def left(self) -> None:
        """Join the states at the end of the loop and at each ``break``."""
        return


class Domain(Protocol):
    """Values while source is read.

    An exception of a method ends the evaluation of a statement; see ``gave_up``.
    """

    constructs: dict[type[ast.AST], Callable[[Any, Any], Any]]
    """Constructs that have a meaning in this domain only."""

    # --- evaluation -------------------------------------------------------------------------------------------

    def eval(self, node: ast.expr) -> Any:
        """Return the value of an expression, as one value."""

    def lazy(self, node: ast.expr) -> Any:
        """Return the value of an expression, which may be one of several, selected later."""

    def attempt(self, node: ast.expr, compute: Callable[[], Any]) -> Any:
        """Return the result of ``compute``, which is the value of an expression."""

    def one(self, body: list[ast.stmt], position: int) -> Signals:
        """Evaluate a statement of a block."""

    def refused(self, node: ast.AST) -> Exception:
        """Return the exception for a construct without a meaning in this domain."""

    def gave_up(self, statement: ast.stmt, raised: Exception) -> None:
        """Make the names unknown that a failed statement would have assigned.

        Raises an exception that ends more than the statement.
        """

    def too_long(self) -> Exception:
        """Return the exception for the evaluation of too many statements."""

    def noted(self, finding: Diagnostic) -> Diagnostic:
        """Return a finding with the notes that the domain has about its location."""

    # --- names ------------------------------------------------------------------------------------------------

    def read(self, scope: Scope, node: ast.Name, value: Any) -> Any:
        """Return the value of a variable where it is read."""

    def captured(self, value: Any, node: ast.AST) -> Any:
        """Lift a value from outside the evaluated code into the domain."""

    def bind(self, target: ast.Name, value: Any) -> None:
        """Give a variable a value."""

    def unbind(self, target: ast.Name) -> None:
        """``del name``."""

    def naming(self, name: str | None, evaluate: Callable[[ast.expr], Any], value: ast.expr) -> Any:
        """Return the value of an expression that is assigned to the variable ``name``; None: to no variable."""

    def named(self, name: str, value: Any) -> None:
        """Note that a value was assigned to a variable."""

    # --- transfer functions -----------------------------------------------------------------------------------

    def python(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Apply a function of Python, or of the language, to values."""

    def operated(self, how: ast.operator, left: Any, right: Any) -> Any:
        """``left + right`` and so on."""

    def inplace(self, statement: ast.AugAssign, current: Any, value: Any) -> Any:
        """Return the result of ``current += value``."""

    def signed(self, how: ast.unaryop, value: Any) -> Any:
        """``-value`` and so on."""

    def related(self, relation: ast.cmpop, left: Any, right: Any) -> Any:
        """``left < right`` and so on."""

    def truth(self, value: Any) -> Any:
        """Return a value as a condition: a Python truth value, or a condition that is unknown while source is read."""

    def mapped(
        self, values: list[Any], function: Callable[[list[Any]], Any], *, branching: bool | None
    ) -> Any:
        """Return the result of a function of values, each of which may be one of several possible values.

        ``branching``: the function has effects, which happen only for the possible value that holds. None: it may have
        effects.
        """

    def each(self, value: Any, course: Callable[[Any], Signals]) -> Signals | None:
        """Run a statement's ``course`` for each of several possible values, and return its exits.

        Returns None if there is only one value.
        """

    def item(self, value: Any, index: Any) -> Any:
        """``value[index]``."""

    def set_item(self, target: ast.Subscript, holder: Any, index: Any, value: Any) -> None:
        """``holder[index] = value``."""

    def delete_item(self, holder: Any, index: Any) -> None:
        """``del holder[index]``."""

    def attribute(self, value: Any, name: str) -> Any:
        """``value.name``."""

    def set_attribute(self, holder: Any, name: str, value: Any) -> None:
        """``holder.name = value``."""

    def delete_attribute(self, target: ast.Attribute, statement: ast.Delete) -> None:
        """``del holder.name``."""

    def is_opaque(self, value: Any) -> bool:
        """Return whether a value has no text while source is read."""

    def shown(self, value: Any, node: ast.FormattedValue) -> Any:
        """Return a value in an f-string: its text, or a part to be passed to ``text``."""

    def text(self, parts: list[Any]) -> Any:
        """Return a text made of strings and of values whose text is not known yet."""

    # --- containers -------------------------------------------------------------------------------------------

    def members(self, value: Any, node: ast.AST) -> list[Any]:
        """Return the members of an iterable."""

    def unpacked(self, value: Any, target: ast.expr) -> list[Any] | None:
        """Return the members for an assignment to several targets; None where each target gets the value itself."""

    def key(self, value: Any, node: ast.AST) -> Any:
        """Return a key of a dictionary."""

    def born(self, container: Any) -> Any:
        """Note where a container was made, and return it."""

    def as_read(self, value: Any) -> Any:
        """Return an object of a class of the program as an object that is read, to be compared with such an object.

        Any other value is returned unchanged.
        """

    def steps(self, value: Any, node: ast.AST) -> Iterator[Any]:
        """Yield the members of an iterable, computing each when it is taken, as Python does."""

    def quietly(
        self, take: Callable[[], Any], partly: list[Any] | None = None, refusal: Diagnostic | None = None
    ) -> Any:
        """Compute a value that Python computes on some nodes only, such as members that are taken there.

        Any other effect is an error. Afterwards it is not known which members of the iterators are left; with
        ``partly``, the caller reports that later.
        """

    def drawn(self, members: Any, kind: str, *held: Any) -> Any:
        """Return an iterator of a Python kind over members: ``zip``, ``map`` or a generator expression, say.

        ``held`` are the values that taking a member may call.
        """

    def taken(self, value: Any) -> Any:
        """Return the source of an iterator, for another iterator over it to compute from; any other value unchanged."""

    def unlisted(self, value: Any) -> Any:
        """Return a value that can stand for the list of an iterable's members until the list is changed; else None.

        The iterable has an unknown length.
        """

    def require_mutable(self, container: Any) -> None:
        """Check that a container may be changed, just before the change."""

    def spoil(self, container: Any) -> None:
        """Make the content of a container unknown from here on."""

    def changed_by(self, value: Any, method: str) -> Any:
        """Return the container that a method is about to change; None where it changes none."""

    def not_followed(self, node: ast.expr) -> None:
        """Handle a comprehension that could not be evaluated to its end."""

    # --- join and widen ---------------------------------------------------------------------------------------

    def condition(self, test: ast.expr) -> Any:
        """Evaluate a test: return a truth value of Python's, or one that is not known."""

    def decided(self, test: ast.expr) -> bool:
        """Evaluate a test that has to be known while source is read."""

    def connected(self, rest: Connection, value: Any, truth: Any) -> Any:
        """Return ``value and rest``, or ``value or rest``, if the truth of the value is unknown."""

    nothing_returned: Any
    """The result of a function whose ``return`` has not been reached yet."""

    def returned(self, signals: Signals, value: Any) -> Any:
        """Return the result of a function that was left by ``signals``.

        ``value`` is that of the ``return`` statement.
        """

    def chosen(
        self, condition: Any, first: Callable[[], Any], second: Callable[[], Any], node: ast.AST
    ) -> Any:
        """Return the value of ``first if condition else second``, where the condition is not known."""

    def branch(
        self, condition: Any, first: Course, second: Course | None = None, *, is_last: bool = False
    ) -> Signals:
        """Evaluate both ways of an unknown condition, and join their states.

        ``is_last``: the branch is the last action of its statement, so that the tail may be evaluated at the end of
        each way.
        """

    def guarded(
        self, condition: Any, body: Course, *, is_last: bool = False, else_returned: bool = False
    ) -> Signals:
        """Evaluate a body under a condition, which may be unknown.

        ``else_returned``: where the condition does not hold, the function has returned.
        """

    def repetition(self, statement: ast.For | ast.While) -> Repetition:
        """Return the evaluation of a loop."""

    # --- calls and definitions --------------------------------------------------------------------------------

    def call(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Return the result of a call in the source; the current place is the call."""

    def reduced(self, function: Any, node: ast.Call) -> Any:
        """Return the result of a call with a comprehension that is evaluated as a loop; ``NOT_REDUCED`` for any other call."""

    def apply(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Return the result of a call of a function that is not in the source."""

    def inlined(
        self,
        function: UserFunction,
        arguments: list[Any],
        keywords: dict[str, Any],
        body: Callable[[], Any],
    ) -> Any:
        """Return the result of calling a function in the source with arguments; ``body`` evaluates it."""

    def decorated(self, decorator: Any, data: Any, node: ast.expr) -> Any:
        """Return the result of applying a decorator to a function or class."""

    def module(self, name: str, level: int) -> Any:
        """Return a module that is imported."""

    def imported(self, module: Any, statement: ast.ImportFrom, alias: ast.alias) -> dict[str, Any]:
        """Return the names that ``from module import name`` binds, with their values."""

    # --- statements around values ------------------------------------------------------------------------------

    def stands_alone(self, node: ast.expr) -> None:
        """Evaluate an expression whose value is unused."""

    def entered(self, value: Any) -> Any:
        """Enter a context manager, and return the value for ``as``."""

    def exited(self, value: Any) -> None:
        """Leave a context manager."""

    def asserted(self, condition: Any, statement: ast.Assert) -> None:
        """Handle an assertion that is false or unknown."""

    def raised(self, statement: ast.Raise) -> Signals:
        """``raise``."""
