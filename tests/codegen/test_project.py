"""The folder that ``ttl compile --emit project`` writes for an operation."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support import real_ttnn
from support.described import copying
from ttl.codegen.description import from_json
from ttl.codegen.project import project_files

HEADERS = Path(__file__).parent.parent / "support" / "host_headers"


def test_the_folder_has_all_that_is_needed() -> None:
    description = copying()
    files = project_files(description)
    kernels = {kernel.file: files[f"kernels/{kernel.file}"] for kernel in description.kernels}
    assert kernels == {kernel.file: kernel.source for kernel in description.kernels}
    assert from_json(files["program.json"], kernels) == description
    assert set(files) - {f"kernels/{name}" for name in kernels} == {
        "program.json", "run.py", "host.cpp", "CMakeLists.txt", "README.md",
    }  # fmt: skip


def test_the_readme_names_what_there_is() -> None:
    description = copying()
    text = project_files(description)["README.md"]
    for each in (*description.tensors, *description.circular_buffers, *description.semaphores):
        assert f"`{each.name}`" in text
    for kernel in description.kernels:
        assert f"`kernels/{kernel.file}`" in text


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ on this machine")
@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm on this machine")
def test_the_host_program_calls_what_the_real_library_has(tmp_path: Path) -> None:
    """Its undefined symbols, which carry the types of all arguments, are symbols of both releases' library.

    The headers that it is compiled with are ours (no wheel has the real ones): names of fields are not proved.
    """
    source, made = tmp_path / "host.cpp", tmp_path / "host.o"
    source.write_text(project_files(copying())["host.cpp"], encoding="utf-8")
    command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{HEADERS}", "-c", str(source), "-o"]
    done = subprocess.run([*command, str(made)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    asked = {symbol for symbol in _symbols("-u", made) if "tt_metal" in symbol}
    assert len(asked) > 15
    for generation in ("0.81", "0.69"):
        assert asked - _library(generation) == set()


def _library(generation: str) -> set[str]:
    try:
        python = real_ttnn.environment(generation)
    except real_ttnn.Missing as problem:
        pytest.skip(str(problem))
    (library,) = python.parent.parent.glob("lib/python*/site-packages/ttnn/build/lib/libtt_metal.so")
    return _symbols("-D", "--defined-only", library)


def _symbols(*arguments: object) -> set[str]:
    done = subprocess.run(["nm", *map(str, arguments)], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in done.stdout.splitlines() if line.strip()}
