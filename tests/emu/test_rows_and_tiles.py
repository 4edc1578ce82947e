"""Rows of elements to tiles and back: what TT-NN's own kernels and hand-written ones do with the units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from emu.harness import GENERATIONS, OUT, Values, compute
from ttl.diag import ProgramError
from ttl.rows.row import Generation

both = pytest.mark.parametrize("generation", GENERATIONS)
WIDTH = 3
START = f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, {WIDTH}); cb_reserve_back({OUT}, {WIDTH});"
END = f"cb_push_back({OUT}, {WIDTH}); cb_pop_front(0, {WIDTH});"


def rows_of(values: Values) -> Values:
    """Values of which the tiles, one after the other, are the rows of ``values``."""
    return np.concatenate([_face_order(each) for each in values.reshape(-1, 1024)], axis=1)


def _face_order(stream: Values) -> Values:
    faces = stream.reshape(2, 2, 16, 16)
    return faces.transpose(0, 2, 1, 3).reshape(32, 32)


def tiles_of(values: Values) -> Values:
    """The other way: rows that are made of the elements of the tiles of ``values``, one tile after the other."""
    tiles = np.split(values, WIDTH, axis=1)
    stream = [each.reshape(2, 16, 2, 16).transpose(0, 2, 1, 3).reshape(-1) for each in tiles]
    return np.concatenate(stream).reshape(32, -1)


@pytest.fixture
def given() -> Values:
    return np.arange(32 * 32 * WIDTH).reshape(32, 32 * WIDTH) % 256 * 1.0


@both
@pytest.mark.parametrize("fast", ["", "fast_"])
def test_rows_become_tiles(generation: Generation, fast: str, given: Values) -> None:
    width = f", {WIDTH}" if fast and generation == "0.81" else ""
    body = (
        f"{START} {fast}tilize_init(0, {WIDTH}, {OUT}); {fast}tilize_block(0, {WIDTH}, {OUT});"
        f"{fast}tilize_uninit(0, {OUT}{width}); {END}"
    )
    found = compute(generation, body, [rows_of(given)], (32, 32 * WIDTH))
    np.testing.assert_array_equal(found, given)


@both
def test_tiles_become_rows_in_the_packer(generation: Generation, given: Values) -> None:
    body = (
        f"{START} pack_untilize_init<1, {WIDTH}>(0, {OUT});"
        f"for (uint32_t i = 0; i < {WIDTH}; ++i) {{ tile_regs_acquire(); copy_tile(0, i, 0); tile_regs_commit(); tile_regs_wait();"
        f"pack_untilize_dest<1, {WIDTH}>({OUT}, 1, i); tile_regs_release(); }} pack_untilize_uninit({OUT}); {END}"
    )
    found = compute(generation, body, [given], (32, 32 * WIDTH))
    np.testing.assert_array_equal(tiles_of(found), given)


@both
def test_tiles_become_rows_in_the_unpacker(generation: Generation, given: Values) -> None:
    body = f"{START} untilize_init(0); untilize_block(0, {WIDTH}, {OUT}); untilize_uninit(0); {END}"
    found = compute(generation, body, [given], (32, 32 * WIDTH))
    np.testing.assert_array_equal(tiles_of(found), given)


def test_tiles_become_rows_the_fast_way(given: Values) -> None:
    calls = (
        "fast_untilize_init<{0}>(0, {1}); fast_untilize_block<{0}>(0, {1}); fast_untilize_uninit<{0}>({1});"
    )
    found = compute("0.81", f"{START} {calls.format(WIDTH, OUT)} {END}", [given], (32, 32 * WIDTH))
    np.testing.assert_array_equal(tiles_of(found), given)


@both
def test_rows_of_float32_lose_what_a_source_register_does_not_hold(generation: Generation) -> None:
    """Unless they are unpacked straight to the registers: what TT-NN calls lossless."""
    given = np.random.default_rng(1).uniform(-1, 1, (32, 32 * WIDTH)).astype(np.float32)
    body = f"{START} tilize_init(0, {WIDTH}, {OUT}); tilize_block(0, {WIDTH}, {OUT}); tilize_uninit(0, {OUT}); {END}"
    options: dict[str, Any] = {"dtype": "float32", "fp32_dst": True}
    lost = compute(generation, body, [rows_of(given)], (32, 32 * WIDTH), **options)
    assert 0 < np.abs(lost - given).max() <= 2.0**-10
    kept = compute(generation, body, [rows_of(given)], (32, 32 * WIDTH), unpack_to_dst=True, **options)
    np.testing.assert_array_equal(kept, given)


COPY = f"copy_init(0); tile_regs_acquire(); copy_tile(0, 0, 0); tile_regs_commit(); tile_regs_wait(); pack_tile(0, {OUT}); tile_regs_release();"
WRONG = [
    (
        f"tilize_block(0, {WIDTH}, {OUT});",
        "TTL1513",
        f"needs the matrix unit set up for tiles out of rows of {WIDTH} tiles",
    ),
    (
        f"tilize_init(0, 2, {OUT}); tilize_block(0, {WIDTH}, {OUT});",
        "TTL1513",
        "last set up for tiles out of rows of 2 tiles",
    ),
    (
        f"tilize_init(0, {WIDTH}, {OUT}); {COPY}",
        "TTL1513",
        "the unpacker is set up to make tiles out of rows",
    ),
    (f"untilize_init(0); {COPY}", "TTL1513", "the unpacker is set up to make rows out of tiles"),
    (
        f"pack_untilize_init<1, {WIDTH}>(0, {OUT}); {COPY}",
        "TTL1513",
        "the packer is set up to make rows out of tiles",
    ),
    (COPY.replace("pack_tile(0, ", "pack_untilize_dest<1>("), "TTL1513", "the packer is set up for tiles"),
    (
        f"pack_untilize_init<1, {WIDTH}>(0, {OUT}); {COPY.replace('pack_tile(0, ', 'pack_untilize_dest<1>(')}",
        "TTL1513",
        f"packs 1 of 1 tile side by side, and the packer was set up for 1 of {WIDTH}",
    ),
    (
        f"tilize_init(0, {WIDTH + 1}, {OUT}); tilize_block(0, {WIDTH + 1}, {OUT});",
        "TTL1506",
        f"computes with tile {WIDTH} of circular buffer 0, and has waited for {WIDTH} pages",
    ),
    (
        f"pack_untilize_init<1, {WIDTH + 1}>(0, {OUT}); pack_untilize_block<1, {WIDTH + 1}>(0, 1, {OUT});",
        "TTL1506",
        f"packs tile {WIDTH} of circular buffer {OUT}, and has reserved {WIDTH} pages",
    ),
]


@pytest.mark.parametrize(("body", "code", "words"), WRONG)
def test_what_is_wrong_is_reported(body: str, code: str, words: str, given: Values) -> None:
    with pytest.raises(ProgramError) as caught:
        compute("0.81", f"{START} {body} {END}", [given], (32, 32 * WIDTH))
    assert caught.value.diagnostics[0].code == code
    assert words in str(caught.value)
