"""The table of what operations do with kinds of values in kernels: each cell against CPython."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from tests.frontend.judged_expressions import Judged, judged

from ttl.frontend.kernel import algebra
from ttl.frontend.kernel.algebra import (
    BINARY,
    EQUALITY,
    IDENTITY,
    INPLACE,
    ITEM,
    MEMBERSHIP,
    ORDER,
    TABLE,
    UNARY,
    CellDecision,
)
from ttl.frontend.kernel.kinds import ValueKind

# Values of each kind as expressions; n may be negative, zero or large, m is from 1 to 8.
SAMPLES: dict[ValueKind, tuple[str, ...]] = {
    ValueKind.NUMBER: ("3", "True", "-2", "0"),
    ValueKind.REAL: ("0.5", "-2.0"),
    ValueKind.TEXT: ("'left'", "'%s'"),
    ValueKind.OBJECT: ("None", "math", "range(-1, 4)"),
    ValueKind.INSTANCE: ("SIZE",),
    ValueKind.TUPLE: ("(n, 1)", "(1, 2)", "('left', -7)"),
    ValueKind.LIST: ("[n, 1]", "[3, 1, n]"),
    ValueKind.DICT: ("{1: n, 'left': 2}", "{1: 3, 'left': 2}"),
    ValueKind.SET: ("{1, 3}",),
    ValueKind.ITERATOR: ("iter([1, 3])",),
    ValueKind.INTEGER: ("n", "m", "(2 * x - 7)"),
    ValueKind.FLOAT: ("(n * 0.5)", "(m * 1.0)"),
    ValueKind.RATIO: ("(n / 2)", "(n / m)"),
    ValueKind.CONDITION: ("(n > 0)", "(m == 1)"),
    ValueKind.CHOICE: ("('left' if n > 0 else 'right')", "((1, n) if n > 0 else (n, 2))"),
    ValueKind.SEQUENCE: ("range(m)",),
    ValueKind.PRINTED: ("f'{n}'",),
    ValueKind.BUFFER: ("dfb",),
}
OF_NODE = {
    ValueKind.INTEGER,
    ValueKind.FLOAT,
    ValueKind.RATIO,
    ValueKind.CONDITION,
    ValueKind.CHOICE,
    ValueKind.SEQUENCE,
    ValueKind.PRINTED,
    ValueKind.TUPLE,
    ValueKind.LIST,
}
# The last four are of objects of the program, of buffers, of attributes, and of containers that depend on the node.
_REFUSED = {"TTL1304", "TTL1305", "TTL1306", "TTL1302", "TTL0225", "TTL0224", "TTL1310"}
_STEP = 13
_CALLS = {
    "not x": "not {}", "format": 'f"{}"', "call": "{}()", "attribute": "({}).real", "iter": "list(iter({}))",
    **{sign: f"{sign[0]}{{}}" for sign in ("-x", "+x", "~x")},
}  # fmt: skip


def test_every_cell_is_decided() -> None:
    assert set(TABLE) == {*BINARY, *INPLACE, *EQUALITY, *ORDER, *IDENTITY, *MEMBERSHIP, ITEM, *UNARY}
    assert all(kind.meaning for kind in ValueKind)


def test_every_row_decides_a_cell() -> None:
    cells = {id(cell) for grid in TABLE.values() for line in grid for cell in line}
    assert [row for row in algebra.ROWS if id(row.cell) not in cells] == []


def test_a_cell_that_nobody_decided_is_an_error() -> None:
    with pytest.raises(LookupError, match="nobody has decided about - of NUMBER and NUMBER"):
        algebra._table(["-"], [row for row in algebra.ROWS if ValueKind.NUMBER not in row.left])


def wrong(expression: str, result: Judged, decided: CellDecision) -> str:
    """What is wrong: not the same as by CPython on every node, and not refused as the table says. Empty where nothing is."""
    raised = result.raised
    if result.codes:
        if not set(result.codes) <= _REFUSED:
            return f"{expression}: {result.codes}"
        if decided is CellDecision.COMPUTED and not raised:
            return f"{expression}: is to be computed: {result.codes}"
        return ""
    if result.differences():
        return f"{expression}: {result.differences()[0]}"
    if len(raised) == len(result.python):
        return f"{expression}: raises {raised[0]!r} on every node, and is compiled"
    return (
        ""
        if decided in (CellDecision.COMPUTED, CellDecision.KNOWN, CellDecision.STATIC)
        else f"{expression}: {decided.name}, and is compiled"
    )


def require_right(cases: list[tuple[str, CellDecision]], folder: Path) -> None:
    # Every kind of operation, and a part of the pairs: which one changes with the operation.
    start = sum(map(ord, cases[0][0])) % _STEP
    cases = cases[start::_STEP]
    results = judged([text for text, _ in cases], folder)
    findings = [wrong(text, result, decided) for (text, decided), result in zip(cases, results, strict=True)]
    assert [finding for finding in findings if finding] == []


def expected(operation: str, first: ValueKind, second: ValueKind = ValueKind.OBJECT) -> CellDecision:
    """What the table says. What is computed for some values only may be refused: for a choice it depends on its values."""
    cell = TABLE[operation][first][second]
    is_partly = bool(cell.text) or ValueKind.CHOICE in (first, second)
    return CellDecision.STATIC if cell.decided is CellDecision.COMPUTED and is_partly else cell.decided


def expressions_of(operation: str) -> list[tuple[str, CellDecision]]:
    """What to try of a binary operation: every pair of samples of which one is of the node."""
    cases = []
    for (first, lefts), (second, rights) in product(SAMPLES.items(), repeat=2):
        if not {first, second} & OF_NODE:
            continue
        for left, right in product(lefts, rights):
            if operation in INPLACE:
                text = f"v = {left}; v {operation} {right}; v"
            else:
                text = f"{left}[{right}]" if operation == ITEM else f"{left} {operation} {right}"
            if operation == "divmod":
                text = f"divmod({left}, {right})"
            cases.append((text, expected(operation, first, second)))
    return cases


@pytest.mark.one_of(3)
@pytest.mark.parametrize("operation", [*BINARY, *INPLACE, *EQUALITY, *ORDER, *IDENTITY, *MEMBERSHIP, ITEM])
def test_operations_of_two_values_are_those_of_cpython(operation: str, tmp_path: Path) -> None:
    require_right(expressions_of(operation), tmp_path)


@pytest.mark.parametrize("operation", UNARY)
def test_operations_of_one_value_are_those_of_cpython(operation: str, tmp_path: Path) -> None:
    pattern = _CALLS.get(operation, f"{operation}({{}})")
    cases = [
        (
            pattern.format(f"{{({value})}}" if operation == "format" else value),
            expected(operation, kind),
        )
        for kind, values in SAMPLES.items()
        for value in values
    ]
    require_right(cases, tmp_path)
