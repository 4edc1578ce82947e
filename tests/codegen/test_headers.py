"""The header check itself: it accepts kernels of each generation, and says what is wrong with others."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import kernel_batches, kernel_check, kernel_compiler
from support.kernel_check import GENERATIONS, Generation, Kernel, check, check_all, needs_compiler
from support.kernel_compiler import complaint

pytestmark = [pytest.mark.headers, needs_compiler]

# The name of the initialisation of an addition, which the generations do not share.
ADD_INIT: dict[Generation, str] = {"0.69": "add_tiles_init", "0.81": "add_init"}
PAGES = ("KERNEL_COMPILE_TIME_ARGS=2,2048",)


def compute(generation: Generation, *, init: str = "", call: str = "add_tiles(a, b, 0, 0, 0)") -> str:
    return f"""\
// {generation}
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"

void kernel_main() {{
    constexpr uint32_t a = 0, b = 1, out = 16;
    compute_kernel_hw_startup(a, b, out);
    {init or ADD_INIT[generation]}(a, b);
    cb_wait_front(a, 1);
    tile_regs_acquire();
    {call};
    tile_regs_commit();
    tile_regs_wait();
    pack_tile<true>(0, out, 0);
    tile_regs_release();
    cb_pop_front(a, 1);
}}
"""


READER = """\
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto a_args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(a_args, get_common_arg_val<uint32_t>(0), 2048);
    cb_reserve_back(0, 1);
    noc_async_read_page(0, a, get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
}
"""


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_correct_kernel_is_accepted(generation: Generation) -> None:
    assert check(generation, "compute", compute(generation)) is None
    assert check(generation, "datamovement", READER, PAGES) is None


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_name_of_the_other_generation_is_not(generation: Generation) -> None:
    other = ADD_INIT["0.81" if generation == "0.69" else "0.69"]
    complaint = check(generation, "compute", compute(generation, init=other))
    assert complaint is not None and f"'{other}' was not declared" in complaint


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ("add_tiles(a, b, 0, 0)", "candidate expects 5 arguments, 4 provided"),
        ("exp_tile(0)", "was not declared"),  # no header of it is included
        ("unary_op_init_common(a, out)", "was not declared"),
        ("uint32_t* p = 5; *p = a", "invalid conversion"),
        ("uint32_t unused = 0", "unused variable"),
        ("if (a < -1) { add_tiles(a, b, 0, 0, 0); }", "different signedness"),
    ],
)
def test_what_is_wrong_is_said(call: str, complaint: str) -> None:
    said = check("0.81", "compute", compute("0.81", call=call))
    assert said is not None and complaint in said
    assert "kernel.cpp:12:" in said


def test_a_deprecated_name_is_a_complaint() -> None:
    text = compute("0.81", call="copy_tile_init(a)").replace("eltwise_binary", "tile_move_copy")
    text = text.replace("add_init(a, b);", "copy_init(a);")
    said = check("0.81", "compute", text)
    assert said is not None and "is deprecated" in said


def test_a_kernel_among_many_gets_its_own_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = ["add_tiles(a, b, 0, 0, 0)"] * 9
    calls[4] = "add_tiles(a, b)"
    calls[7] = "wrong(a)"
    kernels = [
        Kernel(generation="0.81", kind="compute", text=compute("0.81", call=f"{call}; // {number}"))
        for number, call in enumerate(calls)
    ]
    monkeypatch.setattr(kernel_check, "_kept", lambda kernel: tmp_path / str(kernels.index(kernel)))
    answers = check_all(kernels)
    assert [number for number, answer in enumerate(answers) if answer] == [4, 7]
    assert "'wrong' was not" in (answers[7] or "")
    monkeypatch.setattr(kernel_check, "judge", lambda batch: pytest.fail("compiled again"))
    assert check_all(kernels) == answers


def test_an_include_of_another_kernel_helps_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = compute("0.81", call="exp_tile(0)").replace("eltwise_binary.h", "eltwise_unary/exp.h")
    right = right.replace("add_init(a, b)", "exp_tile_init()")
    kernels = [
        Kernel(generation="0.81", kind="compute", text=text)
        for text in (right, compute("0.81"), compute("0.81", call="exp_tile(0)"))
    ]
    monkeypatch.setattr(kernel_check, "_kept", lambda kernel: tmp_path / str(kernels.index(kernel)))
    answers = check_all(kernels)
    assert answers[:2] == [None, None]
    assert "'exp_tile' was not declared" in (answers[2] or "")


def test_kernels_with_accessors_of_their_own_are_one_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("2,2048", "3,2048,2,8,4,4,1,4,0,0,0,0", "0,1088")
    kernels = [
        Kernel(
            generation="0.81",
            kind="datamovement",
            text=READER,
            defines=(f"KERNEL_COMPILE_TIME_ARGS={each}",),
            name=each,
        )
        for each in words
    ]
    seen: list[str] = []
    monkeypatch.setattr(kernel_check, "_kept", lambda kernel: tmp_path / str(kernels.index(kernel)))
    monkeypatch.setattr(
        kernel_batches, "complaint", lambda *arguments: seen.append(arguments[2]) or complaint(*arguments)
    )
    assert check_all(kernels) == [None] * 3
    assert len(seen) == 1 and all(f"TensorAccessorArgs<{start}>" in seen[0] for start in (0, 2, 14))


def test_a_changed_prelude_is_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_compiler, "cache_folder", lambda: tmp_path)
    for text in ("int before;\n", "int after;\n"):
        assert kernel_compiler._written.__wrapped__(text).read_text() == text
