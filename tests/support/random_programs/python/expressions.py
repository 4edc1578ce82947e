"""Generated expressions, by the kind of their value. None raises an exception, and none is so large that it says nothing."""

from __future__ import annotations

from collections.abc import Callable

from support.random_programs.python.choosing import Choices
from support.random_programs.python.names import MOST_TURNS, WORDS, Kind, Name, Place

Maker = Callable[[Place, int], str]
_COMPARISONS = ("<", "==", "!=", "<=", ">", ">=")
_LARGE = ("100_000", "2**31", "(2**32 - 1)", "3_000_000_019", "(1 << 33)", "-(2**31) - 1", "10**10")


class Expressions:
    """Makes expressions for a place; ``depth`` is how far they may be nested."""

    def __init__(self, choices: Choices, without: frozenset[str] = frozenset()) -> None:
        self.choices = choices
        self.without = without
        self.big = False
        self._number = 0
        self._made: list[tuple[Kind, str]] = []
        self._ints: list[tuple[int, Maker]] = [
            (12, self._literal), (26, self._name), (16, self._sum), (6, self._scaled), (5, self._divided), (6, self._choice),
            (7, self._either), (6, self._least), (5, self._call), (3, self._bits), (3, self._unary), (4, self._item),
            (3, self._walrus), (3, self._reduced), (2, self._from_bool), (2, self._divmod), (2, self._sorted), (2, self._rounded),
            (2, self._lambda), (2, self._entry),
        ]  # fmt: skip
        self._bools: list[tuple[int, Maker]] = [
            (20, self._compared), (7, self._chained), (9, self._joined), (5, self._negated), (5, self._among),
            (6, self._same), (5, self._bool_name), (4, self._quantified), (3, self._float_compared), (3, self._word_compared),
            (2, self._truth), (2, self._tuples_compared), (2, self._walrus_compared),
        ]  # fmt: skip

    def fresh(self, stem: str) -> str:
        """A name that nothing has."""
        self._number += 1
        return f"{stem}{self._number}"

    def int(self, place: Place, depth: int = 3) -> str:
        """An integer."""
        if depth <= 0:
            return self._literal(place, 0) if self.choices.percent(30) else self._name(place, 0)
        make = self.choices.weighted(self._ints)
        return (self._name if make.__name__ in self.without else make)(place, depth - 1)

    def bool(self, place: Place, depth: int = 3) -> str:
        """A truth value."""
        if depth <= 0:
            return self._compared(place, 0)
        make = self.choices.weighted(self._bools)
        return (self._compared if make.__name__ in self.without else make)(place, depth - 1)

    def float(self, place: Place, depth: int = 2) -> str:
        """A float that halves and quarters of small integers make, so that every step is exact."""
        names = place.of("float")
        if names and self.choices.percent(40):
            return self.choices.one_of(names).name
        small = self._small(place, depth)
        return self.choices.one_of(
            (
                f"{small} * 0.5",
                f"{small} / 2",
                f"{small} / 4 + 1.0",
                f"abs({small} * 0.25)",
                f"-{small} * 1.5",
                f"float({small})",
            )
        )

    def str(self, place: Place, depth: int = 2) -> str:
        """A text."""
        names = place.of("str")
        kind = self.choices.below(5)
        if kind == 0 or depth <= 0:
            return repr(self.choices.one_of(WORDS))
        if kind == 1 and names:
            return self.choices.one_of(names).name
        if kind == 2:
            return f'f"{{{self._plain(place)}}}:{{{self._plain(place)}}}"'
        return f"({self.str(place, depth - 1)} if {self.bool(place, depth - 1)} else {self.str(place, depth - 1)})"

    # --- integers -----------------------------------------------------------------------------------------------

    def _literal(self, place: Place, depth: int) -> str:
        if self.big and self.choices.percent(40):
            return self.choices.one_of(_LARGE)
        return repr(self.choices.one_of((0, 1, 2, 3, 4, 5, 7, -1, -2, 9, 12)))

    def _name(self, place: Place, depth: int) -> str:
        names = [each.name for each in place.of("int")][:6]
        # The node counts as often as some of what was made of it.
        node = [each for each in ("n", "x", "z") if not place.is_file and each not in place.hidden]
        everything = [*node[:1], *names, *node]
        return self.choices.one_of(everything) if everything else "1"

    def _plain(self, place: Place) -> str:
        return self._name(place, 0)

    def _small(self, place: Place, depth: int) -> str:
        """One of not more than a hundred or so."""
        inner = self.int(place, depth)
        is_node = inner in ("x", "z") and all(each.name != inner for each in place.names)
        return inner if is_node else f"({inner}) % {self.choices.one_of((7, 5, 11, 4, 16))}"

    def _sum(self, place: Place, depth: int) -> str:
        sign = self.choices.one_of(("+", "-", "+"))
        return f"({self.int(place, depth)} {sign} {self.int(place, depth)})"

    def _scaled(self, place: Place, depth: int) -> str:
        factor = self.choices.one_of((2, 3, 5, -1, 7))
        if self.choices.percent(20):
            return (
                f"({self.int(place, depth)} * {self.int(place, depth)}) % {self.choices.one_of((97, 31, 64))}"
            )
        if self.big and self.choices.percent(50):
            return f"({self.int(place, depth)} * {self.choices.one_of(('65_537', '2**16', '1_000_003'))})"
        return f"{self._small(place, depth)} * {factor}"

    def _divided(self, place: Place, depth: int) -> str:
        divisor = self.choices.one_of((2, 3, 4, 5, 8))
        return f"({self.int(place, depth)} {self.choices.one_of(('%', '//'))} {divisor})"

    def _choice(self, place: Place, depth: int) -> str:
        return f"({self.int(place, depth)} if {self.bool(place, depth)} else {self.int(place, depth)})"

    def _either(self, place: Place, depth: int) -> str:
        word = self.choices.one_of(("or", "and"))
        first = self.int(place, depth) if self.choices.percent(70) else self.bool(place, depth)
        return f"({first} {word} {self.int(place, depth)})"

    def _least(self, place: Place, depth: int) -> str:
        function = self.choices.one_of(("min", "max"))
        values = [self.int(place, depth) for _ in range(2 + self.choices.below(2))]
        key = ", key=lambda k: -k" if self.choices.percent(10) else ""
        return f"{function}({', '.join(values)}{key})"

    def _call(self, place: Place, depth: int) -> str:
        functions = [each for each in place.of("function") if each.turns * place.turns <= MOST_TURNS]
        if not functions:
            return self._sum(place, depth)
        return self.call(place, self.choices.one_of(functions), depth)

    def call(self, place: Place, function: Name, depth: int = 1) -> str:
        """A call of a function of the program."""
        given = function.size - self.choices.below(function.optional + 1)
        return f"{function.name}({', '.join(self.int(place, depth - 1) for _ in range(given))})"

    def _bits(self, place: Place, depth: int) -> str:
        inner = f"({self.int(place, depth)})"
        return self.choices.one_of((
            f"({inner} & 7)", f"({self._small(place, depth)} << 2)", f"({inner} >> 1)", f"({inner} ^ 1)", f"({inner} | 4)",
            f"(~{inner})", f"(1 << {self._small(place, 0)})", f"({inner} & {self._name(place, 0)})",
        ))  # fmt: skip

    def _unary(self, place: Place, depth: int) -> str:
        return self.choices.one_of((f"(-{self.int(place, depth)})", f"abs({self.int(place, depth)})"))

    def _item(self, place: Place, depth: int) -> str:
        names = place.of("tuple", "list")
        if not names:
            return self._sum(place, depth)
        name = self.choices.one_of(names)
        if self.choices.percent(50):
            return f"{name.name}[{self.choices.below(name.size) - self.choices.below(2) * name.size}]"
        return f"{name.name}[({self.int(place, depth)}) % {name.size}]"

    def _walrus(self, place: Place, depth: int) -> str:
        names = [each for each in place.of("int") if each.level == place.level and not each.fixed]
        if not names:
            return self._least(place, depth)
        # What a loop repeats must not grow with each turn.
        return f"({self.choices.one_of(names).name} := {self._small(place, depth)})"

    def _reduced(self, place: Place, depth: int) -> str:
        inner = place.inside()
        name = self.fresh("k") if self.choices.percent(60) else "n"
        inner.names.append(Name(name, "int", place.level, fixed=True))
        condition = f" if {self.bool(inner, 0)}" if self.choices.percent(30) else ""
        over = self.choices.one_of(
            ("range(3)", "range(1, 4)", "(1, 2, 5)", "range(x + 2)", "range(z)")
            if not place.is_file
            else ("range(3)", "(2, 1)")
        )
        values = self._without_walrus(lambda: self.int(inner, 1))
        form = self.choices.one_of(
            ("sum({} for {} in {}{})", "sum([{} for {} in {}{}])", "max([0, *({} for {} in {}{})])")
        )
        return form.format(values, name, over, condition)

    def _without_walrus(self, make: Callable[[], str]) -> str:
        text = make()
        return "1" if ":=" in text else text

    def _from_bool(self, place: Place, depth: int) -> str:
        return self.choices.one_of(
            (
                f"int({self.bool(place, depth)})",
                f"({self.bool(place, depth)}) * 3",
                f"({self.bool(place, depth)}) + 1",
            )
        )

    def _divmod(self, place: Place, depth: int) -> str:
        return f"divmod({self.int(place, depth)}, {self.choices.one_of((3, 4, 2))})[{self.choices.below(2)}]"

    def _sorted(self, place: Place, depth: int) -> str:
        values = ", ".join(self.int(place, 0) for _ in range(2 + self.choices.below(2)))
        return f"sorted(({values}))[{self.choices.below(2)}]"

    def _rounded(self, place: Place, depth: int) -> str:
        return self.choices.one_of((
            f"int({self.float(place, 1)})", f"math.floor({self._small(place, 0)} / 2)", f"math.ceil({self._small(place, 0)} / 4)",
            f"round({self.int(place, depth)})",
        ))  # fmt: skip

    def _lambda(self, place: Place, depth: int) -> str:
        inner = place.inside()
        name = self.fresh("k") if self.choices.percent(60) else "x"
        inner.names.append(Name(name, "int", place.level, fixed=True))
        body = self._without_walrus(lambda: self.int(inner, depth))
        return f"(lambda {name}: {body})({self.int(place, depth)})"

    def _entry(self, place: Place, depth: int) -> str:
        names = place.of("dict")
        if not names:
            return self._either(place, depth)
        name = self.choices.one_of(names)
        if self.choices.percent(20):
            return f"{name.name}.get({self.choices.one_of(WORDS)!r}, {self.int(place, 0)})"
        return f"{name.name}[{self.choices.one_of(WORDS[: name.size])!r}]"

    # --- truth values -------------------------------------------------------------------------------------------

    def _compared(self, place: Place, depth: int) -> str:
        return f"{self.int(place, depth)} {self.choices.one_of(_COMPARISONS)} {self.int(place, 0)}"

    def _chained(self, place: Place, depth: int) -> str:
        first, second = (self.choices.one_of(_COMPARISONS) for _ in range(2))
        return f"{self.int(place, 0)} {first} {self.int(place, depth)} {second} {self.int(place, depth - 1)}"

    def _joined(self, place: Place, depth: int) -> str:
        return f"({self.bool(place, depth)} {self.choices.one_of(('and', 'or'))} {self.bool(place, depth)})"

    def _negated(self, place: Place, depth: int) -> str:
        return f"(not {self.bool(place, depth)})"

    def _among(self, place: Place, depth: int) -> str:
        word = self.choices.one_of(("in", "not in"))
        group = self.choices.one_of(
            (
                "(1, 3)",
                "[0, 2, 5]",
                "range(2, 5)",
                f"({self._plain(place)}, {self.int(place, 0)})",
                "{1, 2, 4}",
            )
        )
        return f"({self.int(place, depth)}) {word} {group}"

    def _same(self, place: Place, depth: int) -> str:
        word = self.choices.one_of(("==", "!=", "is", "is not"))
        left, right = f"({self.bool(place, depth)})", f"({self.bool(place, depth)})"
        return f"{left} {word} {self.choices.one_of((right, 'True', 'False', right))}"

    def _bool_name(self, place: Place, depth: int) -> str:
        names = place.of("bool")
        return self.choices.one_of(names).name if names else self._compared(place, depth)

    def _quantified(self, place: Place, depth: int) -> str:
        inner = place.inside()
        name = self.fresh("k")
        inner.names.append(Name(name, "int", place.level, fixed=True))
        condition = self._without_walrus(lambda: self.bool(inner, 0))
        function = self.choices.one_of(("any", "all"))
        return f"{function}({condition if condition != '1' else name} for {name} in {self.choices.one_of(('range(3)', '(1, 4)'))})"

    def _float_compared(self, place: Place, depth: int) -> str:
        return f"{self.float(place, 1)} {self.choices.one_of(_COMPARISONS)} {self.choices.one_of((self.float(place, 0), '1.5', self._plain(place), '2'))}"

    def _word_compared(self, place: Place, depth: int) -> str:
        text = self.str(place, 1)
        if 'f"' in text and not self.choices.percent(15):
            # What a number looks like is no text that a chip compares.
            text = f"('up' if {self.bool(place, 0)} else 'left')"
        return self.choices.one_of(
            (
                f"{text} == {self.choices.one_of(WORDS)!r}",
                f"{text} != {self.choices.one_of(WORDS)!r}",
                f"{text} in ('up', 'left')",
            )
        )

    def _truth(self, place: Place, depth: int) -> str:
        return f"bool({self.int(place, depth)})"

    def _tuples_compared(self, place: Place, depth: int) -> str:
        left, right = (f"({self.int(place, 0)}, {self.int(place, 0)})" for _ in range(2))
        return f"{left} {self.choices.one_of(('==', '!=', '<'))} {right}"

    def _walrus_compared(self, place: Place, depth: int) -> str:
        return f"{self._walrus(place, depth)} {self.choices.one_of(_COMPARISONS)} {self.int(place, 0)}"
