"""Members of the kernel domain's containers, by known indices and by indices that the node computes."""

from __future__ import annotations

import ast
import operator
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from ttl.frontend import refusals, special_methods
from ttl.frontend.classes import Instance
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel import tables
from ttl.frontend.kernel.algebra import ITEM, TABLE, CellDecision
from ttl.frontend.kernel.arithmetic import undone
from ttl.frontend.kernel.iterators import MemberIterator, ranged
from ttl.frontend.kernel.kinds import ValueKind, kind_of
from ttl.frontend.kernel.objects import TracedBlock, TracedView
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.kernel.selecting import Selecting
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.limits import too_much
from ttl.frontend.mutable import as_made
from ttl.frontend.reals import NodeFloat
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio, bounds_of, compare
from ttl.frontend.stop import Reject, static_needed
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import Sequential, UserFunction, is_symbolic, sequential
from ttl.host.tensor import Tensor
from ttl.lang.block import Block, BlockView
from ttl.source.spans import Span

# The most numbers of a range that becomes a list, or over which a comprehension iterates.
MOST_MEMBERS = 65_536


class Items:
    """Items and members."""

    def __init__(
        self, reader: Evaluator, tracer: Tracer, selecting: Selecting, python: Callable[..., Any]
    ) -> None:
        self._reader = reader
        self._tracer = tracer
        self._builder = tracer.builder
        self._selecting = selecting
        self._python = python

    def item(self, value: Any, index: Any) -> Any:
        """``value[index]``."""
        kinds = kind_of(value), kind_of(index)
        if ValueKind.CHOICE in kinds:
            pure = _is_container(value)
            return self._selecting.mapped([value, index], lambda item: self.item(*item), branching=not pure)
        cell = TABLE[ITEM][kinds[0]][kinds[1]]
        if cell.decided not in (CellDecision.COMPUTED, CellDecision.KNOWN):
            return undone(self._python, cell, operator.getitem, value, index)
        if isinstance(index, NodeCondition) and kinds[0] is not ValueKind.INSTANCE:
            return self._selecting.chosen(
                index, lambda: self.item(value, True), lambda: self.item(value, False), self._reader.place
            )
        given = value
        if is_symbolic(index):
            value = tables.as_list(value)
        if isinstance(value, list | tuple | str | dict | range):
            if value is not given and isinstance(index, tuple) and len(index) > 1:
                return self.item(self.item(value, index[0]), index[1] if len(index) == 2 else index[1:])
            if isinstance(index, slice) and is_symbolic(index):
                return self._part(value, index)
            if isinstance(index, NodeInteger | NodeCondition | NodeRatio | NodeFloat):
                if isinstance(value, range) and isinstance(index, NodeInteger):
                    return self._of_range(value, index)
                if isinstance(value, list | tuple | dict) and isinstance(index, NodeInteger):
                    if tables.can_look_up(value):
                        return self._python(tables.look_up, self._builder, value, index, self._called)
                    if not isinstance(value, dict):
                        if (bounds := _bounds_in(value, index)) is not None:
                            return self._builder.chosen(value, index, bounds)
                        _require_known(value)
                        parts = self._selecting.numbers(index)
                        if parts and all(-len(value) <= number < len(value) for _, number in parts):
                            of = [(when, self.item(value, number)) for when, number in parts]
                            return of[0][1] if len(of) == 1 else self._selecting.one_of(of)
                raise static_needed(f"an index of a Python {type(value).__name__}")
            if isinstance(value, dict):
                self.key(index, self._reader.place)
            factory = value.default_factory if isinstance(value, defaultdict) else None
            if factory is not None and index not in value:
                return as_made(
                    self._reader, self._python(operator.getitem, value, index), factory, (factory,)
                )
            return self._python(operator.getitem, value, index)
        if isinstance(value, Sequential):
            if isinstance(index, slice):
                return self._part(value, index)
            if isinstance(index, tuple) and len(index) > 1:
                return self.item(self.item(value, index[0]), index[1] if len(index) == 2 else index[1:])
            return self._member_at(value, index)
        if isinstance(value, Tensor):
            return self._python(self._tracer.slice, value, index)
        if isinstance(value, TracedBlock | TracedView):
            return self._python(self._tracer.view, value, index)
        return tables.plain(self._python(operator.getitem, value, index))

    def _of_range(self, value: range, index: NodeInteger) -> Any:
        """A number of a known range, at an index of the node."""
        low, high = index.bounds
        if low is None or high is None or not -len(value) <= low <= high < len(value):
            members = list(value) if len(value) <= tables.MOST_BYTES else []
            if not tables.can_look_up(members):
                raise static_needed("an index that may be outside of a range")
            return self._python(tables.look_up, self._builder, members, index, self._called)
        return value.start + self._builder.from_start(index, len(value)) * value.step

    @property
    def _called(self) -> str | None:
        """Return the name of the list that is being indexed; None where it has no name."""
        node = self._reader.place.value if isinstance(self._reader.place, ast.Subscript) else None
        return (
            node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        )

    def _part(self, value: Any, index: slice) -> Any:
        """``value[start:stop]``."""
        of = sequential(value)
        if of is None and isinstance(value, list | tuple) and tables.can_look_up(value):
            of = tables.row_of(self._builder, value, 0, len(value))
        if of is None or index.step not in (None, 1):
            raise static_needed(f"a part of a Python {type(value).__name__}")
        for item in (index.start, index.stop):
            if item is not None and not isinstance(item, int | NodeInteger):
                raise static_needed("where a part of a list begins or ends")
        part = tables.part(of, index.start, index.stop)
        if part is None:
            raise static_needed("where a part of a list begins or ends, if it may be negative,")
        return part

    def _member_at(self, value: Sequential, index: Any) -> Any:
        if not isinstance(index, NodeInteger):
            if not isinstance(index, int):
                return self._python(operator.getitem, (), index)
            return value.at(value.length + index if index < 0 else index)
        low = index.bounds[0]
        if compare("ge", index, value.length) is True:
            return self._python(operator.getitem, (), 0)  # which fails as on every node
        if low is None or low < 0:
            raise static_needed("an index that may be negative")
        return value.at(index)

    def key(self, value: Any, node: ast.AST) -> Any:
        """A key of a dictionary, which has to be known."""
        self._reader.place = node
        if is_symbolic(value):
            raise static_needed("a key of a Python dictionary")
        self._python(_require_hashable, value)
        return value

    def changed_at(self, holder: list[Any] | dict[Any, Any], index: Any, node: ast.AST) -> Any:
        """Return the position at which a container is changed, which has to be known.

        It is a key of a dictionary, or an index or part of a list.
        """
        if isinstance(holder, dict):
            return self.key(index, node)
        self._reader.place = node
        if is_symbolic(index):
            raise static_needed("where a Python list is changed")
        return index

    def members(self, value: Any, node: ast.AST) -> list[Any]:
        """The members of a value that is iterated over while the program is compiled."""
        if type(value) is Selected:
            return self._members_of_any(value, node)
        over = ranged(value)
        if over is not None:
            if not isinstance(over.length, int):
                self._reader.place = node
                raise static_needed("the length of a range")
            if over.length > MOST_MEMBERS:
                self._reader.place = node
                raise Reject(
                    refusals.too_large(
                        f"a range of {over.length} numbers would have to be written out",
                        help="loop over it with for, in a kernel",
                    )
                )
        self._reader.place = node
        if over is not None and not isinstance(value, MemberIterator):
            return [over.at(position) for position in range(over.length)]
        if isinstance(value, NodeInteger | NodeCondition | NodeRatio | NodeFloat):
            raise Reject(refusals.raises("TypeError", "a number cannot be iterated over"))
        if isinstance(value, Tensor | Block | BlockView):
            return list(self._python(list, value))
        large = too_much(list, (value,))
        if large:
            raise Reject(refusals.too_large_a_value(large))
        if isinstance(value, tuple | list | dict | set | frozenset | str | range):
            return list(value)
        if isinstance(value, Instance):
            iterated = special_methods.members_of(self._reader, value)
            if iterated is not special_methods.NOT_SPECIAL:
                return self.members(iterated, node)
        if hasattr(type(value), "__iter__") and not isinstance(value, UserFunction):
            members = self._python(_first_members, value)
            if len(members) > MOST_MEMBERS:
                what = f"more than {MOST_MEMBERS:,} members of {type(value).__name__}"
                raise Reject(refusals.too_large_a_value(what))
            return [tables.plain(item) for item in members]
        return list(self._python(iter, value))

    def steps(self, value: Any, node: ast.AST) -> Iterator[Any]:
        """The members of an iterable, each computed when it is taken. A container is read at that time."""
        if isinstance(value, MemberIterator):
            return value
        if isinstance(value, Instance):
            iterated = special_methods.members_of(self._reader, value)
            if iterated is not special_methods.NOT_SPECIAL:
                return self.steps(iterated, node)
        if isinstance(value, _FOLLOWED):
            return iter(value)
        if isinstance(value, Sequential) and not isinstance(value.length, int):
            return self._as_far_as_sure(value, self._reader.file.span(node))
        return iter(self.members(value, node))

    def _as_far_as_sure(self, over: Sequential, span: Span) -> Iterator[Any]:
        """Return the members that an iterable with a length known to the node certainly has, then raise an error."""
        yield from map(over.at, range(max(bounds_of(over.length)[0] or 0, 0)))
        raise Reject(static_needed("the length of a range").finding.at(span))

    def _members_of_any(self, value: Selected, node: ast.AST) -> list[Any]:
        """The members of a selected value, each of which is selected. All parts must have equally many."""
        parts = [(when, self.members(part, node)) for when, part in value.parts]
        if len({len(members) for _, members in parts}) != 1:
            self._selecting.require_one(value)
        return [
            self._selecting.joined([(when, members[position]) for when, members in parts], value)
            for position in range(len(parts[0][1]))
        ]


# Containers, and views of them, that may be changed during an iteration.
_FOLLOWED: Any = (
    list,
    dict,
    deque,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
    type(iter([])),
    type(reversed([])),
)


def _require_hashable(value: Any) -> None:
    hash(value)


def _is_container(value: Any) -> bool:
    """Whether a value, selected or not, is a Python container, whose items can be read without an effect."""
    if type(value) is Selected:
        return all(_is_container(item) for _, item in value.parts)
    return isinstance(value, list | tuple | str | dict | range)


def _bounds_in(members: list[Any] | tuple[Any, ...], index: NodeInteger) -> tuple[int, int] | None:
    """The bounds of an index in range that varies with no loop, if all members are integers; else None."""
    low, high = index.bounds
    if index.loops or low is None or high is None or not 0 <= low <= high < len(members):
        return None
    if not all(isinstance(member, int | NodeInteger) and not isinstance(member, bool) for member in members):
        return None
    return low, high


def _require_known(members: list[Any] | tuple[Any, ...]) -> None:
    """Refuse to return members that the program computes from data: they are not known."""
    for member in members:
        if isinstance(member, Unknown):
            raise NotKnown(member)


def _first_members(value: Any) -> list[Any]:
    """Return the members of a container of a library: at most one more than ``MOST_MEMBERS``."""
    return list(islice(iter(value), MOST_MEMBERS + 1))
