"""How many blocks a kernel acquires in all, as sums of products of the extents that are not given."""

from __future__ import annotations

from xdsl.dialects import affine, scf
from xdsl.ir import Block, Operation, Region

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.loops import bound
from ttl.analysis.polynomials import Linear, Values, derived, linear
from ttl.check.network.resources import Resources
from ttl.dialects import ttl as dialect

Key = tuple[str, int]
"""``reserve`` or ``wait``, and the number of a buffer."""
Counts = dict[Key, Linear | None]
"""None where the number is not known."""
_ONE = Linear.constant(1)


def counts_of(region: Region, resources: Resources) -> Counts:
    """Blocks that are acquired in a region, by way and buffer."""
    counts: Counts = {}
    for block in region.blocks:
        for op in block.ops:
            for key, more in _of_op(op, resources).items():
                so_far = counts.get(key, Linear({}))
                counts[key] = None if more is None or so_far is None else so_far + more
    return counts


def _of_op(op: Operation, resources: Resources) -> Counts:
    match op:
        case dialect.AcquireOp():
            buffer = resources.buffer(op.dfb)
            if buffer is None:
                return {}
            return {("reserve" if isinstance(op, dialect.DfbReserveOp) else "wait", buffer): _ONE}
        case scf.ForOp() | affine.ForOp():
            return _of_loop(op, resources)
        case scf.IfOp():
            return _of_branch(op, resources)
        case _:
            # While loops and condition functions: how often they run is another question.
            return {key: None for region in op.regions for key in counts_of(region, resources)}


def _of_loop(op: scf.ForOp | affine.ForOp, resources: Resources) -> Counts:
    block = op.body.blocks[0]
    inner = counts_of(op.body, resources)
    turns = _turns(op) if inner else None
    if turns is None:
        return dict.fromkeys(inner)
    varying = _values_of(block)
    return {
        key: None if each is None or not varying.isdisjoint(each.atoms) else turns * each
        for key, each in inner.items()
    }


def _values_of(block: Block) -> frozenset[object]:
    """The atoms that loop variables and carried values of a loop are."""
    return frozenset(atom for argument in block.args for atom in linear(argument).atoms)


def _turns(op: scf.ForOp | affine.ForOp) -> Linear | None:
    """How often a loop runs, if it runs."""
    if isinstance(op, affine.ForOp):
        bounds = [bound(each) for each in (op.lowerBoundMap, op.upperBoundMap)]
        if bounds[0] is None or bounds[1] is None:
            return None
        lower, upper, step = Linear.constant(bounds[0]), Linear.constant(bounds[1]), op.step.value.data
    else:
        lower, upper, width = linear(op.lb), linear(op.ub), linear(op.step).number
        if width is None:
            return None
        step = width
    if step <= 0:
        return None
    distance = upper - lower
    if step > 1:
        distance = derived(
            "//", lambda a, b: a // b, distance + Linear.constant(step - 1), Linear.constant(step)
        )
    number = distance.number
    return distance if number is None else Linear.constant(max(0, number))


def _of_branch(op: scf.IfOp, resources: Resources) -> Counts:
    then, otherwise = counts_of(op.true_region, resources), counts_of(op.false_region, resources)
    condition = integer_of(op.cond)
    if condition is not None:
        return then if condition else otherwise
    nothing = Linear({})
    return {
        key: one if (one := then.get(key, nothing)) == otherwise.get(key, nothing) else None
        for key in {**then, **otherwise}
    }


def total(form: Linear, values: Values) -> int:
    """The number for some extents; loops do not run a negative number of times."""
    return max(0, form.at(values))
