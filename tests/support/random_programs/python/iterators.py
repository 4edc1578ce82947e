"""Iterators in generated programs: made here, their members taken further down, and in between what they read is given other values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from support.random_programs.python.expressions import Expressions
from support.random_programs.python.names import Name, Place


class MakesBlocks(Protocol):
    """What makes the statements of a block."""

    def __call__(self, place: Place, most: int = 4) -> str:
        """One statement or more."""


class Iterators:
    """Statements that make iterators, and take members of them."""

    def __init__(self, make: Expressions, block: MakesBlocks, under: Callable[..., str]) -> None:
        self.make = make
        self.choices = make.choices
        self._block = block
        self._under = under
        self.statements: list[tuple[int, Callable[[Place], str]]] = [
            (5, self._made), (2, self._of_a_function), (6, self._taken), (2, self._followed),
        ]  # fmt: skip

    # --- what is made -------------------------------------------------------------------------------------------

    def _made(self, place: Place) -> str:
        name = self.make.fresh("it")
        text = f"{name} = {self._iterator(place)}\n"
        place.iterators.append(name)
        place.names.append(Name(name, "iterator", place.level))
        return text

    def _iterator(self, place: Place, depth: int = 1) -> str:
        """An iterator over numbers."""
        choices = self.choices
        form = choices.below(9)
        over = self._over(place, depth)
        if form <= 2:
            return self._generator(place, over)
        if form == 3:
            functions = [each.name for each in place.of("function") if each.size == 1 and each.turns == 1]
            function = choices.one_of([*functions, self._lambda(place, "int")])
            return f"map({function}, {over})"
        if form == 4:
            return f"filter({self._lambda(place, 'test')}, {over})"
        if form == 5:
            return f"iter({over})"
        if form == 6:
            return f"(k + w for k, w in zip({over}, {self._over(place, depth)}))"
        if form == 7:
            return f"(k * 3 + w for k, w in enumerate({over}))"
        if form == 8 and choices.percent(50):
            return choices.one_of(
                (
                    f"itertools.chain({over}, {self._over(place, depth)})",
                    f"itertools.islice({over}, 3)",
                    f"itertools.takewhile({self._lambda(place, 'test')}, {over})",
                    f"itertools.accumulate({over})",
                )
            )
        lists = [each.name for each in place.of("list", "tuple")]
        return f"reversed({choices.one_of(lists)})" if lists else self._generator(place, over)

    def _generator(self, place: Place, over: str) -> str:
        inner, name = self._with_number(place)
        element = self.make.int(inner, 2)
        test = f" if {self.make.bool(inner, 1)}" if self.choices.percent(15) else ""
        if self.choices.percent(15):
            return f"({element} for {name} in {over}{test} for {self.make.fresh('k')} in (0, {name}))"
        return f"({element} for {name} in {over}{test})"

    def _lambda(self, place: Place, kind: str) -> str:
        inner, name = self._with_number(place)
        inner.level += 1
        value = self.make.int if kind == "int" else self.make.bool
        return f"lambda {name}: {self.make._without_walrus(lambda: value(inner, 1))}"

    def _with_number(self, place: Place) -> tuple[Place, str]:
        inner = place.inside(turns=4)
        name = self.make.fresh("k")
        inner.names.append(Name(name, "int", place.level, fixed=True))
        return inner, name

    def _over(self, place: Place, depth: int) -> str:
        lists = [each.name for each in place.of("list", "tuple")]
        form = self.choices.below(8)
        if form < 4 and lists:
            return self.choices.one_of(lists)
        if form < 6 and place.iterators:
            return self.choices.one_of(place.iterators)
        if form == 6 and depth:
            text = self._iterator(place, depth - 1)
            # What a comprehension goes over may assign nothing.
            return "range(3)" if ":=" in text else text
        number = self.make._without_walrus(lambda: self.make.int(place, 0))
        return self.choices.one_of(("range(3)", "(0, 2, 5)", f"[1, {number}, 4]"))

    def _of_a_function(self, place: Place) -> str:
        """A function that gives an iterator, and has changed by then what it reads."""
        if place.level > 1 or place.is_file:
            return self._made(place)
        make, parameter, name = self.make.fresh("make"), self.make.fresh("a"), self.make.fresh("it")
        inner = place.inside_function(in_function=False)
        inner.iterators = []
        inner.names.append(Name(parameter, "int", inner.level))
        own = f"own = {self._iterator(inner)}\n"
        inner.names.append(Name("own", "iterator", inner.level))
        body = f"{own}{self._block(inner, 2)}{parameter} += {1 + self.choices.below(3)}\nreturn own\n"
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        place.iterators.append(name)
        place.names.append(Name(name, "iterator", place.level))
        return f"def {make}({parameter}):\n{lines}{name} = {make}({self.make._small(place, 1)})\n"

    # --- what is taken ------------------------------------------------------------------------------------------

    def _one(self, place: Place) -> str:
        """An iterator of the same block; now and then one from further out."""
        others = [each.name for each in place.of("iterator")]
        return self.choices.one_of(others if others and self.choices.percent(5) else place.iterators)

    def _taken(self, place: Place) -> str:
        if not place.iterators:
            return self._made(place)
        name, shown = self._one(place), self.make.fresh("p")
        form = self.choices.below(12)
        if form == 0:
            variable = self.make.fresh("v")
            place.names.append(Name(variable, "int", place.level))
            return f"{variable} = next({name}, {self.choices.below(5)}) % 97\n"
        lists = [each.name for each in place.assignable("list")]
        if form == 1 and lists and not place.by_node and place.turns == 1:
            text = f"itertools.islice({name}, 5) if len({lists[0]}) < 9 else ()"
            return self.choices.one_of((f"{lists[0]}.extend({text})\n", f"{lists[0]} += {text}\n"))
        value = self.choices.one_of(
            (
                f"list({name})", f"*{name}", f"[*{name}]", f"sum({name})", f"max({name}, default=7)", f"next({name}, 3), next({name}, 4)",
                f"list(zip({name}, {name}))", f"list(enumerate({name}))", f"any(k > 2 for k in {name})", f"tuple(map(lambda k: k + 1, {name}))",
                f"list(zip({name}, range(2)))", f"[k % 5 for k in {name} if k != 1]", f"list(itertools.islice({name}, 2))",
                f"any(map(lambda k: k == 2, {name}))", f"functools.reduce(lambda k, w: k + w, {name}, 1)", f"min({name}, key=lambda k: -k, default=5)",
            )
        )  # fmt: skip
        return f'print("{shown}", {value})\n'

    def _followed(self, place: Place) -> str:
        """A loop over one, in which members of it, or of another, are taken."""
        if not place.iterators or place.turns > 30:
            return self._taken(place)
        name, number = self._one(place), self.make.fresh("i")
        inner = place.inside(turns=4, loop=True)
        inner.names.append(Name(number, "int", place.level, fixed=True))
        inner.iterators = list(place.iterators) if self.choices.percent(30) else []
        # Lists that grow for ever are no programs.
        inner.hidden = inner.hidden | {each.name for each in place.of("list")}
        head = self.choices.one_of(
            (f"for {number} in {name}", f"for {number} in map(lambda k: k + 1, {name})")
        )
        return self._under(head, inner)
