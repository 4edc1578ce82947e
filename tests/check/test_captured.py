"""What an operation reads from outside: whether it changed is noticed, whatever it is and wherever it is."""

from __future__ import annotations

import types
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

from ttl.check.seen import CallCache
from ttl.lang.captured import Captured, captured
from ttl.settings import Settings

SCALE = 2.0
SIZES: list[Any] = [1, [2, 3]]
TABLE = {"a": {"b": 1}}
CHOSEN = {1, 2}
NUMBERS = np.arange(4)


class Shape:
    ROWS = 4

    @staticmethod
    def rows() -> int:
        return Shape.ROWS


class Config:
    kind = 1

    def __init__(self) -> None:
        self.factor = 1.0
        self.inner = [1]


@dataclass
class Options:
    depth: int = 2


class Slotted:
    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 1


config, options, slotted = Config(), Options(), Slotted()
module = types.ModuleType("mine")
module.__dict__.update(__file__="/somewhere/mine.py", LIMIT=3)
unrelated = 1


def helper(value: float) -> float:
    return value * SCALE


bound = partial(helper, 1.0)


def operation() -> Any:
    names = (
        SIZES,
        TABLE,
        CHOSEN,
        NUMBERS,
        Shape.rows(),
        config.kind,
        config.factor,
        options.depth,
        slotted.value,
    )
    return names, module.LIMIT, bound  # type: ignore[attr-defined]


def replaced_helper(value: float) -> float:
    return value


def _set(name: str, value: object) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setitem(globals(), name, value)


def _attribute(owner: object, name: str, value: object) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(owner, name, value)


def _item(name: str, key: object, value: object) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: globals()[name].__setitem__(key, value)


@pytest.fixture(autouse=True)
def own_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers of this test alone."""
    for name in ("SIZES", "TABLE", "NUMBERS"):
        monkeypatch.setitem(globals(), name, deepcopy(globals()[name]))


CHANGES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "a constant that a helper reads": _set("SCALE", 3.0),
    "the type of a constant": _set("SCALE", 2),
    "an item of a list": _item("SIZES", 0, 7),
    "an item of a list in a list": lambda patch: SIZES[1].__setitem__(0, 7),
    "an item of a dict in a dict": _item("TABLE", "a", {"b": 2}),
    "another key": _item("TABLE", "c", {}),
    "a set": _set("CHOSEN", {1, 3}),
    "an element of an array": _item("NUMBERS", 0, 9),
    "an attribute of a class that a method reads": _attribute(Shape, "ROWS", 8),
    "an attribute of the class of an instance": _attribute(Config, "kind", 2),
    "an attribute of an instance": _attribute(config, "factor", 2.0),
    "another attribute of an instance": lambda patch: patch.setattr(config, "later", 1, raising=False),
    "a field of a data class": _attribute(options, "depth", 3),
    "a slot": _attribute(slotted, "value", 2),
    "an attribute of a module": _attribute(module, "LIMIT", 4),
    "another function behind a partial": _set("bound", partial(replaced_helper, 1.0)),
    "a default value": _attribute(helper, "__defaults__", (1.0,)),
    "the code of a function": _attribute(helper, "__code__", replaced_helper.__code__),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_an_operation_can_see_is_noticed_when_it_changes(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _seen()
    assert before.holds()
    CHANGES[change](monkeypatch)
    assert not before.holds()
    assert _seen().holds()


def test_what_it_cannot_see_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _seen()
    monkeypatch.setitem(globals(), "unrelated", 2)
    assert before.holds()


def test_equal_constants_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _seen()
    monkeypatch.setitem(globals(), "SCALE", float("2.0"))
    assert before.holds()


def test_variables_of_functions_around_it_are_seen() -> None:
    size = 1

    def inner() -> int:
        return size

    before = captured(inner)
    assert before is not None and before.holds()
    size = 2
    assert not before.holds()


def test_what_is_too_large_to_compare_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "SIZES", list(range(10_000)))
    assert captured(operation) is None


def test_loops_in_data_end(monkeypatch: pytest.MonkeyPatch) -> None:
    loop: list[object] = []
    loop.append(loop)
    monkeypatch.setitem(globals(), "SIZES", loop)
    assert _seen().holds()


def test_an_argument_that_changes_is_noticed() -> None:
    seen: CallCache[str] = CallCache(operation)
    given = Config()
    key = seen.key((given,), {}, Settings())
    seen.keep(key, (given,), {}, "known")
    assert [*seen.known(key)] == ["known"]
    given.inner[0] = 2
    assert [*seen.known(seen.key((given,), {}, Settings()))] == []


def test_of_many_states_the_last_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: CallCache[int] = CallCache(operation)
    key = seen.key((), {}, Settings())
    for number in range(100):
        monkeypatch.setitem(globals(), "SCALE", number)
        seen.keep(key, (), {}, number)
    assert [*seen.known(key)] == [99]
    monkeypatch.setitem(globals(), "SCALE", 98)
    assert [*seen.known(key)] == [98]
    monkeypatch.setitem(globals(), "SCALE", 1)
    assert [*seen.known(key)] == []


def _seen() -> Captured:
    found = captured(operation)
    assert found is not None
    return found
