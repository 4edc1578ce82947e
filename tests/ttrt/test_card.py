"""``ttrt query`` of the cards of a machine, where the real ``ttnn`` is: a fake with the same calls, and the real one with a
mock device."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import flatbuffers
import pytest

from support import real_ttnn
from support.fake_card import provide_card
from tt_model.flatbuffer.system_desc import read_system_desc
from tt_model.layouts.enums import ChipCapability
from ttl.host import importer
from ttrt.common.card import described
from ttrt.common.card import real_ttnn as library
from ttrt.common.main import run
from ttrt.common.problems import NoCard


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder that is on the path, as the site-packages of a real installation are."""
    kept = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "ttnn"}
    for name in kept:
        del sys.modules[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "ttnn"]:
        del sys.modules[name]
    sys.modules.update(kept)


def entry() -> dict[str, Any]:
    (only,) = json.loads(Path("query_results.json").read_text())
    return dict(only)


def test_the_card_is_described_and_closed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    provide_card(folder)
    assert run(["query", "--save-artifacts"]) == 0
    said = json.loads(capsys.readouterr().out)["system_desc"]
    (chip,) = said["chip_descs"]
    assert (chip["arch"], chip["grid_size"], chip["l1_size"]) == ("Wormhole_b0", {"y": 9, "x": 8}, 1499136)
    assert (chip["l1_unreserved_base"], chip["dram_unreserved_base"]) == (105824, 1048640)
    record = read_system_desc("ttrt-artifacts/system_desc.ttsys")
    (first,) = record.chips
    assert (first.num_dram_channels, first.dram_channel_size) == (12, 1 << 30)
    assert first.physical_cores.worker[:9] == (*((18, 18 + x) for x in range(8)), (19, 18))
    assert first.physical_cores.dram[:2] == ((1, 0), (1, 5))
    assert first.dram_unreserved_end % 32 == 0 and first.dram_unreserved_end < 1 << 30
    assert record.chip_capabilities == (ChipCapability.PCIE | ChipCapability.HostMMIO,)
    ttnn = sys.modules["ttnn"]
    assert (ttnn.OPENED, ttnn.CLOSED) == ([0], [0])
    assert entry()["result"] == "pass"


def test_what_an_older_release_does_not_say_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    provide_card(folder, "0.69", devices=(0, 1))
    assert run(["query", "--quiet"]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert (
        "ttnn does not say the alignment of L1, the alignment of DRAM, the size of L1 and where it is free"
        in said.err
    )
    assert "taken from the description of an n150 and the table of the chip" in said.err
    card = described(library())
    assert len(card.system.chips) == 2 and card.system.chips[0].l1_size == 1499136
    assert card.system.chip_capabilities[1] == ChipCapability(0)
    assert "the ethernet channels between its chips" in card.missing


@pytest.mark.parametrize(
    ("release", "devices", "opening", "why"),
    [
        ("0.81", (), "pass", "ttnn sees no device"),
        ("0.81", (0,), "raise RuntimeError('no chips detected\\n at: x.cpp')", "device 0 does not open: no chips detected"),
    ],
)  # fmt: skip
def test_without_a_card_there_is_a_way_out(
    folder: Path,
    release: str,
    devices: tuple[int, ...],
    opening: str,
    why: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    provide_card(folder, release, devices, opening)
    assert run(["query"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"error[TTL1704]: no card was found: {why}\n") and "--sim n150" in said
    assert (entry()["result"], entry()["code"]) == ("error", "TTL1704")


def test_a_card_that_fails_half_way_is_closed(folder: Path) -> None:
    provide_card(folder)
    ttnn = library()
    ttnn._Device.dram_grid_size = lambda self: (_ for _ in ()).throw(RuntimeError("gone"))
    with pytest.raises(NoCard, match="device 0 does not say what it is: gone"):
        described(ttnn)
    assert ttnn.CLOSED == [0]


def test_the_library_of_this_package_is_no_card() -> None:
    importer.install()
    with pytest.raises(NoCard, match="the real ttnn is not installed"):
        library()
    assert "ttnn" not in sys.modules


def test_a_program_that_imported_the_library_of_this_package_asks_no_card(folder: Path) -> None:
    importer.install()
    import ttnn

    provide_card(folder)
    assert "/ttl/host/" in str(ttnn.__file__)
    with pytest.raises(NoCard, match="has imported this package's simulated library as ttnn"):
        library()


def test_check_asks_the_card_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from support.ttrt_models import exponential

    (folder / "model.ttnn").write_bytes(exponential())
    assert run(["check", "model.ttnn"]) == 1
    assert "error[TTL1704]" in capsys.readouterr().err
    provide_card(folder)
    assert run(["check", "model.ttnn"]) == 1
    assert "it was compiled for another system than the cards of this machine" in capsys.readouterr().err
    (folder / "model.ttnn").write_bytes(exponential(target=described(library()).system))
    assert run(["check", "model.ttnn"]) == 0


@pytest.mark.headers
@pytest.mark.parametrize("release", ["0.69", "0.81"])
def test_the_real_library_with_a_mock_device(release: str) -> None:
    said = real_ttnn.run(
        release,
        f"""
import sys
# Behind what its environment has: pure Python that it has not.
sys.path.append({str(Path(flatbuffers.__file__).parents[1])!r})
from ttrt.common.card import described
from tt_model.layouts.system_desc import to_plain
ttnn.close_device(device)
card = described(ttnn)
answer(dict(system=to_plain(card.system), missing=card.missing))
device = ttnn.open_device(device_id=0)
""",
    )
    (chip,) = said["system"]["chip_descs"]
    assert (chip["arch"], chip["grid"], chip["l1_size"]) == ("wormhole_b0", [9, 8], 1499136)
    assert (chip["num_dram_channels"], chip["dram_channel_size"]) == (12, 1 << 30)
    assert len(chip["physical_cores"]["worker"]) == 72
    if release == "0.81":
        assert (chip["l1_unreserved_base"], chip["noc_dram_address_align_bytes"]) == (105824, 32)
        assert said["missing"] == ["its ethernet cores and where their L1 is free"]
