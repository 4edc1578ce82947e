"""What the reports about kernels that cannot go on say, given the facts."""

from __future__ import annotations

import pytest

from ttl.rules import deadlocks
from ttl.rules.waiting import KernelOnNode, Wait, every_schedule, how_to_break, in_use, together, wait_cycle

READ, ADD = KernelOnNode("read", (0, 0), True), KernelOnNode("add", (0, 0), True)
GRID = [KernelOnNode(name, (0, index), False) for index, name in enumerate(("read", "read", "write"))]


@pytest.mark.parametrize(
    ("wait", "text", "service"),
    [
        (Wait("data", "a_dfb"), "waits for a_dfb", "filled by"),
        (Wait("space", "a_dfb"), "waits to reserve a_dfb", "emptied by"),
        (Wait("message", "the pipe"), "waits to receive from the pipe", "sent by"),
        (Wait("pipe", "the pipe"), "waits to send on the pipe", "received by"),
        (Wait("semaphore", "semaphore s", 2, True), "waits until semaphore s is 2", "changed by"),
        (Wait("semaphore", "semaphore s", 2), "waits until semaphore s is at least 2", "changed by"),
    ],
)
def test_each_wait_has_its_words(wait: Wait, text: str, service: str) -> None:
    assert (str(wait), wait.service) == (text, service)


def test_nodes_are_named_only_where_there_are_several() -> None:
    assert together([READ]) == "read waits for itself"
    assert together([READ, ADD]) == "read and add wait for each other"
    assert together(GRID[:2]) == "read on nodes (0, 0) and (0, 1) wait for each other"
    assert (
        together(GRID)
        == "read on node (0, 0), read on node (0, 1) and write on node (0, 2) wait for each other"
    )
    assert together([READ] * 5) == "5 kernels wait for each other in a circle"
    assert [in_use(1), in_use(2)] == ["its only block is in use", "all 2 blocks are in use"]
    named = [in_use(1, "a_dfb"), in_use(2, "a_dfb")]
    assert named == ["the only block of a_dfb is in use", "all 2 blocks of a_dfb are in use"]


def test_the_advice_about_a_circle_depends_on_what_its_kernels_wait_for() -> None:
    data, message = Wait("data", "a_dfb"), Wait("message", "the pipe")
    assert how_to_break([("read", data), ("add", message)]).startswith("send first")
    assert "push the block first" in how_to_break([("read", data)])
    assert "read or add could push before it waits" in how_to_break([("read", data), ("add", data)])


def test_a_circle_is_told_step_by_step() -> None:
    steps = [(READ, Wait("space", "a_dfb"), ADD), (ADD, Wait("data", "b_dfb"), ADD)]
    assert wait_cycle(steps, 2).splitlines() == [
        "the wait cycle:",
        "  read waits to reserve a_dfb, emptied by add",
        "  add waits for b_dfb, filled by itself",
    ]
    assert wait_cycle(steps, 7).endswith("  and so on, 7 kernels")


def test_every_schedule_ends_alike_only_where_that_is_known() -> None:
    assert "so every schedule" in every_schedule("", certain=False, unpacks_ahead="")
    assert every_schedule("semaphores", certain=False, unpacks_ahead="c").startswith("semaphores are used")
    assert "every schedule" in every_schedule("semaphores", certain=True, unpacks_ahead="")
    for beyond in ("", "semaphores"):
        assert "a chip may get through" in every_schedule(beyond, certain=True, unpacks_ahead="c")


def test_what_more_blocks_would_do_is_as_certain_as_it_was_checked() -> None:
    one, two = {"a_dfb": (2, 4)}, {"a_dfb": (2, 4), "b_dfb": (1, 2)}
    kahn = deadlocks.with_more_blocks(one, kahn=True)
    assert (
        kahn
        == "with block_count=4 for a_dfb the operation runs to its end, with 3 it does not (checked, and true for every schedule)"
    )
    several = deadlocks.with_more_blocks(two, kahn=False, l1_needed=10, l1_budget=9)
    assert "it does not" not in several
    assert several.endswith("(checked in this schedule); but that takes 10 bytes of L1, and a node has 9")
    told = deadlocks.too_few_blocks(two, 2, several)
    assert told.diagnostic.message == "deadlock: block_count=2, 1 is too small for a_dfb and b_dfb"
    assert told.label == "waits here for a free block: all 2 blocks are in use"


def test_a_semaphore_that_was_passed_is_told_from_one_that_nobody_changes() -> None:
    untouched = deadlocks.semaphore_unchanged(READ, "semaphore s", 0, 0, 2, exact=False)
    passed = deadlocks.semaphore_unchanged(READ, "semaphore s", 3, 0, 2, exact=True)
    short = deadlocks.semaphore_unchanged(READ, "semaphore s", 1, 0, 2, exact=True)
    assert "nobody changes it" in untouched.diagnostic.message
    assert "s.get_remote((0, 0)).inc(1)" in untouched.diagnostic.help[0]
    assert "wait_ge(2)" in passed.diagnostic.help[0]
    assert "it stays 1" in short.diagnostic.message
    assert {told.diagnostic.code for told in (untouched, passed, short)} == {"TTL0920"}


def test_a_kernel_is_named_twice_only_if_it_is_another_one() -> None:
    own = deadlocks.too_few_pushes(READ, "a_dfb", 3, "read", 2, None)
    other = deadlocks.too_few_pushes(READ, "a_dfb", 3, "add", 2, 5)
    assert own.diagnostic.message.endswith("of a_dfb, but pushes only 2")
    assert other.diagnostic.message.endswith("of a_dfb, but add pushes only 2")
    assert "add pushes 2 blocks and ends" not in other.diagnostic.help[0]
    assert other.diagnostic.help[0].startswith("in all, read waits for 5 blocks and add pushes 2")
    held = deadlocks.held_while_waiting(READ, "a_dfb", READ, "line 3")
    assert ", and has not pushed" in held.diagnostic.message
