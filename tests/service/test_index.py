"""What reading and checking tell an observer, as facts by place; and that nobody pays for it who does not ask."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from support.queries import PATH, PROGRAM, recorded, span
from ttl.frontend import evaluator
from ttl.frontend.file import lower_file
from ttl.protocol.blocks import State
from ttl.service.index import FactIndex
from ttl.service.moves import MovedText, change_between
from ttl.service.placed import PlacedFacts
from ttl.session import FileText, Session

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def index() -> FactIndex:
    return FactIndex((PlacedFacts(recorded(PATH, PROGRAM)),))


def test_an_expression_has_the_type_of_its_value(index: FactIndex) -> None:
    (value,) = index.exactly(span(22, "ttl.block.fill(0, shape=(1, 1))"))
    assert value.kind == "expression" and value.block is not None and value.block.elements == (32, 32)


def test_a_block_knows_its_buffer_and_where_it_was_acquired(index: FactIndex) -> None:
    (value,) = index.exactly(span(24, "a_blk"))
    assert (value.kind, value.name, value.acquired, value.kernel) == ("block", "a_dfb", "wait", "compute")
    assert value.origin == span(20, "a_dfb.wait()")
    assert value.made == span(8, "ttl.make_dataflow_buffer_like(a, shape=(1, 1))")


def test_a_number_of_the_node_has_its_bounds(index: FactIndex) -> None:
    (value,) = index.exactly(span(15, "i, 0"))
    assert value.kind == "container" and value.text == "(0 to 3, 0)"


def test_the_innermost_comes_first(index: FactIndex) -> None:
    texts = [fact.span for fact in index.around(PATH, 15, span(15, "a_blk").column)]
    assert texts == [span(15, "a_blk"), span(15, "ttl.copy(a[i, 0], a_blk)")]


def test_what_the_language_infers_has_a_place_behind_a_statement(index: FactIndex) -> None:
    inferred = [(fact.how, fact.of.line, fact.after.end_line, fact.variable) for fact in index.inferred(PATH)]
    assert inferred == [
        ("wait", 15, 15, ""),
        ("push", 14, 15, "a_blk"),
        ("pop", 20, 24, "a_blk"),
        ("push", 21, 25, "y_blk"),
    ]


def test_blocks_have_states_before_and_after_a_line(index: FactIndex) -> None:
    acquired = span(30, "y_dfb.wait()")
    acquire, copy, wait = (index.states(line, acquired) for line in (30, 31, 32))
    assert acquire is not None and copy is not None and wait is not None
    assert (acquire.before, acquire.after) == ((None,), (State.UNREAD,))
    assert (copy.before, copy.after) == ((State.UNREAD,), (State.READ_ONLY_WHILE_READING,))
    assert (wait.before, wait.after) == ((State.READ_ONLY_WHILE_READING,), (State.READ_WRITE,))


def test_a_loop_gives_a_line_all_states_that_its_turns_have(index: FactIndex) -> None:
    states = index.states(24, span(20, "a_dfb.wait()"))
    assert states is not None
    assert set(states.before) == {State.UNREAD, State.READ_WRITE} and states.after == (State.READ_WRITE,)


def test_a_buffer_knows_who_produces_and_who_consumes(index: FactIndex) -> None:
    made = span(9, "ttl.make_dataflow_buffer_like(y, shape=(1, 1))")
    assert [(fact.acquired, fact.kernel, fact.kind) for fact in index.acquires_of(made)] == [
        ("reserve", "compute", "compute"),
        ("wait", "write", "data movement"),
    ]


def test_facts_move_with_the_text(index: FactIndex) -> None:
    lines = PROGRAM.split("\n")
    below = FileText(
        "\n".join([*lines[:14], "", "", "", "", *lines[15:]])
    )  # four lines in the place of line 15
    down = MovedText(PATH, change_between(FileText(PROGRAM), below))
    moved = index.moved(down)
    (value,) = moved.exactly(down(span(24, "a_blk")) or span(24, "a_blk"))
    assert value.origin == down(span(20, "a_dfb.wait()")) != span(20, "a_dfb.wait()")
    assert not moved.on_lines(PATH, 15, 18) and index.on_lines(PATH, 15, 15)
    many = index
    for at in range(40):  # a line above, one after the other
        texts = FileText("\n" * at + PROGRAM), FileText("\n" * (at + 1) + PROGRAM)
        many = many.moved(MovedText(PATH, change_between(*texts)))
    places = many.on_lines(PATH, 1, 100)
    assert [fact.span.line - 40 for fact in places] == [
        fact.span.line for fact in index.on_lines(PATH, 1, 60)
    ]


def test_facts_are_small() -> None:
    facts = recorded(str(EXAMPLES / "flash_attention.py"))
    assert len(facts.places) < 600 and all(len(fact.values) <= 6 for fact in facts.places)


class _Calls:
    """Counts the calls of functions of some files."""

    def __init__(self) -> None:
        self.counts: Counter[CodeType] = Counter()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and "/ttl/frontend/" in frame.f_code.co_filename:
            self.counts[frame.f_code] += 1


def test_without_an_observer_nothing_is_called_for_one() -> None:
    path = str(EXAMPLES / "softmax.py")
    with Session().entered():
        lower_file(path)
        calls = _Calls()
        sys.setprofile(calls)
        try:
            lower_file(path)
        finally:
            sys.setprofile(None)
    observing = evaluator.Evaluator._be_observed.__code__
    assert calls.counts and observing not in calls.counts
    # Dispatch is the one call between an expression and its meaning that there always was.
    names = {code.co_qualname for code in calls.counts}
    assert not any("observed" in name for name in names)
