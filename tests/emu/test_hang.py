"""``ttl hang``: dumps that the emulated chip leaves are read back, and their diagnosis is that of the run."""

from __future__ import annotations

import json
import re
import runpy
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from emu.test_measured import PROGRAM
from support import mesh_programs
from support.hangs import CORPUS, hung, hung_by_hand
from support.programs import run_ttl
from ttl import settings
from ttl.codegen import debug_info
from ttl.codegen.compiled_calls import compile_call
from ttl.diag import Diagnostic
from ttl.diag.text import render
from ttl.emu.dump import TRIAGE, WATCHER
from ttl.hang.explain import DeviceExplanation, explain
from ttl.hang.files import collect

# A cause each: what the issue names, and what else there is.
KINDS = {
    "one_destination_does_not_receive": "TTL0919",  # the acknowledgement of a multicast is missing
    "loops_of_two_and_eight": "TTL0913",  # unequal counts
    "filled_twice_the_wrong_one": "TTL0911",  # a wrong buffer's wait
    "semaphore_nobody_sets": "TTL0920",
    "barrier_with_one_node_missing": "TTL0920",
    "gathered_from_a_silent_node": "TTL0918",  # a core on which nothing runs any more
    "multicast_received_once_too_often": "TTL0918",
    "two_kernels_two_orders": "TTL0917",
    "two_buffers_too_small": "TTL0916",
    "pop_on_one_path_only": "TTL0915",
    "state_never_primed_and_left": "TTL0921",
    "compute_stops_early": "TTL0914",
    "reader_waits_for_its_own": "TTL0912",
}
# What the emulated chip does not run, or ends.
NOT_HUNG = {
    "accumulator_of_one_block", "accumulator_of_one_block_on_64_nodes", "delay_of_two_primed_with_one", "kept_for_a_second_pass",
    "kernels_that_leave_traces", "push_missing_before_an_answer", "push_on_one_path_only",
}  # fmt: skip
_CLOCK = re.compile(r", since cycle [\d,]+")


def explained(folder: Path, *, again: bool = True) -> DeviceExplanation:
    found = collect(str(folder))
    assert not found.dump.damaged
    return explain(found.dump, 0, found.infos, found.sources, again=again)


@pytest.mark.parametrize("name", KINDS)
def test_the_diagnosis_of_a_dump_is_that_of_the_run(name: str, tmp_path: Path) -> None:
    live = hung(CORPUS / f"{name}.py", tmp_path)
    told = explained(tmp_path)
    assert live.code == KINDS[name]
    assert told.finding == live
    assert "the emulated chip reaches the same state" in told.basis[0]
    assert not told.missing


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({path.stem for path in CORPUS.glob("*.py")} - NOT_HUNG - {*KINDS}))
def test_so_it_is_for_every_deadlock_there_is(name: str, tmp_path: Path) -> None:
    live = hung(CORPUS / f"{name}.py", tmp_path)
    assert explained(tmp_path).finding == live


def test_written_kernels_are_explained_in_the_words_of_the_chip(tmp_path: Path) -> None:
    """The unpacker waits for data of another format: no operation, so nothing runs again."""
    live = hung_by_hand(tmp_path)
    told = explained(tmp_path)
    assert live.code == "TTL1504" and told.finding is not None
    assert (told.finding.message, told.finding.help) == (live.message, live.help)
    assert told.finding.notes == tuple(_CLOCK.sub("", note) for note in live.notes)
    assert "needs 2 more pages of circular buffer 3 to be pushed: 2 of 4 are there" in str(told.finding.help)


# --- without the run -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dump of two nodes that a cycle holds, with nets."""
    result = tmp_path_factory.mktemp("dump")
    hung(CORPUS / "one_destination_does_not_receive.py", result)
    return result


def test_from_the_dump_alone_the_cause_of_buffers_is_the_same(tmp_path: Path) -> None:
    live = hung(CORPUS / "compute_stops_early.py", tmp_path)
    told = explained(tmp_path, again=False).finding
    assert told is not None and (told.code, told.message, told.primary) == (
        live.code,
        live.message,
        live.primary,
    )
    assert "nothing was tried, as a dump cannot continue" in str(told.help)


def test_without_debug_information_names_of_kernels_and_buffers_are_there(folder: Path) -> None:
    found = collect(str(folder))
    told = explain(found.dump, 0, [], found.sources)
    assert told.finding is not None and told.finding.code == "TTL1504"
    text = "\n".join(told.finding.notes)
    assert "read (ncrisc) waits until semaphore net_free is 3 at read.cpp:46, where it is 2" in text
    assert "write (brisc) waits for dfb, 1 page of it at write.cpp:29" in text
    assert "what the kernels were compiled from" in told.missing[0]


def test_the_watcher_alone_says_who_waits_and_not_where(folder: Path) -> None:
    found = collect(str(folder / WATCHER))
    told = explain(found.dump, 0, [], {})
    assert told.finding is not None
    assert "read (ncrisc) waits for a semaphore" in "\n".join(told.finding.notes)
    assert any(text.startswith("lines: the watcher logs none") for text in told.missing)


def test_the_watcher_with_debug_information_is_as_good_as_the_run(folder: Path, tmp_path: Path) -> None:
    """Waypoints agree with the state that the emulated chip comes to."""
    shutil.copytree(folder, tmp_path / "dump")
    (tmp_path / "dump" / TRIAGE).unlink()
    told = explained(tmp_path / "dump")
    assert told.finding is not None and told.finding.code == "TTL0919"


def test_a_state_that_the_emulated_chip_does_not_come_to_is_told(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "dump")
    path = tmp_path / "dump" / TRIAGE
    path.write_text(path.read_text().replace("│ 1      │ 1      │ 0 ", "│ 2      │ 1      │ 1 "))
    told = explained(tmp_path / "dump")
    assert told.finding is not None and told.finding.code == "TTL1504"
    assert (
        "dfb on node (0, 0): 2 pushed, 1 popped in the dump, 1 pushed, 1 popped on the emulated chip"
        in told.basis[0]
    )


def test_cores_that_do_not_answer_come_first(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "dump")
    with (tmp_path / "dump" / TRIAGE).open("a") as file:
        file.write(
            "check_broken_components.py:\n"
            "+--------+-------------------+\n"
            "| Device | Broken Cores      |\n"
            "+--------+-------------------+\n"
            "| 0      | brisc: 18-21 (0,3) |\n"
            "+--------+-------------------+\n"
        )
    told = explained(tmp_path / "dump").finding
    assert told is not None and told.code == "TTL0148"
    assert told.message == "core (0, 3) does not answer, and kernels wait"
    assert any(note.startswith("the others, TTL0919") for note in told.notes)


def test_changed_programs_are_told(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    shutil.copy(CORPUS / "compute_stops_early.py", program)
    hung(program, tmp_path / "dump")
    program.write_text("# nothing\n" + program.read_text())
    basis = explained(tmp_path / "dump").basis
    assert f"{program} changed since the program was compiled: line numbers may differ" in basis
    program.unlink()
    finding: Diagnostic | None = explained(tmp_path / "dump").finding
    assert finding is not None and render(finding)


def test_debug_information_of_another_version_is_used_for_its_names(tmp_path: Path) -> None:
    hung(CORPUS / "compute_stops_early.py", tmp_path)
    found = collect(str(tmp_path))
    older = [
        replace(info, module=info.module.replace("ttl.operation", "ttl.program")) for info in found.infos
    ]
    told = explain(found.dump, 0, older, found.sources)
    assert told.finding is not None and told.finding.code == "TTL1504"
    assert told.basis[0].startswith("the program was compiled by another version of ttl")


def test_a_dump_that_cannot_be_written_hides_no_deadlock(tmp_path: Path) -> None:
    (tmp_path / "kernels").write_text("in the way")
    assert hung(CORPUS / "compute_stops_early.py", tmp_path).code == "TTL0914"


# --- the command -----------------------------------------------------------------------------------------------


def test_the_command_says_what_it_has_read_and_what_is_missing(folder: Path) -> None:
    outcome = run_ttl(["hang", str(folder)], folder=folder)
    assert outcome.status == 1
    assert "error[TTL0919]" in outcome.stderr
    assert "note: read: op.ttl-debug.json, tt-triage.txt and watcher.log" in outcome.stderr
    short = run_ttl(["hang", WATCHER, "--format", "json"], folder=folder)
    assert short.status == 1
    assert json.loads(short.stderr.splitlines()[0])["code"] == "TTL1504"


def test_a_dump_in_which_nothing_waits_is_none_of_a_hang(folder: Path, tmp_path: Path) -> None:
    text = (folder / WATCHER).read_text()
    (tmp_path / "watcher.log").write_text(re.sub(r"\): .*  rmsg", "):    D,   D,   D,   D,   D  rmsg", text))
    outcome = run_ttl(["hang", "watcher.log"], folder=tmp_path)
    assert (outcome.status, outcome.stdout.splitlines()[0]) == (
        0,
        "no kernel is stuck according to watcher.log",
    )


@pytest.mark.parametrize("name", ["missing", "empty", "empty/text.txt"])
def test_nothing_to_explain_is_an_error(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "text.txt").write_text("nothing\n| a | b |\n")
    outcome = run_ttl(["hang", name], folder=tmp_path)
    assert outcome.status == 2 and outcome.stderr.startswith("error[TTL0149]")


def test_a_card_gets_what_lines_come_from_before_the_launch(tmp_path: Path) -> None:
    """``TTL_TARGET=device`` compiles by this; the file is there when the card hangs."""
    (tmp_path / "double.py").write_text(PROGRAM.replace("double(x, y)\n", ""))
    names = runpy.run_path(str(tmp_path / "double.py"))
    with settings.override(dump=str(tmp_path / "dump")):
        description, _ = compile_call(names["double"], (names["x"], names["y"]), {})
    info = debug_info.from_text((tmp_path / "dump" / "double.ttl-debug.json").read_text())
    assert info.description == description and "ttl.operation @double" in info.module
    for kernel, kept in zip(description.kernels, info.description.kernels, strict=True):
        assert kept.lines == kernel.lines != {}
    assert info.changed == ()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--dump", "folder"], "TTL0119"), (["--target", "emu", "--dump", "double.py"], "TTL0117")],
)
def test_a_dump_that_cannot_be_is_refused_before_anything_runs(
    arguments: list[str], code: str, tmp_path: Path
) -> None:
    (tmp_path / "double.py").write_text(PROGRAM)
    outcome = run_ttl(["run", *arguments, "double.py"], folder=tmp_path)
    assert outcome.status == 2 and f"error[{code}]" in outcome.stderr


# --- over several chips ----------------------------------------------------------------------------------------


def test_the_chips_of_a_mesh_are_explained_together(tmp_path: Path) -> None:
    """Each chip is a device of the dump; the program runs again on all of them."""
    text = mesh_programs.shift((1, 3), (2, 1)).replace(
        "for turn in range(2):\n                with in_dfb",
        "for turn in range(3):\n                with in_dfb",
    )
    program = tmp_path / "program.py"
    program.write_text(text.replace("y[turn * 1 : (turn + 1) * 1,", "y[0:1,"), encoding="utf-8")
    live = hung(program, tmp_path / "dump")
    told = explained(tmp_path / "dump")
    assert live.code == "TTL0918" and told.finding == live
    assert told.devices == (0, 1, 2)
    alone = explained(tmp_path / "dump", again=False).finding
    assert alone is not None and alone.code == "TTL1504"
    assert "chip (0, 2), node (1, 0)" in "\n".join(alone.notes)
    outcome = run_ttl(["hang", "dump"], folder=tmp_path)
    assert outcome.status == 1 and outcome.stderr.count("error[") == 1
    assert outcome.stderr.startswith("error[TTL0918]: deadlock: write on chip (0, 0), node (0, 0)")
