"""Semaphores of the program, on this node and on others, as calls; and the check that a node has enough of them."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import of_kinds
from ttl.analysis.network import device_grid, match_range, node_range
from ttl.arch import Chip
from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import kernel_of
from ttl.dialects.ttkernel import GetSemaphoreOp
from ttl.ir.failure import placed
from ttl.passes.building import Building, Number, erase, number
from ttl.passes.marks import ACROSS, MADE_BY, WHY, is_made, is_numbered
from ttl.passes.movement.links import Links, is_of_own_chip
from ttl.passes.movement.nodes import (
    RectangleOfNodes,
    address_across,
    chip,
    chip_number,
    column,
    node_address,
    place_of,
    place_of_value,
    rectangle_address,
    row,
)
from ttl.passes.names import UniqueNames
from ttl.protocol.chips import chip_count
from ttl.protocol.grid import Grid
from ttl.rules.semaphores import multicast_increment

_LOCAL = (dialect.SemaphoreWaitOp, dialect.SemaphoreSetOp, dialect.SemaphoreIncOp)


def convert_semaphores(operation: dialect.OperationOp, links: Links) -> list[Diagnostic]:
    """Convert the semaphores of one operation; returns errors for operations that cannot be converted."""
    findings: list[Diagnostic] = []
    grid = operation.grid.extents
    for kernel in operation.kernels:
        for op in of_kinds(kernel, *_LOCAL):
            problem = _convert(op, grid, links)
            if problem is not None:
                findings.append(placed(problem, op))
                continue
            erase(op)
        remotes: list[dialect.GetRemoteSemaphoreOp | dialect.GetRemoteMulticastSemaphoreOp] = of_kinds(
            kernel, dialect.GetRemoteSemaphoreOp, dialect.GetRemoteMulticastSemaphoreOp
        )
        for remote in reversed(remotes):
            if not remote.result.uses:
                erase(remote)
    return findings


def _convert(op: Operation, grid: Grid, links: Links) -> Diagnostic | None:
    build = Building(op)
    match op:
        case dialect.SemaphoreWaitOp():
            wait = "noc_semaphore_wait" if op.comparison == "eq" else "noc_semaphore_wait_min"
            build.call(wait, _semaphore(build, op.semaphore), op.value)
        case dialect.SemaphoreSetOp() if isinstance(op.semaphore.type, dialect.SemaphoreType):
            build.call("noc_semaphore_set", _semaphore(build, op.semaphore), op.value)
        case dialect.SemaphoreSetOp() | dialect.SemaphoreIncOp():
            return _change(build, op, grid, links)
    return None


def _change(
    build: Building, op: dialect.SemaphoreSetOp | dialect.SemaphoreIncOp, grid: Grid, links: Links
) -> Diagnostic | None:
    remote = op.semaphore.owner
    if isinstance(remote, dialect.GetRemoteSemaphoreOp):
        word = _address(build, remote.semaphore)
        adds = isinstance(op, dialect.SemaphoreIncOp)
        name = "noc_semaphore_inc" if adds else "noc_inline_dw_write"
        place = place_of_value(build, [number(value) for value in remote.node], grid)
        if is_of_own_chip(remote, grid):
            build.call(name, node_address(build, *place[:2], word), op.value)
            return None
        here = build.compare(place[2], "eq", chip(build, grid))
        own, other = build.when(here), build.when(build.compare(place[2], "ne", chip(build, grid)))
        own.call(name, node_address(own, *place[:2], word), op.value)
        links.change(other, place, word, op.value, add=adds)
        return None
    assert isinstance(remote, dialect.GetRemoteMulticastSemaphoreOp), "the front end knows every semaphore"
    if isinstance(op, dialect.SemaphoreIncOp):
        return multicast_increment()
    problem = match_range(remote, grid)
    if problem is None and chip_count(grid) == 1:
        _set_all(build, op, remote, _nodes(build, remote, grid), grid)
    elif problem is None:
        _set_on_chips(build, op, remote, grid, links)
    return problem


def _set_on_chips(
    build: Building,
    op: Operation,
    remote: dialect.GetRemoteMulticastSemaphoreOp,
    grid: Grid,
    links: Links,
) -> None:
    """Set the semaphores of a rectangle of nodes on several chips: on this chip at once, on others one by one."""
    assert isinstance(op, dialect.SemaphoreSetOp)
    mesh = len(grid) - 2
    starts = [number(value) for value in remote.starts[:mesh]] or [0] * mesh
    stops = [number(value) for value in remote.stops[:mesh]] or list(grid[:-2])

    def on_chip(at: Building, coord: list[Number]) -> None:
        that = chip_number(at, coord, grid)
        here = chip(at, grid)
        own = at.when(at.compare(that, "eq", here))
        _set_all(own, op, remote, _nodes(own, remote, grid), grid)
        other = at.when(at.compare(that, "ne", here))
        nodes, word = _nodes(other, remote, grid), _address(other, remote.semaphore)

        def in_column(within: Building, to: SSAValue, _: object) -> tuple[()]:
            def set_one(inner: Building, down: SSAValue, _: object) -> tuple[()]:
                links.change(inner, (to, down, that), word, op.value, add=False)
                return ()

            within.loop(nodes.top, within.sum(nodes.bottom, 1), 1, (), set_one, name="row")
            return ()

        other.loop(nodes.left, other.sum(nodes.right, 1), 1, (), in_column, name="column")

    def along(at: Building, coord: list[Number]) -> None:
        axis = len(coord)
        if axis == mesh:
            on_chip(at, coord)
            return

        def body(inside: Building, place: SSAValue, _: object) -> tuple[()]:
            along(inside, [*coord, place])
            return ()

        at.loop(starts[axis], stops[axis], 1, (), body, name="of_chip")

    along(build, [])


def _nodes(build: Building, remote: dialect.GetRemoteMulticastSemaphoreOp, grid: Grid) -> RectangleOfNodes:
    """The nodes of a range, which is a rectangle (``match_range``)."""
    columns, rows = device_grid(grid)
    first_values, stop_values, _ = node_range(remote, grid)
    first_values, stop_values = first_values[-2:], stop_values[-2:]
    if not first_values:
        return RectangleOfNodes(left=0, top=0, right=columns - 1, bottom=rows - 1)
    starts = [number(start) for start in first_values]
    lasts = [build.difference(number(value), 1) for value in stop_values]
    if len(starts) == 2:
        return RectangleOfNodes(left=starts[0], top=starts[1], right=lasts[0], bottom=lasts[1])
    if rows == 1:
        return RectangleOfNodes(left=starts[0], top=0, right=lasts[0], bottom=0)
    if columns == 1:
        return RectangleOfNodes(left=0, top=starts[0], right=0, bottom=lasts[0])
    first, last = starts[0], lasts[0]
    assert isinstance(first, int) and isinstance(last, int)
    left, top = divmod(first, rows)
    right, bottom = divmod(last, rows)
    return RectangleOfNodes(left=left, top=top, right=right, bottom=bottom)


def _set_all(
    build: Building,
    op: Operation,
    remote: dialect.GetRemoteMulticastSemaphoreOp,
    nodes: RectangleOfNodes,
    grid: Grid,
) -> None:
    """Set the semaphores of a rectangle of nodes, which may include this node.

    The network copies a word of this node's memory to the other nodes only.
    """
    assert isinstance(op, dialect.SemaphoreSetOp)
    total = nodes.count(build)
    semaphore = _semaphore(build, remote.semaphore)
    among = _among(build, nodes, grid)
    if among is None:
        others: Number = build.difference(total, 1)
        build.call("noc_semaphore_set", semaphore, op.value)
    else:
        others = build.difference(total, build.select(among, 1, 0))
        build.when(among).call("noc_semaphore_set", semaphore, op.value)
    if others == 0:
        return
    if not isinstance(others, int):
        build = build.when(build.compare(others, "sgt", 0))
    kernel = kernel_of(op)
    word = _named(build, word_of(kernel, op))
    build.call("noc_async_writes_flushed")
    build.call("noc_semaphore_set", word, op.value)
    to = rectangle_address(build, nodes, _address(build, remote.semaphore), place_of(kernel).noc)
    build.call("noc_semaphore_set_multicast", build.ask("get_semaphore_address", word), to, others)


def _among(build: Building, nodes: RectangleOfNodes, grid: Grid) -> SSAValue | None:
    """Whether this node is in a rectangle of nodes; None if it certainly is."""
    columns, rows = device_grid(grid)
    parts: list[SSAValue] = []
    here = ((column, nodes.left, nodes.right, columns), (row, nodes.top, nodes.bottom, rows))
    for coordinate, first, last, extent in here:
        if not (isinstance(first, int) and first <= 0):
            parts.append(build.compare(coordinate(build, grid), "sge", first))
        if not (isinstance(last, int) and last >= extent - 1):
            parts.append(build.compare(coordinate(build, grid), "sle", last))
    return build.all_of(*parts)


def _semaphore(build: Building, value: SSAValue) -> SSAValue:
    owner = value.owner
    assert isinstance(owner, dialect.CreateSemaphoreOp)
    if ACROSS in owner.attributes:
        return build.ask("semaphore_at", address_across(build, [owner.semaphore_name.data]))
    return _named(build, owner.semaphore_name.data)


def _address(build: Building, value: SSAValue) -> SSAValue:
    """The address of a semaphore, the same on all nodes."""
    owner = value.owner
    assert isinstance(owner, dialect.CreateSemaphoreOp)
    if ACROSS in owner.attributes:
        return address_across(build, [owner.semaphore_name.data])
    return build.ask("get_semaphore_address", _semaphore(build, value))


def _named(build: Building, name: str) -> SSAValue:
    return build.add(GetSemaphoreOp(name)).results[0]


# --- words that the network copies to other nodes --------------------------------------------------------------


_WORD_OF = "ttl.word_of"


def word_of(kernel: dialect.UserKernelOp, op: Operation) -> str:
    """Return the name of the word from which a kernel sets semaphores of other nodes; the word is made on the first call."""
    operation = kernel.parent_op()
    assert isinstance(operation, dialect.OperationOp)
    ops = [entry for entry in operation.body.block.ops if isinstance(entry, dialect.CreateSemaphoreOp)]
    for item in ops:
        if item.attributes.get(_WORD_OF) == kernel.sym_name:
            return item.semaphore_name.data
    names = UniqueNames(entry.semaphore_name.data for entry in ops)
    word = dialect.CreateSemaphoreOp(initial_value=0, name=names.unique(f"{kernel.kernel_name}_word"))
    word.location = op.location
    word.attributes |= {
        MADE_BY: StringAttr("compiler"),
        WHY: StringAttr(f"a semaphore from which {kernel.kernel_name} sets those of other nodes"),
        _WORD_OF: kernel.sym_name,
    }
    operation.body.block.insert_op_before(word, operation.kernels[0])
    return word.semaphore_name.data


# --- the number of semaphores ----------------------------------------------------------------------------------


def too_many_semaphores(operation: dialect.OperationOp, target: Chip) -> list[Diagnostic]:
    """The error for more semaphores than a node has, some of them the compiler's (TTL1416).

    If the program's own semaphores are too many by themselves, ``ttl-allocate`` reports that.
    """
    ops = [
        op for op in operation.body.block.ops if isinstance(op, dialect.CreateSemaphoreOp) and is_numbered(op)
    ]
    own = [op for op in ops if not is_made(op)]
    if len(ops) <= target.semaphores or len(own) > target.semaphores:
        return []
    purposes: dict[str, list[str]] = {}
    for op in ops:
        purposes.setdefault(_purpose(op), []).append(op.semaphore_name.data)
    lines = [f"{len(names):2}  {_from_to(names)}: {purpose}" for purpose, names in purposes.items()]
    finding = error(
        "TTL1416",
        f"{operation.operation_name} takes {len(ops)} semaphores, and a node of {target.name} has {target.semaphores}",
        notes=("what they are for:\n" + "\n".join(lines),),
        help="use fewer semaphores of your own: beside pipes, two have to be left, since the others of pipes can be words of L1; "
        "reuse one by counting up and wait_ge",
    )
    last = next(op for op in reversed(ops) if is_made(op))
    return [placed(finding, last)]


def _from_to(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def _purpose(op: dialect.CreateSemaphoreOp) -> str:
    why = op.attributes.get(WHY)
    return getattr(why, "data", "a semaphore of the program")
