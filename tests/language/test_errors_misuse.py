"""Objects of the language used as Python values they are not, names that do not exist, kernels that are no kernels."""

from __future__ import annotations

from pathlib import Path

import pytest
import ttnn

import ttl
from support.findings import findings, only, program

_VALUES = [
    # Blocks and expressions as sequences, numbers, arrays
    ("compute", "len(x_blk)", "TTL0225", "a block has no length"),
    ("compute", "len(x_blk + 1)", "TTL0225", "a block expression has no length"),
    ("compute", "x_blk[0]", "TTL0364", "an index of the number 0 in a sub-view of a block"),
    ("compute", "x_blk[0, 0] = 1", "TTL0366", "assignment to a sub-view of a block of x_dfb"),
    ("compute", "list(x_blk)", "TTL0225", "a block cannot be iterated over"),
    ("compute", "first, second = x_blk", "TTL0225", "a block cannot be iterated over"),
    ("compute", "[*x_blk]", "TTL0225", None),
    ("compute", "float(x_blk)", "TTL0225", "a block is not a Python number"),
    ("compute", "int(x_blk)", "TTL0225", "a block is not a Python number"),
    ("compute", "round(x_blk)", "TTL0225", None),
    ("compute", "range(x_blk)", "TTL0225", "a block is not a Python number"),
    ("compute", "math.exp(x_blk)", "TTL0225", "a block is not a Python number"),
    ("compute", "np.add(x_blk, 1)", "TTL0225", "a block is not data of NumPy or torch"),
    ("compute", "np.exp(x_blk)", "TTL0225", "a block is not data of NumPy or torch"),
    ("compute", "torch.exp(x_blk)", "TTL0225", "a block is not data of NumPy or torch"),
    ("compute", "torch.nn.functional.relu(x_blk)", "TTL0225", None),
    ("compute", "torch.tensor(x_blk)", "TTL0225", None),
    ("compute", "f'{x_blk:.3f}'", "TTL0225", "a block cannot be formatted like a number"),
    ("compute", "x_blk()", "TTL0225", "a block is not a function to call"),
    ("compute", "np.asarray(x_blk)", "TTL0337", None),
    ("compute", "np.array([x_blk, x_blk])", "TTL0337", None),
    ("compute", "np.sum(x_blk)", "TTL0225", None),
    ("compute", "bool(x_blk)", "TTL0422", None),
    ("compute", "x_blk if x_blk else y_blk", "TTL0422", None),
    ("compute", "x_blk and y_blk", "TTL0422", None),
    ("compute", "not x_blk", "TTL0422", None),
    ("compute", "max(x_blk, x_blk)", "TTL0422", None),
    ("compute", "x_blk < 0 or None", "TTL0422", None),
    ("compute", "1 if x_blk == 0 else 2", "TTL0422", None),
    ("compute", "[x_blk + 1] != [x_blk]", "TTL0422", None),
    (
        "compute",
        "1.5 in [x_blk]",
        "TTL0336",
        "Python compares a block expression with float 1.5, which is always a different object",
    ),
    ("compute", "[x_blk + 1].index(0)", "TTL0336", None),
    (
        "compute",
        "x_blk == None",
        "TTL0401",
        "ttl.math.eq: `b` must be a block expression or a number, not None",
    ),
    ("compute", "y_dfb != x_blk", "TTL0401", None),
    ("compute", "x_blk == x", "TTL0401", None),
    # Dataflow buffers where blocks are meant
    ("compute", "y_dfb + 1", "TTL0225", "a dataflow buffer is not an operand"),
    ("compute", "-y_dfb", "TTL0225", "a dataflow buffer is not an operand"),
    ("compute", "list(y_dfb)", "TTL0225", "a dataflow buffer cannot be iterated over"),
    ("compute", "y_dfb[0]", "TTL0225", "a dataflow buffer cannot be indexed"),
    ("compute", "len(y_dfb)", "TTL0225", "a dataflow buffer has no length"),
    ("compute", "y_dfb.store(x_blk)", "TTL0224", "a dataflow buffer has no attribute store"),
    ("compute", "ttl.math.exp(x_dfb)", "TTL0401", None),
    ("compute", "x_blk + y_dfb", "TTL0401", None),
    ("compute", "x_blk + x", "TTL0401", None),
    # Transfers, pipes, semaphores
    ("read", "ttl.copy(x[0, 0], x_blk) + 1", "TTL0225", "a transfer handle is not an operand"),
    ("read", "len(net)", "TTL0225", "a pipe net has no length"),
    ("read", "list(net)", "TTL0225", "a pipe net cannot be iterated over"),
    ("read", "done + 1", "TTL0225", "a semaphore is not an operand"),
    ("read", "done.inc(1)", "TTL0224", "a semaphore has no attribute inc"),
    ("read", "done.value", "TTL0224", "a semaphore has no attribute value"),
    ("read", "net.if_source(print)", "TTL0224", "a pipe net has no attribute if_source"),
    # Attributes
    ("compute", "x_blk.wait()", "TTL0224", "a block has no attribute wait"),
    ("compute", "x_blk.shape = (2, 2)", "TTL0224", "shape of a block cannot be set"),
    ("compute", "x_blk.name = 'x'", "TTL0224", "a block has no attribute name"),
    ("compute", "(x_blk + 1).store(x_blk)", "TTL0224", "a block expression has no attribute store"),
    ("write", "y[0, 0] = y_blk", "TTL0230", None),
    # Names
    ("compute", "ttl.math.exq(x_blk)", "TTL0228", "TT-Lang has no ttl.math.exq"),
    ("compute", "ttl.block.brodcast(x_blk)", "TTL0228", "TT-Lang has no ttl.block.brodcast"),
    ("compute", "ttl.sem", "TTL0228", "TT-Lang has no ttl.sem"),
    # Constructing
    ("compute", "ttl.Block()", "TTL0338", "a block is not made by calling its class"),
    ("body", "ttl.DataflowBuffer(x, (1, 1))", "TTL0338", None),
    ("read", "ttl.Transfer()", "TTL0338", None),
    ("read", "ttl.TensorSlice(x)", "TTL0338", None),
    # Kernels and operations
    ("compute", "read()", "TTL0226", "data movement kernel read called like a function"),
    ("compute", "compute()", "TTL0226", "compute kernel compute called like a function"),
    ("compute", "op(x, y)", "TTL0218", None),
]


@pytest.mark.parametrize(
    ("place", "statement", "code", "message"), _VALUES, ids=[f"{case[0]}: {case[1]}" for case in _VALUES]
)
def test_the_wrong_kind_of_value(
    place: str, statement: str, code: str, message: str | None, tmp_path: Path
) -> None:
    found = only(program(**{place: statement}), tmp_path)
    assert found.code == code, found
    assert message is None or found.message == message
    assert found.at and found.at in statement
    assert found.help, "an error says what to write instead"
    for private in ("SimB", "SimT", "SimS", "'Expr'", "NoneType", "KernelFunction"):
        assert private not in " ".join((found.message, *found.notes, *found.help))


@pytest.mark.parametrize(
    ("statement", "function"),
    [
        ("x_blk.T", "ttl.block.transpose(blk)"),
        ("x_blk.exp()", "ttl.math.exp(blk)"),
        ("x_blk.sum(-1)", "ttl.math.reduce_sum(blk, ...)"),
        ("(x_blk * 2).to(ttnn.float32)", "ttl.math.typecast(blk, ...)"),
    ],
)
def test_methods_of_other_libraries_arrays_name_the_function(
    statement: str, function: str, tmp_path: Path
) -> None:
    found = only(program(compute=statement), tmp_path)
    assert (found.code, found.help) == ("TTL0224", (f"a function does that: {function}",))


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        ("op(x, y, sise=2)", "did you mean size?"),
        ("op(x)", "pass the tensors in the order the operation declares them"),
    ],
)
def test_a_call_that_does_not_fit_shows_the_parameters(call: str, advice: str) -> None:
    @ttl.operation(grid=(1, 1))
    def op(x: ttnn.Tensor, y: ttnn.Tensor, *, size: int = 1) -> None:
        raise AssertionError("not called")

    with pytest.raises(ttl.ProgramError) as caught:
        eval(call, {"op": op, "x": None, "y": None})
    found = caught.value.diagnostic
    assert "operation op(x, y, *, size=...) called" in found.message
    assert found.help == (advice,)


@pytest.mark.parametrize(
    "statement",
    [
        "x_blk.shape[0] + x_blk.shape[1]",
        "assert x_blk.shape == (1, 1)",
        "assert x_blk is not None and x_blk not in (None, y_blk) and [x_blk, None] == [x_blk, None]",
        "assert x_blk is x_blk and x_blk is not y_blk and x_blk in [y_blk, x_blk] and [y_blk, x_blk].index(x_blk)",
        "print((x_blk == 0) + (1.5 != x_blk + 1))",
        "{x_blk: 1, y_blk: 2}[x_blk]",
        "print(f'{x_blk} {x_dfb} {net} {done}')",
        "str(x_blk), repr(y_dfb)",
        "sum([x_blk, x_blk]) if kept else 0",
        "assert hasattr(ttl, 'copy') and not hasattr(ttl, 'nothing') and not hasattr(ttl.math, 'nothing')",
        "assert getattr(x_blk, 'nothing', 3) == 3",
    ],
)
def test_what_is_allowed(statement: str, tmp_path: Path) -> None:
    assert findings(program(compute=statement), tmp_path) == []


def test_a_with_statement_on_the_buffer_itself(tmp_path: Path) -> None:
    found = only(program(compute="with y_dfb as wrong_blk:\n    pass"), tmp_path)
    assert (found.code, found.at) == ("TTL0225", "y_dfb")
    assert "dfb.reserve() as blk" in found.help[0]


@pytest.mark.parametrize(
    ("place", "statement"),
    [("read", "x_blk.push"), ("compute", "y_blk.pop"), ("write", "ttl.copy(y_blk, y[0, 1]).wait")],
)
def test_a_function_named_but_not_called(place: str, statement: str, tmp_path: Path) -> None:
    found = only(program(**{place: statement}), tmp_path)
    assert (found.code, found.at, found.help) == ("TTL0233", statement, (f"write {statement}()",))


def test_a_loop_over_a_buffer(tmp_path: Path) -> None:
    found = only(program(compute="for wrong_blk in y_dfb:\n    pass"), tmp_path)
    assert found.code == "TTL0225"
    assert "\n" not in found.at


@pytest.mark.parametrize(
    ("body", "code", "at"),
    [
        ("@ttl.datamovement()\nasync def wrong():\n    pass", "TTL0227", "wrong"),
        ("@ttl.datamovement()\ndef wrong():\n    yield", "TTL0227", "wrong"),
        ("@ttl.datamovement()\ndef wrong(blk):\n    pass", "TTL0210", "wrong"),
        ("@ttl.datamovement()\ndef wrong(*, blk):\n    pass", "TTL0210", "wrong"),
        ("@ttl.datamovement()\n@ttl.datamovement()\ndef wrong():\n    pass", "TTL0209", "ttl.datamovement()"),
        ("@ttl.datamovement()\nclass Wrong:\n    pass", "TTL0209", "ttl.datamovement()"),
        ("def wrong():\n    x_dfb.reserve()", "TTL0219", "wrong"),
        ("@ttl.datamovement()\ndef read():\n    pass", "TTL0204", "ttl.datamovement()"),
        ("@ttl.compute()\ndef second():\n    pass", "TTL0205", "ttl.compute()"),
        ("x_dfb.wait()", "TTL0314", "x_dfb.wait()"),
        ("x[0, 0]", "TTL0516", "x[0, 0]"),
        ("ttl.copy(x, y)", "TTL0501", "ttl.copy(x, y)"),
        ("ttl.block.fill(0, (1, 1))", "TTL0331", "ttl.block.fill(0, (1, 1))"),
        ("net.if_src(print)", "TTL0610", "net.if_src(print)"),
        ("done.set(1)", "TTL0703", "done.set(1)"),
        ("return y", "TTL0206", "y"),
    ],
)
def test_the_body_of_an_operation(body: str, code: str, at: str, tmp_path: Path) -> None:
    found = only(program(body=body), tmp_path)
    assert (found.code, found.at) == (code, at), found


@pytest.mark.parametrize(
    "statement",
    [
        "@ttl.compute()\ndef kernel():\n    pass",
        "@ttl.compute()\n@ttl.operation()\ndef operation(x):\n    pass",
        "ttl.node()",
        "ttl.copy(x, y)",
        "ttl.Semaphore()",
        "ttl.make_dataflow_buffer_like(x, (1, 1))",
        "ttl.math.exp(x)",
        "ttl.block.fill(0, (1, 1))",
        "ttl.PipeNet([ttl.Pipe((0, 0), (0, 0))]).is_src()",
        'ttl.signpost("host")',
    ],
)
def test_outside_of_an_operation(statement: str, tmp_path: Path) -> None:
    found = only(program(after=statement), tmp_path)
    assert found.code == "TTL0201", found
    assert found.at and found.at in statement


@pytest.mark.parametrize(
    ("after", "code"),
    [
        ("kept[0].store(1)", "TTL0335"),
        ("kept[0] + 1", "TTL0335"),
        ("ttl.math.exp(kept[0])", "TTL0335"),
        ("kept[0].push()", "TTL0335"),
        ("kept[0].pop()", "TTL0335"),
        ("kept[1].reserve()", "TTL0328"),
        ("kept[1].wait()", "TTL0328"),
    ],
)
def test_what_was_kept_from_an_operation_is_of_no_use(after: str, code: str, tmp_path: Path) -> None:
    found = only(program(compute="kept.extend((x_blk, x_dfb))", after=after), tmp_path)
    assert found.code == code, found
    assert "x_dfb" in found.message
    assert not any(note.startswith("in ") for note in found.notes), "no kernel runs any more"


def test_a_block_kept_from_the_launch_before(tmp_path: Path) -> None:
    later = "if kept:\n    y_blk.store(kept[0])\n    y_blk += 1\nelse:\n    kept.append(x_blk)"
    found = only(program(compute=later, after="op(x, y)"), tmp_path)
    assert found.code == "TTL0335"


def test_what_was_kept_can_still_be_printed(tmp_path: Path) -> None:
    assert (
        findings(program(compute="kept.extend((x_blk, x_dfb))", after="print(*map(str, kept))"), tmp_path)
        == []
    )
