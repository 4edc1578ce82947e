"""From the text of a program to operations: which calls are found, what is said about the rest, and that nothing runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from ttl.diag import Severity
from ttl.dialects import ttl as dialect
from ttl.frontend.file import lower_file
from ttl.frontend.lowered import Lowered
from ttl.ir.verifier import require_valid
from ttl.settings import override

HEAD = """
import torch
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def double(x, y, factor=2.0):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as blk, y_dfb.reserve() as out:
            out.store(blk * factor)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[0, 0]).wait()


def to_device(tensor):
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)

"""

# The same without the operation.
PLAIN = HEAD[: HEAD.index("\n\n@")] + HEAD[HEAD.index("\n\ndef to_device") :]
# The first line after the head.
FIRST = HEAD.count("\n") + 1

Read = Callable[..., Lowered]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def write_and_read(text: str, *, head: str = HEAD, **modules: str) -> Lowered:
        for name, source in modules.items():
            (tmp_path / f"{name}.py").write_text(dedent(source))
        (tmp_path / "program.py").write_text(head + dedent(text))
        return lower_file(str(tmp_path / "program.py"))

    return write_and_read


def calls(lowered: Lowered) -> list[tuple[str, ...]]:
    """The arguments of what was found; no findings."""
    assert [finding.code for finding in lowered.diagnostics] == []
    return [call.arguments[:2] for call in lowered.calls]


def square(extent: int) -> tuple[str, str]:
    shape = f"{extent}x{extent} bfloat16"
    return (f"x: {shape}", f"y: {shape}")


FOUND = {
    "a helper function": """
        def run(size):
            x = to_device(torch.zeros(size, size))
            double(x, ttnn.zeros_like(x))

        run(64)
        """,
    "a loop": """
        for size in [64]:
            double(to_device(torch.randn(size, size)), to_device(torch.empty((size, size))))
        """,
    "a dictionary": """
        config = {"size": 32}
        config["size"] *= 2
        tensors = {name: to_device(torch.rand(config["size"], config["size"])) for name in "xy"}
        double(**tensors)
        """,
    "a class": """
        class Model:
            scale = 2

            def __init__(self, size):
                self.size = size * self.scale

            @property
            def shape(self):
                return (self.size, self.size)

            def __call__(self, x):
                out = ttnn.empty(self.shape, ttnn.bfloat16, ttnn.TILE_LAYOUT)
                double(x, out)
                return out

        Model(32)(to_device(torch.zeros(64, 64)))
        """,
    "a dataclass": """
        from dataclasses import dataclass, field

        @dataclass(frozen=True)
        class Config:
            rows: int
            columns: int = 64
            more: list = field(default_factory=list)

        c = Config(rows=64)
        double(to_device(torch.zeros(c.rows, c.columns)), to_device(torch.zeros(c.rows, c.columns)))
        """,
    "main": """
        def main():
            try:
                x = to_device(torch.ones(64, 64))
                double(x, ttnn.empty_like(x))
            finally:
                print("done")

        if __name__ == "__main__":
            main()
        """,
    "shapes of torch": """
        a = torch.randn(4, 16, 64).bfloat16().reshape(64, -1).T.contiguous()
        b = torch.cat([a[:32], a[32:]], dim=0) @ torch.eye(64)
        c = b.unsqueeze(0).expand(3, -1, -1).sum(0) + torch.arange(64)
        double(to_device(c.float()), to_device(torch.stack([c[0]] * 64)))
        """,
    "functions of TT-NN": """
        x = to_device(torch.randn(64, 128))
        y = ttnn.matmul(x, ttnn.transpose(x, 0, 1)) * 2.0
        z = ttnn.to_layout(ttnn.reshape(ttnn.softmax(y, dim=-1), (64, 64)), ttnn.TILE_LAYOUT)
        double(ttnn.typecast(z, ttnn.bfloat16), ttnn.add(y, ttnn.sum(y, dim=-1, keepdim=True)))
        """,
    "numpy": """
        import numpy as np

        data = np.zeros((64, np.prod((8, 8))), dtype=np.float32)
        x = ttnn.from_numpy(data.astype("float32"), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
        double(x, x)
        """,
    "arguments of the command line": """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--size", type=int, default=64)
        parser.add_argument("--verbose", action="store_true")
        size = parser.parse_args().size
        double(to_device(torch.zeros(size, size)), to_device(torch.zeros(size, size)))
        """,
    "data that do not matter": """
        import os
        import time

        start = time.time()
        x = to_device(torch.zeros(64, 64))
        for attempt in range(1000):
            if os.environ.get("SKIP"):
                break
            double(x, x)
        if time.time() - start > 1:
            print("slow")
        """,
    "a test that nobody calls": """
        import pytest

        @pytest.fixture
        def device():
            yield ttnn.open_device(device_id=0)

        @pytest.mark.slow
        def test_double(device):
            x = ttnn.from_torch(torch.zeros(64, 64).bfloat16(), layout=ttnn.TILE_LAYOUT, device=device)
            double(x, x)
        """,
    "the elements of an unknown": """
        import sys

        size = 64
        if len(sys.argv) > 1:
            size = 64
            raise SystemExit(2)
        double(to_device(torch.zeros(size, size)), to_device(torch.zeros(size, size)))
        """,
}


@pytest.mark.parametrize("what", FOUND)
def test_the_shapes_of_calls_are_found_through(what: str, read: Read) -> None:
    lowered = read(FOUND[what])
    assert calls(lowered) == [square(64)]
    assert lowered.notes == []
    assert sum(isinstance(op, dialect.OperationOp) for op in lowered.module.walk()) == 1


def test_shapes_are_found_through_modules_of_the_program(read: Read, tmp_path: Path) -> None:
    (tmp_path / "sizes").mkdir()
    (tmp_path / "sizes" / "__init__.py").write_text("from .large import SIZE\nfrom . import small\n")
    (tmp_path / "sizes" / "large.py").write_text("SIZE = 128\n")
    (tmp_path / "sizes" / "small.py").write_text("SIZE = 32\n")
    lowered = read(
        """
        import helpers
        import sizes.small
        from helpers import make as tensor
        from sizes import SIZE

        for size in (helpers.SIZE, SIZE, sizes.small.SIZE):
            double(tensor(size), tensor(size))
        """,
        helpers="""
        import torch
        import ttnn

        SIZE = 64

        def make(size):
            return ttnn.from_torch(torch.zeros(size, size), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
        """,
    )
    assert calls(lowered) == [square(64), square(128), square(32)]
    names = [Path(path).relative_to(tmp_path).as_posix() for path, _ in lowered.dependencies]
    assert names == ["helpers.py", "program.py", "sizes/__init__.py", "sizes/large.py", "sizes/small.py"]


def test_each_specialisation_is_there_once(read: Read) -> None:
    lowered = read(
        """
        x = to_device(torch.zeros(64, 64))
        for _ in range(3):
            double(x, x)
        double(x, x, 3.0)
        double(y=x, x=x, factor=3.0)
        double(to_device(torch.ones(32, 64)), x)
        """
    )
    factors = [call.arguments[2] for call in lowered.calls]
    assert factors == ["factor=2.0", "factor=3.0", "factor=2.0"]


def test_captured_constants_tell_specialisations_apart(read: Read) -> None:
    lowered = read(
        """
        def make(scale):
            @ttl.operation(grid=(1, 1))
            def scaled(x):
                dfb = ttl.make_dataflow_buffer_like(x, shape=(1, scale))

                @ttl.datamovement()
                def read():
                    dfb.reserve().push()

                @ttl.datamovement()
                def write():
                    dfb.wait().pop()

            return scaled

        x = to_device(torch.zeros(64, 64))
        for scale in (1, 2, 1):
            make(scale)(x)
        """,
        head=PLAIN,
    )
    buffers = [op for op in lowered.module.walk() if isinstance(op, dialect.CreateDfbOp)]
    assert sorted(op.result.type.block_type.shape for op in buffers) == [(1, 1), (1, 2)]


UNKNOWN = {
    "a file that is read": ("x = torch.load('weights.pt')", f"torch.load in line {FIRST}"),
    "a module that is not there": (
        "from models import weights\nx = to_device(weights)",
        "module models",
    ),
    "the environment": (
        "import os\nx = to_device(torch.zeros(int(os.environ['N']), 64))",
        "module os",
    ),
    "values of a tensor": (
        "n = torch.tensor([64, 64]).max().item()\nx = to_device(torch.zeros(n, n))",
        f"item of an array of torch in line {FIRST}",
    ),
    "both of two": (
        "import os\nsize = 32\nif os.environ:\n    size = 64\nx = to_device(torch.zeros(size, size))",
        "size, in line",
    ),
}


@pytest.mark.parametrize("what", UNKNOWN)
def test_an_argument_that_is_not_known_is_noted_with_its_source(what: str, read: Read) -> None:
    text, source = UNKNOWN[what]
    lowered = read(f"{text}\ndouble(x, to_device(torch.zeros(64, 64)))\n")
    assert calls(lowered) == [("x: ?", "y: ?")]
    assert [finding.code for finding in lowered.diagnostics] == []
    (note,) = lowered.notes
    assert note.startswith("operation double in line ")
    assert "argument x is not known: it comes from " in note
    assert source in note
    assert "; declare arguments above @ttl.operation: @ttl.example(ttl.TensorSpec((64, 64)" in note
    assert note.endswith(" (extents and values of x are guesses: correct them)")
    # The line can be pasted, and then all is known.
    (line,) = re.findall(r"@ttl\.example\(.*\)(?= \()", note)
    with_line = HEAD.replace("@ttl.operation", f"{line}\n@ttl.operation")
    declared = read(f"{text}\ndouble(x, to_device(torch.zeros(64, 64)))\n", head=with_line)
    assert declared.notes == [] and square(64) in calls(declared)


def test_an_operation_that_uses_something_unknown_is_not_compiled_and_not_wrong(read: Read) -> None:
    lowered = read(
        """
        import os

        SIZES = {"block": int(os.environ.get("BLOCK", 1))}

        @ttl.operation(grid=(1, 1))
        def sized(x):
            dfb = ttl.make_dataflow_buffer_like(x, shape=(SIZES["block"], 1))

            @ttl.datamovement()
            def read():
                dfb.reserve().push()

        sized(to_device(torch.zeros(64, 64)))
        """,
        head=PLAIN,
    )
    assert [call.complete for call in lowered.calls] == [False]
    assert [finding.code for finding in lowered.diagnostics] == []
    assert any("operation sized" in note and "not compiled" in note for note in lowered.notes)


def test_rows_that_come_from_data_are_no_mistake(read: Read) -> None:
    lowered = read(
        """
        rows = [int(row) for row in torch.randint(0, 2, (4,))]

        @ttl.operation(grid=(2, 1))
        def gather(x: ttnn.Tensor) -> None:
            dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
            node = ttl.node(dims=1)

            @ttl.datamovement()
            def read():
                for i in range(2 * node, 2 * node + 2):
                    with dfb.reserve() as blk:
                        ttl.copy(x[rows[i], 0], blk).wait()

        gather(to_device(torch.zeros(64, 32)))
        """,
        head=PLAIN,
    )
    assert lowered.diagnostics == []
    (note,) = lowered.notes
    assert "is not compiled: rows comes from the values in an array of torch" in note


def test_an_operation_that_nothing_calls_has_symbolic_shapes(read: Read) -> None:
    lowered = read(
        """
        @ttl.operation(grid=(2, 1))
        def reverse(x, y: ttnn.Tensor, step=1):
            dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
            rows, columns = (extent // ttl.TILE_SHAPE[0] for extent in x.shape)

            @ttl.datamovement()
            def read():
                for row in range(0, rows, step):
                    with dfb.reserve() as blk:
                        ttl.copy(x[row, columns - 1], blk).wait()

            @ttl.datamovement()
            def write():
                for row in range(0, rows, step):
                    with dfb.wait() as blk:
                        ttl.copy(blk, y[row, 0]).wait()
        """,
        head="import ttl\nimport ttnn\n",
    )
    assert (calls(lowered), lowered.notes) == ([("x: ?", "y: ?")], [])
    dims = [op for op in lowered.module.walk() if isinstance(op, dialect.DimOp)]
    assert sorted(op.axis for op in dims) == [0, 0, 1, 1]
    require_valid(lowered.module)


def test_what_needs_a_number_is_a_note_where_shapes_are_symbolic(read: Read) -> None:
    lowered = read(
        """
        @ttl.operation(grid=(1, 1))
        def whole(x):
            dfb = ttl.make_dataflow_buffer_like(x, shape=(x.shape[0] // 32, x.shape[1] // 32))

            @ttl.datamovement()
            def read():
                with dfb.reserve() as blk:
                    ttl.copy(x[:, :], blk).wait()
        """,
        head="import ttl\n",
    )
    assert calls(lowered) == []
    (note,) = lowered.notes
    assert note.startswith(
        "operation whole in line 4: it is not called, and its arguments have to be known ("
    )
    assert (
        "to have it checked, declare arguments above @ttl.operation: @ttl.example(ttl.TensorSpec((64, 64)))"
        in note
    )


def test_what_no_shapes_change_is_found_where_they_are_symbolic(read: Read) -> None:
    lowered = read("@ttl.operation()\ndef nothing(x):\n    ttl.grid_size(dims=2)\n", head="import ttl\n")
    assert [finding.code for finding in lowered.diagnostics] == ["TTL0203"]


def test_a_finding_is_there_once_and_says_for_which_shapes(read: Read) -> None:
    lowered = read(
        """
        @ttl.operation(grid=(1, 1))
        def row(x):
            dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 2))

            @ttl.datamovement()
            def read():
                with dfb.reserve() as blk:
                    ttl.copy(x[0, :], blk).wait()

            @ttl.datamovement()
            def write():
                dfb.wait().pop()

        for size in (64, 96, 128):
            row(to_device(torch.zeros(size, size)))
        """
    )
    (finding,) = lowered.diagnostics
    assert finding.code == "TTL0515"
    assert finding.primary is not None and finding.primary.span.line == FIRST + 8
    assert finding.notes[-1] == "with x: 96x96 bfloat16 and with x: 128x128 bfloat16"


@pytest.mark.parametrize(
    "call", ["double(x)", "double(x, x, 1.0, 2.0)", "double(x, z=x)"], ids=["few", "many", "other"]
)
def test_a_call_with_wrong_arguments_is_an_error_at_the_call(call: str, read: Read) -> None:
    lowered = read(f"x = to_device(torch.zeros(64, 64))\n{call}\n")
    (finding,) = lowered.diagnostics
    assert finding.code == "TTL0208"
    assert finding.primary is not None and finding.primary.span.line == FIRST + 1


def test_nothing_of_the_program_is_executed(read: Read, tmp_path: Path) -> None:
    lowered = read(
        f"""
        import os
        import pathlib
        import sys
        import side_effect

        open({str(tmp_path / "opened")!r}, "w").write("x")
        pathlib.Path({str(tmp_path / "touched")!r}).touch()
        os.system("touch {tmp_path / "system"}")
        sys.path.append("/never")
        exec("import side_effect")
        __import__("side_effect")
        double(to_device(torch.zeros(64, 64)), to_device(torch.zeros(64, 64)))
        """,
        side_effect=f"open({str(tmp_path / 'imported')!r}, 'w').close()",
    )
    assert calls(lowered) == [square(64)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["program.py", "side_effect.py"]
    assert "side_effect" not in sys.modules
    assert "/never" not in sys.path


@pytest.mark.parametrize(
    "text", ["def (", "", "x = 1\n  y = 2", "\x00"], ids=["syntax", "empty", "indent", "null"]
)
def test_what_is_not_python_has_no_operations(text: str, read: Read) -> None:
    lowered = read(text, head="")
    assert lowered.calls == []
    assert len(lowered.notes) == 1


def test_a_program_without_operations_is_fine(read: Read) -> None:
    lowered = read("print('hello')\n", head="import ttnn\n")
    assert (lowered.calls, lowered.notes, lowered.diagnostics) == ([], [], [])


LONG = {
    "while true": "while True:\n    n = 1\n",
    "a long range": "for i in range(10**12):\n    n = i\n",
    "a list of it": "n = list(range(10**12))\n",
    "a power": "n = 10 ** 10 ** 10\n",
    "text": "n = 'x' * 10**12\n",
    "a shift": "n = 1 << 10**12\n",
    "a format": "n = f'{1:>{10**9}}'\n",
    "counting": "import itertools\nn = [i for i in itertools.count()]\n",
    "recursion": "def f(n):\n    return f(n + 1)\nn = f(0)\n",
    "recursion both ways": "import os\ndef f(n):\n    if os.environ:\n        return f(n + 1) + f(n + 2)\n    return 1\nn = f(0)\n",
    "nesting": f"n = {'(' * 80}1{')' * 80}\nm = {'-' * 400}1\n",
    "nested loops": "for a in range(100):\n    for b in range(100):\n        for c in range(100):\n            n = a\n",
    "doubling": "n = [0]\nfor _ in range(100):\n    n = n + n\n",
}


@pytest.mark.parametrize("what", LONG)
def test_a_program_that_would_take_forever_is_read_all_the_same(what: str, read: Read) -> None:
    assert calls(read(LONG[what])) == [("x: ?", "y: ?")]


def test_older_spellings_of_the_decorator_are_noted(read: Read) -> None:
    lowered = read(
        "@ttl.kernel(grid=(1, 1))\ndef other(x):\n    @ttl.compute()\n    def c():\n        pass\n"
    )
    assert [(finding.code, finding.severity) for finding in lowered.diagnostics] == [
        ("TTL1206", Severity.NOTE)
    ]
    assert lowered.diagnostics[0].fix is not None


def test_a_wrong_grid_is_an_error_at_the_decorator(read: Read) -> None:
    (finding,) = read(
        "@ttl.operation(grid=(0, 1))\ndef other(x):\n    pass\n", head="import ttl\n"
    ).diagnostics
    assert finding.code == "TTL0207"
    assert finding.primary is not None and (finding.primary.span.line, finding.primary.span.column) == (2, 2)


HOST_ERRORS = {
    "a type that needs tiles": ("ttnn.zeros((32, 32), dtype=ttnn.bfloat8_b)", "TTL1019"),
    "a name that is not there": ("ttnn.zeroes((32, 32))", "TTL1002"),
    "an argument that is not there": ("ttnn.zeros((32, 32), kind=1)", "TTL1003"),
    "outside of an operation": ("ttl.node(dims=2)", "TTL0201"),
}


@pytest.mark.parametrize("what", HOST_ERRORS)
def test_what_the_host_library_certainly_refuses_is_found(what: str, read: Read) -> None:
    text, code = HOST_ERRORS[what]
    (finding,) = read(f"x = {text}\n", head=PLAIN).diagnostics
    assert finding.code == code
    assert finding.primary is not None
    assert finding.primary.span.line == PLAIN.count("\n") + 1


@pytest.mark.parametrize(
    "around",
    [
        "import os\nif os.environ:\n    x = {}\n",
        "try:\n    x = {}\nexcept Exception:\n    x = None\n",
        "def never():\n    return {}\n",
        "x = True or {}\n",
        "import sys\nsys.exit()\nx = {}\n",
    ],
)
def test_what_may_not_run_is_not_a_finding(around: str, read: Read) -> None:
    assert read(around.format("ttnn.zeroes((32, 32))"), head=PLAIN).diagnostics == []


def test_how_much_is_read_does_not_depend_on_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Budgets count what is read: the same program is read as far with a clock that runs as it likes."""
    import itertools
    import time

    path = tmp_path / "long.py"
    path.write_text(PROGRAM_OF_MANY_CALLS)
    before = lower_file(str(path))
    clock = itertools.count(0, 1_000_000)
    for name in ("monotonic", "perf_counter", "thread_time", "process_time", "time"):
        monkeypatch.setattr(time, name, lambda: next(clock))
    after = lower_file(str(path))
    assert [each.arguments for each in after.calls] == [each.arguments for each in before.calls]
    assert len(before.calls) == 3 and before.notes == after.notes == []
    with override(most_expressions=20):
        limited = lower_file(str(path))
    assert limited.notes[0] == "operation f: more than 1 kinds of calls, not all looked at"
    monkeypatch.setattr("ttl.frontend.file._EXPRESSIONS_OF_HOST", 20)
    assert "the program is long: not all of its calls were looked at" in lower_file(str(path)).notes


PROGRAM_OF_MANY_CALLS = """
import ttl, ttnn

@ttl.operation(grid=(1, 1))
def f(a):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)

    @ttl.compute()
    def nothing():
        pass

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(a[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, a[0, 0]).wait()

for rows in (32, 64, 96):
    f(ttnn.zeros((rows, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))
"""
