"""Views: where reshapes, transposes and slices leave an element, with NumPy as the judge."""

from __future__ import annotations

import random
from math import prod

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, f32
from xdsl.dialects.tensor import EmptyOp

from tt_model.operations.dialects import build
from tt_model.operations.emission import constraints_of_tiles
from tt_model.operations.operation import TTIROperation
from ttmlir.outlining.views import ElementPlace, View, after, along, before, is_plain, reshaped


def movement(
    name: str, operand: tuple[int, ...], result: tuple[int, ...], **attributes: object
) -> TTIROperation:
    values = [EmptyOp([], TensorType(f32, shape)).tensor for shape in (operand, result)]
    op = build(
        f"ttir.{name}",
        [[values[0]], [values[1]]],
        [values[1].type],
        {**attributes, "operand_constraints": constraints_of_tiles(2)},
    )
    assert isinstance(op, TTIROperation)
    return op


def random_movement(rng: random.Random, shape: tuple[int, ...]) -> tuple[TTIROperation, tuple[int, ...]]:
    """A movement of a tensor of that shape, and the shape of its result."""
    kind = rng.choice(["transpose", "reshape", "slice", "unsqueeze", "squeeze"])
    if kind == "transpose" and len(shape) > 1:
        one, two = rng.sample(range(len(shape)), 2)
        result = list(shape)
        result[one], result[two] = result[two], result[one]
        return movement("transpose", shape, tuple(result), dim0=one - len(shape), dim1=two), tuple(result)
    if kind == "slice":
        begins = [rng.randrange(extent) for extent in shape]
        steps = [rng.choice([1, 1, 2, -1]) for _ in shape]
        ends = [
            rng.randint(begin + 1, extent) if step > 0 else -extent - 1
            for begin, extent, step in zip(begins, shape, steps, strict=True)
        ]
        result = np.empty(shape)[
            tuple(slice(*bounds) for bounds in zip(begins, ends, steps, strict=True))
        ].shape
        return movement("slice", shape, result, begins=begins, ends=ends, step=steps), result
    if kind == "squeeze" and 1 in shape:
        dim = shape.index(1)
        result = (*shape[:dim], *shape[dim + 1 :])
        if result:
            return movement("squeeze", shape, result, dim=dim), result
    if kind == "unsqueeze":
        dim = rng.randint(0, len(shape))
        result = (*shape[:dim], 1, *shape[dim:])
        return movement("unsqueeze", shape, result, dim=dim), result
    count, result = prod(shape), []
    while count > 1 and len(result) < 4 and rng.random() < 0.7:
        result.append(rng.choice([extent for extent in range(1, count + 1) if count % extent == 0]))
        count //= result[-1]
    result = (*result, count)
    return movement("reshape", shape, result, shape=list(result)), result


def moved(op: TTIROperation, array: np.ndarray, result: tuple[int, ...]) -> np.ndarray:
    """What NumPy makes of an array."""
    if op.name == "ttir.transpose":
        return np.swapaxes(array, op.dim0, op.dim1)  # type: ignore[attr-defined]
    if op.name == "ttir.slice":
        bounds = zip(op.begins, op.ends, op.step, strict=True)  # type: ignore[attr-defined]
        return array[tuple(slice(*each) for each in bounds)]
    return array.reshape(result)


def positions(view: View, extents: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    axes = np.ogrid[tuple(slice(extent) for extent in extents)]
    return tuple(
        place.offset
        + sum((stride * axes[axis] for axis, stride in place.terms), np.zeros((1,) * len(extents), int))
        for place in view
    )


@pytest.mark.parametrize("first", range(0, 600, 200))
def test_an_element_is_where_numpy_finds_it(first: int) -> None:
    """Through up to five movements: back from the last result, and forward from the first operand."""
    behind = 0
    for seed in range(first, first + 200):
        rng = random.Random(seed)
        shapes = [tuple(rng.choice([1, 2, 3, 4, 6]) for _ in range(rng.randint(1, 4)))]
        ops = []
        for _ in range(rng.randint(1, 5)):
            op, result = random_movement(rng, shapes[-1])
            ops.append(op)
            shapes.append(result)
        arrays = [np.arange(prod(shapes[0])).reshape(shapes[0])]
        for op, shape in zip(ops, shapes[1:], strict=True):
            arrays.append(moved(op, arrays[-1], shape))
        view: View | None = tuple(along(axis, extent) for axis, extent in enumerate(shapes[-1]))
        for op, operand, result in zip(reversed(ops), shapes[-2::-1], shapes[:0:-1], strict=True):
            view = before(op, view, operand, result, shapes[-1])
            if view is None:
                break
        else:
            behind += 1
            found = np.broadcast_to(arrays[0][positions(view, shapes[-1])], shapes[-1])
            np.testing.assert_array_equal(found, arrays[-1], err_msg=str(seed))
        view = tuple(along(axis, extent) for axis, extent in enumerate(shapes[0]))
        for op, operand, result in zip(ops, shapes, shapes[1:], strict=False):
            view = after(op, view, operand, result, shapes[0])
            if view is None:
                break
        else:
            found = np.broadcast_to(arrays[-1][positions(view, shapes[0])], shapes[0])
            np.testing.assert_array_equal(found, arrays[0], err_msg=str(seed))
    assert behind > 100


def test_an_axis_is_not_split() -> None:
    extents = (6,)
    assert reshaped((along(0, 6),), (6,), (2, 3), extents) is None
    assert reshaped((along(0, 6),), (6,), (1, 6, 1), extents) == (ElementPlace(), along(0, 6), ElementPlace())


def test_what_is_plain() -> None:
    extents = (4, 6)
    assert is_plain((along(1, 6), ElementPlace()), (6, 1), extents)
    assert not is_plain((along(1, 6),), (8,), extents)
    assert not is_plain((ElementPlace(1, ((1, 1),)),), (6,), extents)
    assert not is_plain((along(0, 4), along(0, 4)), (4, 4), extents)
