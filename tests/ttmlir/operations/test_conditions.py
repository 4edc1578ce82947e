"""Every condition of an operation refuses something, says what, and is needed: without it, something wrong goes through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from xdsl.dialects.builtin import ModuleOp

from support.single_operations import refused
from tt_model.operations import interfaces
from tt_model.operations.conditions.verify_common import ForEach
from tt_model.operations.dialects import DIALECTS, all_rows
from tt_model.operations.operation import RowOperation
from tt_model.operations.row import Check, Row
from tt_model.operations.structure import Structure
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttl.ir.verifier import Violation, verify

NAMES = sorted({case.name for case in refused()})


@cache
def module_of(text: str) -> ModuleOp:
    return parse_text(make_context(DIALECTS), text, "m.mlir")


def operation_in(module: ModuleOp, name: str) -> RowOperation:
    op = next(op for op in module.walk() if op.name == name)
    assert isinstance(op, RowOperation)
    return op


@pytest.mark.parametrize("name", NAMES)
def test_what_is_wrong_is_said_at_its_place(name: str) -> None:
    for case in refused():
        if case.name == name:
            reports = verify(module_of(case.text))
            expected = f"'{name}' op {case.message}"
            assert [report.message[: len(expected)] for report in reports] == [expected], case.text
            line = next(n for n, text in enumerate(case.text.splitlines(), 1) if f'"{name}"' in text)
            assert str(reports[0].span).startswith(f"m.mlir:{line}:")


def without_one(checks: tuple[Check, ...]) -> Iterator[tuple[str, tuple[Check, ...]]]:
    """The checks with one condition taken out, by its name."""
    for index, check in enumerate(checks):
        rest = checks[:index], checks[index + 1 :]
        if isinstance(check, ForEach):
            for number, condition in enumerate(check.conditions):
                fewer = replace(check, conditions=check.conditions[:number] + check.conditions[number + 1 :])
                yield condition.__name__, (*rest[0], fewer, *rest[1])
        else:
            yield getattr(check, "__name__", str(check)), (*rest[0], *rest[1])


def finding(structure: Structure, op: RowOperation) -> str | None:
    try:
        structure.verify(op)
    except Violation as problem:
        return str(problem)
    except Exception as problem:  # what relied on the condition
        return type(problem).__name__
    return None


def is_needed(structure: Structure, name: str) -> bool:
    """Whether one of the cases of an operation comes out otherwise."""
    return any(
        not (finding(structure, operation_in(module_of(case.text), name)) or "").startswith(case.message)
        for case in refused()
        if case.name == name
    )


CONDITIONS = [
    pytest.param(row, reduced, id=f"{row.name}-{condition}")
    for row in all_rows()
    if row.dialect != "ttkernel"
    for field in ("invariants", "verify")
    for condition, checks in without_one(getattr(row, field))
    for reduced in [replace(row, **{field: checks})]
]


@pytest.mark.parametrize(("row", "reduced"), CONDITIONS)
def test_a_condition_taken_out_is_missed(row: Row, reduced: Row) -> None:
    assert is_needed(Structure(reduced), row.name)


@pytest.mark.parametrize(("name", "check"), [("ttir.relu", "destination_style"), ("ttir.add", "broadcast")])
def test_an_interface_taken_out_is_missed(name: str, check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(row for row in all_rows() if row.name == name)
    assert not is_needed(Structure(row), name)
    monkeypatch.setattr(interfaces, f"check_{check}", lambda op: None)
    assert is_needed(Structure(row), name)


def test_kernel_operations_stand_in_kernels() -> None:
    outside = '"test.region"() ({ "ttkernel.return"() : () -> () }) : () -> ()'
    inside = 'func.func @kernel() { "ttkernel.return"() : () -> () }'
    for text, messages in (
        (outside, ["'ttkernel.return' op ReturnOp must be inside of a DispatchOp region"]),
        (inside, []),
    ):
        module = parse_text(make_context(DIALECTS, allow_unregistered=True), text, "m.mlir")
        assert [report.message for report in verify(module)] == messages
