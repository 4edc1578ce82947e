"""The cache of compiled kernels is bounded: what was used the longest time ago goes, and nobody fails for it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from support.programs import run_program, run_ttl
from ttl.emu.kernel_cache import is_kept, make_room, seal

HOUR = 3600
# Bytes of the seal.
SEALED = 43
PROGRAM = """
import glob, os, ttl, ttnn
from ttl.emu import launch

@ttl.operation(grid=(1, 1))
def copy(x, y):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, y[0, 0]).wait()

ready = launch.ready
def and_another_process_makes_room(program, chip):
    result = ready(program, chip)
    for path, *_ in result.kernels:
        os.unlink(path)
    return result
launch.ready = and_another_process_makes_room

device = ttnn.open_device(device_id=0)
x, y = (fill((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for fill in (ttnn.ones, ttnn.zeros))
copy(x, y)
print(float(ttnn.to_torch(y).sum()))
launch.ready = ready
"""


def kernels(folder: Path, ages: dict[str, float], size: int = 8192) -> None:
    for name, age in ages.items():
        (folder / name).write_bytes(b"k" * (size - SEALED))
        seal(str(folder / name))
        os.utime(folder / name, (time.time() - age,) * 2)


def test_those_used_the_longest_time_ago_go(tmp_path: Path) -> None:
    ages = {"a.so": 5 * HOUR, "b.so": 4 * HOUR, "c.so": 3 * HOUR, "d.so": 2 * HOUR, "new.so": 1}
    kernels(tmp_path, {**ages, "killed.tmp": 6 * HOUR, "now.tmp": 900})
    assert is_kept(str(tmp_path / "a.so")) and not is_kept(str(tmp_path / "z.so"))
    make_room(str(tmp_path), 7 * 8192)
    assert len(os.listdir(tmp_path)) == 7
    make_room(str(tmp_path), 5 * 8192)
    assert sorted(os.listdir(tmp_path)) == ["a.so", "d.so", "new.so", "now.tmp"]
    make_room(str(tmp_path), 1)  # what somebody has used in the last minutes, or is writing, stays
    assert sorted(os.listdir(tmp_path)) == ["a.so", "new.so", "now.tmp"]


def test_what_another_process_uses_or_removes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels(tmp_path, {"a.so": 3 * HOUR, "b.so": 2 * HOUR, "c.so": HOUR})
    real = os.stat

    def meanwhile(path: str) -> os.stat_result:
        if path.endswith("a.so"):
            os.utime(path)
        if path.endswith("b.so"):
            os.unlink(path)
        return real(path)

    monkeypatch.setattr("ttl.emu.kernel_cache.os.stat", meanwhile)
    make_room(str(tmp_path), 1)
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["a.so"]


def test_a_kernel_that_goes_before_it_is_loaded_is_compiled_again(tmp_path: Path) -> None:
    flags = ("--target", "emu", "--cache-dir", str(tmp_path / "cache"))
    outcome = run_program(PROGRAM, folder=tmp_path, flags=flags)
    assert (outcome.stdout.strip(), outcome.status) == ("1024.0", 0), outcome.stderr


def test_the_command_shows_what_is_kept_and_removes_it(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (cache / "emu" / "kernels").mkdir(parents=True)
    (cache / "own.txt").write_text("not ours")
    kernels(cache / "emu" / "kernels", {"a.so": 1, "b.so": 1})
    flags = ("--cache-dir", str(cache))
    data = json.loads(run_ttl(["cache", "--format", "json", *flags], folder=tmp_path).stdout)
    (part,) = [part for part in data["parts"] if part["files"]]
    assert (part["name"], part["files"], part["bytes"]) == ("emu/kernels", 2, 16384)
    assert data["limit_bytes"] == 1 << 30
    assert "2 files" in run_ttl(["cache", "--clear", *flags], folder=tmp_path).stdout
    assert os.listdir(cache / "emu") == [] and (cache / "own.txt").exists()
    assert "switched off" in run_ttl(["cache", "--cache-dir", "off"], folder=tmp_path).stdout
    assert "error[TTL0101]" in run_ttl(["cache", "--cache-limit", "0"], folder=tmp_path).stderr
