"""Schedules of operations: the compiler's own given back, edited, and those of the language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import ttnn

import ttl
from support.scheduled_kernels import KERNELS, Made, tensor
from ttl.analysis.dominance import walked
from ttl.codegen.compile import compile_module
from ttl.codegen.compiled_calls import compile_call
from ttl.codegen.scheduled import schedule_text
from ttl.diag import ProgramError
from ttl.dialects import ttl as ir
from ttl.frontend.live import lower_call
from ttl.host.access import array_of
from ttl.lang.schedule import OperationSchedule
from ttl.passes.pipeline import pipeline
from ttl.settings import override
from ttl.transform.sequences import module_of, passes_as_steps

OPTIONAL = {
    "ttl-canonicalize", "ttl-choose-lanes", "ttl-narrow", "ttl-hand-over", "ttkernel-canonicalize",
    "ttkernel-merge-barriers", "ttkernel-join-waits", "ttkernel-late-waits",
}  # fmt: skip


def sources(made: Made) -> dict[str, str]:
    """The kernels of a call, by file."""
    operation, arguments = made
    description, _ = compile_call(operation, tuple(arguments), {})
    return {kernel.name: kernel.source for kernel in description.kernels}


def refusal(made: Made, schedule: str) -> str:
    """What the compiler says of a schedule that it does not take."""
    with override(schedule=schedule), pytest.raises(ProgramError) as raised:
        sources(made)
    return str(raised.value)


@pytest.mark.parametrize("name", ["matmul", "row_sums", "spread"])
def test_the_printed_schedule_given_back_makes_the_same_kernels(name: str, tmp_path: Path) -> None:
    operation, arguments = KERNELS[name]()
    with override() as chosen:
        compiled = compile_module(lower_call(operation, tuple(arguments), {}).module, chosen)
    file = tmp_path / "schedule.mlir"
    file.write_text(schedule_text(compiled.programs, compiled.passes, compiled.schedules), encoding="utf-8")
    expected = sources((operation, arguments))
    with override(schedule=str(file)):
        assert sources((operation, arguments)) == expected


@pytest.mark.parametrize("left_out", [one.name for one in pipeline()])
def test_a_pass_can_be_left_out_where_no_other_needs_it(left_out: str) -> None:
    operation, arguments = KERNELS["matmul"]()
    chain = f'without("{left_out}")'
    if left_out not in OPTIONAL:
        assert "TTL146" in refusal((operation, arguments), chain)
        return
    with override(target="emu", compare=True, schedule=chain, verify_each=True):
        operation(*arguments)


@pytest.mark.parametrize("at", range(len(pipeline()) - 1))
def test_neighbours_change_places_or_are_refused(at: int, tmp_path: Path) -> None:
    passes = list(pipeline())
    passes[at : at + 2] = reversed(passes[at : at + 2])
    file = tmp_path / "schedule.mlir"
    file.write_text(module_of({"__transform_main": passes_as_steps(passes)}), encoding="utf-8")
    operation, arguments = KERNELS["scaled_sums"]()
    try:
        with override(target="emu", compare=True, schedule=str(file), verify_each=True):
            operation(*arguments)
    except ProgramError as refused:
        assert "[TTL1464]" in str(refused)


def test_a_schedule_is_a_value() -> None:
    operation, _ = KERNELS["multiply"]()
    schedule = operation.schedule()
    longer = schedule.double_buffer("a").unroll("n", 4).prefetch("b")
    assert str(schedule) == "" and longer.steps[:1] == schedule.double_buffer("a").steps
    assert str(longer) == 'double_buffer("a").unroll("n", 4).prefetch("b", 2)'
    other = operation.with_schedule(longer)
    assert other.schedule() == longer and operation.schedule() == OperationSchedule()
    assert operation.with_schedule(str(longer)).schedule() == longer


def test_a_scheduled_operation_computes_the_same_and_is_compiled_so() -> None:
    operation, (a, b, y) = KERNELS["multiply"]()
    other = operation.with_schedule(operation.schedule().double_buffer("a").unroll("n", 2).prefetch("b", 2))
    operation(a, b, y)
    expected = array_of(y).copy()
    for target in ("sim", "emu"):
        again = tensor(1, 8)
        with override(target=target, compare=target == "emu"):
            other(a, b, again)
        assert (array_of(again) == expected).all()
    assert sources((other, [a, b, y])) != sources((operation, [a, b, y]))


def test_a_loop_over_k_is_split() -> None:
    operation, arguments = KERNELS["matmul"]()
    operation(*arguments)
    expected = array_of(arguments[-1]).copy()
    split = operation.with_schedule(operation.schedule().split_k(2))
    before, after = sources((operation, arguments)), sources((split, arguments))
    assert before != after
    with override(target="emu", compare=True, verify_each=True):
        split(*arguments)
    assert (array_of(arguments[-1]) == expected).all()


@pytest.mark.parametrize("parts", [2, 4])
def test_a_product_of_several_rows_is_split(parts: int) -> None:
    """Blocks side by side: what the chip pushes is compared in the order of the program's blocks."""

    @ttl.operation(grid=(1, 1))
    def operation(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(2, 4))
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(4, 2))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(2, 2))

        @ttl.datamovement()
        def read() -> None:
            for k in range(2):
                with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                    ttl.copy(a[0:2, k * 4 : k * 4 + 4], a_blk).wait()
                    ttl.copy(b[k * 4 : k * 4 + 4, 0:2], b_blk).wait()

        @ttl.compute()
        def compute() -> None:
            for _ in range(2):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(ttl.math.relu(a_blk @ b_blk))

        @ttl.datamovement()
        def write() -> None:
            for k in range(2):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[k * 2 : k * 2 + 2, 0:2]).wait()

    arguments = [tensor(2, 8, 3), tensor(8, 2, 4), tensor(4, 2)]
    operation(*arguments)
    expected = array_of(arguments[-1]).copy()
    with override(target="emu", compare=True, verify_each=True):
        operation.with_schedule(operation.schedule().split_k(parts))(*arguments)
    assert (array_of(arguments[-1]) == expected).all()


@pytest.mark.parametrize(
    ("kernel", "parts", "why"),
    [
        ("matmul", 1, "a product already has 1 part"),
        ("matmul", 3, "a block of a_dfb has 2 tiles along the inner dimension, which 3 does not divide"),
        ("multiply", 2, "the operation has no product of blocks"),
    ],
)
def test_a_loop_over_k_that_cannot_be_split(kernel: str, parts: int, why: str) -> None:
    assert why in refusal(KERNELS[kernel](), f"split_k({parts})")


def cycles(made: Made, schedule: str) -> int:
    """What a call takes on the emulated chip."""
    from ttl.emu.launch import run

    with override(schedule=schedule):
        description, tensors = compile_call(made[0], tuple(made[1]), {})
        return run(description, tensors).cycles


def test_section_10_4_prefetching_small_blocks_saves_cycles() -> None:
    made = KERNELS["multiply"]()
    assert cycles(made, 'prefetch("a", 4)') < 0.8 * cycles(made, "pipeline('conservative')")


def test_section_10_4_buffer_factors_are_visible() -> None:
    made = KERNELS["relu"]()
    with override(schedule='buffer("x", 3)'):
        (read, *_) = sources(made).values()
    assert "x_dfb: 6 pages" in read
    with override(schedule="pipeline('conservative')"):
        (read, *_) = sources(KERNELS["once"]()).values()
    assert "x_dfb: 4 pages" in read  # one block goes through it


def test_a_smaller_buffer_is_refused_where_a_kernel_may_wait_for_ever() -> None:
    assert "with 1 a kernel may wait forever: 6 blocks go through it" in refusal(
        KERNELS["relu"](), 'buffer("x", 1)'
    )


def test_a_prefetch_is_refused_where_the_loop_does_more() -> None:
    assert "y_dfb is not filled from a tensor" in refusal(KERNELS["relu"](), 'prefetch("y")')
    assert "there is no buffer z; there are: x_dfb and y_dfb" in refusal(KERNELS["relu"](), 'prefetch("z")')


def test_section_10_4_the_plan_s_example_runs(tmp_path: Path) -> None:
    """With its older names, and with what it calls the lowering."""
    file = tmp_path / "plan.mlir"
    file.write_text(
        """
        transform.sequence failures(propagate) {
        ^bb0(%root: !transform.any_op):
          %kernel = transform.structured.match ops{["ttl.kernel"]} in %root
          %cbs = transform.structured.match ops{["ttl.create_cb"]} in %kernel
          %opt_cbs = transform.ttl.optimize_buffer_factor %cbs
          %sched_kernel = transform.ttl.schedule_pipeline %kernel {strategy = "aggressive"}
          %low = transform.apply_registered_pass "ttl-lower-to-ttkernel" to %sched_kernel
          %coalesced = transform.ttl.coalesce_dma %low
        }
        """,
        encoding="utf-8",
    )
    operation, arguments = KERNELS["multiply"]()
    with override(target="emu", compare=True, schedule=str(file)):
        operation(*arguments)


def test_section_10_4_registers_are_allocated_where_there_are_regions(tmp_path: Path) -> None:
    """And a sub-block is chosen by tiling the region."""
    passes = [one.name for one in pipeline()]
    at = passes.index("ttl-assign-dst")
    before = passes_as_steps(pipeline()[:at])
    steps = [
        *before,
        f"%d = transform.ttl.allocate_dst_registers %p{at - 1}",
        "%t = transform.structured.tile_using_for %d [3]",
        f'%k = transform.apply_registered_pass "ttl-lower-to-ttkernel" to %p{at - 1}',
    ]
    file = tmp_path / "regions.mlir"
    file.write_text(module_of({"__transform_main": steps}), encoding="utf-8")
    operation, arguments = KERNELS["exponential"]()
    with override(target="emu", compare=True, schedule=str(file)):
        operation(*arguments)
    early = ["%d = transform.ttl.allocate_dst_registers %root", *steps[:1]]
    file.write_text(module_of({"__transform_main": early}), encoding="utf-8")
    said = refusal((operation, arguments), str(file))
    assert "ttl-assign-dst cannot run here: it requires that what is computed together is one region" in said


def test_a_schedule_for_another_chip_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.mlir"
    file.write_text(module_of({"__transform_main": passes_as_steps(pipeline())}), encoding="utf-8")
    operation, arguments = KERNELS["once"]()
    with (
        override(arch="blackhole", schedule=str(file)),
        pytest.raises(ProgramError, match="is for the chip wormhole"),
    ):
        compile_call(operation, tuple(arguments), {})


def test_a_schedule_that_ends_early_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "early.mlir"
    file.write_text(module_of({"__transform_main": passes_as_steps(pipeline()[:5])}), encoding="utf-8")
    assert "ends before the operation is lowered to kernels" in refusal(KERNELS["once"](), str(file))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prefetch(a)", "names in quotes and whole numbers"),
        ("hurry()", "there is no step hurry"),
        ('unroll("n")', "unroll needs factor"),
        ('unroll("n", 0)', "a whole number from 1 to 65536"),
    ],
)
def test_chains_that_are_none_are_refused(text: str, said: str) -> None:
    assert said in refusal(KERNELS["once"](), text)


def test_wrong_steps_are_errors_at_the_call() -> None:
    operation, _ = KERNELS["once"]()
    with pytest.raises(ttl.ProgramError, match="blocks of buffer is a whole number"):
        operation.schedule().buffer("x", "two")  # type: ignore[arg-type]


def test_a_program_that_is_only_read_has_its_schedule(tmp_path: Path) -> None:
    from ttl.cli.main import main

    program = tmp_path / "scheduled.py"
    text = (Path(__file__).parent.parent.parent / "examples" / "tutorial_1_one_tile.py").read_text(
        encoding="utf-8"
    )
    assert "multiply_add(" in text
    begin = text.rindex("multiply_add(")
    called = 'multiply_add.with_schedule(multiply_add.schedule().prefetch("a_dfb", 4))('
    program.write_text(text[:begin] + called + text[begin + len("multiply_add(") :], encoding="utf-8")
    output = tmp_path / "out.mlir"
    assert main(["compile", str(program), "--print-schedule", "-o", str(output)]) == 0
    assert "transform.ttl.insert_prefetch %b0 {distance = 4}" in output.read_text(encoding="utf-8")


def test_a_step_that_changes_results_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that does what no step may: it reads every tile from where the one before it is."""
    from ttl.transform import dialect, running

    def wrong(own: object, payload: Any, step: Any) -> None:
        for op in walked(payload.root):
            if isinstance(op, ir.BlockReadOp):
                first = next(item for item in op.parent.ops if isinstance(item, ir.BlockReadOp))
                op.result.replace_all_uses_with(first.result)
        payload.name(step.results[0], [])

    monkeypatch.setitem(running.EFFECTS, dialect.REORDER_FOR_LOCALITY, wrong)  # type: ignore[arg-type]
    operation, arguments = KERNELS["multiply"]()
    with (
        override(target="emu", compare=True, schedule='buffer("a", 3).reorder().prefetch("b")'),
        pytest.raises(ProgramError, match=r"that changes results is transform\.ttl\.reorder_for_locality"),
    ):
        operation(*arguments)
