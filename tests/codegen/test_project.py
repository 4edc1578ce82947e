"""The folder that ``ttl compile --emit project`` writes for an operation."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
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
@pytest.mark.parametrize("in_shards", [False, True])
def test_the_host_program_calls_what_the_real_library_has(in_shards: bool, tmp_path: Path) -> None:
    """Its undefined symbols, which carry the types of all arguments, are symbols of both releases' library.

    The headers that it is compiled with are ours (no wheel has the real ones): names of fields are not proved.
    """
    source, made = tmp_path / "host.cpp", tmp_path / "host.o"
    description = copying()
    if in_shards:
        first, second, *others = description.circular_buffers
        tensor = replace(
            description.tensors[1],
            memory_layout="height_sharded",
            shard_shape=(32, 64),
            shard_nodes=((0, 0, 1, 2),),
        )
        buffers = (
            replace(first, tile=(8, 32), page_bytes=512),
            replace(second, memory="y", byte_offset=4096),
            *others,
        )
        description = replace(description, tensors=(description.tensors[0], tensor), circular_buffers=buffers)
    text = project_files(description)["host.cpp"]
    source.write_text(text, encoding="utf-8")
    command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{HEADERS}", "-c", str(source), "-o"]
    for generation, older in (("0.81", ()), ("0.69", ("-DOLDER",))):
        done = subprocess.run([*command, str(made), *older], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        asked = {symbol for symbol in _symbols("-u", made) if "tt_metal" in symbol}
        assert len(asked) > 15
        assert asked - _library(generation) == set()
    if in_shards:
        assert (
            ".set_globally_allocated_address_and_total_size(*y->get_reference_buffer(), 8192).set_address_offset(4096)"
            in text
        )
        assert "metal::ShardOrientation::ROW_MAJOR, {32, 32}, {2, 2})" in text


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
