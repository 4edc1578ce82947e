"""Launching an operation on the simulator: bodies, kernels, end checks, results."""

from __future__ import annotations

import contextvars
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from ttl import control, native
from ttl.diag import KernelInterrupted, ProgramError, TTLError
from ttl.diag.internal import internal_error, is_internal
from ttl.diag.report import emit
from ttl.host.tensor import ACTIVE, Tensor
from ttl.lang import mistakes
from ttl.lang.check import fail
from ttl.lang.context import CURRENT
from ttl.lang.operation import Operation
from ttl.protocol.devices import DeviceGrid
from ttl.rules.kernel_definitions import looks_like_kernel, no_kernel
from ttl.rules.launches import nested
from ttl.session.collector import patient_collector
from ttl.settings import Settings, current_chip
from ttl.sim import deadlock, leftovers, progress, resources
from ttl.sim.engine import Engine
from ttl.sim.forgotten import find_uncalled, find_unused_kernel
from ttl.sim.interrupts import interrupts_kept
from ttl.sim.kernel import fail_returned
from ttl.sim.numpy_executor import NumpyExecutor
from ttl.sim.placement import Launch, launches
from ttl.sim.printing import kernel_print
from ttl.sim.schedules import Originals, explore
from ttl.sim.where import calls_in, where_every_kernel_is
from ttl.source.spans import is_ours

if TYPE_CHECKING:
    from ttl.sim.lanes.attempts import LaneRun
    from ttl.sim.replay import Trace


def launch(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], settings: Settings) -> None:
    """Run an operation to its end, on every device and node it is launched on."""
    if CURRENT.get() is not None:
        fail(nested(operation.function.__name__))
    _check_core(settings)
    for item in launches(operation, args, kwargs, current_chip(settings), settings):
        if settings.schedules > 1:
            explore(item, _run)
        elif (settings.replay != "off" or operation.replay) and not isinstance(item.grid, DeviceGrid):
            _replay_or_run(item)
        else:
            _run(item, settings.schedule_seed)


class Observer(Protocol):
    """The interface of an object that observes one launch from its beginning to its end."""

    def begin(self, engine: Engine) -> None:
        """The launch begins."""

    def end(self, engine: Engine) -> None:
        """The launch has ended well: everything is computed and written."""

    def stopped(self, engine: Engine) -> None:
        """The launch has failed: called once, while its kernels are still suspended where they were."""


def observed(launched: Launch, observer: Observer | None, seed: int | None = None) -> Originals:
    """Run the kernels of one launch once, in the plain order or that of a seed, under an observer."""
    _check_core(launched.settings)
    return _run(launched, seed, observer)


def _check_core(settings: Settings) -> None:
    native.require(settings)
    finding = control.another_asked_for(settings)
    if finding is not None:
        fail(finding)


def _replay_or_run(launched: Launch) -> None:
    """Replay the computations of an earlier call, or run the kernels and record the computations of this call."""
    from ttl.sim import replay

    settings = launched.settings
    outcome = replay.prepare(launched)
    if outcome is None:
        _run(launched, settings.schedule_seed)
        return
    if isinstance(outcome, replay.Trace):
        tensors = outcome.tensors
        tape = None if tensors is None else _of_lanes(outcome.with_numbers or launched, tensors, outcome)
        if tape is not None:
            outcome.recorded(tape)
            return
        recorder = replay.TapeRecorder(tensors) if tensors is not None else None
        if outcome.with_numbers is not None and not _runs(outcome.with_numbers, recorder):
            outcome.recorded("its kernels look at numbers")
            _replay_or_run(launched)
            return
        if outcome.with_numbers is None:
            _run(launched, settings.schedule_seed, recorder)
        if recorder is not None:
            outcome.recorded(recorder.result)
    if settings.stats and outcome.story:
        from ttl.sim.stats import emit_story

        emit_story(launched, outcome.story)


def _of_lanes(launched: Launch, tensors: Sequence[Tensor], outcome: Trace) -> Any:
    """Trace a launch with one node for each group of like nodes, carry out its tape and return it; None on failure."""
    if outcome.carry_out is None:
        return None
    from ttl.sim import lanes

    tape = lanes.trace(launched, tensors, _run_lanes)
    return tape if outcome.carry_out(tape) else None


def _run_lanes(launched: Launch, lanes: LaneRun, tensors: Sequence[Tensor]) -> None:
    with patient_collector():
        engine = Engine(launched, NumpyExecutor(launched.settings.precision, False), lanes)
        with _active(engine), kernel_print(), interrupts_kept():
            try:
                lanes.begin(engine)
                _run_bodies(engine, launched)
                kernels = [kernel for node in engine.nodes for kernel in node.kernels]
                if not engine.scheduler.run(kernels, contextvars.copy_context(), None):
                    lanes.give_up()
                leftovers.check(engine)
                engine.pending.flush()
                if any(True for _ in leftovers.warnings(engine)):
                    lanes.give_up()
                lanes.end(engine, tensors)
            except BaseException as failure:
                engine.active = False
                report = ""
                if type(failure) is KeyboardInterrupt:
                    lanes.name_nodes(engine)
                    report = where_every_kernel_is(engine)
                engine.scheduler.abandon()
                if report:
                    raise KernelInterrupted(report) from None
                raise
            finally:
                engine.active = False
                engine.close()


def _runs(launched: Launch, recorder: Observer | None) -> bool:
    """Return whether a launch with traced numbers ends well.

    If it does not, it has had no visible effect: replay has read the code.
    """
    try:
        _run(launched, launched.settings.schedule_seed, recorder)
    except (KeyboardInterrupt, KernelInterrupted):
        raise
    except BaseException:
        return False
    return True


def _run(launched: Launch, seed: int | None, observer: Observer | None = None) -> Originals:
    with patient_collector():
        return _run_once(launched, seed, observer)


def _run_once(launched: Launch, seed: int | None, observer: Observer | None) -> Originals:
    operation, settings = launched.operation, launched.settings
    resources.require_memory(launched)
    engine = Engine(launched, NumpyExecutor(settings.precision, settings.sanitize))
    with _active(engine), kernel_print(), interrupts_kept():
        try:
            if observer is not None:
                observer.begin(engine)
            _run_bodies(engine, launched)
            kernels = [kernel for node in engine.nodes for kernel in node.kernels]
            with progress.shown(engine, operation.function.__name__, settings):
                if not engine.scheduler.run(kernels, contextvars.copy_context(), seed):
                    if observer is not None:
                        observer.stopped(engine)  # before an experiment continues the kernels
                        observer = None
                    raise deadlock.error_of(engine)
                resources.check_shared(engine, launched)
                leftovers.check(engine)
                engine.pending.flush()
                if observer is not None:
                    observer.end(engine)
        except BaseException as failure:
            if observer is not None:
                observer.stopped(engine)
            engine.active = False
            report = where_every_kernel_is(engine) if type(failure) is KeyboardInterrupt else ""
            where = _where(engine)
            engine.scheduler.abandon()
            engine.close()
            if report:
                raise KernelInterrupted(report) from None
            finding = mistakes.explained(failure) or mistakes.of_python(failure)
            if finding is not None:
                raise ProgramError(
                    finding.noting(f"in {where}") if where.startswith("kernel") else finding
                ) from None
            if is_internal(failure):
                raise internal_error(failure) from failure
            _explain(failure, where)
            raise
    engine.active = False
    for finding in leftovers.warnings(engine):
        emit(finding, once=True)
    if settings.stats:
        from ttl.sim.stats import emit_stats

        emit_stats(engine, launched)
    originals = engine.memory.originals
    engine.close()
    return originals


@contextmanager
def _active(engine: Engine) -> Iterator[None]:
    execution = CURRENT.set(engine)
    hooks = ACTIVE.set(engine.memory)
    if control.NATIVE:
        engine.activate()
    try:
        yield
    finally:
        if control.NATIVE:
            engine.deactivate()
        engine.scheduler.close()
        engine.memory.close()
        ACTIVE.reset(hooks)
        CURRENT.reset(execution)


def _run_bodies(engine: Engine, launched: Launch) -> None:
    """Run the operation's body for every node: each node has its own closures."""
    operation = launched.operation
    function = operation.function if engine.lanes is None else engine.lanes.function
    checked: set[Any] = set()
    sharded = any(
        isinstance(arg, Tensor) and arg.shards is not None
        for arg in (*launched.args, *launched.kwargs.values())
    )
    for node in engine.nodes:
        engine.current = node.body
        node.body.function = operation.function
        if sharded:
            placed = [_on_node(engine, node.index, arg) for arg in launched.args]
            named = {name: _on_node(engine, node.index, arg) for name, arg in launched.kwargs.items()}
            result = function(*placed, **named)
        else:
            result = function(*launched.args, **launched.kwargs)
        if result is not None:
            fail_returned(engine, node.body, result)
        signature: Any = (
            control.call("buffer_signature", node)
            if control.NATIVE
            else tuple((buffer.type, buffer.block_count) for buffer in node.buffers)
        )
        if signature not in checked:
            checked.add(signature)
            resources.check(engine, node, launched)
        if not node.kernels:
            _fail_no_kernel(engine, operation)
    uncalled = find_uncalled(operation.function)
    if uncalled is not None:
        raise ProgramError(uncalled)
    unused = find_unused_kernel(operation.function)
    if unused is not None:
        engine.current = engine.nodes[0].body
        name, site = unused
        raise ProgramError(engine.located(looks_like_kernel(name), site))


def _on_node(engine: Engine, index: int, arg: Any) -> Any:
    """The shard of the node's own device, for a tensor on a mesh in a grid that spans the mesh."""
    if not isinstance(arg, Tensor) or arg.shards is None:
        return arg
    nodes_per_device = len(engine.nodes) // len(arg.shards)
    return arg.shards[index // nodes_per_device]


def _fail_no_kernel(engine: Engine, operation: Operation) -> None:
    finding = no_kernel(operation.function.__name__)
    raise ProgramError(engine.located(finding, (operation.function.__code__, 0)))


def _where(engine: Engine) -> str:
    """Return the kernel that failed, or the operation's body if it was running; empty for neither."""
    if engine.failed is not None:
        return engine.failed.where
    return "" if engine.scheduler.total else engine.current.where


def _explain(failure: BaseException, where: str) -> None:
    """Add the place to a user's own exception, and drop our frames from its traceback."""
    traceback, calls = failure.__traceback__, calls_in(failure.__traceback__)
    while traceback is not None and is_ours(traceback.tb_frame.f_code):
        traceback = traceback.tb_next
    if isinstance(failure, TTLError):
        failure.with_traceback(None)
        first, *others = failure.diagnostics
        first = first.called_from(calls)
        failure.diagnostics = (first, *others)
        if where.startswith("kernel") and not any(note.startswith("in ") for note in first.notes):
            failure.diagnostics = (first.noting(f"in {where}"), *others)
    elif traceback is not None:
        failure.with_traceback(traceback)
        if where and f"in {where}" not in getattr(failure, "__notes__", ()):
            failure.add_note(f"in {where}")
