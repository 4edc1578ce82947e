"""Programs over several chips, compiled and on the emulated chips: block by block what the simulator makes of them."""

from __future__ import annotations

import re
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import ttnn
from xdsl.context import Context
from xdsl.dialects.builtin import StringAttr

from support import mesh_programs
from support.programs import run_ttl
from ttl import settings
from ttl.codegen.compile import compile_module
from ttl.codegen.objects import build_mesh_program
from ttl.dialects.ttl import CreatePipeNetOp
from ttl.frontend.file import lower_file
from ttl.passes.pipeline import pipeline
from ttl.passes.pipes.plan import PlanPipes

PROGRAMS = {
    "two chips, whose two kernels share the only link": mesh_programs.shift((1, 2), block=5),
    "a ring over a line, of two nodes each": mesh_programs.shift((1, 3), (2, 1)),
    "from chip to chip, and there from node to node": mesh_programs.relay((1, 3)),
    "one pipe to all nodes of a mesh, own ones among them": mesh_programs.broadcast((2, 2), (2, 1), block=3),
    "every chip to every other": mesh_programs.gather((2, 4)),
    "semaphores of other chips, increased": mesh_programs.signals((2, 2)),
    "semaphores of other chips, set": mesh_programs.signals((1, 3), change="set"),
    "a net over a graph of a domain of chips": mesh_programs.domain(),
    "a semaphore of all nodes, set": mesh_programs.start((1, 2), (2, 1)),
    "a semaphore of some nodes of some chips, set": mesh_programs.start(
        (2, 2),
        (2, 2),
        of="(slice(0, 2), slice(1, 2), slice(0, 2), slice(0, 1))",
        waits="column == 1 and ny == 0",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_as_in_the_simulator(name: str, tmp_path: Path) -> None:
    """The program asserts its results; --compare, each block that is pushed and each part of a tensor."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAMS[name], encoding="utf-8")
    done = run_ttl(["run", "--target", "emu", "--compare", str(path)], folder=tmp_path)
    assert (done.status, done.stdout) == (0, "")
    assert re.fullmatch(r"compared with the simulator: 1 launch of .*: equal to the last bit\n", done.stderr)


_RECEIVED = "ttl.copy(pipe, came).wait()"


@pytest.mark.parametrize(
    ("text", "protocols"),
    [
        pytest.param(mesh_programs.relay((1, 3)), ["direct", "direct"], id="a block for each receive"),
        pytest.param(
            mesh_programs.shift((1, 3)).replace(_RECEIVED, f"if turn < 1: {_RECEIVED}"),
            ["across"],
            id="some blocks are not received",
        ),
        pytest.param(
            mesh_programs.shift((1, 3)).replace(_RECEIVED, f"ttl.copy(x[0, 0], came).wait(); {_RECEIVED}"),
            ["across"],
            id="something else is put into the block before",
        ),
        pytest.param(mesh_programs.broadcast((1, 2)), ["across"], id="a pipe to several nodes"),
        pytest.param(mesh_programs.gather((1, 3)), ["across"], id="several pipes to a node"),
    ],
)
def test_where_messages_land(text: str, protocols: list[str], tmp_path: Path) -> None:
    """In the blocks that are acquired for them, where nothing else is put there; else beside them."""
    path = tmp_path / "program.py"
    path.write_text(text, encoding="utf-8")
    module = lower_file(str(path)).module
    for one in pipeline():
        one.apply(Context(), module)
        if isinstance(one, PlanPipes):
            break
    nets = [op for op in module.walk() if isinstance(op, CreatePipeNetOp)]
    assert [op.attributes["ttl.protocol"] for op in nets] == list(map(StringAttr, protocols))


def test_messages_land_beside_the_blocks_where_that_is_asked_for(tmp_path: Path) -> None:
    """The results are the same, and it takes longer."""
    text = mesh_programs.shift((1, 2), block=5)
    assert _cycles(text, tmp_path, "--compile-option", "protocol.net=across") > _cycles(text, tmp_path)


def _cycles(text: str, folder: Path, *flags: str) -> int:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    done = run_ttl(["run", "--target", "emu", "--profile", *flags, str(path)], folder=folder)
    assert done.status == 0, done.stdout + done.stderr
    found = re.search(r": ([\d,]+) cycles on", done.stdout + done.stderr)
    assert found is not None
    return int(found[1].replace(",", ""))


def test_kernels_take_turns_where_links_are_few(tmp_path: Path) -> None:
    """Chips of a T3000 have two channels to a neighbour, an ideal mesh has one; and it takes as long each time."""
    text = mesh_programs.shift((1, 2), block=5)
    shared = _cycles(text, tmp_path)
    assert _cycles(text, tmp_path, "--system", "t3000") < shared == _cycles(text, tmp_path)


def test_the_script_of_a_project(tmp_path: Path) -> None:
    """``run.py`` launches the same program through ttnn, here through the library that stands in for it."""
    path = tmp_path / "program.py"
    path.write_text(mesh_programs.gather((2, 2)), encoding="utf-8")
    done = run_ttl(["compile", "-o", str(tmp_path / "made"), str(path)], folder=tmp_path)
    assert done.status == 0, done.stderr
    files = {item.name for item in (tmp_path / "made" / "gather").iterdir()}
    assert files == {"README.md", "kernels", "program.json", "run.py"}
    script: dict[str, Any] = runpy.run_path(str(tmp_path / "made" / "gather" / "run.py"))
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(2, 2))
    given = torch.arange(1, 5).repeat_interleave(32).reshape(128, 1).expand(128, 32).bfloat16()
    x = ttnn.from_torch(
        given, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0)
    )
    _, y = script["tensors"](mesh)
    script["run"](x, y)
    left = ttnn.to_torch(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
    assert torch.equal(left, given.repeat(4, 1))
    ttnn.close_mesh_device(mesh)


def test_a_hang_names_chips_and_what_they_wait_for(tmp_path: Path) -> None:
    """As in the simulator, and what the chips say of themselves."""
    text = mesh_programs.shift((1, 3), (2, 1)).replace(
        "for turn in range(2):\n                with in_dfb",
        "for turn in range(3):\n                with in_dfb",
    )
    path = tmp_path / "program.py"
    path.write_text(text.replace("y[turn * 1 : (turn + 1) * 1,", "y[0:1,"), encoding="utf-8")
    done = run_ttl(["run", "--target", "emu", str(path)], folder=tmp_path, environment={"TTL_CHECK": "off"})
    assert done.status == 1
    assert (
        "error[TTL0918]: deadlock: write on chip (0, 0), node (0, 0) waits to receive from net's pipe from (0, 2, 0, 0) to (0, 0, 0, 0), "
        "on which only 2 were sent" in done.stderr
    )
    assert (
        "chip (0, 2), node (0, 0) sends 2 blocks on this pipe and chip (0, 0), node (0, 0) receives 3"
        in done.stderr
    )
    assert "waits until semaphore net_valid is at least 3" in done.stderr


def test_what_a_card_gets_runs_through_the_library(tmp_path: Path) -> None:
    """``TTL_TARGET=device`` gives the objects of ttnn; here those of the library that stands in for it, which runs them."""
    path = tmp_path / "program.py"
    path.write_text(mesh_programs.signals((1, 2)), encoding="utf-8")
    lowered = lower_file(str(path))
    (description,) = compile_module(lowered.module, settings.current()).descriptions
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
    given = torch.arange(2 * 32 * 32).reshape(64, 32).bfloat16()
    shard = ttnn.ShardTensorToMesh(mesh, dim=0)
    x = ttnn.from_torch(given, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=shard)
    y = ttnn.from_torch(0 * given, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=shard)
    program = build_mesh_program(ttnn, description, [x, y])
    for _ in range(2):
        ttnn.generic_op([x, y], program.descriptor)
        ttnn.reset_global_semaphore_value(program.semaphores["turn"], 0)
    assert torch.equal(ttnn.to_torch(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0)), given)
    ttnn.close_mesh_device(mesh)


@pytest.mark.parametrize("columns", [2, 3])
def test_a_chip_begins_the_next_launch_while_another_one_is_in_the_last(columns: int, tmp_path: Path) -> None:
    """As chips of a card do, whose queues know nothing of each other: here, kernels that are run several times in a row.

    Receivers of the next launch say that they have room while the sender of the last one still works: what they say
    counts for the next launch. As many messages as their buffer has blocks: nothing resets it in between.
    """
    path = tmp_path / "program.py"
    path.write_text(mesh_programs.late(columns, turns=10), encoding="utf-8")
    (description,) = compile_module(lower_file(str(path)).module, settings.current()).descriptions
    again = (
        "\nvoid kernel_main() {\n    for (int i = 0; i < 3; ++i, PacketHeaderPool::reset()) launch();\n}\n"
    )
    kernels = tuple(
        replace(kernel, source=kernel.source.replace("void kernel_main()", "static void launch()") + again)
        for kernel in description.kernels
    )
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, columns))
    given = torch.arange(columns * 10 * 32 * 32).reshape(columns * 320, 32).bfloat16()
    shard = ttnn.ShardTensorToMesh(mesh, dim=0)
    x = ttnn.from_torch(given, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=shard)
    description, kept = replace(description, kernels=kernels), None
    for _ in range(2):
        y = ttnn.from_torch(0 * given, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=shard)
        program = build_mesh_program(ttnn, description, [x, y], kept)
        assert kept is None or kept is program.semaphores
        ttnn.generic_op([x, y], program.descriptor)
        kept = program.semaphores
        left = ttnn.to_torch(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
        assert torch.equal(left, given[:320].repeat(columns, 1))
    ttnn.close_mesh_device(mesh)
