"""The user's program in a process of its own: what it prints, its limits, and that nothing of it is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ttl.processes.tasks import Limits, Task, TaskResult

# Children that ignore signals, each in a session of its own, left behind by a parent that is gone.
LEAVES_CHILDREN = """
import os, signal, sys, time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        child = os.fork()
        if child:
            os.write(1, f"child {child}\\n".encode())
            os._exit(0)
        time.sleep(1000)
        os._exit(0)
    os.wait()
print("ready", flush=True)
time.sleep(float(sys.argv[1]))
"""

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")


def python(source: str, *arguments: str, limits: Limits | None = None) -> Task:
    return Task([sys.executable, "-I", "-c", source, *arguments], limits=limits)


def children(output: str) -> list[int]:
    pids = [int(line.split()[1]) for line in output.splitlines() if line.startswith("child ")]
    assert len(pids) == 3
    return pids


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if os.path.exists(f"/proc/{pid}") and "\nState:\tZ" not in _status(pid)]


def _status(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return "\nState:\tZ"


def test_a_result_has_the_output_the_code_and_the_objects() -> None:
    item = {"schema": 1, "kind": "profile", "text": "é"}
    source = f"""
import sys
print("out", flush=True)
print({json.dumps(json.dumps(item))}, file=sys.stderr)
print("{{no object", file=sys.stderr)
print('{{"kind": "mine"}}', file=sys.stderr)
sys.stderr.write("no end of a line")
sys.exit(7)
"""
    result = python(source).run()
    assert (result.status, result.exit_code, result.reason) == ("failed", 7, "")
    assert sorted(result.output.splitlines()) == sorted(
        ["out", "{no object", '{"kind": "mine"}', "no end of a line"]
    )
    assert list(result.objects) == [item] == result.of_kind("profile")


def test_output_comes_as_it_is_printed_and_is_bounded() -> None:
    parts: list[str] = []
    result = python("print('x' * 5000)", limits=Limits(output=1000)).run(parts.append)
    assert "".join(parts) == result.output == "x" * 1000
    assert result.cut == 4001 and result.status == "ok"


def test_standard_input_is_the_text_and_ends() -> None:
    task = Task([sys.executable, "-I", "-c", "import sys; print(len(sys.stdin.read()))"], text="é" * 300_000)
    assert task.run().output == "300000\n"


def test_a_program_that_runs_too_long_is_ended_with_all_it_has_started() -> None:
    result = python(LEAVES_CHILDREN, "1000", limits=Limits(seconds=0.5)).run()
    assert (result.status, result.exit_code) == ("limit", None)
    assert result.reason == "it ran longer than 0.5 s"
    assert alive(children(result.output)) == []


def test_what_a_program_leaves_behind_ends_with_it() -> None:
    result = python(LEAVES_CHILDREN, "0").run()
    assert (result.status, result.exit_code) == ("ok", 0)
    assert alive(children(result.output)) == []


def test_cancel_ends_all_of_it() -> None:
    task = python(LEAVES_CHILDREN, "1000")
    result = task.run(lambda output: task.cancel() if "ready" in output else None)
    assert (result.status, result.exit_code) == ("cancelled", None)
    assert alive(children(result.output)) == []


def test_a_task_that_is_cancelled_before_it_runs_ends_at_once() -> None:
    task = python("import time; time.sleep(1000)")
    task.cancel()
    assert task.run().status == "cancelled"


def test_memory_of_all_processes_together_is_bounded() -> None:
    source = """
import os, time
if os.fork() == 0:
    kept = b"x" * (150 << 20)
    time.sleep(1000)
kept = b"x" * (150 << 20)
time.sleep(1000)
"""
    result = python(source, limits=Limits(megabytes=200)).run()
    assert (result.status, result.reason) == ("limit", "it used more than 200 MB of memory")
    assert result.peak_bytes > 200 << 20


def test_nothing_outlives_whoever_asked(tmp_path: Path) -> None:
    """The one who asks is killed, and can do nothing about it any more."""
    (tmp_path / "program.py").write_text(LEAVES_CHILDREN)
    source = f"""
import sys
from ttl.processes.tasks import Task
Task([sys.executable, "-I", {str(tmp_path / "program.py")!r}, "1000"]).run(lambda text: print(text, end="", flush=True))
"""
    output = ""
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True) as asker:
        assert asker.stdout is not None
        while "ready" not in output:
            output += asker.stdout.readline()
        assert len(alive(children(output))) == 3
        asker.send_signal(signal.SIGKILL)
    pids = children(output)
    until = time.monotonic() + 10
    while alive(pids) and time.monotonic() < until:
        threading.Event().wait(0.02)
    assert alive(pids) == []


def test_a_mistake_of_whoever_listens_ends_the_task() -> None:
    def fails(output: str) -> None:
        raise LookupError(output)

    begun = time.monotonic()
    with pytest.raises(LookupError):
        python("import time; print('up', flush=True); time.sleep(1000)").run(fails)
    assert time.monotonic() - begun < 100


def test_a_command_that_is_none_is_a_failure() -> None:
    result: TaskResult = Task(["/nowhere/at/all"]).run()
    assert result.status == "failed" and result.exit_code != 0
    assert "/nowhere/at/all" in result.output
