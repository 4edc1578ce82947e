"""Affine expressions and maps of ``ttmlir.ir``: their text is MLIR's, also with symbols."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ttmlir.dialects import tt
from ttmlir.ir import (
    AffineAddExpr,
    AffineBinaryExpr,
    AffineCeilDivExpr,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineFloorDivExpr,
    AffineMap,
    AffineMapAttr,
    AffineModExpr,
    AffineMulExpr,
    AffineSymbolExpr,
    Attribute,
    Context,
    Location,
)


@pytest.fixture(autouse=True)
def context() -> Iterator[Context]:
    with Context() as ctx, Location.unknown():
        tt.register_dialect(ctx)
        yield ctx


def test_operators_give_expressions_of_their_kind() -> None:
    d0, d1, s0 = AffineDimExpr.get(0), AffineDimExpr.get(1), AffineSymbolExpr.get(0)
    for expression, kind, text in (
        (d0 + d1, AffineAddExpr, "d0 + d1"),
        (1 + d0, AffineAddExpr, "d0 + 1"),
        (d0 - 1, AffineAddExpr, "d0 - 1"),
        (3 - d0, AffineAddExpr, "-d0 + 3"),
        (d0 * s0, AffineMulExpr, "d0 * s0"),
        (8 * d0, AffineMulExpr, "d0 * 8"),
        (d0 % 8, AffineModExpr, "d0 mod 8"),
        (AffineFloorDivExpr.get(d0, s0), AffineFloorDivExpr, "d0 floordiv s0"),
        (AffineCeilDivExpr.get(d0, 8), AffineCeilDivExpr, "d0 ceildiv 8"),
        (AffineExpr.get_floor_div(d0, 8) * 4 + d1 % 8, AffineAddExpr, "(d0 floordiv 8) * 4 + d1 mod 8"),
        (AffineMulExpr.get(d0, 1), AffineDimExpr, "d0"),
        (AffineConstantExpr.get(3) * 4, AffineConstantExpr, "12"),
    ):
        assert (str(expression), type(expression)) == (text, kind)
        assert repr(expression) == f"{kind.__name__}({text})"
    total = d0 + s0
    assert isinstance(total, AffineBinaryExpr)
    assert (total.lhs, total.rhs) == (d0, s0)
    assert (d1.position, s0.position, AffineConstantExpr.get(7).value) == (1, 0, 7)
    assert AffineAddExpr.isinstance(total) and not AffineMulExpr.isinstance(total)
    assert AffineAddExpr(total) == total
    with pytest.raises(ValueError, match="Cannot cast affine expression to AffineMulExpr"):
        AffineMulExpr(total)
    with pytest.raises(ValueError, match="non-affine expression"):
        d0 * d1


def test_composition_and_shifts() -> None:
    d0, d1, s0 = AffineDimExpr.get(0), AffineDimExpr.get(1), AffineSymbolExpr.get(0)
    grid = AffineMap.get(2, 0, [d1 * 2, d0 % 8])
    assert str((d0 + d1).compose(grid)) == "d1 * 2 + d0 mod 8"
    assert str((d0 + d1 * 2).shift_dims(2, 3)) == "d3 + d4 * 2"
    assert str((d0 + d1 * 2).shift_dims(2, 3, 1)) == "d0 + d4 * 2"
    assert str((d0 + s0).shift_symbols(1, 2)) == "d0 + s2"


def test_maps() -> None:
    d0, d1, s0 = AffineDimExpr.get(0), AffineDimExpr.get(1), AffineSymbolExpr.get(0)
    given = AffineMap.get(2, 1, [AffineFloorDivExpr.get(d0, s0), (d0 % s0) * 8 + d1])
    assert str(given) == "(d0, d1)[s0] -> (d0 floordiv s0, (d0 mod s0) * 8 + d1)"
    assert (given.n_dims, given.n_symbols, given.n_inputs) == (2, 1, 3)
    assert isinstance(given.results[0], AffineFloorDivExpr)
    assert str(AffineMapAttr.get(given)) == f"affine_map<{given}>"
    assert Attribute.parse(f"affine_map<{given}>") == AffineMapAttr.get(given)
    assert str(given.get_submap([1])) == "(d0, d1)[s0] -> ((d0 mod s0) * 8 + d1)"
    assert given.get_major_submap(1) == given.get_submap([0])
    assert given.get_minor_submap(1) == given.get_submap([1])
    assert str(given.replace(d1, AffineConstantExpr.get(0), 2, 1)).endswith("(d0 mod s0) * 8)")
    assert AffineMap.get_permutation([1, 0]).is_permutation
    assert AffineMap.get(3, 0, [d1, d0]).is_projected_permutation
    assert not given.is_projected_permutation


def test_a_device_from_maps_with_symbols(context: Context) -> None:
    """As upstream's tests of the device attribute make it."""
    zero = AffineConstantExpr.get(0)
    d0, d1, s0, s1 = (
        AffineDimExpr.get(0),
        AffineDimExpr.get(1),
        AffineSymbolExpr.get(0),
        AffineSymbolExpr.get(1),
    )
    workers = AffineMap.get(2, 0, [AffineFloorDivExpr.get(d1, 8), d0, d1 % 8])
    offset = (d0 % s0) * s1 + d1 % s1
    l1 = AffineMap.get(2, 2, [zero, AffineFloorDivExpr.get(d0, s0), AffineFloorDivExpr.get(d1, s1), offset])
    device = tt.ir.DeviceAttr.get(context, [8, 16], workers, l1, l1, [1, 2], [0, 1])
    memory = "(d0, d1)[s0, s1] -> (0, d0 floordiv s0, d1 floordiv s1, (d0 mod s0) * s1 + d1 mod s1)"
    assert str(device) == (
        "#tt.device<workerGrid = #tt.grid<8x16, (d0, d1) -> (d1 floordiv 8, d0, d1 mod 8)>, "
        f"l1Map = {memory}, dramMap = {memory}, meshShape = 1x2, chipIds = [0, 1]>"
    )
    view = tt.ir.DeviceAttr.unwrap(device)
    assert str(view.l1_map) == memory
