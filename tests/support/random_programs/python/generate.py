"""Random programs of ordinary Python inside of kernels: typed, so that CPython runs them, and short enough to be run by the thousand."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from textwrap import indent
from typing import Any

from support.random_programs.python.blocks import Blocks
from support.random_programs.python.choosing import Choices
from support.random_programs.python.containers import Containers
from support.random_programs.python.expressions import Expressions
from support.random_programs.python.iterators import Iterators
from support.random_programs.python.names import MOST_TURNS, WORDS, Name, Place
from support.random_programs.python.programs import Program

Statement = Callable[[Place], str]
_MOST_DEPTH = 4
_NESTED = ("_if", "_for", "_while", "_forever", "_for_items", "_match", "_defined", "_factory")


class Generator:
    """Makes one program."""

    def __init__(self, choices: Choices, without: Collection[str] = ()) -> None:
        """``without`` names what is left out, ``either``, ``while``, ``iterators`` or ``containers``: what lies behind a fault that is known."""
        self.choices = choices
        self.without = frozenset(f"_{each}" for each in without)
        self.make = Expressions(choices, self.without)
        self.left = 0
        """How many more statements there may be."""
        self.peak = 1
        """How often the most frequent statement runs."""
        self.kernel = "read"
        self.blocks = Blocks(self.make, self.block)
        self.statements: list[tuple[int, Statement]] = [
            (14, self._assigned), (10, self._printed), (13, self._new_int), (10, self._changed), (12, self._if), (9, self._for), (4, self._while),
            (3, self._forever), (6, self._leaving), (6, self._defined), (7, self._called), (4, self._factory), (3, self._shown), (4, self._new_bool),
            (2, self._new_float), (3, self._new_str), (3, self._new_tuple), (3, self._new_list), (2, self._new_dict), (3, self._list_changed),
            (2, self._dict_changed), (3, self._swapped), (3, self._match), (2, self._named_lambda), (3, self._for_items), (1, self._chosen_function),
            (2, self._pair), (1, self._recursive), (1, self._comprehended), (1, self._asserted),
        ]  # fmt: skip
        if "iterators" not in without:
            self.statements += Iterators(self.make, self.block, self._under).statements
        if "containers" not in without:
            self.statements += Containers(self.make).statements

    def program(self, name: str) -> Program:
        """The program: 5 to 60 statements."""
        choices = self.choices
        self.left = 5 + choices.below(56)
        self.make.big = choices.percent(8)
        functions = body = movement = compute = ""
        shared: list[Name] = []
        if choices.percent(25):
            functions, helper = self._function(Place(names=[], level=-1, is_file=True), statements=3)
            shared = [helper]
        if choices.percent(25):
            place = Place(names=list(shared))
            body = self._some(
                place, 1 + choices.below(2), [(1, self._new_int), (2, self._defined), (1, self._named_lambda)]
            )
            shared = [replace(each, fixed=True) for each in place.names]
        where = choices.below(10)
        if where < 8:
            movement = self._kernel("read", shared)
        if where > 6:
            compute = self._kernel("compute", shared)
        return Program(functions=functions, body=body, movement=movement, compute=compute, name=name)

    def operation(self, name: str) -> Program:
        """A program whose statements are in the body of the operation, and which shows in a kernel what they leave."""
        self.left = 5 + self.choices.below(36)
        self.kernel = ""
        place = Place(names=[])
        body = self.block(place, 12)
        place.names[:] = [replace(each, fixed=True) for each in place.names]
        self.left = 2
        return Program(body=body, movement=self._kernel("read", place.names), name=name)

    def _kernel(self, kind: str, shared: list[Name]) -> str:
        self.kernel = kind
        if kind == "compute" and self.choices.percent(70):
            self.statements = [*self.statements, *self.blocks.statements]
        place = Place(names=list(shared))
        text = ""
        while not text or self.left > 0:
            text += self.block(place, 12)
            if self.choices.below(8) == 0:
                break
        shown = [each for each in place.of("int", "bool", "float", "str") if not each.fixed]
        names = "".join(f", {each.name}" for each in reversed(shown))
        lists = "".join(f", *{each.name}" for each in place.of("tuple"))
        puts = "".join(f"put({each.name})\n" for each in place.of("block")[:3])
        return f'{text}{puts}print("end", n{names}{lists})\n'

    # --- blocks -------------------------------------------------------------------------------------------------

    def block(self, place: Place, most: int = 4) -> str:
        """One statement or more."""
        return self._some(place, 1 + self.choices.below(most), self.statements)

    def _some(self, place: Place, count: int, statements: list[tuple[int, Statement]]) -> str:
        text = ""
        for _ in range(count):
            if self.left <= 0 and text:
                break
            self.left -= 1
            self.peak = max(self.peak, place.turns)
            statement = self.choices.weighted(statements)
            too_deep = place.depth >= _MOST_DEPTH and statement.__name__ in _NESTED
            without = too_deep or statement.__name__ in self.without
            text += (self._printed if without else statement)(place)
        return text or "pass\n"

    def _under(self, head: str, place: Place, most: int = 3, before: str = "", after: str = "") -> str:
        return f"{head}:\n{indent(before + self.block(place, most) + after, '    ')}"

    def _reset(self, text: str, place: Place) -> str:
        """An integer that does not grow where a statement is repeated."""
        if place.turns > 1 or place.in_function:
            return f"({text}) % {self.choices.one_of((97, 31, 11))}"
        return text

    # --- variables ----------------------------------------------------------------------------------------------

    def _new(self, place: Place, stem: str, kind: Any, text: str, size: int = 0) -> str:
        name = self.make.fresh(stem)
        place.names.append(Name(name, kind, place.level, size=size))
        return f"{name} = {text}\n"

    def _new_int(self, place: Place) -> str:
        return self._new(place, "v", "int", self._reset(self.make.int(place), place))

    def _new_bool(self, place: Place) -> str:
        return self._new(place, "c", "bool", self.make.bool(place))

    def _new_float(self, place: Place) -> str:
        return self._new(place, "f", "float", self.make.float(place))

    def _new_str(self, place: Place) -> str:
        return self._new(place, "s", "str", self.make.str(place))

    def _new_tuple(self, place: Place) -> str:
        size = 2 + self.choices.below(3)
        return self._new(
            place, "t", "tuple", f"({', '.join(self.make.int(place, 2) for _ in range(size))})", size
        )

    def _new_list(self, place: Place) -> str:
        size = 2 + self.choices.below(3)
        return self._new(
            place, "l", "list", f"[{', '.join(self.make.int(place, 2) for _ in range(size))}]", size
        )

    def _new_dict(self, place: Place) -> str:
        size = 2 + self.choices.below(3)
        pairs = ", ".join(f"{word!r}: {self.make.int(place, 2)}" for word in WORDS[:size])
        return self._new(place, "d", "dict", f"{{{pairs}}}", size)

    def _comprehended(self, place: Place) -> str:
        inner = place.inside()
        name = self.make.fresh("k")
        inner.names.append(Name(name, "int", place.level, fixed=True))
        value = self.make._without_walrus(lambda: self.make.int(inner, 2))
        return self._new(
            place, "l", "list", f"[{value} for {name} in {self.choices.one_of(('range(3)', '(0, 2, 4)'))}]", 3
        )

    def _assigned(self, place: Place) -> str:
        kind = self.choices.weighted([(8, "int"), (2, "bool"), (1, "float"), (2, "str")])
        names = place.assignable(kind)  # type: ignore[arg-type]
        if not names:
            return self._new_int(place)
        name = self.choices.one_of(names[:5]).name
        match kind:
            case "int":
                return f"{name} = {self._reset(self.make.int(place), place)}\n"
            case "bool":
                return f"{name} = {self.make.bool(place)}\n"
            case "float":
                return f"{name} = {self.make.float(place)}\n"
        return f"{name} = {self.make.str(place)}\n"

    def _changed(self, place: Place) -> str:
        names = place.assignable("int")
        if not names:
            return self._new_int(place)
        name = self.choices.one_of(names[:5]).name
        sign = self.choices.one_of(("+=", "-=", "+=", "^=", "|=", "//=", "%="))
        if sign in ("//=", "%="):
            return f"{name} {sign} {self.choices.one_of((2, 3, 7))}\n"
        return f"{name} {sign} {self.make._small(place, 2)}\n"

    def _swapped(self, place: Place) -> str:
        names = [each.name for each in place.assignable("int")]
        if len(names) < 2:
            return self._new_int(place)
        first, second = names[self.choices.below(len(names) - 1) + 1], names[0]
        form = self.choices.below(3)
        if form == 0:
            return f"{first}, {second} = {second}, {first}\n"
        values = [self._reset(self.make.int(place, 1), place) for _ in range(2)]
        if form == 1:
            return f"{first}, {second} = {values[0]}, {values[1]}\n"
        return f"{first} = {second} = {values[0]}\n"

    def _list_changed(self, place: Place) -> str:
        names = place.assignable("list")
        if not names or (place.by_node and self.choices.percent(80)):
            return self._new_list(place)
        each = self.choices.one_of(names)
        value = self._reset(self.make.int(place, 2), place)
        if self.choices.percent(60):
            return (
                f"{each.name}[{self.choices.below(each.size)}] {self.choices.one_of(('=', '+='))} {value}\n"
            )
        if place.by_node or place.turns > 1:
            return f"{each.name}[-1] = {value}\n"
        return self.choices.one_of(
            (
                f"{each.name}.append({value})\n",
                f"{each.name}.insert(1, {value})\n",
                f"{each.name} += [{value}, 3]\n",
                f"{each.name}.reverse()\n",
            )
        )

    def _dict_changed(self, place: Place) -> str:
        names = place.assignable("dict")
        if not names or (place.by_node and self.choices.percent(80)):
            return self._new_dict(place)
        each = self.choices.one_of(names)
        return f"{each.name}[{self.choices.one_of(WORDS[: each.size])!r}] {self.choices.one_of(('=', '+='))} {self._reset(self.make.int(place, 2), place)}\n"

    # --- what is seen -------------------------------------------------------------------------------------------

    def _printed(self, place: Place) -> str:
        values = ""
        for _ in range(1 + self.choices.below(3)):
            kind = self.choices.weighted(
                [(8, self.make.int), (3, self.make.bool), (1, self.make.float), (1, self.make.str)]
            )
            values += f", {kind(place)}"
        return f'print("{self.make.fresh("p")}"{values})\n'

    def _shown(self, place: Place) -> str:
        if place.is_file or place.level < 0 or not self.kernel:
            return self._printed(place)
        if self.kernel == "compute":
            return f"add({self.make._small(place, 2)})\n"
        return f"see({self.make.int(place, 2)}, {self.choices.below(7)})\n"

    def _asserted(self, place: Place) -> str:
        return f"assert {self.make._small(place, 1)} < 100\n"

    # --- control flow -------------------------------------------------------------------------------------------

    def _if(self, place: Place) -> str:
        text = self._under(f"if {self.make.bool(place)}", place.inside(by_node=True))
        while self.choices.percent(25):
            text += self._under(f"elif {self.make.bool(place)}", place.inside(by_node=True))
        if self.choices.percent(45):
            text += self._under("else", place.inside(by_node=True))
        return text

    def _leaving(self, place: Place) -> str:
        """An early end of a loop, a function, or rarely of the kernel."""
        ways = ["break", "continue", "break"] if place.in_loop else []
        if place.in_function:
            ways += ["return"]
        if not ways:
            if place.is_file or place.level or self.choices.percent(90):
                return self._if(place)
            ways = ["return"]
        way = self.choices.one_of(ways)
        if way == "return" and place.in_function:
            way = f"return {self._reset(self.make.int(place), place)}"
        inner = place.inside(by_node=True)
        before = self.block(inner, 2) if self.choices.percent(40) else ""
        text = f"if {self.make.bool(place)}:\n{indent(f'{before}{way}', '    ')}\n"
        if self.choices.percent(20):
            text += self._under("else", place.inside(by_node=True), 2)
        return text

    def _fits(self, place: Place, turns: int) -> bool:
        return place.turns * turns <= MOST_TURNS

    def _number_name(self, place: Place) -> str:
        """The name of a loop's number; now and then one that there is already."""
        names = place.assignable("int")
        if names and self.choices.percent(12):
            return self.choices.one_of(names).name
        return self.make.fresh("i")

    def _for(self, place: Place) -> str:
        known = ("range(3)", "range(1, 4)", "range(4)", "range(5, 0, -2)", "reversed(range(3))")
        by_node = (
            "range(n)",
            "range(x, z + 2)",
            "range(n, -1, -1)",
            "range(1, n + 2, 2)",
            "reversed(range(z + 1))",
            "range(x)",
        )
        if not self._fits(place, 6):
            return self._if(place)
        over = self.choices.one_of(
            known if place.is_file or self.choices.percent(45) or {"n", "x", "z"} & place.hidden else by_node
        )
        inner = place.inside(turns=4 if over in known else 6, loop=True, by_node=over in by_node)
        name = self._number_name(place)
        inner.names.append(Name(name, "int", place.level, fixed=True))
        text = self._under(f"for {name} in {over}", inner)
        if self.choices.percent(8):
            text += self._under("else", place.inside(by_node=True), 2)
        if over in known and self.choices.percent(25):
            # The loop's number afterwards.
            place.names.append(Name(name, "int", place.level))
        return text

    def _for_items(self, place: Place) -> str:
        if not self._fits(place, 4):
            return self._printed(place)
        names = place.of("tuple", "list")
        group = (
            self.choices.one_of(names).name
            if names and self.choices.percent(70)
            else f"(1, {self.make.int(place, 0)}, 4)"
        )
        inner = place.inside(turns=4, loop=True)
        one, other = self.make.fresh("i"), self.make.fresh("e")
        form = self.choices.below(5)
        head = (
            f"for {one} in {group}", f"for {other}, {one} in enumerate({group})", f"for {one}, {other} in zip({group}, range(2, 9))",
            f"for {one} in reversed({group})", f"for {one} in {group}[1:]",
        )[form]  # fmt: skip
        inner.names.append(Name(one, "int", place.level, fixed=True))
        if form in (1, 2):
            inner.names.append(Name(other, "int", place.level, fixed=True))
        if group in [each.name for each in place.of("list")]:
            inner.hidden = inner.hidden | {group}
        return self._under(head, inner)

    def _bound(self, place: Place) -> str:
        return self.choices.one_of(
            ("3", "4")
            if place.is_file or {"n", "x", "z"} & place.hidden
            else ("3", "n", "x + 3", "z * 2", "n + 1")
        )

    def _while(self, place: Place) -> str:
        if not self._fits(place, 6):
            return self._if(place)
        bound, name = self._bound(place), self.make.fresh("w")
        inner = place.inside(turns=6, loop=True, by_node=True)
        inner.names.append(Name(name, "int", place.level, fixed=True))
        also = f" and {self.make.bool(inner, 2)}" if self.choices.percent(40) else ""
        form = self.choices.below(3)
        if form == 0:
            text = f"{name} = 0\n" + self._under(
                f"while {name} < {bound}{also}", inner, before=f"{name} += 1\n"
            )
        elif form == 1:
            text = f"{name} = 0\n" + self._under(f"while ({name} := {name} + 1) < {bound}{also}", inner)
        else:
            text = f"{name} = {bound}\n" + self._under(f"while {name}{also}", inner, before=f"{name} -= 1\n")
        if self.choices.percent(10):
            text += self._under("else", place.inside(by_node=True), 2)
        place.names.append(Name(name, "int", place.level))
        return text

    def _forever(self, place: Place) -> str:
        if not self._fits(place, 6):
            return self._if(place)
        bound, name = self._bound(place), self.make.fresh("w")
        inner = place.inside(turns=6, loop=True, by_node=True)
        inner.names.append(Name(name, "int", place.level, fixed=True))
        test = f"if {name} > {bound}:\n    break\n"
        text = self._under("while True", inner, before=f"{name} += 1\n{test}")
        place.names.append(Name(name, "int", place.level))
        return f"{name} = 0\n{text}"

    def _match(self, place: Place) -> str:
        cases = ""
        pattern = self.choices.one_of((("0", "1"), ("1 | 3", "2"), ("4", "0 | 2"), ("-1", "5")))
        for each in pattern[: 1 + self.choices.below(2)]:
            guard = f" if {self.make.bool(place, 1)}" if self.choices.percent(20) else ""
            cases += self._under(f"case {each}{guard}", place.inside(by_node=True), 2)
        if self.choices.percent(70):
            cases += self._under("case _", place.inside(by_node=True), 2)
        return f"match {self.make.int(place, 2)}:\n{indent(cases, '    ')}"

    # --- functions ----------------------------------------------------------------------------------------------

    def _defined(self, place: Place) -> str:
        if place.level > 2:
            return self._changed(place)
        text, name = self._function(place, statements=4)
        place.names.append(name)
        return text

    def _function(self, place: Place, statements: int) -> tuple[str, Name]:
        choices, name = self.choices, self.make.fresh("g")
        peak, self.peak = self.peak, 1
        size = choices.below(3)
        outer = [each.name for each in place.of("int")]
        parameters = [
            choices.one_of(outer[:3]) if outer and choices.percent(15) else self.make.fresh("a")
            for _ in range(size)
        ]
        parameters = list(dict.fromkeys(parameters))
        optional = choices.below(2) if parameters else 0
        inner = place.inside_function(in_function=True)
        inner.names += [Name(each, "int", inner.level) for each in parameters]
        header = ""
        if place.level >= 0 and not place.is_file:
            names = [
                each.name
                for each in place.assignable("int")
                if each.name not in parameters and each.name in outer
            ]
            changed = {choices.one_of(names[:4]) for _ in range(choices.below(3))} if names else set()
            if changed and not self._is_shared(place):
                inner.nonlocals = changed
                header += f"nonlocal {', '.join(sorted(changed))}\n"
            others = [each for each in outer if each not in parameters and each not in changed]
            if others and choices.percent(15):
                own = choices.one_of(others[:4])
                inner.hidden = inner.hidden | {own}
                header += f"{own} = {self.make._small(inner, 2)}\n"
                inner.hidden = inner.hidden - {own}
                inner.names.append(Name(own, "int", inner.level))
        body = self.block(inner, statements)
        if inner.nonlocals and choices.percent(70):
            body += f"{choices.one_of(sorted(inner.nonlocals))} += {1 + choices.below(3)}\n"
        body += f"return {self._reset(self.make.int(inner), inner)}\n"
        given = [
            f"{each}={choices.below(4)}" if i >= len(parameters) - optional else each
            for i, each in enumerate(parameters)
        ]
        text = f"def {name}({', '.join(given)}):\n{indent(header + body, '    ')}"
        turns, self.peak = self.peak, peak
        return text, Name(name, "function", place.level, size=len(parameters), turns=turns, optional=optional)

    def _is_shared(self, place: Place) -> bool:
        """Whether the names of a place are the operation's, which no kernel may assign."""
        return any(each.fixed for each in place.assignable("int"))

    def _called(self, place: Place) -> str:
        functions = [each for each in place.of("function") if self._fits(place, each.turns)]
        if not functions:
            return self._defined(place)
        function = self.choices.one_of(functions)
        self.peak = max(self.peak, place.turns * function.turns)
        call = self.make.call(place, function, 2)
        form = self.choices.below(3)
        return (
            self._new(place, "v", "int", call)
            if form == 2
            else f"print({call}, {call})\n"
            if form
            else f"{call}\n"
        )

    def _factory(self, place: Place) -> str:
        if place.level > 1 or place.is_file:
            return self._changed(place)
        make, count, step = self.make.fresh("make"), self.make.fresh("u"), self.make.fresh("a")
        inner = place.inside_function(in_function=True).inside_function(in_function=True)
        inner.names += [Name(count, "int", inner.level), Name(step, "int", inner.level)]
        extra = self.block(inner, 2) if self.choices.percent(40) else ""
        inside = f"nonlocal {count}\n{extra}{count} += {step}\nreturn {self._reset(self.make.int(inner, 2), inner)}\n"
        text = (
            f"def {make}({count}):\n    def inner({step}=1):\n{indent(inside, '        ')}    return inner\n"
        )
        for _ in range(1 + self.choices.below(2)):
            name = self.make.fresh("h")
            text += f"{name} = {make}({self.make._small(place, 1)})\n"
            place.names.append(Name(name, "function", place.level, size=1, optional=1, turns=4))
        return text

    def _named_lambda(self, place: Place) -> str:
        name, parameter = self.make.fresh("g"), self.make.fresh("a")
        inner = place.inside()
        inner.names.append(Name(parameter, "int", place.level + 1, fixed=True))
        inner.level += 1
        body = self.make._without_walrus(lambda: self.make.int(inner, 2))
        place.names.append(Name(name, "function", place.level, size=1))
        return f"{name} = lambda {parameter}: {body}\n"

    def _chosen_function(self, place: Place) -> str:
        functions = [each for each in place.of("function") if each.size == 1]
        if len(functions) < 2:
            return self._named_lambda(place)
        first, second = functions[:2]
        name = self.make.fresh("g")
        text = f"{name} = {first.name} if {self.make.bool(place, 1)} else {second.name}\n"
        place.names.append(Name(name, "function", place.level, size=1, turns=max(first.turns, second.turns)))
        return text

    def _pair(self, place: Place) -> str:
        """A function that returns two numbers."""
        if place.level > 2:
            return self._changed(place)
        name, parameter = self.make.fresh("q"), self.make.fresh("a")
        inner = place.inside_function(in_function=True)
        inner.names.append(Name(parameter, "int", inner.level))
        early = (
            f"if {self.make.bool(inner, 1)}:\n    return {self.make.int(inner, 1)}, {self.make.int(inner, 0)}\n"
            if self.choices.percent(60)
            else ""
        )
        body = f"{early}return {self.make.int(inner, 1)}, {self.make.int(inner, 1)}\n"
        first, second = self.make.fresh("v"), self.make.fresh("v")
        text = f"def {name}({parameter}):\n{indent(body, '    ')}{first}, {second} = {name}({self.make.int(place, 1)})\n"
        place.names += [Name(each, "int", place.level) for each in (first, second)]
        return text

    def _recursive(self, place: Place) -> str:
        if place.level > 1:
            return self._changed(place)
        name, parameter = self.make.fresh("r"), self.make.fresh("a")
        inner = place.inside_function(in_function=True)
        inner.names.append(Name(parameter, "int", inner.level, fixed=True))
        value = self.make._small(inner, 1)
        body = f"if {parameter} <= 0:\n    return {value}\nreturn {name}({parameter} - 1) + {self.make._small(inner, 1)}\n"
        target = self.make.fresh("v")
        place.names.append(Name(target, "int", place.level))
        return f"def {name}({parameter}):\n{indent(body, '    ')}{target} = {name}({1 + self.choices.below(4)})\n"
