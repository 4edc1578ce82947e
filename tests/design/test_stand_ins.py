"""What a loop gives and what it goes over are no numbers: nothing that Python can do with them falls through to a default of Python's."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest

from ttl.analysis.polynomials import Polynomial
from ttl.design.values import BlockIndex, Position
from ttl.diag import ProgramError
from ttl.frontend.stop import Reject
from ttl.lang.tiles import TileAxis

_OF_ONE = {
    **{name: getattr(operator, name) for name in ("truth", "not_", "index", "neg", "pos", "abs")},
    **{each.__name__: each for each in (int, float, str, len, hash, round, format, range)},
}
_OF_TWO = {
    name: getattr(operator, name)
    for name in (
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "contains",
        "getitem",
    )
}
_BLOCK = BlockIndex(Position(Polynomial.constant(0)), 1, TileAxis(128, 32, "x.shape[0]"), 0, is_free=True)


@pytest.mark.parametrize("stand_in", [_BLOCK, TileAxis(128, 32, "x.shape[0]")], ids=["block", "axis"])
@pytest.mark.parametrize("use", _OF_ONE)
def test_a_use_of_one_is_refused(use: str, stand_in: Any) -> None:
    _refused(lambda: _OF_ONE[use](stand_in))


@pytest.mark.parametrize("stand_in", [_BLOCK, TileAxis(128, 32, "x.shape[0]")], ids=["block", "axis"])
@pytest.mark.parametrize("use", _OF_TWO)
def test_a_use_of_two_is_refused_on_either_side(use: str, stand_in: Any) -> None:
    _refused(lambda: _OF_TWO[use](stand_in, 3))
    if use == "contains":
        _refused(lambda: operator.contains((3, 4), stand_in))
    elif use == "getitem":
        _refused(lambda: {3: 4}[stand_in])
    else:
        _refused(lambda: _OF_TWO[use](3, stand_in))


def test_identity_stays() -> None:
    assert _BLOCK is not None


def _refused(use: Callable[[], object]) -> None:
    with pytest.raises((Reject, ProgramError)) as caught:
        use()
    found = caught.value.diagnostic if isinstance(caught.value, ProgramError) else caught.value.finding
    assert found.code == "TTL1803"
