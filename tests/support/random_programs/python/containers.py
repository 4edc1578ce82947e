"""Lists in generated programs that several names, containers and objects share; lists made of others; and parts of lists that change."""

from __future__ import annotations

from collections.abc import Callable

from support.random_programs.python.expressions import Expressions
from support.random_programs.python.names import Name, Place

# What gives a list that is there already.
_SAME = (
    "{0}", "[{0}, [7, 8, 9, 10]][0]", "(4, {0})[1]", "{{'up': {0}}}['up']", "{{'up': {0}}}.get('up')", "{{1: {0}}}.setdefault(1, [])",
    "[{0}].pop()", "next(iter([{0}]))", "next(v for v in [{0}])", "max([{0}], key=len)", "min({0}, {0})", "({0} or [1])", "(lambda q: q)({0})",
    "[v for v in [{0}]][0]", "list(map(lambda q: q, [{0}]))[0]", "sorted([{0}])[0]", "tuple([{0}])[-1]", "list({{1: {0}}}.values())[0]",
    "dict(up={0})['up']", "operator.itemgetter(1)([3, {0}])", "operator.getitem([{0}], 0)", "[*zip([{0}])][0][0]", "[{0}][:][0]",
    "({0} if {1} else {0})",
)  # fmt: skip
# What makes one of it, and by how many members it is longer at least.
_NEW = (
    ("{0}[:]", 0), ("{0}[1:]", -1), ("{0}[:-1]", -1), ("{0}[::-1]", 0), ("{0} + [{2}]", 1), ("[{2}] + {0}", 1), ("{0} * 2", 0), ("2 * {0}", 0),
    ("{0}.copy()", 0), ("list({0})", 0), ("[*{0}, {2}]", 1), ("list(reversed({0}))", 0), ("[v for v in {0}]", 0),
    ("({0} if {1} else [{2}, *{0}])", 0), ("{0} + {0}", 0), ("sum([{0}, [{2}]], [])", 1), ("list(itertools.chain({0}, [{2}]))", 1),
)  # fmt: skip


class Containers:
    """Statements about lists that other statements have made."""

    def __init__(self, make: Expressions) -> None:
        self.make = make
        self.choices = make.choices
        self.statements: list[tuple[int, Callable[[Place], str]]] = [
            (2, self._shared), (2, self._derived), (3, self._part_changed), (2, self._through), (1, self._repeated), (2, self._lists_shown),
        ]  # fmt: skip

    def _list(self, place: Place) -> tuple[str, Name]:
        """A list, and what makes it if there is none."""
        names = place.assignable("list")
        if names:
            return "", self.choices.one_of(names[:4])
        members = f"[{self._value(place)}, 4, {self._value(place)}]"
        name = Name(self.make.fresh("l"), "list", place.level, size=3)
        place.names.append(name)
        return f"{name.name} = {members}\n", name

    def _value(self, place: Place) -> str:
        return f"({self.make._without_walrus(lambda: self.make.int(place, 2))}) % 97"

    def _new(self, place: Place, text: str, size: int) -> str:
        name = self.make.fresh("l")
        place.names.append(Name(name, "list", place.level, size=size))
        return f"{name} = {text}\n"

    def _filled(self, form: str, of: Name, place: Place) -> str:
        test = self.choices.one_of(("n", "n > 1", "True", f"{of.name}[0] > 3"))
        return form.format(of.name, test, self._value(place))

    def _shared(self, place: Place) -> str:
        """Another name for a list."""
        before, of = self._list(place)
        return before + self._new(place, self._filled(self.choices.one_of(_SAME), of, place), of.size)

    def _derived(self, place: Place) -> str:
        before, of = self._list(place)
        form, more = self.choices.one_of(_NEW)
        if of.size + more < 1 or (place.turns > 1 and more > 0):
            form, more = _NEW[0]
        return before + self._new(place, self._filled(form, of, place), of.size + more)

    def _repeated(self, place: Place) -> str:
        count = 1 + self.choices.below(4)
        form = self.choices.one_of(
            ("[{0}] * {1}", "[{0} for _ in range({1})]", "[0] * {1} + [{0}]", "[*range({1})]")
        )
        return self._new(place, form.format(self._value(place), count), count)

    def _part_changed(self, place: Place) -> str:
        """As many members as before, or more where that is done once."""
        if place.by_node and self.choices.percent(90):
            return self._derived(place)
        before, of = self._list(place)
        name, value, other = of.name, self._value(place), self._value(place)
        forms = [
            f"{name}[0:1] = [{value}]", f"{name}[-1:] = ({value},)", f"{name}[:1] = iter([{value}])", f"{name}[:] = {name}[::-1]",
            f"{name}[::2] = [v + 1 for v in {name}[::2]]", f"{name}[:1] = (v - 2 for v in {name}[:1])", f"{name}[0], {name}[-1] = {name}[-1], {value}",
            f"{name}.append({value})\ndel {name}[0]", f"{name}[:0] = [{value}]\ndel {name}[-1:]",
            f"{name}[:1], v_ = [{value}], 3", f"{name}.append({name}.pop(0))",
        ]  # fmt: skip
        if place.turns == 1 and not place.in_function and not place.level:
            forms += [
                f"{name}[1:1] = [{value}, {other}]", f"{name}[:0] = range(2)", f"{name}[1:] += [{value}]", f"{name}[:] = [{value}] * 2 + {name}",
                f"{name} *= 2", f"{name}.extend({name})", f"{name}.extend(v for v in [{value}])",
            ]  # fmt: skip
        return f"{before}{self.choices.one_of(forms)}\n"

    def _through(self, place: Place) -> str:
        """A list is changed through what it was reached by."""
        if place.by_node and self.choices.percent(90):
            return self._shared(place)
        before, of = self._list(place)
        reached = self._filled(self.choices.one_of(_SAME), of, place)
        form = self.choices.one_of(
            (
                "{0}[0] = {1}", "{0}[-1] += {1}", "for q in [{0}]:\n    q[0] = {1}", "q_ = {0}\nq_[0] -= {1}", "{0}.reverse()",
                "def change(q):\n    q[0] = q[-1] + {1}\nchange({0})", "(lambda q: q.append(q.pop(0)))({0})", "{0}[:1] = [{1}]",
            )
        )  # fmt: skip
        return f"{before}{form.format(reached, self._value(place))}\n"

    def _lists_shown(self, place: Place) -> str:
        before, of = self._list(place)
        return f'{before}print("{self.make.fresh("p")}", len({of.name}), {of.name}[0], {of.name}[-1])\n'
