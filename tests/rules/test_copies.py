"""Specification, "Copy" and "Block": what fits what, and what is said when it does not."""

from __future__ import annotations

from itertools import product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttl.rows.dtypes import BFLOAT16, FLOAT32, INT32, WHOLE_NUMBER
from ttl.rows.types import BlockType, Layout
from ttl.rules.copies import End, EndKind, fits, match_ends, match_slice, other_end
from ttl.rules.stores import match_store

KINDS = get_args(EndKind)
COPIES = {("slice", "block"), ("block", "slice"), ("block", "sending pipe"), ("receiving pipe", "block")}

axes = st.lists(st.tuples(st.integers(1, 3), st.booleans()), min_size=2, max_size=5)


@given(axes, st.integers(0, 5))
def test_a_slice_fits_when_its_first_int_indices_are_dropped(
    axes: list[tuple[int, bool]], dropped: int
) -> None:
    """As ``a[2, 0:4, 0:4]`` fits a block of two dimensions: the extents of ints are 1, and go from the first on."""
    extents = tuple(1 if single else extent for extent, single in axes)
    single = tuple(is_single for _, is_single in axes)
    ints = [axis for axis, is_single in enumerate(single) if is_single][:dropped]
    shape = tuple(np.squeeze(np.empty(extents), tuple(ints)).shape)
    assert fits(extents, single, shape)
    assert not fits(extents, single, (*shape, 7))
    assert not fits(extents, (), shape) or not ints


def test_a_slice_of_the_same_shape_fits_without_any_int() -> None:
    assert fits((2, 3), (), (2, 3))
    assert not fits((1, 2, 3), (), (2, 3)), "0:1 is no int: it keeps its dimension"
    assert not fits((2, 3), (), (3, 2))


@pytest.mark.parametrize(("src", "dst"), list(product(KINDS, KINDS)))
def test_four_pairs_of_ends_can_be_copied(src: EndKind, dst: EndKind) -> None:
    found = match_ends(End(src, "x"), End(dst, "x"))
    assert (found is None) is ((src, dst) in COPIES)
    code = "TTL0365" if "view" in (src, dst) else "TTL0502"
    assert found is None or (found.code == code and found.help)


def test_what_is_no_end_is_described() -> None:
    found = match_ends(other_end(np.zeros(2)), End("block"))
    assert found is not None
    assert "from a NumPy array to a block" in found.message
    assert "ttnn.from_torch" in found.help[0]
    found = match_ends(End("block"), other_end(3))
    assert found is not None
    assert found.message == "ttl.copy() from a block to int 3"


@pytest.mark.parametrize(
    ("part", "code"),
    [
        (BlockType.of((2, 2), BFLOAT16), None),
        (BlockType.of((2, 2), BFLOAT16, Layout.ROW_MAJOR), "TTL0510"),
        (BlockType.of((2, 2), FLOAT32), "TTL0514"),
        (BlockType.of((2, 3), BFLOAT16), "TTL0515"),
        (BlockType.of((2, 3), FLOAT32, Layout.ROW_MAJOR), "TTL0510"),
    ],
)
def test_layout_type_and_shape_of_a_slice_have_to_match(part: BlockType, code: str | None) -> None:
    found = match_slice(
        part.layout, part.dtype, part.shape, (), "a_dfb", BlockType.of((2, 2), BFLOAT16), "into"
    )
    assert (found.code if found is not None else None) == code


def test_a_copy_names_its_ends_in_its_direction() -> None:
    part, block = BlockType.of((2, 3), BFLOAT16), BlockType.of((2, 2), BFLOAT16)
    into, out = (
        match_slice(part.layout, part.dtype, part.shape, (), "a_dfb", block, direction)
        for direction in ("into", "from")
    )  # type: ignore[arg-type]
    assert into is not None
    assert out is not None
    assert into.message.startswith("copy from a tensor slice of (2, 3)")
    assert out.message.startswith("copy from a block of a_dfb of (2, 2)")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (BlockType.of((2, 2), BFLOAT16), None),
        (BlockType.of((2, 2), FLOAT32), None),
        (BlockType.of((2, 2), WHOLE_NUMBER), None),
        (BlockType.of((2, 2), INT32), "TTL0334"),
        (BlockType.of((2, 2), BFLOAT16, Layout.ROW_MAJOR), "TTL0333"),
        (BlockType.of((1, 2), INT32), "TTL0332"),
    ],
)
def test_a_store_converts_among_floats_and_nothing_else(given: BlockType, code: str | None) -> None:
    found = match_store(given, "y_dfb", BlockType.of((2, 2), BFLOAT16))
    assert (found.code if found is not None else None) == code
