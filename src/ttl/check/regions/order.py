"""Which kernels on which nodes have an influence on the order of each other's accesses.

Kernels of a node that share dataflow buffers wait for each other, and so do the ends of a pipe and whoever uses the
same semaphore, if anyone waits for that. What is joined in this way counts as ordered, whatever the order is: only accesses between which there
is no communication at all are certain to be in no order.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np
from xdsl.ir import OpResult, SSAValue

from ttl.analysis.dominance import inside
from ttl.analysis.pipe_ends import pipe_ends
from ttl.check.regions.boxes import Integers
from ttl.dialects import ttl as dialect


def components(operation: dialect.OperationOp) -> Integers:
    """Number of the component of each kernel on each node, an array (kernels, nodes)."""
    grid = operation.grid.extents
    kernels, nodes = operation.kernels, prod(grid)
    parent = list(range(len(kernels) * nodes))

    def root(vertex: int) -> int:
        while parent[vertex] != vertex:
            parent[vertex] = parent[parent[vertex]]
            vertex = parent[vertex]
        return vertex

    def join(vertices: Iterable[int]) -> None:
        first: int | None = None
        for vertex in vertices:
            if first is None:
                first = root(vertex)
            else:
                parent[root(vertex)] = first

    used = [_resources(kernel) for kernel in kernels]
    for group in _groups([buffers for buffers, _, _ in used]):
        for node in range(nodes):
            join(kernel * nodes + node for kernel in group)
    # A semaphore may belong to any node: whoever uses it is joined on all nodes.
    awaited = {
        op.operands[0]
        for kernel in kernels
        for op in inside(kernel)
        if isinstance(op, dialect.SemaphoreWaitOp)
    }
    for group in _groups([semaphores & awaited for _, _, semaphores in used]):
        join(kernel * nodes + node for kernel in group for node in range(nodes))
    for net in {net for _, nets, _ in used for net in nets}:
        users = [kernel for kernel, (_, nets, _) in enumerate(used) if net in nets]
        ends = pipe_ends(net, grid)
        if ends is None:
            join(kernel * nodes + node for kernel in users for node in range(nodes))
            continue
        for source, destinations in ends:
            join(kernel * nodes + node for kernel in users for node in (source, *destinations))
    return np.array([root(vertex) for vertex in range(len(parent))], np.int64).reshape(len(kernels), nodes)


def _resources(kernel: dialect.KernelOp) -> tuple[set[SSAValue], set[SSAValue], set[SSAValue]]:
    """Dataflow buffers, pipe nets and semaphores that a kernel uses."""
    found: tuple[set[SSAValue], set[SSAValue], set[SSAValue]] = (set(), set(), set())
    buffers, nets, semaphores = found
    for op in inside(kernel):
        for operand in op.operands:
            match operand.type:
                case dialect.DataflowBufferType():
                    buffers.add(operand)
                case dialect.PipeNetType():
                    if isinstance(op, dialect.IfPipeSrcOp | dialect.IfPipeDstOp):
                        nets.add(operand)
                case dialect.SemaphoreType():
                    semaphores.add(operand)
                case dialect.RemoteSemaphoreType():
                    semaphores.add(_local(operand))
    return found


def _local(remote: SSAValue) -> SSAValue:
    op = remote.op if isinstance(remote, OpResult) else None
    if isinstance(op, dialect.GetRemoteSemaphoreOp | dialect.GetRemoteMulticastSemaphoreOp):
        return op.semaphore
    return remote


def _groups(used: list[set[SSAValue]]) -> Iterable[list[int]]:
    """For each resource the kernels that use it, where there are several."""
    for resource in set().union(*used):
        group = [kernel for kernel, each in enumerate(used) if resource in each]
        if group:
            yield group
