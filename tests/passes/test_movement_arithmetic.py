"""The arithmetic behind transfers: pages of slices, formulas for nets, what nodes have in common.

``lit/copies.mlir`` shows the loops over pages, ``lit/pipes.mlir`` the formulas of nets and the nodes that take part.
"""

from __future__ import annotations

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


class Run(Interpreter):
    """What the operations of a block compute from its arguments, and what those that mean nothing are given."""

    def __init__(self, block: Block, *numbers: int) -> None:
        super().__init__()
        self.values.update(zip(block.args, numbers, strict=True))
        self.seen: list[tuple[int, ...]] = []
        for op in block.ops:
            self.run(op)

    def other(self, op: Operation) -> None:
        assert isinstance(op, tests_of_xdsl.TestOp)
        self.seen += [tuple(self.given(op))] if op.operands else []

    def number(self, value: Number) -> int:
        return value if isinstance(value, int) else self.values[value]


def built(count: int) -> tuple[Block, Building]:
    """A block with arguments, and where to build in it."""
    block, place = Block(arg_types=[IndexType()] * count), tests_of_xdsl.TestOp()
    Region(block)
    block.add_op(place)
    return block, Building(block=block, place=place)


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
    block, build = built(rank + 1)
    *places, address = block.args
    loops = axes(sizes, strides)
    assert len(loops) <= sum(size > 1 for size in sizes)

    def transfer(at: Building, page: Number, where: SSAValue) -> None:
        at.add(tests_of_xdsl.TestOp([at.value(page), where]))

    for_each_page(build, first_page(build, places, strides), loops, address, 16, transfer)
    assert Run(block, *starts, 1000).seen == [
        (page, 1000 + 16 * index) for index, page in enumerate(expected)
    ]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_table_of_a_net_is_found_by_formula_or_comparison(data: st.DataObject) -> None:
    """Of nodes, their pipes, and, on a mesh, of chips and the destinations there."""
    columns, rows = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    chips = data.draw(st.sampled_from([1, 1, 2, 5]))
    places = product(*map(range, (columns, rows, 3, chips, 1 if chips == 1 else 2)))
    keys = data.draw(st.sets(st.sampled_from(list(places)), min_size=1))
    formulas = [
        None,
        lambda key: key[0] + 3,
        lambda key: (key[1] + 1) % rows,
        lambda key: (key[3] + 1) % chips,
    ]
    formula = data.draw(st.sampled_from(formulas))
    table = {key: data.draw(st.integers(0, 9)) if formula is None else formula(key) for key in sorted(keys)}
    block, build = built(5)
    found = value_at(build, Here(*block.args), table, (chips, columns, rows))
    assert {key: Run(block, *key).number(found) for key in table} == table
    assert formula is None or len(block.ops) <= 6


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_whether_a_node_is_one_of_several(data: st.DataObject) -> None:
    extents = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4), st.sampled_from([1, 1, 3])))
    every = list(product(*map(range, extents)))
    nodes = data.draw(st.sets(st.sampled_from(every)))
    block, build = built(3)
    found = is_among(build, [lambda value=value: value for value in block.args], nodes, extents)
    assert {node for node in every if found is None or Run(block, *node).number(found)} == nodes


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_what_divides_a_value_whatever_it_is(data: st.DataObject) -> None:
    block, build = built(2)
    a, b = block.args
    value: Number = a
    for _ in range(data.draw(st.integers(0, 4))):
        other: Number = data.draw(st.sampled_from([b, a, 4, 6, 8]))
        value = build.product(value, other) if data.draw(st.booleans()) else build.sum(value, other)
    divisor = multiple_of(value)
    for numbers in product(range(4), repeat=2):
        number = Run(block, *numbers).number(value)
        assert number == 0 if divisor == 0 else number % divisor == 0
