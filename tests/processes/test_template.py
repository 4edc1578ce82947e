"""A process that becomes others: they are like new ones, and have limits as those have."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ttl.processes.tasks import ForkedTask, Limits, TaskResult
from ttl.processes.template import Template

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")

WORK = """
import json, os, sys, time
import numpy as np

imported = os.getpid()
LEFT = []


def main(arguments):
    what, *rest = arguments
    if what == "tell":
        LEFT.append(1)
        print(json.dumps({
            "imported": imported, "left": len(LEFT), "folder": os.getcwd(), "variables": [os.environ.get(name) for name in ("MINE", "OTHER")],
            "files": sorted(int(name) for name in os.listdir("/proc/self/fd"))[:4], "input": sys.stdin.read(), "random": np.random.rand(),
        }))
        return 7
    if what == "sleep":
        if os.fork() == 0:
            os.setsid()
        os.write(1, b"%d\\n" % os.getpid())
        time.sleep(1000)
    if what == "grow":
        kept = [bytearray(os.urandom(1 << 20)) for _ in range(1000)]
        time.sleep(1000)
    if what == "kill the template":
        os.kill(imported, 9)
    raise SystemExit(3)
"""


@pytest.fixture
def template(tmp_path: Path) -> Iterator[Template]:
    (tmp_path / "work_of_a_template.py").write_text(WORK)
    template = Template(["work_of_a_template"], {}, [str(tmp_path)])
    yield template
    template.close()


def run(
    template: Template, folder: Path, *arguments: str, limits: Limits | None = None, variable: str = "NONE"
) -> TaskResult:
    return ForkedTask(
        template,
        "work_of_a_template:main",
        arguments,
        folder=str(folder),
        limits=limits or Limits(seconds=30),
        environment={variable: "x"},
    ).run()


def test_every_task_is_a_process_of_its_own(template: Template, tmp_path: Path) -> None:
    first, second = (run(template, tmp_path, "tell", variable=name) for name in ("MINE", "OTHER"))
    assert (first.status, first.exit_code) == ("failed", 7)
    one, other = json.loads(first.output), json.loads(second.output)
    assert one["imported"] == other["imported"]
    assert (one["variables"], other["variables"]) == (["x", None], [None, "x"])
    assert one["left"] == other["left"] == 1
    assert one["random"] != other["random"]
    assert one["folder"] == str(tmp_path)
    assert one["input"] == ""
    # The fourth is the folder that is listed.
    assert one["files"] == [0, 1, 2, 3]


def test_limits_hold_and_nothing_is_left(template: Template, tmp_path: Path) -> None:
    result = run(template, tmp_path, "sleep", limits=Limits(seconds=3))
    assert (result.status, result.reason) == ("limit", "it ran longer than 3 s")
    pids = [int(line) for line in result.output.split()]
    assert len(pids) == 2
    assert not [pid for pid in pids if os.path.exists(f"/proc/{pid}")]
    result = run(template, tmp_path, "grow", limits=Limits(seconds=30, megabytes=300))
    assert (result.status, result.reason) == ("limit", "it used more than 300 MB of memory")


def test_another_template_takes_over(template: Template, tmp_path: Path) -> None:
    first = json.loads(run(template, tmp_path, "tell").output)["imported"]
    assert run(template, tmp_path, "kill the template").exit_code == 3
    deadline = time.monotonic() + 5
    while "State:\tZ" not in Path(f"/proc/{first}/status").read_text() and time.monotonic() < deadline:
        pass
    assert run(template, tmp_path, "tell").exit_code == 7
