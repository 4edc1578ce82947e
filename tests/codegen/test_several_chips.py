"""Programs over several chips as C++: the real headers of the fabric read it, in both generations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support import mesh_programs
from support.compiled import Emitted, complaints_about, emitted_file
from support.fabric_headers import MARK
from support.kernel_check import check, needs_compiler
from ttl import settings
from ttl.codegen.compile import compile_module
from ttl.codegen.cpp import file_names
from ttl.codegen.description import ProgramDescription, from_json, to_json
from ttl.codegen.emitc.export import export
from ttl.codegen.entries import MeshNumbers, OfMesh, SemaphoreAddress, read_entry, resolve
from ttl.emitc.printer import print_cpp
from ttl.frontend.file import lower_file

PROGRAMS = {
    "two chips": mesh_programs.shift((1, 2)),
    "a ring of chips of several nodes": mesh_programs.shift((1, 4), (2, 1), block=5),
    "a mesh of chips": mesh_programs.shift((2, 2), (2, 2)),
    "to all nodes of all chips": mesh_programs.broadcast((2, 2), (2, 2), block=3),
    "from every chip to every other": mesh_programs.gather((2, 4)),
    "semaphores are increased": mesh_programs.signals((2, 2)),
    "semaphores are set": mesh_programs.signals((1, 3), change="set"),
    "a net over a graph": mesh_programs.domain(),
    "semaphores of all nodes are set": mesh_programs.start((2, 2), (2, 1)),
}
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def compiled(text: str, folder: Path) -> Emitted:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return emitted_file(path)


def described(text: str, folder: Path) -> ProgramDescription:
    found = compiled(text, folder)
    assert not found.refused
    (description,) = found.programs["0.81"]
    return description


@pytest.mark.headers
@needs_compiler
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_headers_of_the_fabric_accept_it(name: str, tmp_path: Path) -> None:
    found = compiled(PROGRAMS[name], tmp_path)
    assert not found.refused
    assert any(
        MARK in kernel.source for programs in found.programs.values() for kernel in programs[0].kernels
    )
    assert complaints_about([found]) == []


@pytest.mark.headers
@needs_compiler
@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("fabric_unicast_noc_unicast_atomic_inc(", "fabric_unicast_noc_unicast_atomic_add(", "atomic_add"),
        (".open()", ".open_link()", "open_link"),
        ("&fabric_links[", "fabric_links[", "fabric_unicast_noc_fused_unicast_with_atomic_inc"),
        ("NocUnicastAtomicIncCommandHeader{", "NocUnicastInlineWriteCommandHeader{", "NocUnicastInlineWriteCommandHeader"),
        ("get_arg_val<uint32_t>(0)", "get_arg_val<uint32_t>()", "get_arg_val"),
    ],
)  # fmt: skip
def test_they_say_what_is_wrong(right: str, wrong: str, said: str, tmp_path: Path) -> None:
    description = described(mesh_programs.gather((1, 2)), tmp_path)
    (kernel,) = (item for item in description.kernels if MARK in item.source)
    words = ",".join(map(str, kernel.compile_time_args))
    assert right in kernel.source
    complaint = check(
        "0.81", "datamovement", kernel.source.replace(right, wrong), (f"KERNEL_COMPILE_TIME_ARGS={words}",)
    )
    assert complaint is not None and said in complaint


def test_who_sends_to_which_chips(tmp_path: Path) -> None:
    """Receivers send, too: they say that there is room. On a ring that is one connection for each kernel."""
    description = described(mesh_programs.shift((1, 3), (2, 1)), tmp_path)
    read, write = description.kernels
    nodes = [(chip, (column, 0)) for chip in range(3) for column in range(2)]
    assert [(reach.chip, reach.node, reach.chips) for reach in read.reaches] == [
        (chip, node, ((chip + 1) % 3,)) for chip, node in nodes
    ]
    assert [(reach.chip, reach.node, reach.chips) for reach in write.reaches] == [
        (chip, node, ((chip - 1) % 3,)) for chip, node in nodes
    ]
    assert (read.links, write.links, description.mesh, description.grid) == (1, 1, (1, 3), (2, 1))


def test_of_a_semaphore_only_the_nodes_and_chips_that_are_meant(tmp_path: Path) -> None:
    text = mesh_programs.signals((2, 2)).replace(
        "turn.get_remote((after", "if nx == 0:\n            turn.get_remote((after"
    )
    description = described(text.replace("X, Y = (1, 1)", "X, Y = (2, 1)"), tmp_path)
    (kernel,) = (item for item in description.kernels if item.links)
    assert [(reach.chip, reach.node, reach.chips) for reach in kernel.reaches] == [
        (chip, (0, 0), ((chip + 1) % 4,)) for chip in range(4)
    ]


def test_messages_are_cut_into_packets(tmp_path: Path) -> None:
    """5 tiles of 2048 bytes, and packets of at most 4352: two whole ones, and the rest with the counter."""
    description = described(mesh_programs.shift((1, 2), block=5), tmp_path)
    source = description.kernels[0].source
    assert "for (uint32_t packet = 0; packet < 2; ++packet)" in source
    assert re.search(r", 4352,\s+tt::tt_fabric::NocUnicastCommandHeader", source)
    assert f", {5 * 2048 - 8704}," in source


def test_counters_are_the_hosts(tmp_path: Path) -> None:
    description = described(mesh_programs.shift((1, 2)), tmp_path)
    names = {item.name for item in description.global_semaphores}
    assert names == {"net_free", "net_valid", "read_turn", "read_seen", "write_turn", "write_seen"}
    assert not description.semaphores and not any(item.resets for item in description.global_semaphores)
    signals = described(mesh_programs.signals((1, 2)), tmp_path)
    assert [(item.name, item.resets) for item in signals.global_semaphores] == [("turn", True)]
    alone = described(mesh_programs.gather((1, 2)), tmp_path)
    assert not any("fabric_take_turn" in kernel.source for kernel in alone.kernels)


def test_what_stays_on_a_chip_takes_no_links(tmp_path: Path) -> None:
    text = mesh_programs.shift((1, 3), (2, 1)).replace(
        "dst=(*chips[(number + 1) % CHIPS], nx, ny)", "dst=(*chips[number], 1 - nx, ny)"
    )
    description = described(text, tmp_path)
    assert description.mesh == (1, 3) and not description.global_semaphores
    assert not any(kernel.links or MARK in kernel.source for kernel in description.kernels)


def test_a_description_comes_back_from_its_text(tmp_path: Path) -> None:
    description = described(mesh_programs.gather((2, 2)), tmp_path)
    text = to_json(description)
    assert to_json(from_json(text)) == text and from_json(text).mesh == (2, 2)


def test_entries_of_a_mesh() -> None:
    numbers = MeshNumbers(chip=3, fabric_chips=(4, 5, 6, 7), fabric_mesh=2, semaphores={"net_free": 1024})
    texts = ("chip()", "fabric_chip(1)", "fabric_mesh()", "semaphore(net_free)")
    words = tuple(map(read_entry, texts))
    assert tuple(map(str, words)) == texts
    assert words[0] == OfMesh(what="chip") and words[3] == SemaphoreAddress(name="net_free")

    def nowhere(*_: object) -> tuple[int, int]:
        raise AssertionError

    assert resolve(words, address=lambda name: 0, node=nowhere, mesh=numbers) == [3, 5, 2, 1024]
    with pytest.raises(ValueError, match="only in a mesh"):
        resolve(words, address=lambda name: 0, node=nowhere)
    for text in ("chip(1)", "fabric_chip()", "semaphore()"):
        with pytest.raises(ValueError, match="no entry"):
            read_entry(text)


@pytest.mark.headers
@needs_compiler
def test_the_example(tmp_path: Path) -> None:
    found = emitted_file(EXAMPLES / "mesh_pipes_all_reduce.py")
    assert not found.refused and complaints_about([found]) == []


@pytest.mark.headers
@needs_compiler
def test_printed_by_mlir_it_is_accepted_as_well(tmp_path: Path) -> None:
    """Kernels as ``emitc``, with the function for turns."""
    path = tmp_path / "program.py"
    path.write_text(mesh_programs.shift((1, 2), block=5), encoding="utf-8")
    (program,) = compile_module(lower_file(str(path)).module, settings.current(), generation="0.81").programs
    module, files = export(program, "0.81"), file_names(program)
    texts = [print_cpp(module, file=files[kernel.declared_name]) for kernel in program.kernels]
    assert all("static inline void fabric_take_turn" in text for text in texts)
    defines = ("KERNEL_COMPILE_TIME_ARGS=2,2048",)
    assert [check("0.81", "datamovement", text, defines) for text in texts] == [None, None]
