"""What was not looked at is said, by words and by the exit code; and what there is to make more of it known."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from support.programs import run_ttl
from ttl.cli.status import Status

LIBRARY = """
import itertools, textwrap
import ttl, ttnn


@ttl.operation(grid=(1, 1))
def copied(a, out):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)

    @ttl.compute()
    def nothing():
        pass

    @ttl.datamovement()
    def read():
        for row in range(a.shape[0] // 32):
            with a_dfb.reserve() as blk:
                ttl.copy(a[row, 0], blk).wait()

    @ttl.datamovement()
    def write():
        for row in range(a.shape[0] // 32 + (a.shape[0] > 128)):
            with a_dfb.wait() as blk:
                ttl.copy(blk, out[row, 0]).wait()


def tensor(rows):
    return ttnn.zeros((rows, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(device_id=0))
"""
# The same, where not even symbolic shapes let it be read.
NEEDS_A_NUMBER = LIBRARY.replace("def copied(a, out):", "def copied(a, out, n):").replace("row in range(a.shape[0] // 32):", "row in [None] * n:")  # fmt: skip
ARGV = (
    LIBRARY
    + "import sys\nrows = int(sys.argv[1]) if len(sys.argv) > 1 else 64\ncopied(tensor(rows), tensor(rows))\n"
)
NEEDED = LIBRARY + "import sys\nrows = int(sys.argv[1])\ncopied(tensor(rows), tensor(rows))\n"
ARGPARSE = (
    LIBRARY
    + """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("rows", type=int)
parser.add_argument("-t", "--twice", action="store_true")
parser.add_argument("--name", type=str.upper, default="x")
group = parser.add_argument_group("more")
group.add_argument("--shape", type=int, nargs="+", default=[32, 32])
options = parser.parse_args()
rows = options.rows * (2 if options.twice else 1)
copied(tensor(rows), tensor(rows))
"""
)
TEST = (
    LIBRARY
    + """
import pytest

@pytest.mark.parametrize("rows, unused", [(64, 1), (256, 2)])
@pytest.mark.parametrize("more", [0])
def test_it(device, rows, more, unused):
    copied(tensor(rows + more), tensor(rows))

class TestMore:
    @pytest.mark.parametrize("rows", [32])
    def test_it(self, rows):
        copied(tensor(rows), tensor(rows))
"""
)


def summary(folder: Path, text: str, *arguments: str) -> tuple[int, str]:
    """Exit code, and the summary with what was not checked."""
    (folder / "mine.py").write_text(text)
    outcome = run_ttl(["check", *arguments], folder=folder)
    assert outcome.stderr == ""
    return outcome.status, outcome.stdout[outcome.stdout.index("checked ") :]


def test_an_operation_that_nobody_calls_is_checked_as_far_as_is_certain(tmp_path: Path) -> None:
    status, text = summary(tmp_path, LIBRARY.replace(" + (a.shape[0] > 128)", ""), "mine.py")
    assert status == Status.UNCHECKED
    assert text.startswith(
        "checked 1 file, 1 operation, 1 specialisation: nothing found in what was checked\n"
    )
    assert (
        "not checked in mine.py: operation copied in line 16: how often a loop runs depends on a shape"
        in text
    )


def test_nothing_that_was_checked_is_not_nothing_found(tmp_path: Path) -> None:
    status, text = summary(tmp_path, NEEDS_A_NUMBER, "mine.py")
    assert status == Status.UNCHECKED
    assert text.startswith("checked 1 file, 0 of 1 operation, 0 specialisations: nothing was checked\n")
    assert "operation copied in line 7: it is not called" in text
    assert summary(tmp_path, NEEDS_A_NUMBER, "--allow-unchecked", "mine.py")[0] == Status.OK
    assert summary(tmp_path, "x = 1\n", "mine.py")[1].endswith("there is no operation to check\n")


def test_the_json_names_what_was_not_checked(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(NEEDS_A_NUMBER)
    found = json.loads(run_ttl(["check", "--format", "json", "mine.py"], folder=tmp_path).stdout)
    assert found["files"][0]["unchecked"] == [{"operation": "copied", "line": 7}]
    assert (found["summary"]["unchecked"], found["summary"]["not_checked"]) == (1, 1)


def test_what_ttl_example_declares_is_enough(tmp_path: Path) -> None:
    declared = LIBRARY.replace(
        "@ttl.operation",
        "SPEC = ttl.TensorSpec((64, 32), ttnn.bfloat16)\n@ttl.example(SPEC, SPEC)\n@ttl.operation",
    )
    text = declared + "import json\nrows = json.load(open('x'))\ncopied(tensor(rows), tensor(rows))\n"
    assert summary(tmp_path, text, "mine.py") == (
        0,
        "checked 1 file, 1 operation, 1 specialisation: nothing found\n",
    )


@pytest.mark.parametrize(
    ("text", "arguments", "status", "words"),
    [
        (ARGV, (), 0, "nothing found"),
        (ARGV, ("256",), 1, " error"),
        (NEEDED, (), 3, "come from sys.argv[1] in line 30; give the program's arguments behind --"),
        (NEEDED, ("64",), 0, "nothing found"),
        (NEEDED, ("256",), 1, " error"),
        (ARGPARSE, (), 3, "come from argument rows in line 38; give the program's arguments behind --"),
        (ARGPARSE, ("96",), 0, "nothing found"),
        (ARGPARSE, ("128", "--twice"), 1, " error"),
        (ARGPARSE, ("128", "-t", "--name", "y"), 1, " error"),
        (ARGPARSE, ("96", "--shape", "1", "2"), 0, "nothing found"),
        (ARGPARSE, ("many",), 3, "give the program's arguments behind --"),
    ],
)  # fmt: skip
def test_the_programs_own_arguments_stand_behind_two_dashes(
    text: str, arguments: tuple[str, ...], status: int, words: str, tmp_path: Path
) -> None:
    given = ("--", *arguments) if arguments else ()
    found, said = summary(tmp_path, text, "mine.py", *given)
    assert (found, words in said) == (status, True), said


def test_tests_are_read_with_their_parameters(tmp_path: Path) -> None:
    assert summary(tmp_path, TEST, "mine.py") == (
        1,
        "checked 1 file, 1 operation, 3 specialisations: 2 errors\n",
    )


def test_the_program_may_stand_on_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for verb in (["check"], ["run"], ["compile", "--emit", "cpp"]):
        monkeypatch.setattr("sys.stdin", io.StringIO(NEEDED))
        outcome = run_ttl([*verb, "-", "--", "256"], folder=tmp_path)
        said = outcome.stdout + outcome.stderr
        assert outcome.status == 1, said
        assert "error[TTL09" in said and "--> <stdin>:" in said


@pytest.mark.parametrize("dashes", [(), ("--",)])
def test_run_takes_arguments_with_and_without_the_dashes(dashes: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import sys\nprint(sys.argv)\n")
    outcome = run_ttl(["run", "mine.py", *dashes, "a", "--", "-b"], folder=tmp_path)
    assert outcome.stdout == "['mine.py', 'a', '--', '-b']\n"


def test_compile_fails_where_nothing_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LIBRARY)
    outcome = run_ttl(["compile", "mine.py", "--emit", "cpp"], folder=tmp_path)
    assert outcome.status == Status.FAILED
    assert outcome.stderr.endswith("nothing was compiled: no call of an operation could be read\n")


def test_compile_leaves_out_what_is_not_known_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        ARGV + "rows = int(open('x').read())\ncopied(tensor(rows), tensor(rows))\n"
    )
    for flags, status in ((), Status.UNCHECKED), (("--allow-unchecked",), Status.OK):
        outcome = run_ttl(["compile", "mine.py", "--emit", "cpp", *flags], folder=tmp_path)
        assert outcome.status == status
        assert (
            "not compiled: operation copied in line 33" in outcome.stderr and "kernel_main" in outcome.stdout
        )


RUN = """
rows = int(open("rows.txt").read())
for _ in range(3):
    copied(tensor(rows), tensor(rows))
copied(tensor(32), tensor(32))
print("ran")
"""


def test_compile_run_compiles_the_calls_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "rows.txt").write_text("64")
    (tmp_path / "mine.py").write_text(LIBRARY + RUN)
    outcome = run_ttl(["compile", "--run", "mine.py", "-o", "out"], folder=tmp_path)
    assert outcome.status == 0 and "ran\n" in outcome.stderr
    assert outcome.stdout.splitlines() == [
        "out/copied: 3 kernels for a 64x32 bfloat16, out 64x32 bfloat16",
        "out/copied_2: 3 kernels for a 32x32 bfloat16, out 32x32 bfloat16",
    ]


def test_compile_run_gives_up_where_the_program_fails(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LIBRARY + "copied(tensor(32), tensor(32))\nraise SystemExit(7)\n")
    outcome = run_ttl(["compile", "--run", "mine.py", "-o", "out"], folder=tmp_path)
    assert outcome.status == 7 and not (tmp_path / "out").exists()
    assert outcome.stderr.endswith("nothing was compiled: the program ended with exit code 7\n")


HOST = """
import itertools, random
import ttl, ttnn
from packaging.version import Version


@ttl.operation(grid=(1, 1))
def f(out):
    sizes = list(itertools.dropwhile(lambda size: size < 3, [1, 2, 3, 1]))
    out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1), block_count={count})

    @ttl.compute()
    def fill():
        for size in sizes:
            with out_dfb.reserve() as blk:
                blk.store(ttl.block.fill(size, shape=(1, 1)))

    @ttl.datamovement()
    def nothing():
        pass

    @ttl.datamovement()
    def write():
        for index in range(len(sizes)):
            with out_dfb.wait() as blk:
                ttl.copy(blk, out[index, 0]).wait()


f(ttnn.zeros((64, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(device_id=0)))
"""


def test_pure_functions_of_python_are_called_while_an_operation_is_read(tmp_path: Path) -> None:
    """It was TTL1302: ``itertools.dropwhile`` with a function of the program."""
    assert summary(tmp_path, HOST.format(count=2), "mine.py")[0] == 0


def test_what_a_library_computes_is_a_constant_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HOST.format(count='Version("2.1").major'))
    assert run_ttl(["compile", "mine.py", "--emit", "cpp"], folder=tmp_path).status == Status.FAILED
    outcome = run_ttl(["compile", "--run", "mine.py", "--emit", "cpp"], folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (0, "")


def test_what_may_differ_from_node_to_node_stays_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HOST.format(count="random.choice([2, 3])"))
    outcome = run_ttl(["compile", "--run", "mine.py", "--emit", "cpp"], folder=tmp_path)
    assert outcome.status == 1 and "error[TTL1302]: a call of random" in outcome.stderr
