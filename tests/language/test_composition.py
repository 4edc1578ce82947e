"""Operations that are called in operations (specification 0.19, "Composition"): run, checked, divided and emulated, with the results of NumPy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.programs import run_ttl

STAGES = '''\
"""Operations to be called in others."""

import ttl


@ttl.operation()
def load(source, dfb: ttl.DFB, row, count=4):
    for column in range(count):
        with dfb.reserve() as blk:
            ttl.copy(source[row, column], blk).wait()


@ttl.operation()
def store(dfb: "ttl.DFB", target, row, count=4):
    for column in range(count):
        with dfb.wait() as blk:
            ttl.copy(blk, target[row, column]).wait()


@ttl.operation()
def add(first, second, out, count=4):
    for _ in range(count):
        with first.wait() as x, second.wait() as y, out.reserve() as z:
            z.store(x + y)


@ttl.operation()
def add_tensor(tensor, dfb, out, row):
    """With a buffer of its own, and another operation in it."""
    own = ttl.make_dataflow_buffer_like(tensor, shape=(1, 1))
    for column in range(4):
        with own.reserve() as blk:
            ttl.copy(tensor[row, column], blk).wait()
        add(own, dfb, out, count=1)


@ttl.operation()
def double_with_kernels(source, target, row):
    source_dfb = ttl.make_dataflow_buffer_like(source, shape=(1, 1))
    target_dfb = ttl.make_dataflow_buffer_like(target, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for column in range(4):
            with source_dfb.reserve() as blk:
                ttl.copy(source[row, column], blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with source_dfb.wait() as blk, target_dfb.reserve() as out:
                out.store(2 * blk)

    @ttl.datamovement()
    def write():
        for column in range(4):
            with target_dfb.wait() as blk:
                ttl.copy(blk, target[row, column]).wait()


@ttl.operation()
def exchange(net: ttl.PipeNet, out, into):
    with out.wait() as blk:
        net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
    with into.reserve() as blk:
        net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())


def make_scaled(factor):
    @ttl.operation()
    def scaled(dfb, out, count=4):
        for _ in range(count):
            with dfb.wait() as blk, out.reserve() as result:
                result.store(blk * factor)

    return scaled
'''
HEAD = """\
import numpy as np
import stages
import ttl
import ttnn
from stages import add, add_tensor, exchange, load, make_scaled, store

double, half = make_scaled(2.0), make_scaled(0.5)


"""
TAIL = """

generator = np.random.default_rng(0)
a, b = (generator.integers(-8, 8, (64, 128)).astype(np.float32) for _ in range(2))
device = ttnn.open_device(device_id=0)
on = dict(dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((64, 128), **on)
run(ttnn.Tensor(a, **on), ttnn.Tensor(b, **on), y)
wanted = WANTED
assert np.array_equal(y.numpy(), wanted), (y.numpy() - wanted)
print("ok")
"""
OPERATION = """\
@ttl.operation(grid=(2, 1))
def run(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4)
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1), block_count=4)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=4)
    x, _ = ttl.node(dims=2)
"""
# Of each: the body behind the buffers, and what y is.
BODIES = {
    "stages that share buffers, with arguments by name and defaults": (
        """
    load(a, a_dfb, x)
    load(b, dfb=b_dfb, row=x, count=4)
    add(a_dfb, second=b_dfb, out=y_dfb)
    store(y_dfb, y, row=x)
""",
        "a + b",
    ),
    "buffers of its own, called twice and through its module": (
        """
    stages.load(a, a_dfb, x)
    stages.add_tensor(b, a_dfb, b_dfb, x)
    stages.add_tensor(a, b_dfb, y_dfb, x)
    stages.store(y_dfb, y, x)
""",
        "a + b + a",
    ),
    "operations that a function makes": (
        """
    load(a, a_dfb, x)
    double(a_dfb, b_dfb)
    half(b_dfb, y_dfb, 4)
    store(y_dfb, y, x)
""",
        "a",
    ),
    "a list of buffers by constants": (
        """
    dfbs = [ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4) for _ in range(3)]
    load(a, dfbs[0], x)
    double(dfbs[0], dfbs[1])
    double(dfbs[1], dfbs[2])
    store(dfbs[2], y, x)
""",
        "4 * a",
    ),
    "a list of buffers in a loop": (
        """
    dfbs = [ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4) for _ in range(4)]
    for column in range(4):
        with dfbs[0].reserve() as blk:
            ttl.copy(a[x, column], blk).wait()
        for stage in range(3):
            double(dfbs[stage], dfbs[stage + 1], count=1)
        with dfbs[3].wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
""",
        "8 * a",
    ),
    "a list of buffers as a parameter": (
        """
    store_all([a_dfb, b_dfb], y, x)
    load(a, a_dfb, x, 2)
    load(b, b_dfb, x, 2)
""",
        "np.concatenate([a[:, :64], b[:, :64]], axis=1)",
    ),
    "under conditions that are known, one of them with a buffer that cannot be made": (
        """
    bias = None
    load(a, a_dfb, x)
    if bias is not None:
        add_tensor(bias, a_dfb, y_dfb, x)
    else:
        double(a_dfb, y_dfb)
    store(y_dfb, y, x)
""",
        "2 * a",
    ),
    "under a condition of the node": (
        """
    load(a, a_dfb, x)
    if x == 0:
        double(a_dfb, y_dfb)
    else:
        add_tensor(b, a_dfb, y_dfb, x)
    store(y_dfb, y, x)
""",
        "np.concatenate([2 * a[:32], a[32:] + b[32:]])",
    ),
    "a variable of a loop as argument": (
        """
    for column in range(4):
        with a_dfb.reserve() as blk:
            ttl.copy(a[x, column], blk).wait()
        plus(column, a_dfb, y_dfb)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
""",
        "a + np.arange(128) // 32 % 2",
    ),
    "a net as parameter": (
        """
    net = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0)), ttl.Pipe((1, 0), (0, 0))])
    for column in range(4):
        with a_dfb.reserve() as blk:
            ttl.copy(a[x, column], blk).wait()
        exchange(net, a_dfb, b_dfb)
        double(b_dfb, y_dfb, 1)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
""",
        "2 * np.concatenate([a[32:], a[:32]])",
    ),
    "a net of its own": (
        """
    for column in range(4):
        with a_dfb.reserve() as blk:
            ttl.copy(a[x, column], blk).wait()
        swap(a_dfb, y_dfb)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
""",
        "np.concatenate([a[32:], a[:32]])",
    ),
    "an operation with kernels": (
        """
    stages.double_with_kernels(a, y, x)
""",
        "2 * a",
    ),
    "an operation with kernels between others": (
        """
    load(b, b_dfb, x, 1)
    with b_dfb.wait() as blk, a_dfb.reserve() as out:
        out.store(blk + blk)
    stages.double_with_kernels(a, y, x)
    store(a_dfb, y, x, count=1)
""",
        "np.concatenate([2 * b[:, :32], 2 * a[:, 32:]], axis=1)",
    ),
    "two operations and a tensor between them": (
        """
    whole(a, y, x)
    whole(y, y, x)
""",
        "4 * a",
    ),
    "in a function that the body defines": (
        """
    def stage(source, dfb):
        load(source, dfb, x)

    stage(a, a_dfb)
    stage(b, b_dfb)
    add(a_dfb, b_dfb, y_dfb)
    store(y_dfb, y, x)
""",
        "a + b",
    ),
    "a block as argument": (
        """
    for column in range(4):
        with a_dfb.reserve() as blk:
            fill_from(a, x, column, blk)
        with a_dfb.wait() as blk, y_dfb.reserve() as out:
            negated(blk, out)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
""",
        "-a",
    ),
    "a semaphore as parameter": (
        """
    ready = ttl.Semaphore(0)
    whole(a, y, x)
    meet(ready, x)
""",
        "2 * a",
    ),
    "nothing but calls": (
        """
    whole(a, y, x)
    return
""",
        "2 * a",
    ),
}
OTHERS = """\
@ttl.operation()
def store_all(dfbs, target, row):
    for number in range(4):
        with dfbs[number // 2].wait() as blk:
            ttl.copy(blk, target[row, number]).wait()


@ttl.operation()
def plus(number, dfb, out):
    with dfb.wait() as blk, out.reserve() as result:
        if number % 2 == 1:
            result.store(blk + 1)
        else:
            result.store(blk)


@ttl.operation()
def swap(out, into):
    net = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0)), ttl.Pipe((1, 0), (0, 0))])
    exchange(net, out, into)


@ttl.operation()
def whole(source, target, row):
    source_dfb = ttl.make_dataflow_buffer_like(source, shape=(1, 1))
    target_dfb = ttl.make_dataflow_buffer_like(target, shape=(1, 1))
    for column in range(4):
        with source_dfb.reserve() as blk:
            ttl.copy(source[row, column], blk).wait()
        double(source_dfb, target_dfb, 1)
        with target_dfb.wait() as blk:
            ttl.copy(blk, target[row, column]).wait()


@ttl.operation()
def fill_from(source, row, column, blk):
    ttl.copy(source[row, column], blk).wait()


@ttl.operation()
def negated(blk, out):
    out.store(-blk)


@ttl.operation()
def meet(ready, x):
    other = ready.get_remote((1 - x, 0))
    other.inc(1)
    ready.wait_eq(1)


"""


def written(folder: Path, body: str, wanted: str) -> None:
    (folder / "stages.py").write_text(STAGES)
    (folder / "example.py").write_text(HEAD + OTHERS + OPERATION + body + TAIL.replace("WANTED", wanted))


@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", BODIES)
def test_kernels_of_operations_of_another_file_are_written_out(name: str, tmp_path: Path) -> None:
    """With the same results, and in the same cycles: what they have from there is reached through its module."""
    written(tmp_path, *BODIES[name])
    split = run_ttl(["split", "example.py", "-o", "kernels.py"], folder=tmp_path)
    assert (split.status, split.stderr) == (0, "")
    assert run_ttl(["run", "--no-check", "kernels.py"], folder=tmp_path).stdout == "ok\n"
    cycles = []
    for program in ("example.py", "kernels.py"):
        emulated = run_ttl(["run", "--target", "emu", "--profile", program], folder=tmp_path)
        assert emulated.stdout.startswith("ok\n"), emulated.stderr
        cycles.append(re.findall(r"of ([\d,]+) cycles", emulated.stdout + emulated.stderr)[0])
    assert cycles[0] == cycles[1]


CAPTURES = """\
import more as mine
import ttl as T
import ttnn
from more import make_mapped, scaled

ONE = 1


def thrice(blk):
    return blk * 3


def make_times(factor):
    return make_mapped(lambda blk: blk * factor)


first, second, third, fourth = map(make_mapped, (T.math.sqrt, thrice, lambda blk: blk + ONE, mine.half))
other = make_times(2.0)


@T.operation(grid=(1, 1))
def run(x, y):
    a, b, c, d, e, f = (T.make_dataflow_buffer_like(x, shape=(1, 1)) for _ in range(6))
    with a.reserve() as blk:
        T.copy(x[0, 0], blk).wait()
    first(a, b)
    second(b, c)
    third(c, d)
    fourth(d, e)
    LAST(e, f)
    with f.wait() as blk:
        T.copy(blk, y[0, 0]).wait()


x = ttnn.full((32, 32), 4.0, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
run(x, y)
print(y.numpy()[0, 0])
"""
MORE_OF_THEM = """\
import math

import ttl

FACTOR, COUNTS = 5, {"one": 1}


def half(blk):
    return blk * 0.5


def total(numbers):
    return math.fsum(numbers)


@ttl.operation()
def scaled(dfb: ttl.DFB, out: ttl.DFB, count=COUNTS["one"]):
    # of the other file
    for _ in range(count):
        with dfb.wait() as blk, out.reserve() as result:
            result.store(half(blk) * FACTOR + total([1, 2]))


def make_mapped(function):
    @ttl.operation()
    def mapped(dfb: ttl.DFB, out: ttl.DFB):
        with dfb.wait() as blk, out.reserve() as result:
            result.store(function(blk))

    return mapped
"""


def test_what_called_operations_capture_is_written_out(tmp_path: Path) -> None:
    """Names of their file, functions with a name, and lambdas without variables of their own; nothing else has a name."""
    (tmp_path / "more.py").write_text(MORE_OF_THEM)
    (tmp_path / "example.py").write_text(CAPTURES.replace("LAST", "scaled"))
    assert run_ttl(["split", "example.py", "-o", "kernels.py"], folder=tmp_path).status == 0
    text = (tmp_path / "kernels.py").read_text()
    for line in ("function = T.math.sqrt", "function = thrice", "function = lambda blk: blk + ONE", "function = mine.half",
                 "FACTOR = mine.FACTOR", "# of the other file"):  # fmt: skip
        assert line in text
    assert "import more\n" not in text and "COUNTS" not in text
    for program in ("example.py", "kernels.py"):
        assert run_ttl(["run", program], folder=tmp_path).stdout == "11.75\n"
    (tmp_path / "example.py").write_text(CAPTURES.replace("LAST", "other"))
    split = run_ttl(["split", "example.py"], folder=tmp_path)
    assert "error[TTL1617]" in split.stderr and "it captures function" in split.stderr


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("how", ["run", "check", "emu"])
def test_an_operation_calls_operations(name: str, how: str, tmp_path: Path) -> None:
    written(tmp_path, *BODIES[name])
    arguments = {"run": ["run", "--no-check"], "check": ["check"], "emu": ["run", "--target", "emu"]}[how]
    outcome = run_ttl([*arguments, "example.py"], folder=tmp_path)
    known = {
        "an operation with kernels between others": "TTL0906",  # what is written twice is meant to be
    }
    codes = (known.get(name, ""), "TTL0907")  # not every body uses all buffers
    assert [code for code in re.findall(r"TTL\d{4}", outcome.stderr) if code not in codes] == []
    if how == "check":  # 3: operations that this body does not call are not looked at
        assert outcome.status in (0, 3)
    else:
        assert (outcome.status, outcome.stdout[-3:]) == (0, "ok\n")


# Of each: the body, the code, and a text that the message has.
REFUSED = {
    "in a function around the body": (
        "    around(a, a_dfb, x)\n",
        "TTL1615",
        "which runs on one thread as a whole",
    ),
    "in a function that a net calls": (
        """
    net = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0))])
    net.if_src(lambda pipe: load(a, a_dfb, x))
""",
        "TTL1615",
        "a function that a pipe net calls",
    ),
    "with a star": ("    load(*[a, a_dfb, x])\n", "TTL1615", "with * or **"),
    "one of several": ("    {0: double, 1: half}[x](a_dfb, y_dfb)\n", "TTL1615", "not known before the call"),
    "with wrong arguments": ("    load(a, a_dfb)\n", "TTL0208", "missing a required argument: 'row'"),
    "with a misspelt argument": ("    load(a, a_dfb, x, cuont=2)\n", "TTL0208", "did you mean count?"),
    "with a parameter that it assigns": (
        "    changing(a_dfb, 1)\n",
        "TTL1609",
        "an assignment to the parameter count",
    ),
    "with an argument for its buffers that a loop gives": (
        "    for t in (a, b):\n        whole(t, y, x)\n",
        "TTL1613",
        "t has no value before kernels run",
    ),
}
MORE = """\
def around(source, dfb, row):
    load(source, dfb, row)


@ttl.operation()
def changing(dfb, count):
    count += 1
    for _ in range(count):
        with dfb.wait() as blk, dfb.reserve() as out:
            out.store(blk)


"""


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("how", ["run", "check"])
def test_what_a_call_cannot_be(name: str, how: str, tmp_path: Path) -> None:
    body, code, text = REFUSED[name]
    written(tmp_path, body, "a")
    program = (tmp_path / "example.py").read_text()
    (tmp_path / "example.py").write_text(program.replace(OTHERS, OTHERS + MORE))
    outcome = run_ttl(
        {"run": ["run", "--no-check"], "check": ["check"]}[how] + ["example.py"], folder=tmp_path
    )
    said = outcome.stderr + outcome.stdout
    assert f"error[{code}]" in said
    assert text in said


@pytest.mark.parametrize("arguments", [["run", "--no-check"], ["check"]])
def test_errors_show_the_calls_around_them(arguments: list[str], tmp_path: Path) -> None:
    written(tmp_path, "    load(a, a_dfb, x)\n    outer(a, a_dfb, y_dfb, x)\n", "a")
    program = (tmp_path / "example.py").read_text()
    outer = (
        "@ttl.operation()\ndef outer(source, dfb, out, row):\n    add_tensor(source, dfb, out, row + 1)\n\n\n"
    )
    (tmp_path / "example.py").write_text(program.replace(OTHERS, OTHERS + outer))
    outcome = run_ttl([*arguments, "example.py"], folder=tmp_path)
    said = outcome.stderr + outcome.stdout
    assert "stages.py" in said
    assert said.count("called from here") == 2
    assert said.index("add_tensor(source") < said.index("outer(a, a_dfb")


def test_the_kernels_of_a_call_are_written_out(tmp_path: Path) -> None:
    own = STAGES.partition("import ttl\n\n\n")[2].partition("def make_scaled")[0]
    head = "import numpy as np\nimport ttl\nimport ttnn\n\n\n" + own
    body, wanted = BODIES["stages that share buffers, with arguments by name and defaults"]
    body = body.replace("out=y_dfb", "out=sum_dfb").replace(
        "    store(", "    add_tensor(b, sum_dfb, y_dfb, x)\n    store("
    )
    body = "    sum_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4)\n" + body
    (tmp_path / "example.py").write_text(head + OPERATION + body + TAIL.replace("WANTED", f"{wanted} + b"))
    split = run_ttl(["split", "example.py", "-o", "kernels.py"], folder=tmp_path)
    assert (split.status, split.stderr) == (0, "")
    for arguments in (["run", "kernels.py"], ["run", "--target", "emu", "kernels.py"]):
        outcome = run_ttl(arguments, folder=tmp_path)
        assert (outcome.status, outcome.stdout) == (0, "ok\n"), outcome.stderr


OF_A_CLASS = """\
import ttl
import ttnn


@ttl.operation()
def scale(source: ttl.DFB, target: ttl.DFB, factor: int):
    with source.wait() as blk, target.reserve() as out:
        out.store(blk * factor)


class Parts:
    scale = scale


class Stages(Parts):
    @staticmethod
    def load(tensor, dfb):
        with dfb.reserve() as blk:
            ttl.copy(tensor[0, 0], blk).wait()


@ttl.operation(grid=(1, 1))
def run(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    Stages.load(x, x_dfb)
    Stages.scale(x_dfb, y_dfb, factor=3)
    with y_dfb.wait() as blk:
        ttl.copy(blk, y[0, 0]).wait()


x, y = (ttnn.ones((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT) for _ in range(2))
run(x, y)
print(y.numpy().min(), y.numpy().max())
"""


@pytest.mark.parametrize("how", ["run", "check", "run --target emu", "split"])
def test_operations_and_functions_that_a_class_has(how: str, tmp_path: Path) -> None:
    """Names that a class assigns to themselves, ``scale = scale``, are those of the module before."""
    (tmp_path / "program.py").write_text(OF_A_CLASS.replace("x, y = (ttnn", "x, y = tuple(ttnn"))
    outcome = run_ttl([*how.split(), "program.py"], folder=tmp_path)
    assert outcome.status == 0, outcome.stdout + outcome.stderr
    if how.startswith("run"):
        assert outcome.stdout == "3.0 3.0\n"
    elif how == "check":
        assert outcome.stdout == "checked 1 file, 1 operation, 1 specialisation: nothing found\n"
