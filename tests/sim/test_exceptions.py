"""An exception in a kernel carries node, kernel and the user's line; ``raise ... from e`` stays whole."""

from __future__ import annotations

import contextlib
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ttl
from support.failing import fails, line_of, pointed_at
from support.tensors import numbers, tiled
from ttl.sim.interrupts import interrupts_kept


def launch(body: Callable[[Any, Any], None], *, grid: tuple[int, ...] = (2, 2), node: int = 3) -> None:
    """``body(a, dfb)`` in data movement kernel ``move`` of one node."""

    @ttl.operation(grid=grid)
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        me = ttl.node(dims=1)

        @ttl.datamovement()
        def move() -> None:
            if me == node:
                body(a, dfb)

        @ttl.compute()
        def compute() -> None:
            if me == 0:
                with dfb.wait() as blk:
                    blk + 1

    op(tiled(numbers(32, 32)))


class Mine(Exception):
    """A user's own exception, with arguments of its own."""

    def __init__(self, tile: int, *, reason: str) -> None:
        super().__init__(tile, reason)
        self.tile = tile


def test_it_is_the_users_own_exception_with_a_note() -> None:
    raised = Mine(3, reason="odd")

    def body(a: Any, dfb: Any) -> None:
        raise raised

    with pytest.raises(Mine) as caught:
        launch(body)
    assert caught.value is raised
    assert caught.value.__notes__ == ["in kernel move on node (1, 1)"]


def test_its_traceback_has_the_users_frames_only() -> None:
    def body(a: Any, dfb: Any) -> None:
        helper()

    def helper() -> None:
        [][1]

    with pytest.raises(IndexError) as caught:
        launch(body)
    frames = traceback.extract_tb(caught.value.__traceback__)
    lines = [frame.line for frame in frames if "/src/ttl/" not in frame.filename]
    assert lines[-3:] == ["body(a, dfb)", "helper()", "[][1]"]
    inner = [frame.filename for frame in frames[-3:]]
    assert inner == [__file__] * 3


def test_cause_and_context_are_kept() -> None:
    def body(a: Any, dfb: Any) -> None:
        try:
            int("x")
        except ValueError as problem:
            raise Mine(1, reason="no number") from problem

    with pytest.raises(Mine) as caught:
        launch(body)
    assert isinstance(caught.value.__cause__, ValueError)

    def in_handler(a: Any, dfb: Any) -> None:
        try:
            int("x")
        except ValueError:
            {}["missing"]

    with pytest.raises(KeyError) as second:
        launch(in_handler)
    assert isinstance(second.value.__context__, ValueError)


def test_an_exception_in_the_operations_body_names_the_node() -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any) -> None:
        if ttl.node(dims=1) == 1:
            raise Mine(0, reason="body")

        @ttl.compute()
        def compute() -> None:
            pass

    with pytest.raises(Mine) as caught:
        op(tiled(numbers(32, 32)))
    assert any("node (1, 0)" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration])
def test_exceptions_that_mean_something_to_python(error: type[BaseException]) -> None:
    def body(a: Any, dfb: Any) -> None:
        raise error

    with pytest.raises(error):
        launch(body)
    # Nothing is left to reset: the next launch runs.
    ran: list[int] = []

    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        @ttl.compute()
        def compute() -> None:
            ran.append(1)

    op(tiled(numbers(32, 32)))
    assert ran == [1]


def test_an_assertion_in_a_kernel() -> None:
    def body(a: Any, dfb: Any) -> None:
        assert a.shape == (1, 1), "one tile only"

    with pytest.raises(AssertionError, match="one tile only"):
        launch(body)


def test_clean_up_of_blocked_kernels_runs_and_cannot_hide_the_error() -> None:
    """``finally`` and ``with`` of kernels that were waiting run when the launch fails."""
    log: list[str] = []

    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def waits() -> None:
            try:
                dfb.wait()
            finally:
                log.append("cleaned up")
                raise RuntimeError("in the clean-up")

        @ttl.datamovement()
        def fails_() -> None:
            raise Mine(1, reason="first")

    with pytest.raises(Mine):
        op(tiled(numbers(32, 32)))
    assert log == ["cleaned up"]


def test_a_kernel_cannot_swallow_the_end_of_a_failed_launch() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def stubborn() -> None:
            for _ in range(3):
                with contextlib.suppress(BaseException):
                    dfb.wait()

        @ttl.datamovement()
        def fails_() -> None:
            raise Mine(1, reason="first")

    with pytest.raises(Mine):
        op(tiled(numbers(32, 32)))


def test_a_diagnostic_points_at_the_users_expression_and_names_kernel_and_node() -> None:
    def body(a: Any, dfb: Any) -> None:
        blk = dfb.reserve()
        blk.push()

    with fails("TTL0302", match=r"in kernel move on node \(1, 1\)") as caught:
        launch(body)
    assert line_of(caught) == "blk.push()"
    assert pointed_at(caught) == "blk.push()"


def test_a_diagnostic_inside_a_helper_points_into_the_helper() -> None:
    def helper(blk: Any) -> None:
        # fmt: off
        blk.push(); blk.push()  # noqa: E702
        # fmt: on

    def body(a: Any, dfb: Any) -> None:
        blk = dfb.reserve()
        ttl.copy(a[0, 0], blk).wait()
        helper(blk)

    with fails("TTL0311") as caught:
        launch(body)
    primary = caught.value.diagnostic.primary
    assert primary is not None
    assert pointed_at(caught) == "blk.push()"
    assert primary.span.column > 10, "it is the second statement of the line"


class _Interrupting:
    def __del__(self) -> None:
        raise KeyboardInterrupt


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C works, also where the tests run in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("seconds", [0.0, 0.5])
def test_an_interrupt_in_del_arrives_before_the_launch_is_over(seconds: float) -> None:
    with pytest.raises(KeyboardInterrupt), interrupts_kept():
        _Interrupting()
        time.sleep(seconds)
    with pytest.raises(ValueError, match="of its own"), interrupts_kept():
        _Interrupting()
        raise ValueError("of its own")
    time.sleep(0.05)  # nothing comes later
