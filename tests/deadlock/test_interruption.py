"""Ctrl-C stops at once and says where every kernel was (issue section 5).

The signal is a real one, sent to a real process when the program itself has said that it is where it should be.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"

# The place at which the program says "here" and goes on for ever; {placeholders} differ between the cases.
PROGRAM = """\
import numpy as np
import ttl
import ttnn


@ttl.operation(grid=(2, 2))
def endless(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=({size}, {size}))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=({size}, {size}))

    @ttl.datamovement()
    def read():
        while True:
            with a_dfb.reserve() as blk:
                ttl.copy(a[0:{size}, 0:{size}], blk).wait()

    @ttl.compute()
    def compute():
        while True:
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                y_blk.store(a_blk @ a_blk)
                {compute}

    @ttl.datamovement()
    def write():
        while True:
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[0:{size}, 0:{size}]).wait()
                {write}


{setup}
tensors = [
    ttnn.from_numpy(np.ones((32 * {size}, 32 * {size}), np.float32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    for _ in range(2)
]
endless(*tensors)
"""
HERE = 'print("here", flush=True)'
# On one line, so that there is one place where the signal can arrive.
HERE_FOR_EVER = f"{HERE} or all(iter(lambda: True, False))"


def _heed_interrupts() -> None:
    """A test run in the background of a script inherits that SIGINT is ignored, and so would the program."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupt(process: subprocess.Popen[str]) -> str:
    """Send the signal when the process says "here"; what it prints to standard error. It is ended in any case."""
    assert process.stdout is not None
    overdue = threading.Timer(60, process.kill)  # a program that never gets there must not stop the tests
    overdue.start()
    try:
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGINT)
        return process.communicate()[1]
    finally:
        overdue.cancel()
        process.kill()
        process.wait()


def interrupted(
    folder: Path, command: list[str] | None = None, executor: str = "auto", **parts: str
) -> tuple[str, int]:
    """What a program prints to standard error when it is interrupted where it prints "here", and its exit code."""
    program = folder / "endless.py"
    values = {"size": "1", "compute": "pass", "write": "pass", "setup": "", **parts}
    text = PROGRAM
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    program.write_text(text, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, *(command or ["-m", "ttl", "run"]), str(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(SOURCE),
            "OMP_NUM_THREADS": "1",
            "TTL_EXECUTOR": executor,
            "TTL_CHECK": "off",
        },
        preexec_fn=_heed_interrupts,
    )
    return interrupt(process), process.returncode


@pytest.mark.parametrize("command", [["-m", "ttl", "run"], []], ids=["ttl run", "python"])
def test_in_a_loop_of_the_users_own(tmp_path: Path, command: list[str]) -> None:
    errors, status = interrupted(tmp_path, command, compute=HERE_FOR_EVER)
    assert errors.splitlines() == [
        "interrupted in kernel compute on node (0, 0), at endless.py:22",
        "0 of 4 nodes have ended",
        "on node (0, 0):",
        "  read waits to reserve a_dfb at endless.py:14",
        "  compute was running at endless.py:22",
        "  write has not started",
        "on 3 nodes, (0, 1), (1, 0), (1, 1):",
        "  no kernel has started",
    ]
    assert status in (130, -signal.SIGINT) if command else status != 0


def test_while_kernels_wait_for_one_another(tmp_path: Path) -> None:
    """The interrupt arrives in whichever kernel runs; the two others are where they wait."""
    errors, status = interrupted(tmp_path, write=HERE)
    head, ended, node, *kernels = errors.splitlines()
    assert head.startswith(("interrupted in kernel ", "interrupted between two kernels"))
    assert (ended, node) == ("0 of 4 nodes have ended", "on node (0, 0):")
    assert [line.split()[0] for line in kernels[:3]] == ["read", "compute", "write"]
    assert all("endless.py:" in line for line in kernels[:3])
    assert sum(" waits " in line or " was at " in line for line in kernels[:3]) >= 2
    assert status != 0


def test_inside_the_executor(tmp_path: Path) -> None:
    """The program says where it is from within the arithmetic that runs for a kernel's store."""
    setup = """\
import ttl.sim.numpy_executor as executor
compute = executor.NumpyExecutor.run_group
def slow(*args):
    print("here", flush=True)
    while True:
        compute(*args)
executor.NumpyExecutor.run_group = slow
"""
    errors, status = interrupted(tmp_path, executor="numpy", setup=setup, size="2")
    head, *rest = errors.splitlines()
    assert head.startswith("interrupted in kernel ")
    assert "endless.py:" in head
    assert any(" was running at endless.py:" in line for line in rest)
    assert status != 0


def test_while_an_object_is_freed(tmp_path: Path) -> None:
    """Python drops what is raised in ``__del__``, and expressions have one."""
    setup = """\
class Freed:
    def __del__(self):
        print("here", flush=True)
        all(iter(lambda: True, False))
once = [Freed()]
"""
    errors, status = interrupted(tmp_path, setup=setup, compute="once.clear()")
    assert errors.startswith(("interrupted in kernel ", "interrupted between two kernels")), errors
    assert "Exception ignored" not in errors
    assert status != 0


def test_in_the_body_of_the_operation(tmp_path: Path) -> None:
    program = tmp_path / "endless.py"
    program.write_text(
        "import ttl\nimport ttnn\n\n\n@ttl.operation(grid=(1, 1))\ndef endless(a):\n"
        f"    {HERE_FOR_EVER}\n\n\nendless(ttnn.zeros((32, 32)))\n",
        encoding="utf-8",
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "ttl", "run", str(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "TTL_CHECK": "off"},
        preexec_fn=_heed_interrupts,
    )
    errors = interrupt(process)
    assert errors.splitlines() == ["interrupted in the body of the operation, at endless.py:7"]
