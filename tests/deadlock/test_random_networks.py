"""Random straight-line programs: what a report claims about counts is compared with the program text.

A program is three kernels, each a random list of "push to buffer i" and "take from buffer i"; every buffer has one
kernel that pushes and one that takes. What is true of it follows from the lists alone, worked out here by a
simulation of the lists that shares nothing with the package.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from support.tensors import blank
from ttl.diag import DeadlockError, text

Event = tuple[Literal["push", "take"], int]
KERNELS = ("read", "compute", "write")


@dataclass(frozen=True)
class Network:
    """Events of each kernel, and the block count of each buffer."""

    events: tuple[tuple[Event, ...], ...]
    counts: tuple[int, ...]

    def total(self, verb: str, buffer: int) -> int:
        return sum(event == (verb, buffer) for kernel in self.events for event in kernel)

    def stops(self, counts: tuple[int, ...]) -> list[Event]:
        """The events at which kernels are stuck for ever, with these block counts."""
        at = [0] * len(self.events)
        filled = [0] * len(counts)
        moved = True
        while moved:
            moved = False
            for kernel, events in enumerate(self.events):
                while at[kernel] < len(events):
                    verb, buffer = events[at[kernel]]
                    if verb == "push" and filled[buffer] < counts[buffer]:
                        filled[buffer] += 1
                    elif verb == "take" and filled[buffer] > 0:
                        filled[buffer] -= 1
                    else:
                        break
                    at[kernel] += 1
                    moved = True
        return [events[at[k]] for k, events in enumerate(self.events) if at[k] < len(events)]

    def source(self) -> str:
        lines = ["import ttl", "", "@ttl.operation(grid=(1, 1))", "def op(a, y):"]
        for buffer, count in enumerate(self.counts):
            lines.append(
                f"    b{buffer}_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count={count})"
            )
        for name, events in zip(KERNELS, self.events, strict=True):
            kind = "compute" if name == "compute" else "datamovement"
            lines += [f"    @ttl.{kind}()", f"    def {name}():", "        pass"]
            for verb, buffer in events:
                lines.append(
                    f"        with b{buffer}_dfb.{'reserve' if verb == 'push' else 'wait'}() as blk:"
                )
                match name, verb:
                    case "compute", "push":
                        lines.append("            blk.store(ttl.block.fill(1, shape=(1, 1)))")
                    case "compute", _:
                        lines.append("            blk + 1")
                    case _, "push":
                        lines.append("            ttl.copy(a[0, 0], blk).wait()")
                    case _:
                        lines.append("            ttl.copy(blk, y[0, 0]).wait()")
        return "\n".join(lines) + "\n"


def drawn(seed: int) -> Network:
    """A random network in which most deadlocks have one cause."""
    source = random.Random(seed)
    buffers = source.randint(1, 4)
    events: list[list[Event]] = [[], [], []]
    for buffer in range(buffers):
        producer, consumer = source.randrange(3), source.randrange(3)
        pushes = source.randint(1, 5)
        takes = pushes if source.random() < 0.8 else source.randint(1, 6)
        for verb, kernel, count in (("push", producer, pushes), ("take", consumer, takes)):
            for _ in range(count):
                events[kernel].insert(source.randint(0, len(events[kernel])), (verb, buffer))  # type: ignore[arg-type]
    return Network(
        tuple(tuple(kernel) for kernel in events), tuple(source.randint(1, 3) for _ in range(buffers))
    )


def report_of(network: Network, folder: Path) -> DeadlockError | None:
    file = folder / "network.py"
    source = network.source()
    file.write_text(source, encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "network"}
    exec(compile(source, str(file), "exec"), namespace)
    try:
        namespace["op"](blank((32, 32)), blank((32, 32)))  # type: ignore[operator]
    except DeadlockError as raised:
        return raised
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chunk", range(6))
def test_what_a_report_claims_is_true(chunk: int, tmp_path: Path) -> None:
    for seed in range(chunk * 40, chunk * 40 + 40):
        network = drawn(seed)
        raised = report_of(network, tmp_path)
        stuck = network.stops(network.counts)
        assert (raised is not None) == bool(stuck), f"seed {seed}"
        if raised is not None:
            check_claims(network, raised, stuck)


def check_claims(network: Network, raised: DeadlockError, stuck: list[Event]) -> None:
    report = text.render(raised.diagnostic)
    unlimited = network.stops((1000,) * len(network.counts))
    for verb, buffer in stuck:
        word = "waits to reserve" if verb == "push" else "waits for"
        assert f"{word} b{buffer}_dfb at line" in report, report
    if raised.code != "TTL0910" and (found := re.findall(r"block_count=(\d+) for b(\d)_dfb", report)):
        assert raised.code in ("TTL0916", "TTL0917"), report
        enough = dict(enumerate(network.counts)) | {int(buffer): int(count) for count, buffer in found}
        stops = network.stops(tuple(enough[buffer] for buffer in range(len(network.counts))))
        assert stops != stuck, report
        assert (stops == []) == ("runs to its end" in report), report
        if "with " in report and len(found) == 1 and "runs to its end" in report:
            ((count, buffer),) = found
            enough[int(buffer)] = int(count) - 1
            assert network.stops(tuple(enough[buffer] for buffer in range(len(network.counts)))), report
    else:
        assert raised.code not in ("TTL0916",), report
    if found := re.search(r"waits for block \d+ of b(\d)_dfb, but (\w+ )?pushes only (\d+)", report):
        buffer = int(found[1])
        assert raised.code == "TTL0913", report
        assert int(found[3]) == network.total("push", buffer) < network.total("take", buffer), report
    if found := re.search(r"waits to reserve block \d+ of b(\d)_dfb, but (\w+) takes only (\d+)", report):
        buffer = int(found[1])
        assert raised.code == "TTL0914", report
        assert int(found[3]) == network.total("take", buffer) < network.total("push", buffer), report
    if raised.code == "TTL0917" and "block_count=" not in report:
        assert unlimited, f"more blocks would do after all:\n{report}"
