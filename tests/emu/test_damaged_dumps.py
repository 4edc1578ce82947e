"""Dumps as people have them: other tables, other dates, cut off, damaged. An answer always, and never a traceback."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from support.hangs import CORPUS, hung
from ttl.diag import ProgramError
from ttl.diag.text import render
from ttl.emu.dump import TRIAGE, WATCHER, table
from ttl.hang import triage, watcher
from ttl.hang.dump_content import Dump, DumpedFrame
from ttl.hang.explain import explain
from ttl.hang.files import collect
from ttl.hang.tables import plain

WRAPPED = """\
dump_callstacks.py [0.21s]:
╭─────┬─────────────┬────────┬──────────────────┬───────────┬──────────────────────────────────╮
│ Dev │ Loc         │ RiscV  │ Kernel ID:Name   │ Way       │ Kernel                           │
│     │             │        │                  │ point     │ Callstack                        │
├─────┼─────────────┼────────┼──────────────────┼───────────┼──────────────────────────────────┤
│ 0   │ 1-2 (0,1)   │ brisc  │ 7:write          │ CWFW      │ #0 0x00005B30 in cb_wait_front   │
│     │             │        │                  │           │ () at /opt/tt/dataflow_api.h     │
│     │             │        │                  │           │ 405:9                            │
│     │             │        │                  │           │ #1 0x00005C00 in kernel_main ()  │
│     │             │        │                  │           │ at /home/me/cache/a_very_long_pa │
│     │             │        │                  │           │ th/write.cpp 17:5                │
├─────┼─────────────┼────────┼──────────────────┼───────────┼──────────────────────────────────┤
│ 0   │ 1-2 (0,1)   │ erisc  │ 9:router         │ R         │ #0 0x00000001 in main ()         │
│ x   │ nowhere     │ ncrisc │ 8:read           │ R         │                                  │
╰─────┴─────────────┴────────┴──────────────────┴───────────┴──────────────────────────────────╯
check_noc_status.py:
  fail
    brisc NOC0: Mismatched state:
    NIU_MST_RD_RESP_RECEIVED noc_reads_num_issued 10 12
"""
LOG = """\
At 1.000s starting
Dump #1 at 1.000s
Device 0 worker core(x= 0,y= 0) virtual(x=18,y=18):    R,   R,   R,   R,   R  rmsg:D0G|BNT h_id:1024 smsg:GGGG k_ids:4|5|6
Dump #1 completed at 1.010s
Dump #2 at 2.000s
Device 0 worker core(x= 0,y= 0) virtual(x=18,y=18): CWFW,NRBW,   R,   R,   R  rmsg:D0G|BNT h_id:1024 smsg:GGGG k_ids:4|5|6
Device 0 worker core(x= 1,y= 0) virtual(x=19,y=18): bad line
Watcher detected an assert: the kernel stopped
k_id[  4]: ttnn/cpp/ttnn/kernels/writer.cpp
k_id[  5]: ttnn/cpp/ttnn/kernels/reader.cpp
k_id[  6]: ttnn/cpp/ttnn/kernels/compute.cpp
Dump #3 at 3.000s
"""


def read(text: str) -> Dump:
    dump = Dump()
    triage.read(text, dump, "text")
    return dump


def test_a_table_of_another_date_is_read_with_its_broken_lines() -> None:
    dump = read(WRAPPED)
    (risc,) = dump.riscs.values()
    assert (risc.at, risc.role, risc.kernel, risc.waypoint) == ((0, (0, 1)), 0, "write", "CWFW")
    assert risc.frames == (
        DumpedFrame(function="cb_wait_front", file="/opt/tt/dataflow_api.h", line=405),
        DumpedFrame(function="kernel_main", file="/home/me/cache/a_very_long_path/write.cpp", line=17),
    )
    assert dump.damaged == ["1 row of the tables in text"]
    (mismatch,) = dump.noc
    assert (mismatch.begun, mismatch.ended, mismatch.where) == (12, 10, "brisc NOC0: Mismatched state")


# What the serialisers of tt-triage (ttnn 0.81.1, with tt-exalens 0.4.2 and rich 15.0) printed of made up cores: at 230 columns,
# at 150 with TT_TRIAGE_SIMPLE_TABLE=1, and for --llm-output.
PRINTED = Path(__file__).parent / "triage"


@pytest.mark.parametrize("name", ["wide", "narrow", "commas"])
def test_what_tt_triage_itself_prints_is_read(name: str) -> None:
    dump = read((PRINTED / f"{name}.txt").read_text(encoding="utf-8"))
    core = 0, (0, 0)
    write, compute = dump.riscs[core, 0], dump.riscs[core, 2]
    assert (write.kernel, write.waypoint, compute.kernel, compute.waypoint) == (
        "write",
        "CWFW",
        "compute",
        "R",
    )
    assert [(frame.function, frame.line) for frame in write.frames] == [
        ("cb_wait_front", 405),
        ("kernel_main", 21),
        ("_start", 60),
    ]
    assert [frame.file for frame in compute.frames] == ["/opt/llk.h", "compute.cpp"]
    assert (dump.buffers[core, 1].pushed, dump.buffers[core, 1].popped, dump.buffers[core, 1].pages) == (
        3,
        2,
        2,
    )
    assert (dump.semaphores[core, 0x4010].number, dump.semaphores[core, 0x15F000].number) == (1, None)
    assert bool(dump.damaged) == (name == "narrow")
    told = explain(dump, 0, [], {}).finding
    assert told is not None
    assert (
        "write (brisc) waits for a circular buffer at write.cpp:21" in "\n".join(told.notes)
        or name == "narrow"
    )
    assert "compute (unpack) waits for a circular buffer at compute.cpp:24" in "\n".join(told.notes)


def test_transfers_that_did_not_end_are_told() -> None:
    dump = read(WRAPPED)
    told = explain(dump, 0, [], {})
    assert told.basis == (
        "brisc NOC0: Mismatched state: noc_reads_num_issued is 12, NIU_MST_RD_RESP_RECEIVED is 10: 2 transfers of this "
        "core did not end",
    )
    assert told.finding is not None
    assert "write (brisc) waits for a circular buffer at write.cpp:17" in "\n".join(told.finding.notes)


def test_the_last_whole_dump_of_a_log_counts_and_its_complaints_are_kept() -> None:
    dump = Dump()
    watcher.read(plain(LOG), dump, "log")
    waypoints = {role: (risc.waypoint, risc.kernel) for (_, role), risc in dump.riscs.items()}
    assert waypoints[0] == ("CWFW", "ttnn/cpp/ttnn/kernels/writer.cpp")
    assert waypoints[1] == ("NRBW", "ttnn/cpp/ttnn/kernels/reader.cpp")
    assert waypoints[4] == ("R", "ttnn/cpp/ttnn/kernels/compute.cpp")
    assert dump.damaged == ["1 line of log"]
    told = explain(dump, 0, [], {})
    assert told.finding is not None
    assert "reader (ncrisc) waits for its own transfers" in "\n".join(told.finding.notes)
    assert "Watcher detected an assert: the kernel stopped" in told.basis


def test_devices_are_told_apart(tmp_path: Path) -> None:
    columns = ("Dev", "Loc", "RiscV", "Kernel Name", "Waypoint", "Kernel Callstack")
    rows = [
        (str(device), "1-1 (0,0)", "brisc", "write", "CWFW", "#0 kernel_main () at write.cpp 3")
        for device in (0, 3)
    ]
    (tmp_path / "text.txt").write_text("dump_callstacks.py:\n" + table(columns, rows))
    found = collect(str(tmp_path))
    assert found.dump.devices == [0, 3]
    assert all(explain(found.dump, device, [], {}).finding is not None for device in (0, 3))


# --- damaged ---------------------------------------------------------------------------------------------------


def damaged(text: str, chance: random.Random) -> str:
    """A text with one of the damages that happen: cut off, lines lost or doubled, characters lost or others, numbers too large."""
    lines = text.splitlines(keepends=True)
    at = chance.randrange(len(text))
    match chance.randrange(8):
        case 0:
            return text[:at]
        case 1:
            return text[at:]
        case 2:
            begin = chance.randrange(len(lines))
            return "".join(lines[:begin] + lines[begin + chance.randrange(1, 9) :])
        case 3:
            chance.shuffle(lines)
            return "".join(lines)
        case 4:
            return "".join(
                chance.choice("│|#,:() x=\0\x1b7") if chance.random() < 0.02 else one for one in text
            )
        case 5:
            return "".join(
                "9" * chance.randrange(1, 30) if one.isdigit() and chance.random() < 0.1 else one
                for one in text
            )
        case 6:
            return "".join(one for one in text if chance.random() > 0.03)
        case _:
            width = chance.randrange(1, 90)
            return "\n".join(line.rstrip("\n")[:width] for line in lines)


def survives(folder: Path, target: Path, number: int, *, again: bool) -> str:
    """Damage one or all of the files of a dump, and explain it; the code, or why there is none."""
    chance = random.Random(number)
    shutil.copytree(folder, target)
    files = sorted(path for path in target.iterdir() if path.is_file())
    for path in files if number % 5 == 0 else [files[number % len(files)]]:
        path.write_text(damaged(path.read_text(), chance), encoding="utf-8", errors="replace")
    try:
        found = collect(str(target))
    except ProgramError as raised:
        assert raised.code == "TTL0149"
        return raised.code
    for device in found.dump.devices:
        told = explain(found.dump, device, found.infos, found.sources, again=again)
        if told.finding is None:
            return "nothing hangs"
        assert render(told.finding)
        if (
            target.joinpath(TRIAGE).read_text() != folder.joinpath(TRIAGE).read_text()
            and found.infos
            and again
        ):
            assert told.basis, "it is told whether the emulated chip agrees"
        return told.finding.code
    return "no device"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    result = []
    for name in ("one_destination_does_not_receive", "two_buffers_too_small", "semaphore_overtaken"):
        result.append(tmp_path_factory.mktemp(name))
        hung(CORPUS / f"{name}.py", result[-1])
    return result


def test_200_damaged_dumps_are_explained_or_refused(folders: list[Path], tmp_path: Path) -> None:
    outcomes = {
        survives(folders[number % 3], tmp_path / str(number), number, again=False) for number in range(200)
    }
    assert {"TTL1504", "TTL0910"} <= outcomes, "damage in one file leaves the others"


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_2000_damaged_dumps_are_explained_or_refused(folders: list[Path], tmp_path: Path, part: int) -> None:
    for number in range(200 * part, 200 * (part + 1)):
        survives(folders[number % 3], tmp_path / str(number), 1_000 + number, again=number % 7 == 0)
        shutil.rmtree(tmp_path / str(number))


def test_damaged_debug_information_is_refused_and_the_rest_explained(
    folders: list[Path], tmp_path: Path
) -> None:
    shutil.copytree(folders[1], tmp_path / "dump")
    (path,) = tmp_path.glob("dump/*.ttl-debug.json")
    path.write_text(path.read_text().replace("a_dfb", "b_dfb", 1))
    found = collect(str(tmp_path / "dump"))
    assert not found.infos and "it is damaged" in found.dump.damaged[0]
    assert explain(found.dump, 0, found.infos, found.sources).finding is not None
    assert (tmp_path / "dump" / WATCHER).name in found.dump.read
