"""Which configuration a call gets: the same whether the program is run, compiled or only read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)
{helpers}

{declaration}
@ttl.operation(grid=(2, 1))
def double(x: ttnn.Tensor, y: ttnn.Tensor, *, width{width}, count{count}) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, width), block_count=count)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, width), block_count=count)
    node = ttl.node(dims=1)
    columns = x.shape[1] // 32 // width

    @ttl.datamovement()
    def read():
        for column in range(node, columns, 2):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[0, column * width : (column + 1) * width], x_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(node, columns, 2):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(2 * x_blk)

    @ttl.datamovement()
    def write():
        for column in range(node, columns, 2):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[0, column * width : (column + 1) * width]).wait()


x = ttnn.from_torch(torch.ones(32, 512), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((32, 512), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
{calls}
assert (ttnn.to_torch(y) == 2).all()
"""
ENTRY = """[[double]]
chip = "wormhole"
grid = [2, 1]
key = ["x: 32x512 bfloat16", "y: 32x512 bfloat16"]
config = {{ width = {width}, count = {count} }}
"""


def write(
    folder: Path,
    declaration: str,
    calls: str = "double(x, y)",
    *,
    helpers: str = "",
    width: str = "",
    count: str = "",
) -> None:
    text = PROGRAM.format(declaration=declaration, calls=calls, helpers=helpers, width=width, count=count)
    (folder / "example.py").write_text(text)


def messages(folder: Path, *command: str) -> list[str]:
    """What a command says of the choice, in its own order."""
    outcome = run_ttl([*command, "--format", "json", "example.py"], folder=folder)
    if command[0] == "check":
        found = json.loads(outcome.stdout)["diagnostics"]
    else:
        found = [json.loads(line) for line in outcome.stderr.splitlines()]
    return [
        f"{item['code']} {item['message']}" for item in found if item["code"].startswith(("TTL024", "TTL146"))
    ]


def chosen(folder: Path, *options: str) -> str:
    """What a run, a check and a run on the emulated chip use, which is one."""
    runs = [
        messages(folder, "run", *options),
        messages(folder, "check", *options),
        messages(folder, "run", "--target", "emu", *options),
    ]
    assert runs[0] == runs[1] == runs[2]
    (message,) = runs[0]
    assert message.startswith("TTL0245")
    return message.partition("runs with ")[2].partition(": the first")[0]


def test_the_first_configuration_that_is_possible(tmp_path: Path) -> None:
    write(tmp_path, "@ttl.tunable(width=[4, 2], count=[2, 1])")
    assert chosen(tmp_path) == "width=4, count=2"


def test_a_condition_excludes(tmp_path: Path) -> None:
    write(
        tmp_path,
        "@ttl.tunable(width=[3, 8, 2], count=[2, 1], where=lambda x, width: x.shape[1] % (32 * width) == 0)",
    )
    assert chosen(tmp_path) == "width=8, count=2"


def test_a_condition_is_a_function_of_the_program(tmp_path: Path) -> None:
    helpers = "def small(width, count):\n    return width * count <= LIMIT\n\nLIMIT = 6"
    write(tmp_path, "@ttl.tunable(width=[8, 4, 2], count=[2, 1], where=small)", helpers=helpers)
    assert chosen(tmp_path) == "width=4, count=1"


def test_as_large_as_fits(tmp_path: Path) -> None:
    """Two buffers of blocks of 4 tiles of 2 KB: 1,464 KB hold 91 blocks of each, less what the chip keeps."""
    write(tmp_path, "@ttl.tunable(width=[4], count=ttl.as_large_as_fits(1, 2, 64, 80, 128, 512))")
    assert chosen(tmp_path) == "width=4, count=80"
    # Where the tuned one would need more than there is, nothing smaller is taken in silence.
    write(tmp_path, "@ttl.tunable(width=[4], count=[512, 128])")
    (message,) = messages(tmp_path, "check")
    assert message == "TTL0243 operation double has 2 configurations for this call, and none is possible"
    assert messages(tmp_path, "run") == [message]


def test_sizes_that_grow_are_not_tried_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ttl.check import fitting

    write(
        tmp_path,
        "@ttl.tunable(width=ttl.as_large_as_fits(1, 2, 4, 8), count=ttl.as_large_as_fits(*range(1, 801)))",
    )
    tried = []
    fits = fitting.fits
    monkeypatch.setattr(fitting, "fits", lambda lowered: tried.append(1) or fits(lowered))
    (message,) = messages(tmp_path, "check")
    assert "width=8, count=" in message
    assert len(tried) <= 12


def test_values_of_a_chip(tmp_path: Path) -> None:
    write(tmp_path, '@ttl.tunable(width={"wormhole": [4], "blackhole": [8]}, count=[2])')
    assert chosen(tmp_path) == "width=4, count=2"
    assert chosen(tmp_path, "--arch", "blackhole") == "width=8, count=2"


def test_whole_configurations(tmp_path: Path) -> None:
    write(tmp_path, "@ttl.tunable(configs=[ttl.Config(width=2, count=3), ttl.Config(width=1, count=2)])")
    assert chosen(tmp_path) == "width=2, count=3"


def test_the_operations_own_defaults_come_first(tmp_path: Path) -> None:
    write(tmp_path, "@ttl.tunable(width=[4, 2], count=[2, 1])", width="=2", count="=1")
    assert chosen(tmp_path) == "width=2, count=1"


def test_what_the_call_passes_stays(tmp_path: Path) -> None:
    write(tmp_path, "@ttl.tunable(width=[4, 2], count=[2, 1])", "double(x, y, width=2)")
    assert chosen(tmp_path) == "count=2"
    write(tmp_path, "@ttl.tunable(width=[4, 2], count=[2, 1])", "double(x, y, width=1, count=1)")
    assert messages(tmp_path, "run") == messages(tmp_path, "check") == []
    write(tmp_path, "@ttl.tunable(width=[4, 2], count=[2, 1])", "double(x, y, width=8)")
    expected = ["TTL0243 operation double has no configuration with width=8, as this call passes it"]
    assert messages(tmp_path, "run") == messages(tmp_path, "check") == expected


def test_the_tuned_configuration_wins(tmp_path: Path) -> None:
    write(tmp_path, "@ttl.tunable(width=[4, 2], count=[2, 1])")
    (tmp_path / "ttl.tuned.toml").write_text(ENTRY.format(width=2, count=1))
    assert messages(tmp_path, "run") == messages(tmp_path, "check") == []
    (tmp_path / "ttl.tuned.toml").rename(tmp_path / "other.toml")
    assert chosen(tmp_path) == "width=4, count=2"
    assert messages(tmp_path, "run", "--tuned", "other.toml") == []


def test_compile_options_that_were_tuned_are_those_of_the_call(tmp_path: Path) -> None:
    """Of the call that leaves parameters out, and of no other; what is asked for replaces them."""
    write(
        tmp_path, "@ttl.tunable(width=[4, 2], count=[2, 1])", "double(x, y)\ndouble(x, y, width=2, count=2)"
    )
    entry = ENTRY.format(width=2, count=1)
    (tmp_path / "ttl.tuned.toml").write_text(f'{entry}compile_option = "double:noc.read=1"\n')
    emulated = ("run", "--target", "emu", "--profile")
    tuned_, other = launches_of(tmp_path, *emulated)
    assert tuned_ == (launches_of(tmp_path, *emulated, "--compile-option", "noc.read=1")[0])
    default, same = launches_of(tmp_path, *emulated, "--compile-option", "sync=auto")
    assert (other, tuned_ != default) == (same, True)
    # One that the operation cannot have is an error wherever it is compiled, and where it is only run none.
    (tmp_path / "ttl.tuned.toml").write_text(f'{entry}compile_option = "subblock.0=9x9"\n')
    for command in (["compile", "--explain"], ["run", "--target", "emu"]):
        outcome = run_ttl([*command, "example.py"], folder=tmp_path)
        assert outcome.status == 1
        assert "TTL1461" in outcome.stdout + outcome.stderr
    assert messages(tmp_path, "run") == messages(tmp_path, "check") == []


def launches_of(folder: Path, *command: str) -> list[int]:
    """The cycles of every launch."""
    outcome = run_ttl([*command, "--format", "json", "example.py"], folder=folder)
    objects = [json.loads(line) for line in outcome.stderr.splitlines() if line.startswith("{")]
    return [item["cycles"] for item in objects if item["kind"] == "profile"]


def test_an_entry_that_nothing_declares_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "@ttl.tunable(width=[4, 2], count=[2, 1])")
    (tmp_path / "ttl.tuned.toml").write_text(ENTRY.format(width=3, count=1))
    for command in ("run", "check"):
        codes = [message[:7] for message in messages(tmp_path, command)]
        assert sorted(codes) == ["TTL0244", "TTL0245"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[double]\n", "expected"),
        ("double = 3\n", "not a list of tables"),
        ("[[double]]\nchip = 'wormhole'\n", "has no grid"),
        (ENTRY.format(width=2, count=1).replace("[2, 1]", "'2x1'"), "needs a grid"),
        (f"{ENTRY.format(width=2, count=1)}compile_option = 3", "needs compile options"),
        (f"{ENTRY.format(width=2, count=1)}compile_option = 'registers'", "registers is not"),
        (ENTRY.format(width=2, count=1).replace("{ width = 2, count = 1 }", "[]"), "needs a config"),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, text: str, why: str) -> None:
    write(tmp_path, "@ttl.tunable(width=[4, 2], count=[2, 1])")
    (tmp_path / "ttl.tuned.toml").write_text(text)
    for command in ("run", "check"):
        (message,) = messages(tmp_path, command)
        assert message.startswith("TTL0244")
        assert why in message


def test_one_note_for_each_kind_of_call(tmp_path: Path) -> None:
    write(
        tmp_path,
        "@ttl.tunable(width=[4, 2], count=[2, 1])",
        "for _ in range(3):\n    double(x, y)\ndouble(x, y)",
    )
    assert len(messages(tmp_path, "run")) == len(messages(tmp_path, "check")) == 1


def test_a_condition_that_is_not_known_is_said(tmp_path: Path) -> None:
    helpers = "import os\nLIMIT = int(os.environ.get('LIMIT', '4'))"
    write(
        tmp_path,
        "@ttl.tunable(width=[4, 2], count=[2, 1], where=lambda width: width <= LIMIT)",
        helpers=helpers,
    )
    outcome = run_ttl(["check", "example.py"], folder=tmp_path)
    assert "where of ttl.tunable is not known" in outcome.stdout
    assert outcome.status == 3
