"""The counts of emitted kernels, on kernels written for them."""

from __future__ import annotations

from support.kernel_counts import ComputeCounts, barriers_per_block, compute_counts

LOOP = """
#include "x.h"
void kernel_main() {{
    constexpr uint32_t a_dfb = 0;
    constexpr uint32_t y_dfb = 1;
    {before}
    // for block in range(4):
    for (uint32_t block = 0; block < 4; ++block) {{
        {inside}
        tile_regs_acquire();
        for (uint32_t r = 0; r < 2; ++r) {{
            const uint32_t first = r * 2;
            for (uint32_t i = 0; i < 2; i += 1) {{
                copy_tile(a_dfb, i, first + i);
            }}
        }}
        {section}
        tile_regs_release();
    }}
}}
"""


def counts(before: str = "", inside: str = "", section: str = "") -> ComputeCounts:
    return compute_counts(LOOP.format(before=before, inside=inside, section=section))


def test_an_initialisation_that_could_stand_before_the_loop() -> None:
    assert counts(inside="copy_init(a_dfb);").hoistable == ("copy_init(a_dfb)",)
    assert counts(before="copy_init(a_dfb);").hoistable == ()
    assert counts(section="exp_tile_init<false>(); if (block) { exp_tile<false>(0); }").hoistable == (
        "exp_tile_init()",
    )


def test_initialisations_that_take_turns_cannot() -> None:
    assert counts(inside="copy_init(a_dfb);", section="add_init(a_dfb, a_dfb);").hoistable == ()
    assert counts(section="exp_tile_init(); exp_tile(0); recip_tile_init(); recip_tile(0);").hoistable == ()


def test_one_that_depends_on_the_loop_cannot() -> None:
    assert counts(inside="const uint32_t cb = block + 1; copy_init(cb);").hoistable == ()


def test_only_the_inner_one_of_two_loops_counts() -> None:
    nested = "for (uint32_t k = 0; k < 2; ++k) { mul_init(a_dfb, a_dfb); mul_tiles(a_dfb, a_dfb, k, k, 0); }"
    assert counts(inside="copy_init(a_dfb);", section=nested).hoistable == ("mul_init(a_dfb, a_dfb)",)


def test_registers_are_counted_through_loops_and_names() -> None:
    assert counts().registers == 4
    assert counts(section="matmul_block(a_dfb, a_dfb, 0, 0, 2, 0, 2, 3, 1);").registers == 8
    assert counts(section="exp_tile(unknown(a_dfb));").registers is None
    assert counts().sections == 1


def test_barriers_are_counted_up_to_the_last_block() -> None:
    body = """
    void kernel_main() {
        for (uint32_t i = 0; i < n; ++i) {
            cb_reserve_back(0, 1);
            noc_async_read_page(i, a, get_write_ptr(0));
            noc_async_read_barrier();
            cb_push_back(0, 1);
            cb_push_back(1, 1);
        }
        noc_async_write_barrier();
    }
    """
    assert barriers_per_block(body) == 0.5
    assert barriers_per_block("void kernel_main() { noc_async_write_barrier(); }") is None
