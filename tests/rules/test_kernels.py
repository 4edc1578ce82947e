"""Specification, "Kernel functions", "Dataflow buffer", "Pipe net", "Semaphore": who may do what, and how often."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from ttl.diag import Diagnostic, ProgramError
from ttl.lang.pipe import PipeNet
from ttl.protocol.blocks import KernelKind, Step
from ttl.rows.types import Layout
from ttl.rules import blocks, buffers, launches, leftovers, semaphores, words
from ttl.rules import kernel_definitions as kernels
from ttl.rules.pipes import match_function


@pytest.mark.parametrize(("kind", "limit"), [("compute", 1), ("data movement", 2)])
def test_an_operation_has_one_compute_kernel_and_two_that_move_data(kind: KernelKind, limit: int) -> None:
    names = ["first", "second"]
    for count in range(3):
        found = kernels.one_too_many(kind, "more", names[:count])
        assert (found is not None) is (count >= limit)
        assert found is None or ", ".join(names[:count]) in found.notes[0]


def test_kernels_of_one_factory_are_numbered_from_the_second_on() -> None:
    assert [kernels.numbered_name("read", made) for made in (1, 2, 3)] == ["read", "read_2", "read_3"]


FUNCTIONS: list[Callable[..., None]] = [
    lambda: None,
    lambda pipe: None,
    lambda pipe, more: None,
    lambda pipe, more=1: None,
    lambda pipe=1: None,
    lambda *pipes: None,
    lambda pipe, more, *rest: None,
    lambda pipe, *, more=1: None,
    lambda **named: None,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: str(inspect.signature(function)))
def test_a_condition_function_is_one_that_python_can_call_with_a_pipe(function: Callable[..., None]) -> None:
    """The rule, and the public function that takes its facts from the code of the function."""
    signature = inspect.signature(function)
    by_position = [each for each in signature.parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
    any_number = any(each.kind is each.VAR_POSITIONAL for each in signature.parameters.values())
    required = sum(each.default is each.empty for each in by_position)
    callable_with_one = True
    try:
        signature.bind(object())
    except TypeError:
        callable_with_one = False
    found = match_function("if_src", "send", required, takes_one=bool(by_position) or any_number)
    assert (found is None) is callable_with_one
    with pytest.raises(ProgramError) as raised:
        PipeNet([]).if_src(function)
    assert raised.value.code == ("TTL0201" if callable_with_one else "TTL0609")


@pytest.mark.parametrize(
    ("shape", "layout", "expected"),
    [
        ((2, 3), Layout.TILE, (2, 3)),
        ([2, 3], Layout.TILE, (2, 3)),
        (4, Layout.ROW_MAJOR, (4,)),
        (4, Layout.TILE, "TTL0320"),
        ((), Layout.TILE, "TTL0323"),
        ((2, 0), Layout.TILE, "TTL0323"),
        ((2, -1), Layout.ROW_MAJOR, "TTL0323"),
        ((2, 1.0), Layout.TILE, "TTL0323"),
        (True, Layout.ROW_MAJOR, "TTL0323"),
        ("22", Layout.TILE, "TTL0323"),
    ],
)
def test_a_block_shape_is_positive_ints_and_two_of_them_for_tiles(
    shape: Any, layout: Layout, expected: Any
) -> None:
    found = buffers.block_shape(shape, layout)
    assert (found.code if isinstance(found, Diagnostic) else found) == expected


def test_a_size_below_a_tile_is_to_be_rounded_up() -> None:
    found = buffers.block_shape((1, 24 // 32), Layout.TILE)
    assert isinstance(found, Diagnostic)
    assert "-(-n // 32)" in found.help[0]


@pytest.mark.parametrize(
    ("rule", "legal", "illegal", "code"),
    [
        (buffers.block_count, (1, 2, 64), (0, -1, 1.5, True, "2", None), "TTL0321"),
        (semaphores.semaphore_value, (0, 1, 2**32 - 1), (-1, 2**32, 0.0, False, None), "TTL0702"),
        (lambda dims: launches.dimensions("node", dims), (1, 2, 64), (0, 65, 2.0, True, None), "TTL0202"),
    ],
)
def test_numbers_and_their_ranges(
    rule: Callable[[object], int | Diagnostic], legal: tuple[Any, ...], illegal: tuple[Any, ...], code: str
) -> None:
    assert [rule(value) for value in legal] == list(legal)
    for value in illegal:
        found = rule(value)
        assert isinstance(found, Diagnostic)
        assert found.code == code


def test_the_two_ends_of_a_buffer_have_a_code_each() -> None:
    """Producer and consumer are told apart, in the code, the call and the advice."""
    rules: list[Callable[[Any], Diagnostic]] = [
        lambda end: buffers.second_user(end, "a_dfb", "read", "copy"),
        lambda end: buffers.holds_all(end, "a_dfb", 2),
        lambda end: blocks.left_over(end, "a_dfb", "read"),
        lambda end: blocks.out_of_order(Step.PUSH if end == "reserve" else Step.POP, "a_dfb"),
    ]
    codes = [(rule("reserve").code, rule("wait").code) for rule in rules]
    assert codes == [
        ("TTL0315", "TTL0316"),
        blocks.HOLDS_ALL,
        blocks.LEFT_OVER,
        blocks.OUT_OF_ORDER,
    ]
    assert "block_count=3" in buffers.holds_all("wait", "a_dfb", 2).help[0]


@pytest.mark.parametrize(
    ("step", "code"),
    [(Step.READ, "TTL0312"), (Step.STORE, "TTL0313"), (Step.COPY_IN, None), (Step.PUSH, None)],
)
def test_a_data_movement_kernel_may_copy_and_release_but_not_compute(step: Step, code: str | None) -> None:
    found = blocks.wrong_kernel_kind(step, "a_dfb", "read")
    assert (found.code if found is not None else None) == code


def test_where_a_kernel_is() -> None:
    assert words.kernel_where("compute", "add", (0, 1)) == "kernel add on node (0, 1)"
    assert words.kernel_where(None, "", (3,)) == "the operation's body on node (3)"
    assert words.kernel_what("data movement", "read") == "data movement kernel read"
    many = words.node_list([(0, index) for index in range(6)])
    assert many == "nodes (0, 0), (0, 1), (0, 2), (0, 3) and 2 more"
    assert words.node_list([(0, 0)]) == "node (0, 0)"


def test_a_part_written_twice_says_whether_the_order_is_certain_and_how_often() -> None:
    once = leftovers.written_twice([(0, 1), (2, 4)], Layout.TILE, 1, in_order=True)
    often = leftovers.written_twice([(0, 1), (2, 4)], Layout.TILE, 3, in_order=False)
    assert once.message == often.message
    assert "[0:1, 2:4] (tiles)" in once.message
    assert "schedule" not in once.notes[0]
    assert "schedule" in often.notes[0]
    assert [len(once.notes), often.notes[1:]] == [1, ("the same happens 2 more times",)]
