"""Every command line of the specification's page on ``ttrt``, entry by entry: what it is to do is there afterwards."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from support.fake_card import provide_card
from support.ttrt_models import exponential
from tt_model.flatbuffer.system_desc import encode_system_desc, read_system_desc
from tt_model.layouts.known_systems import system
from ttrt.common import perf_files
from ttrt.common.main import run

ARTIFACTS = Path("ttrt-artifacts")
OTHER = Path("path/to/some/dir")
RESULT_FILES = {name: f"{name}_results.json" for name in ("read", "run", "query", "perf", "check")}


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What a command left behind."""

    command: str
    code: int
    out: str
    err: str

    def entries(self, file: str = "") -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = json.loads(Path(file or RESULT_FILES[self.command]).read_text())
        return entries

    @property
    def entry(self) -> dict[str, Any]:
        (only,) = self.entries()
        return only


Proof = Callable[[Ran], bool]


def says(*texts: str) -> Proof:
    return lambda ran: all(text in ran.out for text in texts)


def helps(*flags: str) -> Proof:
    return lambda ran: all(f"{flag} " in ran.out or f"{flag}\n" in ran.out for flag in flags)


def logs(name: str, text: str) -> Proof:
    return lambda ran: text in Path(name).read_text() and ran.err == ""


def kept(folder: Path, *names: str) -> Proof:
    return lambda ran: all((folder / name).is_file() for name in names)


def cleaned(ran: Ran) -> bool:
    return not (ARTIFACTS / "old.csv").exists()


def of_folder(ran: Ran) -> bool:
    """The binaries of a folder and of what is in it, and nothing else that is there."""
    names = [Path(entry["file_path"]).name for entry in ran.entries()]
    return sorted(names) == ["a.ttnn", "b.ttnn"] and all(entry["result"] == "pass" for entry in ran.entries())


def result_file(ran: Ran) -> bool:
    (entry,) = ran.entries("result.json")
    return entry["result"] == "pass" and not Path(RESULT_FILES[ran.command]).exists()


def saved(number: int = 0, kind: str = "input") -> Any:
    return torch.load(ARTIFACTS / "out.ttnn" / "run" / "program_0" / f"program_0_{kind}_{number}.pt")


def rows(name: str = "ops_perf_results.csv") -> list[dict[str, str]]:
    with open(name, encoding="utf-8") as file:
        return list(csv.DictReader(file))


PERF = ("ops_perf_results.csv", "profile_log_device.csv", "tracy_ops_data.csv", "tracy_ops_times.csv")
SAVED = ("out.ttnn", "run/program_0/program_0_input_0.pt", "run/program_0/program_0_output_0.pt")
ALL_ARTIFACTS = ("--clean-artifacts", "--save-artifacts", "--log-file", "--artifact-dir", "--result-file")

SPECIFIED: tuple[tuple[str, Proof], ...] = (
    ("ttrt --help", says("read", "run", "query", "perf", "check")),
    ("ttrt read --help", helps("--section", *ALL_ARTIFACTS)),
    ("ttrt read --section mlir out.ttnn", says("program[0]: main", "module {}")),
    ("ttrt read --section cpp out.ttnn", says("program[0]: main")),
    ("ttrt read --section version out.ttnn", says("version: 0.0.431", "tt-mlir git hash: 9d731b7484")),
    ("ttrt read --section system_desc out.ttnn", lambda ran: json.loads(ran.out)["chip_desc_indices"] == [0]),
    ("ttrt read --section inputs out.ttnn", says('"memory_space": "System"', '"global_id": 1')),
    ("ttrt read --section outputs out.ttnn", says('"global_id": 6')),
    ("ttrt read --section op_stats out.ttnn", says('"op_name": "ttnn.eltwise"')),
    ("ttrt read --section all out.ttnn", lambda ran: json.loads(ran.out)["programs"][0]["name"] == "main"),
    ("ttrt read --section all out.ttnn --clean-artifacts", cleaned),
    ("ttrt read --section all out.ttnn --save-artifacts", kept(ARTIFACTS, "out.ttnn/out.ttnn")),
    ("ttrt read --section all dir/of/flatbuffers", of_folder),
    ("ttrt read system_desc.ttsys", lambda ran: "system_desc" in json.loads(ran.out)),
    ("ttrt read --section system_desc system_desc.ttsys", lambda ran: "chip_descs" in json.loads(ran.out)),
    ("ttrt read system_desc.ttsys --log-file ttrt.log", logs("ttrt.log", '"chip_desc_indices": [')),
    ("ttrt read out.ttnn --save-artifacts --artifact-dir path/to/some/dir", kept(OTHER, "out.ttnn/out.ttnn")),
    ("ttrt read out.ttnn --result-file result.json", result_file),
    ("ttrt run --help", helps(*ALL_ARTIFACTS, "--program-index", "--loops", "--init", "--identity", "--non-zero", "--rtol", "--atol")),
    ("ttrt run out.ttnn", lambda ran: ran.entry["result"] == "pass"),
    ("ttrt run out.ttnn --seed 0", lambda ran: ran.code == 0),
    ("ttrt run out.ttnn --init arange --save-artifacts", lambda ran: saved().flatten()[:4].tolist() == [0, 1, 2, 3]),
    ("ttrt run out.ttnn --init zeros --save-artifacts", lambda ran: not saved().any() and bool((saved(kind="output") == 1).all())),
    ("ttrt run out.ttnn --init ones --save-artifacts", lambda ran: bool((saved() == 1).all())),
    ("ttrt run out.ttnn --identity", lambda ran: ran.entry["code"] == "TTL1708"),
    ("ttrt run relu.ttnn --identity --rtol 1 --atol 9", lambda ran: ran.entry["result"] == "pass"),
    ("ttrt run relu.ttnn --identity --rtol 1e-5 --atol 1e-8", lambda ran: ran.entry["code"] == "TTL1708"),
    ("ttrt run relu.ttnn --init zeros --non-zero", lambda ran: "is all zero" in ran.entry["exception"]),
    ("ttrt run out.ttnn --clean-artifacts", cleaned),
    ("ttrt run out.ttnn --save-artifacts", kept(ARTIFACTS, *(f"out.ttnn/{name}" for name in SAVED))),
    ("ttrt run out.ttnn --loops 10", lambda ran: ran.entry["result"] == "pass"),
    ("ttrt run --program-index all out.ttnn", lambda ran: [one["index"] for one in ran.entry["programs"]] == [0]),
    ("ttrt run --program-index 0 out.ttnn", lambda ran: ran.entry["program_index"] == "0"),
    ("ttrt run --program-index 1 out.ttnn", lambda ran: (ran.entry["result"], ran.entry["code"]) == ("skip", "TTL1706")),
    ("ttrt run dir/of/flatbuffers", of_folder),
    ("ttrt run dir/of/flatbuffers --loops 10", of_folder),
    ("ttrt run dir/of/flatbuffers --log-file ttrt.log", logs("ttrt.log", "b.ttnn: pass")),
    ("ttrt run out.ttnn --save-artifacts --artifact-dir path/to/some/dir", kept(OTHER, *(f"out.ttnn/{name}" for name in SAVED))),
    ("ttrt run out.ttnn --load-kernels-from-disk", lambda ran: "WARNING: --load-kernels-from-disk has no effect" in ran.err),
    ("ttrt run out.ttnn --enable-async-ttnn", lambda ran: "WARNING: --enable-async-ttnn has no effect" in ran.err),
    ("ttrt run out.ttnn --disable-maxpool2d-preshard", lambda ran: "WARNING: --disable-maxpool2d-preshard has no effect" in ran.err),
    ("ttrt run out.ttnn --result-file result.json", result_file),
    ("ttrt query --help", helps("--quiet", *ALL_ARTIFACTS)),
    ("ttrt query", lambda ran: len(json.loads(ran.out)["system_desc"]["chip_desc_indices"]) == 1),
    ("ttrt query --quiet", lambda ran: ran.out == "" and ran.entry["result"] == "pass"),
    ("ttrt query --save-artifacts", lambda ran: len(read_system_desc(str(ARTIFACTS / "system_desc.ttsys")).chips) == 1),
    ("ttrt query --clean-artifacts", cleaned),
    ("ttrt query --save-artifacts --log-file ttrt.log", logs("ttrt.log", "system description written to")),
    ("ttrt query --save-artifacts --artifact-dir path/to/some/dir", kept(OTHER, "system_desc.ttsys")),
    ("ttrt query --result-file result.json", result_file),
    ("ttrt perf --help", helps(*ALL_ARTIFACTS, "--program-index", "--loops", "--host-only", "--port")),
    ("ttrt perf out.ttnn", lambda ran: [row["OPERATION"] for row in rows()][2] == "EltwiseOp.Exp"),
    ("ttrt perf out.ttnn --clean-artifacts", cleaned),
    ("ttrt perf out.ttnn --save-artifacts", kept(ARTIFACTS / "out.ttnn" / "perf", *PERF)),
    ("ttrt perf out.ttnn --loops 10", lambda ran: len(rows()) == 10 * 5 and rows()[-1]["LOOP"] == "9"),
    ("ttrt perf --program-index all out.ttnn", lambda ran: {row["PROGRAM"] for row in rows()} == {"main"}),
    ("ttrt perf --program-index 0 out.ttnn", lambda ran: ran.entry["program_index"] == "0"),
    ("ttrt perf --host-only out.ttnn", lambda ran: {row["BOUND BY"] for row in rows()} == {"PCIe", "host"}),
    ("ttrt perf dir/of/flatbuffers --host-only", of_folder),
    ("ttrt perf dir/of/flatbuffers --loops 10 --host-only", lambda ran: len(rows("a_ops_perf_results.csv")) == 40),
    ("ttrt perf dir/of/flatbuffers --log-file ttrt.log --host-only", logs("ttrt.log", "b.ttnn: 4 operations")),
    ("ttrt perf out.ttnn --save-artifacts --artifact-dir path/to/some/dir", kept(OTHER / "out.ttnn" / "perf", *PERF)),
    ("ttrt perf out.ttnn --result-file result.json", result_file),
    ("ttrt perf out.ttnn --port 8086", lambda ran: ran.code == 0 and "warning[TTL1705]: --port 8086" in ran.err),
    ("ttrt check --help", helps("--system-desc", *ALL_ARTIFACTS)),
    ("ttrt check out.ttnn", lambda ran: (ran.code, ran.entry["code"]) == (1, "TTL1706")),
    ("ttrt check out.ttnn --system-desc system_desc.ttsys", lambda ran: ran.entry["system_desc"] == "system_desc.ttsys"),
    ("ttrt check out.ttnn --clean-artifacts --sim n150", cleaned),
    ("ttrt check out.ttnn --save-artifacts --sim n150", kept(ARTIFACTS, "out.ttnn/out.ttnn")),
    ("ttrt check out.ttnn --log-file ttrt.log --sim n150", logs("ttrt.log", "out.ttnn: is for n150")),
    ("ttrt check dir/of/flatbuffers --system-desc dir/of/system_desc", of_folder),
    ("ttrt check --save-artifacts --artifact-dir path/to/some/dir out.ttnn --sim n150", kept(OTHER, "out.ttnn/out.ttnn")),
    ("ttrt check out.ttnn --result-file result.json --sim n150", result_file),
)  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the page's lines name; the machine has a card, which ``query`` and ``check`` ask."""
    monkeypatch.chdir(tmp_path)
    for name in ("TT_MLIR_HOME", "TTRT_LOGGER_LEVEL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "card").mkdir()
    provide_card(tmp_path / "card")
    monkeypatch.setattr(
        "ttrt.common.query.real_ttnn", lambda: _module(tmp_path / "card" / "ttnn" / "__init__.py")
    )
    inner = tmp_path / "dir" / "of" / "flatbuffers" / "inner"
    inner.mkdir(parents=True)
    out = exponential()
    (tmp_path / "out.ttnn").write_bytes(out)
    (tmp_path / "relu.ttnn").write_bytes(exponential("Relu"))
    (inner.parent / "a.ttnn").write_bytes(out)
    (inner / "b.ttnn").write_bytes(out)
    (inner.parent / "notes.txt").write_text("of somebody")
    (inner.parent / "system.ttsys.txt").write_text("")
    systems = tmp_path / "dir" / "of" / "system_desc"
    systems.mkdir()
    for name in ("n150", "n300"):
        (systems / f"{name}.ttsys").write_bytes(encode_system_desc(system(name)))
    (tmp_path / "system_desc.ttsys").write_bytes(encode_system_desc(system("n150")))
    ARTIFACTS.mkdir()
    (ARTIFACTS / "old.csv").write_text("")
    return tmp_path


def _module(path: Path) -> Any:
    import types

    module = types.ModuleType("ttnn")
    exec(path.read_text(), module.__dict__)
    return module


@pytest.mark.parametrize(("line", "proof"), SPECIFIED, ids=[line for line, _ in SPECIFIED])
def test_a_line_does_what_the_page_says(line: str, proof: Proof, capsys: pytest.CaptureFixture[str]) -> None:
    command, *arguments = line.split()[1:]
    # The folder has several binaries for "read", and one description of a system.
    code = run([command, *arguments])
    said = capsys.readouterr()
    ran = Ran(command=command, code=code, out=said.out, err=said.err)
    assert "Traceback" not in said.err
    assert proof(ran), said.out + said.err


def test_a_result_file_has_the_fields_of_the_page() -> None:
    assert run(["run", "out.ttnn", "--log-file", "ttrt.log"]) == 0
    (entry,) = json.loads(Path("run_results.json").read_text())
    wanted = {
        "file_path": "out.ttnn",
        "result": "pass",
        "exception": "",
        "log_file": "ttrt.log",
        "artifacts": "ttrt-artifacts",
        "program_index": "all",
    }
    assert {name: entry[name] for name in wanted} == wanted
    assert "log_file" in Path("ttrt_report.xml").read_text()


def test_artifacts_lie_below_tt_mlir_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TT_MLIR_HOME", str(folder / "home"))
    assert run(["read", "out.ttnn", "--save-artifacts"]) == 0
    assert (folder / "home" / "ttrt-artifacts" / "out.ttnn" / "out.ttnn").is_file()


@pytest.mark.parametrize("level", ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"])
def test_levels_of_the_log(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file gets everything by default; a level leaves out what is below it."""
    assert run(["query", "--quiet", "--sim", "n150", "--log-file", "all.log"]) == 0
    assert "DEBUG - described: n150" in Path("all.log").read_text()
    monkeypatch.setenv("TTRT_LOGGER_LEVEL", level)
    assert run(["run", "dir/of", "--program-index", "3", "--log-file", "some.log"]) == 1
    assert run(["query", "--quiet", "--sim", "n150", "--save-artifacts", "--log-file", "info.log"]) == 0
    text = Path("some.log").read_text() + Path("info.log").read_text()
    rank = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"].index(level)
    said = ["described: n150", "system description written", "warning[TTL1706]"]
    assert [word in text for word in said] == [rank <= own for own in (0, 1, 2)]


def test_the_same_seed_gives_the_same_inputs() -> None:
    drawn = []
    for seed in ("0", "0", "1"):
        assert run(["run", "out.ttnn", "--seed", seed, "--save-artifacts"]) == 0
        drawn.append(saved())
    assert torch.equal(drawn[0], drawn[1]) and not torch.equal(drawn[0], drawn[2])


def test_each_loop_runs_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    from ttrt.common import executions as module

    real, times = module.run_program, []

    def counted(*args: Any, **more: Any) -> Any:
        times.append(1)
        return real(*args, **more)

    monkeypatch.setattr(module, "run_program", counted)
    assert run(["run", "out.ttnn", "--loops", "10"]) == 0
    assert len(times) == 10


def test_everything_that_perf_keeps_says_the_same() -> None:
    assert run(["perf", "out.ttnn", "--save-artifacts", "--loops", "2", "--report"]) == 0
    folder = ARTIFACTS / "out.ttnn" / "perf"
    table = rows(str(folder / perf_files.OPERATIONS_FILE))
    exp = [row for row in table if row["OPERATION"] == "EltwiseOp.Exp"]
    head, *zones = (folder / perf_files.DEVICE_FILE).read_text().splitlines()
    assert head.startswith("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000")
    marks = list(csv.DictReader(zones, skipinitialspace=True))
    firmware = [row for row in marks if row["zone name"] == "BRISC-FW"]
    times = [int(row["time[cycles since reset]"]) for row in firmware]
    assert times == [int(row[f"DEVICE FW {end} CYCLE"]) for row in exp for end in ("START", "END")]
    assert {row["meta data"] for row in marks} == {"estimated"}
    with open(folder / perf_files.TIMES_FILE, encoding="utf-8") as file:
        durations = [int(row["exec_time_ns"]) for row in csv.DictReader(file)]
    assert durations == [int(row["HOST DURATION [ns]"]) for row in table]
    with open(folder / perf_files.DATA_FILE, encoding="utf-8") as file:
        messages = [row["MessageName"] for row in csv.DictReader(file, delimiter=";")]
    told = [json.loads(text.strip("`").partition(": ")[2]) for text in messages]
    assert [one["cycles"] for one in told] == [int(row["ESTIMATED CYCLES"]) for row in table]
    trace = json.loads((folder / perf_files.TRACE_FILE).read_text())["traceEvents"]
    spans = [event for event in trace if event["ph"] == "X"]
    assert [round(1000 * one["dur"]) for one in spans] == durations
    assert {one["tid"] for one in spans} == {0, 1}


def test_a_capture_is_not_made_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["perf", "out.ttnn", "--save-artifacts"]) == 0
    said = capsys.readouterr().err
    assert said.startswith("warning[TTL1705]: tracy_profile_log_host.tracy needs a capture by Tracy")
    assert "tracy_profile_log_host.json" in said
    assert not list(Path().rglob("*.tracy"))


def test_host_only_keeps_nothing_of_the_chip() -> None:
    assert run(["perf", "out.ttnn", "--save-artifacts", "--host-only"]) == 0
    folder = ARTIFACTS / "out.ttnn" / "perf"
    assert not (folder / perf_files.DEVICE_FILE).exists() and (folder / perf_files.TIMES_FILE).exists()
    assert {row["OP TYPE"] for row in rows(str(folder / perf_files.OPERATIONS_FILE))} == {"python_fallback"}


def test_the_pages_program() -> None:
    """The script at the end of the page, as it is there."""
    from ttrt.common.api import API
    from ttrt.common.util import Artifacts, Logger

    API.initialize_apis()
    custom_args: dict[str, Any] = {}
    custom_args["--clean-artifacts"] = True
    custom_args["--save-artifacts"] = True
    custom_args["--loops"] = 10
    custom_args["--init"] = "randn"
    custom_args["binary"] = "out.ttnn"
    custom_logger = Logger("some_file_name.log")
    custom_artifacts = Artifacts(logger=custom_logger, artifacts_folder_path="folder")
    run_instance = API.Run(args=custom_args, logger=custom_logger, artifacts=custom_artifacts)
    result_code, results = run_instance()
    assert (result_code, results[0]["result"], results[0]["log_file"]) == (0, "pass", "some_file_name.log")
    assert Path("folder/out.ttnn/run/program_0/program_0_output_0.pt").is_file()
    assert run_instance()[0] == 0
