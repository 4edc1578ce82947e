"""``--system``: a machine of several chips by its name or out of a file, and what does not go together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.programs import run_ttl
from ttl.arch import chip_named
from ttl.arch.system_file import WrongSystemError, read
from ttl.arch.systems import system_named
from ttl.diag import ProgramError
from ttl.settings import current, current_chip, current_system, from_json, override, to_json

RIGHT = """\
title = "Two boxes"
chip = "blackhole"
shape = [3, 4]
channels = 2
axes = ["ring", "line"]
grid = [10, 9]

[link]
bytes_per_second = 1_000_000_000
hop_nanoseconds = 250
packet_bytes = 2048
slots = 4
"""


def test_a_system_says_what_its_chips_are() -> None:
    assert current_system() is None
    with override(origin="--system", system="p300") as chosen:
        assert (chosen.arch, chosen.grid, chosen.origin("arch")) == ("blackhole", (11, 10), "--system")
        assert current_chip().grid == (11, 10)
        system = current_system()
        assert system is not None and (system.name, system.chip.grid) == ("p300", (11, 10))
        with override(origin="--grid", grid=(4, 4)):
            assert current_chip().grid == (4, 4)
            smaller = current_system()
            assert smaller is not None and smaller.chip.grid == (4, 4)
    with override(origin="--system", system="p100"):
        assert current_chip().dram.channels == 7
    with override(origin="--system", system="t3000") as chosen:
        assert (chosen.arch, chosen.grid, current_chip()) == ("wormhole", None, chip_named("wormhole"))


def test_the_chip_of_a_system_may_be_named_as_well_and_no_other() -> None:
    with override(origin="--system", system="t3000"):
        with override(origin="--arch", arch="wormhole"):
            assert current_system() is not None
        with (
            pytest.raises(
                ProgramError, match="--arch asks for blackhole, and the chips of t3000 are wormhole"
            ),
            override(origin="--arch", arch="blackhole"),
        ):
            pass
    with (
        override(origin="TTL_ARCH", arch="blackhole"),
        pytest.raises(ProgramError, match="TTL0145"),
        override(origin="--system", system="n300"),
    ):
        pass


def test_who_takes_another_chip_for_a_while_has_no_system() -> None:
    """As kernels of a model are compiled for the chip of a description of TT-MLIR."""
    from ttl.settings import overriding

    with override(origin="--system", system="p300"), override(arch="wormhole") as chosen:
        assert (chosen.system, current_chip()) == (None, chip_named("wormhole"))
    with (
        override(origin="--system", system="p300"),
        overriding({"arch": "wormhole", "target": "sim"}, {}) as chosen,
    ):
        assert (chosen.system, chosen.grid, current_chip()) == (None, None, chip_named("wormhole"))


def test_another_process_has_the_same_system() -> None:
    with override(origin="--system", system="p300") as chosen:
        again = from_json(json.loads(json.dumps(to_json(chosen))))
    assert (again.system, again.arch, again.grid, again.origin("arch")) == (
        "p300",
        "blackhole",
        (11, 10),
        "--system",
    )


def test_a_file_describes_a_system(tmp_path: Path) -> None:
    path = tmp_path / "boxes.toml"
    path.write_text(RIGHT, encoding="utf-8")
    with override(origin="--system", system=str(path)):
        system = current_system()
        assert system is not None
        assert (system.name, system.title, system.shape, system.topology) == (
            "boxes",
            "Two boxes",
            (3, 4),
            "torus",
        )
        assert (system.rings, system.channels, system.chip.grid) == ((True, False), 2, (10, 9))
        assert current_chip() == system.chip
        link = system.chip.ethernet
        assert (link.bytes_per_second, link.hop_nanoseconds, link.packet_bytes, link.slots) == (
            10**9,
            250,
            2048,
            4,
        )
        assert current().arch == "blackhole"
    # What is not said is the chip's.
    least = read('chip = "wormhole"\nshape = [1, 2]\n', "pair.toml")
    assert (least.chip, least.channels, least.title) == (chip_named("wormhole"), 1, "pair")


LEAST = 'chip = "wormhole"\nshape = [2, 4]\n'
WRONG = [
    ("shape = [2, 4]\n", "it has no chip", (1, 1)),
    ('chip = "wormhole"\n', "it has no shape", (1, 1)),
    ('chip = "grayskull"\nshape = [2, 4]\n', "chip is 'grayskull', which is not a value it can have", (1, 1)),
    ('chip = ["wormhole"]\nshape = [2, 4]\n', "chip is ['wormhole'], which", (1, 1)),
    ('chip = "wormhole"\nshape = [2, 0]\n', "shape is [2, 0], which", (2, 1)),
    ('chip = "wormhole"\nshape = [2, 4, 1]\n', "shape is [2, 4, 1], which", (2, 1)),
    ('chip = "wormhole"\nshape = [2, true]\n', "shape is [2, True], which", (2, 1)),
    ('chip = "wormhole"\nshape = [100, 100]\n', "shape [100, 100] has 10,000 chips", (2, 1)),
    (LEAST + "channels = 0\n", "channels is 0, which", (3, 1)),
    (LEAST + "channels = 2.5\n", "channels is 2.5, which", (3, 1)),
    (LEAST + 'axes = ["ring", "line"]\n', "a ring of rows has 3 chips or more; this one has 2", (3, 1)),
    (LEAST + 'axes = ["circle", "line"]\n', "axes is ['circle', 'line'], which", (3, 1)),
    (LEAST + "axes = 7\n", "axes is 7, which", (3, 1)),
    (LEAST + "grid = [80, 8]\n", "a grid of 80x8 nodes is more than wormhole has", (3, 1)),
    (LEAST + "title = 7\n", "title is 7, which", (3, 1)),
    (LEAST + "chanels = 2\n", "it has no field 'chanels'", (3, 1)),
    (LEAST + "link = 7\n", "link is 7, which", (3, 1)),
    (LEAST + "[link]\nslots = 0\n", "link.slots is 0, which", (4, 1)),
    (LEAST + "\n[link]\n  speed = 3\n", "it has no field 'link.speed'", (5, 3)),
    (LEAST + '[link]\nbytes_per_second = "1"\n', "link.bytes_per_second is '1', which", (4, 1)),
    (LEAST + "[lnk]\nslots = 1\n", "it has no field 'lnk'", (3, 2)),
    ('chip = "wormhole\n', "it is not TOML: ", (1, 17)),
    ("chip = ", "it is not TOML: ", (1, 1)),
    ("chip = [\n", "it is not TOML: ", (2, 1)),
]


@pytest.mark.parametrize(("text", "message", "place"), WRONG, ids=[message for _, message, _ in WRONG])
def test_a_wrong_file_says_where_and_what_to_write(text: str, message: str, place: tuple[int, int]) -> None:
    with pytest.raises(WrongSystemError) as raised:
        read(text, "mine.toml")
    assert raised.value.message.startswith(message)
    assert (raised.value.line, raised.value.column) == place
    assert raised.value.help


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00chip")
    (tmp_path / "folder.toml").mkdir()
    for name, why in (
        ("bytes", "it is not text in UTF-8"),
        ("folder", "there is no such file"),
        ("none", "there is no such file"),
    ):
        outcome = run_ttl(["doctor", "--system", f"{name}.toml"], folder=tmp_path)
        assert outcome.status != 0
        assert f"error[TTL0146]: {name}.toml: cannot be read: {why}" in outcome.stderr
    outcome = run_ttl(["doctor", "--system", "t3001"], folder=tmp_path)
    assert "error[TTL0101]: --system is 't3001'" in outcome.stderr
    assert "'t3000'" in outcome.stderr


def test_a_variable_chooses_a_system_too(tmp_path: Path) -> None:
    (tmp_path / "boxes.toml").write_text(RIGHT, encoding="utf-8")
    outcome = run_ttl(["doctor"], folder=tmp_path, environment={"TTL_SYSTEM": "boxes.toml"})
    assert "12 blackhole as 3x4, a torus (rings of rows)" in outcome.stdout
    both = {"TTL_SYSTEM": "t3000", "TTL_ARCH": "blackhole"}
    outcome = run_ttl(["doctor"], folder=tmp_path, environment=both)
    assert (
        "error[TTL0145]: TTL_ARCH asks for blackhole, and the chips of t3000 are wormhole" in outcome.stderr
    )


def test_doctor_shows_chips_links_and_bandwidth(tmp_path: Path) -> None:
    found = json.loads(run_ttl(["doctor", "--format", "json", "--system", "t3000"], folder=tmp_path).stdout)[
        "system"
    ]
    system = system_named("t3000")
    assert found == {
        "name": "T3000 (4 x n300) (t3000)",
        "chips": "8 wormhole as 2x4, a mesh",
        "from": system.sources["shape"],
        "links": "10, each 2 ports, 25 GB/s each way, 1000 ns a hop",
        "bisection": "50 GB/s each way",
        "packets": "4352 bytes at most",
    }
    one = json.loads(run_ttl(["doctor", "--format", "json", "--system", "n150"], folder=tmp_path).stdout)
    assert one["system"]["chips"] == "1 wormhole"
