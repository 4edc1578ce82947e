"""Kernels are ordinary Python: closures, containers, helper functions, modules, exceptions (issue, section 9)."""

from __future__ import annotations

import io
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.programs import run_program, run_ttl
from support.tensors import blank, numbered_tiles, numbers, tiled, values


def test_helper_functions_that_capture_buffers() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        in_dfb, out_dfb = (ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for _ in range(2))

        def load(tile: int) -> None:
            with in_dfb.reserve() as blk:
                ttl.copy(a[0, tile], blk).wait()

        def save(tile: int) -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, out[0, tile]).wait()

        def next_block() -> Any:
            return in_dfb.wait()

        @ttl.datamovement()
        def read() -> None:
            for tile in range(4):
                load(tile)

        @ttl.compute()
        def compute() -> None:
            for _ in range(4):
                with next_block() as blk, out_dfb.reserve() as out_blk:
                    out_blk.store(blk * 2)

        @ttl.datamovement()
        def write() -> None:
            for tile in range(4):
                save(tile)

    a, out = numbered_tiles(1, 4), blank((32, 128))
    op(tiled(a), out)
    assert np.array_equal(values(out), 2 * a)


def test_two_kernels_made_by_one_factory() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, b: Any, out: Any) -> None:
        dfbs = [ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, b, out)]

        def reader(tensor: Any, dfb: Any, name: str, *, writes: bool) -> None:
            def kernel() -> None:
                for tile in range(3):
                    with dfb.reserve() as blk:
                        ttl.copy(tensor[0, tile], blk).wait()
                for tile in range(3) if writes else ():
                    with dfbs[2].wait() as blk:
                        ttl.copy(blk, out[0, tile]).wait()

            kernel.__name__ = name
            ttl.datamovement()(kernel)

        reader(a, dfbs[0], "first", writes=False)
        reader(b, dfbs[1], "second", writes=True)

        @ttl.compute()
        def compute() -> None:
            for _ in range(3):
                with dfbs[0].wait() as a_blk, dfbs[1].wait() as b_blk, dfbs[2].reserve() as out_blk:
                    out_blk.store(a_blk - b_blk)

    a, b, out = numbers(32, 96), numbers(32, 96, seed=1), blank((32, 96))
    op(tiled(a), tiled(b), out)
    assert np.array_equal(values(out), a - b)


def test_kernels_of_one_factory_keep_the_names_they_are_given() -> None:
    @ttl.operation(grid=(1, 1))
    def op() -> None:
        def ending(name: str, fails: bool) -> None:
            def kernel() -> None:
                if fails:
                    raise ValueError("in the second one")

            kernel.__name__ = name
            ttl.datamovement()(kernel)

        ending("first", False)
        ending("second", True)

    with pytest.raises(ValueError, match="second") as caught:
        op()
    assert caught.value.__notes__ == ["in kernel second on node (0, 0)"]


def test_kernels_of_one_factory_share_their_name_and_are_numbered() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, b: Any, first: Any, second: Any) -> None:
        def passing(source: Any, target: Any) -> None:
            dfb = ttl.make_dataflow_buffer_like(source, shape=(1, 1))

            @ttl.datamovement()
            def move() -> None:
                with dfb.reserve() as blk:
                    ttl.copy(source[0, 0], blk).wait()
                with dfb.wait() as blk:
                    ttl.copy(blk, target[0, 0]).wait()
                if target is second:
                    raise ValueError("in the second one")

        passing(a, first)
        passing(b, second)

    with pytest.raises(ValueError, match="second") as caught:
        op(*(tiled(numbers(32, 32)) for _ in range(4)))
    assert caught.value.__notes__ == ["in kernel move_2 on node (0, 0)"]


def test_buffers_blocks_and_nets_in_lists_and_dicts() -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any) -> None:
        me = ttl.node(dims=1)
        dfbs = {name: ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for name in ("mine", "theirs")}
        nets = [ttl.PipeNet([ttl.Pipe(src=(n, 0), dst=(1 - n, 0))]) for n in range(2)]

        @ttl.datamovement()
        def move() -> None:
            blocks: dict[str, Any] = {name: dfb.reserve() for name, dfb in dfbs.items()}
            ttl.copy(a[0, me], blocks["mine"]).wait()
            for net in nets:
                net.if_src(lambda pipe: ttl.copy(blocks["mine"], pipe).wait())
                net.if_dst(lambda pipe: ttl.copy(pipe, blocks["theirs"]).wait())
            transfers = [ttl.copy(blocks["theirs"], out[0, me])]
            for transfer in transfers:
                transfer.wait()
            for blk in blocks.values():
                blk.push()

    out = blank((32, 64))
    op(tiled(numbered_tiles(1, 2)), out)
    assert values(out)[0, ::32].tolist() == [2, 1]


def test_blocks_can_be_keys_and_members() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            first, second = dfb.reserve(), dfb.reserve()
            seen = {first: 1, second: 2}
            assert seen[first] == 1 and first in [second, first] and first is not second
            for blk in seen:
                ttl.copy(a[0, 0], blk).wait()
                blk.push()

    op(tiled(numbers(32, 32)))


def test_names_that_mean_something_to_an_implementation() -> None:
    """Variables called grid, node, engine, block, copy are the program's own."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        grid = ttl.grid_size()
        node = ttl.node()
        engine = block = copy = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def kernel() -> None:
            assert (grid, node) == ((1, 1), (0, 0))
            assert engine is block is copy
            self = engine.reserve()
            with self as compute:
                ttl.copy(a[0, 0], compute).wait()
                ttl.copy(compute, out[0, 0]).wait()

    a, out = numbers(32, 32), blank((32, 32))
    op(tiled(a), out)
    assert np.array_equal(values(out), a)


def test_captured_objects_are_captured_and_not_copied(tmp_path: Path) -> None:
    lock = threading.Lock()
    log = (tmp_path / "log.txt").open("w", encoding="utf-8")
    large = np.zeros(4_000_000, np.float32)
    tensor = tiled(numbers(64, 64))
    generator = (n for n in range(100))
    module = sys
    found: list[Any] = []

    @ttl.operation(grid=(2, 2))
    def op(a: Any) -> None:
        me = ttl.node(dims=1)

        @ttl.datamovement()
        def kernel() -> None:
            with lock:
                log.write(f"node {me}\n")
                large[me] = me + 1
                found.append((id(large), id(tensor), id(lock), next(generator), module is sys))

    op(tensor)
    log.close()
    assert (tmp_path / "log.txt").read_text(encoding="utf-8").splitlines() == [f"node {n}" for n in range(4)]
    assert large[:5].tolist() == [1, 2, 3, 4, 0]
    assert found == [(id(large), id(tensor), id(lock), n, True) for n in range(4)]


def test_nonlocal_and_global_state_and_defaults() -> None:
    total = 0

    @ttl.operation(grid=(3, 1))
    def op(a: Any) -> None:
        mine = 0
        me = ttl.node(dims=1)

        @ttl.datamovement()
        def first(step: int = 10) -> None:
            nonlocal total, mine
            mine += step
            total += step * (me + 1)

        @ttl.datamovement()
        def second() -> None:
            nonlocal total
            total += mine  # the other kernel of this node came first in this schedule

    op(tiled(numbers(32, 32)))
    assert total == 10 + 20 + 30 + 30


def test_node_and_grid_size_in_operation_scope_steer_the_loops_of_kernels() -> None:
    @ttl.operation(grid=(2, 2))
    def op(a: Any, out: Any) -> None:
        tiles = a.shape[1] // ttl.TILE_SHAPE[1]
        nodes = ttl.grid_size(dims=1)
        start = ttl.node(dims=1) * -(-tiles // nodes)
        mine = range(start, min(start + -(-tiles // nodes), tiles))
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            for tile in mine:
                with dfb.reserve() as blk:
                    ttl.copy(a[0, tile], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            for tile in mine:
                with dfb.wait() as blk:
                    ttl.copy(blk, out[0, tile]).wait()

    a, out = numbered_tiles(1, 6), blank((32, 192))  # six tiles on four nodes: ragged
    op(tiled(a), out)
    assert np.array_equal(values(out), a)


def test_several_statements_on_a_line() -> None:
    # fmt: off
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1)); b_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))  # noqa: E702

        @ttl.datamovement()
        def move() -> None:
            x = a_dfb.reserve(); y = b_dfb.reserve(); ttl.copy(a[0, 0], x).wait(); ttl.copy(a[0, 1], y).wait()  # noqa: E702
            ttl.copy(x, out[0, 1]).wait(); ttl.copy(y, out[0, 0]).wait(); x.push(); y.push()  # noqa: E702
    # fmt: on

    out = blank((32, 64))
    op(tiled(numbered_tiles(1, 2)), out)
    assert values(out)[0, ::32].tolist() == [2, 1]


def test_exceptions_handled_inside_a_kernel() -> None:
    caught: list[str] = []

    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def kernel() -> None:
            try:
                raise KeyError("first")
            except KeyError as problem:
                caught.append(str(problem))
            try:
                ttl.copy(a[7, 7], dfb.reserve())
            except ttl.ProgramError as problem:
                caught.append(problem.code)

    op(tiled(numbers(32, 32)))
    assert caught == ["'first'", "TTL0507"]


def test_contexts_generators_and_comprehensions_in_kernels() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4)

        def tiles() -> Any:
            for tile in range(4):
                yield tile, dfb.reserve()

        @ttl.datamovement()
        def read() -> None:
            blocks = [(ttl.copy(a[0, tile], blk), blk) for tile, blk in tiles()]
            for xf, blk in blocks:
                xf.wait()
                blk.push()

        @ttl.datamovement()
        def write() -> None:
            buffer = io.StringIO()
            for tile in range(4):
                with dfb.wait() as blk:
                    ttl.copy(blk, out[0, tile]).wait()
                    buffer.write(str(tile))
            assert buffer.getvalue() == "0123"

    a, out = numbered_tiles(1, 4), blank((32, 128))
    op(tiled(a), out)
    assert np.array_equal(values(out), a)


class Layer:
    """An operation as a method, and as a static one."""

    def __init__(self, factor: int) -> None:
        self.factor = factor

    @ttl.operation(grid=(1, 1))
    def scale(self, a: Any, out: Any) -> None:
        a_dfb, out_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, out))

        @ttl.datamovement()
        def read() -> None:
            with a_dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with a_dfb.wait() as a_blk, out_dfb.reserve() as out_blk:
                out_blk.store(self.factor * a_blk)

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, out[0, 0]).wait()

    @staticmethod
    @ttl.operation(grid=(1, 1))
    def nothing(a: Any) -> None:
        @ttl.compute()
        def compute() -> None:
            pass


def test_an_operation_in_a_class_is_a_method() -> None:
    a, out = numbers(32, 32), blank((32, 32))
    Layer(3).scale(tiled(a), out)
    assert np.array_equal(values(out), 3 * a)
    Layer.scale(Layer(2), tiled(a), out)
    assert np.array_equal(values(out), 2 * a)
    Layer(1).nothing(tiled(a))


PROGRAM = """
import sys
import argparse
import ttnn
import ttl
from sibling import scale, make_reader

parser = argparse.ArgumentParser()
parser.add_argument("--grid", type=int)
parser.add_argument("--schedule-seed", default="program's own")
flags = parser.parse_args()

@ttl.operation(grid=(flags.grid, 1))
def op(a, out):
    me = ttl.node(dims=1)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    make_reader(a, dfb, me)

    @ttl.compute()
    def compute():
        with dfb.wait() as blk, out_dfb.reserve() as out_blk:
            out_blk.store(scale(blk))

    @ttl.datamovement()
    def write():
        with out_dfb.wait() as blk:
            ttl.copy(blk, out[0, me]).wait()

a = ttnn.ones((32, 32 * flags.grid), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
out = ttnn.zeros((32, 32 * flags.grid), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
op(a, out)
print(sys.argv[1:], flags.schedule_seed, ttnn.to_numpy(out).sum())
"""

SIBLING = """
import ttl

def scale(blk):
    return blk * 3

def make_reader(tensor, dfb, tile):
    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(tensor[0, tile], blk).wait()
"""


def test_sibling_imports_and_a_programs_own_flags(tmp_path: Path) -> None:
    """Kernels and helpers from a module beside the program; ``sys.argv`` is the program's."""
    (tmp_path / "sibling.py").write_text(SIBLING, encoding="utf-8")
    (tmp_path / "mine.py").write_text(PROGRAM, encoding="utf-8")
    outcome = run_ttl(["run", "mine.py", "--grid", "3", "--schedule-seed", "x"], folder=tmp_path)
    assert (outcome.stderr, outcome.status) == ("", 0)
    assert outcome.stdout == f"['--grid', '3', '--schedule-seed', 'x'] x {3 * 3 * 1024}.0\n"


def test_raise_from_is_shown_whole(tmp_path: Path) -> None:
    source = """
import ttnn
import ttl

@ttl.operation(grid=(2, 1))
def op(a):
    @ttl.datamovement()
    def read():
        if ttl.node(dims=1) == 1:
            try:
                {}["missing"]
            except KeyError as problem:
                raise ValueError("no such tile") from problem

op(ttnn.zeros((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))
"""
    outcome = run_program(source, folder=tmp_path)
    assert outcome.status == 1
    for words in (
        "KeyError: 'missing'",
        '{}["missing"]',
        "The above exception was the direct cause",
        "ValueError: no such tile",
        'raise ValueError("no such tile") from problem',
        "in kernel read on node (1, 0)",
    ):
        assert words in outcome.stderr, f"{words!r} is not in:\n{outcome.stderr}"
    assert "src/ttl/sim" not in outcome.stderr and "greenlet" not in outcome.stderr


def test_nothing_global_is_patched() -> None:
    """bfloat16 is in our tensors only: torch, numpy and Python are as they were, also after an error."""
    import builtins

    import torch

    def identities() -> list[int]:
        owners = (builtins, np, torch, torch.Tensor, np.ndarray)
        return [id(vars(owner)[name]) for owner in owners for name in sorted(vars(owner))]

    numbers_before = (
        torch.get_default_dtype(),
        np.geterr(),
        sys.getrecursionlimit(),
        torch.get_num_threads(),
    )
    warm = torch.ones(2) @ torch.ones(2), np.ones(2) @ np.ones(2)
    before = identities()

    @ttl.operation(grid=(2, 2))
    def op(a: Any, broken: bool) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def kernel() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()
            if broken:
                raise RuntimeError

    a = ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    for broken in (False, True):
        try:
            op(a, broken)
        except RuntimeError:
            assert broken
        assert identities() == before
    assert numbers_before == (
        torch.get_default_dtype(), np.geterr(), sys.getrecursionlimit(), torch.get_num_threads()
    )  # fmt: skip
    assert (torch.ones(2) @ torch.ones(2), np.ones(2) @ np.ones(2)) == warm
