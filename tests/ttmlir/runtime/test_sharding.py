"""How shards of results make one tensor: where it is said, they make what one chip computes of the whole operands."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from tt_model.runtime import sharding
from tt_model.runtime.distribution import (
    NOT_KNOWN,
    MeshShards,
    Replicate,
    ShardAlong,
    ShardGrid,
    Strategy,
    cut,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """An operation of whole tensors of these shapes, and the rule that is proved."""

    function: Callable[..., Any]
    follows: sharding.Follows
    shapes: tuple[tuple[int, ...], ...]


RULES = {
    "add": Rule(torch.add, sharding.elementwise, ((4, 6), (4, 6))),
    "add a row": Rule(torch.add, sharding.elementwise, ((4, 6), (6,))),
    "add a column": Rule(torch.add, sharding.elementwise, ((2, 4, 6), (4, 1))),
    "add a row of two": Rule(torch.add, sharding.elementwise, ((2, 6), (1, 6))),
    "outer": Rule(torch.add, sharding.elementwise, ((4, 1), (1, 6))),
    "exp": Rule(torch.exp, sharding.same, ((4, 6),)),
    "softmax": Rule(lambda x: torch.softmax(x, -1), sharding.within([-1]), ((4, 6),)),
    "sum, kept": Rule(lambda x: x.sum(1, keepdim=True), sharding.within([1]), ((4, 6, 2),)),
    "sum": Rule(lambda x: x.sum(1), sharding.reduced([1]), ((4, 6, 2),)),
    "sum of two": Rule(lambda x: x.sum((0, -1)), sharding.reduced([0, -1]), ((4, 6, 2),)),
    "transpose": Rule(lambda x: x.transpose(0, -1), sharding.swapped(0, -1), ((4, 6, 2),)),
    "concat": Rule(lambda x, y: torch.cat([x, y], 0), sharding.concatenated(0), ((4, 6), (2, 6))),
    "concat, last": Rule(lambda x, y: torch.cat([x, y], -1), sharding.concatenated(-1), ((4, 6), (4, 2))),
    "slice": Rule(lambda x: x[:, 1:5], sharding.kept(lambda dim: dim != 1), ((4, 6),)),
    "matmul": Rule(torch.matmul, sharding.product, ((4, 6), (6, 8))),
    "matmul of many": Rule(torch.matmul, sharding.product, ((2, 4, 6), (2, 6, 8))),
    "matmul of many by one": Rule(torch.matmul, sharding.product, ((2, 4, 6), (6, 8))),
    "matmul of one by many": Rule(torch.matmul, sharding.product, ((4, 6), (2, 6, 8))),
    "matmul, repeated": Rule(torch.matmul, sharding.product, ((2, 1, 4, 6), (1, 2, 6, 8))),
    "embedding": Rule(lambda i, t: torch.nn.functional.embedding(i.long().abs() % 2, t), sharding.looked_up, ((2, 4), (4, 6))),
}  # fmt: skip


def strategies(shape: Sequence[int]) -> Iterator[Strategy]:
    yield Replicate()
    yield from (ShardAlong(dim) for dim, extent in enumerate(shape) if extent % 2 == 0)
    if len(shape) > 1:
        yield from (
            ShardGrid(*mesh) for mesh in ((1, 2), (2, 1)) if shape[-2] % mesh[0] == shape[-1] % mesh[1] == 0
        )


def on_four(shape: Sequence[int]) -> Iterator[Strategy]:
    """Each axis of a mesh of 2x2 cuts a dimension, or none."""
    dims = [None, *(dim for dim, extent in enumerate(shape) if extent % 2 == 0)]
    for rows, columns in itertools.product(dims, repeat=2):
        if rows is None or rows != columns or shape[rows] % 4 == 0:
            yield ShardGrid(2, 2, (rows, columns))


def proved(rule: Rule, whole: Sequence[Any], chosen: Sequence[Strategy], chips: int = 2) -> bool:
    """Whether the rule knows what the shards make; it must be right then."""
    held = [cut(tensor, strategy, chips, "x") for tensor, strategy in zip(whole, chosen, strict=True)]
    parts = [
        [one.parts[chip] if isinstance(one, MeshShards) else one for one in held] for chip in range(chips)
    ]
    try:
        results = [rule.function(*own) for own in parts]
    except RuntimeError:
        return False
    shapes, out = [tuple(one.shape) for one in parts[0]], tuple(results[0].shape)
    strategy = sharding.followed(rule.follows, list(chosen), shapes, out, chips)
    if strategy is None or (isinstance(strategy, ShardGrid) and NOT_KNOWN in strategy.dims):
        return False
    assert torch.allclose(MeshShards(tuple(results), strategy).whole(), rule.function(*whole)), (
        chosen,
        strategy,
    )
    return True


@pytest.mark.parametrize("name", RULES)
def test_shards_make_what_one_chip_computes(name: str) -> None:
    rule = RULES[name]
    generator = torch.Generator().manual_seed(0)
    whole = [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in rule.shapes]
    known = [
        proved(rule, whole, chosen)
        for chosen in itertools.product(*(list(strategies(shape)) for shape in rule.shapes))
        if any(not isinstance(one, Replicate) for one in chosen)
    ]
    assert any(known)


@pytest.mark.parametrize("name", RULES)
def test_axes_of_a_mesh_cut_for_themselves(name: str) -> None:
    rule = RULES[name]
    generator = torch.Generator().manual_seed(1)
    # Twice as large, so that a dimension can be cut by both.
    shapes = [tuple(2 * extent if extent > 1 else 1 for extent in shape) for shape in rule.shapes]
    if name == "slice":
        shapes = [(8, 6)]
    whole = [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]
    known = [
        any(None not in own.dims for own in chosen if isinstance(own, ShardGrid))
        for chosen in itertools.product(*(list(on_four(shape)) for shape in shapes))
        if proved(rule, whole, chosen, 4)
    ]
    assert any(known)


@pytest.mark.parametrize(
    ("shape", "out"),
    [((4, 6), (24,)), ((4, 6), (2, 2, 6)), ((1, 4, 6), (4, 6)), ((4, 6), (1, 1, 4, 6)), ((4, 6), (3, 8)), ((4, 6, 2), (4, 12))],
)  # fmt: skip
def test_other_shapes(shape: tuple[int, ...], out: tuple[int, ...]) -> None:
    whole = torch.arange(48 if len(shape) == 3 and shape[-1] == 2 else 24).reshape(shape)
    for strategy in strategies(shape):
        held = cut(whole, strategy, 2, "x")
        if not isinstance(held, MeshShards) or not isinstance(strategy, ShardAlong):
            continue
        # The shape of one chip: half of the result along one of its dimensions.
        for dim, extent in enumerate(out):
            part = (*out[:dim], extent // 2, *out[dim + 1 :])
            if extent % 2:
                continue
            followed = sharding.reshaped([strategy], [tuple(held.parts[0].shape)], part)
            if followed == ShardAlong(dim):
                joined = MeshShards(tuple(one.reshape(part) for one in held.parts), followed).whole()
                assert torch.equal(joined, whole.reshape(out))


def test_what_is_not_known_stays_so() -> None:
    rows, shape = ShardAlong(0), (2, 6)
    assert sharding.elementwise([rows, None], [shape, shape], shape) is None
    assert sharding.elementwise([rows, ShardAlong(1)], [shape, shape], shape) is None
    assert sharding.product([ShardAlong(1), ShardAlong(0)], [(4, 3), (3, 8)], (4, 8)) is None
    assert sharding.product([rows, Replicate()], [(6,), (6, 8)], (8,)) is None
    assert sharding.within([0])([rows], [shape], (1, 6)) is None
    assert sharding.images([rows, Replicate()], [(2, 4, 4, 3), (8, 3, 3, 3)], (1, 1, 32, 8)) == ShardAlong(2)
    assert sharding.images([rows, ShardAlong(0)], [(2, 4, 4, 3), (8, 3, 3, 3)], (1, 1, 32, 8)) is None
