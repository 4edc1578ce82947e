"""Schedules in the form of programs and files: ``double_buffer("a_dfb").prefetch("b_dfb", 2)``.

The steps and their arguments are listed here, for ``ttl.Schedule``, the file of tuned configurations and the settings;
``ttl.transform.chains`` converts them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from ttl.source.parsing import parse_expression

Argument = str | int

STEPS: Mapping[str, tuple[tuple[str, type[str] | type[int], Argument | None], ...]] = {
    "double_buffer": (("buffer", str, None),),
    "buffer": (("buffer", str, None), ("blocks", int, None)),
    "prefetch": (("buffer", str, None), ("iterations", int, 2)),
    "split_k": (("parts", int, None),),
    "unroll": (("loop", str, None), ("factor", int, None)),
    "tile": (("loop", str, None), ("size", int, None)),
    "reorder": (),
    "pipeline": (("strategy", str, "auto"),),
    "choose": (("option", str, None), ("value", str, None)),
    "without": (("name", str, None),),
}
"""For each step, its parameters with type and default; None if the parameter is required."""


@dataclass(frozen=True, slots=True)
class ScheduleStep:
    """One step, with all of its arguments."""

    name: str
    arguments: tuple[Argument, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(_written, self.arguments))})"


def step_of(name: str, given: tuple[object, ...]) -> ScheduleStep:
    """A step with these arguments. Raises ``ValueError`` with the mistake."""
    if name not in STEPS:
        raise ValueError(f"there is no step {name}; there are {', '.join(STEPS)}")
    parameters = STEPS[name]
    if len(given) > len(parameters):
        raise ValueError(f"{name} takes {_signature(name)}, not {len(given)} arguments")
    arguments: list[Argument] = []
    for number, (parameter, kind, default) in enumerate(parameters):
        value = given[number] if number < len(given) else default
        if value is None:
            raise ValueError(f"{name} needs {parameter}: it takes {_signature(name)}")
        if type(value) is not kind or (kind is int and not 1 <= int(value) <= 1 << 16) or value == "":
            wanted = "a whole number from 1 to 65536" if kind is int else "a name"
            raise ValueError(f"{parameter} of {name} is {wanted}, not {value!r}")
        arguments.append(value)
    return ScheduleStep(name, tuple(arguments))


def chain_text(steps: tuple[ScheduleStep, ...]) -> str:
    """The text of a schedule: equal schedules are equal text."""
    return ".".join(map(str, steps))


def read_chain(text: str) -> tuple[ScheduleStep, ...]:
    """The steps in a text. Raises ``ValueError`` with the mistake."""
    try:
        expression: ast.expr = parse_expression(text.strip() or "_")
    except SyntaxError:
        raise ValueError('it is not written as double_buffer("a_dfb").prefetch("b_dfb", 2)') from None
    steps: list[ScheduleStep] = []
    while isinstance(expression, ast.Call):
        function = expression.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if expression.keywords or not all(isinstance(item, ast.Constant) for item in expression.args):
            raise ValueError(f"the arguments of {name} are names in quotes and whole numbers")
        steps.append(
            step_of(name, tuple(item.value for item in expression.args if isinstance(item, ast.Constant)))
        )
        expression = function.value if isinstance(function, ast.Attribute) else ast.Name("_")
    if not (isinstance(expression, ast.Name) and expression.id == "_"):
        raise ValueError('it is not written as double_buffer("a_dfb").prefetch("b_dfb", 2)')
    return tuple(reversed(steps))


def _written(value: Argument) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _signature(name: str) -> str:
    parameters = (
        f"{one}={_written(default)}" if default is not None else one for one, _, default in STEPS[name]
    )
    return f"({', '.join(parameters)})"
