"""Wrong arguments to every public function: an error at the call, never a TypeError of Python's."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.findings import findings, only, program

# Place of the statement in the program, statement, code, text the error points at.
_CASES = [
    # Specification, "Copy" and "Group transfer"
    ("read", "ttl.copy(x[0, 0])", "TTL0223", "ttl.copy(x[0, 0])"),
    ("read", "ttl.copy()", "TTL0223", "ttl.copy()"),
    ("read", "ttl.copy(x[0, 0], x_blk, 3)", "TTL0223", "ttl.copy(x[0, 0], x_blk, 3)"),
    ("read", "ttl.copy(source=x[0, 0], dst=x_blk)", "TTL0223", "ttl.copy(source=x[0, 0], dst=x_blk)"),
    ("read", "ttl.copy(x, x_blk)", "TTL0502", "ttl.copy(x, x_blk)"),
    ("read", "ttl.copy(None, x_blk)", "TTL0502", "ttl.copy(None, x_blk)"),
    ("read", "ttl.copy(torch.ones(32, 32), x_blk)", "TTL0502", "ttl.copy(torch.ones(32, 32), x_blk)"),
    ("read", "ttl.copy(x[0, 0], x_dfb)", "TTL0502", "ttl.copy(x[0, 0], x_dfb)"),
    ("read", "ttl.copy(x[0, 0], net)", "TTL0502", "ttl.copy(x[0, 0], net)"),
    ("read", "ttl.copy([x[0, 0]], x_blk)", "TTL0502", "ttl.copy([x[0, 0]], x_blk)"),
    ("read", "ttl.copy(x[0, 0], x_blk).wait(1)", "TTL0223", "ttl.copy(x[0, 0], x_blk).wait(1)"),
    ("read", "ttl.GroupTransfer(1)", "TTL0223", "ttl.GroupTransfer(1)"),
    ("read", "ttl.GroupTransfer().add()", "TTL0223", "ttl.GroupTransfer().add()"),
    ("read", "ttl.GroupTransfer().add(x_blk)", "TTL0512", "ttl.GroupTransfer().add(x_blk)"),
    ("read", "ttl.GroupTransfer().wait_all(1)", "TTL0223", "ttl.GroupTransfer().wait_all(1)"),
    # Specification, "Tensor slice"
    ("read", "x[0.0, 0]", "TTL0506", "x[0.0, 0]"),
    ("read", "x['a', 0]", "TTL0506", "x['a', 0]"),
    ("read", "x[None, 0]", "TTL0506", "x[None, 0]"),
    ("read", "x[[0], 0]", "TTL0506", "x[[0], 0]"),
    ("read", "x[True, 0]", "TTL0506", "x[True, 0]"),
    ("read", "x[0:1.0, 0]", "TTL0506", "x[0:1.0, 0]"),
    ("read", "x[0, 0, 0]", "TTL0505", "x[0, 0, 0]"),
    ("read", "x[2, 0]", "TTL0507", "x[2, 0]"),
    ("read", "x[-1, 0]", "TTL0507", "x[-1, 0]"),
    ("read", "x[10**20, 0]", "TTL0507", "x[10**20, 0]"),
    ("read", "x[0:3, 0]", "TTL0507", "x[0:3, 0]"),
    ("read", "x[0:2:2, 0]", "TTL0508", "x[0:2:2, 0]"),
    ("read", "x[1:1, 0]", "TTL0509", "x[1:1, 0]"),
    # Specification, "Dataflow buffer"
    ("read", "x_dfb.reserve(1)", "TTL0223", "x_dfb.reserve(1)"),
    ("compute", "x_dfb.wait(timeout=1)", "TTL0223", "x_dfb.wait(timeout=1)"),
    ("body", "ttl.make_dataflow_buffer_like(x)", "TTL0223", "ttl.make_dataflow_buffer_like(x)"),
    ("body", "ttl.make_dataflow_buffer_like(None, (1, 1))", "TTL0319", None),
    ("body", "ttl.make_dataflow_buffer_like(torch.ones(2, 2), (1, 1))", "TTL0319", None),
    ("body", "ttl.make_dataflow_buffer_like((1, 1), x)", "TTL0319", None),
    ("body", "ttl.make_dataflow_buffer_like(x, shape=None)", "TTL0323", None),
    ("body", "ttl.make_dataflow_buffer_like(x, shape='11')", "TTL0323", None),
    ("body", "ttl.make_dataflow_buffer_like(x, shape=(1.0, 1))", "TTL0323", None),
    ("body", "ttl.make_dataflow_buffer_like(x, shape=(0, 1))", "TTL0323", None),
    ("body", "ttl.make_dataflow_buffer_like(x, shape=())", "TTL0323", None),
    ("body", "ttl.make_dataflow_buffer_like(x, shape=(True, 1))", "TTL0323", None),
    ("body", "ttl.make_dataflow_buffer_like(x, shape=4)", "TTL0320", None),
    ("body", "ttl.make_dataflow_buffer_like(x, (1, 1), block_count=0)", "TTL0321", None),
    ("body", "ttl.make_dataflow_buffer_like(x, (1, 1), block_count=2.0)", "TTL0321", None),
    ("body", "ttl.make_dataflow_buffer_like(x, (1, 1), block_count='2')", "TTL0321", None),
    ("body", "ttl.make_dataflow_buffer_like(x, (1, 1), blocks=2)", "TTL0223", None),
    # Specification, "Block"
    ("compute", "y_blk.store()", "TTL0223", "y_blk.store()"),
    ("compute", "y_blk.store(x_blk, x_blk, x_blk)", "TTL0223", "y_blk.store(x_blk, x_blk, x_blk)"),
    ("compute", "y_blk.store(value=x_blk)", "TTL0223", "y_blk.store(value=x_blk)"),
    ("compute", "y_blk.store(None)", "TTL0330", "y_blk.store(None)"),
    ("compute", "y_blk.store(3)", "TTL0330", "y_blk.store(3)"),
    ("compute", "y_blk.store('x')", "TTL0330", "y_blk.store('x')"),
    ("compute", "y_blk.store(x)", "TTL0330", "y_blk.store(x)"),
    ("compute", "y_blk.store(x_dfb)", "TTL0330", "y_blk.store(x_dfb)"),
    ("compute", "y_blk.store([x_blk])", "TTL0330", "y_blk.store([x_blk])"),
    ("compute", "y_blk.store(np.ones(3))", "TTL0330", "y_blk.store(np.ones(3))"),
    ("compute", "y_blk.push(1)", "TTL0223", "y_blk.push(1)"),
    ("compute", "x_blk.pop(1)", "TTL0223", "x_blk.pop(1)"),
    ("compute", "ttl.math.exp()", "TTL0223", "ttl.math.exp()"),
    ("compute", "ttl.math.exp(x_blk, fast=True)", "TTL0223", "ttl.math.exp(x_blk, fast=True)"),
    ("compute", "ttl.block.fill(shape=(1, 1))", "TTL0223", "ttl.block.fill(shape=(1, 1))"),
    # Specification, "Grid"
    ("body", "ttl.grid_size(0)", "TTL0202", "ttl.grid_size(0)"),
    ("body", "ttl.grid_size('x')", "TTL0202", "ttl.grid_size('x')"),
    ("compute", "ttl.node(2.0)", "TTL0202", "ttl.node(2.0)"),
    ("compute", "ttl.node(dims=None)", "TTL0202", "ttl.node(dims=None)"),
    ("compute", "ttl.node(dims=True)", "TTL0202", "ttl.node(dims=True)"),
    ("compute", "ttl.node(dim=2)", "TTL0223", "ttl.node(dim=2)"),
    ("read", "ttl.grid_size(1, 2)", "TTL0223", "ttl.grid_size(1, 2)"),
    # Specification, "Pipe" and "Pipe net"
    ("body", "ttl.Pipe()", "TTL0604", "ttl.Pipe()"),
    ("body", "ttl.Pipe((0, 0), None)", "TTL0604", "ttl.Pipe((0, 0), None)"),
    ("body", "ttl.Pipe(src=(0, 0), dts=(0, 0))", "TTL0223", "ttl.Pipe(src=(0, 0), dts=(0, 0))"),
    ("body", "ttl.PipeNet()", "TTL0633", "ttl.PipeNet()"),
    ("body", "ttl.PipeNet(None)", "TTL0633", "ttl.PipeNet(None)"),
    ("body", "ttl.PipeNet([(0, 0)])", "TTL0605", "ttl.PipeNet([(0, 0)])"),
    ("body", "ttl.PipeNet('net')", "TTL0605", "ttl.PipeNet('net')"),
    ("read", "net.if_src()", "TTL0223", "net.if_src()"),
    ("read", "net.if_src(None)", "TTL0606", "net.if_src(None)"),
    ("read", "net.if_dst(net.is_dst())", "TTL0606", "net.if_dst(net.is_dst())"),
    ("read", "net.if_src(lambda: None)", "TTL0609", "net.if_src(lambda: None)"),
    ("read", "net.if_dst(lambda pipe, blk: None)", "TTL0609", "net.if_dst(lambda pipe, blk: None)"),
    ("read", "net.is_src(1)", "TTL0223", "net.is_src(1)"),
    # Specification, "Semaphore"
    ("body", "ttl.Semaphore(-1)", "TTL0702", "ttl.Semaphore(-1)"),
    ("body", "ttl.Semaphore('x')", "TTL0702", "ttl.Semaphore('x')"),
    ("body", "ttl.Semaphore(2**32)", "TTL0702", "ttl.Semaphore(2**32)"),
    ("body", "ttl.Semaphore(0, 1)", "TTL0223", "ttl.Semaphore(0, 1)"),
    ("read", "done.wait_eq()", "TTL0223", "done.wait_eq()"),
    ("read", "done.wait_ge(1.5)", "TTL0702", "done.wait_ge(1.5)"),
    ("read", "done.set(None)", "TTL0702", "done.set(None)"),
    ("read", "done.get_remote()", "TTL0223", "done.get_remote()"),
    ("read", "done.get_remote('x')", "TTL0601", "done.get_remote('x')"),
    ("read", "done.get_remote((0.0, 0))", "TTL0601", "done.get_remote((0.0, 0))"),
    ("read", "done.get_remote((1, 0))", "TTL0603", "done.get_remote((1, 0))"),
    ("read", "done.get_remote(())", "TTL0601", "done.get_remote(())"),
    ("read", "done.get_remote_multicast((slice(0, 2), 0))", "TTL0603", None),
    ("read", "done.get_remote_multicast((slice(0, 1, 2), 0))", "TTL0602", None),
    ("read", "done.get_remote((0, 0)).inc()", "TTL0223", "done.get_remote((0, 0)).inc()"),
    ("read", "done.get_remote((0, 0)).inc(-1)", "TTL0702", "done.get_remote((0, 0)).inc(-1)"),
    ("read", "done.get_remote_multicast().inc(1)", "TTL0701", "done.get_remote_multicast().inc(1)"),
    # Specification, "Performance and debugging"
    ("compute", "ttl.signpost()", "TTL0223", "ttl.signpost()"),
    ("compute", "ttl.signpost(1)", "TTL0214", "ttl.signpost(1)"),
    ("compute", "print(x_blk, y_blk)", "TTL0212", "print(x_blk, y_blk)"),
    ("compute", "print(x_blk, num_pages=1)", "TTL0216", "print(x_blk, num_pages=1)"),
    ("read", "print(x, num_pages='all')", "TTL0217", "print(x, num_pages='all')"),
    # Specification, "Operation function"
    ("body", "ttl.compute(3)", "TTL0209", "ttl.compute(3)"),
    ("body", "ttl.datamovement()(None)", "TTL0209", "ttl.datamovement()(None)"),
    ("body", "ttl.compute(kind='fast')", "TTL0223", "ttl.compute(kind='fast')"),
    ("after", "op(x)", "TTL0208", "op(x)"),
    ("after", "op(x, y, x)", "TTL0208", "op(x, y, x)"),
    ("after", "op(x, out=y)", "TTL0208", "op(x, out=y)"),
    ("after", "ttl.operation(gird=(1, 1))", "TTL0223", "ttl.operation(gird=(1, 1))"),
    ("after", "ttl.operation((1, 1), 2)", "TTL0223", "ttl.operation((1, 1), 2)"),
    ("after", "ttl.operation(grid=0)", "TTL0207", "ttl.operation(grid=0)"),
    ("after", "ttl.operation(grid=(1, 0))", "TTL0207", "ttl.operation(grid=(1, 0))"),
    ("after", "ttl.operation(grid=(1.0, 1))", "TTL0207", "ttl.operation(grid=(1.0, 1))"),
    ("after", "ttl.operation(grid='ful')", "TTL0207", "ttl.operation(grid='ful')"),
    ("after", "ttl.operation(grid=())", "TTL0207", "ttl.operation(grid=())"),
    ("after", "ttl.operation()(int)", "TTL0209", "ttl.operation()(int)"),
]


@pytest.mark.parametrize(("place", "statement", "code", "at"), _CASES, ids=[case[1] for case in _CASES])
def test_a_wrong_call(place: str, statement: str, code: str, at: str | None, tmp_path: Path) -> None:
    found = only(program(**{place: statement}), tmp_path)
    assert (found.code, found.severity) == (code, "error"), found
    assert found.at == (statement if at is None else at)
    assert "Sim" not in found.message
    assert "NoneType" not in found.message
    if place in ("read", "compute"):
        assert f"in kernel {place} on node (0, 0)" in found.notes


@pytest.mark.parametrize(
    "statement",
    [
        "ttl.copy(x[np.int64(0), torch.tensor(0)], x_blk); ttl.copy(x_blk, y[0, 1]).wait()",
        "ttl.node(dims=np.int32(1))",
        "done.set(np.uint32(7))",
        "done.get_remote(0); done.get_remote([0, 0]); done.get_remote_multicast((slice(None), 0))",
        "net.if_src(lambda *pipes: None); net.if_dst(lambda pipe, blk=x_blk: None)",
        "ttl.copy(dst=x_blk, src=x[0, :1]); ttl.copy(x_blk, y[0, 1]).wait()",
    ],
)
def test_calls_that_are_right(statement: str, tmp_path: Path) -> None:
    assert findings(program(read=statement), tmp_path) == []


@pytest.mark.parametrize(
    ("statement", "help"),
    [
        ("ttl.node(dim=2)", "did you mean dims=?"),
        ("ttl.copy(src=x[0, 0], dest=x_blk)", "did you mean dst=?"),
        ("ttl.copy(x[0, 0])", "it is called as ttl.copy(src, dst)"),
        ("x_dfb.reserve(1)", "it is called as DataflowBuffer.reserve()"),
        ("done.wait_eq()", "it is called as Semaphore.wait_eq(value)"),
    ],
)
def test_a_wrong_call_is_told_how_to_call(statement: str, help: str, tmp_path: Path) -> None:
    assert help in only(program(read=statement), tmp_path).help


@pytest.mark.parametrize("statement", ["net.send()", "ttl.Pipe((0, 0), (0, 0)).to"])
def test_names_of_the_implementation_are_not_recommended(statement: str, tmp_path: Path) -> None:
    (help,) = only(program(body=statement), tmp_path).help
    assert help.startswith("it has ")
    assert "slow" not in help
    assert "forget" not in help


def test_older_parameters_are_not_recommended(tmp_path: Path) -> None:
    for statement in ("ttl.make_dataflow_buffer_like(x)", "ttl.Pipe(source=1)"):
        said = " ".join(only(program(body=statement), tmp_path).help)
        assert "buffer_factor" not in said
        assert "core" not in said


def test_a_users_own_type_error_stays_as_it_is(tmp_path: Path) -> None:
    """Also when a function or class of the program has the name of one of ours."""
    from support.programs import run_program

    own = """
def copy(a): pass
class Block: pass
for attempt in (lambda: copy(), lambda: len(Block()), lambda: (_ for _ in ()).throw(TypeError("a Block"))):
    try:
        attempt()
    except TypeError:
        pass
copy()
"""
    outcome = run_program(program(read=own), folder=tmp_path)
    assert "TTL" not in outcome.stderr
    assert "TypeError" in outcome.stderr
    assert "copy() missing 1 required positional argument: 'a'" in outcome.stderr
    assert "in kernel read on node (0, 0)" in outcome.stderr


@pytest.mark.parametrize(
    ("place", "statement"),
    [
        ("read", "ttl.copy(torch.ones(64, 64)[0, 0], x_blk)"),
        ("read", "ttl.copy(x_blk, np.zeros((32, 32)))"),
        ("body", "ttl.make_dataflow_buffer_like(torch.ones(64, 64), (1, 1))"),
    ],
)
def test_tensors_of_other_libraries_are_to_be_converted(place: str, statement: str, tmp_path: Path) -> None:
    assert "ttnn.from_torch(...)" in only(program(**{place: statement}), tmp_path).help[0]
