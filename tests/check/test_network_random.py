"""The game ends as the simulator does: random networks of kernels that talk over buffers, pipes and semaphores.

Each program is written as source, run by the simulator, and lowered and played by the check. Both must say the same:
that it ends, or that it stops, where and for which cause.
"""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

from support.shares import share
from support.tensors import blank
from ttl import settings
from ttl.check.module import check_module
from ttl.diag import Diagnostic, Severity, TTLError
from ttl.frontend.live import lower_call

KERNELS = ("read", "compute", "write")
Lines = list[str]


class Source:
    """Writes random programs."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.buffers = self.random.randint(1, 4)
        self.nodes = self.random.choice((1, 1, 2, 3))
        self.bodies: dict[str, Lines] = {name: [] for name in KERNELS}
        self.shared: Lines = []

    def text(self) -> str:
        """The program."""
        self._fill()
        if self.nodes > 1 and self.random.random() < 0.7:
            self._pipes()
        if self.nodes > 1 and self.random.random() < 0.3:
            self._semaphore()
        lines = [
            "import ttl",
            f"@ttl.operation(grid=({self.nodes}, 1))",
            "def op(a, y):",
            "    me = ttl.node(dims=1)",
        ]
        for buffer in range(self.buffers):
            count = self.random.randint(1, 3)
            lines.append(
                f"    b{buffer}_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count={count})"
            )
        lines += self.shared
        for name in KERNELS:
            lines += [
                f"    @ttl.{'compute' if name == 'compute' else 'datamovement'}()",
                f"    def {name}():",
            ]
            lines += ["        " + line for line in self.bodies[name]] or ["        pass"]
        return "\n".join(lines) + "\n"

    def _fill(self) -> None:
        for buffer in range(self.buffers):
            pushes = self.random.randint(1, 6)
            takes = pushes if self.random.random() < 0.75 else self.random.randint(1, 7)
            for verb, count in (("push", pushes), ("take", takes)):
                self._spread(self.random.choice(KERNELS), verb, buffer, count)

    def _spread(self, kernel: str, verb: str, buffer: int, count: int) -> None:
        """``count`` events, in loops, under conditions or one by one, among what the kernel does already."""
        body = self.bodies[kernel]
        while count:
            part = self.random.randint(1, count)
            count -= part
            event = self._event(kernel, verb, buffer)
            match self.random.randrange(5):
                case 0 if part % 2 == 0 and part > 2:
                    lines = [f"for i in range({part // 2}):", "    for j in range(2):", *_indented(event, 2)]
                case 1:
                    lines = [f"for i in range({part * 2}):", "    if i % 2 == 0:", *_indented(event, 2)]
                case 2 if self.nodes > 1:
                    less = " - me % 2" if self.random.random() < 0.2 else " + me * 0"
                    lines = [f"for i in range({part}{less}):", *_indented(event, 1)]
                case _:
                    lines = [f"for i in range({part}):", *_indented(event, 1)] if part > 1 else event
            tops = [index for index, line in enumerate(body) if not line.startswith(" ")] + [len(body)]
            at = self.random.choice(tops)
            body[at:at] = lines

    def _event(self, kernel: str, verb: str, buffer: int) -> Lines:
        call = f"with b{buffer}_dfb.{'reserve' if verb == 'push' else 'wait'}() as blk:"
        match kernel, verb:
            case "compute", "push":
                use = "blk.store(ttl.block.fill(1, shape=(1, 1)))"
            case "compute", _:
                use = "blk + 1"
            case _, "push":
                use = "ttl.copy(a[0, 0], blk).wait()"
            case _:
                use = "ttl.copy(blk, y[0, 0]).wait()"
        return [call, "    " + use]

    def _pipes(self) -> None:
        kind = self.random.randrange(3)
        n = self.nodes
        pipes = {
            0: f"[ttl.Pipe(src=(k, 0), dst=((k + 1) % {n}, 0)) for k in range({n})]",
            1: f"[ttl.Pipe(src=(0, 0), dst=(slice(1, {n}), 0))]",
            2: f"[ttl.Pipe(src=(k, 0), dst=(0, 0)) for k in range(1, {n})]",
        }[kind]
        self.shared += [
            f"    net = ttl.PipeNet({pipes})",
            "    s_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)",
            "    r_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)",
        ]
        times = self.random.randint(1, 3)
        # At least once: a receive that is written and never reached looks like one to the simulator's report only.
        received = times if self.random.random() < 0.7 else self.random.randint(1, 3)
        grouped = self.random.random() < 0.3
        sending = "net.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())"
        if grouped:
            sending = "net.if_src(lambda pipe: group.add(ttl.copy(out_blk, pipe)))"
        send = [
            f"for s in range({times}):",
            "    with s_dfb.reserve() as out_blk:",
            "        ttl.copy(a[0, 0], out_blk).wait()",
            *(["        group = ttl.GroupTransfer()"] if grouped else []),
            f"        {sending}",
            *(["        group.wait_all()"] if grouped else []),
            "    with s_dfb.wait() as out_blk:",
            "        ttl.copy(out_blk, y[0, 0]).wait()",
        ]
        receive = [
            f"for s in range({received}):",
            "    def take(pipe):",
            "        with r_dfb.reserve() as in_blk:",
            "            ttl.copy(pipe, in_blk).wait()",
            "        with r_dfb.wait() as in_blk:",
            "            ttl.copy(in_blk, y[0, 0]).wait()",
            "    net.if_dst(take)",
        ]
        first, second = self.random.choice([("read", "read"), ("read", "write")])
        parts = [(first, send), (second, receive)]
        if self.random.random() < 0.3:
            parts.reverse()
        for kernel, lines in parts:
            body = self.bodies[kernel]
            tops = [index for index, line in enumerate(body) if not line.startswith(" ")] + [len(body)]
            at = len(body) if self.random.random() < 0.5 else self.random.choice(tops)
            body[at:at] = lines

    def _semaphore(self) -> None:
        self.shared += ["    go = ttl.Semaphore()", "    first = go.get_remote((0, 0))"]
        wanted = self.nodes - 1 if self.random.random() < 0.7 else self.nodes
        body = self.bodies["write"]
        lines = ["if me == 0:", f"    go.wait_ge({wanted})", "else:", "    first.inc(1)"]
        if self.random.random() < 0.4:
            self.shared.append("    others = go.get_remote_multicast()")
            lines = [
                "if me == 0:",
                "    others.set(2)",
                "else:",
                f"    go.wait_eq({2 if wanted < self.nodes else 1})",
            ]
        tops = [index for index, line in enumerate(body) if not line.startswith((" ", "else"))] + [len(body)]
        at = self.random.choice(tops)
        body[at:at] = lines


def _indented(lines: Lines, levels: int) -> Lines:
    return ["    " * levels + line for line in lines]


def simulated(operation: object) -> Diagnostic | None:
    """What the simulator stops with."""
    with settings.override(check="off"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            operation(blank((32, 32)), blank((32, 32)))  # type: ignore[operator]
        except TTLError as raised:
            return raised.diagnostic
    return None


def checked(operation: object) -> list[Diagnostic]:
    """What the check finds that stops a program, in the schedule that the simulator takes at least."""
    lowered = lower_call(operation, (blank((32, 32)), blank((32, 32))), {})  # type: ignore[arg-type]
    assert not lowered.diagnostics, [each.message for each in lowered.diagnostics]
    found = check_module(lowered.module)
    return [
        each
        for each in found
        if each.severity is Severity.ERROR or each.code.startswith(("TTL091", "TTL092"))
    ]


def compared(seed: int, folder: Path) -> tuple[str, str]:
    """The code a random program stops with, or nothing, and in what the two verdicts differ, or nothing."""
    source = Source(seed).text()
    file = folder / f"network{seed}.py"
    file.write_text(source, encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "network"}
    exec(compile(source, str(file), "exec"), namespace)
    there = checked(namespace["op"])
    told = simulated(namespace["op"])
    code = told.code if told is not None else ""
    found = next((each for each in there if each.code == code), None)
    if told is None:
        return code, f"seed {seed}: check {[each.message for each in there]}" if there else ""
    if found is None:
        return code, f"seed {seed}: simulator {told.message!r}, check {[each.message for each in there]}"
    assert found.primary is not None and told.primary is not None
    if found.primary.span.line != told.primary.span.line or found.message != told.message:
        return code, f"seed {seed}: simulator {told.message!r}, check {found.message!r}"
    return code, ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chunk", share(range(6), 2))
def test_the_check_says_what_the_simulator_says(chunk: int, tmp_path: Path) -> None:
    results = [compared(seed, tmp_path) for seed in range(chunk * 25, chunk * 25 + 25)]
    assert not any(difference for _, difference in results), [each for _, each in results if each]
    codes = [code for code, _ in results]
    assert "" in codes
    assert len(set(codes)) > 3, "programs stop for several causes"
