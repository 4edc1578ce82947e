"""``ttl calibrate``: costs of a card from its profiler's files, which the emulated chip with other costs writes here."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from support.programs import run_ttl
from tt_model.cost import rates
from tt_model.layouts import known_systems
from ttl import settings
from ttl.arch import chip_named
from ttl.arch.costs import Number
from ttl.arch.costs_file import read, written
from ttl.arch.system_file import WrongSystemError
from ttl.calibrate.emulated import emulation
from ttl.calibrate.measurements import calibrated
from ttl.calibrate.plan import FREE, KERNELS
from ttl.diag import ProgramError

COLUMNS = (
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, "
    "trace id counter,  zone name, type, source line, source file, meta data\n"
)
RISCS = {"brisc": "BRISC", "ncrisc": "NCRISC", "unpack": "TRISC_0", "math": "TRISC_1", "pack": "TRISC_2"}
# By how much a card differs; unpack_two counts by halves.
OTHER = {
    "dram_read": 1.3, "niu_in_rate": 0.9, "niu_out_rate": 1.1, "unpack_one": 1.2, "unpack_two": 0.85, "pack_narrow": 1.15,
    "hand_over": 1.4, "matmul_phase": 1.2,
}  # fmt: skip


def other(chip: str, names: Collection[str]) -> dict[str, int]:
    costs = chip_named(chip).costs.by_name()
    return {name: round(costs[name].value * OTHER[name]) for name in names}


def zone(risc: str, begin: int, end: int, core: int) -> str:
    return "".join(
        f"0,{core},1,{risc},0,{time},0,7,,,{risc}-KERNEL,{phase},0,,\n"
        for time, phase in ((begin, "ZONE_START"), (end, "ZONE_END"))
    )


def measure(folder: Path, chip: str, costs: Mapping[str, int], kernels: Collection[str] = ()) -> Path:
    """Write what the profiler of a card with these costs would: each kernel on two cores, the second of which ends last."""
    about = chip_named(chip)
    folder.mkdir(exist_ok=True)
    with emulation(chip, settings.current()) as emulated:
        for kernel in KERNELS:
            if kernels and kernel.name not in kernels:
                continue
            run = emulated.profile(kernel, costs)
            total = run.cycles - about.costs.launch.value
            text = f"ARCH: {about.arch}, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n{COLUMNS}"
            for processor in run.processors:
                cycles = processor.busy + processor.waits
                if cycles:
                    risc = RISCS[processor.role]
                    text += zone(risc, 1000, 1000 + int(cycles), 1)
                    text += zone(risc, 1000 + total - round(cycles + 0.25), 1000 + total, 2)
            (folder / f"{kernel.name}.csv").write_text(text)
    return folder


def test_other_costs_are_recovered_within_two_percent(tmp_path: Path) -> None:
    """Over a second: some thousand launches, those of all fits with one kernel left out."""
    truth = other("wormhole", OTHER)
    found = calibrated(str(measure(tmp_path, "wormhole", truth)), settings.current())
    assert set(truth) <= set(found.after)
    for name, value in found.after.items():
        expected = truth.get(name, found.before[name])
        assert value == pytest.approx(expected, rel=0.02), name
    before, after = found.errors
    assert len(found.left_out) == len(KERNELS)
    assert before > 0.05 and after < 0.01 and found.helps


def test_a_few_costs_of_another_chip(tmp_path: Path) -> None:
    names = ("pack_narrow", "matmul_phase")
    truth = other("blackhole", names)
    folder = measure(tmp_path / "runs", "blackhole", truth, ("copies_8", "sums_8", "products", "products_6"))
    outcome = run_ttl(
        ["calibrate", "--from", "runs", "--only", ",".join(names), "--format", "json"], folder=tmp_path
    )
    assert outcome.status == 0, outcome.stderr
    answer = json.loads(outcome.stdout)
    flags = ["--only", ",".join(names), "-o", "none/card.toml"]
    nowhere = run_ttl(["calibrate", "--from", "runs", *flags], folder=tmp_path)
    assert nowhere.status == 2 and "error[TTL0117]: cannot write 'none/card.toml'" in nowhere.stderr
    assert (answer["kind"], answer["chip"], answer["after"]) == ("calibration", "blackhole", truth)
    assert answer["mean"]["after"] < answer["mean"]["before"]
    path = tmp_path / answer["file"]
    chip = read(path.read_text(), str(path))
    assert {name: chip.costs.by_name()[name].value for name in names} == truth
    assert folder.is_dir()


def test_costs_that_the_kernels_do_not_tell_are_refused(tmp_path: Path) -> None:
    measure(tmp_path, "wormhole", {}, ("copies_8", "copies_1", "sums_8", "sums"))
    with pytest.raises(ProgramError) as caught:
        calibrated(str(tmp_path), settings.current(), ("pack_narrow", "matmul_phase"))
    (finding,) = caught.value.diagnostics
    assert finding.code == "TTL0153"
    assert "4 kernels" in finding.message and "matmul_phase is not in their cycles" in finding.message
    assert any("of the plan, products would tell most" in str(note) for note in finding.notes)
    assert finding.help == ("measure products.py, too; or fit fewer costs: --only pack_narrow",)


def test_no_more_costs_than_kernels_are_fitted(tmp_path: Path) -> None:
    measure(tmp_path, "wormhole", {}, ("copies_8", "products"))
    with pytest.raises(ProgramError, match="that takes more kernels than costs") as caught:
        calibrated(str(tmp_path), settings.current(), ("pack_narrow", "matmul_phase"))
    assert caught.value.code == "TTL0153"


def test_nothing_is_written_where_it_does_not_help(tmp_path: Path) -> None:
    measure(tmp_path / "runs", "wormhole", {}, ("copies_8", "products", "products_6"))
    outcome = run_ttl(["calibrate", "--from", "runs", "--only", "pack_narrow,matmul_phase"], folder=tmp_path)
    assert outcome.status == 1 and "nothing is written" in outcome.stdout
    assert not (tmp_path / "ttl.costs.toml").exists()


@pytest.mark.parametrize(
    ("folder", "complaint"),
    [
        (".", "the folder '.' has no measurement of a kernel of the plan"),
        ("none", "there is no folder 'none'"),
        ("file", "'file' is a file, not a folder"),
    ],
)
def test_a_folder_without_measurements_is_refused(folder: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    outcome = run_ttl(["calibrate", "--from", folder], folder=tmp_path)
    assert outcome.status == 2
    assert outcome.stderr.startswith(f"error[TTL0153]: {complaint}\n")


def test_files_of_two_chips_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    measure(tmp_path, "wormhole", {}, ("copies_8",))
    measure(tmp_path, "blackhole", {}, ("products",))
    with pytest.raises(ProgramError, match="is of another chip than") as caught:
        calibrated(str(tmp_path), settings.current())
    assert caught.value.code == "TTL0147"
    (tmp_path / "products.csv").write_text("nothing")
    with pytest.raises(ProgramError, match="cannot read measured cycles"):
        calibrated(str(tmp_path), settings.current())


def test_the_plan_is_written_and_its_programs_run(tmp_path: Path) -> None:
    outcome = run_ttl(["calibrate", "--plan", "-o", "plan"], folder=tmp_path)
    assert outcome.status == 0, outcome.stderr
    assert {path.name for path in (tmp_path / "plan").iterdir()} == {
        "measure.sh", *(f"{kernel.name}.py" for kernel in KERNELS)
    }  # fmt: skip
    for kernel in KERNELS:
        assert kernel.name in outcome.stdout and set(kernel.tells) <= set(FREE)
    outcome = run_ttl(["check", *(f"plan/{kernel.name}.py" for kernel in KERNELS)], folder=tmp_path)
    assert outcome.status == 0 and "warning" not in outcome.stderr, outcome.stderr
    for name in ("reads", "products", "transfers_8"):
        outcome = run_ttl(["run", "--check", f"plan/{name}.py"], folder=tmp_path)
        assert outcome.status == 0 and outcome.stderr == "", outcome.stderr
    assert set(FREE) == {name for kernel in KERNELS for name in kernel.tells}


@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("--plan", "--from", "x"),
        ("--from", "x", "--only", "hop"),
        ("--plan", "-o", ""),
        ("--plan", "-o", "file"),
    ],
)
def test_wrong_flags(flags: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome = run_ttl(["calibrate", *flags], folder=tmp_path)
    assert outcome.status == 2 and "error[TTL01" in outcome.stderr


# --- the file, and who reads it ------------------------------------------------------------------------------------


def test_a_file_of_costs_changes_cycles_and_only_where_it_is_given(tmp_path: Path) -> None:
    (kernel,) = (kernel for kernel in KERNELS if kernel.name == "copies_8")
    (tmp_path / "copies.py").write_text(kernel.source)
    (tmp_path / "card.toml").write_text(written("wormhole", {"pack_narrow": 90}, ("mine",)))
    cycles = []
    for flags in ((), ("--costs", "card.toml"), ()):
        outcome = run_ttl(["profile", "-o", "runs.json", *flags, "copies.py"], folder=tmp_path)
        assert outcome.status == 0, outcome.stderr
        cycles.append(json.loads((tmp_path / "runs.json").read_text())["cycles"])
    assert cycles[0] == cycles[2] < cycles[1] - 8 * 2 * 16 * 40


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ('chip = "wormhole"\n[costs]\npack_narrow = -1\n', "costs.pack_narrow is -1", 3),
        ('chip = "wormhole"\n[costs]\nniu_in_rate = 0\n', "costs.niu_in_rate is 0", 3),
        ('chip = "wormhole"\n[costs]\nhop = 1.5\n', "costs.hop is 1.5", 3),
        ('chip = "wurmloch"\n[costs]\n', "chip is 'wurmloch'", 1),
        ('chip = "wormhole"\n', "it has no costs", 1),
        ("[costs]\nhop = 3\n", "it has no chip", 1),
        ('chip = "wormhole"\n[costs\n', "it is not TOML", 2),
        ('chip = "wormhole"\n[costs]\nhops = 3\n', "it has no field 'costs.hops'", 3),
    ],
)
def test_a_wrong_file_says_where(text: str, message: str, line: int) -> None:
    with pytest.raises(WrongSystemError) as raised:
        read(text, "mine.toml")
    assert raised.value.message.startswith(message)
    assert raised.value.line == line and raised.value.help


def test_files_that_do_not_fit(tmp_path: Path) -> None:
    (tmp_path / "card.toml").write_text(written("blackhole", {"hop": 9}, ()))
    outcome = run_ttl(["doctor"], folder=tmp_path, environment={"TTL_COSTS": "card.toml"})
    assert "error[TTL0152]: card.toml: its costs are of blackhole, and the chip is wormhole" in outcome.stderr
    assert "--arch blackhole, or leave TTL_COSTS out" in outcome.stderr
    outcome = run_ttl(["doctor", "--costs", "none.toml"], folder=tmp_path)
    assert "error[TTL0152]: none.toml: cannot be read: there is no such file" in outcome.stderr


def test_estimates_of_models_count_with_the_file_too(tmp_path: Path) -> None:
    path = tmp_path / "card.toml"
    path.write_text(written("wormhole", {"matmul_phase": 32}, ()))
    (chip,) = known_systems.default_system().chip_descs
    own = rates.chip_of(chip).costs
    with settings.override(costs=str(path)):
        assert rates.chip_of(chip).costs == replace(own, matmul_phase=Number(32, "fitted", str(path)))
    assert rates.chip_of(chip).costs == own
