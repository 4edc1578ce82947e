"""Generated block mathematics: expressions over blocks and numbers of the node, and the statements that keep, change and choose them.

All is in int32 and small, so that what Python's operators make of one number is what the chip makes of every element.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent

from support.random_programs.python.expressions import Expressions
from support.random_programs.python.names import Name, Place

Maker = Callable[[Place, int], str]
BLOCK = "blk"
"""The block that every compute kernel of blocks holds."""
_ONE = "shape=(1, 1)"


class Blocks:
    """Makes block expressions for a place of a compute kernel; ``statements`` are what its programs have beside the usual ones."""

    def __init__(self, make: Expressions, body: Callable[[Place, int], str]) -> None:
        """``body`` makes a few statements of any kind."""
        self.make = make
        self.choices = make.choices
        self._body = body
        self._forms: list[tuple[int, Maker]] = [
            (14, self._leaf), (16, self._with_number), (9, self._of_two), (6, self._compared), (5, self._function), (5, self._filled),
            (6, self._choice), (4, self._where), (4, self._rest), (3, self._unary), (3, self._power), (3, self._of_float), (4, self._call),
            (3, self._item), (2, self._total), (2, self._lambda),
        ]  # fmt: skip
        self.statements: list[tuple[int, Callable[[Place], str]]] = [
            (22, self._new), (22, self._assigned), (12, self._changed), (24, self._put), (6, self._defined), (4, self._named_lambda), (5, self._new_list),
            (4, self._list_changed), (4, self._maybe), (3, self._swapped), (3, self._items), (3, self._identity),
        ]  # fmt: skip

    def block(self, place: Place, depth: int = 3) -> str:
        """A block expression."""
        if depth <= 0:
            return self._leaf(place, 0)
        return self.choices.weighted(self._forms)(place, depth - 1)

    def _small(self, place: Place, depth: int) -> str:
        """A number that a block takes."""
        return f"({self.make._small(place, depth)})"

    def _bounded(self, text: str, place: Place) -> str:
        return f"({text}) % {self.choices.one_of((97, 31))}" if place.turns > 1 or place.in_function else text

    # --- expressions --------------------------------------------------------------------------------------------

    def _leaf(self, place: Place, depth: int) -> str:
        names = [each.name for each in place.of("block")][:5]
        return self.choices.one_of([*names, *names, BLOCK])

    def _with_number(self, place: Place, depth: int) -> str:
        number, block = self._small(place, depth), self.block(place, depth)
        left, right = (block, number) if self.choices.percent(60) else (number, block)
        return f"({left} {self.choices.one_of(('+', '-', '*', '-'))} {right})"

    def _of_two(self, place: Place, depth: int) -> str:
        return (
            f"({self.block(place, depth)} {self.choices.one_of(('+', '-', '*'))} {self.block(place, depth)})"
        )

    def _compared(self, place: Place, depth: int) -> str:
        block = self.block(place, depth)
        other = self._small(place, depth) if self.choices.percent(75) else self.block(place, depth)
        form = self.choices.below(3)
        if form == 2:
            return f"ttl.math.{self.choices.one_of(('eq', 'ne', 'lt', 'ge'))}({block}, {other})"
        left, right = (other, block) if form else (block, other)
        return f"(({left}) {self.choices.one_of(('>', '<', '>=', '<=', '==', '!='))} ({right}))"

    def _function(self, place: Place, depth: int) -> str:
        block, number = self.block(place, depth), self._small(place, depth)
        return self.choices.one_of((
            f"ttl.math.max({block}, {number})", f"ttl.math.min({number}, {block})", f"ttl.math.rsub({block}, {number})", f"ttl.math.relu({block} - {number})",
            f"ttl.math.sign({block} - {number})", f"ttl.math.square({block} % 11)", f"ttl.math.max({block}, {self.block(place, depth)})",
        ))  # fmt: skip

    def _filled(self, place: Place, depth: int) -> str:
        return f"ttl.block.fill({self._small(place, depth)}, {_ONE})"

    def _choice(self, place: Place, depth: int) -> str:
        return (
            f"({self.block(place, depth)} if {self.make.bool(place, depth)} else {self.block(place, depth)})"
        )

    def _where(self, place: Place, depth: int) -> str:
        values = [
            self.block(place, depth),
            self._small(place, depth) if self.choices.percent(50) else self.block(place, depth),
        ]
        if self.choices.percent(40):
            values.reverse()
        return f"ttl.block.where({self._compared(place, depth)}, {values[0]}, {values[1]})"

    def _rest(self, place: Place, depth: int) -> str:
        divisor = self.choices.one_of(("3", "7", "(n + 1)", f"({self._small(place, 0)} + 2)"))
        return f"({self.block(place, depth)} {self.choices.one_of(('%', '//'))} {divisor})"

    def _unary(self, place: Place, depth: int) -> str:
        return f"{self.choices.one_of(('-', 'abs'))}({self.block(place, depth)})"

    def _power(self, place: Place, depth: int) -> str:
        return f"({self.block(place, depth)} % {self.choices.one_of((11, 5))}) ** {self.choices.one_of((2, 2, 3, 1, 0))}"

    def _of_float(self, place: Place, depth: int) -> str:
        """Quarters times four are integers again."""
        if self.choices.percent(40):
            return f"ttl.math.typecast(ttl.block.fill({self.make.float(place, 1)}, {_ONE}) * 4, ttnn.int32)"
        block = f"ttl.math.typecast({self.block(place, depth)} % 11, ttnn.float32)"
        number = self.make.float(place, 1)
        return f"ttl.math.typecast({block} * ({number}) * 4, ttnn.int32)"

    def _call(self, place: Place, depth: int) -> str:
        functions = place.of("maker")
        if not functions:
            return self._with_number(place, depth)
        function = self.choices.one_of(functions)
        given = function.size - self.choices.below(function.optional + 1)
        numbers = "".join(f", {self._small(place, depth - 1)}" for _ in range(given))
        return f"{function.name}({self.block(place, depth - 1)}{numbers})"

    def _item(self, place: Place, depth: int) -> str:
        names = place.of("blocks")
        if not names:
            return self._choice(place, depth)
        name = self.choices.one_of(names)
        first = f"{name.name}[{self.choices.below(name.size)}]"
        if self.choices.percent(30):
            return f"{name.name}[{self.choices.below(name.size)} if {self.make.bool(place, depth)} else -1]"
        return first

    def _total(self, place: Place, depth: int) -> str:
        inner, name = place.inside(), self.make.fresh("k")
        inner.names.append(Name(name, "int", place.level, fixed=True))
        value = self.make._without_walrus(lambda: self.block(inner, depth))
        value = f"{BLOCK} * {name}" if value == "1" else value
        over = self.choices.one_of(("range(3)", "(1, 4)", "range(1, 3)"))
        return f"sum([{value} for {name} in {over}], {self._leaf(place, 0)})"

    def _lambda(self, place: Place, depth: int) -> str:
        inner, name = place.inside(), self.make.fresh("k")
        inner.names.append(Name(name, "int", place.level, fixed=True))
        value = self.make._without_walrus(lambda: self.block(inner, depth))
        value = f"{BLOCK} - {name}" if value == "1" else value
        return f"(lambda {name}: {value})({self._small(place, depth)})"

    # --- statements ---------------------------------------------------------------------------------------------

    def _named(self, place: Place, text: str) -> str:
        name = self.make.fresh("e")
        place.names.append(Name(name, "block", place.level))
        return f"{name} = {text}\n"

    def _new(self, place: Place) -> str:
        return self._named(place, self._bounded(self.block(place), place))

    def _assigned(self, place: Place) -> str:
        names = place.assignable("block")
        if not names:
            return self._new(place)
        return f"{self.choices.one_of(names[:4]).name} = {self._bounded(self.block(place), place)}\n"

    def _changed(self, place: Place) -> str:
        names = place.assignable("block")
        if not names:
            return self._new(place)
        name = self.choices.one_of(names[:4]).name
        sign = self.choices.one_of(("+=", "-=", "*="))
        value = self._small(place, 2) if self.choices.percent(60) else self.block(place, 1)
        # An assignment in place to a block itself accumulates: this is of an expression.
        return f"{name} = {name} % 97\n{name} {sign} {value}\n"

    def _put(self, place: Place) -> str:
        return f"put({self.block(place)})\n"

    def _swapped(self, place: Place) -> str:
        names = [each.name for each in place.assignable("block")]
        if len(names) < 2:
            return self._put(place)
        first, second = names[:2]
        if self.choices.percent(50):
            return f"{first}, {second} = {second}, {first}\n"
        return f"{first}, {second} = {self._bounded(self.block(place, 1), place)}, {self._bounded(self.block(place, 1), place)}\n"

    def _defined(self, place: Place) -> str:
        if place.level > 2 or place.depth > 3:
            return self._put(place)
        name, own = self.make.fresh("b"), self.make.fresh("e")
        numbers = [self.make.fresh("a") for _ in range(self.choices.below(3))]
        optional = self.choices.below(2) if numbers else 0
        inner = place.inside_function(in_function=False)
        header = ""
        outer = [each.name for each in place.assignable("block")]
        if outer and self.choices.percent(35):
            changed = self.choices.one_of(outer[:3])
            inner.nonlocals = {changed}
            header = f"nonlocal {changed}\n"
        inner.names += [
            Name(own, "block", inner.level),
            *(Name(each, "int", inner.level) for each in numbers),
        ]
        body = self._body(inner, 2) if self.choices.percent(40) else ""
        for changed in sorted(inner.nonlocals):
            body += f"{changed} = ({self.block(inner, 2)}) % 97\n"
        if self.choices.percent(50):
            body += f"if {self.make.bool(inner, 2)}:\n    return ({self.block(inner, 2)}) % 97\n"
        body += f"return ({self.block(inner, 2)}) % 97\n"
        given = [
            f"{each}={self.choices.below(4)}" if index >= len(numbers) - optional else each
            for index, each in enumerate(numbers)
        ]
        place.names.append(Name(name, "maker", place.level, size=len(numbers), optional=optional))
        return f"def {name}({', '.join([own, *given])}):\n{indent(header + body, '    ')}"

    def _named_lambda(self, place: Place) -> str:
        name, own, number = self.make.fresh("b"), self.make.fresh("e"), self.make.fresh("a")
        inner = place.inside()
        inner.level += 1
        inner.names += [
            Name(own, "block", inner.level, fixed=True),
            Name(number, "int", inner.level, fixed=True),
        ]
        value = self.make._without_walrus(lambda: self.block(inner, 2))
        value = f"{own} - {number}" if value == "1" else value
        place.names.append(Name(name, "maker", place.level, size=1, optional=1))
        return f"{name} = lambda {own}, {number}=2: ({value}) % 97\n"

    def _new_list(self, place: Place) -> str:
        name, size = self.make.fresh("m"), 2 + self.choices.below(2)
        values = ", ".join(self._bounded(self.block(place, 2), place) for _ in range(size))
        place.names.append(Name(name, "blocks", place.level, size=size))
        return f"{name} = [{values}]\n"

    def _list_changed(self, place: Place) -> str:
        names = place.assignable("blocks")
        if not names or place.by_node or place.turns > 1:
            return self._new_list(place)
        name = self.choices.one_of(names)
        value = self.block(place, 2)
        return self.choices.one_of(
            (
                f"{name.name}[{self.choices.below(name.size)}] = {value}\n",
                f"{name.name}.append({value})\n",
                f"{name.name}.reverse()\n",
            )
        )

    def _items(self, place: Place) -> str:
        """A sum over a list."""
        names = place.of("blocks")
        if not names or place.turns > 6:
            return self._put(place)
        total, one = self.make.fresh("e"), self.make.fresh("e")
        over = self.choices.one_of(names).name
        sign = self.choices.one_of(("+", "-", "*"))
        first = self._leaf(place, 0)
        place.names.append(Name(total, "block", place.level))
        return f"{total} = {first}\nfor {one} in {over}:\n    {total} = ({total} {sign} {one}) % 97\n"

    def _maybe(self, place: Place) -> str:
        """Nothing, or a block."""
        name = self.make.fresh("o")
        first = f"{name} = {self.block(place, 2)}"
        text = f"{name} = None\nif {self.make.bool(place, 2)}:\n    {first}\n"
        if self.choices.percent(50):
            return f"{text}put({name} if {name} is not None else {self.block(place, 1)})\n"
        return f"{text}if {name} is None:\n    {name} = {self.block(place, 2)}\n" + self._named(place, name)

    def _identity(self, place: Place) -> str:
        other = self.choices.one_of((BLOCK, "None", self._leaf(place, 0)))
        word = self.choices.one_of(("is", "is not"))
        return f'print("{self.make.fresh("p")}", {self._leaf(place, 0)} {word} {other})\n'
