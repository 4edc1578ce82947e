"""The emulated chip's circular buffers and ``ttl.protocol.rings`` follow the same rules: random calls, accepted or refused by both."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from emu.harness import move
from ttl.diag import ProgramError
from ttl.emu import memory_of
from ttl.protocol.rings import MemoryProblem, Ring

PAGES, SEQUENCES, LENGTH = 4, 400, 12
RESERVE, PUSH, WAIT, POP = range(4)
# What the ring says, and what the chip does, by the rule that is broken.
REASONS = (
    ("hands over", "of which it has reserved"),
    ("frees", "of which it has waited for"),
    ("is for", "which has 4"),
    ("beyond the end", "across the end"),
)
# Run-time arguments: how many calls, then each call with its pages. Pages are read before they are freed, as a rule of its own wants.
KERNEL = """
const uint32_t first = get_write_ptr(0);
uint32_t popped = 0;
for (uint32_t call = 0; call < get_arg_val<uint32_t>(0); ++call) {
    const uint32_t pages = get_arg_val<uint32_t>(2 + 2 * call);
    switch (get_arg_val<uint32_t>(1 + 2 * call)) {
    case 0: cb_reserve_back(0, pages); break;
    case 1: cb_push_back(0, pages); break;
    case 2:
        cb_wait_front(0, pages);
        for (uint32_t page = 0; page < pages; ++page)
            static_cast<void>(*(volatile uint32_t*)(first + (popped + page) % 4 * 2048));
        break;
    case 3: cb_pop_front(0, pages); popped += pages; break;
    }
}
"""
Call = tuple[int, int]


def ring_of(calls: list[Call]) -> Ring:
    """The ring after calls of one kernel, which never have to wait. Raises ``MemoryProblem``."""
    ring = Ring(PAGES)
    for call, pages in calls:
        match call:
            case 0:
                assert ring.has_room(pages)
                ring.reserve_pages(pages)
            case 1:
                ring.push_pages(pages)
            case 2:
                assert ring.has_pages(pages)
                ring.wait_pages(pages)
            case 3:
                ring.pop_pages(pages)
    return ring


def random_calls(drawn: random.Random) -> tuple[list[Call], str]:
    """Calls up to the first that the ring refuses, and why; nothing where it refuses none."""
    calls: list[Call] = []
    for _ in range(LENGTH):
        call = drawn.choice((RESERVE, RESERVE, PUSH, WAIT, WAIT, POP)), drawn.choice((1, 1, 2, 3, 5))
        try:
            ring_of([*calls, call])
        except MemoryProblem as problem:
            if drawn.random() < 0.4:
                return [*calls, call], str(problem)
        except AssertionError:  # it would wait for ever
            continue
        else:
            calls.append(call)
    return calls, ""


def drained(calls: list[Call]) -> Iterator[Call]:
    """Calls, and those that leave nothing in the buffer."""
    yield from calls
    for _ in range(ring_of(calls).filled()):
        yield WAIT, 1
        yield POP, 1


def said_by_chip(calls: list[Call]) -> str:
    """What the emulated chip says about calls; nothing where it takes them."""
    words = (len(calls), *(word for call in calls for word in call))
    try:
        move(KERNEL, memory_of(), args={(0, 0): words})
    except ProgramError as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize("part", range(4))
def test_the_chip_and_the_ring_refuse_the_same(part: int) -> None:
    drawn = random.Random(part)
    reasons = set()
    for _ in range(SEQUENCES // 4):
        calls, problem = random_calls(drawn)
        assert said_by_chip(list(drained(calls[:-1] if problem else calls))) == "", calls
        if problem:
            ((_, on_chip),) = [reason for reason in REASONS if reason[0] in problem]
            assert on_chip in said_by_chip(calls), (calls, problem)
            reasons.add(on_chip)
    assert len(reasons) > 2
