"""Sequences: their text, judged by MLIR's own tool; what their steps do; and the two ways in which they fail."""

from __future__ import annotations

import shutil
import subprocess
from io import StringIO
from pathlib import Path

import pytest

from ttl.opt.main import TTL_OPT
from ttl.passes.contracts import contract_of
from ttl.passes.pipeline import pipeline
from ttl.transform.dialect import STEPS, TransformStep
from ttl.transform.sequences import module_of, passes_as_steps, read

MLIR_OPT = shutil.which("mlir-opt-19") or shutil.which("mlir-opt")
LOOPS = """
func.func @f(%m: memref<8xf32>, %v: f32) {
  affine.for %i = 0 to 8 {
    memref.store %v, %m[%i] : memref<8xf32>
  }
  return
}
"""
GENERIC = """
func.func @f(%a: memref<16x12xf32>, %b: memref<16x12xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<16x12xf32>) outs(%b : memref<16x12xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}
"""
ANY = "!transform.any_op"
UPSTREAM = """
%0 = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
%low, %high, %at = transform.structured.multitile_sizes %0 {target_size = 9, dimension = 0, divisor = 1} : (!transform.any_op) -> !transform.any_op
%n, %chunks = transform.structured.continuous_tile_sizes %0 {dimension = 0, target_size = 9} : (!transform.any_op) -> !transform.param<i64>
%lo, %hi = transform.structured.split %0 after %at {dimension = 0} : !transform.any_op, !transform.any_op
%t, %l, %k = transform.structured.tile_using_for %lo tile_sizes [%low, 2] interchange = [1, 0] : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
transform.loop.unroll %k {factor = 2} : !transform.any_op
%c = transform.loop.coalesce %l : (!transform.any_op) -> !transform.any_op
%p = transform.param.constant 4 : i64 -> !transform.param<i64>
%m = transform.merge_handles deduplicate %lo, %hi : !transform.any_op
%one, %two = transform.split_handle %m : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
%f = transform.get_parent_op %one {op_name = "func.func"} : (!transform.any_op) -> !transform.any_op
%g = transform.cast %f : !transform.any_op to !transform.op<"func.func">
%h = transform.foreach %m : !transform.any_op -> !transform.any_op {
^bb0(%x: !transform.any_op):
  transform.debug.emit_remark_at %x, "here" : !transform.any_op
  transform.yield %x : !transform.any_op
}
%s = transform.alternatives %f : !transform.any_op -> !transform.any_op {
^bb0(%x: !transform.any_op):
  transform.yield %x : !transform.any_op
}, {
^bb0(%x: !transform.any_op):
  transform.yield %x : !transform.any_op
}
transform.annotate %m "seen" : !transform.any_op
transform.affine.simplify_bounded_affine_ops %s with [%m : !transform.any_op] within [0] and [20] : !transform.any_op
transform.sequence %s : !transform.any_op failures(suppress) {
^bb0(%x: !transform.any_op):
  transform.apply_cse to %x : !transform.any_op
}
%r = transform.apply_registered_pass "canonicalize" to %s {options = "max-iterations=3"} : (!transform.any_op) -> !transform.any_op
"""


def sequence(*lines: str) -> str:
    return module_of({"__transform_main": [line for text in lines for line in text.strip().split("\n")]})


def run(payload: str, steps: str, *more: str) -> tuple[int, str, str]:
    """What ``ttl-opt`` makes of a payload with a sequence behind it: exit code, output, messages."""
    text = sequence(steps).replace(
        "{transform.with_named_sequence} {", "{transform.with_named_sequence} {" + payload, 1
    )
    out, err = StringIO(), StringIO()
    code = TTL_OPT.run(["-", "--transform-interpreter", *more], StringIO(text), out, err)
    return code, out.getvalue(), err.getvalue()


def payload_of(text: str) -> str:
    """What stands before the sequences."""
    return text.partition("  transform.named_sequence")[0]


def by_mlir(text: str) -> str:
    assert MLIR_OPT is not None
    done = subprocess.run([MLIR_OPT], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(MLIR_OPT is None, reason="needs mlir-opt")
def test_section_10_4_sequences_of_upstream_steps_are_mlirs_text() -> None:
    from ttl.ir.printer import print_module

    text = sequence(UPSTREAM)
    assert by_mlir(print_module(read(text, "a.mlir"))) == by_mlir(text)


@pytest.mark.skipif(MLIR_OPT is None, reason="needs mlir-opt")
def test_section_10_4_the_default_order_is_a_sequence_that_mlir_reads() -> None:
    assert by_mlir(sequence(*passes_as_steps(pipeline()))).count("apply_registered_pass") == len(pipeline())


def test_the_default_order_keeps_every_contract() -> None:
    facts = set()
    for one in pipeline():
        contract = contract_of(one)
        assert contract is not None, one.name
        assert contract.violation(facts) is None, one.name
        facts |= set(contract.gives)


@pytest.mark.parametrize("step", [step for step in STEPS if step.name != "transform.yield"])
def test_every_step_has_a_docstring_and_an_effect(step: type[TransformStep]) -> None:
    from ttl.transform.running import EFFECTS

    assert step.__doc__
    assert step in EFFECTS


def test_section_10_4_loops_are_unrolled() -> None:
    code, out, err = run(
        LOOPS,
        f"""
        %0 = transform.structured.match ops{{["affine.for"]}} in %root : ({ANY}) -> {ANY}
        transform.loop.unroll %0 {{factor = 4}} : {ANY}
        """,
    )
    assert code == 0, err
    assert out.count("memref.store") == 4 and "step 4" in out


def test_section_10_4_loops_are_tiled() -> None:
    code, out, err = run(
        LOOPS,
        f"""
        %0 = transform.structured.match ops{{["affine.for"]}} in %root : ({ANY}) -> {ANY}
        %1 = transform.loop.tile %0 tile_sizes=[4] : ({ANY}) -> {ANY}
        """,
    )
    assert code == 0, err
    assert payload_of(out).count("affine.for") == 2


def test_tiled_loops_are_named_in_the_order_of_the_loops() -> None:
    second = LOOPS.replace(
        "  return", "  affine.for %j = 0 to 20 {\n    memref.store %v, %m[%j] : memref<8xf32>\n  }\n  return"
    )
    _, _, err = run(
        second,
        f"""
        %0 = transform.structured.match ops{{["affine.for"]}} in %root : ({ANY}) -> {ANY}
        %1 = transform.loop.tile %0 tile_sizes=[4] : ({ANY}) -> {ANY}
        %first, %last = transform.split_handle %1 : ({ANY}) -> ({ANY}, {ANY})
        transform.print %first : {ANY}
        """,
    )
    assert "to 8 step 4" in err and "to 20" not in err, err


def test_section_10_4_affine_operations_are_simplified_by_bounds_of_loops() -> None:
    payload = """
    func.func @f(%m: memref<8xf32>, %v: f32) {
      affine.for %i = 0 to 8 {
        %j = affine.min affine_map<(d0) -> (d0, 20)>(%i)
        memref.store %v, %m[%j] : memref<8xf32>
      }
      return
    }
    """
    code, out, err = run(payload, f"transform.affine.simplify_min_max_affine_ops %root : {ANY}")
    assert code == 0, err
    assert "20" not in payload_of(out)


def test_section_5_6_3_structured_operations_are_split_and_tiled() -> None:
    """With the sizes that ``multitile_sizes`` gives: 16 in parts of at most 9 is twice 8."""
    code, out, err = run(
        GENERIC,
        f"""
        %0 = transform.structured.match ops{{["linalg.generic"]}} in %root : ({ANY}) -> {ANY}
        %low, %high, %at = transform.structured.multitile_sizes %0 {{target_size = 9, dimension = 0, divisor = 1}} : ({ANY}) -> ({ANY}, {ANY}, {ANY})
        %a, %b = transform.structured.split %0 after 4 {{dimension = 1}} : {ANY}
        %t, %l = transform.structured.tile_using_for %a [%low, 0] : ({ANY}, {ANY}) -> ({ANY}, {ANY})
        """,
    )
    assert code == 0, err
    assert payload_of(out).count("linalg.generic") == 2
    assert "memref<8x4xf32, strided<[12, 1], offset: ?>>" in out
    if MLIR_OPT is not None:
        by_mlir(payload_of(out) + "}\n")


def test_alternatives_do_the_first_that_does_not_fail_and_leave_no_trace_of_others() -> None:
    code, out, err = run(
        LOOPS,
        f"""
        %f = transform.structured.match ops{{["func.func"]}} in %root : ({ANY}) -> {ANY}
        %r = transform.alternatives %f : {ANY} -> {ANY} {{
        ^bb0(%x: {ANY}):
          %0 = transform.structured.match ops{{["affine.for"]}} in %x : ({ANY}) -> {ANY}
          transform.loop.unroll %0 {{factor = 2}} : {ANY}
          %1 = transform.get_parent_op %0 {{op_name = "no.such"}} : ({ANY}) -> {ANY}
          transform.yield %x : {ANY}
        }}, {{
        ^bb0(%y: {ANY}):
          transform.annotate %y "second" : {ANY}
          transform.yield %y : {ANY}
        }}
        """,
    )
    # The handle to the loop was used up by unrolling: that is wrong in any alternative.
    assert code == 1 and "invalidated by transform.loop.unroll" in err
    code, out, err = run(
        LOOPS,
        f"""
        %f = transform.structured.match ops{{["func.func"]}} in %root : ({ANY}) -> {ANY}
        %r = transform.alternatives %f : {ANY} -> {ANY} {{
        ^bb0(%x: {ANY}):
          %0 = transform.structured.match ops{{["affine.for"]}} in %x : ({ANY}) -> {ANY}
          transform.annotate %0 "first" : {ANY}
          %1 = transform.get_parent_op %0 {{op_name = "no.such"}} : ({ANY}) -> {ANY}
          transform.yield %x : {ANY}
        }}, {{
        ^bb0(%y: {ANY}):
          transform.annotate %y "second" : {ANY}
          transform.yield %y : {ANY}
        }}
        """,
    )
    assert code == 0, err
    assert payload_of(out).count("func.func @f") == 1
    assert "second" in payload_of(out) and "first" not in payload_of(out)


def test_failures_that_are_suppressed_end_the_sequence_and_no_more() -> None:
    inner = f"""
        transform.sequence %root : {ANY} failures(MODE) {{
        ^bb0(%x: {ANY}):
          %1 = transform.get_parent_op %x {{op_name = "no.such"}} : ({ANY}) -> {ANY}
        }}
        """
    assert run(LOOPS, inner.replace("MODE", "suppress"))[0] == 0
    code, _, err = run(LOOPS, inner.replace("MODE", "propagate"))
    assert code == 1 and "could not find a parent op no.such" in err


def test_failures_are_at_the_line_of_the_sequence_with_the_line_of_the_payload() -> None:
    code, _, err = run(
        LOOPS,
        f"""
        %0 = transform.structured.match ops{{["affine.for"]}} in %root : ({ANY}) -> {ANY}
        %1 = transform.get_parent_op %0 {{op_name = "scf.if"}} : ({ANY}) -> {ANY}
        """,
    )
    assert code == 1
    assert "error: could not find a parent op scf.if" in err
    assert "note: when applied to this op" in err


def test_definite_failures_cannot_be_silenced() -> None:
    code, _, err = run(
        LOOPS,
        f"""
        transform.sequence %root : {ANY} failures(suppress) {{
        ^bb0(%x: {ANY}):
          %1 = transform.apply_registered_pass "no-such-pass" to %x : ({ANY}) -> {ANY}
        }}
        """,
    )
    assert code == 1 and "unknown pass no-such-pass" in err


def test_named_sequences_are_included() -> None:
    helper = f"""
    transform.named_sequence @twice(%loops: {ANY} {{transform.consumed}}, %n: !transform.param<i64>) {{
      transform.loop.unroll %loops {{factor = 2}} : {ANY}
      transform.yield
    }}
    """
    code, out, err = run(
        LOOPS + helper,
        f"""
        %0 = transform.structured.match ops{{["affine.for"]}} in %root : ({ANY}) -> {ANY}
        %n = transform.num_associations %0 : ({ANY}) -> !transform.param<i64>
        transform.include @twice failures(propagate) (%0, %n) : ({ANY}, !transform.param<i64>) -> ()
        """,
    )
    assert code == 0, err
    assert out.count("memref.store") == 2


def test_a_file_has_the_sequence(tmp_path: Path) -> None:
    file = tmp_path / "unroll.mlir"
    file.write_text(
        sequence(
            f'%0 = transform.structured.match ops{{["affine.for"]}} in %root : ({ANY}) -> {ANY}',
            f"transform.loop.unroll %0 {{factor = 8}} : {ANY}",
        ),
        encoding="utf-8",
    )
    out, err = StringIO(), StringIO()
    code = TTL_OPT.run(["-", f"--transform-interpreter=schedule={file}"], StringIO(LOOPS), out, err)
    assert code == 0, err.getvalue()
    assert "affine.for" not in payload_of(out.getvalue())
