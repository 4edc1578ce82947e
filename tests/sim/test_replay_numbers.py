"""Calls that differ in floats: recorded once, if their kernels do no more than compute with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import ttnn

import ttl
from support.executions import needs_native
from support.tensors import blank, numbers, tiled, values
from ttl import settings
from ttl.sim.numbers import NumberTrace, TracedNumber, TracedNumberError

pytestmark = needs_native

ARITHMETIC = {"add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "neg", "pos"}
# What code that replay takes cannot ask of an object (``sim/replay/allowed.py``).
NEVER_ASKED = {
    "class", "delattr", "dir", "doc", "getattribute", "getformat", "getnewargs", "getstate", "init", "init_subclass", "new",
    "reduce", "reduce_ex", "setattr", "sizeof", "subclasshook",
}  # fmt: skip
FLOATS = (0.3, -1.7, 0.25, 12.5, 1e-3, 0.1, 3.3, 0.7)


def made(compute_with: Callable[[Any, Any], Any]) -> Any:
    """An operation that stores what ``compute_with`` makes of a block and a number."""

    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any, number: Any) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def read() -> None:
            ttl.copy(a[0, node], a_dfb.reserve())

        @ttl.compute()
        def compute() -> None:
            with a_dfb.wait() as x, out_dfb.reserve() as y:
                y.store(compute_with(x, number))

        @ttl.datamovement()
        def write() -> None:
            ttl.copy(out_dfb.wait(), out[0, node])

    return op


def results(operation: Any, given: Any, **chosen: Any) -> Iterator[npt.NDArray[Any]]:
    """What calls with these numbers give, one after the other."""
    a = tiled(numbers(32, 64))
    for number in given:
        out = blank((32, 64))
        with settings.override(**chosen):
            operation(a, out, number)
        yield values(out)


def of_form(operation: Any) -> int:
    """How many calls were replayed with another one's tape."""
    kept = operation.kept
    return sum(entry.replays for entry in kept._entries.values() if entry.form is not None)


def agree(operation: Any, given: Any) -> None:
    """Calls give the same to the bit whether replayed or not."""
    plain = list(results(operation, given, replay="off"))
    for one, other in zip(plain, results(operation, given, replay="on"), strict=True):
        assert np.array_equal(one, other, equal_nan=True)


COMPUTED: dict[str, Callable[[Any, Any], Any]] = {
    "product": lambda x, n: x * n,
    "product from the left": lambda x, n: n * x,
    "scaled": lambda x, n: x + 2 * n - 1,
    "difference": lambda x, n: (3.5 - n) * x,
    "quotients": lambda x, n: x / n + 1 / n,
    "negative": lambda x, n: x * -n + (+n),
    "sum": lambda x, n: x * sum([n, n * 0.5, 4]),
    "twice": lambda x, n: n * x + (n - 0.1) * x * n,
    "largest": lambda x, n: ttl.math.max(x, ttl.math.abs(x) * n),
    "power": lambda x, n: ttl.math.abs(x) ** n,
    "scaled product": lambda x, n: (x * n) @ x,
    "is it a float": lambda x, n: x * (n if isinstance(n, float) else 0),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_what_is_computed_is_recorded_once(name: str) -> None:
    operation = made(COMPUTED[name])
    agree(operation, FLOATS)
    # Two are recorded; of "largest" those whose number bfloat16 holds are apart, and of "quotients" the one with 4
    assert of_form(operation) >= len(FLOATS) - 4


LOOKED_AT: dict[str, Callable[[Any, Any], Any]] = {
    "compared": lambda x, n: x * n if n > 0.2 else x,
    "equal": lambda x, n: x * n if n != 0.25 else x,
    "truth": lambda x, n: x * 2 if n else x,
    "int": lambda x, n: x * int(n),
    "rounded": lambda x, n: x * round(n),
    "root": lambda x, n: x * math.sqrt(n * n),
    "printed": lambda x, n: x * len(f"{n}"),
    "represented": lambda x, n: x * len(repr(n)),
    "largest": lambda x, n: x * max(n, 0.2),
    "sorted": lambda x, n: x * sorted([n, 0.2])[0],
    "in a dict": lambda x, n: x * {n: 2}.get(0.25, 3),
    "power": lambda x, n: x * n**2,
    "absolute": lambda x, n: x * abs(n),
    "remainder": lambda x, n: x * (n % 1),
    "whole": lambda x, n: x * (2 if n.is_integer() else 3),
    "real": lambda x, n: x * n.real,
    "filled": lambda x, n: x + ttl.block.fill(n, shape=(1, 1)),
}


@pytest.mark.parametrize("name", LOOKED_AT)
def test_what_is_looked_at_is_told_apart(name: str) -> None:
    operation = made(LOOKED_AT[name])
    agree(operation, FLOATS)
    assert of_form(operation) == 0


def test_every_method_of_a_float_is_one_or_the_other() -> None:
    number = NumberTrace().given(0.5)
    seen = set()
    for name in dir(float):
        plain = name.strip("_")
        if plain in ARITHMETIC | NEVER_ASKED:
            continue
        with pytest.raises(TracedNumberError):
            method = getattr(number, name)
            method(
                *[2.0]
                * (
                    plain
                    not in (
                        "abs",
                        "bool",
                        "ceil",
                        "float",
                        "floor",
                        "hash",
                        "int",
                        "repr",
                        "round",
                        "str",
                        "trunc",
                    )
                )
            )
        seen.add(plain)
    assert {"eq", "lt", "hash", "bool", "float", "int", "format", "is_integer", "real"} <= seen
    assert isinstance(number, float) and not isinstance(number, int)


@pytest.mark.parametrize(
    "special", [0.0, -0.0, 1.0, 2.0, math.inf, -math.inf, math.nan, 1e30, 1e-45, 2.0**24 + 2, 65280.0]
)
def test_numbers_that_stand_for_themselves(special: float) -> None:
    operation = made(lambda x, n: ttl.math.abs(x) ** n + x * n)
    agree(operation, (0.3, 0.7, special, 0.9, special, 1.1))


def test_division_by_zero_is_pythons_error() -> None:
    operation = made(lambda x, n: x * (1 / n))
    agree(operation, (0.5, 0.25, 0.125))
    with pytest.raises(ZeroDivisionError), settings.override(replay="on"):
        operation(tiled(numbers(32, 64)), blank((32, 64)), 0.0)


def test_floats_in_lists_and_by_name() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any, weights: Any, *, bias: float = 0.0) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            ttl.copy(a[0, 0], a_dfb.reserve())

        @ttl.compute()
        def compute() -> None:
            with a_dfb.wait() as x, out_dfb.reserve() as y:
                total = x * weights[0][0]
                for weight in weights[1:]:
                    total = total + x * weight
                y.store(total + bias)

        @ttl.datamovement()
        def write() -> None:
            ttl.copy(out_dfb.wait(), out[0, 0])

    a = tiled(numbers(32, 32))
    with settings.override(replay="on"):
        for step in range(6):
            weights = [(0.13 + step, "first"), *(0.01 * step + 0.317 * tap for tap in range(1, 100))]
            out = blank((32, 32))
            op(a, out, weights, bias=0.7 * step + 0.1)
            again = blank((32, 32))
            with settings.override(replay="off"):
                op(a, again, weights, bias=0.7 * step + 0.1)
            assert np.array_equal(values(out), values(again))
    assert of_form(op) >= 3


def test_not_where_an_exception_is_caught() -> None:
    def compute(x: Any, n: Any) -> Any:
        try:
            return x + ttl.block.fill(n, shape=(1, 1))
        except ttl.ProgramError:
            return x

    operation = made(compute)
    agree(operation, FLOATS)
    assert of_form(operation) == 0


def test_nothing_of_a_trace_is_left_in_a_list_of_the_users() -> None:
    kept = [0.3]

    def compute(x: Any, n: Any) -> Any:
        kept[0] = n
        return x * n

    operation = made(compute)
    list(results(operation, (0.3, 0.3, 0.4, 0.5), replay="on"))
    assert kept == [0.5] and type(kept[0]) is float


def test_replays_are_checked() -> None:
    operation = made(lambda x, n: x * n + (n - 1) * 2)
    list(results(operation, [0.1 * (step + 1) for step in range(12)], replay="on", replay_check=2))
    assert of_form(operation) > 0


def test_equal_computations_are_one_number() -> None:
    trace = NumberTrace()
    number, other = trace.given(0.5), trace.given(0.5)
    ids = [(number * 2).id, (number * 2).id, (number * 2.0).id, (other * 2).id, (2 * number).id]
    assert len(set(ids)) == 4 and ids[0] == ids[1]
    assert trace.values([1.5, 2.5])[ids[3]] == 5.0  # type: ignore[index]
    assert trace.values([1.5, math.inf]) is not None
    assert isinstance(number, TracedNumber) and type(number + number) is TracedNumber


def test_a_launch_that_fails_says_so_as_before() -> None:
    operation = made(lambda x, n: x @ ttl.block.fill(0, shape=(2, 2)) if n > 1 else x * n)
    a = tiled(numbers(32, 64))
    with settings.override(replay="on"):
        for number in (0.3, 0.4, 0.5):
            operation(a, blank((32, 64)), number)
        with pytest.raises(ttl.ProgramError, match=r"shape|tile"):
            operation(a, blank((32, 64)), 1.5)
    assert ttnn.to_torch(a) is not None
