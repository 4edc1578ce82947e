"""Profiles that a program reads: the object of ``--profile --format json``, and ``ttl.profile``."""

from __future__ import annotations

import json
import linecache
import math
import re
from pathlib import Path
from typing import Any

import pytest
import ttnn

import ttl
from docs.blocks import ROOT
from support.programs import Outcome, run_program
from ttl import settings
from ttl.emu import profile_json
from ttl.emu.critical import RESOURCES
from ttl.emu.profile import Profile
from ttl.emu.program import ROLES
from ttl.host.tensor import Tensor

PROGRAM = """
import sys

import ttl
import ttnn

SCALE = 3


def operation_of(block: int, shift: float):
    @ttl.operation(grid=(2, 1))
    def scaled(x, y, unused=()):
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, block))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, block))
        row = ttl.node(dims=1)

        @ttl.datamovement()
        def read():
            for column in range(x.shape[1] // 32 // block):
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[row, column * block : (column + 1) * block], x_blk).wait()

        @ttl.compute()
        def compute():
            for _ in range(x.shape[1] // 32 // block):
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    with ttl.signpost("arithmetic"):
                        y_blk.store(x_blk * SCALE + shift)

        @ttl.datamovement()
        def write():
            for column in range(x.shape[1] // 32 // block):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row, column * block : (column + 1) * block]).wait()

    return scaled


def tensor(columns: int = 128):
    return ttnn.ones(
        (64, columns), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(device_id=0)
    )


if __name__ == "__main__":
    print('{"kind": "profile", "of": "the program"}')
    print("{of the program, too", file=sys.stderr)
    operation_of(1, 0.5)(tensor(), tensor())
    operation_of(2, 0.25)(tensor(), tensor(), unused=[None, tensor(64)])
"""


def module(source: str = PROGRAM, file: str = "<cell 1>") -> dict[str, Any]:
    """The program as a cell of a notebook: there is no file, Python has the text."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "cell"}
    exec(compile(source, file, "exec"), names)
    return names


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run_program(
        PROGRAM,
        folder=tmp_path_factory.mktemp("run"),
        flags=["--target", "emu", "--profile", "--format", "json"],
    )


@pytest.fixture(scope="module")
def launches(outcome: Outcome) -> list[Any]:
    return list(profile_json.objects_in(outcome.stderr))


def test_every_launch_is_one_object_apart_from_what_the_program_prints(
    outcome: Outcome, launches: list[Any]
) -> None:
    assert outcome.status == 0
    assert outcome.stdout == '{"kind": "profile", "of": "the program"}\n'
    lines = outcome.stderr.splitlines()
    assert lines[0] == "{of the program, too"
    assert [json.loads(line) for line in lines[1:]] == launches
    assert [item["launch"] for item in launches] == [1, 2]


def test_a_launch_is_named_with_its_tensors_and_constants(launches: list[Any]) -> None:
    first, second = launches
    assert {item["name"]: item["shape"] for item in first["arguments"]} == {"x": [64, 128], "y": [64, 128]}
    assert first["arguments"][0] == {
        "name": "x", "shape": [64, 128], "dtype": "bfloat16", "layout": "tile", "memory": "dram",
        "memory_layout": "interleaved", "shard_shape": None,
    }  # fmt: skip
    assert first["constants"] == {"SCALE": 3, "block": 1, "shift": 0.5, "unused": []}
    assert [item["name"] for item in second["arguments"]] == ["x", "y", "unused[1]"]
    assert second["constants"] == {"SCALE": 3, "block": 2, "shift": 0.25}


def test_the_numbers_of_an_object_belong_together(launches: list[Any]) -> None:
    for item in launches:
        assert sum(item["path"].values()) == item["cycles"]
        assert item["verdict"].startswith(f"scaled: {item['cycles']:,} cycles on 2 nodes of wormhole")
        assert item["bound_by"] == next(iter(item["path"]))
        assert set(item["path"]) <= set(RESOURCES)
        assert item["nanoseconds"] == item["cycles"] * 1e9 / item["clock_hz"]
        assert item["grid"] == [2, 1] and item["nodes"] == 2
        of_lines = sum(line["path"] for line in item["lines"])
        assert of_lines + item["path"]["launch"] == item["cycles"]
        roles = {kernel["name"]: set(kernel["roles"]) for kernel in item["kernels"]}
        assert set().union(*roles.values()) == set(ROLES) == {item["role"] for item in item["processors"]}
        for line in item["lines"]:
            assert line["share"] == round(line["path"] / item["cycles"], 4)
            assert set(line["busy"]) | set(line["waits"]) <= roles[line["kernel"]]
        (of_compute,) = [line for line in item["lines"] if "x_blk * SCALE" in line["text"]]
        assert of_compute["kernel"] == "compute" and of_compute["busy"]["math"] > 0
        assert PROGRAM.splitlines()[of_compute["line"] - 1] == of_compute["text"]
        assert {post["name"] for post in item["signposts"]} == {"arithmetic"}
        assert item["signposts"][0]["times"] == 2 * 4 // item["constants"]["block"]


def test_a_profile_that_was_written_reads_as_the_same_profile(launches: list[Any]) -> None:
    for item in launches:
        profile = profile_json.from_object(item)
        assert isinstance(profile, Profile)
        assert profile_json.to_object(profile) == item


@pytest.mark.parametrize("broken", [{}, {"schema": 2}, {"lines": None}, {"path": {"hope": 3}}, {"grid": 3}])
def test_what_is_no_profile_is_refused(launches: list[Any], broken: dict[str, Any]) -> None:
    data = {**launches[0], **broken} if broken else []
    with pytest.raises((ValueError, TypeError, KeyError)):
        profile_json.from_object(data)


def test_the_reference_has_every_key(launches: list[Any]) -> None:
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    (example,) = re.findall(r'```json\n(\{"schema": 1, "kind": "profile".*?)```', page, re.DOTALL)
    shown = json.loads(example)

    def keys(value: Any) -> Any:
        match value:
            case dict():
                return {key: keys(item) for key, item in value.items() if key not in ("path", "constants")}
            case [first, *_] if isinstance(first, dict):
                return [keys(first)]
            case _:
                return None

    def without_roles(value: Any) -> Any:
        for line in value["lines"]:
            line["busy"] = line["waits"] = None
        return value

    assert keys(without_roles(shown)) == keys(without_roles(json.loads(json.dumps(launches[0]))))


# --- ttl.profile


def test_a_call_gives_what_the_command_line_says(launches: list[Any]) -> None:
    names = module()
    cost = ttl.profile(names["operation_of"](1, 0.5), names["tensor"](), names["tensor"]())
    (launch,) = json.loads(cost.to_json())["launches"]
    assert cost.cycles == launches[0]["cycles"]
    assert cost.verdict == launch["verdict"] == launches[0]["verdict"]
    assert launch["constants"] == launches[0]["constants"]

    def costs(item: Any) -> list[str]:
        return sorted(str((line["text"], line["path"], line["busy"])) for line in item["lines"])

    assert costs(launch) == costs(launches[0])


def test_a_kernel_of_a_notebook_has_its_lines() -> None:
    names = module()
    cost = ttl.profile(names["operation_of"](1, 0.5), names["tensor"](), names["tensor"]())
    (line,) = [
        line for place, line in cost.lines.items() if place.file == "<cell 1>" and "SCALE" in line.text
    ]
    assert line.path > 0
    assert "y_blk.store(x_blk * SCALE + shift)" in str(cost)
    assert repr(cost) == f"<ttl.profile of {cost.verdict}>"


def test_every_launch_of_a_function_is_there_and_its_result_and_effects() -> None:
    names = module()
    x, y = names["tensor"](), names["tensor"]()

    def step(times: int) -> str:
        for number in range(times):
            names["operation_of"](1 + number % 2, 0.5)(x, y)
        return "done"

    cost = ttl.profile(step, times=3)
    assert cost.result == "done" and cost.name == "step"
    assert [item.launch and item.launch.number for item in cost.launches] == [1, 2, 3]
    assert cost.cycles == sum(item.cycles for item in cost.launches)
    assert sum(cost.path.values()) == cost.cycles
    assert cost.launches[0].cycles == cost.launches[2].cycles
    assert sum(line.path for line in cost.lines.values()) + cost.path["launch"] == cost.cycles
    assert cost.verdict.startswith(f"step: {cost.cycles:,} cycles in 3 launches of scaled (")
    assert ttnn.to_torch(y)[0, 0] == 3.5
    # The report shows launches of one program together.
    assert "in 2 launches" in str(cost) and "  launches 1, 3: x 64x128" in str(cost)


def test_nothing_stays_behind(capsys: pytest.CaptureFixture[str]) -> None:
    names = module()
    operation, tensors = names["operation_of"](1, 0.5), (names["tensor"](), names["tensor"]())
    before = settings.current()
    first, second = (ttl.profile(operation, *tensors) for _ in range(2))
    assert settings.current() == before
    assert first.launches[0].launch == second.launches[0].launch
    operation(*tensors)
    assert capsys.readouterr().err == ""


def test_the_settings_in_effect_choose_the_chip() -> None:
    names = module()
    with settings.override(arch="blackhole"):
        cost = ttl.profile(names["operation_of"](1, 0.5), names["tensor"](), names["tensor"]())
    assert {launch.chip for launch in cost.launches} == {"blackhole"}


def test_errors_of_the_program_are_raised_as_usual() -> None:
    names = module()
    with pytest.raises(ttl.ProgramError) as wrong:
        ttl.profile(names["operation_of"](1, 0.5), names["tensor"]())
    assert wrong.value.code == "TTL0208"

    def fails() -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        ttl.profile(fails)


@pytest.mark.parametrize(
    ("call", "options", "said"),
    [
        (3, {}, "it is not an operation and no function"),
        (len, {"target": "sim"}, "target 'sim' counts no cycles of lines"),
        (list, {}, "it launched no operation"),
    ],
)
def test_nothing_to_profile_is_said(call: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ttl.ProgramError) as wrong:
        ttl.profile(call, **options)
    assert wrong.value.code == "TTL1518" and said in wrong.value.diagnostic.message


def test_under_a_profiled_run_its_launches_count_as_well(tmp_path: Path) -> None:
    source = PROGRAM.replace(
        "    operation_of(1, 0.5)(tensor(), tensor())",
        "    ttl.profile(operation_of(1, 0.5), tensor(), tensor())",
    )
    outcome = run_program(source, folder=tmp_path, flags=["--target", "emu", "--profile", "--format", "json"])
    assert [item["launch"] for item in profile_json.objects_in(outcome.stderr)] == [1, 2]


def test_constants_that_json_has_not_are_texts() -> None:
    from dataclasses import dataclass

    from ttl.lang.launches import name_of

    @dataclass
    class Config:
        block: int
        limit: float

    @ttl.operation(grid=(1, 1))
    def many(a: Tensor, config: Config, dtype: object, function: object, other: object) -> None:
        pass

    a = ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    name = name_of(many, (a, Config(2, math.inf), ttnn.bfloat16, len), {"other": {1, 2}}, number=7)
    assert json.loads(json.dumps(name.constants, allow_nan=False)) == {
        "config": {"block": 2, "limit": "inf"},
        "dtype": "bfloat16",
        "function": "<builtin_function_or_method>",
        "other": "<set>",
    }
    assert str(name) == (
        "launch 7: many(a 32x32 bfloat16 host; config=(block=2, limit=inf), dtype=bfloat16, "
        "function=<builtin_function_or_method>, other=<set>)"
    )
