"""``ttl score``: what honest programs get, and what cheats get: nothing that they did not do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from support.programs import run_ttl
from ttl import settings
from ttl.emu import runtime
from ttl.score import corpus
from ttl.score.best import read_best
from ttl.score.processes import ended_afterwards, probe
from ttl.score.stages import WORTH, StageName
from ttl.session import Session

Score = Callable[..., dict[str, Any]]

HERE = Path(__file__).parent
REFERENCE = HERE / "reference.py"
FENCE = probe()
pytestmark = [
    pytest.mark.skipif("open" in (FENCE.network, FENCE.files), reason="programs cannot be kept in here"),
    pytest.mark.skipif(runtime.missing() is not None, reason="there is no emulated chip"),
]

# With the task given: the stage at which each cheat ends.
GIVEN = {
    "no_kernel": "checked",
    "never_calls": "checked",
    "knows_the_answer": "checked",
    "catches_the_error": "checked",
    "exits_early": "ran",
    "sleeps": "ran",
    "constant_results": "right",
    "host_computes_into_a": "right",
    "library_computes": "right",
    "result_is_there": "right",
    "patches": "ran",
    "prints_a_score": "ran",
    "changes_files": "ran",
    "forks": "ran",
    "smaller": "right",
    "half": "right",
    "answer_in_a_closure": "right",
    "computes_in_the_body": "checked",
    "remembers_answers": "checked",
    "patches_comparisons": "ran",
}
# With the program's own reference.
OWN = {
    "host_computes": "only copies an input",
    "overwrites_its_reference": "the expected values are computed from the results themselves",
    "compares_with_itself": "the expected values are computed from the results themselves",
    "zeros": "no result of an operation is compared",
    "result_is_there": "leaves a part of y as it was",
    "answer_in_a_closure": "only copies an input",
}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of compiled kernels that other tests use, too: nothing but processes of ours writes there."""
    folder = settings.cache_folder()
    return tmp_path_factory.mktemp("cache") if folder is None else Path(folder)


@pytest.fixture(scope="module")
def score(cache: Path) -> Iterator[Score]:
    """The object of ``ttl score`` for a program; scores share what a folder of programs shares, too."""
    with Session().entered(), settings.override(cache_dir=str(cache)), ended_afterwards():

        def scored(
            program: Path, reference: Path | None = None, seconds: int = 120, until: StageName = "right"
        ) -> dict[str, Any]:
            given = None if reference is None else str(reference)
            options = corpus.ScoreOptions(reference=given, seconds=seconds, orders=2, seed=5, until=until)
            task = corpus.task_of(options, FENCE, settings.current())
            return of_the_schema(json.loads(json.dumps(corpus.scored(task, str(program)))))

        yield scored


def command(program: Path, cache: Path, *flags: str) -> tuple[int, dict[str, Any]]:
    """Exit code and object of the command line."""
    start = [sys.executable, "-m", "ttl", "score", "--format", "json", "--orders", "2", "--seed", "5"]
    environment = {**os.environ, "TTL_CACHE_DIR": str(cache)}
    done = subprocess.run([*start, *flags, str(program)], capture_output=True, text=True, env=environment)
    assert done.stderr == ""
    return done.returncode, of_the_schema(json.loads(done.stdout))


def of_the_schema(result: dict[str, Any]) -> dict[str, Any]:
    """The object, which has all that the published schema asks for, and nothing that it does not name."""
    _VALIDATOR.validate(result)
    return result


def _closed(schema: Any) -> Any:
    """A schema of which the objects have no other keys; those that other pages describe stay open."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: part if name == "diagnostic" else _closed(part) for name, part in schema.items()}
    is_closed = isinstance(schema.get("properties"), dict) and schema.get("type") in (
        "object",
        ["object", "null"],
    )
    return {**inner, "additionalProperties": False} if is_closed else inner


_VALIDATOR = Draft202012Validator(
    _closed(json.loads((HERE.parents[1] / "docs/reference/score.schema.json").read_text(encoding="utf-8")))
)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", GIVEN)
def test_a_cheat_gets_no_more_than_what_it_did(name: str, score: Score) -> None:
    before = REFERENCE.read_bytes()
    result = score(HERE / "cheats" / f"{name}.py", REFERENCE, seconds=5 if name == "sleeps" else 120)
    assert result["failed"] == GIVEN[name], result["next"]
    assert result["total"] <= 0.1
    assert result["status"] >= 10
    assert REFERENCE.read_bytes() == before


@pytest.mark.parametrize("name", OWN)
def test_a_reference_of_the_program_has_to_be_one(name: str, score: Score) -> None:
    result = score(HERE / "cheats" / f"{name}.py")
    assert (result["status"], result["failed"], result["total"]) == (13, "right", 0.1)
    assert OWN[name] in result["next"]["why"]


def test_every_cheat_is_tried() -> None:
    assert {path.stem for path in (HERE / "cheats").glob("*.py")} - {
        "knows_the_inputs",
        "leaves_out_the_work",
    } == {
        *GIVEN,
        *OWN,
    }


@pytest.mark.parametrize("name", ["in_main", "declared"])
def test_style_costs_nothing(name: str, score: Score) -> None:
    result = score(HERE / "honest" / f"{name}.py")
    assert (result["failed"], result["total"]) == (None, 0.5)


def test_a_good_program_passes_every_stage_and_its_best_is_kept(cache: Path, tmp_path: Path) -> None:
    best = tmp_path / "best.toml"
    flags = ("--reference", str(REFERENCE), "--keep-best", str(best))
    status, first = command(HERE / "honest" / "plain.py", cache, *flags)
    assert (status, first["failed"]) == (0, None)
    assert [stage["passed"] for stage in first["stages"]] == [True] * 9
    assert 0.8 < first["total"] < 1
    assert first["of_best"] is None
    assert first["stages"][3]["facts"]["results"][0]["pcc"] > 0.999
    (call,) = first["calls"]
    found = read_best(str(best)).find("multiply_add", "wormhole", call["arguments"])
    assert found == first["cycles"] == call["cycles"]
    # The kernels are compiled in another way and run before that is advised.
    (advice,) = call["advice"]
    assert (advice["name"], advice["basis"], advice["wrong"]) == ("narrow-registers", "emulated", False)
    assert first["headline"].startswith(f"Change first, at plain.py:9: {advice['change']}; saves about ")


@pytest.mark.parametrize("until", ["parsed", "schedules", "compiled"])
def test_stages_after_the_last_one_that_is_asked_for_are_left_out(until: StageName, score: Score) -> None:
    stages = score(HERE / "honest" / "plain.py", until=until)["stages"]
    names = list(WORTH)
    assert [stage["stage"] for stage in stages] == names[: names.index(until) + 1]
    assert all(stage["passed"] for stage in stages)


def test_nothing_is_left_behind(tmp_path: Path, score: Score) -> None:
    program = tmp_path / "stays.py"
    mark = f"left-behind-{os.getpid()}"
    source = (HERE / "cheats" / "forks.py").read_text()
    program.write_text(source.replace("time.sleep(1000)", f'os.execvp("sleep", ["{mark}", "1000"])'))
    score(program, until="ran")

    def left() -> list[str]:
        commands = [
            path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if os.access(path, os.R_OK)
        ]
        return [command.decode() for command in commands if command.startswith(mark.encode())]

    deadline = time.monotonic() + 5
    while left() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left()


def test_a_program_that_changes_is_scored_again(cache: Path, tmp_path: Path) -> None:
    """Until Ctrl-C. A program that comes to a folder is scored, too."""
    (tmp_path / "first.py").write_text("import ttl\ndef (")
    command = [sys.executable, "-m", "ttl", "score", "--watch", "--format", "json", "--until", "checked", "."]
    environment = {**os.environ, "TTL_CACHE_DIR": str(cache)}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    at_last = threading.Timer(60, process.kill)
    at_last.start()
    try:
        assert json.loads(process.stdout.readline())["failed"] == "parsed"
        (tmp_path / "first.py").write_text("import ttl")
        assert json.loads(process.stdout.readline())["failed"] == "checked"
        (tmp_path / "second.py").write_text((HERE / "honest" / "declared.py").read_text())
        second = json.loads(process.stdout.readline())
        assert (second["program"], second["failed"]) == ("second.py", None)
    finally:
        process.send_signal(signal.SIGINT)
        rest, said = process.communicate()
        at_last.cancel()
    assert (process.returncode, rest, said) == (130, "", "")


def test_better_cycles_of_a_program_that_changes_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cycles = iter([900, 950, 800])

    def scored(task: Any, path: str) -> dict[str, Any]:
        call = {"operation": "add", "arguments": ["a 32x32"], "cycles": next(cycles)}
        return {"status": 0, "calls": [call]}

    def changes(seconds: float) -> None:
        kept.append(read_best(str(best)).find("add", "wormhole", ["a 32x32"]))
        if len(kept) == 3:
            raise KeyboardInterrupt
        os.utime(program, (len(kept), len(kept)))

    kept: list[int | None] = []
    program, best = tmp_path / "p.py", tmp_path / "best.toml"
    program.write_text("import ttl")
    monkeypatch.setattr(corpus, "scored", scored)
    monkeypatch.setattr("ttl.cli.score.time.sleep", changes)
    monkeypatch.setattr("ttl.cli.score._show", lambda *_, **__: None)
    assert (
        run_ttl(["score", "--watch", "--keep-best", str(best), str(program)], folder=tmp_path).status == 130
    )
    assert kept == [900, 900, 800]


TRY = """
import json, os, socket, sys
tried = {}
def attempt(name, what):
    try:
        what()
        tried[name] = "done"
    except OSError:
        tried[name] = "refused"
attempt("connect", lambda: socket.create_connection(("192.0.2.1", 80), 0.2))
attempt("datagram", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53)))
attempt("write", lambda: open(sys.argv[1] + "/outside", "w"))
attempt("remove", lambda: os.unlink(sys.argv[1] + "/kept"))
attempt("signal", lambda: os.kill(os.getppid(), 0))
attempt("own", lambda: open(sys.argv[2] + "/inside", "w"))
print(json.dumps(tried))
"""


@pytest.mark.parametrize("network", ["namespace", "seccomp"])
def test_the_fence_holds(network: str, on_disk: Path) -> None:
    from ttl.score import fence

    own = on_disk / "own"
    own.mkdir()
    (on_disk / "kept").touch()
    command = [sys.executable, "-I", "-S", fence.__file__, network, "landlock", f'["{own}"]', "[]", "[]"]
    done = subprocess.run(
        [*command, sys.executable, "-I", "-c", TRY, str(on_disk), str(own)], capture_output=True, text=True
    )
    if done.returncode == fence.REFUSED and network != FENCE.network:
        pytest.skip("not on this machine")
    tried = json.loads(done.stdout)
    assert tried.pop("own") == "done"
    assert set(tried.values()) == {"refused"}, tried
