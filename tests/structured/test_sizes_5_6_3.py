"""Sizes of sub-blocks (seed 002, sections 5.6.3 and 5.6.4): they cover the extent, stay within capacity, and are MLIR's own."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from ttl.passes.structured.sizes import continuous_tile_sizes, multitile_sizes

OPT = shutil.which("mlir-opt-19")
FORM = """#map = affine_map<(d0) -> (d0)>
module attributes {{transform.with_named_sequence}} {{
{functions}
transform.named_sequence @__transform_main(%m: !transform.any_op {{transform.readonly}}) {{
{steps}
  transform.yield
}}
}}
"""
FUNCTION = """func.func @f{extent}(%a: memref<{extent}xf32>, %b: memref<{extent}xf32>) {{
  linalg.generic {{indexing_maps=[#map,#map], iterator_types=["parallel"]}}
    ins(%a: memref<{extent}xf32>) outs(%b: memref<{extent}xf32>) attrs = {{n{extent}}} {{
    ^bb0(%x: f32, %y: f32): linalg.yield %x : f32 }}
  return
}}"""
MATCH = """  %g{at} = transform.structured.match ops{{["linalg.generic"]}} attributes {{n{extent}}} in %m
    : (!transform.any_op) -> !transform.any_op
"""
PRINT = '  transform.debug.emit_param_as_remark %{name}{at}, "{name}{at}" : !transform.param<i64>\n'


def said(extents: set[int], steps: list[str]) -> dict[str, list[int]]:
    """What mlir-opt's own transform interpreter computes, by the name of the parameter."""
    functions = "\n".join(FUNCTION.format(extent=extent) for extent in sorted(extents))
    text = FORM.format(functions=functions, steps="".join(steps))
    assert OPT is not None
    run = subprocess.run(
        [OPT, "--transform-interpreter"], input=text, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    found = re.findall(r"remark: (\w+) (.+)", run.stderr)
    return {name: [int(number) for number in re.findall(r"(\d+) : i64", numbers)] for name, numbers in found}


@pytest.mark.parametrize("divisor", [1, 2, 3, 4])
def test_5_6_3_two_sizes_cover_every_extent_within_the_target(divisor: int) -> None:
    for extent in range(divisor, 65, divisor):
        for target in range(divisor, 33):
            sizes = multitile_sizes(extent, target, divisor)
            low, high, low_count, high_count = sizes
            assert low * low_count + high * high_count == extent
            assert 0 < low <= high <= target
            assert low % divisor == high % divisor == 0
            assert low_count + high_count == -(-(extent // divisor) // (target // divisor)), "the fewest"
            assert sizes.split_point == low * low_count


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ((0, 4), "the extent is at least 1, not 0"),
        ((4, 0), "the target size is at least 1, not 0"),
        ((4, 4, 0), "the divisor is at least 1, not 0"),
        ((9, 4, 2), "sub-blocks of multiples of 2 do not cover 9: it is not a multiple"),
        ((8, 3, 4), "no multiple of 4 is at most the target size 3"),
    ],
)
def test_5_6_3_where_there_are_no_sizes_the_reason_is_said(given: tuple[int, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        multitile_sizes(*given)


def test_5_6_3_continuous_sizes_cover_every_extent() -> None:
    for extent in range(1, 65):
        for target in range(1, 65):
            chunks = continuous_tile_sizes(extent, target)
            assert sum(chunk.chunk for chunk in chunks) == extent
            sizes = [chunk.size for chunk in chunks]
            assert sizes == sorted(set(sizes), reverse=True)
            assert max(sizes) <= target
    assert [chunk.size for chunk in continuous_tile_sizes(25, 9)] == [9, 4, 2, 1]
    with pytest.raises(ValueError, match="the target size is at least 1, not 0"):
        continuous_tile_sizes(4, 0)


@pytest.mark.skipif(OPT is None, reason="mlir-opt-19 is not installed")
def test_5_6_3_multitile_sizes_are_those_of_mlir() -> None:
    cases = [
        (extent, target, divisor)
        for extent in range(1, 65, 3)
        for divisor in (1, 2, 4)
        for target in (4, 8, 12, 16)
        if extent % divisor == 0
    ]
    steps = []
    for at, (extent, target, divisor) in enumerate(cases):
        steps.append(MATCH.format(at=at, extent=extent))
        steps.append(
            f"  %l{at}, %h{at}, %s{at} = transform.structured.multitile_sizes %g{at} {{ target_size = {target}, "
            f"dimension = 0, divisor = {divisor} }} : (!transform.any_op) -> !transform.param<i64>\n"
        )
        steps += [PRINT.format(name=name, at=at) for name in "lhs"]
    found = said({extent for extent, _, _ in cases}, steps)
    for at, case in enumerate(cases):
        sizes = multitile_sizes(*case)
        assert found[f"l{at}"] == [sizes.low], case
        assert found[f"s{at}"] == [sizes.split_point], case
        if sizes.high_count:
            assert found[f"h{at}"] == [sizes.high], case


@pytest.mark.skipif(OPT is None, reason="mlir-opt-19 is not installed")
def test_5_6_3_continuous_sizes_are_those_of_mlir() -> None:
    cases = [(extent, target) for extent in range(1, 65, 4) for target in (1, 2, 3, 7, 8, 9, 16, 40)]
    steps = []
    for at, (extent, target) in enumerate(cases):
        steps.append(MATCH.format(at=at, extent=extent))
        steps.append(
            f"  %t{at}, %c{at} = transform.structured.continuous_tile_sizes %g{at} {{ dimension = 0, "
            f"target_size = {target} }} : (!transform.any_op) -> !transform.param<i64>\n"
        )
        steps += [PRINT.format(name=name, at=at) for name in "tc"]
    found = said({extent for extent, _ in cases}, steps)
    for at, (extent, target) in enumerate(cases):
        chunks = continuous_tile_sizes(extent, target)
        theirs = [*zip(found[f"t{at}"], found[f"c{at}"], strict=True)]
        assert [pair for pair in theirs if pair[1]] == [(c.size, c.chunk) for c in chunks], (extent, target)
