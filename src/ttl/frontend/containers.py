"""Containers of Python's: literals, comprehensions, members, items."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, ClassVar

from ttl.frontend import refusals, tables
from ttl.frontend.reals import Real
from ttl.frontend.scalars import Condition, Ratio, Scalar
from ttl.frontend.selected import Selected
from ttl.frontend.stop import Reject, StaticNeeded
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import Scope, Sequential, UserFunction, is_symbolic, sequential
from ttl.frontend.variables import Variables
from ttl.host.tensor import Tensor
from ttl.lang.block import Block

# Numbers of a range that becomes a list, or is iterated over by a comprehension.
MOST_MEMBERS = 65_536


class Containers(Variables):
    """Evaluation of containers."""

    # --- literals ---------------------------------------------------------------------------------------------

    def _tuple(self, node: ast.Tuple) -> Any:
        if not self.selecting or any(isinstance(each, ast.Starred) for each in node.elts):
            return tuple(self._members_of(node.elts))
        members = [self.lazy(each) for each in node.elts]
        return self.mapped(members, tuple, branching=False)

    def _list(self, node: ast.List) -> Any:
        return self.born(self._members_of(node.elts))

    def _set(self, node: ast.Set) -> Any:
        return self.born(self.python(set, self._members_of(node.elts)))

    def _members_of(self, nodes: list[ast.expr]) -> list[Any]:
        values: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                values.extend(self.members(self.eval(node.value), node))
            else:
                values.append(self.eval(node))
        return values

    def _dict(self, node: ast.Dict) -> Any:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made.update(self.eval(value))
            else:
                made[self._hashable(self.eval(key), key)] = self.eval(value)
        return self.born(made)

    def _hashable(self, value: Any, node: ast.AST) -> Any:
        self.place = node
        if is_symbolic(value):
            raise StaticNeeded(_loops_of(value), "a key of a Python dictionary")
        return value

    # --- items ------------------------------------------------------------------------------------------------

    def _subscript(self, node: ast.Subscript) -> Any:
        value = self.lazy(node.value)
        index = self.lazy(node.slice)
        self.place = node
        if type(value) is Selected or type(index) is Selected:
            pure = _is_container(value)
            return self.mapped([value, index], lambda each: self.item(*each), branching=not pure)
        return self.item(value, index)

    def item(self, value: Any, index: Any) -> Any:
        """``value[index]``."""
        if is_symbolic(index):
            value = tables.as_list(value)
        if isinstance(value, list | tuple | str | dict | range):
            if isinstance(index, tuple) and len(index) > 1 and not isinstance(value, dict):
                return self.item(self.item(value, index[0]), index[1] if len(index) == 2 else index[1:])
            if isinstance(index, slice) and is_symbolic(index):
                return self._part(value, index)
            if isinstance(index, Scalar | Condition | Ratio | Real):
                if isinstance(value, range) and isinstance(index, Scalar):
                    return value.start + index * value.step
                if isinstance(value, list | tuple | dict) and isinstance(index, Scalar):
                    if tables.can_look_up(value):
                        return self.python(tables.look_up, self.builder, value, index, self._called)
                    if not isinstance(value, dict):
                        if (bounds := _bounds_in(value, index)) is not None:
                            return self.builder.chosen(value, index, bounds)
                        _require_known(value)
                raise StaticNeeded(
                    getattr(index, "loops", frozenset()), f"an index of a Python {type(value).__name__}"
                )
            if isinstance(value, dict):
                self._hashable(index, self.place)
            return self.python(operator.getitem, value, index)
        if isinstance(value, Sequential):
            if isinstance(index, slice):
                return self._part(value, index)
            if isinstance(index, tuple) and len(index) > 1:
                return self.item(self.item(value, index[0]), index[1] if len(index) == 2 else index[1:])
            return self._member_at(value, index)
        if isinstance(value, Tensor):
            return self.python(self.tracer.slice, value, index)
        return tables.plain(self.python(operator.getitem, value, index))

    @property
    def _called(self) -> str | None:
        """What the program calls the list that is being indexed."""
        node = self.place.value if isinstance(self.place, ast.Subscript) else None
        return (
            node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        )

    def _part(self, value: Any, index: slice) -> Any:
        """``value[start:stop]``."""
        of = sequential(value)
        if of is None and isinstance(value, list | tuple) and tables.can_look_up(value):
            of = tables.whole(self.builder, value)
        if of is None or index.step not in (None, 1):
            raise StaticNeeded(
                _loops_of((index.start, index.stop)), f"a part of a Python {type(value).__name__}"
            )
        for each in (index.start, index.stop):
            if each is not None and not isinstance(each, int | Scalar):
                raise StaticNeeded(_loops_of(each), "where a part of a list begins or ends")
        found = tables.part(of, index.start, index.stop)
        if found is None:
            raise StaticNeeded(
                _loops_of((index.start, index.stop)),
                "where a part of a list begins or ends, if it may be negative,",
            )
        return found

    def _member_at(self, value: Sequential, index: Any) -> Any:
        if not isinstance(index, Scalar):
            if not isinstance(index, int):
                return self.python(operator.getitem, (), index)
            return value.at(value.length + index if index < 0 else index)
        low = index.bounds[0]
        if low is None or low < 0:
            raise StaticNeeded(index.loops, "an index that may be negative")
        return value.at(index)

    def _slice(self, node: ast.Slice) -> Any:
        parts = [None if part is None else self.lazy(part) for part in (node.lower, node.upper, node.step)]
        return self.mapped(parts, lambda each: slice(*each), branching=False)

    # --- comprehensions ---------------------------------------------------------------------------------------

    def _list_comprehension(self, node: ast.ListComp) -> Any:
        return self.born(self._collected(node, lambda: self.eval(node.elt)))

    def _set_comprehension(self, node: ast.SetComp) -> Any:
        return self.born(self.python(set, self._collected(node, lambda: self.eval(node.elt))))

    def _generator(self, node: ast.GeneratorExp) -> Any:
        return self.born(self._collected(node, lambda: self.eval(node.elt)))

    def _dict_comprehension(self, node: ast.DictComp) -> Any:
        pairs = self._collected(
            node, lambda: (self._hashable(self.eval(node.key), node.key), self.eval(node.value))
        )
        return self.born(dict(pairs))

    def _collected(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, member: Callable[[], Any]
    ) -> list[Any]:
        found: list[Any] = []
        names = frozenset(
            each.id
            for part in node.generators
            for each in ast.walk(part.target)
            if isinstance(each, ast.Name)
        )

        def collect(depth: int) -> None:
            if depth == len(node.generators):
                found.append(member())
                return
            part = node.generators[depth]
            for value in self.members(self.eval(part.iter), part.iter):
                self.step()
                self.assign(part.target, value)
                if all(self._decided(test) for test in part.ifs):
                    collect(depth + 1)

        with self.within(Scope(self.scope, names), self.file, self.globals, self.chain):
            self.place = node
            collect(0)
        return found

    def _decided(self, test: ast.expr) -> bool:
        truth = self.truth(self.eval(test))
        if isinstance(truth, Condition):
            self.place = test
            raise StaticNeeded(truth.loops, "the condition of a comprehension")
        return bool(truth)

    def members(self, value: Any, node: ast.AST) -> list[Any]:
        """The members of something that is iterated over while the program is compiled."""
        ranged = sequential(value)
        if ranged is not None:
            if not isinstance(ranged.length, int):
                self.place = node
                raise StaticNeeded(ranged.length.loops, "the length of a range")
            if ranged.length > MOST_MEMBERS:
                self.place = node
                raise Reject(
                    refusals.too_large(
                        f"a range of {ranged.length} numbers would have to be written out",
                        help="loop over it with for, in a kernel",
                    )
                )
            return [ranged.at(position) for position in range(ranged.length)]
        self.place = node
        if isinstance(value, Scalar | Condition | Ratio | Real):
            raise Reject(refusals.raises("TypeError", "a number cannot be iterated over"))
        if isinstance(value, Tensor | Block):
            return list(self.python(list, value))
        if isinstance(value, tuple | list | dict | set | frozenset | str | range):
            return list(value)
        if hasattr(type(value), "__iter__") and not isinstance(value, UserFunction):
            return [tables.plain(each) for each in self.python(list, value)]
        return list(self.python(iter, value))

    HANDLERS: ClassVar[dict[type[ast.expr], Callable[[Any, Any], Any]]] = {
        **Variables.HANDLERS,
        ast.Tuple: _tuple,
        ast.List: _list,
        ast.Set: _set,
        ast.Dict: _dict,
        ast.Subscript: _subscript,
        ast.Slice: _slice,
        ast.ListComp: _list_comprehension,
        ast.SetComp: _set_comprehension,
        ast.GeneratorExp: _generator,
        ast.DictComp: _dict_comprehension,
    }


def _is_container(value: Any) -> bool:
    """Whether a value, selected or not, is a container of Python's: an item of it is only looked at."""
    if type(value) is Selected:
        return all(_is_container(each) for _, each in value.parts)
    return isinstance(value, list | tuple | str | dict | range)


def _bounds_in(members: list[Any] | tuple[Any, ...], index: Scalar) -> tuple[int, int] | None:
    """The bounds of an index where a member can be chosen on the node: integers all, and the index is one of theirs."""
    low, high = index.bounds
    if index.loops or low is None or high is None or not 0 <= low <= high < len(members):
        return None
    if not all(isinstance(each, int | Scalar) and not isinstance(each, bool) for each in members):
        return None
    return low, high


def _require_known(members: list[Any] | tuple[Any, ...]) -> None:
    """A list of what the program computes from data can be looked up; what it gives is not known."""
    for each in members:
        if isinstance(each, Unknown):
            raise NotKnown(each)


def _loops_of(value: Any) -> frozenset[int]:
    """The loops that a value, or anything in it, varies with."""
    if isinstance(value, tuple | list):
        return frozenset().union(*(_loops_of(each) for each in value))
    loops: frozenset[int] = getattr(value, "loops", frozenset())
    return loops
