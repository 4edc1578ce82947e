"""``--target emu``: programs of users, compiled, on the emulated chip."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import ttnn

import ttl
from emu.harness import tensor_of, values_of
from support.programs import run_ttl
from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription, from_json, to_json
from ttl.diag import ProgramError
from ttl.emu import Run, run, target
from ttl.host.tensor import Tensor
from ttl.settings import override

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize(
    "name", ["ring_all_gather", "row_major_copy", "spec_one_to_many_barrier", "spec_tensor_slice"]
)
def test_an_example_gives_the_same_as_on_the_simulator(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    found = run_ttl(["run", "--target", "emu", str(EXAMPLES / f"{name}.py")], folder=tmp_path)
    assert found.status == 0, found.stderr
    assert "ok" in found.stdout


@ttl.operation(grid=(2, 2))
def scaled_product(a, b, c):  # type: ignore[no-untyped-def]
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    c_dfb = ttl.make_dataflow_buffer_like(c, shape=(1, 1))
    x, y = ttl.node(dims=2)

    @ttl.datamovement()
    def read():  # type: ignore[no-untyped-def]
        with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
            one, two = ttl.copy(a[y, x], a_blk), ttl.copy(b[y, x], b_blk)
            one.wait()
            two.wait()

    @ttl.compute()
    def compute():  # type: ignore[no-untyped-def]
        with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, c_dfb.reserve() as c_blk:
            c_blk.store(a_blk * b_blk)

    @ttl.datamovement()
    def write():  # type: ignore[no-untyped-def]
        with c_dfb.wait() as c_blk:
            ttl.copy(c_blk, c[y, x]).wait()


def test_an_operation_changes_the_tensors_it_writes_and_no_others() -> None:
    random = np.random.default_rng(1)
    a, b = (tensor_of(random.integers(-8, 8, (64, 64)).astype(np.float32)) for _ in range(2))
    c = tensor_of(np.zeros((64, 64), np.float32))
    a, b, c = (ttnn.to_device(each, ttnn.open_device(device_id=0)) for each in (a, b, c))
    before = values_of(a)
    with override(target="emu"):
        scaled_product(a, b, c)
    np.testing.assert_array_equal(values_of(c), values_of(a) * values_of(b))
    np.testing.assert_array_equal(values_of(a), before)


def test_a_call_of_a_known_kind_is_not_read_again_and_runs_on_its_own_tensors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = ttnn.open_device(device_id=0)

    def on_device(value: float) -> Tensor:
        return ttnn.to_device(tensor_of(np.full((64, 64), value, np.float32)), device)

    one, two, three, out, other = (on_device(value) for value in (1.0, 2.0, 3.0, 0.0, 0.0))
    with override(target="emu"):
        scaled_product(one, two, out)
        monkeypatch.setattr(target, "read_call", None)
        scaled_product(three, two, c=other)
        scaled_product(two, three, other)
        assert np.all(values_of(out) == 2) and np.all(values_of(other) == 6)
        with pytest.raises(TypeError):  # one tensor twice is another program
            scaled_product(two, two, other)


def test_a_captured_tensor_is_looked_up_at_every_call() -> None:
    device = ttnn.open_device(device_id=0)
    ones = ttnn.to_device(tensor_of(np.ones((32, 32), np.float32)), device)
    captured = ones

    @ttl.operation(grid=(1, 1))
    def copy(out):  # type: ignore[no-untyped-def]
        dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))

        @ttl.datamovement()
        def read():  # type: ignore[no-untyped-def]
            with dfb.reserve() as blk:
                ttl.copy(captured[0, 0], blk).wait()

        @ttl.datamovement()
        def write():  # type: ignore[no-untyped-def]
            with dfb.wait() as blk:
                ttl.copy(blk, out[0, 0]).wait()

    out = ttnn.to_device(tensor_of(np.zeros((32, 32), np.float32)), device)
    with override(target="emu"):
        copy(out)
        captured = ttnn.to_device(tensor_of(np.full((32, 32), 7.0, np.float32)), device)
        copy(out)
    assert np.all(values_of(out) == 7)


def test_a_broken_kernel_is_reported_at_the_line_of_the_program_it_comes_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Kernels of the compiler break no rule; here one has lost its barrier."""

    def without_barrier(
        description: ProgramDescription, tensors: list[Tensor], chip: Chip, watcher: None, *rest: object
    ) -> Run:
        kernels = tuple(
            replace(each, source=each.source.replace("noc_async_read_barrier();", ""))
            for each in description.kernels
        )
        return run(replace(description, kernels=kernels), tensors)

    monkeypatch.setattr(target, "launched", without_barrier)
    device = ttnn.open_device(device_id=0)
    a, b, c = (ttnn.to_device(tensor_of(np.ones((64, 64), np.float32)), device) for _ in range(3))
    with override(target="emu"), pytest.raises(ProgramError, match="TTL1509") as caught:
        scaled_product(a, b, c)
    said = str(caught.value)
    assert "kernel read pushes 1 page of b_dfb into which a read is still under way" in said
    assert "with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:" in said
    assert "the compiler of this package wrote this kernel: please report it" in said


def test_every_call_of_a_kernel_knows_its_line_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[ProgramDescription] = []

    def only_look(
        description: ProgramDescription, tensors: list[Tensor], chip: Chip, watcher: None, *rest: object
    ) -> Run:
        seen.append(description)
        return run(description, tensors)

    monkeypatch.setattr(target, "launched", only_look)
    device = ttnn.open_device(device_id=0)
    a, b, c = (ttnn.to_device(tensor_of(np.ones((64, 64), np.float32)), device) for _ in range(3))
    with override(target="emu"):
        scaled_product(a, b, c)
    (description,) = seen
    for kernel in description.kernels:
        for number, text in enumerate(kernel.source.splitlines(), 1):
            if text.lstrip().startswith(
                ("cb_", "noc_async_read", "noc_async_write_page", "tile_regs_", "mul_tiles(", "pack_tile")
            ):
                assert Path(kernel.lines[number].file) == Path(__file__), (kernel.name, text)
    (multiply,) = (each for each in description.kernels if each.thread == "tensix")
    (line,) = (
        n for n, text in enumerate(multiply.source.splitlines(), 1) if text.lstrip().startswith("mul_tiles(")
    )
    shown = Path(__file__).read_text(encoding="utf-8").splitlines()[multiply.lines[line].line - 1]
    assert shown.strip() == "c_blk.store(a_blk * b_blk)"
    assert from_json(to_json(description)) == description, "lines are no part of the description's text"


@ttl.operation(grid=(2, 1))
def shift(a, y):  # type: ignore[no-untyped-def]
    """Both buffers are scratch memory of one kernel each, as in the specification's examples of pipes."""
    node = ttl.node(dims=1)
    net = ttl.PipeNet([ttl.Pipe(src=(x, 0), dst=(1 - x, 0)) for x in range(2)])
    own_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    received_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def send():  # type: ignore[no-untyped-def]
        with own_dfb.reserve() as own_blk:
            ttl.copy(a[0, node], own_blk).wait()
            net.if_src(lambda pipe: ttl.copy(own_blk, pipe).wait())

    @ttl.datamovement()
    def receive():  # type: ignore[no-untyped-def]
        with received_dfb.reserve() as received_blk:
            net.if_dst(lambda pipe: ttl.copy(pipe, received_blk).wait())
            ttl.copy(received_blk, y[0, node]).wait()


def test_blocks_that_nobody_waits_for_may_be_left() -> None:
    """They are worth a warning of the language (TTL0904), and do the chip no harm."""
    device = ttnn.open_device(device_id=0)
    columns = np.repeat(np.arange(2, dtype=np.float32), 32) * np.ones((32, 1), np.float32)
    a, y = (ttnn.to_device(tensor_of(each), device) for each in (columns, np.zeros_like(columns)))
    with override(target="emu"):
        shift(a, y)
    np.testing.assert_array_equal(values_of(y), columns[:, ::-1])


def test_what_was_waited_for_has_to_be_popped(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_pop(
        description: ProgramDescription, tensors: list[Tensor], chip: Chip, watcher: None, *rest: object
    ) -> Run:
        kernels = tuple(
            replace(each, source=each.source.replace("cb_pop_front(c_dfb, 1);", ""))
            for each in description.kernels
        )
        return run(replace(description, kernels=kernels), tensors)

    monkeypatch.setattr(target, "launched", without_pop)
    device = ttnn.open_device(device_id=0)
    a, b, c = (ttnn.to_device(tensor_of(np.ones((64, 64), np.float32)), device) for _ in range(3))
    with override(target="emu"), pytest.raises(ProgramError, match="TTL1508") as caught:
        scaled_product(a, b, c)
    assert "has pushed 1 page of c_dfb that were not popped" in str(caught.value)
