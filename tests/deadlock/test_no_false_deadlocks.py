"""Correct programs that nearly deadlock run to their end, and a report leaves nothing behind."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttl
from support.tensors import blank, numbers, tiled, values
from ttl import settings
from ttl.diag import DeadlockError

PROGRAMS = Path(__file__).parent / "programs"

# A change of a program of the corpus that makes it right, each as small as can be.
CORRECTED = [
    ("accumulator_of_one_block", "block_count=1", "block_count=2"),
    ("accumulator_of_one_block_on_64_nodes", "block_count=1", "block_count=2"),
    ("three_tiles_before_the_bias", "a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))", "a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=3)"),
    ("kept_for_a_second_pass", "exp_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))", "exp_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4)"),
    ("gathered_before_the_start", "in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))", "in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=3)"),
    ("one_operand_after_the_other", "a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))", "a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4)"),
    ("results_taken_in_another_order", "row_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))", "row_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=4)"),
    ("one_push_too_few", "range(3)", "range(4)"),
    ("writer_wants_one_more", "range(5)", "range(4)"),
    ("ring_that_receives_first", "    net.if_dst(receive)\n        net.if_src(send)", "    net.if_src(send)\n        net.if_dst(receive)"),
    ("exchange_that_receives_first", "    net.if_dst(receive)\n        net.if_src(send)", "    net.if_src(send)\n        net.if_dst(receive)"),
    ("semaphores_both_wait_first", "ready.wait_ge(1)  # stuck\n        other.inc(1)", "other.inc(1)\n        ready.wait_ge(1)"),
    ("barrier_counts_itself", "wait_eq(4)", "wait_eq(3)"),
    ("barrier_with_one_node_missing", "wait_eq(8)", "wait_eq(7)"),
    ("semaphore_overtaken", "wait_eq(1)", "wait_ge(1)"),
    ("semaphore_of_the_wrong_node", "get_remote((1, 0))", "get_remote((2, 0))"),
    ("reader_waits_for_its_own", "a_dfb.wait() as a_blk:  # stuck", "a_dfb.reserve() as a_blk:"),
    ("one_destination_does_not_receive", "3 if me < 3 else 0", "3"),
]  # fmt: skip


def run(source: str, file: Path) -> None:
    exec(compile(source, str(file), "exec"), {"__name__": "program"})


@pytest.mark.parametrize(("name", "before", "after"), CORRECTED, ids=[name for name, _, _ in CORRECTED])
def test_the_corrected_program_runs_in_every_schedule(
    name: str, before: str, after: str, tmp_path: Path
) -> None:
    source = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    assert before in source
    file = tmp_path / f"{name}.py"
    corrected = source.replace(before, after)
    file.write_text(corrected, encoding="utf-8")
    with settings.override(schedules=4):
        run(corrected, file)


@pytest.mark.parametrize(
    "name",
    [
        program.stem
        for program in sorted(PROGRAMS.glob("*.py"))
        if "# cause: TTL0916" in program.read_text(encoding="utf-8")
    ],
)
def test_the_block_count_a_report_names_works_and_one_less_does_not(name: str, tmp_path: Path) -> None:
    """The advice is followed to the letter: buffers get the counts it gives; then one of them gets one less."""
    source = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    with pytest.raises(DeadlockError) as caught:
        run(source, PROGRAMS / f"{name}.py")
    advice = caught.value.diagnostic.help[0]
    counts = {buffer: int(count) for count, buffer in re.findall(r"block_count=(\d+) for (\w+)", advice)}
    assert counts

    def attempt(changed: dict[str, int]) -> None:
        text = source
        for buffer, count in changed.items():
            made = re.search(
                rf"{buffer} = (ttl.make_dataflow_buffer_like\(\w, shape=\(1, 1\))(, block_count=\d+)?\)", text
            )
            assert made
            text = text.replace(made[0], f"{buffer} = {made[1]}, block_count={count})")
        file = tmp_path / "program.py"
        file.write_text(text, encoding="utf-8")
        run(text, file)

    attempt(counts)
    for buffer, count in counts.items():
        with pytest.raises(DeadlockError):
            attempt({**counts, buffer: count - 1})


def deadlocking(seen: list[int] | None = None) -> tuple[Any, Any]:
    """An operation that stops for want of a second block, and its output."""
    y = blank((32, 32))

    @ttl.operation(grid=(1, 1))
    def op(a: Any, y: Any) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            for step in range(4):
                with a_dfb.reserve() as blk:
                    ttl.copy(a[0, 0], blk).wait()
                print(f"step {step}")
                if seen is not None:
                    seen.append(step)

        @ttl.compute()
        def compute() -> None:
            with y_dfb.reserve() as y_blk:
                first, second = a_dfb.wait(), 0
                y_blk.store(first + second)
                for _ in range(3):
                    with y_dfb.wait() as again:
                        y_blk.store(again + 1)
                first.pop()

        @ttl.datamovement()
        def write() -> None:
            pass

    return op, y


def test_going_on_from_a_deadlock_is_not_seen(capsys: pytest.CaptureFixture[str]) -> None:
    op, y = deadlocking()
    with pytest.raises(DeadlockError):
        op(tiled(numbers(32, 32)), y)
    assert capsys.readouterr().out == "step 0\n", "what the kernel printed before the deadlock, and no more"
    assert np.all(values(y) == -77), "no tensor is written"


def test_kernels_that_leave_traces_are_not_run_on() -> None:
    seen: list[int] = []
    op, y = deadlocking(seen)
    with pytest.raises(DeadlockError):
        op(tiled(numbers(32, 32)), y)
    assert seen == [0]


@pytest.mark.parametrize("name", ["accumulator_of_one_block", "ring_that_receives_first", "one_push_too_few"])
def test_the_next_launch_is_as_if_nothing_had_been(name: str) -> None:
    file = PROGRAMS / f"{name}.py"
    reports = []
    for _ in range(2):
        with pytest.raises(DeadlockError) as caught:
            run(file.read_text(encoding="utf-8"), file)
        reports.append(str(caught.value))
    assert reports[0] == reports[1]


def test_a_long_launch_is_not_tried_to_its_end(tmp_path: Path) -> None:
    source = (PROGRAMS / "accumulator_of_one_block.py").read_text(encoding="utf-8")
    long = source.replace("range(4)", "range(10**9)").replace("a[row, 0]", "a[0, 0]")
    with pytest.raises(DeadlockError) as caught:
        run(long, tmp_path / "long.py")
    assert caught.value.code == "TTL0916"
    assert "with block_count=2 for acc_dfb the kernels continue from here, how far was not tried" in str(
        caught.value
    )


@pytest.mark.parametrize(
    "call",
    ["go.set(0)", "go.wait_ge(0)", "net.is_src()", "ttl.node()", "ttl.node(dims=3)", "ttl.grid_size(dims=1)", "y[0, 0]"],
)  # fmt: skip
def test_a_kernel_that_would_never_end_is_not_tried_for_ever(call: str, tmp_path: Path) -> None:
    """Whatever it calls: what the native core does, what it leaves to Python, and what only Python does."""
    source = f"""
import ttl
from support.tensors import blank

@ttl.operation(grid=(1, 1))
def op(y):
    dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    go = ttl.Semaphore()
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(0, 0))])

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, y[0, 0]).wait()
        while True:
            {call}

op(blank((64, 32)))
"""
    with pytest.raises(DeadlockError) as caught:
        run(source, tmp_path / "endless.py")
    assert caught.value.code == "TTL0911"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "name",
    ["accumulator_of_one_block", "one_push_too_few", "ring_that_receives_first", "skipped_on_a_condition"],
)
def test_a_kahn_network_stops_for_the_same_cause_in_every_schedule(name: str, seed: int) -> None:
    file = PROGRAMS / f"{name}.py"
    source = file.read_text(encoding="utf-8")
    (cause,) = re.findall(r"^# cause: (TTL\d{4})$", source, re.MULTILINE)
    with settings.override(schedule_seed=seed), pytest.raises(DeadlockError) as caught:
        run(source, file)
    assert caught.value.code == cause
    assert re.search(
        "every schedule ends like this|no other order of the kernels avoids it", str(caught.value)
    )


def test_many_blocked_kernels_do_not_exhaust_the_stack() -> None:
    """Every kernel of a large grid waits at once, and continues when the last one says so."""

    @ttl.operation(grid=(8, 10))
    def op(y: Any) -> None:
        me = ttl.node(dims=1)
        go = ttl.Semaphore()
        everyone = go.get_remote_multicast()

        @ttl.datamovement()
        def first() -> None:
            if me == 79:
                everyone.set(1)
            go.wait_eq(1)

        @ttl.datamovement()
        def second() -> None:
            go.wait_eq(1)

    with settings.override(grid=(8, 10)):
        op(blank((32, 32)))
