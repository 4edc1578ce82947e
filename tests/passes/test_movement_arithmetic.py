"""The arithmetic behind transfers: pages of slices, formulas for nets, what nodes have in common."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import test as tests_of_xdsl
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.analysis.interpreter import Interpreter
from ttl.passes.building import Building, Number
from ttl.passes.movement.pages_of_slice import axes, first_page, for_each_page, multiple_of
from ttl.passes.pipes.fitting import Here, is_among, value_at


def values_of(block: Block, inputs: dict[SSAValue, int]) -> dict[SSAValue, int]:
    """What the operations of a block without control flow compute."""
    return _Watched(inputs, block).values


class _Watched(Interpreter):
    """Runs a block, and keeps what operations that mean nothing are given."""

    def __init__(self, inputs: Mapping[SSAValue, int], block: Block) -> None:
        super().__init__()
        self.values.update(inputs)
        self.seen: list[tuple[int, ...]] = []
        for op in block.ops:
            self.run(op)

    def other(self, op: Operation) -> None:
        assert isinstance(op, tests_of_xdsl.TestOp)
        self.seen += [tuple(self.given(op))] if op.operands else []


def built(count: int) -> tuple[Block, Building, tuple[SSAValue, ...]]:
    """A block with arguments, and where to build in it."""
    block = Block(arg_types=[IndexType()] * count)
    place = tests_of_xdsl.TestOp()
    Region(block)
    block.add_op(place)
    return block, Building(block=block, place=place), tuple(block.args)


def known(value: Number, values: dict[SSAValue, int]) -> int:
    return value if isinstance(value, int) else values[value]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_loops_visit_the_pages_of_a_slice_in_order(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 4))
    extents = [data.draw(st.integers(1, 4)) for _ in range(rank)]
    sizes = [data.draw(st.integers(1, extent)) for extent in extents]
    starts = [data.draw(st.integers(0, extent - size)) for extent, size in zip(extents, sizes, strict=True)]
    strides = [prod(extents[axis + 1 :]) for axis in range(rank)]
    expected = [
        sum((start + step) * stride for start, step, stride in zip(starts, steps, strides, strict=True))
        for steps in product(*map(range, sizes))
    ]
    block, build, arguments = built(rank + 1)
    values = dict(zip(arguments, [*starts, 1000], strict=True))
    loops = axes(sizes, strides)
    assert len(loops) <= sum(size > 1 for size in sizes)
    first = first_page(build, arguments[:-1], strides)

    def transfer(at: Building, page: Number, where: SSAValue) -> None:
        at.add(tests_of_xdsl.TestOp([at.value(page), where]))

    for_each_page(build, first, loops, arguments[-1], 16, transfer)
    assert _Watched(values, block).seen == [(page, 1000 + 16 * index) for index, page in enumerate(expected)]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_table_of_a_net_is_found_by_formula_or_comparison(data: st.DataObject) -> None:
    """Of nodes, their pipes, and, on a mesh, of chips and the destinations there."""
    columns, rows = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    chips = data.draw(st.sampled_from([1, 1, 2, 5]))
    extents = (columns, rows, 3, chips, 1 if chips == 1 else 2)
    every = st.tuples(*(st.integers(0, extent - 1) for extent in extents))
    keys = sorted(data.draw(st.sets(every, min_size=1)))
    shape = data.draw(st.sampled_from(["any", "column", "wrapped", "ring of chips"]))
    table = {}
    for key in keys:
        match shape:
            case "any":
                table[key] = data.draw(st.integers(0, 9))
            case "column":
                table[key] = key[0] + 3
            case "ring of chips":
                table[key] = (key[3] + 1) % chips
            case _:
                table[key] = (key[1] + 1) % rows
    block, build, arguments = built(5)
    found = value_at(build, Here(*arguments), table, (chips, columns, rows))
    for key, expected in table.items():
        assert known(found, values_of(block, dict(zip(arguments, key, strict=True)))) == expected
    if shape != "any":
        assert len(list(block.ops)) <= 6


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_whether_a_node_is_one_of_several(data: st.DataObject) -> None:
    extents = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4), st.sampled_from([1, 1, 3])))
    every = set(product(*map(range, extents)))
    nodes = data.draw(st.sets(st.sampled_from(sorted(every))))
    block, build, asked = built(3)
    found = is_among(build, [lambda value=value: value for value in asked], nodes, extents)
    for node in every:
        values = values_of(block, dict(zip(asked, node, strict=True)))
        assert (True if found is None else bool(values[found])) == (node in nodes)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_what_divides_a_value_whatever_it_is(data: st.DataObject) -> None:
    block, build, (a, b) = built(2)
    value: Number = a
    for _ in range(data.draw(st.integers(0, 4))):
        other: Number = data.draw(st.sampled_from([b, a, 4, 6, 8]))
        value = build.product(value, other) if data.draw(st.booleans()) else build.sum(value, other)
    divisor = multiple_of(value)
    for first, second in product(range(4), repeat=2):
        number = known(value, values_of(block, {a: first, b: second}))
        assert number == 0 if divisor == 0 else number % divisor == 0
