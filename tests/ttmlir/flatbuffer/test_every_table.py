"""Every table of every schema: what we write is read by ``flatc`` and by a C++ program made from it, and the reverse.

``flatc`` is Debian's ``flatbuffers-compiler``, the headers are ``libflatbuffers-dev``; without them the tests are skipped.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from support.flatbuffer_values import FullValues
from tt_model.flatbuffer.decode import decode
from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.schema import schema

SCHEMAS = Path(str(files("tt_model.flatbuffer").joinpath("schemas")))
ROOTS = {
    "Common/system_desc.fbs": "SystemDescRoot",
    "TTNN/binary.fbs": "ttnn::TTNNBinary",
    "TTMetal/binary.fbs": "metal::TTMetalBinary",
}
FLATC, COMPILER = shutil.which("flatc"), shutil.which("g++")
HEADERS = Path("/usr/include/flatbuffers/flatbuffers.h")
needs_flatc = pytest.mark.skipif(FLATC is None, reason="no flatc: apt-get install flatbuffers-compiler")
needs_headers = pytest.mark.skipif(
    FLATC is None or COMPILER is None or not HEADERS.exists(),
    reason="no flatc, g++ or headers: apt-get install flatbuffers-compiler g++ libflatbuffers-dev",
)


def run(*arguments: str | Path | None) -> None:
    done = subprocess.run([str(one) for one in arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def written(path: str, folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Files of ours that have every table, and what they say."""
    kind = schema(path)
    for index, value in enumerate(FullValues().files(kind)):
        file = folder / f"{index}.{kind.extension}"
        file.write_bytes(encode(kind, value))
        assert decode(kind, file.read_bytes()) == value
        yield file, value


@needs_flatc
@pytest.mark.parametrize("path", ROOTS)
def test_flatc_writes_from_json_what_we_write(path: str, tmp_path: Path) -> None:
    kind = schema(path)
    wanted = dict(written(path, tmp_path))
    texts = [file.with_suffix(".json") for file in wanted]
    for text, value in zip(texts, wanted.values()):
        text.write_text(json.dumps(value))
    run(
        FLATC,
        "-I",
        SCHEMAS,
        "--binary",
        "--size-prefixed",
        "-o",
        tmp_path / "theirs",
        SCHEMAS / path,
        *texts,
    )
    for file, value in wanted.items():
        assert decode(kind, (tmp_path / "theirs" / file.name).read_bytes()) == value


@needs_flatc
@pytest.mark.parametrize("path", ["Common/system_desc.fbs", "TTNN/binary.fbs"])
def test_flatc_prints_what_we_write(path: str, tmp_path: Path) -> None:
    """Not of TTMetal: this ``flatc`` cannot print vectors of unions."""
    wanted = dict(written(path, tmp_path))
    options = ("--json", "--strict-json", "--defaults-json", "--size-prefixed", "-o", tmp_path)
    run(FLATC, "-I", SCHEMAS, *options, SCHEMAS / path, "--", *wanted)
    for file, value in wanted.items():
        assert json.loads(file.with_suffix(".json").read_text()) == value


@needs_headers
@pytest.mark.parametrize("path", ROOTS)
def test_a_program_in_cpp_reads_what_we_write_and_we_what_it_writes(path: str, tmp_path: Path) -> None:
    kind = schema(path)
    wanted = dict(written(path, tmp_path))
    options = ("--cpp", "--gen-all", "--gen-object-api", "--filename-suffix", "_all", "-o", tmp_path)
    run(FLATC, "-I", SCHEMAS, *options, SCHEMAS / path)
    header, program = f"{Path(path).stem}_all.h", tmp_path / "reader"
    defined = (
        f'-DHEADER="{header}"',
        f"-DROOT=tt::target::{ROOTS[path]}",
        f'-DIDENTIFIER="{kind.identifier}"',
    )
    source = Path(__file__).with_name("reader.cpp")
    run(COMPILER, "-std=c++17", "-O0", "-I", tmp_path, *defined, source, "-o", program)
    run(program, *wanted)
    for file, value in wanted.items():
        assert decode(kind, file.with_name(f"{file.name}.back").read_bytes()) == value
