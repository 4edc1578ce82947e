"""The native core against misuse of its objects: an error, never a crash, whatever is done to them."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import greenlet
import pytest
import torch
import ttnn

import ttl
from ttl import control, settings
from ttl.protocol.blocks import State

if not control.NATIVE:
    pytest.skip("the native core is not installed", allow_module_level=True)

import ttl._core as core

WHOLE = ("Node", "Kernel", "Buffer", "Block", "Value", "Slice", "Pipe", "PipeEnd", "NetView")


def tile(value: float = 1.0) -> Any:
    return ttnn.from_torch(torch.full((32, 32), value, dtype=torch.bfloat16), layout=ttnn.TILE_LAYOUT)


def launch(
    compute: Callable[[Any, Any], None] = lambda x, y: y.store(x + 1.0),
    read: Callable[[Any, Any], None] = lambda a, x: ttl.copy(a[0, 0], x).wait(),
    write: Callable[[Any, Any], None] = lambda y, out: ttl.copy(y, out[0, 0]).wait(),
) -> Any:
    """Call an operation of one node whose kernels do with their blocks what is given; the result's first element."""

    @ttl.operation(grid=(1, 1))
    def operation(a: Any, out: Any) -> None:
        first = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        second = ttl.make_dataflow_buffer_like(out, shape=(1, 1))

        @ttl.compute()
        def compute_kernel() -> None:
            with first.wait() as x, second.reserve() as y:
                compute(x, y)

        @ttl.datamovement()
        def read_kernel() -> None:
            with first.reserve() as x:
                read(a, x)

        @ttl.datamovement()
        def write_kernel() -> None:
            with second.wait() as y:
                write(y, out)

    a, out = tile(), tile(0.0)
    operation(a, out)
    return ttnn.to_torch(out)[0, 0].item()


def kept() -> dict[str, Any]:
    """Objects of a launch that is over."""
    found: dict[str, Any] = {}

    def compute(x: Any, y: Any) -> None:
        found.update(block=x, expression=x + 1.0, buffer=x.buffer)
        y.store(found["expression"])
        found["value"] = y.value

    def read(a: Any, x: Any) -> None:
        found["slice"] = a[0, 0]
        found["transfer"] = ttl.copy(found["slice"], x)
        found["transfer"].wait()

    launch(compute, read)
    return found


def derived(base: Any) -> list[Any]:
    found = [base]
    for cls in base.__subclasses__():
        found += derived(cls)
    return found


@pytest.mark.parametrize("name", WHOLE)
def test_objects_are_made_whole_or_not_at_all(name: str) -> None:
    for cls in derived(getattr(core, name)):
        with pytest.raises(TypeError):
            cls.__new__(cls)
        with pytest.raises(TypeError):
            cls()


def test_an_expression_without_fields_is_of_no_use() -> None:
    kind: Any = type(kept()["expression"])
    bare = kind.__new__(kind)
    for name in ("op", "params", "type"):
        with pytest.raises(AttributeError):
            getattr(bare, name)
    for wrong in (lambda x, y: y.store(bare), lambda x, y: y.store(x + bare), lambda x, y: y.store(bare + x)):
        with pytest.raises((ttl.TTLError, TypeError, AttributeError)):
            launch(wrong)
    with pytest.raises(TypeError):
        kind()


def test_objects_are_not_copied_and_not_pickled() -> None:
    for each in kept().values():
        for how in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises((TypeError, pickle.PicklingError, AttributeError)):
                how(each)


@pytest.mark.parametrize(
    ("of", "name"),
    [
        ("block", "buffer"), ("block", "kernel"), ("buffer", "engine"), ("buffer", "node"), ("buffer", "slots"),
        ("buffer", "held_reserved"), ("buffer", "held_waited"),
    ],
)  # fmt: skip
def test_what_an_object_cannot_do_without_is_not_removed(of: str, name: str) -> None:
    found = kept()[of]
    with pytest.raises(TypeError):
        delattr(found, name)
    for wrong in (None, 5):
        with pytest.raises(TypeError):
            setattr(found, name, wrong)


def test_a_state_is_one_of_the_table() -> None:
    block = kept()["block"]
    for wrong in (-1, len(State), 10**6, 1 << 70):
        with pytest.raises((ValueError, OverflowError)):
            block.state = wrong
    with pytest.raises((TypeError, ValueError)):
        del block.state


def test_entering_needs_a_block() -> None:
    cls = type(kept()["block"])
    for name in ("__enter__", "__exit__"):
        with pytest.raises(TypeError):
            getattr(cls, name).__get__(5)
        with pytest.raises(TypeError):
            getattr(cls, name)(5, None, None, None)


def test_instances_of_derived_classes_are_not_kept_for_later_objects() -> None:
    block = kept()["block"]
    derived_ = type("Derived", (type(block),), {})
    table = block.table
    for _ in range(100):
        derived_(block.buffer, block.kernel, table, 0, None, None).own = [1]
    gc.collect()
    seen: list[Any] = []

    def compute(x: Any, y: Any) -> None:
        seen.append((type(x), type(y)))
        y.store(x + 1.0)

    launch(compute)
    assert seen == [(type(block), type(block))]


def test_an_array_of_another_form_is_no_data_of_a_value() -> None:
    value = kept()["value"]
    for wrong in (
        torch.zeros(1, 1).numpy(),
        torch.zeros(64, 64).numpy(),
        torch.zeros(32, 32).double().numpy(),
    ):
        with pytest.raises(ValueError):
            type(value)(value.type, None, wrong)


def test_a_value_without_data_is_an_error_when_it_is_computed_with() -> None:
    def compute(x: Any, y: Any) -> None:
        x.value.array = None
        y.store(x + 1.0)

    with pytest.raises(Exception, match="whose computation has failed"):
        launch(compute)
    assert launch() == 2.0


def test_slices_outside_their_tensor_are_not_made() -> None:
    piece = kept()["slice"]
    for bounds in (((0, 1), (0, 1000)), ((-1, 1), (0, 1)), ((0, 1),), ()):
        with pytest.raises((ValueError, TypeError)):
            type(piece)(piece.storage, bounds, tuple(1 for _ in bounds), ())


def test_any_number_of_copies_of_a_block_may_be_under_way() -> None:
    def write(y: Any, out: Any) -> None:
        for _ in range(100_000):
            ttl.copy(y, out[0, 0])
        raise KeyError

    with pytest.raises(KeyError):
        launch(write=write)
    gc.collect()
    assert launch() == 2.0


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**70, 2**70 + 2**63, 2**70 + 2**64])
def test_numbers_of_every_kind_are_operands(number: int) -> None:
    assert (
        launch(lambda x, y: y.store(x * number)) == torch.tensor(float(number), dtype=torch.bfloat16).item()
    )


def test_idle_greenlets_of_another_greenlet_end_without_disturbing_it() -> None:
    assert launch() == 2.0  # its workers belong to this greenlet
    steps: list[Any] = []

    def other() -> str:
        steps.append(launch())
        return "end"

    assert greenlet.greenlet(other).switch() == "end"
    assert steps == [2.0]


def test_launches_of_several_threads_do_not_mix_what_they_record() -> None:
    program = """
import sys, threading, torch, ttl, ttnn
sys.setswitchinterval(1e-6)
def run(number, problems):
    for turn in range(12):
        @ttl.operation(grid=(1, 1))
        def operation(a, out):
            first = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
            second = ttl.make_dataflow_buffer_like(out, shape=(1, 1))
            @ttl.compute()
            def compute():
                with first.wait() as x, second.reserve() as y:
                    e = x
                    for _ in range(number + 1):
                        e = e + float(turn)
                    y.store(e)
            @ttl.datamovement()
            def read():
                with first.reserve() as x:
                    ttl.copy(a[0, 0], x).wait()
            @ttl.datamovement()
            def write():
                with second.wait() as y:
                    ttl.copy(y, out[0, 0]).wait()
        a = ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
        out = ttnn.from_torch(torch.zeros(32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
        operation(a, out)
        if ttnn.to_torch(out)[0, 0].item() != 1 + (number + 1) * turn:
            problems.append((number, turn, ttnn.to_torch(out)[0, 0].item()))
problems = []
threads = [threading.Thread(target=run, args=(number, problems)) for number in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(problems)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr[-2000:]


def test_a_random_source_that_fails_ends_the_launch() -> None:
    class Broken(random.Random):
        left = 1

        def randrange(self, *args: Any, **kwargs: Any) -> int:
            self.left -= 1
            if self.left < 0:
                raise KeyError("broken")
            return super().randrange(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ttl.sim.scheduler.random.Random", Broken)
        with settings.override(schedule_seed=1, replay="off"), pytest.raises(KeyError, match="broken"):
            launch()
    assert launch() == 2.0
