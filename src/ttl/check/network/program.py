"""From the IR of a kernel to a program of steps that, run on a node, writes down the kernel's events.

Steps are what can be noticed outside, and the control flow around it; everything else of the IR is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.dialects import affine, scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from ttl.analysis.arithmetic import is_integer
from ttl.analysis.scalars import NODE, Scalar, Slots, compile_scalar, loop_bounds
from ttl.check.network.events import Kind, Table
from ttl.check.network.resources import Resources
from ttl.check.network.steps import (
    Await,
    Branch,
    Carried,
    ForPipes,
    Join,
    Loop,
    OnBuffers,
    OnPipe,
    OnSemaphore,
    Step,
    Unclear,
    While,
)
from ttl.dialects import ttl as dialect


@dataclass(slots=True)
class Compiler:
    """Turns the kernels of one operation into steps."""

    resources: Resources
    slots: Slots
    table: Table
    wanted: set[int] = field(default_factory=set)
    """Slots that decide anything."""

    def kernel(self, kernel: dialect.KernelOp) -> tuple[Step, ...]:
        """The steps of a kernel."""
        return self._region(kernel.body)

    def _region(self, region: Region) -> tuple[Step, ...]:
        steps: list[Step] = []
        for block in region.blocks:
            for op in block.ops:
                steps.extend(self._steps(op))
        for step in steps:
            self.wanted |= step.reads
        return tuple(_put_together(steps))

    def _steps(self, op: Operation) -> Iterator[Step]:
        match op:
            case dialect.DfbReserveOp() | dialect.DfbWaitOp():
                kind = Kind.RESERVE if isinstance(op, dialect.DfbReserveOp) else Kind.WAIT
                yield self._on_buffer(kind, self.resources.buffer(op.operands[0]), op)
            case dialect.DfbPushOp() | dialect.DfbPopOp():
                kind = Kind.PUSH if isinstance(op, dialect.DfbPushOp) else Kind.POP
                yield self._on_buffer(kind, self.resources.buffer_of_block(op.operands[0]), op)
            case dialect.CopyOp():
                yield from self._copy(op)
            case dialect.WaitOp():
                yield from self._await(op)
            case dialect.GroupAddOp():
                copy, group = _copy_of(op.operands[1]), _maker(op.operands[0])
                if copy is not None and group is not None and self._through_pipe(copy):
                    yield Join(group=group, copy=copy)
            case dialect.GroupWaitOp():
                group = _maker(op.operands[0])
                if group is not None:
                    yield Await(op=op, group=group)
            case dialect.SemaphoreWaitOp() | dialect.SemaphoreSetOp() | dialect.SemaphoreIncOp():
                yield self._on_semaphore(op)
            case scf.ForOp() | affine.ForOp():
                yield from self._loop(op)
            case scf.WhileOp():
                yield from self._while(op)
            case scf.IfOp():
                yield from self._branch(op)
            case dialect.IfPipeSrcOp() | dialect.IfPipeDstOp():
                yield from self._for_pipes(op)

    # --- events -----------------------------------------------------------------------------------------

    def _on_buffer(self, kind: Kind, buffer: int | None, op: Operation) -> Step:
        if buffer is None:
            return Unclear(op=op, reason="which dataflow buffer is meant depends on the way taken before")
        return OnBuffers(numbers=(self.table.number(kind, buffer, op),))

    def _through_pipe(self, copy: dialect.CopyOp) -> bool:
        return any(isinstance(end.type, dialect.PipeType) for end in (copy.src, copy.dst))

    def _copy(self, op: dialect.CopyOp) -> Iterator[Step]:
        for kind, end in ((Kind.SEND, op.dst), (Kind.RECEIVE, op.src)):
            if not isinstance(end.type, dialect.PipeType):
                continue
            slot = self.slots.known(end)
            net = self.resources.net_of_pipe(end)
            if slot is None or net is None:
                yield Unclear(op=op, reason="which pipe is meant is not known")
                continue
            yield OnPipe(kind=kind, slot=slot, net=net, op=op, reads=frozenset((slot,)))

    def _await(self, op: dialect.WaitOp) -> Iterator[Step]:
        copy = _copy_of(op.operands[0])
        if copy is None:
            yield Unclear(op=op, reason="which transfer is meant depends on the way taken before")
        elif self._through_pipe(copy):
            yield Await(op=op, copy=copy)

    def _on_semaphore(
        self, op: dialect.SemaphoreWaitOp | dialect.SemaphoreSetOp | dialect.SemaphoreIncOp
    ) -> Step:
        match op:
            case dialect.SemaphoreWaitOp():
                kind = Kind.UNTIL_AT_LEAST if op.comparison == "ge" else Kind.UNTIL_EQUAL
            case dialect.SemaphoreSetOp():
                kind = Kind.SET
            case _:
                kind = Kind.INCREMENT
        target = self.resources.semaphore(op.operands[0])
        value = compile_scalar(op.operands[1], self.slots)
        if target is None or value is None:
            return Unclear(op=op, reason="the semaphore or its value is not known")
        semaphore, remote = target
        starts: tuple[Scalar, ...] | None = None
        stops: tuple[Scalar, ...] | None = None
        everywhere = False
        match remote:
            case dialect.GetRemoteSemaphoreOp():
                starts = self._scalars(remote.node)
            case dialect.GetRemoteMulticastSemaphoreOp():
                everywhere = not len(remote.starts)
                starts, stops = self._scalars(remote.starts), self._scalars(remote.stops)
        multicast = isinstance(remote, dialect.GetRemoteMulticastSemaphoreOp)
        if remote is not None and (starts is None or (multicast and stops is None)):
            return Unclear(op=op, reason="the nodes of a remote semaphore are not known")
        parts = (value, *(starts or ()), *(stops or ()))
        # Which node's semaphore a local set changes depends on the node.
        here = frozenset((NODE,)) if remote is None else frozenset()
        return OnSemaphore(
            kind=kind,
            semaphore=semaphore,
            op=op,
            value=value,
            starts=starts,
            stops=stops if not everywhere else None,
            everywhere=everywhere,
            reads=here.union(*(part.slots for part in parts)),
        )

    def _scalars(self, values: Iterable[SSAValue]) -> tuple[Scalar, ...] | None:
        found = [compile_scalar(value, self.slots) for value in values]
        known = tuple(each for each in found if each is not None)
        return known if len(known) == len(found) else None

    # --- control flow -----------------------------------------------------------------------------------

    def _loop(self, op: scf.ForOp | affine.ForOp) -> Iterator[Step]:
        bounds = loop_bounds(op, self.slots)
        block = op.body.blocks[0]
        variable = self.slots.of(block.args[0])
        starts = op.iter_args if isinstance(op, scf.ForOp) else op.inits
        first: dict[SSAValue, Scalar] = {
            argument: scalar
            for argument, start in zip(block.args[1:], starts, strict=True)
            if is_integer(argument) and (scalar := compile_scalar(start, self.slots)) is not None
        }
        body, following = self._carrying(list(first), block, op.body)
        if not body and not any(_is_used(result) for result in op.results):
            return
        carried = tuple(
            Carried(
                slot=self.slots.of(argument),
                first=first[argument],
                following=scalar,
                result=self.slots.of(op.results[_position(argument) - 1]),
            )
            for argument, scalar in following.items()
        )
        reads = set(_reads(body))
        for each in carried:
            reads |= each.following.slots
        reads -= {variable, *(each.slot for each in carried)}
        for part in (*(bounds or ()), *(each.first for each in carried)):
            reads |= part.slots
        yield Loop(
            op=op,
            bounds=bounds,
            variable=variable,
            carried=carried,
            body=body,
            gathers=_gathers(body),
            reads=frozenset(reads),
        )

    def _carrying(
        self, arguments: list[SSAValue], block: Block, region: Region
    ) -> tuple[tuple[Step, ...], dict[SSAValue, Scalar]]:
        """Steps of a loop's body, and the next value of each argument. One that is not known is forgotten."""
        while True:
            for argument in arguments:
                self.slots.of(argument)
            body = self._region(region)
            assert block.last_op is not None
            known: dict[SSAValue, Scalar] = {}
            for argument in arguments:
                scalar = compile_scalar(block.last_op.operands[_position(argument) - 1], self.slots)
                if scalar is not None:
                    known[argument] = scalar
            if len(known) == len(arguments):
                return body, known
            for argument in arguments:
                if argument not in known:
                    self.slots.forget(argument)
            arguments = list(known)

    def _while(self, op: scf.WhileOp) -> Iterator[Step]:
        before, after = op.before_region.blocks[0], op.after_region.blocks[0]
        first: list[tuple[int, Scalar]] = []
        for argument, start in zip(before.args, op.arguments, strict=True):
            scalar = compile_scalar(start, self.slots) if is_integer(argument) else None
            if scalar is not None:
                first.append((self.slots.of(argument), scalar))
        steps = self._region(op.before_region)
        leave = before.last_op
        assert isinstance(leave, scf.ConditionOp)
        condition = compile_scalar(leave.condition, self.slots)
        passed: list[tuple[int, int, Scalar]] = []
        for argument, result, value in zip(after.args, op.results, leave.args, strict=True):
            scalar = compile_scalar(value, self.slots) if is_integer(argument) else None
            if scalar is not None:
                passed.append((self.slots.of(argument), self.slots.of(result), scalar))
        body = self._region(op.after_region)
        assert after.last_op is not None
        again: list[tuple[int, Scalar]] = []
        for argument, value in zip(before.args, after.last_op.operands, strict=True):
            slot = self.slots.known(argument)
            if slot is None:
                continue
            scalar = compile_scalar(value, self.slots)
            if scalar is None:
                yield Unclear(op=op, reason="how often a while loop runs is not known")
                return
            again.append((slot, scalar))
        results = frozenset(result for _, result, _ in passed)
        if not steps and not body and not any(_is_used(result) for result in op.results):
            return
        reads = _reads(steps) | _reads(body) | (condition.slots if condition is not None else frozenset())
        for _, scalar in (*first, *again):
            reads |= scalar.slots
        for _, _, scalar in passed:
            reads |= scalar.slots
        yield While(
            op=op,
            first=tuple(first),
            before=steps,
            condition=condition,
            passed=tuple(passed),
            body=body,
            again=tuple(again),
            reads=reads - results,
        )

    def _branch(self, op: scf.IfOp) -> Iterator[Step]:
        condition = compile_scalar(op.cond, self.slots)
        then, otherwise = self._region(op.true_region), self._region(op.false_region)
        results: list[tuple[int, Scalar, Scalar]] = []
        if condition is not None:
            for position, result in enumerate(op.results):
                if not is_integer(result):
                    continue
                values = [
                    compile_scalar(region.blocks[0].last_op.operands[position], self.slots)  # type: ignore[union-attr]
                    for region in (op.true_region, op.false_region)
                ]
                if values[0] is not None and values[1] is not None:
                    results.append((self.slots.of(result), values[0], values[1]))
        if not then and not otherwise and not results:
            return
        reads = _reads(then) | _reads(otherwise) | (condition.slots if condition is not None else frozenset())
        for _, one, other in results:
            reads |= one.slots | other.slots
        yield Branch(
            op=op,
            condition=condition,
            then=then,
            otherwise=otherwise,
            results=tuple(results),
            reads=reads,
        )

    def _for_pipes(self, op: dialect.IfPipeSrcOp | dialect.IfPipeDstOp) -> Iterator[Step]:
        net = self.resources.net(op.net)
        block = op.body.blocks[0]
        slot = self.slots.of(block.args[0])
        if net is not None:
            self.slots.pipes[slot] = self.resources.nets[net].pipes
        body = self._region(op.body)
        if not body:
            return
        if net is None:
            yield Unclear(op=op, reason="which pipe net is meant is not known")
            return
        # Which pipes there are depends on the node.
        yield ForPipes(
            net=net,
            sends=isinstance(op, dialect.IfPipeSrcOp),
            slot=slot,
            body=body,
            reads=(_reads(body) - {slot}) | {NODE},
        )


def _put_together(steps: list[Step]) -> Iterator[Step]:
    """The steps, those on buffers that follow each other as one."""
    numbers: tuple[int, ...] = ()
    for step in steps:
        if isinstance(step, OnBuffers):
            numbers += step.numbers
            continue
        if numbers:
            yield OnBuffers(numbers=numbers)
            numbers = ()
        yield step
    if numbers:
        yield OnBuffers(numbers=numbers)


def _reads(steps: tuple[Step, ...]) -> frozenset[int]:
    return frozenset().union(*(step.reads for step in steps))


def _is_used(value: SSAValue) -> bool:
    return is_integer(value) and value.first_use is not None


def _position(argument: SSAValue) -> int:
    assert isinstance(argument, BlockArgument)
    return argument.index


def _maker(value: SSAValue) -> Operation | None:
    return value.op if isinstance(value, OpResult) else None


def _copy_of(value: SSAValue) -> dialect.CopyOp | None:
    made = _maker(value)
    return made if isinstance(made, dialect.CopyOp) else None


def _gathers(steps: tuple[Step, ...]) -> bool:
    """Whether a transfer joins a group that is made outside of the loop it is in."""
    for step in steps:
        match step:
            case Join():
                return True
            case Loop() | While() | ForPipes():
                if _gathers(step.body):
                    return True
            case Branch():
                if _gathers(step.then) or _gathers(step.otherwise):
                    return True
    return False
