"""Every elementwise row of the table of operations computes on registers what it says, for blocks and numbers."""

from __future__ import annotations

import numpy as np
import pytest

from passes.executed import compare
from support.block_kernels import Author, random_blocks
from support.ir_execution import block_results, kernel_results, lowered, operation_of, types_of
from ttl.diag.model import Diagnostic
from ttl.ir.failure import NotLowered
from ttl.rows.dtypes import BFLOAT16, INT32, UINT16, UINT32, DType
from ttl.rows.lowering import is_elementwise
from ttl.rows.row import Op
from ttl.rows.table import OPS
from ttl.rows.types import BlockType

_PARAMS = {"min": -2, "max": 2, "threshold": 1, "value": 5, "upper_limit": 2, "lower_limit": 1, "slope": 0.5}
_PARAMS |= {"alpha": 0.5, "alpha_recip": 2.0}
_OTHER = {
    "softplus": {"beta": 0.5, "beta_reciprocal": 2.0, "threshold": 2},
    "selu": {"scale": 1.5, "alpha": 2},
    "prelu": {"alpha": 0.3},
}
_ROWS = [row for row in OPS if is_elementwise(row)]
# What the chip does not compute (TTL1450), or only for other parameters (TTL1451).
_REFUSED = {"TTL1450", "TTL1451"}


def _params(row: Op, dtype: DType) -> dict[str, float]:
    own = _PARAMS | _OTHER.get(row.name, {})
    given = {
        param.name: own[param.name]
        for param in row.params
        if param.name in own and (param.default is ... or row.name in _OTHER)
    }
    unsigned = dtype.kind == "uint"
    return {name: max(value, 0) if unsigned else value for name, value in given.items()}


def _run(row: Op, dtype: DType, operands: list[float | None]) -> None:
    """One row; an operand is a block where it is None."""
    author = Author()
    names = [f"in_{number}" for number in range(len(operands))]
    blocks = {
        name: author.wait(author.dfb(name, (1, 2), dtype))
        for name, given in zip(names, operands, strict=True)
        if given is None
    }
    values = [
        author.read(blocks[name]) if given is None else given
        for name, given in zip(names, operands, strict=True)
    ]
    author.send(author.apply(row.name, *values, **_params(row, dtype)), author.dfb("out", (1, 2), dtype))
    for block in blocks.values():
        author.pop(block)
    module = author.module()
    types = types_of(operation_of(module))
    inputs = random_blocks(types, dict.fromkeys(blocks, 1), np.random.default_rng(0), limit=3)
    says = block_results(module, inputs, rounds=False)
    computed = kernel_results(lowered(module), types, inputs, rounds=False)
    compare(says, computed.blocks, exactly=not dtype.is_float)


def _forms(row: Op, dtype: DType) -> list[list[float | None]]:
    """The operands that a row may have: blocks, or a number in the place of each that may be one."""
    found: list[list[float | None]] = [[None] * len(row.operands)]
    for number, operand in enumerate(row.operands):
        if operand.scalar and len(row.operands) > 1:
            found.append([2 if number == at else None for at in range(len(row.operands))])
    types = BlockType.of((1, 2), dtype)
    params = tuple(_params(row, dtype).get(param.name, param.default) for param in row.params)
    return [
        form
        for form in found
        if isinstance(row.infer(tuple(types if each is None else each for each in form), params), BlockType)
    ]


def _check(row: Op, dtype: DType) -> str:
    said = ""
    for form in _forms(row, dtype):
        try:
            _run(row, dtype, form)
        except NotLowered as refusal:
            codes = {each.code for each in refusal.diagnostics}
            assert codes <= _REFUSED, refusal.diagnostics
            said = row.name
    return said


@pytest.mark.parametrize("part", range(4))
def test_rows_of_floats(part: int) -> None:
    assert [name for row in _ROWS[part::4] if (name := _check(row, BFLOAT16))] == []


@pytest.mark.one_of(3)
@pytest.mark.parametrize("dtype", [INT32, UINT32, UINT16], ids=str)
def test_rows_of_integers(dtype: DType) -> None:
    refused = [name for row in _ROWS if (name := _check(row, dtype))]
    forms = [row for row in _ROWS if _forms(row, dtype)]
    # Most can be computed; what cannot says so.
    assert len(refused) < len(forms) / 2, refused


def test_no_row_was_left_out() -> None:
    assert not [row.name for row in _ROWS if isinstance(_forms(row, BFLOAT16), Diagnostic)]
    assert all(_forms(row, BFLOAT16) or _forms(row, INT32) for row in _ROWS)
