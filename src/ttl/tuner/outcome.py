"""The outcome of ``ttl tune``: as text, with heat maps, and as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ttl.tuner import heat, text
from ttl.tuner.coordinator import TunedCall
from ttl.tuner.heat import HeatMap
from ttl.tuner.shapes import together

Calls = Mapping[str, Sequence[TunedCall]]
"""The calls that were tuned, by chip."""


def render(calls: Calls, drawn: Callable[[HeatMap], Iterable[str]] = heat.plain) -> list[str]:
    """The report; ``drawn`` makes lines of a heat map."""

    def lines_of(shown: HeatMap | None) -> Iterable[str]:
        return () if shown is None else drawn(shown)

    lines: list[str] = []
    for tuned in calls.values():
        for call in tuned:
            lines += [*text.render(call), *lines_of(heat.of_parameters(call)), ""]
        for shapes in together(tuned):
            lines += [*text.of_shapes(shapes), *lines_of(heat.of_shapes(shapes)), ""]
    if len(calls) > 1:
        lines += [*text.portability(calls), ""]
    return lines


def to_object(calls: Calls) -> dict[str, Any]:
    """Return the outcome as an object that ``json.dumps`` takes."""
    tuned = [call for own in calls.values() for call in own]
    shapes = [item for own in calls.values() for item in together(own)]
    maps = [*map(heat.of_shapes, shapes), *map(heat.of_parameters, tuned)]
    return {
        "schema": 1,
        "kind": "tuning",
        "calls": [text.as_json(call) for call in tuned],
        "together": [item.to_object() for item in shapes],
        "maps": [item.to_object() for item in maps if item is not None],
    }


def as_page(calls: Calls, program: str) -> dict[str, Any]:
    """Return the data of the page, including the report line by line."""
    lines = [list(text.of_shapes(item)) for own in calls.values() for item in together(own)]
    lines += [list(text.render(call)) for own in calls.values() for call in own]
    return {"title": program, "command": f"ttl tune {program}", **to_object(calls), "texts": lines}
