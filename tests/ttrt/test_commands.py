"""``ttrt`` on the command line and from Python."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from support.ttnn_binaries import Binary as Tables
from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.schema import schema
from tt_model.layouts.known_systems import system
from ttl.diag import ProgramError
from ttrt import binary, runtime
from ttrt.common.api import API
from ttrt.common.main import run
from ttrt.common.util import Artifacts, Logger

torch = pytest.importorskip("torch")


def tables(word: str = "Exp") -> tuple[Tables, list[dict[str, Any]]]:
    built = Tables()
    x = built.input([32, 64])
    y = built.op("EltwiseOp", type=word, ins=[x], out=built.tensor([32, 64]))
    built.op("DeallocateOp", **{"in": x})
    outputs = built.output([32, 64], y)
    built.op("DeallocateOp", **{"in": y})
    return built, outputs


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TT_MLIR_HOME", raising=False)
    monkeypatch.delenv("TTRT_LOGGER_LEVEL", raising=False)
    return tmp_path


@pytest.fixture
def model(folder: Path) -> Path:
    built, outputs = tables()
    path = folder / "exp.ttnn"
    path.write_bytes(built.content(outputs))
    return path


def results(name: str) -> Any:
    return json.loads(Path(name).read_text())


def test_a_binary_runs(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", str(model), "--loops", "2"]) == 0
    (entry,) = results("run_results.json")
    assert (entry["file_path"], entry["result"], entry["exception"]) == (str(model), "pass", "")
    (program,) = entry["programs"]
    assert (program["name"], program["leaks"]) == ("main", [])
    assert program["peak_bytes_per_bank"]["DRAM of chip 0"] == 4096
    suite = ElementTree.parse("ttrt_report.xml").getroot()[0]
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("1", "0")
    assert "exp.ttnn: pass" in capsys.readouterr().err


def test_artifacts_are_kept(model: Path, folder: Path) -> None:
    assert run(["run", str(model), "--save-artifacts", "--init", "arange"]) == 0
    kept = folder / "ttrt-artifacts" / "exp.ttnn"
    assert (kept / "exp.ttnn").read_bytes() == model.read_bytes()
    given = torch.load(kept / "run" / "program_0" / "program_0_input_0.pt")
    got = torch.load(kept / "run" / "program_0" / "program_0_output_0.pt")
    assert torch.equal(given, torch.arange(2048).reshape(32, 64).to(torch.bfloat16))
    assert torch.equal(got, torch.exp(given))


def test_folders_are_walked_and_what_is_broken_is_said(model: Path, folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "inner" / "broken.ttnn").write_bytes(model.read_bytes()[:200])
    other, outputs = tables()
    (folder / "n300.ttnn").write_bytes(other.content(outputs, system("n300")))
    assert run(["run", str(folder), "--sim", "n300"]) == 1
    entries = {Path(entry["file_path"]).name: entry for entry in results("run_results.json")}
    assert [entry["result"] for entry in results("run_results.json")] == ["skip", "error", "pass"]
    assert "system desc for device did not match flatbuffer" in entries["exp.ttnn"]["exception"]
    assert "ttrt query --sim n300" in entries["exp.ttnn"]["exception"]
    assert "broken.ttnn is a broken file: the file is cut off" in entries["broken.ttnn"]["exception"]


def test_another_release_is_skipped(model: Path) -> None:
    values = binary.as_dict(binary.load_from_path(model))
    values["version"]["patch"] = 1
    model.write_bytes(encode(schema("TTNN/binary.fbs"), values))
    assert run(["run", str(model)]) == 1
    (entry,) = results("run_results.json")
    assert entry["result"] == "skip" and "does not match flatbuffer 0.0.1" in entry["exception"]


@pytest.mark.parametrize(
    ("word", "flags", "code", "said"),
    [
        ("Relu", ["--identity"], 1, "Failed: output 0 of main is not its input 0"),
        ("Relu", ["--identity", "--atol", "100"], 0, ""),
        ("Relu", ["--non-zero", "--init", "zeros"], 1, "Failed: output 0 of main is all zero"),
        ("Exp", ["--non-zero", "--init", "zeros"], 0, ""),
        ("Exp", ["--program-index", "3"], 1, "program index 3 is greater than number of programs"),
        ("Exp", ["--sim", "n450"], 1, "no system is called n450; there are default, n150, n300, "),
        ("Exp", ["--sim", "n300"], 1, "the binary is for another system than n300"),
    ],
)  # fmt: skip
def test_flags_of_run(folder: Path, word: str, flags: list[str], code: int, said: str) -> None:
    built, outputs = tables(word)
    path = folder / "m.ttnn"
    path.write_bytes(built.content(outputs))
    assert run(["run", str(path), *flags]) == code
    (entry,) = results("run_results.json")
    assert said in entry["exception"]


def test_command_lines_that_are_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty").mkdir()
    (folder / "text.ttnn").write_text("module {}")
    wrong = {
        "run nothing.ttnn": "there is no file or folder nothing.ttnn",
        "run empty": "the folder empty has no files that end in .ttnn, .ttm",
        "run": "the following arguments are required: binary",
        "run --loops 0 text.ttnn": "--loops must be at least 1, not 0",
        "perf --loops -1 text.ttnn": "--loops must be at least 1, not -1",
        "run --loops many text.ttnn": "argument --loops: invalid int value: 'many'",
        "run --program-index first text.ttnn": "--program-index must be 'all' or a number, not 'first'",
        "run --log-file . text.ttnn": "cannot write",
        "run --init funny text.ttnn": "invalid choice: 'funny'",
        "run --lops 3 text.ttnn": "ttrt run has no flag --lops\n  = help: did you mean --loops?",
        "query --binary x": "ttrt query has no flag --binary\n  = help: it has --sim",
        "rum text.ttnn": "invalid choice: 'rum'",
        "read text.ttnn --log-file /no/where.log": "cannot write /no/where.log: No such file or directory",
        "query --sim n150 --quiet --save-artifacts --artifact-dir text.ttnn/x": "cannot write text.ttnn/x: Not a directory",
        "query --sim n150 --quiet --clean-artifacts --artifact-dir text.ttnn": "text.ttnn is not deleted",
        "query --sim n150 --quiet --result-file empty": "cannot write empty",
    }
    for line, said in wrong.items():
        assert run(line.split()) == 1, line
        err = capsys.readouterr().err
        assert err.startswith("error[TTL170") and said in err, line
        assert not list(folder.rglob("*.json")) and not list(folder.rglob(".*")), line
    assert run(["read", "text.ttnn"]) == 1
    assert "text.ttnn is not a binary of TT-MLIR" in results("read_results.json")[0]["exception"]


def test_sections_are_read(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = {}
    for section in ("all", "version", "system_desc", "mlir", "cpp", "inputs", "outputs", "op_stats"):
        assert run(["read", "--section", section, str(model)]) == 0
        printed[section] = capsys.readouterr().out
    assert printed["version"] == "version: 0.0.431\ntt-mlir git hash: 9d731b7484\n"
    assert json.loads(printed["system_desc"])["chip_descs"][0]["arch"] == "Wormhole_b0"
    assert json.loads(printed["all"])["programs"][0]["name"] == "main"
    assert printed["mlir"].startswith("program[0]: main\n")
    assert '"global_id": 1' in printed["inputs"]
    stats = json.loads(printed["op_stats"])
    assert [entry["op_name"] for entry in stats][:4] == [
        "ttnn.get_device",
        "ttnn.to_layout",
        "ttnn.to_device",
        "ttnn.eltwise",
    ]
    assert stats[3]["inputs"][0]["shape"] == [32, 64]


def test_systems_are_described_and_checked(
    model: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["query", "--sim", "n300", "--save-artifacts"]) == 0
    assert len(json.loads(capsys.readouterr().out)["system_desc"]["chip_desc_indices"]) == 2
    written = folder / "ttrt-artifacts" / "system_desc.ttsys"
    assert run(["read", "--section", "inputs", str(written)]) == 1
    assert run(["check", str(model), "--system-desc", str(written)]) == 1
    assert "compiled for another system" in results("check_results.json")[0]["exception"]
    other, outputs = tables()
    model.write_bytes(other.content(outputs, system("n300")))
    assert run(["check", str(model), "--system-desc", str(folder)]) == 0
    assert run(["check", str(model), "--sim", "n300"]) == 0
    assert run(["run", str(model), "--sim", str(written)]) == 0


def test_the_same_from_python(model: Path, folder: Path) -> None:
    API.initialize_apis()
    logger = Logger(str(folder / "run.log"))
    artifacts = Artifacts(logger=logger, artifacts_folder_path=str(folder / "kept"))
    args = {"--clean-artifacts": True, "--save-artifacts": True, "--loops": 3, "binary": str(model)}
    code, entries = API.Run(args=args, logger=logger, artifacts=artifacts)()
    assert (code, entries[0]["result"]) == (0, "pass")
    assert "nothing is compared: the binary has no text of its module" in (folder / "run.log").read_text()
    code, entries = API.Run(
        args={"--golden": True, "binary": str(model)}, logger=logger, artifacts=artifacts
    )()
    assert (code, entries[0]["result"]) == (1, "error")
    assert "nothing can be compared: the binary has no text of its module" in entries[0]["exception"]
    with pytest.raises(ProgramError, match=r"ttrt run has no flag --loop\n.*did you mean --loops\?"):
        API.Run(args={"--loop": 1})
    for name, value in (
        ("--loops", "ten"),
        ("--loops", True),
        ("--golden", 1),
        ("--init", "rand"),
        ("--pcc", "high"),
    ):
        with pytest.raises(ProgramError, match=f"TTL1701.*{name} is {value!r}; expected"):
            API.Run(args={name: value})


def test_foreign_folders_are_not_cleaned(folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "thesis.tex").write_text("")
    with pytest.raises(ProgramError, match="is not deleted: it has files that are not artifacts"):
        API.Query(args={"--clean-artifacts": True, "--artifact-dir": str(folder / "mine")})()
    assert (folder / "mine" / "thesis.tex").exists()


def test_the_runtime_by_its_own_names(model: Path) -> None:
    loaded = binary.load_binary_from_path(model)
    assert runtime.set_compatible_runtime(loaded) is runtime.DeviceRuntime.TTNN
    _, chips = runtime.get_current_system_desc()
    device = runtime.open_device(chips)
    given = torch.randn(32, 64).to(torch.bfloat16)
    got = torch.zeros_like(given)
    pair = [
        runtime.create_tensor(
            one.data_ptr(), list(one.shape), list(one.stride()), 2, runtime.DataType.BFloat16
        )
        for one in (given, got)
    ]
    seen: list[tuple[str, int]] = []

    def callback(loaded: Any, program: Any, op: Any) -> None:
        values = runtime.get_op_output_tensor(op, program)
        seen.append((runtime.get_op_debug_str(op), len(values)))

    runtime.DebugHooks.get(callback)
    try:
        event = runtime.submit(device, loaded, 0, pair[:1], pair[1:])
    finally:
        runtime.DebugHooks.unregister()
    runtime.wait(event)
    assert torch.equal(got, torch.exp(given))
    assert ('... loc("EltwiseOp")', 2048) in seen and ('... loc("DeallocateOp")', 0) in seen
    runtime.close_device(device)


def test_every_cut_of_a_file_is_an_error(model: Path, folder: Path) -> None:
    content = model.read_bytes()
    for length in range(0, len(content), 97):
        (folder / "cut.ttnn").write_bytes(content[:length])
        with pytest.raises(binary.FlatbufferError):
            binary.load_from_path(folder / "cut.ttnn")
    longer = struct.pack("<I", 2**31) + content[4:]
    (folder / "cut.ttnn").write_bytes(longer)
    with pytest.raises(binary.FlatbufferError, match="cut off"):
        binary.load_from_path(folder / "cut.ttnn")


def test_binaries_of_one_name_keep_their_own_artifacts(model: Path, folder: Path) -> None:
    contents = {}
    for name in ("one", "two"):
        built, outputs = tables({"one": "Exp", "two": "Abs"}[name])
        (folder / name).mkdir()
        contents[name] = built.content(outputs)
        (folder / name / "exp.ttnn").write_bytes(contents[name])
    assert run(["run", str(folder), "--save-artifacts"]) == 0
    kept = {path.parent.name: path.read_bytes() for path in (folder / "ttrt-artifacts").glob("*/exp.ttnn")}
    assert kept == {
        "exp.ttnn": model.read_bytes(),
        "one-exp.ttnn": contents["one"],
        "two-exp.ttnn": contents["two"],
    }


def test_a_folder_with_all_kinds_of_files(model: Path, folder: Path) -> None:
    for name, content in {
        "n.ttm": model.read_bytes(),
        "s.ttsys": b"",
        "a.mlir": b"",
        ".x.ttnn.1.partial": b"",
    }.items():
        (folder / name).write_bytes(content)
    assert run(["run", str(folder)]) == 0
    assert [Path(one["file_path"]).name for one in results("run_results.json")] == ["exp.ttnn", "n.ttm"]
    metal = encode(schema("TTMetal/binary.fbs"), {"version": {"major": 0, "minor": 0, "patch": 431}})
    (folder / "n.ttm").write_bytes(metal)
    assert run(["run", str(folder)]) == 1
    first = results("run_results.json")[0]
    assert (first["code"], "system_desc" in first["exception"]) == ("TTL1707", True)
    assert run(["read", str(folder)]) == 1
    said = {Path(one["file_path"]).name: one["result"] for one in results("read_results.json")}
    assert said == {"exp.ttnn": "pass", "n.ttm": "pass", "s.ttsys": "error"}


def test_what_a_failed_run_computed_is_kept(model: Path, folder: Path) -> None:
    assert run(["run", str(model), "--identity", "--save-artifacts"]) == 1
    assert (folder / "ttrt-artifacts/exp.ttnn/run/program_0/program_0_output_0.pt").is_file()


def test_a_long_program_says_how_far_it_is(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    times = iter(range(0, 1000, 3))
    monkeypatch.setattr("ttrt.common.programs.time.monotonic", lambda: next(times))
    assert run(["run", str(model), "--loops", "2"]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "%" in line]
    assert len(said) == 8
    assert said[0] == 'INFO: main: 6 %, operation 1 of 16, at operation 1 (ToLayoutOp) at loc("ToLayoutOp")'
    assert said[-1].startswith("INFO: main: 94 %, operation 15 of 16")


def test_ctrl_c_in_the_second_binary_leaves_nothing_half_written(
    model: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ttrt.common import executions as module

    (folder / "later.ttnn").write_bytes(model.read_bytes())
    real, times = module.run_program, []

    def interrupted(*args: Any, **more: Any) -> Any:
        times.append(1)
        if len(times) == 2:
            raise KeyboardInterrupt
        return real(*args, **more)

    monkeypatch.setattr(module, "run_program", interrupted)
    assert run(["run", str(folder), "--save-artifacts"]) == 130
    left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    kept = "ttrt-artifacts/exp.ttnn"
    assert left == [
        "exp.ttnn",
        "later.ttnn",
        f"{kept}/exp.ttnn",
        f"{kept}/run/program_0/program_0_input_0.pt",
        f"{kept}/run/program_0/program_0_output_0.pt",
    ]
    assert [path.name for path in (folder / "ttrt-artifacts").iterdir()] == ["exp.ttnn"]


def test_ctrl_c_leaves_no_files(model: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any, **more: Any) -> Any:
        raise KeyboardInterrupt

    before = sorted(folder.rglob("*"))
    monkeypatch.setattr("ttrt.common.executions.run_program", interrupted)
    assert run(["run", str(model)]) == 130
    assert sorted(folder.rglob("*")) == before


def test_how_much_is_logged(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for level, count in (("CRITICAL", 0), ("INFO", 1)):
        monkeypatch.setenv("TTRT_LOGGER_LEVEL", level)
        assert run(["run", str(model)]) == 0
        assert capsys.readouterr().err.count("exp.ttnn: pass") == count
    monkeypatch.setenv("TTRT_LOGGER_LEVEL", "LOUD")
    assert run(["run", str(model)]) == 1
    assert "TTRT_LOGGER_LEVEL is LOUD; expected one of DEBUG, INFO" in capsys.readouterr().err
