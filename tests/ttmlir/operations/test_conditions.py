"""Every condition of an operation refuses something, says what, and is needed: without it, something wrong goes through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from xdsl.dialects.builtin import ModuleOp

from support.single_operations import refused
from tt_model.operations.conditions.verify_common import ForEach
from tt_model.operations.dialects import DIALECTS, all_rows, operation_class
from tt_model.operations.operation import RowOperation
from tt_model.operations.row import Check
from tt_model.operations.verifiers import check_broadcast, check_destination_style
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
            reports = verify(module_of(case.text()))
            expected = f"'{name}' op {case.message}"
            assert [report.message[: len(expected)] for report in reports] == [expected], case.text()
            line = next(n for n, text in enumerate(case.text().splitlines(), 1) if f'"{name}"' in text)
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


def finding(checks: tuple[Check, ...], op: RowOperation) -> str | None:
    try:
        op.STRUCTURE.verify(op, checks)
    except Violation as problem:
        return str(problem)
    except Exception as problem:  # what relied on the condition
        return type(problem).__name__
    return None


def is_needed(name: str, checks: tuple[Check, ...]) -> bool:
    """Whether one of the cases of an operation comes out otherwise with these checks."""
    return any(
        not (finding(checks, operation_in(module_of(case.text()), name)) or "").startswith(case.message)
        for case in refused()
        if case.name == name
    )


# Of the interfaces, of which every operation has its own case, two operations are enough.
INTERFACES = {check_destination_style.__name__: "ttir.relu", check_broadcast.__name__: "ttir.add"}
CONDITIONS = [
    pytest.param(row.name, reduced, id=f"{row.name}-{condition}")
    for row in all_rows()
    if row.dialect != "ttkernel"
    for condition, reduced in without_one(operation_class(row.name).CONDITIONS)
    if INTERFACES.get(condition, row.name) == row.name
]


@pytest.mark.parametrize(("name", "reduced"), CONDITIONS)
def test_a_condition_taken_out_is_missed(name: str, reduced: tuple[Check, ...]) -> None:
    assert is_needed(name, reduced)


def test_an_operation_without_its_conditions_is_refused() -> None:
    """A class that nobody asked the dialects for has none: verifying it is a mistake, and lets nothing through."""

    class UnlistedOp(RowOperation, name="ttir.unlisted"):
        """An operation of no dialect."""

    with pytest.raises(AttributeError, match="CONDITIONS"):
        UnlistedOp.create().verify()


def test_kernel_operations_stand_in_kernels() -> None:
    outside = '"test.region"() ({ "ttkernel.return"() : () -> () }) : () -> ()'
    inside = 'func.func @kernel() { "ttkernel.return"() : () -> () }'
    for text, messages in (
        (outside, ["'ttkernel.return' op ReturnOp must be inside of a DispatchOp region"]),
        (inside, []),
    ):
        module = parse_text(make_context(DIALECTS, allow_unregistered=True), text, "m.mlir")
        assert [report.message for report in verify(module)] == messages
