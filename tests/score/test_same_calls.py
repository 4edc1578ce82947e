"""Which call is which on another chip: constants may be chosen or tuned for the chip."""

from __future__ import annotations

from typing import cast

from ttl.codegen.description import ProgramDescription
from ttl.frontend.lowered import Specialisation
from ttl.score.judge import CallPrograms, same_calls
from ttl.source.spans import Span

_NONE = cast("ProgramDescription", None)


def called(line: int, *arguments: str, operation: str = "matmul") -> CallPrograms:
    place = Span(file="mine.py", line=line, column=1, end_line=line, end_column=9)
    call = Specialisation(operation=operation, arguments=arguments, complete=True, place=place)
    return CallPrograms(call=call, description=_NONE)


def found(programs: list[CallPrograms], others: list[CallPrograms]) -> list[int | None]:
    return [None if other is None else others.index(other) for other in same_calls(programs, others)]


def test_a_call_with_other_tuned_parameters_is_the_same() -> None:
    here = [called(9, "a: 64x64 bfloat16", "rows=2")]
    assert found(here, [called(9, "a: 64x64 bfloat16", "rows=8")]) == [0]
    assert found(here, [called(9, "a: 64x32 bfloat16", "rows=2")]) == [None]
    assert found(here, [called(8, "a: 64x64 bfloat16", "rows=2")]) == [None]
    assert found(here, [called(9, "a: 64x64 bfloat16", "rows=2", operation="add")]) == [None]


def test_calls_with_the_same_constants_find_each_other_first() -> None:
    one, two = called(9, "a: 64x64 bfloat16", "scale=1"), called(9, "a: 64x64 bfloat16", "scale=2")
    assert found([one, two], [two, one]) == [1, 0]
    three = called(9, "a: 64x64 bfloat16", "scale=3")
    assert found([one, two], [three, two]) == [0, 1]
    assert found([one, two], [two, three]) == [1, 0]
    assert found([one, two], [three]) == [0, None]
