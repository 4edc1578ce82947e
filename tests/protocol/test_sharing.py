"""Who may share a ring or memory: every claim is tried on all orders of events of small kernels."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from ttl.protocol.sequences import Repeat, Sequence, repeated
from ttl.protocol.sharing import BufferUsers, RingUse, Usage, memory, rings

R, P, W, POP = RingUse.RESERVE, RingUse.PUSH, RingUse.WAIT, RingUse.POP


def filled(*buffers: int) -> Sequence:
    """A block of each buffer is reserved and pushed, one after the other."""
    return tuple(use.of(buffer) for buffer in buffers for use in (R, P))


def emptied(*buffers: int) -> Sequence:
    return tuple(use.of(buffer) for buffer in buffers for use in (W, POP))


def of(usage: Usage, counts: list[int], *, free_order: bool = True) -> BufferUsers:
    return BufferUsers(usage=usage, kernels=(), fixed=(), free_order=free_order, counts=counts, unread=())


def of_node(*kernels: Sequence) -> Usage:
    return Usage([kernels])


def test_one_stream_is_one_order() -> None:
    assert of_node(filled(0, 1), emptied(0, 1)).one_stream([0, 1])
    assert of_node(filled(0, 1, 0, 1), emptied(0, 1, 0, 1)).one_stream([0, 1])
    assert not of_node(filled(0, 1), emptied(1, 0)).one_stream([0, 1]), "another order"
    assert not of_node(filled(0, 0, 1), emptied(0, 1)).one_stream([0, 1]), "a block is left"
    assert not of_node(filled(0), filled(1), emptied(0, 1)).one_stream([0, 1]), "two kernels push"
    assert not of_node(filled(0, 1), emptied(0), emptied(1)).one_stream([0, 1]), "two kernels pop"
    crossed = (R.of(0), R.of(1), P.of(1), P.of(0))
    assert not of_node(crossed, emptied(1, 0)).one_stream([0, 1]), "pushed in another order than reserved"


def test_loops_are_compared_written_out_or_as_they_are() -> None:
    loop = repeated(4, (*filled(0), *filled(1)))
    assert of_node(loop, emptied(0, 1, 0, 1, 0, 1, 0, 1)).one_stream([0, 1])
    long = repeated(100_000, (*filled(0), *filled(1)))
    assert of_node(long, repeated(100_000, emptied(0, 1))).one_stream([0, 1])
    assert not of_node(long, repeated(100_001, emptied(0, 1))).one_stream([0, 1])
    assert not of_node(long, repeated(100_000, emptied(1, 0))).one_stream([0, 1])


def test_every_node_counts() -> None:
    good, bad = (filled(0, 1), emptied(0, 1)), (filled(0, 1), emptied(1, 0))
    assert Usage([good, (filled(1), emptied(1)), ((), ())]).one_stream([0, 1])
    assert not Usage([good, bad]).one_stream([0, 1])


def test_over_before() -> None:
    usage = of_node(filled(0), (*emptied(0), *filled(1)), emptied(1))
    assert usage.over_before(0, 1)
    assert not usage.over_before(1, 0)
    assert not of_node(filled(0, 0), (*emptied(0), *filled(1)), emptied(1)).over_before(0, 1), (
        "a block is left"
    )
    assert not of_node(filled(0), emptied(0), filled(1), emptied(1)).over_before(0, 1), "nothing orders them"
    assert not of_node(filled(0), (*filled(1), *emptied(0)), emptied(1)).over_before(0, 1), "the other order"
    turns = (Repeat(3, (*emptied(0), *filled(1))),)
    assert not of_node(repeated(3, filled(0)), turns, repeated(3, emptied(1))).over_before(0, 1), (
        "it comes again"
    )
    assert not of_node(filled(0), emptied(0)).over_before(0, 1), "nobody uses the other"


def test_memory_lets_a_ring_grow() -> None:
    """Where kernels can tell how far ahead another is, a ring gets no more room than it had, unless nobody waits for room."""
    usage = of_node(filled(0, 0), (*emptied(0, 0), *filled(1)), emptied(1))
    assert of(usage, [1, 1]).apart(0, 1)
    assert not of(usage, [1, 1], free_order=False).apart(0, 1)
    assert of(usage, [2, 1], free_order=False).apart(1, 0)


def test_rings_join_no_more_than_they_have_to() -> None:
    usage = of_node(filled(*range(6)), emptied(*range(6)))
    assert rings(["t"] * 6, of(usage, [1] * 6), 6) == [[0], [1], [2], [3], [4], [5]]
    assert rings(["t"] * 6, of(usage, [1] * 6), 4) == [[0, 1, 2], [3], [4], [5]]
    assert rings(["t", "u", "t", "u", None, "t"], of(usage, [1] * 6), 1) == [
        [0, 2, 5],
        [1, 3],
        [4],
    ]
    twice = of_node(filled(0, 0, 1), emptied(0, 0, 1))
    assert rings(["t", "t"], of(twice, [1, 1], free_order=False), 1) == [[0], [1]], (
        "a kernel waits for room in 0"
    )
    assert rings(["t", "t"], of(twice, [2, 1], free_order=False), 1) == [[0, 1]]


def test_memory_is_a_whole_number_of_blocks() -> None:
    assert memory([8, 4, 3], [4, 2, 3], lambda a, b: True, range(3)) == {1: 0}
    assert memory([8, 4, 4], [4, 2, 4], lambda a, b: {a, b} != {1, 2}, range(3)) == {1: 0}


def orders(
    kernels: tuple[Sequence, ...], counts: list[int], ring_of: list[int]
) -> Iterator[list[tuple[int, int]]]:
    """Every order of events with rings of so many blocks, as long as there are few: kernel and event.

    ``ring_of``: which ring each buffer is. A block that comes out of a ring is asserted to be one that is waited for.
    """
    state: list[tuple[tuple[int, ...], list[tuple[int, int]]]] = [((0,) * len(kernels), [])]
    while state:
        at, done = state.pop()
        content: list[list[int]] = [[] for _ in counts]
        reserved, popped = [0] * len(counts), [0] * len(counts)
        taken = [0] * len(counts)
        for _, event in done:
            buffer, use = divmod(event, 4)
            ring = ring_of[buffer]
            if use == R:
                reserved[ring] += 1
            elif use == P:
                content[ring].append(buffer)
            elif use == W:
                assert content[ring][taken[ring]] == buffer, "a block of another buffer"
                taken[ring] += 1
            else:
                popped[ring] += 1
        moved = False
        for kernel, events in enumerate(kernels):
            if at[kernel] == len(events):
                continue
            event = events[at[kernel]]
            assert isinstance(event, int)
            ring, use = ring_of[event // 4], event % 4
            if (use == R and reserved[ring] - popped[ring] >= counts[ring]) or (
                use == W and taken[ring] >= len(content[ring])
            ):
                continue
            moved = True
            after = (*at[:kernel], at[kernel] + 1, *at[kernel + 1 :])
            state.append((after, [*done, (kernel, event)]))
        if not moved:
            yield done


@pytest.mark.parametrize("seed", range(40))
def test_what_is_proved_holds_in_every_order(seed: int) -> None:
    """Random kernels: with the rings that are found every order ends as far, and blocks come to who waits for them."""
    draw = random.Random(seed)
    ends = [draw.sample(range(3), 2) for _ in range(3)]
    kernels: list[list[int]] = [[], [], []]
    for _ in range(4):
        buffer = draw.randrange(3)
        producer, consumer = ends[buffer]
        kernels[producer] += filled(buffer)  # type: ignore[arg-type]
        kernels[consumer] += emptied(buffer)  # type: ignore[arg-type]
    node = tuple(map(tuple, kernels))
    usage = Usage([node])
    counts = [draw.randint(1, 2) for _ in range(3)]
    alone = list(orders(node, counts, [0, 1, 2]))
    found = rings(["t"] * 3, of(usage, counts), 1)
    ring_of = [next(place for place, ring in enumerate(found) if buffer in ring) for buffer in range(3)]
    together = list(orders(node, [sum(counts[buffer] for buffer in ring) for ring in found], ring_of))
    assert {len(done) for done in together} == {max(len(done) for done in alone)}
    for first in range(3):
        for second in range(3):
            if first != second and usage.over_before(first, second):
                for done in alone:
                    codes = [event for _, event in done]
                    last = max((n for n, code in enumerate(codes) if code // 4 == first), default=-1)
                    assert all(code // 4 != second for code in codes[: last + 1])
