"""One table of what ``arith`` computes: on integers, on arrays, folded, and as values of nodes and turns."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block

from ttl.analysis.arithmetic import BINARY, DIVISIONS, INTEGER, computed
from ttl.analysis.polynomials import polynomial
from ttl.analysis.ranges import RULES
from ttl.analysis.scalars import Slots, compile_scalar
from ttl.passes.canonical.folding import fold

NUMBERS = (-7, -2, -1, 0, 1, 2, 3, 8)


@pytest.mark.parametrize("name", sorted(INTEGER))
def test_arrays_are_computed_as_numbers_are(name: str) -> None:
    pairs = [
        (a, b)
        for a, b in product(NUMBERS, NUMBERS)
        if not (b == 0 and name in DIVISIONS) and not ("sh" in name and b < 0)
    ]
    left, right = (np.array(column) for column in zip(*pairs, strict=True))
    assert BINARY[name](left, right).tolist() == [BINARY[name](a, b) for a, b in pairs]


@pytest.mark.parametrize("kind", RULES, ids=lambda kind: kind.name)
def test_folding_scalars_and_polynomials_agree_with_the_table(kind: type) -> None:
    for a, b in product(NUMBERS, NUMBERS):
        left, right = (arith.ConstantOp(IntegerAttr(number, IndexType())) for number in (a, b))
        op = kind(left.result, right.result)
        Block([left, right, op])
        expected = computed(op.name, a, b)
        if expected is None:
            continue
        folded = fold(op)
        assert folded == expected or getattr(folded, "owner", None) in (left, right)
        scalar = compile_scalar(op.results[0], Slots((1, 1)))
        assert scalar is not None and scalar.constant == expected
        number = polynomial(op.results[0]).number
        assert number is None or number == expected
