"""Indices of the IR: at every node and iteration, and as sums of products."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region

from support.memory_ir import Program, tensor, tiles
from ttl.analysis.points import points
from ttl.analysis.polynomials import polynomial
from ttl.analysis.scalars import Slots, compile_scalar
from ttl.dialects import ttl as dialect


def marked(p: Program) -> dialect.SignpostOp:
    """An operation at the place that is being built."""
    made: dialect.SignpostOp = p.emit(dialect.SignpostOp("here", edge="begin"))
    return made


def test_every_node_and_iteration_is_a_point() -> None:
    p = Program((2, 3))
    with p.kernel("read"), p.loop("m", 1, 4) as m:
        value = p.plus(p.times(m, 10), p.node[1])
        here = marked(p)
    p.built()
    found = points(here)
    assert found is not None
    expected = [10 * m + y for _ in range(2) for y in range(3) for m in range(1, 4)]
    assert found.value(value).tolist() == expected
    assert found.nodes.tolist() == [node for node in range(6) for _ in range(3)]
    assert found.when(4) == "when m is 2 on node (0, 1)"


def test_bounds_may_depend_on_nodes_and_outer_loops() -> None:
    p = Program((3, 1))
    with p.kernel("read"), p.loop("m", 0, p.node[0]) as m, p.loop("n", m, p.node[0]) as n:
        here = marked(p)
    p.built()
    found = points(here)
    assert found is not None
    expected = [(x, m, n) for x in range(3) for m in range(x) for n in range(m, x)]
    assert list(zip(found.nodes.tolist(), found.value(m), found.value(n), strict=True)) == expected


def test_conditions_select_points_and_loops_without_interest_count_once() -> None:
    p = Program((4, 1))
    with p.kernel("read"), p.loop("m", 0, 1000), p.loop("k", 0, 1000), p.where("sge", p.node[0], 2):
        here = marked(p)
    p.built()
    assert points(here) is None, "more than the budget"
    found = points(here, of=[p.node[0]])
    assert found is not None
    assert found.value(p.node[0]).tolist() == [2, 3]


def test_a_loop_that_never_runs_has_no_points() -> None:
    p = Program((2, 1))
    with p.kernel("read"), p.loop("m", 3, 3):
        here = marked(p)
    p.built()
    found = points(here, of=[])
    assert found is not None
    assert found.size == 0


def test_the_body_of_a_condition_function_runs_once_for_each_pipe() -> None:
    p = Program((3, 1))
    net = p.net(((1, 0), (0, 0)), ((2, 0), (0, 0)), ((0, 0), ((1, 3), 0)))
    with p.kernel("read"), p.if_pipe(net, "dst") as pipe:
        source = p.emit(dialect.PipeCoordinateOp(pipe, of="src", axis=0)).result
        here = marked(p)
    p.built()
    found = points(here)
    assert found is not None
    assert found.nodes.tolist() == [0, 0, 1, 2]
    assert found.value(source).tolist() == [1, 2, 0, 0]


def test_a_value_that_a_loop_carries_is_known_where_each_turn_adds_the_same() -> None:
    p = Program((1, 1))
    with p.kernel("read"):
        first, end, step = p.index(0), p.index(4), p.index(1)
        block = Block(arg_types=[IndexType(), IndexType()])
        with p.inside(block):
            here = marked(p)
            p.emit(scf.YieldOp(p.plus(block.args[1], 3)))
        p.emit(scf.ForOp(first, end, step, [p.index(5)], Region([block])))
    p.built()
    found = points(here)
    assert found is not None
    assert found.value(block.args[1]).tolist() == [5, 8, 11, 14]


@pytest.mark.parametrize(
    ("kind", "python"),
    [
        (arith.FloorDivSIOp, lambda a, b: a // b),
        (arith.CeilDivSIOp, lambda a, b: -(-a // b)),
        (arith.DivSIOp, lambda a, b: int(a / b)),
        (arith.RemSIOp, lambda a, b: a - int(a / b) * b),
        (arith.MinSIOp, min),
        (arith.MaxSIOp, max),
    ],
)
def test_arithmetic_is_that_of_the_dialect_for_numbers_and_for_arrays(kind: type, python: object) -> None:
    p = Program((1, 1))
    with p.kernel("read"), p.loop("a", -7, 8) as a, p.loop("b", 1, 4) as b:
        value = p.emit(kind(a, b)).result
        here = marked(p)
    p.built()
    found = points(here)
    assert found is not None
    expected = [python(i, j) for i in range(-7, 8) for j in range(1, 4)]  # type: ignore[operator]
    assert found.value(value).tolist() == expected
    slots = Slots((1, 1))
    one, other = slots.of(a), slots.of(b)
    scalar = compile_scalar(value, slots)
    assert scalar is not None
    assert scalar.slots == {one, other}
    for position, (i, j) in enumerate((i, j) for i in range(-7, 8) for j in range(1, 4)):
        environment = slots.environment()
        environment[one], environment[other] = i, j
        assert scalar.evaluate(environment) == expected[position]


def test_a_symbolic_extent_is_no_number() -> None:
    p = Program((1, 1), a=tensor(-1, 64))
    rows = p.emit(dialect.DimOp(p.accessors["a"], 0)).result
    columns = p.emit(dialect.DimOp(p.accessors["a"], 1)).result
    p.built()
    slots = Slots((1, 1))
    assert compile_scalar(rows, slots) is None
    columns_scalar = compile_scalar(columns, slots)
    assert columns_scalar is not None
    assert columns_scalar.constant == 64


def test_sums_of_products_that_are_equal_look_equal() -> None:
    p = Program((1, 1), a=tensor(-1, -1))
    rows, columns = (p.emit(dialect.DimOp(p.accessors["a"], axis)).result for axis in (0, 1))
    one = p.plus(p.times(p.plus(rows, 1), columns), -5)
    other = p.plus(p.plus(columns, -5), p.times(columns, rows))
    quotient = p.emit(arith.FloorDivSIOp(p.times(rows, 32), p.index(32))).result
    p.built()
    assert polynomial(one) == polynomial(other)
    assert polynomial(quotient) == polynomial(rows)
    assert (polynomial(one) - polynomial(other)).number == 0
    assert str(polynomial(one)) == "a.shape[0]*a.shape[1] + a.shape[1] - 5"
    values = {atom: {"a.shape[0]": 2, "a.shape[1]": 7}[atom.name] for atom in polynomial(one).indeterminates}
    assert polynomial(one).at(values) == 16


def test_what_was_compiled_is_kept_for_the_next_question() -> None:
    p = Program((8, 8))
    dfb = p.buffer("a_dfb", tiles(1, 1))
    with p.kernel("read"), p.loop("m", 0, 4) as m:
        first = marked(p)
        value = p.plus(m, p.node[0])
        p.emit(dialect.DfbReserveOp(dfb))
        second = marked(p)
    p.built()
    slots = Slots((8, 8))
    one, other = points(first, slots=slots), points(second, slots=slots)
    assert one is not None
    assert other is not None
    assert (one.value(value) == other.value(value)).all()


def test_a_conditional_expression_is_known_where_both_sides_are() -> None:
    p = Program((4, 1))
    condition = p.emit(arith.CmpiOp(p.node[0], p.index(2), "slt")).result
    ways = []
    for number in (3, 5):
        block = Block()
        with p.inside(block):
            p.emit(scf.YieldOp(p.index(number)))
        ways.append(Region([block]))
    chosen = p.emit(scf.IfOp(condition, [IndexType()], *ways)).results[0]
    with p.kernel("read"), p.loop("m", 0, chosen) as m:
        here = marked(p)
    p.built()
    found = points(here)
    assert found is not None
    assert found.value(m).tolist() == [*range(3), *range(3), *range(5), *range(5)]
