"""Causes of a wait that nobody can end: what is waited for is never provided, or not often enough."""

from __future__ import annotations

from ttl.diag.words import counted
from ttl.sim.buffer import SimBuffer, WaitForData, WaitForSpace
from ttl.sim.deadlock_case import Case, Cause
from ttl.sim.deadlock_facts import BufferState, Stuck
from ttl.sim.deadlock_words import in_use, pipe_name, semaphore_name
from ttl.sim.kernel import Kernel
from ttl.sim.kernel_code import may_call, names_in
from ttl.sim.pipes import WaitToReceive, WaitToSend
from ttl.sim.semaphores import WaitForSemaphore
from ttl.source.spans import Site

# Of several such waits, the kind that is nearest to the mistake.
_NEAREST = (WaitForData, WaitToReceive, WaitToSend, WaitForSpace, WaitForSemaphore)
_AGREE = "make their loops, and the conditions in them, agree"


def nobody_left(case: Case) -> Cause | None:
    """Everybody who could end a wait has ended, or there never was anybody."""
    alone = [each for each in case.facts.stuck if each.missing is not None]
    if not alone:
        return None
    return _cause(case, min(alone, key=lambda each: _NEAREST.index(type(each.reason))))


def never_provided(case: Case) -> Cause | None:
    """Somebody is left who could, but the trial showed that he never would."""
    trial = case.ended
    if trial is None:
        return None
    for stuck in case.facts.stuck:
        match stuck.reason:
            case WaitForData(buffer=buffer):
                missing = trial.blocks_missing(buffer) > 0
            case WaitToReceive(pipe=pipe, node=node):
                missing = trial.messages_missing(pipe, node) > 0
            case WaitToSend(pipe=pipe):
                missing = any(trial.messages_missing(pipe, node) < 0 for node in pipe.channel.dsts)
            case WaitForSemaphore(semaphore=semaphore, value=value):
                missing = trial.semaphore_missing(semaphore, stuck.kernel.node.index, value)
            case WaitForSpace(buffer=buffer):
                missing = trial.blocks_left_over(buffer) > case.facts.buffers[buffer].block_count
        if missing:
            return _cause(case, stuck)
    return None


def _cause(case: Case, stuck: Stuck) -> Cause:
    match stuck.reason:
        case WaitForData(buffer=buffer):
            state = case.facts.buffers[buffer]
            producer = state.producer or (buffer.producer if case.ended is not None else None)
            if producer is None:
                return _nobody_fills(case, stuck, buffer)
            return _too_few_pushes(case, stuck, state, producer)
        case WaitForSpace(buffer=buffer):
            state = case.facts.buffers[buffer]
            consumer = state.consumer or (buffer.consumer if case.ended is not None else None)
            if consumer is None:
                return _nobody_empties(case, stuck, state)
            return _too_few_pops(case, stuck, state, consumer)
        case WaitToReceive():
            return _too_few_sends(case, stuck, stuck.reason)
        case WaitToSend():
            return _too_few_receives(case, stuck, stuck.reason)
        case WaitForSemaphore():
            return _semaphore(case, stuck, stuck.reason)


def _nobody_fills(case: Case, stuck: Stuck, buffer: SimBuffer) -> Cause:
    node, name = stuck.kernel.node, buffer.name
    able = [kernel for kernel in node.kernels if may_call(kernel.function, buffer, "reserve")]
    if not able:
        advice = f"no kernel calls {name}.reserve(): reserve, write and push a block in the kernel that has the data"
    else:
        filler = next((kernel for kernel in able if kernel in case.facts.ended), able[0])
        verb = "ended without reaching it" if filler in case.facts.ended else "does not reach it"
        outside = (
            "; no pipe starts or ends at this node, so the functions given to if_src and if_dst are not called"
            if _is_outside(case, filler)
            else ""
        )
        advice = (
            f"{filler.name} has a call of {name}.reserve(), but on {node} it {verb}{outside}: "
            f"let {stuck.kernel.name} wait for {name} under the same condition only"
        )
    return Cause(
        code="TTL0911",
        message=f"deadlock: {case.who(stuck.kernel)} waits for {name}, which no kernel fills",
        stuck=stuck,
        label=f"waits for {name} here",
        more=((buffer.site, "the buffer is made here"),),
        help=(advice,),
    )


def _too_few_pushes(case: Case, stuck: Stuck, state: BufferState, producer: Kernel) -> Cause:
    buffer, name = state.buffer, state.buffer.name
    who = "" if producer is stuck.kernel else f"{producer.name} "
    if case.ended is not None:
        pushed = buffer.pushed - case.ended.made_up_blocks[buffer]
        advice = f"in all, {stuck.kernel.name} waits for {_blocks(buffer.waited)} and {producer.name} pushes {pushed}: {_AGREE}"
    else:
        pushed = state.pushed
        advice = f"{producer.name} pushes {_blocks(pushed)} and ends: {_AGREE}"
    last = buffer.last_reserved
    return Cause(
        code="TTL0913",
        message=f"deadlock: {case.who(stuck.kernel)} waits for block {state.waited + 1} of {name}, but {who}pushes only {pushed}",
        stuck=stuck,
        label=f"waits here for block {state.waited + 1} of {name}",
        more=((last.site, f"{producer.name} reserves here"),) if last is not None else (),
        help=(advice,),
    )


def _nobody_empties(case: Case, stuck: Stuck, state: BufferState) -> Cause:
    name = state.buffer.name
    return Cause(
        code="TTL0914",
        message=f"deadlock: {case.who(stuck.kernel)} waits to reserve {name}, which no kernel empties",
        stuck=stuck,
        label=f"waits here for a free block: {in_use(state.block_count)}",
        more=((state.buffer.site, "the buffer is made here"),),
        help=(
            f"wait for the blocks of {name} in the kernel that needs them, and pop them",
            "or, if this kernel alone needs the memory, reserve one block before the loop and use it in every round",
        ),
    )


def _too_few_pops(case: Case, stuck: Stuck, state: BufferState, consumer: Kernel) -> Cause:
    buffer, name = state.buffer, state.buffer.name
    taken = state.waited
    advice = f"{consumer.name} takes {_blocks(taken)} and ends: {_AGREE}"
    if case.ended is not None:
        taken = buffer.waited
        advice = f"in all, {stuck.kernel.name} pushes {_blocks(buffer.pushed)} and {consumer.name} takes {taken}: {_AGREE}"
    last = buffer.last_waited
    more: tuple[tuple[Site | None, str], ...] = ()
    if last is not None:
        more = ((last.site, f"{consumer.name} takes blocks here"),)
    return Cause(
        code="TTL0914",
        message=f"deadlock: {case.who(stuck.kernel)} waits to reserve block {state.reserved + 1} of {name}, "
        f"but {consumer.name} takes only {taken}",
        stuck=stuck,
        label=f"waits here for a free block: {in_use(state.block_count)}",
        more=more,
        help=(advice,),
    )


def _too_few_sends(case: Case, stuck: Stuck, reason: WaitToReceive) -> Cause:
    pipe, channel = reason.pipe, reason.pipe.channel
    source, node = case.engine.nodes[channel.src], stuck.kernel.node
    sent = channel.sent
    many = "nothing is" if sent == 0 else f"only {sent} {'was' if sent == 1 else 'were'}"
    advice = f"let {source} send as often as {node} receives"
    if case.ended is not None:
        received = sent + case.ended.messages_missing(pipe, reason.node)
        advice = (
            f"in all, {source} sends {_blocks(sent)} on this pipe and {node} receives {received}: {_AGREE}"
        )
    if not any("if_src" in names_in(kernel.function) for kernel in source.kernels):
        advice = "no kernel calls if_src: send in a function given to net.if_src"
    return Cause(
        code="TTL0918",
        message=f"deadlock: {case.who(stuck.kernel)} waits to receive from {pipe_name(pipe)}, on which {many} sent",
        stuck=stuck,
        label="waits to receive here",
        more=((pipe.pipe.site, "the pipe is made here"),),
        help=(advice, "or make the net from those pipes only on which something is sent")
        if sent == 0
        else (advice,),
    )


def _too_few_receives(case: Case, stuck: Stuck, reason: WaitToSend) -> Cause:
    pipe, channel = reason.pipe, reason.pipe.channel
    node = stuck.missing
    if node is None:
        node = case.engine.nodes[min(channel.remaining, default=channel.dsts[0])]
    source = stuck.kernel.node
    advice = f"receive on {node} as often as {source} sends: ttl.copy(pipe, blk) in if_dst"
    if case.ended is not None:
        received = channel.sent + case.ended.messages_missing(pipe, node.index)
        advice = (
            f"in all, {source} sends {_blocks(channel.sent)} on this pipe and {node} "
            f"receives {received}: {_AGREE}"
        )
    return Cause(
        code="TTL0919",
        message=f"deadlock: {case.who(stuck.kernel)} waits to send on {pipe_name(pipe)}, "
        f"but {node} does not receive what was sent before",
        stuck=stuck,
        label="this send waits for the one before it",
        more=((pipe.pipe.site, "the pipe is made here"),),
        help=(advice, f"or leave {node} out of the pipe's destinations")
        if len(channel.dsts) > 1
        else (advice,),
    )


def _semaphore(case: Case, stuck: Stuck, reason: WaitForSemaphore) -> Cause:
    semaphore, node = reason.semaphore, stuck.kernel.node
    full_name = semaphore_name(semaphore)
    name = full_name.removeprefix("semaphore ")
    value = semaphore.values[node.index]
    if case.trial is not None and (semaphore, node.index) in case.trial.semaphores:
        before, made_up = case.trial.semaphores[semaphore, node.index]
        value = before + value - made_up if value >= made_up else before
    untouched = value == semaphore.initial
    wanted = f"{reason.value}" if reason.exact else f"at least {reason.value}"
    if untouched:
        remote = f"{name}.get_remote({node.coord})"
        advice = f"no node changes it on {node}: call {remote}.set({reason.value}) or {remote}.inc(1) on another node"
    elif reason.exact and value > reason.value:
        advice = f"it has passed {reason.value}: write wait_ge({reason.value}), which later changes cannot overtake"
    else:
        advice = f"wait for {value}, or let as many nodes increment it as are waited for"
    return Cause(
        code="TTL0920",
        message=f"deadlock: {case.who(stuck.kernel)} waits until {full_name} is {wanted}, "
        f"but {'nobody changes it' if untouched else f'it stays {value}'}",
        stuck=stuck,
        label=f"waits until it is {wanted} here",
        more=((semaphore.site, f"the semaphore starts at {semaphore.initial}"),),
        help=(advice,),
    )


def _is_outside(case: Case, kernel: Kernel) -> bool:
    """Whether a kernel that uses pipes runs on a node without any."""
    index = kernel.node.index
    nets = case.engine.pipes.nets
    uses = not names_in(kernel.function).isdisjoint(("if_src", "if_dst"))
    return uses and bool(nets) and not any(net.by_src.get(index) or net.by_dst.get(index) for net in nets)


def _blocks(count: int) -> str:
    return counted(count, "block")
