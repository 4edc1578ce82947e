"""Facts about the variables that a loop reads and changes, and the loops that have to be unrolled.

They are collected while the source of the loop is gone through.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field
from typing import Any

from ttl.frontend.effects import AsFunction
from ttl.frontend.kernel.iterators import MemberIterator
from ttl.frontend.kernel.value_facts import NO_LOOPS, NOTHING, Fact, Loops, fact_of, is_changeable
from ttl.frontend.values import UNBOUND, Globals, Scope

THIS = frozenset((0,))
"""The loop under analysis. Loops inside it are identified by their syntax."""


@dataclass(eq=False, slots=True)
class Frame:
    """The context of a piece of source: the variables of the called function, and the scope around it."""

    scope: Scope | None
    globals: Globals
    own: dict[str, Fact] = field(default_factory=dict)
    returned: Fact = NOTHING
    depth: int = 0
    # For a function defined in the loop, the frame around it.
    around: Frame | None = None

    def having(self, name: str) -> dict[str, Fact] | None:
        """Return the variables in the innermost frame that has a variable of this name."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.own:
                return frame.own
            frame = frame.around
        return None

    def holder(self, name: str) -> Scope | None:
        """The scope that has a variable of another function."""
        return None if self.scope is None else self.scope.holder(name)

    def value(self, name: str) -> Any:
        """Return the value of another function's variable before the loop."""
        holder = self.holder(name)
        return (self.globals.values if holder is None else holder.names).get(name, UNBOUND)


@dataclass(eq=False, slots=True)
class Closure:
    """A function that is defined in the loop."""

    node: ast.FunctionDef | ast.Lambda
    frame: Frame


class VariableFacts:
    """Variables, and the requirements on their values."""

    def __init__(self, scope: Scope, globals: Globals, as_function: AsFunction) -> None:
        self._as_function = as_function
        self._top = self._frame = Frame(scope, globals)
        # The condition under which the current code runs.
        self._under = NOTHING
        # The variables that the loop changes, and those that it only reads.
        self._facts: dict[tuple[int, str], Fact] = {}
        self._of_others: dict[tuple[int, str], Fact] = {}
        self._surely: set[tuple[int, str]] = set()
        self._called: dict[Any, Fact] = {}
        self._closures: dict[int, Closure] = {}
        # The loops that have to be unrolled, and the loops around the current source.
        self._needed: Loops = NO_LOOPS
        self._open: Loops = THIS

    # --- requirements -----------------------------------------------------------------------------------------------

    def need(self, *facts: Fact) -> None:
        """Require values to be known: the loops with which they vary are unrolled."""
        for fact in facts:
            self._needed |= fact.loops & self._open

    def need_numbers(self, *facts: Fact) -> None:
        """Require a number, or the numbers in a value, to be known."""
        self.need(*(fact for fact in facts if fact.is_varying))

    def changed(self, fact: Fact) -> None:
        """Note that a container is changed, or a member of an iterator taken: the loops around it are unrolled."""
        if is_changeable(fact) or isinstance(fact.value, MemberIterator):
            self._needed |= self._open - fact.born_in

    # --- variables --------------------------------------------------------------------------------------------------

    def named(self, name: str) -> Fact:
        """Return the fact about a variable."""
        own = self._frame.having(name)
        if own is not None:
            return own[name]
        holder = self._frame.holder(name)
        key = id(self._frame.globals if holder is None else holder), name
        known = self._facts.get(key)
        if known is None:
            known = self._of_others.get(key)
        if known is None:
            value = self._frame.value(name)
            known = fact_of(getattr(builtins, name, UNBOUND) if value is UNBOUND else value)
            self._of_others[key] = known
        return known

    def hold(self, name: str, fact: Fact) -> None:
        """Assign a fact to a variable."""
        own = self._frame.having(name)
        facts: dict[Any, Fact] = self._facts if own is None else own
        key: Any = (id(self._frame.holder(name)), name) if own is None else name
        if key not in facts:
            return
        if own is None and self._under is NOTHING:
            self._surely.add(key)
        before, after = facts[key], facts[key].joined(fact.under(self._under))
        if before.bounds is not None and after.bounds is not None and before.bounds != after.bounds:
            after = after.within(before.bounds.widened(after.bounds))
        facts[key] = after
