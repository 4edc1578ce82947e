"""How messages name values of the user's program."""

from __future__ import annotations

from enum import StrEnum

from ttl.diag.values import kind_of
from ttl.host import api as ttnn


class Colour(StrEnum):
    RED = "red"


class Pair(tuple[int, int]):
    __slots__ = ()


def test_classes_made_from_those_of_python_are_named_once() -> None:
    assert kind_of(ttnn.TILE_LAYOUT) == "text 'TILE'"
    assert kind_of((Pair((1, 2)), Colour.RED)) == "a tuple ((1, 2), 'red')"
    assert kind_of([ttnn.Shape([1, 2])]) == "a list [(1, 2)]"
