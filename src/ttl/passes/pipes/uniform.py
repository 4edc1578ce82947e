"""Whether nodes do the same: every turn of every loop and every branch around what kernels wait for."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from xdsl.dialects import affine, arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import inside
from ttl.dialects import ttl as dialect
from ttl.dialects.pipes import IfPipeOp
from ttl.dialects.queries import NodeLinearOp, NodeOp
from ttl.passes.movement.nodes import device_grid
from ttl.passes.pipes.net import Net, Node
from ttl.protocol.grid import Grid, coordinate

_WAITS = (
    dialect.AcquireOp,
    dialect.ReleaseOp,
    dialect.SemaphoreWaitOp,
    dialect.SemaphoreSetOp,
    dialect.SemaphoreIncOp,
    IfPipeOp,
)
_COMPARISONS = (
    lambda left, right: left == right,
    lambda left, right: left != right,
    lambda left, right: left < right,
    lambda left, right: left <= right,
    lambda left, right: left > right,
    lambda left, right: left >= right,
)


def nodes_do_the_same(
    operation: dialect.OperationOp, nodes: Collection[Node], nets: dict[SSAValue, Net]
) -> bool:
    """Whether these nodes acquire, release and reach pipes in one and the same order."""
    checked: set[Operation] = set()
    for kernel in operation.kernels:
        for op in inside(kernel):
            if not isinstance(op, _WAITS):
                continue
            for control in _around(op, kernel):
                if control in checked:
                    continue
                checked.add(control)
                if not _same(control, nodes, nets, operation.grid.extents):
                    return False
    return True


def _around(op: Operation, kernel: Operation) -> Iterator[Operation]:
    at = op.parent_op()
    while at is not None and at is not kernel:
        yield at
        at = at.parent_op()


def _same(control: Operation, nodes: Collection[Node], nets: dict[SSAValue, Net], grid: Grid) -> bool:
    match control:
        case scf.IfOp():
            return _one_value(control.cond, nodes, nets, grid)
        case scf.ForOp():
            return all(_one_value(each, nodes, nets, grid) for each in (control.lb, control.ub, control.step))
        case affine.ForOp():
            return len(control.operands) == len(control.inits)
        case IfPipeOp():
            net = nets[control.net]
            role = net.sent if isinstance(control, dialect.IfPipeSrcOp) else net.received
            return len({len(role.get(node, ())) for node in nodes}) == 1
    return False


def _one_value(value: SSAValue, nodes: Collection[Node], nets: dict[SSAValue, Net], grid: Grid) -> bool:
    if not _differs(value):
        return True
    found = {_evaluate(value, node, nets, grid) for node in nodes}
    return len(found) == 1 and None not in found


def _differs(value: SSAValue) -> bool:
    """Whether a value may be another one on another node."""
    if isinstance(value, BlockArgument):
        loop = value.owner.parent_op()
        return not (isinstance(loop, scf.ForOp | affine.ForOp) and value.index == 0)
    op = value.owner
    assert isinstance(op, Operation)
    if isinstance(op, NodeOp | NodeLinearOp | dialect.IsPipeSrcOp | dialect.IsPipeDstOp) or op.regions:
        return True
    return any(_differs(operand) for operand in op.operands)


def _evaluate(value: SSAValue, node: Node, nets: dict[SSAValue, Net], grid: Grid) -> int | None:
    known = integer_of(value)
    if known is not None:
        return known
    op = value.owner
    if not isinstance(op, Operation):
        return None
    index = node[0] * device_grid(grid)[1] + node[1]
    match op:
        case NodeOp():
            return coordinate(index, grid, op.dims)[list(op.results).index(value)]  # type: ignore[arg-type]
        case NodeLinearOp():
            return index
        case dialect.IsPipeSrcOp():
            return int(node in nets[op.net].sent)
        case dialect.IsPipeDstOp():
            return int(node in nets[op.net].received)
    operands = [_evaluate(operand, node, nets, grid) for operand in op.operands]
    if None in operands:
        return None
    numbers = [each for each in operands if each is not None]
    return _result(op, numbers)


def _result(op: Operation, numbers: list[int]) -> int | None:
    match op:
        case arith.AddiOp():
            return numbers[0] + numbers[1]
        case arith.SubiOp():
            return numbers[0] - numbers[1]
        case arith.MuliOp():
            return numbers[0] * numbers[1]
        case arith.FloorDivSIOp() if numbers[1]:
            return numbers[0] // numbers[1]
        case arith.CmpiOp() if op.predicate.value.data < len(_COMPARISONS):
            return int(_COMPARISONS[op.predicate.value.data](numbers[0], numbers[1]))
        case arith.AndIOp():
            return numbers[0] & numbers[1]
        case arith.OrIOp():
            return numbers[0] | numbers[1]
        case arith.XOrIOp():
            return numbers[0] ^ numbers[1]
        case arith.MinSIOp():
            return min(numbers)
        case arith.MaxSIOp():
            return max(numbers)
        case arith.SelectOp():
            return numbers[1] if numbers[0] else numbers[2]
        case dialect.LookupOp() if 0 <= numbers[0] < len(op.members):
            return op.members[numbers[0]]
    return None
