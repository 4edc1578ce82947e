"""The tree of regions: order and dominance as the list of all operations has them."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Region

from support.random_programs.control_flow import RandomFlow
from ttl.analysis.dominance import ancestor_in, ancestors, comes_before, inside, is_available, precedes


def test_order_is_that_of_the_program() -> None:
    for seed in range(6):
        module = ModuleOp(Region([RandomFlow(seed).block]))
        ops = inside(module)
        assert ops == list(module.walk())[1:]
        position = {op: index for index, op in enumerate(ops)}
        for one in ops:
            assert list(ancestors(one))[-1] is module
            for other in ops[:: max(1, len(ops) // 12)]:
                around = {*ancestors(one)} & {*ancestors(other)}
                nearest = next(op for op in ancestors(one) if op in around)
                if nearest in (one, other) or isinstance(nearest, scf.IfOp):
                    continue  # nested, or on two ways of which one is taken
                assert precedes(one, other) is (position[one] < position[other])
                if one.parent is other.parent:
                    assert comes_before(one, other) is precedes(one, other)


def test_a_value_dominates_what_is_behind_it_and_what_is_nested_in_that() -> None:
    for seed in range(6):
        module = ModuleOp(Region([RandomFlow(seed).block]))
        for op in inside(module):
            for operand in op.operands:
                assert is_available(operand, op)
            for result in op.results:
                assert not is_available(result, op)
                assert op.parent is not None and ancestor_in(op, op.parent) is op
