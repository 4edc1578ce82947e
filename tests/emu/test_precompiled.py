"""Headers are precompiled for the fourth kernel of a kind; kernels are the same with them and without."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ttl.emu.headers import INCLUDE
from ttl.emu.precompiled import header_for
from ttl.session import Session

GCC = shutil.which("g++")
FLAGS = ["-std=c++20", "-O1", "-w"]


def made(folder: Path, times: int, *, identity: str = "g++ 12") -> list[str | None]:
    assert GCC is not None
    return [header_for([GCC], FLAGS, ["cstdint"], identity, str(folder)) for _ in range(times)]


@pytest.mark.skipif(GCC is None, reason="needs g++")
def test_it_is_made_when_it_is_worth_it_and_changes_no_code(tmp_path: Path) -> None:
    assert GCC is not None
    with Session().entered():
        headers = made(tmp_path / "kept", 5)
    assert headers[:3] == [None, None, None]
    header = headers[3]
    assert header is not None and headers[4] == header
    assert Path(f"{header}.gch").exists()
    source = "uint32_t f(uint32_t a) { return a * 3; }"
    for number, name in enumerate(("cstdint", header)):
        command = [GCC, *FLAGS, "-include", name, "-x", "c++", "-S", "-o", str(tmp_path / f"{number}.s"), "-"]
        subprocess.run(command, input=source, text=True, check=True)
    assert (tmp_path / "0.s").read_text() == (tmp_path / "1.s").read_text()
    with Session().entered():  # another process knows it at once
        assert made(tmp_path / "kept", 1) == [header]


def test_it_is_done_without_where_it_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with Session().entered():
        assert header_for(["false"], [], [], "clang version 15", str(tmp_path)) is None
        assert {header_for(["false"], [], [], "g++", str(tmp_path / "kept")) for _ in range(5)} == {None}
        assert {header_for(["true"], [], [], "g++", str(tmp_path / "file" / "kept")) for _ in range(5)} == {
            None
        }
    assert not list((tmp_path / "kept").iterdir())


def test_those_that_nobody_uses_make_room(tmp_path: Path) -> None:
    with Session().entered():
        first = made_by_true(tmp_path, 0)
        os.utime(Path(first).parent, (1, 1))
        for number in range(1, 48):
            made_by_true(tmp_path, number)
            os.utime(tmp_path / Path(made_by_true(tmp_path, number)).parent.name, (number + 1, number + 1))
        assert made_by_true(tmp_path, 0) == first  # used again: the newest now
        last = made_by_true(tmp_path, 48)
    left = {path.name for path in tmp_path.iterdir()}
    assert len(left) == 49 - 24
    assert {Path(first).parent.name, Path(last).parent.name} <= left


def made_by_true(folder: Path, number: int) -> str:
    """A header for a compiler that only says that all is well."""
    headers = [header_for(["true"], [str(number)], ["cstdint"], "g++", str(folder)) for _ in range(4)]
    assert headers[3] is not None
    return headers[3]


def test_nothing_of_one_kernel_is_in_the_headers_that_are_precompiled() -> None:
    """The compiler would not take a precompiled header that mentions a macro which a kernel has and another one has not."""
    named = re.compile(
        r"\b(TTL_EMU_FORMATS|KERNEL_COMPILE_TIME_ARGS|KERNEL_COMPILE_TIME_ARG_MAP|DST_ACCUM_MODE|ENABLE_FP32_DEST_ACC|APPROX"
        r"|MATH_FIDELITY|DST_SYNC_MODE|NOC_INDEX|COMPILE_FOR_\w+)\b"
    )
    where = {path.name: set(named.findall(path.read_text())) for path in (INCLUDE / "ttl_emu").glob("*.h")}
    assert {name for name, macros in where.items() if macros} == {"given.h"}


@pytest.mark.skipif(GCC is None, reason="needs g++")
@pytest.mark.parametrize("computes", [True, False])
def test_kernels_are_the_same_to_the_byte_with_it_and_without(tmp_path: Path, computes: bool) -> None:
    assert GCC is not None
    words = "-std=c++20 -O1 -fPIC -shared -nostdlib -fvisibility=hidden -w -DTTL_EMU_API_VERSION=81 -DARCH_WORMHOLE -DTTL_EMU_BUFFERS=32"
    kind = [
        *words.split(),
        "-DTTL_EMU_PACKET_BYTES=8192",
        "-DTTL_EMU_L1_ALIGNMENT=16",
        "-DTTL_EMU_DRAM_ALIGNMENT=32",
        f"-I{INCLUDE}",
    ]
    kind += ["-DTTL_EMU_COMPUTE"] if computes else []
    own = ["-DTTL_EMU_FORMATS=5,0", "-DKERNEL_COMPILE_TIME_ARGS=3u,7u", "-DNOC_INDEX=1", "-DDST_ACCUM_MODE=1"]
    header = tmp_path / "kernels.h"
    header.write_text('#include "ttl_emu/kernel.h"\n')
    later = "-DTTL_EMU_GIVEN_LATER"
    subprocess.run([GCC, *kind, later, "-x", "c++-header", "-o", f"{header}.gch", str(header)], check=True)
    call = "noc_async_read_barrier();" if not computes else "tile_regs_acquire();"
    source = f"void kernel_main() {{ constexpr uint32_t a = get_compile_time_arg_val(1) + get_tile_size(1); cb_push_back(0, a); {call} }}"
    objects = []
    for first in (
        ["-include", "ttl_emu/kernel.h"],
        [later, "-Werror=invalid-pch", "-include", str(header), "-include", "ttl_emu/given.h"],
    ):
        target = tmp_path / f"{len(objects)}.so"
        subprocess.run(
            [GCC, *kind, *own, *first, "-x", "c++", "-o", str(target), "-"],
            input=source,
            text=True,
            check=True,
        )
        objects.append(target.read_bytes())
    assert objects[0] == objects[1]
