"""The order of kernels: they are cooperative, in greenlets, one at a time, in a fixed order.

Kernels that became ready run first (those of the waking kernel's node before others), then kernels that have not started, node by
node in the order of definition. A seed draws among all of them instead, and also before a copy and after a change of a semaphore.
A blocked kernel switches straight to the next one; a worker greenlet whose kernel ends takes the next unstarted kernel, so that a
launch without blocking needs one greenlet.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any

from greenlet import GreenletExit, getcurrent, greenlet

from ttl import control
from ttl.sim import implicit
from ttl.sim.kernel import Kernel, fail_returned

if TYPE_CHECKING:
    from ttl.sim.block import SimBlock
    from ttl.sim.kernel import RunningLaunch


class PythonScheduler:
    """Switches between kernels, without the native core."""

    __slots__ = (
        "_abandoned", "_context", "_engine", "_hub", "_idle", "_random", "_ready", "_stalled", "_unstarted",
        "failure", "finished", "on_finish", "switches", "total",
    )  # fmt: skip

    def __init__(self, engine: RunningLaunch) -> None:
        self._engine = engine
        self._ready: deque[Kernel] = deque()
        self._unstarted: deque[Kernel] = deque()
        self._stalled: dict[Kernel, None] = {}
        self._idle: list[Any] = []
        self._hub: Any = None
        self._context: Context | None = None
        self._random: random.Random | None = None
        self.failure: BaseException | None = None
        self.finished = 0
        self.total = 0
        self.switches = 0
        self._abandoned = False
        self.on_finish: Callable[[Kernel], None] | None = None

    def begin(self, kernels: list[Kernel], context: Context, source: random.Random | None) -> None:
        """Set the kernels to run, and the random source of a seeded schedule."""
        self._hub = getcurrent()
        self._context = context
        self._random = source
        self._unstarted.extend(kernels)
        self.total = len(kernels)

    def advance(self) -> bool:
        """Run kernels until none is ready or one failed. Return whether all have ended."""
        wanted: Any = None
        while self.failure is None and self.finished < self.total:
            # A kernel that is to start after another one blocks is started here, not on top of the blocked greenlet,
            # whose depth of recursion it would inherit.
            kernel = wanted if type(wanted) is Kernel else self._next()
            if kernel is None:
                break
            wanted = self._switch_to(kernel)
        return self.failure is None and self.finished == self.total

    def suspend(self, kernel: Kernel, reason: Any) -> None:
        """Block the current kernel; return when another kernel has woken it."""
        if self._abandoned:
            raise GreenletExit  # a kernel that continues although the launch is being unwound
        kernel.waiting = reason
        self.switches += 1
        self._stalled[kernel] = None
        if self._ready and self._random is None:
            target: Kernel | None = self._ready.popleft()
        else:
            target = self._next()
        if target is None:
            self._hub.switch()
        elif target is not kernel:
            worker = target.greenlet
            if worker is not None:
                self._engine.current = target
                worker.switch()
            elif self._idle:
                self._switch_to(target)
            else:
                self._hub.switch(target)
        self._engine.current = kernel
        kernel.waiting = None

    def pause(self, kernel: Kernel) -> None:
        """Let another kernel go first, in a seeded schedule, at a place where the order can matter."""
        self._ready.append(kernel)
        self.suspend(kernel, None)

    def wake(self, kernel: Kernel) -> None:
        """Make a blocked kernel ready."""
        if kernel.node is self._engine.current.node:
            self._ready.appendleft(kernel)
        else:
            self._ready.append(kernel)

    def held_by_stalled(self) -> list[list[SimBlock]]:
        """Return the blocks held by kernels that have waited since the last call.

        One list for each buffer, oldest block first; for each kernel, buffers of reserved blocks come before those of
        blocks that were waited for.
        """
        stalled, self._stalled = self._stalled, {}
        return [
            held
            for kernel in stalled
            if not kernel.done
            for mine in (
                [b.held_reserved for b in kernel.node.buffers if b.producer is kernel],
                [b.held_waited for b in kernel.node.buffers if b.consumer is kernel],
            )
            for held in mine
            if held
        ]

    def give_up(self) -> None:
        """Let no kernel continue: the launch is being unwound."""
        self._abandoned = True

    def close(self) -> None:
        """End the idle workers: the collector cannot see into a suspended greenlet, which would keep the launch."""
        while self._idle:
            self._idle.pop().throw(GreenletExit)

    def kernel_ended(self, kernel: Kernel, result: Any) -> None:
        """Handle the return of a kernel's function."""
        raise NotImplementedError

    def _next(self) -> Kernel | None:
        if self._random is not None:
            return self._draw(self._random)
        if self._ready:
            return self._ready.popleft()
        if self._unstarted:
            return self._unstarted.popleft()
        return None

    def _draw(self, source: random.Random) -> Kernel | None:
        count = len(self._ready) + len(self._unstarted)
        if not count:
            return None
        position = source.randrange(count)
        queue = self._ready
        if position >= len(self._ready):
            position -= len(self._ready)
            queue = self._unstarted
        kernel = queue[position]
        del queue[position]
        return kernel

    def _switch_to(self, kernel: Kernel) -> Any:
        """Let a kernel run. In the hub, the result is a kernel that is to be started from there, if any."""
        self._engine.current = kernel
        if kernel.greenlet is not None:
            return kernel.greenlet.switch()
        worker = self._idle.pop() if self._idle else None
        if worker is None:
            worker = greenlet(self._work, parent=self._hub)
            worker.gr_context = self._context
        kernel.greenlet = worker
        return worker.switch(kernel)

    def _work(self, kernel: Kernel) -> None:
        me = kernel.greenlet
        while True:
            try:
                assert kernel.function is not None
                result = kernel.function()
                self.kernel_ended(kernel, result)
            except GreenletExit:
                return
            except BaseException as failure:
                if self.failure is None:
                    self.failure = failure
                    self._engine.failed = self._engine.current
                kernel.greenlet = None
                return
            kernel.done = True
            kernel.greenlet = None
            self.finished += 1
            if self.on_finish is not None:
                self.on_finish(kernel)
            following = self._next()
            if following is not None and following.greenlet is None:
                following.greenlet = me
                kernel = self._engine.current = following
                continue
            self._idle.append(me)
            if following is None:
                kernel = self._hub.switch()
            else:
                self._engine.current = following
                kernel = following.greenlet.switch()


_SCHEDULER: Any = control.base("Scheduler") if control.NATIVE else PythonScheduler


class Scheduler(_SCHEDULER):  # type: ignore[misc]
    """Runs the kernels of a launch."""

    __slots__ = ("_engine",) if control.NATIVE else ()

    def __init__(self, engine: RunningLaunch) -> None:
        super().__init__(engine)
        self._engine = engine

    def run(self, kernels: list[Kernel], context: Context, seed: int | None) -> bool:
        """Run kernels until all ended (True) or none can continue (False). Raises the error that a kernel raised."""
        self._engine.interleaved = seed is not None
        self.begin(kernels, context, random.Random(seed) if seed is not None else None)
        ended = self.resume()
        if self.failure is not None:
            raise self.failure
        return ended

    def resume(self) -> bool:
        """Run kernels until all ended (True), or none can continue or one failed (False)."""
        try:
            while not self.advance():
                if self.failure is not None or not implicit.release_when_stalled(self._engine):
                    return False
        finally:
            self._engine.current = self._engine.nodes[0].body
        return True

    def kernel_ended(self, kernel: Kernel, result: Any) -> None:
        """Handle the return of a kernel's function: checks, and inferred releases."""
        if result is not None:
            fail_returned(self._engine, kernel, result)
        implicit.finish_kernel(self._engine, kernel)

    def abandon(self) -> None:
        """End every kernel that has started and not ended, without running its clean-up as success."""
        self.give_up()
        for node in self._engine.nodes:
            for kernel in node.kernels:
                if kernel.greenlet is not None and not kernel.done:
                    self._engine.current = kernel
                    try:
                        kernel.greenlet.throw(GreenletExit)
                    except BaseException:
                        continue
