"""What the bytecode of a kernel tells: whether it may use a buffer, and whether running it on could be noticed."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from ttl.sim.kernel_code import leaves_no_trace, may_call, names_in

KEPT: list[int] = []


class Buffer:
    """Stands for a dataflow buffer."""

    __module__ = "ttl.sim.buffer"

    def reserve(self) -> Any: ...

    def wait(self) -> Any: ...


a, b = Buffer(), Buffer()


def direct(dfb: Buffer) -> Callable[[], None]:
    def kernel() -> None:
        with dfb.reserve():
            pass

    return kernel


def in_a_list(dfb: Buffer) -> Callable[[], None]:
    buffers = [[dfb]]

    def kernel() -> None:
        for row in buffers:
            row[0].reserve()

    return kernel


def through_a_helper(dfb: Buffer) -> Callable[[], None]:
    def fill(target: Buffer) -> None:
        target.reserve()

    def kernel() -> None:
        fill(dfb)

    return kernel


def in_a_condition_function(dfb: Buffer) -> Callable[[], None]:
    def kernel() -> None:
        def receive(pipe: Any) -> None:
            dfb.reserve()

        receive(None)

    return kernel


@pytest.mark.parametrize("make", [direct, in_a_list, through_a_helper, in_a_condition_function])
def test_a_call_is_found_however_the_buffer_gets_there(make: Callable[[Buffer], Callable[[], None]]) -> None:
    assert may_call(make(a), a, "reserve")


@pytest.mark.parametrize("make", [direct, in_a_list, through_a_helper, in_a_condition_function])
def test_a_kernel_that_has_another_buffer_does_not_call(make: Callable[[Buffer], Callable[[], None]]) -> None:
    assert not may_call(make(a), b, "reserve")


def test_a_kernel_that_calls_another_method_does_not_call() -> None:
    assert not may_call(direct(a), a, "wait")
    assert "reserve" in names_in(direct(a))
    assert "wait" not in names_in(direct(a))


def harmless() -> None:
    total = []
    for step in range(math.ceil(3.5)):
        total.append(step)
    print(sum(total), a.reserve())


def keeps_a_list() -> None:
    KEPT.append(1)


def sets_an_attribute() -> None:
    a.seen = True  # type: ignore[attr-defined]


def opens_a_file() -> None:
    open("x", "w").close()


def waits_for_a_clock() -> None:
    time.sleep(1)


def draws() -> None:
    random.random()


def asks() -> None:
    breakpoint()


def calls_one_that_keeps() -> None:
    keeps_a_list()


def sets_a_global() -> None:
    global KEPT
    KEPT = []


@dataclass
class Sizes:
    """Numbers of a program, kept together."""

    rows: int = 4


class Counter:
    """Something that remembers."""

    def __init__(self) -> None:
        self.count = 0

    def up(self) -> None:
        self.count += 1


def reads_sizes(sizes: Any) -> Callable[[], None]:
    def kernel() -> None:
        for _ in range(sizes.rows):
            pass

    return kernel


def counts_outside() -> Callable[[], None]:
    count = 0

    def kernel() -> None:
        nonlocal count
        count += 1

    return kernel


def counts_inside() -> Callable[[], None]:
    def kernel() -> None:
        count = 0

        def step() -> None:
            nonlocal count
            count += 1

        step()

    return kernel


def test_variables_of_the_kernel_itself_are_its_own_affair() -> None:
    assert leaves_no_trace(counts_inside())
    assert not leaves_no_trace(counts_outside())


def test_objects_of_the_program_may_remember_what_is_done_to_them() -> None:
    assert leaves_no_trace(reads_sizes(Sizes()))
    assert not leaves_no_trace(reads_sizes(Counter()))


def test_a_kernel_that_only_computes_leaves_no_trace() -> None:
    assert leaves_no_trace(harmless)
    assert leaves_no_trace(direct(a))
    assert leaves_no_trace(through_a_helper(a))


@pytest.mark.parametrize(
    "kernel",
    [
        keeps_a_list,
        sets_an_attribute,
        opens_a_file,
        waits_for_a_clock,
        draws,
        asks,
        calls_one_that_keeps,
        sets_a_global,
    ],
)
def test_a_kernel_that_might_be_noticed_is_found(kernel: Callable[[], None]) -> None:
    assert not leaves_no_trace(kernel)
