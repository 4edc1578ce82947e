"""Specification, "Semaphore": values per node, local and remote changes, waiting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ttl
from support.failing import deadlocks, fails
from support.tensors import numbers, tiled
from ttl import settings


def on_nodes(count: int, kernel: Callable[[Any, int, list[Any]], None], initial: int = 0) -> list[Any]:
    """Run ``kernel(semaphore, node, log)`` on ``count`` nodes; what they logged."""
    log: list[Any] = []

    @ttl.operation(grid=(count, 1))
    def op(a: Any) -> None:
        semaphore = ttl.Semaphore(initial) if initial else ttl.Semaphore()
        me = ttl.node(dims=1)

        @ttl.datamovement()
        def move() -> None:
            kernel(semaphore, me, log)

    op(tiled(numbers(32, 32)))
    return log


def test_one_to_many_barrier() -> None:
    def kernel(barrier: Any, me: int, log: list[Any]) -> None:
        everyone = barrier.get_remote_multicast()
        if me == 0:
            log.append("work of node 0")
            everyone.set(1)
        else:
            barrier.wait_eq(1)
            log.append(me)

    for seed in (None, *range(6)):
        with settings.override(schedule_seed=seed):
            log = on_nodes(4, kernel)
        assert log[0] == "work of node 0" and sorted(log[1:]) == [1, 2, 3]


def test_many_to_one_barrier() -> None:
    def kernel(barrier: Any, me: int, log: list[Any]) -> None:
        node_0 = barrier.get_remote((0, 0))
        if me != 0:
            log.append(me)
            node_0.inc(1)
        else:
            barrier.wait_eq(3)
            log.append("node 0")

    for seed in (None, *range(6)):
        with settings.override(schedule_seed=seed):
            log = on_nodes(4, kernel)
        assert sorted(log[:3]) == [1, 2, 3] and log[3] == "node 0"


def test_remote_semaphores_may_be_made_in_the_operation_body() -> None:
    log: list[int] = []

    @ttl.operation(grid=(2, 2))
    def op(a: Any) -> None:
        semaphore = ttl.Semaphore()
        first = semaphore.get_remote((0, 0))
        column = semaphore.get_remote_multicast((1, slice(0, 2)))
        me = ttl.node(dims=1)

        @ttl.datamovement()
        def move() -> None:
            if me == 0:
                column.set(7)
                semaphore.wait_ge(2)
                log.append(0)
            elif me in (2, 3):
                semaphore.wait_eq(7)
                log.append(me)
                first.inc(1)

    op(tiled(numbers(32, 32)))
    assert sorted(log[:2]) == [2, 3] and log[2] == 0


def test_the_initial_value_and_wait_ge() -> None:
    def kernel(semaphore: Any, me: int, log: list[Any]) -> None:
        semaphore.wait_eq(5)
        semaphore.wait_ge(3)
        semaphore.wait_ge(5)
        log.append(me)

    assert on_nodes(2, kernel, initial=5) == [0, 1]


def test_values_are_per_node() -> None:
    def kernel(semaphore: Any, me: int, log: list[Any]) -> None:
        semaphore.set(me + 10)
        semaphore.wait_eq(me + 10)
        log.append(me)

    assert sorted(on_nodes(3, kernel)) == [0, 1, 2]


def test_values_are_32_bits_and_wrap() -> None:
    def kernel(semaphore: Any, me: int, log: list[Any]) -> None:
        here = semaphore.get_remote((0, 0))
        here.set(2**32 - 1)
        semaphore.wait_eq(2**32 - 1)
        here.inc(3)
        semaphore.wait_eq(2)
        log.append("wrapped")

    assert on_nodes(1, kernel) == ["wrapped"]


def test_two_semaphores_are_two() -> None:
    log: list[int] = []

    @ttl.operation(grid=(2, 1))
    def op(a: Any) -> None:
        ping, pong = ttl.Semaphore(), ttl.Semaphore()
        me = ttl.node(dims=1)

        @ttl.datamovement()
        def move() -> None:
            other_ping, other_pong = ping.get_remote((1 - me, 0)), pong.get_remote((1 - me, 0))
            for turn in range(1, 5):
                if me == 0:
                    log.append(2 * turn)
                    other_ping.set(turn)
                    pong.wait_eq(turn)
                else:
                    ping.wait_eq(turn)
                    log.append(2 * turn + 1)
                    other_pong.set(turn)

    op(tiled(numbers(32, 32)))
    assert log == list(range(2, 10))


def test_two_kernels_of_a_node_wait_for_one_semaphore() -> None:
    log: list[str] = []

    @ttl.operation(grid=(2, 1))
    def op(a: Any) -> None:
        semaphore = ttl.Semaphore()
        me = ttl.node(dims=1)

        def wait(name: str) -> None:
            if me == 0:
                semaphore.wait_ge(1)
                log.append(name)

        @ttl.datamovement()
        def first() -> None:
            wait("first")
            if me == 1:
                semaphore.get_remote((0, 0)).inc(1)

        @ttl.datamovement()
        def second() -> None:
            wait("second")

    op(tiled(numbers(32, 32)))
    assert sorted(log) == ["first", "second"]


def test_a_semaphore_nobody_sets_is_a_deadlock() -> None:
    with deadlocks():
        on_nodes(2, lambda semaphore, me, log: semaphore.wait_eq(1))


def test_wait_eq_of_a_value_that_is_passed_over_is_a_deadlock() -> None:
    def kernel(semaphore: Any, me: int, log: list[Any]) -> None:
        if me == 0:
            semaphore.get_remote((1, 0)).inc(2)
        else:
            semaphore.wait_eq(1)

    with deadlocks():
        on_nodes(2, kernel)


def test_a_multicast_semaphore_can_only_be_set() -> None:
    with fails("TTL0701"):
        on_nodes(2, lambda semaphore, me, log: semaphore.get_remote_multicast().inc(1))


@pytest.mark.parametrize("value", [-1, 2**32, 1.0, "1", None, True])
def test_a_value_is_a_32_bit_count(value: Any) -> None:
    for method in ("set", "wait_eq", "wait_ge"):
        with fails("TTL0702"):
            on_nodes(1, lambda semaphore, me, log, method=method: getattr(semaphore, method)(value))


@pytest.mark.parametrize("method", ["set", "wait_eq", "wait_ge"])
def test_values_only_in_data_movement_kernels(method: str) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, where: str) -> None:
        semaphore = ttl.Semaphore()
        if where == "body":
            getattr(semaphore, method)(0)

        @ttl.compute()
        def compute() -> None:
            if where == "compute":
                getattr(semaphore, method)(0)

    op(tiled(numbers(32, 32)), "nowhere")
    for where in ("body", "compute"):
        with fails("TTL0703"):
            op(tiled(numbers(32, 32)), where)


def test_nodes_outside_the_grid() -> None:
    with fails("TTL0603"):
        on_nodes(2, lambda semaphore, me, log: semaphore.get_remote((2, 0)))
    with fails("TTL0603"):
        on_nodes(2, lambda semaphore, me, log: semaphore.get_remote_multicast((slice(0, 3), 0)))


def test_a_semaphore_is_made_in_the_operation_body() -> None:
    with fails("TTL0211"):
        on_nodes(1, lambda semaphore, me, log: ttl.Semaphore())
    with fails("TTL0201"):
        ttl.Semaphore()


def test_the_hardware_has_sixteen() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, count: int) -> None:
        for _ in range(count):
            ttl.Semaphore()

        @ttl.datamovement()
        def move() -> None:
            pass

    op(tiled(numbers(32, 32)), 16)
    with fails("TTL0803"):
        op(tiled(numbers(32, 32)), 17)


def test_nodes_that_disagree_about_the_initial_value() -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any) -> None:
        ttl.Semaphore(ttl.node(dims=1))

        @ttl.datamovement()
        def move() -> None:
            pass

    with fails("TTL0704"):
        op(tiled(numbers(32, 32)))


def test_a_semaphore_kept_from_an_earlier_launch() -> None:
    kept: list[Any] = []

    @ttl.operation(grid=(1, 1))
    def op(a: Any, method: str) -> None:
        if not kept:
            kept.append(ttl.Semaphore())

        @ttl.datamovement()
        def move() -> None:
            getattr(kept[0], method)(0)

    op(tiled(numbers(32, 32)), "set")
    for method in ("set", "wait_eq", "wait_ge"):
        with fails("TTL0705"):
            op(tiled(numbers(32, 32)), method)


def test_the_local_value_is_that_of_the_node_whose_kernel_asks() -> None:
    """One object made by the first node's body and used by all: still one value per node."""
    kept: list[Any] = []

    @ttl.operation(grid=(3, 1))
    def op(a: Any) -> None:
        me = ttl.node(dims=1)
        if not kept:
            kept.append(ttl.Semaphore())
        semaphore = kept[0]

        @ttl.datamovement()
        def move() -> None:
            semaphore.set(me + 1)
            semaphore.wait_eq(me + 1)

    op(tiled(numbers(32, 32)))
