"""Elementwise operations and changes of layout from TTIR through TTMetal on the emulated chip, of one dimension to five.

Extents are whole tiles and odd ones, types in rows and in tiles, on one core and on several. NumPy says what is right.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from support.metal_binaries import metal_binary, run_binary
from support.random_programs.ttir.metal_modules import layout_text
from support.shares import share
from tt_model.layouts.linear import collapsed_map

Shape = tuple[int, ...]
SHAPES: tuple[Shape, ...] = (
    (7,), (32,), (100,), (1, 1), (5, 33), (64, 96), (33, 1), (2, 3, 40), (3, 32, 32), (1, 2, 31, 7), (2, 2, 32, 32),
    (2, 1, 3, 4, 33), (2, 1, 1, 32, 32),
)  # fmt: skip
OPERATIONS: dict[str, Callable[..., Any]] = {
    "exp": np.exp, "abs": np.abs, "neg": np.negative, "add": np.add, "multiply": np.multiply, "maximum": np.maximum,
    "subtract": np.subtract, "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "sqrt": np.sqrt,
}  # fmt: skip
TILES = "#tt.operand_constraint<dram|l1|tile|any_device_tile>"
ANY = "#tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>"
GRIDS = ((1, 1), (1, 2), (2, 1), (3, 2))


def type_of(shape: Shape, dtype: str, layout: str = "") -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{dtype}{', ' + layout if layout else ''}>"


def run(text: str, *inputs: Any) -> Any:
    (output,) = run_binary(metal_binary(text), inputs, golden=False).outputs
    return output.float().numpy()


def check_operation(name: str, shape: Shape, dtype: str, constraint: str) -> None:
    """The chip computes in 16 bits: a result is off by the rounding of operands, and of itself."""
    function, type = OPERATIONS[name], type_of(shape, dtype)
    count = getattr(function, "nin", 1)
    names = [f"%a{number}" for number in range(count)]
    text = (
        f"func.func @forward({', '.join(f'{one}: {type}' for one in names)}) -> {type} {{\n  %e = tensor.empty() : {type}\n"
        f'  %r = "ttir.{name}"({", ".join([*names, "%e"])}) <{{operandSegmentSizes = array<i32: {count}, 1>, '
        f"operand_constraints = [{', '.join([constraint] * (count + 1))}]}}> : ({', '.join([type] * (count + 1))}) -> {type}\n"
        f"  return %r : {type}\n}}\n"
    )
    drawn = np.random.default_rng(len(text))
    low = 0.1 if name == "sqrt" else -2.0
    inputs = [drawn.uniform(low, 2, shape).astype(np.float32) for _ in names]
    np.testing.assert_allclose(run(text, *inputs), function(*inputs), rtol=0.02, atol=0.02, err_msg=text)


def check_layout(shape: Shape, dtype: str, one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    """A tensor that arrives in a layout leaves in another. What passes a compute core is rounded to 16 bits."""
    layouts = [
        layout_text(shape, dtype, grid, tiled=tiled, space=space) for grid, tiled, space in (one, other)
    ]
    source, target = (type_of(shape, dtype, layout) for layout in layouts)
    text = (
        f"func.func @forward(%a: {source}) -> {target} {{\n  %e = tensor.empty() : {target}\n"
        f'  %0 = "ttir.to_layout"(%a, %e) : ({source}, {target}) -> {target}\n  return %0 : {target}\n}}\n'
    )
    values = np.random.default_rng(len(text)).uniform(-4, 4, shape).astype(np.float32)
    np.testing.assert_allclose(run(text, values), values, rtol=0.01, err_msg=text)


def operations() -> Iterator[tuple[str, Shape, str, str]]:
    """Each shape once for each operation, with types and constraints in turn."""
    kinds = list(product(("f32", "bf16"), (TILES, ANY)))
    for at, (name, shape) in enumerate(product(OPERATIONS, SHAPES)):
        yield name, shape, *kinds[(at + at // len(kinds)) % len(kinds)]


def layouts() -> Iterator[tuple[Shape, str, tuple[Any, ...], tuple[Any, ...]]]:
    """Rows and tiles to rows and tiles, each shape on some grids; in DRAM there is one core."""
    choice = random.Random(1)
    for shape, tiled, to_tiled in product(SHAPES, (False, True), (False, True)):
        for grid in choice.sample(GRIDS, 2):
            spaces = [choice.choice(("l1", "dram")) if grid == (1, 1) else "l1" for _ in range(2)]
            to_grid = choice.choice((grid, (1, 1)))
            yield (
                shape,
                choice.choice(("f32", "bf16")),
                (grid, tiled, spaces[0]),
                (to_grid, to_tiled, spaces[1]),
            )


def parts(cases: list[Any], size: int) -> list[list[Any]]:
    """Cases in an order that has all kinds in each part."""
    count = -(-len(cases) // size)
    return [cases[first::count] for first in range(count)]


@pytest.mark.parametrize("cases", share(parts(list(operations()), 9), 1), ids=lambda cases: str(len(cases)))
def test_an_operation_is_numpys(cases: Any) -> None:
    for case in cases:
        check_operation(*case)


@pytest.mark.parametrize("cases", share(parts(list(layouts()), 8), 1), ids=lambda cases: str(len(cases)))
def test_a_tensor_is_the_same_in_another_layout(cases: Any) -> None:
    for case in cases:
        check_layout(*case)


def test_a_kernel_has_more_numbers_than_it_can_be_given() -> None:
    """Each row comes in two parts from two cores: 960 numbers, and a kernel can be given 341."""
    check_layout((96, 64), "f32", ((1, 2), False, "l1"), ((1, 1), False, "l1"))


@pytest.mark.parametrize("shape", [(2, 3, 40), (2, 2, 32, 32), (2, 1, 3, 4, 33)])
def test_a_map_is_the_one_that_its_text_is_read_as(shape: Shape) -> None:
    from tt_model.operations.dialects import DIALECTS
    from ttl.ir.context import make_context
    from ttl.ir.parser import parse_text

    type = type_of(shape, "f32", layout_text(shape, "f32", (1, 1), tiled=False))
    module = parse_text(make_context(DIALECTS), f"func.func private @f({type})\n", "model.mlir")
    (function,) = module.body.ops
    (read,) = function.function_type.inputs  # type: ignore[attr-defined]
    assert read.encoding.data.linear == collapsed_map(shape, 2)
