"""A cache folder that is of no use, or has damaged files: runs go on, and say so once; ``ttl doctor --fix`` mends it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.programs import Outcome, run_ttl
from ttl.emu import runtime
from ttl.emu.kernel_cache import is_whole

pytestmark = pytest.mark.skipif(runtime.missing() is not None, reason="there is no emulated chip")

PROGRAM = """
import ttl, ttnn

@ttl.operation(grid=(1, 1))
def copy(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, y[0, 0]).wait()

device = ttnn.open_device(device_id=0)
x, y = (fill((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for fill in (ttnn.ones, ttnn.zeros))
copy(x, y)
print(float(ttnn.to_numpy(y).sum()))
"""
EMU = ("--target", "emu")


def run(folder: Path, cache: Path, *flags: str) -> Outcome:
    """On the emulated chip in a process of its own: a library that is loaded stays in its process."""
    (folder / "program.py").write_text(PROGRAM)
    command = ["run", *flags, "--cache-dir", str(cache), "program.py"]
    if not flags:
        return run_ttl(command, folder=folder)
    started = [sys.executable, "-m", "ttl", *command]
    done = subprocess.run(started, cwd=folder, capture_output=True, text=True, timeout=120)
    return Outcome(status=done.returncode, stdout=done.stdout, stderr=done.stderr)


def doctor(folder: Path, cache: Path) -> tuple[int, list[str]]:
    done = run_ttl(["doctor", "--fix", "--format", "json", "--cache-dir", str(cache)], folder=folder)
    return done.status, [fault["what"] for fault in json.loads(done.stdout)["cache faults"]]


def a_file(cache: Path) -> None:
    cache.write_text("not a folder")


def below_a_file(cache: Path) -> None:
    cache.mkdir()
    (cache / "emu").write_text("not a folder")
    (cache / "check").write_text("not a folder")


def a_loop(cache: Path) -> None:
    cache.symlink_to(cache)


@pytest.mark.parametrize("spoil", [a_file, below_a_file, a_loop])
def test_a_folder_that_cannot_be_written_is_said_once(spoil: Callable[[Path], None], tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    spoil(cache)
    done = run(tmp_path, cache)
    assert (done.status, done.stdout) == (0, "1024.0\n"), done.stderr
    (said,) = [line for line in done.stderr.splitlines() if line.startswith(("warning", "error"))]
    assert said.startswith(
        "warning[TTL0137]: nothing is kept for the next run: cannot write the cache folder"
    )
    if spoil is below_a_file:
        assert doctor(tmp_path, cache) == (0, ["is not a folder", "is not a folder"])
        assert run(tmp_path, cache).stderr == ""


def test_a_folder_that_all_may_write_to_is_closed(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (cache / "emu").mkdir(parents=True)
    cache.chmod(0o777)
    (cache / "emu").chmod(0o757)
    assert doctor(tmp_path, cache) == (0, ["may be written by all users"] * 2)
    assert (cache.stat().st_mode | (cache / "emu").stat().st_mode) & 0o002 == 0
    assert doctor(tmp_path, cache) == (0, [])


def test_the_emulated_chip_goes_on_without_its_cache(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    below_a_file(cache)
    done = run(tmp_path, cache, *EMU)
    assert (done.status, done.stdout) == (0, "1024.0\n"), done.stderr
    assert done.stderr.count("TTL0137") == 1 and (cache / "emu").read_text() == "not a folder"


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or os.geteuid() != 0, reason="needs to mount a file system"
)
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(cache)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        (cache / "filled").write_bytes(b"x" * 40_000)
        done = run(tmp_path, cache, *EMU)
        left = list(cache.rglob("*.so"))
        status, what = doctor(tmp_path, cache)
    finally:
        subprocess.run(["umount", str(cache)], check=True)
    assert (done.status, done.stdout) == (0, "1024.0\n"), done.stderr
    assert done.stderr.count("warning[TTL0137]") == 1 and "no space left on device" in done.stderr
    assert (left, status) == ([], 1)  # whose disk it is has to make room
    assert "left on its disk" in what[-1]


def cut(kernel: Path) -> None:
    os.truncate(kernel, 5_000)


def empty(kernel: Path) -> None:
    os.truncate(kernel, 0)


def zeros(kernel: Path) -> None:
    kernel.write_bytes(b"\0" * kernel.stat().st_size)


def a_folder(kernel: Path) -> None:
    kernel.unlink()
    kernel.mkdir()


def no_header(kernel: Path) -> None:
    kernel.unlink()
    for folder in kernel.parents[1].glob("include-*"):
        (folder / "api" / "dataflow" / "dataflow_api.h").write_text("broken")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache = tmp_path_factory.mktemp("filled")
    assert run(cache, cache, *EMU).status == 0
    return cache


@pytest.mark.one_of(4)
@pytest.mark.parametrize("spoil", [cut, empty, zeros, no_header, a_folder])
def test_damaged_files_are_found_and_made_anew(spoil: Callable[[Path], None], filled: Path) -> None:
    kernel, other = sorted((filled / "emu" / "kernels").glob("*.so"))
    spoil(kernel)
    done = run(filled, filled, *EMU)
    assert (done.status, done.stdout) == (0, "1024.0\n"), done.stderr
    if spoil is a_folder:  # nobody but the doctor removes what is no file
        assert doctor(filled, filled) == (0, ["is not a whole kernel"])
        assert run(filled, filled, *EMU).stderr == ""
    assert is_whole(str(kernel)) and is_whole(str(other))


def test_the_doctor_removes_what_is_damaged_and_nothing_else(filled: Path) -> None:
    kernel, other = sorted((filled / "emu" / "kernels").glob("*.so"))
    empty(kernel)
    kept = filled / "emu" / "notes.txt"
    kept.write_text("of somebody")
    (filled / "check").mkdir(exist_ok=True)
    (filled / "check" / "0.json").write_text("[" * 100_000)
    assert doctor(filled, filled) == (0, ["is not a whole kernel", "is not a result of a check"])
    assert doctor(filled, filled) == (0, [])
    assert other.exists() and kept.exists() and not kernel.exists()
