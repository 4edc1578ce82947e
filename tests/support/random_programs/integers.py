"""Random programs whose kernels compute integers from coordinates and numbers of loops, as large as Python lets them get."""

from __future__ import annotations

import random

from support.random_programs.python.programs import Program

_CONSTANTS = (1, 2, 3, 7, 8, 10, 61, 255, 1000, 65_537, 10**6, 2**31 - 1, 2**31, 2**32 + 5, 10**10, 3**21)
_DIVISORS = (2, 3, 7, 8, 61, 1000, 2**20, 2**31, 10**10, -1, -2, -3, -7, -(2**31), -(10**9))
_RELATIONS = ("<", "<=", ">", ">=", "==", "!=")


class _Writer:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = ["n", "x", "z"]
        self._lines: list[str] = []

    def text(self, shows: str) -> str:
        for _ in range(self._random.randint(3, 7)):
            self._statement()
        shown = self._names[:-7:-1]
        uses = (shows.format(name=name, place=place) for place, name in enumerate(shown))
        return "\n".join([*self._lines, f"print({', '.join(shown)})", *uses])

    def _name(self, value: str) -> str:
        name = f"v{sum(known.startswith('v') for known in self._names)}"
        self._lines.append(f"{name} = {value}")
        self._names.append(name)
        return name

    def _atom(self) -> str:
        if self._random.random() < 0.35:
            return str(self._random.choice(_CONSTANTS))
        return self._random.choice(self._names[-3:] if self._random.random() < 0.6 else self._names)

    def _expression(self, depth: int = 2) -> str:
        if not depth or self._random.random() < 0.1:
            return self._atom()
        a, b = self._expression(depth - 1), self._expression(depth - 1)
        match self._random.randrange(12):
            case 0 | 1 | 2:
                return f"({a} {self._random.choice('+-')} {b})"
            case 3 | 4:
                return f"({a} * {self._random.choice((*_CONSTANTS[:9], -3, -1000))})"
            case 5:
                return f"({a} * {self._random.choice(self._names[:3])})"
            case 6 | 7:
                return f"({a} // {self._random.choice(_DIVISORS)})"
            case 8:
                return f"({a} % {self._random.choice(_DIVISORS)})"
            case 9:
                return f"{self._random.choice(('min', 'max'))}({a}, {b})"
            case 10:
                return f"({a} // ({self._random.choice(self._names[:3])} + {self._random.choice((1, 5, 10**6))}))"
            case _:
                return f"({a} if {b} {self._random.choice(_RELATIONS)} {self._atom()} else {self._atom()})"

    def _statement(self) -> None:
        match self._random.randrange(6):
            case 0 | 1 | 2:
                self._name(self._expression(3))
            case 3:
                self._loop()
            case 4:
                self._while()
            case _:
                name = self._name(self._expression())
                self._lines.append(
                    f"if {self._expression(1)} {self._random.choice(_RELATIONS)} {self._atom()}:"
                )
                self._lines.append(f"    {name} = {self._expression()}")

    def _loop(self) -> None:
        name = self._name(self._expression(1))
        turns = self._random.choice(("5", "n + 2", "x * 3 + 1", "9"))
        counter = f"i{len(self._lines)}"
        start = self._random.choice(("", "", "-3, ", f"{10**10}, {10**10} + "))
        self._lines.append(f"for {counter} in range({start}{turns}):")
        outer, self._names = self._names, [*self._names, counter]
        step = self._random.choice(
            (
                f"{name} + {self._expression(1)}",
                f"{name} - {counter} * {self._random.choice(_CONSTANTS)}",
                f"{name} * {self._random.choice((2, 3, -5))} + {counter}",
                f"({name} * 1103515245 + 12345) % {2**31}",
                f"max({name}, {self._expression(1)})",
                f"{name} // 2 + {counter}",
            )
        )
        self._lines.append(f"    {name} = {step}")
        self._names = outer

    def _while(self) -> None:
        name = self._name(f"{self._random.choice(self._names[:3])} + 1")
        limit = self._random.choice(("1000", str(10**10), "n * 1000000000 + 7"))
        self._lines.append(f"while {name} < {limit}:")
        self._lines.append(
            f"    {name} = {name} * {self._random.choice((3, 10, 1000))} + {self._random.choice(self._names[:3])}"
        )


def program(seed: int) -> Program:
    """A program whose kernels show six of what they have computed: they print them, copy from places that they choose, and add them up."""
    movement, compute = _Writer(2 * seed), _Writer(2 * seed + 1)
    return Program(
        movement=movement.text("see({name} // 61, {place})"), compute=compute.text("add({name} % 61)"), name=f"integers_{seed}"
    )  # fmt: skip
