"""Random kernels: what happens to their blocks when they run is what the checker finds, at the same place.

Every decision of these kernels is known, so nothing may be found that does not happen.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from support.removal import load
from support.shares import share
from support.static_findings import checked_instead
from ttl.check import states, transfers
from ttl.diag import Severity, TTLError
from ttl.diag.errors import DeadlockError

HEAD = """
import ttl
from support.tensors import blank


def run():
    @ttl.operation(grid=(2, 1))
    def op(a, out):
        x_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count={x_count})
        y_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count={y_count})
        node, _ = ttl.node()
        turns = node + 1

        @ttl.{filler}()
        def fill():
            for _ in range(200):
                with x_dfb.reserve() as blk:
                    {fill}

        @ttl.datamovement()
        def drain():
            for _ in range(200):
                with y_dfb.wait() as blk:
                    ttl.copy(blk, out[0, 0]).wait()

        @ttl.{kind}()
        def kernel():
{body}

    op(blank((32, 32)), blank((32, 32)))
"""


class Generator:
    """One random kernel. Right steps are likelier than wrong ones, so that kernels get somewhere."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.computes = seed % 2 == 0
        self.count = 0
        self.lines: list[str] = []

    def source(self) -> str:
        self.statements("            ", {}, [], 3, 7)
        return HEAD.format(
            x_count=self.random.choice((1, 2, 3)),
            y_count=self.random.choice((1, 2, 3)),
            kind="compute" if self.computes else "datamovement",
            filler="datamovement" if self.computes else "compute",
            fill="ttl.copy(a[0, 0], blk).wait()"
            if self.computes
            else "blk.store(ttl.block.fill(1.0, shape=(1, 1)))",
            body="\n".join(self.lines),
        )

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def statements(
        self, indent: str, blocks: dict[str, str], handles: list[str], depth: int, most: int
    ) -> None:
        """A block of statements; ``blocks`` are names and whether they were reserved, or waited for."""
        blocks, handles = dict(blocks), list(handles)
        born: dict[str, str] = {}
        start = len(self.lines)
        for _ in range(self.random.randint(1, most)):
            self.statement(indent, blocks, handles, born, depth)
        for name, how in born.items():
            if self.random.random() < 0.8:
                self.lines.append(f"{indent}{name}.{'push' if how == 'reserve' else 'pop'}()")
        if len(self.lines) == start:
            self.lines.append(f"{indent}pass")

    def statement(
        self, indent: str, blocks: dict[str, str], handles: list[str], born: dict[str, str], depth: int
    ) -> None:
        random = self.random
        kind = random.choices(
            ("acquire", "with", "use", "release", "if", "for", "wait"), (3, 2, 8, 0.5, depth, depth, 2)
        )[0]
        if kind in ("acquire", "with"):
            how = random.choice(("reserve", "wait"))
            name = self.fresh("blk")
            call = f"{'y_dfb' if how == 'reserve' else 'x_dfb'}.{how}()"
            if kind == "acquire" or not depth:
                self.lines.append(f"{indent}{name} = {call}")
                blocks[name] = born[name] = how
                self.use(indent, name, how, blocks, handles)
            else:
                self.lines.append(f"{indent}with {call} as {name}:")
                self.use(indent + "    ", name, how, blocks, handles)
                self.statements(indent + "    ", {**blocks, name: how}, handles, depth - 1, 2)
        elif kind == "use" and blocks:
            name = random.choice(list(blocks))
            self.use(indent, name, blocks[name], blocks, handles)
        elif kind == "release" and blocks:
            name = random.choice(list(blocks))
            right = "push" if blocks[name] == "reserve" else "pop"
            self.lines.append(f"{indent}{name}.{right if random.random() < 0.9 else 'push'}()")
        elif kind == "wait" and handles:
            self.lines.append(f"{indent}{random.choice(handles)}.wait()")
        elif kind == "if" and depth:
            self.lines.append(f"{indent}if {random.choice(('node == 0', 'node != 0', 'turns > 1'))}:")
            self.statements(indent + "    ", blocks, handles, depth - 1, 3)
            if random.random() < 0.5:
                self.lines.append(f"{indent}else:")
                self.statements(indent + "    ", blocks, handles, depth - 1, 3)
        elif kind == "for" and depth:
            turn = self.fresh("turn")
            self.lines.append(
                f"{indent}for {turn} in range({random.choice(('1', '2', '3', 'turns', 'turns - 1'))}):"
            )
            if random.random() < 0.3:
                self.lines.append(f"{indent}    if {turn} == {random.choice((0, 1))}:")
                self.statements(indent + "        ", blocks, handles, depth - 1, 2)
            self.statements(indent + "    ", blocks, handles, depth - 1, 3)

    def use(self, indent: str, name: str, how: str, blocks: dict[str, str], handles: list[str]) -> None:
        random = self.random
        writes = (how == "reserve") is (random.random() < 0.8)
        if self.computes:
            others = [each for each in blocks if each != name]
            source = random.choice(others) if others and random.random() < 0.3 else ""
            value = f"{source} + 1" if source else "ttl.block.fill(1.0, shape=(1, 1))"
            if writes:
                self.lines.append(f"{indent}{name}.store({value})")
            elif others:
                self.lines.append(f"{indent}{random.choice(others)}.store({name} * 2)")
            else:
                self.lines.append(f"{indent}{name} + 1")
            return
        copy = f"ttl.copy(a[0, 0], {name})" if writes else f"ttl.copy({name}, out[0, 0])"
        form = random.random()
        if form < 0.5:
            self.lines.append(f"{indent}{copy}.wait()")
        elif form < 0.7:
            self.lines.append(f"{indent}{copy}")
        else:
            handle = self.fresh("xf")
            self.lines.append(f"{indent}{handle} = {copy}")
            if random.random() < 0.5:
                self.lines.append(f"{indent}{handle}.wait()")
            handles.append(handle)


def happens(source: str, file: Path) -> tuple[str, int] | None:
    """Code and line of the error of a run; None if there is none, but for kernels that are short of blocks."""
    try:
        load(source, file)["run"]()
    except DeadlockError:
        return None
    except TTLError as failure:
        place = failure.diagnostic.primary
        return failure.code, place.span.line if place is not None else 0
    return None


def found(source: str, file: Path) -> set[tuple[str, int]]:
    """Code and line of what is found; all of it certain."""
    program = load(source, file)
    with checked_instead(checks=(states.check, transfers.check)) as findings:
        program["run"]()
    assert all(each.severity is Severity.ERROR for each in findings)
    return {(each.code, each.primary.span.line if each.primary is not None else 0) for each in findings}


def agree(error: tuple[str, int] | None, static: set[tuple[str, int]]) -> bool:
    """Whether a run and the checker say the same.

    A block that the language would release, and cannot because it is not complete, is told as that; a run may first
    meet what comes of the block's being held, or meet it where a younger block is released.
    """
    if error is None:
        return not static
    codes = {code for code, _ in static}
    return error in static or bool(
        codes & {"TTL0302", "TTL0303", error[0]} & {"TTL0302", "TTL0303", "TTL0310"}
    )


@pytest.mark.parametrize("batch", share(range(6), 2))
def test_what_is_found_is_what_happens(batch: int, tmp_path: Path) -> None:
    wrong = 0
    for seed in range(batch * 25, batch * 25 + 25):
        source = Generator(seed).source()
        error = happens(source, tmp_path / f"random{seed}.py")
        static = found(source, tmp_path / f"random{seed}.py")
        wrong += error is not None
        assert agree(error, static), f"seed {seed}: {error} {static}\n{source}"
    assert 5 < wrong < 25
