"""Compares the blocks pushed with the blocks waited for, both counted as polynomials in unknown numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product

from xdsl.dialects import affine, scf
from xdsl.ir import Block, Operation, Region

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import walked
from ttl.analysis.events.resources import Resources
from ttl.analysis.loops import bound
from ttl.analysis.polynomials import Polynomial, Values, derived, polynomial
from ttl.check.network.game import Game
from ttl.diag.model import Diagnostic, Severity
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.rules.deadlocks import too_few_pops, too_few_pushes
from ttl.rules.labels import reserves, takes_blocks
from ttl.rules.waiting import KernelOnNode

_Key = tuple[str, int]
"""``reserve`` or ``wait``, and the number of a buffer."""
_Counts = dict[_Key, Polynomial | None]
"""The numbers of blocks; None for an unknown number."""
_ONE = Polynomial.constant(1)


def counts_of(region: Region, resources: Resources) -> _Counts:
    """Count the blocks that a region acquires, by way and buffer."""
    counts: _Counts = {}
    for block in region.blocks:
        for op in block.ops:
            for key, more in _of_op(op, resources).items():
                so_far = counts.get(key, Polynomial({}))
                counts[key] = None if more is None or so_far is None else so_far + more
    return counts


def _of_op(op: Operation, resources: Resources) -> _Counts:
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
            # While loops and condition functions run an unknown number of times.
            return {key: None for region in op.regions for key in counts_of(region, resources)}


def _of_loop(op: scf.ForOp | affine.ForOp, resources: Resources) -> _Counts:
    block = op.body.blocks[0]
    inner = counts_of(op.body, resources)
    iterations = _iterations(op) if inner and not resources.decided_by(op) else None
    if iterations is None:
        return dict.fromkeys(inner)
    varying = _values_of(block)
    return {
        key: None if item is None or not varying.isdisjoint(item.indeterminates) else iterations * item
        for key, item in inner.items()
    }


def _values_of(block: Block) -> frozenset[object]:
    """Return the indeterminates for the variable and the carried values of a loop."""
    return frozenset(
        indeterminate for argument in block.args for indeterminate in polynomial(argument).indeterminates
    )


def _iterations(op: scf.ForOp | affine.ForOp) -> Polynomial | None:
    """Return the number of iterations of a loop, if it runs; None if it is not known."""
    if isinstance(op, affine.ForOp):
        bounds = [bound(attribute) for attribute in (op.lowerBoundMap, op.upperBoundMap)]
        if bounds[0] is None or bounds[1] is None:
            return None
        lower, upper, step = (
            Polynomial.constant(bounds[0]),
            Polynomial.constant(bounds[1]),
            op.step.value.data,
        )
    else:
        lower, upper, width = polynomial(op.lb), polynomial(op.ub), polynomial(op.step).number
        if width is None:
            return None
        step = width
    if step <= 0:
        return None
    distance = upper - lower
    if step > 1:
        distance = derived(
            "//", lambda a, b: a // b, distance + Polynomial.constant(step - 1), Polynomial.constant(step)
        )
    number = distance.number
    return distance if number is None else Polynomial.constant(max(0, number))


def _of_branch(op: scf.IfOp, resources: Resources) -> _Counts:
    then, otherwise = counts_of(op.true_region, resources), counts_of(op.false_region, resources)
    condition = integer_of(op.cond)
    if condition is not None:
        return then if condition else otherwise
    nothing = Polynomial({})
    return {
        key: one if (one := then.get(key, nothing)) == otherwise.get(key, nothing) else None
        for key in {**then, **otherwise}
    }


def total(form: Polynomial, values: Values) -> int:
    """Return a number of blocks for some extents; 0 if it is negative: no loop runs a negative number of times."""
    return max(0, form.at(values))


# --- comparisons -----------------------------------------------------------------------------------------------


# Extents, in elements, among which an example is sought, and the most combinations of them.
_EXTENTS = (128, 64, 96, 32, 256)
_COMBINATIONS = 3125


@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """One end of a buffer: the kernel, its total number of blocks, and the operation that acquires the first one."""

    kernel: str
    blocks: Polynomial
    op: Operation


def unequal(game: Game, grid: tuple[int, ...]) -> Iterator[Diagnostic]:
    """Yield findings about the buffers of an operation whose shapes are not known."""
    uses = _uses(game)
    for number, buffer in enumerate(game.resources.buffers):
        fills, takes = uses.get(("reserve", number)), uses.get(("wait", number))
        if fills is None or takes is None:
            continue
        if len(fills) != 1 or len(takes) != 1 or fills[0] is None or takes[0] is None:
            continue
        yield from _compared(buffer, fills[0], takes[0], len(grid))


def _uses(game: Game) -> dict[tuple[str, int], list[_Use | None]]:
    """Return for each end of a buffer the kernels that use it; None for a kernel whose blocks cannot be counted."""
    uses: dict[tuple[str, int], list[_Use | None]] = {}
    for kernel in game.kernels:
        counts = counts_of(kernel.body, game.resources)
        for op in walked(kernel):
            if not isinstance(op, dialect.AcquireOp):
                continue
            buffer = game.resources.buffer(op.dfb)
            key = (
                "reserve" if isinstance(op, dialect.DfbReserveOp) else "wait",
                -1 if buffer is None else buffer,
            )
            if key not in counts:
                continue
            blocks = counts.pop(key)
            use = None if blocks is None else _Use(kernel=kernel.kernel_name, blocks=blocks, op=op)
            uses.setdefault(key, []).append(use)
    return uses


def _compared(create_dfb: dialect.CreateDfbOp, fills: _Use, takes: _Use, dims: int) -> Iterator[Diagnostic]:
    difference = (fills.blocks - takes.blocks).number
    if difference == 0:
        return
    room = create_dfb.result.type.block_count
    values = _example(fills.blocks, takes.blocks, 1) or _example(takes.blocks, fills.blocks, room + 1)
    if values is None:
        return
    blocks = total(fills.blocks, values), total(takes.blocks, values)
    finding = _finding(create_dfb.buffer_name.data, fills, takes, blocks, room, (0,) * dims)
    if difference is None:
        finding = replace(finding, severity=Severity.WARNING)
    yield finding.noting(_when(fills, takes, values, always=difference is not None))


def _finding(
    name: str, fills: _Use, takes: _Use, blocks: tuple[int, int], room: int, node: tuple[int, ...]
) -> Diagnostic:
    pushed, taken = blocks
    if pushed < taken:
        who = KernelOnNode(takes.kernel, node, alone=True)
        told = too_few_pushes(who, name, pushed + 1, fills.kernel, pushed, taken)
        here, other = takes.op, (fills.op, reserves(fills.kernel))
    else:
        who = KernelOnNode(fills.kernel, node, alone=True)
        told = too_few_pops(who, name, taken + room + 1, room, takes.kernel, taken, pushed)
        here, other = fills.op, (takes.op, takes_blocks(takes.kernel))
    return told.diagnostic.at(span_of(here), told.label).also(span_of(other[0]), other[1])


def _when(fills: _Use, takes: _Use, values: Values, *, always: bool) -> str:
    shapes = " and ".join(f"{indeterminate.name} is {value}" for indeterminate, value in values.items())
    general = f"in general, {fills.kernel} pushes {fills.blocks} and {takes.kernel} takes {takes.blocks}"
    if always:
        return f"this holds for every shape; the numbers are for the case that {shapes}; {general}"
    return f"this holds if {shapes}; {general}"


def _example(fewer: Polynomial, more: Polynomial, by: int) -> Values | None:
    """Return values for which the second sum is larger by at least ``by``; None if none are found."""
    indeterminates = sorted(
        fewer.indeterminates | more.indeterminates, key=lambda indeterminate: indeterminate.name
    )
    choices = [_EXTENTS if indeterminate.is_extent else (0, 1) for indeterminate in indeterminates]
    for chosen in islice(product(*choices), _COMBINATIONS):
        values = dict(zip(indeterminates, chosen, strict=True))
        if total(more, values) - total(fewer, values) >= by:
            return values
    return None
